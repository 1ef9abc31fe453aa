"""Groups of options, and their translation to arguments of the library."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from difflib import get_close_matches
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, get_type_hints

import typer

import fspielm.resources as blas
from fspielm.basis.random.families import Family, FrequencyShift
from fspielm.collocation.least_squares import QR, LeastSquares, TruncatedSVD
from fspielm.errors import ProblemError
from fspielm.paper.cases.case import METHODS, Case
from fspielm.resources import read_size
from fspielm.solvers.request import APPROACHES, Budget

# ---- Names


def choose(kind: str, name: str, choices: Sequence[str]) -> str:
    """`name` if it is one of `choices`; otherwise raise an error with the nearest of them, or all."""
    if name in choices:
        return name
    near = nearest(name, choices)
    remedy = f"did you mean {' or '.join(near)}?" if near else f"choose from {', '.join(choices)}"
    raise ProblemError(f"unknown {kind} {name!r}; {remedy}")


def nearest(name: str, choices: Sequence[str], most: int = 3) -> list[str]:
    """The choices that contain `name`, or else those with a similar spelling; nearest first."""
    wanted = name.strip().lower()
    containing = [choice for choice in choices if wanted and (wanted in choice or choice in wanted)]
    return containing[:most] or get_close_matches(wanted, choices, most, 0.5)


# ---- Groups of options, declared as the fields of a dataclass


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """`command` for Typer: each parameter that is a dataclass is replaced by its fields."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}
    shown: list[Parameter] = []
    for name, parameter in signature(command).parameters.items():
        if name in groups:
            kinds = get_type_hints(groups[name], include_extras=True)
            shown += [_keyword(field.name, kinds[field.name], field.default) for field in fields(groups[name])]
        else:
            shown.append(_keyword(name, hints[name], parameter.default))

    @wraps(command)
    def flat(**given: Any) -> None:
        for name, kind in groups.items():
            given[name] = kind(**{field.name: given.pop(field.name) for field in fields(kind)})
        command(**given)

    flat.__signature__ = Signature(shown)  # type: ignore[attr-defined]
    flat.__annotations__ = {parameter.name: parameter.annotation for parameter in shown}
    return flat


def _keyword(name: str, kind: Any, default: Any) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def refuse(options: Any, names: Sequence[str], reason: str) -> None:
    """Refuse options that were given, each with the same reason."""
    for name in names:
        if getattr(options, name) not in (None, AUTOMATIC):
            raise ProblemError(f"--{name.replace('_', '-')} {reason}")


def optional(metavar: str, text: str, default: str, **more: Any) -> Any:
    """An option that is None if left out; `default` says what happens then."""
    return typer.Option(metavar=metavar, help=text, show_default=default, **more)


def _refuse(value: str | None) -> None:
    if value is not None:
        raise ProblemError(f"--seed is called --rng now, as the argument of fs.solve is; write --rng {value}")


Seconds = Annotated[float | None, optional("S", "End by then, with the best answer found.", "600")]
Rng = Annotated[int | None, optional("N", "Seed of functions and points.", "0", min=0)]
Threads = Annotated[int | None, optional("N", "Threads to use.", "all cores")]
OldSeed = Annotated[str | None, typer.Option("--seed", hidden=True, callback=_refuse)]


# ---- The options of ``fspielm solve``, and the keyword arguments of `fspielm.solve`


AUTOMATIC = "auto"
SCALINGS = ("none", "rms")


@dataclass(frozen=True)
class Options:
    """The options as typed; None if left out."""

    tol: Annotated[float | None, optional("X", "Relative L2 error to reach.", "1e-8")] = None
    neurons: Annotated[int | None, optional("N", "At most so many functions; with --method, so many.", "as needed")] = (
        None
    )
    seconds: Seconds = None
    memory: Annotated[
        str | None, optional("SIZE", "At most so much, such as 500MB or 4GiB.", "60% of all there is")
    ] = None
    method: Annotated[str | None, optional("NAME", f"As the paper: {', '.join(METHODS)}.", "automatic")] = None
    mu: Annotated[
        tuple[float, float] | None,
        optional("LOW HIGH", "With --method: range of frequencies.", "the paper's best"),
    ] = None
    shift: Annotated[
        str | None,
        optional("NAME", "With --method fs-l or fs-g: shift isotropic, or space but not time.", "isotropic"),
    ] = None
    least_squares: Annotated[
        str | None,
        optional("NAME", "svd truncates at 1e-12, as the paper; qr does not truncate.", "qr, or svd with --method"),
    ] = None
    scaling: Annotated[
        str | None,
        optional("NAME", "Rows: none, or rms to give every block the same size.", "rms, or none with --method"),
    ] = None
    approach: Annotated[
        str | None, optional("NAME", f"Kind of functions: {', '.join(APPROACHES)}.", "the cheapest")
    ] = None
    rng: Rng = None
    threads: Threads = None


