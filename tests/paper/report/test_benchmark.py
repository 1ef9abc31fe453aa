"""The benchmark of reports still makes its made-up study, and a report of it."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from fspielm.jobs import Plan, Sweep
from fspielm.paper.report import report
from fspielm.paper.report.analysis import read_study
from fspielm.paper.report.report import write_report

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "report.py"


@pytest.mark.skipif(not SCRIPT.is_file(), reason="the benchmarks come with the repository, not with the package")
def test_a_small_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = runpy.run_path(str(SCRIPT))
    plan = Plan(script["NAME"], Sweep(["poisson-1d"], ["gff", "fs-l"], mu=[(5, 250)], seeds=[0, 1]))
    script["make_store"](tmp_path / "synthetic.db", plan)
    result = read_study(tmp_path / "synthetic.db")
    assert result.complete
    assert list(result.environments) == list(result.solves_on) == ["synthetic"]
    monkeypatch.setattr(report, "save_figure", lambda figure, stem: None)
    page = write_report(tmp_path / "synthetic.db", tmp_path / "report").read_text(encoding="utf-8")
    assert "SYNTHETIC" in page
