"""The demonstration: its settings, what it writes, and what it leaves when it fails."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fspielm as fs
from fspielm.errors import ProblemError
from fspielm.paper import demo
from fspielm.paper.demo import run_case


@pytest.fixture(scope="module")
def page(tiny_demo: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str], list[str]]:
    """The folder of a demonstration, and which cases it said it started and ended."""
    out, started, ended = tmp_path_factory.mktemp("demo") / "out", [], []
    tiny_demo(out, starts=lambda case: started.append(case.name), ends=lambda run: ended.append(run.case.name))
    return out, started, ended


@pytest.fixture
def quick_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "draw_run", lambda run: None)
    monkeypatch.setattr(demo, "save_picture", lambda figure, path: path.write_text("picture"))


def test_writes_a_picture_of_every_case_and_the_page(page: tuple[Path, list[str], list[str]]) -> None:
    out, started, ended = page
    assert started == ended == fs.cases.names()
    assert set(os.listdir(out)) == {"index.html", *(f"{name}.png" for name in fs.cases.names())}
    assert os.listdir(out.parent) == ["out"]
    for name in fs.cases.names():
        assert (out / f"{name}.png").read_bytes().startswith(b"\x89PNG")


def test_a_second_run_replaces_the_first(
    page: tuple[Path, list[str], list[str]], tiny_demo: Any, quick_pictures: None
) -> None:
    out, _, _ = page
    assert len(tiny_demo(out, rng=1)) == 7
    assert "--rng 1" in (out / "index.html").read_text()
    assert (out / "heat.png").read_text() == "picture"


@pytest.mark.parametrize("failure", [RuntimeError, KeyboardInterrupt])
@pytest.mark.usefixtures("quick_pictures")
def test_a_failure_in_the_middle_leaves_the_older_page(
    tmp_path: Path, tiny_demo: Any, monkeypatch: pytest.MonkeyPatch, failure: type[BaseException]
) -> None:
    tiny_demo(tmp_path / "out")
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    seen = []

    def fail_at_the_fourth(case: Any, settings: Any, *, rng: int) -> Any:
        seen.append(case.name)
        if len(seen) == 4:
            raise failure
        return run_case(case, settings, rng=rng)

    monkeypatch.setattr(demo, "run_case", fail_at_the_fourth)
    with pytest.raises(failure):
        tiny_demo(tmp_path / "out", rng=9)
    assert os.listdir(tmp_path) == ["out"]
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before


def test_a_folder_that_holds_something_else_is_refused_first(
    tmp_path: Path, tiny_demo: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data.csv").touch()
    monkeypatch.setattr(demo, "run_case", lambda *args, **kwargs: pytest.fail("solved"))
    with pytest.raises(ProblemError, match=r"data\.csv"):
        tiny_demo(tmp_path)
    assert os.listdir(tmp_path) == ["data.csv"]


def test_the_smallest_beats_the_paper() -> None:
    case = fs.cases.load("poisson-1d")
    run = run_case(case, {}, rng=0)
    assert run.solution.converged
    assert run.relative_error < case.paper.results["fs-l"].best


class TestRun:
    def test_the_time_includes_what_no_phase_does(self) -> None:
        case = fs.cases.load("poisson-1d")
        run = run_case(case, {}, rng=0)
        assert run.phases.keys() == {*run.solution.report.seconds, "other"}
        assert run.phases["other"] >= 0
        assert sum(run.phases.values()) == pytest.approx(run.seconds)

    def test_the_widths_are_those_of_the_best_round(self) -> None:
        case = fs.cases.load("poisson-1d")
        with pytest.warns(fs.AccuracyWarning, match="budget of 40 functions"):
            run = run_case(case, {"budget": fs.Budget(neurons=40), "approach": "band"}, rng=0)
        assert f"widths=({run.solution.report.widths['x']:.4g},)" in run.solution.report.features
        assert run_case(case, {}, rng=0).solution.report.widths == pytest.approx({"x": 75 * np.pi})

    def test_a_solve_by_hand_has_no_widths(self) -> None:
        case = fs.cases.load("poisson-1d")
        assert run_case(case, case.paper.settings("fs-l"), rng=0).solution.report.widths is None
