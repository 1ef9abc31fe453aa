"""How errors pass from window to window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray, NumberArray, safe_rms
from fspielm.basis.basis import localise
from fspielm.basis.evaluation.direct import tabulate
from fspielm.cells.basis import CellBasis, RowsInCells
from fspielm.collocation.least_squares import LeastSquares
from fspielm.collocation.nested import NestedQR
from fspielm.collocation.system import BlockRows, Finite
from fspielm.estimate.residuals import Correction
from fspielm.estimate.sensitivity import unseen_growth
from fspielm.geometry.boundary import Sites, gauss
from fspielm.numerics.tolerances import PROBES
from fspielm.problem.operator import Operator
from fspielm.problem.statement import Relation
from fspielm.solution.solution import Solution
from fspielm.solvers.newton.iteration import LINEAR, probes_in, values_of

# ---- Functions that errors of a state are followed with

# The degree of splines; polynomial degrees of a cell for each spline.
_DEGREE = 5
_FOR_EACH = 4


@final
@dataclass(frozen=True, eq=False)
class Smooth:
    """Orthonormal splines on an interval that vanish at both ends; the number one for problems in time alone.

    The `knots` are in rising order, with both ends.
    """

    knots: FloatArray

    @classmethod
    def at_start(cls, basis: CellBasis) -> Smooth:
        """The splines for the cells at the start of the window."""
        frames = basis.frames
        if frames.dimension == 1:
            return cls(np.empty(0))
        first = np.flatnonzero(frames.lower[:, -1] <= frames.lower[:, -1].min())
        first = first[np.argsort(frames.lower[first, 0])]
        knots: list[float] = []
        for low, high, degree in zip(
            frames.lower[first, 0], frames.upper[first, 0], basis.degrees[first, 0], strict=True
        ):
            number = max(degree // _FOR_EACH, 1)
            knots += list(low + (high - low) * np.arange(number) / number)
        knots.append(frames.upper[first[-1], 0])
        # at least as many as splines need
        return cls(np.array(knots) if len(knots) > _DEGREE else np.linspace(knots[0], knots[-1], _DEGREE + 1))

    def __call__(self, points: FloatArray) -> FloatArray:
        """Values ``(n, m)`` at points of space and time ``(n, d)``."""
        if not self.knots.size:
            return np.ones((len(points), 1))
        return np.asarray(self._splines(points[:, 0]) @ self._orthonormal)

    @cached_property
    def nodes(self) -> tuple[FloatArray, FloatArray]:
        """Nodes ``(n, d - 1)`` in space and weights for means."""
        if not self.knots.size:
            return np.empty((1, 0)), np.ones(1)
        unit, shares = gauss(_DEGREE + 1)
        lengths = np.diff(self.knots)
        x = self.knots[:-1, None] + lengths[:, None] * np.ravel(unit)
        weights = lengths[:, None] * np.ravel(shares) / (self.knots[-1] - self.knots[0])
        return x.reshape(-1, 1), weights.ravel()

    @cached_property
    def _orthonormal(self) -> FloatArray:
        places, shares = self.nodes
        values = self._splines(places[:, 0])
        return np.asarray(np.linalg.inv(np.linalg.cholesky(values.T @ (shares[:, None] * values))).T)

    def _splines(self, x: FloatArray) -> FloatArray:
        from scipy.interpolate import BSpline  # few problems need it

        whole = np.concatenate([[self.knots[0]] * _DEGREE, self.knots, [self.knots[-1]] * _DEGREE])
        every = BSpline.design_matrix(np.clip(x, self.knots[0], self.knots[-1]), whole, _DEGREE).toarray()
        return np.asarray(every[:, 1:-1])


# ---- The transfer of errors through a window
# The product of the norms of windows would be far too large: errors that leave one window are not those that the next
# one amplifies most. We multiply the matrices, and then take the norm.

# The least size of an unknown, relative to the largest.
_LEAST = 1e-3


@final
@dataclass(frozen=True, eq=False)
class Start:
    """The initial conditions of a window: the operator and the unknown of each, and the functions for its errors.

    The `sizes` are root mean squares of the prescribed quantities over the window; `errors` are in units of these.
    """

    operators: tuple[Operator, ...]
    unknowns: NDArray[np.intp]
    sizes: FloatArray
    errors: Smooth


@final
@dataclass(frozen=True, eq=False)
class Transfer:
    """The effect of errors at the start of a window.

    For each error at the start there are errors `during` the window ``(n, S m)``, relative to the sizes of the unknowns
    (`scales`); sums of squares are means. The `growth` is the largest one until the end, and `unseen` that of errors
    that are finer than the functions of the window. `at_end` has the window's own errors at its end, relative to those
    of the unknown during the window.
    """

    start: Start
    end: float
    scales: FloatArray
    during: NumberArray
    growth: float
    at_end: FloatArray
    unseen: float
    _basis: CellBasis
    _made: NumberArray

    def onward(self, following: Start) -> NumberArray:
        """Errors at the start of the following window for each error at this start, ``(S' m', S m)``."""
        places, shares = following.errors.nodes
        points = np.column_stack([places, np.full(len(places), self.end)])
        weights = (following.errors(points) * shares[:, None]).T
        found = []
        for operator, size in zip(following.operators, following.sizes, strict=True):
            local = localise(operator, Sites(points), self._basis.components)
            found.append(weights @ self._basis.sums(self._made, [local])[0].T / size)
        return np.concatenate(found)


def measure_transfer(finite: Finite, coefficients: NumberArray, method: LeastSquares) -> Transfer:
    """Measure the transfer by factoring the linear problem of a solution once more."""
    system = finite.assemble("rms")
    factored = method.factor(system.augmented, in_place=True)
    assert isinstance(factored, NestedQR)
    window = _Window(finite, factored, system.blocks)
    basis, time = finite.basis, finite.problem.domain.time
    assert isinstance(basis, CellBasis)
    assert time is not None
    during, ending = window.during, window.ending
    scales = _sizes([safe_rms(rows @ coefficients) for rows in during])
    start = window.start(coefficients)
    own = window.own(coefficients)
    beside, last = own[: len(during)][start.unknowns], own[len(during) :]
    usual = start.sizes / scales[start.unknowns]
    at_end = np.maximum(np.divide(last, beside, out=usual.copy(), where=beside > 0), usual)
    made = window.responses(start)
    passed = np.concatenate([rows @ made / scale for rows, scale in zip(during, scales, strict=True)])
    ended = np.concatenate([rows @ made / size for rows, size in zip(ending, start.sizes, strict=True)])
    growth = float(np.linalg.norm(ended, 2) / np.sqrt(PROBES))
    unseen = unseen_growth(finite.problem, basis)
    return Transfer(start, time.end, scales, passed / np.sqrt(PROBES), growth, at_end, unseen, basis, made.T)


def _sizes(found: Sequence[float]) -> FloatArray:
    each = np.array(found)
    return np.maximum(each, _LEAST * each.max()) if each.max() > 0 else np.ones(len(each))


@dataclass(frozen=True, eq=False)
class _Window:
    """A linear problem on a window, factored."""

    finite: Finite
    factored: NestedQR
    blocks: Sequence[BlockRows]

    @cached_property
    def _states(self) -> list[Relation]:
        return [relation for relation in self.finite.problem.relations if relation.region.kind == "start"]

    @cached_property
    def during(self) -> list[NumberArray]:
        """All functions at points of the window, for each unknown."""
        return [self._table(value, self._probes) for value in values_of(self.finite.problem)]

    @cached_property
    def ending(self) -> list[NumberArray]:
        """The quantities of the initial conditions, for all functions at the end."""
        time = self.finite.problem.domain.time
        assert time is not None
        points = self._probes.points.copy()
        points[:, -1] = time.end
        return [self._table(state.operator, Sites(points)) for state in self._states]

    @cached_property
    def _probes(self) -> Sites:
        return probes_in(self.finite.problem)

    def _table(self, operator: Operator, sites: Sites) -> NumberArray:
        return tabulate(self.finite.basis, operator, sites, threads=self.finite.threads)

    def start(self, coefficients: NumberArray) -> Start:
        """The initial conditions and their errors."""
        basis = self.finite.basis
        assert isinstance(basis, CellBasis)
        operators = tuple(state.operator for state in self._states)
        sizes = _sizes([safe_rms(self._table(operator, self._probes) @ coefficients) for operator in operators])
        unknowns = np.array([next(iter(operator.unknowns)) for operator in operators], dtype=np.intp)
        return Start(operators, unknowns, sizes, Smooth.at_start(basis))

    def own(self, coefficients: NumberArray) -> FloatArray:
        """About the error of the solution itself, during the window and at its end."""
        held_out = self.finite.hold_out(np.random.default_rng(0))
        errors = Correction(self.finite, held_out, self.blocks, self.factored, (*self.during, *self.ending))
        return np.array(errors.errors(errors.deviations(coefficients, self.finite.problem)))

    def responses(self, start: Start) -> NumberArray:
        """Coefficients ``(M, S m)`` of the solution for each error at the start."""
        basis, fitted = self.finite.basis, self.finite.fitted(self.blocks)
        assert isinstance(basis, CellBasis)
        gradients = []
        for state, size in zip(self._states, start.sizes, strict=True):
            sites, scales = fitted[state.name]
            rows = RowsInCells.at(basis, localise(state.operator, sites, basis.components))
            gradients.append(rows.adjoint(size * scales**2 * start.errors(sites.points).T))
        whole = np.concatenate(gradients).T
        return self.factored.solve_triangle(self.factored.solve_triangle(whole, adjoint=True))


# ---- Uncertainty of the state from window to window


@final
@dataclass(frozen=True, eq=False)
class Uncertain:
    """A window and the errors of the state that it began with.

    Its `own` errors are root mean squares, one for each unknown. The errors at the start are combinations of the
    columns of `spread` ``(S m, r)`` with coefficients of norm one, for each of the `windows` before. Errors that may be
    `finer` than the functions of windows are relative to the state.
    """

    transfer: Transfer
    own: FloatArray
    spread: NumberArray
    windows: int = 0
    finer: float = 0.0

    @classmethod
    def first(cls, transfer: Transfer, solution: Solution) -> Uncertain:
        """The first window, whose start has no error."""
        return cls(transfer, own_errors(solution), np.zeros((transfer.during.shape[1], 1)))

    def followed(self, transfer: Transfer, solution: Solution) -> Uncertain:
        """The following window."""
        start = transfer.start
        carried = self.transfer.onward(start) @ self.spread
        added = self.transfer.at_end * self.own[start.unknowns] / start.sizes
        every = np.hstack([carried, np.diag(np.repeat(added, len(carried) // len(added)))])
        # the same combinations with fewer columns
        spread = np.asarray(np.linalg.qr(every.conj().T).R).conj().T
        finer = float(added.max()) + self.transfer.unseen * self.finer
        return Uncertain(transfer, own_errors(solution), spread, self.windows + 1, finer)

    @cached_property
    def carried(self) -> float:
        """A bound of the errors during the window that come from the start, relative to the solution."""
        shown = float(np.linalg.norm(self.transfer.during @ self.spread, 2) * np.sqrt(self.windows))
        return max(shown, self.transfer.unseen * self.finer)

    @property
    def errors(self) -> FloatArray:
        """Root mean square errors of the unknowns, ``(U,)``."""
        if self.carried > LINEAR:  # larger ones do not grow as the linear problem predicts
            return np.full(len(self.own), np.inf)
        return np.asarray(self.own + self.carried * self.transfer.scales)


def own_errors(solution: Solution) -> FloatArray:
    """Root mean square errors of the unknowns by the error estimate, ``(U,)``."""
    fields = solution.estimate.fields
    return np.array([field.relative * field.size / (1 + field.relative) for field in fields])
