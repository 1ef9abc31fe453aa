"""Eigenvalues of fibres, crystals, cabins, elastic bodies and columns: problems, and what is known of their values."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import sympy as sp
from scipy.optimize import brentq
from scipy.special import jv, kv

import fspielm as fs

x, y, lam, n = sp.symbols("x y lam n")
u, v, w = sp.Function("u")(x), sp.Function("v")(x, y), sp.Function("w")(x, y)

# A fibre of glass with seventeen guided modes, in micrometres: wavelength, radii of the core and of what is around
# it, indices. At the outer radius the square of the first six, by which values change, is below 1e-14.
WAVELENGTH, CORE, AROUND, INDICES = 1.55, 15.0, 60.0, (1.45, 1.444)
WAVENUMBER = 2 * np.pi / WAVELENGTH

# Waves in a plane crystal: their wave vector, and the height of the potential.
BLOCH, HEIGHT = (0.3, 0.7), 2.0

# Lamé's numbers of an elastic body.
FIRST, SHEAR = 1.5, 1.0

# About as a car's, in metres.
CABIN = [(0, 0), (3.2, 0), (3.2, 0.5), (2.6, 0.7), (2.2, 1.3), (1.0, 1.4), (0.3, 1.1), (0, 0.6)]


def fibre() -> fs.Problem:
    """The scalar wave equation across a fibre; the eigenvalue is the square of the propagation constant."""
    glass = fs.Disk((0, 0), CORE)
    return fs.Problem(
        sp.Eq(v.diff(x, 2) + v.diff(y, 2) + WAVENUMBER**2 * n**2 * v, lam * v),
        fs.Regions(core=glass, cladding=fs.Disk((0, 0), AROUND) - glass),
        [fs.Dirichlet(0)],
        given={n: fs.ByRegion(core=INDICES[0], cladding=INDICES[1]), lam: ...},
    )


def fibre_values(count: int) -> dict[int, float]:
    """Zeros of the characteristic equation ``U J_(l+1)(U) K_l(W) = W K_(l+1)(W) J_l(U)``, all but l = 0 twice."""
    guide = WAVENUMBER * CORE * np.sqrt(INDICES[0] ** 2 - INDICES[1] ** 2)

    def off(U: float, order: int) -> float:
        W = np.sqrt(guide**2 - U**2)
        return float(U * jv(order + 1, U) * kv(order, W) - W * kv(order + 1, W) * jv(order, U))

    found: list[float] = []
    for order in range(count):
        for zero in _zeros(partial(off, order=order), np.linspace(1e-3, guide - 1e-6, 2000)):
            found += [(WAVENUMBER * INDICES[0]) ** 2 - (zero / CORE) ** 2] * (1 + (order > 0))
    return dict(enumerate(sorted(found, reverse=True)[:count]))


def _zeros(function: Callable[[float], float], places: np.ndarray) -> list[float]:
    values = [function(place) for place in places]
    between = [i for i in range(len(values) - 1) if values[i] * values[i + 1] < 0]
    return [float(brentq(function, places[i], places[i + 1], xtol=1e-15, rtol=1e-15)) for i in between]


def crystal() -> fs.Problem:
    """Bloch's waves ``exp(i k x) p(x)`` in a potential of cosines; the periodic part is the unknown."""
    along, across = BLOCH
    waves = (
        v.diff(x, 2) + v.diff(y, 2) + 2 * sp.I * (along * v.diff(x) + across * v.diff(y)) - (along**2 + across**2) * v
    )
    return fs.Problem(
        sp.Eq(-waves + HEIGHT * (sp.cos(2 * x) + sp.cos(2 * y)) * v, lam * v),
        fs.Box((0, 0), (np.pi, np.pi)),
        [fs.Periodic("x"), fs.Periodic("y")],
        given={lam: ...},
    )


