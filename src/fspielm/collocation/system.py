"""A problem made finite: row blocks, and the assembled least-squares system."""

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


# ---- Row blocks


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


# ---- Assembly


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


# ---- Discretisations


@final
@dataclass(frozen=True, eq=False)
class Checks:
    """Rows that are not fitted, to check solutions with.

    Attributes
    ----------
    sites : mapping of block name to Sites
    emphasis : mapping of block name to (n,) array
        By how much the deviation at each site counts more than on average; without an entry, all count alike.
    rows : mapping of block name to RowsInCells
        The blocks themselves, of functions on cells.
    """

    sites: Mapping[str, Sites]
    emphasis: Mapping[str, FloatArray] = field(default_factory=dict)
    rows: Mapping[str, RowsInCells] = field(default_factory=dict)


@final
@dataclass(frozen=True, eq=False)
class Seam:
    """How well functions fit together that are to be one.

    Attributes
    ----------
    rows : BlockRows
        What was fitted.
    deviation : (n,) array
        At other places, in units of the rows that were fitted.
    uneven : (n,) boolean array
        Where sums over those places are no integrals; see `Finite.uneven`.
    sparse : (n,) array
        How far apart the places are; see `Finite.sparse`.
    """

    rows: BlockRows
    deviation: NumberArray
    uneven: BoolArray
    sparse: FloatArray


class Finite(ABC):
    """Functions, and the places where what is known of them is to hold."""

    problem: Problem
    threads: int

    @property
    @abstractmethod
    def basis(self) -> Basis:
        """All functions."""

    @property
    @abstractmethod
    def rows(self) -> int:
        """Rows of its system."""

    @property
    @abstractmethod
    def counts(self) -> Mapping[str, int]:
        """Rows of each block."""

    @abstractmethod
    def assemble(self, scaling: Scaling, *, reuse: bool = False) -> System:
        """Its system; one that can be factored to serve for other values, if it is to be of `reuse`."""

    @abstractmethod
    def fitted(self, scaled: Sequence[BlockRows]) -> Mapping[str, tuple[Sites, FloatArray]]:
        """The sites of each block's rows, and what each was multiplied with in a system scaled like this.

        Without what is tied or summed, where functions are those of cells.
        """

    @property
    def satisfies_equation(self) -> bool:
        """Whether its functions satisfy the equation by themselves."""
        return False

    @abstractmethod
    def hold_out(self, rng: np.random.Generator) -> Checks:
        """Other rows than those that were fitted, by the same law."""

    @abstractmethod
    def values(self, scaled: Sequence[BlockRows]) -> NumberArray:
        """The right-hand side of its system, ``(N,)``, in which blocks were scaled like this."""

    @abstractmethod
    def spread(self, values: Mapping[str, NumberArray], scaled: Sequence[BlockRows]) -> NumberArray:
        """Another right-hand side of its system, ``(N,)``, with values at the sites of `fitted`.

        Zero in blocks that have none, and where functions are tied or summed.
        """

    @abstractmethod
    def with_problem(self, problem: Problem) -> Finite:
        """The same for other data of the problem."""

    def doubts(self, coefficients: NumberArray) -> Mapping[str, float]:
        """By how much rows of a sum may be off, by block, as its functions themselves are; see `Family.doubts`."""
        return {}

    def left_out(self, coefficients: NumberArray) -> FloatArray:
        """What functions leave out of each unknown in each cell, ``(C, U)``, as far as that can be told.

        Root mean squares over the whole domain: squares add up.
        """
        return np.zeros((self.pieces, len(self.problem.unknowns)))

    def unresolved(self, coefficients: NumberArray) -> BoolArray:
        """The cells whose functions do not hold what is in them, however fine rows are, ``(C,)``."""
        return np.zeros(self.pieces, dtype=np.bool_)

    def last_degrees(self, coefficients: NumberArray) -> NumberArray:
        """The coefficients ``(M,)`` of what the last degrees of cells alone have of a solution."""
        return coefficients

    @property
    def pieces(self) -> int:
        """How many cells there are."""
        return 1

    def cells_at(self, points: FloatArray) -> NDArray[np.intp]:
        """The cell that each point ``(n, d)`` lies in; the only one, where functions are not made of pieces."""
        return np.zeros(len(points), dtype=np.intp)

    @property
    def seam_cells(self) -> NDArray[np.intp]:
        """The cell that each deviation of all `seams` is of."""
        return np.empty(0, dtype=np.intp)

    def emphasis(self, name: str, sites: Sites, shares: FloatArray) -> FloatArray | None:
        """By how much deviations at some sites of a block count more than on average; None where all count alike.

        Each stands for a share of all that the block holds on.
        """
        return None

    def uneven(self, sites: Sites) -> BoolArray:
        """At which of some sites that are held out sums over such ones are no better than those over random places."""
        return np.ones(len(sites), dtype=np.bool_)

    def sparse(self, sites: Sites) -> FloatArray:
        """How far apart sites that are held out are where each is, of what they are on average."""
        return np.ones(len(sites))

    def seams(self, coefficients: NumberArray) -> tuple[Seam, ...]:
        """How well the sum with `coefficients` ``(M,)`` fits together, where it is made of pieces."""
        return ()

    def at_seams(self, fields: NumberArray) -> NumberArray:
        """What coefficients ``(F, M)`` of several add to the deviation of seams, shape ``(F, n)``."""
        return np.zeros((len(fields), 0), dtype=fields.dtype)

    def across_seams(self, numbers: NumberArray) -> NumberArray:
        """The adjoint of `at_seams`, on numbers ``(F, n)`` there, shape ``(F, M)``."""
        return np.zeros((len(numbers), self.basis.size), dtype=numbers.dtype)


