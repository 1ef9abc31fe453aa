"""High modes of membranes, beside those of rectangles and disks."""

from typing import Any

import numpy as np
import pytest
import sympy as sp
from scipy.special import jn_zeros

import fspielm as fs
from fspielm.arrays import FloatArray
from fspielm.eigen import Membrane, membrane_of
from fspielm.eigen.membranes import search
from fspielm.eigen.membranes.functions import Choice
from fspielm.eigen.membranes.look import Scan, look_at, pinned, scan
from fspielm.eigen.pencil import read_pencil

x, y, lam = sp.symbols("x y lam")
u = sp.Function("u")(x, y)
SIDE = 1.1 * np.sqrt(2)


def membrane(domain: fs.Domain, condition: object = None, factor: float = 1.0) -> fs.Problem:
    equation = sp.Eq(-factor * (u.diff(x, 2) + u.diff(y, 2)), lam * u)
    return fs.Problem(equation, domain, [condition or fs.Dirichlet(0)], given={lam: ...})


def as_membrane(problem: fs.Problem) -> Membrane:
    found = membrane_of(read_pencil(problem, lam))
    assert found is not None
    return found


def of_rectangle(a: float, b: float, low: float, high: float) -> FloatArray:
    every = np.sort([np.pi**2 * ((i / a) ** 2 + (j / b) ** 2) for i in range(1, 60) for j in range(1, 60)])
    return every[(every > low) & (every < high)]


def test_modes_of_a_rectangle_in_an_interval() -> None:
    # half of the Laplacian, so that values and energies differ
    problem = membrane(fs.Box((0, 0), (1, SIDE)), factor=0.5)
    modes = fs.eigenmodes(problem, lam, within=(364, 368), tol=1e-10, rng=0)
    known = 0.5 * of_rectangle(1, SIDE, 728, 736)
    assert modes.complete
    assert len(modes) == len(known) == 2
    assert np.all(np.abs(modes.values - known) <= modes.bounds)
    assert modes.bounds.max() < 1e-7
    field = modes[0].field
    assert field.converged
    assert field.integrate(u**2) == pytest.approx(1, abs=1e-7)


def test_double_modes_are_two_orthogonal_functions() -> None:
    modes = fs.eigenmodes(membrane(fs.Box((0, 0), (1, 1))), lam, within=(985, 989), tol=1e-10, rng=0)
    known = of_rectangle(1, 1, 985, 989)
    assert len(modes) == len(known) == 2
    assert [mode.multiplicity for mode in modes] == [2, 2]
    points = np.random.default_rng(0).uniform(0, 1, (4000, 2))
    first, second = (mode.field(points) for mode in modes)
    assert abs(np.mean(first * second)) < 0.1
    assert np.mean(first**2) == pytest.approx(1, abs=0.1)


def test_all_modes_of_a_disk_are_counted() -> None:
    counted = fs.count_modes(membrane(fs.Disk((0.3, 0.2), 1)), lam, below=78.0)
    zeros = np.sort([zero**2 for n in range(9) for zero in jn_zeros(n, 5) for _ in range(1 + (n > 0))])
    assert counted.certain
    assert counted.number == np.count_nonzero(zeros < 78)
    np.testing.assert_allclose(counted.values, zeros[zeros < 78], rtol=2e-2)


def test_a_look_sees_what_is_ahead_and_behind() -> None:
    found = look_at(as_membrane(membrane(fs.Box((0, 0), (1, SIDE)))), 600.0, Choice())
    known = of_rectangle(1, SIDE, 570, 615)
    near = found.energies[np.abs(found.distances) < 15.5]
    np.testing.assert_allclose(np.sort(near), known[np.abs(known - 600) < 15.5], atol=0.3)


def test_sources_toward_joints_hold_what_waves_do_not() -> None:
    stadium = as_membrane(membrane(fs.Disk((-1, 0), 1) | fs.Box((-1, -1), (1, 1)) | fs.Disk((1, 0), 1)))
    seen = scan(stadium, 8.72**2, 8.8**2, lambda energy: look_at(stadium, energy, Choice()))
    bounds = [next(pinned(stadium, seen, choice)).bound for choice in (Choice(), Choice(12))]
    assert not seen.doubtful
    assert bounds[1] < 1e-2 * bounds[0]


