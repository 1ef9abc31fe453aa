"""A small disk of a large index near a resonance: of an order that a wave of the length outside hardly has."""

from __future__ import annotations

import math

import numpy as np
from open_space_series import TransparentDisk
from random_families.draw import Draw
from random_families.outgoing import Medium
from scipy.special import h1vp, hankel1, jv, jvp

import fspielm as fs
from adversary_families.challenge import Challenge
from adversary_families.open_near import U
from adversary_families.open_waves import round_the_rim

# How near to a resonance, relative to the wavenumber, a series in double precision still knows enough digits.
_NEAREST = 1e-8
# A resonance so narrow, relative to the wavenumber, is met by rounding alone: no digit of data says how well.
_NARROWEST = 1e-13


def make_glass(draw: Draw, resonant: bool) -> Challenge:
    """At a resonance, or some widths from it, so that its share is about the tolerance; the twin between resonances."""
    radius, index, direction = draw.log_between(0.4, 3), draw.log_between(4, 25), draw.phase()
    order, tol = draw.one_of(range(3, 13)), draw.log_between(1e-6, 1e-3)
    widths, side = draw.log_between(0.1, 1e4), draw.one_of((-1, 1))
    root = round_the_rim(order, index)
    off = min(max(-root.imag * widths, _NEAREST * root.real), 0.5 * root.real)  # the wavenumber stays positive
    at = resonant and side < 0 and abs(root.imag) < _NARROWEST * root.real
    ka = float(root.real + (0.0 if at else side * off))
    if not resonant:
        ka = min((root.real * f for f in np.linspace(0.85, 1.15, 61)), key=lambda ka: _inside(ka, index))
    k = ka / radius
    center = (draw.between(-2, 2), draw.between(-2, 2))
    series = TransparentDisk(center, radius, k, index * k, 1.0, direction, orders=round(1.1 * ka * index) + 12)
    problem = fs.Problem(
        Medium("waves", k).equation(U),
        fs.Exterior(fs.Disk(center, radius)),
        [fs.Transparent(index * k)],
        incident=fs.plane_wave(k, (math.cos(direction), math.sin(direction))),
    )
    where = "at" if at else f"{off / ka:.0e} beside"
    where = f"{where} a resonance of order {order}" if resonant else "between resonances"
    kind = f"a disk of index {index:.3g}, {where}"
    return Challenge(kind, problem, series.scattered, tol, added=True, determined=not at)


def _inside(ka: float, index: float) -> float:
    """How large a field of any order is inside, beside that outside of it."""
    n = np.arange(round(1.1 * ka * index) + 4)
    inner = index * ka
    left = inner * jvp(n, inner) * hankel1(n, ka) - ka * jv(n, inner) * h1vp(n, ka)
    sizes = np.array([np.abs(jv(m, np.linspace(0, inner, 60))).max() for m in n])
    return float(np.max(sizes * np.abs(hankel1(n, ka)) / np.abs(left)))
