"""From a statement to unknowns and relations, all of it checked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, final

import numpy as np
import sympy as sp

from fspielm.arrays import FloatArray, NumberArray
from fspielm.errors import ProblemError
from fspielm.expr.functions import Field, describe, make_field
from fspielm.expr.identities import complex_parts
from fspielm.geometry.boundary import Quadrature, Sites
from fspielm.geometry.time import SpaceTime
from fspielm.numerics.sampling import Sampling
from fspielm.numerics.tolerances import ROUNDING, SAME
from fspielm.problem.borders import read_borders
from fspielm.problem.interfaces import InterfaceLine, Reading, interface_relations, read_interfaces
from fspielm.problem.linear import read_equation, residual_form
from fspielm.problem.normal import normal_symbols
from fspielm.problem.operator import (
    FEW_SITES,
    Coefficient,
    FieldCoefficient,
    Operator,
    Product,
    Term,
    field_coefficient,
    product,
)
from fspielm.problem.places import Region, whole_domain
from fspielm.problem.scattering.open_domain import for_open_domain
from fspielm.problem.setting import Setting, Unknown, read_unknowns
from fspielm.problem.statement import Relation, Statement, bind_conditions, distinct
from fspielm.problem.substitutions import Substitutions, read_givens
from fspielm.problem.wellposed import check_conditions

if TYPE_CHECKING:
    from fspielm.problem.nonlinear.statement import Nonlinear


@final
@dataclass(frozen=True, eq=False)
class LinearFields:
    """The constant one and, in degree one, each coordinate, centred in the domain and scaled by its extent.

    If they hold `at_all_times`, an arbitrary function of time, the last coordinate, multiplies them.
    """

    center: FloatArray
    lengths: FloatArray
    degree: int
    at_all_times: bool

    @property
    def axes(self) -> int:
        """The number of coordinates that they depend on."""
        return len(self.center) - self.at_all_times

    @property
    def size(self) -> int:
        """The number of fields."""
        return 1 + self.degree * self.axes

    def derivative(self, points: FloatArray, orders: tuple[int, ...]) -> FloatArray:
        """A derivative of each field, ``(n, size)``."""
        along = orders[: self.axes]
        values = np.zeros((len(points), self.size))
        if sum(along) == 0:
            values[:, 0] = 1.0
            if self.degree:
                values[:, 1:] = ((points - self.center) / self.lengths)[:, : self.axes]
        elif sum(along) == 1 and self.degree:
            axis = along.index(1)
            values[:, 1 + axis] = 1.0 / self.lengths[axis]
        return values

    def rows(self, operator: Operator, sites: Sites, unknowns: int) -> NumberArray:
        """The operator on each field in each unknown, ``(T, n, unknowns * size)``.

        There is a block for each of T orders in time, as the derivatives of an arbitrary function are independent.
        """
        number = 1 + max((self._time_order(term.orders) for term in operator.terms), default=0)
        total: NumberArray = np.zeros((number, len(sites), unknowns, self.size))
        for term in operator.terms:
            share = np.zeros_like(total)
            share[self._time_order(term.orders), :, term.unknown] = self.derivative(sites.points, term.orders)
            total = total + term.at(sites)[:, None, None] * share
        return total.reshape(number, len(sites), -1)

    def combination(self, coefficients: NumberArray, sites: Sites) -> NumberArray:
        """The sum of the fields times these coefficients, at `sites`."""
        return np.asarray(self.derivative(sites.points, (0,) * sites.dimension) @ coefficients)

    def _time_order(self, orders: tuple[int, ...]) -> int:
        return orders[-1] if self.at_all_times else 0


# ---- What a system leaves open: the constant of a pressure, the rigid motions of a body


# Nodes of integrals over the domain; and those over space, with as many times.
_NODES, _NODES_IN_SPACE = 400, 100
# A single row among thousands must count as much as they do together.
_GAUGE_WEIGHT = 30.0


def gauge_relations(relations: Sequence[Relation], setting: Setting) -> tuple[Relation, ...]:
    """Relations that fix the constants and rigid motions which no other relation sees.

    They set the integral of the unknowns against each such field to zero: a pressure has mean zero, and a body that
    nothing holds neither moves nor turns. They hold at all times if nothing determines how the field changes with
    time. With a single unknown the user can prescribe a value instead.
    """
    if len(setting.unknowns) == 1:
        return ()
    found: list[Relation] = []
    lower, upper = setting.domain.bounding_box
    for at_all_times in (True, False) if isinstance(setting.domain, SpaceTime) else (False,):
        for degree in (0, 1):
            fields = LinearFields(0.5 * (lower + upper), upper - lower, degree, at_all_times)
            modes = _unseen_fields([*relations, *found], fields, len(setting.unknowns))
            found += [_gauge_relation(mode, fields, setting) for mode in modes]
    return tuple(distinct(found))


def _unseen_fields(relations: Sequence[Relation], fields: LinearFields, unknowns: int) -> NumberArray:
    """Coefficients ``(modes, unknowns, size)`` of the fields that no relation sees."""
    rng = np.random.default_rng(0)  # samples only
    rows = []
    for relation in relations:
        sites = relation.sample(FEW_SITES, rng, "low-discrepancy")
        pieces = [fields.rows(operator, places, unknowns) for operator, places in relation.pieces(sites)]
        block = np.sum(pieces, axis=0)
        if relation.sum_weights is not None:
            each = len(relation.sum_weights)
            block = np.einsum("q,orqm->orm", relation.sum_weights, block.reshape(len(block), -1, each, block.shape[-1]))
        rows.append(block.reshape(-1, block.shape[-1]) / (np.abs(block).max() or 1.0))
    matrix = np.concatenate(rows)
    sizes = np.linalg.norm(matrix, axis=0)
    scales = np.where(sizes > 0, sizes, 1.0)
    _, singular, modes = np.linalg.svd(np.linalg.qr(matrix / scales, mode="r"), full_matrices=True)
    seen = int(np.sum(singular > SAME * max(singular[0], np.finfo(float).tiny)))
    return _row_echelon(modes[seen:] / scales).reshape(-1, unknowns, fields.size)


def _row_echelon(modes: NumberArray) -> NumberArray:
    """Combinations of the modes (rows) with as many zeros as possible, to keep unknowns apart."""
    reduced = np.array(modes)
    for row in range(len(reduced)):
        sizes = np.abs(reduced[row:])
        best, column = divmod(int(sizes.argmax()), sizes.shape[1])
        reduced[[row, row + best]] = reduced[[row + best, row]]
        reduced[row] /= reduced[row, column]
        others = np.arange(len(reduced)) != row
        reduced[others] -= reduced[others, column, None] * reduced[row]
    return np.asarray(np.where(np.abs(reduced) > SAME, reduced, 0.0))


def _gauge_relation(mode: NumberArray, fields: LinearFields, setting: Setting) -> Relation:
    """The integral of the unknowns times a field is zero, over the domain or over space at some times."""
    orders = (0,) * setting.dimension
    on = [place for place, one in enumerate(mode) if np.any(one)]
    terms = tuple(Term(partial(fields.combination, mode[place]), orders, place) for place in on)
    names = " and ".join(setting.symbols[place].func.__name__ for place in on)
    name = f"mean of {names}" if fields.degree == 0 else f"motion of {names}"
    rule, times = _quadrature(fields, setting)
    rows = len(times) if times is not None else 1
    sums_at = None if times is None else partial(_sites_at_times, rule.sites)
    nodes = rule.sites if times is None else _sites_at_times(rule.sites, times)

    def sample(n: int, rng: np.random.Generator, sampling: Sampling = "uniform") -> Sites:
        return nodes

    region = Region("inside", "", 1.0, sample, count=rows)
    weights = rule.weights / rule.weights.sum()
    zero, weight = setting.field(0, "zero"), _GAUGE_WEIGHT / np.sqrt(rows)
    operator = Operator(setting.dimension, terms)
    return Relation(name, operator, zero, region, float(weight), sum_weights=weights, sums_at=sums_at)


def _sites_at_times(nodes: Sites, times: FloatArray) -> Sites:
    """The nodes in space at each of some times."""
    every = np.repeat(times, len(nodes))[:, None]
    return Sites(np.concatenate([np.tile(nodes.points, (len(times), 1)), every], axis=1))


def _quadrature(fields: LinearFields, setting: Setting) -> tuple[Quadrature, FloatArray | None]:
    """Nodes and weights of the integrals, and their times if they hold at all times."""
    domain = setting.domain
    if not fields.at_all_times:
        return domain.quadrature(_NODES), None
    assert isinstance(domain, SpaceTime)
    # denser towards both ends, where functions of high degree are least determined
    angles = (np.arange(_NODES_IN_SPACE) + 0.5) * np.pi / _NODES_IN_SPACE
    times = domain.time.start + domain.time.duration * 0.5 * (1 - np.cos(angles))
    return domain.space.quadrature(_NODES_IN_SPACE), times


# ---- Complex unknowns as pairs of real ones, where their conjugates occur


_PART_NAMES = ("real part", "imaginary part")


def real_unknowns(unknowns: Sequence[Unknown]) -> tuple[Unknown, ...]:
    """The real and the imaginary part of each."""
    both = [(unknown, f"{part} {unknown.symbol.func.__name__}") for unknown in unknowns for part in ("re", "im")]
    return tuple(replace(unknown, symbol=sp.Function(name)(*unknown.symbol.args)) for unknown, name in both)


def real_relations(relations: Sequence[Relation], unknowns: int) -> tuple[Relation, ...]:
    """Both parts of each relation, as relations of `real_unknowns`, without trivial ones."""
    return tuple(part for relation in relations for part in _parts_of(relation, unknowns))


def _parts_of(relation: Relation, unknowns: int) -> list[Relation]:
    if isinstance(relation.region.factor, complex):
        raise ProblemError(
            f"{relation.name}: the factor {relation.region.factor:.6g} of Periodic must be real where conjugates, re, "
            "im or Abs of unknowns occur; put exp(i k x) p(x) into the equation, and let p be periodic"
        )
    terms: tuple[list[Term], list[Term]] = [], []
    for term in relation.operator.terms:
        first = 2 * (term.unknown % unknowns)
        # c (a + i b), or c (a - i b) for a conjugate
        sign = -1.0 if term.unknown >= unknowns else 1.0
        real, imaginary = _coefficient_parts(term.coefficient)
        for part, of_a, of_b, factor in ((0, real, imaginary, -sign), (1, imaginary, real, sign)):
            terms[part].extend(Term(c, term.orders, first) for c in of_a)
            terms[part].extend(Term(product(factor, c), term.orders, first + 1) for c in of_b)
    sites = relation.sample(FEW_SITES, np.random.default_rng(0), "low-discrepancy")  # samples only
    found = []
    for part, value in enumerate(_field_parts(relation.value)):
        groups = Operator(relation.operator.dimension, tuple(terms[part])).by_derivative.values()
        left = tuple(term for group in groups if not _cancel(group, sites) for term in group)
        operator = replace(relation.operator, terms=left)
        if operator.terms:
            found.append(replace(relation, name=f"{relation.name} {_PART_NAMES[part]}", operator=operator, value=value))
        elif value.constant != 0.0:
            raise ProblemError(
                f"{relation.name}: the {_PART_NAMES[part]} prescribes nothing, but its value is "
                f"{describe(value.source)}; make it zero"
            )
    return found


def _cancel(terms: Sequence[Term], sites: Sites) -> bool:
    """Whether terms cancel at all sites, as parts of an unknown and of its conjugate do."""
    try:
        values = np.stack([term.at(sites) for term in terms])
    except ProblemError:  # a coefficient without a value there is reported where it is needed
        return False
    return bool(np.all(np.abs(values.sum(axis=0)) <= ROUNDING * np.abs(values).sum(axis=0)))


def _coefficient_parts(coefficient: Coefficient) -> tuple[list[Coefficient], list[Coefficient]]:
    """Coefficients whose sums are the real and the imaginary part."""
    if isinstance(coefficient, Product):
        (a, b), (c, d) = _coefficient_parts(coefficient.first), _coefficient_parts(coefficient.second)
        real = [product(p, q) for p in a for q in c] + [product(-1.0, product(p, q)) for p in b for q in d]
        return real, [product(p, q) for p in a for q in d] + [product(p, q) for p in b for q in c]
    parts: Iterable[Coefficient]
    if isinstance(coefficient, FieldCoefficient):
        parts = (field_coefficient(part, coefficient.what) for part in _field_parts(coefficient.field))
    elif callable(coefficient):
        return [coefficient], []  # powers of normals, which are real
    else:
        parts = float(np.real(coefficient)), float(np.imag(coefficient))
    real_part, imaginary_part = ([part] if callable(part) or part != 0.0 else [] for part in parts)
    return real_part, imaginary_part


def _field_parts(field: Field) -> tuple[Field, Field]:
    """The real and the imaginary part of a field."""
    arguments, normals = field.arguments, normal_symbols(field.arguments)
    if field.constant is not None:
        number = complex(field.constant)
        return make_field(number.real, arguments), make_field(number.imag, arguments)
    parts = complex_parts(field.source) if field.is_formula and isinstance(field.source, sp.Expr) else None
    if parts is not None and not field.needs_normals:
        return make_field(parts[0], arguments), make_field(parts[1], arguments)
    real, imaginary = (make_field(_part(field, name), arguments, normals=normals) for name in ("real", "imag"))
    return real, imaginary


def _part(field: Field, name: str) -> object:
    """The real or imaginary part of a field, as a function of points or of points and normals."""

    def at_points(points: FloatArray) -> NumberArray:
        return np.asarray(getattr(field(points), name))

    def at_sites(points: FloatArray, normals: FloatArray) -> NumberArray:
        return np.asarray(getattr(field(points, normals), name))

    function = at_sites if field.needs_normals else at_points
    function.__name__ = f"{name} part of {describe(field.source)}"
    return function


# ---- Compiling a statement


@dataclass(frozen=True, eq=False)
class Compiled:
    """What a `Problem` consists of, which describes these attributes."""

    statement: Statement
    unknowns: tuple[Unknown, ...]
    pattern: tuple[Relation, ...]
    givens: Substitutions
    missing: str = ""
    whole: Compiled | None = None
    interfaces: tuple[InterfaceLine, ...] = ()
    notes: tuple[str, ...] = ()
    nonlinear: Nonlinear | None = None
    open_symbols: tuple[sp.Symbol, ...] = ()

    @property
    def setting(self) -> Setting:
        """In which values are read, without the parts of the boundary."""
        return Setting(self.unknowns, self.givens, self.statement.domain)


def compile_all(statement: Statement) -> Compiled:
    """Read and check all of a statement with linear equations and conditions."""
    domain, stated = statement.domain, read_givens(statement.given)
    written = residual_forms(statement)
    unknowns = read_unknowns(written, stated, statement)
    parts = domain.boundary([str(symbol) for symbol in unknowns[0].coordinates])
    givens = stated.placed(domain, unknowns[0].coordinates)
    setting = Setting(unknowns, givens, domain, parts)
    borders, notes = read_borders([givens.substitute(residual) for residual in written], setting)
    setting = replace(setting, levels=frozenset(border.expression for border in borders))
    equations = []
    for equation, what in zip(statement.equations, equation_names(statement), strict=True):
        rule = read_equation(equation, setting, what)
        equations.append(Relation(what.removeprefix("the "), rule.operator, rule.value, whole_domain(domain)))
    lines, more = read_interfaces(statement.conditions, Reading(statement.equations, setting), borders)
    bound = bind_conditions(statement.conditions, setting, equations)
    relations = (*equations, *bound, *interface_relations(lines, setting))
    if domain.is_unbounded:
        relations = for_open_domain(relations, statement, setting)
        # relations of fields inside of objects too: see `transmission_problem`
        if any(max(relation.operator.unknowns, default=0) >= len(unknowns) for relation in relations):
            stated.check_use(statement.expressions)
            return Compiled(statement, unknowns, relations, givens)
    if any(term.unknown >= len(unknowns) for relation in relations for term in relation.operator.terms):  # conjugates
        made = split_real_imaginary(Compiled(statement, unknowns, relations, givens))
    else:
        missing = check_conditions(relations, setting)
        made = Compiled(statement, unknowns, (*relations, *gauge_relations(relations, setting)), givens, missing)
    stated.check_use(statement.expressions)
    return replace(made, interfaces=lines, notes=(*notes, *more))


def split_real_imaginary(whole: Compiled) -> Compiled:
    """The same with real and imaginary parts as unknowns."""
    domain, unknowns = whole.statement.domain, real_unknowns(whole.unknowns)
    relations = real_relations(whole.pattern, len(whole.unknowns))
    known = {part.name: part for relation in relations for part in relation.region.parts}
    parts = domain.boundary([str(symbol) for symbol in unknowns[0].coordinates])
    setting = Setting(unknowns, whole.givens, domain, tuple(known.get(part.name, part) for part in parts))
    missing = check_conditions(relations, setting)
    relations = (*relations, *gauge_relations(relations, setting))
    return Compiled(whole.statement, unknowns, relations, whole.givens, missing, whole)


def equation_names(statement: Statement) -> list[str]:
    """The names of equations in messages."""
    number = len(statement.equations)
    return ["the equation"] if number == 1 else [f"equation {index + 1}" for index in range(number)]


def residual_forms(statement: Statement) -> list[sp.Expr]:
    """The expressions that the equations set to zero."""
    equations = statement.equations
    names = ["equation"] if len(equations) == 1 else [f"equation[{index}]" for index in range(len(equations))]
    return [residual_form(equation, name) for equation, name in zip(equations, names, strict=True)]
