"""Polynomials on a box: their values, and the same ones on a smaller box."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import final

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.features.evaluation.chebyshev import lobatto, polynomials, sum_polynomials


@final
@dataclass(frozen=True, eq=False)
class Polynomials:
    """R polynomials on one box.

    Attributes
    ----------
    lower, upper : (d,) arrays
        The ends of the box.
    coefficients : (R, p, ..., p) array
        Of Chebyshev's polynomials.
    """

    lower: FloatArray
    upper: FloatArray
    coefficients: FloatArray

    @property
    def ends(self) -> tuple[FloatArray, FloatArray]:
        """Of the box."""
        return self.lower, self.upper

    def at(self, places: FloatArray) -> FloatArray:
        """Values ``(R, n)`` at `places` ``(d, n)`` on the box."""
        return sum_polynomials(self.coefficients, unit_places(places, self.lower, self.upper))

    def within(self, lower: FloatArray, upper: FloatArray) -> Polynomials:
        """The same polynomials on a box inside of this one."""
        count = self.coefficients.shape[-1]
        nodes = lobatto(count)
        ends = unit_places(np.stack([lower, upper], axis=1), self.lower, self.upper)
        coefficients = self.coefficients
        for axis, (low, high) in enumerate(ends, start=1):
            here = polynomials(0.5 * (1 - nodes) * low + 0.5 * (1 + nodes) * high, count)
            matrix = here @ _from_nodes(count)
            coefficients = np.moveaxis(np.moveaxis(coefficients, axis, -1) @ matrix, -1, axis)
        return Polynomials(lower, upper, coefficients)


def join(terms: tuple[Polynomials, ...], last: Polynomials) -> tuple[Polynomials, ...]:
    """All of them, those on the same box added up."""
    if not terms or not all(map(np.array_equal, terms[-1].ends, last.ends)):
        return (*terms, last)
    return (*terms[:-1], Polynomials(*last.ends, terms[-1].coefficients + last.coefficients))


def add_up(terms: Sequence[Polynomials], lower: FloatArray, upper: FloatArray) -> Polynomials:
    """The sum of polynomials on boxes that all hold the one between `lower` and `upper` ``(d,)``, there."""
    if len(terms) == 1:
        return terms[0]
    return Polynomials(lower, upper, np.sum([term.within(lower, upper).coefficients for term in terms], axis=0))


def unit_places(places: FloatArray, lower: FloatArray, upper: FloatArray) -> FloatArray:
    """Where `places` ``(..., n)`` lie between the ends ``(...)``, from -1 to 1; 0 where those are the same."""
    low, high = lower[..., None], upper[..., None]
    return np.divide((places - low) - (high - places), high - low, out=np.zeros_like(places), where=high > low)


@cache
def _from_nodes(count: int) -> FloatArray:
    """From values at the nodes (a row) to coefficients."""
    return np.asarray(np.linalg.inv(polynomials(lobatto(count), count)))
