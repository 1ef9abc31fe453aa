"""How large a text, and what it means, may be: whatever is typed is answered at once."""

from __future__ import annotations

from typing import Final

TEXT_LENGTH: Final = 50_000
TOKENS: Final = 10_000
DEPTH: Final = 40
NAME_LENGTH: Final = 60
EXPONENT: Final = 10_000
BESSEL_ORDER: Final = 1_000
DERIVATIVE_ORDER: Final = 8
# Comparisons in one where(...), and terms in one min or max: SymPy compares each with each.
COMPARISONS: Final = 12
# Nodes of a derivative, which the product rule can make many times longer than what is derived.
DERIVATIVE_NODES: Final = 5_000
# Digits, in bits, of whole numbers and fractions on the way, and of those that remain (Python prints 4300 digits).
BITS: Final = 50_000
RESULT_BITS: Final = 13_000
# The largest number of double precision is just below 2**1024, the smallest 2**-1074.
MAGNITUDE_BITS: Final = 1_023


class RefusalError(Exception):
    """Why something cannot be done; whoever knows the place in the text turns it into a `TextError`."""
