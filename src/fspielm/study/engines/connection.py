"""The way to a Dask scheduler: one of our own, or one that is there."""

from __future__ import annotations

import asyncio
import logging
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING

from fspielm.errors import ProblemError
from fspielm.study.engines import remote
from fspielm.version import __version__

if TYPE_CHECKING:
    from distributed import Client

# A scheduler that is there answers within a fraction of a second.
_ANSWER_SECONDS = 10.0
_LOGGERS = ("distributed", "tornado")


def check_installed() -> None:
    """Refuse to go on without Dask, before anything is begun."""
    try:
        import distributed  # noqa: F401
    except ImportError as error:
        raise ProblemError(
            f"several workers need the package distributed, which is not installed ({error}); "
            "install it with: pip install 'fspielm[cluster]'"
        ) from error


@contextmanager
def own_scheduler() -> Iterator[str]:
    """A scheduler in this process, for workers on this machine; its address."""
    from distributed import LocalCluster

    with (
        _no_warnings(),
        LocalCluster(
            n_workers=0,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            # any port for its web server, whose dashboard is left out; the usual one may be someone else's
            dashboard_address="127.0.0.1:0",
            scheduler_kwargs={"dashboard": False},
            silence_logs=False,
        ) as cluster,
    ):
        yield str(cluster.scheduler_address)


@contextmanager
def connected(address: str) -> Iterator[Client]:
    """A client of the scheduler there, once it has answered and is of this version."""
    from distributed import Client

    advice = "give the address that 'dask scheduler' shows, as in tcp://127.0.0.1:8786"
    try:
        with _no_warnings():
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
        with _no_warnings():
            client.close(timeout=2)


def mismatch(version: str) -> str:
    """What to say about another fspielm than this one."""
    return f"has fspielm {version}, and the study is run by {__version__}; install the same version on both"


@contextmanager
def quiet() -> Iterator[None]:
    """Keep Dask's own messages from the terminal; those that it writes elsewhere stay."""
    # distributed gives its loggers handlers when it is imported
    check_installed()
    loggers = [logging.root, *map(logging.getLogger, _logger_names())]
    found = {handler for logger in loggers for handler in logger.handlers}
    loud = [handler for handler in found if type(handler) is logging.StreamHandler]

    # one of its own for each engine: a filter is there once, however often it is added
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
def _no_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _greet(address: str) -> None:
    """Have the scheduler say something: a client would wait for ever where someone listens and does not answer."""
    from distributed import Security, rpc

    async def ask() -> None:
        async with rpc(address, connection_args=Security().get_connection_args("client")) as scheduler:
            await scheduler.identity()

    async def ask_in_time() -> None:
        await asyncio.wait_for(ask(), _ANSWER_SECONDS)

    # in a thread, since this one may have a loop of its own, as in a notebook
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, ask_in_time()).result()


def _check_scheduler(client: Client, address: str) -> None:
    """The scheduler reads the tasks that it passes on, and so needs the package too."""
    try:
        version = str(client.run_on_scheduler(remote.version))
    except ImportError as error:
        raise ProblemError(
            f"the scheduler at {address!r} cannot import fspielm ({error}); start it in an environment with the same "
            "installation as here"
        ) from error
    if version != __version__:
        raise ProblemError(f"the scheduler at {address!r} {mismatch(version)}")
