"""What every solve of a study is given, fixed when the study begins."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, final


@final
@dataclass(frozen=True)
class Terms:
    """The same for every solve, whatever runs it: with them, a job's result is decided to the last bit.

    Attributes
    ----------
    threads : int
        Of assembly and linear algebra.
    memory : float
        Bytes that a solve may use: how much it needs is known before, and it waits until there is room.
    share : float
        Bytes that an automatic solve may use, of which it is not known before.
    seconds : float or None
        After which a solve is given up.
    tol : float
        For the automatic solver, and for the verdict on an estimate.
    """

    threads: int
    memory: float
    share: float
    seconds: float | None
    tol: float

    def as_dict(self) -> dict[str, Any]:
        """The terms as JSON takes them."""
        return asdict(self)
