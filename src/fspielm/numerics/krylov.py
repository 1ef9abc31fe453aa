"""Block Krylov spaces: orthonormal functions and their images under a map."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fspielm.arrays import NumberArray


class Space:
    """Orthonormal functions, and the images under a map of all but the last block.

    Parameters
    ----------
    vectors : callable
        From functions ``(M, F)``, in any representation, to vectors ``(n, F)`` of an inner product.
    rounding : float
        Remainders after orthogonalization below this share of the largest function of the block are rounding.
    """

    def __init__(self, vectors: Callable[[NumberArray], NumberArray], rounding: float) -> None:
        self._to_vectors, self._rounding = vectors, rounding
        self._functions: list[NumberArray] = []  # orthonormal
        self._vectors: list[NumberArray] = []
        self._images: list[NumberArray] = []
        self._shares: list[list[NumberArray]] = []  # components of the images, block by block

    @property
    def count(self) -> int:
        """Number of functions."""
        return sum(each.shape[1] for each in self._functions)

    @property
    def images(self) -> NumberArray:
        """The images of all functions but the last block."""
        return np.concatenate(self._images, axis=1)

    def add(self, functions: NumberArray) -> NumberArray:
        """Add the images of the last functions; return their orthonormal part beyond the earlier functions."""
        vectors = self._to_vectors(functions)
        if self._functions:
            self._images.append(functions)
        given = vectors
        for _ in range(2):
            for known, own in zip(self._vectors, self._functions, strict=True):
                shares = known.conj().T @ vectors
                vectors, functions = vectors - known @ shares, functions - own @ shares
        least = self._rounding * float(np.linalg.norm(given, axis=0).max(initial=0.0))
        vectors, functions = _orthonormal(*_orthonormal(vectors, functions, least), 0.0)
        self._vectors.append(vectors)
        self._functions.append(functions)
        if self._images:
            self._shares.append([known.conj().T @ given for known in self._vectors])
        return functions

    @property
    def matrix(self) -> NumberArray:
        """The block Hessenberg matrix of the map, ``(all functions, all but the last block)``."""
        rows = np.cumsum([0, *(each.shape[1] for each in self._vectors)])
        columns = np.cumsum([0, *(each.shape[1] for each in self._images)])
        kind = np.result_type(*(part for own in self._shares for part in own))
        H = np.zeros((rows[-1], columns[-1]), dtype=kind)
        for column, own in enumerate(self._shares):
            for row, part in enumerate(own):
                H[rows[row] : rows[row + 1], columns[column] : columns[column + 1]] = part
        return H


def _orthonormal(vectors: NumberArray, functions: NumberArray, least: float) -> tuple[NumberArray, NumberArray]:
    """An orthonormal basis of the same space, without singular values up to `least`."""
    U, sizes, Vh = np.linalg.svd(vectors, full_matrices=False)
    keep = sizes > least
    return U[:, keep], functions @ (Vh[keep].conj().T / sizes[keep])
