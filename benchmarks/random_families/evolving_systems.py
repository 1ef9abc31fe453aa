"""Systems in space and time: reactions, sound, light, vibrations, transport."""

from __future__ import annotations

import math
from collections.abc import Callable

import sympy as sp

from random_families.draw import Draw, dot
from random_families.elastic import stress, traction
from random_families.places import Place
from random_families.system import (
    Fields,
    Setting,
    System,
    divergence,
    draw_smooth,
    gradient,
    inner,
    laplacian,
    smooth_coefficient,
)

_T = sp.Symbol("t")
_FASTEST = {1: 20.0, 2: 4.0}


def draw_evolving_system(draw: Draw, place: Place, setting: Setting) -> System:
    """Any of the kinds that there are in this dimension."""
    kinds: dict[int, tuple[Callable[[Draw, Place, Setting], System], ...]] = {
        1: (_reaction, _reaction, _sound, _sound, _coupled_waves, _transport, _quantum),
        2: (_reaction, _sound, _light, _vibration),
    }
    return draw.one_of(kinds[len(place.x)])(draw, place, setting)


def _duration(setting: Setting) -> float:
    return 2 * setting.half[-1]


def _reaction(draw: Draw, place: Place, setting: Setting) -> System:
    """Substances that diffuse and turn into one another; heat and moisture."""
    x, count = place.x, draw.one_of((2, 2, 3))
    duration = _duration(setting)
    diffusion = [draw.log_between(0.02, 1) * place.length**2 / duration for _ in range(count)]
    across = [draw.between(-0.3, 0.3) * min(diffusion) for _ in range(count)]
    varying = smooth_coefficient(draw, setting.s) if draw.chance(0.4) else sp.Integer(1)
    reaction = [[draw.between(-2, 2) / duration for _ in range(count)] for _ in range(count)]

    def operator(w: Fields) -> list[sp.Expr]:
        return [
            w[i].diff(_T)
            - diffusion[i] * varying * laplacian(w[i], x)
            - across[i] * laplacian(w[i - 1], x)
            + sum(reaction[i][j] * w[j] for j in range(count))
            for i in range(count)
        ]

    def flux(w: Fields, normal: Fields) -> list[sp.Expr]:
        return [inner(normal, gradient(a, x)) for a in w]

    exact, told = draw_smooth(draw, setting, (1.0,) * count)
    name = f"reaction-diffusion of {count} in time{', variable' * (varying != 1)}"
    every = tuple(range(count))
    return System(name, ("a", "b", "c")[:count], operator, every, flux, exact, told, time_orders=(1,) * count)


def _sound(draw: Draw, place: Place, setting: Setting) -> System:
    """Velocity and pressure of sound, as first-order equations; the density may vary."""
    x, n = place.x, len(place.x)
    c = draw.between(0.5, 3) * place.length / _duration(setting)
    density = draw.log_between(0.1, 10)
    is_sourceless = draw.chance(0.5)
    varying = smooth_coefficient(draw, setting.s) if not is_sourceless and draw.chance(0.4) else sp.Integer(1)

    def operator(w: Fields) -> list[sp.Expr]:
        *v, p = w
        pushed = [density * varying * a.diff(_T) + g for a, g in zip(v, gradient(p, x), strict=True)]
        return [*pushed, p.diff(_T) / (density * c**2) + divergence(v, x)]

    def through(w: Fields, normal: Fields) -> list[sp.Expr]:
        return [inner(normal, w[:-1])]

    if is_sourceless:
        exact, told = _plane_sound(draw, place, c, density), "no source"
    else:
        exact, told = draw_smooth(draw, setting, (*(1 / (density * c) for _ in x), 1.0))
    names = (*(f"v{v}" for v in x), "p")
    name = f"sound{', variable' * (varying != 1)}"
    return System(name, names, operator, (n,), through, exact, told, is_sourceless, time_orders=(1,) * (n + 1))


def _plane_sound(draw: Draw, place: Place, c: float, density: float) -> tuple[sp.Expr, ...]:
    """A sum of waves and bumps along some directions."""
    fields = [sp.Integer(0)] * (len(place.x) + 1)
    for _ in range(draw.one_of((2, 3, 4))):
        direction = draw.frame(len(place.x))[0]
        along = (dot(direction, place.r) - c * _T) / place.length
        k = draw.log_between(0.5, _FASTEST[len(place.x)])
        size = draw.between(0.3, 1)
        p = size * (sp.sin(k * along + draw.phase()) if draw.chance(0.7) else sp.exp(-((along - 0.2) ** 2) * k))
        for i, d in enumerate(direction):
            fields[i] += float(d) * p / (density * c)
        fields[-1] += p
    return tuple(fields)


