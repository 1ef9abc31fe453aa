"""Interfaces: where materials meet, and which values and fluxes are continuous across them."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, final

import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef

from fspielm.errors import ProblemError
from fspielm.expr.functions import Field, Value, describe, evaluate_derivatives, make_field
from fspielm.expr.identities import is_zero
from fspielm.geometry.boundary import BoundaryPart, Sites
from fspielm.geometry.curves import PlaneCurve
from fspielm.geometry.time import borders_in, regions_in
from fspielm.numerics.tolerances import CLOSE, ROUNDING
from fspielm.problem.borders import LevelBorder
from fspielm.problem.linear import coefficients_of, linear_operator, linear_parts, read_equation, residual_form
from fspielm.problem.normal import normal
from fspielm.problem.operator import FEW_SITES, Operator, along_normal, identity
from fspielm.problem.places import LEAST_SHARE, Region, axes_across, probe
from fspielm.problem.setting import Rule, Setting, by_unknown, check_datum, freeze, written
from fspielm.problem.statement import AnyCondition, Relation, check_weight
from fspielm.problem.substitutions import Signs

if TYPE_CHECKING:
    from fspielm.problem.problem import Problem


@final
@dataclass(frozen=True)
class Interface(AnyCondition):
    """Jumps of the unknown and of its flux where two regions meet; without one, both are continuous.

    If the equation's highest derivatives are div F, the flux is the component of F along the normal, which points from
    the first region to the second: ``-a du/dn`` for ``-div(a grad u)``. Without a divergence form it is the normal
    derivative; `Problem.remarks` says so.

    Parameters
    ----------
    jump : number, Expr or callable; or a mapping from unknowns to such
        The unknown in the first region minus that in the second.
    flux_jump : number, Expr or callable; or a tuple of such, one for each equation
        The flux in the first region minus that in the second.
    between : (str, str), optional
        Names of two regions that meet, or of the sides of a Piecewise expression's border as in `Problem.interfaces`.
        All interfaces by default.
    weight : float
        As for `Dirichlet`.
    """

    jump: Value | Mapping[Any, Value] = 0
    flux_jump: Value | tuple[Value, ...] = 0
    between: tuple[str, str] | None = None
    weight: float = 1.0
    kind: ClassVar[str] = "interface"

    def __post_init__(self) -> None:
        object.__setattr__(self, "jump", freeze(self.jump, "Interface: jump"))
        check_weight(self.weight, "Interface")
        if isinstance(self.flux_jump, list | tuple):
            object.__setattr__(self, "flux_jump", tuple(self.flux_jump))
        for number, value in enumerate(self.flux_jumps):
            check_datum(
                value, f"Interface: flux_jump[{number}]" if len(self.flux_jumps) > 1 else "Interface: flux_jump"
            )
        if self.between is not None:
            names = tuple(self.between) if isinstance(self.between, list | tuple) else ()
            if len(names) != 2 or not all(isinstance(name, str) for name in names) or names[0] == names[1]:
                raise ProblemError(
                    f'Interface: between must name two regions, as in ("core", "shell"); got {self.between!r}'
                )
            object.__setattr__(self, "between", names)

    @property
    def flux_jumps(self) -> tuple[Any, ...]:
        """One for each equation, or a single one for all."""
        return self.flux_jump if isinstance(self.flux_jump, tuple) else (self.flux_jump,)

    @property
    def has_normals(self) -> bool:
        """True: the normal points from the first region to the second."""
        return True

    @property
    def expressions(self) -> tuple[Any, ...]:
        """Its values."""
        return *written(self.jump), *self.flux_jumps

    def regions(self, setting: Setting) -> list[Region]:
        """None on the boundary; see `read_interfaces`."""
        return []

    def rules(self, setting: Setting, across: tuple[int, ...]) -> tuple[Rule, ...]:
        """None; see `read_interfaces`."""
        return ()

    def with_value(self, value: Any, setting: Setting) -> AnyCondition:
        """Refused: the jumps belong to the equations."""
        raise ProblemError("the jumps of an Interface cannot be replaced in a prepared problem; state it anew")


# ---- Transmission conditions
# SymPy expands ``div(a grad u)`` to ``a u_xx + a_x u_x + ...``. If ``a`` is a function given by region, its derivatives
# in the coefficients show what stood under a derivative. A Piecewise with constant pieces has no such derivatives; it
# is read as a divergence form unless its pieces contradict that.


# Coefficients of one unknown, by the orders of the derivative along each coordinate.
Coefficients = Mapping[tuple[int, ...], sp.Expr]
# From an expression to the same on one side of an interface.
OnSide = Callable[[sp.Expr], sp.Expr]


class Side(NamedTuple):
    """One side of an interface: a region, or signs of level functions, or both."""

    region: str | None = None
    signs: Signs = {}  # noqa: RUF012 (a tuple's field, never changed)


@final
@dataclass(frozen=True, eq=False)
class Transmission:
    """``first(unknowns on the first side) - second(unknowns on the second side) = value``.

    Attributes
    ----------
    kind : {"value", "flux"}
        The value of an unknown, or a derivative across the interface: a flux or a normal derivative.
    name : str
        ``"value"``, ``"flux"`` or ``"normal derivative"``, with an unknown or a number if there are several.
    first, second : Operator
        With the coefficients of their own side, extended smoothly beyond it.
    value : Field
    """

    kind: Literal["value", "flux"]
    name: str
    first: Operator
    second: Operator
    value: Field


class Transmissions(NamedTuple):
    """The rules across an interface, and sentences on how they were read."""

    rules: tuple[Transmission, ...]
    notes: tuple[str, ...]


@final
@dataclass(frozen=True, eq=False)
class Reading:
    """The equations of a problem on either side of interfaces, each read once."""

    equations: tuple[sp.Basic, ...]
    setting: Setting
    _known: dict[object, Setting] = field(default_factory=dict)
    _operators: dict[object, Operator] = field(default_factory=dict)

    def setting_on(self, side: Side) -> Setting:
        """The setting with the given values of one side."""
        key = side.region, frozenset(side.signs.items())
        if key not in self._known:
            givens = self.setting.givens.on_side(side.region, side.signs)
            self._known[key] = replace(self.setting, givens=givens)
        return self._known[key]

    def expression_on(self, side: Side, expression: sp.Expr) -> sp.Expr:
        """An expression on one side."""
        return evaluate_derivatives(self.setting_on(side).givens.substitute(expression))

    @cached_property
    def parts(self) -> list[dict[sp.Expr, sp.Expr]]:
        """Coefficients of each equation, not restricted to a side."""
        known = (evaluate_derivatives(self.setting.givens.substitute(residual_form(e))) for e in self.equations)
        return [linear_parts(expression, self.setting.symbols)[0] for expression in known]

    def rules_on(self, side: Side) -> tuple[Rule, ...]:
        """The equations on one side."""
        return tuple(read_equation(equation, self.setting_on(side)) for equation in self.equations)

    def operator(self, expression: sp.Expr, side: Side) -> Operator:
        """An expression in the unknowns and the normal as an operator on one side."""
        key = expression, side.region, frozenset(side.signs.items())
        if key not in self._operators:
            parts, _ = linear_parts(self.expression_on(side, expression), self.setting.symbols, "the flux")
            self._operators[key] = linear_operator(parts, self.setting_on(side), "the flux", normals=True)
        return self._operators[key]


def transmissions(
    reading: Reading, sides: tuple[Side, Side], part: BoundaryPart, names: tuple[str, str], condition: Interface
) -> Transmissions:
    """The quantities with prescribed jumps across an interface.

    For one unknown and an equation of second order: the value and the flux. For several: the values of the unknowns
    with second derivatives, and the flux of each equation with second derivatives. If no flux can be read: the normal
    derivatives below the order of the equations.
    """
    setting = reading.setting
    unknowns = setting.symbols
    crossed = axes_across(part)
    tables = [{u: coefficients_of(parts, u, setting) for u in unknowns} for parts in reading.parts]
    orders = [max((sum(o[a] for a in crossed) for table in tables for o in table[u]), default=0) for u in unknowns]
    fluxes, notes = _fluxes(reading, tables, orders, sides)
    rules = _values(setting, orders, condition)
    if fluxes is None:
        rules += _normal_derivatives(setting, orders, condition)
    else:
        jumps = _flux_jumps(condition, len(tables))
        for index, flux in fluxes.items():
            first, second = (reading.operator(flux, side) for side in sides)
            _refuse_zero_flux(first, second, part, names, reading.equations[index])
            label = f"flux {index + 1}" if len(fluxes) > 1 else "flux"
            value = setting.field(jumps[index], "the flux_jump of Interface", normals=True)
            rules.append(Transmission("flux", label, first, second, value))
    return Transmissions(tuple(rules), tuple(notes))


def _fluxes(
    reading: Reading,
    tables: Sequence[dict[AppliedUndef, dict[tuple[int, ...], sp.Expr]]],
    orders: Sequence[int],
    sides: tuple[Side, Side],
) -> tuple[dict[int, sp.Expr] | None, list[str]]:
    """The flux of each equation by its number; or None and the reason, if normal derivatives are continuous instead."""
    if max(orders) < 2:
        return {}, []
    if max(orders) > 2:
        return None, [f"normal derivatives up to order {max(orders) - 1} continue: equations of order {max(orders)}."]
    on_sides = [lambda e, s=side: reading.expression_on(s, e) for side in sides]
    found: dict[int, sp.Expr] = {}
    for index, table in enumerate(tables):
        if not any(sum(key) == 2 for own in table.values() for key in own):
            continue
        terms = []
        for place, (unknown, coefficients) in enumerate(table.items()):
            if orders[place] < 2:  # such as a pressure
                first = {key.index(1): c for key, c in coefficients.items() if sum(key) == 1}
                terms += [normal(unknown.args[axis]) * c * unknown for axis, c in first.items()]
                continue
            own = place == index or len(table) == 1
            flux = _normal_flux(coefficients, unknown, reading.setting.givens.materials, on_sides, own=own)
            if flux is None:
                return None, [
                    f"normal derivatives continue, for {describe(reading.equations[index])} has no divergence form; "
                    "write div(a grad u), with a coefficient a(x, y) that is given by region, where a flux should."
                ]
            terms.append(flux)
        found[index] = sp.Add(*terms)
    return found, []


def _values(setting: Setting, orders: Sequence[int], condition: Interface) -> list[Transmission]:
    """Jumps of values, of the unknowns with the highest derivatives."""
    several = len(orders) > 1
    jumps = {place: 0 for place, order in enumerate(orders) if order == max(orders) or order > 1}
    if not (several and condition.jump == 0):
        jumps |= {place: one for place, _, one in by_unknown(condition.jump, "Interface", setting)}
    rules = []
    for place, jump in jumps.items():
        one = identity(setting.dimension).on(place)
        name = f"value {setting.symbols[place].func.__name__}" if several else "value"
        value = setting.field(jump, "the jump of Interface", normals=True)
        rules.append(Transmission("value", name, one, one, value))
    return rules


def _normal_derivatives(setting: Setting, orders: Sequence[int], condition: Interface) -> list[Transmission]:
    jumps = _flux_jumps(condition, len(orders))
    rules = []
    for place, order in enumerate(orders):
        for number in range(1, order):
            one = along_normal(setting.dimension, number, setting.space).on(place)
            several = setting.symbols[place].func.__name__ * (len(orders) > 1)
            name = " ".join(filter(None, ["normal derivative", several, f"order {number}" * (number > 1)]))
            value = setting.field(jumps[place] if number == 1 else 0, "the flux_jump of Interface", normals=True)
            rules.append(Transmission("flux", name, one, one, value))
    return rules


def _flux_jumps(condition: Interface, number: int) -> tuple[object, ...]:
    jumps = condition.flux_jumps
    if len(jumps) == number:
        return jumps
    if len(jumps) == 1 and jumps[0] == 0:
        return (0,) * number
    raise ProblemError(
        f"Interface: flux_jump must be a tuple of {number}, one for each equation; got {condition.flux_jump!r}"
    )


def _refuse_zero_flux(
    first: Operator, second: Operator, part: BoundaryPart, names: tuple[str, str], equation: sp.Basic
) -> None:
    """Refuse a flux that vanishes on one side for any unknown, which nothing would determine there."""
    sites = probe(part, FEW_SITES)
    for sign, name, own, other in zip((-1, 1), names, (first, second), (second, first), strict=True):
        if not _vanishes(own, sites, sign):
            continue
        for piecewise in equation.atoms(sp.Piecewise):
            if piecewise.args[-1][1] != sp.true:
                raise ProblemError(
                    f"no condition of {describe(piecewise)} holds in {name!r}: end the Piecewise with a piece for the "
                    "rest, (..., True)"
                )
        other_size = max((float(np.abs(t.at(sites)).max(initial=0.0)) for t in other.terms if t.order), default=0.0)
        raise ProblemError(
            f"the coefficient of the highest derivatives in {describe(equation)} is zero in {name!r}, beside "
            f"{other_size:.3g}: a contrast of zero, which leaves the unknown open there; take that region out of the "
            "domain, with fs.Neumann(0) on its rim, or make the coefficient positive"
        )


def _vanishes(flux: Operator, sites: Sites, sign: int) -> bool:
    """Whether a flux vanishes for any unknown, on the interface and beside it."""
    size = max(float(np.ptp(sites.points, axis=0).max()), float(np.abs(sites.points).max()), CLOSE)
    off = Sites(sites.points + sign * CLOSE * size * sites.outward, sites.normals)
    terms = [term for term in flux.terms if term.order]
    return all(not np.any(term.at(sites)) and not np.any(term.at(off)) for term in terms)


def _normal_flux(
    coefficients: Coefficients,
    unknown: AppliedUndef,
    materials: frozenset[str],
    sides: Sequence[OnSide],
    *,
    own: bool = True,
) -> sp.Expr | None:
    """The normal component of F, if the terms in one unknown are div F and lower-order terms; None otherwise.

    `materials` names the functions given by region. Mixed derivatives of unknowns that are not the equation's `own` are
    ambiguous.
    """
    coordinates = unknown.args
    d = len(coordinates)

    def of(*axes: int) -> sp.Expr:
        return coefficients.get(tuple(axes.count(axis) for axis in range(d)), sp.S.Zero)

    second = [of(*pair) for pair in (*((j, j) for j in range(d)), *combinations(range(d), 2))]
    named = sorted({f for c in second for f in c.atoms(AppliedUndef) if f.func.__name__ in materials}, key=str)
    lower = {f for k in range(d) for f in of(k).atoms(AppliedUndef) | of().atoms(AppliedUndef)}
    known = sorted({*named, *(f for f in lower if f.func.__name__ in materials)}, key=str)
    matrix = {(j, j): of(j, j) for j in range(d)}
    for j, k in combinations(range(d), 2):
        one, other = (_potential(of(b), known, coordinates[a]) for a, b in ((j, k), (k, j)))
        if one is None or other is None:
            return None
        left = of(j, k) - one - other
        if any(not is_zero(left.diff(f)) for f in named):
            return None
        matrix[j, k], matrix[k, j] = one + left / 2, other + left / 2
    for j in range(d):
        inner = _potential(of(j), named, coordinates[j])
        if inner is None or any(not is_zero((matrix[j, j] - inner).diff(f)) for f in named):
            return None
    carried = [_potential(of(), known, c) for c in coordinates]
    if any(part is None for part in carried):
        return None
    if not named and not _may_be_divergence(matrix, [of(k) for k in range(d)], coordinates, sides, own):
        return None
    terms = [
        normal(coordinates[j]) * entry * unknown.diff(coordinates[k]) for (j, k), entry in matrix.items() if entry != 0
    ]
    terms += [normal(c) * part * unknown for c, part in zip(coordinates, carried, strict=True) if part]
    return sp.Add(*terms)


def _potential(coefficient: sp.Expr, materials: Sequence[AppliedUndef], along: sp.Symbol) -> sp.Expr | None:
    """The function whose derivative `along` has these terms with derivatives of materials; None if there is none.

    Only polynomials of the materials are found.
    """
    plain = {material: sp.Dummy(str(material)) for material in materials}
    slopes = {material: sp.Dummy() for material in materials}
    pieces = {p: sp.Dummy() for p in coefficient.atoms(sp.Piecewise) if not p.has(*materials)} if materials else {}
    # derivatives first: they contain the materials
    known = {sp.Derivative(material, along): dummy for material, dummy in slopes.items()}
    body = coefficient.xreplace(pieces).xreplace(known)
    body = body.xreplace({derivative: sp.Dummy() for derivative in body.atoms(sp.Derivative)}).xreplace(plain)
    found = sp.S.Zero
    for material in materials:
        slope = sp.expand(body.diff(slopes[material]) - found.diff(plain[material]))
        if slope.free_symbols & set(slopes.values()) or not slope.is_polynomial(*plain.values()):
            return None
        found += sp.expand(sp.integrate(slope.as_poly(*plain.values()).as_expr(), plain[material])) if slope != 0 else 0
    if any(not is_zero(found.diff(plain[m]) - body.diff(slopes[m])) for m in materials):
        return None
    return found.xreplace({dummy: material for material, dummy in (plain | pieces).items()})


def _may_be_divergence(
    matrix: Mapping[tuple[int, int], sp.Expr],
    first: Sequence[sp.Expr],
    coordinates: Sequence[sp.Symbol],
    sides: Sequence[OnSide],
    own: bool,
) -> bool:
    """Whether jumping coefficients, without derivatives that show the jump, fit a divergence form.

    They do if they are constant on both sides, or if their difference from a divergence form is the same on both.
    """
    taken = [{key: on_side(entry) for key, entry in matrix.items()} for on_side in sides]
    if not own and any(j != k and not is_zero(taken[0][j, k] - taken[1][j, k]) for j, k in matrix):
        return False
    slopes = [
        [sp.Add(*(here[j, k].diff(c) for j, c in enumerate(coordinates))) for k in range(len(coordinates))]
        for here in taken
    ]
    if all(is_zero(slope) for here in slopes for slope in here):
        return True
    rests = [
        [on_side(b) - slope for b, slope in zip(first, here, strict=True)]
        for on_side, here in zip(sides, slopes, strict=True)
    ]
    return all(is_zero(one - other) for one, other in zip(*rests, strict=True))


# ---- Interfaces of a problem


@final
@dataclass(frozen=True, eq=False)
class InterfaceLine:
    """A curve, or a point of a line, at which two materials meet.

    Attributes
    ----------
    name : str
        ``"core | shell"``, or ``"2*x - 1 = 0"`` of a Piecewise expression.
    sides : (str, str)
        The regions; or the signs of the level function, negative first.
    part : BoundaryPart
        Its normals point from the first side to the second.
    rules : tuple of Transmission
        The quantities with prescribed jumps: values, and fluxes or normal derivatives.
    condition : Interface
        The condition that prescribes the jumps.
    curves : tuple of PlaneCurve
        Its pieces in the plane, with the first side on their left.
    border : Expr or None
        The level function, for the border of a Piecewise expression.
    level : Field or None
        The same as a function of points, negative on the first side and positive on the second.
    """

    name: str
    sides: tuple[str, str]
    part: BoundaryPart
    rules: tuple[Transmission, ...] = ()
    condition: Interface = Interface()
    curves: tuple[PlaneCurve, ...] = ()
    border: sp.Expr | None = None
    level: Field | None = None

    @property
    def jump(self) -> Field:
        """The jump of the value, of the first unknown with one."""
        return self._rule("value").value

    @property
    def flux_jump(self) -> Field:
        """The jump of the flux or normal derivative, of the first equation with one."""
        return self._rule("flux").value

    @property
    def flux(self) -> tuple[Operator, Operator]:
        """The flux or normal derivative on each side, of the first equation with one."""
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
    """The interfaces of a problem, and sentences on how they were read."""
    stated = [condition for condition in conditions if isinstance(condition, Interface)]
    found_lines = _find_lines(reading.setting, borders)
    _check_stated(stated, found_lines, reading.setting)
    lines, notes = [], []
    for line, sides in found_lines:
        own = [c for c in stated if c.between is not None and set(c.between) == set(line.sides)]
        condition = next(iter([*own, *(c for c in stated if c.between is None)]), Interface())
        if condition.between == line.sides[::-1]:
            line, sides = _reversed(line), sides[::-1]
        found = transmissions(reading, sides, line.part, line.sides, condition)
        lines.append(replace(line, rules=found.rules, condition=condition))
        notes += [f"Across {line.name!r}, {note}" for note in found.notes]
    return tuple(lines), tuple(dict.fromkeys(notes))


def interface_relations(lines: Sequence[InterfaceLine], setting: Setting) -> tuple[Relation, ...]:
    """Relations at interfaces for functions that are smooth across them, without trivial ones."""
    relations = []
    for line in lines:
        part = line.part
        sites = probe(part, FEW_SITES)
        for rule in line.rules:
            difference = rule.first + rule.second.times(-1.0)
            if rule.value.constant == 0.0 and _is_zero(difference, rule.first, sites):
                continue
            count = 1 if part.parameters == 0 else None
            region = Region("interface", line.name, part.measure, part.sample, part, count=count)
            weight = float(line.condition.weight)
            name = f"interface {line.name} {rule.name}"
            relations.append(Relation(name, difference, rule.value, region, weight, line.condition))
    return tuple(relations)


def kinks(problem: Problem, blocks: Container[str]) -> tuple[str, ...]:
    """The names of the interfaces that these blocks of rows belong to."""
    own = (r for r in problem.relations if r.region.kind == "interface" and r.name in blocks)
    return tuple(dict.fromkeys(relation.region.label for relation in own))


def _is_zero(difference: Operator, one: Operator, sites: Sites) -> bool:
    sums = [sum((term.at(sites) for term in same), np.zeros(1)) for same in difference.by_derivative.values()]
    size = max((float(np.abs(term.at(sites)).max(initial=0.0)) for term in one.terms), default=0.0)
    return all(np.abs(total).max(initial=0.0) <= ROUNDING * size for total in sums)


def _find_lines(setting: Setting, borders: Sequence[LevelBorder]) -> list[tuple[InterfaceLine, tuple[Side, Side]]]:
    """Interfaces without their rules, each with its two sides."""
    found: list[tuple[InterfaceLine, tuple[Side, Side]]] = []
    for border in borders_in(setting.domain):
        line = InterfaceLine(border.name, border.sides, border.part, curves=border.curves)
        found.append((line, (Side(border.sides[0]), Side(border.sides[1]))))
        for level in borders:
            _refuse_coinciding(line, level)
    for level in borders:
        for part in level.parts:
            line = InterfaceLine(part.name, level.sides, part, curves=level.curves)
            line = replace(line, border=level.expression, level=level.level)
            others = _signs_along(part, [other for other in borders if other is not level])
            below, above = ({level.expression: sign} | others for sign in (-1, 1))
            found.append((line, (Side(None, below), Side(None, above))))
    return found


def _refuse_coinciding(line: InterfaceLine, level: LevelBorder) -> None:
    """Refuse a border of a Piecewise that runs along an interface of regions."""
    sites = probe(line.part)
    near = CLOSE * max(float(np.abs(sites.points).max()), float(np.ptp(sites.points, axis=0).max()))
    before, at, after = (level.level(sites.points + step * near * sites.outward).real for step in (-1, 0, 1))
    if np.mean(np.abs(at) <= CLOSE * np.abs(after - before)) > LEAST_SHARE:
        raise ProblemError(
            f"the border {describe(level.expression)} = 0 of a Piecewise runs along that of the regions {line.name!r}; "
            "write what changes there by region too, with fs.ByRegion, or leave the regions out"
        )


def _signs_along(part: BoundaryPart, others: Sequence[LevelBorder]) -> Signs:
    """The signs of level functions that do not change along an interface: they simplify coefficients there."""
    points = probe(part).points
    found = {}
    for other in others:
        signs = np.sign(other.level(points))
        if signs[0] != 0 and np.all(signs == signs[0]):
            found[other.expression] = int(signs[0])
    return found


def _reversed(line: InterfaceLine) -> InterfaceLine:
    """The same interface with its sides swapped."""
    level = line.level
    if line.border is not None and level is not None:
        level = make_field(-line.border, level.arguments, what=f"the border {line.name}")
    return replace(
        line,
        sides=line.sides[::-1],
        part=line.part.reversed(),
        curves=tuple(curve.reversed() for curve in line.curves),
        level=level,
    )


def _check_stated(
    stated: Sequence[Interface], found_lines: Sequence[tuple[InterfaceLine, tuple[Side, Side]]], setting: Setting
) -> None:
    """Refuse Interface conditions that separate nothing, and two for the same interface."""
    if stated and not found_lines:
        raise ProblemError(
            f"{stated[0]!r} separates nothing: the domain {setting.domain!r} has no regions that meet (fs.Regions), "
            "and no coefficient is a Piecewise whose border runs through it"
        )
    known = [line.sides for line, _ in found_lines]
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
