"""What ``given=`` substitutes in a problem: numbers for symbols, callables for functions, values by region."""

from __future__ import annotations

import cmath
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from graphlib import CycleError, TopologicalSorter
from typing import Any, final

import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef, UndefinedFunction
from sympy.core.relational import Relational
from sympy.polys.polyerrors import DomainError, PolynomialError

from fspielm.arrays import FloatArray, NumberArray
from fspielm.errors import ProblemError
from fspielm.expr.functions import Field, PointFunction, Value, check_value, make_field
from fspielm.geometry.domain import Domain
from fspielm.geometry.regions import Regions
from fspielm.geometry.time import regions_in
from fspielm.numerics.tolerances import ROUNDING


@final
@dataclass(frozen=True, init=False, repr=False)
class ByRegion:
    """One value for each region of a domain.

    Parameters
    ----------
    **values : number, Expr or callable ``(n, d) -> (n,)``
        A value for each region, by its name.

    Examples
    --------
    >>> ByRegion(core=10.0, shell=1.0)
    ByRegion(core=10.0, shell=1.0)
    """

    items: tuple[tuple[str, Any], ...]

    def __init__(self, **values: Value) -> None:
        if not values:
            raise ProblemError("ByRegion: name a value for each region, as in fs.ByRegion(core=10.0, shell=1.0)")
        for name, value in values.items():
            check_value(value, f"ByRegion: {name}")
            if isinstance(value, sp.Expr) and value.has(sp.Piecewise):
                raise ProblemError(f"ByRegion: {name} is a Piecewise; make each of its pieces a region of its own")
        object.__setattr__(self, "items", tuple(values.items()))

    def __repr__(self) -> str:
        return f"ByRegion({', '.join(f'{name}={value!r}' for name, value in self.items)})"

    @property
    def values(self) -> dict[str, Any]:
        """The values by the names of the regions."""
        return dict(self.items)

    @property
    def expressions(self) -> Iterator[sp.Expr]:
        """The values that are SymPy expressions."""
        return (value for _, value in self.items if isinstance(value, sp.Expr))

    def substituted(self, substitute: Callable[[sp.Expr], sp.Expr]) -> ByRegion:
        """The same with `substitute` applied to its expressions."""
        return ByRegion(**{n: substitute(v) if isinstance(v, sp.Expr) else v for n, v in self.items})

    def placed(self, domain: Domain, coordinates: tuple[sp.Symbol, ...], what: str) -> Placed:
        """The values as a function of points; refused if `domain` has other regions."""
        regions = regions_in(domain)
        if regions is None:
            raise ProblemError(
                f"{what} is {self!r}, but domain={domain!r} has no regions; write domain=fs.Regions("
                f"{', '.join(f'{name}=...' for name, _ in self.items)})"
            )
        for name, _ in self.items:
            if name not in regions.names:
                raise ProblemError(f"{what} names the region {name!r}; the regions are {', '.join(regions.names)}")
        for name in regions.names:
            if name not in self.values:
                missing = ", ".join(f"{each}=..." for each in regions.names if each not in self.values)
                raise ProblemError(
                    f"{what} has nothing for the region {name!r}; got {self!r}: add {missing}, a number, an expression "
                    f"or a callable for each of the {len(regions.names)} regions"
                )
        return Placed({name: self.values[name] for name in regions.names}, regions, coordinates, what)


