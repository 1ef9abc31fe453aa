"""Files: read only if regular, replaced as a whole, folders published complete."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from tempfile import mkdtemp
from typing import BinaryIO

from fspielm.errors import ProblemError

_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def open_file(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a regular file to read its bytes; others are an OSError: a pipe may block, and some devices never end."""
    return open(path, "rb", opener=_open)


def _open(path: str, flags: int) -> int:
    # without waiting for a writer of a pipe
    handle = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    mode = os.fstat(handle).st_mode
    if not stat.S_ISREG(mode):
        os.close(handle)
        kind = _KINDS.get(stat.S_IFMT(mode), "something else")
        number = errno.EISDIR if stat.S_ISDIR(mode) else errno.EINVAL
        raise OSError(number, f"it is {kind}, not a file", path)
    return handle


# ---- Files that appear complete or not at all

# Names of drafts, between the name of the target and its suffix (".panda.nc-1f0c9a7e.draft.nc"); they end names of
# folders in preparation.
_MARK = ".draft"
# A killed process left drafts of this age; younger ones may still be in use.
_ABANDONED_SECONDS = 3600.0
# Bytes of a name; most systems allow 255.
_LONG_NAME = 200
# More than a disk keeps in reserve.
_PROBE_BYTES = 2**20
# Errors of the disk itself, for any name.
_DISK_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO)
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
    """A path to write to, in the same folder, which replaces `path` once the block ends.

    At any time `path` is either unchanged or complete, even after a power failure. If the block fails, nothing
    remains; a killed process leaves a draft, which a later call for the same path removes.
    """
    target = Path(path).resolve()
    check_place(target)
    _remove_abandoned_files(target)
    draft = target.parent / f"{_draft_prefix(target)}{secrets.token_hex(4)}{_MARK}{target.suffix}"
    try:
        # not by tempfile, whose files nobody else may read
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
    """Why the system refused to write, in plain words."""
    return _REASONS.get(error.errno or 0) or error.strerror or str(error) or type(error).__name__


def find_cause(draft: Path) -> None:
    """Raise the error of the system if a draft cannot grow, for libraries that hide this error."""
    with draft.open("ab") as file:
        file.write(bytes(_PROBE_BYTES))
        file.flush()
        os.fsync(file.fileno())


def check_place(path: str | os.PathLike[str], suffixes: Collection[str] = ()) -> None:
    """Refuse a `path` that cannot be written, or with none of the `suffixes`, before any long computation."""
    path = Path(path)
    if suffixes and path.suffix.lower() not in suffixes:
        raise ProblemError(f"the name of the file must end in {', '.join(suffixes)}; got {path.name!r}")
    try:
        if path.is_dir():
            raise ProblemError(f"cannot write {str(path)!r}: it is a folder")
        if not path.parent.is_dir():
            raise ProblemError(f"cannot write {str(path)!r}: its folder does not exist")
        if path.exists() and not path.is_file():
            raise ProblemError(f"cannot write {str(path)!r}: it is a pipe or a device, not a file")
        if not os.access(path.parent, os.W_OK):
            raise ProblemError(f"cannot write {str(path)!r}: its folder is read-only")
    except OSError as error:  # such as a name that is too long
        raise ProblemError(f"cannot write {str(path)!r}: {describe(error)}") from error


def _remove_abandoned_files(target: Path) -> None:
    """Remove the drafts of this target that a killed process left."""
    start = _draft_prefix(target)
    with os.scandir(target.parent) as entries:
        for entry in entries:
            if not (entry.name.startswith(start) and entry.name.endswith(_MARK + target.suffix)):
                continue
            with suppress(OSError):  # another process may remove it first
                if time.time() - entry.stat().st_mtime > _ABANDONED_SECONDS:
                    os.unlink(entry)


