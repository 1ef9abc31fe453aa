"""Whether a system has the conditions that it needs, as far as that can be counted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fspielm.equations.conditions import Initial
from fspielm.equations.determinant import determinant
from fspielm.equations.operator import Operator
from fspielm.equations.regions import probe
from fspielm.equations.relations import Relation
from fspielm.equations.setting import Setting
from fspielm.errors import ProblemError
from fspielm.geometry import BoundaryPart


def check_system(equations: Sequence[Relation], constraints: Sequence[Relation], setting: Setting) -> str:
    """Refuse too few conditions, by name; more than needed are a matter of least squares.

    A system whose determinant is of even order 2m in space takes m conditions on every part of the boundary, one of
    ordinary differential equations as many as the order of its determinant, and every unknown a value at the start of
    time for each of its time derivatives.

    Returns
    -------
    str
        What is missing, where something is known inside; empty otherwise.
    """
    operators = [equation.operator for equation in equations]
    operator = determinant(operators, len(setting.unknowns), setting.domain)
    names = ", ".join(map(str, setting.symbols))
    if not operator.terms:
        raise ProblemError(
            f"the equations do not determine {names}: the determinant of their derivatives vanishes identically, as "
            "where one of them follows from the others; replace one"
        )
    if operator.order == 0:
        raise ProblemError(
            f"the equations are no differential equations: {names} follow from one another without a condition; solve "
            "for one of them by hand"
        )
    _refuse_undetermined(equations, constraints, setting)
    missing = _missing_initial(constraints, equations, setting)
    if missing and _initial_values(constraints) >= operator.order_along(
        range(setting.dimension - 1, setting.dimension)
    ):
        missing = ""  # fewer may do where an equation ties time derivatives together
    if setting.dimension == 1:
        number = sum(c.region.count or operator.order for c in constraints)
        if number < operator.order and not missing:
            missing = (
                f"conditions: these ordinary differential equations are of order {operator.order} together and take as "
                f"many conditions; got {number}{_without(constraints, setting)}"
            )
    else:
        needed = _needed(operator, operators, setting)
        missing = missing or next(
            filter(None, (_missing_on(p, constraints, needed, setting) for p in setting.parts)), ""
        )
    if missing and not any(c.region.kind == "inside" for c in constraints):
        raise ProblemError(missing)
    return missing


def _needed(operator: Operator, operators: Sequence[Operator], setting: Setting) -> int:
    """How many conditions every part of the boundary takes, at least.

    What a system of first order carries along in time may come in at one part and leave at another.
    """
    if setting.domain.time is not None and all(one.order <= 1 for one in operators):
        return 0
    order = operator.order_along(setting.space)
    return order // 2 if order % 2 == 0 else 0


def _initial_values(constraints: Sequence[Relation]) -> int:
    return sum(isinstance(c.condition, Initial) for c in constraints)


def _refuse_undetermined(equations: Sequence[Relation], constraints: Sequence[Relation], setting: Setting) -> None:
    """Refuse an unknown without conditions whose derivatives stand in one equation alone.

    Whatever the others are, its own part of that equation may then be zero without it being so. In one coordinate of
    space that leaves few functions, which are counted.
    """
    if len(setting.space) < 2:
        return
    about = {term.unknown for constraint in constraints for term in constraint.operator.terms}
    for place, symbol in enumerate(setting.symbols):
        its = [(e.name, part) for e in equations if (part := e.operator.part(place)).terms]
        if place not in about and len(its) == 1 and min(term.order for term in its[0][1].terms) > 0:
            raise ProblemError(
                f"conditions: {symbol} has none, and only {its[0][0]} contains it, by its derivatives: nothing "
                f"determines it; add for instance fs.Dirichlet({{{symbol.func.__name__}: 0}})"
            )


def _missing_initial(constraints: Sequence[Relation], equations: Sequence[Relation], setting: Setting) -> str:
    if setting.domain.time is None:
        return ""
    terms = [term for equation in equations for term in equation.operator.terms]
    given = {
        (term.unknown, c.condition.order)
        for c in constraints
        if isinstance(c.condition, Initial)
        for term in c.operator.terms
    }
    for place, symbol in enumerate(setting.symbols):
        order = max((term.orders[-1] for term in terms if term.unknown == place), default=0)
        strange = sorted(of for on, of in given if on == place and of >= order)
        if strange:
            raise ProblemError(
                f"conditions: Initial of order {strange[0]} for {symbol}, which the equations have time derivatives of "
                f"order {order} of; remove it"
            )
        for wanted in range(order):
            if (place, wanted) not in given:
                shown = f", order={wanted}" if wanted else ""
                name = symbol.func.__name__
                return (
                    f"conditions: {symbol} has time derivatives of order {order} and misses "
                    f"fs.Initial({{{name}: ...}}{shown})"
                )
    return ""


def _missing_on(part: BoundaryPart, constraints: Sequence[Relation], needed: int, setting: Setting) -> str:
    sites = probe(part)
    number = np.zeros(len(sites))
    for constraint in constraints:
        if part in constraint.region.parts:
            mask = np.ones(len(sites)) if constraint.mask is None else constraint.mask(sites.points)
            # what ties two parts together is half a condition on each
            number += (0.5 if constraint.region.partner is not None else 1.0) * mask
    few = np.flatnonzero(number < needed)
    if not few.size:
        return ""
    return (
        f"the boundary part {part.name!r} has {number[few[0]]:g} of the {needed} conditions that the equations need "
        f"there (the parts are {[p.name for p in setting.parts]}); add to them"
        f"{_without(constraints, setting)}"
    )


def _without(constraints: Sequence[Relation], setting: Setting) -> str:
    """The unknowns that no condition is about, in words."""
    seen = {term.unknown for constraint in constraints for term in constraint.operator.terms}
    names = [str(symbol) for place, symbol in enumerate(setting.symbols) if place not in seen]
    return f" ({', '.join(names)} {'has' if len(names) == 1 else 'have'} none)" if names else ""
