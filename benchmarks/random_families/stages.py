"""The family "stages": homogeneous equations with constant coefficients, and right-hand sides of a few waves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import sympy as sp

import fspielm as fs
from fspielm.geometry import Domain
from random_families.conditions import as_callable, fluxes
from random_families.draw import Draw
from random_families.equations import Equation
from random_families.evolving import draw_evolving
from random_families.places import Place
from random_families.problem import RandomProblem, draw_goal
from random_families.steady import draw_steady
from random_families.thin import draw_particular, draw_variable

_NUMBER = 2
# The bases of these stages are small; a filled band that comes after them has no need to be large.
_MOST = 2000
_SETTINGS = ("1d",) * 2 + ("2d",) * 9 + ("1d+t",) * 6 + ("3d",) + ("2d+t",)


def make_stages(seed: int) -> RandomProblem:
    """The problem of a seed."""
    draw = Draw(np.random.default_rng([_NUMBER, seed]))
    thin = draw.chance(0.35)
    place, equation, domain, setting = _draw_equation(draw, thin)
    x = place.x if domain.time is None else (*place.x, sp.Symbol("t"))
    draw.dimension = len(x)
    exact, source, ingredients = equation.exact, sp.Integer(0), equation.ingredients
    if thin:
        lower, upper = domain.bounding_box
        s = [(v - float(m)) / float(h) for v, m, h in zip(x, (lower + upper) / 2, (upper - lower) / 2, strict=True)]
        particular, told = draw_particular(draw, equation, s)
        source = equation.operator(particular)
        exact = particular + draw.log_between(1e-3, 1) * equation.exact
        ingredients = f"{told}; {ingredients}" if ingredients else told
    conditions, kind = _conditions(draw, domain, place, x, exact, equation)
    problem = fs.Problem(sp.Eq(equation.operator(sp.Function("u")(*x)), source), domain=domain, conditions=conditions)
    tol, share, ample = draw_goal(draw, 1e-11 if domain.dimension < 3 else 1e-8)
    description = (
        f"{equation.name} on {place.name}{' x Time' * (domain.time is not None)} ({setting}), {kind}; {ingredients}"
    )
    return RandomProblem(seed, "stages", description, problem, exact, tol, share, ample, _MOST)


def _draw_equation(draw: Draw, thin: bool) -> tuple[Place, Equation, Domain, str]:
    setting = draw.one_of(_SETTINGS)
    dimension = int(setting[0])
    if thin and draw.chance(0.2):
        place, equation = draw_variable(draw)
        return place, equation, place.space, "1d"
    if setting.endswith("t"):
        place, equation, duration = draw_evolving(draw, dimension)
        return place, equation, place.space * fs.Time(0, duration), setting
    place, equation = draw_steady(draw, dimension)
    return place, equation, place.space, setting


def _conditions(
    draw: Draw, domain: Domain, place: Place, x: Sequence[sp.Symbol], exact: sp.Expr, equation: Equation
) -> tuple[list[Any], str]:
    """Value, slope or a mixture on each part of the boundary; initial data in time."""
    flux = fluxes(place.space, x, exact)
    names = [part.name for part in domain.boundary([str(v) for v in x])]
    if equation.clamped:
        conditions, kind = [fs.Dirichlet(exact), *(fs.Neumann(v, on=name) for name, v in flux.items())], "clamped"
    elif equation.inflow:
        conditions, kind = [fs.Dirichlet(exact, on=equation.inflow)], "inflow"
    elif (
        "resonance by" in place.name or set(flux) != set(names) or draw.chance(0.5) or "corner" in equation.ingredients
    ):
        # the slope of a singular function is no number at its corner
        conditions, kind = [fs.Dirichlet(exact)], "dirichlet"
    else:
        conditions, kind = _mixed(draw, place, names, exact, flux)
    if draw.chance(0.2):
        conditions = [replace(c, value=as_callable(c.value, x)) for c in conditions]
        kind += ", callable data"
    for order in range(equation.time_order):
        conditions.append(fs.Initial(exact.diff(x[-1], order).subs(x[-1], 0), order=order))
    return conditions, kind


def _mixed(
    draw: Draw, place: Place, names: Sequence[str], exact: sp.Expr, flux: dict[str, sp.Expr]
) -> tuple[list[Any], str]:
    """A kind of condition for each part, the value or a mixture on one of them at least."""
    kinds = [draw.one_of(("dirichlet", "neumann", "robin")) for _ in names]
    if set(kinds) == {"neumann"}:
        kinds[0] = "robin"
    conditions: list[Any] = []
    for name, kind in zip(names, kinds, strict=True):
        alpha = draw.between(0.5, 5) / place.length
        conditions.append(
            {
                "dirichlet": fs.Dirichlet(exact, on=name),
                "neumann": fs.Neumann(flux[name], on=name),
                "robin": fs.Robin(alpha, 1, alpha * exact + flux[name], on=name),
            }[kind]
        )
    return conditions, " and ".join(sorted(set(kinds)))
