"""Statements of saved solutions: as text and back, with a stand-in for what text cannot hold."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, NoReturn, final

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray
from fspielm.errors import ProblemError
from fspielm.expr.functions import make_field
from fspielm.files.archive import decode
from fspielm.files.domain import describe_domain
from fspielm.files.read import read_draft, read_problem
from fspielm.files.toml import write_toml
from fspielm.files.write import write_problem
from fspielm.geometry.boundary import BoundaryPart
from fspielm.geometry.domain import Domain
from fspielm.geometry.shapes.box import Box
from fspielm.geometry.time import Time
from fspielm.problem.compiled import Compiled, real_unknowns
from fspielm.problem.operator import Operator, Term
from fspielm.problem.places import whole_domain
from fspielm.problem.problem import Problem, problem_of
from fspielm.problem.setting import Unknown
from fspielm.problem.statement import Relation, Statement
from fspielm.problem.substitutions import Substitutions


def domain_text(domain: Domain) -> str | None:
    """A problem file with this domain and nothing else, or None if text cannot hold it."""
    names = ", ".join(f"x{i + 1}" for i in range(domain.dimension))
    try:
        content = {"unknown": f"u({names})", "equation": "u = 0", "domain": describe_domain(domain), "conditions": []}
        text = write_toml(content)
        read_draft(text)
    except ProblemError:
        return None
    return text


def read_domain_text(text: Any) -> Domain:
    """The domain that `domain_text` has described."""
    return read_draft(_without_files(text)).domain


def _without_files(text: Any) -> str:
    """The text, refused if it names another file: a saved solution must not read files of its reader."""
    if not isinstance(text, str) or "\n" not in text:
        raise ValueError("a statement that is no problem file")
    tables: list[Any] = [tomllib.loads(text)]
    while tables:
        table = tables.pop()
        if isinstance(table, dict) and "file" in table:
            raise ValueError("a statement that names another file")
        tables += table.values() if isinstance(table, dict) else table if isinstance(table, list) else []
    return text


def describe_statement(problem: Problem, tol: float, seed: int | None) -> dict[str, Any]:
    """The statement as JSON has it.

    ``problem`` is the text of a problem file, from which the problem can be solved again; None if the problem holds
    something that text cannot, and ``missing`` says what. The rest is enough to evaluate.
    """
    for term in (term for relation in problem.pattern for term in relation.operator.terms):
        if isinstance(term.coefficient, _NotStored):  # loaded without its statement before
            return dict(term.coefficient.stated)
    lower, upper = problem.domain.bounding_box
    time = problem.domain.time
    stated: dict[str, Any] = {
        "functions": list(problem.names),
        "complex": problem.dtype.kind == "c",
        "pairs": problem.whole is not None,
        "coordinates": [str(symbol) for symbol in problem.coordinates],
        "equations": [
            [str(e.lhs), str(e.rhs)] if isinstance(e, sp.Eq) else [str(e), "0"] for e in problem.statement.equations
        ],
        "conditions": [repr(condition) for condition in problem.conditions],
        "shape": repr(problem.domain),
        "bounding_box": [lower.tolist(), upper.tolist()],
        "time": None if time is None else [time.start, time.end],
        "problem": None,
        "missing": None,
    }
    try:
        text = _problem_text(problem, tol, seed)
    except ProblemError as error:
        reason = " ".join(str(error).splitlines()[0].split())
        return stated | {"missing": reason, "domain": domain_text(problem.domain)}
    return stated | {"problem": text}


def read_stated_problem(stated: Mapping[str, Any]) -> Problem:
    """The problem, or without its text a stand-in that can be evaluated but not solved."""
    if stated["problem"] is not None:
        return read_problem(_without_files(stated["problem"]))
    not_stored = _NotStored(stated)
    coordinates = tuple(sp.Symbol(decode(str, name)) for name in stated["coordinates"])
    text = stated["domain"]
    domain = _BoxOnly(stated, not_stored) if text is None else read_domain_text(text)
    if domain.dimension != len(coordinates):
        raise ValueError(f"a domain of {domain.dimension} dimensions for {len(coordinates)} coordinates")
    # files of the first format have one of each
    names = stated["functions"] if "functions" in stated else [stated["function"]]
    sides = stated["equations"] if "equations" in stated else [stated["equation"]]
    shown = tuple(sp.Eq(*(sp.Symbol(decode(str, side)) for side in pair), evaluate=False) for pair in sides)  # as text
    dtype = np.dtype(np.complex128 if stated.get("complex", False) else np.float64)
    unknowns = tuple(Unknown(sp.Function(decode(str, name))(*coordinates), domain, dtype) for name in names)
    operator = Operator(len(coordinates), (Term(not_stored, (0,) * len(coordinates)),))
    value, everywhere = make_field(0, coordinates), whole_domain(domain)
    equations = tuple(Relation(f"equation {number + 1}", operator, value, everywhere) for number in range(len(shown)))
    equations = equations if len(equations) > 1 else (replace(equations[0], name="equation"),)
    statement = Statement(shown, domain, (), origin=partial(read_stated_problem, stated))
    whole = Compiled(statement, unknowns, equations, Substitutions())
    if stated.get("pairs", False):
        return problem_of(replace(whole, unknowns=real_unknowns(unknowns), whole=whole))
    return problem_of(whole)


def _problem_text(problem: Problem, tol: float, seed: int | None) -> str:
    """The problem as a file; refused if that would not be the same problem."""
    if not problem.pattern:
        name = problem.names[0]
        raise ProblemError(
            f"{name} is one of the unknowns of a system; save the whole solution rather than solution[{name}]"
        )
    text = write_problem(problem, tol=tol, rng=seed)
    # reading it back also refuses names that the notation does not know, and too many numbers
    if read_problem(text).names != problem.names:
        raise ProblemError("a problem file does not keep the order of the unknowns")
    return text


class _NotStored:
    """A function that was not stored; calling it says so."""

    def __init__(self, stated: Mapping[str, Any]) -> None:
        self.stated = stated
        self.reason: str = decode(str, stated["missing"])

    def __call__(self, points: Any) -> NoReturn:
        raise ProblemError(
            f"the statement was not saved with the solution ({self.reason}); state the problem again for what needs it"
        )


@final
class _BoxOnly(Domain):
    """A domain of which no more than the bounding box was stored."""

    def __init__(self, stated: Mapping[str, Any], not_stored: _NotStored) -> None:
        lower, upper = (np.array(decode(tuple[float, ...], side)) for side in stated["bounding_box"])
        if lower.shape != upper.shape:
            raise ValueError(f"a box of {len(lower)} and {len(upper)} dimensions")
        self._box = lower, upper
        self._time = None if stated["time"] is None else Time(*decode(tuple[float, ...], stated["time"]))
        self._shape: str = decode(str, stated["shape"])
        self._not_stored = not_stored

    @property
    def dimension(self) -> int:
        return len(self._box[0])

    @property
    def bounding_box(self) -> tuple[FloatArray, FloatArray]:
        return self._box[0].copy(), self._box[1].copy()

    @property
    def time(self) -> Time | None:
        return self._time

    @property
    def measure(self) -> float:
        return self._not_stored(None)

    def _contains_nearly(self, points: FloatArray) -> BoolArray:
        return Box(*self._box)._contains_nearly(points)

    def _contains(self, points: FloatArray, closed: bool) -> BoolArray:
        return self._not_stored(points)

    def _boundary(self, axes: Sequence[str]) -> tuple[BoundaryPart, ...]:
        return self._not_stored(None)

    def __repr__(self) -> str:
        return self._shape


def one_material(points: FloatArray) -> NDArray[np.int_]:
    """Rows of materials that are the same at all points."""
    return np.zeros((len(points), 1), dtype=np.int_)


@final
@dataclass(frozen=True, eq=False)
class StatedMaterials:
    """The materials of points by a statement, which is read when they are first needed."""

    # see `describe_statement`
    stated: Mapping[str, Any]

    @cached_property
    def problem(self) -> Problem:
        """The problem that was solved, or a stand-in that knows regions."""
        return read_stated_problem(self.stated)

    def __call__(self, points: FloatArray) -> NDArray[np.int_]:
        """Rows that are equal where the materials are."""
        return self.problem.material_of(points)
