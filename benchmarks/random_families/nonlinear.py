"""The family "nonlinear": equations and conditions that are not linear, at rest, in time, and for several unknowns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

import fspielm as fs
from random_families.draw import Draw
from random_families.nonlinear_models import (
    Model,
    draw_complex_model,
    draw_evolving_model,
    draw_initial_value_model,
    draw_several,
    draw_steady_model,
)
from random_families.problem import RandomProblem, draw_goal
from random_families.stated import boundary, draw_setting, initial
from random_families.system import Setting, draw_smooth, make_setting

_NUMBER = 6
# Newton's method solves several times with each set of functions.
_SLOWER = 2.0
_MOST = 30_000
_SECONDS = 120.0
_LEAST = 1e-9
_KINDS = ("1d",) * 4 + ("2d",) * 8 + ("1d+t",) * 4 + ("two, 1d", "two, 2d", "ode", "complex, 1d", "complex, 2d")


def make_nonlinear(seed: int) -> RandomProblem:
    """The problem of a seed; there may be other solutions than the one that it is made from."""
    draw = Draw(np.random.default_rng([_NUMBER, seed]), slower=_SLOWER)
    kind = draw.one_of(_KINDS)
    setting, model, where = _draw_model(draw, kind)
    unknowns = [sp.Function(name)(*setting.x) for name in "uv"[: model.unknowns]]
    exact, told = draw_smooth(draw, setting, [draw.log_between(0.3, 2) for _ in unknowns])
    if model.is_complex:
        turn = sp.exp(sp.I * sum(draw.between(-3, 3) * s for s in setting.s))
        exact = (exact[0] * turn,)
    conditions, how = _conditions(draw, setting, unknowns, exact, model)
    equations = [sp.Eq(left, _source(left, exact, unknowns), evaluate=False) for left in model.operator(unknowns)]
    problem = fs.Problem(equations, setting.domain, conditions, unknowns=unknowns)
    tol, share, ample = draw_goal(draw, _LEAST)
    description = f"{model.name}{where} ({kind}), {how}; {told}"
    known = exact if len(exact) > 1 else exact[0]
    return RandomProblem(
        seed, "nonlinear", description, problem, known, tol, share, ample, _MOST, seconds=_SECONDS, several=True
    )


def _draw_model(draw: Draw, kind: str) -> tuple[Setting, Model, str]:
    if kind == "ode":
        draw.dimension = 1
        setting = make_setting(fs.Time(0, draw.log_between(0.1, 20)), (sp.Symbol("t"),))
        return setting, draw_initial_value_model(draw, setting), ""
    place, setting = draw_setting(draw, kind.rpartition(", ")[2])
    makers = {"1d+t": draw_evolving_model, "two": draw_several, "complex": draw_complex_model}
    return setting, makers.get(kind.partition(",")[0], draw_steady_model)(draw, setting), f" on {place.name}"


def _source(form: sp.Expr, exact: Sequence[sp.Expr], unknowns: Sequence[sp.Expr]) -> sp.Expr:
    """What an equation makes of the solution; coordinates are real."""
    real = {v: sp.Dummy(v.name, real=True) for v in unknowns[0].args}
    put = {u.xreplace(real): e.xreplace(real) for u, e in zip(unknowns, exact, strict=True)}
    made: sp.Expr = form.xreplace(real).subs(put).doit().xreplace({new: old for old, new in real.items()})
    return made


def _conditions(
    draw: Draw, setting: Setting, unknowns: Sequence[sp.Expr], exact: Sequence[sp.Expr], model: Model
) -> tuple[list[Any], str]:
    """Values, or of one unknown slopes and mixtures too, now and then one that is not linear; and how all begins."""
    domain = setting.domain
    time_order = model.time_order
    starts = [
        fs.Initial(
            {u: e.diff(setting.x[-1], i).subs(setting.x[-1], 0) for u, e in zip(unknowns, exact, strict=True)}, order=i
        )
        for i in range(time_order)
    ]
    if domain.dimension == 1 and time_order:
        return starts, "start"
    if len(unknowns) > 1 or model.is_complex:
        return [fs.Dirichlet(dict(zip(unknowns, exact, strict=True))), *starts], "dirichlet"
    names = [part.name for part in domain.boundary([str(v) for v in setting.x])]
    if len(names) > 1 and domain.time is None and draw.chance(0.2):
        rim = draw.one_of(names)
        sides = [setting.length * fs.normal_derivative(v) + v**4 / 4 for v in (unknowns[0], exact[0])]
        conditions = [
            fs.Condition(sp.Eq(*sides, evaluate=False), on=rim),
            fs.Dirichlet(exact[0], on=[name for name in names if name != rim]),
        ]
        return conditions, "dirichlet and radiation"
    conditions, how = boundary(draw, setting, exact[0])
    return [*conditions, *(initial(setting, exact[0], time_order) if time_order else [])], how
