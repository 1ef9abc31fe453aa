"""Which kinds of functions nonlinear problems are solved with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import final

import numpy as np

from fspielm.equations.nonlinear import Iterate
from fspielm.errors import ProblemError, UnsuitableError
from fspielm.solvers.newton.bands import BY_EQUATION, measured
from fspielm.solvers.request import Request
from fspielm.solvers.stages import Step, check_asked_for
from fspielm.solvers.stages.beside_cells import allows_cells
from fspielm.solvers.stages.filled import filled_band
from fspielm.spectrum import Bands

# Cells are to be better by this factor than the tolerance asks for, since further rounds are dear; and those that are
# laid out anew by as much more as the others have missed it. Those that are made finer where they show errors have to
# guess less.
_BETTER, _FINER = 1e-3, 0.1
_LEAST_TOLERANCE = 1e-20
# More unknowns than this are too many for steps that may be wrong: the fastest waves that the equation could carry,
# which a solution seldom has, wait until it shows them.
_MANY = 20_000


@final
@dataclass(frozen=True, eq=False)
class Kind:
    """A kind of functions.

    Attributes
    ----------
    title, why : str
    first : callable
        Makes the first step, of a request for a linear problem.
    anew : callable or None
        Makes another one, of the same, an iterate, and by how much that has missed the tolerance.
    """

    title: str
    why: str
    first: Callable[[Request], Step]
    anew: Callable[[Request, Iterate, float], Step] | None = None


def kinds_for(linear: Request, bands: Bands) -> list[Kind]:
    """Cells, whose refinement follows the solution, and then a filled band.

    Raises
    ------
    ProblemError
        If the kind asked for does not suit.
    """
    if linear.approach in ("characteristic", "thin"):
        raise ProblemError(
            f"approach={linear.approach!r} is for linear problems, for it makes use of what satisfies the equation; "
            'take "patches" or "band", or leave it out'
        )
    check_asked_for(linear)

    def cells(request: Request, found: Bands, missed: float = 1.0) -> Step:
        from fspielm.solvers.stages.cells import cells_for  # much code, which few problems need

        better = replace(request, tol=max(_BETTER * request.tol / missed, _LEAST_TOLERANCE))
        stage = cells_for(better, found, narrow=False)
        return replace(stage, request=replace(request, tol=_FINER * request.tol)).first()

    @cache
    def modest() -> tuple[Bands, Step]:
        """The bands to begin with, and the first step."""
        found, by_equation = bands, np.array([source == BY_EQUATION for source in bands.sources])
        step = cells(linear, found)
        while step.trial.neurons > _MANY and np.any(by_equation & (found.frequencies * linear.lengths > 2 * np.pi)):
            found = replace(found, frequencies=np.where(by_equation, found.frequencies / 2, found.frequencies))
            step = cells(linear, found)
        return found, step

    def cells_anew(request: Request, iterate: Iterate, missed: float) -> Step:
        step = cells(request, measured(request, modest()[0], iterate), missed)
        return replace(step, trial=step.trial.because("cells for the frequencies of the solution"))

    def band(request: Request) -> Step:
        return filled_band(request, bands).first()

    asked = linear.approach is not None
    kinds = []
    if linear.approach != "band" and (asked or _suits_cells(linear)):
        why = "asked for" if asked else "which follow it"
        kinds.append(Kind("polynomials in cells", why, lambda _: modest()[1], cells_anew))
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
