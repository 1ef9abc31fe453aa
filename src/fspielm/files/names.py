"""What the names in a problem file stand for, and its expressions read with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

import sympy as sp
from sympy.core.function import AppliedUndef

from fspielm.equations import NormalComponent, NormalDerivative
from fspielm.expressions import Scope, parse_condition, parse_equation, parse_expression, parse_real

T = TypeVar("T")


@dataclass(frozen=True)
class Names:
    """The unknowns, their coordinates, and the parameters with their values.

    Expressions keep the parameters as symbols, so that they can be shown as they were written; `given` has the
    values for the `Problem`.
    """

    unknowns: tuple[AppliedUndef, ...]
    time: sp.Symbol | None = None
    parameters: Mapping[str, sp.Expr] = field(default_factory=dict)

    def check(self) -> None:
        """Refuse names that expressions cannot use, or that stand for two things."""
        _ = self.whole_scope

    @property
    def coordinates(self) -> tuple[sp.Symbol, ...]:
        """The arguments of the unknowns."""
        coordinates: tuple[sp.Symbol, ...] = self.unknowns[0].args
        return coordinates

    @property
    def scope(self) -> Scope:
        """Coordinates and parameters."""
        symbols = {name: sp.Symbol(name) for name in self.parameters}
        return Scope(self.coordinates, self.time, (), symbols)

    @property
    def whole_scope(self) -> Scope:
        """Coordinates, parameters and unknowns."""
        return replace(self.scope, unknowns=self.unknowns)

    def constant(self, text: str) -> sp.Expr:
        """A real number."""
        return parse_real(text, Scope(parameters=self.parameters))

    def number(self, text: str) -> sp.Expr:
        """A number, real or complex."""
        return parse_expression(text, Scope(parameters=self.parameters))

    def function(self, text: str) -> sp.Expr:
        """A function of the coordinates."""
        return self._read(parse_expression, text, self.scope)

    def datum(self, text: str) -> sp.Expr:
        """A function of the coordinates, and of the normal where it is that of a condition on the boundary."""
        return self._read(
            parse_expression, text, replace(self.scope, normal_derivative=NormalDerivative, normal=NormalComponent)
        )

    def condition(self, text: str) -> sp.Basic:
        """A comparison of functions of the coordinates."""
        return self._read(parse_condition, text, self.scope)

    def equation(self, text: str) -> sp.Basic:
        """An equation for the unknowns."""
        return self._read(parse_equation, text, self.whole_scope)

    def stated_condition(self, text: str) -> sp.Basic:
        """An equation for the unknowns on the boundary, where they have normal derivatives."""
        scope = replace(self.whole_scope, normal_derivative=NormalDerivative, normal=NormalComponent)
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
