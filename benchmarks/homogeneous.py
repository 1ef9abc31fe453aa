"""Problems without a right-hand side: long times, many wavelengths, sources close to the boundary.

None of the solutions lies in the span of a finite number of the features that satisfy these equations, except for plane
waves, whose frequencies are never drawn exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import sympy as sp
from problems import Example, laplacian, t, unknown, x, y, z

import fspielm as fs
from fspielm.geometry import Domain

Space = Sequence[sp.Symbol]


def evolving(operator: Callable[[sp.Expr], sp.Expr], exact: sp.Expr, space: Domain, end: float, order: int) -> Example:
    """An equation in time with the boundary and initial values of its solution."""
    symbols = (x, y)[: space.dimension]
    u = unknown(*symbols, t)
    initial = [fs.Initial(exact.diff(t, k).subs(t, 0), order=k) for k in range(order)]
    problem = fs.Problem(sp.Eq(operator(u), 0), space * fs.Time(0, end), [fs.Dirichlet(exact), *initial])
    return Example(problem, exact)


def steady(kappa: float, domain: Domain, exact: sp.Expr) -> Example:
    """Laplace's or Helmholtz' equation with the boundary values of its solution."""
    space = (x, y, z)[: domain.dimension]
    u = unknown(*space)
    equation = sp.Eq(laplacian(u, *space) + kappa**2 * u, 0)
    return Example(fs.Problem(equation, domain, [fs.Dirichlet(exact)]), exact)


def source(kappa: float, *place: float) -> sp.Expr:
    """A point source."""
    space = (x, y, z)[: len(place)]
    r = sp.sqrt(sum((s - p) ** 2 for s, p in zip(space, place, strict=True)))
    if len(place) == 3:
        return sp.cos(kappa * r) / r
    return sp.bessely(0, kappa * r) if kappa else sp.log(r)


def string() -> Example:
    """Ten modes of a string over 400 periods of the highest."""
    rng = np.random.default_rng(5)
    amplitudes, phases = rng.standard_normal(10), rng.uniform(0, 2 * np.pi, 10)
    modes = [sp.sin(n * sp.pi * x) * sp.cos(n * sp.pi * t + phases[n - 1]) for n in range(1, 11)]
    exact = sum(float(a) * mode for a, mode in zip(amplitudes, modes, strict=True))
    return evolving(lambda u: u.diff(t, 2) - u.diff(x, 2), exact, fs.Interval(0, 1), 80.0, 2)


def membrane() -> Example:
    """Four modes of a membrane over 20 periods of the highest."""
    modes = [(1, 1, 1.0), (2, 1, 0.5), (3, 2, 0.7), (4, 3, -0.6)]
    rates = [float(np.pi * np.hypot(m, n / 0.8)) for m, n, _ in modes]
    exact = sum(
        a * sp.sin(m * sp.pi * x) * sp.sin(n * sp.pi * y / 0.8) * sp.cos(rate * t + m)
        for (m, n, a), rate in zip(modes, rates, strict=True)
    )
    end = 20 * 2 * np.pi / max(rates)
    return evolving(lambda u: u.diff(t, 2) - laplacian(u, x, y), exact, fs.Box((0, 0), (1, 0.8)), end, 2)


def packet() -> Example:
    """A wave packet of the Klein-Gordon equation."""
    numbers = np.linspace(10, 50, 41)
    exact = sum(
        float(np.exp(-((k - 30) ** 2) / 50)) * sp.cos(float(k) * (x - 0.3) - float(np.sqrt(k**2 + 400)) * t)
        for k in numbers
    )
    return evolving(lambda u: u.diff(t, 2) - u.diff(x, 2) + 400 * u, exact, fs.Interval(0, 1), 2.0, 2)


def heat() -> Example:
    """Heat with 250 periods across."""
    exact = sp.exp(-t) * sp.sin(500 * sp.pi * x)
    rate = 1 / (500 * sp.pi) ** 2
    return evolving(lambda u: u.diff(t) - rate * u.diff(x, 2), exact, fs.Interval(0, 1), 1.0, 1)


def heat_on_a_disk() -> Example:
    """A spot of heat that spreads in the plane."""
    exact = sp.exp(-((x - 0.1) ** 2 + y**2) / (0.4 * (t + 0.2))) / (t + 0.2)
    return evolving(lambda u: u.diff(t) - laplacian(u, x, y) / 10, exact, fs.Disk((0, 0), 1), 1.0, 1)


L_SHAPE = fs.Polygon([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)])
DISK = fs.Disk((0, 0), 1)

HOMOGENEOUS: dict[str, tuple[str, Callable[[], Example]]] = {
    "string": ("400 periods of its highest mode", string),
    "vibrating membrane": ("20 periods of its highest mode", membrane),
    "wave packet": ("Klein-Gordon", packet),
    "heat, 250 periods across": ("slow decay", heat),
    "heat on a disk": ("a spreading spot", heat_on_a_disk),
    "panda, kappa 60": ("source at (2, 1)", lambda: steady(60, fs.Panda(1.0), source(60, 2, 1))),
    "panda, kappa 200": ("source at (2, 1)", lambda: steady(200, fs.Panda(1.0), source(200, 2, 1))),
    "panda, kappa 400": ("source at (2, 1)", lambda: steady(400, fs.Panda(1.0), source(400, 2, 1))),
    "ball, k 30": ("source at (2, 1, 0.5)", lambda: steady(30, fs.Ball((0, 0, 0), 1), source(30, 2, 1, 0.5))),
    "laplace, source at 0.3": ("panda", lambda: steady(0, fs.Panda(1.0), source(0, 1.85, 0.5))),
    "laplace, source in a notch": ("panda", lambda: steady(0, fs.Panda(1.0), source(0, 0.13, 1.5))),
    "laplace, source at 0.01": ("disk", lambda: steady(0, DISK, source(0, 1.01, 0))),
    "helmholtz, source at 0.01": ("disk", lambda: steady(10, DISK, source(10, 1.01, 0))),
    "plane wave on an L": ("", lambda: steady(20, L_SHAPE, sp.cos(12 * x + 16 * y + sp.Rational(3, 10)))),
    "near a resonance": ("1e-6", lambda: near_resonance(1e-6)),
}


def near_resonance(distance: float) -> Example:
    """A plane wave on a square, with kappa squared so close to an eigenvalue."""
    kappa = float(np.sqrt(50 + distance))
    return steady(kappa, fs.Box((0, 0), (np.pi, np.pi)), sp.cos(0.6 * kappa * x + 0.8 * kappa * y + 0.4))
