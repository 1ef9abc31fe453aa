"""Equations with the materials of one place, which are smooth beyond their regions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from fspielm.arrays import FloatArray
from fspielm.equations.once import once
from fspielm.equations.pairs import real_relations
from fspielm.equations.piecewise import levels_in
from fspielm.equations.relations import Relation
from fspielm.equations.residual import residual_form
from fspielm.equations.setting import Setting
from fspielm.equations.transmission import Reading, Side
from fspielm.expressions import Field
from fspielm.geometry import regions_in

if TYPE_CHECKING:
    from fspielm.equations.interfaces import InterfaceLine
    from fspielm.equations.problem import Problem

_known: WeakKeyDictionary[Problem, dict[bytes, tuple[Relation, ...]]] = WeakKeyDictionary()


def material_of(problem: Problem, points: FloatArray) -> NDArray[np.int_]:
    """See `Problem.material_of`."""
    regions = regions_in(problem.domain)
    zeros = np.zeros(len(points), dtype=np.int_)
    where = zeros if regions is None else regions.region_of(points[:, : regions.dimension])
    return np.concatenate([where[:, None], _sides(problem)(points)], axis=1)


def equations_at(problem: Problem, point: FloatArray) -> tuple[Relation, ...]:
    """See `Problem.equations_at`."""
    if not problem.interfaces:
        return problem.equations
    row = material_of(problem, point)[0]
    found = _known.setdefault(problem, {})
    if row.tobytes() not in found:
        found[row.tobytes()] = _read(problem, row)
    return found[row.tobytes()]


def _level_lines(problem: Problem) -> dict[sp.Expr, InterfaceLine]:
    """One interface for each level function."""
    return {line.border: line for line in problem.interfaces if line.border is not None}


@once
def _sides(problem: Problem) -> Callable[[FloatArray], NDArray[np.int_]]:
    """A function of points that gives the sign of each level function as it was read, ``(n, L)``."""
    lines = list(_level_lines(problem).values())
    levels = [line.level for line in lines if line.level is not None]
    as_read = np.array([level.source == line.border for level, line in zip(levels, lines, strict=True)], dtype=np.bool_)
    together = _together(levels)

    def sides(points: FloatArray) -> NDArray[np.int_]:
        values = np.empty((len(points), len(levels)))
        for column, value in enumerate(together(*points.T) if together else (level(points).real for level in levels)):
            values[:, column] = value
        return np.where((values > 0) == as_read, 1, -1)

    return sides


@once
def _levels(problem: Problem) -> frozenset[sp.Expr]:
    """All level functions: borders that the domain does not meet are no interfaces, but known."""
    stated = problem.stated
    written = (stated.givens.substitute(equation) for equation in stated.statement.equations)
    return frozenset(level for equation in written for level in levels_in(equation)) | frozenset(_level_lines(problem))


def _together(levels: Sequence[Field]) -> Callable[..., Sequence[Any]] | None:
    """Polynomials in one call: materials are asked for at single points, again and again."""
    sources = [level.source for level in levels]
    if not sources or not all(
        isinstance(source, sp.Expr) and not source.has(sp.I) and source.is_polynomial(*level.arguments)
        for source, level in zip(sources, levels, strict=True)
    ):
        return None
    found: Callable[..., Sequence[Any]] = sp.lambdify(levels[0].arguments, sources, "numpy", cse=True)
    return found


def _read(problem: Problem, row: NDArray[np.int_]) -> tuple[Relation, ...]:
    stated, regions = problem.stated, regions_in(problem.domain)
    levels = _level_lines(problem)
    region = None if regions is None or row[0] < 0 else regions.names[row[0]]
    side = Side(region, dict(zip(levels, row[1:].tolist(), strict=True)))
    written = stated.statement.equations
    changed = stated.statement.origin is not None  # its right-hand sides may be functions that no text has
    setting = Setting(stated.unknowns, stated.givens, stated.domain, levels=_levels(problem))
    operators = tuple(_left(equation) if changed else equation for equation in written)
    rules = Reading(operators, setting).on(side)
    relations = tuple(
        replace(known, operator=rule.operator, value=known.value if changed else rule.value)
        for known, rule in zip(stated.equations, rules, strict=True)
    )
    return relations if problem.whole is None else tuple(real_relations(relations, len(stated.unknowns)))


def _left(equation: sp.Basic) -> sp.Basic:
    return equation.lhs if isinstance(equation, sp.Eq) else residual_form(equation)
