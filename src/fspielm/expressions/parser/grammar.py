"""From tokens to a tree, by operator precedence (Pratt 1973)."""

from __future__ import annotations

from fspielm.errors import TextError
from fspielm.expressions.parser.limits import DEPTH
from fspielm.expressions.parser.syntax import (
    Call,
    Comparison,
    Logic,
    Name,
    Negative,
    Node,
    Number,
    Power,
    Product,
    Sum,
    Vector,
)
from fspielm.expressions.parser.tokens import Token, tokenize

WORDS = ("and", "or", "not")
_COMPARISONS = ("=", "==", "!=", "<", "<=", ">", ">=")
# How tightly a sign binds what stands to its left.
_STRENGTH = (
    {"or": 1, "and": 2}
    | dict.fromkeys(_COMPARISONS, 4)
    | dict.fromkeys(("+", "-"), 5)
    | dict.fromkeys(("*", "/"), 6)
    | dict.fromkeys(("**", "^"), 8)
)
_NOT, _COMPARISON, _SUM, _PRODUCT, _POWER = 3, 4, 5, 6, 8


def parse_syntax(text: str) -> Node:
    """The tree of `text`."""
    parser = _Parser(text)
    node = parser.expression(0)
    if parser.token.kind != "end":
        raise parser.unexpected("an operator or the end")
    return node


class _Parser:
    """A place in a list of tokens, and how deep in the tree it is."""

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
            operand = self.expression(max(strength, _PRODUCT - 1))
            return Negative(token.at, operand) if token.text == "-" else operand
        if token.text == "not":
            self._advance()
            return Logic(token.at, "not", (self.expression(_NOT),))
        raise self.unexpected("a number, a name or a parenthesis")

    def _operation(self, left: Node) -> Node:
        sign = self._advance()
        if sign.text in ("+", "-"):
            terms = left.terms if isinstance(left, Sum) else ((1, left),)
            return Sum(sign.at, (*terms, (-1 if sign.text == "-" else 1, self.expression(_SUM))))
        if sign.text in ("*", "/"):
            factors = left.factors if isinstance(left, Product) else ((1, left),)
            return Product(sign.at, (*factors, (-1 if sign.text == "/" else 1, self.expression(_PRODUCT))))
        if sign.text in ("**", "^"):
            # from the right: 2**3**2 is 2**9
            return Power(sign.at, left, self.expression(_POWER - 1))
        if sign.text in ("and", "or"):
            return Logic(sign.at, sign.text, (left, self.expression(_STRENGTH[sign.text])))
        return self._comparison(sign, left)

    def _comparison(self, first: Token, left: Node) -> Node:
        signs, sides = [first.text], [left, self.expression(_COMPARISON)]
        while self.token.text in _COMPARISONS:
            signs.append(self._advance().text)
            sides.append(self.expression(_COMPARISON))
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
