"""Elastic bodies in the plane, at rest and in vibration."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import sympy as sp

import fspielm as fs
from field_problems.example import FieldExample, equations, field_example, functions, on_both, x, y

_RIGID = ((1, 0), (0, 1), (-y, x))


def _stress(lam: float, mu: float, u: Any, v: Any) -> tuple[Any, Any, Any]:
    spread = lam * (u.diff(x) + v.diff(y))
    return spread + 2 * mu * u.diff(x), spread + 2 * mu * v.diff(y), mu * (u.diff(y) + v.diff(x))


def _balance(lam: float, mu: float, inertia: float = 0.0) -> Callable[..., list[Any]]:
    def forces(u: Any, v: Any) -> list[Any]:
        xx, yy, xy = _stress(lam, mu, u, v)
        return [xx.diff(x) + xy.diff(y) + inertia * u, xy.diff(x) + yy.diff(y) + inertia * v]

    return forces


def _traction(lam: float, mu: float, normal: Sequence[Any]) -> Callable[..., list[Any]]:
    def forces(u: Any, v: Any) -> list[Any]:
        xx, yy, xy = _stress(lam, mu, u, v)
        return [xx * normal[0] + xy * normal[1], xy * normal[0] + yy * normal[1]]

    return forces


@field_example("plate with a hole", "plane strain, traction all around (Kirsch)")
def plate() -> FieldExample:
    """A plate pulled along x, whose hole is free; nothing holds it."""
    u, v = functions("u v", x, y)
    mu, nu, a = 1.0, 0.3, 0.4
    lam, kappa = 2 * mu * nu / (1 - 2 * nu), 3 - 4 * nu
    r = sp.sqrt(x**2 + y**2)
    cos, sin = x / r, y / r
    cos3, sin3 = 4 * cos**3 - 3 * cos, 3 * sin - 4 * sin**3
    exact = (
        a / 8 * (r / a * (kappa + 1) * cos + 2 * a / r * ((1 + kappa) * cos + cos3) - 2 * a**3 / r**3 * cos3),
        a / 8 * (r / a * (kappa - 3) * sin + 2 * a / r * ((1 - kappa) * sin + sin3) - 2 * a**3 / r**3 * sin3),
    )
    domain = fs.Box((-1, -1), (1, 1)) - fs.Disk((0, 0), a, name="hole")
    sides = {"x-": (-1, 0), "x+": (1, 0), "y-": (0, -1), "y+": (0, 1)}
    conditions: list[Any] = []
    for name, normal in sides.items():
        conditions += on_both(_traction(lam, mu, normal), (u, v), exact, on=name)
    free = _traction(lam, mu, (-x / a, -y / a))(u, v)
    conditions += [fs.Condition(sp.Eq(side, 0), on="hole*") for side in free]
    stated = [sp.Eq(left, 0) for left in _balance(lam, mu)(u, v)]
    return FieldExample(fs.Problem(stated, domain, conditions), exact, modes=_RIGID)


@field_example("curved beam", "a quarter of a ring bent by its end, its arcs free (Golovin)")
def arch() -> FieldExample:
    """Pure bending, from Kolosov's potentials A z log z + B z and C / z."""
    u, v = functions("u v", x, y)
    mu, nu, a, b = 1.0, 0.3, 1.0, 1.6
    lam, kappa = 2 * mu * nu / (1 - 2 * nu), 3 - 4 * nu
    big_c = 2 * math.log(b / a) / (1 / a**2 - 1 / b**2)
    big_b = -(1 + 2 * math.log(a) + big_c / a**2) / 2
    square = x**2 + y**2
    log, angle = sp.log(square) / 2, sp.atan2(y, x)
    exact = (
        (kappa * (x * log - y * angle + big_b * x) - x * (log + 1 + big_b) - y * angle - big_c * x / square) / (2 * mu),
        (kappa * (y * log + x * angle + big_b * y) - y * (log + 1 + big_b) + x * angle - big_c * y / square) / (2 * mu),
    )
    domain = fs.Annulus((0, 0), a, b) & fs.Box((0, 0), (2, 2))
    arcs = {"inner": (-x / a, -y / a), "outer": (x / b, y / b)}
    conditions: list[Any] = [fs.Dirichlet({u: exact[0], v: exact[1]}, on="y-")]
    for name, normal in arcs.items():
        conditions += [fs.Condition(sp.Eq(side, 0), on=name) for side in _traction(lam, mu, normal)(u, v)]
    conditions += on_both(_traction(lam, mu, (-1, 0)), (u, v), exact, on="x-")
    stated = [sp.Eq(left, 0) for left in _balance(lam, mu)(u, v)]
    return FieldExample(fs.Problem(stated, domain, conditions), exact)


