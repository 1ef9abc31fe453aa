"""One solve of a study, with everything that decides its result."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, final

from fspielm.cases import METHODS, SPACE_METHODS
from fspielm.errors import ProblemError
from fspielm.linalg import QR, LeastSquares, TruncatedSVD

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
