"""Who gets the next task."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fspielm.jobs.engines.cluster import Hosts, Worker
from fspielm.jobs.job import MEMORY_SHARE as SHARE


def hosts_of(*workers: Worker) -> Hosts:
    hosts = Hosts()
    for worker in workers:
        hosts.join(worker)
    return hosts


def worker(
    address: str, host: str = "one", memory: float = 100.0, limit: float | None = None, slots: int = 1
) -> Worker:
    return Worker(address, host, memory, limit, slots)


class TestPlaces:
    def test_no_more_than_the_slots(self) -> None:
        hosts = hosts_of(worker("a", slots=2))
        assert hosts.has_room
        for number in range(2):
            hosts.begin(number, "a", 1.0)
        assert not hosts.has_room
        assert hosts.find(1.0) is None
        hosts.end(0, "a")
        assert hosts.find(1.0) == "a"

    def test_workers_of_a_host_share_its_memory(self) -> None:
        hosts = hosts_of(worker("a"), worker("b"))
        hosts.begin(0, "a", 50.0)
        assert hosts.find(SHARE * 100 - 50) == "b"
        assert hosts.find(SHARE * 100 - 49) is None

    def test_large_ones_go_to_different_hosts(self) -> None:
        hosts = hosts_of(worker("a", "one"), worker("b", "one"), worker("c", "two"))
        hosts.begin(0, "a", 60.0)
        assert hosts.find(60.0) == "c"

    def test_one_that_needs_all_of_a_host_runs_there_alone(self) -> None:
        hosts = hosts_of(worker("a"), worker("b"))
        assert hosts.find(100.0) is not None
        assert hosts.find(100.1) is None
        hosts.begin(0, "a", 100.0)
        assert hosts.find(1.0) is None

    def test_a_busy_host_is_not_given_it(self) -> None:
        hosts = hosts_of(worker("a"), worker("b"))
        hosts.begin(0, "a", 1.0)
        assert hosts.find(100.0) is None

    @given(count=st.integers(1, 12), memory=st.floats(1e6, 1e15))
    def test_equal_parts_fill_a_host(self, count: int, memory: float) -> None:
        hosts = hosts_of(*(worker(str(number), memory=memory) for number in range(count)))
        part = hosts.part
        assert part == pytest.approx(SHARE * memory / count)
        for number in range(count):
            address = hosts.find(part)
            assert address is not None
            hosts.begin(number, address, part)


class TestCapacity:
    def test_what_the_machine_has(self) -> None:
        assert hosts_of(worker("a"), worker("b", "two", 300.0)).largest == 300.0
        assert Hosts().largest == 0.0

    def test_less_if_its_workers_are_allowed_less(self) -> None:
        assert hosts_of(worker("a", limit=20.0), worker("b", limit=30.0)).largest == 50.0
        assert hosts_of(worker("a", limit=90.0), worker("b", limit=90.0)).largest == 100.0

    def test_a_worker_without_limit_may_use_all(self) -> None:
        assert hosts_of(worker("a", limit=20.0), worker("b")).largest == 100.0

    def test_the_part_is_that_of_the_poorest(self) -> None:
        hosts = hosts_of(worker("a", "one", 100.0, slots=4), worker("b", "two", 60.0), worker("c", "two", 60.0))
        assert hosts.part == pytest.approx(SHARE * 25)


class TestComingAndGoing:
    def test_a_worker_takes_its_tasks_with_it(self) -> None:
        hosts = hosts_of(worker("a", slots=3), worker("b"))
        hosts.begin(1, "a", 1.0)
        hosts.begin(2, "b", 1.0)
        hosts.begin(3, "a", 1.0)
        assert hosts.leave("a") == [1, 3]
        assert hosts.addresses == {"b"}
        assert hosts.leave("a") == []

    def test_its_memory_is_free_again(self) -> None:
        hosts = hosts_of(worker("a"), worker("b"))
        hosts.begin(0, "a", 70.0)
        hosts.leave("a")
        assert hosts.find(70.0) == "b"
