"""Never a wrong yes: random problems with a known solution, some of them with too small a budget.

    python benchmarks/random_problems.py run [--family test] [--count 200] [--workers 2]   # continues where it stopped
    python benchmarks/random_problems.py report      # docs/random_problems.csv -> a table in docs/method.md
    python benchmarks/random_problems.py show test 17                        # one problem, round by round

A problem is a solution, an operator, a domain and conditions, all drawn from one seed. The families "calibration" and
"test" have smooth solutions with the right-hand sides that belong to them; most of those fill a band of frequencies.
They share operators and domains, but neither seeds nor, except for solutions that need no source, kinds of solutions:
constants of the error estimator may be tuned on the former, never on the latter. The family "stages", never to be tuned
on either, is for the other kinds of features: homogeneous equations with constant coefficients, whose solutions may
have singularities close by, at corners or in holes, and right-hand sides of a few waves. The families "systems" (flows,
elastic bodies, reactions, sound, light, ordinary equations; the error is the largest of all unknowns) and "complex" are
not to be tuned on either, nor is "patches": media that vary, materials that jump, layers, narrow sources, corners and
plates, which one global basis does not serve, nor "nonlinear": equations and conditions that are not linear, where a
solution other than the one that a problem was made from counts if it is found again. Nor are "open", objects in open
space that radiate and scatter, and "modes", whose seeds are drawn when a run begins. Modes have converged if all that
were asked for are there, with bounds below the tolerance; where one is missing although none was said to be, the error
is infinite. In a third of the problems the solver gets a fraction of the neurons it needs, or a tolerance that double
precision hardly meets. Nothing is left out: an indefinite Helmholtz problem may be close to a resonance, and some are
so on purpose in "stages".
"""

from __future__ import annotations

import argparse
import warnings

from random_families import FAMILIES, make_problem
from random_families.modes import RandomModes
from random_families.problem import solve
from random_families.summary import report, summarise
from random_families.table import run

import fspielm as fs


def show(family: str, seed: int) -> None:
    """Solve one problem, telling its rounds."""
    random = make_problem(seed, family)
    print(random.description, f"ample={random.ample} tol={random.tol:g}", sep="\n")
    print(random.problem.domain, *random.problem.statement.equations, *random.problem.conditions, sep="\n")
    if isinstance(random, RandomModes):
        modes, seconds = random.asked.solve(seed, progress=True)
        print(modes, random.asked.known.values, random.asked.judge(modes), f"{seconds:.2f} s", sep="\n")
        return
    print(random.exact)
    solution, seconds = solve(random, progress=True)
    print(solution.report)
    print(f"true error {random.true_error(solution):.2e}, {seconds:.2f} s")


def main() -> None:
    """Run, report or show."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    running = commands.add_parser("run", help="solve what is missing in docs/random_problems.csv")
    running.add_argument("--family", choices=list(FAMILIES), default="test")
    running.add_argument("--count", type=int)
    running.add_argument("--workers", type=int, default=1, help="processes at a time, each with one BLAS thread")
    commands.add_parser("report", help="summarise docs/random_problems.csv")
    showing = commands.add_parser("show", help="solve one problem, round by round")
    showing.add_argument("family", choices=list(FAMILIES))
    showing.add_argument("seed", type=int)
    options = parser.parse_args()
    warnings.simplefilter("ignore", fs.AccuracyWarning)
    match options.command:
        case "run":
            run(options.family, options.count or FAMILIES[options.family], make_problem, options.workers)
        case "report":
            summaries = {family: summarise(family) for family in FAMILIES}
            report({family: summary for family, summary in summaries.items() if summary.rows})
        case _:
            show(options.family, options.seed)


if __name__ == "__main__":
    main()
