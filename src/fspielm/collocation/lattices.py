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


@final
@dataclass(frozen=True, eq=False)
class Surface:
    """A closed surface that gets points.

    Attributes
    ----------
    name : str
        The part it belongs to.
    place : callable
        A map to it from shares of an azimuth and of the way from pole to pole.
    count : int
        How many points it gets.
    rings : int, optional
        How many rings they are on, for fields that vary along more than around; a spiral without.
    """

    name: str
    place: Place
    count: int
    rings: int | None = None

    def unit(self, count: int, rng: np.random.Generator) -> FloatArray:
        """So many points, as shares of the azimuth and of the way."""
        index, start, turn = np.arange(count), rng.random(), rng.random()
        if self.rings is None:
            return np.column_stack([((index + start) * _TURN + turn) % 1.0, (index + start) / count])
        # all around each ring, which are a golden share of a spacing ahead of those before
        ring = index * self.rings // count
        azimuth = (index * self.rings / count) % 1.0 + (ring * _TURN % 1.0) * self.rings / count
        return np.column_stack([(azimuth + turn) % 1.0, (ring + start) / self.rings])


@final
@dataclass(frozen=True, eq=False)
class Lattices:
    """Further points on closed surfaces: spirals from pole to pole, with a golden angle from each to the next.

    Parameters
    ----------
    surfaces : tuple of Surface
    evenly : bool
        Whether they are such spirals; otherwise at distances that differ, for checks.
    """

    surfaces: tuple[Surface, ...]
    evenly: bool = True

    @property
    def count(self) -> int:
        """How many points, on all surfaces."""
        return sum(surface.count for surface in self.surfaces)

    def counts(self, problem: Problem) -> dict[str, int]:
        """How many of the points each block gets, by its name."""
        found: dict[str, int] = {}
        for relation, _, count in self._shares(problem):
            found[relation.name] = found.get(relation.name, 0) + count
        return found

    def draw(self, problem: Problem, rng: np.random.Generator) -> dict[str, Sites]:
        """Draw the points of every block that gets any, by its name."""
        found: dict[str, list[Sites]] = {}
        for relation, surface, count in self._shares(problem):
            found.setdefault(relation.name, []).append(self._on(relation, surface, count, rng))
        return {name: join_sites(sites) for name, sites in found.items()}

    def thinned(self) -> Lattices:
        """As many, at distances that differ."""
        return replace(self, evenly=False)

    def _shares(self, problem: Problem) -> list[tuple[Relation, Surface, int]]:
        """What each relation gets of every surface it holds on."""
        held = [relation for relation in problem.relations if relation.region.kind == "boundary"]
        return [
            (relation, surface, max(round(surface.count * relation.region.share), _LEAST))
            for relation in held
            for surface in self.surfaces
            if surface.name in relation.part_names
        ]

    def _on(self, relation: Relation, surface: Surface, count: int, rng: np.random.Generator) -> Sites:
        if self.evenly and relation.region.share == 1.0:
            return surface.place(surface.unit(count, rng))
        stream = unit_stream(2, rng, "low-discrepancy")
        what = f"the region of {relation.name!r}"
        return surface.place(reject(stream, lambda unit: relation.holds(surface.place(unit).points), count, what=what))
