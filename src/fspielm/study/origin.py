"""Where the rows of a CSV file come from: what was solved, on what terms, and on what machine."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import final

from fspielm.errors import ProblemError
from fspielm.reading import open_file
from fspielm.study.environment import THREADS, UNKNOWN
from fspielm.study.job import AUTOMATIC
from fspielm.study.plan import Plan

_SUFFIX = ".origin.json"


@final
@dataclass(frozen=True)
class Origin:
    """What a row does not say of itself.

    Attributes
    ----------
    plan : str
    subjects : mapping of str to str
        Digest of every problem.
    tol : float
        Of the automatic solver.
    environments : mapping
        What the solves ran on, by digest.
    """

    plan: str
    subjects: Mapping[str, str]
    tol: float
    environments: Mapping[str, Mapping[str, str]]

    @classmethod
    def of(cls, plan: Plan, environments: Mapping[str, Mapping[str, str]]) -> Origin:
        """The origin of the rows of a study."""
        return cls(plan.name, {name: subject.digest for name, subject in plan.subjects.items()}, plan.tol, environments)

    def as_json(self) -> str:
        """The text of the file."""
        return json.dumps(asdict(self), indent=1, sort_keys=True) + "\n"

    def differences(self, plan: Plan, subjects: Collection[str], methods: Collection[str]) -> Iterator[str]:
        """Why solves of these subjects and methods are not what a plan would give."""
        for name in sorted(subjects):
            if self.subjects.get(name) != plan.subjects[name].digest:
                yield f"its problem {name!r}, or what that is measured with, is another one"
        if AUTOMATIC in methods and self.tol != plan.tol:
            yield f"its automatic solves have tol={self.tol:g}, those of the plan {plan.tol:g}"
        for environment in self.environments.values():
            threads = environment.get(THREADS, UNKNOWN)
            if threads not in (UNKNOWN, str(plan.threads)):
                yield (
                    f"it was solved with {threads} threads, and the plan has {plan.threads}, which changes last bits; "
                    "give the plan the same number"
                )


def origin_path(table: Path) -> Path:
    """Where the origin of a CSV file is told."""
    return table.with_suffix(_SUFFIX)


def read_origin(path: Path) -> Origin:
    """The origin that a file tells."""
    try:
        with open_file(path) as file:
            content = json.loads(file.read().decode("utf-8"))
        origin = Origin(**content)
        whole = isinstance(origin.subjects, dict) and isinstance(origin.environments, dict)
        if not whole or not all(isinstance(one, dict) for one in origin.environments.values()):
            raise TypeError("it is none of a study's")
    except OSError as error:
        raise ProblemError(f"cannot read {str(path)!r}: {error.strerror}; it belongs to the table beside it") from error
    except (ValueError, TypeError) as error:
        raise ProblemError(f"cannot read {str(path)!r}: {error}") from error
    return origin
