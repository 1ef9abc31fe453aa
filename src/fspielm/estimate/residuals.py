"""What solutions leave in rows that were not fitted."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, final

import numpy as np

from fspielm.arrays import BoolArray, FloatArray, Latest, NumberArray, adjoint, safe_norm, safe_rms
from fspielm.basis.basis import Basis, localise
from fspielm.basis.evaluation.direct import tabulate
from fspielm.basis.evaluation.sums import evaluate
from fspielm.cells.basis import CellBasis, RowsInCells
from fspielm.collocation.least_squares import Factored
from fspielm.collocation.system import BlockResidual, BlockRows, Finite, RowBlock, Seam, make_block, make_blocks
from fspielm.estimate.estimate import CellErrors
from fspielm.estimate.narrow import look_closely
from fspielm.estimate.narrow_search import Narrow
from fspielm.geometry.boundary import Sites, join_sites
from fspielm.problem.problem import Problem
from fspielm.problem.statement import Relation

# ---- Rows kept aside to check solutions with


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Rows that are not fitted, to check solutions with.

    Attributes
    ----------
    sites : mapping of block name to Sites
    emphasis : mapping of block name to (n,) array
        By how much the deviation at each site counts more than on average, where not all count alike.
    rows : mapping of block name to (n, M) array
        The blocks applied to every function; empty where solutions are too few for that to pay. On cells they are never
        filled.
    """

    sites: Mapping[str, Sites]
    emphasis: Mapping[str, FloatArray] = field(default_factory=dict)
    rows: Mapping[str, NumberArray | RowsInCells] = field(default_factory=dict)

    @classmethod
    def draw(cls, finite: Finite, rng: np.random.Generator) -> HeldOut:
        """Fewer rows than were fitted, by the same law."""
        drawn = finite.hold_out(rng)
        return cls(drawn.sites, drawn.emphasis, drawn.rows)

    def tabulated(self, finite: Finite) -> HeldOut:
        """The same with its rows filled, for many solutions on one basis."""
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
        # directly: a fast transform rounds more, and residuals are made of little else at last
        pieces = [
            evaluate(basis, coefficients, op, sites, threads=threads, method="direct") for op, sites in block.pieces
        ]
        return block.summed(np.asarray(sum(pieces)))


# ---- The residual where something is narrow, which rows spread all over would hardly meet


# A residual as large everywhere else as in a narrow place does not come from there.
_CLEARLY = 4.0


@dataclass(frozen=True, eq=False)
class Local:
    """What the narrow places of one block add to its residual.

    Attributes
    ----------
    rms : float
        Root of the mean square that they add, over all that the block holds on.
    data : float
        The same of the data.
    largest : float
        The largest deviation.
    most : float
        The part of `rms` that one of the places has.
    place : Narrow or None
        That place.
    share : float
        How much of all that the block holds on it is.
    """

    rms: float = 0.0
    data: float = 0.0
    largest: float = 0.0
    most: float = 0.0
    place: Narrow | None = None
    share: float = 0.0

    def stands_out(self, rms: float) -> bool:
        """Whether the residual in the place is clearly above that of the block, with this root of its mean square."""
        return self.most > math.sqrt(_CLEARLY * self.share) * rms


@dataclass(frozen=True, eq=False)
class CloseRows:
    """Rows in the narrow places of one relation.

    Attributes
    ----------
    places : tuple of Narrow
    shares : (n,) array
        Of all that the relation holds on, what each row stands for.
    block : RowBlock
    """

    places: tuple[Narrow, ...]
    shares: FloatArray
    block: RowBlock

    def apply(self, finite: Finite, coefficients: NumberArray) -> NumberArray:
        """The rows on sums with `coefficients`; directly, as all that residuals are made of."""
        basis, threads = finite.basis, finite.threads
        return np.asarray(
            sum(
                evaluate(basis, coefficients, op, sites, threads=threads, method="direct")
                for op, sites in self.block.pieces
            )
        )


def close_rows(problem: Problem, relation: Relation, finite: Finite) -> CloseRows | None:
    """Those of a relation; None where nothing in it is narrow.

    Cells end at interfaces, and know which side is meant: jumps there are none to them.
    """
    places = look_closely(problem, relation).places
    if problem.interfaces and finite.basis.is_piecewise:
        places = tuple(place for place in places if place.kind not in ("jump", "kink"))
    if not places:
        return None
    shares = np.concatenate([place.shares for place in places])
    return CloseRows(places, shares, make_block(relation, join_sites([place.sites for place in places])))


