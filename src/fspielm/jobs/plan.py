"""What a study solves: sweeps over settings."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from itertools import islice, product
from numbers import Real
from typing import Any, Protocol, final

import numpy as np

from fspielm.basis.random.families import check_count
from fspielm.errors import ProblemError
from fspielm.jobs.job import ALL_METHODS, AUTOMATIC, MEMORY_SHARE, MOST_SOLVES, Job, Terms, name_least_squares
from fspielm.jobs.subject import Subject
from fspielm.paper.cases import catalogue as cases
from fspielm.paper.cases.case import METHODS, SPACE_METHODS, PaperSetting, paper_setting
from fspielm.resources import available_threads, physical_memory
from fspielm.wording import did_you_mean

# The paper's frequency ranges: the best of each method, or all that it tried.
BEST, GRID = "best", "grid"
# The largest integer of the store.
_LARGEST = 2**63 - 1
_SCALINGS = ("none", "rms")

Pair = tuple[float, float]


@final
@dataclass(frozen=True)
class Sweep:
    """All combinations of subjects, methods, frequency ranges, sizes, least-squares methods and seeds.

    Parameters
    ----------
    subjects : sequence of str
        Benchmarks, and names of the plan's problem files.
    methods : sequence of str
        Of the five of the paper; ``"fs-l-space"`` and ``"fs-g-space"``, which shift along space alone; and
        ``"automatic"``, to which only seeds apply.
    mu : "best", "grid" or sequence of pairs
        Ranges of frequencies: the paper's best of each method, all 36 of the paper, or these. The first two for
        benchmarks only.
    neurons : sequence of int
        The paper's number if empty; a problem file needs one.
    least_squares : sequence of str
        ``"qr"``, or ``"svd"`` with its tolerance as in ``"svd 1e-12"``.
    scaling : sequence of str
        ``"none"``, as the paper, or ``"rms"``.
    seeds : sequence of int
        The paper's five by default.
    """

    subjects: Sequence[str]
    methods: Sequence[str]
    mu: str | Sequence[Pair] = BEST
    neurons: Sequence[int] = ()
    least_squares: Sequence[str] = ("svd 1e-12",)
    scaling: Sequence[str] = ("none",)
    seeds: Sequence[int] = (0, 1, 2, 3, 4)

    def __post_init__(self) -> None:
        for name in ("subjects", "methods", "neurons", "scaling", "seeds"):
            object.__setattr__(self, name, _sequence(name, getattr(self, name), may_be_empty=name == "neurons"))
        for method in self.methods:
            _check_choice("methods", method, ALL_METHODS)
        for scaling in self.scaling:
            _check_choice("scaling", scaling, _SCALINGS)
        for neurons in self.neurons:
            check_count("neurons", neurons)
        for seed in self.seeds:
            if not isinstance(seed, int | np.integer) or isinstance(seed, bool) or seed < 0:
                raise ProblemError(f"seeds must be whole numbers >= 0; got {seed!r}")
        for name in ("neurons", "seeds"):
            if any(number > _LARGEST for number in getattr(self, name)):
                raise ProblemError(f"{name} must be below 2**63")
            object.__setattr__(self, name, tuple(map(int, getattr(self, name))))
        named = [name_least_squares(text) for text in _sequence("least_squares", self.least_squares)]
        object.__setattr__(self, "least_squares", _sequence("least_squares", named))
        object.__setattr__(self, "mu", _ranges(self.mu))

    def jobs(self, papers: Mapping[str, PaperSetting | None]) -> Iterator[Job]:
        """The solves, seed by seed: an unfinished study then covers all of its settings.

        Parameters
        ----------
        papers : mapping
            The paper's setting of every subject; None for a problem file.
        """
        for seed in self.seeds:
            for subject, method in product(self.subjects, self.methods):
                if method == AUTOMATIC:
                    yield Job(subject, method, seed)
                    continue
                for mu, neurons, least_squares, scaling in product(
                    self._mu_of(subject, method, papers[subject]),
                    self._neurons_of(subject, papers[subject]),
                    self.least_squares,
                    self.scaling,
                ):
                    yield Job(subject, method, seed, mu, neurons, least_squares, scaling)

    def as_dict(self) -> dict[str, Any]:
        """The sweep as plain values for JSON and TOML."""
        content = asdict(self)
        mu = self.mu if isinstance(self.mu, str) else [list(pair) for pair in self.mu]
        return {key: list(value) for key, value in content.items() if key != "mu"} | {"mu": mu}

    def _mu_of(self, subject: str, method: str, paper: PaperSetting | None) -> Sequence[Pair]:
        if not isinstance(self.mu, str):
            return self.mu
        if paper is None:
            raise ProblemError(f'{subject}: mu="{self.mu}" is the paper\'s; give a problem file its own ranges')
        if self.mu == GRID:
            return [(float(low), float(high)) for low, high in product(paper.mu_min, paper.mu_max)]
        low, high = paper.results[method.removesuffix("-space")].mu
        return [(float(low), float(high))]

    def _neurons_of(self, subject: str, paper: PaperSetting | None) -> Sequence[int]:
        if self.neurons:
            return self.neurons
        if paper is None:
            raise ProblemError(f"{subject}: a problem file needs neurons, as in neurons=[1000]")
        return [paper.neurons]


def _sequence(name: str, value: Any, *, may_be_empty: bool = False) -> tuple[Any, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ProblemError(f"{name} must be a list; got {value!r}")
    items = tuple(value)
    if not items and not may_be_empty:
        raise ProblemError(f"{name} is empty; a sweep over nothing has no solves")
    try:
        (item, count), *_ = Counter(items).most_common(1) or [(None, 0)]
    except TypeError:
        raise ProblemError(f"{name} has something in it that is neither text nor number") from None
    if count > 1:
        raise ProblemError(f"{name} has {item!r} twice")
    return items


def _check_choice(name: str, value: Any, known: Sequence[str]) -> None:
    if value in known:
        return
    hint = did_you_mean(value, known) if isinstance(value, str) else ""
    raise ProblemError(f"{name}: there is no {value!r}; there are {', '.join(known)}{hint}")


def _ranges(mu: Any) -> str | tuple[Pair, ...]:
    if isinstance(mu, str):
        if mu not in (BEST, GRID):
            raise ProblemError(f'mu must be "{BEST}", "{GRID}" or a list of pairs such as [(5, 80)]; got {mu!r}')
        return mu
    if not isinstance(mu, Iterable):
        raise ProblemError(f"mu must be a list of pairs such as [(5, 80)]; got {mu!r}")
    return _sequence("mu", [_pair(pair) for pair in mu])


def _pair(pair: Any) -> Pair:
    try:
        low, high = pair
    except (TypeError, ValueError):
        raise ProblemError(f"mu must be pairs (smallest, largest); got {pair!r}") from None
    real = isinstance(low, Real) and isinstance(high, Real)
    if not real or low < 0 or not low <= high <= sys.float_info.max:
        raise ProblemError(f"mu must be (smallest, largest) with 0 <= smallest <= largest; got {pair!r}")
    # drop the sign of zero, which a database does not keep
    return float(low) + 0.0, float(high) + 0.0


# ---- Plans


class AnyPlan(Protocol):
    """What a store can hold: the plan of a study, or of a sweep."""

    @property
    def jobs(self) -> tuple[Job, ...]:
        """Every solve, once."""

    def as_dict(self) -> dict[str, Any]:
        """The plan as plain values for JSON."""


@final
@dataclass(frozen=True)
class Plan:
    """A study to be run.

    Parameters
    ----------
    name : str
    sweeps : sequence of Sweep
        A solve that occurs in two of them is done once.
    files : sequence of Subject
        Problem files that sweeps name beside the benchmarks; see `Subject.from_file`.
    threads : int, optional
        Of every solve; one by default, which is fastest with one worker a core. Part of the plan, since it changes the
        last bits of every error.
    seconds : float, optional
        Time limit of a solve, after which it has failed; none by default.
    memory : float, optional
        Bytes that a solve may use. By default 80 % of the machine's memory (large solves wait for each other); divided
        by the number of solves at once for the automatic solver, whose needs are not known in advance.
    tol : float
        For the automatic solver.
    """

    name: str
    sweeps: Sequence[Sweep]
    files: Sequence[Subject] = ()
    threads: int = 1
    seconds: float | None = None
    memory: float | None = None
    tol: float = 1e-8

    def __post_init__(self) -> None:
        for name, kind in (("sweeps", Sweep), ("files", Subject)):
            items = getattr(self, name)
            if isinstance(items, kind):
                items = (items,)
            if not isinstance(items, Sequence) or not all(isinstance(item, kind) for item in items):
                raise ProblemError(f"{name} must be a list of {kind.__name__} objects; got {items!r}")
            object.__setattr__(self, name, tuple(items))
        if not isinstance(self.name, str) or not self.name:
            raise ProblemError(f"name must be a text; got {self.name!r}")
        if not self.sweeps:
            raise ProblemError("a plan needs at least one sweep")
        check_count("threads", self.threads)
        for name in ("seconds", "memory"):
            value = getattr(self, name)
            if value is not None and not _is_positive(value):
                raise ProblemError(f"{name} must be a positive number; got {value!r}")
            # plain numbers for JSON
            object.__setattr__(self, name, None if value is None else float(value))
        if not _is_positive(self.tol) or self.tol >= 1:
            raise ProblemError(f"tol must lie between 0 and 1; got {self.tol!r}")
        object.__setattr__(self, "tol", float(self.tol))
        object.__setattr__(self, "threads", int(self.threads))
        self._check_subjects()
        _ = self.jobs  # report mistakes now, not during the run

    @cached_property
    def jobs(self) -> tuple[Job, ...]:
        """Every solve, once."""
        every = (job for sweep in self.sweeps for job in sweep.jobs(self._papers))
        found = {job.key: job for job in islice(every, MOST_SOLVES)}
        if next(every, None) is not None:
            raise ProblemError(f"a plan has at most {MOST_SOLVES} solves; make several of it")
        return tuple(found.values())

    @cached_property
    def subjects(self) -> Mapping[str, Subject]:
        """Everything that is solved, by name."""
        files = {subject.name: subject for subject in self.files}
        return {name: files.get(name, Subject(name)) for sweep in self.sweeps for name in sweep.subjects}

    def terms(self) -> Terms:
        """The terms of every solve on this machine."""
        memory = MEMORY_SHARE * physical_memory() if self.memory is None else self.memory
        at_once = max(available_threads() // self.threads, 1) if self.memory is None else 1
        return Terms(self.threads, memory, memory / at_once, self.seconds, self.tol)

    def as_dict(self) -> dict[str, Any]:
        """The plan as plain values for JSON."""
        content = {field.name: getattr(self, field.name) for field in fields(self)}
        sweeps, files = ([part.as_dict() for part in parts] for parts in (self.sweeps, self.files))
        return content | {"sweeps": sweeps, "files": files}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Plan:
        """The inverse of `as_dict`."""
        return cls(
            **{
                **content,
                "sweeps": [Sweep(**sweep) for sweep in content["sweeps"]],
                "files": [Subject.from_dict(subject) for subject in content["files"]],
            }
        )

    @cached_property
    def _papers(self) -> dict[str, PaperSetting | None]:
        return {name: None if subject.text else paper_setting(name) for name, subject in self.subjects.items()}

    def _check_subjects(self) -> None:
        known = [*cases.names(), *(subject.name for subject in self.files)]
        for name in known:
            if known.count(name) > 1:
                raise ProblemError(f"two subjects of the plan are called {name!r}; rename the problem file")
        for sweep in self.sweeps:
            for name in sweep.subjects:
                if name not in known:
                    hint = did_you_mean(str(name), known)
                    raise ProblemError(f"unknown case {name!r}; the plan knows {', '.join(known)}{hint}")


def _is_positive(value: Any) -> bool:
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    try:
        return 0 < float(value) < math.inf
    except OverflowError:  # a whole number larger than any float
        return False


def differences(one: Plan, other: Plan, names: tuple[str, str] = ("here", "there")) -> list[str]:
    """How two plans differ, in words; empty if they are the same study."""
    found = [
        f"{name}: {names[0]} {getattr(one, name)!r}, {names[1]} {getattr(other, name)!r}"
        for name in ("name", "threads", "seconds", "memory", "tol")
        if getattr(one, name) != getattr(other, name)
    ]
    ours, theirs = {job.key for job in one.jobs}, {job.key for job in other.jobs}
    for name, missing in ((names[0], ours - theirs), (names[1], theirs - ours)):
        if missing:
            found.append(f"{len(missing)} solves only {name}, such as {min(missing)}")
    found += [
        f"{name}: the problem file or its reference is another one"
        for name, subject in one.subjects.items()
        if name in other.subjects and other.subjects[name].digest != subject.digest
    ]
    return found


# ---- Built-in plans


def builtin_plan(name: str) -> Plan:
    """The plan of that name: ``"paper"``, ``"tables"``, ``"light"`` or ``"quick"``."""
    if name not in _PLANS:
        raise ProblemError(f"there is no plan {name!r}; there are {', '.join(_PLANS)}")
    return Plan(name, _PLANS[name])


def builtin_plans() -> dict[str, str]:
    """The names of the plans, and the purpose of each."""
    return dict(_PURPOSES)


_ALL = tuple(cases.names())
_PLANS = {
    "paper": (Sweep(_ALL, METHODS, mu=GRID),),
    "tables": (Sweep(_ALL, METHODS),),
    "light": (Sweep(("poisson-1d", "heat"), METHODS, mu=GRID), Sweep(("heat",), SPACE_METHODS, mu=GRID)),
    "quick": (
        Sweep(("poisson-1d",), METHODS, mu=GRID, seeds=(0, 1)),
        Sweep(("heat",), (*METHODS, *SPACE_METHODS), seeds=(0, 1)),
        # enough neurons for some digits
        Sweep(("helmholtz-panda",), METHODS, neurons=(1500,), seeds=(0,)),
        Sweep(_ALL, (AUTOMATIC,), seeds=(0,)),
    ),
}
_PURPOSES = {
    "paper": "all of the paper: seven cases, five methods, 36 ranges, five seeds",
    "tables": "the paper's tables: every method at its best range, five seeds",
    "light": "poisson-1d and heat in full, and heat with the shift along space",
    "quick": "a glance in minutes: poisson-1d in full, heat, a smaller panda, and the automatic solver on all cases",
}