def _light(draw: Draw, place: Place, setting: Setting) -> System:
    """Maxwell's equations in the plane: one electric component, two magnetic ones."""
    x, y = place.x
    c = draw.between(0.5, 2) * place.length / _duration(setting)
    is_sourceless = draw.chance(0.5)

    def operator(w: Fields) -> list[sp.Expr]:
        e, hx, hy = w
        return [e.diff(_T) / c - hy.diff(x) + hx.diff(y), hx.diff(_T) / c + e.diff(y), hy.diff(_T) / c - e.diff(x)]

    if is_sourceless:
        fields = [sp.Integer(0)] * 3
        for _ in range(3):
            a, b = (float(d) for d in draw.frame(2)[0])
            k = draw.log_between(0.5, _FASTEST[2]) / place.length
            e = draw.between(0.3, 1) * sp.sin(k * (dot((a, b), place.r) - c * _T) + draw.phase())
            fields = [f + g for f, g in zip(fields, (e, b * e, -a * e), strict=True)]
        exact, told = tuple(fields), "no source"
    else:
        exact, told = draw_smooth(draw, setting, (1.0, 1.0, 1.0))
    orders = (1, 1, 1)
    return System("maxwell", ("E", "Hx", "Hy"), operator, (0,), None, exact, told, is_sourceless, time_orders=orders)


def _coupled_waves(draw: Draw, place: Place, setting: Setting) -> System:
    """Two strings with springs between."""
    (x,), duration = place.x, _duration(setting)
    speeds = [draw.between(0.5, 3) * place.length / duration for _ in range(2)]
    spring = draw.between(1, 40) / duration**2

    def operator(w: Fields) -> list[sp.Expr]:
        return [
            a.diff(_T, 2) - c**2 * a.diff(x, 2) + spring * (a - b)
            for a, b, c in zip(w, reversed(w), speeds, strict=True)
        ]

    def slope(w: Fields, normal: Fields) -> list[sp.Expr]:
        return [normal[0] * a.diff(x) for a in w]

    exact, told = draw_smooth(draw, setting, (1.0, 1.0))
    return System("coupled waves", ("u", "v"), operator, (0, 1), slope, exact, told, time_orders=(2, 2))


def _transport(draw: Draw, place: Place, setting: Setting) -> System:
    """Two substances carried the same way at different speeds, which exchange; given where they enter."""
    (x,), duration = place.x, _duration(setting)
    speeds = [draw.between(0.5, 3) * place.length / duration for _ in range(2)]
    exchange = [draw.between(-3, 3) / duration for _ in range(4)]

    def operator(w: Fields) -> list[sp.Expr]:
        return [
            w[i].diff(_T) + speeds[i] * w[i].diff(x) + exchange[2 * i] * w[0] + exchange[2 * i + 1] * w[1]
            for i in range(2)
        ]

    exact, told = draw_smooth(draw, setting, (1.0, 1.0))
    return System("transport", ("a", "b"), operator, (0, 1), None, exact, told, time_orders=(1, 1), inflow=f"{x}-")


def _quantum(draw: Draw, place: Place, setting: Setting) -> System:
    """Schroedinger's equation for the real and the imaginary part."""
    (x,), duration = place.x, _duration(setting)
    a = draw.log_between(0.02, 0.5) * place.length**2 / duration
    potential = draw.between(0, 5) / duration * smooth_coefficient(draw, setting.s[:1])
    is_sourceless = draw.chance(0.4)

    def operator(w: Fields) -> list[sp.Expr]:
        p, q = w
        field = sp.Integer(0) if is_sourceless else potential
        return [p.diff(_T) + a * q.diff(x, 2) - field * q, q.diff(_T) - a * p.diff(x, 2) + field * p]

    if is_sourceless:
        k = draw.log_between(0.5, 8) / place.length
        waves = [(k * f, draw.between(0.3, 1), draw.phase()) for f in (1, -0.6)]
        phases = [(s, k * place.r[0] - a * k**2 * _T + shift) for k, s, shift in waves]
        exact: tuple[sp.Expr, ...] = tuple(sum(s * f(phase) for s, phase in phases) for f in (sp.cos, sp.sin))
        told = "no source"
    else:
        exact, told = draw_smooth(draw, setting, (1.0, 1.0))
    name = "schroedinger as a pair"
    return System(name, ("p", "q"), operator, (0, 1), None, exact, told, is_sourceless, time_orders=(1, 1))


def _vibration(draw: Draw, place: Place, setting: Setting) -> System:
    """An elastic body in motion."""
    shear, ratio = draw.between(0.4, 1.5) * place.length / _duration(setting), draw.log_between(0.3, 4)
    of = stress(sp.Float(ratio * shear**2), sp.Float(shear**2), place.x)

    def operator(v: Fields) -> list[sp.Expr]:
        return [a.diff(_T, 2) - divergence(row, place.x) for a, row in zip(v, of(v), strict=True)]

    exact, told = draw_smooth(draw, setting, (1.0, 1.0))
    if is_sourceless := draw.chance(0.5):
        along = draw.frame(2)[0]
        k = draw.log_between(0.5, _FASTEST[2]) / place.length
        pressure = sp.sin(k * (dot(along, place.r) - math.sqrt(ratio + 2) * shear * _T))
        turning = sp.sin(k * (dot(reversed(along), place.r) - shear * _T) + draw.phase())
        exact = (
            float(along[0]) * pressure - float(along[0]) * turning,
            float(along[1]) * pressure + float(along[1]) * turning,
        )
        told = "no source"
    return System(
        "elastodynamics",
        ("u", "v"),
        operator,
        (0, 1),
        lambda v, normal: traction(of, v, normal),
        exact,
        told,
        is_sourceless,
        time_orders=(2, 2),
    )
