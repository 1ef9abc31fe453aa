"""Flow where a sliding lid meets a wall: G. I. Taylor's scraped corner, and what inertia adds to it.

Close to the corner the stream function is a sum of ``Re^k r^(k + 1) g_k(theta)``, k = 0, 1, ..., with the angle counted
from the lid: the first one is Stokes' flow, and each of the others is driven by those before it. Flows that come from
elsewhere begin with ``r^3.74``, and are not in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import final

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

Array = NDArray[np.float64]
# Powers of the distance, and polynomials in the angle.
_TERMS, _COUNT = 10, 40
_OPENING = np.pi / 2


@final
@dataclass(frozen=True)
class Corner:
    """The corner at one end of a lid that moves to the right with velocity one, above walls at rest.

    Attributes
    ----------
    x, y : float
        Where it is.
    inward : int
        The sign of x that leads into the flow.
    reynolds : float
    """

    x: float
    y: float
    inward: int
    reynolds: float

    def stream(self, points: Array) -> Array:
        """The stream function at points ``(n, 2)``, whose derivatives are (-v, u)."""
        return self._at(points)[0]

    def slope(self, points: Array, normals: Array) -> Array:
        """Its derivatives along normals ``(n, 2)``."""
        _, along, down = self._at(points)
        return np.asarray(self.inward * along * normals[:, 0] - down * normals[:, 1])

    def _at(self, points: Array) -> tuple[Array, Array, Array]:
        """The stream function, and its derivatives along the lid and down the wall."""
        along, down = self.inward * (points[:, 0] - self.x), self.y - points[:, 1]
        r, theta = np.hypot(along, down), np.arctan2(down, along)
        value, outward, around = np.zeros((3, len(points)))
        # a mirror image turns the other way, as if inertia had the other sign
        for power, (own, turned) in enumerate(_shapes()):
            each = (self.inward * self.reynolds * r) ** power
            g, slope = (chebyshev.chebval(2 * theta / _OPENING - 1, one) for one in (own, turned))
            value, outward, around = value + r * each * g, outward + (power + 1) * each * g, around + each * slope
        cosine, sine = np.cos(theta), np.sin(theta)
        return value, outward * cosine - around * sine, outward * sine + around * cosine


@cache
def _shapes() -> list[tuple[Array, Array]]:
    """Coefficients of every g_k and of its derivative, as sums of Chebyshev's polynomials, for Re = 1.

    Of ``bilap psi = psi_x (lap psi)_y - psi_y (lap psi)_x``, x along the lid and y down the wall, the terms with one
    power of the distance.
    """
    nodes = chebyshev.chebpts1(_COUNT - 4)
    inside, ends = (chebyshev.chebvander(at, _COUNT - 1) for at in (nodes, np.array([-1.0, 1.0])))
    turn = np.zeros((_COUNT, _COUNT))
    turn[:-1] = chebyshev.chebder(np.eye(_COUNT)) * 2 / _OPENING
    found: list[Array] = []
    spins: list[Array] = []  # of the Laplacians
    for power in range(_TERMS):
        degree, unit = power + 1, np.eye(_COUNT)
        bilaplacian = (turn @ turn + (degree - 2) ** 2 * unit) @ (turn @ turn + degree**2 * unit)
        driven = np.zeros(len(nodes))
        for first in range(power):
            g, spin = found[first], spins[power - 1 - first]
            driven += (first + 1) * (inside @ g) * (inside @ turn @ spin)
            driven -= (power - 2 - first) * (inside @ turn @ g) * (inside @ spin)
        # no flow through lid and wall, and the lid slides
        at_ends = [0.0, 0.0, -1.0 if power == 0 else 0.0, 0.0]
        rows = np.concatenate([inside @ bilaplacian, ends, ends @ turn])
        found.append(np.linalg.solve(rows, np.concatenate([driven, at_ends])))
        spins.append((turn @ turn + degree**2 * unit) @ found[-1])
    return [(g, turn @ g) for g in found]
