"""What is measured of a solution, as JSON takes it and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from fspielm.arrays import FloatArray, NumberArray
from fspielm.errors import ProblemError, SolveError
from fspielm.geometry import Domain
from fspielm.geometry.sampling import kronecker
from fspielm.solution import Solution

Measure: TypeAlias = Callable[[Solution], Any]

# How a quantity without a name is called; and what rows have besides.
PLAIN = "value"
RESERVED = ("error_estimate", "converged", "status", "message", "seconds")

# How many points of a window tell the size of a field.
_POINTS = 10_000


def size(solution: Solution) -> dict[str, Any]:
    """What is measured where nothing else was asked for: the root mean square of each unknown.

    Where a field comes in, that of the total field in the window: reports tell that of what objects add to it.
    """
    problem, fields = solution.problem, solution.report.fields
    if problem.statement.incident is not None:
        points = _in_window(problem.domain)
        sizes = np.sqrt(np.mean(np.abs(solution(points, outside="extend").reshape(len(points), -1)) ** 2, axis=0))
        names = ["size"] if len(sizes) == 1 else [f"size_{name}" for name in problem.names]
        return dict(zip(names, sizes, strict=True))
    if not fields:
        return {"size": solution.report.scale}
    return {f"size_{name}": own.scale for name, own in fields.items()}


def _in_window(domain: Domain) -> FloatArray:
    """Points all over what the window shows of an open domain, shape ``(n, d)``."""
    lower, upper = domain.bounding_box
    points = lower + (upper - lower) * kronecker(_POINTS, domain.dimension)
    return points[domain.contains(points)]


def take(measure: Measure, solution: Solution) -> dict[str, Any]:
    """What a measure gives for a solution: one quantity, or several by name, as lists of numbers.

    Raises
    ------
    SolveError
        If it raises, or gives no numbers.
    """
    try:
        given = measure(solution)
    except Exception as error:
        raise SolveError(f"measure raised {type(error).__name__}: {error}") from error
    named = given if isinstance(given, Mapping) else {PLAIN: given}
    return {_name(name): _encode(str(name), value) for name, value in named.items()}


def decode(encoded: Mapping[str, Any]) -> NumberArray:
    """The numbers of a quantity."""
    values: NumberArray = np.array(encoded["real"], dtype=float)
    if "imag" in encoded:
        values = values + 1j * np.array(encoded["imag"], dtype=float)
    return values.reshape(encoded["shape"])


def _name(name: Any) -> str:
    if not isinstance(name, str) or not name or name in RESERVED:
        raise SolveError(f"measure must name its quantities by texts other than {', '.join(RESERVED)}; got {name!r}")
    return name


def _encode(name: str, value: Any) -> dict[str, Any]:
    try:
        array = np.asarray(value)
        if any(one is None for one in array.flat):  # which would be NaN
            raise TypeError
        array = array.astype(complex if array.dtype.kind == "c" else float)
    except (TypeError, ValueError):
        raise SolveError(f"measure must give numbers or arrays of them; {name} is {value!r}") from None
    encoded: dict[str, Any] = {"shape": list(array.shape), "real": array.real.ravel().tolist()}
    return encoded | {"imag": array.imag.ravel().tolist()} if array.dtype.kind == "c" else encoded


def check_measure(measure: Any) -> Measure:
    """The `measure` of a sweep."""
    if measure is None:
        return size
    if not callable(measure):
        raise ProblemError(f"measure must be a function of a solution, as in lambda solution: ...; got {measure!r}")
    checked: Measure = measure
    return checked
