"""Equations with complex coefficients, data or solutions, each with a solution."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import sympy as sp

from random_families import sourceless
from random_families.draw import Draw, dot
from random_families.places import Place
from random_families.smooth_solutions import draw_solution
from random_families.system import Setting, divergence, gradient, inner, laplacian, make_setting, smooth_coefficient

Operator: TypeAlias = Callable[[sp.Expr], sp.Expr]
_T = sp.Symbol("t")
_HIGHEST = {1: 80.0, 2: 24.0, 3: 5.0}


@dataclass(frozen=True, eq=False)
class ComplexModel:
    """An equation and a solution.

    Attributes
    ----------
    name : str
    operator : callable
    exact : Expr
    ingredients : str
    impedance : complex
        A natural ratio of slope and value on a boundary, for conditions that mix the two.
    sourceless : bool
    time_order : int
    """

    name: str
    operator: Operator
    exact: sp.Expr
    ingredients: str
    impedance: complex
    sourceless: bool = False
    time_order: int = 0


def draw_complex(draw: Draw, place: Place, setting: Setting) -> ComplexModel:
    """Any of the kinds."""
    if setting.domain.time is not None:
        return draw.one_of((_schroedinger, _schroedinger, _complex_heat, _damped_waves))(draw, place, setting)
    return draw.one_of((_helmholtz, _helmholtz, _lossy, _varying, _carried, _diffusion))(draw, place, setting)


def _smooth(draw: Draw, setting: Setting) -> tuple[sp.Expr, str]:
    """A complex function that solves nothing: two real ones, or one that turns."""
    family = draw.one_of(("test", "calibration"))
    first, told = draw_solution(draw, family, setting.s)
    if draw.chance(0.5):
        turn = draw.frequency() / 2 * dot(draw.direction(), setting.s) + draw.phase()
        return setting.scaled(first * sp.exp(sp.I * turn)), f"({told}) turning"
    second, more = draw_solution(draw, family, setting.s)
    return setting.scaled(first + sp.I * draw.between(0.3, 1) * second), f"{told} + i ({more})"


def _waves(draw: Draw, place: Place, k: complex) -> sp.Expr:
    """One to three complex waves of the same size."""
    number = draw.one_of((1, 2, 3))
    parts = [sourceless.outgoing(draw, place, k) for _ in range(number)]
    return sum(draw.between(0.3, 1) * sp.exp(sp.I * draw.phase()) * _unit(place, part) for part in parts)


def _unit(place: Place, part: sp.Expr) -> sp.Expr:
    return make_setting(place.space, place.x).scaled(part)


def _helmholtz(draw: Draw, place: Place, setting: Setting) -> ComplexModel:
    """Real coefficients; what is complex are walls, data and the solution."""
    k = draw.log_between(1, _HIGHEST[len(place.x)]) / place.length
    return _square(draw, place, setting, "helmholtz", complex(k))


def _lossy(draw: Draw, place: Place, setting: Setting) -> ComplexModel:
    """A medium that absorbs."""
    k = draw.log_between(1, _HIGHEST[len(place.x)]) / place.length
    loss = draw.log_between(1e-3, 1)
    root = cmath.sqrt(k**2 * (1 + 1j * loss))
    return _square(draw, place, setting, "lossy helmholtz", root)


def _square(draw: Draw, place: Place, setting: Setting, name: str, root: complex) -> ComplexModel:
    square = root**2 if root.imag else root.real**2

    def operator(v: sp.Expr) -> sp.Expr:
        return laplacian(v, place.x) + sp.sympify(square) * v

    if draw.chance(0.6):
        return ComplexModel(name, operator, _waves(draw, place, root), "no source", 1j * root, sourceless=True)
    return ComplexModel(name, operator, *_smooth(draw, setting), 1j * root)


def _varying(draw: Draw, place: Place, setting: Setting) -> ComplexModel:
    """A complex index that varies."""
    k = draw.log_between(1, _HIGHEST[len(place.x)] / 2) / place.length
    index = smooth_coefficient(draw, setting.s) + sp.I * draw.log_between(0.01, 0.5) * smooth_coefficient(
        draw, setting.s
    )

    def operator(v: sp.Expr) -> sp.Expr:
        return laplacian(v, place.x) + k**2 * index * v

    return ComplexModel("complex index", operator, *_smooth(draw, setting), 1j * k)


def _carried(draw: Draw, place: Place, setting: Setting) -> ComplexModel:
    """Advection and diffusion of something that also turns, as in one Fourier mode of a flow."""
    velocity = [draw.between(-8, 8) / place.length for _ in place.x]
    turning = draw.between(-20, 20) / place.length**2

    def operator(v: sp.Expr) -> sp.Expr:
        return -laplacian(v, place.x) + inner(velocity, gradient(v, place.x)) + sp.I * turning * v

    if draw.chance(0.4):
        # exp(p d . r) with p^2 - (b . d) p = i turning
        along = draw.frame(len(place.x))[0]
        b = sum(float(d) * v for d, v in zip(along, velocity, strict=True))
        p = (b - cmath.sqrt(b**2 + 4j * turning) * draw.one_of((-1, 1))) / 2
        wave = _unit(place, sp.exp(sp.sympify(p) * dot(along, place.r)))
        return ComplexModel("advection, diffusion and turning", operator, wave, "no source", p, sourceless=True)
    exact = _smooth(draw, setting)
    return ComplexModel("advection, diffusion and turning", operator, *exact, 1j / place.length)


def _diffusion(draw: Draw, place: Place, setting: Setting) -> ComplexModel:
    """A complex conductivity that varies, as of tissue."""
    a = smooth_coefficient(draw, setting.s) + sp.I * draw.between(0.1, 1) * smooth_coefficient(draw, setting.s)
    c = draw.between(0, 5) / place.length**2

    def operator(v: sp.Expr) -> sp.Expr:
        return -divergence([a * g for g in gradient(v, place.x)], place.x) + c * v

    return ComplexModel("complex conductivity", operator, *_smooth(draw, setting), (1 + 1j) / place.length)


def _schroedinger(draw: Draw, place: Place, setting: Setting) -> ComplexModel:
    """A particle, free or in a potential."""
    duration = 2 * setting.half[-1]
    a = draw.log_between(0.02, 0.5) * place.length**2 / duration
    potential = draw.between(0, 8) / duration * smooth_coefficient(draw, setting.s) * int(draw.chance(0.5))

    def operator(v: sp.Expr) -> sp.Expr:
        return sp.I * v.diff(_T) + a * laplacian(v, place.x) - potential * v

    if potential == 0 and draw.chance(0.6):
        exact = setting.scaled(_packet(draw, place, a, duration))
        return ComplexModel("schroedinger", operator, exact, "no source", 1j / place.length, True, 1)
    name = f"schroedinger{' in a potential' * (potential != 0)}"
    return ComplexModel(name, operator, *_smooth(draw, setting), 1j / place.length, time_order=1)


def _packet(draw: Draw, place: Place, a: float, duration: float) -> sp.Expr:
    """A packet that spreads while it moves, or two plane waves."""
    direction = draw.frame(len(place.x))[0]
    along, k = dot(direction, place.r), draw.log_between(0.5, 8) / place.length
    if draw.chance(0.5):
        width = draw.between(0.3, 1) * place.length
        spread = width**2 + 4 * sp.I * a * _T
        moved = along - 2 * a * k * _T + draw.between(-0.5, 0.5) * place.length
        return sp.exp(-(moved**2) / spread + sp.I * (k * along - a * k**2 * _T)) / sp.sqrt(spread / width**2)
    return sum(sp.exp(sp.I * (q * along - a * q**2 * _T + draw.phase())) for q in (k, -0.7 * k))


def _complex_heat(draw: Draw, place: Place, setting: Setting) -> ComplexModel:
    """What diffuses and turns: the linear equation of Ginzburg and Landau."""
    duration = 2 * setting.half[-1]
    a = (draw.log_between(0.02, 1) + 1j * draw.between(-0.5, 0.5)) * place.length**2 / duration
    rate = (draw.between(-2, 2) + 1j * draw.between(-5, 5)) / duration

    def operator(v: sp.Expr) -> sp.Expr:
        return v.diff(_T) - sp.sympify(a) * laplacian(v, place.x) - sp.sympify(rate) * v

    if draw.chance(0.4):
        k = draw.log_between(0.5, 6) / place.length
        wave = sp.cos(k * dot(draw.frame(len(place.x))[0], place.r) + draw.phase())
        exact = setting.scaled(wave * sp.exp(sp.sympify(rate - a * k**2) * _T))
        return ComplexModel("ginzburg-landau", operator, exact, "no source", 1j / place.length, True, 1)
    return ComplexModel("ginzburg-landau", operator, *_smooth(draw, setting), 1j / place.length, time_order=1)


def _damped_waves(draw: Draw, place: Place, setting: Setting) -> ComplexModel:
    """Waves that turn and are damped."""
    duration = 2 * setting.half[-1]
    c = draw.between(0.4, 2) * place.length / duration
    damping = (draw.between(0, 3) + 1j * draw.between(-5, 5)) / duration

    def operator(v: sp.Expr) -> sp.Expr:
        return v.diff(_T, 2) + sp.sympify(damping) * v.diff(_T) - c**2 * laplacian(v, place.x)

    if draw.chance(0.4):
        k = draw.log_between(0.5, 10) / place.length
        root = cmath.sqrt(damping**2 / 4 - (c * k) ** 2)
        along = dot(draw.frame(len(place.x))[0], place.r)
        exact = setting.scaled(sp.exp(sp.I * k * along + sp.sympify(root - damping / 2) * _T))
        return ComplexModel("damped turning waves", operator, exact, "no source", 1j / place.length, True, 2)
    impedance = 1j * math.pi / place.length
    return ComplexModel("damped turning waves", operator, *_smooth(draw, setting), impedance, time_order=2)
