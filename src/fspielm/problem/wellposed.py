"""Whether a problem has the conditions that its equations need."""

from __future__ import annotations

import cmath
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray
from fspielm.errors import ProblemError, UnsuitableError
from fspielm.expr.functions import describe
from fspielm.geometry.boundary import BoundaryPart, Sites
from fspielm.geometry.domain import Domain
from fspielm.numerics.tolerances import PROBES, SAME
from fspielm.problem.operator import Operator, constant_operator, determinant, is_characteristic
from fspielm.problem.places import DOMAIN_PROBES, LEAST_SHARE, probe
from fspielm.problem.setting import Setting, format_point
from fspielm.problem.statement import Initial, Relation

_NEIGHBOURS = 8
_STEPS = np.linspace(0.0, 1.0, 12)[1:-1]


def connected_pieces(domain: Domain) -> tuple[FloatArray, NDArray[np.int_]]:
    """Points of the domain ``(n, d)``, and the number of the connected piece that contains each.

    Neighbouring points are connected if the straight line between them stays in the domain. If this finds several
    pieces, more points decide whether a narrow neck connects them.
    """
    points, labels = _sampled_pieces(domain, PROBES)
    return (points, labels) if labels.max() == 0 else _sampled_pieces(domain, DOMAIN_PROBES)


def _sampled_pieces(domain: Domain, n: int) -> tuple[FloatArray, NDArray[np.int_]]:
    from scipy.sparse import coo_array  # seldom needed, slow to import
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import cKDTree

    points = domain.sample(n, np.random.default_rng(0), "low-discrepancy")
    near = cKDTree(points).query(points, _NEIGHBOURS + 1)[1][:, 1:]
    first, second = np.repeat(np.arange(n), _NEIGHBOURS), near.ravel()
    ways = points[first, None] + _STEPS[:, None] * (points[second] - points[first])[:, None]
    free = domain.contains(ways.reshape(-1, domain.dimension)).reshape(len(first), -1).all(axis=1)
    graph = coo_array((np.ones(int(free.sum())), (first[free], second[free])), shape=(n, n))
    return points, connected_components(graph, directed=False)[1].astype(np.int_)


# ---- Systems of equations


