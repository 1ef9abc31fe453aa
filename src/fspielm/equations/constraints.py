"""Conditions bound to a domain: one constraint for each condition on each part it holds on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef

from fspielm.equations.conditions import BoundaryCondition, Condition, Initial
from fspielm.equations.givens import Givens
from fspielm.equations.operator import Operator
from fspielm.equations.regions import find_regions
from fspielm.errors import ProblemError
from fspielm.expressions import Field, Value, describe, make_field
from fspielm.geometry import BoundaryPart, Domain, Mask, Sampling, Sites, SpaceTime


class Sampler(Protocol):
    """Draws sites of a constraint's region."""

    def __call__(self, n: int, rng: np.random.Generator, sampling: Sampling = "uniform") -> Sites:
        """`n` sites (one, where the region is a single point)."""
        ...


@dataclass(frozen=True, eq=False)
class Constraint:
    """One condition on one region: what becomes one block of rows.

    Attributes
    ----------
    name : str
        The block's name: ``"dirichlet x-"``, ``"initial"``, ``"initial order 1"``.
    condition : Condition
    operator : Operator
    value : Field
    measure : float
        Length or area of the region.
    sample : callable
        Draws sites of the region.
    part : BoundaryPart or None
        The part of the boundary it holds on; None for an initial condition.
    mask : callable or None
        Limits the constraint to a piece of the part.
    """

    name: str
    condition: Condition
    operator: Operator
    value: Field
    measure: float
    sample: Sampler
    part: BoundaryPart | None = None
    mask: Mask | None = None


def bind_conditions(
    conditions: Sequence[Condition],
    domain: Domain,
    parts: tuple[BoundaryPart, ...],
    unknown: AppliedUndef,
    givens: Givens,
) -> tuple[Constraint, ...]:
    """Bind every condition to the regions where it holds, checking names and values."""
    coordinates: tuple[sp.Symbol, ...] = unknown.args
    constraints: list[Constraint] = []
    for condition in conditions:
        field = known_field(condition.value, f"the value of {type(condition).__name__}", unknown, givens)
        operator = condition.operator(domain.dimension)
        if isinstance(condition, Initial):
            constraints.append(_bind_initial(condition, operator, field, domain))
        elif isinstance(condition, BoundaryCondition):
            regions = find_regions(condition, domain, parts, coordinates, givens)
            constraints += [_on_part(condition, operator, field, *region) for region in regions]
        else:
            raise ProblemError(f"conditions: {condition!r} is neither on the boundary nor an Initial")
    return tuple(_distinct(constraints))


def known_field(value: Value, what: str, unknown: AppliedUndef, givens: Givens) -> Field:
    """A datum as a field, with what is given put in and the unknown refused."""
    functions = {}
    if isinstance(value, sp.Expr):
        if value.has(unknown.func):
            raise ProblemError(
                f"{what} is {describe(value)}, which contains the unknown {unknown}; "
                "a condition prescribes a known value"
            )
        value = givens.substitute(value)
        functions = givens.callables(value, unknown.args)
    return make_field(value, unknown.args, functions, what=what)


def _bind_initial(condition: Initial, operator: Operator, field: Field, domain: Domain) -> Constraint:
    if not isinstance(domain, SpaceTime):
        raise ProblemError("an Initial condition needs a domain with time; write domain=space * fs.Time(start, end)")
    name = "initial" if condition.order == 0 else f"initial order {condition.order}"
    return Constraint(name, condition, operator, field, domain.space.measure, domain.initial)


def _on_part(
    condition: BoundaryCondition,
    operator: Operator,
    field: Field,
    part: BoundaryPart,
    mask: Mask | None,
    share: float,
) -> Constraint:
    def masked(n: int, rng: np.random.Generator, sampling: Sampling = "uniform") -> Sites:
        return part.sample(n, rng, sampling, where=mask)

    sample: Sampler = part.sample if mask is None else masked
    return Constraint(
        f"{condition.kind} {part.name}", condition, operator, field, share * part.measure, sample, part, mask
    )


def _distinct(constraints: list[Constraint]) -> list[Constraint]:
    """Number the blocks that would share a name (two masked conditions on one part)."""
    seen: dict[str, int] = {}
    result = []
    for constraint in constraints:
        seen[constraint.name] = count = seen.get(constraint.name, 0) + 1
        if count > 1:
            constraint = replace(constraint, name=f"{constraint.name} ({count})")
        result.append(constraint)
    return result
