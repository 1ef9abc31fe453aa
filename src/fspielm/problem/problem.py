"""Problems: statements of equations, domain and conditions, read and checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, final

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike, NDArray
from sympy.core.function import AppliedUndef

from fspielm.arrays import FloatArray, NumberArray, as_finite_points, as_points
from fspielm.errors import IterateError, ProblemError
from fspielm.expr.functions import Field, bare_hint, describe
from fspielm.geometry.boundary import Sites
from fspielm.geometry.domain import Domain
from fspielm.geometry.time import regions_in
from fspielm.problem.compiled import Compiled, compile_all, real_relations
from fspielm.problem.interfaces import InterfaceLine, Reading, Side
from fspielm.problem.linear import NonlinearError, residual_form
from fspielm.problem.nonlinear.iterate import AtPoints, AtSites, Iterate, MovableIterate, SlotValues, as_iterate
from fspielm.problem.nonlinear.statement import compile_nonlinear
from fspielm.problem.operator import Operator, cache_by_object, determinant
from fspielm.problem.parameters import check_parameter, need_values, open_symbols, used_in, with_numbers, with_stand_ins
from fspielm.problem.scattering.incident import as_typed
from fspielm.problem.setting import Unknown, single_unknown
from fspielm.problem.statement import AnyCondition, Relation, Statement, is_complex, state
from fspielm.problem.substitutions import levels_in
from fspielm.problem.typeset import problem_html, problem_latex


def linearise(problem: Problem, around: Any = None, share: float = 1.0) -> Problem:
    """The linear problem ``F'(v) u = F'(v) v - F(v)`` for the next iterate u of Newton's method, around v.

    Its conditions are the stated ones, as u is the iterate and not a correction. At u = v its residuals are those of
    the nonlinear problem.

    Parameters
    ----------
    problem : Problem
        Returned unchanged if it is linear.
    around : Iterate, or what `as_iterate` takes for one
        A `Solution`, a number, an expression, a callable, or a mapping of such by unknown; zero by default.
    share : float
        Factor of all nonlinear terms; zero leaves the linear ones.

    Raises
    ------
    IterateError
        If something is not finite at the iterate, here or when coefficients are evaluated.
    """
    if problem.nonlinear is None:
        return problem
    return _compile_linearised(problem, SlotValues(problem, as_iterate(problem, around), share))


def iterate_of(problem: Problem) -> Iterate | None:
    """The iterate that a linear problem is linearised around; None if it is not a linearisation."""
    for value in (problem.statement.given or {}).values():
        if isinstance(value, AtPoints | AtSites):
            around = value.around.at if isinstance(value.around, MovableIterate) else value.around
            return None if around is None else around.iterate
    return None


@final
@dataclass(frozen=True, eq=False)
class Moving:
    """A linearisation whose iterate can be replaced, as making a problem takes time.

    Anything evaluated or found out about the linear `problem` belongs to the iterate of that time.
    """

    nonlinear: Problem
    problem: Problem
    _movable: MovableIterate

    def to(self, iterate: Iterate, share: float = 1.0) -> Problem:
        """The linearisation around this iterate; see `linearise`."""
        self._movable.at = SlotValues(self.nonlinear, iterate, share)
        return self.problem


def moving(problem: Problem) -> Moving:
    """A linearisation that can be moved from iterate to iterate."""
    assert problem.nonlinear is not None
    is_complex = problem.whole is not None or problem.dtype.kind == "c"
    movable = MovableIterate(partial(problem.nonlinear.placeholder, is_complex=is_complex))
    return Moving(problem, _compile_linearised(problem, movable), movable)


def _compile_linearised(problem: Problem, at: SlotValues | MovableIterate) -> Problem:
    nonlinear = problem.nonlinear
    assert nonlinear is not None
    needs_normals = [law.needs_normals for law in nonlinear.laws]
    statement = nonlinear.filled(lambda law, slot: (AtSites if needs_normals[law] else AtPoints)(at, law, slot))
    try:
        made = compile_statement(statement)
    except IterateError:
        raise
    except ProblemError as error:  # the statement itself has been checked
        raise IterateError(f"around this iterate, {error}") from error
    # the gauges of the problem: around a special iterate more may happen to be open
    kept = tuple(relation for relation in made.pattern if not relation.is_gauge)
    vars(made).update(pattern=(*kept, *(relation for relation in problem.pattern if relation.is_gauge)))
    return made


def residual(problem: Problem, iterate: Any, points: Any) -> NumberArray:
    """Left minus right-hand side of the equations for an iterate, at `points` ``(n, d)``."""
    stated, known = problem.stated, as_iterate(problem, iterate)
    sites = Sites(as_finite_points(points, problem.dimension))
    laws = {} if problem.nonlinear is None else problem.nonlinear.equations
    columns = [
        laws[index].residual(known, sites)
        if index in laws
        else known.evaluate_each([equation.operator], sites)[0] - equation.values(sites)
        for index, equation in enumerate(r for r in stated.pattern if r.region.kind == "domain")
    ]
    return columns[0] if len(columns) == 1 else np.stack(columns, axis=1)


# ---- The problem


@final
@dataclass(frozen=True, init=False, eq=False, repr=False)
class Problem(Compiled):
    """A differential equation, or a system of them, with its domain and conditions.

    It may be nonlinear in the unknowns and their derivatives, as long as it is smooth: see `linearised`.

    Parameters
    ----------
    equation : Eq or Expr, or list of them
        An equation or an expression meant to be zero; with several unknown functions, a list of at least as many. The
        order of the functions' arguments is the order of the coordinates everywhere.
    domain : Domain
        ``space * Time(a, b)`` if the last coordinate is time, ``Time(a, b)`` if it is the only one.
    conditions : sequence of AnyCondition
        `Dirichlet`, `Neumann`, `Robin`, `Periodic`, `Symmetry`, `Initial`, `Measured`, `Interface`, or any
        `Condition`.
    given : mapping, optional
        Numbers for symbols, and callables ``(n, d) -> (n,)`` for known functions and, if the equation needs them, their
        derivatives: ``given={k: 3.0, f: callable, a(x).diff(x): callable}``. Callables get all coordinates of the
        points, even if the function is written with some of them. A function with two lists of arguments is given for
        both: ``given={f(x): callable, f(y): callable}``. On a domain of `Regions`, `ByRegion` gives a value for each
        region. Symbols without a value are open: the problem can be stated, and solved once they have numbers (`at`,
        `fs.sweep`, `fs.eigenmodes`); ``given={k: ...}`` says so explicitly.
    unknowns : sequence of functions, optional
        The order of the unknowns of a system, and of the columns of ``solution(points)``. By default those in
        dictionaries of conditions come first, then the others by their first equation and by name.
    incident : Incident or Expr, optional
        The incident field on an open domain: `plane_wave`, `point_source`, `beam`, or any expression that satisfies the
        equation. Conditions hold for the total field; the scattered field is solved for.

    Attributes
    ----------
    statement : Statement
        The problem as written.
    unknowns : tuple of Unknown
    relations : tuple of Relation
        For a linear problem: the equations, then the conditions, one entry for each part of the boundary.
    pattern : tuple of Relation
        The same. For a nonlinear problem, the relations of a linearisation: their names and regions are right, but
        values that depend on the iterate mean nothing.
    nonlinear : Nonlinear or None
        The nonlinear equations and conditions.
    givens : Substitutions
        The given values.
    missing : str
        The missing condition, if nothing inside can replace it; empty otherwise.
    whole : Problem or None
        The problem for the complex unknowns as written, if their conjugates occur: the unknowns here are then their
        real and imaginary parts.
    interfaces : tuple of InterfaceLine
        Where materials meet: the regions of the domain, or the pieces of Piecewise expressions in the equations.
    notes : tuple of str
        Sentences on how the interfaces were read.
    open_symbols : tuple of Symbol
        Symbols for numbers without a value; `relations` are then unknown.
    domain, conditions
        As stated.
    coordinates : tuple of Symbol
    dimension : int
    equations, constraints : tuple of Relation
        The relations on the whole domain, and those of the conditions.
    determinant : Operator
        The determinant of the equations.
    equation, unknown, operator, right_hand_side
        For a problem of one unknown: the equation as stated, its unknown, and its two sides.

    Raises
    ------
    ProblemError
        If the statement cannot be solved as written.
    """

    whole: Problem | None = None

    def __init__(
        self,
        equation: sp.Basic | Sequence[sp.Basic],
        domain: Domain,
        conditions: Sequence[AnyCondition],
        given: Mapping[Any, Any] | None = None,
        unknowns: Sequence[Any] | None = None,
        incident: Any = None,
    ) -> None:
        stated = state(equation, domain, conditions, given, unknowns, incident)
        vars(self).update(vars(compile_statement(stated)))

    def __reduce__(self) -> tuple[Callable[..., Problem], tuple[Any, ...]]:
        # compiled parts cannot be pickled; they follow from the statement, or from the problem it was derived from
        origin = self.statement.origin
        return (compile_statement, (self.statement,)) if origin is None else (origin, ())

    @property
    def is_linear(self) -> bool:
        """Whether all equations and conditions are linear in the unknowns."""
        return self.nonlinear is None

    @property
    def is_linearisation(self) -> bool:
        """Whether it is the linearisation of a nonlinear problem."""
        return any(getattr(value, "is_slot", False) for value in (self.statement.given or {}).values())

    @property
    def outlines(self) -> dict[sp.Basic, sp.Expr]:
        """For the functions of a linearisation that depend on its iterate: their expressions with numbers for it."""
        given = (self.statement.given or {}).items()
        return {key: value.outline for key, value in given if getattr(value, "is_slot", False)}

    @property
    def relations(self) -> tuple[Relation, ...]:
        """The relations of a linear problem; refused if it is nonlinear or has open symbols."""
        if self.open_symbols:
            raise ProblemError(need_values(self, self.open_symbols))
        if self.nonlinear is not None:
            raise ProblemError(
                f"{self.nonlinear.reason}; relations are those of a linear problem: take problem.linearised(iterate)"
            )
        return self.pattern

    residual = residual
    linearised = linearise

    @property
    def parameters(self) -> tuple[sp.Symbol, ...]:
        """The symbols that stand for numbers, given or open."""
        given = [key for key in (self.statement.given or {}) if isinstance(key, sp.Symbol)]
        return tuple(dict.fromkeys([*given, *self.open_symbols]))

    def at(self, values: Mapping[sp.Symbol, Any]) -> Problem:
        """The problem with other numbers for some of its `parameters`."""
        for symbol in values:
            check_parameter(symbol, self.parameters, self.coordinates)
        stated = with_numbers(self.statement, values)
        # a number that replaces a formula may leave other given values unused
        return compile_statement(replace(stated, given=used_in(stated.given or {}, stated.expressions)))

    @property
    def domain(self) -> Domain:
        """Where the equation holds."""
        return self.statement.domain

    @property
    def conditions(self) -> tuple[AnyCondition, ...]:
        """The conditions, as stated."""
        return self.statement.conditions

    @property
    def coordinates(self) -> tuple[sp.Symbol, ...]:
        """The arguments of the unknowns."""
        return self.unknowns[0].coordinates

    @property
    def stated(self) -> Problem:
        """The problem for the unknowns as written: `whole` if there is one, else this one."""
        return self if self.whole is None else self.whole

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the unknowns as written."""
        return tuple(unknown.symbol.func.__name__ for unknown in self.stated.unknowns)

    @property
    def dimension(self) -> int:
        """Number of coordinates, time included."""
        return self.domain.dimension

    @property
    def unknown(self) -> AppliedUndef:
        """The unknown, as it is written."""
        return self._only("unknown", "unknowns").symbol

    @property
    def equation(self) -> sp.Basic:
        """The equation, as stated."""
        self._only("equation", "statement.equations")
        return self.statement.equations[0]

    @property
    def equations(self) -> tuple[Relation, ...]:
        """The relations that hold all over the domain."""
        return tuple(relation for relation in self.relations if relation.region.kind == "domain")

    @property
    def is_homogeneous(self) -> bool:
        """Whether all equations have zero on their right-hand sides."""
        return all(equation.value.constant == 0.0 for equation in self.equations)

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """Of the unknowns: complex where a coefficient or a datum is."""
        known = [unknown.dtype for unknown in self.unknowns]
        return np.result_type(*known, np.complex128 if any(map(is_complex, self.pattern)) else np.float64)

    @cached_property
    def determinant(self) -> Operator:
        """The operator that stands for all equations: of one unknown, its own; of several, the determinant."""
        operators = [equation.operator for equation in self.equations]
        return determinant(operators, len(self.unknowns), self.domain)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Sentences on how the statement was read: interfaces, conjugates, excess equations and gauges."""
        found = list(self.notes)
        if self.whole is not None:
            names = ", ".join(str(unknown.symbol) for unknown in self.whole.unknowns)
            found.append(f"Conjugates or parts of unknowns occur: real and imaginary parts of {names} are solved for.")
        stated = self.stated
        number, unknowns = sum(r.region.kind == "domain" for r in stated.pattern), len(stated.unknowns)
        if number > unknowns:
            found.append(
                f"There are {number} equations for {unknowns} unknown{'s' * (unknowns > 1)}: they are met together as "
                "well as they can be, which is exactly where they do not contradict one another."
            )
        for relation in self.pattern:
            if relation.condition is None and relation.region.kind != "domain":
                always = " at all times" if relation.region.count != 1 else ""
                found.append(
                    f"Neither equations nor conditions determine the {relation.name}{always}: zero was chosen for it."
                )
        return tuple(found)

    @property
    def operator(self) -> Operator:
        """The operator of the only equation."""
        return self._equation("operator").operator

    @property
    def right_hand_side(self) -> Field:
        """The right-hand side of the only equation."""
        return self._equation("right_hand_side").value

    @property
    def constraints(self) -> tuple[Relation, ...]:
        """The relations of the conditions."""
        return tuple(relation for relation in self.relations if relation.condition is not None)

    def material_of(self, points: ArrayLike) -> NDArray[np.int_]:
        """The materials at `points` ``(n, d)``: the number of the region, then the side of each level function.

        Points with equal rows ``(n, 1 + k)`` have the same materials. Regions are numbered from 0, which is the only
        number if the domain has none; sides are -1 and 1.
        """
        points = as_points(points, self.dimension)
        regions = regions_in(self.domain)
        zeros = np.zeros(len(points), dtype=np.int_)
        where = zeros if regions is None else regions.region_of(points[:, : regions.dimension])
        return np.concatenate([where[:, None], _level_signs(self)(points)], axis=1)

    def equations_at(self, point: ArrayLike) -> tuple[Relation, ...]:
        """The equations with the materials of one point, extended smoothly beyond their regions."""
        points = as_points(np.reshape(point, (1, -1)), self.dimension)
        if not self.interfaces:
            return self.equations
        row = self.material_of(points)[0]
        found = _equations_by_material(self)
        if row.tobytes() not in found:
            found[row.tobytes()] = _read_equations(self, row)
        return found[row.tobytes()]

    def place(self, unknown: Any) -> int:
        """The index of an unknown, given as a function or by name."""
        for place, symbol in enumerate(self.setting.symbols):
            if unknown in (symbol, symbol.func.__name__):
                return place
        names = ", ".join(map(str, self.setting.symbols))
        raise ProblemError(f"there is no unknown {unknown!r}{bare_hint(unknown)}; the unknowns are {names}")

    def places(self, unknown: Any) -> tuple[int, ...]:
        """The index of an unknown as written, or the two of its real and imaginary part."""
        if self.whole is None:
            return (self.place(unknown),)
        place = self.whole.place(unknown)
        return 2 * place, 2 * place + 1

    def field(self, unknown: Any) -> Problem:
        """One unknown by itself, without the equations, which are for all unknowns."""
        known = self.stated.unknowns[self.stated.place(unknown)]
        if len(self.unknowns) == 1:
            return self
        alone = replace(known, dtype=self.dtype if self.whole is None else np.dtype(np.complex128))
        statement = replace(self.statement, origin=partial(Problem.field, self, alone.symbol))
        return problem_of(Compiled(statement, (alone,), (), self.givens, self.missing))

    def _equation(self, attribute: str) -> Relation:
        """The one equation."""
        self._only(attribute, "relations")
        if not self.relations:
            raise ProblemError(
                f"{self.unknowns[0].symbol} is one of the unknowns of a system, whose equations are for all of them; "
                "ask the whole problem, or the whole solution"
            )
        return self.relations[0]

    def _only(self, attribute: str, general: str) -> Unknown:
        return single_unknown(self.unknowns, f"problem.{attribute}", f"use problem.{general}")

    # for notebooks
    _repr_html_ = problem_html
    _repr_latex_ = problem_latex

    def __repr__(self) -> str:
        equations = ", ".join(map(describe, self.statement.equations))
        stated = f"{equations}, domain={self.domain!r}, conditions={list(self.conditions)}"
        if self.statement.incident is not None:
            stated += f", incident={as_typed(self.statement.incident)}"
        return f"Problem({stated})"


def compile_statement(statement: Statement) -> Problem:
    """The problem of a statement, checked; symbols may be open."""
    still_open = open_symbols(statement)
    if not still_open:
        return _compiled_problem(statement)
    made = _compiled_problem(with_stand_ins(statement, still_open))
    vars(made).update(statement=statement, open_symbols=still_open)
    return made


def _compiled_problem(statement: Statement) -> Problem:
    try:
        return problem_of(compile_all(statement))
    except NonlinearError as error:
        if statement.domain.is_unbounded:
            raise ProblemError(f"{error}; on an open domain equations must be linear") from None
        return problem_of(compile_nonlinear(statement, error))


def problem_of(compiled: Compiled) -> Problem:
    """A problem from a compiled statement."""
    problem = object.__new__(Problem)
    whole = None if compiled.whole is None else problem_of(compiled.whole)
    vars(problem).update(vars(compiled) | {"whole": whole})
    return problem


def problem_with(problem: Problem, statement: Statement, relations: tuple[Relation, ...]) -> Problem:
    """A linear problem with another statement and other relations, for the same unknowns."""
    made = Compiled(statement, problem.unknowns, relations, problem.givens, problem.missing)
    return problem_of(replace(made, interfaces=problem.interfaces, notes=problem.notes))


# ---- The equations at one point, with the materials there


@cache_by_object
def _equations_by_material(problem: Problem) -> dict[bytes, tuple[Relation, ...]]:
    """The equations known so far, by the bytes of a row of `Problem.material_of`."""
    return {}


def _level_lines(problem: Problem) -> dict[sp.Expr, InterfaceLine]:
    """One interface for each level function."""
    return {line.border: line for line in problem.interfaces if line.border is not None}


@cache_by_object
def _level_signs(problem: Problem) -> Callable[[FloatArray], NDArray[np.int_]]:
    """A function of points that returns the signs of all level functions, ``(n, L)``."""
    lines = list(_level_lines(problem).values())
    levels = [line.level for line in lines if line.level is not None]
    as_read = np.array([level.source == line.border for level, line in zip(levels, lines, strict=True)], dtype=np.bool_)
    together = _compile_polynomials(levels)

    def sides(points: FloatArray) -> NDArray[np.int_]:
        values = np.empty((len(points), len(levels)))
        for column, value in enumerate(together(*points.T) if together else (level(points).real for level in levels)):
            values[:, column] = value
        return np.where((values > 0) == as_read, 1, -1)

    return sides


@cache_by_object
def _levels(problem: Problem) -> frozenset[sp.Expr]:
    """All level functions, also of borders outside of the domain."""
    stated = problem.stated
    written = (stated.givens.substitute(equation) for equation in stated.statement.equations)
    return frozenset(level for equation in written for level in levels_in(equation)) | frozenset(_level_lines(problem))


def _compile_polynomials(levels: Sequence[Field]) -> Callable[..., Sequence[Any]] | None:
    """One function for all levels if they are polynomials: many calls are for single points."""
    sources = [level.source for level in levels]
    if not sources or not all(
        isinstance(source, sp.Expr) and not source.has(sp.I) and source.is_polynomial(*level.arguments)
        for source, level in zip(sources, levels, strict=True)
    ):
        return None
    found: Callable[..., Sequence[Any]] = sp.lambdify(levels[0].arguments, sources, "numpy", cse=True)
    return found


def _read_equations(problem: Problem, row: NDArray[np.int_]) -> tuple[Relation, ...]:
    stated, regions = problem.stated, regions_in(problem.domain)
    levels = _level_lines(problem)
    region = None if regions is None or row[0] < 0 else regions.names[row[0]]
    side = Side(region, dict(zip(levels, row[1:].tolist(), strict=True)))
    written = stated.statement.equations
    changed = stated.statement.origin is not None  # its right-hand sides may be callables
    setting = replace(stated.setting, levels=_levels(problem))
    if changed:
        written = tuple(e.lhs if isinstance(e, sp.Eq) else residual_form(e) for e in written)
    rules = Reading(written, setting).rules_on(side)
    relations = tuple(
        replace(known, operator=rule.operator, value=known.value if changed else rule.value)
        for known, rule in zip(stated.equations, rules, strict=True)
    )
    return relations if problem.whole is None else tuple(real_relations(relations, len(stated.unknowns)))
