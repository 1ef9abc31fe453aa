"""Nonlinear equations of the family "nonlinear", with coefficients in the units of the domain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import sympy as sp

from random_families.draw import Draw
from random_families.system import Fields, Operator, Setting, divergence, gradient, inner, laplacian


@dataclass(frozen=True, eq=False)
class Model:
    """Equations for one or several unknowns, and how many initial conditions each asks for."""

    name: str
    operator: Operator
    unknowns: int = 1
    time_order: int = 0
    is_complex: bool = False


def _one(name: str, operator: Callable[[sp.Expr], sp.Expr], time_order: int = 0) -> Model:
    return Model(name, lambda fields: [operator(fields[0])], time_order=time_order)


def draw_steady_model(draw: Draw, setting: Setting) -> Model:
    """One unknown at rest: nonlinear in its value, in its slope, or in the coefficients of its highest derivatives."""
    x, length = setting.x, setting.length
    a = draw.log_between(0.3, 20) / length**2
    k = draw.frequency() / length
    b = [draw.between(-5, 5) / length for _ in x]
    small = draw.between(0.1, 1)

    def steepness(v: sp.Expr) -> sp.Expr:
        return length**2 * inner(gradient(v, x), gradient(v, x))

    def flow(factor: Callable[[sp.Expr], sp.Expr]) -> Callable[[sp.Expr], sp.Expr]:
        return lambda v: -divergence([factor(v) * slope for slope in gradient(v, x)], x)

    reactions: dict[str, Callable[[sp.Expr], sp.Expr]] = {
        "cubic": lambda v: a * v**3,
        "inverse cubic": lambda v: -a * v**3,
        "double well": lambda v: a * (v**3 - v),
        "square": lambda v: a * v**2,
        "exponential": lambda v: a * sp.exp(v),
        "ignition": lambda v: -a * sp.exp(v) / 3,
        "hyperbolic sine": lambda v: a * sp.sinh(v),
        "sine": lambda v: a * sp.sin(2 * v),
        "saturation": lambda v: a * v / (1 + v**2),
        "wave with a cubic": lambda v: -(k**2) * v - a * v**3 / 10,
        "transport by itself": lambda v: v * inner(b, gradient(v, x)),
        "slope squared": lambda v: small * steepness(v) / length**2,
    }
    flows = {
        "flow in a medium that swells": flow(lambda v: 1 + small * v**2),
        "flow that is hindered where it is steep": flow(lambda v: 1 / sp.sqrt(1 + small * steepness(v))),
        "heat in a medium that hardens": flow(lambda v: sp.exp(small * v)),
    }
    if draw.chance(0.2):
        name = draw.one_of(list(flows))
        return _one(name, flows[name])
    name = draw.one_of(list(reactions))
    return _one(name, lambda v: -laplacian(v, x) + reactions[name](v))


def draw_evolving_model(draw: Draw, setting: Setting) -> Model:
    """One unknown in time."""
    *space, t = setting.x
    length, duration = setting.length, setting.half[-1]
    alpha = draw.log_between(0.02, 1) * length**2 / duration
    drift = draw.between(0.2, 2) * length / duration
    speed = draw.between(0.4, 2) * length / duration
    a = draw.log_between(0.3, 5) / duration

    def diffusion(v: sp.Expr) -> sp.Expr:
        return v.diff(t) - alpha * laplacian(v, space)

    def wave(v: sp.Expr) -> sp.Expr:
        return v.diff(t, 2) - speed**2 * laplacian(v, space)

    kinds: dict[str, tuple[int, Callable[[sp.Expr], sp.Expr]]] = {
        "burgers": (1, lambda v: diffusion(v) + drift * v * v.diff(space[0])),
        "allen-cahn": (1, lambda v: diffusion(v) + a * (v**3 - v)),
        "fisher": (1, lambda v: diffusion(v) - a * v * (1 - v)),
        "heat that ignites": (1, lambda v: diffusion(v) - a * sp.exp(v) / 3),
        "flow in a medium that swells, in time": (
            1,
            lambda v: v.diff(t) - divergence([alpha * (1 + v**2) * slope for slope in gradient(v, space)], space),
        ),
        "sine-gordon": (2, lambda v: wave(v) + a**2 * sp.sin(v)),
        "klein-gordon with a cubic": (2, lambda v: wave(v) + a**2 * v**3),
    }
    name = draw.one_of(list(kinds))
    order, operator = kinds[name]
    return _one(name, operator, order)


def draw_several(draw: Draw, setting: Setting) -> Model:
    """Two unknowns at rest, which act on each other."""
    x, length = setting.x, setting.length
    a, b = (draw.log_between(0.3, 5) / length**2 for _ in range(2))
    c = draw.between(-1, 1) / length**2

    def competing(f: Fields) -> list[sp.Expr]:
        u, v = f
        return [-laplacian(u, x) + a * u * v, -laplacian(v, x) + b * u**2 - c * v]

    def reacting(f: Fields) -> list[sp.Expr]:
        u, v = f
        return [-laplacian(u, x) + a * u * v**2, -laplacian(v, x) + b * v - c * u * v**2]

    def carried(f: Fields) -> list[sp.Expr]:
        u, v = f
        first = (u * u.diff(x[0]) + v * u.diff(x[-1])) * a * length
        second = (u * v.diff(x[0]) + v * v.diff(x[-1])) * a * length
        return [-laplacian(u, x) + first, -laplacian(v, x) + second]

    name, operator = draw.one_of((("competing", competing), ("reacting", reacting), ("carried by each other", carried)))
    return Model(name, operator, 2)


def draw_initial_value_model(draw: Draw, setting: Setting) -> Model:
    """Functions of time: a pendulum, prey with its hunters, a circuit that oscillates by itself."""
    (t,), duration = setting.x, 2 * setting.half[0]
    a, b = (draw.log_between(0.5, 10) / duration for _ in range(2))
    if draw.chance(0.3):

        def prey(f: Fields) -> list[sp.Expr]:
            return [f[0].diff(t) - a * f[0] * (1 - f[1]), f[1].diff(t) + b * f[1] * (1 - f[0])]

        return Model("prey", prey, 2, 1)
    kinds = {
        "pendulum": lambda v: v.diff(t, 2) + a**2 * sp.sin(v),
        "van der pol": lambda v: v.diff(t, 2) - b * (1 - v**2) * v.diff(t) + a**2 * v,
        "duffing": lambda v: v.diff(t, 2) + b * v.diff(t) + a**2 * (v**3 - v),
    }
    name = draw.one_of(list(kinds))
    return _one(name, kinds[name], 2)


def draw_complex_model(draw: Draw, setting: Setting) -> Model:
    """Waves in a medium that answers to their intensity."""
    x, length = setting.x, setting.length
    k, a = draw.frequency() / length, draw.between(-2, 2) / length**2

    def operator(f: Fields) -> list[sp.Expr]:
        (u,) = f
        return [laplacian(u, x) + k**2 * (1 + sp.I / 10) * u + a * u**2 * sp.conjugate(u)]

    return Model("intensity", operator, is_complex=True)
