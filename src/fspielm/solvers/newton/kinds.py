"""Which kinds of functions nonlinear problems are solved with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import final

from fspielm.errors import ProblemError, UnsuitableError
from fspielm.solvers.request import Request
from fspielm.solvers.stages import Step, check_asked_for
from fspielm.solvers.stages.beside_cells import allows_cells, first_with_cells
from fspielm.solvers.stages.filled import filled_band
from fspielm.spectrum import Bands


@final
@dataclass(frozen=True, eq=False)
class Kind:
    """A kind of functions, why it is tried, and its first step."""

    title: str
    why: str
    first: Callable[[], Step]


def kinds_for(linear: Request, bands: Bands) -> Iterator[Kind]:
    """Cells, whose refinement follows the solution, and then a filled band, which serves every equation.

    Raises
    ------
    ProblemError
        If the kind asked for does not suit.
    """
    asked = linear.approach
    if asked in ("characteristic", "thin"):
        raise ProblemError(
            f"approach={asked!r} is for linear problems, for it makes use of what satisfies the equation; take 'patches' "
            "or 'band', or leave it out"
        )
    check_asked_for(linear)
    cells = Kind("polynomials in cells", "which follow the solution", partial(first_with_cells, linear, bands, narrow=False))
    band = Kind("a filled band", "which serves every equation", lambda: filled_band(linear, bands).first())
    if asked == "patches":
        yield _asked(cells)
    elif asked == "band":
        yield _asked(band)
    else:
        if _suits_cells(linear):
            yield cells
        yield band


def _asked(kind: Kind) -> Kind:
    """The same because it was asked for."""
    return Kind(kind.title, "asked for", kind.first)


def _suits_cells(linear: Request) -> bool:
    from fspielm.collocation.cells import check_suitable  # much code, which few problems need

    try:
        check_suitable(linear.problem)
    except UnsuitableError:
        return False
    return allows_cells(linear)
