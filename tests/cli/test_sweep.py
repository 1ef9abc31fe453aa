"""``fspielm solve FILE --set``."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sympy as sp

import fspielm as fs

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
        (["--set", "k=1", "--out", "u.fspielm"], "with --set, --out writes a table of all rows, to .csv or .nc; got"),
        (["--keep", "rows.db"], "--keep belongs to a sweep; add --set"),
    ],
)
def test_mistakes(fspielm: Callable[..., Any], string: str, wanted: list[str], message: str) -> None:
    done = fspielm("solve", string, *wanted)
    assert done.status == 2
    assert message in done.error


def test_a_benchmark_has_no_parameters(fspielm: Callable[..., Any]) -> None:
    assert "--set is for problem files" in fspielm("solve", "heat", "--set", "k=1,2").error


DERIVED = STRING.replace("{ k = 10 }", '{ f = 500, k = "2*pi*f/343" }')


@pytest.mark.parametrize(
    ("wanted", "wavenumbers"), [("f=100,200", (200 * math.pi / 343, 400 * math.pi / 343)), ("k=1,2", (1.0, 2.0))]
)
def test_parameters_from_which_others_are_derived(
    fspielm: Callable[..., Any], string: str, wanted: str, wavenumbers: tuple[float, ...]
) -> None:
    Path(string).write_text(DERIVED, encoding="utf-8")
    done = fspielm("solve", string, "--set", wanted, "--at", "0.5", "--workers", "1", "--json")
    assert done.status == 0
    rows = json.loads(done.out)["rows"]
    assert [row["u"] for row in rows] == pytest.approx([math.cos(k / 2) for k in wavenumbers], abs=1e-6)


def test_saved_files_keep_what_a_parameter_is_derived_from(fspielm: Callable[..., Any], string: str) -> None:
    Path(string).write_text(DERIVED, encoding="utf-8")
    assert fspielm("solve", string, "--out", "string.fspielm").status == 0
    loaded = fs.load("string.fspielm").problem
    assert [str(symbol) for symbol in loaded.parameters] == ["f", "k"]
    f, k = loaded.parameters
    assert loaded.at({f: 343}).givens.symbols[k] == 2 * sp.pi
    assert loaded.at({k: 7}).parameters == (k,)
    again = fs.read_problem(fs.write_problem(loaded))
    assert again.at({f: 343}).givens.symbols[k] == 2 * sp.pi


def test_a_parameter_that_shapes_the_domain_is_refused(fspielm: Callable[..., Any], string: str) -> None:
    text = STRING.replace("{ k = 10 }", '{ f = 500, b = "f/500", k = "2*pi*f/343" }').replace("b = 1 }", 'b = "b" }')
    Path(string).write_text(text, encoding="utf-8")
    done = fspielm("solve", string, "--set", "f=1,2")
    assert done.status == 2
    assert "the domain is written with f, and stays as it is" in done.error
    assert fspielm("solve", string, "--set", "k=1,2", "--workers", "1").status == 0
