"""Expressions in unknowns and their derivatives, written with a plain symbol for each of them.

A conjugate has a symbol of its own: of a function F of z and its conjugate w, what F does to first order is ``F_z dz +
F_w conj(dz)``. So complex unknowns need no other rules than real ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import final

import sympy as sp

from fspielm.equations.conjugates import PARTS, Conjugate, as_written, by_conjugate
from fspielm.equations.elsewhere import refuse_elsewhere
from fspielm.equations.linear import derivative_name, linear_operator
from fspielm.equations.nonlinear.roughness import refuse_rough
from fspielm.equations.normal import NormalDerivative
from fspielm.equations.operator import Operator
from fspielm.equations.setting import Setting
from fspielm.errors import ProblemError
from fspielm.expressions import describe, evaluate_derivatives

# Real functions of real numbers; so the conjugate of a value is the value at the conjugate, but for cuts.
_REAL = (sp.Add, sp.Mul, sp.Pow, sp.Function, sp.Piecewise)
_COMPLEX = (sp.hankel1, sp.hankel2, sp.hn1, sp.hn2, sp.expint)


@final
@dataclass(frozen=True, eq=False)
class Jet:
    """The unknowns, their derivatives, normal derivatives and conjugates of those that an expression contains.

    Attributes
    ----------
    atoms : tuple of Expr
        In the order of their names, a conjugate as a `Conjugate`.
    symbols : tuple of Dummy
        What stands for each of them.
    setting : Setting
    """

    atoms: tuple[sp.Expr, ...]
    symbols: tuple[sp.Dummy, ...]
    setting: Setting

    @cached_property
    def names(self) -> tuple[str, ...]:
        """``"u"``, ``"u_xx"``, ``"conjugate(u)"``."""
        return tuple(derivative_name(atom, self.setting) for atom in self.atoms)

    @cached_property
    def operators(self) -> tuple[Operator, ...]:
        """What makes the atoms of the unknowns; conjugates to be taken afterwards."""
        plain = [atom.function if isinstance(atom, Conjugate) else atom for atom in self.atoms]
        return tuple(linear_operator({atom: sp.S.One}, self.setting, normals=True) for atom in plain)

    @property
    def conjugated(self) -> tuple[bool, ...]:
        """Which of the atoms are conjugates."""
        return tuple(isinstance(atom, Conjugate) for atom in self.atoms)

    @property
    def has_normals(self) -> bool:
        """Whether derivatives along the normal are among them."""
        return any(atom.has(NormalDerivative) for atom in self.atoms)

    @property
    def written(self) -> dict[sp.Dummy, sp.Expr]:
        """From the symbols back to the atoms, as SymPy has them."""
        return {symbol: as_written(atom) for symbol, atom in zip(self.symbols, self.atoms, strict=True)}

    @property
    def shown(self) -> dict[sp.Dummy, sp.Symbol]:
        """From the symbols to ones with names to be printed."""
        return {symbol: sp.Symbol(name) for symbol, name in zip(self.symbols, self.names, strict=True)}


def read_jet(written: sp.Expr, setting: Setting, what: str, *, surely_real: bool) -> tuple[sp.Expr, Jet]:
    """What stands in an expression, and the expression in the symbols that stand for it.

    Parameters
    ----------
    written : Expr
        Numbers that are given put in.
    setting : Setting
    what : str
        How messages call it.
    surely_real : bool
        Whether nothing in the problem is complex: then Abs(u)**2 is refused, for u**2 is half the work.
    """
    unknowns = setting.symbols
    expression = _with_real_coordinates(_without_moduli(written, setting, what, surely_real), setting)
    refuse_elsewhere(expression, [unknown.func for unknown in unknowns], what)
    found = {d for d in expression.atoms(sp.Derivative) if d.expr in unknowns} | set(unknowns)
    found |= {d for d in expression.atoms(NormalDerivative) if d.has(*unknowns)}
    plain = {
        atom: sp.Dummy(derivative_name(atom, setting))
        for atom in sorted(found, key=lambda atom: derivative_name(atom, setting))
    }
    turned = {symbol: sp.Dummy(f"conjugate({symbol.name})") for symbol in plain.values()}
    form = _with_conjugates(expression.xreplace(plain), turned, what)
    both = {symbol: atom for atom, symbol in plain.items()}
    both |= {turned[symbol]: Conjugate(atom) for atom, symbol in plain.items()}
    used = [symbol for symbol in both if form.has(symbol)]
    jet = Jet(tuple(both[symbol] for symbol in used), tuple(used), setting)
    refuse_rough(form, jet.written, what)
    return form, jet


def _without_moduli(written: sp.Expr, setting: Setting, what: str, surely_real: bool) -> sp.Expr:
    """Even powers of the modulus as products with the conjugate, which are smooth; before derivatives are taken."""

    def is_even(e: sp.Basic) -> bool:
        return isinstance(e, sp.Pow) and isinstance(e.base, sp.Abs) and e.exp.is_even and e.has(*setting.symbols)

    def smooth(power: sp.Pow) -> sp.Expr:
        inner = power.base.args[0]
        if surely_real:
            raise ProblemError(
                f"{what} contains {describe(power)}, but nothing in the problem is complex; write "
                f"{describe(inner**power.exp)}, which is the same for real functions, and half the work"
            )
        return (inner * sp.conjugate(inner)) ** (power.exp / 2)

    result: sp.Expr = written.replace(is_even, smooth)
    return result


def _with_real_coordinates(expression: sp.Expr, setting: Setting) -> sp.Expr:
    """Derivatives carried out; where there are parts along real coordinates, so that they are parts of derivatives."""
    if not any(part.has(*setting.symbols) for part in expression.atoms(*PARTS)):
        return evaluate_derivatives(expression)
    real = {symbol: sp.Dummy(symbol.name, real=True) for symbol in setting.coordinates}
    back = {new: old for old, new in real.items()}
    result: sp.Expr = evaluate_derivatives(expression.xreplace(real)).xreplace(back)
    return result


def _with_conjugates(form: sp.Expr, turned: dict[sp.Dummy, sp.Dummy], what: str) -> sp.Expr:
    """Conjugates, real and imaginary parts by the symbols of conjugates."""
    other = turned | {new: old for old, new in turned.items()}
    symbols = set(other)

    def conjugated(e: sp.Expr) -> sp.Expr:
        if e in other:
            return other[e]
        if not e.free_symbols & symbols:
            return e if isinstance(e, sp.logic.boolalg.Boolean) else sp.conjugate(e)
        if isinstance(e, sp.functions.elementary.piecewise.ExprCondPair):
            return e.func(conjugated(e.expr), e.cond)
        if not isinstance(e, _REAL) or isinstance(e, _COMPLEX):
            raise ProblemError(f"{what} contains the conjugate of {describe(e)}, which is not known; write it out")
        return e.func(*map(conjugated, e.args))

    result: sp.Expr = form.replace(
        lambda e: isinstance(e, PARTS) and bool(e.free_symbols & symbols), partial(by_conjugate, conjugated)
    )
    return result
