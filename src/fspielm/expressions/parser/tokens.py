"""Text, cut into numbers, names and signs."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal, TypeAlias

from fspielm.errors import TextError
from fspielm.expressions.parser.limits import NAME_LENGTH, TEXT_LENGTH, TOKENS

Kind: TypeAlias = Literal["number", "name", "sign", "end"]

_TOKEN = re.compile(
    r"""(?P<space>\s+)
      | (?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
      | (?P<name>[^\W\d]\w*)
      | (?P<sign>\*\*|==|!=|<=|>=|[-+*/^()\[\],<>=])""",
    re.VERBOSE,
)

# What people type, or paste from a paper, and what is meant.
_MEANT = {"−": "-", "–": "-", "·": "*", "×": "*", "∗": "*", "≤": "<=", "≥": ">=", "≠": "!=", "&": "and", "|": "or"}


@dataclass(frozen=True)
class Token:
    """A piece of text, and the index of its first character."""

    kind: Kind
    text: str
    at: int


def tokenize(text: str) -> list[Token]:
    """Cut `text` into tokens, the last of kind ``"end"``; a character without a meaning is refused with its place."""
    if len(text) > TEXT_LENGTH:
        raise TextError(f"an expression has at most {TEXT_LENGTH} characters; this one has {len(text)}", text, 0)
    tokens: list[Token] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise TextError(_no_meaning(text[at]), text, at)
        kind, piece = match.lastgroup, match.group()
        if kind != "space":
            tokens.append(Token(kind, piece, at))  # type: ignore[arg-type]
            _check(tokens, text)
        at = match.end()
    tokens.append(Token("end", "", len(text.rstrip())))
    return tokens


def is_name(text: str) -> bool:
    """Whether `text` is one name and nothing else, in a spelling that Python does not change."""
    match = _TOKEN.fullmatch(text)
    whole = match is not None and match.lastgroup == "name"
    return whole and len(text) <= NAME_LENGTH and unicodedata.normalize("NFKC", text) == text


def _check(tokens: list[Token], text: str) -> None:
    last, before = tokens[-1], tokens[-2] if len(tokens) > 1 else None
    if len(tokens) > TOKENS:
        raise TextError(f"an expression has at most {TOKENS} numbers, names and signs", text, last.at)
    if last.kind == "name" and not is_name(last.text):
        raise TextError(f"a name has at most {NAME_LENGTH} plain letters, digits and underscores", text, last.at)
    adjacent = before is not None and before.kind == "number" and last.at == before.at + len(before.text)
    if before is not None and adjacent and last.kind in ("name", "number"):
        remedy = f"{before.text}*{last.text}" if last.kind == "name" else "one decimal point"
        raise TextError(f"a number ends where {last.text[:20]!r} begins; write {remedy}", text, last.at)


def _no_meaning(character: str) -> str:
    shown = character if character.isprintable() else f"U+{ord(character):04X}"
    if character in _MEANT:
        return f"the character {shown!r} has no meaning here; write {_MEANT[character]!r}"
    return f"the character {shown!r} has no meaning in an expression"
