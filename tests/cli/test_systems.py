"""Systems and complex problems on the command line: new, check, solve, and what they write."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import fspielm as fs

PENDULUM = """\
title = "A pendulum, as a system of first order"
unknowns = ["u(t)", "v(t)"]
equations = ["dt(u) = 3*v", "dt(v) = -3*u"]
domain = { time = [0, 2] }
conditions = [{ type = "initial", value = { u = 1, v = 0 } }]

[reference]
exact = { u = "cos(3*t)", v = "-sin(3*t)" }
"""

LOSSY = """\
unknown = "u(x)"
equation = "dx(u, 2) + k**2*u = 0"
domain = { shape = "Interval", a = 0, b = 1 }
conditions = [{ type = "dirichlet", value = "exp(i*k*x)" }]

[parameters]
k = "9 + i/2"

[reference]
exact = "exp(i*k*x)"
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with problem files."""
    monkeypatch.chdir(tmp_path)
    Path("pendulum.toml").write_text(PENDULUM, encoding="utf-8")
    Path("lossy.toml").write_text(LOSSY, encoding="utf-8")


def fits(text: str) -> bool:
    return max(map(len, text.splitlines())) <= 80


def test_a_system_is_checked(fspielm: Callable[..., Any]) -> None:
    done = fspielm("check", "pendulum.toml")
    assert done.status == 0
    assert fits(done.out)
    lines = [line.rstrip() for line in done.out.splitlines()]
    assert "unknowns     u(t), v(t), t is time" in lines
    assert "reference u  cos(3*t)" in lines
    assert "t = 0   initial: u = 1, v = 0" in lines
    assert "Complete: 2 equations for 2 unknowns, order 1, constant coefficients." in " ".join(done.out.split())


def test_complex_values_are_said(fspielm: Callable[..., Any]) -> None:
    done = fspielm("check", "lossy.toml")
    assert fits(done.out)
    assert "9 + I/2 = 9 + 0.5i" in done.out
    assert "order 2, constant coefficients, complex values." in " ".join(done.out.split())


def test_latex(fspielm: Callable[..., Any]) -> None:
    done = fspielm("check", "pendulum.toml", "--latex")
    assert r"u &= 1,\quad v = 0 && \text{ at } t = 0" in done.out
    assert r"\frac{\partial v}{\partial t} &= - 3 u &&" in done.out


@pytest.mark.parametrize("name", ["pendulum", "lossy"])
def test_solved(fspielm: Callable[..., Any], name: str) -> None:
    pytest.importorskip("matplotlib")
    done = fspielm("solve", f"{name}.toml", "--plot", "out.png")
    assert done.status == 0
    assert fits(done.out)
    assert "converged" in done.out
    assert ("of each" in done.out) == (name == "pendulum")
    assert Path("out.png").read_bytes().startswith(b"\x89PNG")


def test_shown_again(fspielm: Callable[..., Any]) -> None:
    fspielm("solve", "pendulum.toml", "--out", "it.fspielm")
    done = fspielm("show", "it.fspielm")
    assert fits(done.out)
    assert "of each" in done.out


def test_json(fspielm: Callable[..., Any]) -> None:
    content = json.loads(fspielm("solve", "pendulum.toml", "--json").out)
    assert content["relative_error"] < 1e-8
    assert content["converged"] is True


def test_a_missing_condition_follows_what_is_there(fspielm: Callable[..., Any]) -> None:
    Path("less.toml").write_text(PENDULUM.replace("u = 1, v = 0", "u = 1"), encoding="utf-8")
    done = fspielm("check", "less.toml")
    assert done.status != 0
    assert "initial: u = 1" in done.out
    assert "less.toml: " in done.err


@pytest.mark.parametrize("name", ["flow", "absorbing"])
def test_examples(fspielm: Callable[..., Any], name: str) -> None:
    assert fspielm("new", "mine.toml", "--example", name).status == 0
    assert fits(fspielm("check", "mine.toml").out)
    assert fs.read_problem("mine.toml").unknowns
    assert "unknown example 'flaw'; did you mean flow?" in fspielm("new", "x.toml", "--example", "flaw").err


@pytest.mark.parametrize("name", ["pendulum", "lossy"])
def test_written_and_shown(fspielm: Callable[..., Any], name: str) -> None:
    done = fspielm("solve", f"{name}.toml", "--out", "s.npz", "--out", "s.csv", "--out", "s.fspielm")
    assert done.status == 0
    assert all(Path(f"s.{suffix}").stat().st_size for suffix in ("npz", "csv", "fspielm"))
    shown = fspielm("show", "s.fspielm")
    assert shown.status == 0
    assert fits(shown.out)
    title = "A pendulum, as a system of first order" if name == "pendulum" else "u(x)"
    assert shown.out.startswith(f"s.fspielm: {title}\n")
    # saved from Python, it has no title
    fs.load("s.fspielm").save("t.fspielm")
    unknowns = "u(t), v(t)" if name == "pendulum" else "u(x)"
    assert fspielm("show", "t.fspielm").out.startswith(f"t.fspielm: {unknowns}\n")
