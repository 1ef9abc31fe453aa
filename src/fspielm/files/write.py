"""Problems into files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import fields, replace
from importlib.resources import files
from typing import Any

import sympy as sp

from fspielm.disk import staged_file
from fspielm.errors import ProblemError
from fspielm.expr.printing import print_equation, print_expression
from fspielm.expr.scope import Scope
from fspielm.files.conditions import describe_condition, describe_given, describe_incident, given_by_region
from fspielm.files.domain import describe_domain
from fspielm.files.draft import ProblemFile
from fspielm.files.toml import write_toml
from fspielm.problem.parameters import need_values
from fspielm.problem.problem import Problem
from fspielm.problem.substitutions import order_of_derivation
from fspielm.solvers.request import Approach, Budget

EXAMPLES = {"waves": "example.toml", "flow": "example_flow.toml", "absorbing": "example_absorbing.toml"}


def write_problem(
    problem: Problem,
    path: str | os.PathLike[str] | None = None,
    *,
    title: str = "",
    tol: float = ProblemFile.tol,
    rng: int | None = None,
    budget: Budget | None = None,
    approach: Approach | None = None,
    guess: float | sp.Expr | Mapping[Any, float | sp.Expr] | None = None,
    exact: sp.Expr | Mapping[Any, sp.Expr] | None = None,
) -> str:
    """Write a problem as a file that `read_problem` reads back, exact to the last bit.

    Parameters
    ----------
    problem : Problem
        Without callables, which a file cannot hold.
    path : path, optional
        Where to write it; without a path nothing is written.
    title : str
    tol, rng, budget, approach
        For `fspielm.solve`.
    guess : number or Expr, optional; for a system a mapping from unknowns to such
        The start of Newton's method.
    exact : Expr, optional; for a system a mapping from unknowns to such
        A known solution to measure with.

    Returns
    -------
    str
        The text of the file.

    Raises
    ------
    ProblemError
        If the problem holds something that the format has no word for; the message names it.
    """
    if not isinstance(problem, Problem):
        raise ProblemError(f"problem must be an fs.Problem; got {problem!r}")
    if problem.open_symbols:
        raise ProblemError(need_values(problem, problem.open_symbols))
    scope = _scope(problem)
    regional, functions = given_by_region(problem)
    given = problem.statement.given or {}
    numbers = {s: sp.sympify(given[s]) for s in problem.givens.symbols if s not in regional}
    own = Scope(parameters={str(s): s for s in numbers})
    scope = replace(scope, unknowns=tuple(functions), parameters={**scope.parameters, **{str(s): s for s in regional}})
    unknowns = tuple(unknown.symbol for unknown in problem.stated.unknowns)
    whole = replace(scope, unknowns=(*unknowns, *functions))
    incident = problem.statement.incident
    content: dict[str, Any] = {"title": title} if title else {}
    content |= {
        **_one_or_all("unknown", [str(symbol) for symbol in unknowns]),
        **_one_or_all("equation", [print_equation(equation, whole) for equation in problem.statement.equations]),
        "parameters": {str(s): print_expression(numbers[s], own) for s in order_of_derivation(numbers)}
        | describe_given(regional, own),
        "domain": describe_domain(problem.domain),
        "given": describe_given(functions, replace(scope, unknowns=())),
        "conditions": _describe_conditions(problem, whole),
        "incident": {} if incident is None else describe_incident(incident, scope),
        "solve": _settings(tol, rng, budget or Budget())
        | ({} if approach is None else {"approach": approach})
        | ({} if guess is None else {"guess": _describe_functions(problem, guess, scope)}),
        "reference": {} if exact is None else {"exact": _describe_functions(problem, exact, scope)},
    }
    text = write_toml({key: value for key, value in content.items() if value != {}})
    if path is not None:
        with staged_file(path) as draft:
            draft.write_text(text, encoding="utf-8")
    return text


def example(name: str = "waves") -> str:
    """A problem file with comments, to start from: one of `EXAMPLES`."""
    return files("fspielm.files").joinpath(EXAMPLES[name]).read_text(encoding="utf-8")


def _scope(problem: Problem) -> Scope:
    """The names of a problem, refused if a file could not distinguish them."""
    givens = problem.givens
    time = problem.coordinates[-1] if problem.domain.time is not None else None
    parameters = {str(symbol): symbol for symbol in givens.symbols}
    if len(parameters) < len(givens.symbols):
        raise ProblemError("given holds two symbols of one name but different assumptions; rename one")
    return Scope(problem.coordinates, time, (), parameters)


def _one_or_all(key: str, texts: list[str]) -> dict[str, str | list[str]]:
    return {key: texts[0]} if len(texts) == 1 else {f"{key}s": texts}


def _describe_functions(problem: Problem, given: Any, scope: Scope) -> str | dict[str, str]:
    def text(value: Any) -> str:
        return print_expression(sp.sympify(value) if isinstance(value, int | float) else value, scope)

    if not isinstance(given, Mapping):
        return text(given)
    names = list(problem.names)
    return {names[problem.place(key)]: text(value) for key, value in given.items()}


def _describe_conditions(problem: Problem, scope: Scope) -> list[dict[str, Any]]:
    tables: list[dict[str, Any]] = []
    for condition in problem.conditions:
        table = describe_condition(condition, scope)
        if table not in tables:
            tables.append(table)
    return tables


def _settings(tol: float, rng: int | None, budget: Budget) -> dict[str, Any]:
    """The settings that differ from the defaults."""
    settings: dict[str, Any] = {} if tol == ProblemFile.tol else {"tol": float(tol)}
    settings |= {} if rng is None else {"rng": rng}
    limits = {field.name: getattr(budget, field.name) for field in fields(Budget)}
    return settings | {name: v for name, v in limits.items() if v is not None and v != getattr(Budget, name)}
