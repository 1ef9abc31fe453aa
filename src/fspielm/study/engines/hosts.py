"""Which worker gets the next task: one with a free slot, on a host with the memory that it needs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

# Of a host's memory, for tasks beside each other; the rest is for the system and what the estimates miss.
SHARE = 0.8
# Tasks that were each given their part of a host fill it, whatever the rounding.
_ROUNDING = 1 + 1e-9


@final
@dataclass(frozen=True)
class Worker:
    """A worker as it described itself.

    Attributes
    ----------
    address : str
    host : str
        The machine, whose memory its workers share.
    memory : float
        Bytes of the machine.
    limit : float or None
        Bytes that the worker was allowed when it was started.
    slots : int
        Tasks that it does at once.
    """

    address: str
    host: str
    memory: float
    limit: float | None
    slots: int


@final
@dataclass
class Hosts:
    """The workers there are, and what runs on each. Tasks are known by numbers."""

    _workers: dict[str, Worker] = field(default_factory=dict)
    _running: dict[str, dict[int, float]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._workers)

    @property
    def addresses(self) -> set[str]:
        """Of all workers."""
        return set(self._workers)

    @property
    def has_room(self) -> bool:
        """Whether any slot is free."""
        return any(map(self._is_free, self._workers.values()))

    @property
    def largest(self) -> float:
        """Bytes of the host that has the most."""
        return max(map(self._capacity, self._names()), default=0.0)

    @property
    def part(self) -> float:
        """Bytes for each task when every slot is taken, on the host that has the least for each."""
        return min(
            SHARE * self._capacity(host) / sum(worker.slots for worker in self._on(host)) for host in self._names()
        )

    def join(self, worker: Worker) -> None:
        """A worker has come."""
        self._workers[worker.address] = worker
        self._running[worker.address] = {}

    def leave(self, address: str) -> list[int]:
        """A worker has gone; which tasks it had."""
        self._workers.pop(address, None)
        return list(self._running.pop(address, {}))

    def find(self, memory: float) -> str | None:
        """The worker for a task of so many bytes, None while there is none: of the host with the most memory left."""
        fitting = [worker for worker in self._workers.values() if self._is_free(worker) and self._fits(worker, memory)]
        if not fitting:
            return None
        best = max(fitting, key=lambda worker: (self._left(worker.host), -len(self._running[worker.address])))
        return best.address

    def begin(self, number: int, address: str, memory: float) -> None:
        """A task has been given to a worker."""
        self._running[address][number] = memory

    def end(self, number: int, address: str) -> None:
        """A task has ended."""
        self._running[address].pop(number)

    def _is_free(self, worker: Worker) -> bool:
        return len(self._running[worker.address]) < worker.slots

    def _fits(self, worker: Worker, memory: float) -> bool:
        used, capacity = self._used(worker.host), self._capacity(worker.host)
        if used == 0:
            # alone it may have everything
            return memory <= capacity
        return used + memory <= SHARE * capacity * _ROUNDING

    def _left(self, host: str) -> float:
        return SHARE * self._capacity(host) - self._used(host)

    def _used(self, host: str) -> float:
        return sum(sum(self._running[worker.address].values()) for worker in self._on(host))

    def _capacity(self, host: str) -> float:
        """What the machine has; less if all of its workers were allowed less."""
        workers = self._on(host)
        memory = max(worker.memory for worker in workers)
        limits = [worker.limit for worker in workers if worker.limit is not None]
        return min(memory, sum(limits)) if len(limits) == len(workers) else memory

    def _on(self, host: str) -> list[Worker]:
        return [worker for worker in self._workers.values() if worker.host == host]

    def _names(self) -> set[str]:
        return {worker.host for worker in self._workers.values()}
