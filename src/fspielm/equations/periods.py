"""What periodic ends of an ordinary differential equation leave open."""

from __future__ import annotations

import cmath
from collections.abc import Sequence

import numpy as np

from fspielm.equations.constant import constant_operator
from fspielm.equations.operator import Operator
from fspielm.equations.relations import Relation
from fspielm.errors import UnsuitableError

# How far a zero of the symbol may be from a multiple of 2 pi / period, relative to the terms of the symbol there.
_ROUNDING = 1e-9


def left_open(boundary: Sequence[Relation], operator: Operator) -> int:
    """How many conditions beside a periodic one find something that it leaves open."""
    tied = [(c.region.shift, c.region.factor) for c in boundary if c.region.shift is not None]
    return periodic_solutions(operator, float(tied[0][0][0]), tied[0][1]) if tied else 0


def periodic_solutions(operator: Operator, period: float, factor: complex = 1.0) -> int:
    """How many independent functions of this period, up to a factor, the operator of one coordinate makes zero.

    So many further conditions fix what periodic ends leave open. With constant coefficients these are the multiples
    of 2 pi / period at which the symbol vanishes, moved by the phase of the factor; otherwise only constants are seen,
    where no term is free of derivatives.
    """
    try:
        terms = constant_operator(operator).operator.terms
    except UnsuitableError:
        return int(factor == 1 and all(term.order > 0 for term in operator.terms))
    values = {term.order: term.coefficient for term in terms if not callable(term.coefficient)}
    coefficients = np.array([values.get(order, 0.0) for order in range(operator.order, -1, -1)])
    first = cmath.log(factor)
    turns = {round((root * period - first).imag / (2 * np.pi)) for root in np.roots(coefficients)}
    return sum(_vanishes(coefficients, (first + 2j * np.pi * n) / period) for n in turns)


def _vanishes(coefficients: np.ndarray, root: complex) -> bool:
    """Whether a polynomial is zero there, up to rounding."""
    return bool(abs(np.polyval(coefficients, root)) <= _ROUNDING * np.polyval(np.abs(coefficients), abs(root)))
