"""What has jumps or kinks in the unknowns, which Newton's method cannot take; and what to write in its place."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational

from fspielm.errors import ProblemError
from fspielm.expressions import describe

_SMALL = "with a small number eps"


def _both(sign: str) -> Callable[[sp.Basic], str]:
    def remedy(e: sp.Basic) -> str:
        if len(e.args) != 2:
            return f"nest it, two arguments at a time, and smooth each {_SMALL}"
        a, b = sorted(e.args, key=str)
        return f"write ({a} + {b} {sign} sqrt(({a - b})**2 + eps**2))/2 {_SMALL}"

    return remedy


# What each is to be replaced by; nothing where no smooth function is like it.
_REMEDIES: dict[type[sp.Basic], Callable[[sp.Basic], str]] = {
    sp.Abs: lambda e: (
        f"its square is, {describe(e.args[0] ** 2)} of a real function and {describe(e**2)} of a complex one, "
        f"and so is the root of that and eps**2, {_SMALL}"
    ),
    sp.sign: lambda e: f"write tanh(({e.args[0]})/eps) {_SMALL}",
    sp.Heaviside: lambda e: f"write (1 + tanh(({e.args[0]})/eps))/2 {_SMALL}",
    sp.Max: _both("+"),
    sp.Min: _both("-"),
    sp.arg: lambda e: "write it with re and im",
    sp.Piecewise: lambda e: (
        f"join the pieces smoothly, by (1 + tanh(.../eps))/2 {_SMALL}; where a coordinate decides, pieces may differ"
    ),
    sp.floor: lambda e: "",
    sp.ceiling: lambda e: "",
    sp.Mod: lambda e: "",
    sp.frac: lambda e: "",
    sp.DiracDelta: lambda e: "",
    Relational: lambda e: "",
}


def refuse_rough(form: sp.Expr, written: Mapping[sp.Dummy, sp.Expr], what: str) -> None:
    """Refuse an expression that is not smooth in some of its symbols, by the term that is not.

    Parameters
    ----------
    form : Expr
    written : mapping
        From the symbols to what they stand for.
    what : str
    """
    symbols = set(written)
    for node in sp.preorder_traversal(form):
        if not node.free_symbols & symbols:
            continue
        if isinstance(node, AppliedUndef):
            raise ProblemError(
                f"{what} contains {describe(node.xreplace(written))}, a given function of an unknown, whose derivative "
                "nobody knows; write it as an expression"
            )
        kind = next((kind for kind in _REMEDIES if isinstance(node, kind)), None)
        if kind is sp.Piecewise and not any(condition.free_symbols & symbols for _, condition in node.args):
            continue
        if kind is not None:
            remedy = _REMEDIES[kind](node.xreplace(written))
            raise ProblemError(_message(node.xreplace(written), what, remedy))
        if _is_root_of_square(node):
            base = node.base.base.xreplace(written)
            remedy = f"write sqrt(({base})**2 + eps**2) {_SMALL}"
            raise ProblemError(_message(node.xreplace(written), what, remedy))


def _message(term: sp.Basic, what: str, remedy: str) -> str:
    return (
        f"{what} contains {describe(term)}, which is not smooth in the unknown, so that it has no linearisation"
        f"{f'; {remedy}' if remedy else ''}"
    )


def _is_root_of_square(node: sp.Basic) -> bool:
    """Whether it is the modulus in disguise: sqrt(u**2)."""
    return (
        isinstance(node, sp.Pow)
        and not node.exp.is_integer
        and isinstance(node.base, sp.Pow)
        and bool(node.base.exp.is_even)
        and not (node.exp * node.base.exp).is_even
    )
