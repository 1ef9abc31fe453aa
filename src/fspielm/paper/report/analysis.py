"""The rows of a study, gathered for its report: cells, groups, and comparisons with the paper."""

from __future__ import annotations

import math
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import final

import numpy as np

from fspielm.errors import ProblemError
from fspielm.geometry.pictures import PALETTE
from fspielm.jobs.job import ALL_METHODS, AUTOMATIC, Job, Row, Terms
from fspielm.jobs.plan import Plan
from fspielm.jobs.store import Store
from fspielm.jobs.subject import Bench, Subject
from fspielm.paper.cases.case import Case, PaperResult
from fspielm.solution.plot.style import BLUE, INK, VERMILION


@final
@dataclass(frozen=True)
class Spread:
    """Statistics of several errors, or times; the best is the smallest."""

    count: int
    best: float
    mean: float
    # divided by the number of values, as NumPy does; the paper's numbers do not tell which it uses
    std: float
    median: float
    worst: float

    @property
    def deviation(self) -> float | None:
        """The standard deviation; None for a single value."""
        return self.std if self.count > 1 else None


def spread(values: Iterable[float | None]) -> Spread | None:
    """The statistics of the finite values; None if there are none."""
    numbers = np.array([value for value in values if value is not None and math.isfinite(value)], dtype=float)
    if numbers.size == 0:
        return None
    # in units of the largest value, whose square could overflow
    unit = float(np.abs(numbers).max()) or 1.0
    scaled = numbers / unit
    return Spread(
        count=int(numbers.size),
        best=float(numbers.min()),
        mean=unit * float(scaled.mean()),
        std=unit * float(scaled.std()),
        median=unit * float(np.median(scaled)),
        worst=float(numbers.max()),
    )


# ---- Methods


@final
@dataclass(frozen=True)
class Look:
    """How tables and charts show a method."""

    label: str
    short: str
    # such that colour-blind readers can tell them apart: Okabe and Ito's, and a wine red of Paul Tol's
    colour: str
    marker: str
    # makes all markers look about as large
    size: float = 1.0


LOOKS = {
    "tanh": Look("Tanh-PIELM", "Tanh", PALETTE[4], "o"),
    "siren": Look("SIREN-PIELM", "SIREN", PALETTE[5], "s"),
    "gff": Look("GFF-PIELM", "GFF", PALETTE[2], "^"),
    "fs-l": Look("FS-PIELM-L", "FS-L", BLUE, "D", 0.85),
    "fs-g": Look("FS-PIELM-G", "FS-G", VERMILION, "v"),
    "fs-l-space": Look("FS-PIELM-L, space", "FS-L space", PALETTE[3], "P", 1.15),
    "fs-g-space": Look("FS-PIELM-G, space", "FS-G space", "#882255", "X", 1.15),
    "automatic": Look("automatic", "automatic", INK, "*", 1.5),
}


def order_methods(methods: Iterable[str]) -> list[str]:
    """Each method once: those of the paper in its order, then our own."""
    return sorted(set(methods), key=ALL_METHODS.index)


# ---- Cells and groups


@final
@dataclass(frozen=True)
class Cell:
    """One setting, with the number of planned seeds and the solves of all seeds."""

    # its seed has no meaning
    job: Job
    planned: int
    # the solves that have ended
    rows: tuple[Row, ...]

    @property
    def variant(self) -> Variant:
        """The settings besides method, range and seed."""
        return Variant(self.job.neurons, self.job.least_squares, self.job.scaling)

    @cached_property
    def error(self) -> Spread | None:
        """The finite errors of the seeds."""
        return spread(row.outcome.error for row in self.rows if row.done)

    @cached_property
    def seconds(self) -> Spread | None:
        """The times of the successful seeds."""
        return spread(row.outcome.seconds for row in self.rows if row.done)

    @property
    def best_row(self) -> Row | None:
        """The seed with the smallest error."""
        if self.error is None:
            return None
        best = self.error.best
        return next(row for row in self.rows if row.done and row.outcome.error == best)

    @property
    def failed(self) -> int:
        """How many seeds failed."""
        return sum(not row.done for row in self.rows)

    @property
    def not_finite(self) -> int:
        """How many seeds gave an error that is not finite."""
        return sum(row.done for row in self.rows) - (self.error.count if self.error else 0)

    @property
    def whole(self) -> bool:
        """Whether every planned seed gave a finite error."""
        return self.error is not None and self.error.count == self.planned

    @property
    def seeds(self) -> str:
        """How many seeds the numbers are from, in words; and what happened to the others."""
        count = self.error.count if self.error else 0
        others = {"failed": self.failed, "not finite": self.not_finite, "to come": self.planned - len(self.rows)}
        told = ", ".join(f"{number} {name}" for name, number in others.items() if number)
        return f"{count} of {self.planned}: {told}" if told else str(count)


