"""``fspielm check`` and ``fspielm new``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import sympy as sp
import typer
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from fspielm.cli.modes import EIGENVALUE
from fspielm.cli.options import choose
from fspielm.cli.output import facts_table, headed_table, page_console
from fspielm.disk import check_place, staged_file
from fspielm.disk import describe as describe_of_disk
from fspielm.errors import ProblemError
from fspielm.expr.functions import describe
from fspielm.expr.printing import print_equation
from fspielm.files.conditions import describe_condition, describe_incident
from fspielm.files.draft import ProblemDraft
from fspielm.files.read import read_draft
from fspielm.files.toml import shown
from fspielm.files.write import EXAMPLES, example, write_problem
from fspielm.jobs.plan_file import example_plan
from fspielm.paper.cases import catalogue as cases
from fspielm.problem.problem import Problem
from fspielm.problem.statement import AnyCondition

# ---- ``fspielm check``


def check_file(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="A problem file.")],
    latex: Annotated[bool, typer.Option("--latex", help="Print the problem as LaTeX, and nothing else.")] = False,
) -> None:
    """Print the problem of a file as it was understood, and what is missing.

    Nothing is solved. Equations are shown with their derivatives carried out, the conditions by the part of the
    boundary that they hold on.
    """
    draft = read_draft(path)
    if latex:
        print(draft.latex())
        draft.problem_file()
        return
    console = page_console()
    title = draft.settings["title"]
    console.print(Text(f"{path}: {title}\n" if title else f"{path}\n", style="bold"))
    console.print(_facts(draft))
    for equation in draft.equations:
        console.print(Padding(Text(_pretty(equation, draft, console)), (1, 0, 0, 2)))
    console.print()
    console.print(_conditions_table(draft))
    # raises an error, below what was read, if something is missing
    file = draft.problem_file()
    console.print(Text(f"\nComplete: {_kind(file.problem)}. {_next_step(file.problem, path)}"))


def _next_step(problem: Problem, path: Path) -> str:
    """The command to use next: solve or, if all data are zero, modes."""
    driven = problem.statement.incident is not None or any(r.value.constant != 0.0 for r in problem.pattern)
    if driven or not problem.is_linear or problem.domain.time is not None:
        return f"Next: fspielm solve {path}"
    zero = "Nothing drives it: all data are zero, and so is the solution."
    names = [str(symbol) for symbol in problem.parameters]
    if not names:
        return (
            f"{zero} Where its eigenvalues are meant, write them as a parameter, as in -laplacian(u) = lam*u with "
            f"lam = 1 under [parameters]; then: fspielm modes {path}"
        )
    symbol = "" if EIGENVALUE in names else f" --symbol {names[0]}"
    within = " --within 1-0.5j 3" if problem.domain.is_unbounded else ""
    return f"{zero} Next, for its eigenvalues: fspielm modes {path}{symbol}{within}"


def _kind(problem: Problem) -> str:
    """The kind of problem, in a few words."""
    operators = [relation.operator for relation in problem.pattern if relation.region.kind == "domain"]
    order = max(operator.order for operator in operators)
    constant = all(operator.is_constant for operator in operators)
    kind = f"{'constant' if constant else 'variable'} coefficients" if problem.is_linear else "nonlinear"
    system = f"{len(operators)} equations for {len(problem.unknowns)} unknowns, " * (len(operators) > 1)
    return f"{system}order {order}, {kind}{', complex values' * (problem.dtype.kind == 'c')}"


def _facts(draft: ProblemDraft) -> Table:
    names, settings = draft.names, draft.settings
    several = "s" * (len(names.unknowns) > 1)
    unknowns = ", ".join(map(str, names.unknowns))
    facts = {f"unknown{several}": unknowns + ("" if names.time is None else f", {names.time} is time")}
    for name, value in names.parameters.items():
        facts[f"parameter {name}"] = f"{describe(value)}{_decimal(value)}"
    facts["domain"] = str(draft.domain)
    if draft.incident is not None:
        told = describe_incident(draft.incident, names.scope)
        facts["incident"] = told if isinstance(told, str) else ", ".join(f"{k} = {v}" for k, v in told.items())
    facts["tolerance"] = f"{settings.get('tol', 1e-8):g}"
    if "exact" in settings:
        exact = settings["exact"]
        known = {"": exact} if isinstance(exact, sp.Basic) else exact
        facts |= {f"reference {name}".rstrip(): describe(value) for name, value in known.items()}
    for name in ("plot", "table"):
        if name in settings:
            facts[name] = str(settings[name])
    return facts_table(facts | {f"equation{'s' * (len(draft.equations) > 1)}": ""})


def _decimal(value: sp.Expr) -> str:
    """The decimal value of an expression, unless the expression is such a number."""
    if (value.is_Number and not value.is_Rational) or value.is_Integer:
        return ""
    if not value.has(sp.I):
        return f" = {float(value):.6g}"
    number = complex(value)
    return f" = {number.real:.6g} {'-' if number.imag < 0 else '+'} {abs(number.imag):.6g}i"


def _pretty(equation: sp.Basic, draft: ProblemDraft, console: Console) -> str:
    """An equation in two-dimensional notation; in one line if it is too wide."""
    whole = equation if isinstance(equation, sp.Eq) else sp.Eq(equation, 0, evaluate=False)
    text: str = sp.pretty(whole, use_unicode="utf" in console.encoding.lower(), wrap_line=False)
    if max(map(len, text.splitlines())) <= console.width - 2:
        return text
    return print_equation(whole, draft.names.whole_scope)


def _conditions_table(draft: ProblemDraft) -> Table:
    """One row for each part of the boundary, for the initial time, and for conditions inside."""
    table = headed_table()
    for heading in ("part", "conditions"):
        table.add_column(heading, overflow="fold")
    for name, conditions in draft.by_place().items():
        lines = [_shown(condition, draft) for condition in conditions]
        table.add_row(Text(name), Text("\n".join(lines or ["none"]), style="" if lines else "bold red"))
    return table


def _shown(condition: AnyCondition, draft: ProblemDraft) -> str:
    """The condition as in the file, without the part, which the row names."""
    fields = describe_condition(condition, draft.names.whole_scope)
    kind = fields.pop("type")
    fields.pop("on", None)
    main = [_written(fields.pop(key)) for key in ("equation", "value") if key in fields]
    others = [f"{key} {_written(value)}" for key, value in fields.items()]
    text = ", ".join([*main, *others])
    return f"{kind}: {text}" if text else kind


def _written(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} = {_written(one)}" for name, one in value.items())
    return shown(value) if isinstance(value, list) else str(value)


# ---- ``fspielm new`` and ``fspielm study new``


_Force = Annotated[bool, typer.Option("--force", help="Replace a file that exists.")]


def new_file(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write it.")] = Path("problem.toml"),
    case: Annotated[
        str | None,
        typer.Option(metavar="CASE", help="Write this benchmark.", show_default="an example with comments"),
    ] = None,
    kind: Annotated[
        str, typer.Option("--example", metavar="NAME", help=f"Which example: {', '.join(EXAMPLES)}.")
    ] = "waves",
    force: _Force = False,
) -> None:
    """Write a problem file to start from.

    Examples: waves has one unknown, flow several, absorbing complex values.
    """
    name = choose("example", kind, tuple(EXAMPLES))
    text = example(name) if case is None else _benchmark(choose("case", case, cases.names()))
    write_example(text, path, force=force)
    print(f"Wrote {path}. Next: fspielm check {path}; fspielm solve {path}")


def new_plan(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write it.")] = Path("plan.toml"),
    force: _Force = False,
) -> None:
    """Write a plan file to start from.

    An example with comments, which runs as it is.

    Example: fspielm study new mine.toml
    """
    write_example(example_plan(), path, force=force)
    print(f"Wrote {path}. Next: fspielm study run {path}")


def write_example(text: str, path: Path, *, force: bool) -> None:
    """Write a file; replace an existing one only with `force`."""
    if not force:
        _claim(path)
    try:
        with staged_file(path) as draft:
            draft.write_text(text, encoding="utf-8")
    except BaseException:
        if not force:
            path.unlink(missing_ok=True)
        raise


def _benchmark(name: str) -> str:
    case = cases.load(name)
    return write_problem(case.problem, title=case.title, rng=0, exact=case.exact)


def _claim(path: Path) -> None:
    """Create an empty file, so that no other process creates it meanwhile."""
    check_place(path)
    try:
        path.open("x").close()
    except FileExistsError:
        raise ProblemError(f"{path} exists; choose another name, or add --force to replace it") from None
    except OSError as error:
        raise ProblemError(f"cannot write {str(path)!r}: {describe_of_disk(error)}") from error
