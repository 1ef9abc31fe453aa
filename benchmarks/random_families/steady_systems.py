"""Systems without time in one to three dimensions: flows, elastic bodies, coupled diffusion, first-order forms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp

from random_families import sourceless
from random_families.draw import Draw
from random_families.elastic import draw_elastic, draw_elastic_wave
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

_VELOCITY = ("u", "v", "w")


def draw_steady_system(draw: Draw, place: Place, setting: Setting) -> System:
    """Any of the kinds that there are in this dimension."""
    kinds: dict[int, tuple[Callable[[Draw, Place, Setting], System], ...]] = {
        1: (_coupled, _coupled, _darcy),
        2: (_stokes, _stokes, draw_elastic, draw_elastic_wave, _coupled, _coupled, _darcy, _conjugate, _plate),
        3: (draw_elastic, _coupled),
    }
    return draw.one_of(kinds[len(place.x)])(draw, place, setting)


def _stokes(draw: Draw, place: Place, setting: Setting) -> System:
    """Creeping flow, now and then carried along (Oseen), with a velocity that need not be free of sources."""
    x, n = place.x, len(place.x)
    mu = draw.log_between(1e-2, 1e2)
    carried = [draw.between(-5, 5) * mu / place.length for _ in x] if draw.chance(0.25) else [0] * n
    size = mu / place.length * draw.log_between(0.3, 3)

    def operator(w: Fields) -> list[sp.Expr]:
        *v, p = w
        moved = [-mu * laplacian(a, x) + inner(carried, gradient(a, x)) for a in v]
        return [*(a + b for a, b in zip(moved, gradient(p, x), strict=True)), divergence(v, x)]

    def traction(w: Fields, normal: Fields) -> list[sp.Expr]:
        *v, p = w
        return [
            mu * sum((v[i].diff(x[j]) + v[j].diff(x[i])) * normal[j] for j in range(n)) - p * normal[i]
            for i in range(n)
        ]

    is_sourceless = not any(carried) and draw.chance(0.4)
    if is_sourceless:
        moved, source = sourceless.papkovich(draw, place, 2.0)
        exact, told = (*moved, 2 * mu * source), "no source"
    elif draw.chance(0.6):
        (stream, pressure), told = draw_smooth(draw, setting, (place.length / 3, size))
        exact, told = (stream.diff(x[1]), -stream.diff(x[0]), pressure), f"stream {told}"
    else:
        exact, told = draw_smooth(draw, setting, (1.0, 1.0, size))
    zero = (sp.Integer(0),) * n
    motions: tuple[tuple[Any, ...], ...] = ((1, 0, 0), (0, 1, 0), (-place.r[1], place.r[0], 0))
    if any(carried):
        # what turns is carried away
        motions = motions[:2]
    return System(
        f"{'oseen' if any(carried) else 'stokes'}",
        (*_VELOCITY[:n], "p"),
        operator,
        tuple(range(n)),
        traction,
        exact,
        told,
        is_sourceless,
        modes=((*zero, sp.Integer(1)),),
        free_modes=tuple(tuple(map(sp.sympify, m)) for m in motions),
    )


def _coupled(draw: Draw, place: Place, setting: Setting) -> System:
    """Diffusion of two or three substances that react, with coefficients that may vary and drifts that may mix."""
    x, count = place.x, draw.one_of((2, 2, 3))
    scale = 1 / place.length**2
    sizes = [draw.log_between(0.1, 10) if draw.chance(0.3) else 1.0 for _ in range(count)]
    if draw.chance(0.35):
        return _coupled_sourceless(draw, place, count)
    diffusion = [draw.log_between(0.2, 5) for _ in range(count)]
    varying = [smooth_coefficient(draw, setting.s) if draw.chance(0.4) else sp.Integer(1) for _ in range(count)]
    mixing = draw.chance(0.3)
    # in the units of each substance
    reaction = [
        [draw.between(-3, 3) * scale * a / b + (i == j) * draw.between(1, 8) * scale for j, b in enumerate(sizes)]
        for i, a in enumerate(sizes)
    ]
    drift = [[draw.between(-1, 1) / place.length * a / b * mixing for b in sizes] for a in sizes]

    def operator(w: Fields) -> list[sp.Expr]:
        return [
            -diffusion[i] * divergence([varying[i] * g for g in gradient(w[i], x)], x)
            + sum(reaction[i][j] * varying[j] * w[j] + drift[i][j] * w[j].diff(x[0]) for j in range(count))
            for i in range(count)
        ]

    def flux(w: Fields, normal: Fields) -> list[sp.Expr]:
        return [varying[i] * inner(normal, gradient(w[i], x)) for i in range(count)]

    exact, told = draw_smooth(draw, setting, sizes)
    varies = any(v != 1 for v in varying)
    name = f"reaction-diffusion of {count}{' with mixed drifts' * mixing}{', variable' * varies}"
    return System(name, ("a", "b", "c")[:count], operator, tuple(range(count)), flux, exact, told)


def _coupled_sourceless(draw: Draw, place: Place, count: int) -> System:
    """``-laplacian w + C w = 0``, with eigenvectors and eigenvalues of C that are drawn."""
    x = place.x
    vectors = np.eye(count) + draw.between(0.2, 0.5) * draw.frame(count)
    roots = [draw.log_between(0.5, 8.0) ** 2 / place.length**2 * draw.one_of((1, 1, -1)) for _ in range(count)]
    reaction = vectors @ np.diag(roots) @ np.linalg.inv(vectors)

    def operator(w: Fields) -> list[sp.Expr]:
        return [-laplacian(w[i], x) + sum(float(reaction[i, j]) * w[j] for j in range(count)) for i in range(count)]

    def flux(w: Fields, normal: Fields) -> list[sp.Expr]:
        return [inner(normal, gradient(a, x)) for a in w]

    parts = [
        place.scaled(sourceless.exponential(draw, place, root) if len(x) > 1 else _on_a_line(draw, place, root))
        for root in roots
    ]
    exact = tuple(sum(float(vectors[i, j]) * parts[j] for j in range(count)) for i in range(count))
    names = ("a", "b", "c")[:count]
    return System(
        f"reaction-diffusion of {count}", names, operator, tuple(range(count)), flux, exact, "no source", True
    )


def _on_a_line(draw: Draw, place: Place, square: float) -> sp.Expr:
    along, rate = place.r[0], abs(square) ** 0.5
    if square < 0:
        return sp.sin(rate * along + draw.phase())
    return sp.exp(rate * along) + draw.between(0.2, 1) * sp.exp(-rate * along)


def _darcy(draw: Draw, place: Place, setting: Setting) -> System:
    """Flux and pressure as unknowns of first-order equations."""
    x, n = place.x, len(place.x)
    a = smooth_coefficient(draw, setting.s) if draw.chance(0.5) else sp.Float(draw.log_between(0.2, 5))
    c = draw.between(0.5, 5) / place.length**2

    def operator(w: Fields) -> list[sp.Expr]:
        *q, p = w
        return [*(b + a * g for b, g in zip(q, gradient(p, x), strict=True)), divergence(q, x) + c * p]

    def flux(w: Fields, normal: Fields) -> list[sp.Expr]:
        return [inner(normal, w[:-1])]

    exact, told = draw_smooth(draw, setting, (*(1.0 / place.length for _ in x), 1.0))
    return System("darcy", (*(f"q{v}" for v in x), "p"), operator, (n,), flux, exact, told)


def _conjugate(draw: Draw, place: Place, setting: Setting) -> System:
    """Cauchy-Riemann equations: the second unknown is fixed up to a constant."""
    x, y = place.x
    a = draw.log_between(0.3, 3)

    def operator(w: Fields) -> list[sp.Expr]:
        return [w[0].diff(x) - a * w[1].diff(y), w[0].diff(y) + w[1].diff(x) / a]

    if draw.chance(0.4):
        rate = draw.between(1, 6) / place.length
        p, q = place.r
        exact: tuple[sp.Expr, ...] = (sp.exp(rate * p) * sp.cos(rate * q), sp.exp(rate * p) * sp.sin(rate * q) / a)
        told, is_sourceless = "no source", True
    else:
        exact, told = draw_smooth(draw, setting, (1.0, 1.0))
        is_sourceless = False
    modes = ((sp.Integer(0), sp.Integer(1)),)
    return System("cauchy-riemann", ("u", "v"), operator, (0,), None, exact, told, is_sourceless, modes=modes)


def _plate(draw: Draw, place: Place, setting: Setting) -> System:
    """A plate as deflection and moment: both are given on its rim, or deflection and slope."""
    x = place.x
    stiffness = draw.log_between(0.3, 3)

    def operator(w: Fields) -> list[sp.Expr]:
        return [stiffness * laplacian(w[0], x) + w[1], -laplacian(w[1], x)]

    def clamp(w: Fields, normal: Fields) -> list[sp.Expr]:
        return [w[0], inner(normal, gradient(w[0], x))]

    exact, told = draw_smooth(draw, setting, (1.0, stiffness / place.length**2))
    return System("plate as a pair", ("w", "m"), operator, (0, 1), clamp, exact, told)
