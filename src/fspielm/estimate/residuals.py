"""Residuals of solutions in rows that were not fitted."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np

from fspielm.arrays import BoolArray, FloatArray, Latest, NumberArray, adjoint, safe_norm, safe_rms
from fspielm.basis.basis import Basis, localise
from fspielm.cells.basis import CellBasis, RowsInCells
from fspielm.collocation.nested import NestedQR
from fspielm.collocation.system import (
    BlockResidual,
    BlockRows,
    Finite,
    HeldOut,
    RowBlock,
    Seam,
    make_block,
    make_blocks,
)
from fspielm.estimate.amounts import CLEARLY, FEW, MANY, SAFETY, SMALL
from fspielm.estimate.estimate import NO_DIGITS, CellErrors
from fspielm.estimate.narrow import narrow_features
from fspielm.estimate.narrow_search import Narrow
from fspielm.geometry.boundary import Sites, join_sites
from fspielm.numerics.tolerances import TINY
from fspielm.problem.problem import Problem
from fspielm.problem.statement import Relation

# Rounding of a sum of cosines, in units of the coefficients' norm.
ROUNDING_OF_SUMS = 2e-15


# ---- The residual in narrow places, which rows spread all over would hardly sample


@dataclass(frozen=True, eq=False)
class NarrowResidual:
    """What the narrow places of one block add to its residual."""

    rms: float = 0.0  # root of the mean square that they add, over the whole region of the block
    data: float = 0.0  # the same for the data
    largest: float = 0.0  # the largest deviation
    most: float = 0.0  # the largest part of `rms` that one place has
    place: Narrow | None = None  # that place
    share: float = 0.0  # the share of that place in the region of the block
    rows: NarrowRows | None = None

    def stands_out(self, rms: float) -> bool:
        """Whether the residual in the place is clearly above that of the block, given as root mean square.

        Then it comes from there, and other rows do not see it.
        """
        return self.most > CLEARLY * math.sqrt(self.share) * rms


@dataclass(frozen=True, eq=False)
class NarrowRows:
    """Rows in the narrow places of one relation."""

    places: tuple[Narrow, ...]
    shares: FloatArray  # the part of the relation's region that each row stands for
    block: RowBlock


def narrow_rows(problem: Problem, relation: Relation, finite: Finite) -> NarrowRows | None:
    """The rows in narrow places of a relation; None where nothing in it is narrow.

    Cells end at interfaces, so that jumps there do not matter to them.
    """
    places = narrow_features(problem, relation).places
    if problem.interfaces and finite.basis.is_piecewise:
        places = tuple(place for place in places if place.kind not in ("jump", "kink"))
    if not places:
        return None
    shares = np.concatenate([place.shares for place in places])
    return NarrowRows(places, shares, make_block(relation, join_sites([place.sites for place in places])))


def narrow_residuals(
    problem: Problem, blocks: Iterable[str], finite: Finite, coefficients: NumberArray
) -> dict[str, NarrowResidual]:
    """The residual in the narrow places of some blocks of a problem, by the name of the block."""
    names = set(blocks)
    result = {}
    for relation in problem.relations:
        rows = narrow_rows(problem, relation, finite) if relation.name in names else None
        if rows is None:
            continue
        places, shares, block = rows.places, rows.shares, rows.block
        emphasis = finite.emphasis(block.name, block.pieces[0][1], shares)
        weight = 1.0 if emphasis is None else emphasis
        residual = block.evaluate(finite.basis, coefficients, finite.threads) - block.values
        deviation = weight * np.abs(residual)
        squares = shares * deviation**2
        each = np.add.reduceat(squares, np.cumsum([0, *(len(place.shares) for place in places[:-1])]))
        each = np.where([place.kind == "smooth" for place in places], 0.0, each)
        worst = int(each.argmax())
        result[block.name] = NarrowResidual(
            rms=float(np.sqrt(squares.sum())),
            data=float(np.sqrt(np.sum(shares * np.abs(weight * block.values) ** 2))),
            largest=float(deviation.max()),
            most=float(np.sqrt(each[worst])),
            place=places[worst],
            share=float(places[worst].shares.sum()),
            rows=rows,
        )
    return result


# ---- The residual in all held-out rows


@final
@dataclass(frozen=True, eq=False)
class Misfit:
    """Norms of residual and data in scaled rows, and their parts."""

    residual: float
    data: float
    peak: float  # the largest residual over its root mean square
    residuals: dict[str, BlockResidual]
    unresolved: Narrow | None  # the narrow place that much of the residual comes from, if any
    data_sizes: Sequence[float]  # the size of each unknown according to its own data
    shares: dict[str, float]  # the share of each block in the squared residual
    ignored: FloatArray  # of each unknown, about what right-hand sides make of it that the solution ignores


@final
@dataclass(frozen=True, eq=False)
class Unfitted:
    """Held-out rows with the fitted blocks, which have the weights."""

    discretisation: Finite
    blocks: Sequence[BlockRows]
    held_out: HeldOut

    def misfit(self, coefficients: NumberArray, problem: Problem) -> Misfit:
        """The residual of `coefficients`, weighted as in the fitted rows."""
        basis, threads = self.discretisation.basis, self.discretisation.threads
        total, data, peak = 0.0, 0.0, 1.0
        residuals, norms = {}, {}
        narrow = narrow_residuals(problem, self.held_out.sites, self.discretisation, coefficients)
        most: tuple[float, Narrow | None] = 0.0, None
        data_sizes, ignored = [0.0] * len(problem.unknowns), np.zeros(len(problem.unknowns))
        doubts, equations = self.discretisation.doubts(coefficients), {each.name for each in problem.equations}
        for block, fitted in zip(make_blocks(problem, self.held_out.sites), self.blocks, strict=True):
            for place, size in _sizes_from_data(block, problem):
                data_sizes[place] = max(data_sizes[place], size)
            deviation = np.abs(self.held_out.apply(block, basis, coefficients, threads) - block.values)
            residuals[fitted.name] = BlockResidual(safe_rms(deviation), float(deviation.max()))
            if fitted.name in self.held_out.emphasis:
                deviation = deviation * self.held_out.emphasis[fitted.name]
            rms = safe_rms(deviation)
            if max(len(block), basis.size) < MANY:  # a few rows may hold by chance better than rounding allows
                rms = math.hypot(rms, ROUNDING_OF_SUMS * safe_norm(coefficients) / fitted.scale)
            weight = fitted.scale * float(np.sqrt(fitted.count))
            local = narrow.get(fitted.name, NarrowResidual())
            if local.stands_out(rms):
                most = max(most, (weight * local.most, local.place), key=lambda one: one[0])
            size = math.hypot(safe_rms(block.values), local.data)
            if fitted.name in equations and math.hypot(rms, local.rms) > NO_DIGITS * size > 0.0:
                ignored = np.maximum(ignored, _natural_effects(block, 1 / len(block), problem))
                if local.rows is not None:
                    ignored = np.maximum(ignored, _natural_effects(local.rows.block, local.rows.shares, problem))
            rms = math.hypot(math.hypot(rms, local.rms), doubts.get(fitted.name, 0.0))
            norms[fitted.name] = weight * rms
            total = math.hypot(total, weight * rms)
            data = math.hypot(data, weight * size)
            if rms > 0:
                peak = max(peak, max(float(deviation.max()), local.largest) / rms)
        for seam in self.discretisation.seams(coefficients):
            rms, largest = safe_rms(np.abs(seam.deviation)), float(np.abs(seam.deviation).max())
            residuals[seam.rows.name] = BlockResidual(rms, largest)
            total = math.hypot(total, seam.rows.scale * float(np.sqrt(seam.rows.count)) * rms)
        shares = {name: (norm / total) ** 2 for name, norm in norms.items() if total > 0}
        unresolved = most[1] if most[0] > SMALL * total else None
        return Misfit(total, data, peak, residuals, unresolved, data_sizes, shares, ignored)

    def norm(self, deviations: Mapping[str, NumberArray]) -> float:
        """The norm of deviations at the held-out sites, by block, weighted as residuals are."""
        total = 0.0
        for fitted in self.blocks:
            if fitted.name in deviations:
                each = np.abs(deviations[fitted.name]) * self.held_out.emphasis.get(fitted.name, 1.0)
                total = math.hypot(total, fitted.scale * float(np.sqrt(fitted.count)) * safe_rms(each))
        return total


def _sizes_from_data(block: RowBlock, problem: Problem) -> list[tuple[int, float]]:
    """The unknown of a block that is about one of several unknowns, and its size according to the block's values."""
    unknowns = {term.unknown for operator, _ in block.pieces for term in operator.terms}
    values = safe_rms(block.values)
    if len(problem.unknowns) == 1 or len(unknowns) > 1 or len(block.pieces) > 1 or values == 0.0:
        return []
    operator, sites = block.pieces[0]
    k = 2 * np.pi / np.ptp(problem.domain.bounding_box, axis=0)
    each = [safe_rms(term.at(sites)) * np.prod(k**term.orders) for term in operator.terms]
    return [(place, values / float(sum(each))) for place in unknowns if sum(each) > 0]


