"""The text of a problem file: TOML read with places, and written."""

from __future__ import annotations

import math
import os
import re
import tomllib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import sympy as sp

from fspielm.disk import open_file
from fspielm.errors import LONGEST_LINE, ProblemError, TextError
from fspielm.files.names import Names

# ---- Writing the few kinds of TOML values that a problem file has


_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
# Lines that a literal string can hold: no quotes that would end it, and no control characters except tabs.
_LITERAL = re.compile(r"[^'\x00-\x08\x0a-\x1f\x7f]*\n[^'\x00-\x08\x0b-\x1f\x7f]*")
# Characters that a basic string must escape; other control characters are written by number.
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def write_toml(content: Mapping[str, Any]) -> str:
    """The text of keys and values: plain values first, then tables, then lists of tables."""
    plain = {key: value for key, value in content.items() if not isinstance(value, Mapping) and not _is_tables(value)}
    blocks = [_lines(plain)] if plain else []
    for key, value in content.items():
        if isinstance(value, Mapping):
            blocks.append(f"[{key}]\n{_lines(value)}")
        elif _is_tables(value):
            blocks += [f"[[{key}]]\n{_lines(item)}" for item in value]
    return "\n".join(blocks)


def write_value(value: Any) -> str:
    """One value: text, a number, a truth value, a list, or a table on one line."""
    if isinstance(value, str):
        return f'"{"".join(_escape(character) for character in value)}"'
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, int | np.integer):
        return str(int(value))
    if isinstance(value, float | np.floating):
        return repr(float(value))
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(key)} = {write_value(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list | tuple):
        return f"[{', '.join(write_value(item) for item in value)}]"
    raise TypeError(f"TOML has no {type(value).__name__}")


def _lines(content: Mapping[str, Any]) -> str:
    return "".join(f"{_key(key)} = {_line_value(value)}\n" for key, value in content.items())


def _line_value(value: Any) -> str:
    """A value on lines of its own, which leaves text of several lines as it is."""
    if isinstance(value, str) and _LITERAL.fullmatch(value):
        return f"'''\n{value}'''"
    line = write_value(value)
    if len(line) > LONGEST_LINE and isinstance(value, list) and all(isinstance(item, str) for item in value):
        return "[\n" + "".join(f"    {write_value(item)},\n" for item in value) + "]"
    return line


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else write_value(key)


def _is_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, Mapping) for item in value)


