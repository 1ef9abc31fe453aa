"""Benchmarks, with the settings and results of the paper."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal, final

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike

from fspielm.arrays import FloatArray
from fspielm.basis.random.families import GFF, Family, FrequencyShift, Siren, Tanh
from fspielm.collocation.least_squares import TruncatedSVD
from fspielm.collocation.points import Points
from fspielm.errors import ProblemError
from fspielm.expr.functions import make_field
from fspielm.geometry.time import SpaceTime
from fspielm.problem.problem import Problem
from fspielm.solution.evaluation import regular_grid, relative_error
from fspielm.wording import did_you_mean

# ---- The settings and results of the paper


METHODS = ("tanh", "siren", "gff", "fs-l", "fs-g")
# The last two with the shift along space alone, which the heat equation needs.
SPACE_METHODS = ("fs-l-space", "fs-g-space")
_SCALING = {"tanh": Tanh, "siren": Siren, "gff": GFF}


@dataclass(frozen=True)
class PaperResult:
    """The paper's result of one method: at the best of its frequency ranges, over five seeds.

    Attributes
    ----------
    mu : (float, float)
        The range with the best error.
    best, mean, std : float
        Relative L2 errors over the seeds.
    seconds : float
        On the paper's machine.
    """

    mu: tuple[float, float]
    best: float
    mean: float
    std: float
    seconds: float


@dataclass(frozen=True)
class PaperSetting:
    """How the paper solves one benchmark.

    Attributes
    ----------
    neurons : int
    points : Points
    mu_min, mu_max : tuple of float
        The frequency ranges that it searches.
    results : mapping of method to PaperResult
    groups : int
        The number of groups of FS-PIELM-G.
    svd_tolerance : float
    """

    neurons: int
    points: Points
    mu_min: tuple[float, ...]
    mu_max: tuple[float, ...]
    results: Mapping[str, PaperResult]
    groups: int
    svd_tolerance: float

    @property
    def best(self) -> tuple[str, PaperResult]:
        """The method with the smallest error, and its result."""
        return min(self.results.items(), key=lambda found: found[1].best)

    def features(self, method: str, *, mu: tuple[float, float] | None = None, neurons: int | None = None) -> Family:
        """The features of a method (one of `METHODS`), by default at its best range and the paper's size."""
        check_method(method)
        mu = self.results[method].mu if mu is None else mu
        return make_features(method, self.neurons if neurons is None else neurons, mu, groups=self.groups)

    def settings(self, method: str) -> dict[str, Any]:
        """Keyword arguments with which `fspielm.solve` does what the paper does with this method."""
        return {
            "features": self.features(method),
            "points": self.points,
            "least_squares": TruncatedSVD(self.svd_tolerance),
            "scaling": "none",
        }


def make_features(method: str, neurons: int, mu: tuple[float, float], *, groups: int = 10) -> Family:
    """The features of a method, one of `METHODS` or `SPACE_METHODS`."""
    if method in _SCALING:
        return _SCALING[method](neurons, mu)
    shift: Literal["isotropic", "space"] = "space" if method in SPACE_METHODS else "isotropic"
    return FrequencyShift(neurons, mu, groups if method.startswith("fs-g") else None, shift)


def check_method(method: str) -> None:
    """Refuse an unknown method."""
    if method not in METHODS:
        hint = did_you_mean(method, METHODS)
        raise ProblemError(f"method must be one of {', '.join(METHODS)}; got {method!r}{hint}")


def paper_setting(name: str) -> PaperSetting:
    """The paper's setting for the benchmark called `name`."""
    data = _data()
    case = data["cases"][name]
    return PaperSetting(
        neurons=case["neurons"],
        points=Points(
            interior=case["interior"],
            boundary=case.get("boundary_per_edge"),
            boundary_total=case.get("boundary"),
            initial=case["initial"] or None,
        ),
        mu_min=tuple(case["mu_min"]),
        mu_max=tuple(case["mu_max"]),
        results={
            method: PaperResult((r["mu_min"], r["mu_max"]), r["best"], r["mean"], r["std"], r["seconds"])
            for method, r in case["results"].items()
        },
        groups=data["groups_for_fs_g"],
        svd_tolerance=data["svd_tolerance"],
    )


@cache
def _data() -> dict[str, Any]:
    text = files("fspielm.paper.cases").joinpath("paper.json").read_text(encoding="utf-8")
    content: dict[str, Any] = json.loads(text)
    return content


# ---- Benchmarks


@final
@dataclass(frozen=True, eq=False)
class Case:
    """One benchmark of the FS-PIELM paper: a problem, its exact solution, and the paper's results.

    Attributes
    ----------
    name, title : str
    problem : Problem
        Stated without the exact solution.
    exact : Expr
        The exact solution, for measuring only.
    paper : PaperSetting
        The paper's configuration and results.
    notes : str
        What was done where the paper leaves something open.
    time_slice : float or None
        The time of the paper's grid, for a problem in two space dimensions and time.
    """

    name: str
    title: str
    problem: Problem
    exact: sp.Expr
    paper: PaperSetting
    notes: str = ""
    time_slice: float | None = None

    def relative_error(self, solution: Callable[[FloatArray], ArrayLike]) -> float:
        """The paper's metric: relative L2 error on a 100 x 100 grid, without points outside the domain.

        In one dimension the grid has 10,000 points; in two space dimensions and time it lies at `time_slice`.
        """
        return self._error(solution, self.grid())

    def space_time_error(self, solution: Callable[[FloatArray], ArrayLike]) -> float:
        """Relative L2 error over all of space and time; the paper's metric if its grid is not a time slice."""
        return self._error(solution, regular_grid(self.problem.domain))

    def grid(self) -> FloatArray:
        """The points of the paper's metric, shape ``(n, d)``."""
        domain = self.problem.domain
        if self.time_slice is None or not isinstance(domain, SpaceTime):
            return regular_grid(domain)
        points = regular_grid(domain.space)
        return np.column_stack([points, np.full(len(points), self.time_slice)])

    def exact_values(self, points: FloatArray) -> FloatArray:
        """The exact solution at `points`."""
        return make_field(self.exact, self.problem.coordinates)(points)

    def _error(self, solution: Callable[[FloatArray], ArrayLike], points: FloatArray) -> float:
        return relative_error(solution, self.exact_values(points), points)
