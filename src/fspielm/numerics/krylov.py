"""Block Krylov spaces: orthonormal functions, and what a map makes of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fspielm.arrays import NumberArray


class Space:
    """Orthonormal functions, and what a map makes of all but the last of them.

    Parameters
    ----------
    vectors : callable
        From functions ``(M, F)``, whatever they are given by, to vectors ``(n, F)`` of an inner product.
    rounding : float
        What is left of a function beside others, of the largest of its block, that is rounding.
    """

    def __init__(self, vectors: Callable[[NumberArray], NumberArray], rounding: float) -> None:
        self._to_vectors, self._rounding = vectors, rounding
        self._functions: list[NumberArray] = []  # orthonormal
        self._vectors: list[NumberArray] = []
        self._images: list[NumberArray] = []
        self._shares: list[list[NumberArray]] = []  # of orthonormal functions in images, block by block

    @property
    def count(self) -> int:
        """Of functions."""
        return sum(each.shape[1] for each in self._functions)

    @property
    def images(self) -> NumberArray:
        """What the map makes of all functions but the last."""
        return np.concatenate(self._images, axis=1)

    def add(self, functions: NumberArray) -> NumberArray:
        """Images of the last functions; what they have besides earlier ones, orthonormal."""
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
        """Of the map on its functions, ``(all, all but the last)``; blocks have shares in those up to the next."""
        rows = np.cumsum([0, *(each.shape[1] for each in self._vectors)])
        columns = np.cumsum([0, *(each.shape[1] for each in self._images)])
        kind = np.result_type(*(part for own in self._shares for part in own))
        H = np.zeros((rows[-1], columns[-1]), dtype=kind)
        for column, own in enumerate(self._shares):
            for row, part in enumerate(own):
                H[rows[row] : rows[row + 1], columns[column] : columns[column + 1]] = part
        return H


def _orthonormal(vectors: NumberArray, functions: NumberArray, least: float) -> tuple[NumberArray, NumberArray]:
    """The same space, without what is smaller than so much."""
    U, sizes, Vh = np.linalg.svd(vectors, full_matrices=False)
    keep = sizes > least
    return U[:, keep], functions @ (Vh[keep].conj().T / sizes[keep])
