"""The folder: its files, what they say, and what it replaces."""

from __future__ import annotations

import csv
import os
import re
from functools import partial
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from fspielm.errors import ProblemError
from fspielm.paper.theory import STEPS, compare, compare_ratios, report, write_theory
from fspielm.paper.theory.comparison import MARK, signed_percent, significant
from fspielm.paper.theory.pictures import draw_densities, draw_moments, draw_ratios
from fspielm.paper.theory.report import ratios_latex

SAMPLES = 500


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """The folder, with pictures of few panels, and how many steps were told."""
    out = tmp_path_factory.mktemp("theory") / "out"
    steps: list[None] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(report, "draw_moments", lambda rows: draw_moments([row for row in rows if row.dimension == 2]))
        patch.setattr(report, "draw_densities", partial(draw_densities, dimensions=(2,)))
        write_theory(out, rng=3, samples=SAMPLES, ends=lambda: steps.append(None))
    return out, len(steps)


@pytest.fixture
def no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "save_picture", lambda figure, path: path.write_text("picture"))
    for name in ("draw_moments", "draw_ratios", "draw_densities"):
        monkeypatch.setattr(report, name, lambda *arguments, **options: Figure())


def test_every_file_is_there(written: tuple[Path, int]) -> None:
    out, steps = written
    assert set(os.listdir(out)) == report.FILES
    assert steps == STEPS
    for name in ("variance_ratio", "moments", "densities"):
        assert (out / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert (out / f"{name}.pdf").read_bytes().startswith(b"%PDF")


def test_one_panel_for_each_dimension() -> None:
    rows = compare(dimensions=(1, 2, 3), magnitudes=(0.0, 1.0, 10.0), samples=10)
    assert len(draw_moments(rows).axes) == 4 * 3
    assert len(draw_densities(dimensions=(1, 4), targets=(10.0,), samples=10).axes) == 2
    ratios = draw_ratios(compare_ratios(dimensions=(1, 2), samples=10)).axes[0]
    assert ratios.get_legend_handles_labels()[1][-3:] == ["exact", "paper", "drawn"]


def test_tables_hold_every_row(written: tuple[Path, int]) -> None:
    out, _ = written
    with (out / "theory.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2 * 5 * 11
    (row,) = (row for row in rows if (row["scheme"], row["dimension"], row["mu"]) == ("shift", "3", "10.0"))
    assert float(row["exact_mean"]) == pytest.approx(10.1, rel=1e-14)
    assert float(row["exact_variance"]) == pytest.approx(0.99, rel=1e-12)
    assert float(row["paper_mean"]) == pytest.approx(103**0.5)
    assert row["samples"] == str(SAMPLES)
    with (out / "variance_ratio.csv").open(newline="") as file:
        assert len(list(csv.DictReader(file))) == 5 * 8


def test_findings(written: tuple[Path, int]) -> None:
    text = (written[0] / "theory.md").read_text()
    assert text.startswith(MARK)
    assert f"from {SAMPLES} neurons (rng 3)" in text
    assert "| 1 | +25.33% | 2.11 | 7.05 | 22.36 |" in text
    assert "| 2 | 0.4292 | +16.49% | -2.75% at mu = 3.0 | 1.06 | 6.71 | 22.26 |" in text
    assert "| 5 | +5.09% | always | 6.60 | 22.22 |" in text
    assert "1749 (-0.01%)" in text
    assert "nan" not in text
    assert "{" not in text
    for line in text.splitlines():
        assert line.startswith("|") or len(line) <= 120


def test_every_table_is_rectangular(written: tuple[Path, int]) -> None:
    text = (written[0] / "theory.md").read_text()
    tables = re.findall(r"(?:^\|.*\n?)+", text, flags=re.MULTILINE)
    assert len(tables) == 8
    for lines in (found.strip().splitlines() for found in tables):
        assert len({line.count("|") for line in lines}) == 1


def test_latex(written: tuple[Path, int]) -> None:
    text = (written[0] / "theory.tex").read_text()
    body = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert len(body) == 2 + 8
    assert {line.count("&") for line in body[1:]} == {10}
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == 1
    assert "80 & 3653 & 3653 & 1749 & 1749" in text
    assert [text.index(rule) for rule in (r"\toprule", r"\midrule", r"\bottomrule")] == sorted(
        text.index(rule) for rule in (r"\toprule", r"\midrule", r"\bottomrule")
    )


def test_latex_of_one_dimension() -> None:
    text = ratios_latex(compare_ratios(dimensions=(2,), frequencies=(10.0,), samples=10))
    assert r"10 & 27.5 & 27.3 \\" in text
    assert r"\cmidrule(lr){2-3}" in text


@pytest.mark.usefixtures("no_pictures")
class TestReplacing:
    def test_a_second_run_replaces_the_first(self, tmp_path: Path) -> None:
        for seed in (0, 1):
            write_theory(tmp_path / "out", rng=seed, samples=10)
        assert "rng 1" in (tmp_path / "out" / "theory.md").read_text()
        assert os.listdir(tmp_path) == ["out"]

    def test_the_same_seed_gives_the_same_files(self, tmp_path: Path) -> None:
        for name in ("a", "b"):
            write_theory(tmp_path / name, samples=10)
        for name in ("theory.md", "theory.csv", "variance_ratio.csv", "theory.tex"):
            assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()

    def test_what_is_not_ours_stays(self, tmp_path: Path) -> None:
        (tmp_path / "theory.md").write_text("# My theory")
        with pytest.raises(ProblemError, match=r"replaced.*other files \(theory.md"):
            write_theory(tmp_path, samples=10)
        assert (tmp_path / "theory.md").read_text() == "# My theory"

    def test_a_failure_leaves_nothing(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(*arguments: object, **options: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(report, "draw_densities", fail)
        with pytest.raises(KeyboardInterrupt):
            write_theory(tmp_path / "out", samples=10)
        assert os.listdir(tmp_path) == []

    def test_a_wrong_argument_is_told_before_anything_is_drawn(self, tmp_path: Path) -> None:
        with pytest.raises(ProblemError, match=r"samples.*at least 2; got 1"):
            write_theory(tmp_path / "out", samples=1)
        with pytest.raises(ProblemError, match="rng must be a whole number"):
            write_theory(tmp_path / "out", rng=-1)


def test_unscaled_neurons_do_not_spoil_the_scores() -> None:
    rows = compare(dimensions=(1,), magnitudes=(0.0,), samples=10)
    assert rows[0].scheme == "scaling"
    assert rows[0].mean_score == rows[0].variance_score == 0.0


def test_markdown(written: tuple[Path, int]) -> None:
    text = (written[0] / "theory.md").read_text("utf-8")
    assert "| where | what | printed | computed | off by |\n| :--- | :--- | ---: | ---: | ---: |\n| Theorem" in text
    assert [signed_percent(value) for value in (0.2533, -0.0001, -1e-9, 0.0)] == ["+25.33%", "-0.01%", "0.00%", "0.00%"]
    assert [significant(value) for value in (0.6529, 1.0667, 27.46, 167.36, 58449.5)] == [
        "0.653",
        "1.07",
        "27.5",
        "167",
        "58450",
    ]
