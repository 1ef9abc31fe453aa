"""What objects take out of an incident plane wave, for reports and JSON."""

from __future__ import annotations

import math

from fspielm.errors import ProblemError
from fspielm.solution import Solution

_DIGITS = 6


def cross_sections_of(solution: Solution) -> dict[str, float] | None:
    """The cross sections by name; None where nothing of the kind is known, as of a solution on a bounded domain."""
    try:
        found = solution.cross_sections()
    except ProblemError:
        return None
    return {"scattering": found.scattering, "absorption": found.absorption, "extinction": found.extinction}


def cross_sections_fact(solution: Solution) -> dict[str, str]:
    """A line of a report: all to the same place after the point, so that what is nothing but rounding is zero."""
    found = cross_sections_of(solution)
    if found is None:
        return {}
    largest = max(map(abs, found.values()))
    place = _DIGITS - 1 - (math.floor(math.log10(largest)) if 0 < largest < math.inf else 0)
    told = [f"{name} {round(value, place) + 0.0:.{max(place, 0)}f}" for name, value in found.items()]
    return {"cross sections": ", ".join(told)}
