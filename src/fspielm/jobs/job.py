"""One solve of a study, its terms and its outcome."""

from __future__ import annotations

import hashlib
import json
import math
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, final

import fspielm.resources as blas
from fspielm.collocation.least_squares import QR, LeastSquares, TruncatedSVD
from fspielm.errors import ProblemError
from fspielm.paper.cases.case import METHODS, SPACE_METHODS
from fspielm.resources import available_threads, physical_memory
from fspielm.version import versions


@final
@dataclass(frozen=True)
class Terms:
    """What every solve of a study is given. With the job it determines the result to the last bit."""

    # of assembly and linear algebra
    threads: int
    # bytes that a solve may use; how much it needs is known in advance, and it waits until there is room
    memory: float
    # bytes that an automatic solve may use, whose needs are not known in advance
    share: float
    # time limit of a solve
    seconds: float | None
    # for the automatic solver, and for the verdict on an estimate
    tol: float


# Of a machine's memory, for solves that run together; the rest is for the system and errors of the estimates.
MEMORY_SHARE = 0.8

AUTOMATIC = "automatic"
ALL_METHODS = (*METHODS, *SPACE_METHODS, AUTOMATIC)

# In databases and tables.
JOB_COLUMNS = ("subject", "method", "mu_min", "mu_max", "neurons", "least_squares", "scaling", "seed")
# More solves of a plan are surely a mistake.
MOST_SOLVES = 250_000

_LEAST_SQUARES = 'least squares must be "qr", or "svd" with its tolerance as in "svd 1e-12"'


@final
@dataclass(frozen=True)
class Job:
    """One solve, with everything that determines its result: plain values that can be stored, sent and compared.

    Attributes
    ----------
    subject : str
        What is solved: a benchmark, or a problem file's name.
    method : str
        One of `ALL_METHODS`.
    seed : int
    mu : (float, float) or None
        The range of frequencies; None for the automatic solver, which finds its own.
    neurons : int or None
    least_squares : str or None
        ``"qr"``, or ``"svd"`` with its tolerance.
    scaling : str or None
    """

    subject: str
    method: str
    seed: int
    mu: tuple[float, float] | None = None
    neurons: int | None = None
    least_squares: str | None = None
    scaling: str | None = None

    @property
    def key(self) -> str:
        """A text that is unique among the jobs of a plan."""
        mu = "-" if self.mu is None else f"{self.mu[0]!r}..{self.mu[1]!r}"
        parts = (self.subject, self.method, mu, self.neurons or "-", self.least_squares or "-", self.scaling or "-")
        return " | ".join([*map(str, parts), f"seed {self.seed}"])

    def as_dict(self) -> dict[str, Any]:
        """The job as plain values for JSON."""
        return asdict(self)

    @property
    def columns(self) -> dict[str, Any]:
        """The job as one plain value for each of `JOB_COLUMNS`."""
        low, high = self.mu or (None, None)
        values = (self.subject, self.method, low, high, self.neurons, self.least_squares, self.scaling, self.seed)
        return dict(zip(JOB_COLUMNS, values, strict=True))

    @classmethod
    def from_columns(
        cls, subject: str, method: str, low: float | None, high: float | None, *settings: Any, seed: int
    ) -> Job:
        """The inverse of `columns`."""
        return cls(subject, method, seed, None if low is None or high is None else (low, high), *settings)

    @classmethod
    def from_dict(cls, content: dict[str, Any]) -> Job:
        """The inverse of `as_dict`."""
        mu = content["mu"]
        return cls(**content | {"mu": None if mu is None else (float(mu[0]), float(mu[1]))})


def make_least_squares(text: str) -> LeastSquares:
    """The least-squares method that a plan writes as ``"qr"`` or ``"svd 1e-12"``."""
    words = text.split() if isinstance(text, str) else []
    match words:
        case ["qr"]:
            return QR()
        case ["svd"]:
            return TruncatedSVD()
        case ["svd", tol]:
            try:
                return TruncatedSVD(float(tol))
            except ValueError:
                pass
    raise ProblemError(f"{_LEAST_SQUARES}; got {text!r}")


