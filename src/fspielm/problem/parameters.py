"""Symbols of a statement that stand for numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef, UndefinedFunction

from fspielm.errors import ProblemError
from fspielm.problem.statement import Statement
from fspielm.problem.substitutions import ByRegion

if TYPE_CHECKING:
    from fspielm.problem.problem import Problem


class _StandIn(float):
    """A placeholder for an open number."""


def open_symbols(statement: Statement) -> tuple[sp.Symbol, ...]:
    """The symbols without a number: those with ``given={k: ...}``, then those not given at all."""
    given = {} if statement.given is None else statement.given
    if not isinstance(given, Mapping):
        return ()
    asked = [key for key, value in given.items() if value is ... and isinstance(key, sp.Symbol)]
    return (*asked, *sorted(_left_open(statement, given), key=str))


def _left_open(statement: Statement, given: Mapping[Any, Any]) -> set[sp.Symbol]:
    """The symbols of a statement that stand for numbers and are not given.

    Places and orders of derivatives need numbers, so their symbols do not count. Symbols named like a coordinate are
    mistakes, reported elsewhere; those named like a function are refused here.
    """
    places = [getattr(condition, "on", None) for condition in statement.conditions]
    written = [e for e in statement.expressions if not any(e is place for place in places)]
    written += _expressions(given.values())
    functions = set().union(*(e.atoms(AppliedUndef) for e in statement.equations if isinstance(e, sp.Basic)))
    derivatives = set().union(*(e.atoms(sp.Derivative) for e in written))
    orders = [sp.sympify(count) for derivative in derivatives for _, count in derivative.variable_count]
    known = {str(argument) for function in functions for argument in function.args}
    unknown = {function.func.__name__: function for function in functions}
    symbols = {symbol for e in written for symbol in e.free_symbols if isinstance(symbol, sp.Symbol)}
    symbols -= {*given}.union(*(order.free_symbols for order in orders))
    for symbol in symbols:
        if symbol.name in unknown:
            raise plain_symbol(symbol, unknown[symbol.name])
    return {symbol for symbol in symbols if symbol.name not in known}


def plain_symbol(symbol: sp.Symbol, function: AppliedUndef) -> ProblemError:
    """The error for a symbol that has the name of an unknown."""
    return ProblemError(
        f"{symbol} is written as a plain symbol and as the function {function}; write "
        f'{symbol} = sp.Function("{symbol}")({", ".join(map(str, function.args))}) once, and use it everywhere'
    )


def with_stand_ins(statement: Statement, symbols: tuple[sp.Symbol, ...]) -> Statement:
    """The statement with placeholders for these symbols: random numbers, which nobody would write."""
    values = 1.0 + np.random.default_rng(0).random(len(symbols))
    return with_numbers(statement, dict(zip(symbols, map(_StandIn, values), strict=True)))


def stand_in_symbols(statement: Statement) -> tuple[sp.Symbol, ...]:
    """The symbols that `with_stand_ins` gave numbers."""
    return tuple(key for key, value in (statement.given or {}).items() if isinstance(value, _StandIn))


def with_numbers(statement: Statement, values: Mapping[sp.Symbol, Any]) -> Statement:
    """The statement with these given numbers added."""
    return replace(statement, given={**(statement.given or {}), **values})


def used_in(given: Mapping[Any, Any], values: Iterable[Any]) -> dict[Any, Any]:
    """The part of `given` that the expressions among `values` need, directly or through other given values."""
    used, written = set(), _expressions(values)
    functional = [key for key in given if not isinstance(key, sp.Symbol)]
    while written:
        symbols = set().union(*(e.free_symbols for e in written))
        functions = set().union(*(e.atoms(AppliedUndef) for e in written))
        more = [key for key in symbols if key in given and key not in used]
        more += [key for key in functional if key not in used and _occurs(key, symbols, functions)]
        used.update(more)
        written = _expressions(given[key] for key in more)
    return {key: value for key, value in given.items() if key in used}


def _occurs(key: Any, symbols: set[sp.Symbol], functions: set[AppliedUndef]) -> bool:
    if isinstance(key, UndefinedFunction):
        return any(f.func.__name__ == key.__name__ for f in functions)
    if isinstance(key, AppliedUndef):
        return key in functions
    if isinstance(key, sp.Derivative):
        return bool(key.atoms(AppliedUndef) & functions)
    return key in symbols


def _expressions(values: Iterable[Any]) -> list[sp.Basic]:
    """The expressions among values, and those of data by region."""
    each = (e for value in values for e in (value.expressions if isinstance(value, ByRegion) else (value,)))
    return [e for e in each if isinstance(e, sp.Basic)]


def check_parameter(symbol: Any, known: tuple[sp.Symbol, ...], coordinates: tuple[sp.Symbol, ...]) -> None:
    """Refuse a symbol that is not among the `known` parameters of a problem."""
    if not isinstance(symbol, sp.Symbol):
        raise ProblemError(f"parameter must be a SymPy symbol of the problem; got {symbol!r}")
    if symbol in known:
        return
    if symbol in coordinates:
        raise ProblemError(f"parameter {symbol} is a coordinate; it must be a number of the problem")
    names = ", ".join(sorted(map(str, known)))
    have = f"its numbers are {names}" if names else "there is no symbol for a number in it"
    raise ProblemError(
        f"parameter {symbol} does not occur in the problem: {have}; write the symbol {symbol} into an equation or a "
        "condition; symbols of one name but different assumptions (real=True) are different symbols"
    )


def need_values(problem: Problem, symbols: tuple[sp.Symbol, ...]) -> str:
    """A sentence that says what to do about open symbols."""
    values, first = ", ".join(f"{symbol}: {place + 1}.0" for place, symbol in enumerate(symbols)), symbols[0]
    have, one = ("have no value", " all but one, and") if len(symbols) > 1 else ("has no value", "")
    return (
        f"{', '.join(map(str, symbols))} {have}: pass problem.at({{{values}}}), or{one} use fs.eigenmodes(problem, "
        f"{first}, count=10), fs.sweep(problem, {{{first}: [...]}}) or fs.follow(problem, {first}, ...)"
        + "".join(_near_miss(problem, symbol) for symbol in symbols)
    )


def _near_miss(problem: Problem, symbol: sp.Symbol) -> str:
    """A question about the name that a symbol may be a typing error for."""
    if symbol.name in ("pi", "I"):
        return f"; did you mean sp.{symbol}, the number?"
    others = (*problem.coordinates, *(unknown.symbol.func.__name__ for unknown in problem.unknowns))
    others += tuple(
        getattr(key, "name", key) for key in problem.statement.given or {} if key not in problem.open_symbols
    )
    names = {str(other).lower(): str(other) for other in others}
    near = get_close_matches(symbol.name.lower(), names, 1)
    return f"; did you mean {names[near[0]]} instead of {symbol}?" if near else ""
