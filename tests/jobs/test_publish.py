"""A folder appears complete or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fspielm.disk import check_replaceable, staged_folder
from fspielm.errors import ProblemError

MARK = "made by us"


def write_old(folder: Path) -> None:
    folder.mkdir()
    (folder / "index.html").write_text(f"old, {MARK}")


class TestStaging:
    def test_a_new_folder(self, tmp_path: Path) -> None:
        with staged_folder(tmp_path / "deep" / "out") as folder:
            (folder / "a").write_text("new")
            assert not (tmp_path / "deep" / "out").exists()
        assert (tmp_path / "deep" / "out" / "a").read_text() == "new"
        assert os.listdir(tmp_path / "deep") == ["out"]

    def test_an_old_folder_is_replaced_as_a_whole(self, tmp_path: Path) -> None:
        write_old(tmp_path / "out")
        with staged_folder(tmp_path / "out") as folder:
            (folder / "a").write_text("new")
            assert os.listdir(tmp_path / "out") == ["index.html"]
        assert os.listdir(tmp_path / "out") == ["a"]
        assert os.listdir(tmp_path) == ["out"]

    @pytest.mark.parametrize("failure", [ValueError, KeyboardInterrupt, SystemExit])
    def test_a_failure_leaves_the_old_one(self, tmp_path: Path, failure: type[BaseException]) -> None:
        def fill(folder: Path) -> None:
            (folder / "a").write_text("half")
            raise failure

        write_old(tmp_path / "out")
        with pytest.raises(failure), staged_folder(tmp_path / "out") as folder:
            fill(folder)
        assert os.listdir(tmp_path) == ["out"]
        assert (tmp_path / "out" / "index.html").read_text() == f"old, {MARK}"

    def test_a_failure_between_the_two_moves_puts_the_old_one_back(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write_old(tmp_path / "out")
        rename = Path.rename

        def fail_for_the_new(self: Path, target: Path) -> Path:
            if self.name == "new":
                raise KeyboardInterrupt
            return rename(self, target)

        monkeypatch.setattr(Path, "rename", fail_for_the_new)
        with pytest.raises(KeyboardInterrupt), staged_folder(tmp_path / "out") as folder:
            (folder / "a").write_text("new")
        assert os.listdir(tmp_path) == ["out"]
        assert os.listdir(tmp_path / "out") == ["index.html"]

    def test_what_a_killed_process_took_away_is_put_back(self, tmp_path: Path) -> None:
        scratch = tmp_path / ".out-12ab.draft"
        scratch.mkdir()
        write_old(scratch / "old")
        with pytest.raises(ValueError, match="half"), staged_folder(tmp_path / "out"):
            raise ValueError("half")
        assert (tmp_path / "out" / "index.html").read_text() == f"old, {MARK}"

    def test_what_a_killed_process_left_is_removed_once_it_is_old(self, tmp_path: Path) -> None:
        names = [".out-old.draft", ".out-young.draft", ".out-mine", ".other-old.draft"]
        for name in names:
            (tmp_path / name / "new").mkdir(parents=True)
            for path in (tmp_path / name / "new", tmp_path / name):
                os.utime(path, None if "young" in name else (0, 0))
        with staged_folder(tmp_path / "out"):
            pass
        assert sorted(os.listdir(tmp_path)) == sorted([*names[1:], "out"])

    @pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
    def test_permissions_are_those_of_any_new_folder(self, tmp_path: Path) -> None:
        (tmp_path / "usual").mkdir()
        with staged_folder(tmp_path / "out"):
            pass
        assert (tmp_path / "out").stat().st_mode == (tmp_path / "usual").stat().st_mode

    def test_a_link_stays_a_link(self, tmp_path: Path) -> None:
        write_old(tmp_path / "real")
        (tmp_path / "out").symlink_to(tmp_path / "real")
        with staged_folder(tmp_path / "out") as folder:
            (folder / "a").touch()
        assert (tmp_path / "out").is_symlink()
        assert os.listdir(tmp_path / "real") == ["a"]

    def test_a_place_that_cannot_be_written_is_named(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        with (
            pytest.raises(ProblemError, match="cannot write to the folder"),
            staged_folder(tmp_path / "file" / "o"),
        ):
            pass


class TestReplaceable:
    def check(self, target: Path) -> None:
        check_replaceable(target, {"index.html", "a.png"}, mark=MARK)

    def test_nothing_or_an_empty_folder_is(self, tmp_path: Path) -> None:
        self.check(tmp_path / "missing")
        self.check(tmp_path)

    def test_what_an_earlier_run_wrote_is(self, tmp_path: Path) -> None:
        write_old(tmp_path / "out")
        (tmp_path / "out" / "a.png").touch()
        (tmp_path / "out" / ".DS_Store").touch()
        self.check(tmp_path / "out")

    def test_other_files_are_not(self, tmp_path: Path) -> None:
        write_old(tmp_path / "out")
        (tmp_path / "out" / "notes.txt").touch()
        with pytest.raises(ProblemError, match=r"other files \(notes.txt\)"):
            self.check(tmp_path / "out")

    def test_files_in_its_folders_count(self, tmp_path: Path) -> None:
        write_old(tmp_path / "out")
        (tmp_path / "out" / "more").mkdir()
        self.check(tmp_path / "out")
        (tmp_path / "out" / "more" / "a.png").touch()
        with pytest.raises(ProblemError, match=r"other files \(more/a.png\)"):
            self.check(tmp_path / "out")
        check_replaceable(tmp_path / "out", {"index.html", "more/a.png"}, mark=MARK)

    def test_the_same_names_from_someone_else_are_not(self, tmp_path: Path) -> None:
        (tmp_path / "index.html").write_text("my home page")
        with pytest.raises(ProblemError, match=r"other files \(index.html\)"):
            self.check(tmp_path)

    def test_the_mark_may_be_in_another_file(self, tmp_path: Path) -> None:
        (tmp_path / "notes.md").write_text(MARK)
        check_replaceable(tmp_path, {"notes.md"}, mark=MARK, marked="notes.md")
        (tmp_path / "notes.md").write_text("mine")
        with pytest.raises(ProblemError, match=r"holds other files \(notes.md\)"):
            check_replaceable(tmp_path, {"notes.md"}, mark=MARK, marked="notes.md")

    def test_a_file_is_not(self, tmp_path: Path) -> None:
        (tmp_path / "out").touch()
        with pytest.raises(ProblemError, match="is a file; name a folder"):
            self.check(tmp_path / "out")

    def test_the_working_directory_is_not(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        with pytest.raises(ProblemError, match="name a folder inside it"):
            self.check(Path("."))
