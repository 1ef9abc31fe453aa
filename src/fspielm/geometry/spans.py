"""Stretches of axis-parallel lines that lie in a domain, and those of its combinations with others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from fspielm.arrays import BoolArray, FloatArray

if TYPE_CHECKING:
    from fspielm.geometry.combination import Operation


@final
@dataclass(frozen=True, eq=False)
class Spans:
    """Where n lines enter a domain and leave it again.

    Attributes
    ----------
    ends : (n, 2 k) array
        Coordinates along each line, ascending: it enters, leaves, enters ...; infinite where it does so less often.
    """

    ends: FloatArray

    def around(self, at: FloatArray, slack: float) -> tuple[FloatArray, FloatArray]:
        """The ends ``(n,)`` of the stretch that each coordinate `at` lies on, up to rounding; itself where on none."""
        low, high = at.copy(), at.copy()
        for enters, leaves in zip(self.ends.T[::2], self.ends.T[1::2], strict=True):
            here = (at >= enters - slack) & (at <= leaves + slack)
            low[here], high[here] = np.minimum(low[here], enters[here]), np.maximum(high[here], leaves[here])
        return low, high

    def combined(self, operation: Operation, other: Spans, slack: float) -> Spans:
        """Those in the union, intersection or difference of both domains; gaps and stretches up to `slack` vanish."""
        met = _are_met(other)
        # where the second domain is not met, there is nothing to be done: it may be a small hole, and lines many
        rows = np.flatnonzero(met & _are_met(self) if operation == "intersection" else met)
        combined = _combine(operation, self.ends[rows], other.ends[rows], slack)
        width = max(self.ends.shape[1], combined.shape[1])
        ends = np.full((len(met), width), np.inf)
        if operation != "intersection":
            ends[:, : self.ends.shape[1]] = self.ends
        ends[rows] = np.pad(combined, ((0, 0), (0, width - combined.shape[1])), constant_values=np.inf)
        return Spans(ends)


def one_span(low: FloatArray | float, high: FloatArray | float, met: BoolArray) -> Spans:
    """A single stretch from `low` to `high` of each line that is `met` ``(n,)``, as convex domains have."""
    return Spans(np.stack([np.where(met, low, np.inf), np.where(met, high, np.inf)], axis=1))


def round_span(center: float, radius: float, aside: FloatArray) -> Spans:
    """That in a ball of lines that pass its center at distances `aside` ``(n,)``."""
    half = np.sqrt(np.maximum((radius - aside) * (radius + aside), 0.0))
    return one_span(center - half, center + half, aside <= radius)


def _are_met(spans: Spans) -> BoolArray:
    """Which lines have any stretch in the domain."""
    met: BoolArray = np.isfinite(spans.ends[:, 0])
    return met


def _combine(operation: Operation, first: FloatArray, second: FloatArray, slack: float) -> FloatArray:
    """Ends ``(n, 2 k)`` of the stretches in the combination."""
    both = np.concatenate([first, second], axis=1)
    order = np.argsort(both, axis=1, kind="stable")
    ends = np.take_along_axis(both, order, axis=1)
    # whether beyond each end, up to the next one, the line is in the first domain, and in the second
    odd = np.arange(both.shape[1]) % 2 == 1
    steps, of_first = np.where(odd, -1, 1)[order], order < first.shape[1]
    in_first, in_second = (np.cumsum(np.where(chosen, steps, 0), axis=1) > 0 for chosen in (of_first, ~of_first))
    if operation == "union":
        inside = in_first | in_second
    else:
        inside = in_first & (in_second if operation == "intersection" else ~in_second)
    # what is too short goes on as the stretch before it did: faces that both share are no gap
    with np.errstate(invalid="ignore"):
        long = np.diff(ends, axis=1, append=np.inf) > slack
    last = np.maximum.accumulate(np.where(long, np.arange(ends.shape[1]), -1), axis=1)
    inside = np.take_along_axis(inside, np.maximum(last, 0), axis=1) & (last >= 0)
    changes = np.diff(inside, axis=1, prepend=False)
    kept = np.sort(np.where(changes, ends, np.inf), axis=1)
    return kept[:, : 2 * (int(changes.sum(axis=1).max(initial=0)) // 2)]
