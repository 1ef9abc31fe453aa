"""Unknowns, and the setting in which equations and conditions are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, final

import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef, UndefinedFunction

from fspielm.arrays import FloatArray
from fspielm.errors import ProblemError
from fspielm.expr.functions import NONLOCAL, Field, Value, check_value, describe, evaluate_derivatives, make_field
from fspielm.geometry.boundary import BoundaryPart
from fspielm.geometry.domain import Domain
from fspielm.geometry.time import Time
from fspielm.problem.normal import OF_NORMALS, NormalDerivative, normal_symbols, write_out
from fspielm.problem.operator import Operator
from fspielm.problem.substitutions import ByRegion, Substitutions, is_plain_callable

if TYPE_CHECKING:
    from fspielm.problem.places import Region
    from fspielm.problem.statement import AnyCondition, Statement


def refuse_nonlocal_terms(expression: sp.Expr, unknowns: Sequence[UndefinedFunction], what: str) -> None:
    """Refuse integrals, sums and other terms that take an unknown at places other than the point itself."""
    for term in sorted(expression.atoms(*NONLOCAL), key=str):
        inside = sorted((f for f in term.atoms(AppliedUndef) if f.func in unknowns), key=str)
        if inside:
            raise ProblemError(
                f"{what} contains the term {describe(term)}, which takes {inside[0]} at other places than the point "
                f"itself; only differential equations can be solved{_integral_remedy(term)}"
            )


def _integral_remedy(term: sp.Basic) -> str:
    """How to state an integral up to a coordinate as a further equation, if it is one."""
    if not isinstance(term, sp.Integral) or len(term.limits) != 1 or len(term.limits[0]) != 3:
        return ""
    dummy, start, end = term.limits[0]
    if not isinstance(end, sp.Symbol) or start.free_symbols or (end != dummy and term.function.has(end)):
        return ""
    whole = term.function.xreplace({dummy: end})
    return (
        f": make the integral an unknown U of its own, with sp.Eq(U.diff({end}), {describe(whole)}) as a further "
        f"equation and the value 0 at {end} = {start}"
    )


# ---- Unknowns


_REAL = np.dtype(np.float64)


@dataclass(frozen=True, eq=False)
class Unknown:
    """A function to be found.

    Attributes
    ----------
    symbol : AppliedUndef
        As it is written: ``u(x, y)``.
    domain : Domain
        Where it is solved for.
    dtype : dtype
        Of its values.
    """

    symbol: AppliedUndef
    domain: Domain
    dtype: np.dtype[Any] = _REAL

    @property
    def coordinates(self) -> tuple[sp.Symbol, ...]:
        """Its arguments, in the order of the columns of a points array."""
        coordinates: tuple[sp.Symbol, ...] = self.symbol.args
        return coordinates


def single_unknown(unknowns: Sequence[Unknown], what: str, remedy: str) -> Unknown:
    """The only unknown; with several, `what` is refused and `remedy` named."""
    if len(unknowns) > 1:
        names = ", ".join(str(unknown.symbol) for unknown in unknowns)
        raise ProblemError(f"{what} is for one unknown, but there are {len(unknowns)}, {names}; {remedy}")
    return unknowns[0]


def read_unknowns(written: Sequence[sp.Expr], givens: Substitutions, statement: Statement) -> tuple[Unknown, ...]:
    """The unknowns in the residuals `written` of the equations.

    They have the order in which they are declared. Otherwise those in dictionaries of conditions come first, then the
    others by their first equation and by name.
    """
    domain, found = statement.domain, dict[AppliedUndef, None]()
    for expression in written:
        _refuse_nonlocal_unknowns(expression, givens)
        found |= dict.fromkeys(_functions(expression, givens))
    declared = statement.unknowns
    symbols = (
        _sort_by_conditions(found, statement.conditions) if declared is None else _sort_as_declared(declared, found)
    )
    if not symbols:
        known = sorted({str(f) for expression in written for f in expression.atoms(AppliedUndef)})
        given = f" (its {', '.join(known)} is given)" if known else ""
        which = "the equation contains" if len(written) == 1 else "the equations contain"
        raise ProblemError(f'{which} no unknown function{given}; write it as u = sp.Function("u")(x, y)')
    _check_symbols(symbols, len(written))
    for symbol in symbols:
        givens.check_coordinates(symbol)
        _check_coordinates(symbol, domain)
    return tuple(Unknown(symbol, domain) for symbol in symbols)


def _refuse_nonlocal_unknowns(expression: sp.Expr, givens: Substitutions) -> None:
    """Refuse nonlocal terms before arguments are compared: those of an integrand differ."""
    if not expression.has(*NONLOCAL):
        return
    evaluated = evaluate_derivatives(givens.substitute(expression))
    refuse_nonlocal_terms(evaluated, [f.func for f in _functions(evaluated, givens)], "the equation")


def _functions(expression: sp.Expr, givens: Substitutions) -> list[AppliedUndef]:
    """The undefined functions in `expression` that are not given, sorted by name."""
    functions = givens.without_derivatives(expression).atoms(AppliedUndef)
    return sorted((f for f in functions if not givens.is_known(f)), key=str)


def _sort_by_conditions(found: Iterable[AppliedUndef], conditions: Iterable[AnyCondition]) -> tuple[AppliedUndef, ...]:
    """The unknowns in the order of the dictionaries of conditions, then the others."""
    values = (getattr(condition, "value", getattr(condition, "values", None)) for condition in conditions)
    keys = [key for value in values if isinstance(value, Mapping) for key in value]
    named = [symbol for key in keys for symbol in found if key == symbol or key == symbol.func.__name__]
    return tuple(dict.fromkeys((*named, *found)))


def _sort_as_declared(declared: Sequence[Any], found: Iterable[AppliedUndef]) -> tuple[AppliedUndef, ...]:
    if isinstance(declared, sp.Basic | str) or not isinstance(declared, Sequence):
        raise ProblemError(f"unknowns must be a list such as [u, v]; got {declared!r}")
    for symbol in declared:
        if not isinstance(symbol, AppliedUndef):
            number = f"; fs.eigenmodes(problem, {symbol}) finds eigenvalues" if isinstance(symbol, sp.Symbol) else ""
            raise ProblemError(
                'unknowns must be functions of the coordinates, such as u = sp.Function("u")(x, y); got '
                f"{symbol!r}{number}"
            )
    missing = [str(symbol) for symbol in found if symbol not in declared]
    if missing:
        raise ProblemError(
            f"unknowns={list(declared)} leaves out {', '.join(missing)}, which the equations contain; add it, or "
            "supply it, as in given={f: callable}"
        )
    idle = [str(symbol) for symbol in declared if symbol not in found]
    if idle:
        raise ProblemError(f"unknowns names {', '.join(idle)}, which no equation contains; remove it, or write one")
    if len(set(declared)) < len(declared):
        raise ProblemError(f"unknowns={list(declared)} names one of them twice")
    return tuple(declared)


def _check_symbols(symbols: Sequence[AppliedUndef], equations: int) -> None:
    """Refuse unknowns that are not functions of the same distinct symbols, and more of them than equations."""
    for symbol in symbols:
        same = sorted((s for s in symbols if s.func.__name__ == symbol.func.__name__), key=str)
        shown = ", ".join(map(str, same))
        if len(set(map(str, same))) < len(same):
            raise ProblemError(
                f"the unknown {symbol} is written with SymPy objects of one name but different assumptions "
                "(real=True), which are different objects; define it once"
            )
        if len(same) > 1:
            raise ProblemError(
                f"the unknown appears with different arguments ({shown}); write it with the same coordinates "
                "everywhere: values at other places are conditions"
            )
        if not all(isinstance(a, sp.Symbol) for a in symbol.args) or len(set(symbol.args)) < len(symbol.args):
            raise ProblemError(f"the unknown must be a function of distinct symbols, as in u(x, y); got {symbol}")
    if equations < len(symbols):
        raise ProblemError(
            f"there {'is' if equations == 1 else 'are'} {equations} equation{'s' * (equations > 1)} for {len(symbols)} "
            f"unknown functions ({', '.join(map(str, symbols))}); write as many equations, as in fs.Problem([equation, "
            "...], ...), or supply the known ones, as in given={f: callable}: callables, numbers or fs.ByRegion"
        )
    first = symbols[0]
    for symbol in symbols[1:]:
        if symbol.args != first.args:
            raise ProblemError(
                f"the unknowns {first} and {symbol} have different arguments; write all of them with the same "
                "coordinates, in the same order, or supply the known ones, as in given={f: callable}"
            )


def _check_coordinates(unknown: AppliedUndef, domain: Domain) -> None:
    names = [str(symbol) for symbol in unknown.args]
    if len(names) != domain.dimension:
        included = ", time included" if domain.time is not None else ""
        remedy = (
            f"; if {names[-1]} is time, write domain * fs.Time(start, end)"
            if domain.time is None and len(names) == domain.dimension + 1
            else f"; if {names[-1]} is time, multiply a domain of space by it, as in fs.Interval(0, 1) * {domain!r}"
            if isinstance(domain, Time) and len(names) > 1
            else "; give the unknown one argument for each coordinate of the domain"
        )
        raise ProblemError(
            f"the unknown {unknown} has {len(names)} coordinate{'s' * (len(names) > 1)}, but "
            f"domain={domain!r} has {domain.dimension}{included}{remedy}"
        )
    if domain.time is not None and "t" in names[:-1] and names[-1] != "t":
        raise ProblemError(
            f"with domain={domain!r} the last coordinate of the unknown is time; got {unknown}: move t to the end"
        )


# ---- Rules and settings


@dataclass(frozen=True, eq=False)
class Rule:
    """``operator(unknowns) = value``, from an equation or a condition; labels tell rules apart: ``"order 1"``."""

    operator: Operator
    value: Field
    label: str = ""


@dataclass(frozen=True, eq=False)
class Setting:
    """The unknowns, the given values, and the domain with the parts of its boundary.

    Attributes
    ----------
    unknowns : tuple of Unknown
    givens : Substitutions
    domain : Domain
    parts : tuple of BoundaryPart
    covered : tuple of Region
        The parts, or pieces of them, that other conditions name; ``on="rest"`` means all others.
    levels : set of Expr
        The level functions of the borders of Piecewise expressions that are interfaces.
    """

    unknowns: tuple[Unknown, ...]
    givens: Substitutions
    domain: Domain
    parts: tuple[BoundaryPart, ...] = ()
    covered: tuple[Region, ...] = ()
    levels: frozenset[sp.Expr] = frozenset()

    @property
    def unknown(self) -> AppliedUndef:
        """The unknown, where there is one."""
        return single_unknown(self.unknowns, "this", "say which one is meant").symbol

    @property
    def symbols(self) -> tuple[AppliedUndef, ...]:
        """The unknowns, as they are written."""
        return tuple(unknown.symbol for unknown in self.unknowns)

    @property
    def coordinates(self) -> tuple[sp.Symbol, ...]:
        """The arguments of the unknowns."""
        return self.unknowns[0].coordinates

    @property
    def dimension(self) -> int:
        """Number of coordinates, time included."""
        return self.domain.dimension

    @property
    def space(self) -> range:
        """The axes that are not time."""
        return range(self.dimension - (self.domain.time is not None))

    @property
    def size(self) -> float:
        """The diagonal of the box around the domain."""
        lower, upper = self.domain.bounding_box
        return float(np.linalg.norm(upper - lower))

    def field(self, value: Value | ByRegion, what: str, *, normals: bool = False) -> Field:
        """A known value as a field, with given values substituted; `normals` allows the outward normal in it."""
        symbols = normal_symbols(self.coordinates) if normals else ()
        if isinstance(value, ByRegion):
            value = value.substituted(self.givens.substitute).placed(self.domain, self.coordinates, what)
        if not isinstance(value, sp.Expr):
            return make_field(value, self.coordinates, what=what, normals=symbols)
        for unknown in self.unknowns:
            if value.has(unknown.symbol.func):
                raise ProblemError(
                    f"{what} is {describe(value)}, which contains the unknown {unknown.symbol}; a condition prescribes "
                    "a known value: write an equation with the unknown as an fs.Condition"
                )
        if not normals and value.has(*OF_NORMALS):
            which = "normal_derivative" if value.has(NormalDerivative) else "normal"
            raise ProblemError(
                f"{what} is {describe(value)}, but a {which} has a meaning on a boundary alone; write "
                "derivatives along the coordinates"
            )
        known = self.givens.substitute(value)
        written = write_out(known, self.coordinates, self.space) if normals else known
        functions = self.givens.callables(written, self.coordinates)
        field = make_field(written, self.coordinates, functions, what=what, normals=symbols)
        return replace(field, source=known)  # for messages: as it was written


def format_point(coordinates: Sequence[sp.Symbol], point: FloatArray, digits: int = 6) -> str:
    """A point in messages: ``x=0.5, y=1``."""
    return ", ".join(f"{symbol}={value:.{digits}g}" for symbol, value in zip(coordinates, point, strict=True))


# ---- Values by unknown


@final
class PerUnknown(Mapping[Any, Any]):
    """An immutable mapping from unknowns to values: ``{u: 1, v: 0}`` as a condition keeps it."""

    def __init__(self, items: Mapping[Any, Any]) -> None:
        self._items = tuple(items.items())

    def __getitem__(self, key: Any) -> Any:
        for known, value in self._items:
            if known == key:
                return value
        raise KeyError(key)

    def __iter__(self) -> Iterator[Any]:
        return iter(key for key, _ in self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(tuple(str(key) for key in self))

    def __repr__(self) -> str:
        return repr(dict(self._items))


def check_datum(value: Any, what: str) -> None:
    """Refuse anything but a number, an expression, a callable or `ByRegion`."""
    if not isinstance(value, ByRegion):
        check_value(value, what)


def freeze(value: Any, what: str, check: Callable[[Any, str], Any] = check_datum) -> Any:
    """A value, or values by unknown, checked; `check` may return a replacement."""
    if not isinstance(value, Mapping):
        checked = check(value, what)
        return value if checked is None else checked
    if not value:
        raise ProblemError(f"{what} is an empty dictionary; name an unknown, as in {{u: 0}}")
    frozen = {}
    for key, entry in value.items():
        if not isinstance(key, AppliedUndef | str):
            is_bare = isinstance(key, UndefinedFunction | sp.Symbol)
            bare = f"; write {key}(x, y), with its coordinates" if is_bare else ""
            raise ProblemError(f"{what} must name unknowns, as in {{u: 0, v: 1}}; got the key {key!r}{bare}")
        checked = check(entry, f"{what}[{key}]")
        frozen[key] = entry if checked is None else checked
    return PerUnknown(frozen)


def written(value: Any) -> tuple[Any, ...]:
    """A value, or the values by unknown, as they were written."""
    return tuple(value.values()) if isinstance(value, Mapping) else (value,)


def by_unknown(value: Any, who: str, setting: Setting) -> list[tuple[int, str, Any]]:
    """For each unknown that a value is for: its index, its name if there are several, and its own value."""
    symbols = setting.symbols
    if not isinstance(value, Mapping):
        if len(symbols) > 1:
            names = ", ".join(map(str, symbols))
            shown = "f" if is_plain_callable(value) else describe(value)
            raise ProblemError(
                f"{who}: there are {len(symbols)} unknowns, {names}; say which one is meant with a dictionary, as in "
                f"{{{symbols[0].func.__name__}: {shown}}}"
            )
        return [(0, "", value)]
    found: list[tuple[int, str, Any]] = []
    for key, entry in value.items():
        place = _place(key, who, setting)
        if any(place == other for other, _, _ in found):
            raise ProblemError(f"{who}: the dictionary names {symbols[place]} twice; keep one")
        found.append((place, symbols[place].func.__name__ if len(symbols) > 1 else "", entry))
    return found


def _place(key: Any, who: str, setting: Setting) -> int:
    symbols = setting.symbols
    for place, symbol in enumerate(symbols):
        if key in (symbol, symbol.func.__name__):
            return place
    alike = [str(symbol) for symbol in symbols if str(symbol) == str(key)]
    hint = (
        "; SymPy objects of one name but different assumptions (real=True) are different: use one"
        if alike
        else f"; the unknowns are {', '.join(map(str, symbols))}"
    )
    raise ProblemError(f"{who}: the dictionary names {key}, which is no unknown of the equations{hint}")
