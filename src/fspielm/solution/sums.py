"""The unknowns as they were written, as sums of functions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fspielm.arrays import NumberArray
from fspielm.equations import Problem
from fspielm.features import Basis, Component, JoinedBasis

# Functions, and coefficients of them, one row or several.
Sum = tuple[Basis, NumberArray]


def sums_of(problem: Problem, basis: Basis, coefficients: NumberArray) -> tuple[Sum, ...]:
    """Each unknown as a sum of real functions of its own: a basis, and coefficients ``(1, M)``."""
    stacked = coefficients[None, :] if coefficients.ndim == 1 else coefficients
    each = [basis.field(place, stacked) for place in range(len(problem.unknowns))]
    if problem.whole is None:
        return tuple(each)
    pairs = zip(each[::2], each[1::2], strict=True)
    return tuple(
        (JoinedBasis([basis, other]), np.concatenate([real, 1j * imaginary], axis=1))
        for (basis, real), (other, imaginary) in pairs
    )


def with_conjugates(sums: Sequence[Sum]) -> Sum:
    """One sum for all complex unknowns, with their conjugates as further ones after all others."""
    number = 2 * len(sums)
    both = [*sums, *((basis, coefficients.conj()) for basis, coefficients in sums)]
    basis = JoinedBasis([Component(each, place, number) for place, (each, _) in enumerate(both)])
    return basis, np.concatenate([coefficients[0] for _, coefficients in both])
