"""Numerical tools shared by all rooms: Chebyshev expansions, roots, sampling, Krylov spaces, special functions."""

from fspielm.numerics.krylov import Space
from fspielm.numerics.roots import bisect, halves, newton_between
from fspielm.numerics.sampling import Sampling, check_count, check_sampling, kronecker, reject, unit_stream

__all__ = [
    "Sampling",
    "Space",
    "bisect",
    "check_count",
    "check_sampling",
    "halves",
    "kronecker",
    "newton_between",
    "reject",
    "unit_stream",
]
