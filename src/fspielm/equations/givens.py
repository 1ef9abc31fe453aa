"""What the user supplies beside an equation: numbers for symbols, callables for functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef, UndefinedFunction

from fspielm.errors import ProblemError
from fspielm.expressions import PointFunction


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
    """

    symbols: dict[sp.Symbol, sp.Expr] = field(default_factory=dict)
    functions: dict[str, PointFunction] = field(default_factory=dict)
    applied: dict[AppliedUndef, PointFunction] = field(default_factory=dict)
    derivatives: dict[sp.Derivative, PointFunction] = field(default_factory=dict)
    inner: set[sp.Symbol] = field(default_factory=set)

    def substitute(self, expression: Any) -> Any:
        """Put the given numbers in the place of their symbols, in an expression or a relation."""
        return expression.xreplace(self.symbols)

    def without_derivatives(self, expression: sp.Expr) -> sp.Expr:
        """Hide the derivatives that are given: what they are derivatives of need not be."""
        return expression.xreplace({key: sp.Dummy() for key in self.derivatives})

    def is_known(self, function: AppliedUndef) -> bool:
        """Whether `function` is supplied by the user, and so not the unknown."""
        name = function.func.__name__
        return name in self.functions or any(key.func.__name__ == name for key in self.applied)

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
            call = self.applied.get(applied, self.functions.get(applied.func.__name__))
            if call is not None:
                found[applied] = call
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
        written = list(expressions)
        symbols = self.inner.union(*(e.free_symbols for e in written))
        applied = set().union(*(e.atoms(AppliedUndef) for e in written))
        names = {f.func.__name__ for f in applied}
        idle = [str(s) for s in self.symbols if s not in symbols]
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
        if isinstance(key, sp.Symbol):
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


def _resolve(givens: Givens) -> None:
    """Put given numbers into the values of others."""
    symbols = givens.symbols
    givens.inner.update(*(value.free_symbols for value in symbols.values()))
    for _ in symbols:
        symbols.update({key: value.xreplace(symbols) for key, value in symbols.items()})
    for key, value in symbols.items():
        if value.free_symbols & symbols.keys():
            raise ProblemError(f"given[{key}] is defined by itself; give {key} a number")
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


def _callable(key: Any, value: Any) -> PointFunction:
    if not callable(value) or isinstance(value, sp.Basic | UndefinedFunction):
        raise ProblemError(
            f"given[{key}] must be a callable of a points array (n, d) returning (n,); got {value!r}; "
            "write an expression into the equation itself"
        )
    function: PointFunction = value
    return function
