"""Fields around disks by their own series, which nothing of the package takes part in."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import mpmath
import numpy as np
import scipy.special as special
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

Complexes = NDArray[np.complex128]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Disks:
    """Disks in a plane wave ``exp(i k (cos(direction) x + sin(direction) y))``, by multipoles around their centers.

    On their boundaries ``alpha u + beta du/dn = 0`` with the normal into the disks. The multipoles of one are regular
    waves around another, by Graf's addition theorem; so conditions become a system for all amplitudes.
    """

    centers: Floats
    radius: float
    k: float
    direction: float
    alpha: complex = 1.0
    beta: complex = 0.0
    orders: int = 40

    @property
    def n(self) -> NDArray[np.int_]:
        """Of the multipoles of each disk."""
        return np.arange(-self.orders, self.orders + 1)

    def amplitudes(self) -> Complexes:
        """Of ``H(n, k r) exp(i n theta) / |H(n, k a)|`` around each disk, ``(D, 2 N + 1)``."""
        ka, n = self.k * self.radius, self.n
        regular = self.alpha * special.jv(n, ka) - self.beta * self.k * special.jvp(n, ka)
        leaving = self.alpha * special.hankel1(n, ka) - self.beta * self.k * special.h1vp(n, ka)
        size = np.abs(special.hankel1(n, ka))
        ahead = self.centers @ np.array([np.cos(self.direction), np.sin(self.direction)])
        comes_in = np.exp(1j * self.k * ahead)[:, None] * 1j**n * np.exp(-1j * n * self.direction)
        number, count = len(self.centers), len(n)
        system = np.eye(number * count, dtype=complex).reshape(number, count, number, count)
        for one in range(number):
            for other in range(number):
                if one == other:
                    continue
                x, y = self.centers[one] - self.centers[other]
                order = n[None, :] - n[:, None]
                shifted = special.hankel1(order, self.k * np.hypot(x, y)) * np.exp(1j * order * np.arctan2(y, x))
                system[one, :, other, :] = (regular / leaving * size)[:, None] * shifted / size[None, :]
        values = -(regular / leaving * size) * comes_in
        solved = np.linalg.solve(system.reshape(number * count, -1), values.ravel())
        return np.asarray(solved.reshape(number, count))

    def scattered(self, points: Floats) -> Complexes:
        """The field that disks add, at points ``(m, 2)``."""
        size = np.abs(special.hankel1(self.n, self.k * self.radius))
        total = np.zeros(len(points), dtype=complex)
        for center, own in zip(self.centers, self.amplitudes(), strict=True):
            x, y = (points - center).T
            r, theta = np.hypot(x, y), np.arctan2(y, x)
            for n, amplitude in zip(self.n, own / size, strict=True):
                total += amplitude * special.hankel1(n, self.k * r) * np.exp(1j * n * theta)
        return total

    def far_field(self, angles: Floats) -> Complexes:
        """What ``exp(i k r) / sqrt(r)`` is multiplied with far away."""
        size = np.abs(special.hankel1(self.n, self.k * self.radius))
        total = np.zeros(len(angles), dtype=complex)
        for center, own in zip(self.centers, self.amplitudes(), strict=True):
            ahead = np.exp(-1j * self.k * (np.cos(angles) * center[0] + np.sin(angles) * center[1]))
            total += ahead * (np.exp(1j * np.outer(angles - 0.5 * np.pi, self.n)) @ (own / size))
        return np.asarray(np.sqrt(2 / (np.pi * self.k)) * np.exp(-0.25j * np.pi) * total)


@dataclass(frozen=True, eq=False)
class TransparentDisk:
    """A disk that lets waves through: its own wavenumber, and a factor of the flux inside."""

    center: tuple[float, float]
    radius: float
    k: float
    inside: complex
    flux: float
    direction: float
    orders: int = 60

    def _amplitudes(self) -> list[tuple[int, complex, complex]]:
        """Orders, and what ``H(n, k r)`` outside and ``J(n, k r)`` inside are multiplied with."""
        found = []
        ka, inner = self.k * self.radius, self.inside * self.radius
        ahead = self.center[0] * np.cos(self.direction) + self.center[1] * np.sin(self.direction)
        for n in range(-self.orders, self.orders + 1):
            rows = np.array(
                [
                    [special.hankel1(n, ka), -special.jv(n, inner)],
                    [self.k * special.h1vp(n, ka), -self.flux * self.inside * special.jvp(n, inner)],
                ]
            )
            values = -np.array([special.jv(n, ka), self.k * special.jvp(n, ka)])
            sizes = np.abs(rows).max(axis=0)
            outer, own = np.linalg.solve(rows / sizes, values) / sizes
            comes_in = np.exp(1j * self.k * ahead - 1j * n * self.direction) * 1j**n
            found.append((n, outer * comes_in, own * comes_in))
        return found

    def scattered(self, points: Floats) -> Complexes:
        """The field less what comes in, at points ``(m, 2)``."""
        x, y = (points - np.array(self.center)).T
        r, theta = np.hypot(x, y), np.arctan2(y, x)
        within, total = r < self.radius, np.zeros(len(points), dtype=complex)
        for n, outer, own in self._amplitudes():
            turn = np.exp(1j * n * theta)
            total[~within] += outer * special.hankel1(n, self.k * r[~within]) * turn[~within]
            total[within] += own * special.jv(n, self.inside * r[within]) * turn[within]
        ahead = points @ np.array([np.cos(self.direction), np.sin(self.direction)])
        return total - within * np.exp(1j * self.k * ahead)

    def far_field(self, angles: Floats) -> Complexes:
        """What ``exp(i k r) / sqrt(r)`` is multiplied with far away."""
        ahead = np.exp(-1j * self.k * (np.cos(angles) * self.center[0] + np.sin(angles) * self.center[1]))
        total = sum(outer * np.exp(1j * n * (angles - 0.5 * np.pi)) for n, outer, _ in self._amplitudes())
        return np.asarray(np.sqrt(2 / (np.pi * self.k)) * np.exp(-0.25j * np.pi) * ahead * total)


@dataclass(frozen=True, eq=False)
class LuneburgLens:
    """A disk of radius one with the index of refraction ``sqrt(2 - r^2)``, around the origin.

    Its waves are those of an oscillator, ``r^n exp(-k r^2 / 2) M((n + 1 - k) / 2, n + 1, k r^2) exp(i n theta)`` with
    Kummer's function M; from thirty digits of these, polynomials in the radius.
    """

    k: float
    direction: float

    def _radial(self, n: int) -> tuple[Floats, float, float]:
        """Of order n, in units of its largest value: the polynomial of r from -1 to 1, and value and slope at one."""
        mpmath.mp.dps = 30
        half = int(30 + self.k)
        nodes = np.cos(np.pi * (np.arange(half) + 0.5) / (2 * half))
        k = mpmath.mpf(self.k)
        a = (n + 1 - k) / 2
        exact = [r**n * mpmath.exp(-k * r * r / 2) * mpmath.hyp1f1(a, n + 1, k * r * r) for r in map(mpmath.mpf, nodes)]
        size = max(map(abs, exact))
        values = np.array([float(value / size) for value in exact])
        both = np.concatenate([values, (-1) ** n * values[::-1]])
        matrix = chebyshev.chebvander(np.concatenate([nodes, -nodes[::-1]]), 2 * half - 1)
        polynomial = matrix.T @ both / half
        polynomial[0] /= 2
        kummer, after = mpmath.hyp1f1(a, n + 1, k), mpmath.hyp1f1(a + 1, n + 2, k)
        front = mpmath.exp(-k / 2) / size
        return polynomial, float(front * kummer), float(front * ((n - k) * kummer + 2 * k * a / (n + 1) * after))

    @cached_property
    def _waves(self) -> list[tuple[int, complex, complex, Floats]]:
        """Orders, what ``H(n, k r)`` outside and the polynomial inside are multiplied with, and that."""
        found = []
        for n in range(int(self.k + 8 * np.cbrt(self.k) + 12)):
            polynomial, value, slope = self._radial(n)
            size = abs(special.hankel1(n, self.k))
            leaves = np.array([special.hankel1(n, self.k), self.k * special.h1vp(n, self.k)]) / size
            comes_in = np.array([special.jv(n, self.k), self.k * special.jvp(n, self.k)])
            outer, own = np.linalg.solve(np.column_stack([leaves, [-value, -slope]]), -comes_in)
            found.append((n, (2 if n else 1) * 1j**n * outer / size, (2 if n else 1) * 1j**n * own, polynomial))
        return found

    def scattered(self, points: Floats) -> Complexes:
        """The field less what comes in, at points ``(m, 2)``."""
        r, theta = np.hypot(*points.T), np.arctan2(points[:, 1], points[:, 0]) - self.direction
        within, total = r < 1, np.zeros(len(points), dtype=complex)
        for n, outer, own, polynomial in self._waves:
            total[~within] += outer * special.hankel1(n, self.k * r[~within]) * np.cos(n * theta[~within])
            total[within] += own * chebyshev.chebval(r[within], polynomial) * np.cos(n * theta[within])
        return total - within * np.exp(1j * self.k * r * np.cos(theta))

    def far_field(self, angles: Floats) -> Complexes:
        """What ``exp(i k r) / sqrt(r)`` is multiplied with far away."""
        total = sum(outer * (-1j) ** n * np.cos(n * (angles - self.direction)) for n, outer, _, _ in self._waves)
        return np.asarray(np.sqrt(2 / (np.pi * self.k)) * np.exp(-0.25j * np.pi) * total)


@dataclass(frozen=True, eq=False)
class RowOfDisks:
    """Disks at equal distances along the first axis in a plane wave, by multipoles around each.

    What copies send is a sum of regular waves around one, whose amplitudes are lattice sums: here with their last terms
    by differences, of which nothing is left after some of them.
    """

    radius: float
    k: float
    period: float
    direction: float
    kind: str
    index: complex = 1.5
    orders: int = 30

    def _lattice_sums(self) -> Complexes:
        """``sum_m exp(i m phase) H(q, k |m| d) exp(i q angle)`` over all copies m but zero, for q from -2 N to 2 N."""
        phase = self.k * self.period * np.cos(self.direction)
        found = np.zeros(4 * self.orders + 1, dtype=complex)
        for q in range(2 * self.orders + 1):
            total = 0j
            for side, sign in ((1, (-1.0) ** q), (-1, 1.0)):
                total += sign * self._series(q, self.k * self.period + side * phase)
            found[2 * self.orders + q] = total
            found[2 * self.orders - q] = (-1.0) ** q * total
        return found

    def _series(self, q: int, turn: float) -> complex:
        """``sum_m H(q, k m d) exp(i m (turn - k d))`` over m from one on; steps that turn by about half a circle."""
        turn -= 2 * np.pi * round(turn / (2 * np.pi))
        stride, terms = math.ceil(np.pi / abs(turn)) if abs(turn) < 1 else 1, 14
        first = 400 * stride
        m = np.arange(1, first + terms * stride)
        smooth = special.hankel1e(q, self.k * self.period * m)  # without what turns
        waves = np.exp(1j * turn * m)
        total, z = np.sum((smooth * waves)[: first - 1]), np.exp(1j * turn * stride)
        differences = smooth[first - 1 :][: (terms - 1) * stride].reshape(terms - 1, stride)
        ahead = waves[first - 1 : first - 1 + stride]
        for j in range(terms - 2):
            total += np.sum(ahead * differences[0]) * z**j / (1 - z) ** (j + 1)
            differences = np.diff(differences, axis=0)
        return complex(total)

    def _answers(self, n: NDArray[np.int_]) -> Complexes:
        """The outgoing wave that a disk makes of a regular one, over the size of ``H(n, k a)``."""
        ka = self.k * self.radius
        h, dh, j, dj = special.hankel1(n, ka), special.h1vp(n, ka), special.jv(n, ka), special.jvp(n, ka)
        if self.kind == "soft":
            return np.asarray(-j / h * np.abs(h))
        if self.kind == "hard":
            return np.asarray(-dj / dh * np.abs(h))
        inner = self.index * ka
        value, slope = special.jv(n, inner), self.index * special.jvp(n, inner)
        return np.asarray(-(j * slope - dj * value) / (h * slope - dh * value) * np.abs(h))

    def amplitudes(self, along: Floats, across: Floats, sign: int) -> Complexes:
        """Of the plane waves that leave upward (1) or downward (-1), with these wavenumbers, around the center."""
        n = np.arange(-self.orders, self.orders + 1)
        sums, size = self._lattice_sums(), np.abs(special.hankel1(n, self.k * self.radius))
        shifted = sums[2 * self.orders + n[None, :] - n[:, None]] / size[None, :]
        answers = self._answers(n)
        comes_in = 1j**n * np.exp(-1j * n * self.direction)
        amplitudes = np.linalg.solve(np.eye(len(n)) - answers[:, None] * shifted, answers * comes_in) / size
        turned = (-1j * (along + 1j * sign * across) / self.k)[:, None] ** n
        return np.asarray(2 / (self.period * across) * (turned @ amplitudes))
