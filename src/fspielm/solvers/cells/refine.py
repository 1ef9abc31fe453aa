"""Which cells are halved, and in which polynomials get a higher degree."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fspielm.accuracy import CellErrors
from fspielm.arrays import BoolArray, FloatArray, NumberArray
from fspielm.collocation import Patchwork
from fspielm.collocation.cells.places import Degrees
from fspielm.collocation.cells.tails import Tails
from fspielm.geometry.cells import Cover
from fspielm.solvers.cells.corners import Special, special_points
from fspielm.solvers.cells.grading import touching
from fspielm.solvers.cells.growing import Growing
from fspielm.solvers.cells.plans import MOST_DEGREE, Grading, Plans, grade, plan

# The error estimate is to end below the tolerance by this factor.
_MARGIN = 2.0
# The deviation of a cell is no more than so many times its last coefficients: the rest comes from its neighbours.
_FROM_TAIL = 10.0
# Where coefficients fall by more than this with each degree, deviations oscillate, and amount to less than they might.
_RESOLVED, _RESOLVED_LESS = 0.8, 0.1
# And of what they leave out in the cell itself.
_HERE = 3.0
# Cells with this share of the worst error are helped first: the others' may come from those. Much of it does where
# those are not resolved, as long as no digit is certain or they are at a corner; or else another round for the others
# costs more than it may save.
_SHARE, _SHARE_UNRESOLVED = 0.003, 0.3
_UNRESOLVED = 0.45
_NO_DIGIT = 0.1
# Of the worst error, what there must be at a corner to speak of one, where slopes are finite and all looks resolved.
_SMOOTH = 0.1
# Toward several corners, as long as no digit is certain and no cell is much smaller than others, they are halved so
# often.
_FIRST_LEVELS, _ALIKE = 3, 0.2
# At corners that are not resolved, this share of the worst error is enough to be helped with the others.
_SHARE_CORNERS = 0.003
# A share of the largest tail that is as good as none.
_NOTHING = 1e-17
# What coefficients beside a corner gain with each degree; and by how much that is raised at most in the largest cells.
_WITH_DEGREE, _MOST_RAISE = 1.5, 3
# A degree is raised by at least two.
_LEAST_RAISE = 2
# Axes along which the tail is at least this share of the largest matter.
_AXIS = 0.1
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
    look = _look(patchwork, coefficients, sizes, errors, error, tol)
    least = _least_degree(patchwork)
    plans = plan(patchwork.degrees, look.rate, look.wanted[:, None] + np.log(np.maximum(look.shares, _NOTHING)), least)
    halvings = np.where(look.needs[:, None], plans.halvings, 0)
    more = np.where(look.along, np.minimum(patchwork.degrees + _LEAST_RAISE, MOST_DEGREE), 0)
    raised = np.where(halvings.any(axis=1, keepdims=True), plans.degrees, np.maximum(plans.degrees, more))
    wish = np.where(look.needs[:, None], raised - patchwork.degrees, 0)
    corners = _toward_corners(patchwork, look, plans)
    for corner in corners:
        halvings[corner.cells], wish[corner.cells] = 0, 0
    sides = patchwork.tiling.frames.lengths.max(axis=1)
    if not np.isfinite(error) and len(corners) > 1 and sides.min() > _ALIKE * sides.max():
        # which of them matters shows with some levels
        corners = [replace(each, grading=each.grading.first(_FIRST_LEVELS)) for each in corners]
    growing = Growing(patchwork.problem, patchwork.tiling, np.maximum(patchwork.degrees + wish, least))
    growing.halve(halvings)
    growing.grade([(each.special, each.grading, each.size) for each in corners])
    halved = int(np.count_nonzero(halvings.any(axis=1)))
    count = int(np.count_nonzero(look.needs & ~halvings.any(axis=1) & (wish > 0).any(axis=1)))
    words = [f"{halved} cell{'s' * (halved > 1)} halved" * bool(halved), f"higher degrees in {count}" * bool(count)]
    words += [f"cells graded toward {len(corners)} corner{'s' * (len(corners) > 1)}" * bool(corners)]
    return replace(patchwork, tiling=growing.tiling, degrees=_levelled(growing.degrees, growing.tiling)), ", ".join(
        word for word in words if word
    )


@dataclass(frozen=True, eq=False)
class _Look:
    """What is known of each of C cells.

    Attributes
    ----------
    own : (C,) array
        Of the relative error, what comes from its functions.
    wanted : (C,) array
        The logarithm of what that is to fall by.
    needs : (C,) array
        Whether it is to be helped now.
    rate : (C,) array
        By how much logarithms of its coefficients fall with each degree.
    shares : (C, d) array
        Its last coefficients by the axis along which they oscillate most, of the largest of these.
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


