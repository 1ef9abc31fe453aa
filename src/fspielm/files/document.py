"""The text of a problem file, its TOML, and where in it a key stands."""

from __future__ import annotations

import os
import re
import tomllib
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Any

from fspielm.errors import ProblemError, TextError
from fspielm.reading import open_file

LARGEST = 1_000_000  # bytes
_PARTS = 16  # of a dotted key: reading one takes time that grows with their square

# without going back (++, *+), so that its time grows with the text and not with its square
_LONG_KEY = re.compile(rf"""(?<!["'\w-])(?:["'\w-]++[ \t]*+\.[ \t]*+){{{_PARTS}}}""")
_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
# A header, or a key and its equals sign, at the start of a line.
_LINE = re.compile(r"^[ \t]*(?:(\[\[?)[ \t]*([\w.-]+)[ \t]*\]|([\w.-]+)[ \t]*=)", re.MULTILINE)

KeyPath = tuple[str | int, ...]


@dataclass(frozen=True)
class Document:
    """A text and the name that messages give it.

    Attributes
    ----------
    text : str
    name : str
        The file's name; empty for a text without a file.
    folder : Path
        Where the files it names are.
    """

    text: str
    name: str = ""
    folder: Path = Path()

    def beside(self, name: str) -> Path | None:
        """The path of another file that the text names: beside this one or below, else None.

        A file from elsewhere is to read and write nothing else.
        """
        path = Path(name)
        if not path.name or "\0" in name or path.is_absolute() or ".." in path.parts:
            return None
        whole = self.folder / path
        # a link that came along with the file may lead anywhere
        return whole if whole.resolve().is_relative_to(self.folder.resolve()) else None

    def content(self) -> dict[str, Any]:
        """The TOML of the text as dictionaries and lists."""
        long = _LONG_KEY.search(self.text)
        if long is not None:
            raise TextError(f"a key has at most {_PARTS} parts", self.text, long.start(), self.name)
        try:
            return tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            raise self._syntax_error(str(error)) from None
        except RecursionError:
            raise self.error("arrays or tables nested too deep") from None
        except ValueError as error:  # a whole number of thousands of digits, a date that does not exist
            raise self.error(f"not valid TOML: {error}") from None

    def error(self, reason: str, path: KeyPath = (), value: str = "", position: int = 0) -> ProblemError:
        """An error about the key at `path`, or about a `position` within its `value`, where either can be found."""
        span = self._find(path)
        if span is None:
            return ProblemError(f"{self.name}: {reason}" if self.name else reason)
        start = self.text.find(value, *span) if value else -1
        return TextError(reason, self.text, span[0] if start < 0 else start + position, self.name)

    def _syntax_error(self, message: str) -> TextError:
        place = _PLACE.search(message)
        reason = f"not valid TOML: {_PLACE.sub('', message)}"
        if place is None or place.group(1) is None:
            return TextError(reason, self.text, len(self.text.rstrip()), self.name)
        lines = self.text.split("\n")[: int(place.group(1)) - 1]
        position = sum(len(line) + 1 for line in lines) + int(place.group(2)) - 1
        return TextError(reason, self.text, min(position, len(self.text)), self.name)

    def _find(self, path: KeyPath) -> tuple[int, int] | None:
        """Where the line of a key, or of the nearest table around it, begins and where the next one does."""
        for length in range(len(path), 0, -1):
            # of a list of tables the first
            found = next((key for key in (path[:length], (*path[:length], 0)) if key in self._places), None)
            if found is not None:
                start, end = self._places[found]
                inner = list(re.finditer(rf"\b{re.escape(str(path[-1]))}\s*=", self.text[start:end]))
                # in a table within a line, where only one place can be meant
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
    """The document that `source` names, or is: a string of several lines is taken for the text itself.

    Parameters
    ----------
    source : path or str
    kind : str
        What messages call such a file.
    """
    if isinstance(source, str) and "\n" in source:
        if len(source) > LARGEST:
            raise ProblemError(f"a {kind} has at most {LARGEST} characters; this text has {len(source)}")
        return Document(source)
    if not isinstance(source, str | os.PathLike):
        raise ProblemError(f"source must be the path of a {kind}, or its text; got {source!r}")
    path = Path(source)
    data = _read(path, kind)
    if len(data) > LARGEST:
        raise ProblemError(f"{path}: larger than {LARGEST // 1_000_000} MB, and so no {kind}")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ProblemError(f"{path}: not text in UTF-8: byte {error.start + 1} is {data[error.start]:#04x}") from None
    return Document(text.replace("\r\n", "\n"), str(path), path.parent)


def _read(path: Path, kind: str) -> bytes:
    """The bytes of a file, and no more of them than tell that it is too large."""
    try:
        with open_file(path) as file:
            return file.read(LARGEST + 1)
    except FileNotFoundError:
        raise ProblemError(f"{path}: no such file{_near(path)}") from None
    except OSError as error:
        reason = f"a folder, not a {kind}" if os.path.isdir(path) else f"cannot be read: {error.strerror}"
        raise ProblemError(f"{path}: {reason}") from None
    except ValueError:  # a path with a null character, which no file has
        raise ProblemError(f"{str(path)!r}: no such file") from None


def _near(path: Path) -> str:
    """The end of a message about a file that is not there: the one beside it that is named most like it, if any is."""
    names = {beside.stem: beside.name for beside in path.parent.glob("*.toml")}
    near = get_close_matches(path.stem, names, 1)
    return f"; did you mean {str(path.with_name(names[near[0]]))!r}?" if near else ""