def check_system(equations: Sequence[Relation], constraints: Sequence[Relation], setting: Setting) -> str:
    """Refuse a system with too few conditions; too many are solved by least squares.

    If the determinant has even order 2m in space, every part of the boundary that is not characteristic needs m
    conditions. Ordinary differential equations need as many as the order of the determinant. Every unknown needs an
    initial value for each of its time derivatives.

    Returns
    -------
    str
        What is missing, if there are conditions inside; empty otherwise.
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
    initial = sum(isinstance(c.condition, Initial) for c in constraints)
    if missing and initial >= operator.order_along(range(setting.dimension - 1, setting.dimension)):
        missing = ""  # fewer are enough if an equation relates time derivatives to each other
    if setting.dimension == 1:
        number = sum(c.region.count or operator.order for c in constraints)
        if number < operator.order and not missing:
            missing = (
                f"conditions: these ordinary differential equations are of order {operator.order} together and take as "
                f"many conditions; got {number}{_unknowns_without_conditions(constraints, setting)}"
            )
    else:
        is_transport = setting.domain.time is not None and all(one.order <= 1 for one in operators)
        if not is_transport:  # whose inflow and outflow differ
            missing = missing or next(
                filter(None, (_missing_on(p, constraints, operator, setting) for p in setting.parts)), ""
            )
    if missing and not any(c.region.kind == "inside" for c in constraints):
        raise ProblemError(missing)
    return missing


def _refuse_undetermined(equations: Sequence[Relation], constraints: Sequence[Relation], setting: Setting) -> None:
    """Refuse an unknown without conditions that only one equation contains, by its derivatives alone.

    Any field that these derivatives make zero can be added to it. In one space dimension such fields are few, and
    counted elsewhere.
    """
    if len(setting.space) < 2:
        return
    about = {term.unknown for constraint in constraints for term in constraint.operator.terms}
    for place, symbol in enumerate(setting.symbols):
        own = [(e.name, part) for e in equations if (part := e.operator.part(place)).terms]
        if place not in about and len(own) == 1 and min(term.order for term in own[0][1].terms) > 0:
            raise ProblemError(
                f"conditions: {symbol} has none, and only {own[0][0]} contains it, by its derivatives: nothing "
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


def _missing_on(part: BoundaryPart, constraints: Sequence[Relation], operator: Operator, setting: Setting) -> str:
    order = operator.order_along(setting.space)
    needed = order // 2 if order % 2 == 0 else 0
    sites = probe(part)
    number, _ = _count_along(sites, [c for c in constraints if part in c.region.parts])
    if np.all(number >= needed):
        return ""
    few = np.flatnonzero((number < needed) & ~is_characteristic(operator, sites, setting.space))
    if not few.size:
        return ""
    return (
        f"the boundary part {part.name!r} has {number[few[0]]:g} of the {needed} conditions that the equations need "
        f"there (the parts are {[p.name for p in setting.parts]}); add to them"
        f"{_unknowns_without_conditions(constraints, setting)}"
    )


def _count_along(sites: Sites, here: Sequence[Relation]) -> tuple[FloatArray, list[BoolArray]]:
    """The number of conditions at each site of a part, and where each of them holds."""
    covered = [np.ones(len(sites), dtype=np.bool_) if c.mask is None else c.mask(sites.points) for c in here]
    number = np.zeros(len(sites))
    for condition, mask in zip(here, covered, strict=True):
        # a periodic condition is half a condition on each of its two parts
        number += (0.5 if condition.region.partner is not None else 1.0) * mask
    return number, covered


def _unknowns_without_conditions(constraints: Sequence[Relation], setting: Setting) -> str:
    """The unknowns without conditions, in words."""
    seen = {term.unknown for constraint in constraints for term in constraint.operator.terms}
    names = [str(symbol) for place, symbol in enumerate(setting.symbols) if place not in seen]
    return f" ({', '.join(names)} {'has' if len(names) == 1 else 'have'} none)" if names else ""


# ---- A single equation


def check_conditions(relations: tuple[Relation, ...], setting: Setting) -> str:
    """Refuse missing, doubled and contradicting conditions; see `check_system` for several unknowns.

    An equation of even order 2m in space needs m conditions on every part of the boundary. Equations of odd order
    (advection) are not checked, as inflow and outflow differ, nor are places where the boundary is characteristic, such
    as the axis r = 0 for ``r*u_rr + u_r + r*u_zz``. An ordinary differential equation needs as many conditions as its
    order, anywhere; periodic ends may need more, as for the constant of ``u_xx = f``.

    Conditions inside may replace missing ones, and are never too many.

    Returns
    -------
    str
        What is missing, if nothing inside can replace it (see `_can_stand_in`) or on a separate piece of the domain;
        empty otherwise.
    """
    equations = [relation for relation in relations if relation.condition is None]
    constraints = [r for r in relations if r.condition is not None and r.region.kind != "interface"]
    domain = setting.domain
    if not constraints:
        alone = "equation alone has" if len(equations) == 1 else "equations alone have"
        names = [str(unknown.symbol.func) for unknown in setting.unknowns]
        value = "0" if len(names) == 1 else "{" + ", ".join(f"{name}: 0" for name in names) + "}"
        raise ProblemError(f"conditions is empty: the {alone} many solutions; add for instance fs.Dirichlet({value})")
    if len(setting.unknowns) > 1:
        return check_system(equations, constraints, setting)
    operator = determinant([equation.operator for equation in equations], 1, domain)
    inside = [c for c in constraints if c.region.kind == "inside"]
    missing = []
    if domain.time is not None:
        given = [c.condition for c in constraints if isinstance(c.condition, Initial)]
        late = _check_initial(given, operator, may_miss=bool(inside))
        if domain.dimension > 1 or len(given) + _count_inside(inside, operator.order) < operator.order:
            missing.append(late)
    boundary = [c for c in constraints if c.region.kind == "boundary"]
    for part in setting.parts:
        here = [c for c in boundary if part in c.region.parts]
        missing.append(_check_part(part, here, operator, setting, may_miss=bool(inside)))
    if setting.parts and domain.dimension == 1:
        _check_count(boundary, inside, operator, setting)
    if any(missing) and not any(_can_stand_in(c, domain, operator) for c in inside):
        return next(filter(None, missing))
    return _undetermined_piece(constraints, domain, operator)


def _can_stand_in(constraint: Relation, domain: Domain, operator: Operator) -> bool:
    """Whether a condition inside can replace one on the boundary or at the start.

    In several coordinates points cannot. A curve along the boundary or the start of time can; any curve can if the
    equation runs backward in time as well as forward. Otherwise the problem beyond the curve is ill-posed, as the
    backward heat equation is.
    """
    part, time = constraint.part, domain.time
    if part is None:
        return False
    if time is not None:
        *space, last = range(domain.dimension)
        if operator.order_along(range(last, last + 1)) >= operator.order_along(range(len(space))):
            return True
    points = probe(part).points
    before_end = np.full(len(points), True) if time is None else points[:, -1] < time.end - SAME * time.duration
    return bool(np.all(before_end & ~domain._contains(points, False)))


def _check_count(
    boundary: Sequence[Relation], inside: Sequence[Relation], operator: Operator, setting: Setting
) -> None:
    """Refuse too few or too many conditions of an ordinary differential equation."""
    intervals = max(len(setting.parts) // 2, 1)  # a line with gaps has an equation of its own on every piece
    needed = operator.order * intervals
    further = _count_inside(inside, needed)
    open_ends = count_left_open(boundary, operator)
    if len(boundary) - open_ends <= needed <= len(boundary) + further:
        return
    if any(is_characteristic(operator, probe(part), range(1)).any() for part in setting.parts):
        return
    pieces = "" if intervals == 1 else f" on {intervals} intervals"
    more = f", and {open_ends} more for what periodic ends leave open" if open_ends else ""
    raise ProblemError(
        f"conditions: an ordinary differential equation of order {operator.order}{pieces} takes {needed} of them"
        f"{more}; got {len(boundary) + further} ({', '.join(c.name for c in [*boundary, *inside])})"
    )


def _count_inside(inside: Sequence[Relation], needed: int) -> int:
    """The number of points of conditions inside; a curve has as many as needed."""
    return sum(needed if c.region.count is None else c.region.count for c in inside)


def _check_part(
    part: BoundaryPart, here: Sequence[Relation], operator: Operator, setting: Setting, *, may_miss: bool
) -> str:
    """What is missing on a part; refused unless `may_miss`."""
    sites = probe(part)
    number, covered = _count_along(sites, here)
    _check_doubled(part, here, covered)
    order = operator.order_along(setting.space)
    if operator.dimension == 1 or order % 2 or order == 0:
        return ""
    needed = order // 2
    # before the coefficients are evaluated to see where the boundary is characteristic
    if np.all(number == needed):
        return ""
    wrong = (number != needed) & ~is_characteristic(operator, sites, setting.space)
    if np.any(wrong & (number > needed)):
        raise ProblemError(
            f"the part {part.name!r} has contradicting conditions ({', '.join(c.name for c in here)}): "
            f"an equation of order {order} in space takes {needed} there; remove one, or limit it with on="
        )
    few = np.flatnonzero(wrong & (number < needed))
    if not few.size:
        return ""
    wanted = f"{int(number[few[0]])} of the {needed} condition{'s' * (needed > 1)} it needs"
    missing = _missing(part, here, wanted, sites.points[few[0]], setting)
    if not may_miss:
        raise ProblemError(missing)
    return missing


def _check_doubled(part: BoundaryPart, here: Sequence[Relation], covered: Sequence[BoolArray]) -> None:
    for i, second in enumerate(here):
        for j, first in enumerate(here[:i]):
            one, other = first.condition, second.condition
            if one is None or other is None or one is other or not np.any(covered[i] & covered[j]):
                continue
            if one.kind == other.kind and not one.repeats:
                raise ProblemError(
                    f"the part {part.name!r} has two {type(other).__name__} conditions "
                    f"({_format_value(first)} and {_format_value(second)}); "
                    "keep one, or limit them with on="
                )
            tied = first.region.partner is not None or second.region.partner is not None
            if tied and part.parameters:  # the ends of an interval are counted
                raise ProblemError(
                    f"the part {part.name!r} has contradicting conditions ({first.name}, {second.name}): "
                    "one that is periodic takes no other; remove one, or write fs.Measured to fix a value at a point"
                )


def _format_value(constraint: Relation) -> str:
    value = constraint.value
    return describe(value.source) if value.constant is None else f"{value.constant:g}"


def _missing(part: BoundaryPart, here: Sequence[Relation], wanted: str, point: FloatArray, setting: Setting) -> str:
    if any(c.mask is not None for c in here):
        place = format_point(setting.coordinates, point, 4)
        limits = ", ".join(describe(getattr(c.condition, "on", None)) for c in here if c.mask is not None)
        return (
            f"a piece of the boundary part {part.name!r}, for instance at {place}, has {wanted} "
            f"(others hold only on {limits}); add one that holds there"
        )
    return (
        f"the boundary part {part.name!r} has {wanted} (the parts are {[p.name for p in setting.parts]}); "
        f"add one with on={part.name!r}, or without on= for the whole boundary"
    )


def _check_initial(given: Sequence[Initial], operator: Operator, *, may_miss: bool) -> str:
    """What is missing at the start of time; refused unless `may_miss`."""
    time = range(operator.dimension - 1, operator.dimension)
    needed = operator.order_along(time)
    orders = [condition.order for condition in given]
    for order in orders:
        if orders.count(order) > 1:
            raise ProblemError(f"conditions: two Initial conditions of order {order}; keep one")
        if order >= needed:
            raise ProblemError(
                f"conditions: Initial of order {order} for an equation of order {needed} in time; "
                f"prescribe order{'s' * (needed > 1)} {', '.join(map(str, range(needed)))}"
                if needed
                else f"conditions: Initial of order {order}, but the equation has no time derivative; remove it"
            )
    for order in range(needed):
        if order in orders:
            continue
        what = ("value", "velocity")[order] if order < 2 else f"time derivative {order}"
        missing = (
            f"conditions: the equation is of order {needed} in time and misses "
            f"fs.Initial(..., order={order}), the {what} at the start"
        )
        if not may_miss:
            raise ProblemError(missing)
        return missing
    return ""


def count_left_open(boundary: Sequence[Relation], operator: Operator) -> int:
    """How many further conditions periodic ends of an ordinary differential equation need."""
    tied = [(c.region.shift, c.region.factor) for c in boundary if c.region.shift is not None]
    return periodic_solutions(operator, float(tied[0][0][0]), tied[0][1]) if tied else 0


def periodic_solutions(operator: Operator, period: float, factor: complex = 1.0) -> int:
    """The dimension of the kernel of an operator of one coordinate among functions of this period, up to a factor.

    With constant coefficients these are the multiples of 2 pi / period, moved by the phase of the factor, at which the
    symbol vanishes. Otherwise only constants are found, if every term has a derivative.
    """
    try:
        terms = constant_operator(operator).operator.terms
    except UnsuitableError:
        return int(factor == 1 and all(term.order > 0 for term in operator.terms))
    values = {term.order: term.coefficient for term in terms if not callable(term.coefficient)}
    coefficients = np.array([values.get(order, 0.0) for order in range(operator.order, -1, -1)])
    first = cmath.log(factor)
    turns = {round((root * period - first).imag / (2 * np.pi)) for root in np.roots(coefficients)}
    roots = np.array([(first + 2j * np.pi * n) / period for n in turns])
    sizes = np.polyval(np.abs(coefficients), np.abs(roots))
    return int(np.count_nonzero(np.abs(np.polyval(coefficients, roots)) <= SAME * sizes))


def _undetermined_piece(constraints: Sequence[Relation], domain: Domain, operator: Operator) -> str:
    """Describe a piece of the domain on which the solution is determined only up to a constant; empty if there is none.

    The error estimate does not see this: functions of all space carry the constant of one piece over to the others.
    """
    if domain.time is not None or not domain.may_be_in_pieces or any(term.order == 0 for term in operator.terms):
        return ""
    points, labels = connected_pieces(domain)
    counts = np.bincount(labels)
    large = np.flatnonzero(counts >= LEAST_SHARE * len(points))
    if len(large) < 2:
        return ""
    fixing = [c for c in constraints if any(term.order == 0 for term in c.operator.terms)]
    held = {int(label) for c in fixing for label in _adjacent_pieces(c, points, labels)}
    for label in large:
        if int(label) not in held:
            place = ", ".join(f"{v:.3g}" for v in points[labels == label].mean(axis=0))
            return (
                f"the piece of the domain around ({place}) is not joined to the rest, and has no condition that fixes "
                "values there"
            )
    return ""


def _adjacent_pieces(constraint: Relation, points: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The pieces next to the sites of a constraint."""
    from scipy.spatial import cKDTree

    sites = constraint.sample(PROBES, np.random.default_rng(0))
    return np.unique(labels[cKDTree(points).query(sites.points)[1]])
