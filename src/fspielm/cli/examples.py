"""Files to start from."""

from __future__ import annotations

from pathlib import Path

from fspielm.errors import ProblemError
from fspielm.writing import staged_file


def write_example(text: str, path: Path, *, force: bool) -> None:
    """Write a file; one that exists only with `force`."""
    if path.exists() and not force:
        raise ProblemError(f"{path} exists; choose another name, or add --force to replace it")
    with staged_file(path) as draft:
        draft.write_text(text, encoding="utf-8")
