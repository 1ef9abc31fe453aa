"""The statement of a problem: equation, domain, conditions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef

from fspielm.equations.conditions import AnyCondition
from fspielm.equations.constraints import Constraint, bind_conditions
from fspielm.equations.givens import Givens, read_givens
from fspielm.equations.linear import read_equation
from fspielm.equations.operator import Operator
from fspielm.equations.setting import Setting
from fspielm.equations.typeset import problem_html, problem_latex
from fspielm.equations.wellposed import check_conditions
from fspielm.errors import ProblemError
from fspielm.expressions import Field, describe
from fspielm.geometry import Domain, Time

# Fourth derivatives go with the fourth power of lengths, which has to be far from where doubles end, at 1e308.
_LONGEST = 1e60


@final
@dataclass(frozen=True, init=False, eq=False, repr=False)
class Problem:
    """A linear differential equation with its domain and conditions.

    Parameters
    ----------
    equation : Eq or Expr
        An equation, or an expression meant to be zero, in one unknown function; the order of that function's
        arguments is the order of the coordinates everywhere.
    domain : Domain
        Where it holds; ``space * Time(a, b)`` if the last coordinate is time, ``Time(a, b)`` if it is the only one.
    conditions : sequence of AnyCondition
        `Dirichlet`, `Neumann`, `Robin`, `Periodic`, `Symmetry`, `Initial`, `Measured`, or any `Condition`.
    given : mapping, optional
        Numbers for symbols, and callables ``(n, d) -> (n,)`` for known functions (and, where the equation
        needs them, for their derivatives): ``given={k: 3.0, f: callable, a(x).diff(x): callable}``. Callables
        get every coordinate of the points, whatever coordinates the function is written with. A function used
        in two ways is given in both: ``given={f(x): callable, f(y): callable}``.

    Attributes
    ----------
    equation, domain, conditions
        As stated.
    unknown : AppliedUndef
    coordinates : tuple of Symbol
    operator : Operator
    right_hand_side : Field
    constraints : tuple of Constraint
        The conditions, one entry for each part of the boundary that they hold on.
    givens : Givens
        What was given, for other data of the same problem.
    missing : str
        Which condition is missing, where nothing that holds inside can stand for it; empty otherwise.

    Raises
    ------
    ProblemError
        If the statement cannot be solved as written.
    """

    equation: sp.Basic
    domain: Domain
    conditions: tuple[AnyCondition, ...]
    unknown: AppliedUndef
    coordinates: tuple[sp.Symbol, ...]
    operator: Operator
    right_hand_side: Field
    constraints: tuple[Constraint, ...]
    givens: Givens
    missing: str
    # How to make it again: what was compiled from the statement cannot be pickled, and follows from it.
    _origin: tuple[Callable[..., Problem], tuple[Any, ...]]

    def __init__(
        self,
        equation: sp.Basic,
        domain: Domain,
        conditions: Sequence[AnyCondition],
        given: Mapping[Any, Any] | None = None,
    ) -> None:
        if not isinstance(domain, Domain):
            raise ProblemError(f"domain must be a shape such as fs.Box((0, 0), (1, 1)); got {domain!r}")
        _check_size(domain)
        stated = _as_conditions(conditions)
        givens = read_givens(given)
        linear = read_equation(equation, givens, domain)
        _check_coordinates(linear.unknown, domain)
        parts = domain.boundary([str(symbol) for symbol in linear.coordinates])
        constraints = bind_conditions(stated, Setting(linear.unknown, linear.operator, givens, domain, parts))
        missing = check_conditions(constraints, parts, domain, linear.operator)
        givens.check_use([equation, *(e for c in stated for e in c.expressions if isinstance(e, sp.Basic))])
        for name, attribute in {
            "equation": equation,
            "domain": domain,
            "conditions": stated,
            "unknown": linear.unknown,
            "coordinates": linear.coordinates,
            "operator": linear.operator,
            "right_hand_side": linear.right_hand_side,
            "constraints": constraints,
            "givens": givens,
            "missing": missing,
            "_origin": (_restate, (_sides(equation), domain, stated, given)),
        }.items():
            object.__setattr__(self, name, attribute)

    def __reduce__(self) -> tuple[Callable[..., Problem], tuple[Any, ...]]:
        return self._origin

    @property
    def dimension(self) -> int:
        """Number of coordinates, time included."""
        return self.domain.dimension

    def _repr_latex_(self) -> str:
        """What a notebook shows where it sets LaTeX."""
        return problem_latex(self)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return problem_html(self)

    def __repr__(self) -> str:
        return f"Problem({describe(self.equation)}, domain={self.domain!r}, conditions={list(self.conditions)})"


def _sides(equation: sp.Basic) -> sp.Basic | tuple[sp.Basic, sp.Basic]:
    """An equation as a pair: SymPy would compare its sides anew when it is unpickled, which may take long."""
    return (equation.lhs, equation.rhs) if isinstance(equation, sp.Eq) else equation


def _restate(
    equation: sp.Basic | tuple[sp.Basic, sp.Basic],
    domain: Domain,
    conditions: Sequence[AnyCondition],
    given: Mapping[Any, Any] | None,
) -> Problem:
    stated = sp.Eq(*equation, evaluate=False) if isinstance(equation, tuple) else equation
    return Problem(stated, domain, conditions, given)


def _as_conditions(conditions: Any) -> tuple[AnyCondition, ...]:
    if isinstance(conditions, AnyCondition):
        return (conditions,)
    if not isinstance(conditions, Iterable):
        raise ProblemError(f"conditions must be a list such as [fs.Dirichlet(0)]; got {conditions!r}")
    stated = tuple(conditions)
    for condition in stated:
        if not isinstance(condition, AnyCondition):
            raise ProblemError(
                f"conditions must be objects such as fs.Dirichlet(0), fs.Neumann(0) or fs.Initial(0); got {condition!r}"
            )
    return stated


def _check_size(domain: Domain) -> None:
    lower, upper = domain.bounding_box
    with np.errstate(over="ignore"):
        lengths = upper - lower
    farthest = max(np.abs(lower).max(), np.abs(upper).max())
    if np.all(lengths >= 1 / _LONGEST) and max(lengths.max(), farthest) <= _LONGEST:
        return
    raise ProblemError(
        f"domain={domain!r} has sides of length {', '.join(f'{length:g}' for length in lengths)} and reaches out to "
        f"{farthest:g}; lengths must be from {1 / _LONGEST:g} to {_LONGEST:g}, and coordinates no larger: state the "
        "problem in other units"
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
