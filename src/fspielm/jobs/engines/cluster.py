"""Solve on the workers of a Dask cluster, many tasks at once."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from itertools import count
from queue import Empty, Queue
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, final
from uuid import uuid4

from fspielm.errors import ProblemError, WorkersLostError, WorkersWarning
from fspielm.jobs.engines import remote
from fspielm.jobs.engines.connection import connected, mismatch, no_warnings, quiet
from fspielm.jobs.engines.engine import Backlog, Ended, Engine, Task
from fspielm.jobs.job import MEMORY_SHARE, Outcome, failure
from fspielm.jobs.sandbox import ANSWER_SECONDS, SLOW_SECONDS
from fspielm.numerics.tolerances import SAME
from fspielm.version import __version__
from fspielm.wording import readable_bytes

if TYPE_CHECKING:
    from distributed import Client, Future


# ---- Placing tasks: on a worker with a free slot, on a host with enough memory


@final
@dataclass(frozen=True)
class Worker:
    """A worker as it described itself."""

    address: str
    # workers of one host share its memory
    host: str
    # bytes of the host
    memory: float
    # memory limit of the worker in bytes
    limit: float | None
    # tasks at once
    slots: int


@final
@dataclass
class Hosts:
    """The current workers, and the tasks that run on each, by their numbers."""

    _workers: dict[str, Worker] = field(default_factory=dict)
    _running: dict[str, dict[int, float]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._workers)

    @property
    def addresses(self) -> set[str]:
        """The addresses of all workers."""
        return set(self._workers)

    @property
    def has_room(self) -> bool:
        """Whether any slot is free."""
        return any(map(self._is_free, self._workers.values()))

    @property
    def largest(self) -> float:
        """Bytes of the host with the most memory."""
        return max(map(self._capacity, self._names()), default=0.0)

    @property
    def part(self) -> float:
        """Bytes for each task if every slot is taken, on the host that has the least for each."""
        return min(
            MEMORY_SHARE * self._capacity(host) / sum(worker.slots for worker in self._on(host))
            for host in self._names()
        )

    def join(self, worker: Worker) -> None:
        """Add a worker."""
        self._workers[worker.address] = worker
        self._running[worker.address] = {}

    def leave(self, address: str) -> list[int]:
        """Remove a worker; return its tasks."""
        self._workers.pop(address, None)
        return list(self._running.pop(address, {}))

    def find(self, memory: float) -> str | None:
        """A worker for a task of so many bytes, on the host with the most free memory; None if there is none now."""
        fitting = [worker for worker in self._workers.values() if self._is_free(worker) and self._fits(worker, memory)]
        if not fitting:
            return None
        best = max(fitting, key=lambda worker: (self._left(worker.host), -len(self._running[worker.address])))
        return best.address

    def begin(self, number: int, address: str, memory: float) -> None:
        """Note that a task was given to a worker."""
        self._running[address][number] = memory

    def end(self, number: int, address: str) -> None:
        """Note that a task has ended."""
        self._running[address].pop(number)

    def _is_free(self, worker: Worker) -> bool:
        return len(self._running[worker.address]) < worker.slots

    def _fits(self, worker: Worker, memory: float) -> bool:
        used, capacity = self._used(worker.host), self._capacity(worker.host)
        if used == 0:
            # a task alone may use all memory
            return memory <= capacity
        # tasks with equal parts of a host's memory fill it, in spite of rounding
        return used + memory <= MEMORY_SHARE * capacity * (1 + SAME)

    def _left(self, host: str) -> float:
        return MEMORY_SHARE * self._capacity(host) - self._used(host)

    def _used(self, host: str) -> float:
        return sum(sum(self._running[worker.address].values()) for worker in self._on(host))

    def _capacity(self, host: str) -> float:
        """The memory of a host; the sum of its workers' limits if that is less."""
        workers = self._on(host)
        memory = max(worker.memory for worker in workers)
        limits = [worker.limit for worker in workers if worker.limit is not None]
        return min(memory, sum(limits)) if len(limits) == len(workers) else memory

    def _on(self, host: str) -> list[Worker]:
        return [worker for worker in self._workers.values() if worker.host == host]

    def _names(self) -> set[str]:
        return {worker.host for worker in self._workers.values()}


