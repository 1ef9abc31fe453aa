"""What it costs to evaluate a solution at many points: fast transforms and expansions against the direct sum.

    python benchmarks/evaluation.py               # transforms: ratios, agreement and peak memory
    python benchmarks/evaluation.py --solutions   # solutions of every kind: seconds and agreement
    python benchmarks/evaluation.py --calibrate   # the constants of the cost model

The direct sum is timed on a share of the points, since it takes minutes on all, and in the same run; its time is
proportional to their number.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable

import numpy as np
import sympy as sp
from scipy.linalg import qr

import fspielm as fs
from fspielm.basis import COSINE, RidgeBasis, evaluate
from fspielm.geometry import Sites
from fspielm.problem import Operator, Term, derivative, identity
from fspielm.resources import available_threads

NEURONS = 5000
POINTS = 1_000_000
SHARE = 20


def seconds(task: Callable[[], object], repeat: int = 1) -> float:
    """The shortest of several runs."""
    best = np.inf
    for _ in range(repeat):
        start = time.perf_counter()
        task()
        best = min(best, time.perf_counter() - start)
    return best


class Watch:
    """Seconds since it was made: those of the clock, and those of all processors."""

    def __init__(self) -> None:
        self._begin = time.perf_counter(), time.process_time()

    def read(self) -> tuple[float, float]:
        """Both until now."""
        return time.perf_counter() - self._begin[0], time.process_time() - self._begin[1]


def sum_of_waves(dimension: int, highest: float, neurons: int = NEURONS) -> tuple[RidgeBasis, np.ndarray]:
    """Random waves of frequencies up to `highest` along each axis, and coefficients."""
    rng = np.random.default_rng(0)
    W = rng.uniform(-highest, highest, (neurons, dimension))
    return RidgeBasis(W, rng.uniform(0, 2 * np.pi, neurons), COSINE), rng.normal(size=neurons)


def compare(name: str, operator: Operator, dimension: int, highest: float, threads: int) -> None:
    """Print the times of both ways at a million points of the unit cube, and how well they agree."""
    basis, coefficients = sum_of_waves(dimension, highest)
    points = np.random.default_rng(1).random((POINTS, dimension))
    few, many = Sites(points[: POINTS // SHARE]), Sites(points)
    fast = seconds(lambda: evaluate(basis, coefficients, operator, many, threads=threads), 3)
    direct = seconds(lambda: evaluate(basis, coefficients, operator, few, threads=threads, method="direct"), 2) * SHARE
    one = evaluate(basis, coefficients, operator, few, threads=threads, method="nufft")
    other = evaluate(basis, coefficients, operator, few, threads=threads, method="direct")
    symbol = np.abs(basis.matrix(operator, Sites(points[:100]))).max(axis=0)
    apart = np.abs(one - other).max() / np.linalg.norm(coefficients * symbol)
    print(
        f"{dimension}D  K = {highest:4.0f}  {name:<12} direct {direct:7.1f} s   transform {fast:6.2f} s   "
        f"ratio {direct / fast:5.0f}   apart {apart:.1e}"
    )


def examples() -> dict[str, fs.Problem]:
    """Problems whose solutions hold every kind of function."""
    x, y = sp.symbols("x y")
    u = sp.Function("u")(x, y)

    def homogeneous(ratio: float, domain: fs.Domain, value: sp.Expr) -> fs.Problem:
        return fs.Problem(sp.Eq(u.diff(x, 2) + u.diff(y, 2) + ratio * u, 0), domain, [fs.Dirichlet(value)])

    shape, disk, hole = fs.LShape((0, 0), 1), fs.Disk((0, 0), 1), fs.Disk((0.2, 0.1), 0.2)
    close = sp.sqrt((x - 1.01) ** 2 + y**2)
    return {
        "corners, Laplace": homogeneous(0, shape, x**2),
        "corners, Helmholtz": homogeneous(400, shape, sp.S.One),
        "plane wave": homogeneous(400, shape, sp.cos(20 * (sp.cos(0.3) * x + sp.sin(0.3) * y) + 1)),
        "sources, Laplace": homogeneous(0, disk, sp.log(close)),
        "sources, Helmholtz": homogeneous(400, disk, sp.bessely(0, 20 * close)),
        "hole, Laplace": homogeneous(0, fs.Box((-1, -1), (1, 1)) - hole, sp.exp(x) * sp.cos(y)),
        "hole, Helmholtz": homogeneous(100, disk - hole, x * y),
        "hole, screened": homogeneous(-100, disk - hole, x * y),
        "Panda": fs.cases.load("helmholtz-panda").problem,
    }


def time_solutions() -> None:
    """Print how long a million points of each example take, and how far they are off the direct sum."""
    matrix = np.random.default_rng(0).normal(size=(6000, 3000))
    watch = Watch()
    qr(matrix, mode="r", overwrite_a=True, check_finite=False)
    clock, processor = watch.read()
    print(f"beside it: QR of 6000 x 3000 takes {clock:.1f} s, {processor:.1f} s of processors\n")
    print(f"{'':20} functions  seconds  of processors    direct    apart  a tenth of the estimated error")
    for name, problem in examples().items():
        solution = fs.solve(problem, rng=1)
        points = problem.domain.sample(POINTS, np.random.default_rng(0))
        few = Sites(points[:: 10 * SHARE])
        watch = Watch()
        values = solution(points)
        clock, processor = watch.read()
        basis, coefficients, threads = solution.basis, solution.coefficients, available_threads()
        watch = Watch()
        exact = evaluate(basis, coefficients, identity(2), few, threads=threads, method="direct")
        direct = watch.read()[0] * 10 * SHARE
        apart = np.abs(values[:: 10 * SHARE] - exact).max()
        known = solution.error_estimate * float(solution.report.scale or 0)
        print(
            f"{name:<20} {basis.size:9}  {clock:7.2f}  {processor:13.2f}  {direct:8.1f}  {apart:.1e}  {0.1 * known:.1e}"
        )


def peak_memory(points: int, threads: int) -> None:
    """Print how much the largest memory in use grows while so many points are evaluated."""
    basis, coefficients = sum_of_waves(2, 100)
    sites = Sites(np.random.default_rng(1).random((points, 2)))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    evaluate(basis, coefficients, identity(2), sites, threads=threads)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"peak memory {after / 2**10:.0f} MB at {points:.0e} points, {(after - before) / 2**10:.0f} MB of it new")


def calibrate() -> None:
    """Fit the `CostModel` in ``basis/evaluation/direct.py`` to measured times on one thread."""
    from fspielm.basis.evaluation import direct as cost

    rows, times = [], []
    for dimension, highest, neurons, points in [
        (1, 50, 50, 5000), (1, 500, 2000, 5000), (1, 50, 200, 200_000), (1, 500, 5000, 50_000),
        (2, 10, 50, 2000), (2, 100, 5000, 5000), (2, 100, 500, 100_000), (2, 400, 5000, 20_000), (2, 30, 2000, 200_000),
        (3, 5, 50, 2000), (3, 10, 500, 5000), (3, 20, 5000, 20_000), (3, 40, 500, 50_000), (3, 80, 2000, 10_000),
    ]:  # fmt: skip
        basis, coefficients = sum_of_waves(dimension, highest, neurons)
        sites = Sites(np.random.default_rng(1).random((points, dimension)))
        task = lambda: evaluate(basis, coefficients, identity(dimension), sites, threads=1, method="nufft")  # noqa: B023, E731
        reach = np.full(dimension, 2.0 * highest)
        chunks = -(-points // cost.chunk_points(neurons, 1, reach))
        kernel = cost._WIDTH**dimension * (chunks * neurons + points)
        rows.append([chunks, kernel, chunks * cost._grid(reach), dimension * points])
        times.append(seconds(task, 3))
    scale = 1 / np.array(times)
    from scipy.optimize import nnls

    fitted = nnls(np.array(rows) * scale[:, None], np.ones(len(times)))[0]
    for name, value in zip(("start", "kernel", "grid", "point"), fitted, strict=True):
        print(f"{name} = {value:.2g}")
    print("predicted / measured", np.round(np.array(rows) @ fitted * scale, 2))
    basis, coefficients = sum_of_waves(2, 100)
    sites = Sites(np.random.default_rng(1).random((4096, 2)))
    each = seconds(lambda: evaluate(basis, coefficients, identity(2), sites, threads=1, method="direct"), 3)
    print(f"cosine = {each / 4096 / NEURONS:.2g}")


def main() -> None:
    """Print what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--calibrate", action="store_true", help="fit the constants of the cost model")
    parser.add_argument("--solutions", action="store_true", help="time solutions of every kind")
    chosen = parser.parse_args()
    if chosen.calibrate:
        calibrate()
        return
    if chosen.solutions:
        time_solutions()
        return
    threads = available_threads()
    print(f"{NEURONS} neurons, {POINTS} points, {threads} threads")
    for dimension, highest in ((2, 100.0), (3, 40.0)):
        first, second = [1] + [0] * (dimension - 1), [2] + [0] * (dimension - 1)
        wave = Term(40.0, (0,) * dimension)
        compare("value", identity(dimension), dimension, highest, threads)
        compare("u_x", derivative(tuple(first)), dimension, highest, threads)
        compare("u_xx", derivative(tuple(second)), dimension, highest, threads)
        compare("u_xx + 40 u", derivative(tuple(second)) + Operator(dimension, (wave,)), dimension, highest, threads)
    peak_memory(10_000_000, threads)


if __name__ == "__main__":
    main()
