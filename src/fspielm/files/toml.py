"""TOML, written: the few kinds of values that a problem file has."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
# Lines that a literal string can hold: no quotes that would end it, and no control characters but tabs.
_AS_IT_IS = re.compile(r"[^'\x00-\x08\x0a-\x1f\x7f]*\n[^'\x00-\x08\x0b-\x1f\x7f]*")
# What a basic string must not hold as it is; other control characters follow by number.
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}

# Longer lists of texts have one text in a line.
_LONGEST_LINE = 120


def write_toml(content: Mapping[str, Any]) -> str:
    """The text of keys and values: plain values first, then tables, then lists of tables."""
    plain = {key: value for key, value in content.items() if not _is_table(value) and not _is_tables(value)}
    blocks = [_lines(plain)] if plain else []
    for key, value in content.items():
        if _is_table(value):
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
    """A value on lines of its own, where text of several lines can stay as it is."""
    if isinstance(value, str) and _AS_IT_IS.fullmatch(value):
        return f"'''\n{value}'''"
    line = write_value(value)
    if len(line) > _LONGEST_LINE and isinstance(value, list) and all(isinstance(item, str) for item in value):
        return "[\n" + "".join(f"    {write_value(item)},\n" for item in value) + "]"
    return line


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else write_value(key)


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping)


def _is_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, Mapping) for item in value)


def _escape(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    control = ord(character) < 32 or ord(character) == 127
    return f"\\u{ord(character):04x}" if control else character
