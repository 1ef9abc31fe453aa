"""Help, version, and the two commands that only print."""

from __future__ import annotations

from typing import Any

import pytest
from typer.testing import CliRunner

import fspielm as fs
from fspielm import resources as blas
from fspielm.cli import cases as info
from fspielm.cli.app import app


@pytest.mark.parametrize(
    "command", [[], ["cases"], ["solve"], ["modes"], ["show"], ["check"], ["new"], ["demo"], ["study"], ["info"]]
)
def test_help_fits_80_columns(command: list[str]) -> None:
    result = CliRunner().invoke(app, [*command, "--help"], env={"COLUMNS": "80"}, prog_name="fspielm")
    assert result.exit_code == 0
    assert result.output.startswith("Usage: fspielm")
    assert max(map(len, result.output.splitlines())) <= 80


def test_no_arguments_print_the_help(fspielm: Any) -> None:
    done = fspielm()
    assert done.status == 0
    for command in ("cases", "solve", "modes", "show", "check", "new", "demo", "study", "info"):
        assert f"\n  {command} " in done.out


def test_help_of_solve_names_the_methods(fspielm: Any) -> None:
    text = " ".join(fspielm("solve", "--help").out.split())
    assert all(method in text for method in fs.cases.METHODS)
    for option in ("--mu LOW HIGH", "--tol X", "--seconds S", "--neurons N"):
        assert option in text


def test_version(fspielm: Any) -> None:
    assert fspielm("--version") == (0, f"fspielm {fs.__version__}\n", "")


def test_cases_lists_all_with_the_best_of_the_paper(fspielm: Any) -> None:
    done = fspielm("cases")
    assert done.status == 0
    lines = done.out.splitlines()
    assert max(map(len, lines)) <= 80
    rows = {line.split()[0]: line.split()[1:] for line in lines if line[:1].isalpha()}
    assert [name for name in rows if name in fs.cases.names()] == fs.cases.names()
    assert rows["poisson-1d"] == ["200", "8.22e-12", "fs-l"]
    assert rows["heat"] == ["1200", "1.41e-09", "gff"]
    assert "Helmholtz equation, wavenumber 24 pi" in done.out


def test_info_names_versions_and_machine(fspielm: Any) -> None:
    done = fspielm("info")
    assert done.status == 0
    lines = dict(line.split(maxsplit=1) for line in done.out.splitlines())
    assert lines["fspielm"] == fs.__version__
    expected = {"python", "numpy", "scipy", "sympy", "typer", "matplotlib", "blas", "cores", "memory"}
    assert lines.keys() >= expected
    assert int(lines["cores"]) >= 1


def test_info_without_matplotlib_says_so(fspielm: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def version(package: str) -> str:
        if package == "matplotlib":
            raise info.PackageNotFoundError
        return "1.0"

    monkeypatch.setattr(info, "version", version)
    assert "matplotlib  not installed" in fspielm("info").out


def test_blas_threads_can_be_set_where_they_can_be_read() -> None:
    before = blas.threads()
    if before is None:
        pytest.skip("this linear algebra library does not tell its threads")
    try:
        assert blas.set_threads(1)
        assert blas.threads() == 1
    finally:
        blas.set_threads(before)
    assert blas.threads() == before


def test_messages_are_wrapped_on_a_terminal_alone(fspielm: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    one_line = fspielm("solve", "heat", "--set", "k=1").error
    assert len(one_line) > 80 - len("fspielm: error: ")
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    first, *others = fspielm("solve", "heat", "--set", "k=1").err.splitlines()
    assert others
    assert all(line.startswith("  ") for line in others)
    assert all(len(line) <= 80 for line in (first, *others))
    assert " ".join([first, *map(str.strip, others)]) == f"fspielm: error: {one_line}"
