"""How long data may be looked at before anything is solved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import final

from fspielm.arrays import FloatArray

_TRIED = 128
# Of the time that is left, what one look at one datum may take.
_SHARE = 0.125


@final
@dataclass(frozen=True)
class Patience:
    """A moment at which looking at data should end.

    Functions of the user's may take any time: fewer places are looked at then, and the band found is said to be what it
    is, a first guess. Expressions never get near it.

    Attributes
    ----------
    until : float
        As `time.perf_counter` counts.
    """

    until: float = float("inf")

    @property
    def ended(self) -> bool:
        """Whether it is over."""
        return perf_counter() >= self.until

    def affords(self, values: Callable[[FloatArray], FloatArray], points: FloatArray) -> float:
        """How many points such values may be asked at in one look, from how long some of `points` take."""
        if self.until == float("inf"):
            return self.until
        begun, tried = perf_counter(), points[:_TRIED]
        values(tried)
        each = (perf_counter() - begun) / len(tried)
        return max(_SHARE * (self.until - begun) / max(each, 1e-12), _TRIED)


FOREVER = Patience()
