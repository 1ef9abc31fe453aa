"""Quadrature on boundary parts for functions that are singular at corners."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.geometry import BoundaryPart, Quadrature
from fspielm.geometry.quadrature import gauss

# The power with which nodes crowd at both ends of a piece: r**(-1/2) there becomes a cubic.
_CROWDING = 8
_FEWEST = 24


def graded_rule(part: BoundaryPart, n: int) -> Quadrature:
    """About `n` nodes on a curve, crowded at the ends of its smooth pieces, where a derivative may be infinite.

    Gauss-Legendre in v, with ``s = v^p / (v^p + (1 - v)^p)`` the share of a piece's length (R. Kress, Numer. Math. 58,
    1990): the derivatives of s vanish at both ends, and take the singularity with them.
    """
    spots = part.place(np.linspace(0.0, 1.0, 9)[:, None]).points
    # closer to a corner than rounding can tell, a node might fall on it
    closest = 16 * float(np.finfo(np.float64).eps) * max(1.0, float(np.abs(spots).max()) / part.measure)
    units, weights = [], []
    for low, high in pairwise(part.breaks):
        share, density = _crowded(max(_FEWEST, round(n * (high - low))))
        nearest = min(closest / (high - low), 0.25)
        units.append(low + (high - low) * np.clip(share, nearest, 1.0 - nearest))
        weights.append((high - low) * part.measure * density)
    sites = part.place(np.concatenate(units)[:, None])
    return Quadrature(sites.points, np.concatenate(weights), sites.normals)


def _crowded(n: int) -> tuple[FloatArray, FloatArray]:
    v, weights = gauss(n)
    p = _CROWDING
    near, far = v**p, (1.0 - v) ** p
    total = near + far
    return near / total, weights * p * (v * (1.0 - v)) ** (p - 1) / total**2
