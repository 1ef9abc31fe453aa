"""Numbers that many modules share: how close is the same, how finely to look, when to give up.

Lengths are relative to the size of what they are compared with.
"""

from __future__ import annotations

from typing import Final

# What rounding makes of a difference of equal numbers that were calculated in different ways.
ROUNDING: Final = 1e-13
# Rounding that a longer calculation leaves: roots of polynomials, sums of many terms, crossings of curves.
ROUNDED: Final = 1e-12
# Points, parameters and numbers that are the same but for rounding, after some calculation with them.
SAME: Final = 1e-9
# Points and values that are the same as far as samples, differences or an iteration can tell.
CLOSE: Final = 1e-6
# Half of the digits: what is left of differences, iterations that stagnate, and numbers that say nothing.
HALF: Final = 1e-8
# Step of differences of functions that are exact but for rounding.
STEP: Final = 1e-6
# Halvings that leave nothing of an interval in double precision.
BISECTIONS: Final = 60
# Steps after which Newton's method, or another iteration that should need few, is given up.
ITERATIONS: Final = 60
# Halvings of a piece on which something failed, after which it is left as it is.
HALVINGS: Final = 4
# Random points that tell whether something holds everywhere, or how large it is.
PROBES: Final = 400
# Smaller numbers count as zero: their squares and quotients are not to be trusted.
TINY: Final = 1e-200
