"""SQLite as a study uses it: one file, every transaction on the disk, and what fails in plain words."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fspielm.errors import ProblemError

_BUSY_SECONDS = 30.0
# What SQLite keeps beside a file while it is written to, or after a kill.
_SIDECARS = ("-journal", "-wal", "-shm")


class StoreError(OSError):
    """The file cannot take what it should; what it has is safe, if there is one."""


def connect(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """Open a file that is there; transactions are begun by hand.

    A commit appends to a log beside the file and waits for the disk once, which is durable and quick; the log is taken
    into the file when it is closed or, after a kill, when it is opened again. That takes a writer.
    """
    mode = "ro" if read_only and not any(_beside(path, name).exists() for name in _SIDECARS) else "rw"
    connection = None
    try:
        connection = sqlite3.connect(
            f"{path.resolve().as_uri()}?mode={mode}", uri=True, timeout=_BUSY_SECONDS, isolation_level=None
        )
        if mode == "rw" and not read_only:
            connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
    except sqlite3.Error as error:
        if connection is not None:
            connection.close()
        raise ProblemError(f"cannot open {str(path)!r} as a study: {_reason(error)}") from error
    return connection


def remove_sidecars(path: Path) -> None:
    """Remove what belongs to a file that is gone: SQLite would take it for part of a new one of the same name."""
    for name in _SIDECARS:
        _beside(path, name).unlink(missing_ok=True)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn what SQLite cannot do (a full disk, a file that became read-only) into one clear sentence."""
    try:
        yield
    except sqlite3.Error as error:
        safe = "; what it holds is safe" if path.is_file() else ""
        raise StoreError(f"cannot write to {str(path)!r}: {_reason(error)}{safe}") from error


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn what a damaged file does into one clear sentence."""
    try:
        yield
    except sqlite3.Error as error:
        raise ProblemError(f"cannot read {str(path)!r}: {error}") from error


def _reason(error: sqlite3.Error) -> str:
    """SQLite's reason; it has one text for two of them."""
    full = getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL
    return "no space left on the disk" if full else str(error)


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)
