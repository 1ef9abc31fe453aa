"""A plane section through a domain: the cells at which a map is evaluated, and the outline it is cut to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fspielm.arrays import BoolArray, FloatArray
from fspielm.errors import ProblemError
from fspielm.geometry import Domain, SpaceTime

# A map is cut to the domain on a grid so many times finer than the one the solution is evaluated on.
_FINENESS = 3
_OUTLINE_POINTS = 400


@dataclass(frozen=True, eq=False)
class Section:
    """Cells of a plane section.

    Attributes
    ----------
    points : (n, d) array
        The centers of those cells that lie in the domain.
    inside : (rows, columns) array
        Which cells those are; rows run along the second coordinate.
    mask : (fine rows, fine columns) array
        The domain on a finer grid.
    extent : (float, float, float, float)
        Left, right, bottom, top.
    """

    points: FloatArray
    inside: BoolArray
    mask: BoolArray
    extent: tuple[float, float, float, float]

    def image(self, values: FloatArray, *, smooth: bool) -> Any:
        """The values at `points` as a masked array, fine enough to show the true outline."""
        from scipy.ndimage import (
            distance_transform_edt,
            zoom,
        )  # imported here: pictures are not always wanted

        coarse = np.zeros(self.inside.shape)
        coarse[self.inside] = values
        # A cell that the outline cuts may have its center outside; it shows the nearest cell inside.
        nearest = distance_transform_edt(~self.inside, return_distances=False, return_indices=True)
        filled = coarse[tuple(nearest)]
        fine = zoom(filled, _FINENESS, order=1 if smooth else 0, mode="nearest", grid_mode=True)
        return np.ma.masked_array(fine, ~self.mask)


def make_section(domain: Domain, fixed: FloatArray, resolution: int) -> Section:
    """The section spanned by the first two coordinates, `resolution` cells along its longer side.

    Parameters
    ----------
    domain : Domain
        Of two coordinates or more.
    fixed : (d - 2,) array
        Where the later coordinates are held.
    resolution : int
    """
    lower, upper = (bound[:2] for bound in domain.bounding_box)
    sides = upper - lower
    shares = sides / sides.max() if is_spatial(domain) else np.ones(2)
    columns, rows = (max(round(resolution * share), 2) for share in shares)

    def centers(fineness: int) -> FloatArray:
        axes = [
            a + (b - a) * (np.arange(n * fineness) + 0.5) / (n * fineness)
            for a, b, n in zip(lower, upper, (columns, rows), strict=True)
        ]
        plane = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2)
        return np.column_stack([plane, np.broadcast_to(fixed, (len(plane), len(fixed)))])

    points = centers(1)
    inside = domain.contains(points)
    if not inside.any():
        raise ProblemError(f"the section at {fixed.tolist()} does not meet the domain {domain!r}")
    return Section(
        points[inside],
        inside.reshape(rows, columns),
        domain.contains(centers(_FINENESS)).reshape(_FINENESS * rows, _FINENESS * columns),
        (float(lower[0]), float(upper[0]), float(lower[1]), float(upper[1])),
    )


def is_spatial(domain: Domain) -> bool:
    """Whether the first two coordinates are both space, so that their scales compare."""
    return domain.time is None or domain.dimension > 2


def outline(domain: Domain) -> list[FloatArray]:
    """Curves ``(n, 2)`` that bound a domain of the plane, at any time; none for other domains."""
    space = domain.space if isinstance(domain, SpaceTime) else domain
    if space.dimension != 2:
        return []
    unit = np.linspace(0.0, 1.0, _OUTLINE_POINTS)[:, None]
    return [part.place(unit).points for part in space.boundary()]


def held_at(domain: Domain, at: Sequence[float] | None) -> FloatArray:
    """Where the third and later coordinates are held; the middle of the domain where nothing is said."""
    lower, upper = domain.bounding_box
    middle: FloatArray = ((lower + upper) / 2)[2:]
    fixed = middle if at is None else np.asarray(at, dtype=np.float64)
    if fixed.shape != middle.shape:
        raise ProblemError(f"at must give the {len(middle)} coordinates after the second; got {at!r}")
    return fixed
