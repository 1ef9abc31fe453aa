"""The workers of a cluster: who comes and goes, what runs where."""

from __future__ import annotations

import warnings
from contextlib import ExitStack
from dataclasses import dataclass
from queue import Empty, Queue
from threading import Thread
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Any, final
from uuid import uuid4

from fspielm.errors import ProblemError, WorkersLostError, WorkersWarning
from fspielm.study.engines import remote
from fspielm.study.engines.connection import connected, mismatch, own_scheduler, quiet
from fspielm.study.engines.crew import Crew
from fspielm.study.engines.hosts import Hosts, Worker
from fspielm.version import __version__

if TYPE_CHECKING:
    from distributed import Client, Future

# All of interest is reported as it happens; so often we look for what was not.
_LOOK_SECONDS = 5.0
# At the beginning: for those that are there to say who they are. One that is busy is used as soon as it does.
_INTRODUCTION_SECONDS = 10.0
_GO_ON = "what has ended is stored, and running the study again goes on from there"


@final
@dataclass(frozen=True)
class Answered:
    """A task has an answer."""

    number: int


@final
@dataclass(frozen=True)
class Left:
    """A worker has gone, with these tasks."""

    worker: str
    numbers: list[int]


@final
class Staff:
    """Who there is to give tasks to. Used in a ``with`` block.

    Parameters
    ----------
    threads : int
        Of each task.
    workers : int, optional
        So many processes on this machine, started here.
    scheduler : str, optional
        Address of a scheduler that is there, instead.
    patience : float
        Seconds to wait when there is no worker at all.
    """

    def __init__(self, threads: int, workers: int | None, scheduler: str | None, patience: float) -> None:
        self.hosts = Hosts()
        self._threads, self._count, self._scheduler, self._patience = threads, workers, scheduler, patience
        self._name = f"fspielm-{uuid4().hex}"
        self._inbox: Queue[tuple[str, Any]] = Queue()
        self._asked: set[str] = set()
        self._refused: set[str] = set()
        self._begun = False
        self._deserted = monotonic()
        self._looked = -float("inf")
        # what the largest host had before a worker left, and until when it may come back
        self._missed: list[tuple[float, float]] = []
        self._stack = ExitStack()
        self._crew: Crew | None = None
        self._client: Client

    def __enter__(self) -> Staff:
        with ExitStack() as stack:
            stack.enter_context(quiet())
            if self._scheduler is None:
                self._scheduler = stack.enter_context(own_scheduler())
            self._client = stack.enter_context(connected(self._scheduler))
            if self._count is not None:
                self._crew = stack.enter_context(Crew(self._count, self._scheduler))
            self._client.subscribe_topic("all", self._hear)
            stack.callback(self._client.unsubscribe_topic, "all")
            self._introduce()
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    @property
    def largest(self) -> float:
        """Bytes of the largest host, one among them that has gone and may come back."""
        now = monotonic()
        self._missed = [(memory, until) for memory, until in self._missed if now < until]
        return max([self.hosts.largest, *(memory for memory, _ in self._missed)])

    def submit(self, number: int, request: dict[str, Any], worker: str) -> Future[Any]:
        """Give a task to a worker; its answer will be an event."""
        key = f"{self._name}-{number}"
        with warnings.catch_warnings():
            # that it is large
            warnings.simplefilter("ignore")
            future: Future[Any] = self._client.submit(
                remote.solve, request, key=key, workers=[worker], allow_other_workers=False, pure=False
            )
        future.add_done_callback(lambda future: self._inbox.put(("answered", number)))
        return future

    def next_event(self) -> Answered | Left | None:
        """Wait for something to happen; None if it is only that there may be another worker now."""
        due = self._looked + _LOOK_SECONDS - monotonic()
        if due <= 0:
            # by the clock, however much there is to hear
            self._look()
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

    def _hear(self, event: tuple[float, Any]) -> None:
        """Take note of an event that the scheduler tells everyone of; in Dask's own thread."""
        message = event[1]
        if isinstance(message, dict) and message.get("action") in ("add-worker", "remove-worker"):
            self._inbox.put((message["action"], message["worker"]))

    def _introduce(self) -> None:
        """Wait until all that are there have said who they are, and for one at least."""
        self._look()
        end = monotonic() + _INTRODUCTION_SECONDS
        while not self.hosts or (self._asked and monotonic() < end):
            self.next_event()
        self._begun = True

    def _look(self) -> None:
        """Compare with the scheduler's list: an event may have been missed."""
        self._looked = monotonic()
        try:
            there = set(self._client.nthreads())
        except OSError as error:
            raise WorkersLostError(f"the scheduler at {self._scheduler!r} is gone ({error}); {_GO_ON}") from error
        for address in there - self._asked - self._refused - self.hosts.addresses:
            self._ask(address)
        for address in (self.hosts.addresses | self._refused) - there:
            self._inbox.put(("remove-worker", address))
        if not self.hosts:
            self._check_hope()

    def _check_hope(self) -> None:
        defeat = None if self._crew is None else self._crew.defeat
        if defeat is not None:
            raise WorkersLostError(f"{defeat}; {_GO_ON}")
        if monotonic() - self._deserted > self._patience:
            raise WorkersLostError(
                f"the scheduler at {self._scheduler!r} has had no worker for {self._patience:g} s; start some with: "
                f"dask worker {self._scheduler} --nworkers 2 --nthreads 1; {_GO_ON}"
            )

    def _ask(self, address: str) -> None:
        """Have a worker say who it is; it joins when it does."""
        if address not in self._asked:
            self._asked.add(address)
            Thread(target=self._interview, args=[address], daemon=True).start()

    def _interview(self, address: str) -> None:
        """Ask a worker, in a thread, since it may first have to import the package.

        Not by a task: a worker that cannot read one, for want of the package, ends without an answer.
        """
        try:
            answer = self._client.run(remote.describe, workers=[address], on_error="return").get(address)
        except Exception:
            # the worker or the scheduler is gone, of which we hear otherwise
            answer = None
        self._inbox.put(("described", (address, answer)))

    def _join(self, address: str, answer: Any) -> None:
        if address not in self._asked:
            # gone again
            return
        self._asked.remove(address)
        if isinstance(answer, Exception) and not isinstance(answer, OSError):
            # Dask does not keep the kind of every error
            self._turn_away(address, f"cannot import fspielm ({answer}); install the same version there as here")
        elif isinstance(answer, dict) and answer["version"] != __version__:
            self._turn_away(address, mismatch(answer["version"]))
        elif isinstance(answer, dict):
            slots = max(1, answer["threads"] // self._threads)
            if self._crew is not None:
                self._crew.welcome(answer["pid"])
            self.hosts.join(Worker(address, answer["host"], answer["memory"], answer["limit"], slots))

    def _turn_away(self, address: str, reason: str) -> None:
        message = f"the worker at {address} {reason}"
        if not self._begun:
            raise ProblemError(message)
        self._refused.add(address)
        warnings.warn(f"{message}; it is not used", WorkersWarning, stacklevel=2)

    def _leave(self, address: str) -> Left:
        # another one may come at the same address
        self._asked.discard(address)
        self._refused.discard(address)
        was_there, before = address in self.hosts.addresses, self.hosts.largest
        lost = self.hosts.leave(address)
        if self.hosts.largest < before:
            self._missed.append((before, monotonic() + self._patience))
        if was_there and not self.hosts:
            self._deserted = monotonic()
        return Left(address, lost)
