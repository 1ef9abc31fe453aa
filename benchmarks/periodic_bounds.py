"""Bounds of eigenvalues of a periodic square beside their errors, for sides and kernels of OpenBLAS.

The values are ``(2 pi / L)^2 (m^2 + n^2)``. Prints a row for each kernel that this processor can run and each side: the
largest error over its bound, which is to be at most one. Exits with 1 where it is not.

usage: python benchmarks/periodic_bounds.py [sides]
"""

from __future__ import annotations

import os
import subprocess
import sys

from portable import environments

SIDES = ("1", "2", "3", "3.141592653589793", "4", "5", "6", "7", "8", "9", "10")
COUNT = 9


def largest(side: float) -> float:
    """The largest error of the first values, over its bound."""
    import numpy as np
    import sympy as sp

    import fspielm as fs

    x, y, lam = sp.symbols("x y lam")
    u = sp.Function("u")(x, y)
    square = fs.Problem(
        sp.Eq(-u.diff(x, 2) - u.diff(y, 2), lam * u),
        fs.Box((0, 0), (side, side)),
        [fs.Periodic("x"), fs.Periodic("y")],
        given={lam: ...},
    )
    modes = fs.eigenmodes(square, lam, count=COUNT, rng=0)
    exact = sorted((2 * np.pi / side) ** 2 * (m**2 + n**2) for m in range(-3, 4) for n in range(-3, 4))[:COUNT]
    return float(np.max(np.abs(modes.values - exact) / modes.bounds))


def main(sides: list[str]) -> int:
    """A row for each; 1 if a bound does not hold."""
    held = True
    print(f"{'kernel':28} {'side':>8} {'error / bound':>14}")
    for name, settings in environments().items():
        if isinstance(settings, str):
            print(f"{name}: skipped, {settings}")
            continue
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", **settings}
        command = [sys.executable, __file__, "--here", *sides]
        found = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout.split()
        for side, ratio in zip(sides, map(float, found), strict=True):
            held = held and ratio <= 1
            print(f"{name:28} {float(side):8.4g} {ratio:14.3f}{'' if ratio <= 1 else '  above the bound'}", flush=True)
    return int(not held)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--here"]:
        print(*(largest(float(side)) for side in sys.argv[2:]), sep="\n")
    else:
        sys.exit(main(sys.argv[1:] or list(SIDES)))
