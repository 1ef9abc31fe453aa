"""Which objects of an open domain need more functions, from the residual on each."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from fspielm.accuracy import ErrorEstimate
from fspielm.collocation.crowd import first_edges
from fspielm.equations import Problem, Relation
from fspielm.equations.media import media_of
from fspielm.equations.open_domain import inner_wavenumbers, outer_wavenumbers
from fspielm.features.outward.placement import Effort, distance_between, rim_of
from fspielm.geometry.exterior import PlaneExterior
from fspielm.spectrum import Bands

# Half waves of data along an object that the first round holds, and how many more the next one does.
_FIRST_HALF_WAVES = 16.0
_FASTER = 2.0
# An object whose residual is so much smaller than that of another one waits for that.
_WAITS = 0.03
# Of the tolerance, what the residual on all objects may amount to before they need no more.
_ENOUGH = 0.5
# Places on a smooth piece of a part that tell its object.
_LOOKS = 4
# Levels that are skipped at most, where digits are far off.
_MOST_LEVELS = 2
# By how much the next level is finer, about.
_FINER = 4 / 3
# An estimate above this says nothing of digits.
_HARDLY_A_DIGIT = 0.1


@final
@dataclass(frozen=True)
class ObjectEffort:
    """What is made of one object, and what could be.

    Attributes
    ----------
    blocks : frozenset of str
        The conditions on it.
    along : float
        The highest frequency that data on it may have, which is often far more than matters.
    made : Effort
    """

    blocks: frozenset[str]
    along: float
    made: Effort

    @property
    def is_slow(self) -> bool:
        """Whether data may be faster than what is held."""
        return self.made.held < self.along

    def faster(self) -> ObjectEffort:
        """For data that are faster."""
        return replace(self, made=replace(self.made, held=min(_FASTER * self.made.held, self.along)))

    def finer(self, levels: int) -> ObjectEffort:
        """With more functions, closer to the boundary."""
        return replace(self, made=replace(self.made, level=self.made.level + levels))

    def part_of(self, estimate: ErrorEstimate) -> float:
        """Of the norm of all residuals, what is on the object."""
        return math.sqrt(sum(estimate.shares.get(name, 0.0) for name in self.blocks))


def first_efforts(problem: Problem, bands: Bands | None, level: int = 0) -> tuple[ObjectEffort, ...]:
    """For every object what the first round makes of it; without `bands` nothing is known to be faster than waves."""
    slowest = max(map(abs, outer_wavenumbers(problem)))
    lower, upper = problem.domain.bounding_box
    slow = max(math.pi * _FIRST_HALF_WAVES / float(np.max(upper - lower)), slowest)
    waves = zip(media_of(problem), inner_wavenumbers(problem), strict=True)
    inside = {medium.place: abs(complex(k).real) for medium, k in waves if k is not None}
    owners = problem.domain.owners if isinstance(problem.domain, PlaneExterior) else [0]
    found = []
    for blocks, owner in zip(_blocks(problem), owners, strict=True):
        data = [] if bands is None else [band for band in bands.data if band.source in blocks and band.settled]
        along = max((band.frequency for band in data), default=0.0)
        found.append(ObjectEffort(blocks, along, Effort(min(along, slow), level, inside.get(owner, 0.0))))
    return tuple(found)


def more_effort(
    efforts: tuple[ObjectEffort, ...], estimate: ErrorEstimate, tol: float, *, helped: bool
) -> tuple[ObjectEffort, ...]:
    """More for objects whose residual keeps the estimate above the tolerance; the same where that is none.

    Faster functions as long as no digit is certain, and where finer ones did not help.
    """
    error = estimate.relative
    parts = [each.part_of(estimate) for each in efforts]
    enough = _ENOUGH * tol / (error * math.sqrt(len(efforts))) if math.isfinite(error) else 0.0
    least = max(_WAITS * max(parts), min(enough, max(parts)))
    is_vague = not error < _HARDLY_A_DIGIT
    levels = _MOST_LEVELS if is_vague else _levels(error, tol)

    def more(effort: ObjectEffort, part: float) -> ObjectEffort:
        if part < least:
            return effort
        return effort.faster() if effort.is_slow and (is_vague or not helped) else effort.finer(levels)

    return tuple(map(more, efforts, parts))


def _levels(error: float, tol: float) -> int:
    """How many, where digits go with the number of functions."""
    growth = math.log(tol) / math.log(error)
    return min(max(round(math.log(growth) / math.log(_FINER)), 1), _MOST_LEVELS)


def _blocks(problem: Problem) -> list[frozenset[str]]:
    """The names of the conditions on each object; in space, all on what is one to them."""
    domain, names = problem.domain, [relation.name for relation in problem.constraints]
    if not isinstance(domain, PlaneExterior):
        return [frozenset(names)]
    rims = [rim_of(loop) for loop in domain.loops]
    found: list[set[str]] = [set() for _ in rims]
    for relation in problem.constraints:
        for number in _objects_of(relation, rims):
            found[number].add(relation.name)
    return [frozenset(each) for each in found]


def _objects_of(relation: Relation, rims: list[np.ndarray]) -> set[int]:
    """The numbers of the objects that a condition is on, or may be."""
    part = relation.part
    if part is None:
        return set(range(len(rims)))
    edges = first_edges(part, _LOOKS)
    places = part.place(0.5 * (edges[1:] + edges[:-1])[:, None]).points
    nearest = np.argmin([[distance_between(place[None], rim) for place in places] for rim in rims], axis=0)
    return set(nearest.tolist())