@field_example("cantilever", "plane stress, a parabolic load at its end (Timoshenko's polynomials)")
def cantilever() -> FieldExample:
    """A check of the conditions rather than of the solver."""
    u, v = functions("u v", x, y)
    young, nu, length, depth, load = 1000.0, 0.3, 4.0, 1.0, 1.0
    lam, mu = young * nu / (1 - nu**2), young / (2 * (1 + nu))
    factor = load / (6 * young * depth**3 / 12)
    exact = (
        -factor * y * ((6 * length - 3 * x) * x + (2 + nu) * (y**2 - depth**2 / 4)),
        factor * (3 * nu * y**2 * (length - x) + (4 + 5 * nu) * depth**2 * x / 4 + (3 * length - x) * x**2),
    )
    conditions: list[Any] = [fs.Dirichlet({u: exact[0], v: exact[1]}, on="x-")]
    for name, normal in {"y-": (0, -1), "y+": (0, 1)}.items():
        conditions += [fs.Condition(sp.Eq(side, 0), on=name) for side in _traction(lam, mu, normal)(u, v)]
    conditions += on_both(_traction(lam, mu, (1, 0)), (u, v), exact, on="x+")
    domain = fs.Box((0, -depth / 2), (length, depth / 2))
    stated = [sp.Eq(left, 0) for left in _balance(lam, mu)(u, v)]
    return FieldExample(fs.Problem(stated, domain, conditions), exact)


@field_example("elastic waves", "vibration of the Panda of radius one, driven by its boundary")
def waves() -> FieldExample:
    """Sixty shear wavelengths across, from sources outside and plane waves."""
    u, v = functions("u v", x, y)
    lam, mu, shear = 2.0, 1.0, 60 * math.pi
    pressure = shear * math.sqrt(mu / (lam + 2 * mu))
    near, far = (sp.sqrt((x - a) ** 2 + (y - b) ** 2) for a, b in ((1.9, 0.8), (-1.7, -1.2)))
    spread = sp.bessely(0, pressure * near) + sp.sin(pressure * (0.6 * x + 0.8 * y)) / 5
    turning = sp.bessely(0, shear * far) + sp.cos(shear * (0.8 * x - 0.6 * y)) / 5
    exact = (
        spread.diff(x) / pressure + turning.diff(y) / shear,
        spread.diff(y) / pressure - turning.diff(x) / shear,
    )
    stated = [sp.Eq(left, 0) for left in _balance(lam, mu, mu * shear**2)(u, v)]
    problem = fs.Problem(stated, fs.Panda(1.0, (0, 0)), [fs.Dirichlet({u: exact[0], v: exact[1]})])
    return FieldExample(problem, exact, 60, tol=1e-9)


@field_example("forced plate", "plane strain with a stiffness that varies, forced, clamped on a disk")
def forced() -> FieldExample:
    """A disk of a material that is stiffer on one side."""
    u, v = functions("u v", x, y)
    stiff = 1 + x / 3 + sp.sin(2 * y + x) / 5
    exact = (sp.exp(x / 2) * sp.sin(8 * (x + y**2 / 2)), sp.cos(7 * (y - x * y / 3)) + x)
    stated = equations(_balance(1.5 * stiff, stiff), (u, v), exact)
    problem = fs.Problem(stated, fs.Disk((0, 0), 1), [fs.Dirichlet({u: exact[0], v: exact[1]})])
    return FieldExample(problem, exact, 2.5)
