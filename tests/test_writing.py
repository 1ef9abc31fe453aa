"""Files appear complete or not at all."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import fspielm as fs
from fspielm import disk as writing
from fspielm.disk import check_place, find_cause, staged_file
from fspielm.solution import save_picture


def test_the_file_appears_at_the_end_with_the_usual_permissions(tmp_path: Path) -> None:
    target, usual = tmp_path / "a.txt", tmp_path / "usual"
    usual.touch()
    with staged_file(target) as draft:
        draft.write_text("new")
        assert not target.exists()
        assert draft.parent == tmp_path
        assert draft.suffix == ".txt"
    assert target.read_text() == "new"
    assert target.stat().st_mode == usual.stat().st_mode
    assert {entry.name for entry in tmp_path.iterdir()} == {"a.txt", "usual"}


def test_an_older_file_stays_until_then_and_if_the_block_fails(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")
    target.chmod(0o640)

    def fail() -> None:
        with staged_file(target) as draft:
            draft.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.txt"]
    with staged_file(target) as draft:
        draft.write_text("new")
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_a_link_keeps_pointing_to_what_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "a.txt", tmp_path / "link.txt"
    target.write_text("old")
    link.symlink_to(target)
    with staged_file(link) as draft:
        draft.write_text("new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_drafts_of_killed_processes_are_removed_and_no_others(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    old, young = tmp_path / ".a.txt-00112233.draft.txt", tmp_path / ".a.txt-44556677.draft.txt"
    foreign = tmp_path / ".b.txt-00112233.draft.txt"
    for path in (old, young, foreign):
        path.touch()
    for path in (old, foreign):
        os.utime(path, (0, 0))
    with staged_file(target):
        pass
    assert not old.exists()
    assert young.exists()
    assert foreign.exists()


def test_a_disk_that_fails_is_an_error_with_its_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing, "_flush", full)
    with (
        pytest.raises(fs.ProblemError, match=r"write .*a\.txt'.*left on the disk"),
        staged_file(tmp_path / "a.txt"),
    ):
        pass
    assert os.listdir(tmp_path) == []


def test_places_are_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_place(tmp_path / "a.TXT", [".txt"])
    with pytest.raises(fs.ProblemError, match=r"end in \.nc, \.csv.*'a\.txt'"):
        check_place(tmp_path / "a.txt", [".nc", ".csv"])
    with pytest.raises(fs.ProblemError, match="it is a folder"):
        check_place(tmp_path)
    with pytest.raises(fs.ProblemError, match="its folder does not exist"):
        check_place(tmp_path / "none" / "a.txt")
    monkeypatch.setattr(os, "access", lambda *arguments: False)
    with pytest.raises(fs.ProblemError, match="its folder is read-only"):
        check_place(tmp_path / "a.txt")


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        (errno.ENOSPC, "no space left on the disk"),
        (errno.EDQUOT, "in your quota"),
        (errno.EROFS, "the disk is read-only"),
        (errno.EACCES, "it is not permitted"),
        (errno.EISDIR, "it is a folder"),
        (errno.ENAMETOOLONG, "the name is too long"),
        (errno.EMLINK, "Too many links"),
    ],
)
def test_the_reason_is_the_systems(tmp_path: Path, number: int, reason: str) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")

    def fail() -> None:
        with staged_file(target) as draft:
            draft.write_text("half")
            raise OSError(number, os.strerror(number))

    with pytest.raises(fs.ProblemError, match=rf"a\.txt': .*{reason}"):
        fail()
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_name_may_be_as_long_as_the_system_allows(tmp_path: Path) -> None:
    longest = tmp_path / ("a" * 251 + ".txt")
    with staged_file(longest) as draft:
        draft.write_text("new")
    assert longest.read_text() == "new"
    with pytest.raises(fs.ProblemError, match="the name is too long"):
        check_place(tmp_path / ("a" * 252 + ".txt"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_no_pipe_is_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.txt")
    with pytest.raises(fs.ProblemError, match="pipe or a device, not a file"):
        check_place(tmp_path / "a.txt")


@contextmanager
def small_files(most: int) -> Iterator[None]:
    """The system refuses to make a file larger: as a full disk does, in the middle of writing."""
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@pytest.mark.parametrize("name", ["a.fspielm", "a.csv", "a.npz", "a.vtu", "a.vtk", "a.nc", "a.png", "a.svg"])
def test_every_file_of_a_solution_is_there_whole_or_not_at_all(
    tmp_path: Path, name: str, make_solution: Callable[..., fs.Solution]
) -> None:
    solution, path = make_solution("2d"), tmp_path / name
    figure = solution.plot(resolution=16) if path.suffix in (".png", ".svg") else None
    writers: dict[str, Callable[[Path], object]] = {
        ".fspielm": solution.save,
        ".csv": solution.to_csv,
        ".npz": solution.to_npz,
        ".vtu": solution.to_vtk,
        ".vtk": solution.to_vtk,
        ".nc": solution.to_netcdf,
    }

    def write() -> None:
        if path.suffix in writers:
            writers[path.suffix](path)
        else:
            save_picture(figure, path)

    write()
    before = path.read_bytes()
    with pytest.raises(fs.ProblemError, match=rf"{name}': .*would be larger"), small_files(512):
        write()
    assert path.read_bytes() == before
    path.unlink()
    with pytest.raises(fs.ProblemError, match=rf"{name}': .*would be larger"), small_files(512):
        write()
    assert os.listdir(tmp_path) == []


def test_what_a_library_does_not_pass_on_is_found(tmp_path: Path) -> None:
    draft = tmp_path / "draft"
    draft.touch()
    find_cause(draft)
    with pytest.raises(OSError, match="File too large"), small_files(512):
        find_cause(draft)
