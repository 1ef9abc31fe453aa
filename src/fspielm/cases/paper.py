"""The FS-PIELM paper's settings and results, as data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from fspielm.collocation import Points
from fspielm.errors import ProblemError
from fspielm.features import GFF, Family, FrequencyShift, Siren, Tanh
from fspielm.linalg import TruncatedSVD
from fspielm.wording import did_you_mean

METHODS = ("tanh", "siren", "gff", "fs-l", "fs-g")
# The shift of the two last along space alone, which the heat equation needs.
SPACE_METHODS = ("fs-l-space", "fs-g-space")
_SCALING = {"tanh": Tanh, "siren": Siren, "gff": GFF}


@dataclass(frozen=True)
class PaperResult:
    """What the paper reports for one method: the best of its frequency ranges, over five seeds.

    Attributes
    ----------
    mu : (float, float)
        The range that gave the best error.
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
        The grid of frequency ranges it searches.
    results : mapping of method to PaperResult
    groups : int
        Groups of FS-PIELM-G.
    svd_tolerance : float
    """

    neurons: int
    points: Points
    mu_min: tuple[float, ...]
    mu_max: tuple[float, ...]
    results: Mapping[str, PaperResult]
    groups: int
    svd_tolerance: float

    def features(self, method: str, *, mu: tuple[float, float] | None = None, neurons: int | None = None) -> Family:
        """The features of a method (one of `METHODS`), by default at its best range and the paper's size."""
        check_method(method)
        mu = self.results[method].mu if mu is None else mu
        return make_features(method, self.neurons if neurons is None else neurons, mu, groups=self.groups)

    def settings(self, method: str) -> dict[str, Any]:
        """Keyword arguments that make `fspielm.solve` do what the paper does with this method."""
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
    """Refuse an unknown method by name."""
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
    text = files("fspielm.cases").joinpath("paper.json").read_text(encoding="utf-8")
    content: dict[str, Any] = json.loads(text)
    return content
