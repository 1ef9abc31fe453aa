"""Fields around one or two balls by their own series, which nothing of the package takes part in.

The frame is that of the axis through both centers: there every order m of the azimuth is a problem of its own, in two
coordinates. Its multipoles are fitted to conditions at Gauss nodes of both meridians; slopes along normals are those of
a polynomial through values beside them. One ball is the same without another.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.special as special
from numpy.typing import NDArray

Complexes = NDArray[np.complex128]
Floats = NDArray[np.float64]

# Distances from a sphere, in units of its radius, at which values make slopes.
_STENCIL = 0.03 * np.cos(np.pi * np.arange(13) / 12)


@dataclass(frozen=True, eq=False)
class Balls:
    """One ball or two of one radius in a plane wave ``exp(i k direction x)``.

    On their surfaces ``alpha u + beta du/dn = 0`` with the normal into the balls; or, if they have a wavenumber
    `inside`, values and slopes continue.
    """

    centers: Floats
    radius: float
    k: float
    direction: tuple[float, float, float]
    alpha: complex = 1.0
    beta: complex = 0.0
    inside: complex | None = None
    orders: int = 36

    @cached_property
    def frame(self) -> Floats:
        """Rows: the direction across the axis that the wave goes in, the other one, the axis."""
        axis = self.centers[-1] - self.centers[0] if len(self.centers) > 1 else np.array([0.0, 0.0, 1.0])
        axis = axis / np.linalg.norm(axis)
        across = np.array(self.direction) - np.dot(self.direction, axis) * axis
        across = across / np.linalg.norm(across)
        return np.array([across, np.cross(axis, across), axis])

    @cached_property
    def heights(self) -> Floats:
        """Of the centers along the axis, from the first."""
        return np.asarray((self.centers - self.centers[0]) @ self.frame[2])

    def _leaving(self, ball: int, m: int, rho: Floats, z: Floats) -> Complexes:
        """The multipoles of order m of a ball, ``(n, N)``."""
        r, theta = np.hypot(rho, z - self.heights[ball]), np.arctan2(rho, z - self.heights[ball])
        n, ka = np.arange(m, self.orders + 1), self.k * self.radius
        kr = self.k * r[:, None]
        radial = special.spherical_jn(n, kr) + 1j * special.spherical_yn(n, kr)
        size = np.abs(special.spherical_jn(n, ka) + 1j * special.spherical_yn(n, ka))
        return np.asarray(radial / size * special.sph_harm_y(n, m, theta[:, None], 0.0).real)

    def _passing(self, ball: int, m: int, rho: Floats, z: Floats) -> Complexes:
        """The regular ones inside."""
        assert self.inside is not None
        r, theta = np.hypot(rho, z - self.heights[ball]), np.arctan2(rho, z - self.heights[ball])
        n = np.arange(m, self.orders + 1)
        radial = special.spherical_jn(n, complex(self.inside) * r[:, None])
        size = np.abs(special.spherical_jn(n, complex(self.inside) * self.radius * 1.03))
        return np.asarray(radial / size * special.sph_harm_y(n, m, theta[:, None], 0.0).real)

    def _comes_in(self, m: int, rho: Floats, z: Floats) -> Complexes:
        across, _, along = self.frame @ np.array(self.direction)
        share = (2.0 if m else 1.0) * 1j**m * special.jv(m, self.k * rho * across)
        begins = np.exp(1j * self.k * self.centers[0] @ np.array(self.direction))
        return np.asarray(begins * share * np.exp(1j * self.k * z * along))

    def _amplitudes(self, m: int) -> list[Complexes]:
        """Of the multipoles of each ball, and after them of those inside each."""
        cosine, weights = np.polynomial.legendre.leggauss(self.orders + 24)
        sine, balls = np.sqrt(1 - cosine**2), range(len(self.centers))
        value, slope = _at_zero(0), _at_zero(1) / self.radius
        conditions = [self.alpha * value - self.beta * slope] if self.inside is None else [value, slope / self.k]
        rows, known = [], []
        for ball in balls:
            radii = self.radius * (1 + _STENCIL[:, None])
            rho, z = (radii * sine).ravel(), (self.heights[ball] + radii * cosine).ravel()
            columns = [self._leaving(other, m, rho, z) for other in balls]
            if self.inside is not None:
                columns += [(-1.0 if other == ball else 0.0) * self._passing(other, m, rho, z) for other in balls]
            table = np.concatenate(columns, axis=1).reshape(len(_STENCIL), len(cosine), -1)
            given = -self._comes_in(m, rho, z).reshape(len(_STENCIL), -1)
            for condition in conditions:
                rows.append(np.sqrt(weights)[:, None] * np.einsum("s,spn->pn", condition, table))
                known.append(np.sqrt(weights) * (condition @ given))
        solved = np.linalg.lstsq(np.concatenate(rows), np.concatenate(known), rcond=1e-15)[0]
        count = self.orders + 1 - m
        return np.split(solved, range(count, len(solved), count))

    @cached_property
    def amplitudes(self) -> list[list[Complexes]]:
        """Those of all orders of the azimuth."""
        return [self._amplitudes(m) for m in range(self.orders + 1)]

    def scattered(self, points: Floats) -> Complexes:
        """The field less what comes in, at points ``(n, 3)``."""
        x, y, z = self.frame @ (points - self.centers[0]).T
        rho, azimuth = np.hypot(x, y), np.arctan2(y, x)
        distances = np.linalg.norm(points[:, None] - self.centers, axis=2)
        within = distances < self.radius
        outside = ~within.any(axis=1)
        total = np.zeros(len(points), dtype=complex)
        number = len(self.centers)
        for m, every in enumerate(self.amplitudes):
            turn = np.cos(m * azimuth)
            for ball in range(number):
                total[outside] += (self._leaving(ball, m, rho[outside], z[outside]) @ every[ball]) * turn[outside]
                here = within[:, ball]
                if self.inside is not None and here.any():
                    own = self._passing(ball, m, rho[here], z[here]) @ every[number + ball]
                    total[here] += own * turn[here]
        return total - ~outside * np.exp(1j * self.k * points @ np.array(self.direction))

    def far_field(self, directions: Floats) -> Complexes:
        """What ``exp(i k r) / r`` is multiplied with far away, in directions ``(n, 3)`` of length one."""
        x, y, z = self.frame @ directions.T
        theta, azimuth, ka = np.arccos(np.clip(z, -1, 1)), np.arctan2(y, x), self.k * self.radius
        total = np.zeros(len(directions), dtype=complex)
        for m, every in enumerate(self.amplitudes):
            n = np.arange(m, self.orders + 1)
            size = np.abs(special.spherical_jn(n, ka) + 1j * special.spherical_yn(n, ka))
            each = (-1j) ** (n + 1) / (self.k * size) * special.sph_harm_y(n, m, theta[:, None], 0.0).real
            for ball, center in enumerate(self.centers):
                ahead = np.exp(-1j * self.k * directions @ center)
                total += ahead * (each @ every[ball]) * np.cos(m * azimuth)
        return total


def _at_zero(derivative: int) -> Floats:
    """Weights of values at the stencil for that at zero, or for the slope there."""
    scaled = _STENCIL / _STENCIL.max()
    table = np.vander(scaled, increasing=True).T
    wanted = np.zeros(len(scaled))
    wanted[derivative] = 1 / _STENCIL.max() ** derivative
    return np.asarray(np.linalg.solve(table, wanted))
