"""What becomes of a policy file: a preset with parameters, and all that was left out."""

from dataclasses import dataclass, field

from loadtests.policies import Preset, preset

NOT_RETRIES = "says nothing about retries"
ONE_TARGET = "there is one target, and its hosts are not told apart"
"""Reasons to leave a field out that several formats have."""


@dataclass(frozen=True, slots=True)
class Ignored:
    """A field that the policy made does not have. `path` is where it stands in the file."""

    path: str
    why: str


@dataclass(frozen=True, slots=True)
class Imported:
    """A policy as a file has it: `parameters` are plain values that the preset takes.

    `name` is what it is called: the file's stem, with ``#select`` where one was chosen. `notes`
    say what was read otherwise than it is written, such as a limit that the client itself lowers.
    """

    preset_name: str
    parameters: dict[str, object]
    name: str
    format: str
    ignored: tuple[Ignored, ...] = ()
    notes: tuple[str, ...] = ()

    def preset(self) -> Preset:
        """The preset with these parameters. Raises `ValueError` where it does not take one."""
        return preset(self.preset_name, **self.parameters)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a format's module makes of a file, before it has a name."""

    preset_name: str
    parameters: dict[str, object]
    ignored: tuple[Ignored, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class Notes:
    """Collects what is to be said aloud while a file is read."""

    notes: list[str] = field(default_factory=list)
    ignored: list[Ignored] = field(default_factory=list)

    def reading(self, preset_name: str, parameters: dict[str, object]) -> Reading:
        """The result with all that was collected, each thing once."""
        ignored = tuple(dict.fromkeys(self.ignored))
        return Reading(preset_name, parameters, ignored, tuple(dict.fromkeys(self.notes)))
