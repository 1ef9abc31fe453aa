"""What a sweep solves and measures."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, is_dataclass
from dis import get_instructions
from functools import cached_property, partial
from itertools import product
from time import perf_counter
from types import CodeType, FunctionType, MethodType
from typing import Any, TypeAlias, final

import numpy as np
import sympy as sp

from fspielm.arrays import FloatArray, NumberArray
from fspielm.errors import ProblemError, SolveError
from fspielm.geometry.domain import Domain
from fspielm.jobs.job import AUTOMATIC, ESTIMATE, MOST_SOLVES, Job, Outcome, Terms
from fspielm.jobs.perform import outcome_from, outcome_of
from fspielm.numerics.sampling import kronecker
from fspielm.problem.parameters import check_parameter, need_values
from fspielm.problem.problem import Problem
from fspielm.solution.solution import Solution
from fspielm.solvers.request import Budget
from fspielm.solvers.solve import Series

# ---- The values of the parameters


Number: TypeAlias = int | float


@final
@dataclass(frozen=True)
class Grid:
    """Every combination of the values of some parameters; the last parameter varies fastest."""

    names: tuple[str, ...]
    # of each parameter
    values: tuple[tuple[Number, ...], ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """How many values each parameter has."""
        return tuple(map(len, self.values))

    @cached_property
    def rows(self) -> dict[str, tuple[Number, ...]]:
        """The values of every row, by its label, in order."""
        return {self._label(row): row for row in product(*self.values)}

    def _label(self, row: tuple[Number, ...]) -> str:
        return ", ".join(f"{name}={value!r}" for name, value in zip(self.names, row, strict=True))


def read_grid(problem: Problem, values: Any) -> tuple[tuple[sp.Symbol, ...], Grid]:
    """Check `values`, and give the parameters of a sweep with the grid of their values."""
    if not isinstance(values, Mapping) or not values:
        raise ProblemError(
            f"values must be a mapping from parameters to their values, as in {{k: [1, 2]}}; got {values!r}"
        )
    for symbol in values:
        check_parameter(symbol, problem.parameters, problem.coordinates)
    left = tuple(symbol for symbol in problem.open_symbols if symbol not in values)
    if left:
        raise ProblemError(need_values(problem, left))
    grid = Grid(tuple(map(str, values)), tuple(_numbers(str(name), some) for name, some in values.items()))
    if math.prod(grid.shape) > MOST_SOLVES:
        raise ProblemError(f"a sweep has at most {MOST_SOLVES} rows; got {math.prod(grid.shape)}: make several of it")
    return tuple(values), grid


def _numbers(name: str, values: Any) -> tuple[Number, ...]:
    try:
        array = np.atleast_1d(np.asarray(values))
    except ValueError:
        array = np.array(["?"])
    if array.size == 0:
        raise ProblemError(f"values of {name} are empty; give at least one number")
    if array.ndim != 1 or array.dtype.kind not in "iuf":
        raise ProblemError(f"values of {name} must be real numbers in a row, as in [1, 2.5] or np.linspace(1, 9, 5)")
    if not np.all(np.isfinite(array)):
        raise ProblemError(f"values of {name} must be finite; got {array[~np.isfinite(array)][0]}")
    numbers: tuple[Number, ...] = tuple(array.tolist())
    twice = [value for value in numbers if numbers.count(value) > 1] if len(set(numbers)) < len(numbers) else []
    if twice:
        raise ProblemError(f"values of {name} have {twice[0]!r} more than once; every row is solved once")
    return numbers


# ---- Measuring a solution; the numbers as JSON and back


Measure: TypeAlias = Callable[[Solution], Any]

# The name of a quantity without a name; and the other columns of rows.
PLAIN = "value"
RESERVED = ("error_estimate", "converged", "status", "message", "seconds")


# In a window, to measure the size of a field.
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


def apply_measure(measure: Measure, solution: Solution) -> dict[str, Any]:
    """Apply a measure to a solution: its quantities by name, as lists of numbers; a SolveError if that fails."""
    try:
        given = measure(solution)
    except Exception as error:
        raise SolveError(f"measure raised {type(error).__name__}: {error}") from error
    named = given if isinstance(given, Mapping) else {PLAIN: given}
    return {_checked_name(name): _encode(str(name), value) for name, value in named.items()}


def decode(encoded: Mapping[str, Any]) -> NumberArray:
    """The numbers of a quantity."""
    values: NumberArray = np.array(encoded["real"], dtype=float)
    if "imag" in encoded:
        values = values + 1j * np.array(encoded["imag"], dtype=float)
    return values.reshape(encoded["shape"])


def _checked_name(name: Any) -> str:
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
    """The measure of a sweep; `size` by default."""
    if measure is None:
        return size
    if not callable(measure):
        raise ProblemError(f"measure must be a function of a solution, as in lambda solution: ...; got {measure!r}")
    return measure  # type: ignore[no-any-return]


# ---- The plan of a sweep, with digests of its problem and measure


# The digest that files of kept sweeps have for `size`.
_DIGEST_OF_SIZE = "febc25a105e38cff"
# Addresses in reprs, which differ from process to process.
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
# The nesting of functions and containers that digests cover.
_DEPTH = 4


@final
@dataclass(frozen=True)
class SweepPlan:
    """A sweep to be run."""

    grid: Grid
    # digests of the problem and of the measure
    problem: str
    measure: str
    tol: float
    seed: int

    @cached_property
    def jobs(self) -> tuple[Job, ...]:
        """A solve for every row."""
        return tuple(Job(label, AUTOMATIC, self.seed) for label in self.grid.rows)

    def as_dict(self) -> dict[str, Any]:
        """The plan as plain values for JSON."""
        parameters = dict(zip(self.grid.names, map(list, self.grid.values), strict=True))
        others = {"problem": self.problem, "measure": self.measure, "tol": self.tol, "rng": self.seed}
        return {"parameters": parameters, **others}

    def differences(self, content: Mapping[str, Any]) -> list[str]:
        """How this plan differs from that of a file, in words."""
        if "parameters" not in content:
            return ["the rows of a study"]
        own = self.as_dict()
        words = {
            "parameters": "other parameters or values",
            "problem": "another problem",
            "measure": "another measure",
            "tol": f"another tol, {content['tol']:g}",
            "rng": f"another rng, {content['rng']}",
        }
        return [word for name, word in words.items() if own[name] != content[name]]


def digest_of(problem: Problem, parameters: tuple[sp.Symbol, ...]) -> str:
    """A hash of a problem, whatever the values of the parameters."""
    statement = problem.statement
    written = [*map(sp.srepr, statement.equations), repr(statement.domain), *map(repr, statement.conditions)]
    given = {str(key): repr(value) for key, value in (statement.given or {}).items() if key not in parameters}
    incident = [] if statement.incident is None else [repr(statement.incident)]
    parts = [statement.domain, statement.conditions, statement.incident, *(statement.given or {}).values()]
    functions = [repr(_fingerprint(function)) for part in parts for function in _functions_in(part)]
    return _digest(*written, repr(sorted(given.items())), *incident, *functions)


def digest_of_measure(measure: Measure) -> str:
    """A hash of what a measure does: of the code of a function, and of the functions and plain values it uses.

    Other callable objects may change from row to row, and are represented by their repr.
    """
    if measure is size:
        return _DIGEST_OF_SIZE
    function = getattr(measure, "__func__", measure)
    return _digest(repr(_fingerprint(function) if isinstance(function, FunctionType | partial) else repr(measure)))


def _functions_in(value: Any, depth: int = 0) -> Iterator[Any]:
    """All callables in a part of a statement, whose code its repr does not show."""
    if depth > _DEPTH or isinstance(value, type | sp.Basic):
        return
    inside: Iterable[Any] = ()
    if isinstance(value, Mapping):
        inside = value.values()
    elif isinstance(value, list | tuple):
        inside = value
    elif is_dataclass(value):
        inside = [getattr(value, field.name, None) for field in fields(value)]
    elif callable(value):
        yield value
    for one in inside:
        yield from _functions_in(one, depth + 1)


def _fingerprint(value: Any, depth: int = 0) -> Any:
    """What identifies a value: of a function its code, its defaults, and the functions and plain values it refers to.

    Functions of the library go by their names, so that kept sweeps outlast its versions. Of another callable object,
    the code that it calls and the plain values that it holds.
    """
    if isinstance(value, FunctionType) and str(value.__module__).startswith("fspielm."):
        return value.__qualname__
    if isinstance(value, np.ndarray):
        return [value.shape, hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()]
    if depth > _DEPTH or isinstance(value, type | sp.Basic):
        return repr(value)
    if isinstance(value, partial):
        return [_fingerprint(one, depth + 1) for one in (value.func, *value.args, *sorted(value.keywords.items()))]
    if isinstance(value, tuple):
        return [_fingerprint(one, depth + 1) for one in value]
    code = getattr(value, "__code__", None)
    if isinstance(code, CodeType):
        owner = getattr(value, "__self__", None)
        defaults = [*(value.__defaults__ or ()), *sorted((value.__kwdefaults__ or {}).items())]
        outside = [*defaults, *filter(_is_plain, _referred_to(value)), *([] if owner is None else [owner])]
        return [_code_content(code), *(_fingerprint(one, depth + 1) for one in outside)]
    call = _call_of(value)
    if call is not None:
        slots = (name for base in type(value).__mro__ for name in getattr(base, "__slots__", ()))
        names = sorted({*slots, *getattr(value, "__dict__", {})} - {"__dict__", "__weakref__"})
        held = filter(_is_plain, (getattr(value, name, None) for name in names))
        return [repr(value), *(_fingerprint(one, depth + 1) for one in (call, *held))]
    return repr(value)


def _referred_to(function: Any) -> Iterator[Any]:
    """The values that a function refers to, in its closure and its module."""
    for cell in function.__closure__ or ():
        with suppress(ValueError):  # a cell may still be empty
            yield cell.cell_contents
    for name in _global_names(function.__code__):
        if name in function.__globals__:
            yield function.__globals__[name]


def _global_names(code: CodeType) -> list[str]:
    own = {str(one.argval) for one in get_instructions(code) if one.opname == "LOAD_GLOBAL"}
    return sorted(own.union(*(_global_names(inner) for inner in code.co_consts if isinstance(inner, CodeType))))


def _is_plain(value: Any) -> bool:
    """Whether a value does not change from call to call, as lists may."""
    plain = int | float | complex | str | tuple | partial | np.ndarray | sp.Basic | MethodType | FunctionType
    return isinstance(value, plain) or _call_of(value) is not None


def _call_of(value: Any) -> FunctionType | None:
    """The function behind an object's call, if it is written in Python."""
    found = next((vars(base)["__call__"] for base in type(value).__mro__ if "__call__" in vars(base)), None)
    return found if isinstance(found, FunctionType) else None


