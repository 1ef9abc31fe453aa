"""Resonances from elsewhere: zeros of characteristic functions, of series around disks and of an integral equation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import mpmath as mp
import numpy as np
from numpy.typing import NDArray
from scipy.special import h1vp, hankel1, jv, jvp

Array = NDArray[np.complex128]
Function = Callable[[int, Array], Array]
_DIGITS = 30


def soft(n: int, k: Array) -> Array:
    """That of the sound-soft unit disk."""
    return np.asarray(hankel1(n, k))


def hard(n: int, k: Array) -> Array:
    """That of the sound-hard one."""
    return np.asarray(h1vp(n, k))


def glass(index: float) -> Function:
    """That of one with an index of refraction."""

    def function(n: int, k: Array) -> Array:
        return np.asarray(jv(n, index * k) * h1vp(n, k) - index * jvp(n, index * k) * hankel1(n, k))

    return function


def _precisely(function: Function, index: float | None) -> Callable[[int], Callable[[mp.mpc], mp.mpc]]:
    """The same functions to many digits."""
    if function is soft:
        return lambda n: lambda k: mp.hankel1(n, k)
    if index is None:
        return lambda n: lambda k: mp.hankel1(n - 1, k) - n / k * mp.hankel1(n, k)

    def slope(bessel: Callable[[int, mp.mpc], mp.mpc], n: int, z: mp.mpc) -> mp.mpc:
        return bessel(n - 1, z) - n / z * bessel(n, z)

    return lambda n: (
        lambda k: (
            mp.besselj(n, index * k) * slope(mp.hankel1, n, k)
            - index * slope(mp.besselj, n, index * k) * mp.hankel1(n, k)
        )
    )


def of_disk(function: Function, within: tuple[complex, complex], orders: int, index: float | None = None) -> Array:
    """All zeros in a rectangle, those of orders other than zero twice; as many as the argument turns around."""
    found: list[complex] = []
    for n in range(orders + 1):
        zeros = _zeros(function, _precisely(function, index)(n), n, within)
        found += zeros * (1 + (n > 0))
    return np.array(sorted(found, key=lambda value: (value.real, value.imag)))


def _zeros(
    function: Function, precise: Callable[[mp.mpc], mp.mpc], n: int, within: tuple[complex, complex]
) -> list[complex]:
    lower, upper = within
    t = np.linspace(0, 1, 4001)
    corners = [lower, complex(upper.real, lower.imag), upper, complex(lower.real, upper.imag), lower]
    around = np.concatenate([a + (b - a) * t for a, b in pairwise(corners)])
    values = function(n, around)
    number = round(float(np.angle(values[1:] / values[:-1]).sum()) / (2 * np.pi))
    x, y = np.meshgrid(np.linspace(lower.real, upper.real, 120), np.linspace(lower.imag, upper.imag, 60))
    starts = (x + 1j * y).ravel()
    with mp.workdps(_DIGITS):
        known: list[complex] = []
        for place in np.argsort(np.abs(function(n, starts)) / np.abs(function(n + 1, starts))):
            if len(known) == number:
                return known
            if any(abs(starts[place] - each) < 0.3 * abs(upper - lower) / 60 for each in known):
                continue
            try:
                root = complex(mp.findroot(precise, mp.mpc(starts[place])))
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
