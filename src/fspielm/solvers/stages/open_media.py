"""Functions of the media inside of objects of the plane: around each, and in what lies in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fspielm.equations import Problem
from fspielm.equations.media import Medium, media_of
from fspielm.equations.open_domain import inner_wavenumbers
from fspielm.errors import ProblemError
from fspielm.features import Basis, Component, JoinedBasis
from fspielm.features.outward import RadiatingBasis
from fspielm.features.outward.placement import Placed, Wanted, merged, place_around, place_in
from fspielm.geometry import Corner
from fspielm.geometry.exterior import PlaneExterior


def in_media(problem: Problem, corners: Sequence[Corner], wanted: Wanted) -> list[tuple[Placed, Basis] | None]:
    """For each medium where its functions are, and these: sources around it, and functions in what lies in it.

    None where the wavenumber varies.
    """
    waves = zip(media_of(problem), inner_wavenumbers(problem), strict=True)
    return [None if k is None else _in_medium(problem, medium, k, corners, wanted) for medium, k in waves]


def join_by_unknown(bases: Sequence[Basis | None]) -> Basis:
    """The functions of several unknowns, one after the other; those of a single one as they are."""
    known = [basis for basis in bases if basis is not None]
    if len(known) == 1:
        return known[0]
    return JoinedBasis([Component(basis, number, len(known)) for number, basis in enumerate(known)])


def _in_medium(
    problem: Problem, medium: Medium, k: complex, corners: Sequence[Corner], wanted: Wanted
) -> tuple[Placed, Basis]:
    domain = problem.domain
    assert isinstance(domain, PlaneExterior)  # as the stage found
    owned = list(zip(domain.loops, domain.owners, strict=True))
    own = [loop for loop, owner in owned if owner == medium.place]
    if len(own) > 1:
        raise ProblemError("Transparent: every object must be in one piece; name its pieces, fs.Exterior(a, b)")
    within = [loop for loop, owner in owned if domain.around[owner] == medium.place]
    wanted = replace(wanted, wavenumber=abs(k))
    found = [place_around(own[0], corners, wanted, within)]
    if within:
        # copies of the whole are outside of it
        found.append(place_in(within, corners, replace(wanted, period=None), own))
    bases = [RadiatingBasis(each.centers, each.orders, k, each.scales) for each in found]
    return merged(found), bases[0] if len(bases) == 1 else JoinedBasis(bases)
