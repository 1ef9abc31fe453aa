"""Named parts of boundaries: points with normals on them, and quadrature; checks of numbers that users pass."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any, SupportsFloat, TypeAlias, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fspielm.arrays import BoolArray, FloatArray
from fspielm.errors import ProblemError
from fspielm.numerics.sampling import Sampling, arcsine, check_count, check_sampling, reject, unit_stream
from fspielm.resources import check_deadline


@dataclass(frozen=True, eq=False)
class Sites:
    """Points of a domain, with unit outward normals where they lie on its boundary.

    Attributes
    ----------
    points : (n, d) array
    normals : (n, d) array or None
        None for interior points.
    """

    points: FloatArray
    normals: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.points)

    @property
    def outward(self) -> FloatArray:
        """The normals of sites on a boundary, which all have them."""
        assert self.normals is not None
        return self.normals

    @property
    def dimension(self) -> int:
        """Number of coordinates, time included."""
        return int(self.points.shape[1])

    def select(self, index: slice | NDArray[Any]) -> Sites:
        """The sites at `index` (a slice, a mask or an index array)."""
        return Sites(self.points[index], None if self.normals is None else self.normals[index])

    def followed_by(self, other: Sites) -> Sites:
        """These sites, then the others; with normals if both have them."""
        return join_sites([self, other])


def join_sites(several: Sequence[Sites]) -> Sites:
    """Concatenate sites; with normals if all have them."""
    normals = [sites.normals for sites in several if sites.normals is not None]
    points = np.concatenate([sites.points for sites in several])
    return Sites(points, np.concatenate(normals) if len(normals) == len(several) else None)


# ---- Checks of numbers and vectors that users pass


def as_number(value: SupportsFloat, argument: str) -> float:
    """Return `value` (a Python, NumPy or SymPy number) as a finite float, or say what is wrong with it."""
    # float("1") and float(array([1.0])) would both succeed and hide a mistake in the statement.
    if isinstance(value, str | bytes) or (isinstance(value, np.ndarray) and value.ndim > 0):
        raise ProblemError(f"{argument} must be a number; got {value!r}")
    if isinstance(value, complex) or np.asarray(value).dtype.kind == "c" or getattr(value, "is_real", None) is False:
        raise ProblemError(f"{argument} must be a real number; got {value!r}")
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise ProblemError(f"{argument} must be a number; got {value!r}") from None
    if not math.isfinite(number):
        raise ProblemError(f"{argument} must be finite; got {number}")
    return number


def as_positive(value: SupportsFloat, argument: str) -> float:
    """Return `value` as a float above zero, or say what is wrong with it."""
    number = as_number(value, argument)
    if number <= 0:
        raise ProblemError(f"{argument} must be positive; got {number}")
    return number


def as_vector(value: Iterable[SupportsFloat], argument: str) -> tuple[float, ...]:
    """Return `value` (a sequence of numbers, one per coordinate) as a tuple of finite floats."""
    scalar = not isinstance(value, Iterable) or (isinstance(value, np.ndarray) and value.ndim == 0)
    if scalar or isinstance(value, str | bytes | Mapping | Set):
        raise ProblemError(
            f"{argument} must be a sequence of numbers, one per coordinate, such as (0, 0); got {value!r}"
        )
    return tuple(as_number(entry, f"{argument}[{i}]") for i, entry in enumerate(value))


def as_plane_point(value: Iterable[SupportsFloat], argument: str) -> tuple[float, float]:
    """Return `value` as the two coordinates of a point in the plane."""
    entries = as_vector(value, argument)
    if len(entries) != 2:
        raise ProblemError(f"{argument} must have two coordinates (x, y); got {len(entries)}: {entries}")
    return entries[0], entries[1]


def as_space_point(value: Iterable[SupportsFloat], argument: str) -> tuple[float, float, float]:
    """Return `value` as the three coordinates of a point in space."""
    entries = as_vector(value, argument)
    if len(entries) != 3:
        raise ProblemError(f"{argument} must have three coordinates (x, y, z); got {len(entries)}: {entries}")
    return entries[0], entries[1], entries[2]


def as_name(value: str, argument: str) -> str:
    """Return `value` as a prefix for names of boundary parts; an empty name means no prefix."""
    if not isinstance(value, str) or value != value.strip():
        raise ProblemError(f"{argument} must be a string without blanks around it; got {value!r}")
    return value


# ---- Quadrature

# Rules with more nodes are composite: nearly as accurate, and much cheaper to set up.
LONGEST_RULE = 40


@final
@dataclass(frozen=True, eq=False)
class Quadrature:
    """Nodes and weights; an integral is the sum of weights times values.

    Attributes
    ----------
    points : (n, d) array
        All in the domain, or on the boundary part.
    weights : (n,) array
        Positive; their sum is the measure.
    normals : (n, d) array or None
        Unit outward normals on a boundary; None in the interior.

    Examples
    --------
    >>> from fspielm.geometry import Disk
    >>> rule = Disk((0, 0), 1).quadrature(500)
    >>> round(rule.integrate(rule.points[:, 0] ** 2), 12)  # pi / 4
    0.785398163397
    """

    points: FloatArray
    weights: FloatArray
    normals: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.weights)

    @property
    def sites(self) -> Sites:
        """The nodes as sites, with their normals where they have them."""
        return Sites(self.points, self.normals)

    def integrate(self, values: ArrayLike) -> float:
        """The integral of a function from its `values` ``(n,)`` at the nodes."""
        array = np.asarray(values, dtype=np.float64)
        if array.shape != self.weights.shape:
            raise ProblemError(
                f"values must have shape ({len(self)},), one value for each node; got shape {array.shape}"
            )
        return float(np.sum(self.weights * array))

    def scaled_to(self, measure: float) -> Quadrature:
        """The same nodes, with weights whose sum is `measure`."""
        return replace(self, weights=self.weights * (measure / np.sum(self.weights)))


def check_nodes(n: int) -> None:
    """Refuse a number of nodes that is not a positive whole number."""
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise ProblemError(f"n must be a whole number of nodes, one or more; got {n!r}")


@lru_cache(maxsize=256)
def gauss(n: int) -> tuple[FloatArray, FloatArray]:
    """`n` or a few more Gauss-Legendre nodes and weights on [0, 1]; composite where they are many."""
    panels = -(-n // LONGEST_RULE)
    nodes, weights = np.polynomial.legendre.leggauss(-(-n // panels))
    starts = np.arange(panels)[:, None]
    return _frozen((starts + 0.5 * (1 + nodes)).ravel() / panels), _frozen(np.tile(0.5 * weights / panels, panels))


@lru_cache(maxsize=256)
def midpoint_rule(n: int) -> tuple[FloatArray, FloatArray]:
    """Midpoint rule with `n` nodes on [0, 1]: as accurate as Gauss for periodic functions."""
    return _frozen((np.arange(n) + 0.5) / n), _frozen(np.full(n, 1 / n))


def piecewise_gauss(n: int, breaks: Sequence[float]) -> tuple[FloatArray, FloatArray]:
    """Gauss-Legendre on every piece between `breaks`, about `n` nodes in all, at least two on each piece."""
    rules = [(low, high - low, *gauss(max(2, round(n * (high - low))))) for low, high in pairwise(breaks)]
    nodes = np.concatenate([low + width * unit for low, width, unit, _ in rules])
    return nodes, np.concatenate([width * weights for _, width, _, weights in rules])


def tensor(*rules: tuple[FloatArray, FloatArray]) -> tuple[FloatArray, FloatArray]:
    """The product of one-dimensional rules: nodes ``(n, d)`` and weights ``(n,)``."""
    nodes = np.meshgrid(*(rule[0] for rule in rules), indexing="ij")
    weights = np.meshgrid(*(rule[1] for rule in rules), indexing="ij")
    return (
        np.stack([axis.ravel() for axis in nodes], axis=-1),
        np.asarray(math.prod(axis.ravel() for axis in weights), dtype=np.float64),
    )


def nodes_per_axis(n: int, dimension: int) -> int:
    """Number of nodes along each axis that makes about `n` in all."""
    return max(1, round(math.pow(n, 1 / dimension)))


def product(space: tuple[FloatArray, FloatArray], last: tuple[FloatArray, FloatArray]) -> tuple[FloatArray, FloatArray]:
    """The product of a rule with points ``(n, d)`` and a one-dimensional rule for a further, last coordinate."""
    points, weights = space
    index, again = np.repeat(np.arange(len(points)), len(last[0])), np.tile(np.arange(len(last[0])), len(points))
    return np.column_stack([points[index], last[0][again]]), weights[index] * last[1][again]


def _frozen(array: FloatArray) -> FloatArray:
    """Make an array read-only: all callers of a cached rule share it."""
    array.setflags(write=False)
    return array


# ---- Names of boundary parts

_NUMBERED = re.compile(r" \((\d+)\)$")


def without_number(name: str) -> str:
    """A name without the number that `unique_names` gave it."""
    return _NUMBERED.sub("", name)


def namesakes(name: str, names: Iterable[str]) -> list[str]:
    """The `names` that are `name` with a number from `unique_names`."""
    return [other for other in names if other != name and without_number(other) == name]


def likely_parts(name: str, names: Iterable[str]) -> str:
    """End of a message about an unknown part `name`: the parts of the shape of this name, or the most similar name."""
    from difflib import get_close_matches  # for messages alone

    names = list(names)
    if own := [other for other in names if other.startswith(f"{name}.")]:
        return f"; did you mean {own[0]!r}?" if len(own) == 1 else f"; did you mean all of that shape's, {own}?"
    near = get_close_matches(name.strip().lower(), [other.lower() for other in names], 1)
    return "".join(f"; did you mean {other!r}?" for other in names if other.lower() in near)


def unique_names(parts: Iterable[tuple[int, str]]) -> dict[tuple[int, str], str]:
    """Unique names of parts, by operand and name there; parts of one name are numbered.

    Numbers from an earlier combination are replaced, so that three circles are 1, 2, 3.
    """
    by_name: dict[str, list[tuple[int, int, str]]] = {}
    for operand, name in dict.fromkeys(parts):
        number = _NUMBERED.search(name)
        by_name.setdefault(without_number(name), []).append((operand, int(number[1]) if number else 0, name))
    return {
        (operand, old): name if len(same) == 1 else f"{name} ({count})"
        for name, same in by_name.items()
        for count, (operand, _, old) in enumerate(sorted(same), 1)
    }


# ---- Boundary parts

Mask: TypeAlias = Callable[[FloatArray], BoolArray]

# Name of a part with sides, without the name of its shape.
OUTLINE = "outline"


@dataclass(frozen=True, eq=False)
class BoundaryPart:
    """One named part of a domain's boundary.

    Attributes
    ----------
    name : str
        Unique within the domain: ``"x-"``, ``"arc"``, ...
    measure : float
        Length or area; 1 for a single point.
    parameters : int
        Dimension of the unit cube that `place` maps onto this part; 0 for a single point.
    place : callable
        Maps ``(n, parameters)`` unit-cube coordinates to `Sites` (points on the true boundary, unit outward
        normals) so that equal volumes of the cube cover equal measures of the part.
    breaks : tuple of float
        Ends of the smooth pieces along the first unit coordinate: 0, the corners within the part, 1.
    keep : callable or None
        Mask of the placed points that belong to the part; None if all do.
    endless : int
        How many of the first unit coordinates are periodic, as an angle is: clustering leaves them even.
    nodes : callable or None
        Maps a number to about as many nodes in the unit cube and their weights, if there is a better quadrature than
        products of Gauss rules.
    sides : tuple of str
        Names of its smooth pieces; empty strings for pieces without names.
    """

    name: str
    measure: float
    parameters: int
    place: Callable[[FloatArray], Sites]
    breaks: tuple[float, ...] = (0.0, 1.0)
    keep: Mask | None = None
    endless: int = 0
    nodes: Callable[[int], tuple[FloatArray, FloatArray]] | None = None
    sides: tuple[str, ...] = ()

    @property
    def side_names(self) -> tuple[str, ...]:
        """Names of its sides: ``"frame.side 1"``, ... for the part ``"frame.outline"``."""
        numbered = sorted(filter(None, set(self.sides)), key=lambda side: (len(side), side))
        return tuple(map(self._side_name, numbered))

    def side(self, name: str) -> BoundaryPart:
        """The side of this name, one of `side_names`, as a part of its own."""
        stretches = zip(self.sides, pairwise(self.breaks), strict=True)
        return join_parts(name, [self._between(*ends) for side, ends in stretches if self._side_name(side) == name])

    def _side_name(self, side: str) -> str:
        before, _, after = self.name.rpartition(OUTLINE)
        return f"{before}{side}{after}"

    def _between(self, low: float, high: float) -> BoundaryPart:
        """The smooth piece between two neighbouring breaks."""

        def place(unit: FloatArray) -> Sites:
            along = low + (high - low) * unit[:, :1]
            # its end is the start of the next piece, which may lie elsewhere
            return self.place(np.column_stack([np.minimum(along, np.nextafter(high, low)), unit[:, 1:]]))

        return replace(self, measure=(high - low) * self.measure, place=place, breaks=(0.0, 1.0), nodes=None, sides=())

    def reversed(self) -> BoundaryPart:
        """The same part with normals to the other side."""
        place = self.place

        def inward(unit: FloatArray) -> Sites:
            sites = place(unit)
            return Sites(sites.points, -sites.outward)

        return replace(self, place=inward)

    def sample(
        self, n: int, rng: np.random.Generator, sampling: Sampling = "uniform", *, where: Mask | None = None
    ) -> Sites:
        """`n` sites on this part, where the mask `where` holds; a part that is a single point has only one."""
        check_count(n)
        check_deadline()
        stream = self._stream(rng, sampling)
        count = min(n, 1) if self.parameters == 0 else n
        masks = [mask for mask in (self.keep, where) if mask is not None]
        if not masks:
            return self.place(stream(count))

        def accept(unit: FloatArray) -> BoolArray:
            points = self.place(unit).points
            return np.asarray(np.logical_and.reduce([mask(points) for mask in masks]))

        what = f"the boundary part {self.name!r}" if where is None else f"the region on the part {self.name!r}"
        return self.place(reject(stream, accept, count, what=what))

    def at(self, unit: FloatArray) -> Sites:
        """The sites at these unit-cube coordinates that belong to the part."""
        sites = self.place(unit)
        return sites if self.keep is None else sites.select(self.keep(sites.points))

    def quadrature(self, n: int) -> Quadrature:
        """Nodes, weights and normals for integrals over this part.

        Gauss-Legendre along every smooth piece, and equal steps around a closed one: the error falls faster than
        any power of `n` for smooth functions. A part with a mask (`keep`) has evenly spread points of equal weight
        instead, whose error falls about as 1 / `n`.

        Parameters
        ----------
        n : int
            Approximate number of nodes; at least two on each smooth piece, one on a single point.
        """
        check_nodes(n)
        if self.keep is not None:
            sites = self.sample(n, np.random.default_rng(0), "low-discrepancy")
            weights = np.ones(len(sites))
        else:
            unit, weights = self.unit_nodes(n)
            sites = self.place(unit)
        return Quadrature(sites.points, weights, sites.normals).scaled_to(self.measure)

    def unit_nodes(self, n: int) -> tuple[FloatArray, FloatArray]:
        """About `n` nodes in the unit cube and their weights, ignoring `keep`."""
        if self.nodes is not None:
            return self.nodes(n)
        if self.parameters == 0:
            return np.empty((1, 0)), np.ones(1)
        # twice as many nodes around a closed part as across it
        each = nodes_per_axis(max(1, n // 2) if self.endless else n, self.parameters)
        first = midpoint_rule(2 * each) if self.endless else piecewise_gauss(each, self.breaks)
        return tensor(first, *[gauss(each)] * (self.parameters - 1))

    def _stream(self, rng: np.random.Generator, sampling: Sampling) -> Callable[[int], FloatArray]:
        check_sampling(sampling)
        if sampling != "clustered" or (len(self.breaks) == 2 and not self.endless):
            return unit_stream(self.parameters, rng, sampling)
        even = unit_stream(self.parameters, rng, "low-discrepancy")

        def clustered(n: int) -> FloatArray:
            unit = even(n)
            if self.endless:
                return np.column_stack([unit[:, : self.endless], arcsine(unit[:, self.endless :])])
            # toward the ends of every smooth piece, hence toward corners from both sides
            first = np.empty(n)
            for low, high in pairwise(self.breaks):
                here = (unit[:, 0] >= low) & (unit[:, 0] <= high)
                first[here] = low + (high - low) * arcsine((unit[here, 0] - low) / (high - low))
            return np.column_stack([first, arcsine(unit[:, 1:])])

        return clustered


def list_parts(parts: Iterable[BoundaryPart]) -> str:
    """Names of parts and of their sides, for messages."""
    known = list(parts)
    told = str([part.name for part in known])
    for part in known:
        if names := part.side_names:
            few = [*names[:3], "...", names[-1]] if len(names) > 12 else names
            told += f"; the sides of {part.name!r} are {', '.join(few)}"
    return told


def join_parts(name: str, parts: Sequence[BoundaryPart]) -> BoundaryPart:
    """Join parts into one; each takes its share of the first unit coordinate.

    The parts have the same positive number of parameters and no `keep`.
    """
    if len(parts) == 1:
        return replace(parts[0], name=name)
    measures = np.array([part.measure for part in parts])
    ends = np.concatenate([[0.0], np.cumsum(measures) / measures.sum()])
    ends[-1] = 1.0

    def place(unit: FloatArray) -> Sites:
        which = np.clip(np.searchsorted(ends, unit[:, 0], side="right") - 1, 0, len(parts) - 1)
        points: FloatArray | None = None
        normals: FloatArray | None = None
        for index, part in enumerate(parts):
            here = np.flatnonzero(which == index)
            inner = unit[here].copy()
            inner[:, 0] = np.clip((inner[:, 0] - ends[index]) / (ends[index + 1] - ends[index]), 0.0, 1.0)
            sites = part.place(inner)
            if points is None or normals is None:
                points, normals = (np.empty((len(unit), sites.dimension)) for _ in range(2))
            points[here], normals[here] = sites.points, sites.outward
        assert points is not None
        return Sites(points, normals)

    inner = [
        low + (high - low) * corner
        for part, (low, high) in zip(parts, pairwise(ends), strict=True)
        for corner in part.breaks[1:-1]
    ]
    breaks = tuple(sorted(float(b) for b in [*ends, *inner]))
    return BoundaryPart(name, float(measures.sum()), parts[0].parameters, place, breaks)
