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
from typing import Any, Protocol, final

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
    """What solves and measures jobs by itself, one after the other in one process."""

    def perform(self, job: Job, terms: Terms) -> Outcome:
        """Do one; what goes wrong is an outcome too."""


@final
@dataclass(frozen=True)
class Subject:
    """A benchmark by name, a problem file by its text, or a sweep: all that it takes to solve and measure it elsewhere.

    Attributes
    ----------
    name : str
    text : str
        The problem file; empty for a benchmark.
    reference : str
        Values of a reference solution on the measuring grid, as base64; empty if there is none.
    pickled : str
        What performs jobs by itself (`Performer`), pickled, as base64; empty for all others.
    """

    name: str
    text: str = ""
    reference: str = ""
    pickled: str = ""

    @cached_property
    def digest(self) -> str:
        """What tells two subjects apart."""
        return hashlib.sha256(json.dumps(self.as_dict(), sort_keys=True).encode()).hexdigest()[:16]

    def as_dict(self) -> dict[str, str]:
        """The subject as JSON takes it."""
        content = {"name": self.name, "text": self.text, "reference": self.reference}
        return content | {"pickled": self.pickled} if self.pickled else content

    @classmethod
    def from_dict(cls, content: dict[str, str]) -> Subject:
        """The subject that `as_dict` gave."""
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

        Its text is the problem written anew: complete, whatever other files the file names, and the same after a
        change of comments, of the title, or of the settings of a single solve, none of which matter to a study.

        Parameters
        ----------
        path : path
            A problem file; if it knows its exact solution, that is the measure.
        name : str
            How plans and reports call it; the file's name without its ending by default.
        reference : Solution or path, optional
            A solution to measure with, or the file it was saved to.

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
        """The same, measured with `solution`, which must solve a problem on the same domain."""
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
        """What performs its jobs by itself, as it was when the run began."""
        made: Performer = pickle.loads(b64decode(self.pickled))
        return made

    def open(self) -> Bench:
        """The problem, ready to be solved and measured."""
        if not self.text:
            return _case_bench(cases.load(self.name))
        file = read_problem_file(self.text)
        if self.reference:
            values = np.frombuffer(b64decode(self.reference), dtype="<f8")
            return Bench(file.problem, REFERENCE, _measure(file.problem, values))
        if file.exact is None:
            return Bench(file.problem, ESTIMATE, None)
        return Bench(file.problem, EXACT, file.relative_error)


@final
@dataclass(frozen=True, eq=False)
class Bench:
    """A problem with its measure.

    Attributes
    ----------
    problem : Problem
    measure : {"exact", "reference", "estimate"}
    relative_error : callable or None
        The error of a solution; None where nothing is known to compare with.
    case : Case or None
        The benchmark it is.
    """

    problem: Problem
    measure: str
    relative_error: Callable[[Function], float] | None
    case: Case | None = None

    def points(self, neurons: int) -> Points:
        """Collocation points for so many neurons: the paper's, in proportion; else in the paper's usual proportion."""
        if self.case is None:
            return points_for(self.problem, neurons)
        paper = self.case.paper
        return (
            paper.points if neurons == paper.neurons else _scaled(paper.points, neurons / paper.neurons, self.problem)
        )

    def space_time_error(self, solution: Function) -> float | None:
        """The error over all of space and time, where the paper's grid is a slice."""
        if self.case is None or self.case.time_slice is None:
            return None
        return self.case.space_time_error(solution)


def _case_bench(case: Case) -> Bench:
    return Bench(case.problem, EXACT, case.relative_error, case)


def _measure(problem: Problem, values: Any) -> Callable[[Function], float]:
    points = regular_grid(problem.domain)
    return lambda solution: relative_error(solution, values, points)


def _scaled(points: Points, factor: float, problem: Problem) -> Points:
    # of the boundary in all: one for each of its conditions, also where it is two points
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
