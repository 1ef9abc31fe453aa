"""Conditions, the statement of a problem, and the relations that follow from it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, cast, final

import numpy as np
import sympy as sp
from sympy.logic.boolalg import Boolean, BooleanAtom

from fspielm.arrays import BoolArray, FloatArray, NumberArray
from fspielm.errors import ProblemError
from fspielm.expr.functions import Field, Value, check_value
from fspielm.geometry.boundary import BoundaryPart, Mask, Sites
from fspielm.geometry.domain import Domain
from fspielm.geometry.time import SpaceTime, Time
from fspielm.problem.operator import (
    FEW_SITES,
    Operator,
    along_normal,
    cache_by_object,
    derivative,
    field_coefficient,
    identity,
)
from fspielm.problem.places import Region, Sampler, Where, axes_across, boundary_regions, is_rest
from fspielm.problem.scattering.incident import Incident, as_incident
from fspielm.problem.setting import Rule, Setting, by_unknown, freeze, written
from fspielm.problem.substitutions import ByRegion

if TYPE_CHECKING:
    from fspielm.problem.problem import Problem


class AnyCondition(ABC):
    """A condition that unknowns satisfy besides the equations.

    A new condition defines its `kind`, a word for messages and row blocks; the `regions` where it holds; and the
    `rules` that hold there.
    """

    kind: ClassVar[str]
    # Whether several of this kind may hold at one place, as they may prescribe different things.
    repeats: ClassVar[bool] = False
    weight: float

    @property
    def has_normals(self) -> bool:
        """Whether its values may depend on the outward normal."""
        return False

    @abstractmethod
    def regions(self, setting: Setting) -> list[Region]:
        """Where it holds."""

    def about(self, setting: Setting) -> frozenset[int]:
        """The indices of the unknowns that it names; all, if it names none."""
        value = getattr(self, "value", getattr(self, "values", None))
        if not isinstance(value, Mapping):
            return frozenset(range(len(setting.unknowns)))
        return frozenset(place for place, _, _ in by_unknown(value, type(self).__name__, setting))

    @abstractmethod
    def rules(self, setting: Setting, across: tuple[int, ...]) -> tuple[Rule, ...]:
        """The operators with prescribed values; `across` has the order of the equations along the normal by unknown."""

    @property
    def expressions(self) -> tuple[Any, ...]:
        """The values and expressions that the user wrote, among other attributes."""
        return tuple(one for value in vars(self).values() for one in written(value))

    def read_value(self, value: Any, what: str, setting: Setting) -> Field:
        """A value of the condition as a field."""
        return setting.field(value, what, normals=self.has_normals)

    def with_value(self, value: Any, setting: Setting) -> AnyCondition:
        """The same condition with another value."""
        if not hasattr(self, "value"):
            raise ProblemError(f"the value of {type(self).__name__} is always zero; it cannot be replaced by {value!r}")
        changed: AnyCondition = replace(cast(Any, self), value=value)
        return changed


class BoundaryCondition(AnyCondition):
    """A condition on the boundary, or on the part of it that `on` names."""

    on: Where | None

    def __post_init__(self) -> None:
        check_weight(self.weight, type(self).__name__)
        object.__setattr__(self, "on", check_where(self.on, type(self).__name__))

    @property
    def has_normals(self) -> bool:
        """True: every part of a boundary has normals."""
        return True

    def regions(self, setting: Setting) -> list[Region]:
        """The parts, or pieces of parts, that `on` means."""
        return boundary_regions(self.on, type(self).__name__, setting)


def check_where(on: Any, who: str) -> Where | None:
    """Refuse an invalid ``on=``; a list of names becomes a tuple."""
    if isinstance(on, bool | np.bool_ | BooleanAtom):
        raise ProblemError(
            f"{who}: on={on} is a plain truth value (what Python makes of `x == 0`, and SymPy of a relation "
            "that the assumptions on its symbols decide); write sp.Eq(x, 0), a part's name, or a function of "
            "the points"
        )
    if isinstance(on, Sequence) and not isinstance(on, str):
        if on and all(isinstance(name, str) for name in on):
            return tuple(on)
    elif on is None or isinstance(on, str | Boolean) or callable(on):
        where: Where | None = on
        return where
    raise ProblemError(
        f"{who}: on must be a part's name, a list of names, a SymPy relation or a callable mask; got {on!r}"
    )


def check_weight(weight: Any, who: str) -> None:
    """Refuse anything but a positive number."""
    if isinstance(weight, bool) or not isinstance(weight, Real) or not 0 < float(weight) < np.inf:
        raise ProblemError(f"{who}: weight must be a positive number; got {weight!r}")


def prescribed(
    condition: AnyCondition, operator: Operator, value: Any, setting: Setting, label: str = ""
) -> tuple[Rule, ...]:
    """One rule for each unknown in `value`: the operator and its value."""
    who = type(condition).__name__
    rules = []
    for place, name, one in by_unknown(value, who, setting):
        what = f"the value{'s' * (condition.kind == 'measured')} of {who}" + f" for {name}" * bool(name)
        label_here = " ".join(filter(None, (name, label)))
        rules.append(Rule(operator.on(place), condition.read_value(one, what, setting), label_here))
    return tuple(rules)


def vanishing(setting: Setting, orders: Sequence[Sequence[int]], plain: int = 0) -> tuple[Rule, ...]:
    """Rules that set normal derivatives of these orders to zero, by unknown; labels name orders above `plain`."""
    rules = []
    for place, its_orders in enumerate(orders):
        name = setting.symbols[place].func.__name__ if len(orders) > 1 else ""
        for order in its_orders:
            operator = along_normal(setting.dimension, order, setting.space).on(place)
            label = " ".join(filter(None, (name, f"order {order}" * (order > plain))))
            rules.append(Rule(operator, setting.field(0, "zero"), label))
    return tuple(rules)


@dataclass(frozen=True)
class _PrescribedOnBoundary(BoundaryCondition):
    """A value for something on the boundary."""

    value: Value | Mapping[Any, Value]
    on: Where | None = None
    weight: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", freeze(self.value, f"{type(self).__name__}: value"))
        super().__post_init__()


@final
@dataclass(frozen=True)
class Dirichlet(_PrescribedOnBoundary):
    """The value of the unknown on the boundary.

    Parameters
    ----------
    value : number, Expr or callable ``(n, d) -> (n,)``; or a mapping from unknowns to such
        With several unknowns, the prescribed ones: ``{u: 1, v: 0}``. A callable that needs a second argument gets
        the outward normals ``(n, d)`` in it. In an expression, ``fs.normal_derivative`` of a known function is its
        derivative along the normal.
    on : str, list of str, SymPy relation or callable mask, optional
        Where it holds: names of boundary parts, also with wildcards (``"circle*"``); ``"rest"`` for everything that no
        other condition on the same unknowns covers; a relation such as ``x < 0.5`` or ``sp.Eq(x, 0)``; or a function
        from points to a mask. The whole boundary by default.
    weight : float
        Weight of its rows relative to those of the equation; 1 is right unless the data are known to be less accurate.
    """

    kind: ClassVar[str] = "dirichlet"

    def rules(self, setting: Setting, across: tuple[int, ...]) -> tuple[Rule, ...]:
        """The unknown itself."""
        return prescribed(self, identity(setting.dimension), self.value, setting)


@final
@dataclass(frozen=True)
class Neumann(_PrescribedOnBoundary):
    """The derivative of the unknown along the outward normal; parameters as for `Dirichlet`."""

    kind: ClassVar[str] = "neumann"

    def rules(self, setting: Setting, across: tuple[int, ...]) -> tuple[Rule, ...]:
        """The normal derivative."""
        return prescribed(self, along_normal(setting.dimension, axes=setting.space), self.value, setting)


@final
@dataclass(frozen=True)
class Initial(AnyCondition):
    """The unknown, or its time derivative of the given order, at the start of time.

    Parameters
    ----------
    value : number, Expr or callable ``(n, d) -> (n,)``, or a mapping from unknowns to such
    order : int
        0 for the value itself, 1 for the velocity, and so on.
    weight : float
        As for `Dirichlet`.
    """

    value: Value | Mapping[Any, Value]
    order: int = 0
    weight: float = 1.0
    kind: ClassVar[str] = "initial"

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", freeze(self.value, "Initial: value"))
        check_weight(self.weight, "Initial")
        if not isinstance(self.order, int | np.integer) or isinstance(self.order, bool) or self.order < 0:
            raise ProblemError(f"Initial: order must be a whole number, 0 or more; got {self.order!r}")

    def regions(self, setting: Setting) -> list[Region]:
        """The start of time."""
        domain = setting.domain
        if isinstance(domain, Time):
            return [Region("start", "", 1.0, domain.initial, count=1)]
        if not isinstance(domain, SpaceTime):
            raise ProblemError(
                "an Initial condition needs a domain with time; write domain=space * fs.Time(start, end), or "
                "domain=fs.Time(start, end) for an ordinary differential equation in time"
            )
        return [Region("start", "", domain.space.measure, domain.initial)]

    def rules(self, setting: Setting, across: tuple[int, ...]) -> tuple[Rule, ...]:
        """The time derivative of this order."""
        operator = derivative((0,) * (setting.dimension - 1) + (int(self.order),))
        return prescribed(self, operator, self.value, setting, f"order {self.order}" if self.order else "")


@final
@dataclass(frozen=True)
class Robin(BoundaryCondition):
    """``alpha u + beta du/dn = value`` with the outward normal n, as for heat lost to the surroundings.

    Parameters
    ----------
    alpha, beta : number, Expr or callable ``(n, d) -> (n,)``
    value : number, Expr or callable, or a mapping from unknowns to such
        With several unknowns, the same mixture for each one named.
    on, weight
        As for `Dirichlet`.
    """

    alpha: Value
    beta: Value
    value: Value | Mapping[Any, Value]
    on: Where | None = None
    weight: float = 1.0
    kind: ClassVar[str] = "robin"
    repeats: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for name in ("alpha", "beta"):
            check_value(getattr(self, name), f"Robin: {name}")
        object.__setattr__(self, "value", freeze(self.value, "Robin: value"))
        super().__post_init__()

    def rules(self, setting: Setting, across: tuple[int, ...]) -> tuple[Rule, ...]:
        """The one mixture."""
        alpha, beta = (self.read_value(getattr(self, n), f"the {n} of Robin", setting) for n in ("alpha", "beta"))
        if alpha.constant == 0.0 and beta.constant == 0.0:
            raise ProblemError("Robin: alpha and beta are both zero, so that nothing is prescribed")
        # without a term that is zero
        value = identity(setting.dimension).times(field_coefficient(alpha, "the alpha of Robin"))
        slope = along_normal(setting.dimension, axes=setting.space).times(field_coefficient(beta, "the beta of Robin"))
        mixture = slope if alpha.constant == 0.0 else value if beta.constant == 0.0 else value + slope
        return prescribed(self, mixture, self.value, setting)


@final
@dataclass(frozen=True)
class Symmetry(BoundaryCondition):
    """A plane of symmetry: the solution continues as its mirror image beyond a straight piece of the boundary.

    Normal derivatives of odd order vanish: the first, and for an equation of fourth order the third as well.

    Parameters
    ----------
    on, weight
        As for `Dirichlet`.
    """

    on: Where | None = None
    weight: float = 1.0
    kind: ClassVar[str] = "symmetry"

    def rules(self, setting: Setting, across: tuple[int, ...]) -> tuple[Rule, ...]:
        """The first normal derivative, and further odd ones below the order of the equation."""
        if len(setting.unknowns) > 1:
            raise ProblemError(
                "Symmetry: of several unknowns, components of a vector along the normal change their sign in a mirror; "
                "write fs.Neumann({u: 0}) for those that do not, and fs.Dirichlet({v: 0}) for those that do"
            )
        return vanishing(setting, [range(1, max(across[0], 2), 2)], plain=1)


# ---- Statements


# SymPy types that hold several expressions.
_VECTORS = (sp.MatrixBase, sp.Tuple, sp.NDimArray)

# The fourth power of a length must stay far below the largest double.
_LONGEST = 1e60


@final
@dataclass(frozen=True, eq=False)
class Statement:
    """Equations, domain, conditions and given values: everything that a problem is made from, and its pickled form.

    Attributes
    ----------
    equations : tuple of Eq or Expr
    domain : Domain
    conditions : tuple of AnyCondition
    given : mapping or None
    unknowns : tuple of AppliedUndef or None
        In the order that was given.
    incident : Incident or None
        The incident field on an open domain.
    origin : partial or None
        Makes the problem again if it was derived from another one.
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
        """All SymPy expressions in it, except in `given`."""
        written = [*self.equations, *(e for condition in self.conditions for e in condition.expressions)]
        written += [inner for e in written if isinstance(e, ByRegion) for inner in e.expressions]
        return [expression for expression in written if isinstance(expression, sp.Basic)]

    def __reduce__(self) -> tuple[Callable[..., Statement], tuple[Any, ...]]:
        # unpickling an Eq would compare its sides again, which may take long
        sides = tuple((e.lhs, e.rhs) if isinstance(e, sp.Eq) else e for e in self.equations)
        return _rebuild, (sides, self.domain, self.conditions, self.given, self.unknowns, self.origin, self.incident)


