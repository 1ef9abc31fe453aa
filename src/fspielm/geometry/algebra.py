"""The operations of `Domain` that need its subclasses."""

from __future__ import annotations

from fspielm.geometry.combination import combine
from fspielm.geometry.pictures import plot_domain
from fspielm.geometry.time import multiply
from fspielm.geometry.transform import moved, rotated, scaled


class Algebra:
    """Moved domains, combinations, products with time, and pictures."""

    moved = staticmethod(moved)
    scaled = staticmethod(scaled)
    rotated = staticmethod(rotated)
    combine = staticmethod(combine)
    multiply = staticmethod(multiply)
    plot = staticmethod(plot_domain)
