"""What refining costs: from a tolerance of 1e-3 to 1e-8, beside a solve at 1e-8, by processor time.

``python benchmarks/refinements.py [--only NAME] [--loaded]`` prints both, their quotient, and the rounds of each; with
``--loaded``, the solution is saved and loaded in between. Every solve is of a problem that was stated anew, so that
nothing of it is known from before, and each time is the least of ``--times``, 2 by default.
"""

from __future__ import annotations

import argparse
import tempfile
import warnings
from pathlib import Path
from time import process_time

import sympy as sp

import fspielm as fs

x, y, t = sp.symbols("x y t", real=True)
u, v, w = sp.Function("u")(x, y), sp.Function("v")(x, t), sp.Function("w")(x)
LAPLACIAN = u.diff(x, 2) + u.diff(y, 2)
SQUARE = fs.Box((0, 0), (1, 1))
ROUGH, FINE = 1e-3, 1e-8


def _plane(equation, domain=SQUARE, data=0):
    return fs.Problem(equation, domain, [fs.Dirichlet(data)])


PROBLEMS = {
    "waves": lambda: _plane(sp.Eq(LAPLACIAN + 900 * u, sp.exp(x * y))),
    "waves in a medium": lambda: _plane(
        sp.Eq(LAPLACIAN + 1200 * (1 + x * y) * u, (350 + 1200 * x * y) * sp.sin(25 * x + 15 * y)),
        data=sp.sin(25 * x + 15 * y),
    ),
    "varying coefficients": lambda: _plane(
        sp.Eq(u.diff(x, 2) + (1 + x * y) * u.diff(y, 2), sp.sin(5 * x * y)), data=x * y
    ),
    "an L": lambda: _plane(sp.Eq(LAPLACIAN, -1), fs.LShape((0, 0), 1)),
    "a ridge": lambda: _plane(sp.Eq(LAPLACIAN, sp.tanh(40 * (x - y)))),
    "a disk with a hole": lambda: _plane(
        sp.Eq(LAPLACIAN + 100 * u, sp.cos(7 * x * y)), fs.Disk((0, 0), 1) - fs.Disk((0.3, 0.2), 0.3), data=x
    ),
    "a layer": lambda: fs.Problem(sp.Eq(-w.diff(x, 2) / 1000 + w.diff(x), 1), fs.Interval(0, 1), [fs.Dirichlet(0)]),
    "heat": lambda: fs.Problem(
        sp.Eq(v.diff(t), (1 + x) * v.diff(x, 2) + sp.sin(3 * x * t)),
        fs.Interval(0, 1) * fs.Time(0, 1),
        [fs.Dirichlet(0), fs.Initial(sp.sin(sp.pi * x))],
    ),
    "not linear": lambda: _plane(sp.Eq(LAPLACIAN - u**3, -300 * sp.sin(20 * x * y))),
    "scattering": lambda: fs.Problem(
        sp.Eq(LAPLACIAN + 100 * u, 0),
        fs.Exterior(fs.Ellipse((0, 0), (1, 0.5))),
        [fs.Neumann(0)],
        incident=fs.plane_wave(10, (1, 0)),
    ),
}


def measure(make, times, loaded):
    """Processor seconds of both, and both solutions."""
    solves, refinements = [], []
    for _ in range(times):
        problem = make()
        began = process_time()
        fresh = fs.solve(problem, tol=FINE, rng=0)
        solves.append(process_time() - began)
        rough = fs.solve(make(), tol=ROUGH, rng=0)
        if loaded:
            with tempfile.TemporaryDirectory() as folder:
                rough.save(Path(folder, "rough.fspielm"))
                rough = fs.load(Path(folder, "rough.fspielm"))
        began = process_time()
        fine = rough.refine(tol=FINE)
        refinements.append(process_time() - began)
    return min(solves), min(refinements), fresh, rough, fine


def main():
    """Read the command, and print a row for each problem."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", choices=list(PROBLEMS))
    parser.add_argument("--times", type=int, default=2)
    parser.add_argument("--loaded", action="store_true")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"{'':22s} solve  refine  share  estimates: solve, rough, refined   rounds")
    worst = 0.0
    for name in arguments.only or PROBLEMS:
        solve, refine, fresh, rough, fine = measure(PROBLEMS[name], arguments.times, arguments.loaded)
        worst = max(worst, refine / solve)
        estimates = ", ".join(f"{each.error_estimate:.1e}" for each in (fresh, rough, fine))
        rounds = "/".join(str(len(each.report.rounds)) for each in (fresh, rough, fine))
        end = "" if fine.converged else "  NOT CONVERGED" if fresh.converged else "  neither converged"
        print(
            f"{name:22s} {solve:5.2f}  {refine:5.2f}   {refine / solve:4.2f}  {estimates}   {rounds}{end}", flush=True
        )
    print(f"the largest share is {worst:.2f}")


if __name__ == "__main__":
    main()
