"""How many places, lines and points the searches of this room begin with."""

from __future__ import annotations

from typing import Final

# Directions, places or samples of which a few stand for all.
FEW: Final = 4
# Closer and closer looks at a place.
ZOOMS: Final = 3
# Lines, directions and steps where each costs many evaluations.
SEVERAL: Final = 8
# Lines, places and functions that cover a region; and the most that are told apart.
MANY: Final = 24
# Points on a line or within a small box.
NEAR: Final = 64
# Points that cost more, such as sites on each part of the boundary.
SAMPLE: Final = 128
# Points that tell the size of values.
VALUES: Final = 256
# Sites all over the domain, to see how coefficients vary there.
SITES: Final = 512
