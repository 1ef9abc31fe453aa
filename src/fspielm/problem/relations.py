"""What the unknowns satisfy, and where: the equation, and each rule of a condition on each region it holds on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fspielm.arrays import BoolArray, FloatArray, NumberArray
from fspielm.errors import ProblemError
from fspielm.expr.field import Field
from fspielm.geometry.boundary import BoundaryPart, Mask, Sites
from fspielm.problem.conditions import AnyCondition
from fspielm.problem.operator import Operator, once
from fspielm.problem.places import Region, Sampler, means_rest, probe
from fspielm.problem.setting import Rule, Setting

# Enough to see which axes the normals of a part point along.
_FEW = 200
# Enough to see whether a callable returns complex numbers.
_PROBES = 8


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
        How much its rows count beside those of others.
    condition : AnyCondition or None
        What it is a rule of; None for equations, and for what was added to them.
    sum_weights : (n,) array or None
        Where sums over sites are prescribed, as integrals are: their weights. Of sites that are more, every n in a row
        make a sum.
    sums_at : callable or None
        Where there is a sum at each of some times: the sites of those at others ``(m,)``, as many for each.
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
    def is_pin(self) -> bool:
        """Whether it was added for what the others leave open; see `pins`."""
        return self.condition is None and self.sum_weights is not None

    @property
    def measure(self) -> float:
        """Length or area of the region, which no domain is."""
        assert self.region.measure is not None
        return self.region.measure

    @property
    def sample(self) -> Sampler:
        """Draws sites of the region."""
        return self.region.sample

    @property
    def part(self) -> BoundaryPart | None:
        """The boundary part, or the curve inside, that it holds on."""
        return self.region.part

    @property
    def mask(self) -> Mask | None:
        """Limits it to a piece of the part."""
        return self.region.mask

    def holds(self, points: FloatArray) -> BoolArray:
        """Mask of the points ``(n, d)`` of its part that it is for."""
        masks = [] if self.part is None else [mask for mask in (self.part.keep, self.mask) if mask is not None]
        held = np.ones(len(points), dtype=np.bool_)
        for mask in masks:
            held &= mask(points)
        return held

    @property
    def part_names(self) -> tuple[str, ...]:
        """Names of its boundary parts; its own where it holds elsewhere."""
        return tuple(part.name for part in self.region.parts) or (self.name,)

    def pieces(self, sites: Sites) -> tuple[tuple[Operator, Sites], ...]:
        """The sum that has the value: the operator at `sites`, less that at the places they are tied to."""
        shift = self.region.shift
        if shift is None:
            return ((self.operator, sites),)
        # with the normals of this side, so that derivatives along them are in one direction
        there = Sites(sites.points + shift, sites.normals)
        return (self.operator, sites), (self.operator.times(-1.0 / self.region.factor), there)

    def values(self, sites: Sites) -> NumberArray:
        """What the sum is at `sites`, shape ``(n,)``; refused where it is not finite."""
        what = f"the {self.name}'s right-hand side" if self.condition is None else f"the value of {self.name!r}"
        return self.value.checked(sites.points, what, sites.normals)


@once
def is_complex(relation: Relation) -> bool:
    """Whether a coefficient or the value of a relation is complex, as far as some sites show."""
    return has_complex_operator(relation) or _any_complex(relation, [], [relation.value])


@once
def has_complex_operator(relation: Relation) -> bool:
    """Whether a coefficient of a relation is complex, as far as some sites show."""
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
    sites = relation.sample(_PROBES, np.random.default_rng(0), "low-discrepancy")  # only looks
    try:
        return any(np.iscomplexobj(field(sites.points, sites.normals)) for field in fields)
    except ProblemError:  # one has no value there: whoever needs it says so
        return False


def bind_conditions(
    conditions: Sequence[AnyCondition], setting: Setting, equations: Sequence[Relation]
) -> tuple[Relation, ...]:
    """Bind every condition to the regions where it holds, checking names and values."""
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
    """Where each condition holds, as `find` says; those on the rest of the boundary last, for they need the others.

    The rest is what others leave that are about the same unknowns.
    """
    last = [means_rest(getattr(condition, "on", None), setting) for condition in conditions]
    found = [[] if later else find(c, setting) for c, later in zip(conditions, last, strict=True)]

    def on_rest(condition: AnyCondition) -> list[Region]:
        about = condition.about(setting)
        others = [regions for c, regions in zip(conditions, found, strict=True) if c.about(setting) & about]
        covered = tuple(region for regions in others for region in regions)
        return find(condition, replace(setting, covered=covered))

    return [on_rest(c) if later else known for c, known, later in zip(conditions, found, last, strict=True)]


def _orders_across(region: Region, equations: Sequence[Relation], unknowns: int) -> tuple[int, ...]:
    """The order of the equations across a piece of the boundary, in each unknown: of derivatives along its normals."""
    if region.kind != "boundary" or region.part is None:
        return (0,) * unknowns
    normals = probe(region.part, _FEW).normals
    assert normals is not None  # every boundary part has them
    crossed = np.flatnonzero(np.any(np.abs(normals) > 1e-12, axis=0))
    terms = [term for equation in equations for term in equation.operator.terms]
    return tuple(
        max((sum(t.orders[axis] for axis in crossed) for t in terms if t.unknown % unknowns == one), default=0)
        for one in range(unknowns)
    )


def distinct(relations: list[Relation]) -> list[Relation]:
    """Number the blocks that would share a name (two masked conditions on one part)."""
    seen: dict[str, int] = {}
    result = []
    for relation in relations:
        seen[relation.name] = count = seen.get(relation.name, 0) + 1
        if count > 1:
            relation = replace(relation, name=f"{relation.name} ({count})")
        result.append(relation)
    return result
