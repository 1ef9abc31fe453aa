"""What a study solves, and what its solutions are measured with."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Protocol, final

import numpy as np
from numpy.typing import ArrayLike

from fspielm.arrays import FloatArray
from fspielm.collocation.points import Points, points_for
from fspielm.errors import ProblemError
from fspielm.files.read import read_problem_file
from fspielm.files.saved import load
from fspielm.files.write import write_problem
from fspielm.jobs.job import ESTIMATE, EXACT, REFERENCE, Job, Outcome, Terms
from fspielm.paper.cases import catalogue as cases
from fspielm.paper.cases.case import Case
from fspielm.problem.problem import Problem
from fspielm.solution.evaluation import regular_grid, relative_error
from fspielm.solution.solution import Solution

Function = Callable[[FloatArray], ArrayLike]


class Performer(Protocol):
    """Solves and measures jobs in its own way, one after the other in one process."""

    def perform(self, job: Job, terms: Terms) -> Outcome:
        """Do one job; a failure is an outcome too."""


@final
@dataclass(frozen=True)
class Subject:
    """A benchmark, a problem file or a sweep, with all that another process needs to solve and measure it.

    Attributes
    ----------
    name : str
    text : str
        The problem file; empty for a benchmark.
    reference : str
        Values of a reference solution on the measuring grid, in base64; empty if there is none.
    pickled : str
        A pickled `Performer`, in base64; empty for benchmarks and problem files.
    """

    name: str
    text: str = ""
    reference: str = ""
    pickled: str = ""

    @cached_property
    def digest(self) -> str:
        """A hash of the content."""
        return hashlib.sha256(json.dumps(self.as_dict(), sort_keys=True).encode()).hexdigest()[:16]

    def as_dict(self) -> dict[str, str]:
        """The subject as plain values for JSON."""
        content = {"name": self.name, "text": self.text, "reference": self.reference}
        return content | {"pickled": self.pickled} if self.pickled else content

    @classmethod
    def from_dict(cls, content: dict[str, str]) -> Subject:
        """The inverse of `as_dict`."""
        return cls(**content)

    @classmethod
    def from_file(
        cls,
        path: str | os.PathLike[str],
        *,
        name: str = "",
        reference: Solution | str | os.PathLike[str] | None = None,
    ) -> Subject:
        """The problem of a file.

        Its text is the problem written anew. It needs no other files, and does not change with comments, the title or
        the settings of a single solve, which do not matter to a study.

        Parameters
        ----------
        path : path
            A problem file; errors are measured against its exact solution, if it has one.
        name : str
            The name in plans and reports; by default the file's name without its suffix.
        reference : Solution or path, optional
            A reference solution, or the file it was saved to.

        Raises
        ------
        ProblemError
            For whatever cannot be read, with its place in the file.
        """
        file = read_problem_file(Path(path))
        subject = cls(name or Path(path).stem, write_problem(file.problem, exact=file.exact))
        if reference is None:
            return subject
        return subject.with_reference(reference if isinstance(reference, Solution) else load(reference))

    def with_reference(self, solution: Solution) -> Subject:
        """The same subject with a reference solution, of a problem on the same domain."""
        domain = self.open().problem.domain
        if solution.problem.dimension != domain.dimension:
            raise ProblemError(
                f"{self.name}: the reference solution has {solution.problem.dimension} coordinates, "
                f"the problem {domain.dimension}"
            )
        points = regular_grid(domain)
        if not np.all(solution.problem.domain.contains(points)):
            raise ProblemError(f"{self.name}: the reference solution's domain does not cover that of the problem")
        values = np.asarray(solution(points, outside="extend"), dtype="<f8")
        return replace(self, reference=b64encode(values.tobytes()).decode("ascii"))

    def unpickled(self) -> Performer:
        """The performer, as it was when the run began."""
        made: Performer = pickle.loads(b64decode(self.pickled))
        return made

    def open(self) -> Bench:
        """The problem, ready to be solved and measured."""
        if not self.text:
            case = cases.load(self.name)
            return Bench(case.problem, EXACT, case.relative_error, case)
        file = read_problem_file(self.text)
        if self.reference:
            values = np.frombuffer(b64decode(self.reference), dtype="<f8")
            points = regular_grid(file.problem.domain)
            return Bench(file.problem, REFERENCE, lambda solution: relative_error(solution, values, points))
        if file.exact is None:
            return Bench(file.problem, ESTIMATE, None)
        return Bench(file.problem, EXACT, file.relative_error)


@final
@dataclass(frozen=True, eq=False)
class Bench:
    """A problem with its measure."""

    problem: Problem
    # "exact", "reference" or "estimate"
    measure: str
    # of a solution; None if there is no exact or reference solution
    relative_error: Callable[[Function], float] | None
    # the benchmark, if it is one
    case: Case | None = None

    def points(self, neurons: int) -> Points:
        """Collocation points for so many neurons: of a benchmark the paper's, scaled to that number."""
        if self.case is None:
            return points_for(self.problem, neurons)
        paper = self.case.paper
        if neurons == paper.neurons:
            return paper.points
        return _scaled(paper.points, neurons / paper.neurons, self.problem)

    def space_time_error(self, solution: Function) -> float | None:
        """The error over all of space and time, where the paper's grid is a time slice."""
        if self.case is None or self.case.time_slice is None:
            return None
        return self.case.space_time_error(solution)


def _scaled(points: Points, factor: float, problem: Problem) -> Points:
    # `boundary_total` needs at least one point for each condition
    conditions = len(points.counts(problem)) - 1

    def scale(count: int | None, least: int = 1) -> int | None:
        return None if count is None else max(round(count * factor), least)

    assert not isinstance(points.boundary, dict)
    return Points(
        interior=max(round(points.interior * factor), 1),
        boundary=scale(points.boundary),  # type: ignore[arg-type]
        boundary_total=scale(points.boundary_total, conditions),
        initial=scale(points.initial),
    )
