"""Whether solves end within their budgets: problems that are too dear for them, each in a process of its own.

``python benchmarks/budgets.py run --seconds 5 20 60 [--busy 8] [--only NAME]`` prints what each took of its budget, the
most memory it held, its estimate, and how it ended; ``list`` prints their names. A solve that is late tells on stderr
where it is, once at 1.15 times the budget plus a second.
"""

from __future__ import annotations

import argparse
import faulthandler
import multiprocessing
import resource
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

import sympy as sp
from children import in_children

import fspielm as fs

x, y, z, t = sp.symbols("x y z t", real=True)
SQUARE, DISK = fs.Box((0, 0), (1, 1)), fs.Disk((0, 0), 1)
MEMORY = 6e9


def field(name, *coordinates):
    """An unknown."""
    return sp.Function(name)(*coordinates)


def laplacian(function, *coordinates):
    """Second derivatives along all coordinates."""
    return sum(function.diff(each, 2) for each in coordinates)


def lotka_volterra():
    """Hunters and prey, a system in time alone."""
    a, b = field("a", t), field("b", t)
    equations = [sp.Eq(a.diff(t), a - a * b), sp.Eq(b.diff(t), a * b - b)]
    return fs.Problem(equations, fs.Time(0, 20), [fs.Initial({a: 2, b: 1})])


def heat_on_a_plate():
    """A beam that moves over a plate."""
    u = field("u", x, y, t)
    beam = 100 * sp.exp(-200 * ((x - sp.Rational(1, 2) - sp.cos(6 * t) / 4) ** 2 + (y - sp.Rational(1, 2)) ** 2))
    equation = sp.Eq(u.diff(t), laplacian(u, x, y) / 100 + beam)
    return fs.Problem(equation, SQUARE * fs.Time(0, 1), [fs.Dirichlet(0), fs.Initial(0)])


def cube_less_a_ball():
    """Poisson's equation in space, around a ball."""
    u = field("u", x, y, z)
    domain = fs.Box((0, 0, 0), (1, 1, 1)) - fs.Ball((0.5, 0.5, 0.5), 0.25)
    return fs.Problem(sp.Eq(laplacian(u, x, y, z), 1), domain, [fs.Dirichlet(0)])


def helmholtz(medium, domain, data=1):
    """Waves in a medium."""
    u = field("u", x, y)
    return fs.Problem(sp.Eq(laplacian(u, x, y) + medium * u, 0), domain, [fs.Dirichlet(data)])


def couplings(size):
    """Two unknowns, one of which is so many times larger."""
    u, v = field("u", x, y), field("v", x, y)
    equations = [sp.Eq(laplacian(u, x, y) + size * v, 1), sp.Eq(laplacian(v, x, y) - u / size, sp.exp(x))]
    return fs.Problem(equations, SQUARE, [fs.Dirichlet({u: 0, v: 0})])


def burgers_in_the_plane():
    """A front that steepens in two dimensions."""
    u = field("u", x, y, t)
    equation = sp.Eq(u.diff(t) + u * u.diff(x) + u * u.diff(y), laplacian(u, x, y) / 50)
    initial = sp.sin(sp.pi * x) * sp.sin(sp.pi * y)
    return fs.Problem(equation, SQUARE * fs.Time(0, 1), [fs.Dirichlet(0), fs.Initial(initial)])


def burgers(nu):
    """A front that steepens."""
    u = field("u", x, t)
    equation = sp.Eq(u.diff(t) + u * u.diff(x), nu * u.diff(x, 2))
    domain = fs.Interval(-1, 1) * fs.Time(0, 1)
    return fs.Problem(equation, domain, [fs.Dirichlet(0), fs.Initial(-sp.sin(sp.pi * x))])


def poisson(domain, source=1, *coordinates):
    """Poisson's equation with a source."""
    coordinates = coordinates or (x, y)
    u = field("u", *coordinates)
    return fs.Problem(sp.Eq(laplacian(u, *coordinates), source), domain, [fs.Dirichlet(0)])