@final
@dataclass(frozen=True, eq=False, repr=False)
class Placed:
    """Values by region as a function of points; where regions meet, the first of them counts."""

    values: Mapping[str, Any]
    regions: Regions
    coordinates: tuple[sp.Symbol, ...]
    what: str

    def __call__(self, points: FloatArray) -> NumberArray:
        """Values at `points`; NaN outside of all regions."""
        which = self.regions.region_of(points[:, : self.regions.dimension])
        values: NumberArray = np.full(len(points), np.nan)
        for index, name in enumerate(self.values):
            here = np.flatnonzero(which == index)
            own = self._fields[name](points[here])
            if np.iscomplexobj(own) and not np.iscomplexobj(values):
                values = values.astype(np.complex128)
            values[here] = own
        return values

    def __repr__(self) -> str:
        return f"ByRegion({', '.join(f'{name}={value!r}' for name, value in self.values.items())})"

    def field(self, name: str) -> Field:
        """The value of one region as a function of points anywhere."""
        return self._fields[name]

    @cached_property
    def _fields(self) -> dict[str, Field]:
        return {
            name: make_field(value, self.coordinates, what=f"{self.what}, in {name!r},")
            for name, value in self.values.items()
        }

    def diff(self, derivative: sp.Derivative) -> Placed:
        """Its derivative, region by region; that of a callable must be given."""
        for name, value in self.values.items():
            if is_plain_callable(value):
                each = ", ".join(f"{region}=..." for region in self.values)
                raise ProblemError(
                    f"the equation needs {derivative}, but {self.what} is a callable in {name!r}; supply its "
                    f"derivative, as in given={{{derivative}: fs.ByRegion({each})}}"
                )
        slopes = {name: sp.sympify(value).diff(*derivative.variable_count) for name, value in self.values.items()}
        return Placed(slopes, self.regions, self.coordinates, f"{derivative}")


# ---- Borders of Piecewise expressions


# The highest degree of polynomials that are factored, and the digits of zeros that have no formula.
_MOST_ZEROS, _DIGITS = 8, 20

# For each level function, as `side_of` writes it, the side: -1 where it is negative, 1 where it is positive.
Signs = dict[sp.Expr, int]


@lru_cache(maxsize=4096)  # asked again for every border and side, and slow
def side_of(relation: Relational) -> tuple[sp.Expr, int] | None:
    """The level function of a relation and its sign where the relation holds; None for equalities.

    The level function is zero on the border: ``x < 1/2`` and ``1 >= 2*x`` have the same one, ``2*x - 1``.
    """
    if not isinstance(relation, sp.Lt | sp.Le | sp.Gt | sp.Ge):
        return None
    gap = sp.expand(_with_rationals(relation.lhs - relation.rhs))
    level = gap.primitive()[1]
    sign = -1 if isinstance(relation, sp.Lt | sp.Le) else 1
    return (-level, -sign) if level.could_extract_minus_sign() else (level, sign)


def _with_rationals(expression: sp.Expr) -> sp.Expr:
    """The expression with rational numbers for floating-point ones: simple ones, where these are as close as rounding.

    Guesses of SymPy's alone may be off by 1e-8, the width of a slab.
    """
    known = {}
    for number in expression.atoms(sp.Float):
        guess = sp.nsimplify(number, rational=True)
        is_close = abs(float(guess) - float(number)) <= ROUNDING * abs(float(number))
        known[number] = guess if is_close else sp.Rational(str(number))
    return expression.xreplace(known)


@lru_cache(maxsize=4096)
def in_sheets(condition: sp.Basic) -> sp.Basic:
    """The condition by relations with one border each: ``Abs(x) < h`` becomes ``And(x < h, x > -h)``.

    Then what is on one side of a slab is another material than what is on the other, and so in cells of its own.
    """
    return condition.xreplace({relation: _relation_in_sheets(relation) for relation in condition.atoms(Relational)})


def _relation_in_sheets(relation: Relational) -> sp.Basic:
    """One relation by relations with one border each; on the border itself ``<`` and ``<=`` may swap."""
    if not isinstance(relation, sp.Lt | sp.Le | sp.Gt | sp.Ge):
        return relation
    gap = _with_rationals(relation.lhs - relation.rhs)
    is_below = isinstance(relation, sp.Lt | sp.Le)
    for node in sorted(gap.atoms(sp.Abs, sp.Max, sp.Min, sp.Pow), key=str):
        value = sp.Dummy()
        whole = gap.xreplace({node: value})
        slope, rest = whole.diff(value), whole.xreplace({value: sp.S.Zero})
        if not slope.is_number or not slope.is_real or slope == 0:
            continue
        choices = _choices(node, rest / slope)
        # if the largest is below all are, and if it is above any is
        joined = sp.And if is_below == ((slope > 0) != isinstance(node, sp.Min)) else sp.Or
        if choices:
            return joined(*(in_sheets(relation.func(whole.xreplace({value: choice}), 0)) for choice in choices))
    factors = _factors(sp.expand(gap))
    if len(factors) < 2:
        return relation
    negative = sp.Xor(*(in_sheets(factor < 0) for factor in factors))
    return negative if is_below else sp.Not(negative)


