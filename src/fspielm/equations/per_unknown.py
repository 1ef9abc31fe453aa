"""Values by unknown: what conditions on several of them are written with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, final

from sympy import Basic, Symbol
from sympy.core.function import AppliedUndef, UndefinedFunction

from fspielm.equations.by_region import ByRegion
from fspielm.errors import ProblemError
from fspielm.expressions import check_value, describe

if TYPE_CHECKING:
    from fspielm.equations.setting import Setting


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
