"""``fspielm modes``: eigenvalues of a problem file."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import sympy as sp
import typer
from rich.console import Console
from rich.text import Text

from fspielm.cli.options import optional, with_options
from fspielm.cli.outputs import PICTURES_HELP
from fspielm.cli.phrases import in_options
from fspielm.cli.plain import finite
from fspielm.cli.progress import show_rounds, working
from fspielm.cli.settings import limit_blas
from fspielm.cli.tables import headed_table
from fspielm.demo import run_interruptibly
from fspielm.errors import AccuracyWarning, ProblemError
from fspielm.files import ProblemFile, read_problem_file
from fspielm.solution.pictures import check_picture_path, plot_modes, save_picture
from fspielm.solvers import Budget
from fspielm.store import save
from fspielm.wording import did_you_mean

if TYPE_CHECKING:
    from fspielm.solvers.modes import Mode, Modes

# The parameter that is the eigenvalue, where none is named.
EIGENVALUE = "lam"
_WIDTH = 80
_COUNT = 6
# In one picture, with at most so many digits of each value.
_MOST_DRAWN, _CAPTION_DIGITS = 12, 10


@dataclass(frozen=True)
class ModesOptions:
    """What was typed; None where nothing was."""

    symbol: Annotated[str, typer.Option(metavar="NAME", help="The parameter that is the eigenvalue.")] = EIGENVALUE
    count: Annotated[int | None, optional("N", "How many modes.", f"{_COUNT}, without --within")] = None
    within: Annotated[
        tuple[str, str] | None,
        optional("LOW HIGH", "All in an interval instead; outside of objects in a rectangle, 1-0.5j 3.", "none"),
    ] = None
    tol: Annotated[float | None, optional("X", "Relative error of each value.", "1e-8")] = None
    seconds: Annotated[float | None, optional("S", "Begin no round that would end later.", "600")] = None
    rng: Annotated[int | None, optional("N", "Seed of features and points.", "0", min=0)] = None
    threads: Annotated[int | None, optional("N", "Threads to use.", "all cores")] = None
    plot: Annotated[
        list[Path] | None,
        typer.Option("--plot", metavar="FILE", help=f"Draw the first {_MOST_DRAWN} modes{PICTURES_HELP}"),
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
    from fspielm.solvers.modes import eigenmodes  # much code, which other commands do not need

    for picture in options.plot or []:
        check_picture_path(picture)
    file = read_problem_file(path)
    symbol = _symbol(file, options.symbol)
    # outside of objects a number does not say where
    by_number = options.within is None and not file.problem.domain.is_unbounded
    count = _COUNT if options.count is None and by_number else options.count
    within = None if options.within is None else tuple(map(_end, options.within))
    limits: dict[str, Any] = {"seconds": options.seconds, "threads": options.threads}
    budget = Budget(**{name: limit for name, limit in limits.items() if limit is not None})
    limit_blas(options.threads)
    with working(f"modes of {path}") as show, warnings.catch_warnings():
        warnings.simplefilter("ignore", AccuracyWarning)  # remarks say the same
        asked: dict[str, Any] = {"count": count, "within": within, "budget": budget, "rng": options.rng or 0}
        asked |= {} if options.tol is None else {"tol": options.tol}
        asked["progress"] = show_rounds(str(path), show, budget.seconds)
        modes = run_interruptibly(partial(eigenmodes, file.problem, symbol, **asked))
    if options.as_json:
        print(json.dumps(finite(_as_json(modes)), indent=2, allow_nan=False))
    else:
        _print(modes, f"{path}: {file.title}" if file.title else str(path))
    if options.save is not None:
        _save(modes, options.save, file.title or path.name)
        if not options.as_json:
            _tell_saved(len(modes), options.save)
    if options.plot and len(modes):
        _draw(modes, file.title or str(path), options.plot)
        if not options.as_json:
            print("\n" + "\n".join(f"Picture: {picture}" for picture in options.plot))


def _save(modes: Modes, folder: Path, title: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number, mode in enumerate(modes, 1):
        save(mode.field, folder / f"mode-{number}.fspielm", title=f"{title}: mode {number}")


def _tell_saved(count: int, folder: Path) -> None:
    if count:
        kept = "mode-1.fspielm" if count == 1 else f"mode-1.fspielm to mode-{count}.fspielm"
        Console(highlight=False, width=_WIDTH).print(Text(f"\nSaved: {kept} in {folder}"))


def _draw(modes: Modes, title: str, paths: Sequence[Path]) -> None:
    """The first modes with their values and errors, as a picture under every name."""
    drawn = modes[:_MOST_DRAWN]
    some = f": the first {len(drawn)} of {len(modes)} modes" if len(drawn) < len(modes) else ""
    with working("drawing"):
        fields, captions = [mode.field for mode in drawn], [_caption(n, mode) for n, mode in enumerate(drawn, 1)]
        figure = run_interruptibly(partial(plot_modes, fields, captions, f"{title}{some}"))
        for path in paths:
            save_picture(figure, path)


def _caption(number: int, mode: Mode) -> str:
    """The value as far as it is known, and below it how far the true one may be away."""
    digits = _CAPTION_DIGITS - 1 - math.floor(math.log10(abs(mode.value) or 1.0))
    measured = 0 < mode.estimate < math.inf
    place = min(digits, math.ceil(-math.log10(mode.estimate))) if measured else digits
    real, imaginary = (f"{round(part, place) + 0.0:.{max(place, 0)}f}" for part in (mode.value.real, mode.value.imag))
    value = f"{real} {imaginary[0] if imaginary[0] == '-' else '+'} {imaginary.lstrip('-')}i"
    many = f", {mode.multiplicity}-fold" if mode.multiplicity > 1 else ""
    if mode.value == 0 and mode.bound == 0:  # that of the constants
        return f"{number}:  0\nexact{many}"
    return f"{number}:  {value if mode.value.imag else real}\n{_error(mode)}{many}"


def _error(mode: Mode) -> str:
    """How far the true value may be away, where anything is known of that."""
    if not math.isfinite(mode.estimate):
        return "error unknown"
    return f"error about {mode.estimate:.1e}" if mode.bound is None else f"\N{PLUS-MINUS SIGN} {mode.bound:.1e}"


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
    """One end of what is wanted, real where it is."""
    try:
        number = complex(text.replace("i", "j").replace("I", "j"))
    except ValueError:
        raise ProblemError(
            f"--within: {text!r} is no number; write 30 100, or corners of a rectangle, 1-0.5j 3"
        ) from None
    return number if number.imag else number.real


def _print(modes: Modes, title: str) -> None:
    console = Console(highlight=False, width=min(_WIDTH, Console().width))
    console.print(Text(f"{title}\n", style="bold"))
    table = headed_table()
    for heading in ("mode", "value", "bound" if modes.selfadjoint else "estimate", "fold"):
        table.add_column(heading, justify="right")
    for number, mode in enumerate(modes, 1):
        error = f"{mode.estimate:.1e}" if math.isfinite(mode.estimate) else "unknown"
        table.add_row(str(number), f"{mode.value:.15g}", error, str(mode.multiplicity))
    console.print(table)
    if modes.complete and not len(modes):
        console.print(Text("There are none; a second search found none either."))
    elif modes.complete:
        console.print(Text("\nA second search found the same modes, and no other between them."))
    for remark in modes.remarks:
        console.print(Text(f"\n{in_options(remark)}"))


def _as_json(modes: Modes) -> dict[str, Any]:
    def number(value: Any) -> Any:
        return [value.real, value.imag] if isinstance(value, complex) else value

    return {
        "selfadjoint": modes.selfadjoint,
        "complete": modes.complete,
        "remarks": list(modes.remarks),
        "modes": [
            {
                "value": number(mode.value),
                "bound": mode.bound,
                "estimate": mode.estimate,
                "multiplicity": mode.multiplicity,
                "error_estimate": mode.field.error_estimate,
            }
            for mode in modes
        ],
    }
