"""From SymPy to numbers: SciPy and NumPy where they can, mpmath where they cannot."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from functools import lru_cache
from keyword import iskeyword
from typing import Any

import mpmath
import numpy as np
import scipy
import sympy as sp
from sympy.printing.numpy import SciPyPrinter

from fspielm.errors import ProblemError
from fspielm.expressions.values import real_number, simplest_number


def numeric_function(arguments: Sequence[sp.Symbol], body: sp.Basic, who: str) -> Callable[..., Any]:
    """A function of one array per argument that evaluates `body`; `who` names it in messages."""
    fast = _by_scipy(tuple(arguments), body)
    return _by_mpmath(arguments, body, who) if fast is None else fast


def numeric_functions(arguments: Sequence[sp.Symbol], bodies: Sequence[sp.Basic], who: str) -> Callable[..., list[Any]]:
    """The same for several expressions at once: what they share is evaluated once, where NumPy and SciPy can."""
    fast = _by_scipy(tuple(arguments), sp.Tuple(*bodies))
    if fast is not None:
        return lambda *columns: list(fast(*columns))
    each = [numeric_function(arguments, body, who) for body in bodies]
    return lambda *columns: [function(*columns) for function in each]


@lru_cache(maxsize=256)
def _by_scipy(arguments: tuple[sp.Symbol, ...], body: sp.Basic) -> Callable[..., Any] | None:
    """The function by NumPy and SciPy, None where they lack what it needs.

    Kept, because the same data on every part of a boundary would be compiled once for each.
    """
    # Other names for arguments that would hide a function: a coordinate may be called gamma, and gamma(x) still be
    # one. The others stay: SymPy evaluates an expression with new symbols anew, which takes longer than to compile it.
    renamed = {a: sp.Dummy(real=a.is_real) for a in arguments if _is_taken(a.name)}
    plain, body = [renamed.get(a, a) for a in arguments], body.xreplace(renamed)
    printer = _ExactPrinter({"fully_qualified_modules": False, "inline": True, "allow_unknown_functions": True})
    # nobody reads a documentation of it, which would take as long as the rest
    fast = sp.lambdify(plain, body, ["scipy", "numpy"], printer, cse=True, docstring_limit=0)
    probe = [np.full(2, 0.5)] * len(plain)
    try:
        with np.errstate(all="ignore"):
            fast(*probe)
    except (NameError, TypeError, AttributeError, ValueError):
        return None
    return _quiet(fast)


def _is_taken(name: str) -> bool:
    """Whether generated code could mean something else by `name`."""
    return not name.isidentifier() or iskeyword(name) or any(hasattr(m, name) for m in (builtins, np, scipy.special))


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
    # without the imaginary unit, a complex value means that there is none: the root of a negative number
    kind, number = (np.complex128, simplest_number) if body.has(sp.I) else (np.float64, real_number)

    def at_point(*values: float) -> complex:
        try:
            return number(complex(scalar(*values)))
        except (ValueError, ArithmeticError, mpmath.libmp.NoConvergence):
            return np.nan  # not defined at this point, which says nothing about the others

    try:
        at_point(*([0.5] * len(arguments)))
    except (NameError, TypeError, AttributeError) as error:
        raise ProblemError(
            f"{who} cannot be evaluated numerically ({error}); name it by a function such as f(x, y) and "
            "supply a callable, as in given={f: callable}"
        ) from error
    return np.vectorize(at_point, otypes=[kind])
