"""``fspielm study``."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from threading import Lock
from time import perf_counter
from typing import Annotated, Any

import typer
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from fspielm import study
from fspielm.cli.check import new_plan
from fspielm.cli.entry import FAILED, Interrupted
from fspielm.cli.options import OldSeed, choose
from fspielm.cli.output import WIDTH, headed_table
from fspielm.cli.progress import working
from fspielm.disk import check_place
from fspielm.errors import ProblemError
from fspielm.jobs.engines.engine import Ended, Task
from fspielm.jobs.job import ALL_METHODS, ESTIMATE, Job, Row
from fspielm.jobs.plan import Plan, builtin_plan, builtin_plans
from fspielm.jobs.plan_file import read_plan
from fspielm.jobs.progress import Progress
from fspielm.jobs.running import is_running, run
from fspielm.jobs.store import SUFFIX, Store
from fspielm.jobs.table import read_table
from fspielm.paper import theory
from fspielm.paper.theory.comparison import SAMPLES
from fspielm.wording import duration

# ---- The progress of a study, in 80 columns


_HEADING = "best error so far"
_NAME = 28  # largest width of a subject's name
_COLUMN = 10  # width of an error, with the space before it
_SHOWN = 4  # how many running solves and reasons of failures are listed


def draw_running(progress: Progress, name: str) -> RenderableType:
    """A run: its progress, what is running, the time left, the best errors."""
    left = progress.time_left()
    facts = {"running": _running(progress), "time left": "unknown as yet" if left is None else duration(left)}
    return _draw(progress, name, facts)


def draw_summary(progress: Progress, name: str) -> RenderableType:
    """A study from its store: its progress, the work left, the best errors."""
    facts = {}
    if progress.finished < progress.total:
        work = progress.work_left()
        facts["work left"] = f"{duration(work)}, shared by its workers" if work is not None else "unknown"
    if progress.last_ended:
        ago = (datetime.now(UTC) - datetime.fromisoformat(progress.last_ended)).total_seconds()
        # stored times are in whole seconds
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
    ended = Text(f"{progress.finished} of {progress.total} ended")
    head.add_row(ProgressBar(progress.total, progress.finished, WIDTH // 2), ended)
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
    """The best error of each subject with each method; methods that do not fit go into further tables."""
    subjects = list(dict.fromkeys(subject for subject, _ in progress.cells))
    methods = [method for method in ALL_METHODS if any(cell[1] == method for cell in progress.cells)]
    width = max(len(_HEADING), *(min(len(subject), _NAME) for subject in subjects))
    fit = (WIDTH - width) // _COLUMN
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


# ---- The display of a run: a live table on a terminal, else a line now and then


# A line after so many seconds, or after this share of the study.
_LINE_SECONDS = 10.0
_LINE_SHARE = 0.05


def read_progress(store: Path) -> Progress:
    """The progress of the study in a store."""
    with Store.open(store, read_only=True) as study:
        return Progress(study.plan.jobs, study.rows())


class Watch:
    """Follows a run, and calls `show` after every change.

    It reads the store when the first solve begins or ends, which then holds the solves of earlier runs.
    """

    def __init__(self, store: Path, name: str, show: Callable[[Progress], None] = lambda progress: None) -> None:
        self._store, self._name, self._show = store, name, show
        self._progress: Progress | None = None
        # the display has a thread of its own
        self._lock = Lock()

    def start(self, task: Task) -> None:
        """Note that a solve begins."""
        with self._lock:
            progress = self._read()
            progress.started(task.job)
            self._show(progress)

    def end(self, ended: Ended) -> None:
        """Note that a solve has ended; without a beginning if no host has enough memory."""
        with self._lock:
            progress = self._read()
            progress.ended(Row(ended.task.job, ended.outcome))
            self._show(progress)

    def _read(self) -> Progress:
        if self._progress is None:
            self._progress = read_progress(self._store)
        return self._progress

    def screen(self) -> RenderableType:
        """The live table as it is now."""
        with self._lock:
            if self._progress is None:
                return Text(f"starting {self._name} ...")
            return draw_running(self._progress, self._name)


class _Lines:
    """Prints lines now and then, for a log."""

    def __init__(self, console: Console, clock: Callable[[], float] = perf_counter) -> None:
        self._console, self._clock = console, clock
        self._last = -float("inf")
        self._shown = 0

    def show(self, progress: Progress) -> None:
        if progress.finished and not progress.running:
            return  # between two solves: the next line says more
        since = self._clock() - self._last
        news = progress.finished - self._shown
        if since >= _LINE_SECONDS or news >= max(_LINE_SHARE * progress.total, 1):
            self._last, self._shown = self._clock(), progress.finished
            self._console.print(draw_line(progress), markup=False, highlight=False, soft_wrap=True)


@contextmanager
def watching(store: Path, name: str) -> Iterator[Watch]:
    """Show a run on stderr; gives a `Watch`, which is called as solves begin and end."""
    console = Console(stderr=True)
    if not console.is_terminal:
        lines = _Lines(console)
        with ExitStack() as starting:
            starting.enter_context(working(f"starting {name}"))

            def show(progress: Progress) -> None:
                starting.close()
                lines.show(progress)

            yield Watch(store, name, show)
        return
    watch = Watch(store, name)
    with Live(console=console, transient=True, get_renderable=watch.screen):
        yield watch


# ---- ``fspielm study run``


def run_study(
    plan: Annotated[
        str, typer.Argument(metavar="PLAN", help="A name that 'fspielm study plans' lists, or a plan file.")
    ],
    store: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where the study is kept.", show_default="the plan's name, .db"),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="So many solves at once, on this machine.", show_default="1"),
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Solve on a Dask cluster, as in tcp://host:8786.")
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Of every solve; part of the plan.", show_default="as planned, or 1"),
    ] = None,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Solve again what failed.")] = False,
    continue_from: Annotated[
        Path | None, typer.Option("--from", metavar="CSV", help="Take over what 'fspielm study export' wrote.")
    ] = None,
) -> None:
    """Run a study, or go on with one that was stopped.

    Every solve is on the disk as it ends. A study can be stopped or killed at any instant; the same command goes on,
    and repeats nothing that has ended. A solve that fails is kept with its reason, and the study goes on.

    Exit code: 0 when all solves have ended, 1 if every one of them failed or the study cannot be stored, 2 for wrong
    input, 130 when interrupted.

    Example: fspielm study run quick --workers 2
    """
    if workers is not None and scheduler is not None:
        raise ProblemError("--workers are of this machine and --scheduler has its own; give one of the two")
    chosen = _read_plan(plan)
    if threads is not None:
        chosen = replace(chosen, threads=threads)
    place = _default_store(chosen) if store is None else store
    check_place(place)
    if continue_from is not None:
        known = read_table(chosen, continue_from)
        print(f"{continue_from} has {len(known.rows)} of the {len(chosen.jobs)} solves.")
    given = {
        "workers": workers,
        "scheduler": scheduler,
        "retry_failed": retry_failed or None,
        "continue_from": continue_from,
    }
    _run(chosen, place, {name: value for name, value in given.items() if value is not None})
    progress = read_progress(place)
    Console(highlight=False).print(draw_summary(progress, chosen.name))
    print(f"\nStudy: {place}. Next: fspielm study report {place}")
    if progress.failed == progress.total:
        raise typer.Exit(FAILED)


def _run(plan: Plan, store: Path, options: dict[str, Any]) -> None:
    try:
        with watching(store, plan.name) as watch:
            run(plan, store, **options, starts=watch.start, ends=watch.end)
    except Interrupted as stop:
        if store.is_file():
            progress = read_progress(store)
            safe = f"{progress.finished} of {progress.total} solves are safe in {store}"
            stop.add_note(f"{safe}; the same command goes on")
        raise


def _read_plan(name: str) -> Plan:
    known = list(builtin_plans())
    if name.endswith(SUFFIX) and Path(name).is_file():
        raise ProblemError(f"{name} is a store; the plan comes first, as in: fspielm study run PLAN --store {name}")
    if name not in known and (name.lower().endswith(".toml") or Path(name).exists()):
        return read_plan(Path(name))
    return builtin_plan(choose("plan", name, known))


def _default_store(plan: Plan) -> Path:
    name = f"{plan.name}{SUFFIX}"
    if Path(name).name != name or not name.isprintable():
        raise ProblemError(f"the plan's name {plan.name!r} cannot be that of a file; say where with --store")
    return Path(name)


# ---- The other commands of ``fspielm study``


study_app = typer.Typer(
    help="Run parameter studies: planned, stored, resumed, reported.",
    epilog="Start with 'fspielm study run quick', or your own: 'fspielm study new'.",
    rich_markup_mode=None,
)


@study_app.callback(invoke_without_command=True)
def _without_a_command(context: typer.Context) -> None:
    """Run parameter studies: planned, stored, resumed, reported."""
    if context.invoked_subcommand is None:
        print(context.get_help())


@study_app.command("plans")
def list_plans() -> None:
    """List the built-in plans, their solves and their purpose.

    Example: fspielm study plans; then fspielm study run quick
    """
    table = headed_table()
    table.add_column("plan", style="bold", no_wrap=True)
    table.add_column("solves", justify="right", no_wrap=True)
    table.add_column("purpose")
    for name, purpose in study.builtin_plans().items():
        table.add_row(name, str(len(study.builtin_plan(name).jobs)), purpose)
    Console().print(table)


study_app.command("new")(new_plan)
study_app.command("run")(run_study)


@study_app.command("status")
def show_status(
    store: Annotated[Path, typer.Argument(metavar="STORE", help="A study, as 'fspielm study run' keeps it.")],
) -> None:
    """Show how far a study is.

    What has ended and failed, what is left, and the best error of each method. Nothing is changed, and the
    study may be running.

    Example: fspielm study status quick.db
    """
    with study.Store.open(store, read_only=True) as kept:
        name = kept.plan.name
    progress = read_progress(store)
    Console(highlight=False).print(draw_summary(progress, name))
    if progress.finished < progress.total and not is_running(store):
        print(f"\nNo run is working on it; 'fspielm study run PLAN --store {store}' goes on.")


@study_app.command("report")
def report_study(
    store: Annotated[Path, typer.Argument(metavar="STORE", help="A study, finished or not.")],
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the report goes.")] = Path("report"),
) -> None:
    """Write the tables and figures of a study, and a page of them.

    The folder appears, or is replaced, once everything is finished.

    Example: fspielm study report quick.db --out report
    """
    with working(f"reporting {store}") as show:
        page = study.write_report(store, out, progress=lambda step, done, total: show(f"{step} ({done} of {total})"))
    print(f"Report: {page}")


@study_app.command("export")
def export_study(
    store: Annotated[Path, typer.Argument(metavar="STORE", help="A study, finished or not.")],
    out: Annotated[
        list[Path], typer.Option("--out", metavar="FILE", help="Where the table goes, .csv; again for more.")
    ],
) -> None:
    """Write the solves of a study as a table, one row each.

    Beside it, .origin.json tells what they are of and ran on. 'fspielm study run --from' goes on from the two.

    Example: fspielm study export quick.db --out quick.csv
    """
    with working(f"exporting {store}"):
        for path in out:
            study.export_csv(store, path)
    for path in out:
        print(f"Table: {path}")


@study_app.command("theory")
def write_theory_page(
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where tables and figures go.")] = Path("theory"),
    samples: Annotated[int, typer.Option(metavar="N", help="Frequencies drawn for each statistic.")] = SAMPLES,
    rng: Annotated[int, typer.Option(min=0, metavar="N", help="Seed of the samples.")] = 0,
    seed: OldSeed = None,
) -> None:
    """Check the paper's theorems on effective frequencies.

    Means and variances of the frequency norms under scaling and shift, for 1 to 5 coordinates: exact, drawn, and as
    the paper approximates them; and where they differ, by how much.

    Example: fspielm study theory --out theory
    """
    with working("drawing frequencies") as show:
        steps = count(1)

        def ends() -> None:
            step = next(steps)
            if step % math.ceil(_LINE_SHARE * theory.STEPS) == 0:
                show(f"step {step} of {theory.STEPS}")

        theory.write_theory(out, rng=rng, samples=samples, ends=ends)
    print(f"Theory: {out / 'theory.md'}")
