"""Complex frequencies with polynomial factors: the functions that satisfy an equation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, ComplexArray, FloatArray

# Frequencies that agree to so many digits are one.
_DIGITS = 10
# What decays as fast as it oscillates, but for rounding, is a wave still.
_MORE = 1.001


@final
@dataclass(frozen=True, eq=False)
class Frequencies:
    """Functions ``(along x)^power exp(i w x)``, each standing for its real and its imaginary part, or for itself.

    Attributes
    ----------
    W : (m, d) complex array
    powers : (m,) integer array
    along : (m, d) array
        Directions of the polynomial factors.
    are_paired : bool
        Whether the conjugate functions, of frequency ``-conj(w)``, satisfy the equation as well, and with them the real
        and the imaginary parts: they do where coefficients are real.
    """

    W: ComplexArray
    powers: NDArray[np.int_]
    along: FloatArray
    are_paired: bool = True

    def __len__(self) -> int:
        return len(self.W)

    @property
    def functions(self) -> NDArray[np.int_]:
        """How many functions each makes: two real ones, one where it does not oscillate or is complex; ``(m,)``."""
        if not self.are_paired:
            return np.ones(len(self), dtype=np.int_)
        return np.where(np.any(self.W.real != 0.0, axis=1), 2, 1)

    @property
    def total(self) -> int:
        """Number of real functions."""
        return int(self.functions.sum())

    @property
    def are_real(self) -> BoolArray:
        """Mask of those that neither grow nor decay, shape ``(m,)``."""
        return np.asarray(np.all(self.W.imag == 0.0, axis=1))

    @property
    def are_waves(self) -> BoolArray:
        """Mask of those that oscillate along their direction; where none are in pairs, more than they decay."""
        if self.are_paired:
            return self.are_real
        along = np.sum(self.W * self.along, axis=1)
        return np.asarray(np.abs(along.imag) <= _MORE * np.abs(along.real))

    def select(self, index: BoolArray | NDArray[np.int_] | slice) -> Frequencies:
        """Some of them."""
        return Frequencies(self.W[index], self.powers[index], self.along[index], self.are_paired)

    def first(self, neurons: int) -> Frequencies:
        """As many from the beginning as make at most so many real functions."""
        return self.select(np.cumsum(self.functions) <= neurons)

    def distinct(self) -> Frequencies:
        """Without repetitions; in pairs, a frequency and its conjugate ``-conj(w)`` are the same."""
        if not len(self):
            return self
        scale = float(np.abs(self.W).max()) or 1.0
        parts = np.concatenate([self.W.real, self.W.imag], axis=1)
        rounded = np.round(parts / scale, _DIGITS) + 0.0  # no negative zeros
        if self.are_paired:
            real = rounded[:, : self.W.shape[1]]
            leading = np.take_along_axis(real, np.argmax(real != 0.0, axis=1)[:, None], axis=1)
            real[leading[:, 0] < 0] *= -1.0
        keys = np.column_stack([rounded + 0.0, self.powers])
        _, kept = np.unique(keys, axis=0, return_index=True)
        return self.select(np.sort(kept))


def join(parts: Sequence[Frequencies], dimension: int, are_paired: bool = True) -> Frequencies:
    """All of the parts, in their order; `are_paired` only where there are none."""
    empty = Frequencies(np.empty((0, dimension), dtype=np.complex128), np.empty(0, dtype=int), np.empty((0, dimension)))
    whole = [empty, *parts]
    return Frequencies(
        np.concatenate([part.W for part in whole]),
        np.concatenate([part.powers for part in whole]),
        np.concatenate([part.along for part in whole]),
        all(part.are_paired for part in parts) if parts else are_paired,
    )
