"""Numbers that users write: as such, or as expressions of given symbols."""

from __future__ import annotations

import cmath
from typing import Any

import numpy as np
import sympy as sp

from fspielm.equations.givens import Givens
from fspielm.errors import ProblemError


def as_written(value: Any, what: str) -> sp.Expr:
    """A number or an expression, as an expression; a text is none.

    Raises
    ------
    ProblemError
    """
    if isinstance(value, sp.Expr):
        return value
    if isinstance(value, int | float | complex | np.number) and not isinstance(value, bool):
        return sp.sympify(value)
    raise ProblemError(f"{what} must be a number, or a SymPy expression; got {value!r}")


def number_in(value: Any, givens: Givens, what: str) -> complex:
    """The number, real where it is; given symbols have theirs.

    Raises
    ------
    ProblemError
    """
    known = givens.substitute(as_written(value, what))
    if known.free_symbols or not known.is_number:
        raise ProblemError(f"{what} must be a number, or an expression of given symbols; got {value}")
    number = complex(known)
    if not cmath.isfinite(number):
        raise ProblemError(f"{what} must be finite; got {value}")
    return number if number.imag else number.real
