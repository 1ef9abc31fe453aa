"""Poles of functions that are known at some points, by rational interpolation.

The AAA algorithm (Y. Nakatsukasa, O. Sete, L. N. Trefethen, SIAM J. Sci. Comput. 40, 2018), for several functions with
the same poles (P. Lietaert and others, IMA J. Numer. Anal. 42, 2022).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
import scipy

from fspielm.arrays import ComplexArray


@final
@dataclass(frozen=True, eq=False)
class Rational:
    """Functions with common poles."""

    poles: ComplexArray
    error: float  # at points that are not interpolated, relative to the largest value


def rational(places: ComplexArray, values: ComplexArray, tol: float) -> Rational:
    """Rational functions with `values` ``(n, q)`` at `places` ``(n,)``, to a relative tolerance if possible."""
    scale = float(np.abs(values).max())
    if scale == 0:
        return Rational(np.empty(0, dtype=np.complex128), 0.0)
    rest = np.ones(len(places), dtype=np.bool_)
    taken: list[int] = []
    weights = np.empty(0, dtype=np.complex128)
    found = np.tile(values.mean(axis=0), (len(places), 1))
    while True:
        errors = np.where(rest, np.abs(values - found).max(axis=1), 0.0) / scale
        # values at n points determine fewer than n / 2 poles and their residues
        if errors.max() <= tol or 2 * len(taken) + 2 > len(places):
            return Rational(_poles(places[taken], weights), float(errors.max()))
        taken.append(int(np.argmax(errors)))
        rest[taken[-1]] = False
        cauchy = 1 / (places[rest, None] - places[taken])
        differences = values[rest, None, :] - values[None, taken, :]
        loewner = (differences * cauchy[:, :, None]).transpose(0, 2, 1).reshape(-1, len(taken))
        weights = np.linalg.svd(np.linalg.qr(loewner, mode="r"))[2][-1].conj()
        found = values.copy()
        found[rest] = (cauchy @ (weights[:, None] * values[taken])) / (cauchy @ weights)[:, None]


def _poles(places: ComplexArray, weights: ComplexArray) -> ComplexArray:
    """Zeros of ``sum_j weights_j / (z - places_j)``."""
    count = len(places)
    left, right = np.zeros((count + 1, count + 1), dtype=np.complex128), np.eye(count + 1)
    left[0, 1:], left[1:, 0], left[1:, 1:] = weights, 1.0, np.diag(places)
    right[0, 0] = 0.0
    values = scipy.linalg.eigvals(left, right)
    return np.asarray(values[np.isfinite(values)])
