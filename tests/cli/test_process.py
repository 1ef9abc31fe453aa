"""The command line as a process: entry points, pipes, and how Ctrl-C ends it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import fspielm as fs

PLAIN = {name: value for name, value in os.environ.items() if name not in ("FORCE_COLOR", "TTY_COMPATIBLE")}

posix = pytest.mark.skipif(os.name != "posix", reason="sends POSIX signals")


def start(*arguments: object, module: str = "fspielm") -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", module, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=PLAIN,
    )


@pytest.mark.parametrize("module", ["fspielm", "fspielm.cli"])
def test_both_modules_run(module: str) -> None:
    process = start("--version", module=module)
    assert process.communicate(timeout=300) == (f"fspielm {fs.__version__}\n", "")
    assert process.returncode == 0


@posix
def test_a_reader_that_leaves_is_no_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    process = subprocess.run(
        [sys.executable, "-m", "fspielm", "study", "plans"],
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        env=PLAIN,
        timeout=300,
    )
    os.close(writing)
    assert process.returncode == 1
    assert process.stderr == ""


@posix
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_solve_ends_at_once(tmp_path: Path, number: int, status: int) -> None:
    # large enough to be in the middle of its factorisation for many seconds, on any machine
    options = (
        "--method",
        "fs-l",
        "--neurons",
        4500,
        "--least-squares",
        "qr",
        "--threads",
        1,
        "--plot",
        tmp_path / "a.png",
    )
    process = start("solve", "helmholtz-2d", *options)
    assert process.stderr is not None
    assert process.stderr.readline() == "solving helmholtz-2d with 4500 functions ...\n"
    process.send_signal(number)
    out, err = process.communicate(timeout=300)
    assert process.returncode == status
    # no report: it did not wait for the solve to end
    said = "; there is no result yet, and nothing is written" if number == signal.SIGINT else ""
    assert (out, err) == ("", f"fspielm: interrupted{said}\n")
    assert list(tmp_path.iterdir()) == []


@posix
def test_an_interrupted_demo_leaves_what_was_there(tmp_path: Path) -> None:
    process = start("demo", "--out", tmp_path / "new" / "out")
    assert process.stderr is not None
    assert process.stderr.readline() == "helmholtz-2d ...\n"
    assert len(list((tmp_path / "new").iterdir())) == 1  # the folder that is being filled
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=300) == ("", "fspielm: interrupted\n")
    assert process.returncode == 130
    assert list((tmp_path / "new").iterdir()) == []


@pytest.mark.parametrize("module", ["fspielm", "fspielm.cli"])
@pytest.mark.parametrize("imported", ["numpy", "sympy", "rich"])
def test_an_interrupt_during_the_imports_is_one_line(tmp_path: Path, module: str, imported: str) -> None:
    (tmp_path / f"{imported}.py").write_text("raise KeyboardInterrupt\n")
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    process = subprocess.run(
        [sys.executable, "-m", module, "info"],
        capture_output=True,
        text=True,
        env=PLAIN | {"PYTHONPATH": path},
        timeout=300,
    )
    assert (process.returncode, process.stdout, process.stderr) == (130, "", "fspielm: interrupted\n")
