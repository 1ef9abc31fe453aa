"""What the names in a problem file stand for, and its expressions read with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

import sympy as sp
from sympy.core.function import AppliedUndef

from fspielm.equations import NormalDerivative
from fspielm.expressions import Scope, parse_condition, parse_equation, parse_expression

T = TypeVar("T")


@dataclass(frozen=True)
class Names:
    """The unknown, its coordinates, and the parameters with their values.

    Expressions keep the parameters as symbols, so that they can be shown as they were written; `given` has the
    values for the `Problem`.
    """

    unknown: AppliedUndef
    time: sp.Symbol | None = None
    parameters: Mapping[str, sp.Expr] = field(default_factory=dict)

    def check(self) -> None:
        """Refuse names that expressions cannot use, or that stand for two things."""
        replace(self.scope, unknown=self.unknown)

    @property
    def scope(self) -> Scope:
        """Coordinates and parameters."""
        symbols = {name: sp.Symbol(name) for name in self.parameters}
        return Scope(self.unknown.args, self.time, None, symbols)

    def constant(self, text: str) -> sp.Expr:
        """A number."""
        return parse_expression(text, Scope(parameters=self.parameters))

    def function(self, text: str) -> sp.Expr:
        """A function of the coordinates."""
        return self._read(parse_expression, text, self.scope)

    def datum(self, text: str) -> sp.Expr:
        """A function of the coordinates, and of the normal where it is that of a condition on the boundary."""
        return self._read(parse_expression, text, replace(self.scope, normal_derivative=NormalDerivative))

    def condition(self, text: str) -> sp.Basic:
        """A comparison of functions of the coordinates."""
        return self._read(parse_condition, text, self.scope)

    def equation(self, text: str) -> sp.Basic:
        """An equation for the unknown."""
        return self._read(parse_equation, text, replace(self.scope, unknown=self.unknown))

    def stated_condition(self, text: str) -> sp.Basic:
        """An equation for the unknown on the boundary, where it has a normal derivative."""
        scope = replace(self.scope, unknown=self.unknown, normal_derivative=NormalDerivative)
        return self._read(parse_equation, text, scope)

    def given(self, expressions: Iterable[object]) -> dict[sp.Symbol, sp.Expr]:
        """The values of the parameters that stand in some of the expressions."""
        used = set().union(*(e.free_symbols for e in expressions if isinstance(e, sp.Basic)))
        return {sp.Symbol(name): value for name, value in self.parameters.items() if sp.Symbol(name) in used}

    def _read(self, parse: Callable[[str, Scope], T], text: str, scope: Scope) -> T:
        if self.parameters:
            # once with the values, which is what is bounded: 2**k is short, and with k = 10**9 it is not
            parse(text, replace(scope, parameters=self.parameters))
        return parse(text, scope)