def make_cells(jobs: Iterable[Job], rows: Iterable[Row]) -> list[Cell]:
    """The cells of a plan in its order, including those without a solve yet."""
    planned = Counter(map(_setting, jobs))
    ended: dict[Job, list[Row]] = defaultdict(list)
    for row in rows:
        ended[_setting(row.job)].append(row)
    return [Cell(setting, count, tuple(ended[setting])) for setting, count in planned.items()]


def _setting(job: Job) -> Job:
    return replace(job, seed=0)


@final
@dataclass(frozen=True)
class Variant:
    """The settings besides method, range and seed; None if the solver chooses them."""

    neurons: int | None = None
    least_squares: str | None = None
    scaling: str | None = None

    @property
    def automatic(self) -> bool:
        """Whether the solver chooses all settings."""
        return self == Variant()

    def describe(self, among: Iterable[Variant] = ()) -> str:
        """The settings in words: all of them, or only those that differ among the variants `among`."""
        if self.automatic:
            return "automatic"
        others = [other for other in among if not other.automatic]
        names = [name.name for name in fields(self)]
        apart = [name for name in names if len({getattr(other, name) for other in others}) > 1]
        return ", ".join(self.word(name) for name in (apart if others else names))

    def word(self, name: str) -> str:
        """One of the settings in words."""
        match name:
            case "neurons":
                return f"{self.neurons} neurons"
            case "least_squares":
                return str(self.least_squares)
            case _:
                return "rows as they are" if self.scaling == "none" else f"{self.scaling} rows"


@final
@dataclass(frozen=True)
class Group:
    """The cells of one subject and one variant, and those of the automatic solver: what one chart compares."""

    subject: str
    variant: Variant
    # how it differs from the other variants of the subject; empty if it is the only one
    label: str
    cells: Sequence[Cell]

    @cached_property
    def methods(self) -> list[str]:
        """Its methods, finished or not."""
        return order_methods(cell.job.method for cell in self.cells)

    def of(self, method: str) -> list[Cell]:
        """The cells of a method."""
        return [cell for cell in self.cells if cell.job.method == method]

    def best(self, method: str) -> Cell | None:
        """The cell with the smallest error of any seed, as the paper chooses its range of frequencies."""
        return best_cell(self.of(method))

    @cached_property
    def best_method(self) -> str | None:
        """The method with the smallest error."""
        found = best_cell(self.cells)
        return None if found is None else found.job.method

    def at(self, method: str, mu: tuple[float, float]) -> Cell | None:
        """The cell of a method at a range of frequencies."""
        return next((cell for cell in self.of(method) if cell.job.mu == mu), None)


def best_cell(cells: Iterable[Cell]) -> Cell | None:
    """The cell with the smallest error of any seed; among equal ones, with the smallest mean."""

    def errors(cell: Cell) -> tuple[float, float]:
        assert cell.error is not None
        return cell.error.best, cell.error.mean

    return min((cell for cell in cells if cell.error), key=errors, default=None)


def make_groups(cells: Sequence[Cell]) -> list[Group]:
    """The groups of one subject's cells."""
    variants = list(dict.fromkeys(cell.variant for cell in cells))
    by_hand = [variant for variant in variants if not variant.automatic]
    label = {variant: variant.describe(by_hand) if len(by_hand) > 1 else "" for variant in variants}
    return [
        Group(
            cells[0].job.subject,
            variant,
            label[variant],
            [cell for cell in cells if cell.variant == variant or cell.variant.automatic],
        )
        for variant in by_hand or variants
    ]


# ---- Subjects


@final
@dataclass(frozen=True, eq=False)
class SubjectResult:
    """A benchmark or a problem file with its cells."""

    name: str
    # None for a problem file that this version cannot read
    bench: Bench | None
    cells: Sequence[Cell]

    @property
    def case(self) -> Case | None:
        """The benchmark; None for a problem file."""
        return None if self.bench is None else self.bench.case

    @property
    def title(self) -> str:
        """The title of the benchmark, or the name."""
        return self.name if self.case is None else self.case.title

    @cached_property
    def rows(self) -> list[Row]:
        """The solves that have ended."""
        return [row for cell in self.cells for row in cell.rows]

    @property
    def planned(self) -> int:
        """How many solves are planned."""
        return sum(cell.planned for cell in self.cells)

    @cached_property
    def measure(self) -> str:
        """What the errors are measured with."""
        found = {row.outcome.measure for row in self.rows if row.outcome.measure}
        return min(found) if found else "" if self.bench is None else self.bench.measure

    @cached_property
    def methods(self) -> list[str]:
        """Its methods."""
        return order_methods(cell.job.method for cell in self.cells)

    @cached_property
    def groups(self) -> list[Group]:
        """The cells in comparable groups."""
        return make_groups(self.cells)