def _choices(node: sp.Expr, rest: sp.Expr) -> tuple[sp.Expr, ...]:
    """The smooth functions of which `node` is the largest (or least), at least where ``node + rest`` is zero."""
    if isinstance(node, sp.Max | sp.Min):
        return tuple(node.args)
    if isinstance(node, sp.Abs):
        return node.args[0], -node.args[0]
    base, exponent = node.as_base_exp()
    if exponent == sp.S.Half and isinstance(base, sp.Pow) and base.exp == 2:
        return base.base, -base.base
    if exponent.is_integer and exponent.is_even and exponent > 0 and rest.is_number and rest < 0:
        return tuple(sign * base - (-rest) ** (1 / exponent) - rest for sign in (1, -1))
    return ()


def _factors(level: sp.Expr) -> tuple[sp.Expr, ...]:
    """The factors of a polynomial that change its sign, linear ones where there is one variable; else the whole."""
    symbols = sorted(level.free_symbols, key=str)
    if not symbols or not level.is_polynomial(*symbols) or sp.total_degree(level, *symbols) > _MOST_ZEROS:
        return (level,)
    scale, powers = sp.factor_list(level, *symbols)
    found = []
    for factor in (factor for factor, power in powers if power % 2):
        x, *others = factor.free_symbols
        if others or sp.degree(factor, x) == 1:
            found.append(factor)
            continue
        scale *= sp.LC(factor, x)
        try:
            zeros = [r.evalf(_DIGITS) if r.has(sp.CRootOf) else r for r in sp.real_roots(factor)]
        except (NotImplementedError, PolynomialError, DomainError):  # irrational coefficients
            return (level,)
        found += [x - _with_rationals(zero) for zero in zeros]
    return (sp.sign(scale) * found[0], *found[1:]) if found and scale.is_real else (level,)


def levels_in(expression: sp.Basic) -> tuple[sp.Expr, ...]:
    """The level functions of all Piecewise expressions in an expression."""
    relations = {
        relation
        for piecewise in expression.atoms(sp.Piecewise)
        for _, condition in piecewise.args
        for relation in in_sheets(condition).atoms(Relational)
    }
    sides = (side_of(relation) for relation in sorted(relations, key=str))
    return tuple(dict.fromkeys(side[0] for side in sides if side is not None))


def resolve_pieces(expression: Any, signs: Signs) -> Any:
    """The expression on one side of some borders, with the Piecewise expressions resolved there."""
    return expression.xreplace({piecewise: _piece_of(piecewise, signs) for piecewise in _outermost(expression)})


@lru_cache(maxsize=256)  # the same, possibly long, expression is asked for with every material
def _outermost(expression: sp.Basic) -> tuple[sp.Piecewise, ...]:
    """The Piecewise expressions in an expression that are not inside another one."""
    found: dict[sp.Piecewise, None] = {}
    walk = sp.preorder_traversal(expression)
    for part in walk:
        if isinstance(part, sp.Piecewise):
            found[part] = None
            walk.skip()
    return tuple(found)


def _piece_of(piecewise: sp.Piecewise, signs: Signs) -> sp.Expr:
    """What is left of a Piecewise on one side of some borders."""
    left = []
    for expression, whole in piecewise.args:
        condition = in_sheets(whole)
        sides = {relation: side_of(relation) for relation in condition.atoms(Relational)}
        known = {
            relation: sp.true if signs[side[0]] == side[1] else sp.false
            for relation, side in sides.items()
            if side is not None and side[0] in signs
        }
        holds = condition.xreplace(known)
        if holds == sp.false:
            continue
        left.append((resolve_pieces(expression, signs), holds))
        if holds == sp.true:
            break
    return sp.Piecewise(*left) if left else sp.nan


