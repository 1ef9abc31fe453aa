"""The request for a solve, its budget and random streams, and what it has found so far."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from numbers import Real
from time import perf_counter
from typing import Any, Generic, Literal, TypeAlias, TypeVar, final, get_args

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.basis.singular.columns import Choice
from fspielm.collocation.least_squares import QR, LeastSquares
from fspielm.collocation.points import Points
from fspielm.collocation.system import Scaling
from fspielm.errors import ProblemError, SolveInterrupted, blame
from fspielm.numerics.tolerances import TINY
from fspielm.problem.problem import Problem
from fspielm.problem.statement import has_complex_operator
from fspielm.resources import available_threads, physical_memory, read_size
from fspielm.solution.report import Forecast, FoundMode, ModeSearch, NewtonStep, Round, Window

# ---- The best so far, for whoever interrupts a call: Ctrl-C, or another thread
# Every level of a computation offers what it would return if it ended now, made from the offer of the level below.
# Offers are computed only when someone asks.

T = TypeVar("T")
Offer: TypeAlias = Callable[[Any], Any]

# The ending of what was found before an interruption.
INTERRUPTED = "it was interrupted"

# The offers of all levels, the outermost first, and the number of levels around the running code.
_current: ContextVar[tuple[list[Offer], int] | None] = ContextVar("offers", default=None)


@contextmanager
def offering(found: Offer, name: str = "") -> Iterator[None]:
    """During a block of code, offer what `found` makes of the offer of the level below, or of None.

    An offer holds until the next one of its level, so that nothing is lost after the end of a block. With the `name` of
    an attribute of `SolveInterrupted`, Ctrl-C in the block raises that exception.
    """
    offers, depth = _current.get() or ([], 0)
    offers[depth:] = [found]
    token = _current.set((offers, depth + 1))
    try:
        yield
    except KeyboardInterrupt:
        if not name:
            raise
        raise SolveInterrupted(**{name: _best(offers[depth:])}) from None
    finally:
        _current.reset(token)


@final
class Watched(Generic[T]):
    """Work whose best result so far is available to other threads."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._offers: list[Offer] = []

    def __call__(self) -> T:
        """Do the work."""
        token = _current.set((self._offers, 0))
        try:
            return self._work()
        finally:
            _current.reset(token)

    @property
    def best(self) -> T | None:
        """The result if the work ended now; None if there is none yet."""
        found: T | None = _best(tuple(self._offers))
        return found


def _best(offers: Sequence[Offer]) -> Any:
    found = None
    for make in reversed(offers):
        found = make(found)
    return found


# ---- Names of the kinds of features

Approach: TypeAlias = Literal["characteristic", "thin", "band", "patches", "windows"]

APPROACHES: tuple[Approach, ...] = get_args(Approach)


def check_approach(approach: Any) -> None:
    """Refuse an unknown approach by name."""
    if approach is not None and approach not in APPROACHES:
        raise ProblemError(
            f"approach must be one of {list(APPROACHES)}, or None for the cheapest that is good enough; "
            f"got {approach!r}"
        )


# ---- The budget

_MEMORY_SHARE = 0.6
# The share of memory that one large table may take.
TABLE_SHARE = 0.25
# What takes longer than so many seconds is announced, and tried out before, or ended soon after an interruption.
LONG = 2.0
# Share of the time left that may be spent on looking at data, or on laying out functions, if there are others.
LOOKING = 0.3
# Solves that belong to a larger one aim at a tolerance that is smaller by this factor, since the rest may be harder.
FINER = 0.1
# Share of the time left for one of several things to come.
STAGE = 0.5
# Right-hand sides or functions that are treated together.
AT_ONCE = 48


@final
@dataclass(frozen=True, init=False)
class Budget:
    """Limits of a solve, each by its name: ``Budget(seconds=60)``.

    Parameters
    ----------
    neurons : int, optional
        At most so many functions, which the paper calls neurons; no limit by default.
    seconds : float, optional
        The solve ends by then, with the best answer found; 600 by default.
    memory : float or str, optional
        Bytes, or a size such as ``"4GB"``; 60 % of the machine's memory by default.
    threads : int, optional
        Threads that fill the matrix; all processors by default. The linear algebra library has its own
        setting (such as ``OPENBLAS_NUM_THREADS``).
    """

    neurons: int | None = None
    seconds: float | None = 600.0
    memory: float | None = None
    threads: int | None = None

    def __init__(
        self,
        *unnamed: Any,
        neurons: int | None = None,
        seconds: float | None = 600.0,
        memory: float | str | None = None,
        threads: int | None = None,
    ) -> None:
        if unnamed:
            both = " or ".join(f"fs.Budget({name}={unnamed[0]!r})" for name in ("seconds", "neurons"))
            raise ProblemError(f"budget: limits are given by name; got Budget({unnamed[0]!r}): write {both}")
        if isinstance(memory, str):
            memory = read_size(memory) or memory
        vars(self).update(neurons=neurons, seconds=seconds, memory=memory, threads=threads)
        for name, unit in (("memory", ' of bytes, or a size such as "4GB"'), ("seconds", "")):
            value = getattr(self, name)
            if value is not None and not (isinstance(value, Real) and float(value) > 0):
                raise ProblemError(f"budget: {name} must be a positive number{unit}; got {value!r}")
        for name in ("neurons", "threads"):
            value = getattr(self, name)
            whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
            if value is not None and not (whole and value > 0):
                raise ProblemError(f"budget: {name} must be a whole number, at least 1; got {value!r}")

    @property
    def memory_limit(self) -> float:
        """Bytes that may be used."""
        return _MEMORY_SHARE * physical_memory() if self.memory is None else self.memory

    @property
    def thread_count(self) -> int:
        """Threads that may be used."""
        return available_threads() if self.threads is None else int(self.threads)


