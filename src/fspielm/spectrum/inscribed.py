"""Boxes inside a domain, at several places."""

from __future__ import annotations

import numpy as np

from fspielm.arrays import BoolArray, FloatArray
from fspielm.geometry import Domain, SpaceTime, bisect

Box = tuple[FloatArray, FloatArray]

_PLACES = 24
_MOST_BOXES = 4
_HALVINGS = 7
# Points along each edge of a box that all have to lie inside.
_LATTICE = 7
# Smaller boxes, as a share of the largest, tell too little.
_LEAST_SHARE = 0.5
_INSIDE = 1 - 1e-9


def inscribed_boxes(domain: Domain, rng: np.random.Generator) -> list[Box]:
    """Large boxes inside the domain, of its bounding box's shape: one if that is the domain, otherwise some.

    With time, they last as long as the domain does. Holes narrower than a seventh of a box may be overlooked.
    """
    if isinstance(domain, SpaceTime):
        (start,), (end,) = (corner[-1:] for corner in domain.bounding_box)
        return [(np.append(low, start), np.append(high, end)) for low, high in inscribed_boxes(domain.space, rng)]
    lower, upper = domain.bounding_box
    half = 0.5 * (upper - lower)
    middle = 0.5 * (lower + upper)[None, :]
    if _fit(domain, middle, _INSIDE * half[None, :]).all():
        return [(lower, upper)]
    places = np.concatenate([middle, domain.sample(_PLACES, rng, "low-discrepancy")])
    shares = _largest_shares(domain, places, half)
    boxes: list[Box] = []
    for index in np.argsort(-shares):
        if len(boxes) == _MOST_BOXES or shares[index] < _LEAST_SHARE * shares.max() or shares.max() == 0:
            break
        # another one within a box would see the same
        if not any(np.all((low <= places[index]) & (places[index] <= high)) for low, high in boxes):
            boxes.append((places[index] - shares[index] * half, places[index] + shares[index] * half))
    return boxes


def _largest_shares(domain: Domain, places: FloatArray, half: FloatArray) -> FloatArray:
    """The largest box around each place that fits, as a share of `half`, by halving."""
    none, whole = np.zeros(len(places)), np.ones(len(places))
    return bisect(none, whole, lambda shares: _fit(domain, places, shares[:, None] * half), _HALVINGS)[0]


def _fit(domain: Domain, places: FloatArray, halves: FloatArray) -> BoolArray:
    """Mask of the places ``(n, d)`` whose boxes ``(n, d)`` lie inside."""
    ticks = np.linspace(-1.0, 1.0, _LATTICE)
    lattice = np.stack([t.ravel() for t in np.meshgrid(*[ticks] * places.shape[1], indexing="ij")], axis=1)
    points = places[:, None, :] + lattice * halves[:, None, :]
    inside = domain.contains(points.reshape(-1, places.shape[1]))
    return np.asarray(np.all(inside.reshape(points.shape[:2]), axis=1))