def _rebuild(sides: tuple[Any, ...], *others: Any) -> Statement:
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
    """The statement, with equations, domain and conditions checked."""
    if not isinstance(domain, Domain):
        raise ProblemError(f"domain must be a shape such as fs.Box((0, 0), (1, 1)); got {domain!r}")
    _check_size(domain)
    declared = tuple(unknowns) if isinstance(unknowns, list | tuple) else unknowns
    if incident is not None and not domain.is_unbounded:
        raise ProblemError(
            f"incident is for open domains, fs.Exterior(...); domain={domain!r} has an end: state what comes in by the "
            "conditions on its boundary"
        )
    field = as_incident(incident)
    return Statement(_as_equations(equations), domain, _as_conditions(conditions), given, declared, incident=field)


def _as_equations(equations: Any) -> tuple[sp.Basic, ...]:
    """A flat tuple of equations, those of vectors by component."""
    if isinstance(equations, set | frozenset | Mapping):
        raise ProblemError(f"equation must be one equation, or a list of them in their order; got {equations!r}")
    if isinstance(equations, sp.Eq) and any(isinstance(side, _VECTORS) for side in equations.args):
        return _componentwise(equations)
    is_single = isinstance(equations, sp.Basic | str) or not isinstance(equations, Iterable)
    if is_single and not isinstance(equations, _VECTORS):
        return (equations,)
    stated = tuple(one for each in equations for one in _as_equations(each))
    if not stated:
        raise ProblemError("equation is an empty list; write at least one SymPy Eq")
    return stated


