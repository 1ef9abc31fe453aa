"""Which cells are halved, and in which polynomials get a higher degree."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fspielm.arrays import BoolArray, FloatArray, NumberArray
from fspielm.collocation import Patchwork
from fspielm.collocation.cells.places import Degrees
from fspielm.geometry.cells import Cover
from fspielm.solvers.cells.balance import balanced
from fspielm.solvers.cells.first import MOST_DEGREE, special_points, toward

# The error estimate is to end below the tolerance by this factor.
_MARGIN = 3.0
# Where nothing is certain, tails are to fall by this.
_UNKNOWN = 1e4
# Cells with this share of the worst tail are helped first: the others' may come from those.
_SHARE = 0.01
# A degree is raised by at least two.
_LEAST_RAISE = 2
# Axes along which the tail is at least this share of the largest are halved.
_AXIS = 0.1
# No coefficient is known better.
_ROUNDING = 1e-15
# What is so close is there.
_CLOSE = 1e-12


def refine(patchwork: Patchwork, coefficients: NumberArray, sizes: FloatArray, excess: float) -> tuple[Patchwork, str]:
    """Smaller cells, or higher degrees, for an error that is too large by a factor; and what was done, in words.

    `sizes` are those of the unknowns.

    Each cell whose tail is above what all may have is helped in the cheaper way, by what its coefficients promise.
    """
    tails = patchwork.tails(coefficients, patchwork.problem).worst(sizes / np.asarray(patchwork.scales))
    factor = _MARGIN * excess if np.isfinite(excess) else _UNKNOWN
    most = max(float(np.sqrt(np.mean(tails.size**2))) / factor, _ROUNDING)
    wanted = np.log(np.maximum(tails.size / most, 1.0))
    degrees = patchwork.degrees
    highest = degrees.max(axis=1)
    raised = np.ceil(np.maximum(wanted / np.maximum(tails.rate, 1e-3), _LEAST_RAISE))
    smooth = highest + raised <= MOST_DEGREE
    needs: BoolArray = (wanted > 0) & (tails.size > _SHARE * tails.size.max())
    if not needs.any():  # the tails do not say where: everywhere
        needs, raised = np.ones(len(wanted), dtype=np.bool_), np.full(len(wanted), float(_LEAST_RAISE))
        smooth = highest + raised <= MOST_DEGREE
    higher = degrees + np.where(needs & smooth, raised, 0)[:, None].astype(int)
    halved = np.flatnonzero(needs & ~smooth)
    axes = {
        int(cell): tuple(np.flatnonzero(tails.along[cell] >= _AXIS * tails.along[cell].max()).tolist())
        or tuple(range(degrees.shape[1]))
        for cell in halved
    }
    tiling = patchwork.tiling.halve(axes) if axes else patchwork.tiling
    tiling = balanced(_toward_corners(patchwork, tiling, halved, wanted), patchwork.problem) if axes else tiling
    inherited = higher
    if tiling is not patchwork.tiling:
        inherited = higher[_owners(patchwork.tiling, tiling)]
    count = int(np.count_nonzero(needs & smooth))
    words = [
        f"{len(halved)} cell{'s' * (len(halved) > 1)} halved" * bool(len(halved)),
        f"higher degrees in {count}" * bool(count),
    ]
    return replace(patchwork, tiling=tiling, degrees=_levelled(inherited, tiling)), ", ".join(
        word for word in words if word
    )


def _levelled(degrees: Degrees, tiling: Cover) -> Degrees:
    """Raised to what neighbours of another material have: a trace of more functions than a cell has stays open."""
    found = degrees.copy()
    for contact in tiling.contacts:
        both = list(contact.cells)
        found[both] = np.maximum(found[both], degrees[both].max(axis=0))
    return found


def _owners(coarse: Cover, fine: Cover) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """The cells of a coarser tiling that those of a finer one came from."""
    centers = np.array([0.5 * (cell.boxes[0][0] + cell.boxes[0][1]) for cell in fine.cells])
    owners = coarse.locate(centers)
    for index, cell in enumerate(coarse.cells):
        alike = fine.materials == coarse.materials[index]
        for lower, upper in cell.boxes:
            owners[alike & np.all((centers > lower) & (centers < upper), axis=1)] = index
    return owners


def _toward_corners(
    patchwork: Patchwork, tiling: Cover, halved: np.ndarray[tuple[int], np.dtype[np.intp]], wanted: FloatArray
) -> Cover:
    """Cells at corners are halved several times at once: by how much each of them gains is known."""
    levels: list[tuple[FloatArray, int]] = []
    frames = patchwork.tiling.frames
    lower, upper = frames.lower[halved] - _CLOSE, frames.upper[halved] + _CLOSE
    for special in special_points(patchwork.problem):
        at = halved[np.all((lower <= special.point) & (special.point <= upper), axis=1)]
        levels.append((special.point, special.levels(float(np.exp(wanted[at].max(initial=0.0))))))
    for level in range(1, max((most for _, most in levels), default=0)):
        tiling = toward(tiling, [point for point, most in levels if most > level])
    return tiling