def test_an_interval_without_modes_is_empty() -> None:
    modes = fs.eigenmodes(membrane(fs.Box((0, 0), (1, 1))), lam, within=(975, 976), rng=0)
    assert not len(of_rectangle(1, 1, 975, 976))
    assert len(modes) == 0
    assert modes.complete


@pytest.mark.parametrize(
    "domain", [fs.Box((0, 0), (1, SIDE)), fs.Disk((0, 0), 1), fs.LShape()], ids=["rectangle", "disk", "corner"]
)
def test_weyls_law_has_the_terms_of_boundary_corners_and_bends(domain: fs.Domain) -> None:
    law = as_membrane(membrane(domain)).weyl
    constants = {"Box": 0.25, "Disk": 1 / 6, "LShape": 5 / 16 + (1 - 2.25) / (24 * 1.5)}
    area, length = domain.measure, sum(part.measure for part in domain.boundary())
    assert law(100.0) == pytest.approx((100 * area - 10 * length) / (4 * np.pi) + constants[type(domain).__name__])


@pytest.mark.usefixtures("patient")
def test_other_problems_are_not_counted() -> None:
    with pytest.raises(fs.ProblemError, match=r"one piece.*values or slopes"):
        fs.count_modes(membrane(fs.Box((0, 0), (1, 1)), fs.Robin(1, 1, 0)), lam, below=50)
    with pytest.raises(fs.ProblemError, match="of one piece"):
        fs.count_modes(membrane(fs.Disk((0, 0), 1) | fs.Disk((3, 0), 1)), lam, below=28)
    with pytest.raises(fs.ProblemError, match="below must be a finite number"):
        fs.count_modes(membrane(fs.Box((0, 0), (1, 1))), lam, below="many")
    with pytest.raises(fs.ProblemError, match="smaller interval"):
        fs.count_modes(membrane(fs.Box((0, 0), (1, 1))), lam, below=5000, budget=fs.Budget(seconds=0.1))


@pytest.mark.parametrize(("across", "along"), [(1.0, 9.0), (9.0, 1.0)])
def test_stiffer_along_one_axis_is_no_membrane(across: float, along: float) -> None:
    equation = sp.Eq(-across * u.diff(x, 2) - along * u.diff(y, 2), lam * u)
    problem = fs.Problem(equation, fs.Box((0, 0), (1, 1.3)), [fs.Dirichlet(0)], given={lam: ...})
    modes = fs.eigenmodes(problem, lam, count=3, rng=0)
    each = np.arange(1, 10)
    known = np.sort(np.add.outer(across * (np.pi * each) ** 2, along * (np.pi * each / 1.3) ** 2).ravel())[:3]
    assert np.all(np.abs(modes.values - known) <= modes.bounds)
    with pytest.raises(fs.ProblemError, match="counted"):
        fs.count_modes(problem, lam, below=100)


@pytest.mark.filterwarnings("ignore::fspielm.AccuracyWarning")
@pytest.mark.parametrize(("lacking", "scans"), [("time", 2), ("neurons", 1), ("field", 1)])
def test_a_scan_that_worked_is_kept_if_no_other_helps(
    lacking: str, scans: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = []

    def scanned(*each: Any) -> Scan:
        begun.append(each)
        if len(begun) > 1:
            raise fs.ProblemError("to look at all of this interval would take about 9 seconds")
        return whole(*each)

    whole = search.scanned
    monkeypatch.setattr(search, "scanned", scanned)
    monkeypatch.setattr(search, "_ROUGH", 0.0)  # the first mode is never known well enough
    if lacking == "field":
        monkeypatch.setattr(Membrane, "field", None)
    budget = fs.Budget(neurons=70 if lacking == "neurons" else None)
    modes = fs.eigenmodes(membrane(fs.Box((0, 0), (1, SIDE))), lam, within=(728, 736), budget=budget, rng=0)
    np.testing.assert_allclose(modes.values, of_rectangle(1, SIDE, 728, 736), rtol=1e-3)
    assert len(begun) == scans
