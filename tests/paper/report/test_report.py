"""The folder of a report: everything in it, complete or not at all."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import fspielm as fs
from fspielm.jobs import Plan, Sweep
from fspielm.paper.report import report
from fspielm.paper.report.report import write_report

KINDS = ["heat-map", "lines", "seeds", "times", "frequencies"]


def everything_in(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def one_range() -> Plan:
    return Plan("one", Sweep(["poisson-1d"], ["fs-l"], seeds=[0]))


@pytest.fixture
def no_drawing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Empty files in the place of pictures."""

    def save(figure: Any, stem: Path) -> None:
        for suffix in (".png", ".pdf"):
            stem.with_name(stem.name + suffix).touch()

    monkeypatch.setattr(report, "save_figure", save)


def test_holds_everything_that_the_page_names(
    make_store: Any, small_plan: Plan, in_trouble: Any, parse: Any, tmp_path: Path
) -> None:
    steps: list[tuple[str, int, int]] = []
    page = write_report(make_store(small_plan, in_trouble), tmp_path / "out", progress=lambda *step: steps.append(step))
    assert page == tmp_path / "out" / "index.html"
    found = everything_in(tmp_path / "out")
    figures = {f"figures/poisson-1d-{kind}.{suffix}" for kind in KINDS for suffix in ("png", "pdf")}
    tables = {f"tables/{name}.tex" for name in ("best-errors", "best-ranges", "case-poisson-1d")}
    numbers = {"cells.csv", "summary.csv", "rows.csv", "rows.origin.json"}
    assert found == {"index.html"} | numbers | figures | tables
    links = {link for link in parse(page.read_text("utf-8")).values("href") if not link.startswith("#")}
    assert links == found - {"index.html"}
    assert [(done, total) for _, done, total in steps] == [(k, 5) for k in range(6)]
    for name in figures:
        head = (tmp_path / "out" / name).read_bytes()[:5]
        assert head == (b"%PDF-" if name.endswith("pdf") else b"\x89PNG\r")


@pytest.mark.usefixtures("no_drawing")
def test_replaces_its_own_folder(make_store: Any, one_range: Plan, tmp_path: Path) -> None:
    store = make_store(one_range)
    write_report(store, tmp_path / "out")
    first = {name: (tmp_path / "out" / name).read_bytes() for name in everything_in(tmp_path / "out")}
    write_report(store, tmp_path / "out")
    assert {name: (tmp_path / "out" / name).read_bytes() for name in everything_in(tmp_path / "out")} == first


@pytest.mark.usefixtures("no_drawing")
def test_refuses_a_folder_with_anything_else(make_store: Any, one_range: Plan, tmp_path: Path) -> None:
    store = make_store(one_range)
    write_report(store, tmp_path / "out")
    (tmp_path / "out" / "figures" / "mine.png").touch()
    with pytest.raises(fs.ProblemError, match=r"other files \(figures/mine.png"):
        write_report(store, tmp_path / "out")


@pytest.mark.usefixtures("no_drawing")
def test_a_failure_leaves_the_older_report(
    make_store: Any, one_range: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = make_store(one_range)
    (tmp_path / "out").mkdir()

    def fail(*args: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(report, "report_page", fail)
    with pytest.raises(KeyboardInterrupt):
        write_report(store, tmp_path / "out")
    assert everything_in(tmp_path) == {"study.db"}


@pytest.mark.usefixtures("no_drawing")
def test_leaves_the_store_alone(make_store: Any, one_range: Plan, tmp_path: Path) -> None:
    store = make_store(one_range)
    before = store.read_bytes()
    store.chmod(0o444)
    write_report(store, tmp_path / "out")
    assert store.read_bytes() == before


def test_a_study_that_has_not_begun(make_store: Any, one_range: Plan, tmp_path: Path) -> None:
    page = write_report(make_store(one_range, lambda job: None), tmp_path / "out")
    assert "0 of 1 solves have ended" in page.read_text("utf-8")


def test_no_store(tmp_path: Path) -> None:
    with pytest.raises(fs.ProblemError, match=r"there is no study 'missing.db'"):
        write_report("missing.db", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_needs_matplotlib(make_store: Any, one_range: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(fs.ProblemError, match=r"pip install .fspielm\[plot\]"):
        write_report(make_store(one_range), tmp_path / "out")
