"""What is solved for: functions that an equation contains and nobody supplies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef

from fspielm.equations.givens import Givens
from fspielm.errors import ProblemError
from fspielm.geometry import Domain, Time

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


def read_unknowns(written: sp.Expr, givens: Givens, domain: Domain) -> tuple[Unknown, ...]:
    """The unknowns of what an equation sets to zero, on a domain that fits them: for now, one."""
    symbol = _find(written, givens)
    givens.check_coordinates(symbol)
    _check_coordinates(symbol, domain)
    return (Unknown(symbol, domain),)


def _find(expression: sp.Expr, givens: Givens) -> AppliedUndef:
    """The one undefined function in `expression` that is not given."""
    functions = givens.without_derivatives(expression).atoms(AppliedUndef)
    unknowns = sorted((f for f in functions if not givens.is_known(f)), key=str)
    shown = ", ".join(map(str, unknowns))
    names = {f.func.__name__ for f in unknowns}
    if not names:
        known = f" (its {', '.join(sorted(map(str, functions)))} is given)" if functions else ""
        raise ProblemError(f'the equation contains no unknown function{known}; write it as u = sp.Function("u")(x, y)')
    if len(names) > 1:
        raise ProblemError(
            f"the equation contains {len(names)} unknown functions ({shown}); one is solved for: "
            "supply the known ones as callables, as in given={f: callable}"
        )
    if len(set(map(str, unknowns))) < len(unknowns):
        raise ProblemError(
            f"the unknown {unknowns[0]} is written with SymPy objects of one name but different assumptions "
            "(real=True), which are different objects; define it once"
        )
    if len(unknowns) > 1:
        raise ProblemError(
            f"the unknown appears with different arguments ({shown}); write it with the same coordinates "
            "everywhere: values at other places are conditions"
        )
    unknown = unknowns[0]
    if not all(isinstance(a, sp.Symbol) for a in unknown.args) or len(set(unknown.args)) < len(unknown.args):
        raise ProblemError(f"the unknown must be a function of distinct symbols, as in u(x, y); got {unknown}")
    return unknown


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
