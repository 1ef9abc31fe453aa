"""Tasks in their order, small ones past a large one that waits."""

from __future__ import annotations

from collections.abc import Iterator

from fspielm.jobs.engines.engine import Backlog


def fits_up_to(size: int):  # type: ignore[no-untyped-def]
    return lambda task: task <= size


class TestOrder:
    def test_the_first_that_fits(self) -> None:
        backlog = Backlog([9, 2, 3])
        assert backlog.take(fits_up_to(5)) == 2
        assert backlog.take(fits_up_to(9)) == 9
        assert backlog.take(fits_up_to(9)) == 3
        assert backlog.take(fits_up_to(9)) is None
        assert not backlog

    def test_none_fits(self) -> None:
        backlog = Backlog([9, 8])
        assert backlog.take(fits_up_to(5)) is None
        assert backlog

    def test_what_is_taken_back_is_the_next(self) -> None:
        backlog = Backlog([1, 2])
        backlog.put_first(7)
        assert [backlog.take(fits_up_to(9)) for _ in range(3)] == [7, 1, 2]

    def test_a_large_one_is_not_overtaken_for_ever(self) -> None:
        backlog = Backlog([9, *[1] * 100])
        taken = 0
        while backlog.take(fits_up_to(5)) is not None:
            taken += 1
        assert taken == 16
        assert backlog.take(fits_up_to(9)) == 9
        assert backlog.take(fits_up_to(5)) == 1


class TestReading:
    def test_no_further_than_needed(self) -> None:
        read = []

        def tasks() -> Iterator[int]:
            for number in range(10):
                read.append(number)
                yield number

        backlog = Backlog(tasks())
        assert read == []
        assert backlog
        assert backlog.take(fits_up_to(5)) == 0
        assert read == [0]

    def test_only_so_many_are_looked_at(self) -> None:
        backlog = Backlog([*[9] * 64, 1])
        assert backlog.take(fits_up_to(5)) is None