@final
@dataclass(frozen=True, eq=False)
class Discretisation(Finite):
    """Functions, and the places where what is known of them is to hold: all that a system is assembled from.

    Attributes
    ----------
    problem : Problem
    family : Family
        The features.
    drawn : Basis
        The features as drawn.
    columns : tuple of Basis
        Functions beside them, such as singular ones.
    points : Points
        The law by which the places were drawn.
    sites : mapping of block name to Sites
    threads : int
        That fill matrices.
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
        """All functions, the features first."""
        return join_columns(self.drawn, self.columns)

    @cached_property
    def blocks(self) -> tuple[RowBlock, ...]:
        """What is known, at the sites."""
        return make_blocks(self.problem, self.sites)

    @property
    def rows(self) -> int:
        """Rows of its system."""
        return sum(len(block) for block in self.blocks)

    @property
    def counts(self) -> dict[str, int]:
        """Rows of each block."""
        return {block.name: len(block) for block in self.blocks}

    def __reduce__(self) -> tuple[type[Discretisation], tuple[Any, ...]]:
        # without the blocks, which hold compiled operators and follow from the rest
        return Discretisation, tuple(getattr(self, field.name) for field in fields(self))

    def hold_out(self, rng: np.random.Generator) -> Checks:
        """Fewer rows than were fitted, by the same law."""
        return Checks(self.points.thinned().draw(self.problem, rng))

    def with_problem(self, problem: Problem) -> Discretisation:
        """The same for other data."""
        return replace(self, problem=problem)

    @property
    def satisfies_equation(self) -> bool:
        """Whether its features do so by themselves."""
        return self.family.satisfies_equation

    def doubts(self, coefficients: NumberArray) -> Mapping[str, float]:
        """See `Finite.doubts`."""
        return self.family.doubts(coefficients)

    def assemble(self, scaling: Scaling, *, reuse: bool = False) -> System:
        """Its system, which is of reuse in any case.

        Beside sources, which may be close to some of the points, derivatives say nothing about the scales of rows:
        where there are any, the features alone decide.
        """
        leading = self.drawn.size if len(self.basis.sources) else None
        return assemble(self.basis, self.blocks, scaling=scaling, threads=self.threads, leading=leading)

    def fitted(self, scaled: Sequence[BlockRows]) -> Mapping[str, tuple[Sites, FloatArray]]:
        """See `Finite.fitted`."""
        return {rows.name: (self.sites[rows.name], np.full(rows.count, rows.scale)) for rows in scaled}

    def further_columns(self, basis: Basis, scaled: Sequence[BlockRows]) -> FloatArray:
        """Other functions on the same rows, scaled as they were in a system."""
        blocks = [replace(block, weight=fitted.scale) for block, fitted in zip(self.blocks, scaled, strict=True)]
        return assemble(basis, blocks, threads=self.threads).matrix

    def values(self, scaled: Sequence[BlockRows]) -> FloatArray:
        """The right-hand side of a system of it, ``(N,)``, scaled as that was."""
        return np.concatenate([b.values * fitted.scale for b, fitted in zip(self.blocks, scaled, strict=True)])

    def spread(self, values: Mapping[str, NumberArray], scaled: Sequence[BlockRows]) -> NumberArray:
        """See `Finite.spread`."""
        return np.concatenate([each.scale * values.get(each.name, np.zeros(each.count)) for each in scaled])


def draw_features(problem: Problem, family: Family, rng: np.random.Generator) -> Basis:
    """The features of a family for a problem."""
    lower, upper = problem.domain.bounding_box
    time_axis = None if problem.domain.time is None else problem.dimension - 1
    return family.draw(problem.dimension, rng, time_axis=time_axis, center=0.5 * (lower + upper), problem=problem)


def join_columns(drawn: Basis, columns: Sequence[Basis]) -> Basis:
    """Features, and other columns after them."""
    return JoinedBasis([drawn, *columns]) if columns else drawn
