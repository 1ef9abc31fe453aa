"""Objects of open domains that let waves through, or may: seen in light colours of their own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray
from fspielm.geometry.domain import Domain
from fspielm.geometry.exterior import Exterior
from fspielm.geometry.pictures.style import INTERIOR, PALETTE

# Of a colour of the palette in a tint, the rest of which is white.
_SHARE = 0.2


def layer_numbers(domain: Domain, points: FloatArray) -> NDArray[np.int_]:
    """What there is at points ``(n, 2)``: 0 nothing of the domain, 1 the domain, and from 2 on a layer."""
    numbers = domain.contains(points).astype(int)
    if isinstance(domain, Exterior):
        for place in _layers(domain):
            numbers[domain.shapes[place].contains(points)] = 2 + place
        for place in domain.solid if domain._filled else ():
            numbers[domain.shapes[place].contains(points)] = 0
    return numbers


def layer_colours(domain: Domain) -> list[str]:
    """Colours for these numbers from 1 on: layers are as the outlines of objects, but light."""
    count = len(domain.shapes) if isinstance(domain, Exterior) else 0
    return [INTERIOR, *(_light(PALETTE[place % len(PALETTE)]) for place in range(count))]


def _layers(domain: Exterior) -> list[int]:
    """The places of objects with a field inside, outer ones first.

    Where no problem has said which have one, of objects that lie in others, and of those around them.
    """
    nested = {place for pair in enumerate(domain.around) if pair[1] >= 0 for place in pair}
    return sorted(domain._filled or nested, key=lambda place: _depth(domain, place))


def _depth(domain: Exterior, place: int) -> int:
    outer = domain.around[place]
    return 0 if outer < 0 else 1 + _depth(domain, outer)


def _light(colour: str) -> str:
    parts = (int(colour[begin : begin + 2], 16) for begin in (1, 3, 5))
    return "#" + "".join(f"{round(255 - _SHARE * (255 - part)):02x}" for part in parts)
