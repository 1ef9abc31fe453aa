"""The commands, gathered."""

from __future__ import annotations

from typing import Annotated

import typer

from fspielm.cli.cases import list_cases, show_demo, show_info
from fspielm.cli.check import check_file, new_file
from fspielm.cli.modes import find_modes
from fspielm.cli.report import show_saved
from fspielm.cli.solve import solve_case
from fspielm.cli.study import study_app
from fspielm.version import __version__

app = typer.Typer(
    name="fspielm",
    help="Solve oscillatory PDEs without a mesh and without training.",
    epilog="Start with 'fspielm demo', 'fspielm solve poisson-1d', or a problem of your own: 'fspielm new'.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("cases")(list_cases)
app.command("solve")(solve_case)
app.command("modes")(find_modes)
app.command("show")(show_saved)
app.command("check")(check_file)
app.command("new")(new_file)
app.command("demo")(show_demo)
app.add_typer(study_app, name="study")
app.command("info")(show_info)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"fspielm {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Accept the options that come before a command."""
