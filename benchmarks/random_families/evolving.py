"""Equations with constant coefficients in space and time: pulses, modes, kernels."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import sympy as sp

from random_families.draw import Draw, dot
from random_families.equations import Equation, laplacian
from random_families.places import Place, draw_place

_T = sp.Symbol("t")
_HIGHEST = {1: 40.0, 2: 6.0}
_NARROWEST = {1: 0.05, 2: 0.5}


def draw_evolving(draw: Draw, dimension: int) -> tuple[Place, Equation, float]:
    """A domain in space, an equation with a solution of it, and how long it runs from time zero."""
    place = draw_place(draw, dimension)
    duration = draw.log_between(0.1, 5)
    makers = [_wave, _klein_gordon, _heat]
    if dimension == 1:
        makers += [_wave, _damped_wave, _heat, _advection, _advection_diffusion, _beam]
    equation = draw.one_of(makers)(draw, place, duration)
    scaled = place.scaled(equation.exact, {_T: duration / 3})
    return place, replace(equation, exact=scaled), duration


def _pulse(draw: Draw, place: Place, phase: sp.Expr) -> sp.Expr:
    """A bump of some width that travels with `phase`."""
    s = (phase - draw.between(-0.5, 0.5) * place.length) / place.length
    s /= draw.log_between(_NARROWEST[len(place.x)], 1)
    return draw.one_of((sp.exp(-(s**2)), sp.sech(s), 1 / (1 + s**2), sp.exp(-(s**2)) * sp.cos(5 * s)))


def _modes(draw: Draw, place: Place, motion: Callable[[float], sp.Expr], highest: float | None = None) -> sp.Expr:
    """Some standing waves, each times its motion in time; `motion` takes the wavenumber."""
    found = []
    for _ in range(draw.one_of((2, 3, 6))):
        k = draw.log_between(0.5, highest or _HIGHEST[len(place.x)]) / place.length
        along = dot(draw.frame(len(place.x))[0], place.r)
        found.append(draw.between(0.2, 1) * sp.sin(k * along + draw.phase()) * motion(k))
    return sum(found)


def _speed(draw: Draw, place: Place, duration: float) -> float:
    return draw.between(0.5, 4) * place.length / duration


def _wave(draw: Draw, place: Place, duration: float) -> Equation:
    c = _speed(draw, place, duration)
    along = dot(draw.frame(len(place.x))[0], place.r)
    phase = draw.phase()
    if draw.chance(0.5):
        exact = _pulse(draw, place, along - c * _T) + draw.between(0, 1) * _pulse(draw, place, along + c * _T)
        name = "pulses"
    else:
        exact, name = _modes(draw, place, lambda k: sp.cos(c * k * _T + phase)), "modes"
    k = draw.between(1, _HIGHEST[len(place.x)] / 2) / place.length
    return Equation(
        "wave",
        lambda v: v.diff(_T, 2) - c**2 * laplacian(v, place.x),
        exact,
        name,
        time_order=2,
        wave=sp.sin(k * (along - c * _T)),
        growing=_T / duration,
    )


def _inside_cone(draw: Draw, place: Place, c: float) -> sp.Expr:
    """The square of the proper time since an event so early that all of the domain has seen it."""
    early = draw.between(1.5, 3) * 2 * place.length / c
    distance = sum((v - draw.between(-1, 1) * place.length) ** 2 for v in place.r)
    return (_T + early) ** 2 - distance / c**2


def _klein_gordon(draw: Draw, place: Place, duration: float) -> Equation:
    c, mass = _speed(draw, place, duration), draw.between(1, 20) / duration
    phase = draw.phase()
    exact = _modes(draw, place, lambda k: sp.cos(math.hypot(c * k, mass) * _T + phase))
    name = "modes"
    if len(place.x) == 1 and draw.chance(0.5):
        exact, name = sp.besselj(0, mass * sp.sqrt(_inside_cone(draw, place, c))), "event"
    k = draw.between(1, _HIGHEST[len(place.x)] / 2) / place.length
    along = dot(draw.frame(len(place.x))[0], place.r)
    return Equation(
        "klein-gordon",
        lambda v: v.diff(_T, 2) - c**2 * laplacian(v, place.x) + mass**2 * v,
        exact,
        name,
        time_order=2,
        wave=sp.sin(k * along - math.hypot(c * k, mass) * _T),
        growing=_T / duration,
    )


def _damped_wave(draw: Draw, place: Place, duration: float) -> Equation:
    """``u = exp(-g t) v``, where v has the mass i g."""
    c, g = _speed(draw, place, duration), draw.between(0.3, 3) / duration
    phase = draw.phase()

    def motion(k: float) -> sp.Expr:
        square = (c * k) ** 2 - g**2
        return sp.cos(math.sqrt(square) * _T + phase) if square >= 0 else sp.cosh(math.sqrt(-square) * _T + phase)

    exact, name = _modes(draw, place, motion), "modes"
    if draw.chance(0.5):
        exact, name = sp.besseli(0, g * sp.sqrt(_inside_cone(draw, place, c))), "event"
    return Equation(
        "damped wave",
        lambda v: v.diff(_T, 2) + 2 * g * v.diff(_T) - c**2 * laplacian(v, place.x),
        sp.exp(-g * _T) * exact,
        name,
        time_order=2,
    )


def _spreading(draw: Draw, place: Place, duration: float, alpha: float, drift: float) -> tuple[sp.Expr, str]:
    """Heat kernels, a step that spreads, modes or what comes in from one side; all carried along with `drift`."""
    r = [place.r[0] - drift * _T, *place.r[1:]]
    kind = draw.one_of(("kernel", "kernel", "modes", "step", "driven") if len(r) == 1 else ("kernel", "modes"))
    age = _T + draw.log_between(0.003, 1) * place.length**2 / alpha
    center = [draw.between(-1.2, 1.2) * place.length for _ in r]
    squared = sum((v - m) ** 2 for v, m in zip(r, center, strict=True))
    if kind == "kernel":
        start = float(age.subs(_T, 0))
        return sp.exp(-squared / (4 * alpha * age)) * (start / age) ** sp.Rational(len(r), 2), kind
    if kind == "step":
        return sp.erf((r[0] - center[0]) / sp.sqrt(4 * alpha * age)), kind
    if kind == "driven":
        # grows along the way as it swings: the skin effect
        d = draw.log_between(1, 20) / place.length
        return sp.exp(d * (r[0] - place.length)) * sp.cos(2 * alpha * d**2 * _T + d * r[0]), kind
    modes = _modes(draw, place, lambda k: sp.exp(-alpha * k**2 * _T))
    return modes.subs(place.x[0], place.x[0] - drift * _T), kind


def _heat(draw: Draw, place: Place, duration: float) -> Equation:
    alpha = draw.log_between(0.01, 0.5) * place.length**2 / duration
    exact, name = _spreading(draw, place, duration, alpha, 0.0)
    return Equation("heat", lambda v: v.diff(_T) - alpha * laplacian(v, place.x), exact, name, time_order=1)


def _advection_diffusion(draw: Draw, place: Place, duration: float) -> Equation:
    alpha = draw.log_between(0.01, 0.5) * place.length**2 / duration
    drift = draw.between(-2, 2) * place.length / duration
    exact, name = _spreading(draw, place, duration, alpha, drift)
    return Equation(
        "advection-diffusion in time",
        lambda v: v.diff(_T) + drift * v.diff(place.x[0]) - alpha * laplacian(v, place.x),
        exact,
        name,
        time_order=1,
    )


def _advection(draw: Draw, place: Place, duration: float) -> Equation:
    c = _speed(draw, place, duration) * draw.one_of((-1, 1))
    phase = place.r[0] - c * _T
    k = draw.log_between(1, _HIGHEST[1]) / place.length
    exact = _pulse(draw, place, phase) + draw.between(0, 1) * sp.sin(k * phase)
    return Equation(
        "advection",
        lambda v: v.diff(_T) + c * v.diff(place.x[0]),
        exact,
        "pulse",
        time_order=1,
        inflow="x-" if c > 0 else "x+",
        wave=sp.sin(k * phase + 1),
        growing=_T / duration,
    )


def _beam(draw: Draw, place: Place, duration: float) -> Equation:
    a = draw.log_between(0.05, 1) * place.length**2 / duration
    phase = draw.phase()
    if draw.chance(0.5):
        exact, name = _modes(draw, place, lambda k: sp.cos(a * k**2 * _T + phase), highest=8.0), "modes"
        exact += sp.exp(2 * place.r[0] / place.length) * sp.cos(4 * a / place.length**2 * _T)
    else:
        # the real part of the kernel of Schroedinger's equation, whose second time derivative is the fourth in space
        age = draw.log_between(0.03, 1) * place.length**2
        square, s = age**2 + (a * _T) ** 2, (place.r[0] - draw.between(-1, 1) * place.length) ** 2
        swing = sp.cos(s * a * _T / (4 * square) - sp.atan(a * _T / age) / 2)
        exact, name = (age**2 / square) ** sp.Rational(1, 4) * sp.exp(-s * age / (4 * square)) * swing, "kernel"
    return Equation(
        "beam",
        lambda v: v.diff(_T, 2) + a**2 * v.diff(place.x[0], 4),
        exact,
        name,
        time_order=2,
        clamped=True,
    )
