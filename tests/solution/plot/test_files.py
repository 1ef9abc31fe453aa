"""Pictures as files: formats, atomic writing, animations, refusals."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import fspielm as fs
from fspielm.errors import ProblemError
from fspielm.solution import check_picture_path, save_picture
from fspielm.solution.plot.quantity import Sampling


@pytest.mark.parametrize(
    ("suffix", "start"),
    [("png", b"\x89PNG"), ("PNG", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml"), ("jpg", b"\xff\xd8")],
)
def test_the_suffix_names_the_format(line: fs.Solution, tmp_path: Path, suffix: str, start: bytes) -> None:
    line.plot(tmp_path / f"a.{suffix}")
    assert os.listdir(tmp_path) == [f"a.{suffix}"]
    assert (tmp_path / f"a.{suffix}").read_bytes().startswith(start)


def test_text_stays_text_and_the_same_picture_gives_the_same_bytes(square: fs.Solution, tmp_path: Path) -> None:
    for name in ("a.svg", "b.svg", "a.pdf", "b.pdf"):
        square.plot(tmp_path / name, title="Sound", resolution=16)
    assert b">Sound</text>" in (tmp_path / "a.svg").read_bytes()
    for kind in ("svg", "pdf"):
        assert (tmp_path / f"a.{kind}").read_bytes() == (tmp_path / f"b.{kind}").read_bytes()


def test_a_failure_leaves_the_older_file(line: fs.Solution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figure = line.plot()
    (tmp_path / "a.png").write_text("old")

    def fail(path: Path, **options: Any) -> None:
        path.write_text("half")
        raise KeyboardInterrupt

    monkeypatch.setattr(figure, "savefig", fail)
    with pytest.raises(KeyboardInterrupt):
        save_picture(figure, tmp_path / "a.png")
    assert os.listdir(tmp_path) == ["a.png"]
    assert (tmp_path / "a.png").read_text() == "old"


def test_the_check_leaves_nothing_behind(tmp_path: Path) -> None:
    check_picture_path(tmp_path / "a.png")
    assert os.listdir(tmp_path) == []


def test_paths_that_cannot_be_written_are_refused_before_anything_is_computed(
    line: fs.Solution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fs.Solution, "__call__", lambda *_: pytest.fail("evaluated"))
    with pytest.raises(ProblemError, match=r".gif, .mp4; got 'a.bmp'"):
        line.plot(tmp_path / "a.bmp")
    with pytest.raises(ProblemError, match=r"write a picture.*No such file"):
        line.plot(tmp_path / "missing" / "a.png")
    (tmp_path / "b.png").mkdir()
    with pytest.raises(ProblemError, match="it is a folder"):
        line.plot(tmp_path / "b.png")


@pytest.mark.parametrize("kind", ["plot", "plot_residual", "plot_spectrum", "plot_convergence"])
def test_without_matplotlib_the_remedy_is_named(line: fs.Solution, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.setattr("fspielm.geometry.pictures.find_spec", lambda name: None)
    with pytest.raises(ProblemError, match=r"fspielm\[plot\]"):
        getattr(line, kind)()


class TestAnimation:
    @pytest.fixture
    def few_frames(self, monkeypatch: pytest.MonkeyPatch) -> int:
        """Frames of what moves as slowly as here."""
        monkeypatch.setattr("fspielm.solution.plot.plot._FRAMES", Sampling(10.0, 4, 90))
        return 4

    @pytest.mark.parametrize(("which", "frames"), [("string", 12), ("pacman", 6)])
    def test_gif(
        self, request: pytest.FixtureRequest, which: str, frames: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("fspielm.solution.plot.plot._FRAMES", Sampling(10.0, frames, 90))
        solution = request.getfixturevalue(which)
        figure = solution.plot(tmp_path / "a.gif", resolution=12, title="over time")
        assert os.listdir(tmp_path) == ["a.gif"]
        assert (tmp_path / "a.gif").read_bytes().startswith(b"GIF89a")
        with Image.open(tmp_path / "a.gif") as movie:
            assert movie.n_frames >= 2 * frames / 3  # those that look alike are joined
            assert movie.convert("RGB").getpixel((0, 0)) == (255, 255, 255)
        end = solution.problem.domain.time.end
        assert figure.axes[0].get_title().endswith(f"= {end:g}")

    def test_a_notebook_shows_it(self, string: fs.Solution, few_frames: int) -> None:
        figure: Any = string.plot(animate=True, resolution=12)
        assert figure._repr_html_().startswith('<img alt="animation" src="data:image/gif;base64,R0lGOD')
        still: Any = string.plot(resolution=12)
        assert still._repr_html_() is None
        assert still._repr_png_().startswith(b"\x89PNG")

    def test_mp4_is_written_by_ffmpeg(
        self, string: fs.Solution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, few_frames: int
    ) -> None:
        # a stand-in: takes the frames, and writes to its last argument
        program = tmp_path / "bin" / "ffmpeg"
        program.parent.mkdir()
        program.write_text('#!/bin/sh\nfor last; do :; done\ncat > "$last"\n')
        program.chmod(program.stat().st_mode | stat.S_IEXEC)
        monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
        string.plot(tmp_path / "a.mp4", resolution=12)
        assert (tmp_path / "a.mp4").stat().st_size > few_frames * 300 * 200 * 3

    def test_mp4_without_ffmpeg_is_refused(
        self, string: fs.Solution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(shutil, "which", lambda name: None)
        with pytest.raises(ProblemError, match=r"'a.mp4'.*ffmpeg.*not installed"):
            string.plot(tmp_path / "a.mp4")

    def test_what_cannot_move_is_refused(self, square: fs.Solution, pacman: fs.Solution, tmp_path: Path) -> None:
        with pytest.raises(ProblemError, match=r"animation.*with time.*Box"):
            square.plot(tmp_path / "a.gif")
        with pytest.raises(ProblemError, match="leave time and ax out"):
            pacman.plot(animate=True, time=1.0)
        with pytest.raises(ProblemError, match=r"end in .gif, .mp4; got 'a.png'"):
            pacman.plot(tmp_path / "a.png", animate=True)


def test_long_titles_have_several_lines(square: fs.Solution) -> None:
    (axes, *_) = square.plot(title="a title of many words " * 5, resolution=16).axes
    assert max(map(len, axes.get_title().splitlines())) < 40
    assert axes.get_title().replace("\n", " ") == ("a title of many words " * 5).strip()
