"""Numerical tools shared by all rooms: Chebyshev expansions, roots, sampling, Krylov spaces, special functions."""

from fspielm.numerics.krylov import Space
from fspielm.numerics.roots import bisect, halves, newton_between
from fspielm.numerics.sampling import kronecker, reject, unit_stream

__all__ = [
    "Space",
    "bisect",
    "halves",
    "kronecker",
    "newton_between",
    "reject",
    "unit_stream",
]
