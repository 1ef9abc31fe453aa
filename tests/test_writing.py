"""Files appear complete or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

import fspielm as fs
from fspielm import writing
from fspielm.writing import check_place, staged_file


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
        pytest.raises(fs.ProblemError, match=r"cannot write .*a\.txt': No space left on device"),
        staged_file(tmp_path / "a.txt"),
    ):
        pass
    assert os.listdir(tmp_path) == []


def test_places_are_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_place(tmp_path / "a.TXT", [".txt"])
    with pytest.raises(fs.ProblemError, match=r"the name of the file must end in \.nc, \.csv; got 'a\.txt'"):
        check_place(tmp_path / "a.txt", [".nc", ".csv"])
    with pytest.raises(fs.ProblemError, match="it is a folder"):
        check_place(tmp_path)
    with pytest.raises(fs.ProblemError, match="its folder does not exist"):
        check_place(tmp_path / "none" / "a.txt")
    monkeypatch.setattr(os, "access", lambda *arguments: False)
    with pytest.raises(fs.ProblemError, match="its folder is read-only"):
        check_place(tmp_path / "a.txt")
