"""Names in problem files, and expressions read with them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import sympy as sp
from sympy.core.function import AppliedUndef

from fspielm.errors import TextError
from fspielm.expr.parser import parse_condition, parse_equation, parse_expression, parse_real
from fspielm.expr.scope import Scope
from fspielm.problem.normal import NormalComponent, NormalDerivative
from fspielm.problem.parameters import used_in
from fspielm.problem.substitutions import ByRegion

T = TypeVar("T")

_WORD = re.compile(r"[^\W\d]\w*")

# A hint about an unknown name in an equation, which most often is a number.
_UNDECLARED = (
    "; a number is declared under [parameters], {name} = 1: 'fspielm solve FILE --set {name}=...' solves for other "
    "values, 'fspielm modes FILE --symbol {name}' finds eigenvalues"
)


@dataclass(frozen=True)
class Names:
    """The unknowns, their coordinates, and the parameters with their values.

    Expressions keep the parameters as symbols, so that they can be shown as written; `given` has the values for the
    `Problem`.
    """

    unknowns: tuple[AppliedUndef, ...]
    time: sp.Symbol | None = None
    # with their values
    parameters: Mapping[str, sp.Expr] = field(default_factory=dict)
    # the same as written: with the names of those that they are derived from
    formulas: Mapping[str, sp.Expr] = field(default_factory=dict)
    # parameters that the domain is written with, and those that they are derived from
    fixed: frozenset[str] = frozenset()
    # parameters with a value for each region
    regional: Mapping[str, ByRegion] = field(default_factory=dict)
    # of the coordinates, given by region
    functions: Mapping[str, ByRegion] = field(default_factory=dict)
    # names of the regions of the domain
    regions: tuple[str, ...] = ()

    def check(self) -> None:
        """Refuse names that expressions cannot use, or that have two meanings."""
        _ = self.whole_scope  # refuses them

    @property
    def coordinates(self) -> tuple[sp.Symbol, ...]:
        """The arguments of the unknowns."""
        coordinates: tuple[sp.Symbol, ...] = self.unknowns[0].args
        return coordinates

    @property
    def scope(self) -> Scope:
        """Coordinates and parameters."""
        return Scope(self.coordinates, self.time, (), self._symbols | self._applied)

    @property
    def _symbols(self) -> dict[str, sp.Expr]:
        return {name: sp.Symbol(name) for name in (*self.parameters, *self.regional)}

    @property
    def _applied(self) -> dict[str, sp.Expr]:
        return {name: sp.Function(name)(*self.coordinates) for name in self.functions}

    @property
    def whole_scope(self) -> Scope:
        """Coordinates, parameters and unknowns."""
        return replace(self.scope, unknowns=self.unknowns)

    def constant(self, text: str) -> sp.Expr:
        """A real number."""
        return self._value(parse_real, text, self.parameters.__getitem__)

    def number(self, text: str) -> sp.Expr:
        """A number, real or complex."""
        return self._value(parse_expression, text, self.parameters.__getitem__)

    def formula(self, text: str) -> sp.Expr:
        """A number in terms of the parameters that are the same in all regions."""
        return self._value(parse_expression, text, sp.Symbol)

    def _value(self, parse: Callable[[str, Scope], sp.Expr], text: str, meaning: Callable[[str], sp.Expr]) -> sp.Expr:
        """An expression of parameters; only those that it names are looked up, as there may be many."""
        named = {name: meaning(name) for name in _WORD.findall(text) if name in self.parameters}
        try:
            return parse(text, Scope(parameters=named))
        except TextError:  # raise it again, with a suggestion from all names
            return parse(text, Scope(parameters={name: meaning(name) for name in self.parameters}))

    def function(self, text: str) -> sp.Expr:
        """A function of the coordinates."""
        return self._read(parse_expression, text, self.scope)

    def datum(self, text: str) -> sp.Expr:
        """A function of the coordinates, and on the boundary of the normal."""
        scope = replace(self.scope, normal_derivative=NormalDerivative, normal=NormalComponent)
        return self._read(parse_expression, text, scope)

    def condition(self, text: str) -> sp.Basic:
        """A comparison of functions of the coordinates."""
        return self._read(parse_condition, text, self.scope)

    def equation(self, text: str) -> sp.Basic:
        """An equation for the unknowns."""
        return self._read(parse_equation, text, replace(self.whole_scope, undeclared=_UNDECLARED))

    def stated_condition(self, text: str) -> sp.Basic:
        """An equation for the unknowns on the boundary, which may hold normal derivatives."""
        scope = replace(self.whole_scope, normal_derivative=NormalDerivative, normal=NormalComponent)
        return self._read(parse_equation, text, scope)

    def given(self, expressions: Iterable[object]) -> dict[sp.Expr, Any]:
        """The parameters and functions in some expressions, and those that they are derived from."""
        fixed = {symbol: value for symbol, value in self.values.items() if symbol.name in self.fixed}
        formulas = {name: formula.xreplace(fixed) for name, formula in self.formulas.items()}
        regional = {name: data.substituted(lambda e: e.xreplace(fixed)) for name, data in self.regional.items()}
        known = {sp.Symbol(name): value for name, value in {**formulas, **regional}.items()}
        functions = {function: self.functions[name] for name, function in self._applied.items()}
        return used_in({**functions, **known}, expressions)

    def fixing(self, content: object) -> Names:
        """The same names, with those fixed that `content` uses: it stays as it is if parameters get other values."""
        words = {word for text in _texts(content) for word in _WORD.findall(text)}
        own = used_in({sp.Symbol(name): e for name, e in self.formulas.items()}, map(sp.Symbol, words))
        return replace(self, fixed=frozenset(map(str, own)))

    @property
    def values(self) -> dict[sp.Symbol, sp.Expr]:
        """The values of the parameters that are the same in all regions."""
        return {sp.Symbol(name): value for name, value in self.parameters.items()}

    def _read(self, parse: Callable[[str, Scope], T], text: str, scope: Scope) -> T:
        # the parser bounds the size of numbers: 2**k is small, with k = 10**9 it is not
        if self.parameters and not self.regional:
            parse(text, replace(scope, parameters={**self._applied, **self.parameters}))
        for region in dict.fromkeys(name for data in self.regional.values() for name in data.values):
            own = {
                name: sp.sympify(data.values.get(region, 1)).xreplace(self.values)
                for name, data in self.regional.items()
            }
            parse(text, replace(scope, parameters={**self._applied, **self.parameters, **own}))
        return parse(text, scope)


def _texts(content: object) -> list[str]:
    """All texts among values of a file, at any depth."""
    if isinstance(content, str):
        return [content]
    inner = content.values() if isinstance(content, dict) else content if isinstance(content, list) else ()
    return [text for value in inner for text in _texts(value)]
