"""A study as its report shows it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

from fspielm.errors import ProblemError
from fspielm.study.plan import Plan
from fspielm.study.reports.analysis.cell import make_cells
from fspielm.study.reports.analysis.methods import order_methods
from fspielm.study.reports.analysis.subject import SubjectResult
from fspielm.study.rows import Row
from fspielm.study.store import Store
from fspielm.study.subject import Bench, Subject
from fspielm.study.terms import Terms


@final
@dataclass(frozen=True, eq=False)
class StudyResult:
    """What a store holds, in order.

    Attributes
    ----------
    plan : Plan
    terms : Terms
    rows : sequence of Row
    environments : mapping of str to mapping
        What the solves ran on, by digest.
    subjects : sequence of SubjectResult
    """

    plan: Plan
    terms: Terms
    rows: Sequence[Row]
    environments: Mapping[str, Mapping[str, str]]
    subjects: Sequence[SubjectResult]

    @property
    def planned(self) -> int:
        """How many solves the plan has."""
        return len(self.plan.jobs)

    @property
    def complete(self) -> bool:
        """Whether every solve has ended."""
        return len(self.rows) == self.planned

    @cached_property
    def failed(self) -> list[Row]:
        """The solves that gave no solution."""
        return [row for row in self.rows if not row.done]

    @cached_property
    def methods(self) -> list[str]:
        """Every method of the study."""
        return order_methods(method for subject in self.subjects for method in subject.methods)

    @cached_property
    def solves_on(self) -> Counter[str]:
        """How many solves ran on each environment."""
        return Counter(row.environment for row in self.rows)


def read_study(path: str | os.PathLike[str]) -> StudyResult:
    """Read a store, which may be in use by a run."""
    with Store.open(path, read_only=True) as store:
        plan, terms, rows, environments = store.plan, store.terms, store.rows(), store.environments()
    return make_study(plan, terms, rows, environments)


def make_study(
    plan: Plan, terms: Terms, rows: Sequence[Row], environments: Mapping[str, Mapping[str, str]]
) -> StudyResult:
    """Put rows in the order of a plan."""
    cells = make_cells(plan.jobs, rows)
    subjects = [
        SubjectResult(name, _open(subject), [cell for cell in cells if cell.job.subject == name])
        for name, subject in plan.subjects.items()
    ]
    return StudyResult(plan, terms, rows, environments, [subject for subject in subjects if subject.cells])


def _open(subject: Subject) -> Bench | None:
    try:
        return subject.open()
    except ProblemError:
        # what another version stored and solved is still worth a report
        return None
