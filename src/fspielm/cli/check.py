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
from fspielm.equations import AnyCondition
from fspielm.expressions import describe, print_equation
from fspielm.files import ProblemDraft, describe_condition, read_draft
from fspielm.files.table import shown

_WIDTH = 80


def check_file(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="A problem file.")],
    latex: Annotated[bool, typer.Option("--latex", help="Print the problem as LaTeX, and nothing else.")] = False,
) -> None:
    """Print the problem of a file as it was understood, and what is missing.

    Nothing is solved. The equation is shown with its derivatives carried out, the conditions by the part of the
    boundary that they hold on.
    """
    draft = read_draft(path)
    if latex:
        print(as_latex(draft))
        draft.problem_file()
        return
    console = Console(highlight=False, width=min(_WIDTH, Console().width))
    title = draft.settings["title"]
    console.print(Text(f"{path}: {title}\n" if title else f"{path}\n", style="bold"))
    console.print(_facts(draft))
    console.print(Padding(Text(_pretty(draft, console)), (1, 0, 1, 2)))
    console.print(_conditions_table(draft))
    # what is missing is an error, under the account of what is there
    file = draft.problem_file()
    operator = file.problem.operator
    kind = "constant" if operator.is_constant else "variable"
    console.print(Text(f"\nComplete: order {operator.order}, {kind} coefficients. Next: fspielm solve {path}"))


def _facts(draft: ProblemDraft) -> Table:
    names, settings = draft.names, draft.settings
    facts = {"unknown": str(names.unknown) + ("" if names.time is None else f", {names.time} is time")}
    for name, value in names.parameters.items():
        decimal = "" if (value.is_Number and not value.is_Rational) or value.is_Integer else f" = {float(value):.6g}"
        facts[f"parameter {name}"] = f"{describe(value)}{decimal}"
    facts["domain"] = str(draft.domain)
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


def _pretty(draft: ProblemDraft, console: Console) -> str:
    """The equation as in a book; in one line of the notation where it would not fit the page."""
    equation = draft.equation
    whole = equation if isinstance(equation, sp.Eq) else sp.Eq(equation, 0, evaluate=False)
    text: str = sp.pretty(whole, use_unicode="utf" in console.encoding.lower(), wrap_line=False)
    if max(map(len, text.splitlines())) <= console.width - 2:
        return text
    return print_equation(whole, replace(draft.names.scope, unknown=draft.names.unknown))


def _conditions_table(draft: ProblemDraft) -> Table:
    """One row for each part of the boundary, for the start of time, and for what holds inside."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for heading in ("part", "conditions"):
        table.add_column(heading, overflow="fold")
    for name, conditions in draft.by_place().items():
        lines = [_shown(condition, draft) for condition in conditions]
        table.add_row(Text(name), Text("\n".join(lines or ["none"]), style="" if lines else "bold red"))
    return table


def _shown(condition: AnyCondition, draft: ProblemDraft) -> str:
    """The condition as the file has it, but for the names of the parts, which are known by the row."""
    names = draft.names
    fields = describe_condition(condition, replace(names.scope, unknown=names.unknown))
    kind = fields.pop("type")
    fields.pop("on", None)
    main = [str(fields.pop(key)) for key in ("equation", "value") if key in fields]
    others = [f"{key} {shown(value) if isinstance(value, list) else value}" for key, value in fields.items()]
    text = ", ".join([*main, *others])
    return f"{kind}: {text}" if text else kind
