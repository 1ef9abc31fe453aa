"""What every domain offers, whatever its shape."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, SupportsFloat

import numpy as np
from numpy.typing import ArrayLike

from fspielm.arrays import BoolArray, FloatArray, SideArray, as_points
from fspielm.deadline import check_deadline
from fspielm.errors import ProblemError
from fspielm.geometry.boundary import BoundaryPart
from fspielm.geometry.chords import cluster, march
from fspielm.geometry.quadrature import Quadrature, check_nodes
from fspielm.geometry.sampling import Sampling, check_count, check_sampling, reject, unit_stream

if TYPE_CHECKING:
    from fspielm.geometry.combination import Combination, Operation
    from fspielm.geometry.corner import Corner
    from fspielm.geometry.hole import Hole
    from fspielm.geometry.pictures import Axes
    from fspielm.geometry.regions import Regions
    from fspielm.geometry.spans import Spans
    from fspielm.geometry.time import SpaceTime, Time
    from fspielm.geometry.transform import Transformed

# How far rounding carries points of the boundary, in units of the extents, in single precision too.
_ROUNDING = 1e-7


def default_axes(dimension: int) -> tuple[str, ...]:
    """Names of the coordinates before a problem has named them: x, y, z, then x4, x5, ..."""
    return tuple("xyz"[i] if i < 3 else f"x{i + 1}" for i in range(dimension))


def rounding_slack(closed: bool, *magnitudes: float) -> float:
    """How far rounding may carry a boundary point off, given the coordinates and lengths it is made of.

    Positive where the boundary belongs to the region (`closed`), negative where it does not.
    """
    return (64 if closed else -64) * float(np.finfo(np.float64).eps) * max(abs(m) for m in magnitudes)


class Domain(ABC):
    """A bounded region of space, or of space and time.

    A new shape supplies the five abstract members; sampling and products with time follow from them. A shape with a
    `name` puts it before the names of its boundary parts: ``"hole.circle"``.
    """

    name: str = ""

    @property
    @abstractmethod
    def dimension(self) -> int:
        """Number of coordinates, time included."""

    @property
    @abstractmethod
    def bounding_box(self) -> tuple[FloatArray, FloatArray]:
        """``(lower, upper)``, each of shape ``(dimension,)``."""

    @property
    @abstractmethod
    def measure(self) -> float:
        """Length, area or volume (times duration with time)."""

    @abstractmethod
    def _contains(self, points: FloatArray, closed: bool) -> BoolArray:
        """Membership of checked points; the boundary belongs to the domain, up to rounding, only if `closed`."""

    def _side(self, points: FloatArray) -> SideArray:
        """Where checked points lie: 1 inside, 0 on the boundary up to rounding, -1 outside.

        A shape that tells all three at once overrides this.
        """
        held = self._contains(points, True)
        side = np.where(held, 0, -1).astype(np.int8)
        some = np.flatnonzero(held)
        side[some] = self._contains(points[some], False)
        return side

    @abstractmethod
    def _boundary(self, axes: Sequence[str]) -> tuple[BoundaryPart, ...]:
        """The named parts that together make up the boundary, given the coordinates' names."""

    @property
    def _name_argument(self) -> str:
        """The name as the last argument of a repr; nothing where there is none."""
        return f", name={self.name!r}" if self.name else ""

    @property
    def time(self) -> Time | None:
        """The time interval, if the last coordinate is time."""
        return None

    @property
    def may_be_in_pieces(self) -> bool:
        """Whether it is of a kind that need not be connected."""
        return False

    @property
    def is_unbounded(self) -> bool:
        """Whether it has no end; its bounding box is then a window in which it is looked at."""
        return False

    def contains(self, points: ArrayLike) -> BoolArray:
        """Mask of the points ``(n, dimension)`` that lie in the domain, its boundary included."""
        check_deadline()
        return self._contains(as_points(points, self.dimension), True)

    def _contains_nearly(self, points: FloatArray) -> BoolArray:
        """Which checked points lie in the domain, or so near that rounding may have moved them out of it."""
        held = self.contains(points)
        lower, upper = self.bounding_box
        steps = np.diag(_ROUNDING * (upper - lower))
        rest = np.flatnonzero(~held)
        for step in (*steps, *-steps):
            near = self.contains(points[rest] + step)
            held[rest[near]] = True
            rest = rest[~near]
        return held

    def boundary(self, axes: Sequence[str] | None = None) -> tuple[BoundaryPart, ...]:
        """The named parts of the boundary; `axes` names the coordinates that faces are called after.

        With time, these are the lateral parts: the boundary of the space domain, at all times.
        """
        axes = default_axes(self.dimension) if axes is None else tuple(axes)
        if len(axes) != self.dimension:
            raise ProblemError(f"axes must name {self.dimension} coordinates; got {list(axes)}")
        if len(set(axes)) != len(axes):
            raise ProblemError(f"axes must have different names; got {list(axes)}")
        prefix = f"{self.name}." if self.name else ""
        return tuple(replace(part, name=prefix + part.name) for part in self._boundary(axes))

    def corners(self, axes: Sequence[str] | None = None) -> tuple[Corner, ...]:
        """The corners of a plane domain; `axes` names the coordinates. None are known of other domains."""
        return ()

    def hole_places(self) -> tuple[Hole, ...]:
        """The holes of a plane domain. None are known of other domains."""
        return ()

    @property
    def _regions(self) -> Regions | None:
        """The domain itself, where it is made of several regions; None otherwise."""
        return None

    def _as_one(self, axes: Sequence[str] | None) -> Domain:
        """The domain as one shape, where it is made of several regions; itself otherwise."""
        return self

    def sample(self, n: int, rng: np.random.Generator, sampling: Sampling = "uniform") -> FloatArray:
        """`n` points inside the domain, shape ``(n, dimension)``.

        Their density is even, but for ``"clustered"``, which moves them toward the boundary.
        """
        check_count(n)
        check_sampling(sampling)
        lower, upper = self.bounding_box
        stream = unit_stream(self.dimension, rng, "low-discrepancy" if sampling == "clustered" else sampling)
        points = reject(
            lambda count: lower + (upper - lower) * stream(count),
            lambda candidates: self._contains(candidates, True),
            n,
            what=repr(self),
        )
        return cluster(self, points) if sampling == "clustered" else points

    def moved(self, offset: Iterable[SupportsFloat]) -> Transformed:
        """The domain translated by `offset`, one number per coordinate; its parts keep their names.

        Examples
        --------
        >>> from fspielm.geometry import Disk
        >>> Disk((0, 0), 1).moved((3, 0)).bounding_box[0]
        array([ 2., -1.])
        """
        from fspielm.geometry import transform

        return transform.moved(self, offset)

    def scaled(self, factor: SupportsFloat, center: Iterable[SupportsFloat] | None = None) -> Transformed:
        """The domain scaled by a positive factor, the same along all axes; its parts keep their names.

        `center` stays where it is: the middle of the bounding box unless given.
        """
        from fspielm.geometry import transform

        return transform.scaled(self, factor, center)

    def rotated(
        self,
        angle: SupportsFloat,
        *,
        axis: str | Iterable[SupportsFloat] | None = None,
        center: Iterable[SupportsFloat] | None = None,
    ) -> Transformed:
        """The domain rotated counterclockwise by an angle in radians; its parts keep their names.

        The face ``"x-"`` of a rotated box is the one that was ``"x-"`` before, wherever it looks now.

        Parameters
        ----------
        angle : number
        axis : "x", "y", "z" or (number, number, number)
            In three dimensions the direction of the axis of rotation; that of z unless given.
        center : sequence of numbers
            A point that stays where it is; the middle of the bounding box unless given.
        """
        from fspielm.geometry import transform

        return transform.rotated(self, angle, axis, center)

    def __or__(self, other: Domain) -> Combination:
        return self._combined("union", other)

    def __and__(self, other: Domain) -> Combination:
        return self._combined("intersection", other)

    def __sub__(self, other: Domain) -> Combination:
        return self._combined("difference", other)

    def _combined(self, operation: Operation, other: Domain) -> Combination:
        from fspielm.geometry.combination import combine

        return combine(operation, self, other) if isinstance(other, Domain) else NotImplemented

    def quadrature(self, n: int) -> Quadrature:
        """Nodes and weights for integrals over the domain: all nodes lie in it, all weights are positive.

        Boxes, balls, cylinders and plane shapes, also in time, have product rules of Gauss type: for smooth functions
        the error falls faster than any power of the number of nodes along an axis. For other shapes the nodes are
        evenly spread points, with an error that falls about as 1 / `n`; `Surface` says more on its own.

        Parameters
        ----------
        n : int
            About how many nodes; a plane shape with many corners needs a few for each at least, and takes them.

        Returns
        -------
        Quadrature
        """
        check_nodes(n)
        return self._quadrature(n).scaled_to(self.measure)

    def plot(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        ax: Axes | None = None,
        points: int = 0,
        normals: bool = True,
    ) -> Axes:
        """Draw the domain with its boundary parts by colour and name; needs matplotlib.

        A domain with time is drawn as it is in space.

        Parameters
        ----------
        path : str or path, optional
            Save the picture there, in the format that the suffix names.
        ax : matplotlib Axes, optional
            Where to draw, three-dimensional for a solid; a new figure, free of pyplot, unless given.
        points : int
            Show so many evenly spread points of the interior.
        normals : bool
            Show some outward normals.

        Returns
        -------
        Axes
        """
        from fspielm.geometry.pictures import plot_domain

        return plot_domain(self, path, ax=ax, points=points, normals=normals)

    def _quadrature(self, n: int) -> Quadrature:
        """About `n` nodes in the domain and positive weights, up to a common factor."""
        points = self.sample(n, np.random.default_rng(0), "low-discrepancy")
        return Quadrature(points, np.ones(len(points)))

    def _chord_ends(self, points: FloatArray, axis: int) -> tuple[FloatArray, FloatArray]:
        """Where the line along `axis` through each point of the domain leaves it, below and above the point.

        A shape that knows better than to march there overrides this. A simple one marches, though it may know its
        `_spans`: that takes milliseconds, and the same seed goes on to give the same bits.
        """
        return march(self, points, axis)

    def _chord_ends_by_spans(self, points: FloatArray, axis: int) -> tuple[FloatArray, FloatArray]:
        """As `_chord_ends`, without asking for membership where the domain, and what it is made of, knows its spans."""
        spans = self._spans(points, axis)
        if spans is None:
            return march(self, points, axis)
        return spans.around(points[:, axis], rounding_slack(True, *np.ravel(self.bounding_box)))

    def _spans(self, points: FloatArray, axis: int) -> Spans | None:
        """The stretches in the domain of the lines along `axis` through points anywhere; None where it is not known."""
        return None

    def __mul__(self, time: Time) -> SpaceTime:
        from fspielm.geometry.time import SpaceTime, Time

        if isinstance(self, Time) and isinstance(time, Domain) and time.time is None:
            raise ProblemError(
                f"time comes last: write {time!r} * {self!r}; so it is the last coordinate of the unknowns"
            )
        if isinstance(time, Domain) and not isinstance(time, Time):
            raise ProblemError(
                f"a domain is multiplied by Time alone; got {self!r} * {time!r}: a rectangle is Box((0, 0), (2, 1))"
            )
        if not isinstance(time, Time):
            return NotImplemented
        return SpaceTime(self, time)
