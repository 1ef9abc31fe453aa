"""When cells are tried: before a filled band, or after it."""

from __future__ import annotations

from fspielm.linalg import QR
from fspielm.scrutiny import scrutinise
from fspielm.solvers.request import Request
from fspielm.solvers.stages.stage import Step
from fspielm.spectrum import Bands

# A filled band of so many operations is dear enough to ask what cells would take; those do theirs in smaller pieces,
# each of which takes longer, and begin with fewer rounds to come.
_DEAR = 2e11
_CHEAPER = 0.2
# Operations of a complex one, which cells count as what they are.
_COMPLEX = 4.0
# Something so much narrower than the domain is not held by a band that the machine could hold.
_NARROW = 1 / 60


def allows_cells(request: Request) -> bool:
    """Whether cells may be tried: not where something was asked for that they do not heed.

    Nor where values were measured: if a band does not meet them, they do not fit each other.
    """
    asked = request.points is not None or request.scaling != "rms" or bool(request.singular)
    measured = any(condition.kind == "measured" for condition in request.problem.conditions)
    return request.problem.dimension <= 2 and not (asked or measured) and isinstance(request.method, QR)


def first_with_cells(request: Request, bands: Bands, *, narrow: bool = True) -> Step:
    """The first step with cells; an UnsuitableError says what they do not know."""
    from fspielm.solvers.stages.cells import cells_for  # much code, which few problems need

    return cells_for(request, bands, narrow=narrow).first()


def cells_before_band(request: Request, bands: Bands, work_of_band: float) -> tuple[Step, str] | None:
    """The first step with cells, and why they come before a filled band of so many operations; None if they do not."""
    if not allows_cells(request):
        return None
    problem = request.problem
    if problem.interfaces:
        return first_with_cells(request, bands), "materials differ"
    narrow = [place.width for place in scrutinise(problem).places if place.kind == "narrow"]
    if min(narrow, default=float("inf")) < _NARROW * request.lengths.max():
        return first_with_cells(request, bands), "something in the data or the coefficients is narrow"
    if _narrowest_gap(request) < _NARROW * request.lengths.max():
        return first_with_cells(request, bands), "curves of the boundary all but touch"
    work_of_band *= _COMPLEX if request.itemsize == 16 else 1.0
    if work_of_band > _DEAR:
        cells = first_with_cells(request, bands)
        if cells.trial.work(problem) < _CHEAPER * work_of_band:
            return cells, "a filled band would cost far more"
    return None


def _narrowest_gap(request: Request) -> float:
    """The least width of the domain between two curves; infinite where nothing is cut out of it."""
    if not request.problem.domain.hole_places():
        return float("inf")
    from fspielm.solvers.cells.curved import narrowest_gap  # much code, which few problems need

    return narrowest_gap(request.problem.domain)
