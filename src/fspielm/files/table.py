"""A table of a problem file: its keys checked, its values read, and every mistake with its place."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, TypeVar

import sympy as sp

from fspielm.errors import ProblemError, TextError
from fspielm.files.document import Document, KeyPath
from fspielm.files.names import Names

T = TypeVar("T")

_WHOLE_BITS = 128  # of a seed that NumPy draws


@dataclass(frozen=True)
class Table:
    """Keys and values, with the document they stand in and the path to them."""

    content: Mapping[str, Any]
    document: Document
    path: KeyPath = ()

    def __contains__(self, key: str) -> bool:
        return key in self.content

    def __getitem__(self, key: str) -> Any:
        return self.content[key]

    @property
    def label(self) -> str:
        """How messages name the table; the file itself needs no name."""
        if not self.path:
            return ""
        words = [f"number {part + 1}" if isinstance(part, int) else part for part in self.path]
        if len(words) == 2 and isinstance(self.path[1], int):
            return f"[[{words[0]}]] {words[1]}: "
        return f"[{' '.join(words)}]: "

    def error(self, reason: str, key: str = "") -> ProblemError:
        """An error about the table, or about one of its keys."""
        return self.document.error(f"{self.label}{reason}", (*self.path, key) if key else self.path)

    def check_keys(
        self, required: Collection[str], optional: Collection[str] = (), elsewhere: Mapping[str, str] | None = None
    ) -> None:
        """Refuse unknown keys, each with its place `elsewhere` or the nearest known one, and then missing ones."""
        known = [*required, *optional]
        for key in self.content:
            if key not in known and elsewhere and key in elsewhere:
                raise self.error(f"no key {key!r} here; it belongs under [{elsewhere[key]}]", key)
            if key not in known:
                near = get_close_matches(key, [k for k in known if k not in self.content] or known, 1, 0.5)
                remedy = f"did you mean {near[0]!r}?" if near else f"its keys are {', '.join(known)}"
                raise self.error(f"no key {key!r} here; {remedy}", key)
        for key in required:
            if key not in self.content:
                raise self.error(f"the key {key!r} is missing")

    def table(self, key: str) -> Table:
        """The table under `key`; empty if there is none."""
        value = self.content.get(key, {})
        if not isinstance(value, dict):
            raise self.error(f"{key} must be a table, as in [{key}]; got {shown(value)}", key)
        return Table(value, self.document, (*self.path, key))

    def tables(self, key: str) -> list[Table]:
        """The tables of the list under `key`; none if there is no list."""
        value = self.content.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise self.error(f"{key} must be a list of tables, {self._listed(key)}; got {shown(value)}", key)
        return [Table(item, self.document, (*self.path, key, index)) for index, item in enumerate(value)]

    def _listed(self, key: str) -> str:
        """How a list of tables is written here; within another list only in brackets, where headers get confusing."""
        brackets = f"{key} = [{{ ... }}]"
        headers = [str(part) for part in (*self.path, key)]
        if any(isinstance(part, int) for part in self.path):
            return f"as in {brackets}"
        return f"each under [[{'.'.join(headers)}]]" + f", or {brackets}" * bool(self.path)

    def texts(self, key: str) -> list[str]:
        """The texts of the list under `key`, or the only one."""
        value = self.content[key]
        texts = value if isinstance(value, list) else [value]
        if not texts or not all(isinstance(text, str) for text in texts):
            raise self.error(f"{key} must be text in quotes, or a list of such texts; got {shown(value)}", key)
        return texts

    def text(self, key: str, default: str = "") -> str:
        """The text under `key`."""
        value = self.content.get(key, default)
        if not isinstance(value, str):
            raise self.error(f"{key} must be text in quotes; got {shown(value)}", key)
        return value

    def whole(self, key: str) -> int | None:
        """The whole number under `key`, if there is one."""
        value = self.content.get(key)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
            raise self.error(f"{key} must be a whole number; got {shown(value)}", key)
        if value is not None and value.bit_length() > _WHOLE_BITS:
            raise self.error(f"{key} must be a whole number below 2**{_WHOLE_BITS}", key)
        return value

    def number(self, key: str, names: Names) -> float | None:
        """The number under `key`, if there is one: as a number, or as an expression in quotes."""
        return self.as_number(self.content[key], key, names) if key in self.content else None

    def as_number(self, value: Any, key: str, names: Names) -> float:
        """`value`, which stands under `key`, as a number."""
        return float(self.parse(names.constant, self.written(value, key), key))

    def as_complex(self, value: Any, key: str, names: Names) -> complex:
        """`value`, which stands under `key`, as a number, real where the imaginary unit is not in it."""
        number = self.parse(names.number, self.written(value, key), key)
        return complex(number) if number.has(sp.I) else float(number)

    def as_numbers(self, value: Any, key: str, names: Names, *, real: bool = True) -> Any:
        """`value`, which stands under `key`, as a number, or as a list of lists of them; whole ones stay so."""
        if isinstance(value, list):
            return tuple(self.as_numbers(item, key, names, real=real) for item in value)
        number = self.as_number(value, key, names) if real else self.as_complex(value, key, names)
        return value if isinstance(value, int) else number

    def written(self, value: Any, key: str) -> str:
        """The text of an expression: in quotes, or a TOML number."""
        if isinstance(value, str):
            return value
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.error(f"{key} must be a number, or an expression in quotes; got {shown(value)}", key)
        if isinstance(value, int) and value.bit_length() > 1024:
            raise self.error(f"{key} is larger than double precision holds", key)
        if not math.isfinite(value):
            raise self.error(f"{key} must be finite; got {value}", key)
        return repr(value)

    def parse(self, read: Callable[[str], T], text: str, key: str) -> T:
        """What `read` makes of an expression under `key`; its mistakes get their place in the file."""
        try:
            return read(text)
        except TextError as error:
            where = "" if self.document.name or text in self.document.text else f" in {text!r}"
            reason = f"{self.label}{key}: {error.reason}{where}"
            raise self.document.error(reason, (*self.path, key), text, error.position) from None

    def make(self, build: Callable[[], T], key: str = "") -> T:
        """What `build` makes; its errors get the table's place in the file."""
        try:
            return build()
        except TextError:
            raise
        except ProblemError as error:
            raise self.error(str(error), key) from None


def shown(value: Any) -> str:
    """A value as messages show it: as Python writes it, and not all of it where it is long."""
    try:
        text = repr(value)
    except ValueError:  # TOML takes hexadecimal numbers of any length, Python prints 4300 digits
        return "a number of too many digits"
    return text if len(text) <= 60 else f"{text[:57]}..."
