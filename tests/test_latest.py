"""What was worked out last is not worked out again."""

from __future__ import annotations

from fspielm.arrays import Latest


def test_work_is_done_again_for_other_objects_only() -> None:
    latest: Latest[int] = Latest()
    done: list[str] = []

    def work(name: str) -> int:
        done.append(name)
        return len(done)

    one, alike = [1.0], [1.0]
    assert latest(lambda: work("one"), one, "here") == 1
    assert latest(lambda: work("again"), one, "here") == 1
    assert latest(lambda: work("alike, but another"), alike, "here") == 2
    assert latest(lambda: work("no longer known"), one, "here") == 3
    assert done == ["one", "alike, but another", "no longer known"]
