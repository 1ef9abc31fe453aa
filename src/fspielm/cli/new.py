"""``fspielm new`` and ``fspielm study new``: files to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fspielm import cases
from fspielm.cli.names import choose
from fspielm.errors import ProblemError
from fspielm.files import EXAMPLES, example, write_problem
from fspielm.study import example_plan
from fspielm.writing import check_place, describe, staged_file

_Force = Annotated[bool, typer.Option("--force", help="Replace a file that exists.")]


def new_file(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write it.")] = Path("problem.toml"),
    case: Annotated[
        str | None,
        typer.Option(metavar="CASE", help="Write this benchmark.", show_default="an example with comments"),
    ] = None,
    kind: Annotated[
        str, typer.Option("--example", metavar="NAME", help=f"Which example: {', '.join(EXAMPLES)}.")
    ] = "waves",
    force: _Force = False,
) -> None:
    """Write a problem file to start from.

    Examples: waves has one unknown, flow several, absorbing complex values.
    """
    name = choose("example", kind, tuple(EXAMPLES))
    text = example(name) if case is None else _benchmark(choose("case", case, cases.names()))
    write_example(text, path, force=force)
    print(f"Wrote {path}. Next: fspielm check {path}; fspielm solve {path}")


def new_plan(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write it.")] = Path("plan.toml"),
    force: _Force = False,
) -> None:
    """Write a plan file to start from.

    An example with comments, which runs as it is.

    Example: fspielm study new mine.toml
    """
    write_example(example_plan(), path, force=force)
    print(f"Wrote {path}. Next: fspielm study run {path}")


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


def _benchmark(name: str) -> str:
    case = cases.load(name)
    return write_problem(case.problem, title=case.title, rng=0, exact=case.exact)


def _claim(path: Path) -> None:
    """Create an empty file: whoever else would has lost from here on, or already won."""
    check_place(path)
    try:
        path.open("x").close()
    except FileExistsError:
        raise ProblemError(f"{path} exists; choose another name, or add --force to replace it") from None
    except OSError as error:
        raise ProblemError(f"cannot write {str(path)!r}: {describe(error)}") from error
