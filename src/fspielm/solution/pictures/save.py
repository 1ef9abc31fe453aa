"""Writing a picture: checked before the computation, complete or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from fspielm.errors import ProblemError
from fspielm.geometry.pictures import require_matplotlib

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DPI = 150
_FORMATS = (".png", ".pdf", ".svg", ".jpg")


def save_picture(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write a figure in the format that the suffix names; the file appears complete or not at all."""
    path = Path(path)
    check_picture_path(path)
    with TemporaryDirectory(prefix=".fspielm-", dir=path.parent) as folder:
        draft = Path(folder) / path.name
        figure.savefig(draft, dpi=_DPI)
        draft.replace(path)


def check_picture_path(path: str | os.PathLike[str]) -> None:
    """Say at once, before any long computation, if no picture could be written to `path`."""
    path = Path(path)
    require_matplotlib()
    if path.is_dir():
        raise ProblemError(f"cannot write a picture to {str(path)!r}: it is a folder")
    if path.suffix.lower() not in _FORMATS:
        raise ProblemError(f"the name of a picture must end in {', '.join(_FORMATS)}; got {path.name!r}")
    try:
        TemporaryDirectory(prefix=".fspielm-", dir=path.parent).cleanup()
    except OSError as error:
        raise ProblemError(f"cannot write a picture to {str(path)!r}: {error.strerror}") from error