def waves_in_a_cube():
    """Nine waves along each side."""
    u = field("u", x, y, z)
    domain = fs.Box((0, 0, 0), (1, 1, 1))
    return fs.Problem(sp.Eq(laplacian(u, x, y, z) + 3000 * u, sp.exp(x * y * z)), domain, [fs.Dirichlet(0)])


def materials():
    """A disk that conducts a thousand times better."""
    u = field("u", x, y)
    a = sp.Piecewise((1000, x**2 + y**2 < sp.Rational(1, 4)), (1, True))
    equation = sp.Eq((a * u.diff(x)).diff(x) + (a * u.diff(y)).diff(y), 1)
    return fs.Problem(equation, fs.Box((-1, -1), (1, 1)), [fs.Dirichlet(0)])


def wave_in_the_plane():
    """A pulse that runs and is reflected."""
    u = field("u", x, y, t)
    pulse = sp.exp(-400 * ((x - sp.Rational(1, 2)) ** 2 + (y - sp.Rational(1, 2)) ** 2))
    conditions = [fs.Dirichlet(0), fs.Initial(pulse), fs.Initial(0, order=1)]
    return fs.Problem(sp.Eq(u.diff(t, 2), laplacian(u, x, y)), SQUARE * fs.Time(0, 2), conditions)


def advection(nu):
    """A flow around the middle of a square."""
    u = field("u", x, y)
    flow = -(y - sp.Rational(1, 2)) * u.diff(x) + (x - sp.Rational(1, 2)) * u.diff(y)
    return fs.Problem(sp.Eq(flow, nu * laplacian(u, x, y) + 1), SQUARE, [fs.Dirichlet(0)])


def bratu():
    """Newton's method close to a fold."""
    u = field("u", x, y)
    return fs.Problem(sp.Eq(laplacian(u, x, y) + 6 * sp.exp(u), 0), SQUARE, [fs.Dirichlet(0)])


def plate():
    """Corners, and derivatives of fourth order."""
    u = field("u", x, y)
    bending = u.diff(x, 4) + 2 * u.diff(x, 2, y, 2) + u.diff(y, 4)
    return fs.Problem(
        sp.Eq(bending, 1),
        fs.Polygon([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]),
        [fs.Dirichlet(0), fs.Neumann(0)],
    )


def allen_cahn():
    """Fronts that stand."""
    u = field("u", x, t)
    equation = sp.Eq(u.diff(t), u.diff(x, 2) / 10000 + 5 * u - 5 * u**3)
    domain = fs.Interval(-1, 1) * fs.Time(0, 1)
    return fs.Problem(equation, domain, [fs.Dirichlet(-1), fs.Initial(x**2 * sp.cos(sp.pi * x))])


def in_a_star():
    """Waves among many corners."""
    angles = [(0.5 + 0.45 * (k % 2)) * sp.exp(sp.I * sp.pi * k / 12) for k in range(24)]
    corners = [tuple(float(part) for part in sp.N(each).as_real_imag()) for each in angles]
    return helmholtz(40000, fs.Polygon(corners), sp.cos(30 * x))


