"""Which cells are halved, and in which polynomials get a higher degree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fspielm.accuracy import CellErrors
from fspielm.arrays import BoolArray, FloatArray, NumberArray
from fspielm.collocation import Patchwork
from fspielm.collocation.cells.places import Degrees
from fspielm.collocation.cells.tails import Tail, Tails
from fspielm.equations import Problem
from fspielm.errors import UnsuitableError
from fspielm.geometry.cells import Cover
from fspielm.solvers.cells.corners import Special, special_points
from fspielm.solvers.cells.grading import balanced, touching, toward
from fspielm.solvers.cells.plans import MOST_DEGREE, Grading, grade, plan

# The error estimate is to end below the tolerance by this factor.
_MARGIN = 2.0
# The deviation of a cell is no more than so many times its last coefficients: the rest comes from its neighbours.
_FROM_TAIL = 10.0
# Where coefficients fall by more than this with each degree, deviations oscillate, and amount to less than they might.
_RESOLVED, _RESOLVED_LESS = 0.8, 0.1
# And of what they leave out in the cell itself.
_HERE = 3.0
# Cells with this share of the worst error are helped first: the others' may come from those. Much of it does where
# those are not resolved.
_SHARE, _SHARE_UNRESOLVED = 0.003, 0.3
_UNRESOLVED = 0.45
# Of the worst error, what there must be at a corner at which slopes are finite to speak of one.
_SMOOTH = 0.1
# Toward several corners, as long as no digit is certain, cells are halved so often.
_FIRST_LEVELS = 3
# The logarithm of what little is missing.
_LITTLE = 4.6
# The logarithm of a tail beside which there is none.
_NOTHING = -40.0
# What coefficients beside a corner gain with each degree; and by how much that is raised at most in the largest cells.
_WITH_DEGREE, _MOST_RAISE = 1.5, 3
# A degree is raised by at least two.
_LEAST_RAISE = 2
# Axes along which the tail is at least this share of the largest matter.
_AXIS = 0.1
# And, where the boundary cuts a cell, sides of what is left of it that are this share of the longest: in a narrow gap,
# functions vary along it.
_LONG = 0.6
# Where cells around a corner become too small for the boundary, it is so many halvings less.
_BACK = 4
# No coefficient is known better.
_ROUNDING = 1e-15

Cells = NDArray[np.intp]


def refine(
    patchwork: Patchwork, coefficients: NumberArray, sizes: FloatArray, errors: CellErrors, error: float, tol: float
) -> tuple[Patchwork, str]:
    """Smaller cells, or higher degrees, for an error that is to meet a tolerance; and what was done, in words.

    `sizes` are those of the unknowns. Each cell whose error is above what all may have is helped in the cheaper way, by
    what its coefficients promise; those at corners are halved toward them as often as it takes.
    """
    problem, tiling = patchwork.problem, patchwork.tiling
    every = patchwork.tails(coefficients, problem)
    tails = _along_gaps(tiling, every.worst(sizes / np.asarray(patchwork.scales)))
    own = _own(patchwork, every, sizes, errors)
    # by as much as the whole error is too large; where that is not known, as the cells' are
    total = float(np.linalg.norm(own))
    most = tol * (total / error if np.isfinite(error) else 1.0) / (_MARGIN * np.sqrt(len(own)))
    wanted = np.log(np.maximum(own / max(most, _ROUNDING), 1.0))
    worst = int(np.argmax(own))
    share = _SHARE_UNRESOLVED if tails.rate[worst] < _UNRESOLVED else _SHARE
    needs: BoolArray = (wanted > 0) & (own > share * own[worst])
    if not needs.any():  # the cells do not say where: everywhere
        needs, wanted = np.ones(len(own), dtype=np.bool_), np.full(len(own), 1.0)
    highest, least = patchwork.degrees.max(axis=1), _least_degree(patchwork)
    along: BoolArray = tails.along >= _AXIS * tails.along.max(axis=1, keepdims=True)
    with np.errstate(divide="ignore"):
        less = np.log(tails.along / tails.along.max(axis=1, keepdims=True))
    plans = plan(patchwork.degrees, tails.rate, wanted[:, None] + np.maximum(np.nan_to_num(less), _NOTHING), least)
    halvings = np.where(needs[:, None], plans.halvings, 0)
    more = np.where(along, np.minimum(patchwork.degrees + _LEAST_RAISE, MOST_DEGREE), 0)
    raised = np.where(halvings.any(axis=1, keepdims=True), plans.degrees, np.maximum(plans.degrees, more))
    wish = np.where(needs[:, None], raised - patchwork.degrees, 0)
    gradings: list[tuple[Special, Grading, float]] = []
    graded: set[int] = set()
    for special in sorted(special_points(problem), key=lambda special: special.power):
        at = touching(tiling, special.point)
        at = at[needs[at]]
        if not along[at].all(axis=1).any():  # what is there at most goes along a side
            continue
        first = at[np.argmax(wanted[at])]
        smooth = int(highest[first]) + min(int(wanted[first] / _WITH_DEGREE), _MOST_RAISE)
        found = grade(smooth, special.power, special.gain, float(wanted[first]), least)
        # what is in the cell may come from elsewhere, or from a sharp corner of it; or a higher degree may do
        if not special.is_sharp and (own[at].max() < _SMOOTH * own[worst] or graded & set(at.tolist())):
            continue
        # how fast coefficients fall is not known where the boundary cuts a cell: they do if little is missing
        little = not tiling.cells[first].whole and wanted[first] < _LITTLE
        falls = not special.is_sharp or tails.rate[first] > _RESOLVED or little
        if falls and len(at) * found.cost > float(plans.raising[at].sum()):
            continue
        gradings.append((special, found, float(np.max(tiling.frames.lengths[at]))))
        halvings[at], wish[at] = 0, 0
        graded |= set(at.tolist()) if special.is_sharp else set()
    if not np.isfinite(error) and len(gradings) > 1:  # which of them matters shows with some levels
        gradings = [(special, found.first(_FIRST_LEVELS), size) for special, found, size in gradings]
    growing = _Growing(patchwork.problem, tiling, np.maximum(patchwork.degrees + wish, least))
    growing.halve(halvings)
    growing.grade(gradings)
    halved = int(np.count_nonzero(halvings.any(axis=1)))
    count = int(np.count_nonzero(needs & ~halvings.any(axis=1) & (wish > 0).any(axis=1)))
    words = [f"{halved} cell{'s' * (halved > 1)} halved" * bool(halved), f"higher degrees in {count}" * bool(count)]
    words += [f"cells graded toward {len(gradings)} corner{'s' * (len(gradings) > 1)}" * bool(gradings)]
    return replace(patchwork, tiling=growing.tiling, degrees=_levelled(growing.degrees, growing.tiling)), ", ".join(
        word for word in words if word
    )


def _along_gaps(tiling: Cover, tails: Tail) -> Tail:
    """With none along the shorter sides of what the boundary leaves of cells: their tails do not say along which."""
    sides, cut = tiling.frames.lengths, np.array([not cell.whole for cell in tiling.cells])
    short: BoolArray = cut[:, None] & (sides < _LONG * sides.max(axis=1, keepdims=True))
    return replace(tails, along=np.where(short, 0.0, tails.along))


def _own(patchwork: Patchwork, tails: Tails, sizes: FloatArray, errors: CellErrors) -> FloatArray:
    """Of the error of each cell, what comes from its own functions: as far as their last coefficients allow it."""
    whole = np.array([cell.whole for cell in patchwork.tiling.cells])
    areas = np.prod(patchwork.tiling.frames.lengths, axis=1)
    tail = tails.worst(sizes / np.asarray(patchwork.scales))
    here = _HERE * np.sqrt(areas / areas.sum()) * tail.size
    elsewhere = _FROM_TAIL * errors.amplification * tails.last.max(axis=1)
    own = np.where(whole, np.minimum(errors.relative, here + elsewhere), errors.relative)
    return np.where(whole & (tail.rate > _RESOLVED), _RESOLVED_LESS * own, own)


def _least_degree(patchwork: Patchwork) -> int:
    """The lowest with which equations of their order make sense."""
    return 3 + 3 * max(equation.operator.order for equation in patchwork.problem.equations) // 2


class _Growing:
    """Cells that become smaller, with the degrees that they inherit."""

    def __init__(self, problem: Problem, tiling: Cover, degrees: Degrees) -> None:
        self._problem = problem
        self.tiling = tiling
        self.degrees = degrees

    def _become(self, tiling: Cover) -> Cells:
        """Take over a finer tiling; the owners of its cells."""
        owners = _owners(self.tiling, tiling)
        self.tiling, self.degrees = tiling, self.degrees[owners]
        return owners

    def halve(self, halvings: NDArray[np.int_]) -> None:
        """Each cell so often along each axis."""
        while halvings.any():
            axes = {int(cell): np.flatnonzero(halvings[cell]).tolist() for cell in np.flatnonzero(halvings.any(axis=1))}
            halvings = np.maximum(halvings - 1, 0)[self._become(self.tiling.halve(axes))]
        self._become(balanced(self.tiling, problem=self._problem))

    def grade(self, gradings: Sequence[tuple[Special, Grading, float]]) -> None:
        """Toward special points, from cells of some size on."""
        of = np.full(len(self.tiling.cells), -1)
        for number, (special, _, _) in enumerate(gradings):
            of[touching(self.tiling, special.point)] = number
        steps = [(self.tiling, self.degrees, of)]
        for level in range(max((grading.levels for _, grading, _ in gradings), default=0)):
            points = [special.point for special, grading, _ in gradings if grading.levels > level]
            try:
                of = of[self._become(toward(self.tiling, points))]
            except UnsuitableError:  # cells as small as the boundary is known
                if level == 0:
                    raise
                break
            steps.append((self.tiling, self.degrees, of))
        finest = self._balanced(steps)
        self.tiling, self.degrees, of = steps[-1]
        sides = self.tiling.frames.lengths.max(axis=1)
        for number, (_, grading, size) in enumerate(gradings):
            here = np.flatnonzero(of == number)
            level = np.clip(np.round(np.log2(size / sides[here])).astype(int) - 1, 0, grading.levels - 1)
            self.degrees[here] = np.array(grading.degrees)[level][:, None]
        self._become(finest)

    def _balanced(self, steps: list[tuple[Cover, Degrees, Cells]]) -> Cover:
        """The last of some steps, balanced; those whose cells are too small for how well the boundary is known go."""
        while True:
            try:
                return balanced(steps[-1][0], problem=self._problem)
            except UnsuitableError:
                if len(steps) <= _BACK + 1:
                    raise
                del steps[-_BACK:]


def _levelled(degrees: Degrees, tiling: Cover) -> Degrees:
    """Raised to what neighbours of another material have: a trace of more functions than a cell has stays open."""
    found = degrees.copy()
    for contact in tiling.contacts:
        both = list(contact.cells)
        found[both] = np.maximum(found[both], degrees[both].max(axis=0))
    return found


def _owners(coarse: Cover, fine: Cover) -> Cells:
    """The cells of a coarser tiling that those of a finer one came from."""
    if fine is coarse:
        return np.arange(len(coarse.cells))
    centers = np.array([0.5 * (cell.boxes[0][0] + cell.boxes[0][1]) for cell in fine.cells])
    owners = coarse.locate(centers)
    for index, cell in enumerate(coarse.cells):
        alike = fine.materials == coarse.materials[index]
        for lower, upper in cell.boxes:
            owners[alike & np.all((centers > lower) & (centers < upper), axis=1)] = index
    return owners
