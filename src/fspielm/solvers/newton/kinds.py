"""Which kinds of functions nonlinear problems are solved with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import final

from fspielm.equations.nonlinear import Iterate
from fspielm.errors import ProblemError, UnsuitableError
from fspielm.solvers.newton.bands import measured
from fspielm.solvers.request import Request
from fspielm.solvers.stages import Step, check_asked_for
from fspielm.solvers.stages.beside_cells import allows_cells, first_with_cells
from fspielm.solvers.stages.filled import filled_band
from fspielm.spectrum import Bands

# Cells that are laid out anew are to be better by this factor than the tolerance asks for: what was measured is not
# exact.
_BETTER = 1e-2
_LEAST_TOLERANCE = 1e-14


@final
@dataclass(frozen=True, eq=False)
class Kind:
    """A kind of functions.

    Attributes
    ----------
    title, why : str
    first : callable
        Makes the first step, of a request for a linear problem and the iterate that is the best so far.
    has_successor : bool
        Whether another kind does better where a round brings nothing.
    """

    title: str
    why: str
    first: Callable[[Request, Iterate], Step]
    has_successor: bool = False


def kinds_for(linear: Request, bands: Bands) -> list[Kind]:
    """Cells, whose refinement follows the solution, cells for its frequencies, and then a filled band.

    Raises
    ------
    ProblemError
        If the kind asked for does not suit.
    """
    if linear.approach in ("characteristic", "thin"):
        raise ProblemError(
            f"approach={linear.approach!r} is for linear problems, for it makes use of what satisfies the equation; take "
            '"patches" or "band", or leave it out'
        )
    check_asked_for(linear)

    def cells(request: Request, iterate: Iterate) -> Step:
        return first_with_cells(request, bands, narrow=False)

    def cells_anew(request: Request, iterate: Iterate) -> Step:
        own = measured(request, bands, iterate)
        better = replace(request, tol=max(_BETTER * request.tol, _LEAST_TOLERANCE))
        return first_with_cells(better, own, narrow=False)

    def band(request: Request, iterate: Iterate) -> Step:
        return filled_band(request, bands).first()

    asked = linear.approach is not None
    kinds = []
    if linear.approach != "band" and (asked or _suits_cells(linear)):
        kinds.append(Kind("polynomials in cells", "asked for" if asked else "which follow it", cells, True))
        kinds.append(Kind("cells for the frequencies of the solution", "which were measured", cells_anew))
    if linear.approach != "patches":
        kinds.append(Kind("a filled band", "asked for" if asked else "which serves every equation", band))
    return kinds


def _suits_cells(linear: Request) -> bool:
    from fspielm.collocation.cells import check_suitable  # much code, which few problems need

    try:
        check_suitable(linear.problem)
    except UnsuitableError:
        return False
    return allows_cells(linear)
