"""Interfaces of a problem: where materials meet, and what continues across."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, final

import numpy as np
import sympy as sp

from fspielm.equations.conditions import AnyCondition, Interface
from fspielm.equations.level_borders import LevelBorder
from fspielm.equations.operator import Operator
from fspielm.equations.piecewise import Signs
from fspielm.equations.regions import Region, probe
from fspielm.equations.relations import Relation
from fspielm.equations.setting import Setting
from fspielm.equations.transmission import Reading, Side, Transmission, transmissions
from fspielm.errors import ProblemError
from fspielm.expressions import Field, describe, make_field
from fspielm.geometry import BoundaryPart, PlaneCurve, Sites, borders_in, regions_in

if TYPE_CHECKING:
    from fspielm.equations.problem import Problem

# Sites of an interface that are looked at, and what counts as nothing there, relative to the coefficients.
_FEW = 64
_MANY = 4096
_NOTHING = 1e-14
# Borders closer than this, relative to their extent, on this share of their length are one.
_HAIR, _SAME = 1e-6, 1e-2


@final
@dataclass(frozen=True, eq=False)
class InterfaceLine:
    """A curve, or a point of a line, at which two materials meet.

    Attributes
    ----------
    name : str
        ``"core | shell"``, or ``"2*x - 1 = 0"`` of a Piecewise expression.
    sides : (str, str)
        The regions; or where the level function is negative, and where it is positive.
    part : BoundaryPart
        Its normals point from the first side to the second.
    rules : tuple of Transmission
        What has prescribed jumps: values, and fluxes or normal derivatives.
    condition : Interface
        What prescribes them.
    curves : tuple of PlaneCurve
        The pieces it is made of in the plane, with the first side on their left.
    border : Expr or None
        What is zero on it, where it is the border of a Piecewise expression.
    level : Field or None
        The same as a function of points, negative on the first side and positive on the second.
    """

    name: str
    sides: tuple[str, str]
    part: BoundaryPart
    rules: tuple[Transmission, ...]
    condition: Interface
    curves: tuple[PlaneCurve, ...] = ()
    border: sp.Expr | None = None
    level: Field | None = None

    @property
    def jump(self) -> Field:
        """The jump of the value; of the first unknown that has one."""
        return self._rule("value").value

    @property
    def flux_jump(self) -> Field:
        """The jump of the flux, or of the normal derivative; of the first equation that has one."""
        return self._rule("flux").value

    @property
    def flux(self) -> tuple[Operator, Operator]:
        """The flux on each side, or the normal derivative; of the first equation that has one."""
        rule = self._rule("flux")
        return rule.first, rule.second

    def _rule(self, kind: str) -> Transmission:
        for rule in self.rules:
            if rule.kind == kind:
                return rule
        raise ProblemError(f"across {self.name!r} no {kind} is prescribed")


def read_interfaces(
    conditions: Sequence[AnyCondition], reading: Reading, borders: Sequence[LevelBorder]
) -> tuple[tuple[InterfaceLine, ...], tuple[str, ...]]:
    """The interfaces of a problem, and sentences on what was made of them."""
    stated = [condition for condition in conditions if isinstance(condition, Interface)]
    bare = _bare_lines(reading.setting, borders)
    _check_stated(stated, bare, reading.setting)
    lines, notes = [], []
    for line, sides in bare:
        own = [c for c in stated if c.between is not None and set(c.between) == set(line.sides)]
        condition = next(iter([*own, *(c for c in stated if c.between is None)]), Interface())
        if condition.between == line.sides[::-1]:
            line, sides = _turned(line), sides[::-1]
        found = transmissions(reading, sides, line.part, line.sides, condition)
        lines.append(replace(line, rules=found.rules, condition=condition))
        notes += [f"Across {line.name!r}, {note}" for note in found.notes]
    return tuple(lines), tuple(dict.fromkeys(notes))


def interface_relations(lines: Sequence[InterfaceLine], setting: Setting) -> tuple[Relation, ...]:
    """What a function that is smooth across interfaces has to satisfy there, as rows.

    The difference of both sides is the jump. Where that is nothing for any function, there is nothing to satisfy.
    """
    relations = []
    for line in lines:
        part = line.part
        sites = probe(part, _FEW)
        for rule in line.rules:
            difference = rule.first + rule.second.times(-1.0)
            if rule.value.constant == 0.0 and _is_nothing(difference, rule.first, sites):
                continue
            count = 1 if part.parameters == 0 else None
            region = Region("interface", line.name, part.measure, part.sample, part, count=count)
            weight = float(line.condition.weight)
            name = f"interface {line.name} {rule.name}"
            relations.append(Relation(name, difference, rule.value, region, weight, line.condition))
    return tuple(relations)


def kinks(problem: Problem, blocks: Container[str]) -> tuple[str, ...]:
    """The interfaces that some of these blocks of rows hold smooth functions to."""
    own = (r for r in problem.relations if r.region.kind == "interface" and r.name in blocks)
    return tuple(dict.fromkeys(relation.region.label for relation in own))


def _is_nothing(difference: Operator, one: Operator, sites: Sites) -> bool:
    sums: dict[tuple[tuple[int, ...], int], np.ndarray] = {}
    for term in difference.terms:
        key = term.orders, term.unknown
        sums[key] = sums.get(key, np.zeros(len(sites))) + term.at(sites)
    size = max((float(np.abs(term.at(sites)).max(initial=0.0)) for term in one.terms), default=0.0)
    return all(np.abs(total).max(initial=0.0) <= _NOTHING * size for total in sums.values())


def _bare_lines(setting: Setting, borders: Sequence[LevelBorder]) -> list[tuple[InterfaceLine, tuple[Side, Side]]]:
    """Interfaces before anything is known to continue across, and how to read the equations beside them."""
    found: list[tuple[InterfaceLine, tuple[Side, Side]]] = []
    for border in borders_in(setting.domain):
        line = InterfaceLine(border.name, border.sides, border.part, (), Interface(), border.curves)
        found.append((line, (Side(border.sides[0]), Side(border.sides[1]))))
        for level in borders:
            _refuse_same(line, level)
    for level in borders:
        for part in level.parts:
            line = InterfaceLine(
                part.name, level.sides, part, (), Interface(), level.curves, level.expression, level.level
            )
            others = _signs_along(part, [other for other in borders if other is not level])
            below, above = ({level.expression: sign} | others for sign in (-1, 1))
            found.append((line, (Side(None, below), Side(None, above))))
    return found


def _refuse_same(line: InterfaceLine, level: LevelBorder) -> None:
    """Refuse a border of a Piecewise along that of regions: which side of it holds where, is told twice."""
    sites = probe(line.part, _MANY)
    assert sites.normals is not None  # every boundary part has them
    hair = _HAIR * max(float(np.abs(sites.points).max()), float(np.ptp(sites.points, axis=0).max()))
    before, at, after = (level.level(sites.points + step * hair * sites.normals).real for step in (-1, 0, 1))
    if np.mean(np.abs(at) <= _HAIR * np.abs(after - before)) > _SAME:
        raise ProblemError(
            f"the border {describe(level.expression)} = 0 of a Piecewise runs along that of the regions {line.name!r}; "
            "write what changes there by region too, with fs.ByRegion, or leave the regions out"
        )


def _signs_along(part: BoundaryPart, others: Sequence[LevelBorder]) -> Signs:
    """On which sides of borders an interface lies that it does not meet: coefficients are simpler there."""
    points = probe(part, _MANY).points
    found = {}
    for other in others:
        signs = np.sign(other.level(points))
        if signs[0] != 0 and np.all(signs == signs[0]):
            found[other.expression] = int(signs[0])
    return found


def _turned(line: InterfaceLine) -> InterfaceLine:
    """The same from the other side."""
    place, level = line.part.place, line.level

    def turned(unit: np.ndarray) -> Sites:
        sites = place(unit)
        assert sites.normals is not None  # every boundary part has them
        return Sites(sites.points, -sites.normals)

    if line.border is not None and level is not None:
        level = make_field(-line.border, level.arguments, what=f"the border {line.name}")
    return replace(
        line,
        sides=line.sides[::-1],
        part=replace(line.part, place=turned),
        curves=tuple(curve.reversed() for curve in line.curves),
        level=level,
    )


def _check_stated(
    stated: Sequence[Interface], bare: Sequence[tuple[InterfaceLine, tuple[Side, Side]]], setting: Setting
) -> None:
    """Refuse interfaces that separate nothing, and two for the same one."""
    if stated and not bare:
        raise ProblemError(
            f"{stated[0]!r} separates nothing: the domain {setting.domain!r} has no regions that meet (fs.Regions), "
            "and no coefficient is a Piecewise whose border runs through it"
        )
    known = [line.sides for line, _ in bare]
    names = [f"between={sides}" for sides in dict.fromkeys(known)]
    regions = regions_in(setting.domain)
    seen: set[frozenset[str]] = set()
    for condition in stated:
        between = condition.between
        key = frozenset(between or ())
        if key in seen:
            which = "all interfaces" if between is None else f"between={between}"
            raise ProblemError(f"there are two Interface conditions for {which}; keep one")
        seen.add(key)
        if between is None or between in known or between[::-1] in known:
            continue
        for name in between:
            if regions is not None and name not in regions.names:
                raise ProblemError(
                    f"Interface: between names the region {name!r}; the regions are {', '.join(regions.names)}, and "
                    f"the interfaces {', '.join(names)}"
                )
        raise ProblemError(
            f"Interface: between={between} separates nothing, for these two do not meet; the interfaces are "
            f"{', '.join(names)}"
        )
