"""Shapes side by side: which pieces of their boundaries two of them share, and which bound the whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, groupby, pairwise
from typing import NamedTuple

import numpy as np

from fspielm.arrays import BoolArray, FloatArray
from fspielm.errors import ProblemError
from fspielm.geometry.combination import combine
from fspielm.geometry.crossings import Resolution
from fspielm.geometry.curves import PlaneCurve
from fspielm.geometry.domain import Domain
from fspielm.geometry.overlay import cuts_between, looks_beside, majority, separated
from fspielm.geometry.plane import edges_of

# Ends of intervals nearer than this share of the whole are one.
_SAME_END = 1e-11


class Side(NamedTuple):
    """A piece of a shape's boundary, and what lies beyond it.

    Attributes
    ----------
    shape : int
    edge : int
        Which of the shape's edges it is cut from; on the line, which of its boundary parts it is.
    beyond : int
        The shape on the other side; -1 for the outside.
    curve : PlaneCurve or None
        The piece, with its shape on the left; None on the line, where it is a point.
    """

    shape: int
    edge: int
    beyond: int
    curve: PlaneCurve | None


def sides_of(shapes: Mapping[str, Domain]) -> list[Side]:
    """The pieces of the boundaries of shapes that lie side by side; refused where two overlap."""
    line = next(iter(shapes.values())).dimension == 1
    return _on_the_line(shapes) if line else _in_the_plane(shapes)


def _on_the_line(shapes: Mapping[str, Domain]) -> list[Side]:
    ends = []
    for index, shape in enumerate(shapes.values()):
        for number, part in enumerate(shape.boundary()):
            site = part.place(np.empty((1, 0)))
            assert site.normals is not None  # every boundary part has them
            ends.append((index, number, float(site.points[0, 0]), float(site.normals[0, 0])))
    places = [place for _, _, place, _ in ends]
    tolerance = _SAME_END * (max(places) - min(places))
    names, domains = list(shapes), list(shapes.values())
    found = []
    for index, number, place, normal in ends:
        here = [other for other, _, p, n in ends if other != index and abs(p - place) <= tolerance and n == -normal]
        inner = np.array([[place - 2 * tolerance * normal]])
        for other, domain in enumerate(domains):
            if other != index and domain._contains(inner, True)[0]:
                raise _overlap(names[index], names[other], shapes)
        found.append(Side(index, number, here[0] if here else -1, None))
    return found


def _in_the_plane(shapes: Mapping[str, Domain]) -> list[Side]:
    domains, names = list(shapes.values()), list(shapes)
    boxes = np.array([domain.bounding_box for domain in domains])
    resolution = Resolution.of(boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0))
    curves = [[edge.curve for edge in edges_of(domain) or ()] for domain in domains]
    cuts: list[list[list[float]]] = [[[] for _ in own] for own in curves]
    for i, j in combinations(range(len(domains)), 2):
        if _apart(boxes[i], boxes[j], resolution.same_place):
            continue
        for index, met in zip((i, j), cuts_between((curves[i], curves[j]), resolution), strict=True):
            for known, new in zip(cuts[index], met, strict=True):
                known += new
    found = []
    for index, own in enumerate(curves):
        pieces = [
            (edge, curve.clip(low, high))
            for edge, curve in enumerate(own)
            for low, high in pairwise(separated(curve, cuts[index][edge], resolution))
        ]
        left, right = looks_beside([curve for _, curve in pieces], resolution.step)
        beyond = np.full(len(pieces), -1)
        for other, domain in enumerate(domains):
            if other == index or _apart(boxes[index], boxes[other], resolution.step):
                continue
            if majority(lambda points, d=domain: d._contains(points, False), left).any():  # type: ignore[misc]
                raise _overlap(names[index], names[other], shapes)
            beyond[majority(lambda points, d=domain: d._contains(points, False), right)] = other  # type: ignore[misc]
        found += _joined(index, pieces, beyond.tolist(), own)
    return found


def _joined(
    index: int, pieces: Sequence[tuple[int, PlaneCurve]], beyond: Sequence[int], curves: Sequence[PlaneCurve]
) -> list[Side]:
    """The pieces, neighbours on an edge that have the same beyond them joined again."""
    joined = []
    keyed = [(edge, other, curve) for (edge, curve), other in zip(pieces, beyond, strict=True)]
    for (edge, other), run in groupby(keyed, key=lambda piece: piece[:2]):
        members = [curve for _, _, curve in run]
        joined.append(Side(index, edge, other, curves[edge].clip(members[0].t0, members[-1].t1)))
    return joined


def _apart(one: FloatArray, other: FloatArray, reach: float) -> bool:
    """Whether two boxes ``(2, d)`` are farther from each other than `reach` along an axis."""
    far: BoolArray = (one[0] > other[1] + reach) | (other[0] > one[1] + reach)
    return bool(far.any())


def _overlap(one: str, other: str, shapes: Mapping[str, Domain]) -> ProblemError:
    common = combine("intersection", shapes[one], shapes[other])
    extent = "length" if common.dimension == 1 else "area"
    first, second = (name for name in shapes if name in (one, other))
    place = ", ".join(f"{v:.3g}" for v in common.sample(1, np.random.default_rng(0))[0])
    return ProblemError(
        f"Regions: {first!r} and {second!r} overlap, by the {extent} {common.measure:.3g} (at ({place}), for one); "
        f"take one from the other, as in {second}={second} - {first}"
    )
