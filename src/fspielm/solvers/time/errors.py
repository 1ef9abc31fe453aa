"""What windows make of errors at their start."""

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
from fspielm.collocation.least_squares import Factored, LeastSquares
from fspielm.collocation.system import BlockRows, Finite
from fspielm.estimate.residuals import Correction, HeldOut
from fspielm.estimate.sensitivity import unseen_growth
from fspielm.geometry.boundary import Sites, gauss
from fspielm.problem.operator import Operator, identity
from fspielm.problem.statement import Relation
from fspielm.solution.solution import Solution

# ---- Functions that errors of a state are followed with

# Splines of this degree; degrees of the polynomials in a cell for each of them; nodes between two knots.
_DEGREE = 5
_FOR_EACH = 4
_NODES = 6


@final
@dataclass(frozen=True, eq=False)
class Smooth:
    """Splines on a line that vanish at both ends, orthonormal on the average over it; of no line, the number one.

    Attributes
    ----------
    knots : (n,) array
        In rising order, the ends among them.
    """

    knots: FloatArray

    @classmethod
    def at_start(cls, basis: CellBasis) -> Smooth:
        """Those for the cells at the start of time."""
        frames = basis.frames
        if frames.dimension == 1:
            return cls(np.empty(0))
        first = np.flatnonzero(frames.lower[:, -1] <= frames.lower[:, -1].min())
        first = first[np.argsort(frames.lower[first, 0])]
        pieces = [_cut(frames.lower[cell, 0], frames.upper[cell, 0], int(basis.degrees[cell, 0])) for cell in first]
        knots = np.concatenate([*pieces, [frames.upper[first[-1], 0]]])
        return cls(_enough(knots))

    def __call__(self, points: FloatArray) -> FloatArray:
        """Their values at points of space and time ``(n, d)``, shape ``(n, m)``."""
        if not self.knots.size:
            return np.ones((len(points), 1))
        return np.asarray(self._splines(points[:, 0]) @ self._orthonormal)

    @cached_property
    def nodes(self) -> tuple[FloatArray, FloatArray]:
        """Places in space ``(n, d - 1)`` and shares, sums over which are means."""
        if not self.knots.size:
            return np.empty((1, 0)), np.ones(1)
        unit, shares = gauss(_NODES)
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
        from scipy.interpolate import BSpline  # which few problems need

        whole = np.concatenate([[self.knots[0]] * _DEGREE, self.knots, [self.knots[-1]] * _DEGREE])
        every = BSpline.design_matrix(np.clip(x, self.knots[0], self.knots[-1]), whole, _DEGREE).toarray()
        return np.asarray(every[:, 1:-1])


