"""Effective frequencies drawn by the families that the solver draws from, and their moments with errors."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias, final

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.errors import ProblemError
from fspielm.features import GFF, Family, FrequencyShift
from fspielm.features.families import check_count

Scheme: TypeAlias = Literal["scaling", "shift"]

SCHEMES: tuple[Scheme, ...] = ("scaling", "shift")

# Neurons drawn at a time: their weights are not kept, only the norms.
_PORTION = 2**17


@final
@dataclass(frozen=True)
class Sample:
    """Mean and variance of a sample, each with its standard error."""

    size: int
    mean: float
    mean_error: float
    variance: float
    variance_error: float


def effective_frequencies(
    family: Family, dimension: int, rng: np.random.Generator, *, time_axis: int | None = None
) -> FloatArray:
    """The norms of the weights of one draw from `family`, shape ``(neurons,)``."""
    basis = family.draw(dimension, rng, time_axis=time_axis)
    if basis.frequencies is None:
        raise ProblemError(f"effective frequencies need a family of ridge functions; got {type(family).__name__}")
    return np.asarray(np.linalg.norm(basis.frequencies, axis=1))


def draw_frequencies(scheme: Scheme, dimension: int, mu: float, samples: int, rng: np.random.Generator) -> FloatArray:
    """Effective frequencies of `samples` neurons that share the magnitude `mu`."""
    check_count("samples", samples)
    sizes = [min(_PORTION, samples - start) for start in range(0, samples, _PORTION)]
    return np.concatenate([effective_frequencies(_family(scheme, size, mu), dimension, rng) for size in sizes])


def sample_moments(values: FloatArray) -> Sample:
    """Mean and variance of independent values, with standard errors that assume no distribution."""
    n = len(values)
    if n < 2:
        raise ProblemError(f"a variance needs at least 2 samples; got {n}")
    mean = float(values.mean())
    squares = (values - mean) ** 2
    variance = float(squares.sum()) / (n - 1)
    return Sample(
        size=n,
        mean=mean,
        mean_error=math.sqrt(variance / n),
        variance=variance,
        variance_error=float(squares.std()) / math.sqrt(n),
    )


def _family(scheme: Scheme, neurons: int, mu: float) -> Family:
    """One family of each scheme; SIREN-PIELM and GFF-PIELM draw their weights alike."""
    if scheme not in SCHEMES:
        raise ProblemError(f"scheme must be one of {', '.join(map(repr, SCHEMES))}; got {scheme!r}")
    return GFF(neurons, (mu, mu)) if scheme == "scaling" else FrequencyShift(neurons, (mu, mu))
