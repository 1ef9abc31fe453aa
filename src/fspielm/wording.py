"""Time spans and sizes as people say them, and what they may have meant; the same in every message, table and page."""

from __future__ import annotations

import math
from collections.abc import Iterable

_MINUTE, _HOUR, _DAY = 60, 3600, 86400


def system_size(columns: int, cells: int | None = None) -> str:
    """How large a system is: ``"400 functions"``, or ``"12 cells with 3200 unknowns"``, some of which are traces."""
    if cells is None:
        return f"{columns} functions"
    return f"{cells} cell{'s' * (cells != 1)} with {columns} unknowns"


def readable_bytes(size: float) -> str:
    """A number of bytes for people."""
    return f"{size / 2**30:.2f} GiB" if size >= 2**30 / 10 else f"{size / 2**20:.1f} MiB"


def duration(seconds: float) -> str:
    """A time span with about two digits, in at most two units: ``"0.42 s"``, ``"4.5 s"``, ``"83 s"``, ``"7 min 30 s"``.

    Parameters
    ----------
    seconds : float
        Taken as zero if negative, as the time left is once a guess was too short.
    """
    if not math.isfinite(seconds):
        return "an unknown time"
    seconds = max(float(seconds), 0.0)
    # each limit is the last number that rounds to what its unit can say
    if seconds < 0.00995:
        return f"{1000 * seconds:.0f} ms"
    if seconds < 0.995:
        return f"{seconds:.2f} s"
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    if seconds < 99.5:
        return f"{seconds:.0f} s"
    if seconds < 10 * _MINUTE - 0.5:
        return _in_two(round(seconds), _MINUTE, "min", "s")
    minutes = round(seconds / _MINUTE)
    if minutes < 100:
        return f"{minutes} min"
    if minutes < 48 * 60:
        return _in_two(minutes, 60, "h", "min")
    return _in_two(round(seconds / _HOUR), _DAY // _HOUR, "d", "h")


def _in_two(amount: int, size: int, large: str, small: str) -> str:
    """``amount`` in units of which `size` make a large one; nothing is said about a rest of zero."""
    whole, rest = divmod(amount, size)
    return f"{whole} {large} {rest} {small}" if rest else f"{whole} {large}"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The end of a message about a name that is not among the `known`: the one most like it, if there is any."""
    from difflib import get_close_matches  # seldom needed

    near = get_close_matches(name, list(known), 1)
    return f"; did you mean {near[0]!r}?" if near else ""
