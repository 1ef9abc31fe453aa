"""Symbols of a statement that stand for numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import sympy as sp

from fspielm.equations.statement import Statement
from fspielm.errors import ProblemError

# What stands for open numbers while a statement is read: nothing that anybody would write.
_STAND_IN, _NEXT = 0.73908513321516, 0.61803398874989


class _StandIn(float):
    """A number that means nothing."""


def open_symbols(statement: Statement) -> tuple[sp.Symbol, ...]:
    """The symbols that are given without a number, as in ``given={k: ...}``."""
    given = statement.given if isinstance(statement.given, Mapping) else {}
    return tuple(key for key, value in given.items() if value is ... and isinstance(key, sp.Symbol))


def with_stand_ins(statement: Statement, symbols: tuple[sp.Symbol, ...]) -> Statement:
    """The statement with numbers that mean nothing for these symbols."""
    return with_numbers(
        statement, {symbol: _StandIn(_STAND_IN + place * _NEXT) for place, symbol in enumerate(symbols)}
    )


def stood_for(statement: Statement) -> tuple[sp.Symbol, ...]:
    """The symbols that `with_stand_ins` has given numbers."""
    return tuple(key for key, value in (statement.given or {}).items() if isinstance(value, _StandIn))


def with_numbers(statement: Statement, values: Mapping[sp.Symbol, Any]) -> Statement:
    """The statement with these numbers among what is given."""
    return replace(statement, given={**(statement.given or {}), **values})


def parameters_of(statement: Statement) -> tuple[sp.Symbol, ...]:
    """The symbols that may get other numbers: all that are given, those that are open among them."""
    return tuple(key for key in (statement.given or {}) if isinstance(key, sp.Symbol))


def check_parameter(symbol: Any, known: tuple[sp.Symbol, ...], coordinates: tuple[sp.Symbol, ...]) -> None:
    """Refuse what is none of the `known` parameters of a problem."""
    if not isinstance(symbol, sp.Symbol):
        raise ProblemError(f"parameter must be a SymPy symbol of the problem; got {symbol!r}")
    if symbol in known:
        return
    if symbol in coordinates:
        raise ProblemError(f"parameter {symbol} is a coordinate; it must be a number of the problem")
    names = ", ".join(sorted(map(str, known)))
    have = f"its numbers are {names}" if names else "no number is given in it"
    raise ProblemError(
        f"parameter {symbol} does not occur in the problem: {have}; write the symbol {symbol} into an equation "
        f"or a condition, and a value that it may have beside it, as in given={{{symbol}: 1.0}}; symbols of one "
        "name but different assumptions (real=True) are different symbols"
    )


def need_values(symbols: tuple[sp.Symbol, ...]) -> str:
    """What to do about open symbols, as a sentence."""
    named = "the symbols " if len(symbols) > 1 else "the symbol "
    values = ", ".join(f"{symbol}: {place + 1}.0" for place, symbol in enumerate(symbols))
    return (
        f"the problem leaves {named}{', '.join(map(str, symbols))} open: supply numbers, as in given={{{values}}} or "
        f"problem.at({{{values}}}), solve for many values with fs.sweep(problem, {{{symbols[0]}: [...]}}), or, where "
        f"{symbols[0]} is an eigenvalue, find it with fs.eigenmodes(problem, {symbols[0]})"
    )
