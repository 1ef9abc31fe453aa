"""Every seed works, nothing hangs, a budget is a budget: measured in child processes that are ended if they hang.

    python benchmarks/sturdy.py seeds             # cases, problems and clamped plates, from 20 seeds drawn now
    python benchmarks/sturdy.py heavy             # twelve heavy problems, with 10 seconds and with 500 MB
    python benchmarks/sturdy.py statements        # seconds to state problems with long coefficients
    python benchmarks/sturdy.py five_dimensions   # five sines in the cube of five dimensions
    python benchmarks/sturdy.py constant_data     # the choice of features beside each kind by hand
    python benchmarks/sturdy.py forecasts         # the seconds of rounds as forecast, in all solves of the above
    python benchmarks/sturdy.py report            # all tables as markdown
    python benchmarks/sturdy.py list              # names, for --only

Rows are kept in docs/sturdy as solves end; a run that was stopped goes on with what is missing. Another folder with
`--into`; `--seeds-of FOLDER` solves from the seeds of the tables there, to compare two versions on the same ones. Every
child has one thread of the linear algebra library; errors are relative L2 at fresh points, against known solutions.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from sturdy.constants import CONSTANT
from sturdy.reports import report
from sturdy.running import Options, run_constants, run_solves, run_statements
from sturdy.solving import CATALOGUE
from sturdy.statements import COEFFICIENTS

DOCS = Path(__file__).resolve().parent.parent / "docs"
NAMES = {**{part: list(made) for part, made in CATALOGUE.items()}}
NAMES |= {"statements": list(COEFFICIENTS), "constant_data": list(CONSTANT)}


def main() -> None:
    """Run a part, or tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=[*NAMES, "forecasts", "report", "list"])
    parser.add_argument("--seeds", type=int, help="for each problem: 20 of the part seeds, otherwise 1")
    parser.add_argument("--seeds-of", type=Path, metavar="FOLDER", help="take the seeds of the tables there")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="only these problems")
    parser.add_argument("--workers", type=int, default=2, help="processes at a time")
    parser.add_argument("--limit", type=float, help="seconds after which a solve counts as hung")
    parser.add_argument("--into", type=Path, default=DOCS / "sturdy", metavar="FOLDER", help="of the tables")
    given = parser.parse_args()
    part, seeds = given.part, given.seeds or (20 if given.part == "seeds" else 1)
    if strange := set(given.only) - set(NAMES.get(part, [])):
        parser.error(f"{part} has no problem {sorted(strange)[0]!r}; try: list")
    options = Options(given.into, seeds, given.seeds_of, given.only, given.workers, given.limit)
    if part == "list":
        print("\n".join(f"{part}: {name}" for part, names in NAMES.items() for name in names))
        return
    if part in CATALOGUE:
        run_solves(part, options)
    elif part == "statements":
        run_statements(options)
    elif part == "constant_data":
        run_constants(options)
    report(options.folder, None if part == "report" else part)


if __name__ == "__main__":
    main()
