"""What the user supplies beside an equation: numbers for symbols, callables for functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from graphlib import CycleError, TopologicalSorter
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef, UndefinedFunction

from fspielm.equations.by_region import ByRegion, Placed
from fspielm.equations.piecewise import Signs, decided
from fspielm.errors import ProblemError
from fspielm.expressions import PointFunction
from fspielm.geometry import Domain


@dataclass(frozen=True, eq=False)
class Givens:
    """The checked content of ``given=``.

    Attributes
    ----------
    symbols : dict of Symbol to Expr
        Free of each other: ``{k: 2*w, w: 3}`` has become ``{k: 6, w: 3}``.
    functions : dict of function name to callable
        Known functions ``f``, in whatever coordinates the equation writes them.
    applied : dict of applied function to callable
        Known functions ``f(x)`` in these very coordinates.
    derivatives : dict of Derivative to callable
    inner : set of Symbol
        The symbols that the values of others were written with.
    regional : dict of Symbol to ByRegion
        Symbols with a value in each region.
    stand_ins : dict of applied function to callable
        What stands for these symbols: functions of the coordinates.
    pinned : dict of function name to Expr
        What known functions are in one region, where all is read as it is there.
    signs : dict of Expr to int
        On which sides of the borders of Piecewise expressions all is read.
    """

    symbols: dict[sp.Symbol, sp.Expr] = field(default_factory=dict)
    functions: dict[str, PointFunction] = field(default_factory=dict)
    applied: dict[AppliedUndef, PointFunction] = field(default_factory=dict)
    derivatives: dict[sp.Derivative, PointFunction] = field(default_factory=dict)
    inner: set[sp.Symbol] = field(default_factory=set)
    regional: dict[sp.Symbol, ByRegion] = field(default_factory=dict)
    stand_ins: dict[AppliedUndef, PointFunction] = field(default_factory=dict)
    pinned: dict[str, sp.Expr] = field(default_factory=dict)
    signs: Signs = field(default_factory=dict)

    def substitute(self, expression: Any) -> Any:
        """Put the given numbers in the place of their symbols, in an expression or a relation."""
        known = expression.xreplace(self.symbols)
        if self.pinned:
            known = known.xreplace(
                {f: self.pinned[f.func.__name__] for f in known.atoms(AppliedUndef) if f.func.__name__ in self.pinned}
            )
        return decided(known, self.signs) if self.signs else known

    def placed(self, domain: Domain, coordinates: tuple[sp.Symbol, ...]) -> Givens:
        """The same with what is given by region as functions of the points of a domain."""

        def put(those: dict[Any, Any]) -> dict[Any, Any]:
            return {
                key: value.substituted(self.substitute).placed(domain, coordinates, f"given[{key}]")
                if isinstance(value, ByRegion)
                else value
                for key, value in those.items()
            }

        names = {symbol: sp.Function(symbol.name)(*coordinates) for symbol in self.regional}
        placed = put(self.regional)
        for symbol, data in placed.items():
            _check_numbers(symbol, data)
        return replace(
            self,
            symbols={key: value.xreplace(names) for key, value in self.symbols.items()} | names,
            functions=put(self.functions),
            applied=put(self.applied),
            derivatives=put(self.derivatives),
            stand_ins={names[symbol]: data for symbol, data in placed.items()},
        )

    @property
    def materials(self) -> frozenset[str]:
        """Names of the functions that are given by region, without those that stand for symbols."""
        applied = {key.func.__name__: value for key, value in self.applied.items()}
        return frozenset(name for name, value in (self.functions | applied).items() if isinstance(value, Placed))

    def beside(self, region: str | None = None, signs: Signs | None = None) -> Givens:
        """The same as it is in one region, and on one side of borders: smooth functions, also on the other."""
        if region is None:
            return replace(self, signs=self.signs | (signs or {}))

        def own(those: dict[Any, Any]) -> dict[Any, Any]:
            return {key: _own(value, region) for key, value in those.items()}

        functions = self.functions | {key.func.__name__: call for key, call in (self.applied | self.stand_ins).items()}
        formulas = {
            name: sp.sympify(call.values[region])
            for name, call in functions.items()
            if isinstance(call, Placed) and not _is_callable(call.values[region])
        }
        return replace(
            self,
            functions=own(self.functions),
            applied=own(self.applied),
            derivatives=own(self.derivatives),
            stand_ins=own(self.stand_ins),
            pinned=self.pinned | formulas,
            signs=self.signs | (signs or {}),
        )

    def without_derivatives(self, expression: sp.Expr) -> sp.Expr:
        """Hide the derivatives that are given: what they are derivatives of need not be."""
        return expression.xreplace({key: sp.Dummy() for key in self.derivatives})

    def is_known(self, function: AppliedUndef) -> bool:
        """Whether `function` is supplied by the user, and so not the unknown."""
        name = function.func.__name__
        return name in self.functions or any(key.func.__name__ == name for key in (*self.applied, *self.stand_ins))

    def callables(self, expression: sp.Expr, coordinates: tuple[sp.Symbol, ...]) -> dict[sp.Expr, PointFunction]:
        """The callable for every known function and derivative that stands in `expression`."""
        found: dict[sp.Expr, PointFunction] = dict(self.derivatives)
        for applied in sorted(expression.atoms(AppliedUndef), key=str):
            if not self.is_known(applied):
                continue
            in_order = tuple(c for c in coordinates if c in applied.args)
            if applied.args != in_order:
                raise ProblemError(
                    f"the given function {applied} must be written with plain coordinates, in the order "
                    f"{', '.join(map(str, coordinates))} of the unknown's: its callable receives them all"
                )
            call = self.applied.get(applied, self.functions.get(applied.func.__name__, self.stand_ins.get(applied)))
            if call is not None:
                found[applied] = call
        for derivative in expression.atoms(sp.Derivative) - found.keys():
            call = found.get(derivative.expr)
            if isinstance(call, Placed):
                found[derivative] = call.diff(derivative)
        return found

    def check_coordinates(self, unknown: AppliedUndef) -> None:
        """Refuse numbers for coordinates, and numbers that are none because they depend on coordinates."""
        for symbol, value in self.symbols.items():
            if symbol in unknown.args:
                raise ProblemError(
                    f"given[{symbol}] supplies a number for {symbol}, which is a coordinate of {unknown}"
                )
            depends = sorted(value.free_symbols & set(unknown.args), key=str)
            if depends:
                raise ProblemError(
                    f"given[{symbol}] = {value} depends on the coordinate {depends[0]}, but {symbol} is a "
                    "symbol, which derivatives take for a constant; write the expression into the equation"
                )

    def check_use(self, expressions: Iterable[sp.Basic]) -> None:
        """Refuse a given name that nothing refers to, and one callable for a function of different things."""
        data = [*self.regional.values(), *self.functions.values(), *self.applied.values(), *self.derivatives.values()]
        written = [*expressions, *(e for one in data if isinstance(one, ByRegion) for e in one.expressions)]
        symbols = self.inner.union(*(e.free_symbols for e in written))
        applied = set().union(*(e.atoms(AppliedUndef) for e in written))
        names = {f.func.__name__ for f in applied}
        idle = [str(s) for s in (*self.symbols, *self.regional) if s not in symbols]
        idle += [name for name in self.functions if name not in names]
        idle += [str(f) for f in self.applied if f not in applied]
        idle += [str(d) for d in self.derivatives if not any(f in applied for f in d.atoms(AppliedUndef))]
        if idle:
            raise ProblemError(
                f"given names {', '.join(sorted(idle))}, which no equation or condition contains; "
                "SymPy symbols of one name but different assumptions (real=True) are different symbols"
            )
        for name in self.functions:
            uses = sorted(map(str, {f for f in applied - self.applied.keys() if f.func.__name__ == name}))
            if len(uses) > 1:
                raise ProblemError(
                    f"given[{name}] is one callable for {' and '.join(uses)}, and would give them the same "
                    f"values; supply one for each, as in given={{{uses[0]}: callable, {uses[1]}: callable}}"
                )


def read_givens(given: Mapping[Any, Any] | None) -> Givens:
    """Check ``given=`` and sort it into numbers, functions and derivatives of functions."""
    if given is not None and not isinstance(given, Mapping):
        raise ProblemError(f"given must be a mapping such as {{k: 3.0, f: callable}}; got {given!r}")
    givens = Givens()
    for key, value in (given or {}).items():
        if isinstance(key, sp.Symbol) and isinstance(value, ByRegion):
            givens.regional[key] = value
        elif isinstance(key, sp.Symbol):
            givens.symbols[key] = _number(key, value)
        elif isinstance(key, UndefinedFunction):
            givens.functions[key.__name__] = _callable(key, value)
        elif isinstance(key, AppliedUndef):
            givens.applied[key] = _callable(key, value)
        elif isinstance(key, sp.Derivative) and isinstance(key.expr, AppliedUndef):
            givens.derivatives[key] = _callable(key, value)
        else:
            raise ProblemError(
                "given keys must be SymPy symbols, functions or derivatives of functions (the objects, not "
                f"their names); got {key!r}"
            )
    _resolve(givens)
    return givens


def order_of_derivation(symbols: Mapping[sp.Symbol, sp.Expr]) -> tuple[sp.Symbol, ...]:
    """Given numbers, each after those that it is derived from."""
    graph = {key: value.free_symbols & symbols.keys() for key, value in symbols.items()}
    try:
        return tuple(TopologicalSorter(graph).static_order())
    except CycleError as error:
        key = error.args[1][0]
        raise ProblemError(f"given[{key}] is defined by itself; give {key} a number") from None


def _resolve(givens: Givens) -> None:
    """Put given numbers into the values of others."""
    symbols = givens.symbols
    givens.inner.update(*(value.free_symbols for value in symbols.values()))
    for key in order_of_derivation(symbols):
        value = symbols[key]
        symbols[key] = value.xreplace({inner: symbols[inner] for inner in value.free_symbols & symbols.keys()})
    for key, value in symbols.items():
        if value.is_finite is False or value is sp.nan:
            raise ProblemError(f"given[{key}] must be finite; got {value}")


def _number(key: sp.Symbol, value: Any) -> sp.Expr:
    if callable(value) and not isinstance(value, sp.Basic):
        raise ProblemError(
            f"given[{key}] is a callable, but {key} is a symbol; write a function of the coordinates, as "
            f"in sp.Function({str(key)!r})(x, y), and give that"
        )
    try:
        number = sp.sympify(value, strict=True)
    except sp.SympifyError:
        number = None
    if not isinstance(number, sp.Expr) or number.atoms(AppliedUndef):
        raise ProblemError(f"given[{key}] must be a number, or an expression for one; got {value!r}")
    return number


def _own(value: PointFunction, region: str) -> PointFunction:
    """What a function is in one region; a number or an expression as a function of points."""
    if not isinstance(value, Placed):
        return value
    own = value.values[region]
    function: PointFunction = own if _is_callable(own) else value.field(region)
    return function


def _is_callable(value: Any) -> bool:
    return callable(value) and not isinstance(value, sp.Basic)


def _check_numbers(symbol: sp.Symbol, data: Placed) -> None:
    for name, value in data.values.items():
        if _is_callable(value) or sp.sympify(value).free_symbols:
            raise ProblemError(
                f"given[{symbol}] must be a number in each region, for {symbol} is a symbol, which derivatives take "
                f"for a constant; got {value!r} in {name!r}: write sp.Function({str(symbol)!r})"
                f"({', '.join(map(str, data.coordinates))}), and give that"
            )


def _callable(key: Any, value: Any) -> Any:
    if isinstance(value, ByRegion):
        return value
    if not callable(value) or isinstance(value, sp.Basic | UndefinedFunction):
        raise ProblemError(
            f"given[{key}] must be a callable of a points array (n, d) returning (n,); got {value!r}; "
            "write an expression into the equation itself"
        )
    function: PointFunction = value
    return function
