"""What is no regular file is refused, and nobody waits for it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

import fspielm as fs
from fspielm.disk import open_file

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")


@pytest.fixture
def pipe(tmp_path: Path) -> Callable[[str], Path]:
    """A pipe of that name, to which nobody writes."""

    def make(name: str) -> Path:
        os.mkfifo(tmp_path / name)
        return tmp_path / name

    return make


def test_a_file_is_opened(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"some")
    with open_file(tmp_path / "a") as file:
        assert file.read() == b"some"
    with pytest.raises(FileNotFoundError):
        open_file(tmp_path / "b")


def test_anything_else_is_named(tmp_path: Path, pipe: Callable[[str], Path]) -> None:
    with pytest.raises(OSError, match="it is a pipe, not a file"):
        open_file(pipe("a"))
    with pytest.raises(IsADirectoryError, match="it is a folder, not a file"):
        open_file(tmp_path)
    with pytest.raises(OSError, match="it is a device, not a file"):
        open_file(os.devnull)


@pytest.mark.parametrize(
    ("read", "name"),
    [
        (fs.read_problem, "a.toml"),
        (fs.read_problem_file, "a.toml"),
        (fs.study.read_plan, "a.toml"),
        (fs.load, "a.fspielm"),
        (fs.Polygon.from_geojson, "a.geojson"),
        (fs.Surface.load, "a.stl"),
    ],
)
def test_nobody_waits_for_a_pipe(read: Callable[[Path], object], name: str, pipe: Callable[[str], Path]) -> None:
    with pytest.raises(fs.ProblemError, match="it is a pipe, not a file"):
        read(pipe(name))


def test_a_study_is_no_pipe(pipe: Callable[[str], Path]) -> None:
    with pytest.raises(fs.ProblemError, match="pipe or a device, not a study"):
        fs.study.Store.open(pipe("a.db"))
