"""Numerical tools shared by all rooms: Chebyshev expansions, sampling, Krylov spaces, special functions."""

from fspielm.numerics.krylov import Space
from fspielm.numerics.sampling import (
    Sampling,
    bisect,
    check_count,
    check_sampling,
    halves,
    kronecker,
    reject,
    unit_stream,
)

__all__ = [
    "Sampling",
    "Space",
    "bisect",
    "check_count",
    "check_sampling",
    "halves",
    "kronecker",
    "reject",
    "unit_stream",
]
