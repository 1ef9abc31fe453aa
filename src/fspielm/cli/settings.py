"""From the options of ``fspielm solve`` to the keyword arguments of `fspielm.solve`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from fspielm.cases import METHODS, Case
from fspielm.cli.names import choose
from fspielm.errors import ProblemError
from fspielm.features import Family, FrequencyShift
from fspielm.linalg import QR, LeastSquares, TruncatedSVD
from fspielm.solvers import APPROACHES, Budget

AUTOMATIC = "auto"
_SVD_TOLERANCE = 1e-12


@dataclass(frozen=True)
class Options:
    """What was typed; None where nothing was."""

    method: str | None = None
    tol: float | None = None
    mu: tuple[float, float] | None = None
    neurons: int | None = None
    seconds: float | None = None
    shift: str | None = None
    least_squares: str | None = None
    scaling: str | None = None
    threads: int | None = None
    approach: str | None = None


@dataclass(frozen=True)
class Choice:
    """How a benchmark is going to be solved.

    Attributes
    ----------
    method : str
        One of the paper's methods, or `AUTOMATIC`.
    least_squares : str
        Its short name.
    mu : (float, float) or None
        Range of frequencies of a method of the paper.
    settings : dict
        Keyword arguments of `fspielm.solve`.
    """

    method: str
    least_squares: str
    mu: tuple[float, float] | None
    settings: dict[str, Any]

    @property
    def is_automatic(self) -> bool:
        """Whether the solver chooses the features."""
        return self.method == AUTOMATIC


def read_options(case: Case, options: Options) -> Choice:
    """Check the options, and complete them: as in the paper with a method of the paper, automatically without."""
    if options.neurons is not None and options.neurons < 1:
        raise ProblemError(f"neurons must be at least 1; got {options.neurons}")
    if options.method in (None, AUTOMATIC):
        return _automatic(case, options)
    return _of_the_paper(case, options, choose("method", str(options.method), METHODS))


def _automatic(case: Case, options: Options) -> Choice:
    for name in ("mu", "shift"):
        if getattr(options, name) is not None:
            raise ProblemError(
                f"--{name} belongs to the paper's methods; add --method with one of them ({', '.join(METHODS)})"
            )
    settings = {"budget": _budget(options, Budget())} | _automatics(options, case.paper.svd_tolerance)
    return Choice(AUTOMATIC, options.least_squares or "qr", None, settings)


def file_settings(options: Options, budget: Budget) -> dict[str, Any]:
    """The keyword arguments of `fspielm.solve` that the options add to those of a problem file."""
    for name in ("method", "mu", "shift"):
        if getattr(options, name) not in (None, AUTOMATIC):
            raise ProblemError(
                f"--{name} belongs to the benchmarks, which the paper solves with it; leave it out for a problem file"
            )
    return {"budget": _budget(options, budget)} | _automatics(options, _SVD_TOLERANCE)


def _budget(options: Options, budget: Budget) -> Budget:
    limits = {name: getattr(options, name) for name in ("neurons", "seconds", "threads")}
    return replace(budget, **{name: limit for name, limit in limits.items() if limit is not None})


def _automatics(options: Options, svd_tolerance: float) -> dict[str, Any]:
    settings: dict[str, Any] = {} if options.tol is None else {"tol": options.tol}
    if options.least_squares is not None:
        settings["least_squares"] = _least_squares(options.least_squares, svd_tolerance)
    if options.scaling is not None:
        settings["scaling"] = _scaling(options.scaling)
    if options.approach is not None:
        settings["approach"] = choose("approach", options.approach, APPROACHES)
    return settings


def _of_the_paper(case: Case, options: Options, method: str) -> Choice:
    for name in ("tol", "seconds", "approach"):
        if getattr(options, name) is not None:
            raise ProblemError(
                f"--{name} belongs to the automatic solver, and {method} solves once; leave out --{name} or --method"
            )
    least_squares = "svd" if options.least_squares is None else options.least_squares
    features = case.paper.features(method, mu=options.mu, neurons=options.neurons)
    settings = {
        "features": _shifted(features, method, "isotropic" if options.shift is None else options.shift),
        "points": case.paper.points,
        "least_squares": _least_squares(least_squares, case.paper.svd_tolerance),
        "scaling": _scaling("none" if options.scaling is None else options.scaling),
        "budget": Budget(threads=options.threads),
    }
    return Choice(method, least_squares, options.mu or case.paper.results[method].mu, settings)


def _shifted(features: Family, method: str, shift: str) -> Family:
    shift = choose("shift", shift, ("isotropic", "space"))
    if shift == "isotropic":
        return features
    if not isinstance(features, FrequencyShift):
        raise ProblemError(f"--shift goes with the methods fs-l and fs-g; the method is {method}")
    return replace(features, shift="space")


def _least_squares(name: str, svd_tolerance: float) -> LeastSquares:
    name = choose("least-squares method", name, ("svd", "qr"))
    return QR() if name == "qr" else TruncatedSVD(svd_tolerance)


def _scaling(name: str) -> str:
    return choose("scaling", name, ("none", "rms"))