@dataclass(frozen=True)
class Choice:
    """How to solve a benchmark."""

    # one of the paper's, or `AUTOMATIC`
    method: str
    least_squares: str
    # of a method of the paper
    mu: tuple[float, float] | None
    # keyword arguments of `fspielm.solve`
    settings: dict[str, Any]

    @property
    def is_automatic(self) -> bool:
        """Whether the solver chooses the features."""
        return self.method == AUTOMATIC


def read_options(case: Case, options: Options) -> Choice:
    """Check and complete the options: with a method as in the paper, without one automatically."""
    if options.neurons is not None and options.neurons < 1:
        raise ProblemError(f"neurons must be at least 1; got {options.neurons}")
    if options.method in (None, AUTOMATIC):
        return _automatic(case, options)
    return _of_the_paper(case, options, choose("method", str(options.method), METHODS))


def _automatic(case: Case, options: Options) -> Choice:
    belongs = f"belongs to the paper's methods; add --method with one of them ({', '.join(METHODS)})"
    refuse(options, ("mu", "shift"), belongs)
    settings = {"budget": _budget(options, Budget())} | _automatics(options, case.paper.svd_tolerance)
    return Choice(AUTOMATIC, options.least_squares or "qr", None, settings)


def file_settings(options: Options, budget: Budget) -> dict[str, Any]:
    """The keyword arguments of `fspielm.solve` that the options add to a problem file's."""
    belongs = "belongs to the benchmarks, which the paper solves with it; leave it out for a problem file"
    refuse(options, ("method", "mu", "shift"), belongs)
    return {"budget": _budget(options, budget)} | _automatics(options, TruncatedSVD().tol)


def _budget(options: Options, budget: Budget) -> Budget:
    limits: dict[str, Any] = {name: getattr(options, name) for name in ("neurons", "seconds", "threads")}
    if options.memory is not None:
        limits["memory"] = read_size(options.memory)
        if limits["memory"] is None:
            raise ProblemError(
                f"--memory must be a number of bytes, or one such as 500MB or 4GiB; got {options.memory!r}"
            )
    return replace(budget, **{name: limit for name, limit in limits.items() if limit is not None})


def limit_blas(threads: int | None) -> None:
    """Limit the threads of the linear algebra library too, or print that this is not possible."""
    if threads is not None and not blas.set_threads(threads):
        typer.echo(
            "fspielm: note: the linear algebra library keeps its own number of threads; "
            "set OMP_NUM_THREADS before starting",
            err=True,
        )


def _automatics(options: Options, svd_tolerance: float) -> dict[str, Any]:
    settings: dict[str, Any] = {} if options.tol is None else {"tol": options.tol}
    if options.least_squares is not None:
        settings["least_squares"] = _least_squares(options.least_squares, svd_tolerance)
    if options.scaling is not None:
        settings["scaling"] = choose("scaling", options.scaling, SCALINGS)
    if options.approach is not None:
        settings["approach"] = choose("approach", options.approach, APPROACHES)
    return settings


def _of_the_paper(case: Case, options: Options, method: str) -> Choice:
    belongs = f"belongs to the automatic solver, and {method} solves once; leave it out, or --method"
    refuse(options, ("tol", "seconds", "approach"), belongs)
    least_squares = "svd" if options.least_squares is None else options.least_squares
    features = case.paper.features(method, mu=options.mu, neurons=options.neurons)
    settings = {
        "features": _shifted(features, method, "isotropic" if options.shift is None else options.shift),
        "points": case.paper.points,
        "least_squares": _least_squares(least_squares, case.paper.svd_tolerance),
        "scaling": choose("scaling", options.scaling or "none", SCALINGS),
        "budget": replace(_budget(options, Budget()), neurons=None),
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
