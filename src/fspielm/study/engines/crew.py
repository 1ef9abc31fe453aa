"""Dask workers on this machine, kept at their number."""

from __future__ import annotations

import subprocess
from tempfile import TemporaryFile
from threading import Event, Lock, Thread
from types import TracebackType
from typing import final

from fspielm.study.process import start_module

_MODULE = "fspielm.study.engines.local_worker"
# A worker that ends by itself, or before it has said who it is, could not work; after so many in a row another could
# not either.
_FALSE_STARTS = 3


@final
class Crew:
    """Processes that work for a scheduler; one that dies is replaced.

    Not those of Dask's own ``LocalCluster``: they are started by multiprocessing, which runs the user's script again in
    every worker unless it is written with that in mind.

    Parameters
    ----------
    count : int
    address : str
        Of the scheduler.
    """

    def __init__(self, count: int, address: str) -> None:
        self._address = address
        self._stop = Event()
        self._lock = Lock()
        self._processes: set[subprocess.Popen[str]] = set()
        self._welcomed: set[int] = set()
        self._last_words = ""
        self._threads = [Thread(target=self._keep, daemon=True) for _ in range(count)]

    def __enter__(self) -> Crew:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        with self._lock:
            for process in self._processes:
                process.kill()
        for thread in self._threads:
            thread.join()

    @property
    def defeat(self) -> str | None:
        """Why no worker comes any more; None while some may."""
        if any(thread.is_alive() for thread in self._threads):
            return None
        return f"the workers on this machine do not start: {self._last_words or 'they say nothing'}"

    def welcome(self, pid: int) -> None:
        """A worker has said who it is: if it is killed, that is no fault of its own."""
        with self._lock:
            self._welcomed.add(pid)

    def _keep(self) -> None:
        """Have one worker at any time; in a thread that outlives each of them."""
        false_starts = 0
        while false_starts < _FALSE_STARTS and not self._stop.is_set():
            false_starts = 0 if self._was_killed() else false_starts + 1

    def _was_killed(self) -> bool:
        """Have a worker, as long as it lives; whether somebody killed it at its work."""
        # a file, since nobody would read a pipe while it runs; and not the terminal, which is the study's
        with TemporaryFile("w+", encoding="utf-8", errors="replace") as said:
            with self._lock:
                if self._stop.is_set():
                    return False
                try:
                    process = start_module(
                        _MODULE,
                        self._address,
                        environment={"DASK_LOGGING__DISTRIBUTED": "warning"},
                        stdin=subprocess.DEVNULL,
                        stdout=said,
                        stderr=said,
                    )
                except Exception as error:
                    self._last_words = str(error)
                    return False
                self._processes.add(process)
            status = process.wait()
            with self._lock:
                self._processes.remove(process)
                was_welcome = process.pid in self._welcomed
                self._welcomed.discard(process.pid)
            said.seek(0)
            end = f"ended by signal {-status}" if status < 0 else ""
            self._last_words = (said.read().strip().splitlines() or [end])[-1]
            return status < 0 and was_welcome
