"""One round: draw, assemble, solve, estimate."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TypeVar

import numpy as np

from fspielm.arrays import FloatArray, safe_norm
from fspielm.collocation import BlockResidual, Points, RowBlock, Scaling, System, assemble, make_blocks
from fspielm.equations import Problem
from fspielm.features import Basis, Family, JoinedBasis, SourceBasis
from fspielm.geometry import Sites
from fspielm.linalg import Factored, LeastSquares
from fspielm.solution import ErrorEstimate, estimate_error
from fspielm.solvers.cost import work
from fspielm.solvers.probing import probe

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Streams:
    """Independent random numbers for features, for points, and for everything that only looks."""

    features: np.random.Generator
    points: np.random.Generator
    probes: np.random.Generator


@dataclass(frozen=True, eq=False)
class Reusable:
    """What serves for other data of the same problem: the factored system and where its rows are."""

    factorisation: Factored
    system: System
    sites: Mapping[str, Sites]


@dataclass(frozen=True, eq=False)
class Attempt:
    """One solve with everything decided, and what it showed."""

    family: Family
    basis: Basis
    coefficients: FloatArray
    points: Points
    counts: Mapping[str, int]
    residuals: Mapping[str, BlockResidual]
    rank: int
    condition: float
    seconds: Mapping[str, float]
    estimate: ErrorEstimate | None
    reusable: Reusable | None = None

    @property
    def rows(self) -> int:
        """Rows of the system."""
        return sum(self.counts.values())

    @property
    def work(self) -> float:
        """Floating-point operations, about."""
        return work(self.rows, self.basis.size)

    @property
    def growth(self) -> float:
        """Norm of the coefficients over the size of the solution: large where the band is too narrow."""
        assert self.estimate is not None
        scale = self.estimate.scale
        return safe_norm(self.coefficients) / scale if scale > 0 else 0.0


def attempt(
    problem: Problem,
    family: Family,
    points: Points,
    method: LeastSquares,
    scaling: Scaling,
    streams: Streams,
    *,
    threads: int,
    estimate: bool,
    keep_matrix: bool,
    reuse: bool = False,
    columns: Sequence[Basis] = (),
) -> Attempt:
    """Solve once.

    Parameters
    ----------
    estimate : bool
        Whether to estimate the error; with a method that leaves no triangle this costs a factorisation more.
    keep_matrix : bool
        Whether residuals are those of the fitted rows, which needs a second copy of the matrix; otherwise they
        are those of the held-out rows, and the method works in place.
    reuse : bool
        Whether to keep the factored system, as large as the matrix, for further right-hand sides.
    columns : sequence of Basis
        Functions beside the features, such as singular ones.
    """
    seconds: dict[str, float] = {}
    basis, seconds["features"] = timed(lambda: draw_basis(problem, family, columns, streams.features))
    sites, seconds["points"] = timed(lambda: points.draw(problem, streams.points))
    blocks = make_blocks(problem, sites)
    sources = any(isinstance(part, SourceBasis) for part in columns)
    leading = basis.size - sum(part.size for part in columns) if sources else None
    system, seconds["assembly"] = timed(
        lambda: assemble(basis, blocks, scaling=scaling, threads=threads, leading=leading)
    )
    (factored, coefficients, condition), seconds["solve"] = timed(lambda: _solve(system, method, not keep_matrix))
    verdict, seconds["estimate"] = timed(
        lambda: (
            _estimate(problem, family, basis, factored, system, blocks, points, streams, threads) if estimate else None
        )
    )
    return Attempt(
        family=family,
        basis=basis,
        coefficients=coefficients,
        points=points,
        counts={block.name: len(block) for block in blocks},
        residuals=system.residuals(coefficients) if verdict is None or keep_matrix else verdict.residuals,
        rank=factored.rank,
        condition=condition,
        seconds=seconds,
        estimate=verdict,
        reusable=Reusable(factored, system, sites) if reuse else None,
    )


def draw_basis(problem: Problem, family: Family, columns: Sequence[Basis], rng: np.random.Generator) -> Basis:
    """The features of a family for a problem, and other columns beside them."""
    lower, upper = problem.domain.bounding_box
    time_axis = None if problem.domain.time is None else problem.dimension - 1
    drawn = family.draw(problem.dimension, rng, time_axis=time_axis, center=0.5 * (lower + upper), problem=problem)
    return JoinedBasis([drawn, *columns]) if columns else drawn


def _solve(system: System, method: LeastSquares, in_place: bool) -> tuple[Factored, FloatArray, float]:
    factored = method.factor(system.augmented, in_place=in_place)
    return factored, factored.coefficients, factored.condition  # which take their time when first asked for


def _estimate(
    problem: Problem,
    family: Family,
    basis: Basis,
    factored: Factored,
    system: System,
    blocks: Sequence[RowBlock],
    points: Points,
    streams: Streams,
    threads: int,
) -> ErrorEstimate:
    sensitivity = probe(problem, family, basis, factored, system, blocks, streams.probes, threads=threads)
    return estimate_error(
        problem,
        basis,
        factored.coefficients,
        factored,
        system,
        points,
        streams.probes,
        threads=threads,
        sensitivity=sensitivity,
    )


def timed(step: Callable[[], T]) -> tuple[T, float]:
    """The result of `step` and the seconds it took."""
    start = perf_counter()
    result = step()
    return result, perf_counter() - start
