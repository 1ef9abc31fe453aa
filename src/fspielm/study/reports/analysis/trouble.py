"""What went wrong: failed solves by their reason, and what the solver warned of."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import final

from fspielm.study.reports.analysis.methods import order_methods
from fspielm.study.rows import Row

_NUMBER = re.compile(r"\d[\d.,]*(?:e[+-]?\d+)?")


@final
@dataclass(frozen=True)
class Trouble:
    """Solves with the same message, up to the numbers in it.

    Attributes
    ----------
    message : str
        That of the first.
    rows : tuple of Row
    """

    message: str
    rows: tuple[Row, ...]

    @property
    def subjects(self) -> list[str]:
        """What was being solved."""
        return list(dict.fromkeys(row.job.subject for row in self.rows))

    @property
    def methods(self) -> list[str]:
        """With which methods."""
        return order_methods(row.job.method for row in self.rows)


def failures(rows: Iterable[Row]) -> list[Trouble]:
    """The failed solves by reason, the most frequent first."""
    return _gather(row for row in rows if not row.done)


def warned(rows: Iterable[Row]) -> list[Trouble]:
    """The solves that ended with a warning, by what it said."""
    return _gather(row for row in rows if row.done and row.outcome.message)


def _gather(rows: Iterable[Row]) -> list[Trouble]:
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[_NUMBER.sub("#", row.outcome.message)].append(row)
    troubles = [Trouble(same[0].outcome.message, tuple(same)) for same in found.values()]
    return sorted(troubles, key=lambda trouble: -len(trouble.rows))
