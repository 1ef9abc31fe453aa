"""What a study solves: sweeps over settings, and the terms of every solve."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from numbers import Real
from typing import Any, Protocol, final

from fspielm import cases
from fspielm.cases import PaperSetting, paper_setting
from fspielm.errors import ProblemError
from fspielm.features import check_count
from fspielm.machine import available_threads, physical_memory
from fspielm.study.job import Job
from fspielm.study.subject import Subject
from fspielm.study.sweep import Sweep
from fspielm.study.terms import Terms
from fspielm.wording import did_you_mean

_MEMORY_SHARE = 0.8
# Far beyond what anyone waits for; more of them are a mistake.
_MOST_SOLVES = 250_000


class AnyPlan(Protocol):
    """What a store can begin with: a study's plan, or a sweep's."""

    @property
    def jobs(self) -> tuple[Job, ...]:
        """Every solve, once."""

    def as_dict(self) -> dict[str, Any]:
        """The plan as JSON takes it."""


@final
@dataclass(frozen=True)
class Plan:
    """A study to be run.

    Parameters
    ----------
    name : str
    sweeps : sequence of Sweep
        What two of them share is solved once.
    files : sequence of Subject
        Problem files that sweeps name beside the benchmarks; see `Subject.from_file`.
    threads : int, optional
        Of every solve: one by default, which is the fastest way through many of them with as many workers as there are
        cores. Part of the plan, since it decides the last bits of every error.
    seconds : float, optional
        After which a solve is given up, as a failed one; no limit by default.
    memory : float, optional
        Bytes that a solve may use. By default what the machine has (large solves wait for each other), and for the
        automatic solver, whose needs are not known before, its part of that for each core.
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
            # plain numbers, as JSON takes them
            object.__setattr__(self, name, None if value is None else float(value))
        if not _is_positive(self.tol) or self.tol >= 1:
            raise ProblemError(f"tol must lie between 0 and 1; got {self.tol!r}")
        object.__setattr__(self, "tol", float(self.tol))
        object.__setattr__(self, "threads", int(self.threads))
        self._check_subjects()
        _ = self.jobs  # every mistake in it now, not when it is run

    @cached_property
    def jobs(self) -> tuple[Job, ...]:
        """Every solve, once."""
        every = (job for sweep in self.sweeps for job in sweep.jobs(self._papers))
        found = {job.key: job for job in islice(every, _MOST_SOLVES)}
        if next(every, None) is not None:
            raise ProblemError(f"a plan has at most {_MOST_SOLVES} solves; make several of it")
        return tuple(found.values())

    @cached_property
    def subjects(self) -> Mapping[str, Subject]:
        """Everything that is solved, by name."""
        files = {subject.name: subject for subject in self.files}
        return {name: files.get(name, Subject(name)) for sweep in self.sweeps for name in sweep.subjects}

    def terms(self) -> Terms:
        """The terms of every solve on this machine, however many run at once."""
        memory = _MEMORY_SHARE * physical_memory() if self.memory is None else self.memory
        at_once = max(available_threads() // self.threads, 1) if self.memory is None else 1
        return Terms(self.threads, memory, memory / at_once, self.seconds, self.tol)

    def as_dict(self) -> dict[str, Any]:
        """The plan as JSON takes it."""
        return {
            "name": self.name,
            "sweeps": [sweep.as_dict() for sweep in self.sweeps],
            "files": [subject.as_dict() for subject in self.files],
            "threads": self.threads,
            "seconds": self.seconds,
            "memory": self.memory,
            "tol": self.tol,
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Plan:
        """The plan that `as_dict` gave."""
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
    """What tells two plans apart, for people; empty if they are the same study."""
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
