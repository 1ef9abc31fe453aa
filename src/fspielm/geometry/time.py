"""Time, and the product of a space domain with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import SupportsFloat, final

import numpy as np
from numpy.typing import ArrayLike

from fspielm.arrays import BoolArray, FloatArray, as_points
from fspielm.errors import ProblemError
from fspielm.geometry.boundary import BoundaryPart, Quadrature, Sites, as_number, gauss, nodes_per_axis, product
from fspielm.geometry.combination import Combination
from fspielm.geometry.domain import Domain, rounding_slack
from fspielm.geometry.regions import RegionBorder, Regions
from fspielm.numerics.sampling import Sampling, check_count


@final
@dataclass(frozen=True, init=False, repr=False)
class Time(Domain):
    """The time from `start` to `end`; ``domain * Time(0, 1)`` adds it to a domain as the last coordinate.

    By itself it is the domain of an ordinary differential equation. It has no boundary parts: initial conditions hold
    at its start, and nothing at its end.

    Parameters
    ----------
    start, end : number
        ``start < end``.
    """

    start: float
    end: float

    dimension = 1

    def __init__(self, start: SupportsFloat, end: SupportsFloat) -> None:
        begin, finish = as_number(start, "Time: start"), as_number(end, "Time: end")
        if not begin < finish:
            raise ProblemError(f"Time: end must be later than start; got start = {begin}, end = {finish}")
        object.__setattr__(self, "start", begin)
        object.__setattr__(self, "end", finish)

    def __repr__(self) -> str:
        return f"Time({self.start}, {self.end})"

    @property
    def duration(self) -> float:
        """``end - start``."""
        return self.end - self.start

    @property
    def time(self) -> Time:
        """Itself."""
        return self

    @property
    def bounding_box(self) -> tuple[FloatArray, FloatArray]:
        """``(start, end)``, as arrays."""
        return np.array([self.start]), np.array([self.end])

    @property
    def measure(self) -> float:
        """The duration."""
        return self.duration

    def initial(self, n: int, rng: np.random.Generator, sampling: Sampling = "uniform") -> Sites:
        """Return the one site at the start (none for ``n = 0``); its normal points back in time."""
        check_count(n)
        count = min(n, 1)
        return Sites(np.full((count, 1), self.start), np.full((count, 1), -1.0))

    def _contains(self, points: FloatArray, closed: bool) -> BoolArray:
        slack = rounding_slack(closed, self.start, self.end)
        t = points[:, -1]
        return np.asarray((t >= self.start - slack) & (t <= self.end + slack))

    def _chord_ends(self, points: FloatArray, axis: int) -> tuple[FloatArray, FloatArray]:
        return np.full(len(points), self.start), np.full(len(points), self.end)

    def _quadrature(self, n: int) -> Quadrature:
        unit, shares = gauss(n)
        return Quadrature((self.start + self.duration * unit)[:, None], shares)

    def _boundary(self, axes: Sequence[str]) -> tuple[BoundaryPart, ...]:
        return ()


@final
@dataclass(frozen=True, init=False, repr=False)
class SpaceTime(Domain):
    """A space domain at all times of an interval; the last coordinate is time.

    Its boundary parts are those of the space domain at all times, under the same names.

    Parameters
    ----------
    space : Domain
        A domain without time.
    time : Time
    """

    space: Domain
    _time: Time

    def __init__(self, space: Domain, time: Time) -> None:
        if space.time is not None:
            raise ProblemError(f"a domain is multiplied by Time once; {space!r} has its time already")
        object.__setattr__(self, "space", space)
        object.__setattr__(self, "_time", time)

    def __repr__(self) -> str:
        # the operators of a combination bind less tightly
        space = f"({self.space!r})" if isinstance(self.space, Combination) else repr(self.space)
        return f"{space} * {self.time!r}"

    @property
    def time(self) -> Time:
        """The time interval."""
        return self._time

    @property
    def dimension(self) -> int:
        """Number of coordinates, time included."""
        return self.space.dimension + 1

    @property
    def bounding_box(self) -> tuple[FloatArray, FloatArray]:
        """``(lower, upper)``, times included."""
        lower, upper = self.space.bounding_box
        return np.append(lower, self.time.start), np.append(upper, self.time.end)

    @property
    def measure(self) -> float:
        """Measure of the space domain times the duration."""
        return self.space.measure * self.time.duration

    def initial(self, n: int, rng: np.random.Generator, sampling: Sampling = "uniform") -> Sites:
        """Draw `n` sites of the space domain at the start of time; their normals point back in time."""
        return self.at_start(self.space.sample(n, rng, sampling))

    def at_start(self, space: FloatArray) -> Sites:
        """Return points of the space domain ``(n, d)`` as sites at the start of time."""
        backward = np.zeros((len(space), self.dimension))
        backward[:, -1] = -1.0
        return Sites(np.column_stack([space, np.full(len(space), self.time.start)]), backward)

    def contains(self, points: ArrayLike) -> BoolArray:
        """Mask of the points ``(n, dimension)`` that lie in the domain, its boundary included."""
        array = as_points(points, self.dimension)
        return self.time._contains(array, True) & self.space.contains(array[:, :-1])

    def _contains(self, points: FloatArray, closed: bool) -> BoolArray:
        during = self.time._contains(points, closed)
        return during & self.space._contains(np.ascontiguousarray(points[:, :-1]), closed)

    def _chord_ends(self, points: FloatArray, axis: int) -> tuple[FloatArray, FloatArray]:
        if axis == self.dimension - 1:
            return self.time._chord_ends(points, axis)
        return self.space._chord_ends(np.ascontiguousarray(points[:, :-1]), axis)

    def _quadrature(self, n: int) -> Quadrature:
        instants = nodes_per_axis(n, self.dimension)
        space = self.space.quadrature(max(1, n // instants))
        unit, shares = gauss(instants)
        times = self.time.start + self.time.duration * unit
        return Quadrature(*product((space.points, space.weights), (times, shares)))

    def _boundary(self, axes: Sequence[str]) -> tuple[BoundaryPart, ...]:
        return tuple(extrude(part, self.time) for part in self.space.boundary(axes[:-1]))


def multiply(domain: Domain, time: Domain) -> SpaceTime:
    """The product ``domain * time``; refuses other products of domains."""
    if isinstance(time, Time):
        return SpaceTime(domain, time)
    if isinstance(domain, Time) and time.time is None:
        raise ProblemError(
            f"time comes last: write {time!r} * {domain!r}; so it is the last coordinate of the unknowns"
        )
    raise ProblemError(
        f"a domain is multiplied by Time alone; got {domain!r} * {time!r}: a rectangle is Box((0, 0), (2, 1))"
    )


def extrude(part: BoundaryPart, time: Time) -> BoundaryPart:
    """A part of a space boundary at all times: time is one more unit coordinate."""

    def place(unit: FloatArray) -> Sites:
        sites = part.place(unit[:, :-1])
        times = time.start + time.duration * unit[:, -1]
        return Sites(np.column_stack([sites.points, times]), np.column_stack([sites.outward, np.zeros(len(times))]))

    def nodes(n: int) -> tuple[FloatArray, FloatArray]:
        instants = nodes_per_axis(n, part.parameters + 1)
        return product(part.unit_nodes(max(1, n // instants)), gauss(instants))

    keep = part.keep
    return replace(
        part,
        measure=part.measure * time.duration,
        parameters=part.parameters + 1,
        place=place,
        keep=None if keep is None else lambda points: keep(points[:, :-1]),
        nodes=nodes,
    )


def regions_in(domain: Domain) -> Regions | None:
    """The regions of a domain, or of its space domain; None if it is one shape."""
    space = domain.space if isinstance(domain, SpaceTime) else domain
    return space._regions


def borders_in(domain: Domain) -> tuple[RegionBorder, ...]:
    """Where the regions of a domain meet, at all times if it has time."""
    regions, time = regions_in(domain), domain.time
    if regions is None or time is None:
        return () if regions is None else regions.interfaces
    return tuple(replace(border, part=extrude(border.part, time)) for border in regions.interfaces)
