"""Resonances from elsewhere: zeros of characteristic functions, of series around disks and of an integral equation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import mpmath as mp
import numpy as np
from numpy.typing import NDArray
from scipy.special import h1vp, hankel1, jv, jvp

Array = NDArray[np.complex128]
_DIGITS = 30


@dataclass(frozen=True)
class Disk:
    """What the unit disk does to waves outside.

    A field outside has values H and slopes k H'. `balance` is zero where these suit the disk; where it lets waves
    through, values J inside are the same, and slopes q J' times the flux.

    Attributes
    ----------
    rate : number, optional
        Values times this and slopes, along the normal into the disk, are zero together; infinite for a soft one.
    inside : callable, optional
        Of k, the wavenumber q inside and the flux, where there is a field.
    """

    rate: complex = np.inf
    inside: Callable[[Any], tuple[Any, Any]] | None = None

    def balance(self, n: int, k: Array) -> Array:
        """Of order n, at many k."""
        if self.inside is None:
            return np.asarray(self._alone(hankel1(n, k), k * h1vp(n, k)))
        q, flux = self.inside(k)
        return np.asarray(jv(n, q) * k * h1vp(n, k) - flux * q * jvp(n, q) * hankel1(n, k))

    def precisely(self, n: int, k: mp.mpc) -> mp.mpc:
        """The same at one k, to many digits."""
        value, slope = mp.hankel1(n, k), k * _slope(mp.hankel1, n, k)
        if self.inside is None:
            return self._alone(value, slope)
        q, flux = self.inside(k)
        return mp.besselj(n, q) * slope - flux * q * _slope(mp.besselj, n, q) * value

    def _alone(self, value: Any, slope: Any) -> Any:
        return value if np.isinf(self.rate) else self.rate * value - slope


def _slope(bessel: Callable[[int, mp.mpc], mp.mpc], n: int, z: mp.mpc) -> mp.mpc:
    return bessel(n - 1, z) - n / z * bessel(n, z)


def of_disk(disk: Disk, within: tuple[complex, complex], orders: int) -> Array:
    """All zeros in a rectangle, those of orders other than zero twice; as many as the argument turns around."""
    found: list[complex] = []
    for n in range(orders + 1):
        found += _zeros(disk, n, within) * (1 + (n > 0))
    return np.array(sorted(found, key=lambda value: (value.real, value.imag)))


def _zeros(disk: Disk, n: int, within: tuple[complex, complex]) -> list[complex]:
    lower, upper = within
    t = np.linspace(0, 1, 4001)
    corners = [lower, complex(upper.real, lower.imag), upper, complex(lower.real, upper.imag), lower]
    around = np.concatenate([a + (b - a) * t for a, b in pairwise(corners)])
    values = disk.balance(n, around)
    number = round(float(np.angle(values[1:] / values[:-1]).sum()) / (2 * np.pi))
    x, y = np.meshgrid(np.linspace(lower.real, upper.real, 120), np.linspace(lower.imag, upper.imag, 60))
    starts = (x + 1j * y).ravel()
    with mp.workdps(_DIGITS):
        known: list[complex] = []
        for place in np.argsort(np.abs(disk.balance(n, starts) / disk.balance(n + 1, starts))):
            if len(known) == number:
                return known
            if any(abs(starts[place] - each) < 0.3 * abs(upper - lower) / 60 for each in known):
                continue
            try:
                root = complex(mp.findroot(partial(disk.precisely, n), mp.mpc(starts[place])))
            except (ValueError, ZeroDivisionError):
                continue
            inside = lower.real < root.real < upper.real and lower.imag < root.imag < upper.imag
            if inside and all(abs(root - each) > 1e-9 for each in known):
                known.append(root)
    raise SystemExit(f"{len(known)} zeros of order {n} were found, of {number}")


def closest_zero(matrix: Callable[[complex], Array], near: complex) -> complex:
    """Where a matrix that is analytic in k is singular, close to a value: by Newton's steps on its least eigenvalue."""
    k, h = near, 1e-6
    for _ in range(6):
        value, ahead, behind = matrix(k), matrix(k + h), matrix(k - h)
        left, _, right = np.linalg.svd(value)
        u, v = left[:, -1].conj(), right[-1].conj()
        step = (u @ value @ v) / (u @ ((ahead - behind) / (2 * h)) @ v)
        k -= complex(step)
        if abs(step) < 1e-14 * abs(k):
            break
    return k


def of_two_disks(centers: Sequence[tuple[float, float]], orders: int = 24) -> Callable[[complex], Array]:
    """Multipoles around soft unit disks, each in units of itself on its own circle, by Graf's theorem."""
    n = np.arange(-orders, orders + 1)

    def matrix(k: complex) -> Array:
        blocks = []
        for x, y in centers:
            row = []
            for a, b in centers:
                distance, angle = np.hypot(x - a, y - b), np.arctan2(y - b, x - a)
                if distance == 0:
                    row.append(np.eye(len(n), dtype=complex))
                    continue
                m = n[None, :] - n[:, None]
                through = hankel1(m, k * distance) * np.exp(1j * m * angle)
                row.append(jv(n, k)[:, None] * through / hankel1(n, k)[None, :])
            blocks.append(row)
        return np.block(blocks)

    return matrix


def of_curve(curve: Callable[[NDArray[np.float64]], Array], points: int) -> Callable[[complex], Array]:
    """The single layer on a smooth closed curve z(t), with Kress' rule for its logarithm: singular at soft resonances.

    And at wavenumbers of the inside, which are real.
    """
    half = points // 2
    t = np.pi * np.arange(points) / half
    z = curve(t)
    modes = np.fft.fftfreq(points, 1 / points)
    modes[half] = 0
    speed = np.abs(np.fft.ifft(1j * modes * np.fft.fft(z)))
    m = np.arange(1, half)
    weights = -(2 * np.pi / half) * (np.cos(np.outer(t, m)) / m).sum(axis=1) - np.pi / half**2 * np.cos(half * t)
    apart = np.abs(np.subtract.outer(np.arange(points), np.arange(points)))
    distance = np.abs(z[:, None] - z) + np.eye(points)
    logarithm = np.log(4 * np.sin(0.5 * t[apart]) ** 2 + np.eye(points))

    def matrix(k: complex) -> Array:
        first = -jv(0, k * distance) / (4 * np.pi)
        second = 0.25j * hankel1(0, k * distance) - first * logarithm
        np.fill_diagonal(first, -1 / (4 * np.pi))
        np.fill_diagonal(second, 0.25j - np.euler_gamma / (2 * np.pi) - np.log(0.5 * k * speed) / (2 * np.pi))
        return np.asarray((weights[apart] * first + np.pi / half * second) * speed)

    return matrix
