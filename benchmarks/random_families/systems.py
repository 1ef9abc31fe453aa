"""The family "systems": several unknowns, in one to three dimensions and in time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

import fspielm as fs
from random_families.conditions import as_callable, normals
from random_families.draw import Draw
from random_families.evolving_systems import draw_evolving_system
from random_families.ordinary_systems import draw_beam, draw_initial_value
from random_families.places import Place, draw_place
from random_families.problem import RandomProblem, draw_goal
from random_families.steady_systems import draw_steady_system
from random_families.system import Modes, Setting, System, make_setting

_NUMBER = 3
_SETTINGS = ("ode",) * 2 + ("beam",) + ("1d",) * 2 + ("2d",) * 8 + ("1d+t",) * 5 + ("2d+t", "3d")
# Several unknowns share the neurons that one has in the other families.
_SLOWER = 2.0
_MOST = 5000
_LEAST = {1: 1e-11, 2: 1e-10, 3: 1e-6}


def make_systems(seed: int) -> RandomProblem:
    """The problem of a seed."""
    draw = Draw(np.random.default_rng([_NUMBER, seed]), slower=_SLOWER)
    kind = draw.one_of(_SETTINGS)
    place, setting, system, conditions = _draw_system(draw, kind)
    x = setting.x
    unknowns = [sp.Function(name)(*x) for name in system.names]
    modes: Modes = ()
    told = "ends" if conditions else "start"
    if place is not None:
        conditions, told, modes = _conditions(draw, system, place, setting, unknowns)
    conditions = [*conditions, *_initial(system, setting, unknowns)]
    sources = [sp.Integer(0) if system.sourceless else side for side in system.operator(system.exact)]
    given: dict[Any, Any] = {}
    if not system.sourceless and draw.chance(0.15):
        f = sp.Function("f")(*x)
        given[f], sources[0] = as_callable(sources[0], x), f
        told += ", callable source"
    equations = [sp.Eq(left, right) for left, right in zip(system.operator(unknowns), sources, strict=True)]
    problem = fs.Problem(equations, setting.domain, conditions, given=given or None, unknowns=unknowns)
    tol, share, ample = draw_goal(draw, _LEAST[len(x)])
    where = "" if place is None else f" on {place.name}"
    description = f"{system.name}{where} ({kind}), {told}; {system.ingredients}"
    return RandomProblem(seed, "systems", description, problem, system.exact, tol, share, ample, _MOST, modes)


def _draw_system(draw: Draw, kind: str) -> tuple[Place | None, Setting, System, list[Any]]:
    """Where, what, and the conditions that belong to it alone."""
    if kind in ("ode", "beam"):
        draw.dimension = 1
        return (None, *draw_initial_value(draw), []) if kind == "ode" else (None, *draw_beam(draw))
    dimension = int(kind[0])
    place = draw_place(draw, dimension)
    if not kind.endswith("t"):
        draw.dimension = dimension
        setting = make_setting(place.space, place.x)
        return place, setting, draw_steady_system(draw, place, setting), []
    draw.dimension = dimension + 1
    setting = make_setting(place.space * fs.Time(0, draw.log_between(0.1, 5)), (*place.x, sp.Symbol("t")))
    return place, setting, draw_evolving_system(draw, place, setting), []


def _conditions(
    draw: Draw, system: System, place: Place, setting: Setting, unknowns: Sequence[sp.Expr]
) -> tuple[list[Any], str, Modes]:
    """Values on some parts of the boundary, what is natural on the others; and the fields that these do not see."""
    names = [part.name for part in setting.domain.boundary([str(v) for v in setting.x])]
    known = normals(place.space, place.x)
    free: list[str] = []
    if system.natural is not None and set(names) <= set(known):
        if draw.chance(0.12):
            free = names
        elif draw.chance(0.45):
            free = [name for name in names if draw.chance(0.5)][: len(names) - 1]
    conditions: list[Any] = []
    for name in free:
        assert system.natural is not None
        sides = (system.natural(fields, known[name]) for fields in (unknowns, system.exact))
        conditions += [fs.Condition(sp.Eq(a, b, evaluate=False), on=name) for a, b in zip(*sides, strict=True)]
    if held := [name for name in names if name not in free]:
        as_calls = draw.chance(0.2)
        values = {
            unknowns[i]: as_callable(system.exact[i], setting.x) if as_calls else system.exact[i] for i in system.held
        }
        conditions.append(fs.Dirichlet(values, on=system.inflow or held))
    told = "natural" if len(free) == len(names) else "values and natural" if free else system.inflow or "values"
    modes = system.modes if not free else system.free_modes if len(free) == len(names) else ()
    return conditions, told, modes


def _initial(system: System, setting: Setting, unknowns: Sequence[sp.Expr]) -> list[Any]:
    time = setting.domain.time
    if not system.time_orders or time is None:
        return []
    t, found = setting.x[-1], []
    for order in range(max(system.time_orders)):
        values = {
            u: exact.diff(t, order).subs(t, time.start)
            for u, exact, orders in zip(unknowns, system.exact, system.time_orders, strict=True)
            if order < orders
        }
        found.append(fs.Initial(values, order=order))
    return found
