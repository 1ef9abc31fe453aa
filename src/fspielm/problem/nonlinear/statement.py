"""Statements with nonlinear equations or conditions, and the statements of their linearisations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, final

import sympy as sp
from sympy.core.function import AppliedUndef

from fspielm.errors import ProblemError
from fspielm.expr.functions import describe, evaluate_derivatives
from fspielm.problem.compiled import Compiled, compile_all, equation_names, residual_forms
from fspielm.problem.further_conditions import Condition, check_unknowns
from fspielm.problem.linear import NonlinearError, check_differential, linear_parts, residual_form, target_of
from fspielm.problem.nonlinear.expressions import linear_form, read_jet
from fspielm.problem.nonlinear.iterate import Placeholder
from fspielm.problem.nonlinear.law import Law
from fspielm.problem.parameters import used_in
from fspielm.problem.setting import Setting, read_unknowns
from fspielm.problem.statement import AnyCondition, Statement
from fspielm.problem.substitutions import ByRegion, is_plain_callable, read_givens

# From the numbers of a law and of a slot in it to a function of points.
Fill = Callable[[int, int], Any]


@final
@dataclass(frozen=True, eq=False)
class Nonlinear:
    """The nonlinear equations and conditions of a problem, and the statement of its linearisations.

    Attributes
    ----------
    laws : tuple of Law
        The nonlinear equations, then the nonlinear conditions.
    equations : dict of int to Law
        The nonlinear equations by their numbers.
    statement : Statement
        Of the linearised problem, with empty slots.
    reason : str
        Why it is not linear: the first nonlinear term.
    """

    laws: tuple[Law, ...]
    equations: Mapping[int, Law]
    statement: Statement
    reason: str

    def placeholder(self, law: int, slot: int, is_complex: bool = False) -> Placeholder:
        """The placeholder of a slot; complex if iterates are."""
        return Placeholder(7 * law + slot, is_complex or self.laws[law].linear.slots[slot].expression.has(sp.I))

    def filled(self, fill: Fill) -> Statement:
        """The statement of the linearised problem with its slots filled."""
        slots = {
            slot.function: fill(number, place)
            for number, law in enumerate(self.laws)
            for place, slot in enumerate(law.linear.slots)
        }
        return replace(self.statement, given={**(self.statement.given or {}), **slots})


def compile_nonlinear(statement: Statement, error: NonlinearError) -> Compiled:
    """Read and check a nonlinear statement; its relations are those of a linearisation with placeholders.

    `error` is that of reading it as a linear statement.
    """
    givens, written = read_givens(statement.given), residual_forms(statement)
    domain = statement.domain
    unknowns = read_unknowns(written, givens, statement)
    setting = Setting(unknowns, givens.placed(domain, unknowns[0].coordinates), domain)
    reader = _Reader(setting, givens.symbols, _is_surely_real(statement), error.expression)
    equations: list[sp.Basic] = list(statement.equations)
    laws: dict[int, Law] = {}
    for index, (what, residual) in enumerate(zip(equation_names(statement), written, strict=True)):
        law = reader.law(residual, what)
        if law is not None:
            check_differential(law.jet.atoms, equations[index], setting, what)
            laws[index], equations[index] = law, law.linear.equation
    conditions: list[AnyCondition] = list(statement.conditions)
    others: list[Law] = []
    for index, condition in enumerate(conditions):
        if isinstance(condition, Condition):
            residual = residual_form(condition.equation, "Condition: equation")
            check_unknowns(residual, setting.symbols)
            law = reader.law(residual, "the condition", f"condition {len(others) + 1}: " if others else "condition ")
            if law is not None:
                others.append(law)
                conditions[index] = replace(condition, equation=law.linear.equation)
    symbols = tuple(unknown.symbol for unknown in unknowns)
    linear = Statement(tuple(equations), domain, tuple(conditions), unknowns=symbols)
    linear = replace(linear, given=used_in(statement.given or {}, linear.expressions))
    nonlinear = Nonlinear((*laws.values(), *others), laws, linear, str(error))
    pattern = compile_all(nonlinear.filled(nonlinear.placeholder))
    givens.check_use(statement.expressions)
    if pattern.interfaces:
        for law in laws.values():
            _refuse_flux(law, pattern.interfaces[0].name)

    def as_stated(made: Compiled) -> Compiled:
        whole = None if made.whole is None else as_stated(made.whole)
        return replace(made, statement=statement, givens=setting.givens, nonlinear=nonlinear, whole=whole)

    return as_stated(pattern)


@dataclass(frozen=True, eq=False)
class _Reader:
    """Reads the equations and conditions of a statement; `nonlinear` is an expression known not to be linear."""

    setting: Setting
    symbols: Mapping[sp.Symbol, sp.Expr]
    surely_real: bool
    nonlinear: sp.Expr | None

    def law(self, residual: sp.Expr, what: str, prefix: str = "") -> Law | None:
        """The law of an equation or condition; None if it is linear."""
        if self._is_linear(residual, what):
            return None
        form, jet = read_jet(residual.xreplace(self.symbols), self.setting, what, surely_real=self.surely_real)
        several = f"{what}: " if len(self.setting.unknowns) > 1 else ""
        return Law(what, form, jet, linear_form(form, jet, what, prefix or several))

    def _is_linear(self, residual: sp.Expr, what: str) -> bool:
        expression = evaluate_derivatives(self.setting.givens.substitute(residual))
        if expression == self.nonlinear:  # slow to find out again
            return False
        try:
            linear_parts(expression, self.setting.symbols, what)
        except NonlinearError:
            return False
        return True


def _is_surely_real(statement: Statement) -> bool:
    """Whether a statement has only real formulas and numbers, without callables and conjugates."""
    data = [*(statement.given or {}).values(), *(e for c in statement.conditions for e in c.expressions)]
    values = [inner for one in data for inner in (one.values.values() if isinstance(one, ByRegion) else (one,))]
    if any(is_plain_callable(value) or isinstance(value, complex) for value in values):
        return False
    written = [*statement.equations, *(value for value in values if isinstance(value, sp.Basic))]
    return not any(e.has(sp.I, sp.conjugate, sp.re, sp.im) for e in written)


def _refuse_flux(law: Law, interface: str) -> None:
    """Refuse a nonlinear flux at interfaces, where only linear ones can be read."""
    slots = {slot.function for slot in law.linear.slots}
    orders = {atom: _order(atom) for atom in law.linear.coefficients}
    highest = max(orders.values())
    for atom, coefficient in law.linear.coefficients.items():
        if not coefficient.atoms(AppliedUndef) & slots:
            continue
        if orders[atom] == highest or coefficient.atoms(sp.Derivative):
            raise ProblemError(
                f"{law.what} has the coefficient {describe(coefficient)} of {describe(atom)}, which depends on the "
                f"unknown; across the interface {interface!r} only a flux that is linear can continue: make the domain "
                "one region with smooth coefficients, or the highest derivatives linear"
            )


def _order(atom: sp.Expr) -> int:
    target = target_of(atom.args[0] if isinstance(atom, sp.conjugate) else atom)
    return sum(count for _, count in target.variable_count) if isinstance(target, sp.Derivative) else 0
