"""How far a study is, drawn for 80 columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from fspielm.cli.tables import headed_table
from fspielm.study import Job, Progress
from fspielm.study.job import ALL_METHODS
from fspielm.study.outcome import ESTIMATE
from fspielm.wording import duration

_WIDTH = 80
_BAR = 40
_HEADING = "best error so far"
_NAME = 28  # of a subject, at most
_COLUMN = 10  # of an error, with the space before it
_SHOWN = 4  # of the solves that are running, and of the reasons for failures


def draw_running(progress: Progress, name: str) -> RenderableType:
    """A run: how far, what is running, the time left, the best errors."""
    left = progress.time_left()
    facts = {"running": _running(progress), "time left": "unknown as yet" if left is None else duration(left)}
    return _draw(progress, name, facts)


def draw_summary(progress: Progress, name: str) -> RenderableType:
    """A study from its store: how far, the work left, the best errors."""
    facts = {}
    if progress.finished < progress.total:
        work = progress.work_left()
        facts["work left"] = f"{duration(work)}, shared by its workers" if work is not None else "unknown"
    if progress.last_ended:
        ago = (datetime.now(UTC) - datetime.fromisoformat(progress.last_ended)).total_seconds()
        # it was stored to the second
        facts["last solve" if "work left" in facts else "finished"] = "just now" if ago < 2 else f"{duration(ago)} ago"
    return _draw(progress, name, facts)


def draw_line(progress: Progress) -> str:
    """A run in one line."""
    failed = f", {progress.failed} failed" if progress.failed else ""
    left = progress.time_left()
    time = "" if left is None else f", {duration(left)} left"
    now = "".join(f", at {job.subject} {job.method}" for job, _ in progress.running[-1:])
    return f"{progress.finished} of {progress.total} ended{failed}{time}{now}"


def _draw(progress: Progress, name: str, facts: dict[str, str]) -> RenderableType:
    head = Table.grid(padding=(0, 2))
    head.add_row(
        ProgressBar(progress.total, progress.finished, _BAR), Text(f"{progress.finished} of {progress.total} ended")
    )
    body = Table.grid(padding=(0, 2))
    body.add_column(no_wrap=True)
    body.add_column(overflow="fold")
    body.add_row(Text("solves"), head)
    for label, fact in {**facts, "failed": _failures(progress)}.items():
        if fact:
            body.add_row(Text(label), Text(fact))
    return Group(Text(name, style="bold"), body, *_tables(progress))


def _running(progress: Progress) -> str:
    solves = [f"{_describe(job)} ({duration(seconds)})" for job, seconds in progress.running]
    more = [f"and {len(solves) - _SHOWN} more"] if len(solves) > _SHOWN else []
    return "\n".join([*solves[:_SHOWN], *more]) or "nothing"


def _describe(job: Job) -> str:
    mu = "" if job.mu is None else f" {job.mu[0]:g}..{job.mu[1]:g}"
    neurons = "" if job.neurons is None else f", {job.neurons} neurons"
    return f"{job.subject} {job.method}{mu}{neurons}, seed {job.seed}"


def _failures(progress: Progress) -> str:
    if not progress.failures:
        return ""
    reasons = Counter(row.outcome.message for row in progress.failures).most_common()
    lines = [f"{count} times: {reason}" if count > 1 else f"once: {reason}" for reason, count in reasons[:_SHOWN]]
    others = sum(count for _, count in reasons[_SHOWN:])
    return "\n".join([*lines, *([f"{others} for other reasons"] if others else [])])


def _tables(progress: Progress) -> Iterator[RenderableType]:
    """The best error of each subject with each method; more methods than fit side by side go below."""
    subjects = list(dict.fromkeys(subject for subject, _ in progress.cells))
    methods = [method for method in ALL_METHODS if any(cell[1] == method for cell in progress.cells)]
    width = max(len(_HEADING), *(min(len(subject), _NAME) for subject in subjects))
    fit = (_WIDTH - width) // _COLUMN
    for start in range(0, len(methods), fit):
        yield Text("")
        yield _table(progress, subjects, methods[start : start + fit])
    if any(row.outcome.measure == ESTIMATE for row in progress.best.values()):
        yield Text("~ estimated by the solver: nothing is known to compare with", style="dim")


def _table(progress: Progress, subjects: Sequence[str], methods: Sequence[str]) -> Table:
    table = headed_table()
    table.add_column(_HEADING, overflow="fold", max_width=_NAME)
    for method in methods:
        table.add_column(method.replace("-space", "\nin space"), justify="right", no_wrap=True, min_width=_COLUMN - 3)
    for subject in subjects:
        if any((subject, method) in progress.cells for method in methods):
            table.add_row(Text(subject), *(_cell(progress, (subject, method)) for method in methods))
    return table


def _cell(progress: Progress, cell: tuple[str, str]) -> Text:
    if cell not in progress.cells:
        return Text("")
    if cell in progress.best:
        outcome = progress.best[cell].outcome
        error = "inf" if outcome.error is None else f"{outcome.error:.1e}"
        return Text(f"~{error}" if outcome.measure == ESTIMATE else error)
    return Text("failed", style="red") if progress.is_hopeless(cell) else Text("-", style="dim")
