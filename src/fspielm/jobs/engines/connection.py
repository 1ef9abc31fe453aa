"""Connect to a Dask scheduler."""

from __future__ import annotations

import asyncio
import logging
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING

from fspielm.errors import ProblemError
from fspielm.jobs.engines import remote
from fspielm.jobs.sandbox import ANSWER_SECONDS
from fspielm.version import __version__

if TYPE_CHECKING:
    from distributed import Client


_LOGGERS = ("distributed", "tornado")


@contextmanager
def connected(address: str) -> Iterator[Client]:
    """A client of the scheduler at an address, which has to answer and to run this version."""
    from distributed import Client

    advice = "give the address that 'dask scheduler' shows, as in tcp://127.0.0.1:8786"
    try:
        with no_warnings():
            _greet(address)
            client = Client(address, timeout=ANSWER_SECONDS, set_as_default=False, name="fspielm-study")
    except (ValueError, TypeError) as error:
        raise ProblemError(f"scheduler={address!r} is no address ({error}); {advice}") from error
    except OSError as error:
        raise ProblemError(
            f"no scheduler answers at {address!r} within {ANSWER_SECONDS:g} s; is it running, and reachable from "
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
    """Keep Dask's log messages off the terminal, but not out of other handlers; refuse to begin without Dask."""
    try:
        # adds handlers to its loggers
        import distributed  # noqa: F401
    except ImportError as error:
        raise ProblemError(
            f"the workers of a scheduler need the package distributed, which is not installed ({error}); "
            "install it with: pip install 'fspielm[cluster]'"
        ) from error
    names = [name for name in logging.root.manager.loggerDict if name.split(".")[0] in _LOGGERS]
    loggers = [logging.root, *map(logging.getLogger, names)]
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
        await asyncio.wait_for(ask(), ANSWER_SECONDS)

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
