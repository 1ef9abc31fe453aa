"""What a sweep solves, and what tells it from another one."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import CellType, CodeType, FunctionType
from typing import Any, final

import sympy as sp

from fspielm.equations import Problem
from fspielm.study.job import AUTOMATIC, Job
from fspielm.sweeps.grid import Grid
from fspielm.sweeps.quantities import Measure

# Where an object is in the memory of one process.
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
# Functions that are made with functions are looked into so far.
_DEPTH = 4


@final
@dataclass(frozen=True)
class SweepPlan:
    """A sweep to be run.

    Attributes
    ----------
    grid : Grid
    problem, measure : str
        Digests of them.
    tol : float
    seed : int
    """

    grid: Grid
    problem: str
    measure: str
    tol: float
    seed: int

    @cached_property
    def jobs(self) -> tuple[Job, ...]:
        """A solve for every row."""
        return tuple(Job(label, AUTOMATIC, self.seed) for label in self.grid.rows)

    def as_dict(self) -> dict[str, Any]:
        """The plan as JSON takes it."""
        parameters = dict(zip(self.grid.names, map(list, self.grid.values), strict=True))
        return {
            "parameters": parameters,
            "problem": self.problem,
            "measure": self.measure,
            "tol": self.tol,
            "rng": self.seed,
        }

    def differences(self, content: Mapping[str, Any]) -> list[str]:
        """What tells it from the plan that a file has, in words."""
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
    """What tells problems apart, whatever the values of the parameters are."""
    statement = problem.statement
    written = [*map(sp.srepr, statement.equations), repr(statement.domain), *map(repr, statement.conditions)]
    given = {str(key): repr(value) for key, value in (statement.given or {}).items() if key not in parameters}
    comes_in = [] if statement.incident is None else [repr(statement.incident)]
    return _digest(*written, repr(sorted(given.items())), *comes_in)


def digest_of_measure(measure: Measure) -> str:
    """What tells functions apart: what they do, as far as it is written in them or they are functions of functions."""
    return _digest(repr(_of_value(measure)))


def _of_value(value: Any, depth: int = 0) -> Any:
    """A function by its code, its defaults, and the functions and plain values that it was made with."""
    code = getattr(value, "__code__", None)
    if not isinstance(code, CodeType) or depth > _DEPTH:
        return repr(value)
    defaults = [*(value.__defaults__ or ()), *sorted((value.__kwdefaults__ or {}).items())]
    outside = [cell.cell_contents for cell in value.__closure__ or () if _is_plain(cell)]
    return [_essence(code), *(_of_value(one, depth + 1) for one in (*defaults, *outside))]


def _is_plain(cell: CellType) -> bool:
    """Whether it holds what does not change: lists and the like may, from call to call."""
    try:
        found = cell.cell_contents
    except ValueError:  # empty as yet
        return False
    return isinstance(found, int | float | complex | str | tuple | FunctionType)


def _essence(code: CodeType) -> list[Any]:
    constants = [_essence(one) if isinstance(one, CodeType) else repr(one) for one in code.co_consts]
    return [code.co_code.hex(), list(code.co_names), constants]


def _digest(*texts: str) -> str:
    return hashlib.sha256(_ADDRESS.sub("", "\n".join(texts)).encode()).hexdigest()[:16]