def _look(
    patchwork: Patchwork, coefficients: NumberArray, sizes: FloatArray, errors: CellErrors, error: float, tol: float
) -> _Look:
    """For `refine`, whose arguments these are."""
    every = patchwork.tails(coefficients)
    tails = every.worst(sizes / np.asarray(patchwork.scales))
    own = _own(patchwork, every, sizes, errors)
    # by as much as the whole error is too large; where that is not known, as the cells' are
    total = float(np.linalg.norm(own))
    most = tol * (total / error if np.isfinite(error) else 1.0) / (_MARGIN * np.sqrt(len(own)))
    wanted = np.log(np.maximum(own / max(most, _ROUNDING), 1.0))
    worst = int(np.argmax(own))
    special = [touching(patchwork.tiling, each.point) for each in special_points(patchwork.problem)]
    spreads = error > _NO_DIGIT or any(worst in at for at in special)
    share = _SHARE_UNRESOLVED if tails.rate[worst] < _UNRESOLVED and spreads else _SHARE
    shares = np.full(len(own), share)
    for at in special:
        slow = at[tails.rate[at] < _UNRESOLVED]
        shares[slow] = np.minimum(shares[slow], _SHARE_CORNERS)
    needs: BoolArray = (wanted > 0) & (own > shares * own[worst])
    if not needs.any():  # the cells do not say where: everywhere
        needs, wanted = np.ones(len(own), dtype=np.bool_), np.full(len(own), 1.0)
    largest = tails.along.max(axis=1, keepdims=True)
    along = np.divide(tails.along, largest, out=np.ones_like(tails.along), where=largest > 0)
    return _Look(own, wanted, needs, tails.rate, along)


@dataclass(frozen=True, eq=False)
class _Corner:
    """A special point, how cells at it are halved, which ones these are, and how long."""

    special: Special
    grading: Grading
    cells: Cells
    size: float


def _toward_corners(patchwork: Patchwork, look: _Look, plans: Plans) -> list[_Corner]:
    """Those where halving again and again is what helps."""
    tiling, highest, least = patchwork.tiling, patchwork.degrees.max(axis=1), _least_degree(patchwork)
    found: list[_Corner] = []
    graded: set[int] = set()
    for special in sorted(special_points(patchwork.problem), key=lambda special: special.power):
        at = touching(tiling, special.point)
        at = at[look.needs[at]]
        if not look.along[at].all(axis=1).any():  # what is there at most goes along a side
            continue
        first = at[np.argmax(look.wanted[at])]
        wanted = float(look.wanted[first])
        smooth = int(highest[first]) + min(int(wanted / _WITH_DEGREE), _MOST_RAISE)
        grading = grade(smooth, special.power, special.gain, wanted, least)
        # what is in the cell may come from elsewhere, or from a sharp corner of it; or a higher degree may do
        shown = look.rate[at].min() < _UNRESOLVED or look.own[at].max() >= _SMOOTH * look.own.max()
        if not special.is_sharp and (not shown or graded & set(at.tolist())):
            continue
        falls = not special.is_sharp or look.rate[first] > _RESOLVED
        if falls and len(at) * grading.cost > float(plans.raising[at].sum()):
            continue
        found.append(_Corner(special, grading, at, float(np.max(tiling.frames.lengths[at]))))
        graded |= set(at.tolist()) if special.is_sharp else set()
    return found


def _own(patchwork: Patchwork, tails: Tails, sizes: FloatArray, errors: CellErrors) -> FloatArray:
    """Of the error of each cell, what comes from its own functions: as far as their last coefficients allow it."""
    areas = np.prod(patchwork.tiling.frames.lengths, axis=1)
    tail = tails.worst(sizes / np.asarray(patchwork.scales))
    here = _HERE * np.sqrt(areas / areas.sum()) * tail.size
    elsewhere = _FROM_TAIL * errors.amplification * tails.last.max(axis=1)
    own = np.minimum(errors.relative, here + elsewhere)
    return np.asarray(np.where(tail.rate > _RESOLVED, _RESOLVED_LESS * own, own))


def _least_degree(patchwork: Patchwork) -> int:
    """The lowest with which equations of their order make sense."""
    return 3 + 3 * max(equation.operator.order for equation in patchwork.problem.equations) // 2


def _levelled(degrees: Degrees, tiling: Cover) -> Degrees:
    """Raised to what neighbours of another material have: a trace of more functions than a cell has stays open."""
    found = degrees.copy()
    for contact in tiling.contacts:
        both = list(contact.cells)
        found[both] = np.maximum(found[both], degrees[both].max(axis=0))
    return found
