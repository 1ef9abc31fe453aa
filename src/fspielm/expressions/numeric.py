"""From SymPy to numbers: SciPy and NumPy where they can, mpmath where they cannot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import mpmath
import numpy as np
import sympy as sp
from sympy.printing.numpy import SciPyPrinter

from fspielm.errors import ProblemError
from fspielm.expressions.values import real_number


def numeric_function(arguments: Sequence[sp.Symbol], body: sp.Basic, who: str) -> Callable[..., Any]:
    """A function of one array per argument that evaluates `body`; `who` names it in messages."""
    # Other names for the arguments: a coordinate may be called gamma, and gamma(x) still be a function.
    renamed = {argument: sp.Dummy(real=argument.is_real) for argument in arguments}
    arguments, body = list(renamed.values()), body.xreplace(renamed)
    printer = _ExactPrinter({"fully_qualified_modules": False, "inline": True, "allow_unknown_functions": True})
    fast = sp.lambdify(arguments, body, modules=["scipy", "numpy"], printer=printer, cse=True)
    probe = [np.full(2, 0.5)] * len(arguments)
    try:
        with np.errstate(all="ignore"):
            fast(*probe)
    except (NameError, TypeError, AttributeError, ValueError):
        return _by_mpmath(arguments, body, who)
    return _quiet(fast)


class _ExactPrinter(SciPyPrinter):  # type: ignore[misc]
    """Prints floating-point numbers to the last bit; SymPy alone would round them to 15 digits."""

    def _print_Float(self, expression: sp.Float) -> str:  # noqa: N802 (SymPy looks methods up by this name)
        return repr(float(expression))


def _quiet(function: Callable[..., Any]) -> Callable[..., Any]:
    """Silence NumPy's warnings: every value is checked afterwards, with a message that says where."""

    def quiet(*columns: Any) -> Any:
        with np.errstate(all="ignore"):
            return function(*columns)

    return quiet


def _by_mpmath(arguments: Sequence[sp.Symbol], body: sp.Basic, who: str) -> Callable[..., Any]:
    """Point-by-point evaluation for the functions that SciPy lacks."""
    scalar = sp.lambdify(list(arguments), body, modules="mpmath")

    def real(*values: float) -> float:
        try:
            return real_number(complex(scalar(*values)))
        except (ValueError, ArithmeticError, mpmath.libmp.NoConvergence):
            return np.nan  # not defined at this point, which says nothing about the others

    try:
        real(*([0.5] * len(arguments)))
    except (NameError, TypeError, AttributeError) as error:
        raise ProblemError(
            f"{who} cannot be evaluated numerically ({error}); name it by a function such as f(x, y) and "
            "supply a callable, as in given={f: callable}"
        ) from error
    return np.vectorize(real, otypes=[np.float64])
