"""A problem along one of its numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, final

import numpy as np
import sympy as sp

from fspielm.equations import ByRegion, Problem
from fspielm.equations.givens import read_givens
from fspielm.equations.parameters import check_parameter
from fspielm.errors import ProblemError

# Problems that are remembered: each is asked for several times, since to compile one takes its time.
_REMEMBERED = 16


@final
@dataclass(frozen=True, eq=False)
class Along:
    """Problems that differ in one number.

    Attributes
    ----------
    problem : Problem
        One of them.
    parameter : Symbol
        The number, one of the problem's parameters.
    lower, upper : float
        Between which it is looked at.
    """

    problem: Problem
    parameter: sp.Symbol
    lower: float
    upper: float

    def at(self, value: float) -> Problem:
        """The problem with a value of the parameter."""
        return self._remembered(float(value))

    @cached_property
    def _remembered(self) -> Callable[[float], Problem]:
        return lru_cache(maxsize=_REMEMBERED)(self._compiled)

    def _compiled(self, value: float) -> Problem:
        return self.problem.at({self.parameter: value})

    @cached_property
    def is_affine(self) -> bool:
        """Whether the parameter occurs to first degree alone, wherever it stands."""
        given = self.problem.statement.given or {}
        if any(isinstance(value, ByRegion) for value in given.values()):
            return False
        others = {key: value for key, value in given.items() if isinstance(key, sp.Symbol) and key != self.parameter}
        derived = read_givens(others).symbols
        written = [e.xreplace(derived) for e in self.problem.statement.expressions]
        return all(not _sides(e, self.parameter, 2) for e in written if e.has(self.parameter))

    @property
    def length(self) -> float:
        """Of the interval."""
        return self.upper - self.lower

    def contains(self, value: float) -> bool:
        """Whether a value is within the interval."""
        return self.lower <= value <= self.upper


def read_along(problem: Any, parameter: Any, interval: Any) -> Along:
    """Check the first arguments of `follow`.

    Raises
    ------
    ProblemError
        If the parameter does not occur, the interval is empty or the wrong way round, or the problem is linear in it.
    """
    if not isinstance(problem, Problem):
        raise ProblemError(f"problem must be an fs.Problem; got {problem!r}")
    lower, upper = _read_interval(interval)
    check_parameter(parameter, problem.parameters, problem.coordinates)
    along = Along(problem, parameter, lower, upper)
    if along.at(0.5 * (lower + upper)).is_linear and along.at(lower + 0.381966 * (upper - lower)).is_linear:
        raise ProblemError(
            f"the problem is linear for every {parameter}: it has one solution for each value, without folds or "
            "branches; solve it for the values you need"
        )
    if problem.stated.dtype.kind == "c" or problem.whole is not None:
        raise ProblemError("solutions of complex problems are not followed; state the real and the imaginary part")
    return along


def _sides(expression: sp.Basic, parameter: sp.Symbol, order: int) -> bool:
    """Whether a derivative of either side of an equation is not zero, as far as SymPy sees at once."""
    sides = expression.args if isinstance(expression, sp.Eq) else (expression,)
    return any(side.diff(parameter, order).doit() != 0 for side in sides)


def _read_interval(interval: Any) -> tuple[float, float]:
    try:
        lower, upper = (float(end) for end in interval)
    except (TypeError, ValueError):
        raise ProblemError(f"interval must be two numbers, as in (0, 7); got {interval!r}") from None
    if not (np.isfinite(lower) and np.isfinite(upper)):
        raise ProblemError(f"interval must be finite; got {interval!r}")
    if lower == upper:
        raise ProblemError(f"interval is empty: both of its ends are {lower:g}")
    if lower > upper:
        raise ProblemError(
            f"interval is the wrong way round: write ({upper:g}, {lower:g}); solutions are followed from its lower end"
        )
    return lower, upper
