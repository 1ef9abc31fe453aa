"""What `eigenmodes` refuses, and why."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from fspielm.equations import Problem
from fspielm.equations.parameters import need_values
from fspielm.errors import ProblemError
from fspielm.solvers.modes.pencil import MOST_DEGREE, Pencil, pencil_of, with_value

_PLACES = 64


def read_pencil(problem: Any, symbol: Any) -> Pencil:
    """The problem as a polynomial in its eigenvalue.

    Raises
    ------
    ProblemError
        If it is not linear, homogeneous, steady and bounded, or the symbol does not occur as it should.
    """
    check_symbol(problem, symbol)
    if problem.domain.is_unbounded:
        raise ProblemError(
            f"the domain {problem.domain!r} is unbounded: its spectrum is continuous, without modes that could be told "
            "apart; take a bounded domain"
        )
    looked = with_value(problem, symbol, 0.731)
    if not looked.is_linear:
        raise ProblemError(
            "the problem is not linear in its unknowns, so it has no modes; follow its solutions with fs.follow, or "
            "state its linearisation"
        )
    if looked.whole is not None:
        raise ProblemError(
            "modes of equations with conjugates, re, im or Abs are not found; state the real and imaginary parts"
        )
    check_zero(looked)
    if looked.missing:
        raise ProblemError(f"the modes are not determined: {looked.missing}")
    pencil = pencil_of(looked, symbol)
    if pencil is None:
        raise ProblemError(
            f"the equations must depend on {symbol} as polynomials do, of degree {MOST_DEGREE} at most; they do not: "
            "take another symbol for what stands there, such as a square root"
        )
    if not pencil.degree:
        raise ProblemError(
            f"lam={symbol} is given, but stands in no term with an unknown; write it there, as in {symbol}*u"
        )
    return pencil


def check_symbol(problem: Any, symbol: Any) -> None:
    """Refuse what is no eigenvalue of a problem, and problems that have none.

    Raises
    ------
    ProblemError
    """
    if not isinstance(problem, Problem):
        raise ProblemError(f"problem must be an fs.Problem; got {problem!r}")
    if not isinstance(symbol, sp.Symbol):
        raise ProblemError(f"lam must be the SymPy symbol of the eigenvalue; got {symbol!r}")
    if symbol in problem.coordinates:
        raise ProblemError(f"lam={symbol} is a coordinate; the eigenvalue must be a symbol of its own")
    if symbol not in problem.parameters:
        raise ProblemError(
            f"lam={symbol} does not occur in the problem; write the symbol {symbol} into an equation or a condition; "
            "symbols of one name but different assumptions (real=True) are different symbols"
        )
    if others := tuple(other for other in problem.open_symbols if other != symbol):
        raise ProblemError(need_values(problem, others))
    if problem.domain.time is not None:
        raise ProblemError(
            "modes are of problems in space alone; put u(x, t) = exp(-I omega t) u(x) into the equation, and take "
            "omega, or its square, for the eigenvalue"
        )


def check_zero(problem: Problem) -> None:
    """Refuse data: modes are solutions without any."""
    rng = np.random.default_rng(0)  # only looks
    for relation in problem.relations:
        values = relation.values(relation.sample(_PLACES, rng, "low-discrepancy"))
        if np.any(values != 0):
            what = "the right-hand side" if relation.condition is None else "the value"
            raise ProblemError(
                f"{what} of {relation.name!r} is not zero; modes are solutions without data: state the problem with "
                "zero on all right-hand sides and in all conditions"
            )


def read_wish(count: Any, within: Any) -> tuple[int | None, tuple[float, float] | None]:
    """How many modes are wanted, or where.

    Raises
    ------
    ProblemError
    """
    if (count is None) == (within is None):
        raise ProblemError("say which modes: count=10 for the first ten, or within=(a, b) for all in an interval")
    if within is None:
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
            raise ProblemError(f"count must be a whole number, at least 1; got {count!r}")
        return int(count), None
    if np.iscomplexobj(within):
        raise ProblemError(
            f"within={within!r} is a part of the complex plane, where open domains have resonances, fs.Exterior(...); "
            "on this one, write an interval of real values, as in (0, 100)"
        )
    try:
        lower, upper = (float(end) for end in within)
    except (TypeError, ValueError):
        raise ProblemError(f"within must be two numbers, as in (0, 100); got {within!r}") from None
    if not (np.isfinite(lower) and np.isfinite(upper)):
        raise ProblemError(f"within must be finite; got {within!r}")
    if lower > upper:
        raise ProblemError(f"within is the wrong way round: write ({upper:g}, {lower:g})")
    if lower == upper:
        raise ProblemError(f"within is empty: both of its ends are {lower:g}")
    return None, (lower, upper)
