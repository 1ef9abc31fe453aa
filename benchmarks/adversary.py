"""Problems made to deceive the error estimate, each with an exact solution from elsewhere and a benign twin.

    python benchmarks/adversary.py run [--count 400] [--families ...] [--workers 2]   # continues where it stopped
    python benchmarks/adversary.py report                      # docs/adversary.csv -> a table in Markdown
    python benchmarks/adversary.py show inclusions 17 [--twin]  # one problem, round by round
    python benchmarks/adversary.py check [--count 20]          # are the exact solutions exact?

What deceives is narrow (inclusions and slabs in coefficients, sources, electrodes, initial values, later data of what
was prepared), or hides beyond any basis that the data suggest (other solutions, rounding that grows). "systems" and
"complex" hide these problems in larger ones, or deceive in ways of their own; "nonlinear" ones have fronts, folds,
other solutions and states that rounding leaves. "open" has sources next to boundaries, gaps, wires, resonances and
waves that are none; "modes" eigenvalues that are bound far from all others, or nearly one. "folds" are at loose
tolerances next to a fold or beyond it, "jumps" callables that jump on a line, and "drifting" eigenvalues of problems
that are not selfadjoint, which move easily. "degenerate", "vanishing" and "one-sided" have leading coefficients that
vanish at an end or inside, and growth from one end. It is drawn at random: where, how narrow, how strong, in one to
three dimensions and in time, as an expression or as a callable. The same problem without it is its twin. Seeds are
drawn when a run begins, and printed; `--seeds-of TABLE` takes those of some other table, to compare two versions.
Nothing in here may be tuned to the solver, nor the solver to the seeds.

Exact solutions are closed forms, or equations along a line or a radius marched to rounding (`reference.py`). `check`
has finite differences confirm equations and conditions, and a refinement the marches. An error is relative in L2, from
4000 uniform points and as many in and near each narrow place, all with the weights that make it an integral.

A yes is wrong if the error is above the tolerance, and always where there are many solutions or none depends on its
data continuously. Callables narrower than 1/300 of the domain (1/50 in three coordinates) are counted apart: "beyond".
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np
from adversary_families import FAMILIES, make_challenge
from adversary_families.checking import check
from adversary_families.modes_challenge import ModesChallenge
from adversary_families.summary import report
from adversary_families.table import run, tasks

TABLE = Path(__file__).resolve().parent.parent / "docs" / "adversary.csv"


def show(family: str, seed: int, deceptive: bool) -> None:
    """Solve one problem, telling its rounds."""
    challenge = make_challenge(family, seed, deceptive)
    problem = challenge.problem if isinstance(challenge, ModesChallenge) or challenge.first is None else challenge.first
    print(challenge.kind, f"width {challenge.width:.3g}, {challenge.stated}, tol {challenge.tol:g}", sep="\n")
    print(*problem.statement.equations, problem.domain, *problem.conditions, sep="\n")
    if isinstance(challenge, ModesChallenge):
        modes, seconds = challenge.asked.solve(seed, progress=True)
        print(challenge.asked.wish, challenge.asked.known.values, modes, challenge.asked.judge(modes), sep="\n")
        print(f"{seconds:.2f} s")
        return
    if challenge.first is not None:
        print("later:", challenge.later.right_hand_side, dict(challenge.later.values))
    solution, seconds = challenge.solve(seed, progress=True)
    print(solution.report)
    print(f"true error {challenge.error(solution):.2e}, {seconds:.2f} s")


def check_all(families: list[str], count: int) -> None:
    """Check problems of new seeds, and tell what is wrong."""
    entropy = np.random.default_rng()
    for family in families:
        wrong, seen = 0, []
        for seed in entropy.integers(2**31, size=count):
            for deceptive in (True, False):
                finding = check(family, int(seed), deceptive)
                seen.append(finding.seen)
                wrong += bool(finding.wrong)
                for what in finding.wrong:
                    told = make_challenge(family, int(seed), deceptive)
                    print(f"{family} {seed}{'' if deceptive else ' --twin'}: {told.kind}, {told.width:.1e}: {what}")
        print(
            f"{family}: {2 * count} checked, {wrong} wrong; above rounding at {np.mean(seen):.0%} of points", flush=True
        )


def main() -> None:
    """Run, report, show or check."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    running = commands.add_parser("run", help="solve what is missing in the table")
    running.add_argument("--count", type=int, default=400, help="of deceptive problems; each has a twin besides")
    running.add_argument("--workers", type=int, default=1, help="processes at a time, each with one BLAS thread")
    running.add_argument("--seeds-of", type=Path, metavar="TABLE", help="take the seeds of that table")
    checking = commands.add_parser("check", help="whether exact solutions are")
    checking.add_argument("--count", type=int, default=20, help="of seeds for each family")
    for command in (running, checking):
        command.add_argument("--families", nargs="+", choices=list(FAMILIES), default=list(FAMILIES))
    reporting = commands.add_parser("report", help="summarise the table")
    for command in (running, reporting):
        command.add_argument("--into", type=Path, default=TABLE, metavar="TABLE", help=f"{TABLE.name} by default")
    showing = commands.add_parser("show", help="solve one problem, round by round")
    showing.add_argument("family", choices=list(FAMILIES))
    showing.add_argument("seed", type=int)
    showing.add_argument("--twin", action="store_true", help="the benign one")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    match options.command:
        case "run":
            left = tasks(options.into, options.count, options.families, options.seeds_of)
            run(options.into, left, options.workers)
            print(report(options.into))
        case "report":
            print(report(options.into))
        case "check":
            check_all(options.families, options.count)
        case _:
            show(options.family, options.seed, not options.twin)


if __name__ == "__main__":
    main()
