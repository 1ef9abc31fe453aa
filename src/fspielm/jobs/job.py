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

# ---- What every solve of a study is given, fixed when the study begins


@final
@dataclass(frozen=True)
class Terms:
    """The same for every solve, whatever runs it: with them, a job's result is decided to the last bit.

    Attributes
    ----------
    threads : int
        Of assembly and linear algebra.
    memory : float
        Bytes that a solve may use: how much it needs is known before, and it waits until there is room.
    share : float
        Bytes that an automatic solve may use, of which it is not known before.
    seconds : float or None
        After which a solve is given up.
    tol : float
        For the automatic solver, and for the verdict on an estimate.
    """

    threads: int
    memory: float
    share: float
    seconds: float | None
    tol: float

    def as_dict(self) -> dict[str, Any]:
        """The terms as JSON takes them."""
        return asdict(self)


# ---- One solve of a study, with everything that decides its result


AUTOMATIC = "automatic"
ALL_METHODS = (*METHODS, *SPACE_METHODS, AUTOMATIC)

_LEAST_SQUARES = 'least squares must be "qr", or "svd" with its tolerance as in "svd 1e-12"'


@final
@dataclass(frozen=True)
class Job:
    """One solve: plain values, so that it can be stored, sent and compared.

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
        """A text that no other job of a plan has."""
        mu = "-" if self.mu is None else f"{self.mu[0]!r}..{self.mu[1]!r}"
        parts = (self.subject, self.method, mu, self.neurons or "-", self.least_squares or "-", self.scaling or "-")
        return " | ".join([*map(str, parts), f"seed {self.seed}"])

    def as_dict(self) -> dict[str, Any]:
        """The job as JSON takes it."""
        return asdict(self)

    @classmethod
    def from_dict(cls, content: dict[str, Any]) -> Job:
        """The job that `as_dict` gave."""
        mu = content["mu"]
        return cls(**content | {"mu": None if mu is None else (float(mu[0]), float(mu[1]))})


def make_least_squares(text: str) -> LeastSquares:
    """The method that a plan writes as ``"qr"`` or ``"svd 1e-12"``."""
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
    """The one way of writing a method, so that equal ones are equal texts."""
    method = make_least_squares(text)
    return f"svd {float(method.tol)!r}" if isinstance(method, TruncatedSVD) else "qr"


# ---- What one solve of a study gave: numbers, or the reason why there are none


DONE, FAILED = "done", "failed"
# Which of its numbers an outcome is judged by.
EXACT, REFERENCE, ESTIMATE = "exact", "reference", "estimate"

_NUMBERS = ("error", "space_time_error", "error_estimate", "held_out", "condition", "coefficient_norm")


@final
@dataclass(frozen=True)
class Outcome:
    """The result of one job.

    Attributes
    ----------
    status : {"done", "failed"}
    message : str
        Why it failed, or what the solver warned of.
    measure : {"exact", "reference", "estimate", ""}
        What `error` was measured with.
    error : float or None
        Relative L2 error: for a benchmark on the paper's grid, else on a grid over the domain. Where nothing is
        known to compare with, the solver's own estimate.
    space_time_error : float or None
        Over all of space and time, where the paper's grid is a slice.
    error_estimate : float or None
        The solver's own estimate, where it was made.
    held_out : float or None
        Residual of the rows at fresh points, relative to their data.
    residuals, held_out_residuals : mapping of str to float
        Root mean square of each block: of the rows fitted (in an automatic solve: held out), and at fresh points.
    neurons, rows, rank : int or None
    condition, coefficient_norm : float or None
    phases : mapping of str to float
        Seconds of each phase.
    seconds : float
        Of the solve; measuring not included.
    measured : mapping of str to list
        What a sweep asked for: its quantities, each as the numbers it has.
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
        """The outcome as JSON and a database take it: a number beyond all numbers is None."""
        content = asdict(self)
        # a file name that is no text may be in a message
        content["message"] = self.message.encode("utf-8", "backslashreplace").decode("utf-8")
        for name in _NUMBERS:
            value = content[name]
            content[name] = value if value is not None and math.isfinite(value) else None
        return content

    @classmethod
    def from_dict(cls, content: dict[str, Any]) -> Outcome:
        """The outcome that `as_dict` gave."""
        return cls(**content)


def failure(message: str, seconds: float = 0.0) -> Outcome:
    """The outcome of a job that gave no solution."""
    return Outcome(FAILED, " ".join(message.split()), seconds=seconds)


# ---- Where a study was run: what its digits and its seconds depend on


# What decides the last bits of a result: the key, and its value where the library does not tell.
THREADS, UNKNOWN = "blas threads", "unknown"


def environment() -> dict[str, str]:
    """Versions, processor, memory, and the threads of the linear algebra of this process; no names of machines."""
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
    """A short name of an environment; the same for the same content."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:8]


def _processor() -> str:
    """The processor's name; the standard library knows it on few systems."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or UNKNOWN


# ---- Jobs with their outcomes: what a study has found so far


@final
@dataclass(frozen=True)
class Row:
    """One solve that has ended.

    Attributes
    ----------
    job : Job
    outcome : Outcome
    ended : str
        When, in universal time.
    environment : str
        Digest of what it ran on.
    """

    job: Job
    outcome: Outcome
    ended: str = ""
    environment: str = ""

    @property
    def done(self) -> bool:
        """Whether it gave a solution."""
        return self.outcome.status == DONE
