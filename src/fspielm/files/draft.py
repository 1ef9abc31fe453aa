"""What a problem file states: the parts as drafted, and the complete problem with its settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, final

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike
from sympy.core.function import AppliedUndef

from fspielm.arrays import FloatArray, NumberArray
from fspielm.errors import ProblemError
from fspielm.expr.functions import make_field
from fspielm.files.conditions import expressions_in
from fspielm.files.names import Names
from fspielm.geometry.domain import Domain
from fspielm.problem.places import Region
from fspielm.problem.problem import Problem
from fspielm.problem.scattering.incident import Incident
from fspielm.problem.setting import Setting, Unknown
from fspielm.problem.statement import AnyCondition, Statement, regions_of
from fspielm.problem.substitutions import read_givens
from fspielm.problem.typeset import problem_align
from fspielm.solution.evaluation import regular_grid, relative_error
from fspielm.solution.solution import Solution
from fspielm.solvers.request import Approach, Budget
from fspielm.solvers.solve import solve


@final
@dataclass(frozen=True, eq=False)
class ProblemFile:
    """The content of a problem file.

    Attributes
    ----------
    problem : Problem
    title : str
    tol : float
    rng : int or None
    budget : Budget
    exact : Expr, mapping of str to Expr or None
        A known solution, for a system by the names of unknowns; only for measuring, no solver sees it.
    approach : str or None
        The kind of functions to solve with; by default the cheapest.
    guess : Expr, mapping of str to Expr or None
        The start of Newton's method; for a system by the names of unknowns.
    plot, table : Path or None
        Where to write a picture of the solution, and a table of its values.
    fixed : frozenset of str
        Parameters that the domain is written with: other values of them do not change it.
    """

    problem: Problem
    title: str = ""
    tol: float = 1e-8
    rng: int | None = None
    budget: Budget = field(default_factory=Budget)
    exact: sp.Expr | Mapping[str, sp.Expr] | None = None
    approach: Approach | None = None
    guess: sp.Expr | Mapping[str, sp.Expr] | None = None
    plot: Path | None = None
    table: Path | None = None
    fixed: frozenset[str] = frozenset()

    def solve(self, **settings: Any) -> Solution:
        """Solve the problem as the file says; `settings`, keyword arguments of `fspielm.solve`, take precedence."""
        stated = {name: getattr(self, name) for name in ("tol", "budget", "rng", "approach", "guess")}
        return solve(self.problem, **stated | settings)

    def relative_error(self, solution: Callable[[FloatArray], ArrayLike]) -> float:
        """Relative L2 error against the known solution on a grid over space and time; the largest of all unknowns."""
        return max(self.relative_errors(solution).values())

    def relative_errors(self, solution: Callable[[FloatArray], ArrayLike]) -> dict[str, float]:
        """The same by the name of each unknown with a known solution, relative to that."""
        points = regular_grid(self.problem.domain)
        names = [unknown.symbol.func.__name__ for unknown in self.problem.unknowns]
        if not isinstance(self.exact, Mapping):
            return {names[0]: relative_error(solution, self.exact_values(points), points)}
        found = np.asarray(solution(points)).reshape(len(points), -1)
        return {name: self._field_error(name, found, points) for name in self.exact}

    def exact_values(self, points: FloatArray, unknown: str = "") -> NumberArray:
        """The known solution at `points` ``(n, d)``, for a system of one unknown; shape ``(n,)``."""
        exact = self.exact.get(unknown) if isinstance(self.exact, Mapping) else self.exact
        if exact is None:
            of = f" of {unknown}" * bool(unknown)
            raise ProblemError(f'the problem file has no [reference]{of} to measure with; add exact = "..." there')
        return make_field(exact, self.problem.coordinates, what="exact").checked(points, "exact")

    def _field_error(self, name: str, found: NumberArray, points: FloatArray) -> float:
        column = found[:, self.problem.place(name)]
        return relative_error(lambda _: column, self.exact_values(points, name), points)


@dataclass(frozen=True, eq=False)
class ProblemDraft:
    """The parts of a problem, each read by itself; `problem_file` checks whether they fit together."""

    # the file's name; empty for a text without a file
    source: str
    names: Names
    equations: tuple[sp.Basic, ...]
    domain: Domain
    conditions: tuple[AnyCondition, ...]
    incident: Incident | None
    # the other fields of the `ProblemFile`
    settings: dict[str, Any]

    def problem_file(self) -> ProblemFile:
        """The problem and its settings; refused if the parts do not make a problem that can be solved."""
        equations = self.equations[0] if len(self.equations) == 1 else self.equations
        try:
            problem = Problem(equations, self.domain, self.conditions, self._given, self._order, self.incident)
        except ProblemError as error:
            raise ProblemError(f"{self.source}: {error}" if self.source else str(error)) from None
        return ProblemFile(problem, **self.settings)

    def by_place(self) -> dict[str, list[AnyCondition]]:
        """The conditions on each part of the boundary or a piece of it, at the start of time, and inside.

        Parts without a condition are listed, too; parts that do not exist are not.
        """
        self._check_dimension()
        parts = self.domain.boundary([str(symbol) for symbol in self.coordinates])
        setting = Setting(self.unknowns, read_givens(self._given), self.domain, parts)
        places: dict[str, list[AnyCondition]] = {part.name: [] for part in parts}
        time = self.domain.time
        start = "" if time is None else f"{self.coordinates[-1]} = {time.start:g}"
        if start:
            places[start] = []
        for condition, regions in zip(
            self.conditions, regions_of(self.conditions, setting, _existing_regions), strict=True
        ):
            for name in dict.fromkeys(name for region in regions for name in _places(region, start)):
                places.setdefault(name, []).append(condition)
        return places

    def latex(self) -> str:
        """The problem for a paper, in LaTeX with amsmath."""
        self._check_dimension()
        return problem_align(self, self.names.parameters)

    @property
    def unknowns(self) -> tuple[Unknown, ...]:
        """What is solved for."""
        return tuple(Unknown(symbol, self.domain) for symbol in self.names.unknowns)

    @property
    def coordinates(self) -> tuple[sp.Symbol, ...]:
        """The arguments of the unknowns."""
        return self.names.coordinates

    @property
    def statement(self) -> Statement:
        """The statement that a problem would be made from."""
        stated = Statement(self.equations, self.domain, self.conditions, self._given, self._order)
        return replace(stated, incident=self.incident)

    def _check_dimension(self) -> None:
        if len(self.coordinates) != self.domain.dimension:
            self.problem_file()  # raises an error that says what is wrong

    @property
    def _given(self) -> dict[sp.Expr, Any]:
        written = [*self.equations, *(e for c in self.conditions for e in c.expressions)]
        return self.names.given([*written, *expressions_in(self.incident)])

    @property
    def _order(self) -> tuple[AppliedUndef, ...] | None:
        """The unknowns of a system, in the order of the file."""
        return self.names.unknowns if len(self.names.unknowns) > 1 else None


def _places(region: Region, start: str) -> list[str]:
    return [part.name for part in region.parts] or [start if region.kind == "start" else "inside"]


def _existing_regions(condition: AnyCondition, setting: Setting) -> list[Region]:
    """Where a condition holds, without parts that do not exist."""
    on = getattr(condition, "on", None)
    each = [replace(condition, on=name) for name in on] if isinstance(on, tuple) else [condition]  # type: ignore[type-var]
    regions = []
    for one in each:
        with suppress(ProblemError):
            regions += one.regions(setting)
    return regions
