"""A plane section through a domain: the cells at which a map is evaluated, and the outline it is cut to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fspielm.arrays import BoolArray, FloatArray
from fspielm.errors import ProblemError
from fspielm.geometry import Domain
from fspielm.solution.pictures.outline import inner_lines, mask_outline, outline

# An outline without a formula is found on a grid so many times finer than that of the cells.
_FINENESS = 4


@dataclass(frozen=True, eq=False)
class Section:
    """Cells of a plane section.

    Attributes
    ----------
    axes : (int, int)
        The coordinates across and up.
    points : (n, d) array
        The centers of those cells that lie in the domain.
    inside : (rows, columns) array
        Which cells those are; rows run along the second of `axes`.
    extent : (float, float, float, float)
        Left, right, bottom, top.
    loops : list of (n, 2) arrays
        The outline; empty where the section fills its frame.
    lines : list of (n, 2) arrays
        Within it, where regions meet, or objects begin that let waves through.
    goes_on : bool
        Whether the domain goes on beyond the frame, which then is no boundary.
    """

    axes: tuple[int, int]
    points: FloatArray
    inside: BoolArray
    extent: tuple[float, float, float, float]
    loops: list[FloatArray]
    lines: list[FloatArray]
    goes_on: bool = False

    def image(self, values: FloatArray) -> FloatArray:
        """The values at `points` as rows and columns; a cell outside shows the nearest one inside.

        What lies outside is to be clipped; a cell that the outline cuts may have its center there.
        """
        from scipy.ndimage import distance_transform_edt  # imported here: pictures are not always wanted

        image = np.zeros(self.inside.shape)
        image[self.inside] = values
        if self.inside.all():
            return image
        nearest = distance_transform_edt(~self.inside, return_distances=False, return_indices=True)
        return np.asarray(image[tuple(nearest)])

    def moved(self, column: int, value: float) -> FloatArray:
        """The same points with another value of a held coordinate, such as time."""
        points = self.points.copy()
        points[:, column] = value
        return points


def make_section(domain: Domain, axes: tuple[int, int], at: FloatArray, cells: tuple[int, int]) -> Section:
    """The section along `axes` through the point `at` ``(d,)``, with so many cells along each axis."""
    lower, upper = (bound[list(axes)] for bound in domain.bounding_box)

    def centers(fineness: int) -> tuple[tuple[FloatArray, FloatArray], FloatArray]:
        across, up = (
            a + (b - a) * (np.arange(n * fineness) + 0.5) / (n * fineness)
            for a, b, n in zip(lower, upper, cells, strict=True)
        )
        points = np.tile(at, (len(across) * len(up), 1))
        points[:, axes] = np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)
        return (across, up), points

    _, points = centers(1)
    inside = domain.contains(points)
    if not inside.any():
        held = [value for axis, value in enumerate(at.tolist()) if axis not in axes]
        raise ProblemError(f"the section at {held} does not meet the domain {domain!r}")
    loops: list[FloatArray] = []
    if not inside.all():
        exact = outline(domain) if axes == (0, 1) else None
        if exact is None:
            fine_axes, fine = centers(_FINENESS)
            mask = domain.contains(fine).reshape(len(fine_axes[1]), len(fine_axes[0]))
            exact = mask_outline(mask, fine_axes)
        loops = exact
    extent = (float(lower[0]), float(upper[0]), float(lower[1]), float(upper[1]))
    lines = inner_lines(domain) if axes == (0, 1) else []
    shape = cells[1], cells[0]
    return Section(axes, points[inside], inside.reshape(shape), extent, loops, lines, domain.is_unbounded)


def is_spatial(domain: Domain, axes: tuple[int, int] = (0, 1)) -> bool:
    """Whether both coordinates are space, so that their scales compare."""
    return domain.time is None or domain.dimension - 1 not in axes
