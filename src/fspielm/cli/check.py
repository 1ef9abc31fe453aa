"""``fspielm check``: a problem file as it was understood."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import sympy as sp
import typer
from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from fspielm.cli.latex import as_latex
from fspielm.equations import BoundaryCondition, Condition, Initial
from fspielm.equations.givens import read_givens
from fspielm.equations.regions import find_regions
from fspielm.errors import ProblemError
from fspielm.expressions import describe, print_equation
from fspielm.files import Statement, read_statement

_WIDTH = 80


def check_file(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="A problem file.")],
    latex: Annotated[bool, typer.Option("--latex", help="Print the problem as LaTeX, and nothing else.")] = False,
) -> None:
    """Print the problem of a file as it was understood, and what is missing.

    Nothing is solved. The equation is shown with its derivatives carried out, the conditions by the part of the
    boundary that they hold on.
    """
    statement = read_statement(path)
    if latex:
        print(as_latex(statement))
        statement.problem_file()
        return
    console = Console(highlight=False, width=min(_WIDTH, Console().width))
    title = statement.settings["title"]
    console.print(Text(f"{path}: {title}\n" if title else f"{path}\n", style="bold"))
    console.print(_facts(statement))
    console.print(Padding(Text(_pretty(statement, console)), (1, 0, 1, 2)))
    console.print(_conditions_table(statement))
    # what is missing is an error, under the account of what is there
    file = statement.problem_file()
    operator = file.problem.operator
    kind = "constant" if operator.is_constant else "variable"
    console.print(Text(f"\nComplete: order {operator.order}, {kind} coefficients. Next: fspielm solve {path}"))


def _facts(statement: Statement) -> Table:
    names, settings = statement.names, statement.settings
    facts = {"unknown": str(names.unknown) + ("" if names.time is None else f", {names.time} is time")}
    for name, value in names.parameters.items():
        decimal = "" if (value.is_Number and not value.is_Rational) or value.is_Integer else f" = {float(value):.6g}"
        facts[f"parameter {name}"] = f"{describe(value)}{decimal}"
    facts["domain"] = str(statement.domain)
    facts["tolerance"] = f"{settings.get('tol', 1e-8):g}"
    if "exact" in settings:
        facts["reference"] = describe(settings["exact"])
    for name in ("plot", "table"):
        if name in settings:
            facts[name] = str(settings[name])
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column()
    for name, fact in facts.items():
        table.add_row(Text(name), Text(fact))
    table.add_row(Text("equation"), Text(""))
    return table


def _pretty(statement: Statement, console: Console) -> str:
    """The equation as in a book; in one line of the notation where it would not fit the page."""
    equation = statement.equation
    whole = equation if isinstance(equation, sp.Eq) else sp.Eq(equation, 0, evaluate=False)
    text: str = sp.pretty(whole, use_unicode="utf" in console.encoding.lower(), wrap_line=False)
    if max(map(len, text.splitlines())) <= console.width - 2:
        return text
    return print_equation(whole, replace(statement.names.scope, unknown=statement.names.unknown))


def _conditions_table(statement: Statement) -> Table:
    """One row for each part of the boundary, and one for the start of time."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for heading in ("part", "conditions"):
        table.add_column(heading, overflow="fold")
    axes = [str(symbol) for symbol in statement.names.unknown.args]
    holding = {part.name: _holding(part.name, statement) for part in statement.domain.boundary(axes)}
    if statement.names.time is not None:
        initial = [_shown(c) for c in statement.conditions if isinstance(c, Initial)]
        holding[f"{statement.names.time} = {statement.domain.time.start:g}"] = initial  # type: ignore[union-attr]
    for name, conditions in holding.items():
        lines = conditions or ["none"]
        table.add_row(Text(name), Text("\n".join(lines), style="" if conditions else "bold red"))
    return table


def _holding(part: str, statement: Statement) -> list[str]:
    """The conditions that hold on a part, or on a piece of it."""
    return [_shown(c) for c in statement.conditions if isinstance(c, BoundaryCondition) and _holds(c, part, statement)]


def _holds(condition: BoundaryCondition, part: str, statement: Statement) -> bool:
    coordinates = statement.names.unknown.args
    parts = statement.domain.boundary([str(symbol) for symbol in coordinates])
    givens = read_givens(statement.names.given([condition.on]))
    try:
        regions = find_regions(condition, statement.domain, parts, coordinates, givens)
    except ProblemError:
        return False  # the part it names does not exist: which the error at the end says
    return any(region[0].name == part for region in regions)


def _shown(condition: Condition) -> str:
    order = f" order {condition.order}" if isinstance(condition, Initial) and condition.order else ""
    on = getattr(condition, "on", None)
    where = f" where {describe(on)}" if isinstance(on, sp.Basic) else ""
    return f"{condition.kind}{order}: {describe(condition.value)}{where}"
