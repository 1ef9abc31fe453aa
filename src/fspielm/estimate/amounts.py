"""How many places the searches of this room begin with, and what counts as small, alike or clearly larger."""

from __future__ import annotations

from typing import Final

# ---- How many

# Directions, places or samples of which a few stand for all; changes within a small box.
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
# Points on a line or all over a region where each costs little.
POINTS: Final = 1024

# ---- How much

# What is larger by this factor is clearly larger, not by chance or by the coarseness of samples.
CLEARLY: Final = 2.0
# A factor for errors that are known by a few samples only.
SAFETY: Final = 3.0
# A smaller share of the whole does not matter, and points that are closer, relative to the whole, are at one place.
SMALL: Final = 0.1
# Frequencies and rates that differ by a smaller share are alike.
ALIKE: Final = 0.05
# What is smaller than this, relative to its terms, is zero as far as samples or a search tell.
ZERO: Final = 1e-3
# The accuracy of numbers of which a search or rounding leaves a few digits.
FEW_DIGITS: Final = 1e-4
