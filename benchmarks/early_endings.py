"""Problems that used to end early, their tolerance missed and most of the budget left.

    python benchmarks/early_endings.py [--seconds 10 60] [--only NAME ...] [--processor] [--verbose]

Prints the error at each budget, and how much of the budget was spent: against an exact solution (a closed form or a
series), or the solver's own estimate where there is none ("estimate"). More time must never make the error larger.
Data are slow where solutions are not (layers, corners, edges), so that the first rounds have no digit at all; or one
kind of functions is too dear, and another one serves.

``--processor`` counts processor time in place of time, for machines that are busy with other things.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import sympy as sp

x, y, z, t = sp.symbols("x y z t")
POINTS = 4000
L_CORNERS = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]


@dataclass(frozen=True)
class Early:
    """A problem, and what is known of its solution."""

    make: Callable[[], object]
    exact: Callable[[np.ndarray], np.ndarray] | None = None
    tol: float = 1e-8


def lap(u: sp.Expr, *axes: sp.Symbol) -> sp.Expr:
    """The Laplace operator."""
    return sum(u.diff(axis, 2) for axis in axes)


def l_part() -> object:
    """An L-shaped part, as a mesh of triangles, with an edge that points inward."""
    import trimesh

    import fspielm as fs

    n, flat = len(L_CORNERS), np.array(L_CORNERS, dtype=float)
    vertices = np.vstack([np.c_[flat, np.zeros(n)], np.c_[flat, np.ones(n)]])
    fan = [(0, i, i + 1) for i in range(1, n - 1)]
    sides = [each for i in range(n) for j in [(i + 1) % n] for each in ((i, j, j + n), (i, j + n, i + n))]
    faces = [(a, c, b) for a, b, c in fan] + [(a + n, b + n, c + n) for a, b, c in fan] + sides
    mesh = trimesh.Trimesh(vertices, faces)
    domain = fs.Surface(mesh.vertices, mesh.faces)
    u = sp.Function("u")(x, y, z)
    return fs.Problem(sp.Eq(-lap(u, x, y, z), 1), domain, [fs.Dirichlet(0)])


def cube_with_a_hole() -> object:
    """A ball is cut out of a cube."""
    import fspielm as fs

    u = sp.Function("u")(x, y, z)
    domain = fs.Box((-1, -1, -1), (1, 1, 1)) - fs.Ball((0.2, 0, 0), 0.4)
    return fs.Problem(sp.Eq(-lap(u, x, y, z), sp.exp(x)), domain, [fs.Dirichlet(0)])


def shell(k: float) -> tuple[Callable[[], object], Callable[[np.ndarray], np.ndarray]]:
    """A layer at the inner one of two spheres."""

    def make() -> object:
        import fspielm as fs

        u = sp.Function("u")(x, y, z)
        inner = fs.Ball((0, 0, 0), 0.4, name="inner")
        conditions = [fs.Dirichlet(1, on="inner.sphere"), fs.Dirichlet(0, on="outer.sphere")]
        domain = fs.Ball((0, 0, 0), 1, name="outer") - inner
        return fs.Problem(sp.Eq(-lap(u, x, y, z) + k**2 * u, 0), domain, conditions)

    def exact(points: np.ndarray) -> np.ndarray:
        r = np.linalg.norm(points, axis=1)
        return 0.4 / r * np.sinh(k * (1 - r)) / np.sinh(k * 0.6)

    return make, exact


def ball_with_a_layer(k: float) -> tuple[Callable[[], object], Callable[[np.ndarray], np.ndarray]]:
    """A layer at the surface of a ball."""

    def make() -> object:
        import fspielm as fs

        u = sp.Function("u")(x, y, z)
        return fs.Problem(sp.Eq(-lap(u, x, y, z) / k**2 + u, 1), fs.Ball((0, 0, 0), 1), [fs.Dirichlet(0)])

    def exact(points: np.ndarray) -> np.ndarray:
        r = np.maximum(np.linalg.norm(points, axis=1), 1e-12)
        return 1 - np.sinh(k * r) / (r * np.sinh(k))

    return make, exact


def cube_with_layers() -> object:
    """Layers at all faces of a cube."""
    import fspielm as fs

    u = sp.Function("u")(x, y, z)
    return fs.Problem(sp.Eq(-lap(u, x, y, z) / 900 + u, 1), fs.Box((0, 0, 0), (1, 1, 1)), [fs.Dirichlet(0)])


def stream(rate: float) -> tuple[Callable[[], object], Callable[[np.ndarray], np.ndarray]]:
    """What a stream through a cube carries along, with a layer where it leaves."""
    flow = 1 + x / 2

    def make() -> object:
        import fspielm as fs

        u = sp.Function("u")(x, y, z)
        equation = sp.Eq(-lap(u, x, y, z) + rate * flow * u.diff(x) - 2 * sp.pi**2 * u, 0)
        wave = sp.sin(sp.pi * y) * sp.sin(sp.pi * z)
        domain = fs.Box((0, 0, 0), (1, 1, 1))
        return fs.Problem(
            equation, domain, [fs.Dirichlet(wave, on="x+"), fs.Dirichlet(0, on=["x-", "y-", "y+", "z-", "z+"])]
        )

    def exact(points: np.ndarray) -> np.ndarray:
        # along the stream X'' = rate (1 + x/2) X': by quadrature
        nodes, weights = np.polynomial.legendre.leggauss(200)

        def integral(ends: np.ndarray) -> np.ndarray:
            s = 0.5 * ends[:, None] * (nodes + 1)
            return 0.5 * ends * (np.exp(rate * (s + s**2 / 4 - 1.25)) @ weights)

        along = integral(points[:, 0]) / integral(np.ones(1))
        return along * np.sin(np.pi * points[:, 1]) * np.sin(np.pi * points[:, 2])

    return make, exact


def cube_of_one() -> object:
    """A source in a cube, at whose edges the solution is not smooth."""
    import fspielm as fs

    u = sp.Function("u")(x, y, z)
    return fs.Problem(sp.Eq(-lap(u, x, y, z), 1), fs.Box((0, 0, 0), (1, 1, 1)), [fs.Dirichlet(0)])


def exact_cube_of_one(points: np.ndarray) -> np.ndarray:
    """Sine series along two axes, a closed form along the third."""
    total, odd = np.zeros(len(points)), np.arange(1, 100, 2)
    a, b, c = points.T
    for m in odd:
        for n in odd:
            k = np.pi * np.hypot(m, n)
            lengthwise = 1 - (np.exp(-k * c) + np.exp(-k * (1 - c))) / (1 + np.exp(-k))
            total += 16 / (np.pi**2 * m * n * k**2) * np.sin(np.pi * m * a) * np.sin(np.pi * n * b) * lengthwise
    return total


def hot_plate() -> object:
    """A hot plate whose edges are cold from the beginning."""
    import fspielm as fs

    u = sp.Function("u")(x, y, t)
    domain = fs.Box((0, 0), (1, 1)) * fs.Time(0, 0.1)
    return fs.Problem(sp.Eq(u.diff(t) - lap(u, x, y), 0), domain, [fs.Dirichlet(0), fs.Initial(1)])


def exact_hot_plate(points: np.ndarray) -> np.ndarray:
    """The product of two series for rods."""
    odd = np.arange(1, 400, 2)

    def rod(s: np.ndarray) -> np.ndarray:
        decay = np.exp(-((np.pi * odd) ** 2) * points[:, 2:])
        return np.sum(4 / (np.pi * odd) * np.sin(np.pi * odd * s[:, None]) * decay, axis=1)

    return rod(points[:, 0]) * rod(points[:, 1])


def odd_shape() -> object:
    """Waves of a medium that varies, on a pentagon with a corner that points inward."""
    import fspielm as fs

    u = sp.Function("u")(x, y)
    domain = fs.Polygon([(0, 0), (1, 0.1), (1.2, 1), (0.5, 0.6), (0, 1)])
    return fs.Problem(sp.Eq(lap(u, x, y) + (40 * (1 + x / 4)) ** 2 * u, 1), domain, [fs.Dirichlet(0)])


def notch() -> object:
    """A square with a narrow notch, and waves that vary."""
    import fspielm as fs

    u = sp.Function("u")(x, y)
    domain = fs.Polygon([(-1, -1), (1, -1), (1, -0.05), (0, 0), (1, 0.05), (1, 1), (-1, 1)])
    equation = sp.Eq(lap(u, x, y) + (5 * (1 + x / 3)) ** 2 * u, 0)
    return fs.Problem(equation, domain, [fs.Dirichlet(sp.cos(4 * x))])


PROBLEMS = {
    "L-shaped part (STL)": Early(l_part),
    "cube with a hole": Early(cube_with_a_hole),
    "cube, source of one": Early(cube_of_one, exact_cube_of_one),
    "shell, layer inside": Early(*shell(20.0)),
    "ball, layer": Early(*ball_with_a_layer(50.0)),
    "cube, stream": Early(*stream(30.0)),
    "cube, layers": Early(cube_with_layers),
    "plate, hot": Early(hot_plate, exact_hot_plate),
    "waves on an odd shape": Early(odd_shape),
    "waves beside a notch": Early(notch),
}


def main() -> None:
    """Solve them with each budget."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, nargs="+", default=[10.0, 60.0])
    parser.add_argument("--only", nargs="+", default=list(PROBLEMS))
    parser.add_argument("--processor", action="store_true", help="count processor time")
    parser.add_argument("--verbose", action="store_true", help="print the rounds and the verdict")
    given = parser.parse_args()
    if given.processor:
        time.perf_counter = time.process_time  # before anything imports it
    import fspielm as fs

    warnings.simplefilter("ignore", fs.AccuracyWarning)
    for name in given.only:
        case, told = PROBLEMS[name], []
        for seconds in given.seconds:
            began = time.perf_counter()
            solution = fs.solve(case.make(), tol=case.tol, budget=fs.Budget(seconds=seconds), rng=0)
            spent = time.perf_counter() - began
            error, how = solution.error_estimate, "estimate"
            if case.exact is not None:
                points = solution.problem.domain.sample(POINTS, np.random.default_rng(1))
                known = case.exact(points)
                error, how = np.linalg.norm(solution(points) - known) / np.linalg.norm(known), "error"
            rounds = len(solution.report.rounds)
            estimate = f"estimate {solution.error_estimate:.1e}"
            told.append(f"{seconds:g} s: {how} {error:.1e} ({estimate}) in {spent:.1f} s, {rounds} rounds")
            if given.verbose:
                print(solution.report)
        print(f"{name:24}", "; ".join(told), flush=True)


if __name__ == "__main__":
    main()
