"""Smooth solutions of the families "calibration" and "test", in coordinates from -1 to 1 across the domain."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import sympy as sp

from random_families.draw import Draw, dot

Maker: TypeAlias = Callable[[Draw, Sequence[sp.Expr]], sp.Expr]


def _plane_wave(draw: Draw, s: Sequence[sp.Expr]) -> sp.Expr:
    return sp.sin(draw.frequency() * dot(draw.direction(), s) + draw.phase())


def _standing_wave(draw: Draw, s: Sequence[sp.Expr]) -> sp.Expr:
    return sp.prod([sp.sin(draw.frequency() * v + draw.phase()) for v in s])


def _growing_wave(draw: Draw, s: Sequence[sp.Expr]) -> sp.Expr:
    return sp.exp(draw.between(-1.5, 1.5) * dot(draw.direction(), s)) * _plane_wave(draw, s)


def _radial_chirp(draw: Draw, s: Sequence[sp.Expr]) -> sp.Expr:
    return sp.cos(draw.frequency() / 3 * draw.center(s) + draw.phase())


def _bent_wave(draw: Draw, s: Sequence[sp.Expr]) -> sp.Expr:
    return sp.sin(draw.frequency() / 2 * (s[0] + s[-1] ** 2 / 2) + draw.phase()) * sp.exp(draw.between(-1, 1) * s[0])


def _gaussian(draw: Draw, s: Sequence[sp.Expr]) -> sp.Expr:
    return sp.exp(-draw.center(s) / draw.between(1, 3) / draw.least_radius() ** 2)


def _rational(draw: Draw, s: Sequence[sp.Expr]) -> sp.Expr:
    return 1 / (draw.between(1.5, 4) ** 2 * draw.least_radius() ** 2 + draw.center(s))


def _spherical_wave(draw: Draw, s: Sequence[sp.Expr]) -> sp.Expr:
    return sp.cos(draw.frequency() * sp.sqrt(draw.center(s) + (3 * draw.least_radius()) ** 2))


def _front(draw: Draw, s: Sequence[sp.Expr]) -> sp.Expr:
    return sp.tanh((dot(draw.direction(), s) - draw.between(-0.5, 0.5)) / draw.between(1, 3) / draw.least_radius())


def _logarithm(draw: Draw, s: Sequence[sp.Expr]) -> sp.Expr:
    return sp.log(draw.between(1.5, 4) ** 2 * draw.least_radius() ** 2 + draw.center(s))


def _polynomial_wave(draw: Draw, s: Sequence[sp.Expr]) -> sp.Expr:
    return (1 + draw.between(-1, 1) * s[0] + draw.between(-1, 1) * s[-1] ** 2) * _standing_wave(draw, s)


def _wave_of_wave(draw: Draw, s: Sequence[sp.Expr]) -> sp.Expr:
    return sp.exp(draw.between(0.3, 1) * sp.sin(draw.frequency() / 3 * dot(draw.direction(), s) + draw.phase()))


def _packet(draw: Draw, s: Sequence[sp.Expr]) -> sp.Expr:
    return sp.sech(dot(draw.direction(), s) / draw.between(1, 3) / draw.least_radius()) * _plane_wave(draw, s)


SOLUTIONS: dict[str, tuple[Maker, ...]] = {
    "test": (_plane_wave, _standing_wave, _growing_wave, _radial_chirp, _bent_wave, _gaussian, _rational),
    "calibration": (_spherical_wave, _front, _logarithm, _polynomial_wave, _wave_of_wave, _packet),
}


def draw_solution(draw: Draw, family: str, s: Sequence[sp.Expr]) -> tuple[sp.Expr, str]:
    """A sum of one to three ingredients, now and then times another one."""
    makers = [draw.one_of(SOLUTIONS[family]) for _ in range(draw.one_of((1, 2, 2, 3)))]
    exact = sum(draw.between(0.2, 1) * maker(draw, s) for maker in makers)
    names = " + ".join(maker.__name__.strip("_").replace("_", " ") for maker in makers)
    if draw.chance(0.2):
        exact *= 1 + draw.between(0.2, 0.8) * sp.cos(dot(draw.direction(), s) + draw.phase())
        names = f"({names}) modulated"
    return exact, names
