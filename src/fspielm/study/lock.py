"""One run of a study at a time."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fspielm.errors import ProblemError
from fspielm.writing import describe

if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def only_run(store: Path) -> Iterator[None]:
    """Hold a study for this process; refused while another one does.

    The lock is the system's, on a file beside the store: it ends with the process, however that ends. The file itself
    is left beside a study, and removed where none came about.
    """
    # of the file itself: another name that leads to it must not lead past the lock
    place = store.resolve()
    path = _lock_path(place)
    while (handle := _hold(path, store)) is None:
        pass  # whoever had it removed it meanwhile
    try:
        yield
    finally:
        if not place.exists() and os.name != "nt":
            path.unlink(missing_ok=True)
        os.close(handle)


def _hold(path: Path, store: Path) -> int | None:
    """The lock, held; None if it is no longer the file of that name, so that another process may hold a newer one."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise ProblemError(f"cannot write beside {str(store)!r}: {describe(error)}") from error
    try:
        _lock(handle)
    except OSError:
        os.close(handle)
        raise ProblemError(
            f"another run is working on {str(store)!r}; 'fspielm study status {store}' shows how far it is"
        ) from None
    try:
        if os.path.samestat(os.fstat(handle), os.stat(path)):
            return handle
    except FileNotFoundError:
        pass
    os.close(handle)
    return None


def is_running(store: Path) -> bool:
    """Whether a run holds a study at this moment."""
    place = store.resolve()
    if not _lock_path(place).exists():
        return False
    try:
        with only_run(place):
            return False
    except ProblemError:
        return True


def _lock_path(place: Path) -> Path:
    return place.with_name(f".{place.name}.lock")
