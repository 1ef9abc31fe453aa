"""Jobs with their outcomes: what a study has found so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from fspielm.study.job import Job
from fspielm.study.outcome import DONE, Outcome


@final
@dataclass(frozen=True)
class Row:
    """One solve that has ended.

    Attributes
    ----------
    job : Job
    outcome : Outcome
    ended : str
        When, in universal time.
    environment : str
        Digest of what it ran on.
    """

    job: Job
    outcome: Outcome
    ended: str = ""
    environment: str = ""

    @property
    def done(self) -> bool:
        """Whether it gave a solution."""
        return self.outcome.status == DONE
