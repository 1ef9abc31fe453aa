"""The everyday problems as `fspielm` states them. Nothing here is new to the version that was measured first."""

from __future__ import annotations

import math
from typing import Any

import sympy as sp

import fspielm as fs
from everyday_problems.closed import medium, source, x, y
from everyday_problems.places import (
    BENDING,
    BRACKET,
    CABIN,
    CANTILEVER,
    CONTRAST,
    CONVECTION,
    ELASTIC_L,
    HOLED,
    HOLES,
    INCLUSION,
    LAYER,
    NONLINEAR,
    PLATE,
    QUADRANGLE,
    STOKES,
    TRIANGLE,
    Place,
)

LAM = sp.Symbol("lam")
_U, _V, _P, _A = (sp.Function(name)(x, y) for name in ("u", "v", "p", "a"))


def _laplacian(u: Any) -> Any:
    return u.diff(x, 2) + u.diff(y, 2)


def _flow(a: Any, u: Any) -> Any:
    return (a * u.diff(x)).diff(x) + (a * u.diff(y)).diff(y)


def _box(place: Place) -> Any:
    return fs.Box(place.corners[0], place.corners[2])


def _less_holes(domain: Any, place: Place) -> Any:
    for name, center, radius in place.holes:
        domain = domain - fs.Disk(center, radius, name=name)
    return domain


def square() -> fs.Problem:
    """Poisson's equation."""
    return fs.Problem(sp.Eq(-_laplacian(_U), 1), fs.Box((0, 0), (1, 1)), [fs.Dirichlet(0)])


def varying() -> fs.Problem:
    """A conductivity that varies."""
    return fs.Problem(sp.Eq(_flow(1 + x**2 + y / 2, _U), x * y), fs.Box((0, 0), (1, 1)), [fs.Dirichlet(0)])


def _plate() -> Any:
    return _less_holes(fs.Polygon(PLATE.corners), PLATE)


def plate() -> fs.Problem:
    """Reaction and diffusion."""
    conditions = [fs.Dirichlet(0, on="outline"), fs.Neumann(0, on="hole.circle")]
    return fs.Problem(sp.Eq(-_laplacian(_U) + _U, 1), _plate(), conditions)


def bracket() -> fs.Problem:
    """Heat between two holes, lost to the air around."""
    domain = _less_holes(fs.Polygon(BRACKET.corners), BRACKET)
    conditions = [fs.Robin(2, 1, 0, on="outline"), fs.Dirichlet(1, on="hot.circle"), fs.Dirichlet(0, on="cold.circle")]
    return fs.Problem(sp.Eq(_laplacian(_U), 0), domain, conditions)


def _materials(place: Place, inside: float) -> fs.Problem:
    """Heat from the left to the right through disks of another conductivity."""
    disks = {name: fs.Disk(center, radius) for name, center, radius in place.inclusions}
    around: Any = fs.Box((0, 0), (1, 1))
    for disk in disks.values():
        around = around - disk
    conditions = [fs.Dirichlet(1, on="x-"), fs.Dirichlet(0, on="x+"), fs.Neumann(0, on=["y-", "y+"])]
    return fs.Problem(
        sp.Eq(_flow(_A, _U), 0),
        fs.Regions(around=around, **disks),
        conditions,
        given={_A: fs.ByRegion(around=1.0, **dict.fromkeys(disks, inside))},
    )


def inclusion() -> fs.Problem:
    """One disk, 1 : 10."""
    return _materials(INCLUSION, 10.0)


def contrast() -> fs.Problem:
    """Three disks, 1 : 1000."""
    return _materials(CONTRAST, 1000.0)


def convection() -> fs.Problem:
    """A stream past a warm disk."""
    conditions = [
        fs.Dirichlet(0, on="x-"),
        fs.Dirichlet(1, on="warm.circle"),
        fs.Neumann(0, on=["x+", "y-", "y+"]),
    ]
    equation = sp.Eq(-_laplacian(_U) + 80 * y * (1 - y) * _U.diff(x), 0)
    return fs.Problem(equation, _less_holes(_box(CONVECTION), CONVECTION), conditions)


def wavenumber(hertz: float) -> float:
    """Of sound in air."""
    return 2 * math.pi * hertz / 343


def cabin(hertz: float) -> fs.Problem:
    """Sound in a car, driven by the firewall, absorbed by the roof."""
    k = wavenumber(hertz)
    conditions = [
        fs.Neumann(k, on="firewall"),
        fs.Robin(-0.4 * sp.I * k, 1, 0, on="roof"),
        fs.Neumann(0, on="rest"),
    ]
    return fs.Problem(sp.Eq(_laplacian(_U) + k**2 * _U, 0), fs.Polygon(CABIN.corners, names=CABIN.sides), conditions)


def nonlinear() -> fs.Problem:
    """A conductivity that grows with the temperature."""
    conditions = [fs.Dirichlet(0, on=["x-", "x+", "y-", "y+"]), fs.Neumann(0, on="hole.circle")]
    return fs.Problem(sp.Eq(-_flow(1 + _U**2, _U), 10), _less_holes(_box(NONLINEAR), NONLINEAR), conditions)


