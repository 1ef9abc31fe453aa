"""``fspielm modes``: eigenvalues of a problem file."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import sympy as sp
import typer
from rich.text import Text

from fspielm.cli.options import Rng, Seconds, Threads, limit_blas, optional, with_options
from fspielm.cli.output import headed_table, page_console, print_json
from fspielm.cli.progress import completing, run_or_salvage, show_rounds, working
from fspielm.cli.report import PICTURES_HELP, announce, draw_pictures
from fspielm.eigen.eigenmodes import eigenmodes
from fspielm.eigen.modes import Modes
from fspielm.errors import AccuracyWarning, ProblemError
from fspielm.files.draft import ProblemFile
from fspielm.files.read import read_problem_file
from fspielm.files.saved import save
from fspielm.solution.plot.modes import MOST_DRAWN
from fspielm.solution.plot.style import check_picture_path
from fspielm.solvers.request import Budget
from fspielm.wording import did_you_mean, known_digits, spoken

# The default name of the eigenvalue.
EIGENVALUE = "lam"
_COUNT = 6


@dataclass(frozen=True)
class ModesOptions:
    """The options as typed; None if left out."""

    symbol: Annotated[str, typer.Option(metavar="NAME", help="The parameter that is the eigenvalue.")] = EIGENVALUE
    count: Annotated[int | None, optional("N", "How many modes.", f"{_COUNT}, without --within")] = None
    within: Annotated[
        tuple[str, str] | None,
        optional("LOW HIGH", "All in an interval instead; outside of objects in a rectangle, 1-0.5j 3.", "none"),
    ] = None
    tol: Annotated[float | None, optional("X", "Relative error of each value.", "1e-8")] = None
    seconds: Seconds = None
    rng: Rng = None
    threads: Threads = None
    plot: Annotated[
        list[Path] | None,
        typer.Option("--plot", metavar="FILE", help=f"Draw the first {MOST_DRAWN} modes{PICTURES_HELP}"),
    ] = None
    save: Annotated[Path | None, optional("DIR", "Keep every mode there, as mode-1.fspielm ...", "nowhere")] = None
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")] = False


@with_options
def find_modes(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="A problem file without data.")],
    options: ModesOptions,
) -> None:
    """Find the eigenvalues of a problem file, with bounds.

    One of its parameters is the eigenvalue; its value in the file has no meaning. All right-hand sides must be zero.
    """
    for picture in options.plot or []:
        check_picture_path(picture)
    file = read_problem_file(path)
    symbol = _symbol(file, options.symbol)
    # for open domains, a count does not say which resonances
    by_number = options.within is None and not file.problem.domain.is_unbounded
    count = _COUNT if options.count is None and by_number else options.count
    within = None if options.within is None else tuple(map(_end, options.within))
    limits: dict[str, Any] = {"seconds": options.seconds, "threads": options.threads}
    budget = Budget(**{name: limit for name, limit in limits.items() if limit is not None})
    limit_blas(options.threads)
    with working(f"modes of {path}") as show, warnings.catch_warnings():
        warnings.simplefilter("ignore", AccuracyWarning)  # the remarks repeat them
        asked: dict[str, Any] = {"count": count, "within": within, "budget": budget, "rng": options.rng or 0}
        asked |= {} if options.tol is None else {"tol": options.tol}
        asked["progress"] = show_rounds(str(path), show, budget.seconds)
        modes, interrupt = run_or_salvage(partial(eigenmodes, file.problem, symbol, **asked))
    with completing(interrupt):
        if options.as_json:
            print_json(_as_json(modes))
        else:
            _print(modes, f"{path}: {file.title}" if file.title else str(path))
        if options.save is not None:
            _save(modes, options.save, file.title or path.name)
            if modes and not options.as_json:
                kept = "mode-1.fspielm" + f" to mode-{len(modes)}.fspielm" * (len(modes) > 1)
                page_console().print(Text(f"\nSaved: {kept} in {options.save}"))
        if options.plot and len(modes):
            draw_pictures(partial(modes.plot, title=file.title or str(path)), options.plot)
            if not options.as_json:
                announce("Picture", options.plot)


def _save(modes: Modes, folder: Path, title: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number, mode in enumerate(modes, 1):
        save(mode.field, folder / f"mode-{number}.fspielm", title=f"{title}: mode {number}")


def _symbol(file: ProblemFile, name: str) -> sp.Symbol:
    known = {str(key): key for key in file.problem.statement.given or {} if isinstance(key, sp.Symbol)}
    if name not in known:
        have = f"its parameters are {', '.join(known)}" if known else "it has no parameters"
        remedy = f"; write --symbol {next(iter(known))}" if len(known) == 1 else did_you_mean(name, known)
        raise ProblemError(
            f"--symbol: the file has no parameter {name!r} for the eigenvalue, as in -laplacian(u) = {name}*u with "
            f"{name} = 1 under [parameters]: {have}{remedy}"
        )
    return known[name]


def _end(text: str) -> complex:
    """One end of the wanted range; a float if it is real."""
    try:
        number = complex(text.replace("i", "j").replace("I", "j"))
    except ValueError:
        raise ProblemError(
            f"--within: {text!r} is no number; write 30 100, or corners of a rectangle, 1-0.5j 3"
        ) from None
    return number if number.imag else number.real


def _print(modes: Modes, title: str) -> None:
    console = page_console()
    console.print(Text(f"{title}\n", style="bold"))
    table = headed_table()
    for heading in ("mode", "value", "bound" if modes.selfadjoint else "estimate", "fold"):
        table.add_column(heading, justify="right")
    for number, mode in enumerate(modes, 1):
        error = f"{mode.estimate:.1e}" if math.isfinite(mode.estimate) else "unknown"
        table.add_row(str(number), known_digits(mode.value, mode.estimate), error, str(mode.multiplicity))
    console.print(table)
    if modes.complete and not len(modes):
        console.print(Text("There are none; a second search found none either."))
    elif modes.complete:
        console.print(Text("\nA second search found the same modes, and no other between them."))
    for remark in modes.remarks:
        console.print(Text(f"\n{spoken(remark)}"))


def _as_json(modes: Modes) -> dict[str, Any]:
    return {
        "selfadjoint": modes.selfadjoint,
        "complete": modes.complete,
        "remarks": list(modes.remarks),
        "modes": [
            {
                "value": mode.value,
                "bound": mode.bound,
                "estimate": mode.estimate,
                "multiplicity": mode.multiplicity,
                "error_estimate": mode.field.error_estimate,
            }
            for mode in modes
        ],
    }
