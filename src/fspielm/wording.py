"""Time spans, sizes and numbers as text, and suggestions for misspelt names: the same in every message and table."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

# ---- Arguments in messages, as the interface in use writes them

# What reports say of a budget and of modes, as Python code; and the same as options of the command line.
_OPTIONS = {
    "budget=fs.Budget(seconds=...)": "--seconds",
    "budget=fs.Budget(memory=...)": "--memory",
    "within=(a, b)": "--within a b",
}
_in_options: ContextVar[bool] = ContextVar("in options", default=False)


@contextmanager
def speaking_in_options() -> Iterator[None]:
    """Write arguments as options of the command line within a block."""
    token = _in_options.set(True)
    try:
        yield
    finally:
        _in_options.reset(token)


def argument(name: str, value: Any = None) -> str:
    """An argument, with its value if one is given: ``within=(1, 3)``, or ``--within 1 3`` on the command line."""
    several = isinstance(value, tuple | list)
    # complex numbers without their parentheses
    values = [str(one).strip("()") for one in (value if several else [] if value is None else [value])]
    if _in_options.get():
        return " ".join([f"--{name.replace('_', '-')}", *(one.replace(" ", "") for one in values)])
    return f"{name}=({', '.join(values)})" if several else "=".join([name, *values])


def spoken(text: str) -> str:
    """A text of a report, which is stored with arguments as in Python, for the interface in use."""
    for code, option in _OPTIONS.items() if _in_options.get() else ():
        text = text.replace(code, option)
    return text


# ---- Advice, sizes, time spans and numbers

MORE_TIME = "allow more with budget=fs.Budget(seconds=...)"
OUT_OF_TIME = f"the time of the budget is over; {MORE_TIME}"

_MINUTE = 60
_HOUR, _DAY = 60 * _MINUTE, 24 * 60 * _MINUTE
# Significant digits of a number with unknown error.
_ROUGH_DIGITS = 3
# Counts from this on have a power of ten.
_MANY = 1e7


def system_size(columns: int, cells: int | None = None) -> str:
    """The size of a system: ``"400 functions"``, or ``"12 cells with 3200 unknowns"`` (traces included)."""
    if cells is None:
        return f"{columns} functions"
    return f"{cells} cell{'s' * (cells != 1)} with {columns} unknowns"


def readable_bytes(size: float) -> str:
    """A number of bytes as text."""
    if size >= 10 * 2**40:
        return f"{size / 2**40:.0f} TiB" if size < 1000 * 2**40 else "more than 1000 TiB"
    return f"{size / 2**30:.2f} GiB" if size >= 2**30 / 10 else f"{size / 2**20:.1f} MiB"


def roughly(number: float) -> str:
    """A large number to one digit: ``"60"``, ``"1,000,000"``, ``"6e12"``."""
    rounded = float(f"{number:.0e}")
    return f"{rounded:,.0f}" if rounded < _MANY else f"{rounded:.0e}".replace("e+", "e")


def too_many_waves(waves: float, functions: float, memory: float, limit: float, dimension: int) -> str:
    """Message that a domain has too many wavelengths for the memory, and how many fit."""
    fitting = waves * (limit / memory) ** (0.5 / dimension)
    return (
        f"the domain is about {roughly(waves)} wavelengths across, which takes about {roughly(functions)} functions; "
        f"{readable_bytes(limit)} of memory are enough for about {roughly(fitting)} wavelengths: solve on a part of "
        "the domain, or with longer waves"
    )


def duration(seconds: float) -> str:
    """A time span with about two digits, in at most two units: ``"0.42 s"``, ``"83 s"``, ``"7 min 30 s"``.

    Negative spans count as zero.
    """
    if not math.isfinite(seconds):
        return "an unknown time"
    seconds = max(float(seconds), 0.0)
    # each limit is where rounding would reach the next unit
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
    """`amount` in small units, of which `size` make a large one; a rest of zero is omitted."""
    whole, rest = divmod(amount, size)
    return f"{whole} {large} {rest} {small}" if rest else f"{whole} {large}"


def known_digits(value: complex, error: float, most: int = sys.float_info.dig) -> str:
    """A number with the digits that its error allows: 9.6397238440219 with error 3e-12 is ``"9.63972384402"``.

    The error zero shows all digits, at `most` so many; infinity or NaN three. Both parts of a complex number have the
    same decimal places.
    """
    size = abs(value)
    if not (size and math.isfinite(size)):
        return f"{value:g}"
    place = (most if error < math.inf else _ROUGH_DIGITS) - 1 - math.floor(math.log10(size))
    if 0 < error < math.inf:
        place = min(place, math.floor(-math.log10(error)))
    plain = "e" not in str(float(size))
    real, imaginary = (_to_place(part, place, plain) for part in (value.real, value.imag))
    sign = "-" if imaginary.startswith("-") else "+"
    return f"{real} {sign} {imaginary.removeprefix('-')}i" if value.imag else real


def _to_place(number: float, place: int, plain: bool) -> str:
    """A number rounded to a decimal place, with a power of ten unless `plain`."""
    rounded = round(number, place) + 0.0
    if plain or not rounded:
        return f"{rounded:.{max(place, 0) if plain or place < sys.float_info.dig else 0}f}"
    return f"{rounded:.{max(place + math.floor(math.log10(abs(rounded))), 0)}e}"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """End of a message about an unknown name: the most similar known name, if there is one."""
    from difflib import get_close_matches  # rarely needed

    near = get_close_matches(name, list(known), 1)
    return f"; did you mean {near[0]!r}?" if near else ""