# ---- The workers of a cluster, which come and go


# How often the list of workers is checked, in case an event was missed.
_LOOK_SECONDS = 5.0
_GO_ON = "what has ended is stored, and running the study again goes on from there"


@final
@dataclass(frozen=True)
class Answered:
    """The event that a task has an answer."""

    number: int


@final
@dataclass(frozen=True)
class Left:
    """The event that a worker has gone, with the tasks it had."""

    worker: str
    numbers: list[int]


@final
class WorkerPool:
    """The workers of a scheduler, for tasks of so many threads. To be used in a ``with`` block.

    Without any worker, it waits for one for `patience` seconds.
    """

    def __init__(self, threads: int, scheduler: str, patience: float) -> None:
        self.hosts = Hosts()
        self._threads, self._scheduler, self._patience = threads, scheduler, patience
        self._name = f"fspielm-{uuid4().hex}"
        self._inbox: Queue[tuple[str, Any]] = Queue()
        self._asked: set[str] = set()
        self._refused: set[str] = set()
        self._begun = False
        self._empty_since = monotonic()
        self._last_look = -float("inf")
        # memory of the largest host before a worker left, and the time until which it may come back
        self._lost_hosts: list[tuple[float, float]] = []
        self._stack = ExitStack()
        self._client: Client

    def __enter__(self) -> WorkerPool:
        with ExitStack() as stack:
            stack.enter_context(quiet())
            self._client = stack.enter_context(connected(self._scheduler))
            self._client.subscribe_topic("all", self._on_event)
            stack.callback(self._client.unsubscribe_topic, "all")
            self._introduce()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *exception: object) -> None:
        self._stack.close()

    @property
    def largest(self) -> float:
        """Bytes of the largest host, including those that have gone and may come back."""
        now = monotonic()
        self._lost_hosts = [(memory, until) for memory, until in self._lost_hosts if now < until]
        return max([self.hosts.largest, *(memory for memory, _ in self._lost_hosts)])

    def submit(self, number: int, request: dict[str, Any], worker: str) -> Future[Any]:
        """Send a task to a worker; its answer will be an event."""
        key = f"{self._name}-{number}"
        # Dask warns of large tasks
        with no_warnings():
            future: Future[Any] = self._client.submit(
                remote.solve, request, key=key, workers=[worker], allow_other_workers=False, pure=False
            )
        future.add_done_callback(lambda future: self._inbox.put(("answered", number)))
        return future

    def next_event(self) -> Answered | Left | None:
        """Wait for an event; None if there may be another worker now, or nothing has happened."""
        due = self._last_look + _LOOK_SECONDS - monotonic()
        if due <= 0:
            # on time, even if events keep coming
            self._check_workers()
            return None
        try:
            kind, what = self._inbox.get(timeout=due)
        except Empty:
            return None
        if self._client.status != "running":
            raise WorkersLostError(f"the scheduler at {self._scheduler!r} is gone; {_GO_ON}")
        match kind:
            case "answered":
                return Answered(what)
            case "add-worker":
                self._ask(what)
            case "described":
                self._join(*what)
            case "remove-worker":
                return self._leave(what)
        return None

    def _on_event(self, event: tuple[float, Any]) -> None:
        """Queue an event of the scheduler's; called in Dask's own thread."""
        message = event[1]
        if isinstance(message, dict) and message.get("action") in ("add-worker", "remove-worker"):
            self._inbox.put((message["action"], message["worker"]))

    def _introduce(self) -> None:
        """Wait until all current workers have described themselves, and for at least one; a busy one joins later."""
        self._check_workers()
        end = monotonic() + ANSWER_SECONDS
        while not self.hosts or (self._asked and monotonic() < end):
            self.next_event()
        self._begun = True

    def _check_workers(self) -> None:
        """Compare with the scheduler's list of workers: an event may have been missed."""
        self._last_look = monotonic()
        try:
            there = set(self._client.nthreads())
        except OSError as error:
            raise WorkersLostError(f"the scheduler at {self._scheduler!r} is gone ({error}); {_GO_ON}") from error
        for address in there - self._asked - self._refused - self.hosts.addresses:
            self._ask(address)
        for address in (self.hosts.addresses | self._refused) - there:
            self._inbox.put(("remove-worker", address))
        if not self.hosts and monotonic() - self._empty_since > self._patience:
            raise WorkersLostError(
                f"the scheduler at {self._scheduler!r} has had no worker for {self._patience:g} s; start some with: "
                f"dask worker {self._scheduler} --nworkers 2 --nthreads 1; {_GO_ON}"
            )

    def _ask(self, address: str) -> None:
        """Ask a worker to describe itself; it joins when it has."""
        if address not in self._asked:
            self._asked.add(address)
            Thread(target=self._request_description, args=[address], daemon=True).start()

    def _request_description(self, address: str) -> None:
        """Ask a worker, in a thread, since it may first have to import the package.

        Not by a task: a worker without the package cannot unpickle one, and ends without an answer.
        """
        try:
            answer = self._client.run(remote.describe, workers=[address], on_error="return").get(address)
        except Exception:
            # the worker or the scheduler is gone, which is noticed elsewhere
            answer = None
        self._inbox.put(("described", (address, answer)))

    def _join(self, address: str, answer: Any) -> None:
        if address not in self._asked:
            return  # gone again
        self._asked.remove(address)
        if isinstance(answer, Exception) and not isinstance(answer, OSError):
            # Dask does not preserve the type of every error
            self._refuse(address, f"cannot import fspielm ({answer}); install the same version there as here")
        elif isinstance(answer, dict) and answer["version"] != __version__:
            self._refuse(address, mismatch(answer["version"]))
        elif isinstance(answer, dict):
            slots = max(1, answer["threads"] // self._threads)
            self.hosts.join(Worker(address, answer["host"], answer["memory"], answer["limit"], slots))

    def _refuse(self, address: str, reason: str) -> None:
        message = f"the worker at {address} {reason}"
        if not self._begun:
            raise ProblemError(message)
        self._refused.add(address)
        warnings.warn(f"{message}; it is not used", WorkersWarning, stacklevel=2)

    def _leave(self, address: str) -> Left:
        # another worker may come at the same address
        self._asked.discard(address)
        self._refused.discard(address)
        was_there, before = address in self.hosts.addresses, self.hosts.largest
        lost = self.hosts.leave(address)
        if self.hosts.largest < before:
            self._lost_hosts.append((before, monotonic() + self._patience))
        if was_there and not self.hosts:
            self._empty_since = monotonic()
        return Left(address, lost)


# ---- The engine


# How often a task is tried if its worker dies.
_TRIES = 3


@dataclass(frozen=True)
class _Try:
    """A task, and how many workers died while they solved it."""

    task: Task
    deaths: int = 0


@dataclass(frozen=True)
class _Flight:
    """A task that was sent."""

    attempt: _Try
    worker: str
    future: Future[Any]


@final
class Cluster(Engine):
    """Solves on Dask workers: as many tasks at once as they have slots and memory for.

    We choose the worker of every task, so that large tasks do not meet on one host. Dask transports tasks and outcomes,
    and reports which workers come and go.

    Parameters
    ----------
    threads : int
        Of each solve. A worker with more threads does several solves at once.
    scheduler : str
        Address of a running scheduler.
    patience : float
        Seconds to wait if there are no workers, or if the only host with enough memory has gone.
    """

    def __init__(self, threads: int, scheduler: str, *, patience: float = 300.0) -> None:
        self._pool = WorkerPool(threads, scheduler, patience)
        self._numbers = count()
        self._flights: dict[int, _Flight] = {}
        # Dask delays the next message after that of a released future: futures are kept until the next task is sent.
        self._spent: list[Future[Any]] = []
        # digests of the subjects that a worker has, by its address
        self._sent: dict[str, set[str]] = {}

    def __enter__(self) -> Cluster:
        self._pool.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        # what is still running is no longer wanted
        self._flights.clear()
        self._spent.clear()
        self._pool.__exit__(*exception)

    @property
    def largest(self) -> float:
        """Bytes that a solve alone may use on the largest host."""
        return self._pool.hosts.largest

    @property
    def part(self) -> float:
        """Bytes for each of the solves at once."""
        return self._pool.hosts.part

    def run(self, tasks: Iterable[Task], *, starts: Callable[[Task], None] = lambda task: None) -> Iterator[Ended]:
        """Solve the tasks, roughly in their order."""
        backlog = Backlog(map(_Try, tasks))
        while True:
            yield from self._send_what_fits(backlog, starts)
            self._spent.clear()
            if not self._flights and not backlog:
                return
            # yield what has ended before the next task is planned and sent
            yield from self._next(backlog)

    def _send_what_fits(self, backlog: Backlog[_Try], starts: Callable[[Task], None]) -> Iterator[Ended]:
        """Send tasks to workers as long as there is room; yield those that are too large for every host."""
        hosts, largest = self._pool.hosts, self._pool.largest
        while hosts.has_room:
            attempt = backlog.take(lambda one: one.task.reserved > largest or hosts.find(one.task.reserved) is not None)
            if attempt is None:
                break
            worker = hosts.find(attempt.task.reserved)
            if worker is None:
                needs, have = readable_bytes(attempt.task.reserved), readable_bytes(largest)
                yield Ended(attempt.task, failure(f"needs {needs} of memory, and no host has more than {have}"), {})
            else:
                starts(attempt.task)
                self._send(attempt, worker)

    def _send(self, attempt: _Try, worker: str) -> None:
        task, number = attempt.task, next(self._numbers)
        request: dict[str, Any] = {"job": task.job.as_dict(), "terms": asdict(task.terms)}
        request["digest"] = task.subject.digest
        if task.subject.digest not in self._sent.get(worker, ()):
            request["subject"] = task.subject.as_dict()
        self._pool.hosts.begin(number, worker, attempt.task.reserved)
        self._flights[number] = _Flight(attempt, worker, self._pool.submit(number, request, worker))

    def _next(self, backlog: Backlog[_Try]) -> list[Ended]:
        """Wait for an event; return the tasks that ended with it."""
        match self._pool.next_event():
            case Answered(number) if number in self._flights:
                flight = self._flights.pop(number)
                self._pool.hosts.end(number, flight.worker)
                self._spent.append(flight.future)
                return self._close(flight, backlog)
            case Left(worker, numbers):
                self._sent.pop(worker, None)
                gone = [self._flights.pop(number) for number in numbers]
                return [ended for flight in gone for ended in self._try_again(flight, backlog)]
        return []

    def _close(self, flight: _Flight, backlog: Backlog[_Try]) -> list[Ended]:
        from distributed import CancelledError, KilledWorker
        from distributed.comm.core import CommClosedError

        task = flight.attempt.task
        try:
            answer = flight.future.result(timeout=SLOW_SECONDS)
        except (CancelledError, KilledWorker, CommClosedError, TimeoutError):
            # the worker died before it handed over the answer
            return self._try_again(flight, backlog)
        except Exception as error:
            return [Ended(task, failure(f"the worker could not do it: {type(error).__name__}: {error}"), {})]
        sent = self._sent.setdefault(flight.worker, set())
        if not answer:
            # a new process at the same address, without the subject
            sent.discard(task.subject.digest)
            backlog.put_first(flight.attempt)
            return []
        sent.add(task.subject.digest)
        return [Ended(task, Outcome.from_dict(answer["outcome"]), answer["environment"])]

    def _try_again(self, flight: _Flight, backlog: Backlog[_Try]) -> list[Ended]:
        attempt = replace(flight.attempt, deaths=flight.attempt.deaths + 1)
        if attempt.deaths < _TRIES:
            backlog.put_first(attempt)
            return []
        reason = f"{attempt.deaths} workers died while they solved it, for lack of memory perhaps"
        return [Ended(attempt.task, failure(reason), {})]