def look_at_places(
    problem: Problem, blocks: Iterable[str], finite: Finite, coefficients: NumberArray
) -> dict[str, Local]:
    """The residual in every narrow place of these blocks of a problem, by the name of the block."""
    names = set(blocks)
    result = {}
    for relation in problem.relations:
        close = close_rows(problem, relation, finite) if relation.name in names else None
        if close is None:
            continue
        places, shares, block = close.places, close.shares, close.block
        emphasis = finite.emphasis(block.name, block.pieces[0][1], shares)
        counted = 1.0 if emphasis is None else emphasis
        deviation = counted * np.abs(close.apply(finite, coefficients) - block.values)
        squares = shares * deviation**2
        each = np.add.reduceat(squares, np.cumsum([0, *(len(place.shares) for place in places[:-1])]))
        each = np.where([place.kind == "smooth" for place in places], 0.0, each)
        worst = int(each.argmax())
        result[block.name] = Local(
            rms=float(np.sqrt(squares.sum())),
            data=float(np.sqrt(np.sum(shares * np.abs(counted * block.values) ** 2))),
            largest=float(deviation.max()),
            most=float(np.sqrt(each[worst])),
            place=places[worst],
            share=float(places[worst].shares.sum()),
        )
    return result


# ---- What solutions leave in rows that were not fitted


# Rounding of a sum of cosines, in units of the coefficients' norm.
ROUNDING = 2e-15
# Rows and functions.
_FEW = 16
# Of all the residual, what one narrow place must have to be named.
_MUCH = 0.1


@final
@dataclass(frozen=True, eq=False)
class Misfit:
    """Norms of residual and data in scaled rows, the residual's peak over its mean, and what each block has.

    And the narrow place that much of the residual comes from, if there is one, how large data say each unknown is, and
    what each block has of the squared residual.
    """

    residual: float
    data: float
    peak: float
    residuals: dict[str, BlockResidual]
    unresolved: Narrow | None
    told: Sequence[float]
    shares: dict[str, float]


@final
@dataclass(frozen=True, eq=False)
class Unfitted:
    """Rows that were not fitted, and the blocks of those that were, which say how much each counts."""

    discretisation: Finite
    blocks: Sequence[BlockRows]
    held_out: HeldOut

    def misfit(self, coefficients: NumberArray, problem: Problem) -> Misfit:
        """What coefficients leave, weighted as in the fitted rows."""
        basis, threads = self.discretisation.basis, self.discretisation.threads
        total, data, peak = 0.0, 0.0, 1.0
        residuals, norms = {}, {}
        closely = look_at_places(problem, self.held_out.sites, self.discretisation, coefficients)
        most: tuple[float, Narrow | None] = 0.0, None
        told = [0.0] * len(problem.unknowns)
        doubts = self.discretisation.doubts(coefficients)
        for block, fitted in zip(make_blocks(problem, self.held_out.sites), self.blocks, strict=True):
            for place, size in _told_by(block, problem):
                told[place] = max(told[place], size)
            deviation = np.abs(self.held_out.apply(block, basis, coefficients, threads) - block.values)
            residuals[fitted.name] = BlockResidual(safe_rms(deviation), float(deviation.max()))
            if fitted.name in self.held_out.emphasis:
                deviation = deviation * self.held_out.emphasis[fitted.name]
            rms = safe_rms(deviation)
            if max(len(block), basis.size) < _FEW:  # which may be met by luck, better than rounding allows
                rms = math.hypot(rms, ROUNDING * safe_norm(coefficients) / fitted.scale)
            weight = fitted.scale * float(np.sqrt(fitted.count))
            local = closely.get(fitted.name, Local())
            if local.stands_out(rms):
                most = max(most, (weight * local.most, local.place), key=lambda one: one[0])
            rms = math.hypot(math.hypot(rms, local.rms), doubts.get(fitted.name, 0.0))
            norms[fitted.name] = weight * rms
            total = math.hypot(total, weight * rms)
            data = math.hypot(data, weight * safe_rms(block.values), weight * local.data)
            if rms > 0:
                peak = max(peak, max(float(deviation.max()), local.largest) / rms)
        for seam in self.discretisation.seams(coefficients):
            rms, largest = safe_rms(np.abs(seam.deviation)), float(np.abs(seam.deviation).max())
            residuals[seam.rows.name] = BlockResidual(rms, largest)
            total = math.hypot(total, seam.rows.scale * float(np.sqrt(seam.rows.count)) * rms)
        shares = {name: (norm / total) ** 2 for name, norm in norms.items() if total > 0}
        return Misfit(total, data, peak, residuals, most[1] if most[0] > _MUCH * total else None, told, shares)

    def norm(self, deviations: Mapping[str, NumberArray]) -> float:
        """The norm of deviations at the sites that are held out, by block, weighted as residuals are."""
        total = 0.0
        for fitted in self.blocks:
            if fitted.name in deviations:
                each = np.abs(deviations[fitted.name]) * self.held_out.emphasis.get(fitted.name, 1.0)
                total = math.hypot(total, fitted.scale * float(np.sqrt(fitted.count)) * safe_rms(each))
        return total


