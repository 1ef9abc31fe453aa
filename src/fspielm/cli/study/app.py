"""The commands of ``fspielm study``, gathered."""

from __future__ import annotations

import typer

from fspielm.cli.study.export import export_study
from fspielm.cli.study.new import new_plan
from fspielm.cli.study.plans import list_plans
from fspielm.cli.study.report import report_study
from fspielm.cli.study.run import run_study
from fspielm.cli.study.status import show_status
from fspielm.cli.study.theory import write_theory_page

study_app = typer.Typer(
    help="Run parameter studies: planned, stored, resumed, reported.",
    epilog="Start with 'fspielm study run quick', or your own: 'fspielm study new'.",
    rich_markup_mode=None,
)
study_app.command("plans")(list_plans)
study_app.command("new")(new_plan)
study_app.command("run")(run_study)
study_app.command("status")(show_status)
study_app.command("report")(report_study)
study_app.command("export")(export_study)
study_app.command("theory")(write_theory_page)


@study_app.callback(invoke_without_command=True)
def _without_a_command(context: typer.Context) -> None:
    """Run parameter studies: planned, stored, resumed, reported."""
    if context.invoked_subcommand is None:
        print(context.get_help())