def _natural_effects(block: RowBlock, shares: FloatArray | float, problem: Problem) -> FloatArray:
    """The size of each unknown of an equation for its right-hand side: that of a half wave over the domain.

    Point by point, of which each has its share in the domain: a stiff material says nothing about a soft one.
    """
    operator, sites = block.pieces[0]
    k = np.pi / np.ptp(problem.domain.bounding_box, axis=0)
    each = np.zeros((len(problem.unknowns), len(sites)))
    for term in operator.terms:
        each[term.unknown] += np.abs(term.at(sites)) * np.prod(k**term.orders)
    # terms may cancel each other
    effects = np.divide(SAFETY * np.abs(block.values), each, out=np.zeros_like(each), where=each > TINY)
    return np.asarray((shares * effects).sum(axis=1))


# ---- How held-out rows would change a solution on cells
# The amplification times the norm of the residual is far too large where the residual oscillates as fast as the
# functions of a cell can: the problem as a whole hardly amplifies such a residual. With H' the held-out rows, weighted
# as the fitted ones, and r' their residual, ``(R^H R)^-1 H'^H r'`` is how these rows would change the coefficients:
# the error, as far as the functions represent it. The part that they do not represent may be orthogonal to them in
# rows that are dense at the ends of cells, but not in the solution: rows of even density would change the coefficients
# by about the missing part.
#
# The rows of a whole cell are at quadrature nodes. Where the boundary cuts cells, sums over rows have an error as if
# the rows were at random places; residuals with random signs tell how much that changes the coefficients. The same
# holds for cells with a feature narrower than the distance of rows, such as a jump.

