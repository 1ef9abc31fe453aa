"""The family "complex": one unknown with complex values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import sympy as sp

import fspielm as fs
from random_families.complex_models import ComplexModel, draw_complex
from random_families.conditions import as_callable, fluxes
from random_families.draw import Draw
from random_families.places import Place, draw_place
from random_families.problem import RandomProblem, draw_goal
from random_families.system import Setting, make_setting

_NUMBER = 4
_SETTINGS = ("1d",) * 3 + ("2d",) * 9 + ("1d+t",) * 6 + ("3d", "2d+t")
_SLOWER = 1.4
_LEAST = {1: 1e-11, 2: 1e-10, 3: 1e-7}


def make_complex(seed: int) -> RandomProblem:
    """The problem of a seed."""
    draw = Draw(np.random.default_rng([_NUMBER, seed]), slower=_SLOWER)
    kind = draw.one_of(_SETTINGS)
    place = draw_place(draw, int(kind[0]))
    setting = make_setting(place.space, place.x)
    if kind.endswith("t"):
        setting = make_setting(place.space * fs.Time(0, draw.log_between(0.1, 5)), (*place.x, sp.Symbol("t")))
    draw.dimension = len(setting.x)
    model = draw_complex(draw, place, setting)
    conditions, told = _conditions(draw, place, setting, model)
    u = sp.Function("u")(*setting.x)
    source = sp.Integer(0) if model.sourceless else model.operator(model.exact)
    given: dict[Any, Any] = {}
    if not model.sourceless and draw.chance(0.15):
        f = sp.Function("f")(*setting.x)
        given[f], source = as_callable(source, setting.x), f
        told += ", callable source"
    problem = fs.Problem(sp.Eq(model.operator(u), source), setting.domain, conditions, given=given or None)
    tol, share, ample = draw_goal(draw, _LEAST[len(setting.x)])
    description = f"{model.name} on {place.name} ({kind}), {told}; {model.ingredients}"
    return RandomProblem(seed, "complex", description, problem, model.exact, tol, share, ample)


def _conditions(draw: Draw, place: Place, setting: Setting, model: ComplexModel) -> tuple[list[Any], str]:
    """Values, slopes or an impedance on each part of the boundary; initial data in time."""
    exact, x = model.exact, setting.x
    flux = fluxes(place.space, place.x, exact)
    names = [part.name for part in setting.domain.boundary([str(v) for v in x])]
    conditions: list[Any] = [fs.Dirichlet(exact)]
    told = "dirichlet"
    if set(flux) == set(names) and draw.chance(0.7):
        conditions, told = _mixed(draw, names, flux, model)
    if draw.chance(0.15):
        conditions = [replace(c, value=as_callable(c.value, x)) for c in conditions]
        told += ", callable data"
    for order in range(model.time_order):
        conditions.append(fs.Initial(exact.diff(x[-1], order).subs(x[-1], 0), order=order))
    return conditions, told


def _mixed(draw: Draw, names: Sequence[str], flux: dict[str, sp.Expr], model: ComplexModel) -> tuple[list[Any], str]:
    kinds = [draw.one_of(("dirichlet", "neumann", "impedance", "impedance")) for _ in names]
    if set(kinds) == {"neumann"}:
        kinds[0] = "impedance"
    conditions: list[Any] = []
    for name, kind in zip(names, kinds, strict=True):
        # du/dn = i k z u absorbs with the time factor exp(-i k c t)
        alpha = -sp.sympify(complex(model.impedance)) * draw.log_between(0.1, 3)
        conditions.append(
            {
                "dirichlet": fs.Dirichlet(model.exact, on=name),
                "neumann": fs.Neumann(flux[name], on=name),
                "impedance": fs.Robin(alpha, 1, alpha * model.exact + flux[name], on=name),
            }[kind]
        )
    return conditions, " and ".join(sorted(set(kinds)))
