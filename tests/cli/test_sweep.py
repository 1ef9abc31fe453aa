"""``fspielm solve FILE --set``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

STRING = """\
unknown = "u(x)"
equation = "dx(u, 2) + k**2*u = 0"
parameters = { k = 10 }
domain = { shape = "Interval", a = 0, b = 1 }
conditions = [{ type = "dirichlet", value = "cos(k*x)" }]
"""


@pytest.fixture
def string(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("string.toml").write_text(STRING, encoding="utf-8")
    return "string.toml"


def test_rows_as_a_table_and_as_json(fspielm: Callable[..., Any], string: str) -> None:
    wanted = (string, "--set", "k=1:2:0.5", "--at", "0.5", "--keep", "rows.db", "--workers", "1")
    done = fspielm("solve", *wanted, "--out", "rows.csv", "--plot", "rows.png")
    assert done.status == 0
    assert [line.split()[:2] for line in done.out.splitlines()[4:7]] == [
        ["1", "0.877583"],
        ["1.5", "0.731689"],
        ["2", "0.540302"],
    ]
    assert done.out.endswith("\n\nWritten: rows.csv\n\nPicture: rows.png\n")
    assert len(Path("rows.csv").read_text(encoding="utf-8").splitlines()) == 4
    again = json.loads(fspielm("solve", *wanted, "--json").out)
    assert [row["k"] for row in again["rows"]] == [1.0, 1.5, 2.0]
    assert all(row["converged"] for row in again["rows"])


@pytest.mark.parametrize(
    ("wanted", "title", "label"), [(("--at", "0.5"), "at x = 0.5", "u"), ((), "", "root mean square")]
)
def test_a_picture_says_what_was_measured(
    fspielm: Callable[..., Any], string: str, wanted: tuple[str, ...], title: str, label: str
) -> None:
    done = fspielm("solve", string, "--set", "k=1,2", *wanted, "--workers", "1", "--plot", "rows.svg")
    assert done.status == 0
    drawn = Path("rows.svg").read_text(encoding="utf-8")
    assert all(f">{text}</text>" in drawn for text in (title, label) if text)


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        (["--set", "q=1,2"], "the file has no parameter 'q': its parameters are k; write q = 1 under [parameters]"),
        (["--set", "k"], "--set 'k' has no values; write --set f=500:2000:50 (from 500 to 2000 in steps of 50)"),
        (["--set", "k=1:2"], "--set 'k=1:2' must be FIRST:LAST:STEP"),
        (["--set", "k=2:1:0.5"], "never gets from its first value to its last"),
        (["--set", "k=one"], "has values that are no numbers"),
        (["--set", "k=1", "--at", "7"], "--at 7 is outside of the domain"),
        (["--set", "k=1", "--at", "1,2"], "--at must be a number for each of the coordinates x"),
        (["--set", "k=1", "--approach", "band"], "--approach is for a single solve; leave it out with --set"),
        (["--keep", "rows.db"], "--keep belongs to a sweep; add --set"),
    ],
)
def test_mistakes(fspielm: Callable[..., Any], string: str, wanted: list[str], message: str) -> None:
    done = fspielm("solve", string, *wanted)
    assert done.status == 2
    assert message in done.error


def test_a_benchmark_has_no_parameters(fspielm: Callable[..., Any]) -> None:
    assert "--set is for problem files" in fspielm("solve", "heat", "--set", "k=1,2").error