# ---- Numbers for symbols, callables for functions


@dataclass(frozen=True, eq=False)
class Substitutions:
    """The checked content of ``given=``.

    Attributes
    ----------
    symbols : dict of Symbol to Expr
        Free of each other: ``{k: 2*w, w: 3}`` has become ``{k: 6, w: 3}``.
    functions : dict of function name to callable
        Known functions ``f`` of any coordinates.
    applied : dict of applied function to callable
        Known functions ``f(x)`` of exactly these coordinates.
    derivatives : dict of Derivative to callable
    inner : set of Symbol
        The symbols in the values of others.
    regional : dict of Symbol to ByRegion
        Symbols with a value in each region.
    stand_ins : dict of applied function to callable
        The functions of the coordinates that replace these symbols.
    formulas : dict of function name to Expr
        Known functions in one region, after `on_side`.
    signs : dict of Expr to int
        The sides of the borders of Piecewise expressions, after `on_side`.
    """

    symbols: dict[sp.Symbol, sp.Expr] = field(default_factory=dict)
    functions: dict[str, PointFunction] = field(default_factory=dict)
    applied: dict[AppliedUndef, PointFunction] = field(default_factory=dict)
    derivatives: dict[sp.Derivative, PointFunction] = field(default_factory=dict)
    inner: set[sp.Symbol] = field(default_factory=set)
    regional: dict[sp.Symbol, ByRegion] = field(default_factory=dict)
    stand_ins: dict[AppliedUndef, PointFunction] = field(default_factory=dict)
    formulas: dict[str, sp.Expr] = field(default_factory=dict)
    signs: Signs = field(default_factory=dict)

    def substitute(self, expression: Any) -> Any:
        """Replace symbols by their given values, in an expression or a relation."""
        known = expression.xreplace(self.symbols)
        if self.formulas:
            names = {function: function.func.__name__ for function in known.atoms(AppliedUndef)}
            known = known.xreplace({f: self.formulas[name] for f, name in names.items() if name in self.formulas})
        return resolve_pieces(known, self.signs) if self.signs else known

    def placed(self, domain: Domain, coordinates: tuple[sp.Symbol, ...]) -> Substitutions:
        """The same with values by region as functions of the points of a domain."""

        def put(key: Any, value: Any) -> Any:
            if not isinstance(value, ByRegion):
                return value
            return value.substituted(self.substitute).placed(domain, coordinates, f"given[{key}]")

        names = {symbol: sp.Function(symbol.name)(*coordinates) for symbol in self.regional}
        placed = {symbol: put(symbol, data) for symbol, data in self.regional.items()}
        for symbol, data in placed.items():
            _check_numbers(symbol, data)
        symbols = {key: value.xreplace(names) for key, value in self.symbols.items()} | names
        stand_ins = {names[symbol]: data for symbol, data in placed.items()}
        return replace(self, symbols=symbols, stand_ins=stand_ins)._with_callables(put)

    def _with_callables(self, change: Callable[[Any, Any], Any]) -> Substitutions:
        """The same with `change`, of a key and a callable, applied to all callables."""
        kinds = ("functions", "applied", "derivatives", "stand_ins")
        changed: dict[str, Any] = {n: {k: change(k, v) for k, v in getattr(self, n).items()} for n in kinds}
        return replace(self, **changed)

    @property
    def materials(self) -> frozenset[str]:
        """Names of the functions that are given by region, without those that replace symbols."""
        applied = {key.func.__name__: value for key, value in self.applied.items()}
        return frozenset(name for name, value in (self.functions | applied).items() if isinstance(value, Placed))

    def on_side(self, region: str | None = None, signs: Signs | None = None) -> Substitutions:
        """The same in one region and on one side of borders: smooth functions, which go on beyond them."""
        on_side = replace(self, signs=self.signs | (signs or {}))
        if region is None:
            return on_side
        functions = self.functions | {key.func.__name__: call for key, call in (self.applied | self.stand_ins).items()}
        by_name = {
            name: sp.sympify(call.values[region])
            for name, call in functions.items()
            if isinstance(call, Placed) and not is_plain_callable(call.values[region])
        }
        in_region = on_side._with_callables(lambda key, value: _in_region(value, region))
        return replace(in_region, formulas=self.formulas | by_name)

    def without_derivatives(self, expression: sp.Expr) -> sp.Expr:
        """Hide the given derivatives: the functions under them need not be given."""
        return expression.xreplace({key: sp.Dummy() for key in self.derivatives})

    def is_known(self, function: AppliedUndef) -> bool:
        """Whether `function` is given, and so not an unknown."""
        name = function.func.__name__
        return name in self.functions or any(key.func.__name__ == name for key in (*self.applied, *self.stand_ins))

    def callables(self, expression: sp.Expr, coordinates: tuple[sp.Symbol, ...]) -> dict[sp.Expr, PointFunction]:
        """The callable for each known function and derivative in `expression`."""
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
        """Refuse values for coordinates, and values of symbols that depend on coordinates."""
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
        """Refuse unused names, and one callable for a function of different arguments."""
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


