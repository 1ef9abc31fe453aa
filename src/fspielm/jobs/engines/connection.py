"""Connect to a Dask scheduler, and run a fixed number of local workers."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from tempfile import TemporaryFile
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, final

from fspielm.errors import ProblemError
from fspielm.jobs.engines import remote
from fspielm.jobs.sandbox import start_module
from fspielm.version import __version__

if TYPE_CHECKING:
    from distributed import Client


# ---- Dask workers on this machine


_MODULE = "fspielm.jobs.engines.local_worker"
# A worker that ends by itself, or before it has described itself, could not work. After so many in a row, give up.
_FALSE_STARTS = 3


@final
class LocalWorkers:
    """Worker processes for a scheduler; one that dies is replaced.

    Dask's own ``LocalCluster`` starts workers by multiprocessing, which runs the user's script again in every worker
    unless the script guards against it.

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
        self._confirmed: set[int] = set()
        self._last_output = ""
        self._threads = [Thread(target=self._keep_a_worker, daemon=True) for _ in range(count)]

    def __enter__(self) -> LocalWorkers:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._stop.set()
        with self._lock:
            for process in self._processes:
                process.kill()
        for thread in self._threads:
            thread.join()

    @property
    def failure(self) -> str | None:
        """Why no further worker will start; None if one may."""
        if any(thread.is_alive() for thread in self._threads):
            return None
        return f"the workers on this machine do not start: {self._last_output or 'they say nothing'}"

    def confirm(self, pid: int) -> None:
        """Note that a worker has described itself: if it is killed now, it is replaced."""
        with self._lock:
            self._confirmed.add(pid)

    def _keep_a_worker(self) -> None:
        """Run one worker after the other, in a thread that outlives each of them."""
        false_starts = 0
        while false_starts < _FALSE_STARTS and not self._stop.is_set():
            false_starts = 0 if self._run_worker() else false_starts + 1

    def _run_worker(self) -> bool:
        """Run a worker until it ends; whether it was killed at its work."""
        # its output goes to a file: nobody would read a pipe, and the terminal belongs to the study
        with TemporaryFile("w+", encoding="utf-8", errors="replace") as output:
            with self._lock:
                if self._stop.is_set():
                    return False
                try:
                    process = start_module(
                        _MODULE,
                        self._address,
                        environment={"DASK_LOGGING__DISTRIBUTED": "warning"},
                        stdin=subprocess.DEVNULL,
                        stdout=output,
                        stderr=output,
                    )
                except Exception as error:
                    self._last_output = str(error)
                    return False
                self._processes.add(process)
            status = process.wait()
            with self._lock:
                self._processes.remove(process)
                was_confirmed = process.pid in self._confirmed
                self._confirmed.discard(process.pid)
            output.seek(0)
            end = f"ended by signal {-status}" if status < 0 else ""
            self._last_output = (output.read().strip().splitlines() or [end])[-1]
            return status < 0 and was_confirmed


# ---- Connections to a scheduler


# A running scheduler answers within a fraction of a second.
_ANSWER_SECONDS = 10.0
_LOGGERS = ("distributed", "tornado")


def check_installed() -> None:
    """Refuse to begin without Dask."""
    try:
        import distributed  # noqa: F401
    except ImportError as error:
        raise ProblemError(
            f"several workers need the package distributed, which is not installed ({error}); "
            "install it with: pip install 'fspielm[cluster]'"
        ) from error


@contextmanager
def own_scheduler() -> Iterator[str]:
    """Run a scheduler in this process, for workers on this machine; gives its address."""
    from distributed import LocalCluster

    with (
        no_warnings(),
        LocalCluster(
            n_workers=0,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            # any free port for its web server; without the dashboard
            dashboard_address="127.0.0.1:0",
            scheduler_kwargs={"dashboard": False},
            silence_logs=False,
        ) as cluster,
    ):
        yield str(cluster.scheduler_address)


@contextmanager
def connected(address: str) -> Iterator[Client]:
    """A client of the scheduler at an address, which has to answer and to run this version."""
    from distributed import Client

    advice = "give the address that 'dask scheduler' shows, as in tcp://127.0.0.1:8786"
    try:
        with no_warnings():
            _greet(address)
            client = Client(address, timeout=_ANSWER_SECONDS, set_as_default=False, name="fspielm-study")
    except (ValueError, TypeError) as error:
        raise ProblemError(f"scheduler={address!r} is no address ({error}); {advice}") from error
    except OSError as error:
        raise ProblemError(
            f"no scheduler answers at {address!r} within {_ANSWER_SECONDS:g} s; is it running, and reachable from "
            f"here? {advice[0].upper()}{advice[1:]}"
        ) from error
    try:
        _check_scheduler(client, address)
        yield client
    finally:
        with no_warnings():
            client.close(timeout=2)


def mismatch(version: str) -> str:
    """The message about another version of fspielm than this one."""
    return f"has fspielm {version}, and the study is run by {__version__}; install the same version on both"


@contextmanager
def quiet() -> Iterator[None]:
    """Keep Dask's log messages off the terminal, but not out of other handlers."""
    # distributed adds handlers to its loggers when it is imported
    check_installed()
    loggers = [logging.root, *map(logging.getLogger, _logger_names())]
    found = {handler for logger in loggers for handler in logger.handlers}
    loud = [handler for handler in found if type(handler) is logging.StreamHandler]

    # a new function each time: a handler has each filter only once
    def is_not_dask(record: logging.LogRecord) -> bool:
        return record.name.split(".")[0] not in _LOGGERS

    for handler in loud:
        handler.addFilter(is_not_dask)
    try:
        yield
    finally:
        for handler in loud:
            handler.removeFilter(is_not_dask)


def _logger_names() -> list[str]:
    return [name for name in logging.root.manager.loggerDict if name.split(".")[0] in _LOGGERS]


@contextmanager
def no_warnings() -> Iterator[None]:
    """Ignore all warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _greet(address: str) -> None:
    """Ask the scheduler to identify itself: a client would wait forever for a listener that does not answer."""
    from distributed import Security, rpc

    async def ask() -> None:
        async with rpc(address, connection_args=Security().get_connection_args("client")) as scheduler:
            await scheduler.identity()

    async def ask_in_time() -> None:
        await asyncio.wait_for(ask(), _ANSWER_SECONDS)

    # in a thread, since this one may run an event loop, as in a notebook
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, ask_in_time()).result()


def _check_scheduler(client: Client, address: str) -> None:
    """Refuse a scheduler without this version: it unpickles the tasks that it passes on."""
    try:
        version = str(client.run_on_scheduler(remote.version))
    except ImportError as error:
        raise ProblemError(
            f"the scheduler at {address!r} cannot import fspielm ({error}); start it in an environment with the same "
            "installation as here"
        ) from error
    if version != __version__:
        raise ProblemError(f"the scheduler at {address!r} {mismatch(version)}")
