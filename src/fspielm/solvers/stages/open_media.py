"""Functions on all sides of objects of the plane: outside, and of the media inside of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import final

from fspielm.collocation import Crowd
from fspielm.collocation.crowd import Crowds
from fspielm.equations import Problem
from fspielm.equations.media import Medium, media_of
from fspielm.equations.open_domain import inner_wavenumbers
from fspielm.errors import ProblemError
from fspielm.features import Basis, Component, JoinedBasis
from fspielm.features.outward import RadiatingBasis
from fspielm.features.outward.placement import Placed, Wanted, merged, place_around, place_in
from fspielm.geometry import Corner, PlaneCurve
from fspielm.geometry.exterior import PlaneExterior

# Rows for each function.
_ROWS_PER_FUNCTION = 2.0


@final
@dataclass(frozen=True, eq=False)
class Sides:
    """Functions that are placed in objects and around them.

    Attributes
    ----------
    placed : tuple of tuple of Placed
        For each object: in it, for the field around it, and around it, for the one inside.
    bases : tuple of Basis or None
        Those outside of all objects, and those of each medium; None where it varies.
    drives : mapping of int to Basis
        By the unknowns of media that vary: what is placed in these, for the field around them.
    """

    placed: tuple[tuple[Placed, ...], ...]
    bases: tuple[Basis | None, ...]
    drives: Mapping[int, Basis]

    @property
    def together(self) -> Placed:
        """All that is placed."""
        return merged([placed for own in self.placed for placed in own])

    def crowd(self, problem: Problem, others: Mapping[int, int]) -> Crowd | Crowds:
        """Rows on the objects, which crowd where functions do, with so many other functions in some objects.

        Where there are media, on each object for its own functions: those of others may be anywhere beside it.
        """
        if len(self.placed) == 1 or not media_of(problem):
            size = sum(basis.size for basis in self.bases if basis is not None) + sum(others.values())
            return _crowd(self.together, size, None)
        assert isinstance(problem.domain, PlaneExterior)
        parts = problem.domain.object_parts([str(symbol) for symbol in problem.coordinates])
        crowds = []
        for place, own in enumerate(self.placed):
            size = sum(placed.functions for placed in own) + others.get(place, 0)
            crowds.append(_crowd(merged(own), size, frozenset(part.name for part in parts[place])))
        return Crowds(tuple(crowds))


def _crowd(placed: Placed, functions: int, parts: frozenset[str] | None) -> Crowd:
    return Crowd(placed.crowd, math.ceil(_ROWS_PER_FUNCTION * functions), placed.strengths, evenly=True, parts=parts)


def on_all_sides(
    problem: Problem, corners: Sequence[Corner], wanted: Wanted, make: Callable[[Problem, Placed], Basis]
) -> Sides:
    """Functions in objects, those outside of all of them made by `make`, and around those that let waves through.

    In a medium there are sources around it, and functions in what lies in it.
    """
    domain = problem.domain
    assert isinstance(domain, PlaneExterior)  # as the stage found
    placed: list[list[Placed]] = [[] for _ in domain.shapes]
    outside = _in_objects(domain, -1, corners, wanted, placed)
    bases: list[Basis | None] = [make(problem, merged(outside))]
    drives: dict[int, Basis] = {}
    waves = inner_wavenumbers(problem)
    for number, (medium, k) in enumerate(zip(media_of(problem), waves, strict=True), 1):
        bases.append(None if k is None else _of_medium(domain, medium, k, corners, wanted, placed))
        if k is None:
            (own,) = placed[medium.place]
            around = waves[medium.around - 1] if medium.around else None
            drives[number] = make(problem, own) if around is None else _radiating(own, around)
    return Sides(tuple(map(tuple, placed)), tuple(bases), drives)


def join_by_unknown(bases: Sequence[Basis | None]) -> Basis:
    """The functions of several unknowns, one after the other; those of a single one as they are."""
    known = [basis for basis in bases if basis is not None]
    if len(known) == 1:
        return known[0]
    return JoinedBasis([Component(basis, number, len(known)) for number, basis in enumerate(known)])


def _of_medium(
    domain: PlaneExterior,
    medium: Medium,
    k: complex,
    corners: Sequence[Corner],
    wanted: Wanted,
    placed: list[list[Placed]],
) -> Basis:
    """The functions of a medium, noted where they are placed."""
    here, outer = medium.place, domain.around[medium.place]
    own = _loops(domain, lambda place: place == here)
    others = _loops(domain, lambda place: place != here and domain.around[place] in (here, outer))
    if len(own) > 1:
        raise ProblemError("Transparent: every object must be in one piece; name its pieces, fs.Exterior(a, b)")
    wanted = replace(wanted, wavenumber=abs(k), period=None)  # copies of the whole are outside of it
    around = place_around(own[0], corners, wanted.of(domain.owners.index(here)), others)
    placed[here].append(around)
    found = [around, *_in_objects(domain, here, corners, wanted, placed)]
    bases = [_radiating(each, k) for each in found]
    return bases[0] if len(bases) == 1 else JoinedBasis(bases)


def _radiating(placed: Placed, k: complex) -> RadiatingBasis:
    return RadiatingBasis(placed.centers, placed.orders, k, placed.scales)


def _in_objects(
    domain: PlaneExterior, outer: int, corners: Sequence[Corner], wanted: Wanted, placed: list[list[Placed]]
) -> list[Placed]:
    """Functions in the objects that lie in another one, or in none, noted where they are placed."""
    within = _loops(domain, lambda place: domain.around[place] == outer)
    wall = _loops(domain, lambda place: place == outer)
    numbers = [number for number, owner in enumerate(domain.owners) if domain.around[owner] == outer]
    found = place_in(within, corners, wanted.among(numbers), wall) if within else []
    for number, own in zip(numbers, found, strict=True):
        placed[domain.owners[number]].insert(0, own)
    return found


def _loops(domain: PlaneExterior, which: Callable[[int], bool]) -> list[tuple[PlaneCurve, ...]]:
    """The boundaries of some objects, by their places."""
    return [loop for loop, owner in zip(domain.loops, domain.owners, strict=True) if which(owner)]