PROBLEMS: dict[str, Callable[[], fs.Problem]] = {
    "lotka-volterra": lotka_volterra,
    "heat-plate": heat_on_a_plate,
    "cube-less-ball": cube_less_a_ball,
    "helmholtz-1000": lambda: helmholtz((1000 * (1 + x**2)) ** 2, DISK),
    "couplings-1e14": lambda: couplings(sp.Integer(10) ** 14),
    "burgers-plane": burgers_in_the_plane,
    "burgers-0.001": lambda: burgers(sp.Rational(1, 1000)),
    "helmholtz-100": lambda: helmholtz((100 * (1 + x**2)) ** 2, DISK),
    "helmholtz-300-square": lambda: helmholtz(sp.Integer(90000), SQUARE, sp.cos(20 * x)),
    "helmholtz-star": in_a_star,
    "l-shape": lambda: poisson(fs.Polygon([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)])),
    "ball-in-space": lambda: poisson(fs.Ball((0, 0, 0), 1), sp.exp(5 * x * y) * sp.cos(20 * z), x, y, z),
    "waves-in-a-cube": waves_in_a_cube,
    "materials": materials,
    "wave-plane": wave_in_the_plane,
    "advection-1e-3": lambda: advection(sp.Rational(1, 1000)),
    "advection-1e-6": lambda: advection(sp.Rational(1, 10**6)),
    "bratu": bratu,
    "clamped-l-plate": plate,
    "allen-cahn": allen_cahn,
    "couplings-1e6": lambda: couplings(sp.Integer(10) ** 6),
    "sharp-source": lambda: poisson(SQUARE, sp.exp(-(10**6) * ((x - 0.3) ** 2 + (y - 0.4) ** 2))),
    "rapid-source": lambda: poisson(DISK, sp.cos(400 * x * y)),
    "two-holes": lambda: poisson(fs.Box((-2, -1), (2, 1)) - fs.Disk((-1, 0), 0.5) - fs.Disk((1, 0), 0.5)),
    "stiff-interval": lambda: poisson(fs.Interval(0, 1), sp.cos(20000 * x**2), x),
}


@dataclass(frozen=True)
class Task:
    """One problem with one budget."""

    name: str
    seconds: float


def solve(task):
    """Seconds, peak memory, estimate and ending of one solve."""
    problem = PROBLEMS[task.name]()
    warnings.simplefilter("ignore")
    faulthandler.dump_traceback_later(1.15 * task.seconds + 1)
    began = perf_counter()
    try:
        solution = fs.solve(problem, tol=1e-12, rng=1, budget=fs.Budget(seconds=task.seconds, memory=MEMORY))
        estimate, ending = solution.error_estimate, solution.report.reason
    except fs.SolveError as error:
        estimate, ending = float("nan"), f"SolveError: {error}"
    seconds = perf_counter() - began
    faulthandler.cancel_dump_traceback_later()
    return seconds, 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, estimate, ending


def spin():
    """Keep a processor busy."""
    while True:
        pass


def run(tasks, busy):
    """One after the other, beside so many busy processes; how many were late."""
    beside = [multiprocessing.Process(target=spin, daemon=True) for _ in range(busy)]
    for process in beside:
        process.start()
    late = 0
    print(f"{'problem':22} {'budget':>6} {'took':>7} {'ratio':>6} {'GB':>5} {'estimate':>8}  ending", flush=True)
    for ended in in_children(solve, tasks, limit=30 * max(task.seconds for task in tasks), fresh=True):
        task = ended.task
        if ended.how != "done":
            late += 1
            print(f"{task.name:22} {task.seconds:6g} {ended.seconds:7.1f} it {ended.how}", flush=True)
            continue
        seconds, memory, estimate, ending = ended.result
        late += seconds > 1.15 * task.seconds + 1 or memory > MEMORY
        mark = "LATE " if seconds > 1.15 * task.seconds + 1 else ""
        print(
            f"{task.name:22} {task.seconds:6g} {seconds:7.1f} {seconds / task.seconds:6.2f} {memory / 1e9:5.2f} "
            f"{estimate:8.0e}  {mark}{ending}",
            flush=True,
        )
    for process in beside:
        process.terminate()
    return late


def main():
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["run", "list"])
    parser.add_argument("--seconds", type=float, nargs="+", default=[5.0, 20.0, 60.0])
    parser.add_argument("--busy", type=int, default=0, help="processes that do nothing else beside it")
    parser.add_argument("--only", nargs="+", choices=list(PROBLEMS), default=list(PROBLEMS), metavar="NAME")
    given = parser.parse_args()
    if given.what == "list":
        print("\n".join(PROBLEMS))
        return 0
    tasks = [Task(name, seconds) for seconds in given.seconds for name in given.only]
    return 1 if run(tasks, given.busy) else 0


if __name__ == "__main__":
    sys.exit(main())
