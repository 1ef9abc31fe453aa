"""Modes on a line: strings, wells, layers, crystals, beams."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import sympy as sp
from scipy.optimize import brentq

import fspielm as fs
from random_families.asked_modes import LAM
from random_families.conditions import as_callable
from random_families.draw import Draw
from random_families.line_modes import Function, Known, Line
from random_families.modes_stated import Spectrum, draw_end, told_ends
from random_families.plane_modes import closed

X = sp.Symbol("x")
U = sp.Function("u")(X)
# Values beyond those that are asked for.
_BEYOND = 6
_MOST = 8


def draw_line(draw: Draw) -> Spectrum:
    """Any of the kinds."""
    makers: tuple[Callable[[Draw], Spectrum], ...] = (
        _string,
        _string,
        _string,
        _string,
        _layers,
        _layers,
        _oscillator,
        _poeschl_teller,
        _morse,
        _crystal,
        _beam,
        _carried,
    )
    return draw.one_of(makers)(draw)


def function_of(expression: sp.Expr) -> Function:
    """As a function of places ``(n,)``."""
    inner = as_callable(sp.sympify(expression), (X,))
    return lambda s: np.asarray(np.real(inner(s.reshape(-1, 1))), dtype=float).reshape(s.shape)


def _string(draw: Draw) -> Spectrum:
    """-(p u')' + q u = lam w u with coefficients that are constant or smooth, and ends of any kind, or a ring."""
    begin, length = draw.between(-5, 5), draw.log_between(0.3, 8)
    end = begin + length
    varies, ring = int(draw.chance(0.6)), draw.chance(0.15)
    turn = 2 * sp.pi * (X - begin) / length * (1 if ring else draw.between(0.3, 1.5))
    stiff = draw.log_between(0.1, 10) * (1 + draw.between(0, 0.6) * sp.sin(turn + draw.phase()) * varies)
    dense = draw.log_between(0.1, 10) * (1 + draw.between(0, 0.6) * sp.cos(turn + draw.phase()) * varies)
    potential = draw.between(-20, 20) / length**2 * (1 + draw.between(-1, 1) * sp.cos(2 * turn) * varies)
    sign = -1 if draw.chance(0.2) else 1
    # a constant has no slope to take
    left = -sp.diff(stiff * U.diff(X), X) + potential * U
    ends = (draw_end(draw, length), draw_end(draw, length))
    at = [function_of(each) for each in (stiff, potential, dense)]
    fluxes = [float(at[0](np.array([place]))[0]) for place in (begin, end)]
    line = Line(
        *at,
        np.linspace(begin, end, 13).tolist(),
        *(each.of(flux) for each, flux in zip(ends, fluxes, strict=True)),
        periodic=ring,
    )
    conditions = (fs.Periodic("x"),) if ring else (ends[0].on("x-"), ends[1].on("x+"))
    words = "periodic" if ring else told_ends(*ends)
    return Spectrum(
        f"{'varying' if varies else 'constant'} string, {words}{', downward' * (sign < 0)} (1d)",
        sp.Eq(sign * left.doit(), LAM * dense * U, evaluate=False),
        fs.Interval(begin, end),
        conditions,
        line.known(_MOST + _BEYOND),
        _MOST,
        sign=sign,
    )


def _layers(draw: Draw) -> Spectrum:
    """Steps in the potential or in the density: square wells, some between walls that are far away."""
    length, number = draw.log_between(0.5, 8), draw.one_of((1, 2, 3))
    cuts = sorted(
        float(f"{length * c:.4g}")
        for c in (np.arange(1, number + 1) + draw.rng.uniform(-0.3, 0.3, number)) / (number + 1)
    )
    # no two neighbours alike
    heights = [draw.between(-1, 1) * 100 / length**2 for _ in range(number + 1)]
    densities = [draw.log_between(0.3, 3) for _ in range(number + 1)]
    heavy = draw.chance(0.4)

    def steps(values: list[float]) -> sp.Expr:
        return sp.Piecewise(*((v, cut > X) for v, cut in zip(values, cuts, strict=False)), (values[-1], True))

    potential = steps(heights) if not heavy or draw.chance(0.5) else sp.Float(heights[0])
    dense = steps(densities) if heavy else sp.Integer(1)
    ends = (draw_end(draw, length), draw_end(draw, length))
    breaks = np.unique(
        np.concatenate([np.linspace(a, b, 6) for a, b in zip([0.0, *cuts], [*cuts, length], strict=True)])
    )
    line = Line(
        function_of(sp.Integer(1)),
        function_of(potential),
        function_of(dense),
        breaks.tolist(),
        ends[0].of(),
        ends[1].of(),
    )
    return Spectrum(
        f"{number + 1} layers{' of densities' * heavy}, {told_ends(*ends)} (1d)",
        sp.Eq(-U.diff(X, 2) + potential * U, LAM * dense * U, evaluate=False),
        fs.Interval(0, length),
        (ends[0].on("x-"), ends[1].on("x+")),
        line.known(_MOST + _BEYOND),
        _MOST,
    )


def _oscillator(draw: Draw) -> Spectrum:
    """-a u'' + b (x - c)^2 u on a line that is long enough."""
    a, b, c = draw.log_between(0.1, 10), draw.log_between(0.1, 10), draw.between(-3, 3)
    width, step, most = (a / b) ** 0.25, 2 * math.sqrt(a * b), 6
    reach = float(f"{width * draw.between(9, 12):.4g}")
    values = [step * (n + 0.5) for n in range(most + _BEYOND)]
    return _well("oscillator", a, b * (X - c) ** 2, (c - reach, c + reach), values, most)


def _well(
    name: str, a: float, potential: sp.Expr, ends: tuple[float, float], values: list[float], most: int
) -> Spectrum:
    return Spectrum(
        f"{name} (1d)",
        sp.Eq(-a * U.diff(X, 2) + potential * U, LAM * U, evaluate=False),
        fs.Interval(*ends),
        (fs.Dirichlet(0),),
        closed(values, len(values)),
        most,
    )


def _poeschl_teller(draw: Draw) -> Spectrum:
    """-u'' - l (l + 1) a^2 sech(a (x - c))^2 u: its bound states but for the highest, whose tails are long."""
    level, a, c = draw.between(2.2, 7.5), draw.log_between(0.3, 5), draw.between(-2, 2)
    potential = -level * (level + 1) * a**2 / sp.cosh(a * (X - c)) ** 2
    reach = 20 / a
    values = [-(a**2) * (level - n) ** 2 for n in range(math.floor(level - 1e-9) + 1) if level - n > 0.95]
    domain = (float(f"{c - reach:.5g}"), float(f"{c + reach:.5g}"))
    return _bound("well of Poeschl and Teller", potential, domain, values)


def _morse(draw: Draw) -> Spectrum:
    """-u'' + D (1 - exp(-a (x - c)))^2 u: values that are well below D."""
    deep, a, c = draw.between(4, 9), draw.log_between(0.3, 3), draw.between(-2, 2)
    potential = (deep * a) ** 2 * (1 - sp.exp(-a * (X - c))) ** 2
    values = [a**2 * (2 * deep * (n + 0.5) - (n + 0.5) ** 2) for n in range(12) if deep - n - 0.5 > 1]
    domain = (float(f"{c - 2.6 / a:.5g}"), float(f"{c + 23 / a:.5g}"))
    return _bound("well of Morse", potential, domain, values)


def _bound(name: str, potential: sp.Expr, ends: tuple[float, float], values: list[float]) -> Spectrum:
    """States of a well, none but these: walls far away make many others above."""
    line = Line(
        function_of(sp.Integer(1)), function_of(potential), function_of(sp.Integer(1)), np.linspace(*ends, 31).tolist()
    )
    every = line.known(len(values) + _BEYOND)
    exact = closed(values, len(values))
    off = np.abs(every.values[: len(values)] - exact.values).max()
    assert off < 1e-9 * np.abs(exact.values).max(), (name, off)
    known = Known(np.concatenate([exact.values, every.values[len(values) :]]), every.slack)
    equation = sp.Eq(-U.diff(X, 2) + potential * U, LAM * U, evaluate=False)
    return Spectrum(f"{name} (1d)", equation, fs.Interval(*ends), (fs.Dirichlet(0),), known, len(values))


def _crystal(draw: Draw) -> Spectrum:
    """Waves exp(i k x) p(x) of a ring without potential, complex."""
    length, phase = draw.log_between(0.5, 8), draw.between(0.3, 2.8)
    k = float(f"{phase / length:.4g}")
    values = [(2 * math.pi * n / length + k) ** 2 for n in range(-12, 13)]
    equation = sp.Eq(-U.diff(X, 2) - 2 * sp.I * k * U.diff(X) + k**2 * U, LAM * U, evaluate=False)
    return Spectrum(
        "waves of a crystal (1d)", equation, fs.Interval(0, length), (fs.Periodic("x"),), closed(values, 12), 6
    )


def _beam(draw: Draw) -> Spectrum:
    """A beam that is clamped at both ends: cosh b cos b = 1."""
    length = draw.log_between(0.5, 8)
    roots = [
        brentq(lambda b: math.cos(b) - 1 / math.cosh(b), (n + 0.3) * math.pi, (n + 0.7) * math.pi, xtol=1e-15)
        for n in range(1, 9)
    ]
    equation = sp.Eq(U.diff(X, 4), LAM * U)
    conditions = (fs.Dirichlet(0), fs.Neumann(0))
    values = [(root / length) ** 4 for root in roots]
    return Spectrum("clamped beam (1d)", equation, fs.Interval(0, length), conditions, closed(values, 8), 4, 1e-9)


def _carried(draw: Draw) -> Spectrum:
    """-u'' + b u': not selfadjoint, so that errors are estimates."""
    length = draw.log_between(0.5, 8)
    b = draw.between(-8, 8) / length
    values = [(math.pi * n / length) ** 2 + b**2 / 4 for n in range(1, 13)]
    equation = sp.Eq(-U.diff(X, 2) + b * U.diff(X), LAM * U, evaluate=False)
    domain = fs.Interval(0, length)
    return Spectrum(
        "advection and diffusion (1d)", equation, domain, (fs.Dirichlet(0),), closed(values, 12), 6, 1e-9, real=False
    )
