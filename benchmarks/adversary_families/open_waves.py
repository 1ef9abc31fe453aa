"""Open space: wavenumbers at which something resounds, outside or inside of an object, and waves that are none."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import sympy as sp
from open_space_series import Disks, TransparentDisk
from random_families.conditions import as_callable
from random_families.draw import Draw
from random_families.open_objects import Object
from random_families.outgoing import Medium, X, Y
from scipy.optimize import newton
from scipy.special import h1vp, hankel1, jn_zeros, jnp_zeros, jv, jvp

import fspielm as fs
from adversary_families.challenge import Challenge
from adversary_families.open_near import U, deep_field

_T = sp.Symbol("t")
# A ring of thickness 0.5 at most with a mouth, r = 1 + a sin s at the angle (pi - b) cos s, and where it resounds.
_THICK, _MOUTH, _RESOUNDS = 0.25, 0.1, 2.969874
# Of a resonance in a transparent disk, the narrowest that a series in double precision knows.
_NARROWEST = 3e-7


def make_cavity(draw: Draw, resonant: bool) -> Challenge:
    """A split ring at the wavenumber at which its inside resounds, or beside it; sources are in the ring itself."""
    size, tol = draw.log_between(0.4, 3), draw.log_between(1e-9, 1e-4)
    off, sign = draw.log_between(1e-8, 1e-3), draw.one_of((-1, 1))
    medium = Medium("waves", _RESOUNDS * (1 + sign * (off if resonant else 0.1)) / size)
    radius, angle = size * (1 + _THICK * sp.sin(_T)), (math.pi - _MOUTH) * sp.cos(_T)
    ring = fs.Curve(radius * sp.cos(angle), -radius * sp.sin(angle), (0, 2 * sp.pi))
    places = [draw.between(-2.5, 2.5) for _ in range(2)]
    exact = sum(
        draw.between(0.5, 1.5) * medium.multipole((size * math.cos(t), size * math.sin(t)), 0, draw.phase(), size)
        for t in places
    )
    problem = fs.Problem(medium.equation(U), fs.Exterior(ring), [fs.Dirichlet(exact)])
    name = f"split ring {'at' if resonant else 'beside'} its resonance"
    return Challenge(name, problem, as_callable(exact, (X, Y)), tol)


def make_interior(draw: Draw, resonant: bool) -> Challenge:
    """A wavenumber at which the inside of an object would resound, of which the outside knows nothing."""
    size, tol = draw.log_between(0.4, 3), draw.log_between(1e-9, 1e-4)
    off = draw.log_between(1e-15, 1e-6) * draw.one_of((-1, 1))
    kind = draw.one_of(("disk", "disk", "box"))
    if kind == "disk":
        order, number = draw.one_of((0, 1, 2, 5)), draw.one_of((1, 2, 3))
        zeros = (jn_zeros if draw.chance(0.6) else jnp_zeros)(order, number)
        middle = (draw.between(-2, 2), draw.between(-2, 2))
        each, k = Object(fs.Disk(middle, size), middle, size, kind), float(zeros[-1]) / size
    else:
        other, m, n = size * draw.between(0.5, 1), draw.one_of((1, 2, 3)), draw.one_of((1, 2, 3))
        each = Object(fs.Box((0, 0), (size, other)), (size / 2, other / 2), math.hypot(size, other) / 2, kind)
        k = math.pi * math.hypot(m / size, n / other)
    medium = Medium("waves", k * (1 + off if resonant else 1.03))
    exact = deep_field(draw, medium, each)
    slope = fs.normal_derivative(exact)
    condition = {"values": fs.Dirichlet(exact), "slopes": fs.Neumann(slope)}
    told = draw.one_of(list(condition))
    problem = fs.Problem(medium.equation(U), fs.Exterior(each.shape), [condition[told]])
    name = f"{kind}, {told}, {'at' if resonant else 'beside'} a wavenumber of its inside"
    return Challenge(name, problem, as_callable(exact, (X, Y)), tol)


def make_gallery(draw: Draw, resonant: bool) -> Challenge:
    """A transparent disk at a wavenumber at which waves go round along its rim, and hardly leave."""
    radius, index, direction = draw.log_between(0.4, 3), draw.between(1.5, 3), draw.phase()
    order, tol, share = draw.one_of(range(3, 16)), draw.log_between(1e-8, 1e-4), draw.between(0, 1)
    while True:
        root = round_the_rim(order, index)
        if -2 * root.imag > _NARROWEST * root.real:
            break
        order -= 1
    ka = root.real - share * root.imag if resonant else root.real * 1.03
    k = float(ka / radius)
    center = (draw.between(-2, 2), draw.between(-2, 2))
    series = TransparentDisk(center, radius, k, index * k, 1.0, direction, orders=round(1.1 * ka * index) + 24)
    problem = fs.Problem(
        Medium("waves", k).equation(U),
        fs.Exterior(fs.Disk(center, radius)),
        [fs.Transparent(index * k)],
        incident=fs.plane_wave(k, (math.cos(direction), math.sin(direction))),
    )
    name = f"transparent disk {'at' if resonant else 'beside'} a resonance of width {-2 * root.imag / root.real:.0e}"
    return Challenge(name, problem, series.scattered, tol, added=True)


def round_the_rim(order: int, index: float) -> complex:
    """The first k a at which a field of this order stays by itself, with an imaginary part that says for how long."""

    def left(ka: complex) -> complex:
        inside = jv(order, index * ka)
        return complex(index * jvp(order, index * ka) * hankel1(order, ka) - inside * h1vp(order, ka)) / abs(
            complex(hankel1(order, ka))
        )

    guess = (order + 1.856 * order ** (1 / 3) - index / math.sqrt(index**2 - 1)) / index
    return complex(newton(left, complex(guess, -1e-3), tol=1e-14, maxiter=200))


def make_no_wave(draw: Draw, hidden: bool) -> Challenge:
    """An incident field that does not satisfy the equation, by its wavenumber or at a narrow place."""
    radius, tol, angle = draw.log_between(0.4, 3), draw.log_between(1e-9, 1e-4), draw.phase()
    k = float(f"{draw.log_between(0.5, 12) / radius:.4g}")
    center = (draw.between(-1, 1) * radius, draw.between(-1, 1) * radius)
    hard = draw.chance(0.4)
    series = Disks(
        np.array([center]), radius, k, angle, 0.0 if hard else 1.0, 1.0 if hard else 0.0, round(1.1 * k * radius) + 30
    )
    condition = fs.Neumann(0) if hard else fs.Dirichlet(0)
    by_number, other = draw.chance(0.4), draw.log_between(1e-6, 1e-2)
    turn, away = draw.phase(), radius * draw.between(1.2, 1.8)
    width, height = radius * draw.log_between(3e-3, 0.2), draw.log_between(0.03, 1)
    bump = height * sp.exp(
        -((X - center[0] - away * math.cos(turn)) ** 2 + (Y - center[1] - away * math.sin(turn)) ** 2) / width**2
    )

    def wave(number: float) -> Any:
        return sp.exp(sp.I * number * (math.cos(angle) * X + math.sin(angle) * Y))

    medium, domain = Medium("waves", k), fs.Exterior(fs.Disk(center, radius))
    what = f"a wavenumber off by {other:.0e}" if by_number else "a bump"

    def stated(incident: Any) -> fs.Problem:
        return fs.Problem(medium.equation(U), domain, [condition], incident=incident)

    wrong = wave(k * (1 + other)) if by_number else wave(k) + bump
    return Challenge(
        f"incident field with {what if hidden else 'nothing wrong'}",
        stated(wave(k)),
        series.scattered,
        tol,
        width / (4 * radius) if hidden and not by_number else math.nan,
        determined=not hidden,
        stated_wrong=(lambda: stated(wrong)) if hidden else None,
        added=True,
    )
