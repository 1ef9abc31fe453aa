"""Media that vary smoothly: one unknown in one and two dimensions, and in time."""

from __future__ import annotations

from typing import Any

import sympy as sp

import fspielm as fs
from random_families.draw import Draw, dot
from random_families.smooth_solutions import draw_solution
from random_families.stated import Stated, boundary, draw_setting, equation, initial, unknown
from random_families.system import Setting, laplacian


def draw_medium(draw: Draw) -> Stated:
    """Helmholtz, diffusion, drift, waves or heat in a medium that varies."""
    kind = draw.one_of(("1d", "2d", "2d", "2d", "1d+t", "1d+t"))
    place, setting = draw_setting(draw, kind)
    exact, told = draw_solution(draw, draw.one_of(("test", "calibration")), setting.s)
    names = ("wave", "heat", "klein-gordon") if kind == "1d+t" else ("helmholtz", "diffusion", "drift")
    name = draw.one_of(names)
    a, b = draw_variable_medium(draw, setting), draw_variable_medium(draw, setting)
    u = unknown(setting)
    if kind == "1d+t":
        operator, order = _evolution(draw, setting, name, a, b)
        conditions, sides = boundary(draw, setting, exact)
        conditions += initial(setting, exact, order)
    else:
        operator = _steady(draw, setting, name, a, b)
        conditions, sides = boundary(draw, setting, exact)
    where = f"{name} in a medium on {place.name} ({kind}), {sides}; {told}"
    return Stated(where, (equation(operator(u), operator(exact)),), setting.domain, tuple(conditions), (u,), (exact,))


def draw_variable_medium(draw: Draw, setting: Setting) -> sp.Expr:
    """A function about one, that has a lens, a slope, a ripple or a soft step in space."""
    s = setting.s[: len(setting.space)]
    width = draw.between(0.2, 0.8)
    across = dot(draw.rng.standard_normal(len(s)).round(2).tolist(), s)
    shapes: dict[str, Any] = {
        "lens": lambda: draw.between(-0.5, 1) * sp.exp(-draw.center(s) / width**2),
        "slope": lambda: 0.4 * sp.sin(across + draw.phase()),
        "ripple": lambda: draw.between(0.1, 0.5) * sp.cos(draw.between(2, 9) * s[0] + draw.phase()),
        "soft step": lambda: draw.between(-0.5, 2) * (1 + sp.tanh((s[-1] - draw.between(-0.5, 0.5)) / width * 2)) / 2,
    }
    return sp.Integer(1) + shapes[draw.one_of(list(shapes))]()


def _steady(draw: Draw, setting: Setting, name: str, a: sp.Expr, b: sp.Expr) -> Any:
    x, length = setting.x, setting.length
    k = draw.frequency() / length
    c = draw.log_between(0.1, 100) / length**2
    speed = [draw.between(-20, 20) / length for _ in x]

    def diffusion(v: sp.Expr) -> sp.Expr:
        return sum((a * v.diff(i)).diff(i) for i in x)

    return {
        "helmholtz": lambda v: laplacian(v, x) + k**2 * a**2 * v,
        "diffusion": lambda v: -diffusion(v) + c * b * v,
        "drift": lambda v: -diffusion(v) + b * sum(w * v.diff(i) for w, i in zip(speed, x, strict=True)),
    }[name]


def _evolution(draw: Draw, setting: Setting, name: str, a: sp.Expr, b: sp.Expr) -> tuple[Any, int]:
    x, t = setting.x
    length, duration = setting.half
    speed = draw.between(0.4, 4) * length / duration
    alpha = draw.log_between(0.02, 1) * length**2 / duration
    mass = draw.between(0.5, 12) / duration

    def flow(v: sp.Expr) -> sp.Expr:
        return (a * v.diff(x)).diff(x)

    return {
        "wave": (lambda v: b * v.diff(t, 2) - speed**2 * flow(v), 2),
        "heat": (lambda v: b * v.diff(t) - alpha * flow(v), 1),
        "klein-gordon": (lambda v: v.diff(t, 2) - speed**2 * flow(v) + mass**2 * b * v, 2),
    }[name]


def draw_plate(draw: Draw) -> Stated:
    """Fourth order: clamped plates and beams, also of a stiffness that varies."""
    kind = draw.one_of(("1d", "2d", "2d"))
    draw.slower = 1.5
    place, setting = draw_setting(draw, kind)
    exact, told = draw_solution(draw, "test", setting.s)
    stiff = sp.Integer(1) if draw.chance(0.4) else draw_variable_medium(draw, setting)
    spring = draw.log_between(0.1, 100) / setting.length**4 if draw.chance(0.4) else 0
    u = unknown(setting)

    def operator(v: sp.Expr) -> sp.Expr:
        return laplacian(stiff * laplacian(v, setting.x), setting.x) + spring * v

    conditions = (fs.Dirichlet(exact), fs.Neumann(fs.normal_derivative(exact)))
    told = f"{'plate' if kind == '2d' else 'beam'} on {place.name} ({kind}), clamped; {told}"
    return Stated(
        told, (equation(operator(u), operator(exact)),), setting.domain, conditions, (u,), (exact,), least=1e-8
    )