def _componentwise(equation: sp.Eq) -> tuple[sp.Basic, ...]:
    """The components of a vector equation; a plain zero means a zero vector."""
    left, right = (tuple(sp.flatten(side)) if isinstance(side, _VECTORS) else side for side in equation.args)
    number = max(len(side) for side in (left, right) if isinstance(side, tuple))
    sides = [(side,) * number if side == 0 else side for side in (left, right)]
    if not all(isinstance(side, tuple) and len(side) == number for side in sides):
        raise ProblemError(
            f"equation has sides of different numbers of components: {equation}; write as many on both, or zero"
        )
    return tuple(sp.Eq(*pair, evaluate=False) for pair in zip(*sides, strict=True))


def _as_conditions(conditions: Any) -> tuple[AnyCondition, ...]:
    if isinstance(conditions, AnyCondition):
        return (conditions,)
    if not isinstance(conditions, Iterable):
        raise ProblemError(f"conditions must be a list such as [fs.Dirichlet(0)]; got {conditions!r}")
    stated = tuple(conditions)
    for wrong in (condition for condition in stated if not isinstance(condition, AnyCondition)):
        raise ProblemError(
            f"conditions must be objects such as fs.Dirichlet(0), fs.Neumann(0) or fs.Initial(0); got {wrong!r}"
        )
    return stated


