"""Several unknowns, and complex values, in media that vary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

import fspielm as fs
from random_families.draw import Draw
from random_families.patch_media import draw_variable_medium
from random_families.smooth_solutions import draw_solution
from random_families.stated import Stated, boundary, draw_setting, equation, initial, unknown
from random_families.system import Setting, draw_smooth, gradient, laplacian


def draw_fields(draw: Draw) -> Stated:
    """An elastic body, two densities, or sound in a pipe."""
    draw.slower = 1.0
    kind = draw.one_of(("elastic", "densities", "densities in time", "pipe"))
    place, setting = draw_setting(draw, "2d" if kind in ("elastic", "densities") else "1d+t")
    exact, told = draw_smooth(draw, setting, (1.0, 1.0))
    unknowns = tuple(unknown(setting, name) for name in "uv")
    a, b = draw_variable_medium(draw, setting), draw_variable_medium(draw, setting)
    operator = {
        "elastic": _elastic(draw, setting, a, b),
        "densities": _densities(draw, setting, a, b),
        "densities in time": _densities(draw, setting, a, b),
        "pipe": _pipe(setting, a, b),
    }[kind]
    held = {unknowns[0]: exact[0]} if kind == "pipe" else dict(zip(unknowns, exact, strict=True))
    conditions: list[Any] = [fs.Dirichlet(held)]
    if setting.domain.time is not None:
        t = setting.x[-1]
        conditions.append(fs.Initial({u: e.subs(t, 0) for u, e in zip(unknowns, exact, strict=True)}))
    sides = zip(operator(unknowns), operator(exact), strict=True)
    equations = tuple(equation(left, right) for left, right in sides)
    name = f"{kind} in a medium on {place.name}, values; {told}"
    return Stated(name, equations, setting.domain, tuple(conditions), unknowns, exact, least=1e-9)


def _elastic(draw: Draw, setting: Setting, a: sp.Expr, b: sp.Expr) -> Any:
    """Forces within a body whose two moduli vary, each in its own way."""
    ratio = draw.log_between(0.5, 5)

    def forces(fields: Sequence[sp.Expr]) -> list[sp.Expr]:
        (u, v), (x, y) = fields, setting.x[:2]
        spread, mu = ratio * a * (u.diff(x) + v.diff(y)), b
        shear = mu * (u.diff(y) + v.diff(x))
        along, across = spread + 2 * mu * u.diff(x), spread + 2 * mu * v.diff(y)
        return [along.diff(x) + shear.diff(y), shear.diff(x) + across.diff(y)]

    return forces


def _densities(draw: Draw, setting: Setting, a: sp.Expr, b: sp.Expr) -> Any:
    """Two densities that diffuse, and change into each other."""
    length = setting.length
    there, back = (draw.log_between(0.5, 20) / length**2 for _ in range(2))
    slower = draw.between(0.2, 2)
    rate = 0 if setting.domain.time is None else setting.half[-1] / length**2

    def balance(fields: Sequence[sp.Expr]) -> list[sp.Expr]:
        u, v = fields

        def flow(w: sp.Expr, medium: sp.Expr) -> sp.Expr:
            return sum((medium * g).diff(i) for g, i in zip(gradient(w, setting.space), setting.space, strict=True))

        exchange = there * a * u - back * b * v
        changes = [rate * w.diff(setting.x[-1]) if rate else 0 for w in (u, v)]
        return [changes[0] - flow(u, a) + exchange, changes[1] - slower * flow(v, b) - exchange]

    return balance


def _pipe(setting: Setting, a: sp.Expr, b: sp.Expr) -> Any:
    """Sound as velocity and pressure, of first order, in a gas whose density and stiffness vary."""
    x, t = setting.x[0], setting.x[-1]
    speed = setting.half[0] / setting.half[-1]

    def balance(fields: Sequence[sp.Expr]) -> list[sp.Expr]:
        velocity, pressure = fields
        return [a * velocity.diff(t) + speed * pressure.diff(x), b * pressure.diff(t) + speed * velocity.diff(x)]

    return balance


def draw_complex_medium(draw: Draw) -> Stated:
    """Sound with losses and impedance walls, or a quantum in a potential, where both vary."""
    draw.slower = 0.8
    kind = draw.one_of(("2d", "2d", "1d", "1d+t", "1d+t"))
    place, setting = draw_setting(draw, kind)
    parts = [draw_solution(draw, "test", setting.s) for _ in range(2)]
    exact = parts[0][0] + sp.I * parts[1][0]
    u, x = unknown(setting), setting.x
    a = draw_variable_medium(draw, setting)
    if kind == "1d+t":
        length, duration = setting.half
        rate, height = draw.between(0.1, 0.6) * length**2 / duration, draw.between(1, 20) / duration

        def operator(v: sp.Expr) -> sp.Expr:
            return sp.I * v.diff(x[1]) + rate * v.diff(x[0], 2) - height * a * v

        name, conditions, sides = "schroedinger", [fs.Dirichlet(exact), *initial(setting, exact, 1)], "dirichlet"
    else:
        k, loss = draw.frequency() / setting.length, draw.between(0, 0.3)

        def operator(v: sp.Expr) -> sp.Expr:
            return laplacian(v, x) + k**2 * (a**2 + sp.I * loss) * v

        name = "sound"
        conditions, sides = boundary(draw, setting, exact, impedance=-sp.I * k)
    told = f"{name} in a medium on {place.name} ({kind}), {sides}; {parts[0][1]}; {parts[1][1]}"
    return Stated(told, (equation(operator(u), operator(exact)),), setting.domain, tuple(conditions), (u,), (exact,))
