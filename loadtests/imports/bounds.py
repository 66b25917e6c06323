"""The presets' own bounds, so that a value beyond them is refused where it stands in the file."""

from dataclasses import fields

from loadtests.policies import PRESETS


def bounds(preset: str, parameter: str) -> tuple[float, float]:
    """The least and the most that the parameter takes."""
    [metadata] = [item.metadata for item in fields(PRESETS[preset]) if item.name == parameter]
    return metadata["least"], metadata["most"]
