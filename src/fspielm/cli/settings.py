"""From the options of ``fspielm solve`` to the keyword arguments of `fspielm.solve`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from fspielm.cases import METHODS, Case
from fspielm.cli.names import choose
from fspielm.errors import ProblemError
from fspielm.features import Family, FrequencyShift
from fspielm.linalg import QR, LeastSquares, TruncatedSVD
from fspielm.solvers import Budget

AUTOMATIC = "auto"


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
    seconds = Budget.seconds if options.seconds is None else options.seconds
    settings: dict[str, Any] = {"budget": Budget(options.neurons, seconds, threads=options.threads)}
    if options.tol is not None:
        settings["tol"] = options.tol
    if options.least_squares is not None:
        settings["least_squares"] = _least_squares(case, options.least_squares)
    if options.scaling is not None:
        settings["scaling"] = _scaling(options.scaling)
    return Choice(AUTOMATIC, options.least_squares or "qr", None, settings)


def _of_the_paper(case: Case, options: Options, method: str) -> Choice:
    for name in ("tol", "seconds"):
        if getattr(options, name) is not None:
            raise ProblemError(
                f"--{name} belongs to the automatic solver, and {method} solves once; leave out --{name} or --method"
            )
    least_squares = "svd" if options.least_squares is None else options.least_squares
    features = case.paper.features(method, mu=options.mu, neurons=options.neurons)
    settings = {
        "features": _shifted(features, method, "isotropic" if options.shift is None else options.shift),
        "points": case.paper.points,
        "least_squares": _least_squares(case, least_squares),
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


def _least_squares(case: Case, name: str) -> LeastSquares:
    name = choose("least-squares method", name, ("svd", "qr"))
    return QR() if name == "qr" else TruncatedSVD(case.paper.svd_tolerance)


def _scaling(name: str) -> str:
    return choose("scaling", name, ("none", "rms"))
