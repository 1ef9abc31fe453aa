"""One space dimension in time: a pulse into another medium, a quantum at a barrier, heat with a moving source."""

from __future__ import annotations

import cmath
import math
from typing import Any

import numpy as np
import sympy as sp
from random_families.patch_crossings import pulse
from random_families.stated import Stated, equation

import fspielm as fs
from patch_problems.example import PatchProblem, patch_problem, t, x


@patch_problem("pulse", "a wave through a medium that jumps, 1 : 4, in time")
def wave() -> PatchProblem:
    """An echo and what goes through, from their closed forms."""
    u = sp.Function("u")(x, t)
    stiffness, density, width = 4.0, 1.0, 0.08
    exact = pulse(stiffness, density, width, 0.5, x, t)
    a = sp.Piecewise((1, x < 0), (stiffness, True))
    conditions = (fs.Dirichlet(exact), *(fs.Initial(exact.diff(t, i).subs(t, 0), order=i) for i in range(2)))
    stated = (equation(u.diff(t, 2) - sp.Derivative(a * u.diff(x), x), sp.Integer(0)),)
    domain = fs.Interval(-1, 1) * fs.Time(0, 1.2)
    return PatchProblem(Stated("", stated, domain, conditions, (u,), (exact,), (x,), a), 1e-8)


def _state(k: float, height: float, width: float) -> list[Any]:
    """A wave that meets a barrier from 0 to `width`: before it, within, behind; values and slopes continue."""
    within = cmath.sqrt(k**2 - height)
    # echo, two waves within, what goes through
    out = cmath.exp(1j * k * width)
    up, down = cmath.exp(1j * within * width), cmath.exp(-1j * within * width)
    matrix = np.array(
        [
            [1, -1, -1, 0],
            [-k, -within, within, 0],
            [0, up, down, -out],
            [0, within * up, -within * down, -k * out],
        ]
    )
    echo, there, back, through = np.linalg.solve(matrix, np.array([-1, -k, 0, 0]))

    def ray(amplitude: complex, number: complex) -> sp.Expr:
        return sp.sympify(complex(amplitude)) * sp.exp(sp.sympify(complex(1j * number)) * x)

    return [ray(1, k) + ray(echo, -k), ray(there, within) + ray(back, -within), ray(through, k)]


@patch_problem("barrier", "Schroedinger's equation at a barrier, in time")
def barrier() -> PatchProblem:
    """Five energies below and above the barrier."""
    u = sp.Function("u")(x, t)
    height, width = 900.0, 0.1
    before, within, behind = sp.Integer(0), sp.Integer(0), sp.Integer(0)
    for k, amplitude in ((18.0, 0.3), (24.0, 0.8), (28.5, 1.0), (33.0, 0.7), (37.0, 0.2)):
        beat = amplitude * sp.exp(-sp.I * k**2 * t)
        parts = _state(k, height, width)
        before, within, behind = (sum_ + beat * p for sum_, p in zip((before, within, behind), parts, strict=True))
    potential = sp.Piecewise((0, x < 0), (height, x < width), (0, True))
    exact = sp.Piecewise((before, x < 0), (within, x < width), (behind, True))
    stated = (equation(sp.I * u.diff(t) + u.diff(x, 2) - potential * u, sp.Integer(0)),)
    conditions = (fs.Dirichlet(exact), fs.Initial(exact.subs(t, 0)))
    domain = fs.Interval(-1, 1) * fs.Time(0, 0.05)
    borders = (x, x - width)
    across = round(37.0 * 2 / (2 * math.pi), 1)
    return PatchProblem(Stated("", stated, domain, conditions, (u,), (exact,), borders), 1e-8, across)


@patch_problem("moving source", "heat with a source of a hundredth of the rod that moves along it")
def heat() -> PatchProblem:
    """There and back a little, beside a wave that decays."""
    u = sp.Function("u")(x, t)
    rate, width = 0.05, 0.01
    place = 0.3 + 0.35 * t + sp.sin(5 * t) / 20
    exact = sp.exp(-(((x - place) / width) ** 2)) + sp.exp(-t / 2) * sp.cos(4 * (x + t**2 / 3))

    def operator(v: Any) -> Any:
        return v.diff(t) - rate * v.diff(x, 2)

    stated = (equation(operator(u), operator(exact)),)
    conditions = (fs.Dirichlet(exact), fs.Initial(exact.subs(t, 0)))
    domain = fs.Interval(0, 1) * fs.Time(0, 1)
    return PatchProblem(Stated("", stated, domain, conditions, (u,), (exact,)), 1e-8)
