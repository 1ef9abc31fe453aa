"""Equations with the materials of one place, which are smooth beyond their regions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from fspielm.arrays import FloatArray
from fspielm.equations.pairs import real_relations
from fspielm.equations.relations import Relation
from fspielm.equations.residual import residual_form
from fspielm.equations.setting import Setting
from fspielm.equations.transmission import Reading, Side
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
    return np.stack([where, *(_sides(line, points) for line in _level_lines(problem).values())], axis=1)


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


def _sides(line: InterfaceLine, points: FloatArray) -> NDArray[np.int_]:
    """The sign of the level function as it was read."""
    assert line.level is not None
    positive = (line.level(points).real > 0) == (line.level.source == line.border)
    return np.where(positive, 1, -1)


def _read(problem: Problem, row: NDArray[np.int_]) -> tuple[Relation, ...]:
    stated, regions = problem.stated, regions_in(problem.domain)
    levels = _level_lines(problem)
    region = None if regions is None or row[0] < 0 else regions.names[row[0]]
    side = Side(region, dict(zip(levels, row[1:].tolist(), strict=True)))
    written = stated.statement.equations
    changed = stated.statement.origin is not None  # its right-hand sides may be functions that no text has
    setting = Setting(stated.unknowns, stated.givens, stated.domain, levels=frozenset(levels))
    operators = tuple(_left(equation) if changed else equation for equation in written)
    rules = Reading(operators, setting).on(side)
    relations = tuple(
        replace(known, operator=rule.operator, value=known.value if changed else rule.value)
        for known, rule in zip(stated.equations, rules, strict=True)
    )
    return relations if problem.whole is None else tuple(real_relations(relations, len(stated.unknowns)))


def _left(equation: sp.Basic) -> sp.Basic:
    return equation.lhs if isinstance(equation, sp.Eq) else residual_form(equation)
