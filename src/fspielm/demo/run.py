"""One benchmark, or one problem file, solved and measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar, final

import numpy as np

from fspielm.cases import Case
from fspielm.files import ProblemFile
from fspielm.solution import Solution
from fspielm.solution.pictures import plot_comparison
from fspielm.solvers import solve
from fspielm.solvers.so_far import offering

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Run = TypeVar("Run")


@final
@dataclass(frozen=True, eq=False)
class CaseRun:
    """A benchmark with a solution of it and its errors.

    Attributes
    ----------
    case : Case
    solution : Solution
    relative_error : float
        The paper's metric.
    space_time_error : float or None
        Over the whole domain, for a case whose paper's metric is a time slice.
    seconds : float
        Time of the solve, all its rounds; measuring and drawing not included.
    """

    case: Case
    solution: Solution
    relative_error: float
    space_time_error: float | None
    seconds: float

    @property
    def phases(self) -> dict[str, float]:
        """Seconds of each phase of the round that gave the solution, and of all the rest together."""
        return _phases(self.solution, self.seconds)

    @property
    def widths(self) -> dict[str, float] | None:
        """Highest frequency of the features along each axis; None if the features were chosen by hand."""
        return self.solution.report.widths

    @property
    def paper_best(self) -> tuple[str, float]:
        """The paper's best method for this case, and its error."""
        return paper_best(self.case)


@final
@dataclass(frozen=True, eq=False)
class FileRun:
    """A problem file with a solution of it, and its error where the file knows the exact solution.

    Attributes
    ----------
    file : ProblemFile
    solution : Solution
    relative_error : float or None
        Of several unknowns the largest.
    seconds : float
        As for `CaseRun`.
    """

    file: ProblemFile
    solution: Solution
    relative_error: float | None
    seconds: float

    @property
    def phases(self) -> dict[str, float]:
        """As for `CaseRun`."""
        return _phases(self.solution, self.seconds)


def _phases(solution: Solution, seconds: float) -> dict[str, float]:
    phases = dict(solution.report.seconds)
    return phases | {"other": seconds - sum(phases.values())}


def paper_best(case: Case) -> tuple[str, float]:
    """The method with the smallest error that the paper prints for a case, and that error."""
    return min(((method, result.best) for method, result in case.paper.results.items()), key=lambda r: r[1])


def run_case(case: Case, settings: Mapping[str, Any], *, rng: int | np.random.Generator | None = None) -> CaseRun:
    """Solve a benchmark with `settings` (keyword arguments of `fspielm.solve`) and measure the error."""

    def measured(solution: Solution, seconds: float) -> CaseRun:
        return CaseRun(
            case,
            solution,
            relative_error=case.relative_error(solution),
            space_time_error=None if case.time_slice is None else case.space_time_error(solution),
            seconds=seconds,
        )

    return _run(lambda: solve(case.problem, **settings, rng=rng), measured)


def run_file(file: ProblemFile, settings: Mapping[str, Any]) -> FileRun:
    """Solve the problem of a file, with `settings` beside those of the file, and measure the error."""

    def measured(solution: Solution, seconds: float) -> FileRun:
        return FileRun(file, solution, None if file.exact is None else file.relative_error(solution), seconds)

    return _run(lambda: file.solve(**settings), measured)


def _run(solving: Callable[[], Solution], measured: Callable[[Solution, float], Run]) -> Run:
    """Solve and measure; meanwhile, the best so far is offered."""
    begun = perf_counter()
    with offering(lambda found: None if found is None else measured(found, perf_counter() - begun)):
        solution = solving()
    return measured(solution, perf_counter() - begun)


def draw_run(run: CaseRun | FileRun, title: str | None = None) -> Figure:
    """The solution and its pointwise error; for a benchmark at the time of the paper's metric, where it has one."""
    if isinstance(run, CaseRun):
        return plot_comparison(run.solution, run.case.exact, time=run.case.time_slice, title=title)
    if run.file.exact is None:
        return run.solution.plot(title=title)
    exact = run.file.exact if isinstance(run.file.exact, Mapping) else run.file.exact_values
    return plot_comparison(run.solution, exact, title=title)
