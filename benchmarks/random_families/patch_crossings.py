"""Materials with solutions that need no source: a disk in a field, quadrants that meet, layers, pulses, a barrier."""

from __future__ import annotations

import math
from typing import Any

import sympy as sp

import fspielm as fs
from random_families.draw import Draw
from random_families.patch_materials import draw_contrast
from random_families.stated import Stated, equation

x, y, t = sp.symbols("x y t")


def draw_closed_form(draw: Draw) -> Stated:
    """One of them."""
    return draw.one_of((_disk, _disk, _quadrants, _layers, _pulse, _pulse))(draw)


def flow(a: sp.Expr, u: Any, *x: sp.Symbol) -> sp.Expr:
    """The divergence of a flux, as it is written: SymPy would lose the jumps of `a`."""
    return sum(sp.Derivative(a * u.diff(i), i) for i in x)


def quadrants(contrast: float, x: sp.Expr, y: sp.Expr) -> tuple[sp.Expr, sp.Expr, float]:
    """A material in two opposite quadrants, the solution that is singular where they meet, and its exponent."""
    alpha = 4 / math.pi * math.atan(1 / math.sqrt(contrast))
    r, angle = sp.sqrt(x**2 + y**2), sp.atan2(y, x)
    other = -1 / math.tan(alpha * math.pi / 4)
    quarter = sp.pi / 4
    # angles from -pi to pi: the third quadrant is the one about -3 pi / 4
    turns = [
        (sp.cos(alpha * (angle - quarter)), sp.And(x > 0, y > 0)),
        (other * sp.sin(alpha * (angle - 3 * quarter)), sp.And(x <= 0, y > 0)),
        (-sp.cos(alpha * (angle + 3 * quarter)), sp.And(x <= 0, y <= 0)),
        (-other * sp.sin(alpha * (angle + quarter)), True),
    ]
    material = sp.Piecewise(
        (contrast, sp.Or(sp.And(x > 0, y > 0), sp.And(x <= 0, y <= 0))),
        (1, True),
    )
    return material, r**alpha * sp.Piecewise(*turns), alpha


def disk_in_field(contrast: float, radius: float, order: int, x: sp.Expr, y: sp.Expr) -> sp.Expr:
    """A disk at the origin within the harmonic field ``Re (x + i y)^order``; a tilted one by its imaginary part."""
    power = sp.expand((x + sp.I * y) ** order, complex=False)
    field = sum(term for term in sp.Add.make_args(power) if not term.has(sp.I))
    square = x**2 + y**2
    back = (1 - contrast) / (1 + contrast)
    outside = field * (1 + back * radius ** (2 * order) / square**order)
    return sp.Piecewise((2 / (1 + contrast) * field, square < radius**2), (outside, True))


def _disk(draw: Draw) -> Stated:
    u = sp.Function("u")(x, y)
    contrast, radius, order = draw_contrast(draw), draw.between(0.2, 0.7), draw.one_of((1, 2, 3, 5))
    a = sp.Piecewise((contrast, x**2 + y**2 < radius**2), (1, True))
    exact = disk_in_field(contrast, radius, order, x, y)
    domain = draw.one_of((fs.Box((-1, -1), (1, 1)), fs.Disk((0.1, 0), 1), fs.Ellipse((0, 0), (1.3, 0.9), 0.4)))
    border = (x**2 + y**2 - radius**2) / (2 * radius)
    name = f"disk of {contrast:g} in a field of order {order} on {type(domain).__name__} (2d), dirichlet"
    stated = (equation(flow(a, u, x, y), sp.Integer(0)),)
    return Stated(name, stated, domain, (fs.Dirichlet(exact),), (u,), (exact,), (border,), a)


def _quadrants(draw: Draw) -> Stated:
    u = sp.Function("u")(x, y)
    contrast = draw.log_between(2, 20)
    right, up = draw.between(-0.4, 0.4), draw.between(-0.4, 0.4)
    a, exact, alpha = quadrants(contrast, x - right, y - up)
    domain = draw.one_of((fs.Box((-1, -1), (1, 1)), fs.Disk((0, 0), 1)))
    name = f"quadrants of {contrast:g} : 1 (exponent {alpha:.3f}) on {type(domain).__name__} (2d), dirichlet"
    stated = (equation(flow(a, u, x, y), sp.Integer(0)),)
    borders = (x - right, y - up)
    return Stated(name, stated, domain, (fs.Dirichlet(exact),), (u,), (exact,), borders, a, least=1e-7)


def _layers(draw: Draw) -> Stated:
    """A wall of several layers, with a flux that is the same in all of them."""
    u = sp.Function("u")(x)
    number = draw.one_of((3, 4, 6))
    ends = [float(f"{(i + draw.between(0.6, 1.4)) / number:.3f}") for i in range(number - 1)]
    stiff = [draw.log_between(1, 1000) for _ in range(number)]
    pieces, value, last = [], 0.0, 0.0
    for a, end in zip(stiff, [*ends, 1.0], strict=True):
        pieces.append(value + (x - last) / a)
        value, last = value + (end - last) / a, end
    conditions = [x < end for end in ends] + [True]
    scale = float(f"{1 / value:.3g}")
    exact = sp.Piecewise(*((scale * p, c) for p, c in zip(pieces, conditions, strict=True)))
    a = sp.Piecewise(*zip(stiff, conditions, strict=True))
    stated = (equation(flow(a, u, x), sp.Integer(0)),)
    borders = tuple(x - end for end in ends)
    name = f"wall of {number} layers (1d), dirichlet"
    return Stated(name, stated, fs.Interval(0, 1), (fs.Dirichlet(exact),), (u,), (exact,), borders, a)


def pulse(a: float, rho: float, width: float, start: float, x: sp.Expr, t: sp.Expr) -> sp.Expr:
    """A pulse in a medium of stiffness and density one that meets another medium at zero."""

    def shape(phase: sp.Expr) -> sp.Expr:
        return sp.exp(-(((phase + start) / width) ** 2))

    impedance, speed = math.sqrt(a * rho), math.sqrt(a / rho)
    echo, through = (1 - impedance) / (1 + impedance), 2 / (1 + impedance)
    # the phase is the place where the pulse would have been without the other medium
    return sp.Piecewise((shape(x - t) + echo * shape(-x - t), x < 0), (through * shape(x / speed - t), True))


def _pulse(draw: Draw) -> Stated:
    u = sp.Function("u")(x, t)
    a, rho, width, start = draw.log_between(0.2, 10), draw.log_between(0.5, 3), draw.between(0.1, 0.3), 0.5
    exact = pulse(a, rho, width, start, x, t)
    stiff, density = (sp.Piecewise((1, x < 0), (value, True)) for value in (a, rho))
    domain = fs.Interval(-1, 1) * fs.Time(0, draw.between(0.8, 1.5))
    conditions = (fs.Dirichlet(exact), *(fs.Initial(exact.diff(t, i).subs(t, 0), order=i) for i in range(2)))
    stated = (equation(density * u.diff(t, 2) - flow(stiff, u, x), sp.Integer(0)),)
    name = f"pulse of width {width:g} into another medium (1d+t), dirichlet"
    return Stated(name, stated, domain, conditions, (u,), (exact,), (x,), stiff)
