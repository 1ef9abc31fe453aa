"""Stationary equations with constant coefficients, and solutions of them with singularities close by.

Solutions are those of Laplace's equation and of Helmholtz' with either sign. In other coordinates, and times an
exponential, they satisfy an equation with other second derivatives and with first ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from random_families.draw import Draw, dot
from random_families.equations import Equation, laplacian
from random_families.places import Place, draw_place, draw_resonant

# The highest wavenumber, in units of half the domain's largest extent, by dimension; and how close sources come.
_HIGHEST = {1: 60.0, 2: 40.0, 3: 6.0}
_CLOSEST = {2: 0.003, 3: 0.05}
_RESONANT = 0.15


@dataclass(frozen=True, eq=False)
class Isotropic:
    """``laplacian v + sign k^2 v = 0`` in the coordinates `y`, which are ``stretch (x - middle)``."""

    place: Place
    sign: int
    k: float
    stretch: NDArray[np.float64]

    @property
    def y(self) -> list[sp.Expr]:
        """Its coordinates, in terms of the domain's."""
        return [dot(row, self.place.r) for row in self.stretch]

    def wave(self, draw: Draw) -> sp.Expr:
        """A plane wave, or an exponential: oscillating across where it grows along."""
        along, *across = (dot(row, self.y) for row in draw.frame(len(self.y)))
        if not across:
            return sp.exp(self.k * along) if self.sign < 0 else sp.sin(self.k * along + draw.phase())
        growth = draw.between(0.3, 5) / self.place.length
        if self.sign > 0 and draw.chance(0.7):
            growth = 0.0
        turning = growth**2 + self.sign * self.k**2
        if turning < 0:
            return sp.exp(self.k * along)
        return sp.exp(growth * along) * sp.sin(math.sqrt(turning) * across[0] + draw.phase())

    def source(self, draw: Draw) -> sp.Expr:
        """A point source, now and then a dipole, at some distance outside."""
        distance = draw.log_between(_CLOSEST[len(self.y)], 0.5) * 2 * self.place.length
        p = self.stretch @ (np.array(self.place.outside(draw, distance)) - np.array(self.place.middle))
        r = sp.sqrt(sum((v - float(c)) ** 2 for v, c in zip(self.y, p, strict=True)))
        plane = {0: sp.log(r), 1: sp.bessely(0, self.k * r), -1: sp.besselk(0, self.k * r)}
        solid = {0: 1 / r, 1: sp.cos(self.k * r) / r, -1: sp.exp(-self.k * r) / r}
        field = (plane if len(self.y) == 2 else solid)[self.sign]
        return field.diff(self.place.x[0]) if self.is_plain and draw.chance(0.2) else field

    def corner(self, draw: Draw) -> sp.Expr:
        """What belongs to a corner of the domain, or has another exponent there."""
        corner = draw.one_of(self.place.space.corners())
        usual = math.pi / corner.opening
        exponent = usual if draw.chance(0.6) and abs(usual - round(usual)) > 1e-6 else draw.between(0.6, 3.3)
        a, b = (v - c for v, c in zip(self.place.x, corner.point, strict=True))
        # angles from the bisector: the cut is on the other side of the corner
        bisector = corner.start + corner.opening / 2
        cos, sin = math.cos(bisector), math.sin(bisector)
        angle = sp.atan2(cos * b - sin * a, cos * a + sin * b) + corner.opening / 2
        r = sp.sqrt(a**2 + b**2)
        radial = {
            0: (r / self.place.length) ** exponent,
            1: sp.besselj(exponent, self.k * r),
            -1: sp.besseli(exponent, self.k * r),
        }
        return radial[self.sign] * sp.sin(exponent * angle)

    @property
    def is_plain(self) -> bool:
        """Whether its coordinates are those of the domain."""
        return bool(np.all(self.stretch == np.eye(len(self.stretch))))