def with_seconds(budget: Budget, seconds: float) -> Budget:
    """The budget with the seconds that are left; as it is where there is no end of them."""
    return budget if np.isinf(seconds) else replace(budget, seconds=max(seconds, TINY))


# ---- Independent streams of random numbers from one seed


@final
@dataclass(frozen=True, eq=False)
class Streams:
    """Independent random numbers for features, for points, and for tests and samples."""

    features: np.random.Generator
    points: np.random.Generator
    probes: np.random.Generator

    @classmethod
    def spawned(cls, rng: Any) -> tuple[Streams, int | None]:
        """The streams of a solve, and the seed that reproduces them."""
        generators, seed = spawn(rng, 3)
        return cls(*generators), seed


def spawn(rng: Any, count: int) -> tuple[list[np.random.Generator], int | None]:
    """`count` independent generators, and the seed that reproduces them.

    None draws a seed from the system. Generators spawned from a `Generator` differ at each call, and have no seed.
    """
    if isinstance(rng, np.random.Generator):
        return list(rng.spawn(count)), None
    if rng is None:
        rng = int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    if not isinstance(rng, int | np.integer) or isinstance(rng, bool) or rng < 0:
        raise ProblemError(f"rng must be a whole number >= 0, a numpy.random.Generator or None; got {rng!r}")
    children = np.random.SeedSequence(int(rng)).spawn(count)
    return [np.random.default_rng(child) for child in children], int(rng)


# ---- Progress

Event: TypeAlias = Forecast | FoundMode | ModeSearch | NewtonStep | Round | Window
Progress: TypeAlias = Callable[[Event], None]


def silence(event: Event) -> None:
    """Ignore progress."""


def reporter(progress: Any) -> Progress:
    """The function that is called before long rounds and after each, from the `progress` argument of `solve`."""
    if progress is None or progress is False:
        return silence
    if progress is True:
        return _write
    if not callable(progress):
        raise ProblemError(f"progress must be True, or a callable that receives each round; got {progress!r}")

    def report(event: Event) -> None:
        try:
            progress(event)
        except Exception as error:
            blame(error, "progress")
            raise

    return report


def _write(event: Event) -> None:
    sys.stderr.write(f"{event}\n")
    sys.stderr.flush()


def timed(step: Callable[[], T]) -> tuple[T, float]:
    """The result of `step` and the seconds it took."""
    start = perf_counter()
    result = step()
    return result, perf_counter() - start


# ---- The request


@final
@dataclass(frozen=True, eq=False)
class Request:
    """The arguments of a solve; see `solve`. All are fixed, except that every round draws from the streams.

    The `seed` is that of the streams. `reuse` keeps the factored system, which is as large as the matrix, for further
    right-hand sides.
    """

    problem: Problem
    tol: float
    budget: Budget
    streams: Streams
    seed: int | None
    progress: Progress = silence
    points: Points | None = None
    method: LeastSquares = field(default_factory=QR)
    scaling: Scaling = "rms"
    singular: Choice = None
    approach: Approach | None = None
    reuse: bool = False

    @classmethod
    def of(
        cls, problem: Problem, tol: float, budget: Budget | None, rng: Any, progress: Any = None, **settings: Any
    ) -> Request:
        """The request of a call with these arguments."""
        streams, seed = Streams.spawned(rng)
        return cls(problem, tol, budget or Budget(), streams, seed, reporter(progress), **settings)

    @property
    def lengths(self) -> FloatArray:
        """Extent of the domain along each axis."""
        lower, upper = self.problem.domain.bounding_box
        return upper - lower

    @property
    def itemsize(self) -> int:
        """Bytes of a number of the system."""
        return 16 if self.problem.domain.is_unbounded or any(map(has_complex_operator, self.problem.relations)) else 8

    @property
    def threads(self) -> int:
        """Threads that fill matrices."""
        return self.budget.thread_count
