"""Operators with their coefficients frozen at some sites, and what they make of exponentials ``exp(s x)``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import ComplexArray, FloatArray, NumberArray, real_parts
from fspielm.basis.basis import expand_powers
from fspielm.deadline import check_deadline
from fspielm.estimate.narrow import look_closely
from fspielm.geometry.points import Sites
from fspielm.problem.operator import Operator, once
from fspielm.problem.problem import Problem

# Coefficients below this share of their largest are rounding: a square that is nowhere negative may be, by that.
_NOTHING = 1e-12
# Leading coefficients of a polynomial below this share of the largest belong to roots beyond all bounds.
_NEGLIGIBLE = 1e-14
# Sites inside; and those beside the ones where a coefficient is extreme.
_SITES = 512
_FEW = 4


@final
@dataclass(frozen=True, eq=False)
class Frozen:
    """An operator at n sites.

    Attributes
    ----------
    orders : (T, d) integer array
    coefficients : (n, T) array
    """

    orders: NDArray[np.int_]
    coefficients: NumberArray

    def select(self, index: NDArray[np.int_]) -> Frozen:
        """The same at some of the sites, or at some of them several times."""
        return Frozen(self.orders, self.coefficients[index])

    def along(self, s: ComplexArray, direction: FloatArray) -> ComplexArray:
        """Coefficients of ``p^0, p^1, ...`` in the symbol at ``s + p direction``, shape ``(n, degree + 1)``.

        Parameters
        ----------
        s : (n, d) array
            An exponent for each of the sites.
        direction : (n, d) array
        """
        check_deadline()
        degree = int(self.orders.sum(axis=1).max(initial=0))
        return np.asarray(np.einsum("mtk,mt->mk", expand_powers(self.orders, s, direction, degree), self.coefficients))

    def sizes(self, s: ComplexArray, p: ComplexArray) -> FloatArray:
        """How large its terms are at exponents ``s`` ``(n, d)`` and some across them, ``(n, k)``, taken together."""
        size = np.linalg.norm(s, axis=1)[:, None] + np.abs(p)
        orders = self.orders.sum(axis=1)
        return np.asarray((np.abs(self.coefficients)[:, None] * size[:, :, None] ** orders).sum(axis=2))

    def principal(self) -> Frozen:
        """The part of highest order."""
        order = self.orders.sum(axis=1)
        highest = order == order.max()
        return Frozen(self.orders[highest], self.coefficients[:, highest])


def freeze(operator: Operator, sites: Sites) -> Frozen:
    """The operator at some sites; a ProblemError where a coefficient has no value."""
    values = np.stack([term.at(sites) for term in operator.terms], axis=1)
    values = np.where(np.abs(values) <= _NOTHING * np.abs(values).max(axis=0, initial=0.0), 0.0, values)
    return Frozen(np.array([term.orders for term in operator.terms], dtype=np.int_), values)


@once
def freeze_inside(problem: Problem) -> tuple[FloatArray, Frozen]:
    """Points of the domain, and the operator at them; where it is constant, a single one, which may be any.

    With those where something is narrow, which the others would miss.
    """
    if problem.determinant.is_constant:
        points = problem.domain.bounding_box[0][None]
    else:
        points = problem.domain.sample(_SITES, np.random.default_rng(0), "low-discrepancy")  # only looks
        inside = [relation for relation in problem.relations if relation.region.kind == "domain"]
        narrow = [place.sites.points for relation in inside for place in look_closely(problem, relation).places]
        points = np.concatenate([points, *narrow])
    return points, freeze(problem.determinant, Sites(points))


def telling(*operators: Frozen) -> NDArray[np.int_]:
    """Which sites tell most of operators at the same ones: where a coefficient is extreme, and a few others."""
    values = np.concatenate([operator.coefficients for operator in operators], axis=1)
    some = np.linspace(0, len(values) - 1, min(_FEW, len(values))).astype(int)
    extreme = [at for part in real_parts(values) for at in (part.argmin(axis=0), part.argmax(axis=0))]
    chosen = np.unique(np.concatenate([*extreme, some]))
    # where nothing varies, one tells all
    _, first = np.unique(values[chosen], axis=0, return_index=True)
    return np.asarray(chosen[np.sort(first)], dtype=np.int_)


def without_phase(values: NumberArray) -> FloatArray | None:
    """The columns of an array, each divided by a complex number of size one that makes it real; None if one has none.

    An equation times the imaginary unit is the same equation.
    """
    if not np.iscomplexobj(values):
        return values
    largest = values[np.abs(values).argmax(axis=0), np.arange(values.shape[1])]
    turned = values * np.conj(largest / np.maximum(np.abs(largest), np.finfo(np.float64).tiny))
    is_real = np.all(np.abs(turned.imag) <= _NOTHING * np.abs(largest))
    return np.asarray(turned.real) if is_real else None


def roots_of(polynomials: ComplexArray, unit: FloatArray) -> ComplexArray:
    """Roots of polynomials ``(n, degree + 1)``, the lowest power first: ``(n, degree)``, NaN where a degree is less.

    Parameters
    ----------
    polynomials : (n, degree + 1) array
    unit : (n,) array
        Sizes that roots are compared with.
    """
    degree = polynomials.shape[1] - 1
    scaled = polynomials * unit[:, None] ** np.arange(degree + 1)
    largest = np.abs(scaled).max(axis=1)
    roots = np.full((len(scaled), degree), np.nan + 0j)
    left = largest > 0
    for power in range(degree, 0, -1):
        here = np.flatnonzero(left & (np.abs(scaled[:, power]) > _NEGLIGIBLE * largest))
        left[here] = False
        if here.size:
            roots[here, :power] = _roots(scaled[here, : power + 1])
    return np.asarray(roots * unit[:, None])


def _roots(polynomials: ComplexArray) -> ComplexArray:
    degree = polynomials.shape[1] - 1
    monic = polynomials[:, :-1] / polynomials[:, -1:]
    if degree == 1:
        return -monic
    if degree == 2:
        c, b = monic.T
        root = np.sqrt(b * b - 4 * c)
        larger = -0.5 * (b + np.where((np.conj(b) * root).real < 0, -root, root))
        other = np.divide(c, larger, out=np.zeros_like(c), where=larger != 0)
        return np.stack([larger, other], axis=1)
    companion = np.zeros((len(monic), degree, degree), dtype=np.complex128)
    companion[:, np.arange(1, degree), np.arange(degree - 1)] = 1.0
    companion[:, :, -1] = -monic
    return np.asarray(np.linalg.eigvals(companion))
