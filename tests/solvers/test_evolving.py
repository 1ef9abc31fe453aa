"""Problems that evolve, with as many characteristic features as predicted, as far as their data reach.

Exact solutions measure alone; no mode of theirs is among the features.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.basis import neurons_for_reach, reach_for
from fspielm.estimate import infer_bands, refine_bands

x, y, t = sp.symbols("x y t")
u, w = sp.Function("u")(x, t), sp.Function("u")(x, y, t)
LINE = fs.Interval(0, 1)


def wave(speed: float = 1.0, mass: float = 0.0, damping: float = 0.0) -> sp.Expr:
    return u.diff(t, 2) + damping * u.diff(t) - speed**2 * u.diff(x, 2) + mass**2 * u


def heat(diffusivity: float, speed: float = 0.0) -> sp.Expr:
    return u.diff(t) + speed * u.diff(x) - diffusivity * u.diff(x, 2)


def laplacian() -> sp.Expr:
    return w.diff(x, 2) + w.diff(y, 2)


def bump(place: sp.Expr, time: sp.Expr, diffusivity: float) -> sp.Expr:
    """A Gaussian that spreads in one dimension."""
    return sp.exp(-(place**2) / (4 * diffusivity * time)) / sp.sqrt(time)


def modes(wavenumbers: list[float], rate: Callable[[float], float], decay: Callable[[float], float]) -> sp.Expr:
    return sum(
        sp.cos(rate(k) * t + i) * sp.exp(-decay(k) * t) * sp.sin(k * x + 2 * i) for i, k in enumerate(wavenumbers)
    )


def nothing(_: float) -> float:
    return 0.0


def packet() -> sp.Expr:
    """Waves of a mass of twenty around the wavenumber fifty."""
    return sum(
        float(np.exp(-((k - 50) ** 2) / 128)) * sp.cos(k * (x - 0.2) - float(np.sqrt(k * k + 400)) * t)
        for k in np.linspace(20, 80, 31).tolist()
    )


def driven(rates: list[float]) -> sp.Expr:
    """Heat of diffusivity a tenth that comes in from the left."""
    return sum(sp.exp(-d * x) * sp.cos(d**2 / 5 * t - d * x + i) for i, d in enumerate(rates))


# equation, exact solution, duration, most functions
LINES: dict[str, Callable[[], tuple[sp.Expr, sp.Expr, float, int]]] = {
    "string": lambda: (wave(), modes([2.1, 9.7, 20.3, 31.0], lambda k: k, nothing), 4.0, 220),
    "pulse": lambda: (wave(), sp.exp(-200 * (x - t - 0.4) ** 2) + sp.exp(-200 * (x + t - 0.4) ** 2), 2.0, 350),
    "klein-gordon packet": lambda: (wave(mass=20), packet(), 1.0, 250),
    "damped": lambda: (
        wave(damping=3.0),
        modes([2.0, 7.0, 15.0], lambda k: float(np.sqrt(k * k - 2.25)), lambda k: 1.5),
        2.0,
        220,
    ),
    "advection": lambda: (u.diff(t) + 2 * u.diff(x), sp.sin(20 * (x - 2 * t)) / (1 + (x - 2 * t) ** 2), 1.0, 90),
    "fast decay": lambda: (heat(1 / (100 * np.pi) ** 2), sp.exp(-t) * sp.sin(100 * sp.pi * x + 1), 1.0, 250),
    "decay": lambda: (heat(0.1), modes([3.0, 10.0, 22.0], nothing, lambda k: 0.1 * k * k), 1.0, 120),
    "driven": lambda: (heat(0.1), driven([5.0, 9.0, 14.0]), 1.0, 170),
    "spreading": lambda: (heat(0.1), bump(x - 0.3, t + 0.02, 0.1), 1.0, 150),
    "carried and spreading": lambda: (heat(0.05, 1.0), bump(x - 0.2 - t, t + 0.05, 0.05), 1.0, 200),
}


def solved(equation: sp.Expr, exact: sp.Expr, space: Any, duration: float, most: int) -> None:
    """Solve with bands, reach and number as they are found; check error, estimate and number."""
    unknown = u if space is LINE else w
    order = 2 if equation.has(unknown.diff(t, 2)) else 1
    inflow = {} if equation.has(unknown.diff(x, 2)) else {"on": "x-"}
    initial = [fs.Initial(exact.diff(t, i).subs(t, 0), order=i) for i in range(order)]
    problem = fs.Problem(sp.Eq(equation, 0), space * fs.Time(0, duration), [fs.Dirichlet(exact, **inflow), *initial])
    rng = np.random.default_rng(0)
    reach = reach_for(problem, refine_bands(problem, infer_bands(problem, rng), rng).frequencies)
    neurons = neurons_for_reach(problem, reach)
    assert neurons <= most
    solution = fs.solve(problem, features=fs.Characteristic(neurons, reach=reach), rng=1)
    points = problem.domain.sample(1000, np.random.default_rng(11))
    expected = np.asarray(sp.lambdify((*unknown.args,), exact)(*points.T))
    error = np.linalg.norm(solution(points) - expected) / np.linalg.norm(expected)
    assert error <= 1e-10
    assert error <= solution.error_estimate <= 1e-8


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name == "klein-gordon packet")) for name in LINES]
)
def test_on_a_line(name: str) -> None:
    equation, exact, duration, most = LINES[name]()
    solved(equation, exact, LINE, duration, most)


def test_a_membrane() -> None:
    exact = sum(
        sp.cos(k * (x * np.cos(a) + y * np.sin(a)) - k * t + i) for i, (k, a) in enumerate([(2.0, 0.3), (4.0, 4.1)])
    )
    solved(w.diff(t, 2) - laplacian(), exact, fs.Disk((0, 0), 0.6), 1.0, 1000)


@pytest.mark.slow
def test_heat_that_spreads_in_the_plane() -> None:
    later = t + sp.Rational(1, 5)
    exact = bump(x - 0.1, later, 0.1) * bump(y - 0.2, later, 0.1)
    solved(w.diff(t) - 0.1 * laplacian(), exact, fs.Box((0, 0), (0.8, 0.6)), 0.5, 1400)
