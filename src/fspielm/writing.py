"""Files that appear complete or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path

from fspielm.errors import ProblemError

# What a draft is called, between the name of its target and its suffix: ".panda.nc-1f0c9a7e.draft.nc".
_MARK = ".draft"
# A draft as old as this is what a killed process left; a younger one may still be written to.
_FORGOTTEN_SECONDS = 600.0
# Bytes of a name, of which most systems allow 255.
_LONG_NAME = 200
# More than a disk keeps free without telling.
_PROBE_BYTES = 2**20
# Those that a disk gives to whoever writes to it, whatever the name.
DISK_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO)
_REASONS = {
    errno.ENOSPC: "no space left on the disk",
    errno.EDQUOT: "no space left in your quota of the disk",
    errno.EFBIG: "the file would be larger than allowed",
    errno.EROFS: "the disk is read-only",
    errno.EACCES: "it is not permitted",
    errno.EPERM: "it is not permitted",
    errno.EISDIR: "it is a folder",
    errno.ENAMETOOLONG: "the name is too long",
    errno.EIO: "the disk reports an error",
}


@contextmanager
def staged_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A path to write to, beside `path`, which takes its place once the block ends.

    At any instant `path` is either what it was before or complete, also after a power failure. If the block fails,
    nothing remains; a killed process leaves a draft, which a later call for the same path removes.
    """
    target = Path(path).resolve()
    check_place(target)
    _remove_forgotten(target)
    draft = target.parent / f"{_start(target)}{secrets.token_hex(4)}{_MARK}{target.suffix}"
    try:
        # rather than tempfile's, which nobody else may read
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        if target.exists():
            shutil.copymode(target, draft)
        yield draft
        _flush(draft)
        draft.replace(target)
        _flush(target.parent)
    except OSError as error:
        raise ProblemError(f"cannot write {str(path)!r}: {describe(error)}") from error
    finally:
        draft.unlink(missing_ok=True)


def describe(error: OSError) -> str:
    """Why the system refused to write, in words that say what to do about it."""
    return _REASONS.get(error.errno or 0) or error.strerror or str(error) or type(error).__name__


def find_cause(draft: Path) -> None:
    """Raise the system's own error if no more can be written to a draft: for libraries that do not pass it on."""
    with draft.open("ab") as file:
        file.write(bytes(_PROBE_BYTES))
        file.flush()
        os.fsync(file.fileno())


def check_place(path: str | os.PathLike[str], suffixes: Collection[str] = ()) -> None:
    """Say at once, before any long computation, if no file could be written to `path`.

    Parameters
    ----------
    path : path
    suffixes : collection of str
        Those that it may have, lower case with the dot; all if empty.
    """
    path = Path(path)
    try:
        _check_place(path, suffixes)
    except OSError as error:  # such as a name that is too long
        raise ProblemError(f"cannot write {str(path)!r}: {describe(error)}") from error


def _check_place(path: Path, suffixes: Collection[str]) -> None:
    if suffixes and path.suffix.lower() not in suffixes:
        raise ProblemError(f"the name of the file must end in {', '.join(suffixes)}; got {path.name!r}")
    if path.is_dir():
        raise ProblemError(f"cannot write {str(path)!r}: it is a folder")
    if not path.parent.is_dir():
        raise ProblemError(f"cannot write {str(path)!r}: its folder does not exist")
    if path.exists() and not path.is_file():
        raise ProblemError(f"cannot write {str(path)!r}: it is a pipe or a device, not a file")
    if not os.access(path.parent, os.W_OK):
        raise ProblemError(f"cannot write {str(path)!r}: its folder is read-only")


def _remove_forgotten(target: Path) -> None:
    """Remove the drafts of this target that a killed process left."""
    start = _start(target)
    with os.scandir(target.parent) as entries:
        for entry in entries:
            if not (entry.name.startswith(start) and entry.name.endswith(_MARK + target.suffix)):
                continue
            with suppress(OSError):  # another process may remove it first
                if time.time() - entry.stat().st_mtime > _FORGOTTEN_SECONDS:
                    os.unlink(entry)


def _start(target: Path) -> str:
    """How the names of its drafts begin; shorter than a name may be, with room for the rest."""
    name = os.fsencode(target.name)
    return f".{target.name if len(name) <= _LONG_NAME else sha256(name).hexdigest()[:32]}-"


def _flush(path: Path) -> None:
    """Wait until a file, or the entries of a folder, are on the disk; not every system can do it for a folder."""
    folder = path.is_dir()
    if folder and os.name == "nt":
        return
    handle = os.open(path, os.O_RDONLY if folder else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
