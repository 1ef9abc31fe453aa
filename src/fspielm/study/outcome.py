"""What one solve of a study gave: numbers, or the reason why there are none."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, final

DONE, FAILED = "done", "failed"
# Which of its numbers an outcome is judged by.
EXACT, REFERENCE, ESTIMATE = "exact", "reference", "estimate"

_NUMBERS = ("error", "space_time_error", "error_estimate", "held_out", "condition", "coefficient_norm")


@final
@dataclass(frozen=True)
class Outcome:
    """The result of one job.

    Attributes
    ----------
    status : {"done", "failed"}
    message : str
        Why it failed, or what the solver warned of.
    measure : {"exact", "reference", "estimate", ""}
        What `error` was measured with.
    error : float or None
        Relative L2 error: for a benchmark on the paper's grid, else on a grid over the domain. Where nothing is
        known to compare with, the solver's own estimate.
    space_time_error : float or None
        Over all of space and time, where the paper's grid is a slice.
    error_estimate : float or None
        The solver's own estimate, where it was made.
    held_out : float or None
        Residual of the rows at fresh points, relative to their data.
    residuals, held_out_residuals : mapping of str to float
        Root mean square of each block: of the rows fitted (in an automatic solve: held out), and at fresh points.
    neurons, rows, rank : int or None
    condition, coefficient_norm : float or None
    phases : mapping of str to float
        Seconds of each phase.
    seconds : float
        Of the solve; measuring not included.
    measured : mapping of str to list
        What a sweep asked for: its quantities, each as the numbers it has.
    """

    status: str
    message: str = ""
    measure: str = ""
    error: float | None = None
    space_time_error: float | None = None
    error_estimate: float | None = None
    held_out: float | None = None
    residuals: Mapping[str, float] = field(default_factory=dict)
    held_out_residuals: Mapping[str, float] = field(default_factory=dict)
    neurons: int | None = None
    rows: int | None = None
    rank: int | None = None
    condition: float | None = None
    coefficient_norm: float | None = None
    phases: Mapping[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    measured: Mapping[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """The outcome as JSON and a database take it: a number beyond all numbers is None."""
        content = asdict(self)
        # a file name that is no text may be in a message
        content["message"] = self.message.encode("utf-8", "backslashreplace").decode("utf-8")
        for name in _NUMBERS:
            value = content[name]
            content[name] = value if value is not None and math.isfinite(value) else None
        return content

    @classmethod
    def from_dict(cls, content: dict[str, Any]) -> Outcome:
        """The outcome that `as_dict` gave."""
        return cls(**content)


def failure(message: str, seconds: float = 0.0) -> Outcome:
    """The outcome of a job that gave no solution."""
    return Outcome(FAILED, " ".join(message.split()), seconds=seconds)
