"""What of a residual matters: its components along the functions that are amplified most.

The norm of all that could be amplified, times that of the residual, is far too much where the residual oscillates as
fast as the functions of a cell can: it hardly has a part in what the whole of the problem amplifies. That part can be
measured, on rows that were not fitted, as well as what chance makes of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.accuracy.held_out import HeldOut
from fspielm.accuracy.local import close_rows
from fspielm.accuracy.sensitivity import PROBES
from fspielm.arrays import FloatArray, NumberArray, adjoint
from fspielm.collocation import BlockRows, Finite, make_blocks
from fspielm.equations import Problem, Relation, identity
from fspielm.features import Basis
from fspielm.features.evaluation import tabulate
from fspielm.geometry import Sites
from fspielm.linalg import Factored

# Functions that are looked at, those beside them that make these sure, and steps of the iteration that finds them.
_FUNCTIONS = 32
_BESIDE = 8
_STEPS = 4
# Random sums of all functions, by which it is seen in which cells they are large.
_SUMS = 16
# Of what chance may make of a component, in standard errors.
_CHANCE = 3.0
# Cells next to each other may err alike.
_TOGETHER = 2.0
# What the true solution has besides may be amplified somewhat more than what the functions of cells can show.
_AMPLE = 3.0


@final
@dataclass(frozen=True, eq=False)
class Leading:
    """The functions that a system amplifies most, in one unknown.

    Attributes
    ----------
    amplifications : (k,) array
        From the largest.
    rest : float
        The amplification of all others, at most.
    rows : (k, n) array
        These functions, of size one in the rows of the system, in the rows that are held out.
    cells : (n,) integer array
        The cell that each of those rows is of.
    by_cell : (C,) array
        By how much a deviation in each cell is amplified at most.
    """

    amplifications: FloatArray
    rest: float
    rows: NumberArray
    cells: NDArray[np.intp]
    by_cell: FloatArray

    def error(self, deviation: NumberArray) -> float:
        """What a deviation ``(n,)`` in the rows that are held out amounts to in the solution."""
        parts = np.abs(self.rows.conj() @ deviation)
        chance = np.sqrt(np.abs(self.rows) ** 2 @ np.abs(deviation) ** 2)
        leading = float(np.linalg.norm(self.amplifications * (parts + _CHANCE * chance)))
        anywhere = self.rest * float(np.linalg.norm(deviation))
        return float(np.hypot(_AMPLE * leading, min(_AMPLE * anywhere, np.linalg.norm(self.errors(deviation)))))

    def errors(self, deviation: NumberArray) -> FloatArray:
        """What it amounts to in the worst case, by the cells that it is in: in a tiny one it hardly shows elsewhere."""
        squares = np.bincount(self.cells, np.abs(deviation) ** 2, minlength=len(self.by_cell))
        return np.asarray(_AMPLE * _TOGETHER * self.by_cell * np.sqrt(squares))


@final
@dataclass(frozen=True, eq=False)
class Amplified:
    """What a system amplifies most in one unknown.

    Attributes
    ----------
    amplifications : (k,) array
    rest : float
        The next one.
    functions : (k, M) array
        Coefficients of the functions that are amplified so much.
    sums : (m, M) array
        Random sums of all functions, each amplified as it is.
    values : (n, M) array
        All functions of the basis where the solution is looked at, sparse.
    """

    amplifications: FloatArray
    rest: float
    functions: NumberArray
    sums: NumberArray
    values: NumberArray


def find_leading(
    problem: Problem, basis: Basis, factored: Factored, rng: np.random.Generator, threads: int
) -> list[Amplified]:
    """For each unknown, by iteration of a subspace."""
    probes = Sites(problem.domain.sample(PROBES, rng, "low-discrepancy"))
    weights = _weights(basis, probes.points)
    found = []
    for unknown in range(len(problem.unknowns)):
        Phi = tabulate(basis, identity(problem.dimension).on(unknown), probes, threads=threads)
        found.append(replace(_iterate(weights @ Phi, factored, rng), values=Phi))
    return found


def _weights(basis: Basis, points: FloatArray) -> NumberArray:
    """What each point stands for, as a diagonal matrix: one that is in a tiny cell by chance, for no more than that."""
    from scipy.sparse import diags_array

    squares = np.ones(len(points))
    for each in basis.on_cells:
        cells, areas = each.frames.locate(points), np.prod(each.frames.lengths, axis=1)
        met = np.bincount(cells, minlength=len(areas))
        squares = np.minimum(squares, len(points) * areas[cells] / areas.sum() / met[cells])
    return diags_array(np.sqrt(squares)).tocsr()


def _iterate(Phi: NumberArray, factored: Factored, rng: np.random.Generator) -> Amplified:
    columns = factored.shape[1]
    count = max(min(_FUNCTIONS, columns // 4, Phi.shape[0] // 4), 1)
    space: NumberArray = rng.standard_normal((columns, min(count + _BESIDE, columns)))
    Phi_H = adjoint(Phi)
    for _ in range(_STEPS):
        space = np.linalg.qr(space)[0]
        space = factored.solve_triangle(Phi_H @ (Phi @ factored.solve_triangle(space)), adjoint=True)
    space = np.linalg.qr(space)[0]
    _, sizes, right = np.linalg.svd(Phi @ factored.solve_triangle(space), full_matrices=False)
    leading = space @ adjoint(right[:count])
    sizes = sizes / np.sqrt(Phi.shape[0])
    rest = float(sizes[count]) if len(sizes) > count else 0.0
    sums = factored.solve_triangle(Phi_H @ rng.standard_normal((Phi.shape[0], _SUMS)), adjoint=True)
    functions = factored.solve_triangle(np.concatenate([leading, sums / np.sqrt(Phi.shape[0])], axis=1)).T
    return Amplified(sizes[:count], rest, functions[:count], functions[count:], Phi)


def leading_of(finite: Finite, held_out: HeldOut, blocks: Sequence[BlockRows], found: Amplified) -> Leading:
    """The functions that are amplified most, and in which cells all are large, in the rows that are held out."""
    count = len(found.functions)
    rows = rows_of(finite, held_out, blocks, np.concatenate([found.functions, found.sums]))
    cells = _cells_of(finite, held_out, blocks)
    squares = np.bincount(cells, np.mean(np.abs(rows[count:]) ** 2, axis=0), minlength=finite.pieces)
    return Leading(found.amplifications, found.rest, rows[:count], cells, np.sqrt(squares))


def rows_of(
    finite: Finite, held_out: HeldOut, blocks: Sequence[BlockRows], fields: NumberArray, problem: Problem | None = None
) -> NumberArray:
    """The rows that are held out of sums with coefficients `fields` ``(F, M)``, weighted as those fitted, ``(F, n)``.

    Less the values that they should have, where a problem is given. That may have other data than the one that was made
    finite, but rows are where something is narrow in the latter: they are the same for all.
    """
    parts = []
    for block, fitted in zip(make_blocks(problem or finite.problem, held_out.sites), blocks, strict=True):
        weight = fitted.scale * np.sqrt(fitted.count / len(block)) * held_out.emphasis.get(fitted.name, 1.0)
        known = 0.0 if problem is None else block.values
        parts.append(weight * (held_out.apply(block, finite.basis, fields, finite.threads) - known))
        parts += _rows_closely(finite, fitted, fields, problem)
    parts += [
        seam.rows.scale * np.sqrt(seam.rows.count / seam.deviation.shape[-1]) * seam.deviation
        for seam in finite.seams(fields, solve=problem is not None)
    ]
    return np.concatenate(parts, axis=-1)


def _cells_of(finite: Finite, held_out: HeldOut, blocks: Sequence[BlockRows]) -> NDArray[np.intp]:
    """The cells that these rows are of."""
    parts = []
    for fitted in blocks:
        parts.append(finite.cells_at(held_out.sites[fitted.name].points))
        close = close_rows(finite.problem, _named(fitted.name, finite.problem), finite)
        if close is not None:
            parts.append(finite.cells_at(close.block.pieces[0][1].points))
    return np.concatenate([*parts, finite.seam_cells])


def _rows_closely(finite: Finite, fitted: BlockRows, fields: NumberArray, problem: Problem | None) -> list[NumberArray]:
    """The same where something in the block is narrow."""
    close = close_rows(finite.problem, _named(fitted.name, finite.problem), finite)
    if close is None:
        return []
    sites = close.block.pieces[0][1]
    emphasis = finite.emphasis(fitted.name, sites, close.shares)
    weight = fitted.scale * np.sqrt(fitted.count * close.shares) * (1.0 if emphasis is None else emphasis)
    known = 0.0 if problem is None else _named(fitted.name, problem).values(sites)
    return [weight * (close.apply(finite, fields) - known)]


def _named(name: str, problem: Problem) -> Relation:
    return next(relation for relation in problem.relations if relation.name == name)
