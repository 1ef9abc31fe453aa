"""Row blocks, the assembled least-squares system, discretisations of a problem, and rows held out to check them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, final, get_args

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray, NumberArray, safe_rms
from fspielm.basis.basis import Basis, JoinedBasis, LocalOperator, localise
from fspielm.basis.evaluation.direct import tabulate
from fspielm.basis.evaluation.sums import evaluate
from fspielm.basis.random.families import Family
from fspielm.collocation.nested import Nested
from fspielm.collocation.points import Points
from fspielm.errors import MemoryBudgetError, ProblemError, SolveError
from fspielm.geometry.boundary import Sites
from fspielm.problem.operator import Operator
from fspielm.problem.problem import Problem
from fspielm.problem.statement import Relation
from fspielm.resources import reserve_memory, run_tasks
from fspielm.wording import readable_bytes

if TYPE_CHECKING:
    from fspielm.cells.basis import RowsInCells


def check_memory(rows: int, columns: int, workspace: int, limit: float, *, itemsize: int = 8) -> int:
    """Bytes for a ``(rows, columns)`` matrix and its solve; refused above `limit`."""
    needed = matrix_bytes(rows, columns, itemsize=itemsize) + workspace
    if needed > limit:
        raise MemoryBudgetError(
            f"{columns} functions with {rows} rows need {readable_bytes(needed)} of memory, above the budget of "
            f"{readable_bytes(limit)}; use fewer functions or points, or allow more with "
            "budget=fs.Budget(memory=...)"
        )
    return needed


def matrix_bytes(rows: int, columns: int, *, itemsize: int = 8) -> int:
    """Bytes of a system with its values, for numbers of `itemsize` bytes."""
    return itemsize * rows * (columns + 1)


# ---- Row blocks


@dataclass(frozen=True, eq=False)
class RowBlock:
    """Rows of ``sum of operator(u) at sites = values``.

    Attributes
    ----------
    name : str
    pieces : tuple of (Operator, Sites)
        Usually one; a periodic or jump condition is a sum over two places. All have n sites.
    values : (n,) array
    weight : float
        Weight of the rows relative to others, after any scaling.
    sum_weights : (m,) array or None
        If each row is a sum over m successive sites: their weights.
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
        """The number of sites of each piece."""
        return len(self.values) * (1 if self.sum_weights is None else len(self.sum_weights))

    def summed(self, values: NumberArray) -> NumberArray:
        """Rows from values ``(..., sites)``: the values or their sums."""
        if self.sum_weights is None:
            return values
        return np.asarray(values.reshape(*values.shape[:-1], -1, len(self.sum_weights)) @ self.sum_weights)

    def evaluate(self, basis: Basis, coefficients: NumberArray, threads: int) -> NumberArray:
        """The sum of its pieces applied to ``coefficients * basis``, at the sites."""
        # directly: a fast transform rounds more, and small residuals consist of rounding
        each = (evaluate(basis, coefficients, *piece, threads=threads, method="direct") for piece in self.pieces)
        return np.asarray(sum(each))

    def first(self, rows: int) -> RowBlock:
        """The block with its first `rows` rows."""
        each = 1 if self.sum_weights is None else len(self.sum_weights)
        pieces = tuple((operator, sites.select(slice(rows * each))) for operator, sites in self.pieces)
        return replace(self, pieces=pieces, values=self.values[:rows])


def make_blocks(problem: Problem, sites: Mapping[str, Sites]) -> tuple[RowBlock, ...]:
    """The relations of `problem`, collocated at the sites given by name.

    Equations, interfaces, periodic conditions and sums may have no sites: functions may satisfy them already.
    """
    blocks = []
    for relation in problem.relations:
        optional = relation.region.kind in ("domain", "interface") or relation.region.shift is not None
        if (optional or relation.sum_weights is not None) and relation.name not in sites:
            continue
        blocks.append(make_block(relation, sites[relation.name]))
    return tuple(blocks)


def make_block(relation: Relation, sites: Sites) -> RowBlock:
    """One relation, collocated at `sites`."""
    weights = relation.sum_weights
    values = relation.values(sites if weights is None else sites.select(slice(None, None, len(weights))))
    return RowBlock(relation.name, relation.pieces(sites), values, relation.weight, weights)


