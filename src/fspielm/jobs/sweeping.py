"""sweep(): solve a problem for many values of its parameters."""

from __future__ import annotations

import os
import pickle
import sys
import warnings
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import sympy as sp

from fspielm.errors import AccuracyWarning, ProblemError, WorkersWarning
from fspielm.jobs.engines.cluster import Cluster
from fspielm.jobs.engines.engine import Ended, Engine, Here, Processes, Task
from fspielm.jobs.job import FAILED, Outcome, Row, Terms
from fspielm.jobs.running import check_workers, opened_store, record_all
from fspielm.jobs.store import Store
from fspielm.jobs.subject import Subject
from fspielm.jobs.sweep_plan import (
    Grid,
    Measure,
    Sweeper,
    SweepPlan,
    check_measure,
    decode,
    digest_of,
    digest_of_measure,
    read_grid,
)
from fspielm.problem.problem import Problem
from fspielm.resources import available_threads
from fspielm.solution.export.arrays import check_xarray
from fspielm.solvers.request import Budget, offering
from fspielm.solvers.solve import check_settings
from fspielm.version import __version__

if TYPE_CHECKING:
    import xarray


# ---- Terms and engines of a sweep


_NAME = "sweep"


def terms_for(budget: Budget, tol: float, workers: int | None) -> Terms:
    """The terms of every row: its part of the memory, and one thread unless the budget has more."""
    threads = budget.threads or 1
    at_once = workers or max(available_threads() // threads, 1)
    share = budget.memory_limit if budget.memory is not None else budget.memory_limit / at_once
    return Terms(threads, budget.memory_limit, share, budget.seconds, tol)


def choose_engine(
    sweeper: Sweeper, threads: int, rows: int, workers: int | None, scheduler: str | None
) -> tuple[Engine, Subject]:
    """The engine for so many rows, and the sweep as a subject for it."""
    pickled = _pickled(sweeper)
    if isinstance(pickled, Exception):
        remedy = "" if find_spec("cloudpickle") else ' or install what sends them: pip install "fspielm[cluster]"'
        told = (
            f"the problem or its measure cannot be sent to other processes ({pickled}); write them as functions of a "
            f"module{remedy}"
        )
        if scheduler is not None or (workers or 1) > 1:
            raise ProblemError(told)
        warnings.warn(f"{told}; all rows are solved one after the other, in this process", WorkersWarning, stacklevel=4)
        return Here(sweeper), Subject(_NAME)
    subject = Subject(_NAME, pickled=pickled)
    if scheduler is not None:
        return Cluster(threads, scheduler), subject
    count = workers or max(available_threads() // threads, 1)
    return Processes(min(count, rows), threads), subject


def _pickled(sweeper: Sweeper) -> str | Exception:
    """A sweep for another process; functions without a module need cloudpickle, which comes with Dask."""
    pickler: Any = import_module("cloudpickle") if find_spec("cloudpickle") else pickle
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # picklers look up names in every loaded module
            return b64encode(pickler.dumps(sweeper)).decode("ascii")
    except Exception as error:  # an object of the user's may raise anything
        return error


# ---- sweep()


Progress: TypeAlias = Callable[[int, int, str], None]


@offering(lambda rows: rows, "rows")
def sweep(
    problem: Problem,
    values: Mapping[sp.Symbol, Any],
    *,
    measure: Measure | None = None,
    keep: str | os.PathLike[str] | None = None,
    tol: float = 1e-8,
    budget: Budget | None = None,
    rng: int = 0,
    workers: int | None = None,
    scheduler: str | None = None,
    retry_failed: bool = False,
    progress: bool | Progress | None = None,
) -> xarray.Dataset:
    """Solve a problem for many values of its parameters, and measure the solutions.

    Every combination of the values is a row, solved with its own error estimate and verdict. A row begins with the kind
    and the number of functions that served the row before, so that most rows take a single round. Several processes
    work at once. Rows are stored as they end: after a kill, or an interrupt by Ctrl-C, the same call continues the
    sweep.

    Parameters
    ----------
    problem : Problem
        With the parameters as symbols. Values that it gives to them are ignored.
    values : mapping
        From each parameter to its values, as in ``{k: np.linspace(1, 9, 200)}``.
    measure : callable, optional
        What to store of a `Solution`: a number or an array, real or complex, or a dict of them by name. By default the
        root mean square, on an open domain that of the total field in the window. If it raises, the row is stored as
        failed, with the reason.
    keep : path, optional
        The file that stores the rows. Without it they are lost if the sweep does not end.
    tol : float
        Relative L2 error of each solution, by its estimate.
    budget : Budget, optional
        Of each row. One thread each by default.
    rng : int
        Seed of features and points.
    workers : int, optional
        Processes on this machine; by default one a core.
    scheduler : str, optional
        Address of a Dask scheduler whose workers solve instead.
    retry_failed : bool
        Whether failed rows are tried again.
    progress : bool or callable, optional
        True writes a line to standard error after each row; a callable gets the number of rows that have ended, their
        total number, and the line.

    Returns
    -------
    xarray.Dataset
        Over the parameters: what was measured, ``error_estimate``, ``converged``, ``status``, ``message``,
        ``seconds``. An `AccuracyWarning` is given if rows failed or miss the tolerance.

    Raises
    ------
    ProblemError
        If an argument is wrong, a parameter does not occur, or the file belongs to another sweep.
    SolveInterrupted
        After Ctrl-C; its `rows` are such a dataset, with the status "missing" for rows that have not ended.
    """
    check_xarray()
    if not isinstance(problem, Problem):
        raise ProblemError(f"problem must be an fs.Problem; got {problem!r}")
    parameters, grid = read_grid(problem, values)
    check_settings(tol, budget)
    if isinstance(rng, bool) or not isinstance(rng, int | np.integer) or rng < 0:
        raise ProblemError(f"rng must be a whole number for a sweep, so that it can be resumed; got {rng!r}")
    check_workers(workers, scheduler)
    measured = check_measure(measure)
    limits = budget or Budget()
    sweeper = Sweeper(problem, parameters, grid, measured, limits.neurons)
    plan = SweepPlan(grid, digest_of(problem, parameters), digest_of_measure(measured), float(tol), int(rng))
    facts = {"source": f"fspielm {__version__}", "problem": repr(problem), "tol": plan.tol, "rng": plan.seed}
    ended: list[Row] = []
    with ExitStack() as stack:
        so_far = offering(lambda _: _as_dataset(grid, _of_one_shape(ended), plan.tol, facts) if ended else None)
        stack.enter_context(so_far)
        place = Path(stack.enter_context(TemporaryDirectory()), "sweep.db") if keep is None else Path(keep)
        terms_of, check = partial(terms_for, limits, float(tol), workers), partial(_check_same, plan)
        store = stack.enter_context(opened_store(place, plan, terms_of, check, retry_failed=retry_failed))
        missing, terms = store.missing(), store.terms
        ended += store.rows()
        if missing:
            engine, subject = choose_engine(sweeper, terms.threads, len(missing), workers, scheduler)
            stack.enter_context(engine)
            tasks = (Task(job, subject, terms, terms.share) for job in missing)
            record_all(store, engine, tasks, ends=_reporter(progress, len(plan.jobs), ended))
        rows = _of_one_shape(store.rows())
    dataset = _as_dataset(grid, rows, plan.tol, facts)
    _warn(rows, plan.tol)
    return dataset


def _check_same(plan: SweepPlan, store: Store) -> None:
    found = plan.differences(store.content)
    if found:
        raise ProblemError(
            f"keep={str(store.path)!r} is the file of another sweep, with {', '.join(found)}; name another file, or "
            "remove this one"
        )


def _reporter(progress: Any, total: int, rows: list[Row]) -> Callable[[Ended], None]:
    """A function that adds a row that has ended to `rows`, and reports it."""
    if progress is not None and not isinstance(progress, bool) and not callable(progress):
        raise ProblemError(f"progress must be True, or a callable that receives each row; got {progress!r}")

    def report(ended: Ended) -> None:
        outcome, label = ended.outcome, ended.task.job.subject
        rows.append(Row(ended.task.job, outcome))
        done = len(rows)
        how = f"error {_estimate(outcome):.1e}" if not outcome.message else outcome.message
        line = f"{done} of {total}: {label}: {how}, {outcome.seconds:.1f} s"
        if callable(progress):
            progress(done, total, line)
        elif progress:
            sys.stderr.write(f"{line}\n")
            sys.stderr.flush()

    return report


def _estimate(outcome: Outcome) -> float:
    """The error estimate, which is stored as None if it is infinite."""
    return np.inf if outcome.error_estimate is None else outcome.error_estimate


def _warn(rows: list[Row], tol: float) -> None:
    failed = [row for row in rows if not row.done]
    missed = [row for row in rows if row.done and not _estimate(row.outcome) <= tol]
    for some, what in ((failed, "failed"), (missed, f"have error estimates above {tol:g}")):
        if some:
            first = some[0]
            warnings.warn(
                f"{len(some)} of {len(rows)} rows {what}, the first at {first.job.subject}: {first.outcome.message}",
                AccuracyWarning,
                stacklevel=4,
            )


def _of_one_shape(rows: Sequence[Row]) -> list[Row]:
    """The rows; those whose measured arrays differ in shape from those of the first row become failures."""
    shapes: dict[str, list[int]] = {}
    found = []
    for row in rows:
        own = {name: encoded["shape"] for name, encoded in (row.outcome.measured if row.done else {}).items()}
        shapes = {**own, **shapes}
        odd = [name for name in own if own[name] != shapes[name]]
        if not odd:
            found.append(row)
            continue
        why = (
            f"measure gave {odd[0]} of shape {tuple(own[odd[0]])} where the first row has {tuple(shapes[odd[0]])}; "
            "arrays must have one shape in all rows"
        )
        found.append(replace(row, outcome=replace(row.outcome, status=FAILED, message=why)))
    return found


def _as_dataset(grid: Grid, rows: Sequence[Row], tol: float, facts: Mapping[str, Any]) -> xarray.Dataset:
    """The rows as arrays over the parameters; NaN if a row failed or is missing."""
    import xarray

    shape = grid.shape
    places = {label: np.unravel_index(place, shape) for place, label in enumerate(grid.rows)}
    estimates = np.full(shape, np.nan)
    seconds = np.full(shape, np.nan)
    status = np.full(shape, "missing", dtype=object)
    message = np.full(shape, "", dtype=object)
    for row in rows:
        place = places[row.job.subject]
        outcome = row.outcome
        estimates[place] = _estimate(outcome) if row.done else np.nan
        seconds[place], status[place], message[place] = outcome.seconds, outcome.status, outcome.message
    over = tuple(grid.names)
    found = _quantities(grid, rows, places) | {
        "error_estimate": (over, estimates, {"long_name": "estimate of the relative L2 error"}),
        "converged": (over, estimates <= tol),
        "status": (over, status.astype(str)),
        "message": (over, message.astype(str)),
        "seconds": (over, seconds, {"units": "s"}),
    }
    coordinates = {name: np.array(values) for name, values in zip(grid.names, grid.values, strict=True)}
    return xarray.Dataset(found, coordinates, dict(facts))


def _quantities(grid: Grid, rows: Sequence[Row], places: Mapping[str, Any]) -> dict[str, Any]:
    """Each quantity as an array over the parameters, followed by the axes of the quantity itself."""
    done = [row for row in rows if row.done]
    found: dict[str, Any] = {}
    for name in dict.fromkeys(name for row in done for name in row.outcome.measured):
        values = {row.job.subject: decode(row.outcome.measured[name]) for row in done if name in row.outcome.measured}
        shape = next(iter(values.values())).shape
        kind = np.result_type(*values.values())
        array = np.full((*grid.shape, *shape), np.nan, dtype=kind)
        for label, value in values.items():
            array[places[label]] = value
        found[name] = ((*grid.names, *(f"{name}_{axis}" for axis in range(len(shape)))), array)
    return found
