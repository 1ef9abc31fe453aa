"""A problem made finite: functions for its unknown, places for its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, final

import numpy as np

from fspielm.arrays import FloatArray, NumberArray
from fspielm.collocation.blocks import RowBlock, make_blocks
from fspielm.collocation.finite import Checks, Finite
from fspielm.collocation.points import Points
from fspielm.collocation.system import BlockRows, Scaling, System, assemble
from fspielm.equations import Problem
from fspielm.features import Basis, Family, JoinedBasis
from fspielm.geometry import Sites


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
