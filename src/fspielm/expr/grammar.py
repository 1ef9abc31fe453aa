"""From text to a tree: tokens, syntax and operator precedence."""

from __future__ import annotations

import re
import sys
import unicodedata
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, Literal, TypeAlias

from fspielm.errors import TextError

# ---- Bounds on the text and on what it means: every input gets an answer at once

TEXT_LENGTH: Final = 50_000
TOKENS: Final = 10_000
DEPTH: Final = 40
NAME_LENGTH: Final = 60
# Exponents, and terms of a sum that are added one by one.
EXPONENT: Final = 10_000
BESSEL_ORDER: Final = 1_000
DERIVATIVE_ORDER: Final = 8
# Comparisons in one where(...), and terms in one min or max: SymPy compares all pairs.
COMPARISONS: Final = 12
# Nodes of a derivative, which the product rule can make many times longer than the expression.
DERIVATIVE_NODES: Final = 5_000
# Bits of intermediate and of final whole numbers and fractions; Python prints so many digits.
BITS: Final = 50_000
RESULT_BITS: Final = 3 * sys.int_info.default_max_str_digits
# The largest number of double precision is just below 2**1024.
MAGNITUDE_BITS: Final = sys.float_info.max_exp - 1


class RefusalError(Exception):
    """The reason of a refusal; code that knows the place in the text turns it into a `TextError`."""


# ---- Tokens

Kind: TypeAlias = Literal["number", "name", "sign", "end"]

_TOKEN = re.compile(
    r"""(?P<space>\s+)
      | (?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
      | (?P<name>[^\W\d]\w*)
      | (?P<sign>\*\*|==|!=|<=|>=|[-+*/^()\[\],<>=])""",
    re.VERBOSE,
)

# Characters that people type or paste from papers, and their meaning.
_MEANT = {"−": "-", "–": "-", "·": "*", "×": "*", "∗": "*", "≤": "<=", "≥": ">=", "≠": "!=", "&": "and", "|": "or"}


@dataclass(frozen=True)
class Token:
    """A piece of text, and the index of its first character."""

    kind: Kind
    text: str
    at: int


def tokenize(text: str) -> list[Token]:
    """Cut `text` into tokens, the last of kind ``"end"``; refuse unknown characters with their place."""
    if len(text) > TEXT_LENGTH:
        raise TextError(f"an expression has at most {TEXT_LENGTH} characters; this one has {len(text)}", text, 0)
    tokens: list[Token] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            shown = text[at] if text[at].isprintable() else f"U+{ord(text[at]):04X}"
            remedy = f"here; write {_MEANT[text[at]]!r}" if text[at] in _MEANT else "in an expression"
            raise TextError(f"the character {shown!r} has no meaning {remedy}", text, at)
        kind, piece = match.lastgroup, match.group()
        if kind != "space":
            tokens.append(Token(kind, piece, at))  # type: ignore[arg-type]
            _check(tokens, text)
        at = match.end()
    tokens.append(Token("end", "", len(text.rstrip())))
    return tokens


def is_name(text: str) -> bool:
    """Whether `text` is a single name in normalized Unicode."""
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


# ---- The nodes of the syntax tree


@dataclass(frozen=True)
class Node:
    """A node of the tree; messages about it point to the index `at` in the text."""

    at: int


@dataclass(frozen=True)
class Number(Node):
    """A number as written."""

    text: str


@dataclass(frozen=True)
class Name(Node):
    """A name."""

    text: str


@dataclass(frozen=True)
class Call(Node):
    """A function and its arguments."""

    name: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True)
class Sum(Node):
    """Terms with their signs, 1 or -1; added all at once, as by SymPy."""

    terms: tuple[tuple[int, Node], ...]


@dataclass(frozen=True)
class Product(Node):
    """Factors with their powers, 1 or -1; multiplied all at once, as by SymPy."""

    factors: tuple[tuple[int, Node], ...]


@dataclass(frozen=True)
class Negative(Node):
    """Minus something."""

    operand: Node


@dataclass(frozen=True)
class Power(Node):
    """A base and its exponent."""

    base: Node
    exponent: Node


@dataclass(frozen=True)
class Vector(Node):
    """Components in brackets."""

    components: tuple[Node, ...]


@dataclass(frozen=True)
class Comparison(Node):
    """A chain of comparisons, as in ``0 < x < 1``: one sign fewer than sides."""

    signs: tuple[str, ...]
    sides: tuple[Node, ...]


@dataclass(frozen=True)
class Logic(Node):
    """``and``, ``or`` or ``not`` of some operands."""

    word: str
    operands: tuple[Node, ...]


