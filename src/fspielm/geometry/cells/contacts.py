"""Where the cells on both sides of an interface meet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fspielm.geometry.cells.cell import Contact, Stretch

# Cells that meet along less than this share of either one's stretch of an interface are no neighbours.
_SHORT = 1e-4


def meet(line: int, first: Sequence[Stretch], second: Sequence[Stretch]) -> Iterator[Contact]:
    """Where stretches on both sides of an interface overlap."""
    first, second = (sorted(side, key=lambda each: each.start) for side in (first, second))
    i = j = 0
    while i < len(first) and j < len(second):
        a, b = first[i], second[j]
        low, high = max(a.start, b.start), min(a.end, b.end)
        point = a.start == a.end
        if point or high - low > _SHORT * min(a.end - a.start, b.end - b.start):
            yield Contact((a.cell, b.cell), line, low, high)
        i, j = i + (a.end <= b.end), j + (b.end <= a.end)
