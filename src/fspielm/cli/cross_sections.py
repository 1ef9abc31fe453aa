"""What objects take out of an incident plane wave, for reports and JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping

from fspielm.cli.progress import working
from fspielm.demo import run_interruptibly
from fspielm.errors import ProblemError
from fspielm.solution import Solution

_DIGITS = 6


def cross_sections_of(solution: Solution) -> dict[str, float] | None:
    """The cross sections by name; None where nothing of the kind is known, as of a solution on a bounded domain."""
    if not solution.problem.domain.is_unbounded:
        return None
    try:
        # in space there are many directions to look at
        with working("cross sections"):
            found = run_interruptibly(solution.cross_sections)
    except ProblemError:
        return None
    return {"scattering": found.scattering, "absorption": found.absorption, "extinction": found.extinction}


def cross_sections_fact(solution: Solution) -> dict[str, str]:
    """A line of a report, of what is known."""
    found = cross_sections_of(solution)
    return {} if found is None else {"cross sections": _told(found, solution.report.error_estimate)}


def _told(sections: Mapping[str, float], estimate: float | None) -> str:
    """All to the same place, which an error of the size of the estimate leaves as it is: what is less is zero."""
    digits = _DIGITS if not estimate else max(1, min(_DIGITS, math.floor(-math.log10(min(estimate, 1.0)))))
    largest = max(map(abs, sections.values()))
    place = digits - 1 - (math.floor(math.log10(largest)) if 0 < largest < math.inf else 0)
    return ", ".join(f"{name} {_up_to(value, place)}" for name, value in sections.items())


def _up_to(value: float, place: int) -> str:
    """A number up to a place after the point, the zeros before that place included."""
    rounded = round(value, place)
    if not rounded or not math.isfinite(rounded):
        return f"{rounded + 0.0:g}"
    digits = place + 1 + math.floor(math.log10(abs(rounded)))
    return f"{rounded:#.{max(digits, 1)}g}".replace(".e", "e").rstrip(".")
