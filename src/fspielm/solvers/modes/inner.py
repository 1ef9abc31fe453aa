"""The inner product in which modes are orthonormal."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, final

import numpy as np

from fspielm.arrays import FloatArray, NumberArray
from fspielm.collocation import Finite
from fspielm.deadline import memory_left
from fspielm.equations import Operator, identity
from fspielm.features import Basis, RowsInCells, localise
from fspielm.features.evaluation import evaluate, tabulate
from fspielm.geometry import Quadrature, Sites
from fspielm.solution.by_cells import with_cells
from fspielm.solution.places import find_place
from fspielm.solvers.modes.pencil import Pencil

# Nodes of a rule for functions all over the domain: for each radian along an axis, some more, and at most.
_EACH_RADIAN, _MORE, _MOST = 0.7, 12, 40_000
# Numbers in a table of functions on cells, at most.
_MOST_ENTRIES = 4e7
# Of the memory that is left, what a table of functions all over the domain may take.
_OF_MEMORY = 0.25
# Of the largest value, where signs are looked at: the first place that has about that.
_ABOUT = 0.999
# Of the largest density, what is none.
_NONE = 1e-12


class Rows:
    """An operator on the functions of a basis, at sites: as a table, where that is not too large."""

    def __init__(self, finite: Finite, operator: Operator, sites: Sites) -> None:
        basis = finite.basis
        self._cells: RowsInCells | None = None
        self._table: NumberArray | None = None
        self._sums = partial(evaluate, basis, operator=operator, sites=sites, threads=finite.threads, method="direct")
        for cells in basis.on_cells:
            each = np.diff(cells.starts)[finite.cells_at(sites.points)]
            if cells is basis and float(each.sum()) > _MOST_ENTRIES:
                self._cells = RowsInCells.at(cells, localise(operator, sites, basis.components))
                return
        if basis.on_cells or 8.0 * basis.size * len(sites) < _OF_MEMORY * memory_left():
            self._table = tabulate(basis, operator, sites, threads=finite.threads)

    def __matmul__(self, coefficients: NumberArray) -> NumberArray:
        """On sums with coefficients ``(M, F)``, shape ``(n, F)``."""
        if self._cells is not None:
            return np.asarray(self._cells.sums(coefficients.T).T)
        if self._table is None:
            return np.asarray(self._sums(coefficients.T).T)
        return np.asarray(self._table @ coefficients)


@final
@dataclass(frozen=True, eq=False)
class Inner:
    """The integral of ``conj(v) rho u`` over the domain, summed over the unknowns.

    Attributes
    ----------
    finite : Finite
    rule : Quadrature
    densities : (U, n) array
        What each unknown is multiplied with, at the nodes of the rule: what multiplies the eigenvalue in its equation,
        where that makes an inner product; otherwise one.
    """

    finite: Finite
    rule: Quadrature
    densities: FloatArray

    @cached_property
    def _rows(self) -> list[Rows]:
        """Of each unknown, at the nodes."""
        own = identity(self.finite.problem.dimension)
        return [Rows(self.finite, own.on(place), self.rule.sites) for place in range(len(self.densities))]

    @cached_property
    def _roots(self) -> list[tuple[Rows, FloatArray]]:
        """Of those that have a density, with the roots of what their squares weigh."""
        each = zip(self._rows, self.densities, strict=True)
        return [(rows, np.sqrt(self.rule.weights * density)) for rows, density in each if density.any()]

    def plain(self, place: int, coefficients: NumberArray) -> NumberArray:
        """One unknown of functions ``(M, F)`` at the nodes, shape ``(n, F)``."""
        return self._rows[place] @ coefficients

    def plain_values(self, coefficients: NumberArray) -> NumberArray:
        """All unknowns of functions ``(M, F)`` as vectors whose products are integrals without a density."""
        weights = np.sqrt(self.rule.weights)[:, None]
        return np.concatenate([weights * self.plain(place, coefficients) for place in range(len(self.densities))])

    def values(self, coefficients: NumberArray) -> NumberArray:
        """Functions with coefficients ``(M, F)`` as vectors ``(n, F)``, whose products are those of the functions."""
        return np.concatenate([weights[:, None] * (rows @ coefficients) for rows, weights in self._roots])


def sign_of(values: NumberArray) -> complex:
    """What makes a function with these values positive where it is largest, at the first of such places."""
    sizes = np.abs(values)
    first = values[np.argmax(sizes >= _ABOUT * sizes.max())]
    turn = np.conj(first) / abs(first)
    return complex(turn) if np.iscomplexobj(values) else float(turn)


def quadrature_for(finite: Finite) -> Quadrature:
    """A rule for products of two of its functions."""
    basis = finite.basis
    place = find_place(finite.problem, None, None, None, singular=not basis.is_smooth)
    if basis.on_cells:
        place = with_cells(place, basis.on_cells[0])
    lower, upper = finite.problem.domain.bounding_box
    each = _EACH_RADIAN * _reach(basis) * (upper - lower) + _MORE
    by_itself = 2 * basis.size if basis.on_cells else int(min(np.prod(each), _MOST))
    return place.rule(place.fewest if place.fewest > 1 else by_itself)


def densities_at(pencil: Pencil, sites: Sites) -> FloatArray | None:
    """By unknown ``(U, n)``: minus what multiplies the eigenvalue in its equation, if that is all, and of one sign.

    None where the eigenvalue occurs in conditions, with derivatives, with another unknown, or with higher powers.
    """
    problem = pencil.problem
    count = len(problem.unknowns)
    if pencil.degree != 1 or set(pencil.powers[0]) - {equation.name for equation in problem.equations}:
        return None
    found = np.zeros((count, len(sites)), dtype=complex)
    for place, equation in enumerate(problem.equations):
        operator = pencil.powers[0].get(equation.name)
        for term in () if operator is None else operator.terms:
            if term.order or term.unknown != place or place >= count:
                return None
            found[place] -= term.at(sites)
    largest = np.abs(found).max()
    if np.abs(found.imag).max() > _NONE * largest:
        return None
    densities = found.real * np.sign(found.real.flat[np.abs(found.real).argmax()])
    if densities.min() < -_NONE * largest or not densities.any():
        return None
    return np.asarray(np.maximum(densities, 0.0))


def _reach(basis: Basis) -> Any:
    frequencies = basis.frequencies
    return np.abs(frequencies).max(axis=0) if frequencies is not None and len(frequencies) else basis.reach
