"""Never a wrong yes: random problems with a known solution, some of them with too small a budget.

    python benchmarks/random_problems.py run [--family test] [--count 200]   # continues where it stopped
    python benchmarks/random_problems.py report      # docs/random_problems.csv -> a table in docs/method.md
    python benchmarks/random_problems.py show test 17                        # one problem, round by round

A problem is a smooth solution, an operator applied to it, a domain and conditions, all drawn from one seed. The
families "calibration" and "test" share operators and domains, but neither seeds nor, except for solutions that need
no source, kinds of solutions: constants of the error estimator may be tuned on the former, never on the latter. In a
third of the problems the solver gets a fraction of the neurons it needs, or a tolerance that double precision hardly
meets. Nothing is left out: an indefinite Helmholtz problem may be close to a resonance.
"""

from __future__ import annotations

import argparse
import csv
import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

import fspielm as fs
from fspielm.expressions import make_field
from fspielm.geometry import Domain

DOCS = Path(__file__).resolve().parent.parent / "docs"
TABLE = DOCS / "random_problems.csv"
PAGE = DOCS / "method.md"
BEGIN, END = "<!-- random -->", "<!-- end -->"
FAMILIES = {"calibration": 100, "test": 200}
COLUMNS = (
    "family",
    "seed",
    "description",
    "ample",
    "tol",
    "neurons",
    "rounds",
    "error",
    "estimate",
    "converged",
    "seconds",
    "reason",
)
# More than any of the problems needs; only keeps a misjudged one from taking all day.
AMPLE = fs.Budget(neurons=4000)
_CHECKS = 4000
_FLOOR = 1e-13

Maker = Callable[["Draw", Sequence[sp.Expr]], sp.Expr]
Operator = Callable[[sp.Expr], sp.Expr]


