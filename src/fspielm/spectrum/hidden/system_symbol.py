"""Frequencies along the boundary at which the conditions of several unknowns let functions through.

As for one unknown (`boundary_symbol`): at each root p of the determinant of all equations there is a vector of
unknowns, ``v exp(i xi tau x + p n x)``, that satisfies them; conditions are told by what they make of these.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import ComplexArray, FloatArray
from fspielm.spectrum.hidden.boundary_symbol import BoundarySymbol
from fspielm.spectrum.hidden.frozen import Frozen

# Functions closer to a combination of others than this are not told apart from them; nor are those of roots that are
# so close, relative to their size, that rounding leaves few digits of them.
_APART, _APART_ROOTS = 1e-2, 1e-4

# Of each of some relations, what it does to each of the unknowns; None where that is nothing.
Parts = tuple[tuple[Frozen | None, ...], ...]


@final
@dataclass(frozen=True, eq=False)
class SystemSymbol:
    """Several equations and conditions at m places of a boundary part.

    Attributes
    ----------
    whole : BoundarySymbol
        That of the determinant of the equations.
    equations, conditions : tuple of tuple of Frozen
    """

    whole: BoundarySymbol
    equations: Parts
    conditions: Parts

    def falling(self, place: int, s: ComplexArray) -> ComplexArray:
        """As of `BoundarySymbol`."""
        return self.whole.falling(place, s)

    def determinant(self, places: NDArray[np.int_], s: ComplexArray) -> FloatArray:
        """As of `BoundarySymbol`; NaN also where functions are hardly independent, as all are of an elastic body."""
        r, k, d = s.shape
        each, number = np.repeat(places, k), len(self.conditions)
        flat = s.reshape(r * k, d)
        here, falling = self.whole.roots_inward(each, flat, number)
        result = np.full(r * k, np.nan)
        if here.size:
            where = each[here], flat[here], self.whole.normals[each[here]], falling
            symbols, terms = _at_roots(self.equations, *where)
            # one vector for each root, (n, roots, unknowns)
            vectors = np.conj(np.linalg.svd(symbols / terms[..., None])[2][..., -1, :])
            unit = np.linalg.norm(flat[here], axis=1)
            carried = np.concatenate([vectors, vectors * (falling / unit[:, None])[..., None]], axis=2)
            apart = np.linalg.svd(carried / np.linalg.norm(carried, axis=2, keepdims=True), compute_uv=False)[:, -1]
            conditions, terms = _at_roots(self.conditions, *where)
            values = np.einsum("njcu,nju->ncj", conditions, vectors) / terms.max(axis=1)[:, :, None]
            told = (apart > _APART) & (_separation(falling) > _APART_ROOTS)
            # functions that are alike make a determinant small, but no zero
            result[here] = np.where(told, np.abs(np.linalg.det(values)) / np.maximum(apart, _APART), np.nan)
        return result.reshape(r, k)


def _at_roots(
    parts: Parts, places: NDArray[np.int_], s: ComplexArray, normals: FloatArray, roots: ComplexArray
) -> tuple[ComplexArray, FloatArray]:
    """What relations make of unknowns at each root, ``(n, roots, relations, unknowns)``; and how large terms are."""
    found = np.zeros((*roots.shape, len(parts), len(parts[0])), dtype=np.complex128)
    terms = np.full(found.shape[:3], np.finfo(np.float64).tiny)
    for row, own in enumerate(parts):
        for column, part in enumerate(own):
            if part is not None:
                selected = part.select(places)
                powers = selected.along(s, normals)[:, None, :]
                powers = powers * roots[:, :, None] ** np.arange(powers.shape[2])
                found[:, :, row, column] = powers.sum(axis=2)
                terms[:, :, row] += selected.sizes(s, roots)
    return found, terms


def _separation(roots: ComplexArray) -> FloatArray:
    """The least distance between two of some roots ``(n, k)``, relative to the largest."""
    apart = np.abs(roots[:, :, None] - roots[:, None, :]) + np.where(np.eye(roots.shape[1]), np.inf, 0.0)
    return np.asarray(apart.min(axis=(1, 2)) / np.abs(roots).max(axis=1))
