"""A peak of a spectrum, and the frequency of one that is nothing but a wave."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from fspielm.arrays import FloatArray, NumberArray, real_parts
from fspielm.expressions import Field
from fspielm.geometry import Domain

_MOST_WAVES = 24
_STEPS = 8
_LEAST_SITES = 200
# What is left, beside the largest value, of a sum of waves whose frequencies are known to rounding.
_ROUNDING = 1e-12


@final
@dataclass(frozen=True, eq=False)
class Peak:
    """A box of frequencies that a datum has, together with its mirror image.

    Attributes
    ----------
    center : (d,) array
        Zero for a box around the origin, which is its own mirror image.
    widths : (d,) array
        Half-widths; zero for a single frequency, as far as the domain's extent lets that be told.
    exact : bool
        Whether there is nothing but the frequency `center`, known to rounding.
    """

    center: FloatArray
    widths: FloatArray
    exact: bool = False


def exact_waves(
    peaks: Sequence[Peak], field: Field, domain: Domain, rng: np.random.Generator
) -> tuple[Peak, ...] | None:
    """The peaks with their exact frequencies, if the field is a sum of waves with one each; None if not.

    The frequencies are fitted to the field by steps of Gauss and Newton's, and checked at other points.
    """
    if not 0 < len(peaks) <= _MOST_WAVES:
        return None
    lower, upper = domain.bounding_box
    number = max(4 * len(peaks) * (domain.dimension + 2), _LEAST_SITES)
    points = domain.sample(2 * number, rng, "low-discrepancy") - 0.5 * (lower + upper)
    values = field(points + 0.5 * (lower + upper))
    if not np.all(np.isfinite(values)):
        return None
    W = np.array([peak.center for peak in peaks])
    for _ in range(_STEPS):
        W = W + _step(W, points[::2], values[::2])
    amplitudes, _ = _fit(W, points[::2], values[::2])
    error = np.abs(_waves(W, points[1::2]) @ amplitudes - values[1::2]).max()
    if not error <= _ROUNDING * np.abs(values).max():
        return None
    return tuple(Peak(center, peak.widths, exact=True) for center, peak in zip(W, peaks, strict=True))


def wave_amplitudes(W: FloatArray, points: FloatArray, values: NumberArray) -> FloatArray:
    """How strong waves of frequencies `W` ``(m, d)`` are in values at points, by a fit of all of them, ``(m,)``."""
    amplitudes, _ = _fit(W, points, values)
    return np.asarray(np.hypot(np.abs(amplitudes[: len(W)]), np.abs(amplitudes[len(W) :])))


def _step(W: FloatArray, points: FloatArray, values: NumberArray) -> FloatArray:
    """What Gauss and Newton would add to the frequencies; of complex values, both parts have the same ones."""
    amplitudes, left = _fit(W, points, values)
    waves = _waves(W, points)
    each = real_parts(amplitudes)
    slopes = np.concatenate([_slopes(W, part, points) for part in each])
    own = np.kron(np.eye(len(each)), waves) if len(each) > 1 else waves
    right = np.concatenate(real_parts(left))
    change = np.linalg.lstsq(np.concatenate([own, slopes], axis=1), right, rcond=None)[0]
    return np.asarray(change[own.shape[1] :].reshape(W.shape))


def _fit(W: FloatArray, points: FloatArray, values: NumberArray) -> tuple[NumberArray, NumberArray]:
    """Amplitudes ``(2 m,)`` of the waves, and what they leave of the values."""
    waves = _waves(W, points)
    amplitudes = np.asarray(np.linalg.lstsq(waves, values, rcond=None)[0])
    return amplitudes, values - waves @ amplitudes


def _waves(W: FloatArray, points: FloatArray) -> FloatArray:
    """Cosines, then sines, at points, shape ``(n, 2 m)``."""
    phase = points @ W.T
    return np.concatenate([np.cos(phase), np.sin(phase)], axis=1)


def _slopes(W: FloatArray, amplitudes: FloatArray, points: FloatArray) -> FloatArray:
    """How the sum of the waves changes with each component of their frequencies, shape ``(n, m d)``."""
    phase = points @ W.T
    turned = amplitudes[len(W) :] * np.cos(phase) - amplitudes[: len(W)] * np.sin(phase)
    return np.asarray((turned[:, :, None] * points[:, None, :]).reshape(len(points), -1))
