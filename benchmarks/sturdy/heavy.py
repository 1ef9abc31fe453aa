"""Twelve problems that take more than seconds, or more than half a gigabyte, to be solved to the default tolerance.

Each has a known solution, never a product of functions of one coordinate each.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from problems import Example, bent, clamped, laplacian, point_source, t, unknown, x, y, z

import fspielm as fs
from fspielm.expr import make_field
from fspielm.geometry import Domain
from sturdy.dimensions import poisson

SQUARE = fs.Box((0, 0), (1, 1))
Operator = Callable[[Any], Any]


def steady(operator: Operator, domain: Domain, exact: sp.Expr) -> Example:
    """An equation with the right-hand side and the boundary values of `exact`."""
    u = unknown(*(x, y, z)[: domain.dimension])
    return Example(fs.Problem(sp.Eq(operator(u), operator(exact)), domain, [fs.Dirichlet(exact)]), exact)


def evolving(operator: Operator, space: Domain, end: float, exact: sp.Expr, order: int) -> Example:
    """The same in time, with the initial values of `exact`."""
    initial = [fs.Initial(exact.diff(t, k).subs(t, 0), order=k) for k in range(order)]
    equation = sp.Eq(operator(unknown(x, y, t)), operator(exact))
    return Example(fs.Problem(equation, space * fs.Time(0, end), [fs.Dirichlet(exact), *initial]), exact)


def divergence(a: sp.Expr, f: Any) -> Any:
    """div(a grad f), as one writes it."""
    return sum((a * f.diff(s)).diff(s) for s in (x, y))


def bump(at: tuple[float, float], width: float) -> sp.Expr:
    """A Gaussian, turned and stretched."""
    p, q = x - at[0], y - at[1]
    return sp.exp(-(p**2 + p * q + 2 * q**2) / (2 * width**2))


def lens() -> Example:
    """Twenty wavelengths across a medium that varies."""
    k, index = 40 * math.pi, 1 + bump((0.5, 0.4), 0.2) / 2
    return steady(lambda f: laplacian(f, x, y) + k**2 * index * f, SQUARE, bent(k))


def drum() -> Example:
    """Waves in the plane, ten periods and more, driven."""
    exact = sp.sin(20 * (x + y**2 / 3 - t)) * sp.exp(y / 3) + sp.cos(9 * (x * y + t))
    return evolving(lambda f: f.diff(t, 2) - laplacian(f, x, y), SQUARE, 4.0, exact, 2)


def sound() -> Example:
    """Helmholtz in the unit ball at k = 25, with a right-hand side."""
    k = 25
    exact = sp.sin(k * (x + y**2 / 3 + x * z / 4)) * sp.exp(z / 3)
    return steady(lambda f: laplacian(f, x, y, z) + k**2 * f, fs.Ball((0, 0, 0), 1), exact)


def seventeen_holes() -> Example:
    """Waves among seventeen pillars, three of which radiate."""
    k = 20
    centers = [(0.12 + 0.19 * i, 0.12 + 0.25 * j + 0.02 * i) for i in range(5) for j in range(4)][:17]
    domain: Domain = SQUARE
    for center in centers:
        domain = domain - fs.Disk(center, 0.05)
    u, plain = unknown(x, y), bent(k)
    radiated = sum(point_source(k, centers[i], x, y) for i in (2, 7, 13))
    equation = sp.Eq(laplacian(u, x, y) + k**2 * u, laplacian(plain, x, y) + k**2 * plain)
    exact = plain + radiated / 2
    return Example(fs.Problem(equation, domain, [fs.Dirichlet(exact)]), exact)


def slow_callables() -> Example:
    """A medium known only by a function that takes its time, as measured ones do."""
    nodes = (np.arange(2000) + 0.5) / 2000

    def medium(points: NDArray[np.float64]) -> NDArray[np.float64]:
        # an integral at every point; one by one, as those who write such functions do
        return np.array([1.5 + np.cos(3 * p * nodes + 2 * q * nodes**2).mean() / 2 for p, q in points])

    u, exact, a, f = unknown(x, y), bent(40.0), sp.Function("a"), sp.Function("f")
    part = make_field(laplacian(exact, x, y), (x, y))
    given = {a: medium, f: lambda points: -medium(points) * part(points)}
    equation = sp.Eq(-a(x, y) * laplacian(u, x, y), f(x, y))
    return Example(fs.Problem(equation, SQUARE, [fs.Dirichlet(exact)], given=given), exact)


def coast() -> Example:
    """Poisson within three hundred sides, half of their corners re-entrant."""
    angle = 2 * np.pi * np.arange(300) / 300
    radius = 1 + 0.1 * np.cos(5 * angle) + 0.01 * (-1.0) ** np.arange(300)
    shore = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]).round(4).tolist()
    return steady(lambda f: -laplacian(f, x, y), fs.Polygon(shore), bent(40.0))


def five() -> Example:
    """Poisson in five dimensions, whose coordinates mix."""
    return poisson(lambda v: sp.sin(2 * (v[0] + v[1] * v[2] / 2 + v[3] - v[4])) + sp.exp((v[1] - v[2]) * v[4] / 2))


def plate_with_a_hole() -> Example:
    """Heat in the plane and in time around a hole."""
    exact = sp.exp(-t) * sp.sin(10 * (x + y**2 / 2 + t)) + x * sp.cos(6 * y * t)
    space = SQUARE - fs.Disk((0.45, 0.55), 0.2)
    return evolving(lambda f: f.diff(t) - laplacian(f, x, y) / 5, space, 1.0, exact, 1)


def boundary_layer() -> Example:
    """Convection with a thousandth of diffusion: a layer before the outflow."""
    small, wind = sp.Rational(1, 1000), 1 + 3 * y / 10
    exact = sp.sin(3 * (x + y**2 / 2)) + sp.exp(-wind * (1 - x) / small)
    return steady(lambda f: -small * laplacian(f, x, y) + wind * f.diff(x), SQUARE, exact)


def narrow_source() -> Example:
    """Poisson with a source a hundredth of the square wide."""
    return steady(lambda f: -laplacian(f, x, y), SQUARE, bump((0.4, 0.55), 0.01) + bent(3.0) / 10)


def four_bumps() -> Example:
    """Diffusion in a medium with four inclusions, in divergence form."""
    places = ((0.25, 0.3), (0.7, 0.2), (0.35, 0.75), (0.8, 0.7))
    a = 1 + sum(size * bump(at, 0.1) for size, at in zip((2.0, -0.5, 1.0, 3.0), places, strict=True))
    return steady(lambda f: -divergence(a, f), SQUARE, bent(50.0))


def fast_plate() -> Example:
    """A clamped plate in waves, seven of them across."""
    exact = sp.sin(40 * x + 3 * y**2) * sp.cos(30 * y + x)
    return Example(clamped(exact), exact)


_ALL: Sequence[tuple[str, Callable[[], Example]]] = (
    ("lens, 20 wavelengths", lens),
    ("driven drum", drum),
    ("sound in a ball", sound),
    ("seventeen holes", seventeen_holes),
    ("slow callables", slow_callables),
    ("300 sides", coast),
    ("five dimensions", five),
    ("heat around a hole", plate_with_a_hole),
    ("boundary layer", boundary_layer),
    ("narrow source", narrow_source),
    ("four bumps", four_bumps),
    ("fast plate", fast_plate),
)
HEAVY = dict(_ALL)
