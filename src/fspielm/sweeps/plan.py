"""What a sweep solves, and what tells it from another one."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass
from dis import get_instructions
from functools import cached_property, partial
from types import CodeType, FunctionType, MethodType
from typing import Any, final

import numpy as np
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
    incident = [] if statement.incident is None else [repr(statement.incident)]
    parts = [statement.domain, statement.conditions, statement.incident, *(statement.given or {}).values()]
    functions = [repr(_of_value(function)) for part in parts for function in _functions_in(part)]
    return _digest(*written, repr(sorted(given.items())), *incident, *functions)


def digest_of_measure(measure: Measure) -> str:
    """What tells functions apart: what they do, as far as it is written in them or they are functions of functions.

    Objects that measure may change from row to row, and are what their repr says.
    """
    function = getattr(measure, "__func__", measure)
    return _digest(repr(_of_value(function) if isinstance(function, FunctionType | partial) else repr(measure)))


def _functions_in(value: Any, depth: int = 0) -> Iterator[Any]:
    """All callables that a part of a statement holds, which its repr tells nothing of."""
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


def _of_value(value: Any, depth: int = 0) -> Any:
    """A function by its code, its defaults, and the functions and plain values that it was made with or looks up.

    A method, a partial or another object that is called, by what it calls and what it holds.
    """
    if isinstance(value, np.ndarray):
        return [value.shape, hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()]
    if depth > _DEPTH or isinstance(value, type | sp.Basic):
        return repr(value)
    if isinstance(value, partial):
        return [_of_value(one, depth + 1) for one in (value.func, *value.args, *sorted(value.keywords.items()))]
    if isinstance(value, tuple):
        return [_of_value(one, depth + 1) for one in value]
    code = getattr(value, "__code__", None)
    if isinstance(code, CodeType):
        owner = getattr(value, "__self__", None)
        defaults = [*(value.__defaults__ or ()), *sorted((value.__kwdefaults__ or {}).items())]
        outside = [*defaults, *filter(_is_plain, _looked_up(value)), *([] if owner is None else [owner])]
        return [_essence(code), *(_of_value(one, depth + 1) for one in outside)]
    call = _call_of(value)
    if call is not None:
        slots = (name for base in type(value).__mro__ for name in getattr(base, "__slots__", ()))
        names = sorted({*slots, *getattr(value, "__dict__", {})} - {"__dict__", "__weakref__"})
        held = filter(_is_plain, (getattr(value, name, None) for name in names))
        return [repr(value), *(_of_value(one, depth + 1) for one in (call, *held))]
    return repr(value)


def _looked_up(function: Any) -> Iterator[Any]:
    """What a function finds in its closure, and in its module."""
    for cell in function.__closure__ or ():
        with suppress(ValueError):  # empty as yet
            yield cell.cell_contents
    for name in _global_names(function.__code__):
        if name in function.__globals__:
            yield function.__globals__[name]


def _global_names(code: CodeType) -> list[str]:
    own = {str(one.argval) for one in get_instructions(code) if one.opname == "LOAD_GLOBAL"}
    return sorted(own.union(*(_global_names(inner) for inner in code.co_consts if isinstance(inner, CodeType))))


def _is_plain(value: Any) -> bool:
    """Whether it is what does not change: lists and the like may, from call to call."""
    plain = int | float | complex | str | tuple | partial | np.ndarray | sp.Basic | MethodType | FunctionType
    return isinstance(value, plain) or _call_of(value) is not None


def _call_of(value: Any) -> FunctionType | None:
    """What an object does when it is called, if that is written in Python."""
    found = next((vars(base)["__call__"] for base in type(value).__mro__ if "__call__" in vars(base)), None)
    return found if isinstance(found, FunctionType) else None


def _essence(code: CodeType) -> list[Any]:
    constants = [_essence(one) if isinstance(one, CodeType) else repr(one) for one in code.co_consts]
    return [code.co_code.hex(), list(code.co_names), constants]


def _digest(*texts: str) -> str:
    return hashlib.sha256(_ADDRESS.sub("", "\n".join(texts)).encode()).hexdigest()[:16]
