"""Nonlinear expressions: jets of unknowns, and linearisations by Gateaux derivatives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import islice
from typing import NamedTuple, final

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational

from fspielm.errors import LONGEST_LINE, ProblemError
from fspielm.expr.functions import describe, evaluate_derivatives
from fspielm.problem.linear import (
    PARTS,
    Conjugate,
    as_sympy,
    derivative_name,
    linear_operator,
    rewrite_part,
    target_of,
    visible_parts,
    without_conjugate,
)
from fspielm.problem.normal import OF_NORMALS, NormalDerivative
from fspielm.problem.operator import Operator
from fspielm.problem.setting import Setting, refuse_nonlocal_terms

# ---- Terms with jumps or kinks in the unknowns


_SMALL = "with a small number eps"


def _smooth_extremum(sign: str) -> Callable[[sp.Basic], str]:
    def remedy(e: sp.Basic) -> str:
        if len(e.args) != 2:
            return f"nest it, two arguments at a time, and smooth each {_SMALL}"
        a, b = sorted(e.args, key=str)
        return f"write ({a} + {b} {sign} sqrt(({a - b})**2 + eps**2))/2 {_SMALL}"

    return remedy


# Smooth replacements to suggest; empty if there is none.
_REMEDIES: dict[type[sp.Basic], Callable[[sp.Basic], str]] = {
    sp.Abs: lambda e: (
        f"its square is, {describe(e.args[0] ** 2)} of a real function and {describe(e**2)} of a complex one, "
        f"and so is the root of that and eps**2, {_SMALL}"
    ),
    sp.sign: lambda e: f"write tanh(({e.args[0]})/eps) {_SMALL}",
    sp.Heaviside: lambda e: f"write (1 + tanh(({e.args[0]})/eps))/2 {_SMALL}",
    sp.Max: _smooth_extremum("+"),
    sp.Min: _smooth_extremum("-"),
    sp.arg: lambda e: "write it with re and im",
    sp.Piecewise: lambda e: (
        f"join the pieces smoothly, by (1 + tanh(.../eps))/2 {_SMALL}; where a coordinate decides, pieces may differ"
    ),
    **dict.fromkeys((sp.floor, sp.ceiling, sp.Mod, sp.frac, sp.DiracDelta, Relational), lambda e: ""),
}


def refuse_rough(form: sp.Expr, written: Mapping[sp.Dummy, sp.Expr], what: str) -> None:
    """Refuse an expression that is not smooth in the symbols of `written`, which maps them to what they stand for."""
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
        elif _is_root_of_square(node):
            remedy = f"write sqrt(({node.base.base.xreplace(written)})**2 + eps**2) {_SMALL}"
        else:
            continue
        raise ProblemError(
            f"{what} contains {describe(node.xreplace(written))}, which is not smooth in the unknown, so that it has "
            f"no linearisation{f'; {remedy}' if remedy else ''}"
        )


def _is_root_of_square(node: sp.Basic) -> bool:
    """Whether it is a disguised modulus such as sqrt(u**2)."""
    return (
        isinstance(node, sp.Pow)
        and not node.exp.is_integer
        and isinstance(node.base, sp.Pow)
        and bool(node.base.exp.is_even)
        and not (node.exp * node.base.exp).is_even
    )


# ---- Jets
# A conjugate has its own symbol: to first order, a function F of z and its conjugate w changes by
# ``F_z dz + F_w conj(dz)``. So the rules are the same for complex and real unknowns.


# These functions are real for real numbers, and so commute with conjugation except on branch cuts.
_REAL = (sp.Add, sp.Mul, sp.Pow, sp.Function, sp.Piecewise)
_COMPLEX = (sp.hankel1, sp.hankel2, sp.hn1, sp.hn2, sp.expint)


@final
@dataclass(frozen=True, eq=False)
class Jet:
    """The unknowns, derivatives, normal derivatives and `Conjugate` of these in an expression, in the order of names.

    The `symbols` replace these `atoms` in expressions.
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
        """The operators that give the atoms, without conjugation."""
        plain = map(without_conjugate, self.atoms)
        return tuple(linear_operator({atom: sp.S.One}, self.setting, normals=True) for atom in plain)

    @property
    def conjugated(self) -> tuple[bool, ...]:
        """For each atom, whether it is a conjugate."""
        return tuple(isinstance(atom, Conjugate) for atom in self.atoms)

    @property
    def has_normals(self) -> bool:
        """Whether it has derivatives along the normal."""
        return any(atom.has(NormalDerivative) for atom in self.atoms)

    @property
    def written(self) -> dict[sp.Dummy, sp.Expr]:
        """From the symbols to the atoms in SymPy's own terms."""
        return {symbol: as_sympy(atom) for symbol, atom in zip(self.symbols, self.atoms, strict=True)}

    @property
    def shown(self) -> dict[sp.Dummy, sp.Symbol]:
        """From the symbols to symbols with readable names."""
        return {symbol: sp.Symbol(name) for symbol, name in zip(self.symbols, self.names, strict=True)}