def _told_by(block: RowBlock, problem: Problem) -> list[tuple[int, float]]:
    """The unknown that a block is about, if it is one of several, and how large its values say that is."""
    unknowns = {term.unknown for operator, _ in block.pieces for term in operator.terms}
    values = safe_rms(block.values)
    if len(problem.unknowns) == 1 or len(unknowns) > 1 or len(block.pieces) > 1 or values == 0.0:
        return []
    lower, upper = problem.domain.bounding_box
    operator, sites = block.pieces[0]
    each = [safe_rms(term.at(sites)) * np.prod((2 * np.pi / (upper - lower)) ** term.orders) for term in operator.terms]
    return [(place, values / float(sum(each))) for place in unknowns if sum(each) > 0]


# ---- What rows that were not fitted would change of a solution on cells
# The norm of all that could be amplified, times that of the residual, is far too much where the residual oscillates as
# fast as the functions of a cell can: it hardly has a part in what the whole of the problem amplifies. With H' the rows
# that are held out, weighted as those fitted, and r' their residual, ``(R^H R)^-1 H'^H r'`` is what they would change
# of the coefficients: the error, as far as the functions hold it. What they do not hold, and what is orthogonal to them
# in the rows that are dense at the ends of cells, is not orthogonal to them in the solution: rows that are as dense
# everywhere would change the coefficients by about as much as is missed.
#
# Rows of a whole cell are at nodes of a quadrature. Where the boundary cuts cells, sums over rows have an error of
# their own, as if their places were random: by how much that changes the coefficients is told by residuals of random
# signs. So have sums in cells where something is narrower than the distance of rows, as a jump is: it may be anywhere
# between.


# Residuals of random signs, and what chance may be more than they tell.
_SIGNS = 3
_CHANCE = 3.0
# What the true solution has besides may be amplified somewhat more than what the functions of cells can show.
_AMPLE = 5.0
# By how much a residual at narrow places is larger than at others, if these do not see what is narrow.
_CLEARLY_CORRECTION = 2.0