# ---- Assembly


Scaling = Literal["none", "rms"]

# Entries that a thread fills at a time: they fit in its cache.
_CHUNK_ENTRIES = 2**16


@dataclass(frozen=True)
class BlockResidual:
    """The residual of one block of rows, in the units of its equation.

    Attributes
    ----------
    rms, largest : float
        Root mean square and largest deviation.
    """

    rms: float
    largest: float


@dataclass(frozen=True)
class BlockRows:
    """The rows of one block in a system.

    Attributes
    ----------
    name : str
    rows : slice
    scale : float
        Their factor.
    """

    name: str
    rows: slice
    scale: float

    @property
    def count(self) -> int:
        """The number of rows."""
        return int(self.rows.stop - self.rows.start)


@dataclass(frozen=True, eq=False)
class System:
    """The rows ``scale * (H beta - y)`` of a least-squares problem.

    Attributes
    ----------
    augmented : (N, M + 1) array, Fortran order, or Nested
        The matrix H and the values y in its last column, or the rows of cells. If H is real and y complex, the real
        parts of y.
    blocks : tuple of BlockRows
    imaginary : (N,) array or None
        The imaginary parts of y then: a complex matrix would take four times as long to factor.
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
        """The residual of each block, without its scaling."""
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
    """Fill the collocation matrix in chunks on threads.

    Parameters
    ----------
    basis : Basis
    blocks : sequence of RowBlock
    scaling : {"none", "rms"}
        ``"rms"`` divides the rows of each block by the root mean square of their entries, so that no block dominates;
        the paper does not scale.
    threads : int
    leading : int, optional
        The number of first functions that determine the scales; all by default. Functions with singularities near some
        points would distort them.
    """
    check_scaling(scaling)
    ends = np.cumsum([len(block) for block in blocks])
    # One row per function makes the columns of H contiguous, for filling and for LAPACK. The values are the last
    # column, so that factoring both needs no copy.
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
    # contiguous, for unit strides in BLAS and cosines
    buffer = np.empty((len(target), block.sites), dtype=target.dtype)
    with np.errstate(over="ignore", invalid="ignore"):  # checked below
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
    return 1.0 / (rms or safe_rms(out) or 1.0)  # squares of tiny entries may be zero


# ---- Discretisations


@final
@dataclass(frozen=True, eq=False)
class HeldOut:
    """Rows that are not fitted, to check solutions with.

    Attributes
    ----------
    sites : mapping of block name to Sites
    emphasis : mapping of block name to (n,) array
        Weight of the deviation at each site relative to the average; equal weights without an entry.
    rows : mapping of block name to (n, M) array or RowsInCells
        The blocks applied to every function, for functions on cells and where there are many solutions.
    """

    sites: Mapping[str, Sites]
    emphasis: Mapping[str, FloatArray] = field(default_factory=dict)
    rows: Mapping[str, NumberArray | RowsInCells] = field(default_factory=dict)

    def tabulated(self, finite: Finite) -> HeldOut:
        """The same with dense rows, for many solutions on one basis."""
        basis, threads = finite.basis, finite.threads
        rows = {
            block.name: block.summed(
                np.asarray(sum(tabulate(basis, op, sites, threads=threads).T for op, sites in block.pieces))
            ).T
            for block in make_blocks(finite.problem, self.sites)
        }
        return replace(self, rows=rows)

    def apply(self, block: RowBlock, basis: Basis, coefficients: NumberArray, threads: int) -> NumberArray:
        """The block's rows on the sum of ``coefficients * basis``."""
        if block.name in self.rows:
            return np.asarray(self.rows[block.name] @ coefficients)
        return block.summed(block.evaluate(basis, coefficients, threads))


@final
@dataclass(frozen=True, eq=False)
class Seam:
    """The mismatch between functions on neighbouring cells.

    Attributes
    ----------
    rows : BlockRows
        The fitted rows.
    deviation : (n,) array
        At other places, in units of the fitted rows.
    uneven : (n,) boolean array
        Where sums over these places do not approximate integrals; see `Finite.uneven`.
    sparse : (n,) array
        Relative distances of these places; see `Finite.sparse`.
    """

    rows: BlockRows
    deviation: NumberArray
    uneven: BoolArray
    sparse: FloatArray


