"""QR against the paper's truncated SVD on helmholtz-2d at full size: time, accuracy, assembly, memory.

    python benchmarks/least_squares.py [--neurons 5000] [--repeat 1]

Every ratio compares two things measured in the same run. The bare call is `scipy.linalg.lstsq` with LAPACK's
gelsd on the very matrix that `TruncatedSVD` gets. Memory is the growth of the process's peak over one QR
solve, in units of the matrix, in a process of its own.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import warnings
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np
from scipy.linalg import lstsq

import fspielm as fs
from fspielm.collocation import assemble, make_blocks
from fspielm.resources import available_threads


def main() -> None:
    """Measure and print one line per claim."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--neurons", type=int, default=5000)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--memory-only", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    warnings.simplefilter("ignore", fs.AccuracyWarning)  # the paper's settings do not reach 1e-8
    if options.memory_only:
        print(memory_ratio(options.neurons))
        return
    case = fs.cases.load("helmholtz-2d")
    settings = case.paper.settings("fs-l") | {"features": case.paper.features("fs-l", neurons=options.neurons)}
    fs.solve(case.problem, features=case.paper.features("fs-l", neurons=200), rng=0)  # warm up

    faster, sharper, assembly, overhead = [], [], [], []
    for seed in range(options.repeat):
        svd = fs.solve(case.problem, **settings, rng=seed)
        qr = fs.solve(case.problem, **settings | {"least_squares": fs.QR()}, rng=seed)
        bare = bare_seconds(case, settings, svd)
        faster.append(svd.report.seconds["solve"] / qr.report.seconds["solve"])
        sharper.append(case.relative_error(svd) / case.relative_error(qr))
        assembly.append(qr.report.seconds["assembly"] / sum(qr.report.seconds.values()))
        overhead.append(svd.report.seconds["solve"] / bare)
        print(
            f"seed {seed}: svd {svd.report.seconds['solve']:.1f} s, error {case.relative_error(svd):.1e}; "
            f"qr {qr.report.seconds['solve']:.1f} s, error {case.relative_error(qr):.1e}",
            flush=True,
        )
    memory = subprocess.run(
        [sys.executable, __file__, "--memory-only", "--neurons", str(options.neurons)],
        check=True,
        capture_output=True,
        text=True,
    )
    print(f"TruncatedSVD over bare gelsd, time      {median(overhead):.2f}")
    print(f"TruncatedSVD over QR, time              {median(faster):.1f}")
    print(f"TruncatedSVD over QR, error             {median(sharper):.0f}")
    print(f"assembly, share of the QR run           {median(assembly):.2f}")
    print(f"peak memory of the QR run over matrix   {float(memory.stdout):.2f}")


def bare_seconds(case: fs.cases.Case, settings: dict[str, object], solution: fs.Solution) -> float:
    """Time of the plain SciPy call on a matrix of the same features and as many points."""
    points = settings["points"]
    assert isinstance(points, fs.Points)
    blocks = make_blocks(case.problem, points.draw(case.problem, np.random.default_rng(0)))
    system = assemble(solution.basis, blocks, threads=available_threads())
    start = perf_counter()
    lstsq(system.matrix, system.values, cond=1e-12, lapack_driver="gelsd", check_finite=False)
    return perf_counter() - start


def memory_ratio(neurons: int) -> float:
    """Growth of the peak resident memory over one QR solve, in units of its matrix."""
    case = fs.cases.load("helmholtz-2d")
    settings = case.paper.settings("fs-l") | {"least_squares": fs.QR()}
    fs.solve(case.problem, **settings | {"features": case.paper.features("fs-l", neurons=100)}, rng=0)
    before = peak_bytes()
    solution = fs.solve(case.problem, **settings | {"features": case.paper.features("fs-l", neurons=neurons)}, rng=0)
    return (peak_bytes() - before) / (8 * solution.report.rows * solution.report.neurons)


def peak_bytes() -> int:
    """Peak resident memory of this process (Linux; the portable call inherits the parent's peak)."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return 1024 * int(status.split("VmHWM:")[1].split()[0])


if __name__ == "__main__":
    main()
