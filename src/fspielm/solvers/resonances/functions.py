"""Functions that satisfy the equation and radiate, at every value of a symbol: around the same places."""

from __future__ import annotations

import cmath
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import final

import numpy as np
import scipy
import sympy as sp

from fspielm.arrays import ComplexArray, FloatArray, NumberArray
from fspielm.collocation import BlockRows, Discretisation
from fspielm.equations import Problem, identity
from fspielm.equations.media import media_of
from fspielm.equations.open_domain import ratio_of
from fspielm.equations.two_sided import two_sided
from fspielm.features.evaluation import tabulate
from fspielm.features.outward.continued import at_wavenumbers
from fspielm.geometry import Sites
from fspielm.solvers.modes.pencil import with_value
from fspielm.solvers.trial import FeatureTrial

# Places of the window on either side of the boundary, and for each function.
_PLACES, _EACH = 100, 0.15
# How many data drive fields, in the plane and in space: more than there are modes of one value.
_DRIVES = {2: 6, 3: 30}
# Functions that others make up to so much are left out.
_DEPENDENT = 1e-15
# Wavenumbers of larger angles are turned round.
_TURNED = 0.75 * np.pi


def waves_of(problem: Problem) -> tuple[complex, ...]:
    """Wavenumbers outside of the objects and, where they have a field, inside.

    Below the real axis these are the continuation of waves that leave, rather than the root that falls off. Inside they
    are as they were stated, up to their signs: a root would have a cut where metals are.
    """
    first, *_ = two_sided(problem).equations
    inside = [medium.condition.number(problem.givens) for medium in media_of(problem)]
    return cmath.sqrt(ratio_of(first.operator)), *(-k if abs(cmath.phase(k)) > _TURNED else k for k in inside)


@final
@dataclass(frozen=True, eq=False)
class Rows:
    """What functions are at one value.

    Attributes
    ----------
    value : complex
    finite : Discretisation
    conditions : (n, M) array
        What they leave in conditions, scaled; squares add up to a mean.
    window : (m, M) array
        What they are in the window, likewise.
    data : (n, L) array
        What drives fields.
    """

    value: complex
    finite: Discretisation
    conditions: NumberArray
    window: NumberArray
    data: NumberArray

    @property
    def response(self) -> ComplexArray:
        """Fields in the window, driven by the data, ``(m, L)``: as functions of the value, with poles at resonances."""
        R, order, sizes, data = self._factored
        solved = scipy.linalg.solve_triangular(R, data, check_finite=False)
        return np.asarray((self.window[:, order] / sizes[order]) @ solved)

    @property
    def amplification(self) -> float:
        """How large fields in the window are for data of size one, at most."""
        R, order, sizes, _ = self._factored
        window = (self.window[:, order] / sizes[order]).T
        return float(np.linalg.norm(scipy.linalg.solve_triangular(R, window, trans="T", check_finite=False), 2))

    @cached_property
    def _factored(self) -> tuple[ComplexArray, NumberArray, FloatArray, ComplexArray]:
        """R of the conditions, for the functions that are needed first, which these are, sizes of all, and Q* data.

        Pivots are chosen in a square factor, as choosing them is slow: plain QR of all rows comes before it.
        """
        sizes = np.linalg.norm(self.conditions, axis=0)
        count = len(sizes)
        plain = np.asarray(np.linalg.qr(np.column_stack([self.conditions / sizes, self.data]), mode="r"))
        Q, R, order = scipy.linalg.qr(plain[:count, :count], mode="economic", pivoting=True, check_finite=False)
        rank = int(np.count_nonzero(np.abs(np.diag(R)) > _DEPENDENT * abs(R[0, 0])))
        return R[:rank, :rank], order[:rank], sizes, Q[:, :rank].conj().T @ plain[:count, count:]

    def smallest(self, count: int) -> tuple[ComplexArray, int, float]:
        """Coefficients ``(M, count)`` of functions that leave least in the conditions, orthonormal in the window.

        And how many functions do not depend on others, and their condition.
        """
        fitted = len(self.conditions)
        rows = np.concatenate([self.conditions, self.window])
        sizes = np.linalg.norm(rows, axis=0)
        U, S, Vh = np.linalg.svd(rows / sizes, full_matrices=False)
        rank = int(np.count_nonzero(10 * _DEPENDENT * S[0] < S))
        _, _, Yh = np.linalg.svd(np.linalg.qr(U[:fitted, :rank], mode="r"))
        own = (Vh[:rank].conj().T / S[:rank]) @ Yh[-count:].conj().T / sizes[:, None]
        _, R = np.linalg.qr(self.window @ own)
        return np.asarray(np.linalg.solve(R.T, own.T).T, dtype=np.complex128), rank, float(S[0] / S[rank - 1])


