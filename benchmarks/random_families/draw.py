"""Random numbers for problems that can be read."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray


class Draw:
    """Random numbers with few digits, so that problems can be read; `slower` divides the highest frequency."""

    def __init__(self, rng: np.random.Generator, dimension: int = 0, slower: float = 1.0) -> None:
        self.rng = rng
        self.dimension = dimension
        self.slower = slower

    def between(self, low: float, high: float) -> float:
        """Uniform, to three digits."""
        return float(f"{self.rng.uniform(low, high):.3g}")

    def log_between(self, low: float, high: float) -> float:
        """Uniform in the logarithm, to three digits."""
        return float(f"{math.exp(self.rng.uniform(math.log(low), math.log(high))):.3g}")

    def chance(self, probability: float) -> bool:
        """True with that probability."""
        return bool(self.rng.random() < probability)

    def one_of(self, items: Sequence[Any]) -> Any:
        """Any of the items."""
        return items[int(self.rng.integers(len(items)))]

    def frequency(self) -> float:
        """An angular frequency on [-1, 1], at most as high as a solve of some seconds resolves."""
        return math.pi * self.log_between(0.3, {1: 30.0, 2: 4.5, 3: 1.2}[self.dimension] / self.slower)

    def direction(self) -> list[float]:
        """A unit vector."""
        vector = self.rng.standard_normal(self.dimension)
        return [float(f"{v:.3g}") for v in vector / np.linalg.norm(vector)]

    def frame(self, dimension: int | None = None) -> NDArray[np.float64]:
        """Orthonormal vectors, as rows, with all their digits."""
        n = dimension or self.dimension
        rows: NDArray[np.float64] = np.linalg.qr(self.rng.standard_normal((n, n)))[0]
        return rows

    def least_radius(self) -> float:
        """How close to the domain, or how narrow, a feature of the solution may be."""
        return {1: 0.08, 2: 0.6, 3: 1.5}[self.dimension]

    def center(self, s: Sequence[sp.Expr]) -> sp.Expr:
        """Squared distance from a random point of the domain."""
        return sum((v - self.between(-1, 1)) ** 2 for v in s)

    def phase(self) -> float:
        """An angle."""
        return self.between(0, 6.28)


def dot(a: Iterable[float], s: Sequence[sp.Expr]) -> sp.Expr:
    """A linear function of coordinates, with all digits of its numbers."""
    return sum(float(x) * y for x, y in zip(a, s, strict=True))