class Finite(ABC):
    """A discretised problem: functions, and the places where relations are to hold."""

    problem: Problem
    threads: int

    @property
    @abstractmethod
    def basis(self) -> Basis:
        """All functions."""

    @property
    @abstractmethod
    def rows(self) -> int:
        """The number of rows of its system."""

    @property
    @abstractmethod
    def counts(self) -> Mapping[str, int]:
        """The number of rows of each block."""

    @abstractmethod
    def assemble(self, scaling: Scaling, *, reuse: bool = False) -> System:
        """Its system; with `reuse`, one whose factors can serve for other values."""

    @abstractmethod
    def fitted(self, scaled: Sequence[BlockRows]) -> Mapping[str, tuple[Sites, FloatArray]]:
        """The sites of each block and the factors of its rows in a system scaled like `scaled`.

        Functions on cells leave out periodic conditions and sums.
        """

    @property
    def satisfies_equation(self) -> bool:
        """Whether its functions satisfy the equation."""
        return False

    @abstractmethod
    def hold_out(self, rng: np.random.Generator) -> HeldOut:
        """Rows at other places, drawn by the same rule."""

    @abstractmethod
    def values(self, scaled: Sequence[BlockRows]) -> NumberArray:
        """The right-hand side ``(N,)`` of its system, scaled like `scaled`."""

    @abstractmethod
    def spread(self, values: Mapping[str, NumberArray], scaled: Sequence[BlockRows]) -> NumberArray:
        """Another right-hand side ``(N,)`` of its system, with values at the sites of `fitted` and zero elsewhere."""

    @abstractmethod
    def with_problem(self, problem: Problem) -> Finite:
        """The same for other data of the problem."""

    def doubts(self, coefficients: NumberArray) -> Mapping[str, float]:
        """Errors of rows by block that come from errors of the functions themselves; see `Family.doubts`."""
        return {}

    def left_out(self, coefficients: NumberArray) -> FloatArray:
        """Estimated truncation error of each unknown in each cell, ``(C, U)``, as root mean squares over the domain."""
        return np.zeros((self.pieces, len(self.problem.unknowns)))

    def unresolved(self, coefficients: NumberArray) -> BoolArray:
        """The cells whose functions cannot represent the solution, however many rows there are, ``(C,)``."""
        return np.zeros(self.pieces, dtype=np.bool_)

    def last_degrees(self, coefficients: NumberArray) -> NumberArray:
        """The coefficients ``(M,)`` of the highest degrees in each cell alone."""
        return coefficients

    def can_do_without_last(self, coefficients: NumberArray, most: float) -> bool:
        """Whether a function without the last degrees in each cell has rows of at most this norm more."""
        return False

    @property
    def pieces(self) -> int:
        """The number of cells."""
        return 1

    def cells_at(self, points: FloatArray) -> NDArray[np.intp]:
        """The cell of each point ``(n, d)``; 0 without cells."""
        return np.zeros(len(points), dtype=np.intp)

    @property
    def seam_cells(self) -> NDArray[np.intp]:
        """The cell of each deviation of all `seams`."""
        return np.empty(0, dtype=np.intp)

    def emphasis(self, name: str, sites: Sites, shares: FloatArray) -> FloatArray | None:
        """Weights of deviations at sites of a block relative to the average, where each site stands for a share of it.

        None for equal weights.
        """
        return None

    def uneven(self, sites: Sites) -> BoolArray:
        """The held-out sites at which sums are no more accurate than over random places."""
        return np.ones(len(sites), dtype=np.bool_)

    def sparse(self, sites: Sites) -> FloatArray:
        """The spacing of held-out sites at each of them, relative to the average."""
        return np.ones(len(sites))

    def seams(self, coefficients: NumberArray) -> tuple[Seam, ...]:
        """The mismatches between cells of the function with `coefficients` ``(M,)``."""
        return ()

    def at_seams(self, fields: NumberArray) -> NumberArray:
        """The contribution of functions with coefficients ``(F, M)`` to the deviation of seams, shape ``(F, n)``."""
        return np.zeros((len(fields), 0), dtype=fields.dtype)

    def across_seams(self, numbers: NumberArray) -> NumberArray:
        """The adjoint of `at_seams`, from numbers ``(F, n)`` to shape ``(F, M)``."""
        return np.zeros((len(numbers), self.basis.size), dtype=numbers.dtype)


