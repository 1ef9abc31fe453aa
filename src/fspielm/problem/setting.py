"""What relations are read against, and the values of conditions by unknown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, final

import sympy as sp
from sympy import Basic, Symbol
from sympy.core.function import AppliedUndef, UndefinedFunction

from fspielm.errors import ProblemError
from fspielm.expr.field import Field, Value, check_value, make_field
from fspielm.expr.values import describe
from fspielm.geometry.boundary import BoundaryPart
from fspielm.geometry.domain import Domain
from fspielm.problem.normal import OF_NORMALS, NormalDerivative, normal_symbols, write_out
from fspielm.problem.operator import Operator
from fspielm.problem.substitutions import ByRegion, Givens
from fspielm.problem.unknowns import Unknown, only

if TYPE_CHECKING:
    from fspielm.problem.places import Region


# ---- What relations are read against, and what is read: operators with values


@dataclass(frozen=True, eq=False)
class Rule:
    """``operator(unknowns) = value``: what an equation says, or a condition, wherever it holds.

    Attributes
    ----------
    operator : Operator
    value : Field
    label : str
        What tells several rules of one condition apart: ``"order 1"``.
    """

    operator: Operator
    value: Field
    label: str = ""


@dataclass(frozen=True, eq=False)
class Setting:
    """The unknowns, what is given, and the domain with the parts of its boundary.

    Attributes
    ----------
    unknowns : tuple of Unknown
    givens : Givens
    domain : Domain
    parts : tuple of BoundaryPart
    covered : tuple of Region
        The parts, or pieces of them, that have a condition which says where it holds: the others are the rest.
    levels : set of Expr
        What is zero on the borders of Piecewise expressions that are interfaces.
    """

    unknowns: tuple[Unknown, ...]
    givens: Givens
    domain: Domain
    parts: tuple[BoundaryPart, ...] = ()
    covered: tuple[Region, ...] = ()
    levels: frozenset[sp.Expr] = frozenset()

    @property
    def unknown(self) -> AppliedUndef:
        """The unknown, where there is one."""
        return only(self.unknowns, "this", "say which one is meant").symbol

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

    def field(self, value: Value | ByRegion, what: str, *, normals: bool = False) -> Field:
        """A datum as a field, with what is given put in and the unknowns refused.

        It may depend on the normal where there are `normals`: on a boundary.
        """
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


# ---- Values by unknown: what conditions on several of them are written with


@final
class PerUnknown(Mapping[Any, Any]):
    """A mapping from unknowns to values that does not change: ``{u: 1, v: 0}`` as a condition keeps it."""

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
    """Refuse what is no number, expression or callable, nor one for each region."""
    if not isinstance(value, ByRegion):
        check_value(value, what)


def freeze(value: Any, what: str, check: Callable[[Any, str], Any] = check_datum) -> Any:
    """A value, or values by unknown, checked; `check` may return another in the place of one."""
    if not isinstance(value, Mapping):
        checked = check(value, what)
        return value if checked is None else checked
    if not value:
        raise ProblemError(f"{what} is an empty dictionary; name an unknown, as in {{u: 0}}")
    frozen = {}
    for key, entry in value.items():
        if not isinstance(key, AppliedUndef | str):
            is_bare = isinstance(key, UndefinedFunction | Symbol)
            bare = f"; write {key}(x, y), with its coordinates" if is_bare else ""
            raise ProblemError(f"{what} must name unknowns, as in {{u: 0, v: 1}}; got the key {key!r}{bare}")
        checked = check(entry, f"{what}[{key}]")
        frozen[key] = entry if checked is None else checked
    return PerUnknown(frozen)


def written(value: Any) -> tuple[Any, ...]:
    """A value, or the values by unknown, as they were written."""
    return tuple(value.values()) if isinstance(value, Mapping) else (value,)


def by_unknown(value: Any, who: str, setting: Setting) -> list[tuple[int, str, Any]]:
    """Each unknown that a value is for: its place, a label where there are several, and its own value."""
    symbols = setting.symbols
    if not isinstance(value, Mapping):
        if len(symbols) > 1:
            names = ", ".join(map(str, symbols))
            shown = "f" if callable(value) and not isinstance(value, Basic) else describe(value)
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
        if key == symbol or key == symbol.func.__name__:
            return place
    alike = [str(symbol) for symbol in symbols if str(symbol) == str(key)]
    hint = (
        "; SymPy objects of one name but different assumptions (real=True) are different: use one"
        if alike
        else f"; the unknowns are {', '.join(map(str, symbols))}"
    )
    raise ProblemError(f"{who}: the dictionary names {key}, which is no unknown of the equations{hint}")
