"""Rectangles of the complex plane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from fspielm.arrays import BoolArray, ComplexArray

# Points of a contour on the longer sides; on the shorter ones in proportion, but not fewer than half as many.
_ON_SIDE = 20


@final
@dataclass(frozen=True)
class Rectangle:
    """All numbers between two opposite corners.

    Attributes
    ----------
    lower, upper : complex
        The corner of the least parts, and that of the largest.
    """

    lower: complex
    upper: complex

    @property
    def extent(self) -> complex:
        """Width and height."""
        return self.upper - self.lower

    @property
    def longer(self) -> float:
        """Of its sides."""
        return max(self.extent.real, self.extent.imag)

    @property
    def largest(self) -> float:
        """The largest size of a number in it."""
        return max(abs(self.lower), abs(complex(self.upper.real, self.lower.imag)), abs(self.upper))

    @property
    def contour(self) -> ComplexArray:
        """Points of its sides, which crowd toward the corners."""
        size, parts = self.extent, []
        for length, along, across in ((size.real, 1, 1j * size.imag), (size.imag, 1j, size.real)):
            share = max(length / self.longer, 0.5)
            count = round(_ON_SIDE * share)
            t = 0.5 - 0.5 * np.cos(np.pi * (np.arange(count) + 0.5) / count)
            side = self.lower + along * length * t
            parts += [side, side + across]
        return np.concatenate(parts)

    def contains(self, values: ComplexArray, slack: float = 0.0) -> BoolArray:
        """Which of some numbers are in it, or no farther away than a slack."""
        lower, upper = self.lower, self.upper
        across = (values.real >= lower.real - slack) & (values.real <= upper.real + slack)
        return np.asarray(across & (values.imag >= lower.imag - slack) & (values.imag <= upper.imag + slack))

    def grown(self, share: float) -> Rectangle:
        """Larger by a share of its longer sides everywhere, but not closer to zero than half of its distance."""
        more = share * self.longer
        left = min(more, 0.5 * self.lower.real)
        return Rectangle(self.lower - complex(left, more), self.upper + complex(more, more))

    def cut(self, share: float) -> tuple[Rectangle, Rectangle]:
        """Two, cut across the longer sides."""
        size = self.extent
        if size.real >= size.imag:
            middle = self.lower.real + share * size.real
            return (
                Rectangle(self.lower, complex(middle, self.upper.imag)),
                Rectangle(complex(middle, self.lower.imag), self.upper),
            )
        level = self.lower.imag + share * size.imag
        return (
            Rectangle(self.lower, complex(self.upper.real, level)),
            Rectangle(complex(self.lower.real, level), self.upper),
        )

    def __str__(self) -> str:
        return f"({_told(self.lower)}, {_told(self.upper)})"


def _told(number: complex) -> str:
    return f"{number:.6g}" if number.imag else f"{number.real:.6g}"