def _escape(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    control = ord(character) < 32 or ord(character) == 127
    return f"\\u{ord(character):04x}" if control else character


# ---- The text of a problem file, its TOML, and the places of keys in it


LARGEST = 1_000_000  # bytes
_MOST_PARTS = 16  # of a dotted key: the time to read it grows with their square

# without backtracking (++, *+), so that the time grows linearly with the text
_LONG_KEY = re.compile(rf"""(?<!["'\w-])(?:["'\w-]++[ \t]*+\.[ \t]*+){{{_MOST_PARTS}}}""")
# The place of an error in messages of tomllib.
_ERROR_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
# A header, or a key and its equals sign, at the start of a line.
_LINE = re.compile(r"^[ \t]*(?:(\[\[?)[ \t]*([\w.-]+)[ \t]*\]|([\w.-]+)[ \t]*=)", re.MULTILINE)

KeyPath = tuple[str | int, ...]


@dataclass(frozen=True)
class Document:
    """A text and the name that messages give it."""

    text: str
    # the file's name; empty for a text without a file
    name: str = ""
    # where the files that it names are
    folder: Path = Path()

    def resolve(self, name: str) -> Path | None:
        """The path of another file that the text names; None outside of the folder, which a file must not touch."""
        path = Path(name)
        if not path.name or "\0" in name or path.is_absolute() or ".." in path.parts:
            return None
        whole = self.folder / path
        # a link in the folder may lead anywhere
        return whole if whole.resolve().is_relative_to(self.folder.resolve()) else None

    def content(self) -> dict[str, Any]:
        """The TOML of the text as dictionaries and lists."""
        long = _LONG_KEY.search(self.text)
        if long is not None:
            raise TextError(f"a key has at most {_MOST_PARTS} parts", self.text, long.start(), self.name)
        try:
            return tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            raise self._syntax_error(str(error)) from None
        except RecursionError:
            raise self.error("arrays or tables nested too deep") from None
        except ValueError as error:  # a whole number of thousands of digits, a date that does not exist
            raise self.error(f"not valid TOML: {error}") from None

    def error(self, reason: str, path: KeyPath = (), value: str = "", position: int = 0) -> ProblemError:
        """An error about the key at `path`, or about a `position` in its `value`, with its place if that is found."""
        span = self._find(path)
        if span is None:
            return ProblemError(f"{self.name}: {reason}" if self.name else reason)
        start = self.text.find(value, *span) if value else -1
        return TextError(reason, self.text, span[0] if start < 0 else start + position, self.name)

    def _syntax_error(self, message: str) -> TextError:
        place = _ERROR_PLACE.search(message)
        reason = f"not valid TOML: {_ERROR_PLACE.sub('', message)}"
        if place is None or place.group(1) is None:
            return TextError(reason, self.text, len(self.text.rstrip()), self.name)
        lines = self.text.split("\n")[: int(place.group(1)) - 1]
        position = sum(len(line) + 1 for line in lines) + int(place.group(2)) - 1
        return TextError(reason, self.text, min(position, len(self.text)), self.name)

    def _find(self, path: KeyPath) -> tuple[int, int] | None:
        """Start and end of the lines of a key, or of the nearest table around it."""
        for length in range(len(path), 0, -1):
            # of a list of tables take the first
            found = next((key for key in (path[:length], (*path[:length], 0)) if key in self._places), None)
            if found is not None:
                start, end = self._places[found]
                inner = list(re.finditer(rf"\b{re.escape(str(path[-1]))}\s*=", self.text[start:end]))
                # a key of an inline table, if only one place can be meant
                return (start + inner[0].start(), end) if length < len(path) and len(inner) == 1 else (start, end)
        return None

    @cached_property
    def _places(self) -> dict[KeyPath, tuple[int, int]]:
        found: list[tuple[KeyPath, int]] = []
        header: KeyPath = ()
        counts: dict[str, int] = {}
        for match in _LINE.finditer(self.text):
            brackets, table, key = match.groups()
            if key is not None:
                found.append(((*header, *key.split(".")), match.start(3)))
                continue
            header = tuple(table.split("."))
            if brackets == "[[":
                counts[table] = counts.get(table, -1) + 1
                header = (*header, counts[table])
            found.append((header, match.start(1)))
        ends = [start for _, start in found[1:]] + [len(self.text)]
        return {path: (start, end) for (path, start), end in zip(found, ends, strict=True)}


def open_document(source: str | os.PathLike[str], kind: str = "problem file") -> Document:
    """Open the document that `source` names; a string of several lines is taken for the text itself."""
    if isinstance(source, str) and "\n" in source:
        if len(source) > LARGEST:
            raise ProblemError(f"a {kind} has at most {LARGEST} characters; this text has {len(source)}")
        return Document(source)
    if not isinstance(source, str | os.PathLike):
        raise ProblemError(f"source must be the path of a {kind}, or its text; got {source!r}")
    path = Path(source)
    data = _read_bytes(path, kind)
    if len(data) > LARGEST:
        raise ProblemError(f"{path}: larger than {LARGEST // 1_000_000} MB, and so no {kind}")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ProblemError(f"{path}: not text in UTF-8: byte {error.start + 1} is {data[error.start]:#04x}") from None
    return Document(text.replace("\r\n", "\n"), str(path), path.parent)


def _read_bytes(path: Path, kind: str) -> bytes:
    """The bytes of a file, but no more than show that it is too large."""
    try:
        with open_file(path) as file:
            return file.read(LARGEST + 1)
    except FileNotFoundError:
        raise ProblemError(f"{path}: no such file{_suggestion(path)}") from None
    except OSError as error:
        reason = f"a folder, not a {kind}" if os.path.isdir(path) else f"cannot be read: {error.strerror}"
        raise ProblemError(f"{path}: {reason}") from None
    except ValueError:  # a path with a null character, which no file has
        raise ProblemError(f"{str(path)!r}: no such file") from None


def _suggestion(path: Path) -> str:
    """The end of a message about a missing file: the one with the most similar name in its folder, if any is."""
    names = {other.stem: other.name for other in path.parent.glob("*.toml")}
    near = get_close_matches(path.stem, names, 1)
    return f"; did you mean {str(path.with_name(names[near[0]]))!r}?" if near else ""


# ---- A table of a problem file: checks keys, reads values, and adds places to errors


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
        """The name of the table in messages; empty for the file itself."""
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
        """Refuse unknown keys, naming the table `elsewhere` or the most similar key, and then missing ones."""
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
        """How to write a list of tables here; only in brackets within another list, where headers get confusing."""
        brackets = f"{key} = [{{ ... }}]"
        if any(isinstance(part, int) for part in self.path):
            return f"as in {brackets}"
        return f"each under [[{'.'.join(map(str, (*self.path, key)))}]]" + f", or {brackets}" * bool(self.path)

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

    def path_beside(self, key: str, document: str = "problem file", *, exists: bool = False) -> Path:
        """The path of a file beside the document, or below; not a folder, nor a pipe, which could block."""
        path = self.document.resolve(self.text(key))
        if path is None:
            raise self.error(f"{key} must name a file beside the {document}, or below; got {shown(self[key])}", key)
        if exists and path.exists() and not path.is_file():
            raise self.error(f"{key} must name a file; {shown(self[key])} is none", key)
        return path

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
        return float(self.parse(names.constant, self.expression(value, key), key))

    def as_complex(self, value: Any, key: str, names: Names) -> complex:
        """`value`, which stands under `key`, as a number, real if it is written without the imaginary unit."""
        number = self.parse(names.number, self.expression(value, key), key)
        return complex(number) if number.has(sp.I) else float(number)

    def as_numbers(self, value: Any, key: str, names: Names, *, real: bool = True) -> Any:
        """`value`, which stands under `key`, as a number or nested lists of numbers; integers stay integers."""
        if isinstance(value, list):
            return tuple(self.as_numbers(item, key, names, real=real) for item in value)
        number = self.as_number(value, key, names) if real else self.as_complex(value, key, names)
        return value if isinstance(value, int) else number

    def expression(self, value: Any, key: str) -> str:
        """The text of an expression, which is in quotes or a TOML number."""
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
        """What `read` makes of an expression under `key`; errors get their place in the file."""
        try:
            return read(text)
        except TextError as error:
            where = "" if self.document.name or text in self.document.text else f" in {text!r}"
            reason = f"{self.label}{key}: {error.reason}{where}"
            raise self.document.error(reason, (*self.path, key), text, error.position) from None

    def make(self, build: Callable[[], T], key: str = "") -> T:
        """What `build` makes; errors get the table's place in the file."""
        try:
            return build()
        except TextError:
            raise
        except ProblemError as error:
            raise self.error(str(error), key) from None


def shown(value: Any) -> str:
    """A value as messages show it: in Python's notation, cut if it is long."""
    try:
        text = repr(value)
    except ValueError:  # TOML reads hexadecimal numbers of any length, Python prints at most 4300 digits
        return "a number of too many digits"
    return text if len(text) <= 60 else f"{text[:57]}..."
