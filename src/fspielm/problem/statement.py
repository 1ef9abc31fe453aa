"""What a problem says, as it was written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, final

import numpy as np
import sympy as sp

from fspielm.errors import ProblemError
from fspielm.geometry.domain import Domain
from fspielm.problem.conditions import AnyCondition
from fspielm.problem.substitutions import ByRegion

if TYPE_CHECKING:
    from fspielm.problem.problem import Problem
    from fspielm.problem.scattering.incident import Incident


# What holds several expressions, in SymPy.
_VECTORS = (sp.MatrixBase, sp.Tuple, sp.NDimArray)

# Fourth derivatives go with the fourth power of lengths, which has to be far from where doubles end, at 1e308.
_LONGEST = 1e60


@final
@dataclass(frozen=True, eq=False)
class Statement:
    """Equations, their domain, conditions and what is given: all that a problem is made from, to be pickled for it.

    Attributes
    ----------
    equations : tuple of Eq or Expr
    domain : Domain
    conditions : tuple of AnyCondition
    given : mapping or None
    unknowns : tuple of AppliedUndef or None
        Their order, where it was given.
    incident : Incident or None
        What comes in from outside, on an open domain.
    origin : partial or None
        What makes the problem again where these do not: how it was made from another one.
    """

    equations: tuple[sp.Basic, ...]
    domain: Domain
    conditions: tuple[AnyCondition, ...]
    given: Mapping[Any, Any] | None = None
    unknowns: tuple[Any, ...] | None = None
    origin: partial[Problem] | None = None
    incident: Incident | None = None

    @property
    def expressions(self) -> list[sp.Basic]:
        """Everything in it that is written with SymPy, but for what is given."""
        written = [*self.equations, *(e for condition in self.conditions for e in condition.expressions)]
        written += [inner for e in written if isinstance(e, ByRegion) for inner in e.expressions]
        return [expression for expression in written if isinstance(expression, sp.Basic)]

    def __reduce__(self) -> tuple[Callable[..., Statement], tuple[Any, ...]]:
        # SymPy would compare the sides of equations anew when they are unpickled, which may take long
        sides = tuple((e.lhs, e.rhs) if isinstance(e, sp.Eq) else e for e in self.equations)
        return _joined, (sides, self.domain, self.conditions, self.given, self.unknowns, self.origin, self.incident)


def _joined(sides: tuple[Any, ...], *others: Any) -> Statement:
    equations = (sp.Eq(*side, evaluate=False) if isinstance(side, tuple) else side for side in sides)
    return Statement(tuple(equations), *others)


def state(
    equations: Any,
    domain: Domain,
    conditions: Any,
    given: Mapping[Any, Any] | None,
    unknowns: Any = None,
    incident: Any = None,
) -> Statement:
    """The statement, refused where its equations, its domain or its conditions are none."""
    if not isinstance(domain, Domain):
        raise ProblemError(f"domain must be a shape such as fs.Box((0, 0), (1, 1)); got {domain!r}")
    _check_size(domain)
    declared = tuple(unknowns) if isinstance(unknowns, list | tuple) else unknowns
    comes_in = None if incident is None else _as_incident(incident, domain)
    return Statement(_as_equations(equations), domain, _as_conditions(conditions), given, declared, incident=comes_in)


def _as_incident(incident: Any, domain: Domain) -> Incident | None:
    from fspielm.problem.scattering.incident import as_incident

    if not domain.is_unbounded:
        raise ProblemError(
            f"incident is for open domains, fs.Exterior(...); domain={domain!r} has an end: state what comes in by the "
            "conditions on its boundary"
        )
    return as_incident(incident)


def _as_equations(equations: Any) -> tuple[sp.Basic, ...]:
    """One equation or several, those of vectors component by component."""
    if isinstance(equations, set | frozenset | Mapping):
        raise ProblemError(f"equation must be one equation, or a list of them in their order; got {equations!r}")
    if isinstance(equations, sp.Eq) and any(isinstance(side, _VECTORS) for side in equations.args):
        return _componentwise(equations)
    if not isinstance(equations, _VECTORS) and (isinstance(equations, sp.Basic | str) or not _is_iterable(equations)):
        return (equations,)
    stated = tuple(one for each in equations for one in _as_equations(each))
    if not stated:
        raise ProblemError("equation is an empty list; write at least one SymPy Eq")
    return stated


def _componentwise(equation: sp.Eq) -> tuple[sp.Basic, ...]:
    """The components of an equation between vectors; zero stands for a vector of zeros."""
    left, right = (tuple(sp.flatten(side)) if isinstance(side, _VECTORS) else side for side in equation.args)
    number = max(len(side) for side in (left, right) if isinstance(side, tuple))
    sides = [(side,) * number if side == 0 else side for side in (left, right)]
    if not all(isinstance(side, tuple) and len(side) == number for side in sides):
        raise ProblemError(
            f"equation has sides of different numbers of components: {equation}; write as many on both, or zero"
        )
    return tuple(sp.Eq(*pair, evaluate=False) for pair in zip(*sides, strict=True))


def _is_iterable(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, sp.Expr)


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