@dataclass(frozen=True, eq=False)
class RandomProblem:
    """A problem and what only its maker knows.

    Attributes
    ----------
    seed : int
    family : str
    description : str
        Operator, domain, conditions and ingredients of the solution.
    problem : fs.Problem
    exact : Expr
    tol : float
        What to ask for.
    share : float or None
        The budget as a share of the neurons that an ample solve takes; None for an ample budget.
    ample : bool
        Whether the budget and the tolerance leave the solver a fair chance.
    """

    seed: int
    family: str
    description: str
    problem: fs.Problem
    exact: sp.Expr
    tol: float
    share: float | None
    ample: bool

    def true_error(self, solution: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> float:
        """Relative L2 error at fresh points, uniform in the domain."""
        points = self.problem.domain.sample(_CHECKS, np.random.default_rng(self.seed))
        exact = _callable(self.exact, self.problem.coordinates)(points)
        return float(np.linalg.norm(solution(points) - exact) / np.linalg.norm(exact))


class Draw:
    """Random numbers with few digits, so that problems can be read."""

    def __init__(self, rng: np.random.Generator, dimension: int = 0) -> None:
        self.rng = rng
        self.dimension = dimension

    def between(self, low: float, high: float) -> float:
        """Uniform, to three digits."""
        return float(f"{self.rng.uniform(low, high):.3g}")

    def log_between(self, low: float, high: float) -> float:
        """Uniform in the logarithm, to three digits."""
        return float(f"{math.exp(self.rng.uniform(math.log(low), math.log(high))):.3g}")

    def chance(self, probability: float) -> bool:
        """True with that probability."""
        return bool(self.rng.random() < probability)

    def one_of(self, items: Sequence[Any]) -> Any:
        """Any of the items."""
        return items[int(self.rng.integers(len(items)))]

    def frequency(self) -> float:
        """An angular frequency on [-1, 1], at most as high as a solve of some seconds resolves."""
        return math.pi * self.log_between(0.3, {1: 30.0, 2: 4.5, 3: 1.2}[self.dimension])

    def direction(self) -> list[float]:
        """A unit vector."""
        vector = self.rng.standard_normal(self.dimension)
        return [float(f"{v:.3g}") for v in vector / np.linalg.norm(vector)]

    def frame(self, dimension: int | None = None) -> NDArray[np.float64]:
        """Orthonormal vectors, as rows, with all their digits."""
        n = dimension or self.dimension
        rows: NDArray[np.float64] = np.linalg.qr(self.rng.standard_normal((n, n)))[0]
        return rows

    def least_radius(self) -> float:
        """How close to the domain, or how narrow, a feature of the solution may be."""
        return {1: 0.08, 2: 0.6, 3: 1.5}[self.dimension]

    def center(self, s: Sequence[sp.Expr]) -> sp.Expr:
        """Squared distance from a random point of the domain."""
        return sum((v - self.between(-1, 1)) ** 2 for v in s)

    def phase(self) -> float:
        """An angle."""
        return self.between(0, 6.28)


# --- solutions, in coordinates from -1 to 1 across the domain ---------------------------------------------


def _dot(a: Iterable[float], s: Sequence[sp.Expr]) -> sp.Expr:
    return sum(float(x) * y for x, y in zip(a, s, strict=True))


def _plane_wave(draw: Draw, s: Sequence[sp.Expr]) -> sp.Expr:
    return sp.sin(draw.frequency() * _dot(draw.direction(), s) + draw.phase())


def _standing_wave(draw: Draw, s: Sequence[sp.Expr]) -> sp.Expr:
    return sp.prod([sp.sin(draw.frequency() * v + draw.phase()) for v in s])


def _growing_wave(draw: Draw, s: Sequence[sp.Expr]) -> sp.Expr:
    return sp.exp(draw.between(-1.5, 1.5) * _dot(draw.direction(), s)) * _plane_wave(draw, s)


def _radial_chirp(draw: Draw, s: Sequence[sp.Expr]) -> sp.Expr:
    return sp.cos(draw.frequency() / 3 * draw.center(s) + draw.phase())


def _bent_wave(draw: Draw, s: Sequence[sp.Expr]) -> sp.Expr:
    return sp.sin(draw.frequency() / 2 * (s[0] + s[-1] ** 2 / 2) + draw.phase()) * sp.exp(draw.between(-1, 1) * s[0])


def _gaussian(draw: Draw, s: Sequence[sp.Expr]) -> sp.Expr:
    return sp.exp(-draw.center(s) / draw.between(1, 3) / draw.least_radius() ** 2)


def _rational(draw: Draw, s: Sequence[sp.Expr]) -> sp.Expr:
    return 1 / (draw.between(1.5, 4) ** 2 * draw.least_radius() ** 2 + draw.center(s))


def _spherical_wave(draw: Draw, s: Sequence[sp.Expr]) -> sp.Expr:
    return sp.cos(draw.frequency() * sp.sqrt(draw.center(s) + (3 * draw.least_radius()) ** 2))


def _front(draw: Draw, s: Sequence[sp.Expr]) -> sp.Expr:
    return sp.tanh((_dot(draw.direction(), s) - draw.between(-0.5, 0.5)) / draw.between(1, 3) / draw.least_radius())


def _logarithm(draw: Draw, s: Sequence[sp.Expr]) -> sp.Expr:
    return sp.log(draw.between(1.5, 4) ** 2 * draw.least_radius() ** 2 + draw.center(s))


def _polynomial_wave(draw: Draw, s: Sequence[sp.Expr]) -> sp.Expr:
    return (1 + draw.between(-1, 1) * s[0] + draw.between(-1, 1) * s[-1] ** 2) * _standing_wave(draw, s)


def _wave_of_wave(draw: Draw, s: Sequence[sp.Expr]) -> sp.Expr:
    return sp.exp(draw.between(0.3, 1) * sp.sin(draw.frequency() / 3 * _dot(draw.direction(), s) + draw.phase()))


def _packet(draw: Draw, s: Sequence[sp.Expr]) -> sp.Expr:
    return sp.sech(_dot(draw.direction(), s) / draw.between(1, 3) / draw.least_radius()) * _plane_wave(draw, s)


SOLUTIONS: dict[str, tuple[Maker, ...]] = {
    "test": (_plane_wave, _standing_wave, _growing_wave, _radial_chirp, _bent_wave, _gaussian, _rational),
    "calibration": (_spherical_wave, _front, _logarithm, _polynomial_wave, _wave_of_wave, _packet),
}


def _solution(draw: Draw, family: str, s: Sequence[sp.Expr]) -> tuple[sp.Expr, str]:
    """A sum of one to three ingredients, now and then times another one."""
    makers = [draw.one_of(SOLUTIONS[family]) for _ in range(draw.one_of((1, 2, 2, 3)))]
    exact = sum(draw.between(0.2, 1) * maker(draw, s) for maker in makers)
    names = " + ".join(maker.__name__.strip("_").replace("_", " ") for maker in makers)
    if draw.chance(0.2):
        exact *= 1 + draw.between(0.2, 0.8) * sp.cos(_dot(draw.direction(), s) + draw.phase())
        names = f"({names}) modulated"
    return exact, names


# --- operators, with coefficients in the units of the domain -----------------------------------------------


@dataclass(frozen=True, eq=False)
class Model:
    """An operator, and how to draw a solution that needs no source, where one is at hand."""

    name: str
    operator: Operator
    sourceless: Callable[[], sp.Expr] | None
    time_order: int = 0


def _elliptic(draw: Draw, x: Sequence[sp.Symbol], s: Sequence[sp.Expr], half: Sequence[float]) -> Model:
    """A stationary operator on functions of `x`; `s` runs from -1 to 1 and `half` is half of the domain's extent."""
    length = max(half)
    r = [a * b for a, b in zip(s, half, strict=True)]

    def laplacian(v: sp.Expr) -> sp.Expr:
        return sum(v.diff(i, 2) for i in x)

    def diffusion(v: sp.Expr, a: sp.Expr) -> sp.Expr:
        return sum((a * v.diff(i)).diff(i) for i in x)

    def harmonic() -> sp.Expr:
        if len(x) == 1:
            return 1 + draw.between(-1, 1) * s[0]
        along, across = draw.frame()[:2]
        rate = draw.frequency() / 2 / length
        return sp.exp(rate * _dot(along, r)) * sp.sin(rate * _dot(across, r) + draw.phase())

    smooth = 1 + draw.between(0.1, 0.6) * sp.sin(draw.between(1, 4) * s[0] + draw.between(0.5, 2) * s[-1])
    k = draw.frequency() / length
    c = draw.log_between(0.1, 100) / length**2
    velocity = [draw.between(-8, 8) / length for _ in x]
    kinds: dict[str, tuple[Operator, Callable[[], sp.Expr] | None]] = {
        "poisson": (lambda v: -laplacian(v), harmonic),
        "screened poisson": (
            lambda v: -laplacian(v) + c * v,
            lambda: sp.exp(math.sqrt(c) * _dot(draw.frame()[0], r)),
        ),
        "helmholtz": (
            lambda v: laplacian(v) + k**2 * v,
            lambda: sp.sin(k * _dot(draw.frame()[0], r) + draw.phase()),
        ),
        "negative helmholtz": (
            lambda v: -laplacian(v) - k**2 * v,
            lambda: sp.sin(k * _dot(draw.frame()[0], r) + draw.phase()),
        ),
        "heterogeneous helmholtz": (lambda v: laplacian(v) + k**2 * smooth**2 * v, None),
        "variable diffusion": (lambda v: -diffusion(v, smooth) + c * v, None),
        "advection-diffusion": (
            lambda v: -laplacian(v) + sum(b * v.diff(i) for b, i in zip(velocity, x, strict=True)),
            lambda: draw.between(-1, 1) + sp.exp(_dot(velocity, r)),
        ),
        "rotating advection": (
            lambda v: -laplacian(v) + velocity[0] * (s[-1] * v.diff(x[0]) - s[0] * v.diff(x[-1])),
            None,
        ),
    }
    if len(x) == 1:
        kinds["fourth order"] = (lambda v: v.diff(x[0], 4) + c / length**2 * v, None)
        del kinds["rotating advection"]
    name = draw.one_of(list(kinds))
    return Model(name, *kinds[name])


def _evolution(draw: Draw, x: Sequence[sp.Symbol], s: Sequence[sp.Expr], half: Sequence[float]) -> Model:
    """An operator in space and time."""
    *space, t = x
    length, duration = max(half[:-1]), half[-1]
    r = [a * b for a, b in zip(s, half, strict=True)]
    speed = draw.between(0.4, 2) * length / duration
    alpha = draw.log_between(0.02, 1) * length**2 / duration
    drift = draw.between(-2, 2) * length / duration
    smooth = 1 + draw.between(0.1, 0.5) * sp.cos(draw.between(1, 3) * s[0])
    mass = draw.between(0.5, 6) / duration
    k = draw.frequency() / length

    def laplacian(v: sp.Expr) -> sp.Expr:
        return sum(v.diff(i, 2) for i in space)

    def travelling() -> sp.Expr:
        phase = _dot(draw.frame(len(space))[0], r[:-1]) - speed * r[-1]
        return sp.sin(k * phase) + sp.exp(-((phase / length / draw.between(1, 3) / draw.least_radius()) ** 2))

    def massive() -> sp.Expr:
        return sp.sin(k * _dot(draw.frame(len(space))[0], r[:-1]) - math.hypot(speed * k, mass) * r[-1] + draw.phase())

    def decaying(drift: float) -> sp.Expr:
        along = draw.frame(len(space))[0]
        return sp.exp(-alpha * k**2 * r[-1]) * sp.sin(k * (_dot(along, r[:-1]) - drift * along[0] * r[-1]))

    kinds: dict[str, tuple[int, Operator, Callable[[], sp.Expr] | None]] = {
        "wave": (2, lambda v: v.diff(t, 2) - speed**2 * laplacian(v), travelling),
        "heterogeneous wave": (2, lambda v: v.diff(t, 2) - speed**2 * smooth * laplacian(v), None),
        "damped wave": (2, lambda v: v.diff(t, 2) + v.diff(t) / duration - speed**2 * laplacian(v), None),
        "klein-gordon": (2, lambda v: v.diff(t, 2) - speed**2 * laplacian(v) + mass**2 * v, massive),
        "heat": (1, lambda v: v.diff(t) - alpha * laplacian(v), lambda: decaying(0.0)),
        "advection-diffusion in time": (
            1,
            lambda v: v.diff(t) + drift * v.diff(space[0]) - alpha * laplacian(v),
            lambda: decaying(drift),
        ),
        "reaction-diffusion": (1, lambda v: v.diff(t) - alpha * smooth * laplacian(v) + v / duration, None),
    }
    name = draw.one_of(list(kinds))
    order, operator, sourceless = kinds[name]
    return Model(name, operator, sourceless, order)


# --- domains and conditions --------------------------------------------------------------------------------


def _space(draw: Draw, dimension: int) -> tuple[Domain, str]:
    """A domain of odd size and place, and its name."""
    size = draw.log_between(0.3, 8) * (draw.one_of((1e-2, 1e3)) if draw.chance(0.1) else 1)
    lower = [draw.between(-2, 2) * size for _ in range(dimension)]
    box = fs.Box(lower, [a + draw.between(0.5, 1.3) * size for a in lower])
    if dimension != 2 or draw.chance(0.4):
        return box, "Box" if dimension > 1 else "Interval"
    theta = sp.Symbol("theta")
    ripple = draw.between(0.05, 0.25) * sp.cos(draw.one_of((2, 3, 5)) * theta + draw.phase())
    shapes: dict[str, Callable[[], Domain]] = {
        "Disk": lambda: fs.Disk(lower, 0.5 * size),
        "Pacman": lambda: fs.Pacman(lower, 0.5 * size, draw.between(0.3, 1.2)),
        "Panda": lambda: fs.Panda(0.45 * size, lower),
        "PolarCurve": lambda: fs.PolarCurve(0.5 * size * (1 + ripple), lower),
    }
    name = draw.one_of(list(shapes))
    return shapes[name](), name


def _conditions(
    draw: Draw, domain: Domain, space: Domain, x: Sequence[sp.Symbol], exact: sp.Expr, model: Model
) -> tuple[list[Any], str]:
    """Dirichlet, or Neumann on some of the parts whose normal is known; initial data in time."""
    normals = _normals(space, x)
    flux = {name: sum(n * exact.diff(v) for n, v in zip(normal, x, strict=False)) for name, normal in normals.items()}
    conditions: list[Any] = []
    kind = "dirichlet"
    names = [part.name for part in domain.boundary([str(v) for v in x])]
    if model.name == "fourth order":
        conditions = [fs.Dirichlet(exact), *(fs.Neumann(value, on=name) for name, value in flux.items())]
        kind = "clamped"
    elif flux and draw.chance(0.35):
        kind = "mixed"
        if len(names) == 1:
            cut = x[0] > draw.between(-0.5, 0.5) * space.radius + space.center[0]  # type: ignore[attr-defined]
            conditions = [fs.Neumann(flux[names[0]], on=cut), fs.Dirichlet(exact, on=sp.Not(cut))]
        else:
            free = [name for name in names if draw.chance(0.4)][: len(names) - 1]
            conditions = [fs.Neumann(flux[name], on=name) for name in free]
            conditions += [fs.Dirichlet(exact, on=[name for name in names if name not in free])]
    else:
        conditions = [fs.Dirichlet(_callable(exact, x) if draw.chance(0.2) else exact)]
    if domain.time is not None:
        start = domain.time.start
        conditions += [fs.Initial(exact.diff(x[-1], i).subs(x[-1], start), order=i) for i in range(model.time_order)]
    return conditions, kind


def _normals(space: Domain, x: Sequence[sp.Symbol]) -> dict[str, list[sp.Expr]]:
    """The outward normal of the boundary parts on which it is a simple expression."""
    if isinstance(space, fs.Box):
        return {
            f"{x[axis]}{side}": [
                sp.Integer((side == "+") - (side == "-")) * (i == axis) for i in range(space.dimension)
            ]
            for axis in range(space.dimension)
            for side in "-+"
        }
    if isinstance(space, fs.Disk | fs.Pacman):
        radial = [(v - c) / space.radius for v, c in zip(x, space.center, strict=False)]
        if isinstance(space, fs.Disk):
            return {"circle": radial}
        sin, cos = math.sin(space.mouth), math.cos(space.mouth)
        return {"arc": radial, "upper": [sp.Float(sin), sp.Float(-cos)], "lower": [sp.Float(sin), sp.Float(cos)]}
    return {}


def _callable(expression: sp.Expr, x: Sequence[sp.Symbol]) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    # not lambdify by itself, which rounds the numbers in an expression to 15 digits
    field = make_field(expression, tuple(x))

    def values(points: NDArray[np.float64]) -> NDArray[np.float64]:
        return field(points)

    return values


# --- the problem -------------------------------------------------------------------------------------------


def make_problem(seed: int, family: str = "test") -> RandomProblem:
    """The problem of a seed; the same seed always gives the same problem."""
    draw = Draw(np.random.default_rng([list(FAMILIES).index(family), seed]))
    setting = draw.one_of(("1d",) * 4 + ("2d",) * 8 + ("1d+t",) * 5 + ("3d",) * 2 + ("2d+t",))
    dimension = {"1d": 1, "2d": 2, "1d+t": 1, "3d": 3, "2d+t": 2}[setting]
    space, shape = _space(draw, dimension)
    domain: Domain = space
    if setting.endswith("t"):
        start = draw.between(-1, 1) if draw.chance(0.3) else 0.0
        domain = space * fs.Time(start, start + draw.log_between(0.1, 5))
    draw.dimension = domain.dimension
    lower, upper = domain.bounding_box
    x = sp.symbols("x y z")[:dimension] + ((sp.Symbol("t"),) if domain.time is not None else ())
    half = [float(f"{v:.4g}") for v in 0.5 * (upper - lower)]
    middle = [float(f"{v:.4g}") for v in 0.5 * (lower + upper)]
    s = [(v - m) / h for v, m, h in zip(x, middle, half, strict=True)]
    exact, ingredients = _solution(draw, family, s)
    model = (_elliptic if domain.time is None else _evolution)(draw, x, s, half)
    source = model.operator(exact)
    if model.sourceless is not None and draw.chance(0.25):
        exact, ingredients, source = model.sourceless(), "no source", sp.Integer(0)
    conditions, kind = _conditions(draw, domain, space, x, exact, model)
    u = sp.Function("u")(*x)
    given: dict[Any, Any] = {}
    if source != 0 and draw.chance(0.2):
        f = sp.Function("f")
        given[f] = _callable(source, x)
        source = f(*x)
        kind += ", callable source"
    problem = fs.Problem(sp.Eq(model.operator(u), source), domain=domain, conditions=conditions, given=given or None)
    tol = draw.log_between(1e-11, 1e-4) if domain.dimension < 3 else draw.log_between(1e-8, 1e-4)
    share = None
    ample = not draw.chance(1 / 3)
    if not ample:
        if draw.chance(0.75):
            share = draw.between(0.15, 0.8)
        else:
            tol = draw.log_between(1e-15, 1e-13)
    description = f"{model.name} on {shape}{' x Time' * (domain.time is not None)} ({setting}), {kind}; {ingredients}"
    return RandomProblem(seed, family, description, problem, exact, tol, share, ample)


def solve(random: RandomProblem, progress: bool = False) -> tuple[fs.Solution, float]:
    """Solve within the budget, and the seconds it took."""
    budget = AMPLE
    if random.share is not None:
        whole = fs.solve(random.problem, tol=random.tol, budget=AMPLE, rng=random.seed)
        budget = fs.Budget(neurons=max(int(random.share * whole.report.neurons), 8))
    start = perf_counter()
    solution = fs.solve(random.problem, tol=random.tol, budget=budget, rng=random.seed, progress=progress)
    return solution, perf_counter() - start


# --- commands ----------------------------------------------------------------------------------------------


def run(family: str, count: int) -> None:
    """Solve the problems of a family that `TABLE` does not have yet, appending row by row."""
    done = {int(row["seed"]) for row in rows() if row["family"] == family}
    if not TABLE.exists():
        TABLE.write_text(",".join(COLUMNS) + "\n", encoding="utf-8")
    for seed in range(count):
        if seed in done:
            continue
        random = make_problem(seed, family)
        row = (family, seed, random.description, random.ample, f"{random.tol:.1e}", *measure(random))
        with TABLE.open("a", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerow(row)
        print(*row[:-1], sep=" | ", flush=True)


def measure(random: RandomProblem) -> tuple[Any, ...]:
    """The columns of `TABLE` from the neurons on; a refusal counts as not converged."""
    try:
        solution, seconds = solve(random)
    except (fs.ProblemError, fs.SolveError, fs.MemoryBudgetError) as refusal:
        return 0, 0, "nan", "inf", False, "nan", f"{type(refusal).__name__}: {refusal}"
    report = solution.report
    return (
        report.neurons,
        len(report.rounds),
        f"{random.true_error(solution):.2e}",
        f"{solution.error_estimate:.2e}",
        solution.converged,
        f"{seconds:.2f}",
        report.reason,
    )


def rows() -> list[dict[str, str]]:
    """What has been measured so far."""
    if not TABLE.exists():
        return []
    with TABLE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@dataclass(frozen=True, eq=False)
class Summary:
    """The rows of one family as arrays."""

    rows: list[dict[str, str]]
    tol: NDArray[np.float64]
    error: NDArray[np.float64]
    estimate: NDArray[np.float64]
    seconds: NDArray[np.float64]
    converged: NDArray[np.bool_]
    ample: NDArray[np.bool_]

    @property
    def ratio(self) -> NDArray[np.float64]:
        """Estimate over true error, where the latter is more than rounding."""
        measurable = self.error > _FLOOR
        return self.estimate[measurable] / self.error[measurable]

    def lines(self) -> dict[str, str]:
        """The summary, by what each number is."""
        wrong = [int(np.count_nonzero(self.converged & (self.error > factor * self.tol))) for factor in (10, 1)]
        ratio = self.ratio
        return {
            "problems": f"{len(self.rows)}",
            "with an ample budget": f"{np.count_nonzero(self.ample)}",
            "converged with an error above 10 tol": f"{wrong[0]}",
            "converged with an error above tol": f"{wrong[1]}",
            "converged among the amply budgeted": f"{np.mean(self.converged[self.ample]):.1%}",
            "not converged, error below tol": f"{np.count_nonzero(~self.converged & (self.error <= self.tol))}",
            "estimate over error, least / median / largest": _three(ratio),
            "the same where the error is below 0.1": _three(self._ratio_of_resolved()),
        }

    def _ratio_of_resolved(self) -> NDArray[np.float64]:
        resolved = (self.error > _FLOOR) & (self.error < 0.1)
        return self.estimate[resolved] / self.error[resolved]


def _three(values: NDArray[np.float64]) -> str:
    return f"{values.min():.2g} / {np.median(values):.2g} / {values.max():.2g}"


def summarise(family: str) -> Summary:
    """What `TABLE` has of a family."""
    here = [row for row in rows() if row["family"] == family]
    numbers = {name: np.array([float(row[name]) for row in here]) for name in ("tol", "error", "estimate", "seconds")}
    flags = {name: np.array([row[name] == "True" for row in here], dtype=bool) for name in ("converged", "ample")}
    return Summary(here, **numbers, **flags)


def report(summaries: dict[str, Summary]) -> None:
    """Print the summaries, every wrong yes and every failure with an ample budget; put the former into `PAGE`."""
    lines = {family: summary.lines() for family, summary in summaries.items()}
    heads = list(lines)
    table = ["| | " + " | ".join(heads) + " |", "|---|" + "--:|" * len(heads)]
    table += [f"| {name} | " + " | ".join(lines[head][name] for head in heads) + " |" for name in lines[heads[0]]]
    text = "\n".join(table)
    print(text)
    if PAGE.exists() and BEGIN in PAGE.read_text(encoding="utf-8"):
        before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN, 1)
        after = rest.split(END, 1)[1]
        note = "Made by `python benchmarks/random_problems.py` from `random_problems.csv`."
        PAGE.write_text(f"{before}{BEGIN}\n{note}\n\n{text}\n{END}{after}", encoding="utf-8")
    for family, s in summaries.items():
        for title, chosen in (
            ("wrong yes", s.converged & (s.error > s.tol)),
            ("failure, ample budget", ~s.converged & s.ample),
            ("estimate below error", (s.estimate < s.error) & (s.error > _FLOOR)),
        ):
            for index in np.flatnonzero(chosen):
                row = s.rows[index]
                print(f"{title}: {family} {row['seed']}, {row['description']}")
                print(
                    f"    tol {row['tol']}, error {row['error']}, estimate {row['estimate']}, "
                    f"{row['neurons']} neurons, {row['rounds']} rounds, {row['seconds']} s: {row['reason']}"
                )


def show(family: str, seed: int) -> None:
    """Solve one problem, telling its rounds."""
    random = make_problem(seed, family)
    print(random.description, f"ample={random.ample} share={random.share} tol={random.tol:g}", sep="\n")
    print(random.problem.domain, "\nu =", random.exact, "\n", random.problem.equation.args[0])
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
    commands.add_parser("report", help="summarise docs/random_problems.csv")
    showing = commands.add_parser("show", help="solve one problem, round by round")
    showing.add_argument("family", choices=list(FAMILIES))
    showing.add_argument("seed", type=int)
    options = parser.parse_args()
    warnings.simplefilter("ignore", fs.AccuracyWarning)
    match options.command:
        case "run":
            run(options.family, options.count or FAMILIES[options.family])
        case "report":
            summaries = {family: summarise(family) for family in FAMILIES}
            report({family: summary for family, summary in summaries.items() if summary.rows})
        case _:
            show(options.family, options.seed)


if __name__ == "__main__":
    main()