@final
@dataclass(frozen=True, eq=False)
class Correction:
    """What held-out rows would change of solutions on cells.

    Attributes
    ----------
    finite : Finite
    held_out : HeldOut
    blocks : sequence of BlockRows
        Those that were fitted.
    factored : Factored
    values : tuple of (n, M) arrays
        All functions where solutions are looked at, for each unknown.
    """

    finite: Finite
    held_out: HeldOut
    blocks: Sequence[BlockRows]
    factored: Factored
    values: tuple[NumberArray, ...]

    def errors(self, deviations: Deviations) -> list[float]:
        """Of each unknown."""
        gradients = self._gradients(deviations)
        changes = self.factored.solve_triangle(self.factored.solve_triangle(gradients, adjoint=True))
        found = []
        for Phi in self.values:
            dense, even, *by_chance = (safe_rms(each) for each in (Phi @ changes).T)
            found.append(_AMPLE * (max(dense, even) + _CHANCE * safe_rms(np.array(by_chance))))
        return found

    def _gradients(self, deviations: Deviations) -> NumberArray:
        """``H'^H r'``, for even rows too, and for random signs in cells that are cut, shape ``(M, 2 + _SIGNS)``."""
        rng = np.random.default_rng(0)  # only looks
        kind = np.result_type(self.factored.dtype, *deviations.parts)
        total = np.zeros((2 + _SIGNS, self.finite.basis.size), dtype=kind)
        for held in deviations.rows:
            kinds = _kinds(self.finite.sparse(held.sites), held.uneven, rng)
            total += held.rows.adjoint(held.weight * kinds * held.deviation)
        for seam in deviations.seams:
            total += self.finite.across_seams(_kinds(seam.sparse, seam.uneven, rng) * seam.deviation)
        return total.T

    def deviations(self, coefficients: NumberArray, problem: Problem) -> Deviations:
        """Those of a solution of a problem that may have other data than the one that was factored."""

        def work() -> Deviations:
            return Deviations(self._rows(coefficients, problem), self.finite.seams(coefficients))

        return self._latest(work, coefficients, problem)

    @cached_property
    def _latest(self) -> Latest[Deviations]:
        return Latest()

    def _rows(self, coefficients: NumberArray, problem: Problem) -> tuple[Rows, ...]:
        """All that is held out, and rows where something is narrow.

        The latter only count in cells that have clearly more of a residual there than the others show. Elsewhere the
        others see all of it already, at nodes where sums are integrals: what oscillates adds up to next to nothing
        there, as it does in the solution, but not in sums over a few places anywhere.
        """
        basis = self.finite.basis
        assert isinstance(basis, CellBasis)
        found = []
        fitted = {block.name: block for block in self.blocks}
        for relation in problem.relations:
            if relation.name not in fitted:
                continue
            own, sites = fitted[relation.name], self.held_out.sites[relation.name]
            rows = self.held_out.rows[relation.name]
            assert isinstance(rows, RowsInCells)
            emphasis = self.held_out.emphasis.get(relation.name, np.ones(len(sites)))
            weight = own.scale * np.sqrt(own.count / len(sites)) * emphasis
            residual = rows @ coefficients - relation.values(sites)
            close = close_rows(problem, relation, self.finite)
            uneven = self.finite.uneven(sites) | self._is_crossed(sites, () if close is None else close.places)
            found.append(Rows(rows, sites, weight, weight * residual, uneven))
            if close is not None:
                operator, sites = close.block.pieces[0]
                rows = RowsInCells.at(basis, localise(operator, sites, basis.components))
                narrow = rows @ coefficients - close.block.values
                more = self._tells_more((sites, narrow), (found[-1].sites, residual))
                weight = more * self._weight(own, sites, close.shares)
                found.append(Rows(rows, sites, weight, weight * narrow, self.finite.uneven(sites)))
        return tuple(found)

    def _is_crossed(self, sites: Sites, places: Sequence[Narrow]) -> BoolArray:
        """Whether sites are in cells with something narrower than the distance of their neighbours there."""
        basis = self.finite.basis
        assert isinstance(basis, CellBasis)
        cells = self.finite.cells_at(sites.points)
        number = np.maximum(np.bincount(cells, minlength=self.finite.pieces), 1)
        apart = basis.frames.lengths.max(axis=1) / number ** (1.0 / sites.points.shape[1])
        crossed = np.zeros(self.finite.pieces, dtype=np.bool_)
        for place in places:
            if place.kind != "smooth":
                its = self.finite.cells_at(place.sites.points)
                crossed[its[apart[its] > place.width]] = True
        return np.asarray(crossed[cells])

    def _tells_more(self, narrow: tuple[Sites, NumberArray], others: tuple[Sites, NumberArray]) -> BoolArray:
        """Whether the largest residual of a cell is clearly larger at narrow places than at all others, by place."""
        largest = [np.zeros(self.finite.pieces) for _ in range(2)]
        cells = [self.finite.cells_at(sites.points) for sites, _ in (narrow, others)]
        for (_, residual), its, most in zip((narrow, others), cells, largest, strict=True):
            np.maximum.at(most, its, np.abs(residual))
        return np.asarray((largest[0] > _CLEARLY_CORRECTION * largest[1])[cells[0]])

    def _weight(self, fitted: BlockRows, sites: Sites, shares: FloatArray) -> FloatArray:
        emphasis = self.finite.emphasis(fitted.name, sites, shares)
        weight = fitted.scale * np.sqrt(fitted.count * shares)
        return np.asarray(weight if emphasis is None else weight * emphasis)


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of a relation that are held out, where they are, their weights and what a solution is off by, weighted.

    And which of them are `uneven`: sums over these are not integrals.
    """

    rows: RowsInCells
    sites: Sites
    weight: FloatArray
    deviation: NumberArray
    uneven: BoolArray


@final
@dataclass(frozen=True, eq=False)
class Deviations:
    """How far a solution is off in rows that were not fitted, and how well its pieces fit together."""

    rows: tuple[Rows, ...]
    seams: tuple[Seam, ...]

    @property
    def parts(self) -> list[NumberArray]:
        """All of them, weighted."""
        return [*(rows.deviation for rows in self.rows), *(seam.deviation for seam in self.seams)]


def _kinds(sparse: FloatArray, uneven: BoolArray, rng: np.random.Generator) -> FloatArray:
    """What deviations count in each way to look at them, shape ``(2 + _SIGNS, n)``."""
    signs = rng.choice([-1.0, 1.0], size=(_SIGNS, len(sparse)))
    return np.concatenate([np.ones((1, len(sparse))), sparse[None], signs * uneven])


# ---- What each cell has of the error: where it pays to have smaller ones, or higher degrees


# Random sums of all functions, each amplified as it is, by which it is seen in which cells they are large.
_SUMS = 4
# Functions of cells show somewhat less than what the true solution has besides; and cells next to each other may err
# alike.
_AMPLE_BY_CELL = 8.0


@final
@dataclass(frozen=True, eq=False)
class ByCell:
    """What the deviations in C cells amount to at most, in each of U unknowns.

    Attributes
    ----------
    deviation : (C,) array
        In scaled rows.
    amplification : (C, U) array
        How much larger the error of the solution may be.
    left_out : (C, U) array
        What functions leave out in the cell itself.
    """

    deviation: FloatArray
    amplification: FloatArray
    left_out: FloatArray

    def errors(self, cells: BoolArray) -> FloatArray:
        """What some of the cells amount to, ``(U,)``."""
        return np.asarray(
            _AMPLE_BY_CELL * np.linalg.norm((self.amplification * self.deviation[:, None])[cells], axis=0)
        )

    def relative(self, scales: FloatArray) -> CellErrors:
        """In units of the unknowns' sizes: of the largest of them."""
        scales = np.where(scales > 0, scales, 1.0)
        errors = _AMPLE_BY_CELL * self.amplification * self.deviation[:, None] + self.left_out
        return CellErrors((errors / scales).max(axis=1), (_AMPLE_BY_CELL * self.amplification / scales).max(axis=1))


