"""Points all over closed surfaces, as even as can be."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias, final

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.equations import Problem, Relation
from fspielm.geometry import Sites, join_sites, reject, unit_stream

# The golden ratio less one: turns from a point to the next, from pole to pole.
_TURN = 0.5 * (math.sqrt(5) - 1)
# Where a condition holds on little of a surface.
_LEAST = 8

Place: TypeAlias = Callable[[FloatArray], Sites]
Surface: TypeAlias = tuple[str, Place, int]


@final
@dataclass(frozen=True, eq=False)
class Lattices:
    """Further points on closed surfaces: spirals from pole to pole, with a golden angle from each to the next.

    Parameters
    ----------
    surfaces : tuple of (str, callable, int)
        The part each belongs to, a map to it from shares of an azimuth and of a height, and how many points it gets.
    evenly : bool
        Whether they are such spirals; otherwise at distances that differ, for checks.
    """

    surfaces: tuple[Surface, ...]
    evenly: bool = True

    @property
    def count(self) -> int:
        """How many points, on all surfaces."""
        return sum(count for _, _, count in self.surfaces)

    def counts(self, problem: Problem) -> dict[str, int]:
        """How many of the points each block gets, by its name."""
        found: dict[str, int] = {}
        for relation, _, count in self._shares(problem):
            found[relation.name] = found.get(relation.name, 0) + count
        return found

    def draw(self, problem: Problem, rng: np.random.Generator) -> dict[str, Sites]:
        """Draw the points of every block that gets any, by its name."""
        found: dict[str, list[Sites]] = {}
        for relation, place, count in self._shares(problem):
            found.setdefault(relation.name, []).append(self._on(relation, place, count, rng))
        return {name: join_sites(sites) for name, sites in found.items()}

    def thinned(self) -> Lattices:
        """As many, at distances that differ."""
        return replace(self, evenly=False)

    def _shares(self, problem: Problem) -> list[tuple[Relation, Place, int]]:
        """What each relation gets of every surface it holds on."""
        held = [relation for relation in problem.relations if relation.region.kind == "boundary"]
        return [
            (relation, place, max(round(count * relation.region.share), _LEAST))
            for relation in held
            for name, place, count in self.surfaces
            if name in relation.part_names
        ]

    def _on(self, relation: Relation, place: Place, count: int, rng: np.random.Generator) -> Sites:
        if self.evenly and relation.region.share == 1.0:
            index = np.arange(count) + rng.random()
            return place(np.column_stack([(index * _TURN + rng.random()) % 1.0, index / count]))
        stream = unit_stream(2, rng, "low-discrepancy")
        what = f"the region of {relation.name!r}"
        return place(reject(stream, lambda unit: relation.holds(place(unit).points), count, what=what))
