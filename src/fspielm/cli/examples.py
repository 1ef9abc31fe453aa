"""Files to start from."""

from __future__ import annotations

from pathlib import Path

from fspielm.errors import ProblemError


def write_example(text: str, path: Path, *, force: bool) -> None:
    """Write a file; one that exists only with `force`."""
    try:
        with path.open("w" if force else "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise ProblemError(f"{path} exists; choose another name, or add --force to replace it") from None
