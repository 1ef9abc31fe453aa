"""Modes in the plane: rectangles, disks, rings, sectors and triangles, with and without a potential."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp

import fspielm as fs
from fspielm.geometry import Domain
from fspielm.geometry.shapes.pacman import Pacman
from random_families.asked_modes import LAM
from random_families.draw import Draw
from random_families.line_modes import Function, Line, constant
from random_families.modes_line import X, function_of
from random_families.modes_stated import End, Spectrum, draw_end, told_ends
from random_families.plane_modes import rings, sector, sums, triangle

Y = sp.Symbol("y")
V = sp.Function("v")(X, Y)
_BEYOND = 4
_NOTHING = constant(0.0)
# Beside what has functions that satisfy the equation.
_LEAST, _LEAST_VARYING = 1e-10, 1e-7


def draw_plane(draw: Draw) -> Spectrum:
    """Any of the kinds."""
    makers: tuple[Callable[[Draw], Spectrum], ...] = (
        _box,
        _box,
        _turned,
        _round,
        _round,
        _ring,
        _sector,
        _triangle,
        _triangle,
        _box_with_potential,
        _disk_with_potential,
    )
    return draw.one_of(makers)(draw)


def membrane(potential: Any = 0, stiff: float = 1.0) -> sp.Eq:
    """-a laplacian v + q v = lam v."""
    return sp.Eq(-stiff * (V.diff(X, 2) + V.diff(Y, 2)) + potential * V, LAM * V, evaluate=False)


def _spectrum(name: str, equation: sp.Eq, domain: Domain, conditions: Any, known: Any, wanted: int) -> Spectrum:
    varies = " in " in name
    return Spectrum(f"{name} (2d)", equation, domain, conditions, known, wanted, _LEAST_VARYING if varies else _LEAST)


def _box(draw: Draw) -> Spectrum:
    """Ends of any kind on all sides, or periods along one axis; an equal square now and then."""
    corner = (draw.between(-3, 3), draw.between(-3, 3))
    first = draw.log_between(0.4, 5)
    second = first if draw.chance(0.15) else float(f"{first * draw.between(0.4, 1):.3g}")
    stiff, wanted = draw.log_between(0.2, 5), 5
    lines, conditions, ends = [], [], []
    ring = draw.one_of((0, 1)) if draw.chance(0.2) else None
    for axis, (name, length) in enumerate((("x", first), ("y", second))):
        own = (draw_end(draw, length), draw_end(draw, length))
        lines.append(_side(length, own, stiff, axis == ring).known(wanted + _BEYOND))
        if axis == ring:
            conditions.append(fs.Periodic(name))
            continue
        ends += own
        conditions += [each.on(f"{name}{side}") for each, side in zip(own, "-+", strict=True)]
    upper = (corner[0] + first, corner[1] + second)
    words = told_ends(*ends) + " and periodic" * (ring is not None)
    known = sums(*lines, wanted + _BEYOND)
    return _spectrum(f"box, {words}", membrane(0, stiff), fs.Box(corner, upper), tuple(conditions), known, wanted)


def _side(length: float, ends: tuple[End, End], stiff: float, ring: bool = False, q: Function = _NOTHING) -> Line:
    breaks = np.linspace(0, length, 9).tolist()
    return Line(constant(stiff), q, constant(1.0), breaks, ends[0].of(stiff), ends[1].of(stiff), periodic=ring)


def _turned(draw: Draw) -> Spectrum:
    """A rectangle that is turned, with zero all round or without slopes."""
    sides = (draw.log_between(0.5, 4), draw.log_between(0.5, 4))
    end, wanted, angle = draw.one_of((End("dirichlet"), End("neumann"))), 5, draw.phase()
    box = fs.Box((0, 0), sides).rotated(angle).moved((draw.between(-3, 3), draw.between(-3, 3)))
    known = sums(*(_side(length, (end, end), 1.0).known(40) for length in sides), wanted + _BEYOND)
    return _spectrum(f"turned box, {end.kind}", membrane(), box, (end.on(None),), known, wanted)


def radial(inner: float, outer: float, ends: tuple[End | None, End], q: Function = _NOTHING) -> Callable[[int], Line]:
    """The radial equation of each order; from the middle on where there is no inner end."""
    breaks = np.linspace(inner, outer, 9).tolist()

    def line(order: int) -> Line:
        middle = None if order else 0.0
        first = middle if ends[0] is None else ends[0].of(inner)
        return Line(lambda r: r, lambda r: order**2 / r + r * q(r), lambda r: r, breaks, first, ends[1].of(outer))

    return line


def _round(draw: Draw) -> Spectrum:
    center, radius, wanted = (draw.between(-3, 3), draw.between(-3, 3)), draw.log_between(0.3, 4), 6
    end = draw_end(draw, radius)
    known = rings(radial(0.0, radius, (None, end)), wanted + _BEYOND)
    return _spectrum(f"disk, {end.kind}", membrane(), fs.Disk(center, radius), (end.on(None),), known, wanted)


def _ring(draw: Draw) -> Spectrum:
    center, outer, wanted = (draw.between(-3, 3), draw.between(-3, 3)), draw.log_between(0.5, 4), 5
    inner = float(f"{outer * draw.between(0.2, 0.7):.3g}")
    ends = (draw_end(draw, outer), draw_end(draw, outer))
    known = rings(radial(inner, outer, ends), wanted + _BEYOND)
    conditions = (ends[0].on("inner"), ends[1].on("outer"))
    return _spectrum(
        f"annulus, {told_ends(*ends)}", membrane(), fs.Annulus(center, inner, outer), conditions, known, wanted
    )


def _sector(draw: Draw) -> Spectrum:
    """A disk less a wedge, or a wedge; zero on the arc, and zero or no slope on both sides."""
    radius, mouth, wanted, free = draw.log_between(0.4, 3), draw.between(0.2, 2.7), 3, draw.chance(0.3)
    shape = Pacman((draw.between(-2, 2), draw.between(-2, 2)), radius, mouth)
    sides = End("neumann" if free else "dirichlet")
    conditions = (fs.Dirichlet(0, on="arc"), sides.on("upper"), sides.on("lower"))
    known = sector(2 * math.pi - 2 * mouth, radius, wanted + _BEYOND, free=free)
    return _spectrum(f"sector, {'neumann and ' * free}dirichlet", membrane(), shape, conditions, known, wanted)


def _triangle(draw: Draw) -> Spectrum:
    """A triangle that tiles the plane by reflection, turned and moved."""
    kind, side, wanted, free = (
        draw.one_of(("equilateral", "right", "half")),
        draw.log_between(0.5, 5),
        5,
        draw.chance(0.4),
    )
    height = side * math.sqrt(3) / 2
    corners = {
        "equilateral": [(0, 0), (side, 0), (side / 2, height)],
        "right": [(0, 0), (side, 0), (0, side)],
        "half": [(0, 0), (side / 2, 0), (side / 2, height)],
    }[kind]
    angle, place = draw.phase(), (draw.between(-3, 3), draw.between(-3, 3))
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    shape = fs.Polygon((np.array(corners) @ turn.T + place).tolist())
    known = triangle(kind, side, wanted + _BEYOND, free=free)
    end = End("neumann" if free else "dirichlet")
    return _spectrum(f"{kind} triangle, {end.kind}", membrane(), shape, (end.on(None),), known, wanted)


def _box_with_potential(draw: Draw) -> Spectrum:
    """A potential that separates."""
    sides, wanted = (draw.log_between(0.5, 4), draw.log_between(0.5, 4)), 3
    end = draw.one_of((End("dirichlet"), End("neumann")))
    potentials, lines = [], []
    for length in sides:
        q = draw.between(-20, 20) / length**2 * sp.sin(draw.between(1, 4) * X / length + draw.phase())
        potentials.append(q)
        lines.append(_side(length, (end, end), 1.0, q=function_of(q)).known(wanted + 12))
    potential = potentials[0] + potentials[1].subs(X, Y)
    known = sums(*lines, wanted + _BEYOND)
    return _spectrum(
        f"potential in a box, {end.kind}", membrane(potential), fs.Box((0, 0), sides), (end.on(None),), known, wanted
    )


def _disk_with_potential(draw: Draw) -> Spectrum:
    """A potential of the distance from the middle."""
    radius, wanted, end = draw.log_between(0.5, 4), 3, draw.one_of((End("dirichlet"), End("neumann")))
    height, rate = draw.between(-20, 20) / radius**2, draw.between(0.5, 3) / radius**2
    q = height * sp.exp(-rate * X**2)
    known = rings(radial(0.0, radius, (None, end), function_of(q)), wanted + _BEYOND)
    potential = q.subs(X**2, X**2 + Y**2)
    return _spectrum(
        f"potential in a disk, {end.kind}", membrane(potential), fs.Disk((0, 0), radius), (end.on(None),), known, wanted
    )
