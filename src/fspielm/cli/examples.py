"""Files to start from."""

from __future__ import annotations

from pathlib import Path

from fspielm.errors import ProblemError
from fspielm.writing import check_place, describe, staged_file


def write_example(text: str, path: Path, *, force: bool) -> None:
    """Write a file; one that exists only with `force`."""
    if not force:
        _claim(path)
    try:
        with staged_file(path) as draft:
            draft.write_text(text, encoding="utf-8")
    except BaseException:
        if not force:
            path.unlink(missing_ok=True)
        raise


def _claim(path: Path) -> None:
    """Create an empty file: whoever else would has lost from here on, or already won."""
    check_place(path)
    try:
        path.open("x").close()
    except FileExistsError:
        raise ProblemError(f"{path} exists; choose another name, or add --force to replace it") from None
    except OSError as error:
        raise ProblemError(f"cannot write {str(path)!r}: {describe(error)}") from error
