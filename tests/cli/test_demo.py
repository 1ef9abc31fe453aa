"""``fspielm demo``: the table it prints."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import fspielm as fs
from fspielm.cli import cases as demo
from fspielm.paper.demo import CaseRun, run_case


@pytest.fixture(scope="module")
def run() -> CaseRun:
    case = fs.cases.load("poisson-1d")
    return run_case(case, {}, rng=0)


@pytest.fixture
def quick_demo(monkeypatch: pytest.MonkeyPatch, run: CaseRun) -> dict[str, Any]:
    """A demonstration of one case; the arguments it was called with."""
    called: dict[str, Any] = {}

    def run_demo(out: Path, *, starts: Any, ends: Any, **arguments: Any) -> list[CaseRun]:
        called.update(arguments, out=out)
        starts(run.case)
        ends(run)
        return [run]

    monkeypatch.setattr(demo, "run_demo", run_demo)
    return called


def test_prints_the_table_and_where_the_page_is(fspielm: Any, quick_demo: dict[str, Any]) -> None:
    done = fspielm("demo", "--out", "there", "--rng", 5)
    assert done.status == 0
    assert quick_demo == {"out": Path("there"), "rng": 5}
    assert max(map(len, done.out.splitlines())) <= 80
    row = next(line.split() for line in done.out.splitlines() if line.startswith("poisson-1d"))
    assert int(row[1]) < 200
    assert float(row[2]) <= float(row[3]) <= 1e-8
    assert row[4] == "8.22e-12"
    assert done.out.endswith(f"{Path('there') / 'index.html'}\n")
    assert done.err == "poisson-1d ...\n"


def test_the_table_of_all_cases_fits_80_columns(run: CaseRun) -> None:
    console = Console(width=80, record=True, file=StringIO())
    runs = [replace(run, case=fs.cases.load(name), seconds=143.0) for name in fs.cases.names()]
    console.print(demo.results_table(runs))
    text = console.export_text()
    assert text.count("2 min 23 s") == len(runs)
    assert all(name in text for name in fs.cases.names())
    assert all(heading in text for heading in ("functions", "L2 error", "estimate", "paper's", "time"))
    assert "\u2026" not in text


def test_a_solve_without_estimate_has_a_dash(run: CaseRun) -> None:
    by_hand = run_case(run.case, run.case.paper.settings("fs-l"), rng=0)
    console = Console(width=80, record=True, file=StringIO())
    console.print(demo.results_table([by_hand]))
    assert console.export_text().splitlines()[-1].split()[3] == "-"


def test_a_terminal_gets_a_display_that_vanishes(
    fspielm: Any, quick_demo: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    done = fspielm("demo")
    assert done.status == 0
    assert quick_demo == {"out": Path("out"), "rng": 0}
    assert "poisson-1d" in done.err
    assert "0/7" in done.err or "1/7" in done.err


def test_without_matplotlib_the_remedy_is_named(fspielm: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fspielm.geometry.pictures.find_spec", lambda name: None)
    done = fspielm("demo", "--out", tmp_path / "out")
    assert done.status == 2
    assert 'pip install "fspielm[plot]"' in done.error
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_other_files_is_refused(fspielm: Any, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    done = fspielm("demo", "--out", tmp_path)
    assert done.status == 2
    assert "holds other files (thesis.tex)" in done.error