def _check_size(domain: Domain) -> None:
    lower, upper = domain.bounding_box
    with np.errstate(over="ignore"):
        lengths = upper - lower
    farthest = max(np.abs(lower).max(), np.abs(upper).max())
    if not np.all(lengths >= 1 / _LONGEST) or max(lengths.max(), farthest) > _LONGEST:
        raise ProblemError(
            f"domain={domain!r} has sides of length {', '.join(f'{length:g}' for length in lengths)} and reaches out "
            f"to {farthest:g}; lengths must be from {1 / _LONGEST:g} to {_LONGEST:g}, and coordinates no larger: state "
            "the problem in other units"
        )


# ---- Relations


@dataclass(frozen=True, eq=False)
class Relation:
    """``operator(unknowns) = value`` on one region, which becomes one block of rows.

    Attributes
    ----------
    name : str
        The block's name: ``"equation"``, ``"dirichlet x-"``, ``"initial"``, ``"initial order 1"``.
    operator : Operator
    value : Field
    region : Region
    weight : float
        Weight of its rows relative to others.
    condition : AnyCondition or None
        The condition it comes from; None for equations and gauges.
    sum_weights : (n,) array or None
        If an integral is prescribed: the weights of its sites. Every n successive sites form one sum.
    sums_at : callable or None
        If an integral is prescribed at several times: the sites of the integrals at other times ``(m,)``.
    """

    name: str
    operator: Operator
    value: Field
    region: Region
    weight: float = 1.0
    condition: AnyCondition | None = None
    sum_weights: FloatArray | None = None
    sums_at: Callable[[FloatArray], Sites] | None = None

    @property
    def is_gauge(self) -> bool:
        """Whether it was added to fix what the others leave open; see `gauge_relations`."""
        return self.condition is None and self.sum_weights is not None

    @property
    def measure(self) -> float:
        """Length or area of the region, which is not a domain."""
        assert self.region.measure is not None
        return self.region.measure

    @property
    def sample(self) -> Sampler:
        """Draws sites of the region."""
        return self.region.sample

    @property
    def part(self) -> BoundaryPart | None:
        """The boundary part, or curve inside, on which it holds."""
        return self.region.part

    @property
    def mask(self) -> Mask | None:
        """Limits it to a piece of the part."""
        return self.region.mask

    def holds(self, points: FloatArray) -> BoolArray:
        """Mask of the points ``(n, d)`` of its part at which it holds."""
        masks = [] if self.part is None else [mask for mask in (self.part.keep, self.mask) if mask is not None]
        held = np.ones(len(points), dtype=np.bool_)
        for mask in masks:
            held &= mask(points)
        return held

    @property
    def part_names(self) -> tuple[str, ...]:
        """Names of its boundary parts; its own name if there are none."""
        return tuple(part.name for part in self.region.parts) or (self.name,)

    def pieces(self, sites: Sites) -> tuple[tuple[Operator, Sites], ...]:
        """The operators that sum up to the value: at `sites`, and at the sites tied to them."""
        shift = self.region.shift
        if shift is None:
            return ((self.operator, sites),)
        # the normals of this side, for derivatives in the same direction
        there = Sites(sites.points + shift, sites.normals)
        return (self.operator, sites), (self.operator.times(-1.0 / self.region.factor), there)

    def values(self, sites: Sites) -> NumberArray:
        """The prescribed values at `sites`, shape ``(n,)``; refused if not finite."""
        what = f"the {self.name}'s right-hand side" if self.condition is None else f"the value of {self.name!r}"
        return self.value.checked(sites.points, what, sites.normals)


