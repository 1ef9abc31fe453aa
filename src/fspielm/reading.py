"""Files to read from, and nothing that only looks like one."""

from __future__ import annotations

import errno
import os
import stat
from typing import BinaryIO

_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def open_file(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a regular file, to read its bytes.

    Raises
    ------
    OSError
        If that is not possible, and for anything that is no regular file: a pipe that nobody writes to would be waited
        for for ever, and some devices never end.
    """
    return open(path, "rb", opener=_open)


def _open(path: str, flags: int) -> int:
    # without waiting for whoever might write to a pipe
    handle = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    mode = os.fstat(handle).st_mode
    if not stat.S_ISREG(mode):
        os.close(handle)
        kind = _KINDS.get(stat.S_IFMT(mode), "something else")
        number = errno.EISDIR if stat.S_ISDIR(mode) else errno.EINVAL
        raise OSError(number, f"it is {kind}, not a file", path)
    return handle
