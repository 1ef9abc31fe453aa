"""Whether rings of vertices bound a polygon with holes, and what is wrong where they do not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray
from fspielm.errors import ProblemError
from fspielm.geometry.rings import Ring
from fspielm.geometry.segments import Index, crossing_point, in_ring, meeting_pairs, orientation


def check_rings(outline: Ring, holes: tuple[Ring, ...]) -> None:
    """Refuse an outline and holes that do not bound a polygon, naming what is wrong and where.

    Rings must not cross or touch themselves. Holes lie inside the outline; they may touch it and each other in single
    points as long as these do not cut the polygon in two. All of it is decided without rounding.
    """
    rings = _Rings([np.array(ring) for ring in (outline, *holes)])
    for number, ring in enumerate(rings.rings):
        what = f"holes[{number - 1}]" if number else "vertices"
        if _on_one_line(ring):
            raise ProblemError(f"Polygon: {what} must enclose an area; its vertices lie on one line")
        place = rings.self_meeting(number)
        if place is not None:
            raise ProblemError(
                f"Polygon: {what} must form a ring that does not cross or touch itself; this one does at "
                f"{_told(place)} (Self-intersection): list the vertices in the order in which they follow one another"
            )
    for reason, place in rings.faults():
        raise ProblemError(
            "Polygon: holes must lie inside the outline and must not overlap or cut it in two; "
            f"they fail to at {_told(place)} ({reason})"
        )


@final
@dataclass(frozen=True, eq=False)
class _Rings:
    """Closed polygons, each with its own edges, and where those meet."""

    rings: list[FloatArray]

    @cached_property
    def starts(self) -> FloatArray:
        return np.concatenate(self.rings)

    @cached_property
    def ends(self) -> FloatArray:
        return np.concatenate([np.roll(ring, -1, axis=0) for ring in self.rings])

    @cached_property
    def owner(self) -> Index:
        """The ring of every edge."""
        return np.repeat(np.arange(len(self.rings)), [len(ring) for ring in self.rings])

    @cached_property
    def following(self) -> Index:
        """The edge that follows each."""
        first = np.cumsum([0, *(len(ring) for ring in self.rings[:-1])])
        return np.concatenate([at + np.roll(np.arange(len(r)), -1) for at, r in zip(first, self.rings, strict=True)])

    @cached_property
    def meetings(self) -> tuple[Index, NDArray[np.int8]]:
        return meeting_pairs(self.starts, self.ends)

    def self_meeting(self, number: int) -> FloatArray | None:
        """A place where a ring meets itself, but for edges that follow one another and part at once."""
        (first, second), sides = self.meetings
        forward, backward = self.following[first] == second, self.following[second] == first
        way = self.ends - self.starts
        back = np.sum(way[first] * way[second], axis=1) < 0  # without cancellation where they are on one line
        folded = back & (np.where(forward, sides[1], sides[3]) == 0)
        own = (self.owner[first] == number) & (self.owner[second] == number)
        bad = np.flatnonzero(own & (folded | ~(forward | backward)))
        return self._place(int(first[bad[0]]), int(second[bad[0]]), sides[:, bad[0]]) if bad.size else None

    def _place(self, one: int, other: int, sides: NDArray[np.int8]) -> FloatArray:
        """A point that two edges have in common."""
        touches = self._touches(one, other, sides)
        if touches:
            return touches[0]
        return crossing_point(self.starts[one], self.ends[one], self.starts[other], self.ends[other])

    def _touches(self, one: int, other: int, sides: NDArray[np.int8]) -> list[FloatArray]:
        """The ends of one edge that lie on the other."""
        ends = [
            (one, self.starts[other]),
            (one, self.ends[other]),
            (other, self.starts[one]),
            (other, self.ends[one]),
        ]
        return [
            point
            for (edge, point), side in zip(ends, sides, strict=True)
            if side == 0 and np.all((point - self.starts[edge]) * (point - self.ends[edge]) <= 0)
        ]

    def faults(self) -> Iterator[tuple[str, FloatArray]]:
        """What is wrong between rings, and where, the first of it first."""
        touching: dict[tuple[int, int], list[FloatArray]] = {}
        (first, second), sides = self.meetings
        for i in np.flatnonzero(self.owner[first] != self.owner[second]):
            one, other = int(first[i]), int(second[i])
            touches = self._touches(one, other, sides[:, i])
            along = not sides[:, i].any() and len({tuple(point) for point in touches}) > 1
            if along or np.all(sides[:, i]):
                yield "Self-intersection", self._place(one, other, sides[:, i])
                return
            touching.setdefault((int(self.owner[one]), int(self.owner[other])), []).extend(touches)
        yield from self._misplaced(touching)
        yield from self._cut(touching)

    def _misplaced(self, touching: dict[tuple[int, int], list[FloatArray]]) -> Iterator[tuple[str, FloatArray]]:
        """Holes outside of the outline or in one another; they cross nowhere but in vertices."""
        boxes = np.array([[ring.min(axis=0), ring.max(axis=0)] for ring in self.rings])
        for hole in range(1, len(self.rings)):
            pieces = self._pieces(hole, touching.get((0, hole), []))
            held = in_ring(pieces, self.rings[0])
            if not held.all():
                yield "Self-intersection" if held.any() else "Hole lies outside shell", pieces[np.argmin(held)]
            near = np.all((boxes[:, 0] <= boxes[hole, 1]) & (boxes[:, 1] >= boxes[hole, 0]), axis=1)
            for other in np.flatnonzero(near[1:]) + 1:
                if other != hole:
                    pair = (min(hole, int(other)), max(hole, int(other)))
                    pieces = self._pieces(hole, touching.get(pair, []))
                    held = in_ring(pieces, self.rings[other])
                    if held.any():
                        yield "Nested holes" if held.all() else "Self-intersection", pieces[np.argmax(held)]

    def _pieces(self, number: int, touches: list[FloatArray]) -> FloatArray:
        """A point of each piece of a ring between the places where another ring touches it."""
        ring = self.rings[number]
        if not touches:
            return ring[:1]
        found = []
        for start, end in zip(ring, np.roll(ring, -1, axis=0), strict=True):
            axis = int(np.argmax(np.abs(end - start)))
            shares = (np.array(touches)[:, axis] - start[axis]) / (end - start)[axis]
            cuts = np.unique(np.clip([0.0, *shares, 1.0], 0.0, 1.0))
            found.append(start + (0.5 * (cuts[1:] + cuts[:-1]))[:, None] * (end - start))
        return np.concatenate(found)

    def _cut(self, touching: dict[tuple[int, int], list[FloatArray]]) -> Iterator[tuple[str, FloatArray]]:
        """A place where rings close a chain of touching ones: what lies within is cut off."""
        links = {(ring, tuple(p.tolist())) for pair, points in touching.items() for p in points for ring in pair}
        chain: dict[object, object] = {}

        def root(node: object) -> object:
            while node in chain:
                node = chain[node]
            return node

        for ring, point in sorted(links):
            one, other = root(ring), root(point)
            if one == other:
                yield "Interior is disconnected", np.array(point)
                return
            chain[other] = one


def _on_one_line(ring: FloatArray) -> bool:
    far = int(np.argmax(np.abs(ring - ring[0]).max(axis=1)))
    n = len(ring)
    return not orientation(np.tile(ring[0], (n, 1)), np.tile(ring[far], (n, 1)), ring).any()


def _told(place: FloatArray) -> str:
    return f"({place[0]:.6g}, {place[1]:.6g})"