@final
@dataclass(frozen=True, eq=False)
class Left:
    """What k functions leave in the condition of a name, ``(n, k)``, in its own units; and what that is scaled with."""

    name: str
    scale: float
    values: NumberArray


@final
@dataclass(frozen=True, eq=False)
class OpenFunctions:
    """Functions of one kind and number for all values of a rectangle, at the same places.

    Attributes
    ----------
    problem : Problem
    symbol : Symbol
    trial : FeatureTrial
    first : Discretisation
        At the largest value.
    """

    problem: Problem
    symbol: sp.Symbol
    trial: FeatureTrial
    first: Discretisation

    def at(self, value: complex) -> Rows:
        """All that is known of them at a value."""
        problem = two_sided(with_value(self.problem, self.symbol, value))
        basis = at_wavenumbers(self.first.basis, waves_of(problem))
        finite = replace(self.first, problem=problem, drawn=basis)
        window = [
            tabulate(basis, identity(problem.dimension).on(place), sites, threads=finite.threads)
            for place, sites in enumerate(self.window)
        ]
        scale = 1 / np.sqrt(sum(map(len, self.window)))
        conditions = finite.further_columns(basis, self._scaled)
        return Rows(value, finite, conditions, scale * np.concatenate(window), self._data)

    def left(self, rows: Rows, coefficients: ComplexArray) -> tuple[Left, ...]:
        """What functions leave in conditions at places that were not fitted, block by block."""
        finite = replace(rows.finite, sites=rows.finite.hold_out(np.random.default_rng(1)).sites)
        plain = finite.assemble("none")
        left = plain.matrix @ coefficients
        return tuple(
            Left(own.name, fitted.scale * np.sqrt(fitted.count / own.count), left[own.rows])
            for own, fitted in zip(plain.blocks, self._scaled, strict=True)
        )

    @property
    def drives(self) -> int:
        """How many different data fields are driven by: no more modes of one value are seen."""
        return _DRIVES[self.problem.dimension]

    @cached_property
    def window(self) -> tuple[Sites, ...]:
        """Places in the window: outside of the objects and, where they have a field, inside."""
        count = max(_PLACES, int(_EACH * self.first.basis.size))
        domains = [unknown.domain for unknown in self.first.problem.unknowns]
        return tuple(Sites(domain.sample(count, np.random.default_rng(0), "low-discrepancy")) for domain in domains)

    @cached_property
    def _scaled(self) -> Sequence[BlockRows]:
        blocks = self.first.assemble("rms").blocks
        return [replace(each, scale=each.scale / np.sqrt(each.count)) for each in blocks]

    @cached_property
    def _data(self) -> NumberArray:
        """What drives fields: what the functions themselves, mixed, leave in conditions at the largest value.

        So what they hold is driven, as strongly as they hold it, waves along surfaces that are much shorter than others
        too; and nothing that they cannot.
        """
        columns = self.first.further_columns(self.first.basis, self._scaled)
        size = self.first.basis.size
        mixed = np.random.default_rng(size).standard_normal((size, self.drives))  # others for other functions
        return np.asarray((columns / np.linalg.norm(columns, axis=0)) @ mixed / np.sqrt(size))
