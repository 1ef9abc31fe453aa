"""A problem made finite."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray, NumberArray
from fspielm.basis.basis import Basis, JoinedBasis
from fspielm.basis.random.families import Family
from fspielm.collocation.points import Points
from fspielm.collocation.system import BlockRows, RowBlock, Scaling, System, assemble, make_blocks
from fspielm.geometry.points import Sites
from fspielm.problem.problem import Problem

if TYPE_CHECKING:
    from fspielm.cells.basis import RowsInCells


# ---- What a problem made finite has to offer, whatever its functions are


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


# ---- A problem made finite: functions for its unknown, places for its rows


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
