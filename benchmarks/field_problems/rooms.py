"""Sound of one frequency between walls that absorb: complex values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import sympy as sp

import fspielm as fs
from field_problems.example import FieldExample, field_example, functions, x, y
from fspielm.geometry import Domain

_SOUND = 343.0
# Floor, boot, rear window, roof, windscreen, bonnet, firewall, footwell; metres.
_CABIN = [(0.5, 0.0), (2.5, 0.0), (3.0, 0.4), (2.7, 0.9), (2.0, 1.4), (1.0, 1.4), (0.3, 0.8), (0.0, 0.4)]
_WALLS = ["floor", "boot", "tailgate", "rear window", "roof", "windscreen", "bonnet", "firewall"]


def _sound(k: Any, away: Sequence[float]) -> Any:
    """A line source outside and two plane waves."""
    distance = sp.sqrt((x - away[0]) ** 2 + (y - away[1]) ** 2)
    source = sp.besselj(0, k * distance) + sp.I * sp.bessely(0, k * distance)
    return source + sp.exp(sp.I * k * (0.6 * x + 0.8 * y)) / 4 + sp.exp(sp.I * k * (0.28 * y - 0.96 * x)) / 5


def _helmholtz(u: Any, square: Any) -> Any:
    return u.diff(x, 2) + u.diff(y, 2) + square * u


def _absorbing(domain: Domain, k: float, exact: Any, wavelengths: float) -> FieldExample:
    """Walls with the impedance of the medium, and the values that the sound has there."""
    (u,) = functions("u", x, y)
    value = fs.normal_derivative(exact) - sp.I * k * exact
    problem = fs.Problem(sp.Eq(_helmholtz(u, k**2), 0), domain, [fs.Robin(-sp.I * k, 1, value)])
    return FieldExample(problem, (exact,), wavelengths, tol=1e-9)


@field_example("L-shaped room", "Helmholtz with impedance walls")
def l_shape() -> FieldExample:
    """Forty wavelengths across."""
    k = 40 * math.pi
    return _absorbing(fs.LShape(), k, _sound(k, (1.6, 0.7)), 40)


@field_example("Panda, impedance", "Helmholtz with an impedance boundary on the Panda of radius one")
def panda() -> FieldExample:
    """Forty wavelengths across."""
    k = 40 * math.pi
    return _absorbing(fs.Panda(1.0, (0, 0)), k, _sound(k, (2.1, 0.7)), 40)


@field_example("lossy medium", "Helmholtz with a complex wavenumber and a source, on a disk")
def lossy() -> FieldExample:
    """Eight wavelengths across, absorbed on the way."""
    (u,) = functions("u", x, y)
    k = 8 * math.pi
    square = k**2 * (1 + sp.I / 10)
    exact = sp.exp(sp.I * 24 * (x + y**2 / 4) - x / 2) + sp.I * x * sp.sin(20 * y)
    problem = fs.Problem(
        sp.Eq(_helmholtz(u, square), _helmholtz(exact, square)), fs.Disk((0, 0), 1), [fs.Dirichlet(exact)]
    )
    return FieldExample(problem, (exact,), 8)


def _cabin(hertz: float) -> FieldExample:
    """Rigid walls but for a firewall that vibrates and a roof that absorbs, with the values of a known sound."""
    (u,) = functions("u", x, y)
    k = 2 * math.pi * hertz / _SOUND
    exact = _sound(k, (1.4, 1.9))
    slope = fs.normal_derivative(exact)
    conditions = [
        fs.Robin(-0.4 * sp.I * k, 1, slope - 0.4 * sp.I * k * exact, on="roof"),
        fs.Neumann(slope, on="rest"),
    ]
    problem = fs.Problem(sp.Eq(_helmholtz(u, k**2), 0), fs.Polygon(_CABIN, names=_WALLS), conditions)
    return FieldExample(problem, (exact,), round(3 * hertz / _SOUND, 1))


@field_example("cabin, 500 Hz", "sound in a polygon like a car's cabin, one wall vibrating, one absorbing")
def cabin_500() -> FieldExample:
    """Three metres by 1.4."""
    return _cabin(500.0)


@field_example("cabin, 1 kHz", "the same")
def cabin_1000() -> FieldExample:
    """An octave higher."""
    return _cabin(1000.0)


@field_example("cabin, 2 kHz", "the same")
def cabin_2000() -> FieldExample:
    """Two octaves higher."""
    return _cabin(2000.0)


def _driven_cabin(hertz: float) -> FieldExample:
    """A firewall that moves as a piston, and nothing else."""
    (u,) = functions("u", x, y)
    k = 2 * math.pi * hertz / _SOUND
    conditions = [
        fs.Neumann(k, on="firewall"),
        fs.Robin(-0.4 * sp.I * k, 1, 0, on="roof"),
        fs.Neumann(0, on="rest"),
    ]
    problem = fs.Problem(sp.Eq(_helmholtz(u, k**2), 0), fs.Polygon(_CABIN, names=_WALLS), conditions)
    return FieldExample(problem, (), round(3 * hertz / _SOUND, 1))


@field_example("driven cabin, 500 Hz", "the same with the firewall as a piston; measured by another solve")
def driven_500() -> FieldExample:
    """Corners and all."""
    return _driven_cabin(500.0)


@field_example("driven cabin, 1 kHz", "the same")
def driven_1000() -> FieldExample:
    """An octave higher."""
    return _driven_cabin(1000.0)


@field_example("driven cabin, 2 kHz", "the same")
def driven_2000() -> FieldExample:
    """Two octaves higher."""
    return _driven_cabin(2000.0)
