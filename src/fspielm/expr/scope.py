"""The names and functions of expressions in text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

import numpy as np
import scipy
import sympy as sp
from sympy.core.function import AppliedUndef

from fspielm.errors import ProblemError
from fspielm.expr.grammar import WORDS, is_name

# ---- The functions of the notation


@dataclass(frozen=True)
class Function:
    """A function of the notation."""

    symbolic: Callable[..., sp.Expr]
    numeric: Callable[..., Any]  # checks values before SymPy builds the expression
    arguments: int = 1
    real: bool = False  # whether it takes real arguments only
    smooth: bool = True  # whether it has no jumps, and may be applied to the unknown


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

# Functions whose first argument is an order: a number, and not a large one.
ORDERED = ("besselj", "bessely", "besseli", "besselk")

# Functions whose derivatives are simple only if SymPy knows that coordinates are real.
PARTS = (sp.Abs, sp.conjugate, sp.re, sp.im)

# Of two names for one constant, the last is printed.
CONSTANTS: dict[str, sp.Expr] = {"pi": sp.pi, "e": sp.E, "I": sp.I, "i": sp.I}


# ---- The names that an expression may use

OPERATORS = ("diff", "grad", "div", "laplacian", "dot", "dn", "normal")
CHOICES = ("where", "min", "max")
# Files of earlier versions may use these names for something else.
_LATER = ("conjugate", "re", "im", "normal")
RESERVED = frozenset((*FUNCTIONS, *OPERATORS, *CHOICES, *WORDS)) - frozenset(_LATER)
_LISTED = 12


@dataclass(frozen=True)
class Scope:
    """What the names in an expression mean.

    Attributes
    ----------
    coordinates : tuple of Symbol
        The coordinates of space, then time.
    time : Symbol or None
        The last coordinate, if that is time: gradients and divergences omit it.
    unknowns : tuple of AppliedUndef
        The functions that are solved for, if they may occur.
    parameters : mapping of str to Expr
        Other names, and their symbols or values.
    normal_derivative : type or None
        SymPy class of derivatives along the normal (of an unknown and an order), if there is a normal.
    normal : type or None
        SymPy class of the components of the normal (of a coordinate).
    undeclared : str
        End of the message about an unknown name, ``{name}``.
    """

    coordinates: tuple[sp.Symbol, ...] = ()
    time: sp.Symbol | None = None
    unknowns: tuple[AppliedUndef, ...] = ()
    parameters: Mapping[str, sp.Expr] = field(default_factory=dict)
    normal_derivative: type[Any] | None = None
    normal: type[Any] | None = None
    undeclared: str = ""

    def __post_init__(self) -> None:
        names = [str(symbol) for symbol in self.coordinates]
        for name in names:
            check_name(name, "the coordinate")
            if f"d{name}" in RESERVED:
                raise ProblemError(f"the coordinate {name!r} would make its derivative d{name}, which is taken")
        names += [check_name(name, "the parameter") for name in self.parameters]
        names += [check_name(unknown.func.__name__, "the unknown") for unknown in self.unknowns]
        if len(set(names)) < len(names):
            doubled = min(name for name in names if names.count(name) > 1)
            raise ProblemError(f"the name {doubled!r} stands for two things; rename one")

    @property
    def space(self) -> tuple[sp.Symbol, ...]:
        """The coordinates without time."""
        return tuple(s for s in self.coordinates if s != self.time)

    @property
    def values(self) -> dict[str, sp.Expr]:
        """Values of names without parentheses: declared names and constants."""
        known = {**CONSTANTS, **self.parameters, **{str(s): s for s in self.coordinates}}
        return known | {unknown.func.__name__: unknown for unknown in self.unknowns}

    @property
    def derivatives(self) -> dict[str, sp.Symbol]:
        """``dx`` and so on, with their coordinates."""
        return {f"d{s}": s for s in self.coordinates}

    @property
    def functions(self) -> tuple[str, ...]:
        """The names with parentheses."""
        return (*self.derivatives, *OPERATORS, *CHOICES, *FUNCTIONS)


def check_name(name: str, what: str) -> str:
    """Return `name`; refuse names that expressions cannot use."""
    if not is_name(name):
        raise ProblemError(f"{what} {name!r} must be named by a letter and then letters, digits or underscores")
    if name in RESERVED:
        raise ProblemError(f"{what} cannot be named {name!r}, which has a meaning in expressions; rename it")
    return name


def nearest(name: str, known: Iterable[str]) -> str:
    """End of a message with the known names most similar to `name`, or with the first known names."""
    choices = list(known)
    near = get_close_matches(name.lower(), choices, 3, 0.6)
    near = near or [choice for choice in choices if len(name) > 2 and choice.startswith(name.lower())]
    if near:
        return f"did you mean {' or '.join(near)}?"
    more = f" and {len(choices) - _LISTED} more" if len(choices) > _LISTED else ""
    return f"known are {', '.join(choices[:_LISTED])}{more}" if choices else "none is known here"
