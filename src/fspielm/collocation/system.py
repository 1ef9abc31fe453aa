"""Assembly: from a basis and row blocks to one least-squares system."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from fspielm.arrays import FloatArray, NumberArray, safe_rms
from fspielm.collocation.blocks import RowBlock
from fspielm.deadline import reserve_memory
from fspielm.errors import ProblemError, SolveError
from fspielm.features import Basis, LocalOperator, localise
from fspielm.machine import run_tasks

if TYPE_CHECKING:
    from fspielm.linalg.leaves import Nested

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