def name_least_squares(text: str) -> str:
    """The canonical name of a least-squares method: equal methods have equal names."""
    method = make_least_squares(text)
    return f"svd {float(method.tol)!r}" if isinstance(method, TruncatedSVD) else "qr"


DONE, FAILED = "done", "failed"
# What the error of an outcome is measured with.
EXACT, REFERENCE, ESTIMATE = "exact", "reference", "estimate"

# The fields of an outcome that are numbers, and those that are numbers by name.
REAL = ("error", "space_time_error", "error_estimate", "held_out", "condition", "coefficient_norm")
BY_NAME = ("residuals", "held_out_residuals", "phases")


@final
@dataclass(frozen=True)
class Outcome:
    """The result of one job: numbers, or the reason why there are none.

    Attributes
    ----------
    status : {"done", "failed"}
    message : str
        Why it failed, or the solver's warning.
    measure : {"exact", "reference", "estimate", ""}
        What `error` was measured with.
    error : float or None
        Relative L2 error: for a benchmark on the paper's grid, else on a grid over the domain. Without an exact or
        reference solution, the solver's own estimate.
    space_time_error : float or None
        Over all of space and time, where the paper's grid is a time slice.
    error_estimate : float or None
        The solver's own estimate, if it made one.
    held_out : float or None
        Residual of the rows at fresh points, relative to their data.
    residuals, held_out_residuals : mapping of str to float
        Root mean square of each block: of the fitted rows (of an automatic solve: held out), and at fresh points.
    neurons, rows, rank : int or None
    condition, coefficient_norm : float or None
    phases : mapping of str to float
        Seconds of each phase.
    seconds : float
        Of the solve, without measuring.
    measured : mapping of str to list
        The quantities that a sweep measured, each as its numbers.
    """

    status: str
    message: str = ""
    measure: str = ""
    error: float | None = None
    space_time_error: float | None = None
    error_estimate: float | None = None
    held_out: float | None = None
    residuals: Mapping[str, float] = field(default_factory=dict)
    held_out_residuals: Mapping[str, float] = field(default_factory=dict)
    neurons: int | None = None
    rows: int | None = None
    rank: int | None = None
    condition: float | None = None
    coefficient_norm: float | None = None
    phases: Mapping[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    measured: Mapping[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """The outcome as plain values for JSON and a database; numbers that are not finite become None."""
        content = asdict(self)
        # a message may hold a file name that is not valid text
        content["message"] = self.message.encode("utf-8", "backslashreplace").decode("utf-8")
        for name in REAL:
            value = content[name]
            content[name] = value if value is not None and math.isfinite(value) else None
        return content

    @classmethod
    def from_dict(cls, content: dict[str, Any]) -> Outcome:
        """The inverse of `as_dict`."""
        return cls(**content)


def failure(message: str, seconds: float = 0.0) -> Outcome:
    """The outcome of a job that gave no solution."""
    return Outcome(FAILED, " ".join(message.split()), seconds=seconds)


# The key of the number of threads, which changes the last bits of a result; and its value where it is not known.
THREADS, UNKNOWN = "blas threads", "unknown"


def environment() -> dict[str, str]:
    """What digits and seconds depend on here: versions, processor, memory and BLAS threads; no names of machines."""
    threads = blas.threads()
    return versions() | {
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": str(available_threads()),
        "memory": f"{physical_memory() / 2**30:.1f} GiB",
        "blas": blas.library(),
        THREADS: UNKNOWN if threads is None else str(threads),
    }


def digest(content: dict[str, str]) -> str:
    """A short name of an environment, determined by its content."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:8]


def _processor() -> str:
    """The processor's name, which the standard library knows on few systems."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or UNKNOWN


@final
@dataclass(frozen=True)
class Row:
    """One solve that has ended.

    Attributes
    ----------
    job : Job
    outcome : Outcome
    ended : str
        Time in UTC.
    environment : str
        Digest of the environment it ran in.
    """

    job: Job
    outcome: Outcome
    ended: str = ""
    environment: str = ""

    @property
    def done(self) -> bool:
        """Whether it gave a solution."""
        return self.outcome.status == DONE
