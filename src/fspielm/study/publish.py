"""A folder that appears complete or not at all."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import mkdtemp

from fspielm.errors import ProblemError
from fspielm.writing import DISK_ERRORS, describe

# What file managers leave behind in a folder that was looked at.
_LITTER = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})
# How the name of a folder ends in which another is made ready, and what there is inside: the two parts of an exchange.
_MARK, _NEW, _OLD = ".draft", "new", "old"
# One in which nothing has changed for as long is what a killed process left; a younger one may still be written to.
_FORGOTTEN_SECONDS = 3600.0


@contextmanager
def staged_folder(target: Path) -> Iterator[Path]:
    """A folder to fill, which takes the place of `target` once the block ends.

    If the block fails or is interrupted, an older `target` is left as it was and nothing else remains. What a killed
    process left, a later call for the same target takes back or removes.
    """
    target = target.resolve()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        # beside the target, so that moving it is one rename and not a copy
        scratch = Path(mkdtemp(prefix=f".{target.name}-", suffix=_MARK, dir=target.parent))
    except OSError as error:
        raise ProblemError(f"cannot write to the folder {str(target.parent)!r}: {describe(error)}") from error
    try:
        _clear_forgotten(target)
        fresh = scratch / _NEW
        fresh.mkdir()
        yield fresh
        _exchange(fresh, target, scratch / _OLD)
    except OSError as error:
        if error.errno not in DISK_ERRORS:
            raise
        raise ProblemError(f"cannot write the folder {str(target)!r}: {describe(error)}") from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _exchange(fresh: Path, target: Path, old: Path) -> None:
    """Put `fresh` in the place of `target`, which goes to `old`; back to the start if anything fails."""
    try:
        if target.exists():
            target.rename(old)
        fresh.rename(target)
    except BaseException:
        if old.exists() and not target.exists():
            old.rename(target)
        raise


def _clear_forgotten(target: Path) -> None:
    """Put back what a process killed between its two moves took away, and remove what killed ones left."""
    start = f".{target.name}-"
    left = [one for one in target.parent.iterdir() if one.name.startswith(start) and one.name.endswith(_MARK)]
    for scratch in left:
        with suppress(OSError):  # another process may be quicker
            if (scratch / _OLD).is_dir() and not target.exists():
                (scratch / _OLD).rename(target)
            changed = max(path.lstat().st_mtime for path in (scratch, *scratch.rglob("*")))
            if time.time() - changed > _FORGOTTEN_SECONDS:
                shutil.rmtree(scratch)


def check_replaceable(target: Path, written: Collection[str], *, mark: str, marked: str = "index.html") -> None:
    """Refuse a folder whose replacement would destroy something.

    Parameters
    ----------
    target : Path
        Fine if it does not exist or is empty.
    written : collection of str
        The names of the files that an earlier run may have left there, with those of their folders as in
        ``"figures/a.png"``.
    mark : str
        What the file `marked` contains if an earlier run wrote it.
    marked : str
        The name of that file, one of `written`.
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
    """Whether something would be lost with an entry of a folder: not with what only holds others."""
    return entry.name not in _LITTER and (entry.is_symlink() or not entry.is_dir())