@cache_by_object
def is_complex(relation: Relation) -> bool:
    """Whether a coefficient or the value of a relation is complex at some sample sites."""
    return has_complex_operator(relation) or _any_complex(relation, [], [relation.value])


@cache_by_object
def has_complex_operator(relation: Relation) -> bool:
    """Whether a coefficient of a relation is complex at some sample sites."""
    numbers = (*relation.operator.numbers, relation.region.factor)
    return _any_complex(relation, numbers, relation.operator.fields)


def _any_complex(relation: Relation, numbers: Iterable[complex], fields: Iterable[Field]) -> bool:
    if any(isinstance(number, complex) for number in numbers):
        return True
    fields = [field for field in fields if not field.is_surely_real]
    if not fields:
        return False
    if any(field.constant is not None for field in fields):
        return True
    sites = relation.sample(FEW_SITES, np.random.default_rng(0), "low-discrepancy")  # samples only
    try:
        return any(np.iscomplexobj(field(sites.points, sites.normals)) for field in fields)
    except ProblemError:  # a field without a value there is reported where it is needed
        return False


def bind_conditions(
    conditions: Sequence[AnyCondition], setting: Setting, equations: Sequence[Relation]
) -> tuple[Relation, ...]:
    """One relation for each rule of each condition on each of its regions."""
    bound: list[Relation] = []
    for condition, regions in zip(conditions, regions_of(conditions, setting), strict=True):
        rules: dict[tuple[int, ...], tuple[Rule, ...]] = {}
        for region in regions:
            across = _orders_across(region, equations, len(setting.unknowns))
            if across not in rules:
                rules[across] = condition.rules(setting, across)
            for rule in rules[across]:
                name = " ".join(word for word in (condition.kind, region.label, rule.label) if word)
                weight = float(condition.weight)
                bound.append(Relation(name, rule.operator, rule.value, region, weight, condition))
    return tuple(distinct(bound))


