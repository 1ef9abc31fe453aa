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
# Something so much narrower than the domain is not held by a band that the machine could hold.
_NARROW = 1 / 60


def allows_cells(request: Request) -> bool:
    """Whether cells may be tried: not where something was asked for that they do not heed.

    Nor where values were measured: if a band does not meet them, they do not fit each other.
    """
    asked = request.points is not None or request.scaling != "rms" or bool(request.singular)
    measured = any(condition.kind == "measured" for condition in request.problem.conditions)
    return request.problem.dimension <= 2 and not (asked or measured) and isinstance(request.method, QR)


def first_with_cells(request: Request, bands: Bands) -> Step:
    """The first step with cells; an UnsuitableError says what they do not know."""
    from fspielm.solvers.stages.cells import cells_for  # much code, which few problems need

    return cells_for(request, bands).first()


def why_cells_first(request: Request, bands: Bands, work_of_band: float) -> str:
    """Why cells come before a filled band of so many operations; empty if they do not."""
    problem = request.problem
    if not allows_cells(request):
        return ""
    if problem.interfaces:
        return "materials differ"
    narrow = [place.width for place in scrutinise(problem).places if place.kind == "narrow"]
    if min(narrow, default=float("inf")) < _NARROW * request.lengths.max():
        return "something in the data or the coefficients is narrow"
    if work_of_band > _DEAR and first_with_cells(request, bands).trial.work(problem) < _CHEAPER * work_of_band:
        return "a filled band would cost far more"
    return ""
