"""How long some problems of several unknowns or complex values take, beside a reference factorisation.

    python benchmarks/field_times.py [--runs 5]

Medians of solves in turn, all in one process that has solved each of them before: creeping flow driven by the rim of a
disk (tolerance 1e-9) over a QR factorisation of a matrix of 6000 x 3000, and a wave packet as a real pair over the same
as a complex field. Meant for an idle machine with two threads.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from statistics import median
from time import perf_counter

import numpy as np
import scipy
from field_problems import FIELD_EXAMPLES

import fspielm as fs

_FLOW, _PACKET, _PAIR = "Stokes, walls alone", "wave packet", "wave packet as a pair"


def main() -> None:
    """Measure in turn and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    matrix = np.random.default_rng(0).standard_normal((6000, 3000))
    works: dict[str, Callable[[], object]] = {"reference": lambda: scipy.linalg.qr(matrix, mode="r")}
    for name, tol in ((_FLOW, 1e-9), (_PACKET, 1e-8), (_PAIR, 1e-8)):
        problem = FIELD_EXAMPLES[name][1]().problem
        works[name] = lambda problem=problem, tol=tol: fs.solve(problem, tol=tol, rng=1)  # type: ignore[misc]
    for work in works.values():
        work()
    seconds: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(runs):
        for name, work in works.items():
            began = perf_counter()
            work()
            seconds[name].append(perf_counter() - began)
    middle = {name: median(each) for name, each in seconds.items()}
    for name, each in middle.items():
        print(f"{name:<24}{each:8.2f} s")
    print(f"flow over reference     {middle[_FLOW] / middle['reference']:8.2f}")
    print(f"pair over complex       {middle[_PAIR] / middle[_PACKET]:8.2f}")


if __name__ == "__main__":
    main()