def regions_of(
    conditions: Sequence[AnyCondition],
    setting: Setting,
    find: Callable[[AnyCondition, Setting], list[Region]] = lambda condition, setting: condition.regions(setting),
) -> list[list[Region]]:
    """The regions of each condition, from `find`.

    ``on="rest"`` means what the other conditions on the same unknowns leave, so these are found last.
    """
    last = [is_rest(getattr(condition, "on", None), setting) for condition in conditions]
    found = [[] if later else find(c, setting) for c, later in zip(conditions, last, strict=True)]

    def on_rest(condition: AnyCondition) -> list[Region]:
        about = condition.about(setting)
        others = [regions for c, regions in zip(conditions, found, strict=True) if c.about(setting) & about]
        covered = tuple(region for regions in others for region in regions)
        return find(condition, replace(setting, covered=covered))

    return [on_rest(c) if later else known for c, known, later in zip(conditions, found, last, strict=True)]


def _orders_across(region: Region, equations: Sequence[Relation], unknowns: int) -> tuple[int, ...]:
    """The order of the equations in each unknown, along the normals of a piece of the boundary."""
    if region.kind != "boundary" or region.part is None:
        return (0,) * unknowns
    crossed = axes_across(region.part)
    terms = [term for equation in equations for term in equation.operator.terms]
    return tuple(
        max((sum(t.orders[axis] for axis in crossed) for t in terms if t.unknown % unknowns == one), default=0)
        for one in range(unknowns)
    )


def distinct(relations: list[Relation]) -> list[Relation]:
    """Number the relations that would share a name, such as two masked conditions on one part."""
    seen: dict[str, int] = {}
    result = []
    for relation in relations:
        seen[relation.name] = count = seen.get(relation.name, 0) + 1
        if count > 1:
            relation = replace(relation, name=f"{relation.name} ({count})")
        result.append(relation)
    return result