# Residuals with random signs.
_SIGNS = 3
# The true solution has parts that may be amplified somewhat more than the functions of cells show.
_SAFETY = 5.0


@final
@dataclass(frozen=True, eq=False)
class Correction:
    """How held-out rows would change solutions on cells."""

    finite: Finite
    held_out: HeldOut
    blocks: Sequence[BlockRows]  # the fitted blocks
    factored: NestedQR
    values: tuple[NumberArray, ...]  # for each unknown, all functions at the probing points (n, M)

    def errors(self, deviations: Deviations) -> list[float]:
        """The error of each unknown."""
        changes = self.changes(*self._gradients(deviations))
        found = []
        for Phi in self.values:
            dense, even, *by_chance = (safe_rms(each) for each in (Phi @ changes).T)
            found.append(_SAFETY * (max(dense, even) + SAFETY * safe_rms(np.array(by_chance or [0.0]))))
        return found

    def changes(self, of_equations: NumberArray, others: NumberArray) -> NumberArray:
        """``(R^H R)^-1`` times sums of rows of equations and of other rows ``(M, n)``.

        Equations that hold exactly do so however much others would change.
        """
        held = self.factored.exact
        if not held.any():
            return self.factored.solve_triangle(self.factored.solve_triangle(of_equations + others, adjoint=True))
        heads, more = np.hsplit(self.factored.solve_triangle(np.hstack([of_equations, others]), adjoint=True), 2)
        return self.factored.solve_triangle(heads + np.where(held[:, None], 0.0, more))

    def _gradients(self, deviations: Deviations) -> tuple[NumberArray, NumberArray]:
        """``H'^H r'`` for equations and for other rows, for even rows too, and for random signs in cut cells.

        Shapes ``(M, 2 + _SIGNS)``, or ``(M, 2)`` where no row is in a cut cell.
        """
        rng = np.random.default_rng(0)  # for inspection only
        kind = np.result_type(self.factored.dtype, *deviations.parts)
        uneven = [*(rows.uneven for rows in deviations.rows), *(seam.uneven for seam in deviations.seams)]
        signs = _SIGNS if any(each.any() for each in uneven) else 0
        total = np.zeros((2, 2 + signs, self.finite.basis.size), dtype=kind)
        for held in deviations.rows:
            weights = _weightings(self.finite.sparse(held.sites), held.uneven, signs, rng)
            total[0 if held.of_equation else 1] += held.rows.adjoint(held.weight * weights * held.deviation)
        for seam in deviations.seams:
            weights = _weightings(seam.sparse, seam.uneven, signs, rng)
            total[1] += self.finite.across_seams(weights * seam.deviation)
        return total[0].T, total[1].T

    def deviations(self, coefficients: NumberArray, problem: Problem) -> Deviations:
        """The deviations of a solution of a problem, which may have other data than the factored one."""
        return self._latest(
            lambda: Deviations(self._rows(coefficients, problem), self.finite.seams(coefficients)),
            coefficients,
            problem,
        )

    @cached_property
    def _latest(self) -> Latest[Deviations]:
        return Latest()

    def _rows(self, coefficients: NumberArray, problem: Problem) -> tuple[Rows, ...]:
        """All held-out rows, and rows in narrow places.

        Rows in narrow places count only in cells whose residual there is clearly larger than the held-out rows show.
        Elsewhere the held-out rows, at quadrature nodes, see all of it: oscillations cancel in their sums, as they do
        in the solution, but not in sums over a few places.
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
            narrow = narrow_rows(problem, relation, self.finite)
            uneven = self.finite.uneven(sites) | self._has_narrow(sites, () if narrow is None else narrow.places)
            is_equation = relation.region.kind == "domain"
            found.append(Rows(rows, sites, weight, weight * residual, uneven, is_equation))
            if narrow is not None:
                operator, sites = narrow.block.pieces[0]
                rows = RowsInCells.at(basis, localise(operator, sites, basis.components))
                deviation = rows @ coefficients - narrow.block.values
                stands_out = self._stands_out((sites, deviation), (found[-1].sites, residual))
                weight = stands_out * own.scale * np.sqrt(own.count * narrow.shares)
                there = self.finite.emphasis(own.name, sites, narrow.shares)
                weight = np.asarray(weight if there is None else weight * there)
                found.append(Rows(rows, sites, weight, weight * deviation, self.finite.uneven(sites), is_equation))
        return tuple(found)

    def _has_narrow(self, sites: Sites, places: Sequence[Narrow]) -> BoolArray:
        """Whether sites are in cells with a feature narrower than the distance of sites there."""
        basis = self.finite.basis
        assert isinstance(basis, CellBasis)
        cells = self.finite.cells_at(sites.points)
        number = np.maximum(np.bincount(cells, minlength=self.finite.pieces), 1)
        apart = basis.frames.lengths.max(axis=1) / number ** (1.0 / sites.points.shape[1])
        has_narrow = np.zeros(self.finite.pieces, dtype=np.bool_)
        for place in places:
            if place.kind != "smooth":
                its = self.finite.cells_at(place.sites.points)
                has_narrow[its[apart[its] > place.width]] = True
        return np.asarray(has_narrow[cells])

    def _stands_out(self, narrow: tuple[Sites, NumberArray], others: tuple[Sites, NumberArray]) -> BoolArray:
        """Whether narrow places are in cells whose largest residual there is clearly larger than at other sites."""
        largest = np.zeros((2, self.finite.pieces))
        cells = [self.finite.cells_at(sites.points) for sites, _ in (narrow, others)]
        for (_, residual), its, most in zip((narrow, others), cells, largest, strict=True):
            np.maximum.at(most, its, np.abs(residual))
        return np.asarray((largest[0] > CLEARLY * largest[1])[cells[0]])


@dataclass(frozen=True, eq=False)
class Rows:
    """Held-out rows of a relation, and the deviation of a solution there."""

    rows: RowsInCells
    sites: Sites
    weight: FloatArray
    deviation: NumberArray  # weighted
    uneven: BoolArray  # whether sums over the rows are not integrals
    of_equation: bool


@final
@dataclass(frozen=True, eq=False)
class Deviations:
    """The deviations of a solution in held-out rows and across the seams of its pieces."""

    rows: tuple[Rows, ...]
    seams: tuple[Seam, ...]

    @property
    def parts(self) -> list[NumberArray]:
        """All deviations, weighted."""
        return [*(rows.deviation for rows in self.rows), *(seam.deviation for seam in self.seams)]


def _weightings(sparse: FloatArray, uneven: BoolArray, count: int, rng: np.random.Generator) -> FloatArray:
    """Weights of deviations: one, that of even rows, and so many with random signs; shape ``(2 + count, n)``."""
    signs = rng.choice([-1.0, 1.0], size=(count, len(sparse)))
    return np.concatenate([np.ones((1, len(sparse))), sparse[None], signs * uneven])


# ---- The error of each cell, to choose smaller cells or higher degrees

# The true solution has parts that the functions of cells do not show, and neighbouring cells may have equal errors.
_SAFETY_BY_CELL = 8.0


@final
@dataclass(frozen=True, eq=False)
class ByCell:
    """The errors that deviations in C cells may cause in each of U unknowns."""

    deviation: FloatArray  # (C,), in scaled rows
    amplification: FloatArray  # (C, U): how much larger the error of the solution may be
    left_out: FloatArray  # (C, U): what the functions of the cell leave out

    def errors(self, cells: BoolArray) -> FloatArray:
        """The errors from some of the cells, ``(U,)``."""
        return np.asarray(
            _SAFETY_BY_CELL * np.linalg.norm((self.amplification * self.deviation[:, None])[cells], axis=0)
        )

    def relative(self, scales: FloatArray) -> CellErrors:
        """The errors relative to the sizes of the unknowns, the largest of all unknowns."""
        scales = np.where(scales > 0, scales, 1.0)
        errors = _SAFETY_BY_CELL * self.amplification * self.deviation[:, None] + self.left_out
        return CellErrors((errors / scales).max(axis=1), (_SAFETY_BY_CELL * self.amplification / scales).max(axis=1))


def by_cell(correction: Correction, deviations: Deviations, left_out: FloatArray) -> ByCell:
    """The errors of cells, from the deviations of a solution and what functions leave out (see `Finite.left_out`).

    A deviation r in the rows of one cell changes the solution by ``Phi (R^H R)^-1 H^H r``: by no more than the norm of
    that matrix, whose square is the mean square of random sums of its rows in that cell.
    """
    finite, factored = correction.finite, correction.factored
    rng = np.random.default_rng(0)  # for inspection only
    rows = deviations.rows
    cells = np.concatenate([*(finite.cells_at(each.sites.points) for each in rows), finite.seam_cells])

    def squares(parts: list[NumberArray]) -> FloatArray:
        """The sum of squares of rows ``(F, n)`` in each cell, averaged over F."""
        each = np.mean(np.abs(np.concatenate(parts, axis=1)) ** 2, axis=0)
        return np.asarray(np.bincount(cells, each, minlength=finite.pieces), dtype=np.float64)

    amplification = []
    for Phi in correction.values:
        weights = _point_weights(finite.basis, Phi) / np.sqrt(Phi.shape[0])
        random = weights[:, None] * rng.standard_normal((Phi.shape[0], FEW))
        heads = factored.solve_triangle(adjoint(Phi) @ random, adjoint=True)
        with_all = factored.solve_triangle(heads)
        # where equations hold exactly, other rows change the solution by less
        held = factored.exact[:, None]
        others = factored.solve_triangle(np.where(held, 0.0, heads)) if held.any() else with_all
        at_rows = [each.weight * each.rows.sums((with_all if each.of_equation else others).T) for each in rows]
        amplification.append(np.sqrt(squares([*at_rows, finite.at_seams(others.T)])))
    left = [part[None] for part in deviations.parts]
    return ByCell(np.sqrt(squares(left)), np.stack(amplification, axis=1), left_out)


def _point_weights(basis: Basis, Phi: Any) -> FloatArray:
    """Weights of the probing points: a point in a tiny cell stands for no more than the area of the cell."""
    assert isinstance(basis, CellBasis)
    table = Phi.tocsr()
    cells = np.searchsorted(basis.starts, table.indices[table.indptr[:-1]], side="right") - 1
    areas = np.prod(basis.frames.lengths, axis=1)
    met = np.bincount(cells, minlength=len(areas))
    return np.asarray(np.sqrt(np.minimum(1.0, len(cells) * areas[cells] / areas.sum() / met[cells])))