def _code_content(code: CodeType) -> list[Any]:
    constants = [_code_content(one) if isinstance(one, CodeType) else repr(one) for one in code.co_consts]
    return [code.co_code.hex(), list(code.co_names), constants]


def _digest(*texts: str) -> str:
    return hashlib.sha256(_ADDRESS.sub("", "\n".join(texts)).encode()).hexdigest()[:16]


# ---- Solving the rows


@final
@dataclass(eq=False)
class Sweeper:
    """Solves rows and measures their solutions; each row begins with the functions that served the row before."""

    problem: Problem
    parameters: tuple[sp.Symbol, ...]
    grid: Grid
    measure: Measure
    # at most, of each solve
    neurons: int | None = None
    _series: list[Series] = field(default_factory=list)

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_series": []}

    def perform(self, job: Job, terms: Terms) -> Outcome:
        """Solve a row and measure its solution; a failure is an outcome too."""
        return outcome_of(lambda: self._solve_and_measure(job, terms))

    def _solve_and_measure(self, job: Job, terms: Terms) -> Outcome:
        begun = perf_counter()
        if not self._series:
            budget = Budget(neurons=self.neurons, seconds=terms.seconds, memory=terms.share, threads=terms.threads)
            self._series.append(Series(terms.tol, budget, job.seed))
        solution = self._series[0].solve(self._problem_of(job.subject))
        seconds = perf_counter() - begun
        estimate, quantities = solution.report.error_estimate, apply_measure(self.measure, solution)
        return outcome_from(
            solution.report, seconds, measure=ESTIMATE, error=estimate, error_estimate=estimate, measured=quantities
        )

    def _problem_of(self, label: str) -> Problem:
        """The problem with the values of a row."""
        try:
            return self.problem.at(dict(zip(self.parameters, self.grid.rows[label], strict=True)))
        except ProblemError as error:
            raise ProblemError(f"with {label} the problem cannot be stated: {error}") from error