def draw_steady(draw: Draw, dimension: int) -> tuple[Place, Equation]:
    """A domain, an equation and a solution of it."""
    if draw.chance(_RESONANT):
        # its square is a machine number: rounding it would matter as close to a resonance as this
        k = draw.one_of(range(8, 100)) / 8
        place = draw_resonant(draw, dimension, k)
        return place, _equation(draw, Isotropic(place, 1, k, np.eye(dimension)), "helmholtz", np.zeros(dimension))
    place = draw_place(draw, dimension)
    sign = draw.one_of((0, 1, 1, -1))
    k = 0.0 if sign == 0 else draw.log_between(1, _HIGHEST[dimension] if sign > 0 else 12.0) / place.length
    names = {0: "laplace", 1: "helmholtz", -1: "modified helmholtz"}
    if dimension == 2 and sign == 0 and place.name in ("Disk", "Box", "Annulus") and draw.chance(0.2):
        return place, _biharmonic(draw, Isotropic(place, 0, 0.0, np.eye(2)))
    stretch, drift, name = np.eye(dimension), np.zeros(dimension), names[sign]
    if dimension > 1 and draw.chance(0.25):
        stretch = draw.frame(dimension) @ np.diag([draw.between(0.5, 2) for _ in range(dimension)])
        name = f"anisotropic {name}"
    if draw.chance(0.2 if dimension > 1 else 0.5):
        drift = np.array([draw.between(-3, 3) / place.length for _ in range(dimension)])
        name += " with first-order terms"
    return place, _equation(draw, Isotropic(place, sign, k, stretch), name, drift)


def _equation(draw: Draw, isotropic: Isotropic, name: str, drift: NDArray[np.float64]) -> Equation:
    place = isotropic.place
    inverse = np.linalg.inv(isotropic.stretch)
    A = inverse @ inverse.T
    slope = -2 * A @ drift
    factor = sp.exp(dot(drift, place.r)) if drift.any() else sp.Integer(1)
    constant = float(drift @ A @ drift) + isotropic.sign * isotropic.k**2

    def operator(v: sp.Expr) -> sp.Expr:
        second = sum(float(A[i, j]) * v.diff(a, b) for i, a in enumerate(place.x) for j, b in enumerate(place.x))
        return second + sum(float(b) * v.diff(i) for b, i in zip(slope, place.x, strict=True)) + constant * v

    makers = [isotropic.wave]
    if len(place.x) > 1:
        makers += [isotropic.source] * 3
    if len(place.x) == 2 and isotropic.is_plain and place.space.corners():
        makers += [isotropic.corner] * 2
    exact, ingredients = _sum(draw, place, makers, factor)
    wave, growing = None, None
    if isotropic.sign > 0 and not drift.any() and isotropic.is_plain:
        phase = dot(draw.frame(len(place.x))[0], place.r)
        wave, growing = sp.sin(isotropic.k * phase + draw.phase()), phase / place.length
    return Equation(name, operator, exact, ingredients, wave=wave, growing=growing)


def _biharmonic(draw: Draw, isotropic: Isotropic) -> Equation:
    """Twice the Laplacian: its solutions are two harmonic functions, one of them times the squared distance."""
    place = isotropic.place

    def operator(v: sp.Expr) -> sp.Expr:
        return laplacian(laplacian(v, place.x), place.x)

    makers = [isotropic.wave, isotropic.source]
    one, names = _sum(draw, place, makers, sp.Integer(1))
    other, more = _sum(draw, place, makers, sum(v**2 for v in place.r) / place.length**2)
    return Equation("biharmonic", operator, one + other, f"{names} + r^2 ({more})", clamped=True)


def _sum(draw: Draw, place: Place, makers: Sequence[Callable[[Draw], sp.Expr]], factor: sp.Expr) -> tuple[sp.Expr, str]:
    """One to three ingredients of the same size, and their names."""
    chosen = [draw.one_of(makers) for _ in range(draw.one_of((1, 2, 2, 3)))]
    exact = sum(draw.between(0.2, 1) * place.scaled(maker(draw) * factor) for maker in chosen)
    return exact, " + ".join(maker.__name__ for maker in chosen)
