"""What a nonlinear expression does to first order: a linear equation for the next iterate.

F(u) = 0 becomes ``F'(v) u = F'(v) v - F(v)`` around an iterate v. What F has of linear terms stays as it is; what
depends on v, in a coefficient or on the right, becomes a known function of the coordinates, a `Slot`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple, final

import sympy as sp
from sympy.core.function import AppliedUndef

from fspielm.equations.affine import visible_parts
from fspielm.equations.conjugates import target_of
from fspielm.equations.nonlinear.jet import Jet
from fspielm.equations.normal import OF_NORMALS
from fspielm.errors import ProblemError
from fspielm.expressions import describe

# Characters of a name, and nodes of what is named by how it is written.
_LONGEST = 48
_MOST_NODES = 60


class Slot(NamedTuple):
    """A function of the coordinates that an iterate makes: as it stands in the linear equation, and in jet symbols."""

    function: AppliedUndef
    expression: sp.Expr


@final
@dataclass(frozen=True, eq=False)
class Linearisation:
    """A linear equation around any iterate.

    Attributes
    ----------
    coefficients : dict of Expr to Expr
        From the atoms of the jet, as SymPy has them; with slots in the place of what an iterate makes.
    value : Expr
        What they make together.
    slots : tuple of Slot
    """

    coefficients: dict[sp.Expr, sp.Expr]
    value: sp.Expr
    slots: tuple[Slot, ...]

    @property
    def equation(self) -> sp.Eq:
        """All of it as SymPy has it."""
        left = sp.Add(*(coefficient * atom for atom, coefficient in self.coefficients.items()))
        return sp.Eq(left, self.value, evaluate=False)


def linear_form(form: sp.Expr, jet: Jet, what: str, prefix: str = "") -> Linearisation:
    """The linearisation of an expression in jet symbols; names of its slots begin with `prefix`."""
    symbols = frozenset(jet.symbols)
    coefficients: dict[sp.Symbol, list[sp.Expr]] = {symbol: [] for symbol in jet.symbols}
    values: list[sp.Expr] = []
    for term in sp.Add.make_args(_spread_derivatives(form, jet)):
        parts = visible_parts(term, symbols)
        if parts is None:
            slopes = slopes_of(term, jet, what)
            # in one sum, so that what is of first degree in a symbol cancels before it is a number
            values.append(sp.Add(*(symbol * slope for symbol, slope in slopes.items()), -term))
        else:
            values.append(-parts.pop(sp.S.One, sp.S.Zero))
            slopes = parts
        for symbol, slope in slopes.items():
            coefficients[symbol].append(slope)
    slots = _Slots(jet, prefix)
    made = {symbol: slots.fill(sp.Add(*slopes)) for symbol, slopes in coefficients.items()}
    value = slots.fill(sp.Add(*values))
    by_atom = {jet.written[symbol]: coefficient for symbol, coefficient in made.items() if coefficient != 0}
    return Linearisation(by_atom, value, tuple(slots.known.values()))


def slopes_of(form: sp.Expr, jet: Jet, what: str) -> dict[sp.Symbol, sp.Expr]:
    """Derivatives of an expression with respect to the jet symbols in it; refused where SymPy knows none."""
    slopes = {symbol: form.diff(symbol) for symbol in jet.symbols if form.has(symbol)}
    for slope in slopes.values():
        left = [d for d in slope.atoms(sp.Derivative, sp.Subs) if d.free_symbols & set(jet.symbols)]
        if left:
            raise ProblemError(
                f"{what} contains {describe(form.xreplace(jet.written))}, the derivative of which with respect to an "
                "unknown is not known; write it with other functions"
            )
    return slopes


def _spread_derivatives(form: sp.Expr, jet: Jet) -> sp.Expr:
    """Products with a sum of derivatives written out, for each of these is then linear by itself."""
    derivatives = {
        symbol for symbol, atom in zip(jet.symbols, jet.atoms, strict=True) if not target_of(atom).is_Function
    }
    terms = []
    for term in sp.Add.make_args(form):
        sums = [f for f in sp.Mul.make_args(term) if isinstance(f, sp.Add) and f.free_symbols & derivatives]
        if len(sums) == 1:
            rest = sp.Mul(*(f for f in sp.Mul.make_args(term) if f is not sums[0]))
            terms += [rest * one for one in sums[0].args]
        else:
            terms.append(term)
    return sp.Add(*terms)


@final
@dataclass(frozen=True, eq=False)
class _Slots:
    """Fills functions of the coordinates into expressions, one for each thing that an iterate makes."""

    jet: Jet
    prefix: str
    known: dict[sp.Expr, Slot] = field(default_factory=dict)

    def fill(self, expression: sp.Expr) -> sp.Expr:
        """The expression with slots for what contains jet symbols.

        Choices by place, and factors that materials are read from, stay outside; all that has the same factors is one
        slot.
        """
        terms: list[sp.Expr] = []
        alike: dict[sp.Expr, list[sp.Expr]] = {}
        for term in sp.Add.make_args(expression):
            factor, dependent = term.as_independent(*self.jet.symbols, as_Add=False)
            if dependent == 1:
                terms.append(term)
            elif isinstance(dependent, sp.Piecewise):
                pieces = ((self.fill(value), condition) for value, condition in dependent.args)
                terms.append(factor * sp.Piecewise(*pieces))
            else:
                outside = sp.Mul(*filter(self._stays, sp.Mul.make_args(factor)))
                alike.setdefault(outside, []).append(term / outside)
        terms += [outside * self._slot(sp.Add(*inside)).function for outside, inside in alike.items()]
        return sp.Add(*terms)

    def _stays(self, factor: sp.Expr) -> bool:
        known = set(self.jet.setting.coordinates)
        return bool(factor.has(AppliedUndef, sp.Piecewise, *OF_NORMALS) or factor.free_symbols - known)

    def _slot(self, expression: sp.Expr) -> Slot:
        if expression not in self.known:
            name = f"[{self.prefix}{self._text(expression)}]"
            if any(slot.function.func.__name__ == name for slot in self.known.values()):
                name = f"{name[:-1]} #{len(self.known)}]"
            function = sp.Function(name)(*self.jet.setting.coordinates)
            self.known[expression] = Slot(function, expression)
        return self.known[expression]

    def _text(self, expression: sp.Expr) -> str:
        """What messages call a slot: as it is written, unless that is long, for printing takes long then."""
        if sum(1 for _ in islice(sp.preorder_traversal(expression), _MOST_NODES)) == _MOST_NODES:
            names = ", ".join(str(name) for symbol, name in self.jet.shown.items() if expression.has(symbol))
            return f"function of {names}"
        text = str(expression.xreplace(self.jet.shown))
        return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