def crystal_values(count: int) -> dict[int, float]:
    """Sums of values of Hill's matrices along both axes."""
    order = np.arange(-9, 10)
    beside = HEIGHT / 2 * (np.eye(19, k=1) + np.eye(19, k=-1))
    each = [np.linalg.eigvalsh(np.diag((k + 2.0 * order) ** 2) + beside) for k in BLOCH]
    return dict(enumerate(np.sort(np.add.outer(*each).ravel())[:count].tolist()))


def body() -> fs.Problem:
    """An elastic ellipse of half-axes 2 and 1 that is held all around."""
    stress = fs.stress([v, w], FIRST, SHEAR)
    forces = [stress[place, 0].diff(x) + stress[place, 1].diff(y) for place in range(2)]
    return fs.Problem(
        [sp.Eq(-forces[0], lam * v), sp.Eq(-forces[1], lam * w)],
        fs.Ellipse((0, 0), (2, 1)),
        [fs.Dirichlet({v: 0, w: 0})],
        given={lam: ...},
    )


def body_values(count: int) -> dict[int, float]:
    """By finite elements of high order with curved edges (NGSolve)."""
    import ngsolve as ng
    from netgen import occ

    face = occ.WorkPlane().Ellipse(2, 1).Face()
    mesh = ng.Mesh(occ.OCCGeometry(face, dim=2).GenerateMesh(maxh=0.35)).Curve(10)
    space = ng.VectorH1(mesh, order=10, dirichlet=".*")
    p, q = space.TnT()
    strains = [0.5 * (ng.Grad(own) + ng.Grad(own).trans) for own in (p, q)]
    energy = 2 * SHEAR * ng.InnerProduct(*strains) + FIRST * ng.div(p) * ng.div(q)
    return _elements_values(ng, space, energy * ng.dx, p * q * ng.dx, count)


def cabin_values() -> dict[int, float]:
    """By finite elements of high order, on a mesh that is fine at the corners."""
    import ngsolve as ng
    from netgen.geom2d import SplineGeometry

    shape = SplineGeometry()
    places = [shape.AppendPoint(*point, hpref=1) for point in CABIN]
    for first, last in zip(places, places[1:] + places[:1], strict=True):
        shape.Append(["line", first, last])
    mesh = ng.Mesh(shape.GenerateMesh(maxh=0.3))
    mesh.RefineHP(8)
    space = ng.H1(mesh, order=12)
    p, q = space.TnT()
    shifted = ng.grad(p) * ng.grad(q) * ng.dx + p * q * ng.dx
    values = _elements_values(ng, space, shifted, p * q * ng.dx, 8)
    return {place: value - 1.0 for place, value in values.items()}


def _elements_values(ng: Any, space: Any, energy: Any, mass: Any, count: int) -> dict[int, float]:
    """The lowest values of two forms on a space of NGSolve's."""
    stiffness, density = (ng.BilinearForm(form).Assemble().mat for form in (energy, mass))
    inverse = stiffness.Inverse(freedofs=space.FreeDofs())
    values, _ = ng.solvers.PINVIT(stiffness, density, inverse, num=count + 4, maxit=25, printrates=False)
    return dict(enumerate(float(value) for value in list(values)[:count]))


def column() -> fs.Problem:
    """A column that buckles between clamped ends."""
    clamped = [fs.Dirichlet(0), fs.Neumann(0)]
    return fs.Problem(sp.Eq(u.diff(x, 4) + lam * u.diff(x, 2), 0), fs.Interval(0, 1), clamped, given={lam: ...})


def column_values() -> dict[int, float]:
    """Of sin(k / 2) and of tan(k / 2) = k / 2, in turns."""
    half = brentq(lambda k: np.sin(k) - k * np.cos(k), 4.0, 4.6, xtol=1e-15)
    return {0: 4 * np.pi**2, 1: 4 * half**2, 2: 16 * np.pi**2}


def sloshing() -> fs.Problem:
    """Steklov's problem on a disk: harmonic functions whose slopes at the rim are multiples of their values."""
    return fs.Problem(
        sp.Eq(v.diff(x, 2) + v.diff(y, 2), 0), fs.Disk((0, 0), 1), [fs.Robin(-lam, 1, 0)], given={lam: ...}
    )