def _draft_prefix(target: Path) -> str:
    """The start of the names of drafts, short enough to leave room for the rest."""
    name = os.fsencode(target.name)
    return f".{target.name if len(name) <= _LONG_NAME else sha256(name).hexdigest()[:32]}-"


def _flush(path: Path) -> None:
    """Wait until a file or the entries of a folder are on the disk; Windows cannot do this for a folder."""
    folder = path.is_dir()
    if folder and os.name == "nt":
        return
    handle = os.open(path, os.O_RDONLY if folder else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


# ---- Folders that appear complete or not at all

# Files that file managers leave in a folder.
_LITTER = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})
# Subfolders of a draft: the new and the old content of the target.
_NEW, _OLD = "new", "old"


@contextmanager
def staged_folder(target: Path) -> Iterator[Path]:
    """A folder to fill, which replaces `target` once the block ends.

    If the block fails or is interrupted, an older `target` stays unchanged and nothing else remains. A later call for
    the same target restores or removes what a killed process left.
    """
    target = target.resolve()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        # in the same folder, so that moving it is a rename and not a copy
        scratch = Path(mkdtemp(prefix=f".{target.name}-", suffix=_MARK, dir=target.parent))
    except OSError as error:
        raise ProblemError(f"cannot write to the folder {str(target.parent)!r}: {describe(error)}") from error
    try:
        _clear_abandoned_folders(target)
        fresh = scratch / _NEW
        fresh.mkdir()
        yield fresh
        _exchange(fresh, target, scratch / _OLD)
    except OSError as error:
        if error.errno not in _DISK_ERRORS:
            raise
        raise ProblemError(f"cannot write the folder {str(target)!r}: {describe(error)}") from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _exchange(fresh: Path, target: Path, old: Path) -> None:
    """Move `target` to `old` and `fresh` to `target`; undo this if anything fails."""
    try:
        if target.exists():
            target.rename(old)
        fresh.rename(target)
    except BaseException:
        if old.exists() and not target.exists():
            old.rename(target)
        raise


def _clear_abandoned_folders(target: Path) -> None:
    """Restore the old content after a process was killed between its two moves; remove abandoned drafts."""
    start = f".{target.name}-"
    left = [one for one in target.parent.iterdir() if one.name.startswith(start) and one.name.endswith(_MARK)]
    for scratch in left:
        with suppress(OSError):  # another process may be faster
            if (scratch / _OLD).is_dir() and not target.exists():
                (scratch / _OLD).rename(target)
            changed = max(path.lstat().st_mtime for path in (scratch, *scratch.rglob("*")))
            if time.time() - changed > _ABANDONED_SECONDS:
                shutil.rmtree(scratch)


def check_replaceable(target: Path, written: Collection[str], *, mark: str, marked: str = "index.html") -> None:
    """Refuse a folder whose replacement would destroy something.

    An earlier run may have left the files `written`, relative paths such as ``"figures/a.png"``; one of them, `marked`,
    then has the text `mark`.
    """
    target = target.resolve()
    if not target.exists():
        return
    if not target.is_dir():
        raise ProblemError(f"{str(target)!r} is a file; name a folder")
    if target == Path.cwd() or os.path.ismount(target):
        raise ProblemError(f"{str(target)!r} cannot be replaced as a whole; name a folder inside it")
    names = {entry.relative_to(target).as_posix() for entry in target.rglob("*") if _is_lost_with(entry)}
    foreign = sorted(names - set(written))
    ours = target / marked
    if not foreign and names and not (ours.is_file() and mark in ours.read_text("utf-8", errors="replace")):
        foreign = sorted(names)
    if foreign:
        raise ProblemError(
            f"the folder {str(target)!r} would be replaced, but holds other files ({foreign[0]}); name another one"
        )


def _is_lost_with(entry: Path) -> bool:
    """Whether an entry of a folder is worth keeping, unlike folders themselves."""
    return entry.name not in _LITTER and (entry.is_symlink() or not entry.is_dir())
