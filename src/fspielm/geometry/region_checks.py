"""Whether shapes lie side by side: none too thin, none apart from the others, no gap between two."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.errors import ProblemError
from fspielm.geometry.contour import contour_of
from fspielm.geometry.domain import Domain
from fspielm.geometry.overlay import Piece, looks_beside, majority
from fspielm.geometry.plane import edges_of

# A hole between regions is a gap if it is so much thinner than a disk, for which 4 pi area / perimeter^2 is 1; a slit
# that is open at an end, if it is so much thinner than long.
_THIN = 0.05
_SLIT = 0.016
# Thickness, relative to the extent of all regions, below which borders cannot be told apart.
_THINNEST = {1: 4e-11, 2: 2e-9}
# Sites on a boundary with which the distance of two shapes is measured, for messages.
_SITES = 400
# Shapes so near, relative to their extent, touch.
_TOUCHING = 1e-9
_BISECTIONS = 30


def refuse_thin(shapes: Mapping[str, Domain]) -> None:
    """Refuse regions that are thinner than what can be told apart."""
    boxes = np.array([shape.bounding_box for shape in shapes.values()])
    extent = float(np.max(boxes[:, 1].max(axis=0) - boxes[:, 0].min(axis=0)))
    for name, shape in shapes.items():
        line = shape.dimension == 1
        thickness = shape.measure if line else 2 * shape.measure / math.fsum(p.measure for p in shape.boundary())
        least = _THINNEST[shape.dimension] * extent
        if thickness < least:
            raise ProblemError(
                f"Regions: {name!r} is about {thickness:.2g} thin, beside the extent {extent:.3g} of all regions; what "
                f"is thinner than {least:.1g} cannot be told from a curve: leave it out, and say what happens across "
                "it with fs.Interface(jump=..., flux_jump=...)"
            )


def refuse_apart(shapes: Mapping[str, Domain], pairs: Sequence[tuple[int, int]]) -> None:
    """Refuse regions that do not hang together, where `pairs` of them touch."""
    names = list(shapes)
    group = list(range(len(names)))
    for one, other in pairs:
        group = [group[one] if each == group[other] else each for each in group]
    together = [name for name, each in zip(names, group, strict=True) if each == group[0]]
    if len(together) == len(names):
        return
    alone = [name for index, name in enumerate(names) if group.count(group[index]) == 1]
    own = alone[:1] or together
    others = [name for name in names if name not in own]
    gap, place, near, nearest = min((*_distance(shapes[a], shapes[b]), a, b) for a in own for b in others)
    who = " and ".join(map(repr, own)) + (" touches no other region" if len(own) == 1 else " touch none of the others")
    boxes = np.array([shape.bounding_box for shape in shapes.values()])
    if gap <= _TOUCHING * float(np.max(boxes[:, 1].max(axis=0) - boxes[:, 0].min(axis=0))):
        where = ", ".join(f"{value:.3g}" for value in place)
        raise ProblemError(
            f"Regions: {who} along more than a point: {near!r} meets {nearest!r} at ({where}), where nothing can "
            "pass; let them share a piece of their borders, or solve for them apart"
        )
    raise ProblemError(
        f"Regions: {who}; the nearest is {nearest!r}, about {gap:.3g} away from {near!r}: close the gap between them, "
        "or solve for them apart"
    )


def refuse_gaps(shapes: Mapping[str, Domain], outer: Sequence[Piece]) -> None:
    """Refuse thin holes, and thin slits, that two or more plane regions leave between them."""
    names, curves = list(shapes), [piece.curve for piece in outer]
    for loop in contour_of(curves, "Regions").loops:
        around = sorted({outer[index].operand for index in loop})
        rim = contour_of([curves[index] for index in loop], "Regions")
        perimeter = math.fsum(curves[index].length for index in loop)
        if len(around) > 1 and rim.area < 0 and -4 * math.pi * rim.area < _THIN * perimeter**2:
            raise _gap([names[i] for i in around], -rim.area, perimeter / 2, curves[loop[0]].ends[0])
    for piece in outer:
        _, looks = looks_beside([piece.curve], _SLIT * piece.curve.length)
        for index, (name, shape) in enumerate(shapes.items()):
            if index != piece.operand and majority(lambda points, s=shape: s._contains(points, False), looks)[0]:  # type: ignore[misc]
                width = _width(piece, shape)
                pair = [names[piece.operand], name]
                raise _gap(pair, width * piece.curve.length, piece.curve.length, piece.curve.ends[0])


def _gap(names: Sequence[str], area: float, length: float, place: Sequence[float]) -> ProblemError:
    x, y = place
    return ProblemError(
        f"Regions: {' and '.join(map(repr, names))} leave a gap between them, of area {area:.3g} along {length:.3g}, "
        f"near ({x:.3g}, {y:.3g}); let their borders coincide, as in shell=box - core"
    )


def _width(piece: Piece, beyond: Domain) -> float:
    """About how far a shape is from a piece of a border that it faces."""
    near, far = 0.0, _SLIT * piece.curve.length
    for _ in range(_BISECTIONS):
        middle = 0.5 * (near + far)
        _, looks = looks_beside([piece.curve], middle)
        if majority(lambda points: beyond._contains(points, False), looks)[0]:
            far = middle
        else:
            near = middle
    return far


def _distance(one: Domain, other: Domain) -> tuple[float, tuple[float, ...]]:
    """About how far two boundaries are from each other, and where."""
    from scipy.spatial import cKDTree  # seldom needed, slow to import

    sites = [_rim(domain) for domain in (one, other)]
    distances, _ = cKDTree(sites[0]).query(sites[1])
    nearest = int(distances.argmin())
    return float(distances[nearest]), tuple(sites[1][nearest].tolist())


def _rim(domain: Domain) -> FloatArray:
    """Points of a boundary, with all corners."""
    rng = np.random.default_rng(0)  # only looks
    found = [part.sample(_SITES, rng, "low-discrepancy").points for part in domain.boundary()]
    if domain.dimension > 1:
        found += [np.array([edge.curve.ends[0]]) for edge in edges_of(domain) or ()]
    return np.concatenate(found)
