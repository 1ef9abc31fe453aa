"""Workers that come, go and die; tasks that do not fit; schedulers that are not there."""

from __future__ import annotations

import re
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import asdict
from itertools import count
from queue import Queue
from typing import Any, ClassVar

import pytest

from fspielm.errors import ProblemError, WorkersLostError, WorkersWarning
from fspielm.jobs import Cluster, Task
from fspielm.jobs.engines import cluster as cluster_module
from fspielm.jobs.engines import connection, remote
from fspielm.jobs.engines.cluster import Answered, Hosts, Left, Worker, WorkerPool
from fspielm.jobs.engines.engine import Backlog
from fspielm.jobs.job import failure
from fspielm.version import __version__

MakeTask = Callable[..., Task]


class Future:
    """An answer, or the error that is raised instead."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def result(self, timeout: float) -> Any:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class FakePool:
    """Workers in name only: what each is given is kept, and events are those that a test puts in."""

    def __init__(self, *workers: Worker) -> None:
        self.hosts = Hosts()
        for worker in workers:
            self.hosts.join(worker)
        self.given: list[tuple[int, dict[str, Any], str]] = []
        self.events: Queue[int] = Queue()
        self.answer: Any = {"outcome": failure("nothing was solved").as_dict(), "environment": {}}
        self.worker_dies = False

    @property
    def largest(self) -> float:
        return self.hosts.largest

    def submit(self, number: int, request: dict[str, Any], worker: str) -> Future:
        self.given.append((number, request, worker))
        self.events.put(number)
        return Future(self.answer)

    def next_event(self) -> Answered | Left:
        number = self.events.get_nowait()
        if not self.worker_dies:
            return Answered(number)
        # and another one takes its place
        (address,) = self.hosts.addresses
        lost = self.hosts.leave(address)
        self.hosts.join(Worker(f"{address}'", "one", 1e9, None, 1))
        return Left(address, lost)


def cluster_of(*workers: Worker) -> tuple[Cluster, FakePool]:
    cluster, fake = Cluster(1, "tcp://nowhere"), FakePool(*workers)
    cluster._pool = fake  # type: ignore[assignment]
    return cluster, fake


class TestPlacing:
    def test_never_more_than_slots(self, make_task: MakeTask) -> None:
        cluster, fake = cluster_of(Worker("a", "one", 1e9, None, 1), Worker("b", "two", 1e9, None, 2))
        before: list[int] = []
        list(
            cluster.run(
                (make_task(seed) for seed in range(9)), starts=lambda task: before.append(len(cluster._flights))
            )
        )
        assert max(before) + 1 == 3
        assert len(fake.given) == 9

    def test_one_too_large_for_any_host_is_a_failed_row(self, make_task: MakeTask) -> None:
        cluster, fake = cluster_of(Worker("a", "one", 2**30, None, 2))
        ended = list(cluster.run([make_task(1, memory=3 * 2**30), make_task(2)]))
        assert [one.task.job.seed for one in ended] == [1, 2]
        assert ended[0].outcome.status == "failed"
        assert re.match(r"needs 3\.00 GiB.*no host.* 1\.00 GiB$", ended[0].outcome.message)
        assert len(fake.given) == 1

    def test_large_ones_run_one_after_the_other(self, make_task: MakeTask) -> None:
        cluster, _ = cluster_of(Worker("a", "one", 1e9, None, 4))
        for _ in cluster.run(make_task(seed, memory=5e8) for seed in range(4)):
            assert len(cluster._flights) <= 1

    def test_what_has_ended_is_given_back_before_another_is_planned(self, make_task: MakeTask) -> None:
        cluster, _ = cluster_of(Worker("a", "one", 1e9, None, 1))
        ended: list[Any] = []

        def tasks() -> Iterator[Task]:
            for seed in range(4):
                assert len(ended) == seed
                # the third is refused
                yield make_task(seed, memory=2e9 if seed == 2 else 1e6)

        for one in cluster.run(tasks()):
            ended.append(one)  # noqa: PERF402
        assert len(ended) == 4

    def test_one_that_refuses_to_begin_needs_no_memory(self, make_task: MakeTask) -> None:
        cluster, fake = cluster_of(Worker("a", "one", 1e9, None, 1))
        assert len(list(cluster.run([make_task(memory=1e12, allowed=1e6)]))) == 1
        assert len(fake.given) == 1

    def test_a_subject_is_sent_once_to_each_worker(self, make_task: MakeTask) -> None:
        cluster, fake = cluster_of(Worker("a", "one", 1e9, None, 1), Worker("b", "two", 1e9, None, 1))
        list(cluster.run(make_task(seed) for seed in range(8)))
        assert sorted(worker for _, request, worker in fake.given if "subject" in request) == ["a", "b"]


class TestDeaths:
    def test_after_two_retries_it_is_a_failed_row(self, make_task: MakeTask) -> None:
        cluster, fake = cluster_of(Worker("a", "one", 1e9, None, 1))
        fake.worker_dies = True
        begun: list[Task] = []
        (ended,) = cluster.run([make_task()], starts=begun.append)
        assert len(fake.given) == len(begun) == 3
        assert ended.outcome.status == "failed"
        assert re.match(r"3 workers died.*memory", ended.outcome.message)

    def test_an_answer_that_is_lost_is_asked_for_again(self, make_task: MakeTask) -> None:
        cluster, fake = cluster_of(Worker("a", "one", 1e9, None, 1))
        fake.answer = TimeoutError()
        (ended,) = cluster.run([make_task()])
        assert len(fake.given) == 3
        assert ended.outcome.status == "failed"

    def test_an_error_of_the_worker_is_a_failed_row(self, make_task: MakeTask) -> None:
        cluster, fake = cluster_of(Worker("a", "one", 1e9, None, 1))
        fake.answer = KeyError("subject")
        (ended,) = cluster.run([make_task()])
        assert re.match(r"the worker could not.*: KeyError: 'subject'$", ended.outcome.message)


class TestSubjects:
    def test_an_idle_worker_reborn_at_its_address_is_told_again(
        self, make_task: MakeTask, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        cluster, fake = cluster_of(Worker("a", "one", 1e9, None, 1))
        assert len(list(cluster.run([make_task(0)]))) == 1
        monkeypatch.setattr(fake, "next_event", lambda: Left("a", []))
        cluster._next(Backlog([]))
        monkeypatch.undo()
        list(cluster.run([make_task(1)]))
        assert ["subject" in request for _, request, _ in fake.given] == [True, True]

    def test_a_worker_that_does_not_know_a_subject_is_sent_it(
        self, make_task: MakeTask, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        cluster, fake = cluster_of(Worker("a", "one", 1e9, None, 1))
        list(cluster.run([make_task(0)]))
        submit, answer = fake.submit, fake.answer

        def forgetful(number: int, request: dict[str, Any], worker: str) -> Future:
            fake.answer = answer if "subject" in request else {}
            return submit(number, request, worker)

        monkeypatch.setattr(fake, "submit", forgetful)
        (ended,) = cluster.run([make_task(1)])
        assert ended.outcome.message == "nothing was solved"
        assert ["subject" in request for _, request, _ in fake.given] == [True, False, True]

    def test_it_says_so(self, make_task: MakeTask) -> None:
        task = make_task()
        request = {"job": task.job.as_dict(), "terms": asdict(task.terms), "digest": "never heard of"}
        assert remote.solve(request) == {}


class TestLeaving:
    def staff(self, patience: float = 60.0) -> WorkerPool:
        made = WorkerPool(1, "tcp://nowhere", patience)
        made.hosts.join(Worker("a", "large", 3e9, None, 1))
        made.hosts.join(Worker("b", "small", 1e9, None, 1))
        return made

    def test_a_large_host_may_come_back(self) -> None:
        staff = self.staff()
        assert staff._leave("a") == Left("a", [])
        assert (staff.hosts.largest, staff.largest) == (1e9, 3e9)
        impatient = self.staff(patience=0.0)
        impatient._leave("a")
        assert impatient.largest == 1e9

    def test_one_that_was_refused_may_come_back_better(self) -> None:
        staff = self.staff()
        staff._refused.add("c")
        staff._leave("c")
        assert not staff._refused

    def test_looks_are_by_the_clock(self, monkeypatch: pytest.MonkeyPatch) -> None:
        staff, looks = self.staff(), 0

        class Client:
            status = "running"

            def nthreads(self) -> dict[str, int]:
                nonlocal looks
                looks += 1
                return {"a": 1}

        staff._client = Client()  # type: ignore[assignment]
        staff._inbox.put(("answered", 1))
        assert staff.next_event() is None
        assert looks == 1
        assert staff.next_event() == Answered(1)
        # that it has gone was not heard but seen
        assert staff.next_event() == Left("b", [])
        monkeypatch.setattr(cluster_module, "_LOOK_SECONDS", 0.0)
        staff._inbox.put(("answered", 2))
        assert staff.next_event() is None
        assert looks == 2


def _with_worker(stack: ExitStack, worker: Callable[[str], Any], address: str) -> str:
    stack.enter_context(worker(address))
    return address


class TestAnExistingCluster:
    def test_workers_come_and_go(self, address: str, make_task: MakeTask, worker: Callable[[str], Any]) -> None:
        with ExitStack() as first, Cluster(1, _with_worker(first, worker, address)) as cluster:
            assert cluster.part > 1e8
            hosts = cluster._pool.hosts

            def tasks() -> Iterator[Task]:
                """Until the second worker has come, and some more after the first has gone."""
                for seed in count():
                    yield make_task(seed)
                    if len(hosts) == 2:
                        break
                first.close()
                yield from (make_task(seed + extra) for extra in range(1, 4))

            with worker(address):
                ended = list(cluster.run(tasks()))
            assert len(hosts) == 1
        assert sorted(one.task.job.seed for one in ended) == list(range(len(ended)))
        assert {one.outcome.status for one in ended} == {"done"}

    def test_no_worker_comes(self, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(cluster_module, "_LOOK_SECONDS", 0.05)
        with (
            pytest.raises(WorkersLostError, match=r"no worker.*0\.2 s.*dask worker"),
            Cluster(1, scheduler=address, patience=0.2),
        ):
            pass

    def test_another_version(self, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(connection, "__version__", "99.0")
        with (
            pytest.raises(ProblemError, match=r"scheduler.*fspielm.*99\.0"),
            Cluster(1, scheduler=address),
        ):
            pass


class TestIntroductions:
    FACTS: ClassVar[dict[str, Any]] = {
        "version": __version__,
        "pid": 1,
        "host": "one",
        "memory": 1e9,
        "limit": None,
        "threads": 5,
    }

    def staff(self, *, begun: bool = False) -> WorkerPool:
        made = WorkerPool(2, "tcp://nowhere", 1.0)
        made._asked.add("tcp://a")
        made._begun = begun
        return made

    def test_slots_are_threads_over_those_of_a_solve(self) -> None:
        staff = self.staff()
        staff._join("tcp://a", self.FACTS)
        assert staff.hosts._workers["tcp://a"].slots == 2

    def test_one_of_another_version_is_refused(self) -> None:
        with pytest.raises(ProblemError, match=r"worker at tcp://a.*99\.0"):
            self.staff()._join("tcp://a", self.FACTS | {"version": "99.0"})

    @pytest.mark.parametrize("error", [ModuleNotFoundError("none"), Exception("ModuleNotFoundError('none')")])
    def test_one_without_the_package_is_refused(self, error: Exception) -> None:
        with pytest.raises(ProblemError, match=r"worker.*cannot import.*none"):
            self.staff()._join("tcp://a", error)

    def test_one_that_comes_later_is_left_aside(self) -> None:
        staff = self.staff(begun=True)
        with pytest.warns(WorkersWarning, match="it is not used"):
            staff._join("tcp://a", self.FACTS | {"version": "99.0"})
        assert not staff.hosts

    def test_one_that_is_gone_before_it_answers(self) -> None:
        staff = self.staff()
        staff._join("tcp://a", None)
        staff._asked.add("tcp://a")
        staff._join("tcp://a", TimeoutError())
        staff._join("tcp://b", self.FACTS)
        assert not staff.hosts


class TestNoScheduler:
    def test_one_that_does_not_answer(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(connection, "ANSWER_SECONDS", 0.5)
        with socket.create_server(("127.0.0.1", 0)) as silent:
            address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
            with (
                pytest.raises(ProblemError, match=r"no scheduler.*'tcp://.*0\.5 s"),
                Cluster(1, scheduler=address),
            ):
                pass

    @pytest.mark.parametrize("address", ["", "nonsense", "tcp://", "tcp://127.0.0.1:port", "pigeon://127.0.0.1:8786"])
    def test_what_is_no_address(self, address: str) -> None:
        with (
            pytest.raises(ProblemError, match=r"no address.*'dask scheduler'"),
            Cluster(1, scheduler=address),
        ):
            pass

    def test_dask_is_not_installed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "distributed", None)
        with pytest.raises(ProblemError, match=r"fspielm\[cluster\]"), Cluster(1, "tcp://127.0.0.1:8786"):
            pass