def read_jet(written: sp.Expr, setting: Setting, what: str, *, surely_real: bool) -> tuple[sp.Expr, Jet]:
    """An expression in jet symbols, and the jet.

    Parameters
    ----------
    written : Expr
        With given numbers substituted.
    setting : Setting
    what : str
        Its name in messages.
    surely_real : bool
        Whether nothing in the problem is complex: then Abs(u)**2 is refused, as u**2 is half the work.
    """
    unknowns = setting.symbols
    expression = _with_real_coordinates(_without_moduli(written, setting, what, surely_real), setting)
    refuse_nonlocal_terms(expression, [unknown.func for unknown in unknowns], what)
    found = {d for d in expression.atoms(sp.Derivative) if d.expr in unknowns} | set(unknowns)
    found |= {d for d in expression.atoms(NormalDerivative) if d.has(*unknowns)}
    plain = {
        atom: sp.Dummy(derivative_name(atom, setting))
        for atom in sorted(found, key=lambda atom: derivative_name(atom, setting))
    }
    conjugates = {symbol: sp.Dummy(f"conjugate({symbol.name})") for symbol in plain.values()}
    form = _with_conjugates(expression.xreplace(plain), conjugates, what)
    both = {symbol: atom for atom, symbol in plain.items()}
    both |= {conjugates[symbol]: Conjugate(atom) for atom, symbol in plain.items()}
    used = [symbol for symbol in both if form.has(symbol)]
    jet = Jet(tuple(both[symbol] for symbol in used), tuple(used), setting)
    refuse_rough(form, jet.written, what)
    return form, jet


def _without_moduli(written: sp.Expr, setting: Setting, what: str, surely_real: bool) -> sp.Expr:
    """Replace even powers of the modulus by smooth products with the conjugate, before derivatives are taken."""

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
    """Evaluate derivatives, along real coordinates if there are conjugates or parts."""
    if not any(part.has(*setting.symbols) for part in expression.atoms(*PARTS)):
        return evaluate_derivatives(expression)
    real = {symbol: sp.Dummy(symbol.name, real=True) for symbol in setting.coordinates}
    back = {new: old for old, new in real.items()}
    result: sp.Expr = evaluate_derivatives(expression.xreplace(real)).xreplace(back)
    return result


def _with_conjugates(form: sp.Expr, conjugates: dict[sp.Dummy, sp.Dummy], what: str) -> sp.Expr:
    """Replace conjugates, real and imaginary parts by the symbols of conjugates."""
    other = conjugates | {new: old for old, new in conjugates.items()}
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
        lambda e: isinstance(e, PARTS) and bool(e.free_symbols & symbols), partial(rewrite_part, conjugated)
    )
    return result


# ---- Linearisation
# F(u) = 0 becomes ``F'(v) u = F'(v) v - F(v)`` around an iterate v. Linear terms of F stay as they are; coefficients
# and right-hand sides that depend on v become known functions of the coordinates, a `Slot` each.


