"""The tables in files: every number with its digits, and LaTeX that is safe to read in."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fspielm.jobs import Outcome, Plan, Subject, Sweep
from fspielm.paper.report.analysis import StudyResult
from fspielm.paper.report.tables import (
    best_errors_table,
    best_ranges_table,
    escape,
    interval,
    number,
    subject_table,
    write_cells,
    write_summary,
)

Make = Callable[..., StudyResult]


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


class TestCsv:
    def test_cells(self, make_result: Make, small_plan: Plan, in_trouble: Any, tmp_path: Path) -> None:
        result = make_result(small_plan, in_trouble)
        write_cells(result, tmp_path / "cells.csv")
        lines = read(tmp_path / "cells.csv")
        assert len(lines) == 12
        assert {line["failed"] for line in lines if line["method"] == "tanh"} == {"2"}
        assert {line["not_finite"] for line in lines if line["method"] == "siren"} == {"2"}
        assert [line["error_best"] for line in lines[:2]] == ["", ""]
        best = result.subjects[0].groups[0].best("fs-l")
        assert best is not None
        assert best.error is not None
        assert repr(best.error.mean) in [line["error_mean"] for line in lines]

    def test_summary(self, make_result: Make, tmp_path: Path) -> None:
        plan = Plan("p", Sweep(["poisson-1d"], ["fs-l", "automatic"], seeds=[0, 1]))
        write_summary(make_result(plan), tmp_path / "summary.csv")
        line, automatic = read(tmp_path / "summary.csv")
        assert (line["paper_best"], line["paper_mu_max"], line["range_of"]) == ("8.22e-12", "250", "study")
        assert float(line["best_ratio"]) == float(line["error_best"]) / 8.22e-12
        assert (automatic["mu_min"], automatic["paper_method"]) == ("", "fs-l")

    def test_a_study_that_has_not_begun(self, make_result: Make, small_plan: Plan, tmp_path: Path) -> None:
        result = make_result(small_plan, lambda job: None)
        write_cells(result, tmp_path / "cells.csv")
        write_summary(result, tmp_path / "summary.csv")
        assert [line["ended"] for line in read(tmp_path / "cells.csv")] == ["0"] * 12
        assert read(tmp_path / "summary.csv") == []


def check_latex(text: str) -> list[list[str]]:
    """A table that LaTeX can read: braces and dollars in pairs, and as many columns as are announced."""
    bare = re.sub(r"\\[\\{}$&%#_]", "", text)
    assert bare.count("{") == bare.count("}")
    assert bare.count("$") % 2 == 0
    assert bare.isascii()
    first, begin, *body = text.splitlines()
    assert first.startswith("% ")
    found = re.fullmatch(r"\\begin\{tabular\}\{([lc]+)\}", begin)
    assert found is not None
    rules = [r"\toprule", r"\midrule", r"\bottomrule", r"\end{tabular}"]
    assert [line for line in body if line in rules] == rules
    lines = [line for line in body if line not in rules]
    assert all(line.endswith(r" \\") for line in lines)
    rows = [line.removesuffix(r" \\").split(" & ") for line in lines]
    assert {len(row) for row in rows} == {len(found.group(1))}
    return rows


class TestLatex:
    def test_a_subject(self, make_result: Make) -> None:
        plan = Plan("p", Sweep(["heat"], ["gff", "fs-l-space", "automatic"], seeds=[0, 1]))
        rows = check_latex(subject_table(make_result(plan).subjects[0]))
        assert [row[1] for row in rows] == [
            "",
            *["here", "paper", "here", "paper, FS-PIELM-L", "here", "paper, GFF-PIELM"],
        ]
        assert rows[2][2:6] == ["$[30, 70]$", number(1.41e-9), *rows[2][4:6]]
        assert rows[5][2] == "--"
        assert rows[0][-3:] == ["Seeds", "Best / paper's", "Mean / paper's"]
        assert rows[1][-3] == "2"

    def test_seeds_that_gave_no_number(self, make_result: Make, made_up: Any) -> None:
        plan = Plan("p", Sweep(["heat"], ["gff"], seeds=range(5)))
        outcomes = [None, Outcome("failed", "no"), Outcome("done", measure="exact", seconds=1.0)]
        result = make_result(plan, lambda job: outcomes[job.seed] if job.seed < 3 else made_up(job))
        rows = check_latex(subject_table(result.subjects[0]))
        assert rows[1][-3] == "2 of 5: 1 failed, 1 not finite, 1 to come"

    def test_several_settings(self, make_result: Make, string: Subject) -> None:
        sweep = Sweep([string.name], ["fs-l"], mu=[(1, 2)], neurons=[20, 30], seeds=[0])
        result = make_result(Plan("100% own_study", sweep, files=[string]))
        rows = check_latex(subject_table(result.subjects[0]))
        assert [row[0] for row in rows[1:]] == ["FS-PIELM-L (20 neurons)", "FS-PIELM-L (30 neurons)"]
        cases = [row[0] for row in check_latex(best_errors_table(result))[1:]]
        assert cases == [rf"a \textless{{}}string\textgreater{{}} ({size} neurons)" for size in (20, 30)]

    def test_summaries(self, make_result: Make) -> None:
        plan = Plan("p", [Sweep(["heat", "poisson-1d"], ["gff", "fs-l"], seeds=[0]), Sweep(["heat"], ["automatic"])])
        result = make_result(plan)
        errors, ranges = check_latex(best_errors_table(result)), check_latex(best_ranges_table(result))
        assert errors[0] == ["Case", "GFF-PIELM", "FS-PIELM-L", "automatic"]
        assert [sum("mathbf" in text for text in row) for row in errors[1:]] == [1, 1]
        assert ranges[1:] == [
            ["heat", "$[30, 70]$", "$[5, 80]$", "--"],
            ["poisson-1d", "$[25, 350]$", "$[5, 250]$", "--"],
        ]

    def test_nothing_solved(self, make_result: Make, small_plan: Plan) -> None:
        result = make_result(small_plan, lambda job: Outcome("failed", "no"))
        assert len(check_latex(subject_table(result.subjects[0]))) == 1
        assert check_latex(best_errors_table(result))[1] == ["poisson-1d", *["--"] * 4]

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("a_b & 50%", r"a\_b \& 50\%"),
            ("x^2 {~}", r"x\textasciicircum{}2 \{\textasciitilde{}\}"),
            ("\\a", r"\textbackslash{}a"),
        ],
    )
    def test_text_is_escaped(self, text: str, expected: str) -> None:
        assert escape(text) == expected

    def test_numbers(self) -> None:
        assert number(1.372e-8) == r"$1.37 \times 10^{-8}$"
        assert number(2.0, bold=True) == r"$\mathbf{2.00 \times 10^{0}}$"
        assert number(None) == number(float("inf")) == interval(None) == "--"
        assert interval((2.5, 40.0)) == "$[2.5, 40]$"
