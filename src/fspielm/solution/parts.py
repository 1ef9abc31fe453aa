"""Unknowns as real functions of real coordinates: what conjugates, moduli and their derivatives are taken of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import sympy as sp
from sympy.core.function import AppliedUndef

from fspielm.equations import NormalDerivative
from fspielm.expressions import evaluate_derivatives

# What SymPy takes apart differently for real and for complex arguments.
_OF_PARTS = (sp.re, sp.im, sp.conjugate, sp.adjoint, sp.transpose, sp.Abs, sp.arg, sp.sign)


@final
@dataclass(frozen=True, eq=False)
class Parts:
    """The real functions that stand for each unknown: its real and its imaginary part, or itself where it is real.

    Attributes
    ----------
    coordinates : tuple of Symbol
    real, imaginary : dict of AppliedUndef to AppliedUndef
        From the unknowns; the latter is empty where they are real.
    """

    coordinates: tuple[sp.Symbol, ...]
    real: dict[sp.Basic, AppliedUndef]
    imaginary: dict[sp.Basic, AppliedUndef]

    @property
    def each(self) -> tuple[dict[sp.Basic, AppliedUndef], ...]:
        """The real parts, and the imaginary ones if there are any."""
        return (self.real, self.imaginary) if self.imaginary else (self.real,)

    def take_apart(self, expression: sp.Expr) -> sp.Expr:
        """The expression in the parts of the unknowns, with all derivatives carried out."""
        if all(unknown == part for unknown, part in self.real.items()):
            return expression
        # on the real line: re(u).diff(x) is re(u.diff(x)) for real x alone
        real_line = {c: sp.Dummy(c.name, real=True) for c in self.coordinates}
        normal = sorted(expression.atoms(NormalDerivative), key=str)
        apart = expression.xreplace({atom: self._apart(atom) for atom in (*normal, *self.real)}).xreplace(real_line)
        plain = apart.replace(sp.sign, lambda z: sp.sign(z) if z.is_real else z / sp.Abs(z))
        back = {dummy: c for c, dummy in real_line.items()}
        written: sp.Expr = evaluate_derivatives(plain).xreplace(back)
        return written

    def whole(self, atom: sp.Expr) -> sp.Expr:
        """What an atom in the parts is a part of."""
        return atom.xreplace({part: unknown for parts in self.each for unknown, part in parts.items()})

    def _apart(self, atom: sp.Expr) -> sp.Expr:
        return sp.Add(*(unit * atom.xreplace(of) for unit, of in zip((sp.S.One, sp.I), self.each, strict=False)))


def parts_of(unknowns: Sequence[AppliedUndef], expressions: Sequence[sp.Expr], *, is_complex: bool) -> Parts:
    """The parts that expressions are to be written in: real unknowns themselves, if nothing asks for more."""

    def named(prefix: str) -> dict[sp.Basic, AppliedUndef]:
        return {u: sp.Function(f"{prefix} {u.func.__name__}", real=True)(*u.args) for u in unknowns}

    if not is_complex and not any(expression.has(*_OF_PARTS) for expression in expressions):
        return Parts(unknowns[0].args, {u: u for u in unknowns}, {})
    return Parts(unknowns[0].args, named("re"), named("im") if is_complex else {})
