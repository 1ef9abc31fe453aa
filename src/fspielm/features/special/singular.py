"""Which corners get singular functions, as users choose them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, SupportsFloat, TypeAlias, final

from fspielm.errors import ProblemError
from fspielm.geometry.inputs import as_number, as_plane_point, as_positive

Choice: TypeAlias = "bool | Singular | Sequence[Singular] | None"


@final
@dataclass(frozen=True, init=False)
class Singular:
    """Singular functions at one corner: ``fs.solve(problem, singular=fs.Singular((0, 0)))``.

    Near a corner of opening alpha a solution behaves like ``r**s sin(s theta)`` with ``s = k pi / alpha`` (and
    ``s = (k - 1/2) pi / alpha`` where a value is prescribed on one side and a slope on the other), with a logarithm
    where s is whole. These functions, or Bessel functions of order s for Helmholtz' equation, become columns beside
    the cosines.

    Parameters
    ----------
    at : (number, number)
        A corner of the domain; or, with `opening` and `start`, any point of its boundary, such as one where a
        Dirichlet condition gives way to a Neumann condition.
    opening : number, optional
        Interior angle in radians; that of the domain's corner by default.
    start : number, optional
        Direction, in radians from the x axis, of the side from which the interior is swept counterclockwise.
    exponents : sequence of numbers, optional
        The s themselves, where they are known better.
    """

    at: tuple[float, float]
    opening: float | None
    start: float | None
    exponents: tuple[float, ...] | None

    def __init__(
        self,
        at: Iterable[SupportsFloat],
        opening: SupportsFloat | None = None,
        start: SupportsFloat | None = None,
        exponents: Iterable[SupportsFloat] | None = None,
    ) -> None:
        if (opening is None) != (start is None):
            raise ProblemError("Singular: give opening and start together, or neither for a corner of the domain")
        angle = None if opening is None else as_positive(opening, "Singular: opening")
        if angle is not None and angle > 2 * math.pi:
            raise ProblemError(f"Singular: opening must be an angle in radians, at most 2 pi; got {angle}")
        powers = None if exponents is None else tuple(as_positive(s, "Singular: exponents") for s in exponents)
        if powers == ():
            raise ProblemError("Singular: exponents must name at least one; leave it out for those of the corner")
        object.__setattr__(self, "at", as_plane_point(at, "Singular: at"))
        object.__setattr__(self, "opening", angle)
        object.__setattr__(self, "start", None if start is None else as_number(start, "Singular: start"))
        object.__setattr__(self, "exponents", powers)


def check_singular(singular: Any) -> None:
    """Refuse what cannot say where singular functions go."""
    single = singular is None or isinstance(singular, bool | Singular)
    if single or (isinstance(singular, Sequence) and singular and all(isinstance(s, Singular) for s in singular)):
        return
    raise ProblemError(
        "singular must be True (all corners), False (none), or fs.Singular((x, y)) objects for single corners; "
        f"got {singular!r}"
    )
