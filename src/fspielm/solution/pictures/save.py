"""Writing a picture: checked before the computation, complete or not at all."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar

from fspielm.errors import ProblemError
from fspielm.geometry.pictures import require_matplotlib
from fspielm.writing import describe, staged_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

F = TypeVar("F", bound="Figure")

FORMATS = (".png", ".pdf", ".svg", ".jpg")
MOVING_FORMATS = (".gif", ".mp4")

# What would otherwise hold the time of writing, so that the same picture gives the same file.
_TIMELESS: dict[str, dict[str, Any]] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}


def save_picture(figure: F, path: str | os.PathLike[str] | None) -> F:
    """Write a figure in the format that the suffix names, if there is a path, and return it.

    The file appears complete or not at all.
    """
    check_picture_path(path)
    if path is not None:
        with staged_file(path) as draft:
            figure.savefig(draft, metadata=_TIMELESS.get(draft.suffix.lower()))
    return figure


def check_picture_path(path: str | os.PathLike[str] | None, formats: tuple[str, ...] = FORMATS) -> None:
    """Say at once, before any long computation, if no picture could be drawn, or written to `path`."""
    require_matplotlib()
    if path is None:
        return
    path = Path(path)
    if path.is_dir():
        raise ProblemError(f"cannot write a picture to {str(path)!r}: it is a folder")
    if path.suffix.lower() not in formats:
        raise ProblemError(f"the name of a picture must end in {', '.join(formats)}; got {path.name!r}")
    if path.suffix.lower() == ".mp4" and shutil.which("ffmpeg") is None:
        raise ProblemError(f"{path.name!r} needs the program ffmpeg, which is not installed; .gif needs nothing")
    try:
        TemporaryDirectory(prefix=".fspielm-", dir=path.parent).cleanup()
    except OSError as error:
        raise ProblemError(f"cannot write a picture to {str(path)!r}: {describe(error)}") from error


def is_moving(path: str | os.PathLike[str] | None) -> bool:
    """Whether the suffix names a moving picture."""
    return path is not None and Path(path).suffix.lower() in MOVING_FORMATS