@final
@dataclass(frozen=True, eq=False)
class Discretisation(Finite):
    """Functions on the whole domain, and the places where relations are to hold.

    Attributes
    ----------
    problem : Problem
    family : Family
        The family of functions.
    drawn : Basis
        The functions drawn from it.
    columns : tuple of Basis
        Further functions, such as singular ones.
    points : Points
        The rule that the places were drawn by.
    sites : mapping of block name to Sites
    threads : int
        Number of threads to fill matrices.
    """

    problem: Problem
    family: Family
    drawn: Basis
    columns: tuple[Basis, ...]
    points: Points
    sites: Mapping[str, Sites]
    threads: int

    @cached_property
    def basis(self) -> Basis:
        """All functions, the drawn ones first."""
        return join_columns(self.drawn, self.columns)

    @cached_property
    def blocks(self) -> tuple[RowBlock, ...]:
        """The relations at the sites."""
        return make_blocks(self.problem, self.sites)

    @property
    def rows(self) -> int:
        """The number of rows of its system."""
        return sum(len(block) for block in self.blocks)

    @property
    def counts(self) -> dict[str, int]:
        """The number of rows of each block."""
        return {block.name: len(block) for block in self.blocks}

    def __reduce__(self) -> tuple[type[Discretisation], tuple[Any, ...]]:
        # without the blocks, which hold compiled operators
        return Discretisation, tuple(getattr(self, field.name) for field in fields(self))

    def hold_out(self, rng: np.random.Generator) -> HeldOut:
        """Fewer rows, drawn by the same rule."""
        return HeldOut(self.points.thinned().draw(self.problem, rng))

    def with_problem(self, problem: Problem) -> Discretisation:
        """The same for other data."""
        return replace(self, problem=problem)

    @property
    def satisfies_equation(self) -> bool:
        """See `Finite.satisfies_equation`."""
        return self.family.satisfies_equation

    def doubts(self, coefficients: NumberArray) -> Mapping[str, float]:
        """See `Finite.doubts`."""
        return self.family.doubts(coefficients)

    def assemble(self, scaling: Scaling, *, reuse: bool = False) -> System:
        """See `Finite.assemble`; with sources, which may be close to points, drawn functions determine the scales."""
        leading = self.drawn.size if len(self.basis.sources) else None
        return assemble(self.basis, self.blocks, scaling=scaling, threads=self.threads, leading=leading)

    def fitted(self, scaled: Sequence[BlockRows]) -> Mapping[str, tuple[Sites, FloatArray]]:
        """See `Finite.fitted`."""
        return {rows.name: (self.sites[rows.name], np.full(rows.count, rows.scale)) for rows in scaled}

    def further_columns(self, basis: Basis, scaled: Sequence[BlockRows]) -> FloatArray:
        """Other functions on the same rows, scaled like `scaled`."""
        blocks = [replace(block, weight=fitted.scale) for block, fitted in zip(self.blocks, scaled, strict=True)]
        return assemble(basis, blocks, threads=self.threads).matrix

    def values(self, scaled: Sequence[BlockRows]) -> FloatArray:
        """See `Finite.values`."""
        return np.concatenate([b.values * fitted.scale for b, fitted in zip(self.blocks, scaled, strict=True)])

    def spread(self, values: Mapping[str, NumberArray], scaled: Sequence[BlockRows]) -> NumberArray:
        """See `Finite.spread`."""
        return np.concatenate([each.scale * values.get(each.name, np.zeros(each.count)) for each in scaled])


def draw_features(problem: Problem, family: Family, rng: np.random.Generator) -> Basis:
    """Draw the functions of a family for a problem."""
    lower, upper = problem.domain.bounding_box
    time_axis = None if problem.domain.time is None else problem.dimension - 1
    return family.draw(problem.dimension, rng, time_axis=time_axis, center=0.5 * (lower + upper), problem=problem)


def join_columns(drawn: Basis, columns: Sequence[Basis]) -> Basis:
    """The drawn functions, and further columns after them."""
    return JoinedBasis([drawn, *columns]) if columns else drawn
