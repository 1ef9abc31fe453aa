"""The families "calibration" and "test": smooth solutions, and the right-hand sides that belong to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import sympy as sp

import fspielm as fs
from fspielm.geometry import Domain
from random_families.conditions import as_callable, fluxes
from random_families.draw import Draw
from random_families.problem import RandomProblem, draw_goal
from random_families.smooth_models import Model, elliptic, evolution
from random_families.smooth_solutions import draw_solution

_NUMBERS = {"calibration": 0, "test": 1}


def make_smooth(seed: int, family: str) -> RandomProblem:
    """The problem of a seed in one of the two families."""
    draw = Draw(np.random.default_rng([_NUMBERS[family], seed]))
    setting = draw.one_of(("1d",) * 4 + ("2d",) * 8 + ("1d+t",) * 5 + ("3d",) * 2 + ("2d+t",))
    dimension = {"1d": 1, "2d": 2, "1d+t": 1, "3d": 3, "2d+t": 2}[setting]
    space, shape = _space(draw, dimension)
    domain: Domain = space
    if setting.endswith("t"):
        start = draw.between(-1, 1) if draw.chance(0.3) else 0.0
        domain = space * fs.Time(start, start + draw.log_between(0.1, 5))
    draw.dimension = domain.dimension
    lower, upper = domain.bounding_box
    x = sp.symbols("x y z")[:dimension] + ((sp.Symbol("t"),) if domain.time is not None else ())
    half = [float(f"{v:.4g}") for v in 0.5 * (upper - lower)]
    middle = [float(f"{v:.4g}") for v in 0.5 * (lower + upper)]
    s = [(v - m) / h for v, m, h in zip(x, middle, half, strict=True)]
    exact, ingredients = draw_solution(draw, family, s)
    model = (elliptic if domain.time is None else evolution)(draw, x, s, half)
    source = model.operator(exact)
    if model.sourceless is not None and draw.chance(0.25):
        exact, ingredients, source = model.sourceless(), "no source", sp.Integer(0)
    conditions, kind = _conditions(draw, domain, space, x, exact, model)
    u = sp.Function("u")(*x)
    given: dict[Any, Any] = {}
    if source != 0 and draw.chance(0.2):
        f = sp.Function("f")
        given[f] = as_callable(source, x)
        source = f(*x)
        kind += ", callable source"
    problem = fs.Problem(sp.Eq(model.operator(u), source), domain=domain, conditions=conditions, given=given or None)
    tol, share, ample = draw_goal(draw, 1e-11 if domain.dimension < 3 else 1e-8)
    description = f"{model.name} on {shape}{' x Time' * (domain.time is not None)} ({setting}), {kind}; {ingredients}"
    return RandomProblem(seed, family, description, problem, exact, tol, share, ample)


def _space(draw: Draw, dimension: int) -> tuple[Domain, str]:
    """A domain of odd size and place, and its name."""
    size = draw.log_between(0.3, 8) * (draw.one_of((1e-2, 1e3)) if draw.chance(0.1) else 1)
    lower = [draw.between(-2, 2) * size for _ in range(dimension)]
    box = fs.Box(lower, [a + draw.between(0.5, 1.3) * size for a in lower])
    if dimension != 2 or draw.chance(0.4):
        return box, "Box" if dimension > 1 else "Interval"
    theta = sp.Symbol("theta")
    ripple = draw.between(0.05, 0.25) * sp.cos(draw.one_of((2, 3, 5)) * theta + draw.phase())
    shapes: dict[str, Callable[[], Domain]] = {
        "Disk": lambda: fs.Disk(lower, 0.5 * size),
        "Pacman": lambda: fs.Pacman(lower, 0.5 * size, draw.between(0.3, 1.2)),
        "Panda": lambda: fs.Panda(0.45 * size, lower),
        "PolarCurve": lambda: fs.PolarCurve(0.5 * size * (1 + ripple), lower),
    }
    name = draw.one_of(list(shapes))
    return shapes[name](), name


def _conditions(
    draw: Draw, domain: Domain, space: Domain, x: Sequence[sp.Symbol], exact: sp.Expr, model: Model
) -> tuple[list[Any], str]:
    """Dirichlet, or Neumann on some of the parts whose normal is known; initial data in time."""
    flux = fluxes(space, x, exact)
    conditions: list[Any] = []
    kind = "dirichlet"
    names = [part.name for part in domain.boundary([str(v) for v in x])]
    if model.name == "fourth order":
        conditions = [fs.Dirichlet(exact), *(fs.Neumann(value, on=name) for name, value in flux.items())]
        kind = "clamped"
    elif flux and draw.chance(0.35):
        kind = "mixed"
        if len(names) == 1:
            cut = x[0] > draw.between(-0.5, 0.5) * space.radius + space.center[0]  # type: ignore[attr-defined]
            conditions = [fs.Neumann(flux[names[0]], on=cut), fs.Dirichlet(exact, on=sp.Not(cut))]
        else:
            free = [name for name in names if draw.chance(0.4)][: len(names) - 1]
            conditions = [fs.Neumann(flux[name], on=name) for name in free]
            conditions += [fs.Dirichlet(exact, on=[name for name in names if name not in free])]
    else:
        conditions = [fs.Dirichlet(as_callable(exact, x) if draw.chance(0.2) else exact)]
    if domain.time is not None:
        start = domain.time.start
        conditions += [fs.Initial(exact.diff(x[-1], i).subs(x[-1], start), order=i) for i in range(model.time_order)]
    return conditions, kind