def stokes() -> fs.Problem:
    """Creeping flow past a disk."""
    conditions = [
        fs.Dirichlet({_U: 4 * y * (1 - y), _V: 0}, on="x-"),
        fs.Dirichlet({_U: 0, _V: 0}, on=["y-", "y+", "disk.circle"]),
        fs.Condition(sp.Eq(_U.diff(x) - _P, 0), on="x+"),
        fs.Condition(sp.Eq(_V.diff(x), 0), on="x+"),
    ]
    equations = [
        sp.Eq(-_laplacian(_U) + _P.diff(x), 0),
        sp.Eq(-_laplacian(_V) + _P.diff(y), 0),
        sp.Eq(_U.diff(x) + _V.diff(y), 0),
    ]
    return fs.Problem(equations, _less_holes(_box(STOKES), STOKES), conditions, unknowns=[_U, _V, _P])


def plane_stress(young: float, poisson: float) -> tuple[float, float]:
    """Lame's constants lambda and mu of a thin sheet."""
    return young * poisson / (1 - poisson**2), young / (2 * (1 + poisson))


def _elastic(
    domain: Any, young: float, weight: float, clamped: str, pulled: tuple[str, float], free: list[str]
) -> fs.Problem:
    """A sheet with a weight, clamped on one part, sheared on another, free on the others."""
    lam, mu = plane_stress(young, 0.3)
    stress = fs.stress([_U, _V], lam=lam, mu=mu)
    force = fs.divergence(stress)
    pull = fs.traction(stress)
    part, shear = pulled
    conditions: list[Any] = [fs.Dirichlet({_U: 0, _V: 0}, on=clamped)]
    if part:
        conditions += [fs.Condition(sp.Eq(pull[0], 0), on=part), fs.Condition(sp.Eq(pull[1], shear), on=part)]
    conditions += [fs.Condition(sp.Eq(side, 0), on=free) for side in pull]
    return fs.Problem([sp.Eq(-force[0], 0), sp.Eq(-force[1], -weight)], domain, conditions, unknowns=[_U, _V])


def cantilever() -> fs.Problem:
    """A beam with a hole, sheared by its end."""
    domain = _less_holes(_box(CANTILEVER), CANTILEVER)
    return _elastic(domain, 1000.0, 0.0, "x-", ("x+", -1.0), ["y-", "y+", "hole.circle"])


def elastic_l() -> fs.Problem:
    """A post with an arm under its weight."""
    domain = fs.Polygon(ELASTIC_L.corners, names=ELASTIC_L.sides)
    return _elastic(domain, 100.0, 1.0, "foot", ("", 0.0), ["side", "belly", "end", "top", "back"])


def modes() -> fs.Problem:
    """Modes of a drum shaped as the plate, its hole free."""
    conditions = [fs.Dirichlet(0, on="outline"), fs.Neumann(0, on="hole.circle")]
    return fs.Problem(sp.Eq(-_laplacian(_U), LAM * _U), _plate(), conditions)


def _medium(domain: Any, wavelengths: float) -> fs.Problem:
    """Helmholtz' equation in a medium, with the values of a known wave."""
    square, wave = medium(wavelengths)
    return fs.Problem(sp.Eq(-_laplacian(_U) - square * _U, source(square, wave)), domain, [fs.Dirichlet(wave)])


def medium_box(wavelengths: float) -> fs.Problem:
    """In the unit square."""
    return _medium(fs.Box((0, 0), (1, 1)), wavelengths)


def medium_star() -> fs.Problem:
    """In a star with five arms, 20 wavelengths."""
    theta = sp.Symbol("theta")
    return _medium(fs.PolarCurve(0.45 * (1 + sp.cos(5 * theta) / 5), (0.5, 0.5)), 20)


def medium_holes() -> fs.Problem:
    """In a polygon with two holes, 20 wavelengths."""
    domain = fs.Polygon(HOLED.corners) - fs.Polygon(TRIANGLE, name="one") - fs.Polygon(QUADRANGLE, name="two")
    return _medium(domain, 20)


def layer() -> fs.Problem:
    """A thin layer along all boundaries."""
    return fs.Problem(
        sp.Eq(-(sp.Float(0.02) ** 2) * _laplacian(_U) + _U, 1), _less_holes(_box(LAYER), LAYER), [fs.Dirichlet(0)]
    )


def holes() -> fs.Problem:
    """Twenty holes."""
    conditions = [fs.Dirichlet(0, on=["x-", "x+", "y-", "y+"]), fs.Neumann(0, on="rest")]
    return fs.Problem(sp.Eq(-_laplacian(_U), 1), _less_holes(_box(HOLES), HOLES), conditions)


def bending() -> fs.Problem:
    """A clamped plate under a load."""
    domain = fs.Box(BENDING.corners[0], BENDING.corners[2])
    return fs.Problem(sp.Eq(_laplacian(_laplacian(_U)), 1), domain, [fs.Dirichlet(0), fs.Neumann(0)])