def _cut(low: float, high: float, degree: int) -> FloatArray:
    number = max(degree // _FOR_EACH, 1)
    return np.asarray(low + (high - low) * np.arange(number) / number)


def _enough(knots: FloatArray) -> FloatArray:
    """As many knots as a few splines need."""
    least = np.linspace(knots[0], knots[-1], _DEGREE + 1)
    return knots if len(knots) > _DEGREE else least


# ---- The transfer of errors through a window
# Norms of windows, multiplied, would be far too much: what one window makes of an error is not what the next one
# amplifies most. So the matrices are multiplied, and then the norm is taken.


# Where errors are looked at, during a window and at its end.
_PROBES = 400
# What is smaller than the largest by this is measured by that.
_LEAST = 1e-3


@final
@dataclass(frozen=True, eq=False)
class Start:
    """What is prescribed at the start of a window, and in which units its errors are counted.

    Attributes
    ----------
    operators : tuple of Operator
        What is prescribed of the unknowns.
    unknowns : (S,) integer array
        The unknown that each is of.
    sizes : (S,) array
        Of what is prescribed: root mean squares over the window.
    errors : Smooth
        Those of each of them, in units of these sizes: m functions.
    """

    operators: tuple[Operator, ...]
    unknowns: NDArray[np.intp]
    sizes: FloatArray
    errors: Smooth


@final
@dataclass(frozen=True, eq=False)
class Transfer:
    """How errors go through a window.

    Attributes
    ----------
    start : Start
    end : float
        When it ends.
    scales : (U,) array
        Sizes of the unknowns during the window.
    during : (n, S m) array
        What errors at the start become during the window, relative to these; squares add up to means.
    growth : float
        Of the size of an error, until the end, at most.
    at_end : (S,) array
        What the window's own error amounts to at its end, of what it is in the unknown during the window.
    unseen : float
        By how much what is finer than the functions of the window grows.
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
        """What errors at the start become at the start of the window that follows, ``(S' m', S m)``."""
        places, shares = following.errors.nodes
        points = np.column_stack([places, np.full(len(places), self.end)])
        weights = (following.errors(points) * shares[:, None]).T
        found = []
        for operator, size in zip(following.operators, following.sizes, strict=True):
            local = localise(operator, Sites(points), self._basis.components)
            found.append(weights @ self._basis.sums(self._made, [local])[0].T / size)
        return np.concatenate(found)


def measure_transfer(finite: Finite, coefficients: NumberArray, method: LeastSquares) -> Transfer:
    """By the linear problem that a solution was found with, factored once more."""
    system = finite.assemble("rms")
    window = _Window(finite, method.factor(system.augmented, in_place=True), system.blocks)
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
    growth = float(np.linalg.norm(ended, 2) / np.sqrt(_PROBES))
    unseen = unseen_growth(finite.problem, basis)
    return Transfer(start, time.end, scales, passed / np.sqrt(_PROBES), growth, at_end, unseen, basis, made.T)


def _sizes(found: Sequence[float]) -> FloatArray:
    each = np.array(found)
    return np.maximum(each, _LEAST * each.max()) if each.max() > 0 else np.ones(len(each))


@dataclass(frozen=True, eq=False)
class _Window:
    """A linear problem on a window, factored."""

    finite: Finite
    factored: Factored
    blocks: Sequence[BlockRows]

    @cached_property
    def _states(self) -> list[Relation]:
        return [relation for relation in self.finite.problem.relations if relation.region.kind == "start"]

    @cached_property
    def during(self) -> list[NumberArray]:
        """All functions at places of the window, for each unknown."""
        value = identity(self.finite.problem.dimension)
        return [self._table(value.on(place), self._probes) for place in range(len(self.finite.problem.unknowns))]

    @cached_property
    def ending(self) -> list[NumberArray]:
        """What the start prescribes, of all functions at the end."""
        time = self.finite.problem.domain.time
        assert time is not None
        points = self._probes.points.copy()
        points[:, -1] = time.end
        return [self._table(state.operator, Sites(points)) for state in self._states]

    @cached_property
    def _probes(self) -> Sites:
        return Sites(self.finite.problem.domain.sample(_PROBES, np.random.default_rng(0), "low-discrepancy"))

    def _table(self, operator: Operator, sites: Sites) -> NumberArray:
        return tabulate(self.finite.basis, operator, sites, threads=self.finite.threads)

    def start(self, coefficients: NumberArray) -> Start:
        """What is prescribed, and the errors that it may have."""
        basis = self.finite.basis
        assert isinstance(basis, CellBasis)
        operators = tuple(state.operator for state in self._states)
        sizes = _sizes([safe_rms(self._table(operator, self._probes) @ coefficients) for operator in operators])
        unknowns = np.array([next(iter(operator.unknowns)) for operator in operators], dtype=np.intp)
        return Start(operators, unknowns, sizes, Smooth.at_start(basis))

    def own(self, coefficients: NumberArray) -> FloatArray:
        """About how wrong the solution is by itself, during the window and at its end."""
        held_out = HeldOut.draw(self.finite, np.random.default_rng(0))
        errors = Correction(self.finite, held_out, self.blocks, self.factored, (*self.during, *self.ending))
        return np.array(errors.errors(errors.deviations(coefficients, self.finite.problem)))

    def responses(self, start: Start) -> NumberArray:
        """Coefficients ``(M, S m)`` of what each of the errors at the start makes."""
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

# Errors from before that are larger, relative to the solution, do not grow as the linear problem says.
_LINEAR = 1e-2


@final
@dataclass(frozen=True, eq=False)
class Uncertain:
    """A window and the errors of the state that it began with.

    Attributes
    ----------
    transfer : Transfer
    own : (U,) array
        The window's own error in each unknown: a root mean square.
    spread : (S m, r) array
        The errors at the start: any combination of these columns whose squares add up to one, for each of `windows`.
    windows : int
        How many there were before.
    finer : float
        What of errors may be finer than the functions of windows, relative to the state.
    """

    transfer: Transfer
    own: FloatArray
    spread: NumberArray
    windows: int = 0
    finer: float = 0.0

    @classmethod
    def first(cls, transfer: Transfer, solution: Solution) -> Uncertain:
        """The first window: what it begins with is given."""
        return cls(transfer, own_errors(solution), np.zeros((transfer.during.shape[1], 1)))

    def followed(self, transfer: Transfer, solution: Solution) -> Uncertain:
        """The window after it."""
        start = transfer.start
        carried = self.transfer.onward(start) @ self.spread
        added = self.transfer.at_end * self.own[start.unknowns] / start.sizes
        every = np.hstack([carried, np.diag(np.repeat(added, len(carried) // len(added)))])
        # the same combinations, of fewer columns
        spread = np.asarray(np.linalg.qr(every.conj().T).R).conj().T
        finer = float(added.max()) + self.transfer.unseen * self.finer
        return Uncertain(transfer, own_errors(solution), spread, self.windows + 1, finer)

    @cached_property
    def carried(self) -> float:
        """What the errors at the start become during the window, relative to the solution, at most."""
        shown = float(np.linalg.norm(self.transfer.during @ self.spread, 2) * np.sqrt(self.windows))
        return max(shown, self.transfer.unseen * self.finer)

    @property
    def errors(self) -> FloatArray:
        """Of each unknown, ``(U,)``: root mean squares."""
        if self.carried > _LINEAR:
            return np.full(len(self.own), np.inf)
        return np.asarray(self.own + self.carried * self.transfer.scales)


def own_errors(solution: Solution) -> FloatArray:
    """The root mean square error of each unknown that an estimate tells, ``(U,)``."""
    fields = solution.estimate.fields
    return np.array([field.relative * field.size / (1 + field.relative) for field in fields])