def read_givens(given: Mapping[Any, Any] | None) -> Substitutions:
    """Check ``given=`` and sort it into numbers, functions and derivatives of functions."""
    if given is not None and not isinstance(given, Mapping):
        raise ProblemError(f"given must be a mapping such as {{k: 3.0, f: callable}}; got {given!r}")
    givens = Substitutions()
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
    """The given symbols, each after those that its value contains."""
    graph = {key: value.free_symbols & symbols.keys() for key, value in symbols.items()}
    try:
        return tuple(TopologicalSorter(graph).static_order())
    except CycleError as error:
        key = error.args[1][0]
        raise ProblemError(f"given[{key}] is defined by itself; give {key} a number") from None


def _resolve(givens: Substitutions) -> None:
    """Substitute given values in each other."""
    symbols = givens.symbols
    givens.inner.update(*(value.free_symbols for value in symbols.values()))
    for key in order_of_derivation(symbols):
        value = symbols[key]
        symbols[key] = value.xreplace({inner: symbols[inner] for inner in value.free_symbols & symbols.keys()})
    for key, value in symbols.items():
        if value.is_finite is False or value is sp.nan:
            raise ProblemError(f"given[{key}] must be finite; got {value}")


def _number(key: sp.Symbol, value: Any) -> sp.Expr:
    if is_plain_callable(value):
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


def _in_region(value: PointFunction, region: str) -> PointFunction:
    """A given function in one region."""
    if not isinstance(value, Placed):
        return value
    own = value.values[region]
    function: PointFunction = own if is_plain_callable(own) else value.field(region)
    return function


def is_plain_callable(value: Any) -> bool:
    """Whether a value is a function of points, and no expression."""
    return callable(value) and not isinstance(value, sp.Basic)


def _check_numbers(symbol: sp.Symbol, data: Placed) -> None:
    for name, value in data.values.items():
        if is_plain_callable(value) or sp.sympify(value).free_symbols:
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


# ---- Numbers that users write


def as_written(value: Any, what: str) -> sp.Expr:
    """A number or an expression as an expression; anything else, texts included, is refused."""
    if isinstance(value, sp.Expr):
        return value
    if isinstance(value, int | float | complex | np.number) and not isinstance(value, bool):
        return sp.sympify(value)
    raise ProblemError(f"{what} must be a number, or a SymPy expression; got {value!r}")


def number_in(value: Any, givens: Substitutions, what: str) -> complex:
    """The finite number that `value` is once given symbols are replaced; a float if it is real."""
    known = givens.substitute(as_written(value, what))
    if known.free_symbols or not known.is_number:
        raise ProblemError(f"{what} must be a number, or an expression of given symbols; got {value}")
    number = complex(known)
    if not cmath.isfinite(number):
        raise ProblemError(f"{what} must be finite; got {value}")
    return number if number.imag else number.real
