"""Elastic bodies: at rest, with a stiffness that may vary, and in vibration."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import sympy as sp

from random_families import sourceless
from random_families.draw import Draw
from random_families.places import Place
from random_families.system import Fields, Modes, Setting, System, divergence, draw_smooth, smooth_coefficient

_NAMES = ("u", "v", "w")
Stress: TypeAlias = Callable[[Fields], list[list[sp.Expr]]]


def stress(lam: sp.Expr, mu: sp.Expr, x: tuple[sp.Symbol, ...]) -> Stress:
    """The stress of a displacement, by Lame's coefficients."""

    def of(v: Fields) -> list[list[sp.Expr]]:
        spread = lam * divergence(v, x)
        return [
            [mu * (a.diff(q) + b.diff(p)) + spread * int(p == q) for b, q in zip(v, x, strict=True)]
            for a, p in zip(v, x, strict=True)
        ]

    return of


def traction(of: Stress, v: Fields, normal: Fields) -> list[sp.Expr]:
    """The force on a surface with this normal."""
    return [sum(s * n for s, n in zip(row, normal, strict=True)) for row in of(v)]


def rigid_motions(place: Place) -> Modes:
    """Shifts and turns."""
    n, r = len(place.x), place.r
    shifts = [tuple(sp.Integer(int(i == j)) for j in range(n)) for i in range(n)]
    turns = []
    for i in range(n):
        for j in range(i):
            turn = [sp.Integer(0)] * n
            turn[i], turn[j] = r[j], -r[i]
            turns.append(tuple(turn))
    return (*shifts, *turns)


def draw_elastic(draw: Draw, place: Place, setting: Setting) -> System:
    """A body at rest."""
    stiffness, ratio = draw.log_between(1e-1, 1e3), draw.log_between(0.2, 20)
    if draw.chance(0.4):
        potential = 2 * (ratio + 2) / (ratio + 1)
        # u = grad(r . B) - c B with c = 2 (lam + 2 mu) / (lam + mu) satisfies Lame's equations without forces
        exact = tuple(sourceless.papkovich(draw, place, potential)[0])
        return _body(place, (sp.Float(ratio * stiffness), sp.Float(stiffness)), 0.0, exact, "no source", True)
    factor = smooth_coefficient(draw, setting.s) if draw.chance(0.4) else sp.Integer(1)
    fields, told = draw_smooth(draw, setting, (1.0,) * len(place.x))
    return _body(place, (ratio * stiffness * factor, stiffness * factor), 0.0, fields, told, False)


def draw_elastic_wave(draw: Draw, place: Place, setting: Setting) -> System:
    """A body that vibrates."""
    mu, ratio = draw.log_between(1e-1, 1e3), draw.log_between(0.2, 5)
    shear = draw.log_between(1, 20.0) / place.length
    inertia = mu * shear**2
    if draw.chance(0.6):
        pressure = float(shear / (ratio + 2) ** 0.5)
        exact = tuple(sourceless.elastic_wave(draw, place, pressure, shear))
        return _body(place, (sp.Float(ratio * mu), sp.Float(mu)), inertia, exact, "no source", True)
    exact, told = draw_smooth(draw, setting, (1.0,) * len(place.x))
    return _body(place, (sp.Float(ratio * mu), sp.Float(mu)), inertia, exact, told, False)


def _body(
    place: Place,
    lame: tuple[sp.Expr, sp.Expr],
    inertia: float,
    exact: tuple[sp.Expr, ...],
    told: str,
    is_sourceless: bool,
) -> System:
    of = stress(*lame, place.x)

    def operator(v: Fields) -> list[sp.Expr]:
        rows = of(v)
        return [-divergence(row, place.x) - inertia * a for row, a in zip(rows, v, strict=True)]

    n = len(place.x)
    varies = any(isinstance(v, sp.Expr) and v.free_symbols for v in lame)
    return System(
        f"{'elastic waves' if inertia else 'elasticity'}{', variable' * varies}",
        _NAMES[:n],
        operator,
        tuple(range(n)),
        lambda v, normal: traction(of, v, normal),
        exact,
        told,
        is_sourceless,
        free_modes=() if inertia else rigid_motions(place),
    )
