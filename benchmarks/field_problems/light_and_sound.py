"""First-order systems of waves: sound in time, light in the plane and in space."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import sympy as sp

import fspielm as fs
from field_problems.example import FieldExample, equations, field_example, functions, on_both, t, x, y, z


@field_example("sound in a pipe", "velocity and pressure in time, a piston at one end, an absorber at the other")
def pipe() -> FieldExample:
    """Ten wavelengths that run both ways."""
    v, p = functions("v p", x, t)
    right, left = x - t, x + t
    there = sp.exp(sp.sin(3 * right)) * sp.sin(20 * math.pi * right)
    back = sp.cos(18 * math.pi * left + left**2) / 2
    exact = (there - back, there + back)
    stated = [sp.Eq(v.diff(t) + p.diff(x), 0), sp.Eq(p.diff(t) + v.diff(x), 0)]
    conditions = [
        fs.Dirichlet({v: exact[0]}, on="x-"),
        *on_both(lambda a, b: [b - 2 * a], (v, p), exact, on="x+"),
        fs.Initial({v: exact[0].subs(t, 0), p: exact[1].subs(t, 0)}),
    ]
    return FieldExample(fs.Problem(stated, fs.Interval(0, 1) * fs.Time(0, 1), conditions, unknowns=[v, p]), exact, 10)


def _plane(e: Any, h1: Any, h2: Any, omega: float) -> list[Any]:
    """Maxwell's equations for one electric component, with the time factor exp(-i omega t)."""
    return [
        h2.diff(x) - h1.diff(y) + sp.I * omega * e,
        e.diff(y) - sp.I * omega * h1,
        e.diff(x) + sp.I * omega * h2,
    ]


@field_example("Maxwell in the plane", "E, Hx and Hy on a disk with a wall that absorbs, driven by it")
def light() -> FieldExample:
    """The light of a line source outside and of two plane waves."""
    unknowns = functions("E Hx Hy", x, y)
    omega = 10 * math.pi
    distance = sp.sqrt((x - 1.4) ** 2 + (y - 0.5) ** 2)
    e = sp.besselj(0, omega * distance) + sp.I * sp.bessely(0, omega * distance)
    e += sp.exp(sp.I * omega * (0.6 * x - 0.8 * y)) / 4 + sp.exp(-sp.I * omega * x) / 5
    exact = (e, e.diff(y) / (sp.I * omega), -e.diff(x) / (sp.I * omega))

    def wall(a: Any, b: Any, c: Any) -> list[Any]:
        # the tangential magnetic field beside the electric one
        return [a - (y * b - x * c) / 2]

    stated = [sp.Eq(left, 0) for left in _plane(*unknowns, omega)]
    conditions = on_both(wall, unknowns, exact)
    return FieldExample(fs.Problem(stated, fs.Disk((0, 0), 1), conditions), exact, 10)


@field_example("Maxwell with a current", "E, Hx and Hy in a box, a medium that varies, a current inside")
def current() -> FieldExample:
    """Fields that need a current, electric and magnetic."""
    unknowns = functions("E Hx Hy", x, y)
    omega = 12.0
    medium = 1 + sp.exp(-((x - 0.4) ** 2) - y**2) / 2 + sp.I * x * y / 10

    def operator(e: Any, h1: Any, h2: Any) -> list[Any]:
        first, second, third = _plane(e, h1, h2, omega)
        return [first + sp.I * omega * (medium - 1) * e, second, third]

    e = sp.exp(sp.I * 12 * (x + y**2 / 3)) * (1 + x * y)
    exact = (e, e.diff(y) / (sp.I * omega) + sp.cos(5 * (x + y)), -e.diff(x) / (sp.I * omega))
    conditions = [fs.Dirichlet({unknowns[0]: e})]
    stated = equations(operator, unknowns, exact)
    return FieldExample(fs.Problem(stated, fs.Box((0, 0), (1, 1)), conditions), exact, 2)


def _curl(f: Sequence[Any]) -> list[Any]:
    return [
        f[2].diff(y) - f[1].diff(z),
        f[0].diff(z) - f[2].diff(x),
        f[1].diff(x) - f[0].diff(y),
    ]


def _dipole(k: float, at: Sequence[float]) -> list[Any]:
    """A field without sources but at a point outside: the curl of a spherical wave times a direction."""
    r = sp.sqrt((x - at[0]) ** 2 + (y - at[1]) ** 2 + (z - at[2]) ** 2)
    wave = sp.cos(k * r) / r
    return _curl([wave, -wave / 2, wave / 3])


# Off the resonances of its walls by a hundredth and more; a cube would be in one.
_BOX = fs.Box((0, 0, 0), (1, 0.95, 0.82))
_FACES = {"x": (1, 2), "y": (0, 2), "z": (0, 1)}


@field_example("Maxwell in a box", "three components of E in space, tangential ones on the walls")
def cavity() -> FieldExample:
    """Rotation of rotation of E = k^2 E at three wavelengths, driven by its walls."""
    unknowns = functions("Ex Ey Ez", x, y, z)
    k = 6 * math.pi
    exact = [a / k + b for a, b in zip(_dipole(k, (1.6, 1.3, 0.4)), _wave(k), strict=True)]
    turned = _curl(_curl(unknowns))
    stated = [sp.Eq(a - k**2 * b, 0) for a, b in zip(turned, unknowns, strict=True)]
    conditions = [
        fs.Dirichlet({unknowns[i]: exact[i] for i in along}, on=[f"{axis}-", f"{axis}+"])
        for axis, along in _FACES.items()
    ]
    return FieldExample(fs.Problem(stated, _BOX, conditions, unknowns=unknowns), tuple(exact), 3)


def _wave(k: float) -> list[Any]:
    """A plane wave along (2, 1, 2) / 3, which is across its field."""
    phase = sp.sin(k * (2 * x + y + 2 * z) / 3)
    return [phase / 3, 2 * phase / 3, -2 * phase / 3]


@field_example("Maxwell in a box, first order", "E and H in space, complex, tangential E on the walls")
def first_order() -> FieldExample:
    """Six unknowns at one wavelength and a half, driven by the walls."""
    electric, magnetic = functions("Ex Ey Ez", x, y, z), functions("Hx Hy Hz", x, y, z)
    k = 3 * math.pi
    exact = [a / k + sp.I * b for a, b in zip(_dipole(k, (1.6, 1.3, 0.4)), _wave(k), strict=True)]
    turned = [a / (sp.I * k) for a in _curl(exact)]
    stated = [sp.Eq(a - sp.I * k * b, 0) for a, b in zip(_curl(electric), magnetic, strict=True)]
    stated += [sp.Eq(a + sp.I * k * b, 0) for a, b in zip(_curl(magnetic), electric, strict=True)]
    conditions = [
        fs.Dirichlet({electric[i]: exact[i] for i in along}, on=[f"{axis}-", f"{axis}+"])
        for axis, along in _FACES.items()
    ]
    problem = fs.Problem(stated, _BOX, conditions, unknowns=[*electric, *magnetic])
    return FieldExample(problem, (*exact, *turned), 1.5)
