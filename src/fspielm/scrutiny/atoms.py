"""The functions in an expression that can be narrow, and where their argument makes them so.

An expression as a whole drowns in what its terms have in common, when it is enclosed; but whatever is narrow in it
comes from an exponential, a step, a root, a pole or a border whose argument passes through a short range within a
short distance, and arguments are short.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import final

import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational

from fspielm.arrays import FloatArray
from fspielm.expressions import Intervals
from fspielm.scrutiny.narrow import Kind

# Beyond this a function has done most of what it does: exp(-8) is little beside exp(0).
_VANISHED = 8.0
_REACH: dict[type[sp.Function], float] = {
    sp.tanh: 4.0,
    sp.coth: 4.0,
    sp.sech: _VANISHED,
    sp.csch: _VANISHED,
    sp.erf: 3.0,
    sp.erfc: 3.0,
    sp.atan: 10.0,
    sp.acot: 10.0,
    sp.asinh: 10.0,
}
_GROWING = (sp.sinh, sp.cosh)
_WAVES = (sp.sin, sp.cos, sp.tan, sp.cot, sp.sec, sp.csc)
_OUTSIDE = (sp.asin, sp.acos, sp.atanh, sp.acosh)
# A power as high as this is narrow at its end.
_HIGH_POWER = 12

# Where most of an exponential is, below its largest argument.
_CORE = (-_VANISHED, 0.0)

# From the enclosure of an argument and its largest value: by how much more than the argument the function changes.
Law = Callable[[Intervals, float], FloatArray]


@final
@dataclass(frozen=True)
class Atom:
    """A function that can be narrow.

    Attributes
    ----------
    argument : Expr
    law : callable
        From enclosures of the argument, and its largest value: how strongly the function changes with it, zero where it
        does not, infinite where it jumps.
    targets : tuple of float
        The range of the argument in which most of it happens; below its largest value where `from_top`.
    from_top : bool
    kind : {"narrow", "kink", "jump"}
        What it is where the distance is zero.
    everywhere : bool
        Whether it changes alike all over, as a wave does: only what is much faster than the rest of it is narrow.
    """

    argument: sp.Expr
    law: Law
    targets: tuple[float, float] = (0.0, 0.0)
    from_top: bool = False
    kind: Kind = "narrow"
    everywhere: bool = False


def sharp_atoms(expression: sp.Expr) -> tuple[list[Atom], bool]:
    """The atoms of an expression that can be narrow, and whether that is all there is to know of it.

    It is not where other functions occur: special ones, or such as the user's own.
    """
    atoms: list[Atom] = []
    complete = True
    for node in sp.preorder_traversal(expression):
        found = list(_atoms_of(node)) if node.free_symbols else []
        complete = complete and None not in found
        atoms += [atom for atom in found if atom is not None and atom.argument.free_symbols]
    unique = {(atom.argument, atom.law, atom.kind): atom for atom in atoms}
    return list(unique.values()), complete


def _atoms_of(node: sp.Basic) -> Iterator[Atom | None]:
    if isinstance(node, sp.exp):
        yield Atom(node.exp, _exponential, _CORE, from_top=True)
    elif isinstance(node, sp.Pow):
        yield from _power(node)
    elif isinstance(node, sp.log):
        yield Atom(node.args[0], _relative, (0.0, 0.0))
    elif isinstance(node, Relational):
        yield Atom(node.lhs - node.rhs, _border, kind="jump")
    elif isinstance(node, sp.Abs | sp.Max | sp.Min):
        yield from (Atom(side, _border, kind="kink") for side in _sides(node))
    elif isinstance(node, sp.Heaviside | sp.sign):
        yield Atom(node.args[0], _border, kind="jump")
    elif isinstance(node, _GROWING):
        yield from (Atom(side, _exponential, _CORE, from_top=True) for side in (node.args[0], -node.args[0]))
    elif isinstance(node, sp.Function) and type(node) in _REACH:
        yield Atom(node.args[0], _STEPS[type(node)], (-3.0, 3.0))
    elif isinstance(node, _WAVES):
        yield Atom(node.args[0], _always, everywhere=True)
    elif isinstance(node, _OUTSIDE):
        yield Atom(1 - node.args[0] ** 2, _relative)
    elif isinstance(node, AppliedUndef | sp.Function) and not isinstance(node, sp.Piecewise):
        yield None


def _power(node: sp.Pow) -> Iterator[Atom]:
    base, exponent = node.as_base_exp()
    if exponent.free_symbols:
        yield Atom(exponent * sp.log(base), _exponential, _CORE, from_top=True)
    elif exponent.is_negative and isinstance(base, sp.cosh):
        # a bump where its argument is least, which logarithms would not find: a hyperbolic cosine soon overflows
        yield Atom(-(base.args[0] ** 2), _exponential, _CORE, from_top=True)
    elif exponent.is_negative or (exponent.is_integer and exponent >= _HIGH_POWER):
        yield Atom(exponent * sp.log(base**2) / 2, _exponential, _CORE, from_top=True)
    elif not exponent.is_integer:
        yield Atom(base, _relative, kind="kink")


def _sides(node: sp.Expr) -> list[sp.Expr]:
    """What changes its sign where the largest of several changes over."""
    if isinstance(node, sp.Abs):
        return [node.args[0]]
    first, *others = node.args
    return [first - other for other in others]


def _exponential(argument: Intervals, top: float) -> FloatArray:
    return np.where(argument.upper > top - _VANISHED, 1.0, 0.0)


def _step(reach: float) -> Law:
    def law(argument: Intervals, top: float) -> FloatArray:
        return np.where((argument.lower < reach) & (argument.upper > -reach), 1.0, 0.0)

    return law


_STEPS: dict[type[sp.Basic], Law] = {function: _step(reach) for function, reach in _REACH.items()}


def _relative(argument: Intervals, top: float) -> FloatArray:
    """A root, a pole or a logarithm changes with the logarithm of its argument."""
    through = (argument.lower <= 0.0) & (argument.upper >= 0.0)
    least = np.minimum(np.abs(argument.lower), np.abs(argument.upper))
    with np.errstate(divide="ignore"):
        return np.where(through, np.inf, 1.0 / least)


def _border(argument: Intervals, top: float) -> FloatArray:
    return np.where((argument.lower <= 0.0) & (argument.upper >= 0.0), np.inf, 0.0)


def _always(argument: Intervals, top: float) -> FloatArray:
    return np.ones(len(argument.lower))
