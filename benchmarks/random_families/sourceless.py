"""Solutions of systems with constant coefficients that need no source, from potentials."""

from __future__ import annotations

import math

import sympy as sp

from random_families.draw import Draw, dot
from random_families.places import Place
from random_families.system import Fields, divergence, gradient, inner

_FASTEST = {1: 20.0, 2: 8.0, 3: 3.0}


def harmonic(draw: Draw, place: Place) -> sp.Expr:
    """A solution of Laplace's equation: a wave that grows, or the potential of a charge outside."""
    if draw.chance(0.5):
        along, across = draw.frame(len(place.x))[:2]
        rate = draw.log_between(0.5, _FASTEST[len(place.x)]) / place.length
        return sp.exp(rate * dot(along, place.r)) * sp.sin(rate * dot(across, place.r) + draw.phase())
    distance = _distance(draw, place)
    return sp.log(distance / place.length) if len(place.x) == 2 else place.length / distance


def wave(draw: Draw, place: Place, k: float) -> sp.Expr:
    """A solution of Helmholtz' equation: plane, or around a point outside."""
    if draw.chance(0.5):
        return sp.sin(k * dot(draw.frame(len(place.x))[0], place.r) + draw.phase())
    distance = _distance(draw, place)
    return sp.bessely(0, k * distance) if len(place.x) == 2 else sp.cos(k * distance) / distance


def outgoing(draw: Draw, place: Place, k: complex) -> sp.Expr:
    """A complex solution of Helmholtz' equation: plane, or away from a point outside where `k` is real."""
    if len(place.x) == 1 or k.imag or draw.chance(0.5):
        return sp.exp(sp.I * (k * dot(draw.frame(len(place.x))[0], place.r) + draw.phase()))
    distance, k = _distance(draw, place), k.real
    if len(place.x) == 2:
        return sp.besselj(0, k * distance) + sp.I * sp.bessely(0, k * distance)
    return sp.exp(sp.I * k * distance) / distance


def _distance(draw: Draw, place: Place) -> sp.Expr:
    at = place.outside(draw, draw.log_between(0.2, 2) * place.length)
    return sp.sqrt(sum((v - c) ** 2 for v, c in zip(place.x, at, strict=True)))


def papkovich(draw: Draw, place: Place, share: float) -> tuple[list[sp.Expr], sp.Expr]:
    """``grad(r . B) - share B`` of a harmonic vector B, and its divergence's own part ``div B``."""
    potential = [place.scaled(harmonic(draw, place)) for _ in place.x]
    along = inner([v / place.length for v in place.r], potential)
    moved = [place.length * a - share * b for a, b in zip(gradient(along, place.x), potential, strict=True)]
    return moved, divergence(potential, place.x)


def elastic_wave(draw: Draw, place: Place, pressure: float, shear: float) -> list[sp.Expr]:
    """A displacement of a pressure wave and a shear wave with these wavenumbers."""
    scalar = wave(draw, place, pressure) / pressure
    if len(place.x) == 2:
        turning = wave(draw, place, shear) / shear
        turned = [turning.diff(place.x[1]), -turning.diff(place.x[0])]
    else:
        turned = _curl([wave(draw, place, shear) / shear for _ in place.x], place)
    return [a + b for a, b in zip(gradient(scalar, place.x), turned, strict=True)]


def _curl(v: Fields, place: Place) -> list[sp.Expr]:
    x, y, z = place.x
    return [v[2].diff(y) - v[1].diff(z), v[0].diff(z) - v[2].diff(x), v[1].diff(x) - v[0].diff(y)]


def exponential(draw: Draw, place: Place, square: float) -> sp.Expr:
    """A solution of ``laplacian u = square u``."""
    if square < 0:
        return wave(draw, place, math.sqrt(-square))
    return sp.exp(math.sqrt(square) * dot(draw.frame(len(place.x))[0], place.r))
