"""Logarithmic scales: their ends and their ticks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar, final

Label = TypeVar("Label", bound=str)

# Below rounding: where an error of exactly zero is drawn.
_SMALLEST = 1e-18
_HIGHEST_POWER = 308.0
_MARGIN = 0.06
# Scales shorter than this many decades have ticks between the powers of ten.
_SHORT_DECADES = 1.5
_MOST_TICKS = 7
_PLAIN = (0.001, 1000.0)
# As a share of the scale.
_CLOSEST = 0.12


@final
@dataclass(frozen=True)
class LogScale:
    """A scale from `low` to `high`, both positive, with ticks inside."""

    low: float
    high: float
    ticks: tuple[float, ...]

    def share(self, value: float) -> float:
        """How far along the scale a value lies, between 0 and 1."""
        bounded = min(max(value, self.low), self.high)
        bottom, top = math.log10(self.low), math.log10(self.high)
        return min(max((math.log10(bounded) - bottom) / (top - bottom), 0.0), 1.0)

    def labels(self, power: Callable[[str, int], Label]) -> list[str | Label]:
        """How the ticks are written: as ordinary numbers if all are near one, else all as powers of ten.

        Parameters
        ----------
        power : callable
            Writes a factor, empty if it is one, times a power of ten.
        """
        if all(_PLAIN[0] <= tick < _PLAIN[1] for tick in self.ticks):
            return [f"{tick:g}" for tick in self.ticks]
        return [power(*_scientific(tick)) for tick in self.ticks]


def log_scale(values: Iterable[float], *, whole_decades: bool = False) -> LogScale:
    """A scale that holds all values, with a small margin or from power of ten to power of ten."""
    numbers = [max(value, _SMALLEST) for value in values]
    bottom, top = (math.log10(end) for end in (min(numbers, default=1.0), max(numbers, default=1.0)))
    if whole_decades:
        bottom, top = math.floor(bottom + 1e-9), math.ceil(top - 1e-9)
        if top == bottom:
            top += 1
    else:
        margin = max(_MARGIN * (top - bottom), 0.08)
        bottom, top = bottom - margin, min(top + margin, _HIGHEST_POWER)
    return LogScale(10.0**bottom, 10.0**top, _ticks(bottom, top))


def _scientific(value: float) -> tuple[str, int]:
    exponent = math.floor(math.log10(value) + 1e-9)
    mantissa = value / 10.0**exponent
    return "" if abs(mantissa - 1) < 0.01 else f"{mantissa:.2g}", exponent


def _ticks(bottom: float, top: float) -> tuple[float, ...]:
    """Powers of ten, not too many; on a short scale also their multiples."""
    within = range(math.ceil(bottom - 1e-9), math.floor(top + 1e-9) + 1)
    if top - bottom >= _SHORT_DECADES and len(within) > 1:
        step = -(-len(within) // _MOST_TICKS)
        return tuple(10.0**power for power in within if power % step == 0)
    for multiples in ((1, 3), (1, 2, 5), tuple(range(1, 10))):
        powers = range(math.floor(bottom), math.ceil(top) + 1)
        ticks = tuple(
            float(f"{multiple}e{power}")
            for power in powers
            for multiple in multiples
            if bottom <= math.log10(multiple) + power <= top
        )
        if len(ticks) > 2:
            break
    return _apart(ticks, _CLOSEST * (top - bottom)) or (float(f"{10.0 ** (0.5 * (bottom + top)):.2g}"),)


def _apart(ticks: tuple[float, ...], decades: float) -> tuple[float, ...]:
    """Those ticks whose numbers do not get into each other's way."""
    kept: list[float] = []
    for tick in ticks:
        if not kept or math.log10(tick / kept[-1]) >= decades:
            kept.append(tick)
    return tuple(kept)
