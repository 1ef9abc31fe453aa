"""What a text says, before anything is known of its names: a tree of numbers, names, signs and calls."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Node:
    """A piece of the tree; `at` is the place in the text that a message about it points to."""

    at: int


@dataclass(frozen=True)
class Number(Node):
    """A number as it was written."""

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
    """Terms added, or subtracted where the sign is -1; all at once, as SymPy adds them."""

    terms: tuple[tuple[int, Node], ...]


@dataclass(frozen=True)
class Product(Node):
    """Factors multiplied, or divided by where the power is -1; all at once, as SymPy multiplies them."""

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
    """Sides compared in a chain, as in ``0 < x < 1``: one sign fewer than sides."""

    signs: tuple[str, ...]
    sides: tuple[Node, ...]


@dataclass(frozen=True)
class Logic(Node):
    """``and``, ``or`` or ``not`` of some operands."""

    word: str
    operands: tuple[Node, ...]
