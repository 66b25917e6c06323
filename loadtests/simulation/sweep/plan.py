"""All cells of a sweep: the product of its axes and policies, and a probe where none is larger."""

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from math import prod
from typing import overload

import numpy as np

from loadtests.simulation.engines import Engine
from loadtests.simulation.sweep.axes import Axis, Values
from loadtests.simulation.sweep.cells import CellTask
from loadtests.simulation.sweep.triggers import trigger_sizes

SCHEMA = 1


@dataclass(frozen=True)
class Sweep:
    """What is swept. `values` are a scenario's, as JSON has them; `lanes` its policies.

    A cell's place is the index of its value on each axis, then that of its lane. Cells are
    numbered in the order of their places; after them come the probes.
    """

    name: str
    values: Values
    axes: tuple[Axis, ...]
    lanes: tuple[str, ...]
    runs: int
    engine: Engine
    version: str

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of values of each axis, and of lanes."""
        return (*(len(axis.values) for axis in self.axes), len(self.lanes))

    @cached_property
    def trigger_sizes(self) -> tuple[tuple[Decimal, ...] | None, ...]:
        """By axis: how large a trigger each of its values makes; None where it makes none."""
        return tuple(trigger_sizes(axis) for axis in self.axes)

    @property
    def probe_shape(self) -> tuple[int, ...]:
        """Of the axes along which the trigger grows there is only the largest value."""
        found = zip(self.axes, self.trigger_sizes, strict=True)
        return (*(1 if sizes else len(axis.values) for axis, sizes in found), len(self.lanes))

    @property
    def cells(self) -> int:
        """How many there are, without probes."""
        return prod(self.shape)

    @property
    def size(self) -> int:
        """How many there are to be played: cells and probes."""
        return self.cells + prod(self.probe_shape)

    def place_of(self, number: int) -> tuple[int, ...]:
        """The place of a cell or a probe: a probe is at the largest trigger."""
        if number < self.cells:
            return tuple(int(index) for index in np.unravel_index(number, self.shape))
        found = np.unravel_index(number - self.cells, self.probe_shape)
        sizes = (*self.trigger_sizes, None)
        return tuple(
            int(index) if along is None else along.index(max(along))
            for index, along in zip(found, sizes, strict=True)
        )

    def settings_at(self, place: Sequence[int]) -> dict[str, str]:
        """The value of each axis at a place, by its path."""
        return {
            axis.path: axis.values[index] for axis, index in zip(self.axes, place, strict=False)
        }

    @cached_property
    def values_json(self) -> str:
        """The scenario's values as one text."""
        return json.dumps(self.values)

    def task(self, number: int) -> CellTask:
        """What a process needs to play this cell or probe."""
        place = self.place_of(number)
        return CellTask(
            values_json=self.values_json,
            settings=tuple(self.settings_at(place).items()),
            lane=self.lanes[place[-1]],
            engine=self.engine,
            runs=self.runs,
            probe=number >= self.cells,
        )

    def told(self) -> dict[str, object]:
        """What is swept, as the first line of its file has it."""
        return {
            "kind": "sweep",
            "schema": SCHEMA,
            "scenario": self.values,
            "axes": [{"path": axis.path, "values": list(axis.values)} for axis in self.axes],
            "policies": list(self.lanes),
            "runs": self.runs,
            "engine": self.engine.value,
            "version": self.version,
        }

    @property
    def folder_name(self) -> str:
        """The scenario's name, and a hash of all that is swept: another sweep has another."""
        digest = hashlib.sha256(json.dumps(self.told(), sort_keys=True).encode()).hexdigest()
        plain = re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-") or "sweep"
        return f"{plain[:40]}-{digest[:8]}"


class Tasks(Sequence[CellTask]):
    """The tasks of these numbers, each made when it is asked for."""

    def __init__(self, sweep: Sweep, numbers: Sequence[int]) -> None:
        self._sweep, self._numbers = sweep, numbers

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, index: int) -> CellTask: ...
    @overload
    def __getitem__(self, index: slice) -> list[CellTask]: ...
    def __getitem__(self, index: int | slice) -> CellTask | list[CellTask]:
        if isinstance(index, slice):
            return [self._sweep.task(number) for number in self._numbers[index]]
        return self._sweep.task(self._numbers[index])