# ---- Comparison with the paper


@final
@dataclass(frozen=True)
class Entry:
    """One line of a table: a cell, with the paper's result."""

    group: Group
    cell: Cell
    # shown only because its range is the paper's best, although another range is better here
    at_paper_range: bool = False
    # the paper's method that it is compared with; empty if there is none
    paper_method: str = ""
    paper: PaperResult | None = None

    @property
    def best_ratio(self) -> float | None:
        """Our best error over the paper's."""
        return None if self.paper is None or self.cell.error is None else self.cell.error.best / self.paper.best

    @property
    def mean_ratio(self) -> float | None:
        """Our mean error over the paper's."""
        return None if self.paper is None or self.cell.error is None else self.cell.error.mean / self.paper.mean


def paper_result(case: Case | None, method: str) -> tuple[str, PaperResult | None]:
    """The paper's method and result to compare with.

    It is the same method; for a shift along space alone, the shift in all directions; for the automatic solver, which
    is not in the paper, the paper's best method.
    """
    if case is None:
        return "", None
    if method == AUTOMATIC:
        return case.paper.best
    method = method.removesuffix("-space")
    return method, case.paper.results[method]


def entries(subject: SubjectResult) -> list[Entry]:
    """The lines of a subject's table: every method at its best range, and at the paper's if that is another."""
    found = []
    for number, group in enumerate(subject.groups):
        for method in group.methods:
            if number and method == AUTOMATIC:
                continue
            best = group.best(method)
            if best is None:
                continue
            name, paper = paper_result(subject.case, method)
            found.append(Entry(group, best, False, name, paper))
            at_paper_range = None if paper is None else group.at(method, paper.mu)
            if at_paper_range is not None and at_paper_range is not best and at_paper_range.error is not None:
                found.append(Entry(group, at_paper_range, True, name, paper))
    return found


def unlike_the_paper(case: Case | None, variant: Variant) -> str:
    """How a variant differs from the paper's setting, in words; empty if it does not."""
    if case is None or variant.automatic:
        return ""
    paper = Variant(case.paper.neurons, f"svd {case.paper.svd_tolerance:g}", "none")
    told = []
    for name in ("neurons", "least_squares", "scaling"):
        if getattr(variant, name) != getattr(paper, name):
            words = [Variant(**{name: getattr(one, name)}).word(name) for one in (variant, paper)]
            told.append(f"{words[0]} instead of {words[1]}")
    return "; ".join(told)


# ---- Failures and warnings


_NUMBER = re.compile(r"\d[\d.,]*(?:e[+-]?\d+)?")


@final
@dataclass(frozen=True)
class Trouble:
    """Solves whose messages are equal except for numbers."""

    # that of the first
    message: str
    rows: tuple[Row, ...]

    @property
    def subjects(self) -> list[str]:
        """The subjects of the solves."""
        return list(dict.fromkeys(row.job.subject for row in self.rows))

    @property
    def methods(self) -> list[str]:
        """The methods of the solves."""
        return order_methods(row.job.method for row in self.rows)


def failures(rows: Iterable[Row]) -> list[Trouble]:
    """The failed solves by reason, the most frequent first."""
    return _gather(row for row in rows if not row.done)


def warned(rows: Iterable[Row]) -> list[Trouble]:
    """The solves that ended with a warning, by its message."""
    return _gather(row for row in rows if row.done and row.outcome.message)


def _gather(rows: Iterable[Row]) -> list[Trouble]:
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[_NUMBER.sub("#", row.outcome.message)].append(row)
    troubles = [Trouble(same[0].outcome.message, tuple(same)) for same in found.values()]
    return sorted(troubles, key=lambda trouble: -len(trouble.rows))


# ---- The whole study


@final
@dataclass(frozen=True, eq=False)
class StudyResult:
    """The content of a store, in the order of the plan."""

    plan: Plan
    terms: Terms
    rows: Sequence[Row]
    # by digest
    environments: Mapping[str, Mapping[str, str]]
    subjects: Sequence[SubjectResult]

    @property
    def planned(self) -> int:
        """How many solves are planned."""
        return len(self.plan.jobs)

    @property
    def complete(self) -> bool:
        """Whether every solve has ended."""
        return len(self.rows) == self.planned

    @cached_property
    def failed(self) -> list[Row]:
        """The failed solves."""
        return [row for row in self.rows if not row.done]

    @cached_property
    def methods(self) -> list[str]:
        """Every method of the study."""
        return order_methods(method for subject in self.subjects for method in subject.methods)

    @cached_property
    def solves_on(self) -> Counter[str]:
        """How many solves ran in each environment."""
        return Counter(row.environment for row in self.rows)


def read_study(path: str | os.PathLike[str]) -> StudyResult:
    """Read a store; a run may be using it."""
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
        # a study of another version is still worth a report
        return None