def by_cell(correction: Correction, deviations: Deviations, left_out: FloatArray) -> ByCell:
    """For what a solution is off by, and what its functions leave out (see `Finite.left_out`).

    A deviation r in the rows of one cell changes the solution by ``Phi (R^H R)^-1 H^H r``: by no more than the norm of
    that matrix, whose square is the mean of what random sums of its rows have in that cell.
    """
    finite, factored = correction.finite, correction.factored
    rng = np.random.default_rng(0)  # only looks
    rows = deviations.rows
    cells = np.concatenate([*(finite.cells_at(each.sites.points) for each in rows), finite.seam_cells])

    def squares(parts: list[NumberArray]) -> FloatArray:
        """Of rows ``(F, n)`` of all kinds, their sum in each cell, mean over F."""
        each = np.mean(np.abs(np.concatenate(parts, axis=1)) ** 2, axis=0)
        return np.asarray(np.bincount(cells, each, minlength=finite.pieces), dtype=np.float64)

    amplification = []
    for Phi in correction.values:
        weights = _weights(finite.basis, Phi) / np.sqrt(Phi.shape[0])
        random = weights[:, None] * rng.standard_normal((Phi.shape[0], _SUMS))
        sums = factored.solve_triangle(factored.solve_triangle(adjoint(Phi) @ random, adjoint=True))
        at_rows = [each.weight * each.rows.sums(sums.T) for each in rows]
        amplification.append(np.sqrt(squares([*at_rows, finite.at_seams(sums.T)])))
    left = [part[None] for part in deviations.parts]
    return ByCell(
        np.sqrt(squares(left)),
        np.stack(amplification, axis=1),
        left_out,
    )


def _weights(basis: Basis, Phi: Any) -> FloatArray:
    """What each point that functions are looked at in stands for: in a tiny cell by chance, for no more than that."""
    assert isinstance(basis, CellBasis)
    table = Phi.tocsr()
    cells = np.searchsorted(basis.starts, table.indices[table.indptr[:-1]], side="right") - 1
    areas = np.prod(basis.frames.lengths, axis=1)
    met = np.bincount(cells, minlength=len(areas))
    return np.asarray(np.sqrt(np.minimum(1.0, len(cells) * areas[cells] / areas.sum() / met[cells])))
