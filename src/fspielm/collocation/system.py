"""Row blocks, and the assembled least-squares system."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, get_args

import numpy as np

from fspielm.arrays import FloatArray, NumberArray, safe_rms
from fspielm.basis.basis import Basis, LocalOperator, localise
from fspielm.collocation.nested import Nested
from fspielm.deadline import reserve_memory
from fspielm.errors import MemoryBudgetError, ProblemError, SolveError
from fspielm.geometry.points import Sites
from fspielm.machine import run_tasks
from fspielm.problem.operator import Operator
from fspielm.problem.problem import Problem
from fspielm.problem.relations import Relation
from fspielm.wording import readable_bytes

# ---- How much memory a solve will need, known before it is allocated


def check_memory(rows: int, columns: int, workspace: int, limit: float, *, itemsize: int = 8) -> int:
    """Bytes for an ``(rows, columns)`` matrix and its solve; refused above `limit`."""
    needed = matrix_bytes(rows, columns, itemsize=itemsize) + workspace
    if needed > limit:
        raise MemoryBudgetError(
            f"{columns} functions with {rows} rows need {readable_bytes(needed)} of memory, above the budget of "
            f"{readable_bytes(limit)}; use fewer functions or points, or allow more with "
            "budget=fs.Budget(memory=...)"
        )
    return needed


def matrix_bytes(rows: int, columns: int, *, itemsize: int = 8) -> int:
    """Bytes of a system with its values, in numbers of `itemsize` bytes."""
    return itemsize * rows * (columns + 1)


# ---- Row blocks: equation and conditions at their points, under names the user knows


@dataclass(frozen=True, eq=False)
class RowBlock:
    """Rows that state ``sum of operator(u) at sites = values``.

    Attributes
    ----------
    name : str
    pieces : tuple of (Operator, Sites)
        Usually one; a periodic or a jump condition is a sum over two places. All have n sites.
    values : (n,) array
    weight : float
        How much these rows count beside the others, after any scaling.
    sum_weights : (m,) array or None
        Where each row is a sum over m sites, one row's after the other's: their weights in it.
    """

    name: str
    pieces: tuple[tuple[Operator, Sites], ...]
    values: NumberArray
    weight: float = 1.0
    sum_weights: FloatArray | None = None

    def __post_init__(self) -> None:
        for _, sites in self.pieces:
            if len(sites) != self.sites:
                raise ProblemError(
                    f"the block {self.name!r} has {len(self.values)} values, but a piece at {len(sites)} sites"
                )

    def __len__(self) -> int:
        return len(self.values)

    @property
    def sites(self) -> int:
        """At how many sites its pieces are taken."""
        return len(self.values) * (1 if self.sum_weights is None else len(self.sum_weights))

    def summed(self, values: NumberArray) -> NumberArray:
        """Rows from values ``(..., sites)``: those themselves, or their sums."""
        if self.sum_weights is None:
            return values
        return np.asarray(values.reshape(*values.shape[:-1], -1, len(self.sum_weights)) @ self.sum_weights)

    def first(self, rows: int) -> RowBlock:
        """The block with so many of its rows, at most."""
        each = 1 if self.sum_weights is None else len(self.sum_weights)
        pieces = tuple((operator, sites.select(slice(rows * each))) for operator, sites in self.pieces)
        return replace(self, pieces=pieces, values=self.values[:rows])


def make_blocks(problem: Problem, sites: Mapping[str, Sites]) -> tuple[RowBlock, ...]:
    """The relations of `problem`, collocated at the sites given for each by name.

    What holds all over the domain, at interfaces, for two places or for sums over many is left out where it has no
    sites: for features that satisfy it by themselves, or that are tied there.
    """
    blocks = []
    for relation in problem.relations:
        optional = relation.region.kind in ("domain", "interface") or relation.region.shift is not None
        if (optional or relation.sum_weights is not None) and relation.name not in sites:
            continue
        blocks.append(make_block(relation, sites[relation.name]))
    return tuple(blocks)


def make_block(relation: Relation, sites: Sites) -> RowBlock:
    """One relation, collocated at these sites."""
    weights = relation.sum_weights
    values = relation.values(sites if weights is None else sites.select(slice(None, None, len(weights))))
    return RowBlock(relation.name, relation.pieces(sites), values, relation.weight, weights)


# ---- Assembly: from a basis and row blocks to one least-squares system


Scaling = Literal["none", "rms"]

# Entries a thread works on at a time: small enough to stay in its cache through the passes of a fill.
_CHUNK_ENTRIES = 2**16


@dataclass(frozen=True)
class BlockResidual:
    """How well one block of rows is met, in the units of its equation.

    Attributes
    ----------
    rms, largest : float
        Root mean square and largest deviation.
    """

    rms: float
    largest: float


@dataclass(frozen=True)
class BlockRows:
    """Where the rows of one block are in a system.

    Attributes
    ----------
    name : str
    rows : slice
    scale : float
        What they were multiplied with.
    """

    name: str
    rows: slice
    scale: float

    @property
    def count(self) -> int:
        """How many there are."""
        return int(self.rows.stop - self.rows.start)


@dataclass(frozen=True, eq=False)
class System:
    """The rows ``scale * (H beta - y)`` to be made small.

    Attributes
    ----------
    augmented : (N, M + 1) array, Fortran order, or Nested
        The matrix H and, in its last column, the values y; where H is real and they are not, their real parts. Or both
        as the rows of cells.
    blocks : tuple of BlockRows
    imaginary : (N,) array or None
        The imaginary parts of the values then: a complex matrix would take four times as long to factor.
    """

    augmented: NumberArray | Nested
    blocks: tuple[BlockRows, ...]
    imaginary: FloatArray | None = None

    @property
    def matrix(self) -> NumberArray:
        """H, shape ``(N, M)``."""
        assert isinstance(self.augmented, np.ndarray)
        return self.augmented[:, :-1]

    @property
    def values(self) -> NumberArray:
        """y, shape ``(N,)``."""
        assert isinstance(self.augmented, np.ndarray)
        last = self.augmented[:, -1]
        return last if self.imaginary is None else np.asarray(last + 1j * self.imaginary)

    @property
    def rows(self) -> dict[str, slice]:
        """The rows of each block, by name."""
        return {block.name: block.rows for block in self.blocks}

    def residuals(self, coefficients: NumberArray) -> dict[str, BlockResidual]:
        """The residual of every block, with its scaling undone."""
        deviation = self.matrix @ coefficients - self.values
        result = {}
        for block in self.blocks:
            part = np.abs(deviation[block.rows]) / block.scale
            result[block.name] = BlockResidual(float(np.sqrt(np.mean(part**2))), float(part.max()))
        return result


def assemble(
    basis: Basis,
    blocks: Sequence[RowBlock],
    *,
    scaling: Scaling = "none",
    threads: int = 1,
    leading: int | None = None,
) -> System:
    """Fill the collocation matrix, chunk by chunk on threads.

    Parameters
    ----------
    basis : Basis
    blocks : sequence of RowBlock
    scaling : {"none", "rms"}
        ``"rms"`` divides each block's rows by the root mean square of their entries, so that no block drowns
        another; the paper scales nothing.
    threads : int
    leading : int, optional
        How many of the first functions decide about the scales; all by default. Functions that are singular beside
        some of the points have derivatives there that say nothing about the others.
    """
    check_scaling(scaling)
    ends = np.cumsum([len(block) for block in blocks])
    # One row per function: columns of H are contiguous, which both the filling and LAPACK want. The values are
    # the last column, so that a factorisation of both needs no copy.
    pieces = [[localise(operator, sites, basis.components) for operator, sites in block.pieces] for block in blocks]
    dtype = basis.dtype_under(*(piece for each in pieces for piece in each))
    known = np.concatenate([block.values for block in blocks])
    reserve_memory(dtype.itemsize * (basis.size + 1.0) * float(ends[-1]), "the matrix")
    storage = np.empty((basis.size + 1, int(ends[-1])), dtype=dtype)
    transposed = storage[:-1]
    placed = []
    for block, its_pieces, end in zip(blocks, pieces, ends, strict=True):
        rows = slice(int(end) - len(block), int(end))
        out = transposed[:, rows]
        _fill_block(basis, block, its_pieces, out, threads)
        scale = block.weight * (1.0 if scaling == "none" else _rms_scale(out[:leading]))
        if scale != 1.0:
            out *= scale
            known[rows] *= scale
        placed.append(BlockRows(block.name, rows, scale))
    apart = dtype.kind != "c" and np.iscomplexobj(known)
    storage[-1] = known.real if apart else known
    return System(storage.T, tuple(placed), np.ascontiguousarray(known.imag) if apart else None)


def check_scaling(scaling: str) -> None:
    """Refuse an unknown scaling by name."""
    if scaling not in get_args(Scaling):
        raise ProblemError(f"scaling must be one of {list(get_args(Scaling))}; got {scaling!r}")


def _fill_block(basis: Basis, block: RowBlock, pieces: list[LocalOperator], out: NumberArray, threads: int) -> None:
    step = max(basis.together, _CHUNK_ENTRIES // max(block.sites, 1))
    tasks: list[Callable[[], None]] = [
        partial(_fill_columns, basis, pieces, slice(first, min(first + step, basis.size)), out, block)
        for first in range(0, basis.size, step)
    ]
    run_tasks(tasks, threads)


def _fill_columns(basis: Basis, pieces: list[LocalOperator], columns: slice, out: NumberArray, block: RowBlock) -> None:
    target = out[columns]
    # a contiguous buffer: BLAS and the cosine then run on unit strides
    buffer = np.empty((len(target), block.sites), dtype=target.dtype)
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is refused below, by name
        for index, piece in enumerate(pieces):
            basis.write(piece, columns, buffer)
            values = block.summed(buffer)
            if index == 0:
                target[...] = values
            else:
                target += values
    if not np.all(np.isfinite(target)):
        raise SolveError(
            f"the rows of {block.name!r} overflow: its derivatives of the functions are not finite; "
            "use lower frequencies (mu), or coordinates of order one"
        )


def _rms_scale(out: NumberArray) -> float:
    step = max(1, _CHUNK_ENTRIES // max(out.shape[1], 1))
    chunks = (out[first : first + step] for first in range(0, len(out), step))
    rms = float(np.sqrt(np.mean(np.concatenate([np.mean(np.abs(rows) ** 2, axis=1) for rows in chunks]))))
    return 1.0 / (rms or safe_rms(out) or 1.0)  # squares of tiny entries are zero
