"""FastLSQ 0.7.1 at its own defaults: run by a Python that has it, with a problem's name; prints one line of JSON."""

from __future__ import annotations

import contextlib
import io
import json
import sys
from time import perf_counter

import fastlsq
import torch
from fastlsq.problems import nonlinear


def main() -> None:
    """Solve, and measure at fresh points what the problem knows to be exact."""
    torch.manual_seed(0)
    problem = getattr(nonlinear, sys.argv[1])()
    start = perf_counter()
    with contextlib.redirect_stdout(io.StringIO()):
        result = fastlsq.solve_nonlinear(problem, verbose=False)
    seconds = perf_counter() - start
    points = problem.get_test_points(5000)
    exact = problem.exact(points)
    error = (torch.linalg.norm(result["u_fn"](points) - exact) / torch.linalg.norm(exact)).item()
    print(json.dumps({"peer_error": f"{error:.2e}", "peer_seconds": f"{seconds:.3g}"}))


if __name__ == "__main__":
    main()