# ---- The parser: operator precedence (Pratt 1973)

WORDS = ("and", "or", "not")
_COMPARISONS = ("=", "==", "!=", "<", "<=", ">", ">=")


class Strength(IntEnum):
    """How tightly an operation binds its operands: looser ones need parentheses."""

    OR = 1
    AND = 2
    NOT = 3
    COMPARISON = 4
    SUM = 5
    PRODUCT = 6
    POWER = 7
    ATOM = 8


_STRENGTH = (
    {"or": Strength.OR, "and": Strength.AND}
    | dict.fromkeys(_COMPARISONS, Strength.COMPARISON)
    | dict.fromkeys(("+", "-"), Strength.SUM)
    | dict.fromkeys(("*", "/"), Strength.PRODUCT)
    | dict.fromkeys(("**", "^"), Strength.POWER)
)


def parse_syntax(text: str) -> Node:
    """The tree of `text`."""
    parser = _Parser(text)
    node = parser.expression(0)
    if parser.token.kind != "end":
        raise parser.unexpected("an operator or the end")
    return node


class _Parser:
    """A position in a list of tokens, and its depth in the tree."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = tokenize(text)
        self._index = 0
        self._depth = 0

    @property
    def token(self) -> Token:
        return self._tokens[self._index]

    def unexpected(self, wanted: str) -> TextError:
        token = self.token
        got = f"{token.text[:20]!r}" if token.kind != "end" else "the end"
        return TextError(f"expected {wanted}; got {got}", self._text, token.at)

    def expression(self, strength: int) -> Node:
        """Everything from here that binds more tightly than `strength`."""
        self._depth += 1
        if self._depth > DEPTH:
            raise TextError(f"nested more than {DEPTH} deep", self._text, self.token.at)
        node = self._operand(strength)
        while _STRENGTH.get(self.token.text, 0) > strength:
            node = self._operation(node)
        self._depth -= 1
        return node

    def _advance(self) -> Token:
        token = self.token
        self._index += 1
        return token

    def _operand(self, strength: int) -> Node:
        token = self.token
        if token.kind == "number":
            return Number(self._advance().at, token.text)
        if token.kind == "name" and token.text not in WORDS:
            self._advance()
            if self.token.text == "(":
                return Call(token.at, token.text, self._list(")"))
            return Name(token.at, token.text)
        if token.text == "(":
            self._advance()
            inner = self.expression(0)
            self._close(")")
            return inner
        if token.text == "[":
            return Vector(token.at, self._list("]"))
        if token.text in ("-", "+"):
            self._advance()
            # -x*y is -(x*y), but x/-y*z is (x/(-y))*z
            operand = self.expression(max(strength, Strength.SUM))
            return Negative(token.at, operand) if token.text == "-" else operand
        if token.text == "not":
            self._advance()
            return Logic(token.at, "not", (self.expression(Strength.NOT),))
        raise self.unexpected("a number, a name or a parenthesis")

    def _operation(self, left: Node) -> Node:
        sign = self._advance()
        if sign.text in ("+", "-"):
            terms = left.terms if isinstance(left, Sum) else ((1, left),)
            return Sum(sign.at, (*terms, (-1 if sign.text == "-" else 1, self.expression(Strength.SUM))))
        if sign.text in ("*", "/"):
            factors = left.factors if isinstance(left, Product) else ((1, left),)
            return Product(sign.at, (*factors, (-1 if sign.text == "/" else 1, self.expression(Strength.PRODUCT))))
        if sign.text in ("**", "^"):
            # from the right: 2**3**2 is 2**9
            return Power(sign.at, left, self.expression(Strength.PRODUCT))
        if sign.text in ("and", "or"):
            return Logic(sign.at, sign.text, (left, self.expression(_STRENGTH[sign.text])))
        return self._comparison(sign, left)

    def _comparison(self, first: Token, left: Node) -> Node:
        signs, sides = [first.text], [left, self.expression(Strength.COMPARISON)]
        while self.token.text in _COMPARISONS:
            signs.append(self._advance().text)
            sides.append(self.expression(Strength.COMPARISON))
        return Comparison(first.at, tuple(signs), tuple(sides))

    def _list(self, end: str) -> tuple[Node, ...]:
        """The operands up to `end`, separated by commas; there is at least one."""
        self._advance()
        items = [self.expression(0)]
        while self.token.text == ",":
            self._advance()
            items.append(self.expression(0))
        self._close(end)
        return tuple(items)

    def _close(self, end: str) -> None:
        if self.token.text != end:
            raise self.unexpected(f"an operator or {end!r}")
        self._advance()
