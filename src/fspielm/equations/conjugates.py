"""Conjugates, real and imaginary parts of unknowns, as terms that are linear in an unknown and its conjugate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, final

import sympy as sp
from sympy.core.function import AppliedUndef

from fspielm.equations.normal import NormalDerivative
from fspielm.expressions import evaluate_derivatives

PARTS = (sp.conjugate, sp.re, sp.im)
# From an expression to its coefficients of unknowns, of their derivatives and conjugates, and a rest.
Split = Callable[[sp.Expr], tuple[dict[sp.Expr, sp.Expr], sp.Expr]]


@final
class Conjugate(sp.Expr):  # type: ignore[misc]
    """The conjugate of an unknown or of a derivative of one, which SymPy leaves as it is."""

    is_commutative = True

    @property
    def function(self) -> sp.Expr:
        """What it is the conjugate of."""
        return self.args[0]

    def _sympystr(self, printer: Any) -> str:
        return f"conjugate({printer._print(self.function)})"


def has_parts(expression: sp.Expr, unknowns: Sequence[AppliedUndef]) -> bool:
    """Whether an unknown occurs under conjugate, re or im."""
    return any(part.has(*unknowns) for part in expression.atoms(*PARTS))


def nonlinear_part(expression: sp.Expr, unknowns: Sequence[AppliedUndef]) -> sp.Expr | None:
    """The modulus or the phase of something with an unknown in it, where there is one."""
    found = [part for part in expression.atoms(sp.Abs, sp.arg) if part.has(*unknowns)]
    return min(found, key=str, default=None)


def spread_conjugates(expression: sp.Expr, coordinates: Sequence[sp.Symbol], split: Split) -> sp.Expr:
    """The expression in terms of unknowns and their `Conjugate`; coordinates are real.

    `split` takes apart what is under a conjugate, and refuses it where it is not linear.
    """
    real = {symbol: sp.Dummy(symbol.name, real=True) for symbol in coordinates}
    back = {new: old for old, new in real.items()}
    # derivatives of conjugates are conjugates of derivatives along what is real
    written = evaluate_derivatives(expression.xreplace(real))

    def conjugated(inner: sp.Expr) -> sp.Expr:
        parts, rest = split(inner.xreplace(back))
        terms = [sp.conjugate(factor.xreplace(real)) * _turned(atom).xreplace(real) for atom, factor in parts.items()]
        return sp.Add(*terms, sp.conjugate(rest.xreplace(real)))

    made = written.replace(
        lambda e: isinstance(e, PARTS) and _has_unknown(e, split, back), partial(by_conjugate, conjugated)
    )
    result: sp.Expr = made.xreplace(back)
    return result


def by_conjugate(conjugated: Callable[[sp.Expr], sp.Expr], part: sp.Expr) -> sp.Expr:
    """One of `PARTS` of something, by that and its conjugate."""
    inner = part.args[0]
    if isinstance(part, sp.conjugate):
        return conjugated(inner)
    if isinstance(part, sp.re):
        return (inner + conjugated(inner)) / 2
    return (inner - conjugated(inner)) / (2 * sp.I)


def _has_unknown(part: sp.Expr, split: Split, back: dict[sp.Symbol, sp.Symbol]) -> bool:
    return bool(split(part.args[0].xreplace(back))[0])


def _turned(atom: sp.Expr) -> sp.Expr:
    return atom.function if isinstance(atom, Conjugate) else Conjugate(atom)


def as_written(atom: sp.Expr) -> sp.Expr:
    """An atom as SymPy has it."""
    return sp.conjugate(atom.function) if isinstance(atom, Conjugate) else atom


def target_of(atom: sp.Expr) -> sp.Expr:
    """The unknown or its derivative that an atom is, is the normal derivative of, or the conjugate."""
    plain = atom.function if isinstance(atom, Conjugate) else atom
    return plain.function if isinstance(plain, NormalDerivative) else plain


def normal_order(atom: sp.Expr) -> int:
    """How often an atom is differentiated along the normal."""
    plain = atom.function if isinstance(atom, Conjugate) else atom
    return plain.order if isinstance(plain, NormalDerivative) else 0
