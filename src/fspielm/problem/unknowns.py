"""What is solved for: functions that an equation contains and nobody supplies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef, UndefinedFunction

from fspielm.errors import ProblemError
from fspielm.expr.compile import NONLOCAL, evaluate_derivatives
from fspielm.expr.values import describe
from fspielm.geometry.domain import Domain
from fspielm.geometry.time import Time
from fspielm.problem.substitutions import Givens

if TYPE_CHECKING:
    from fspielm.problem.conditions import AnyCondition
    from fspielm.problem.statement import Statement


# ---- Terms that take an unknown at other places than the point itself: integrals, sums, values at a place


def refuse_elsewhere(expression: sp.Expr, unknowns: Sequence[UndefinedFunction], what: str) -> None:
    """Refuse a term with one of these functions at other places, and say what is possible in its place."""
    for term in sorted(expression.atoms(*NONLOCAL), key=str):
        inside = sorted((f for f in term.atoms(AppliedUndef) if f.func in unknowns), key=str)
        if inside:
            raise ProblemError(
                f"{what} contains the term {describe(term)}, which takes {inside[0]} at other places than the point "
                f"itself; only differential equations can be solved{_remedy(term)}"
            )


def _remedy(term: sp.Basic) -> str:
    """How an integral up to a coordinate can be had nevertheless, where that is all it depends on."""
    if not isinstance(term, sp.Integral) or len(term.limits) != 1 or len(term.limits[0]) != 3:
        return ""
    dummy, start, end = term.limits[0]
    if not isinstance(end, sp.Symbol) or start.free_symbols or (end != dummy and term.function.has(end)):
        return ""
    whole = term.function.xreplace({dummy: end})
    return (
        f": make the integral an unknown U of its own, with sp.Eq(U.diff({end}), {describe(whole)}) as a further "
        f"equation and the value 0 at {end} = {start}"
    )


# ---- What is solved for: functions that an equation contains and nobody supplies


_REAL = np.dtype(np.float64)


@dataclass(frozen=True, eq=False)
class Unknown:
    """A function to be found.

    Attributes
    ----------
    symbol : AppliedUndef
        As it is written: ``u(x, y)``.
    domain : Domain
        Where it is to be found.
    dtype : dtype
        Of its values.
    """

    symbol: AppliedUndef
    domain: Domain
    dtype: np.dtype[Any] = _REAL

    @property
    def coordinates(self) -> tuple[sp.Symbol, ...]:
        """Its arguments, in the order of the columns of a points array."""
        coordinates: tuple[sp.Symbol, ...] = self.symbol.args
        return coordinates


def only(unknowns: Sequence[Unknown], what: str, remedy: str) -> Unknown:
    """The one unknown there is; `what` is refused where there are several, for which there is the remedy."""
    if len(unknowns) > 1:
        names = ", ".join(str(unknown.symbol) for unknown in unknowns)
        raise ProblemError(f"{what} is for one unknown, but there are {len(unknowns)}, {names}; {remedy}")
    return unknowns[0]


def read_unknowns(written: Sequence[sp.Expr], givens: Givens, statement: Statement) -> tuple[Unknown, ...]:
    """The unknowns of what the equations of a statement set to zero, on a domain that fits them.

    In the order in which they are declared; otherwise in that of the dictionaries of conditions, then of their first
    appearance in equations, those that appear in one equation first sorted by name.
    """
    domain, found = statement.domain, dict[AppliedUndef, None]()
    for expression in written:
        _refuse_elsewhere(expression, givens)
        found |= dict.fromkeys(_functions(expression, givens))
    declared = statement.unknowns
    symbols = _by_conditions(found, statement.conditions) if declared is None else _as_declared(declared, found)
    if not symbols:
        known = sorted({str(f) for expression in written for f in expression.atoms(AppliedUndef)})
        given = f" (its {', '.join(known)} is given)" if known else ""
        which = "the equation contains" if len(written) == 1 else "the equations contain"
        raise ProblemError(f'{which} no unknown function{given}; write it as u = sp.Function("u")(x, y)')
    _check_symbols(symbols)
    _check_number(symbols, len(written))
    _check_same_coordinates(symbols)
    for symbol in symbols:
        givens.check_coordinates(symbol)
        _check_coordinates(symbol, domain)
    return tuple(Unknown(symbol, domain) for symbol in symbols)


def _refuse_elsewhere(expression: sp.Expr, givens: Givens) -> None:
    """Before arguments are compared: those of an integrand are others."""
    if not expression.has(*NONLOCAL):
        return
    evaluated = evaluate_derivatives(givens.substitute(expression))
    refuse_elsewhere(evaluated, [f.func for f in _functions(evaluated, givens)], "the equation")


def _functions(expression: sp.Expr, givens: Givens) -> list[AppliedUndef]:
    """The undefined functions in `expression` that are not given, sorted by name."""
    functions = givens.without_derivatives(expression).atoms(AppliedUndef)
    return sorted((f for f in functions if not givens.is_known(f)), key=str)


def _by_conditions(found: Iterable[AppliedUndef], conditions: Iterable[AnyCondition]) -> tuple[AppliedUndef, ...]:
    """The unknowns that dictionaries of conditions name, in their order, and then the others."""
    values = (getattr(condition, "value", getattr(condition, "values", None)) for condition in conditions)
    keys = [key for value in values if isinstance(value, Mapping) for key in value]
    named = [symbol for key in keys for symbol in found if key == symbol or key == symbol.func.__name__]
    return tuple(dict.fromkeys((*named, *found)))


def _as_declared(declared: Sequence[Any], found: Iterable[AppliedUndef]) -> tuple[AppliedUndef, ...]:
    if isinstance(declared, sp.Basic | str) or not isinstance(declared, Sequence):
        raise ProblemError(f"unknowns must be a list such as [u, v]; got {declared!r}")
    for symbol in declared:
        if not isinstance(symbol, AppliedUndef):
            number = f"; fs.eigenmodes(problem, {symbol}) finds eigenvalues" if isinstance(symbol, sp.Symbol) else ""
            raise ProblemError(
                'unknowns must be functions of the coordinates, such as u = sp.Function("u")(x, y); got '
                f"{symbol!r}{number}"
            )
    missing = [str(symbol) for symbol in found if symbol not in declared]
    if missing:
        raise ProblemError(
            f"unknowns={list(declared)} leaves out {', '.join(missing)}, which the equations contain; add it, or "
            "supply it, as in given={f: callable}"
        )
    idle = [str(symbol) for symbol in declared if symbol not in found]
    if idle:
        raise ProblemError(f"unknowns names {', '.join(idle)}, which no equation contains; remove it, or write one")
    if len(set(declared)) < len(declared):
        raise ProblemError(f"unknowns={list(declared)} names one of them twice")
    return tuple(declared)


def _check_symbols(symbols: Sequence[AppliedUndef]) -> None:
    """Refuse what is no function of coordinates, and one written in two ways."""
    for symbol in symbols:
        same = sorted((s for s in symbols if s.func.__name__ == symbol.func.__name__), key=str)
        shown = ", ".join(map(str, same))
        if len(set(map(str, same))) < len(same):
            raise ProblemError(
                f"the unknown {symbol} is written with SymPy objects of one name but different assumptions "
                "(real=True), which are different objects; define it once"
            )
        if len(same) > 1:
            raise ProblemError(
                f"the unknown appears with different arguments ({shown}); write it with the same coordinates "
                "everywhere: values at other places are conditions"
            )
        if not all(isinstance(a, sp.Symbol) for a in symbol.args) or len(set(symbol.args)) < len(symbol.args):
            raise ProblemError(f"the unknown must be a function of distinct symbols, as in u(x, y); got {symbol}")


def _check_number(symbols: Sequence[AppliedUndef], equations: int) -> None:
    if equations >= len(symbols):
        return
    raise ProblemError(
        f"there {'is' if equations == 1 else 'are'} {equations} equation{'s' * (equations > 1)} for {len(symbols)} "
        f"unknown functions ({', '.join(map(str, symbols))}); write as many equations, as in fs.Problem([equation, "
        "...], ...), or supply the known ones, as in given={f: callable}: callables, numbers or fs.ByRegion"
    )


def _check_same_coordinates(symbols: Sequence[AppliedUndef]) -> None:
    first = symbols[0]
    for symbol in symbols[1:]:
        if symbol.args != first.args:
            raise ProblemError(
                f"the unknowns {first} and {symbol} have different arguments; write all of them with the same "
                "coordinates, in the same order, or supply the known ones, as in given={f: callable}"
            )


def _check_coordinates(unknown: AppliedUndef, domain: Domain) -> None:
    names = [str(symbol) for symbol in unknown.args]
    if len(names) != domain.dimension:
        included = ", time included" if domain.time is not None else ""
        remedy = (
            f"; if {names[-1]} is time, write domain * fs.Time(start, end)"
            if domain.time is None and len(names) == domain.dimension + 1
            else f"; if {names[-1]} is time, multiply a domain of space by it, as in fs.Interval(0, 1) * {domain!r}"
            if isinstance(domain, Time) and len(names) > 1
            else "; give the unknown one argument for each coordinate of the domain"
        )
        raise ProblemError(
            f"the unknown {unknown} has {len(names)} coordinate{'s' * (len(names) > 1)}, but "
            f"domain={domain!r} has {domain.dimension}{included}{remedy}"
        )
    if domain.time is not None and "t" in names[:-1] and names[-1] != "t":
        raise ProblemError(
            f"with domain={domain!r} the last coordinate of the unknown is time; got {unknown}: move t to the end"
        )