class Slot(NamedTuple):
    """A function of the coordinates that depends on the iterate, and its expression in jet symbols."""

    function: AppliedUndef
    expression: sp.Expr


@final
@dataclass(frozen=True, eq=False)
class Linearisation:
    """A linear equation around any iterate.

    Attributes
    ----------
    coefficients : dict of Expr to Expr
        Coefficients of the atoms of the jet, in which slots replace what depends on the iterate.
    value : Expr
        The right-hand side.
    slots : tuple of Slot
    """

    coefficients: dict[sp.Expr, sp.Expr]
    value: sp.Expr
    slots: tuple[Slot, ...]

    @property
    def equation(self) -> sp.Eq:
        """The linear equation in SymPy."""
        left = sp.Add(*(coefficient * atom for atom, coefficient in self.coefficients.items()))
        return sp.Eq(left, self.value, evaluate=False)


def linear_form(form: sp.Expr, jet: Jet, what: str, prefix: str = "") -> Linearisation:
    """The linearisation of an expression in jet symbols; the names of its slots begin with `prefix`."""
    symbols = frozenset(jet.symbols)
    coefficients: dict[sp.Symbol, list[sp.Expr]] = {symbol: [] for symbol in jet.symbols}
    values: list[sp.Expr] = []
    for term in sp.Add.make_args(_spread_derivatives(form, jet)):
        parts = visible_parts(term, symbols)
        if parts is None:
            slopes = slopes_of(term, jet, what)
            # one sum, in which terms of first degree cancel symbolically
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
    """Derivatives of an expression with respect to its jet symbols; refused if SymPy cannot find one."""
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
    """Expand products with a sum of derivatives, as each term is then linear by itself."""
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
    """Replaces what depends on the iterate by slots, one for each distinct expression."""

    jet: Jet
    prefix: str
    known: dict[sp.Expr, Slot] = field(default_factory=dict)

    def fill(self, expression: sp.Expr) -> sp.Expr:
        """The expression with slots for terms that contain jet symbols.

        Piecewise choices and material factors stay outside; terms with the same factors share a slot.
        """
        terms: list[sp.Expr] = []
        groups: dict[sp.Expr, list[sp.Expr]] = {}
        for term in sp.Add.make_args(expression):
            factor, dependent = term.as_independent(*self.jet.symbols, as_Add=False)
            if dependent == 1:
                terms.append(term)
            elif isinstance(dependent, sp.Piecewise):
                pieces = ((self.fill(value), condition) for value, condition in dependent.args)
                terms.append(factor * sp.Piecewise(*pieces))
            else:
                outside = sp.Mul(*filter(self._stays_outside, sp.Mul.make_args(factor)))
                groups.setdefault(outside, []).append(term / outside)
        terms += [outside * self._slot(sp.Add(*inside)).function for outside, inside in groups.items()]
        return sp.Add(*terms)

    def _stays_outside(self, factor: sp.Expr) -> bool:
        known = set(self.jet.setting.coordinates)
        return bool(factor.has(AppliedUndef, sp.Piecewise, *OF_NORMALS) or factor.free_symbols - known)

    def _slot(self, expression: sp.Expr) -> Slot:
        if expression not in self.known:
            name = f"[{self.prefix}{self._slot_text(expression)}]"
            if any(slot.function.func.__name__ == name for slot in self.known.values()):
                name = f"{name[:-1]} #{len(self.known)}]"
            function = sp.Function(name)(*self.jet.setting.coordinates)
            self.known[expression] = Slot(function, expression)
        return self.known[expression]

    def _slot_text(self, expression: sp.Expr) -> str:
        """The name of a slot in messages: its expression, unless it would take long to print."""
        if sum(1 for _ in islice(sp.preorder_traversal(expression), LONGEST_LINE)) == LONGEST_LINE:
            names = ", ".join(str(name) for symbol, name in self.jet.shown.items() if expression.has(symbol))
            return f"function of {names}"
        text = str(expression.xreplace(self.jet.shown))
        return text if len(text) <= LONGEST_LINE else f"{text[:LONGEST_LINE]}..."
