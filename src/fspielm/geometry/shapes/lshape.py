"""The square without one of its quadrants: the simplest domain with a re-entrant corner."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import SupportsFloat, final

from fspielm.geometry.boundary import as_name, as_plane_point, as_positive
from fspielm.geometry.curves import Edge, segment
from fspielm.geometry.plane import PlaneShape


@final
@dataclass(frozen=True, init=False, repr=False)
class LShape(PlaneShape):
    """The square around a re-entrant corner, without its lower right quadrant.

    Relative to `center` it is the square from -`size` to `size` in both coordinates without ``x > 0, y < 0``. Its edges
    are named after the direction they face, as those of a `Box`: ``"x-"``, ``"x+"``, ``"y-"``, ``"y+"`` on the square,
    and ``"notch x+"``, ``"notch y-"`` at the re-entrant corner. Use `rotated` to remove another quadrant.

    Parameters
    ----------
    center : (number, number)
        The re-entrant corner.
    size : number
        Half the side of the square, which is the length of the edges at the corner; positive.
    name : str
        Put before the names of its boundary parts.

    Examples
    --------
    >>> LShape().measure
    3.0
    >>> [part.name for part in LShape().boundary()]
    ['notch y-', 'x+', 'y+', 'x-', 'y-', 'notch x+']
    >>> LShape().contains([[0.5, -0.5], [0.5, 0.5]])
    array([False,  True])
    >>> LShape().rotated(1.5707963267948966).contains([[0.5, -0.5], [0.5, 0.5]])
    array([ True, False])
    """

    center: tuple[float, float]
    size: float
    name: str = ""

    def __init__(
        self, center: Iterable[SupportsFloat] = (0.0, 0.0), size: SupportsFloat = 1.0, *, name: str = ""
    ) -> None:
        self._read(center=(as_plane_point, center), size=(as_positive, size), name=(as_name, name))

    def _edges(self, axes: Sequence[str]) -> tuple[Edge, ...]:
        (x, y), r = self.center, self.size
        corners = [(x, y), (x + r, y), (x + r, y + r), (x - r, y + r), (x - r, y - r), (x, y - r), (x, y)]
        first, second = axes
        names = (f"notch {second}-", f"{first}+", f"{second}+", f"{first}-", f"{second}-", f"notch {first}+")
        return tuple(Edge(name, segment(a, b)) for name, (a, b) in zip(names, pairwise(corners), strict=True))
