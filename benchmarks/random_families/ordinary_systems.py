"""Coupled ordinary equations: from a start in time, and between the ends of a beam."""

from __future__ import annotations

from typing import Any

import sympy as sp

import fspielm as fs
from random_families.draw import Draw
from random_families.system import Fields, Setting, System, draw_smooth, make_setting, smooth_coefficient

_T = sp.Symbol("t")


def draw_initial_value(draw: Draw) -> tuple[Setting, System]:
    """Linear equations for two to four functions of time, of first or second order, with coefficients that may vary."""
    start = draw.between(-1, 1) if draw.chance(0.3) else 0.0
    setting = make_setting(fs.Time(start, start + draw.log_between(0.1, 20)), (_T,))
    count, order = draw.one_of((2, 3, 4)), draw.one_of((1, 1, 2))
    duration = 2 * setting.half[0]
    strength = draw.log_between(1, 20) / duration**order
    varying = smooth_coefficient(draw, setting.s) if draw.chance(0.4) else sp.Integer(1)
    matrix = [[draw.between(-1, 1) * strength for _ in range(count)] for _ in range(count)]
    for i in range(count):
        # what decays, or swings, rather than grows
        matrix[i][i] = abs(matrix[i][i]) + strength

    def operator(w: Fields) -> list[sp.Expr]:
        return [w[i].diff(_T, order) + varying * sum(matrix[i][j] * w[j] for j in range(count)) for i in range(count)]

    exact, told = draw_smooth(draw, setting, [draw.log_between(0.1, 10) for _ in range(count)])
    if is_sourceless := draw.chance(0.3) and order == 1 and count == 2:
        # a focus: ``w' = -(a w0 - b w1), -(b w0 + a w1)``
        a, b = draw.between(0.1, 3) / duration, draw.log_between(1, 100) / duration
        matrix[0][:], matrix[1][:], varying = [a, -b], [b, a], sp.Integer(1)
        swing = sp.exp(-a * (_T - start))
        exact, told = (swing * sp.cos(b * (_T - start)), -swing * sp.sin(b * (_T - start))), "no source"
    name = f"{count} equations of order {order}{', variable' * (varying != 1)}"
    names = ("a", "b", "c", "d")[:count]
    return setting, System(name, names, operator, (), None, exact, told, is_sourceless, time_orders=(order,) * count)


def draw_beam(draw: Draw) -> tuple[Setting, System, list[Any]]:
    """A beam as deflection, slope, moment and shear force, with one of the usual supports at each end."""
    x = sp.Symbol("x")
    left = draw.between(-1, 1)
    setting = make_setting(fs.Interval(left, left + draw.log_between(0.5, 10)), (x,))
    length = setting.length
    stiffness = draw.log_between(0.1, 100)
    bending = stiffness * (smooth_coefficient(draw, setting.s) if draw.chance(0.5) else 1)
    bed = draw.between(0, 50) * stiffness / length**4 * int(draw.chance(0.5))

    def operator(f: Fields) -> list[sp.Expr]:
        w, slope, moment, force = f
        return [w.diff(x) - slope, bending * slope.diff(x) - moment, moment.diff(x) - force, force.diff(x) + bed * w]

    sizes = (1.0, 1 / length, stiffness / length**2, stiffness / length**3)
    exact, told = draw_smooth(draw, setting, sizes)
    supports = {"clamped": (0, 1), "simple": (0, 2), "free": (2, 3)}
    first = draw.one_of(("clamped", "simple"))
    second = draw.one_of(("clamped", "simple", "free") if first == "clamped" else ("clamped", "simple"))
    names = ("w", "s", "m", "q")
    unknowns = [sp.Function(name)(x) for name in names]
    ends = [
        fs.Dirichlet({unknowns[i]: exact[i] for i in supports[kind]}, on=f"x{side}")
        for kind, side in ((first, "-"), (second, "+"))
    ]
    return setting, System(f"beam, {first} and {second}", names, operator, (), None, exact, told), ends
