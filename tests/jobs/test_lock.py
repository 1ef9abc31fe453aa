"""One run of a study at a time."""

from __future__ import annotations

from pathlib import Path

import pytest

from fspielm.errors import ProblemError
from fspielm.jobs import running as module
from fspielm.jobs.running import only_run


def hold(store: Path) -> None:
    with only_run(store):
        pass


def test_a_second_run_is_refused(tmp_path: Path) -> None:
    store = tmp_path / "a.db"
    with (
        only_run(store),
        pytest.raises(ProblemError, match=r"another run.*a\.db'.*study stat"),
    ):
        hold(store)


def test_it_ends_with_the_run(tmp_path: Path) -> None:
    store = tmp_path / "a.db"
    with pytest.raises(KeyboardInterrupt), only_run(store):
        raise KeyboardInterrupt
    hold(store)


def test_other_studies_are_free(tmp_path: Path) -> None:
    with only_run(tmp_path / "a.db"):
        hold(tmp_path / "b.db")


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ProblemError, match=r"write beside.*No such file"):
        hold(tmp_path / "missing" / "a.db")


def test_it_leaves_nothing_where_no_study_came_about(tmp_path: Path) -> None:
    hold(tmp_path / "a.db")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "a.db").touch()
    hold(tmp_path / "a.db")
    assert {entry.name for entry in tmp_path.iterdir()} == {"a.db", ".a.db.lock"}


def test_a_lock_that_was_removed_meanwhile_is_not_taken_for_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, lock, removed = tmp_path / "a.db", module._lock, []

    def lock_late(handle: int) -> None:
        if not removed:
            removed.append((tmp_path / ".a.db.lock").unlink())
        lock(handle)

    monkeypatch.setattr(module, "_lock", lock_late)
    with only_run(store):
        monkeypatch.undo()
        with pytest.raises(ProblemError, match="another run is working on"):
            hold(store)
