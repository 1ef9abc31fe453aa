"""Which cells are halved, and which get higher degrees."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray, NumberArray
from fspielm.cells.patchwork import Patchwork
from fspielm.cells.places import Degrees
from fspielm.cells.shared import AroundPoint
from fspielm.cells.tails import Tails
from fspielm.cells.tiling import Cover, tied_across
from fspielm.errors import UnsuitableError
from fspielm.estimate.estimate import CellErrors
from fspielm.problem.problem import Problem
from fspielm.resources import check_deadline
from fspielm.solvers.cells.corners import CLOSE, Special, points_left

# ---- Neighbours across periodic faces


def tied_cells(tiling: Cover, problem: Problem) -> dict[tuple[int, int], int]:
    """Pairs of cells across periodic faces, and the axis of the shift; one cell may be at both faces."""
    found: dict[tuple[int, int], int] = {}
    for relation in problem.relations:
        part, shift = relation.region.part, relation.region.shift
        if part is not None and shift is not None:
            axis = int(np.argmax(np.abs(shift)))
            found |= {contact.cells: axis for contact in tied_across(tiling, part, shift)}
    return found


# ---- Cells graded toward points and lines

# The largest ratio of the longest sides of neighbours: in general, and near narrow features, where solutions change
# over distances like that from the feature.
_UNLIKE, UNLIKE_NARROW = 4.5, 2.2
# A cell is cut at a point that is farther from its ends than this share of its length.
_CUT = 0.02
# Toward a point, we halve sides that are longer than this share of the longest one.
_ALIKE = 0.75


def touching(tiling: Cover, point: FloatArray) -> NDArray[np.intp]:
    """The cells that touch a point."""
    lower, upper = (np.asarray(side) for side in tiling.domain.bounding_box)
    frames = tiling.frames
    slack = min(CLOSE * float(np.max(upper - lower)), 0.25 * float(np.min(frames.lengths)))
    met = np.all((frames.lower - slack <= point) & (point <= frames.upper + slack), axis=1)
    return np.flatnonzero(met)


def toward(tiling: Cover, points: Sequence[FloatArray]) -> Cover:
    """The tiling with the cells at some points halved along their longer sides."""
    met = {int(cell) for point in points for cell in touching(tiling, point)}
    sides = tiling.frames.lengths
    axes = {cell: np.flatnonzero(sides[cell] >= _ALIKE * sides[cell].max()).tolist() for cell in met}
    return tiling.halve(axes) if met else tiling


def cut_at(tiling: Cover, points: Iterable[FloatArray]) -> Cover:
    """The tiling with cells cut at some points, so that these are corners of all cells around them."""
    for point in points:
        for axis in range(tiling.domain.dimension):
            wanted: dict[int, dict[int, float]] = {}
            for index in touching(tiling, point).tolist():
                # a box may reach beyond the domain, and a cell may have several
                for lower, upper in tiling.cells[index].boxes if len(tiling.cells[index].boxes) == 1 else ():
                    share = (point[axis] - lower[axis]) / (upper[axis] - lower[axis])
                    if _CUT < share < 1 - _CUT:
                        wanted[index] = {axis: float(point[axis])}
            tiling = tiling.halve(wanted) if wanted else tiling
    return tiling


def balanced(tiling: Cover, unlike: float = _UNLIKE, *, problem: Problem | None = None) -> Cover:
    """The tiling with large cells halved until none has a much smaller neighbour, or itself across periodic faces."""
    while True:
        # sides of the boxes: the part inside of the domain may be a sliver, however often its neighbour is halved
        sides = np.array([np.max([high - low for low, high in cell.boxes], axis=0) for cell in tiling.cells])
        tied = {} if problem is None else tied_cells(tiling, problem)
        wanted: dict[int, tuple[int, ...]] = {one: (axis,) for (one, other), axis in tied.items() if one == other}
        pairs = [*(joint.cells for joint in tiling.joints), *(contact.cells for contact in tiling.contacts), *tied]
        for pair in pairs:
            check_deadline()
            for large, small in (pair, pair[::-1]):
                axes = np.flatnonzero(sides[large] > unlike * sides[small].max()).tolist()
                if axes:
                    wanted[large] = tuple(sorted({*wanted.get(large, ()), *axes}))
        if not wanted:
            return tiling
        tiling = tiling.halve(wanted)


# ---- The cheapest change of a cell: a higher degree, or smaller cells

MOST_DEGREE = 32
# The most halvings of a cell in one round.
_MOST_HALVINGS = 2
# If coefficients decay more slowly than this with each degree, nothing is resolved yet.
UNRESOLVED = 0.2
# Where nothing is resolved, axes that need less by this, in logarithms, are not halved.
_ALIKE_PLANS = 2.3
# Coefficients should decay by this more, since rates are not exact; and the share of a degree that halves keep.
_SURE, _KEPT = 1.0, 0.85
# A cell takes as long as a matrix of its functions and of so many traces for each degree, plus a cell of the second
# number as its degree.
_TRACES, _FIXED_DEGREE = 4, 10
# Halving must save this factor: it adds unknowns on edges, and rates in the halves are guesses.
_SAVING = 1.3
# Decay of logarithms with each degree, in cells that are as far from a corner as they are long; and the share of the
# gain by which degrees fall from level to level: with few functions, least squares carry errors to the next level.
_BESIDE_CORNER, _LESS = 1.5, 0.65
# Degrees that these cells get in addition, so as not to be worse than before.
_SURER = 2
# Cells for each halving toward a corner.
_EACH_LEVEL = 3
_MOST_LEVELS = 48
# A further gain, in logarithms, since the first estimate at a corner is not exact.
_MORE = 6.0


@final
@dataclass(frozen=True, eq=False)
class Plans:
    """The cheapest change of each of C cells.

    Attributes
    ----------
    halvings : (C, d) integer array
        How often to halve it along each axis.
    degrees : (C, d) integer array
        Of the polynomials in it, or in its parts.
    raising : (C,) array
        Operations, about, if degrees are raised instead of halving; infinite if they would be too high.
    """

    halvings: NDArray[np.int_]
    degrees: NDArray[np.int_]
    raising: FloatArray


def plan(degrees: NDArray[np.int_], rates: FloatArray, wanted: FloatArray, least: int) -> Plans:
    """The cheapest way to reduce coefficients further by the logarithms `wanted` ``(C, d)`` along each axis.

    They decay like those of a function with a singularity outside of the cell, whose distance follows from the rate,
    and is twice as large relative to a half of the cell.
    """
    slow = np.maximum(rates, 0.02)[:, None]
    options = np.array(list(product(range(_MOST_HALVINGS + 1), repeat=degrees.shape[1])))[:, None]
    faster = np.arccosh(1 + 2.0**options * (np.cosh(np.minimum(slow, 5.0)) - 1))
    needed = np.ceil((wanted + _SURE + slow * degrees) / faster)
    needed = np.maximum(needed, np.where(options > 0, np.ceil(_KEPT * degrees), degrees))
    needed = np.maximum(np.where((options == 0) & (wanted <= 0), degrees, needed), least)
    halves = 2.0 ** options.sum(axis=2)
    cost = np.where(halves > 1, _SAVING, 1.0) * halves * operations(needed)
    cost = np.where(np.any(needed > MOST_DEGREE, axis=2), np.inf, cost)
    best, each = np.argmin(cost, axis=0), np.arange(len(degrees))
    lost: BoolArray = np.all(np.isinf(cost), axis=0)
    # if nothing is resolved, several halvings are needed; otherwise we approach a point step by step
    often = np.where(rates < UNRESOLVED, _MOST_HALVINGS, 1)[:, None]
    halvings = np.where(
        lost[:, None], np.where(wanted > wanted.max(axis=1, keepdims=True) - _ALIKE_PLANS, often, 0), options[best, 0]
    )
    found = np.where(lost[:, None], np.minimum(degrees, MOST_DEGREE), needed[best, each])
    return Plans(halvings, found.astype(np.int_), cost[0])


def operations(degrees: FloatArray | NDArray[np.int_]) -> FloatArray:
    """Operations, about, of cells with polynomials of some degrees ``(..., d)``."""

    def cube(each: FloatArray | NDArray[np.int_]) -> FloatArray:
        ball = (0.25 * np.pi if each.shape[-1] == 2 else 1.0) * np.prod(each + 1.0, axis=-1)
        return np.asarray((ball + _TRACES * each.sum(axis=-1)) ** 3)

    return np.asarray(cube(degrees) + cube(np.full(degrees.shape[-1], _FIXED_DEGREE)))


@final
@dataclass(frozen=True)
class Grading:
    """Repeated halving of cells toward a point, with degrees that fall with their size.

    Attributes
    ----------
    levels : int
    degrees : tuple of int
        From the largest cells to those at the point.
    """

    levels: int
    degrees: tuple[int, ...]

    @property
    def cost(self) -> float:
        """Operations, about, of the parts of one cell."""
        return _EACH_LEVEL * float(operations(np.array(self.degrees)[:, None].repeat(2, axis=1)).sum())

    def first(self, levels: int) -> Grading:
        """The first levels."""
        return Grading(min(levels, self.levels), self.degrees[:levels])


def grade(degree: int, power: float, gain: float, wanted: float, least: int) -> Grading:
    """The grading that reduces errors by the logarithm `wanted`, on cells of some degree at a special point."""
    levels = min(math.ceil((wanted + _MORE) / gain), _MOST_LEVELS)
    # the reduction relative to the largest cells without any polynomials
    first = wanted + 2 * power * math.log(max(degree, 2))
    degrees = [first - _LESS * gain * level for level in range(levels)]
    # smooth parts of the solution decay faster in smaller cells
    falls = [_BESIDE_CORNER / (_BESIDE_CORNER + math.log(2) * (level + 1)) for level in range(levels)]
    smooth = [min(degree * share + _SURER, degree) for share in falls]
    both = [max(w / _BESIDE_CORNER + 1, own, least) for w, own in zip(degrees, smooth, strict=True)]
    return Grading(levels, tuple(min(math.ceil(each), MOST_DEGREE) for each in both))


# ---- Smaller cells, and the degrees that they inherit

# Where cells around a corner become too small for the boundary, we go back by so many halvings.
_BACK = 4

Cells = NDArray[np.intp]


class Growing:
    """A tiling and its degrees while they are refined."""

    def __init__(self, problem: Problem, tiling: Cover, degrees: Degrees) -> None:
        self._problem = problem
        self.tiling = tiling
        self.degrees = degrees

    def _replace_tiling(self, tiling: Cover) -> Cells:
        """Replace the tiling by a finer one; returns the former cells of its cells."""
        owners = _owners(self.tiling, tiling)
        self.tiling, self.degrees = tiling, self.degrees[owners]
        return owners

    def halve(self, halvings: NDArray[np.int_]) -> None:
        """Halve each cell so often along each axis."""
        while halvings.any():
            axes = {int(cell): np.flatnonzero(halvings[cell]).tolist() for cell in np.flatnonzero(halvings.any(axis=1))}
            halvings = np.maximum(halvings - 1, 0)[self._replace_tiling(self.tiling.halve(axes))]
        self._replace_tiling(balanced(self.tiling, problem=self._problem))

    def grade(self, gradings: Sequence[tuple[Special, Grading, float]]) -> None:
        """Grade cells toward special points, from cells of some size on."""
        of = np.full(len(self.tiling.cells), -1)
        for number, (special, _, _) in enumerate(gradings):
            of[touching(self.tiling, special.point)] = number
        steps = [(self.tiling, self.degrees, of)]
        for level in range(max((grading.levels for _, grading, _ in gradings), default=0)):
            points = [special.point for special, grading, _ in gradings if grading.levels > level]
            try:
                of = of[self._replace_tiling(toward(self.tiling, points))]
            except UnsuitableError:  # cells are too small for the accuracy of the boundary
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
        self._replace_tiling(finest)

    def _balanced(self, steps: list[tuple[Cover, Degrees, Cells]]) -> Cover:
        """The last step, balanced; steps with cells too small for the accuracy of the boundary are removed."""
        while True:
            try:
                return balanced(steps[-1][0], problem=self._problem)
            except UnsuitableError:
                if len(steps) <= _BACK + 1:
                    raise
                del steps[-_BACK:]


def _owners(coarse: Cover, fine: Cover) -> Cells:
    """The cells of a coarse tiling that contain those of a fine one."""
    if fine is coarse:
        return np.arange(len(coarse.cells))
    centers = np.array([0.5 * (cell.boxes[0][0] + cell.boxes[0][1]) for cell in fine.cells])
    owners = coarse.locate(centers)
    for index, cell in enumerate(coarse.cells):
        alike = fine.materials == coarse.materials[index]
        for lower, upper in cell.boxes:
            owners[alike & np.all((centers > lower) & (centers < upper), axis=1)] = index
    return owners


# ---- Refinement: which cells are halved, and which get a higher degree

# The error estimate should end below the tolerance by this factor.
_MARGIN = 2.0
# The deviation of a cell is at most so many times its last coefficients; the rest comes from its neighbours.
_FROM_TAIL = 10.0
# If coefficients decay by more than this with each degree, deviations oscillate, and count with the second factor.
_RESOLVED, _RESOLVED_LESS = 0.8, 0.1
# The error of a cell itself, relative to its last coefficients.
_HERE = 3.0
# Cells with this share of the worst error are refined. The share is larger if the worst cell is not resolved, and there
# is no digit or it is at a corner: errors of other cells then come from it. Otherwise another round for the others
# would cost more than it saves.
_SHARE, _SHARE_UNRESOLVED = 0.003, 0.3
_UNRESOLVED = 0.45
_NO_DIGIT = 0.1
# The least share of the worst error at a corner with finite slopes, if all coefficients decay.
_SMOOTH = 0.1
# Without any digit, and with cells of similar size, cells are first halved so often toward several corners.
_FIRST_LEVELS, _ALIKE_REFINE = 3, 0.2
# A share of the largest tail that is zero.
_NOTHING = 1e-17
# Decay of logarithms near a corner with each degree; and the largest raise of degrees in the largest cells.
_WITH_DEGREE, _MOST_RAISE = 1.5, 3
# The least raise of a degree.
_LEAST_RAISE = 2
# Axes matter if their tail is at least this share of the largest.
_AXIS = 0.1
# Coefficients of singular functions that suit are at most so many times the solution; otherwise the last coefficients
# of polynomials are above this power of one over their degree.
_CANCELLED, _ROUGH = 100.0, 5.0
# The relative rounding of coefficients.
_ROUNDING = 1e-15


def refine(
    patchwork: Patchwork,
    coefficients: NumberArray,
    sizes: FloatArray,
    errors: CellErrors,
    error: float,
    tol: float,
    *,
    is_slow: bool = False,
) -> tuple[Patchwork, str]:
    """Smaller cells, or higher degrees, for an error that should meet a tolerance; and what was done, in words.

    `sizes` are those of the unknowns; `is_slow` says that the last rounds have hardly reduced the error. Each cell
    whose error is too large is changed in the cheaper way, according to the decay of its coefficients; cells at corners
    whose singular functions they do not have, or that do not fit, are graded toward them.
    """
    look = _survey(patchwork, coefficients, sizes, errors, error, tol)
    least = _least_degree(patchwork)
    plans = plan(patchwork.degrees, look.rate, look.wanted[:, None] + np.log(np.maximum(look.shares, _NOTHING)), least)
    halvings = np.where(look.needs[:, None], plans.halvings, 0)
    more = np.where(look.along, np.minimum(patchwork.degrees + _LEAST_RAISE, MOST_DEGREE), 0)
    raised = np.where(halvings.any(axis=1, keepdims=True), plans.degrees, np.maximum(plans.degrees, more))
    wish = np.where(look.needs[:, None], raised - patchwork.degrees, 0)
    corners = _toward_corners(patchwork, look, plans, _fitting(patchwork, coefficients, sizes, is_slow))
    for corner in corners:
        halvings[corner.cells], wish[corner.cells] = 0, 0
    sides = patchwork.tiling.frames.lengths.max(axis=1)
    if not np.isfinite(error) and len(corners) > 1 and sides.min() > _ALIKE_REFINE * sides.max():
        # a few levels show which corner matters
        corners = [replace(each, grading=each.grading.first(_FIRST_LEVELS)) for each in corners]
    growing = Growing(patchwork.problem, patchwork.tiling, np.maximum(patchwork.degrees + wish, least))
    growing.halve(halvings)
    growing.grade([(each.special, each.grading, each.size) for each in corners])
    halved = int(np.count_nonzero(halvings.any(axis=1)))
    count = int(np.count_nonzero(look.needs & ~halvings.any(axis=1) & (wish > 0).any(axis=1)))
    words = [f"{halved} cell{'s' * (halved > 1)} halved" * bool(halved), f"higher degrees in {count}" * bool(count)]
    words += [f"cells graded toward {len(corners)} corner{'s' * (len(corners) > 1)}" * bool(corners)]
    return replace(
        patchwork, tiling=growing.tiling, degrees=_level_materials(growing.degrees, growing.tiling)
    ), ", ".join(word for word in words if word)


@dataclass(frozen=True, eq=False)
class _Survey:
    """Errors and coefficients of each of C cells.

    Attributes
    ----------
    own : (C,) array
        The part of its relative error that comes from its own functions.
    wanted : (C,) array
        The logarithm of the factor by which that should fall.
    needs : (C,) array
        Whether to refine it now.
    rate : (C,) array
        Decay of the logarithms of its coefficients with each degree.
    shares : (C, d) array
        Its last coefficients by the axis along which they oscillate most, relative to the largest.
    """

    own: FloatArray
    wanted: FloatArray
    needs: BoolArray
    rate: FloatArray
    shares: FloatArray

    @property
    def along(self) -> BoolArray:
        """The axes that matter, ``(C, d)``."""
        return np.asarray(self.shares >= _AXIS)


def _survey(
    patchwork: Patchwork, coefficients: NumberArray, sizes: FloatArray, errors: CellErrors, error: float, tol: float
) -> _Survey:
    """Look at all cells; the arguments are those of `refine`."""
    every = patchwork.tails(coefficients)
    tails = every.worst(sizes / np.asarray(patchwork.scales))
    own = _own_errors(patchwork, every, sizes, errors)
    # relative to the whole error, or, where that is not known, to those of the cells
    total = float(np.linalg.norm(own))
    most = tol * (total / error if np.isfinite(error) else 1.0) / (_MARGIN * np.sqrt(len(own)))
    wanted = np.log(np.maximum(own / max(most, _ROUNDING), 1.0))
    worst = int(np.argmax(own))
    left = points_left(patchwork.problem, patchwork.basis.corners)
    special = [touching(patchwork.tiling, each.point) for each in left]
    spreads = error > _NO_DIGIT or any(worst in at for at in special)
    share = _SHARE_UNRESOLVED if tails.rate[worst] < _UNRESOLVED and spreads else _SHARE
    shares = np.full(len(own), share)
    for at in special:
        slow = at[tails.rate[at] < _UNRESOLVED]
        shares[slow] = np.minimum(shares[slow], _SHARE)
    needs: BoolArray = (wanted > 0) & (own > shares * own[worst])
    if not needs.any():  # no cell stands out: all of them
        needs, wanted = np.ones(len(own), dtype=np.bool_), np.full(len(own), 1.0)
    largest = tails.along.max(axis=1, keepdims=True)
    along = np.divide(tails.along, largest, out=np.ones_like(tails.along), where=largest > 0)
    return _Survey(own, wanted, needs, tails.rate, along)


@dataclass(frozen=True, eq=False)
class _Corner:
    """A special point, the grading there, the cells at it, and their length."""

    special: Special
    grading: Grading
    cells: Cells
    size: float


def _toward_corners(
    patchwork: Patchwork, look: _Survey, plans: Plans, known: Collection[tuple[float, float]]
) -> list[_Corner]:
    """The special points toward which to grade; the functions of cells fit at the `known` ones."""
    tiling, highest, least = patchwork.tiling, patchwork.degrees.max(axis=1), _least_degree(patchwork)
    found: list[_Corner] = []
    graded: set[int] = set()
    for special in sorted(points_left(patchwork.problem, known), key=lambda special: special.power):
        at = touching(tiling, special.point)
        at = at[look.needs[at]]
        if not look.along[at].all(axis=1).any():  # the solution varies along one side only
            continue
        # higher degrees bring more singular functions
        if tuple(special.point.tolist()) in known and look.rate[at].min() >= UNRESOLVED:
            continue
        first = at[np.argmax(look.wanted[at])]
        wanted = float(look.wanted[first])
        smooth = int(highest[first]) + min(int(wanted / _WITH_DEGREE), _MOST_RAISE)
        grading = grade(smooth, special.power, special.gain, wanted, least)
        # the error may come from elsewhere, or from a sharp corner of the cell; or a higher degree may be enough
        shown = look.rate[at].min() < _UNRESOLVED or look.own[at].max() >= _SMOOTH * look.own.max()
        if not special.is_sharp and (not shown or graded & set(at.tolist())):
            continue
        falls = not special.is_sharp or look.rate[first] > _RESOLVED
        if falls and len(at) * grading.cost > float(plans.raising[at].sum()):
            continue
        found.append(_Corner(special, grading, at, float(np.max(tiling.frames.lengths[at]))))
        graded |= set(at.tolist()) if special.is_sharp else set()
    return found


def _fitting(
    patchwork: Patchwork, coefficients: NumberArray, sizes: FloatArray, is_slow: bool
) -> list[tuple[float, float]]:
    """The corners with singular functions that are those of the solution.

    With others, large sums of them cancel, and yet polynomials of the cells around do not decay, or rounds are slow.
    """
    basis = patchwork.basis
    scaled = sizes / np.asarray(patchwork.scales)
    rough = patchwork.tails(coefficients).worst(scaled).size > patchwork.degrees.max(axis=1) ** -_ROUGH
    found: list[tuple[float, float]] = []
    start = int(basis.starts[-1])
    for part in basis.meeting.parts:
        own = np.abs(coefficients[start : start + len(part)])
        cancels = bool(own.max(initial=0.0) > _CANCELLED * scaled[0])
        if isinstance(part, AroundPoint) and not (cancels and (is_slow or rough[part.cells].any())):
            found += part.corners
        start += len(part)
    return found


def _own_errors(patchwork: Patchwork, tails: Tails, sizes: FloatArray, errors: CellErrors) -> FloatArray:
    """The part of the error of each cell that comes from its own functions, limited by their last coefficients."""
    areas = np.prod(patchwork.tiling.frames.lengths, axis=1)
    tail = tails.worst(sizes / np.asarray(patchwork.scales))
    here = _HERE * np.sqrt(areas / areas.sum()) * tail.size
    spread = _FROM_TAIL * errors.amplification * tails.last.max(axis=1)
    own = np.minimum(errors.relative, here + spread)
    return np.asarray(np.where(tail.rate > _RESOLVED, _RESOLVED_LESS * own, own))


def _least_degree(patchwork: Patchwork) -> int:
    """The lowest degree for equations of their order."""
    return 3 + 3 * max(equation.operator.order for equation in patchwork.problem.equations) // 2


def _level_materials(degrees: Degrees, tiling: Cover) -> Degrees:
    """Degrees raised to those of neighbours of another material: a trace must not have more functions than a cell."""
    found = degrees.copy()
    for contact in tiling.contacts:
        both = list(contact.cells)
        found[both] = np.maximum(found[both], degrees[both].max(axis=0))
    return found
