"""The functions of the notation, one line each: the name, what SymPy calls it, and its values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
import sympy as sp


@dataclass(frozen=True)
class Function:
    """A function that may stand in an expression.

    Attributes
    ----------
    symbolic : callable
        From SymPy expressions to one.
    numeric : callable
        From numbers to a number: known before SymPy is asked, so that nothing that is not one is built.
    arguments : int
    real : bool
        Whether it takes real arguments alone.
    smooth : bool
        Whether it may be taken of the unknown: without jumps.
    """

    symbolic: Callable[..., sp.Expr]
    numeric: Callable[..., Any]
    arguments: int = 1
    real: bool = False
    smooth: bool = True


FUNCTIONS: dict[str, Function] = {
    "sin": Function(sp.sin, np.sin),
    "cos": Function(sp.cos, np.cos),
    "tan": Function(sp.tan, np.tan),
    "asin": Function(sp.asin, np.arcsin),
    "acos": Function(sp.acos, np.arccos),
    "atan": Function(sp.atan, np.arctan),
    "atan2": Function(sp.atan2, np.arctan2, 2, real=True),
    "sinh": Function(sp.sinh, np.sinh),
    "cosh": Function(sp.cosh, np.cosh),
    "tanh": Function(sp.tanh, np.tanh),
    "asinh": Function(sp.asinh, np.arcsinh),
    "acosh": Function(sp.acosh, np.arccosh),
    "atanh": Function(sp.atanh, np.arctanh),
    "exp": Function(sp.exp, np.exp),
    "log": Function(sp.log, np.log),
    "sqrt": Function(sp.sqrt, np.sqrt),
    "abs": Function(sp.Abs, np.abs),
    "conjugate": Function(sp.conjugate, np.conjugate),
    "re": Function(sp.re, np.real),
    "im": Function(sp.im, np.imag),
    "sign": Function(sp.sign, np.sign, real=True, smooth=False),
    "heaviside": Function(sp.Heaviside, lambda x: np.heaviside(x, 0.5), real=True, smooth=False),
    "floor": Function(sp.floor, np.floor, real=True, smooth=False),
    "ceil": Function(sp.ceiling, np.ceil, real=True, smooth=False),
    "erf": Function(sp.erf, lambda x: scipy.special.erf(x)),
    "erfc": Function(sp.erfc, lambda x: scipy.special.erfc(x)),
    "gamma": Function(sp.gamma, lambda x: scipy.special.gamma(x)),
    "besselj": Function(sp.besselj, lambda n, x: scipy.special.jv(n, x), 2),
    "bessely": Function(sp.bessely, lambda n, x: scipy.special.yv(n, x), 2),
    "besseli": Function(sp.besseli, lambda n, x: scipy.special.iv(n, x), 2),
    "besselk": Function(sp.besselk, lambda n, x: scipy.special.kv(n, x), 2),
    "airyai": Function(sp.airyai, lambda x: scipy.special.airy(x)[0]),
    "airybi": Function(sp.airybi, lambda x: scipy.special.airy(x)[2]),
}

# Those whose first argument is an order: a number, and not a large one.
ORDERED = ("besselj", "bessely", "besseli", "besselk")

# What SymPy leaves full of real and imaginary parts, unless it knows that coordinates are real.
PARTS = (sp.Abs, sp.conjugate, sp.re, sp.im)

# Of two names for one thing, the last is the one that is printed.
CONSTANTS: dict[str, sp.Expr] = {"pi": sp.pi, "e": sp.E, "I": sp.I, "i": sp.I}
