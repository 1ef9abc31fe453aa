"""Open domains on the command line: cross sections, and the far field as a table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp
from scipy.special import hankel1, jv

import fspielm as fs
from fspielm.cli.report import _in_words
from fspielm.solution import far_field_to_csv

DISK = """
unknown = "u(x, y)"
equation = "laplacian(u) + k**2*u = 0"

[parameters]
k = 2

[domain]
exterior = [{ shape = "Disk", center = [0, 0], radius = 1 }]

[[conditions]]
type = "dirichlet"
value = 0

[incident]
type = "plane_wave"
k = "k"
direction = [1, 0]
"""


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("disk.toml").write_text(DISK, encoding="utf-8")
    return "disk.toml"


def table(path: str) -> tuple[list[str], np.ndarray]:
    names = Path(path).read_text(encoding="utf-8").partition("\n")[0].split(",")
    return names, np.loadtxt(path, delimiter=",", skiprows=1)


def test_the_far_field_and_cross_sections_of_a_soft_disk(fspielm: Any, disk: str) -> None:
    """Beside the series of Bessel functions."""
    done = fspielm("solve", disk, "--far-field", "far.csv", "--out", "disk.fspielm")
    assert done.status == 0
    assert "\nWritten: disk.fspielm\nWritten: far.csv\n" in done.out
    assert max(map(len, done.out.splitlines())) <= 80
    orders = np.arange(-30, 31)
    each = jv(orders, 2.0) / hankel1(orders, 2.0)
    scattering = 4 / 2.0 * np.sum(np.abs(each) ** 2)
    told = f"cross sections scattering {scattering:.5f}, absorption 0, extinction {scattering:.5f}"
    assert told in " ".join(done.out.split())
    names, rows = table("far.csv")
    assert names == ["angle_degrees", "real", "imag", "abs"]
    np.testing.assert_array_equal(rows[:, 0], np.arange(360.0))
    waves = np.exp(1j * np.outer(np.radians(rows[:, 0]), orders))
    exact = -np.sqrt(2 / (np.pi * 2.0)) * np.exp(-0.25j * np.pi) * waves @ each
    np.testing.assert_allclose(rows[:, 1] + 1j * rows[:, 2], exact, atol=1e-8)
    np.testing.assert_allclose(rows[:, 3], np.abs(exact), atol=1e-8)
    pytest.importorskip("matplotlib")
    assert "\nWritten: far.png\n" in fspielm("show", "disk.fspielm", "--far-field", "far.png").out
    assert Path("far.png").stat().st_size > 5000
    shown = fspielm("show", "disk.fspielm", "--far-field", "again.csv")
    assert told in " ".join(shown.out.split())
    assert Path("again.csv").read_bytes() == Path("far.csv").read_bytes()


@pytest.mark.parametrize(
    ("sections", "estimate", "told"),
    [
        ((1.289573e-6, 2e-19), 1e-9, "scattering 1.28957e-06, absorption 0"),
        ((2.4, -3e-9), None, "scattering 2.40000, absorption 0"),
        ((2.4, 0.0123449), 0.0, "scattering 2.40000, absorption 0.01234"),
        ((2.3871, 0.0123449), 2e-4, "scattering 2.39, absorption 0.01"),
        ((23.871, 2.0), 3e-2, "scattering 2e+01, absorption 0"),
        ((1234567.0, 1234.0), 1e-9, "scattering 1.23457e+06, absorption 1.23e+03"),
        ((234.04, 12.0), 1e-3, "scattering 234, absorption 12"),
        ((2.3871, 0.1), np.inf, "scattering 2, absorption 0"),
        ((0.0, 0.0), 1e-9, "scattering 0, absorption 0"),
        ((np.nan, np.inf), np.inf, "scattering nan, absorption inf"),
    ],
)
def test_cross_sections_have_the_digits_that_are_known(
    sections: tuple[float, float], estimate: float | None, told: str
) -> None:
    assert _in_words(dict(zip(("scattering", "absorption"), sections, strict=True)), estimate) == told


def test_progress_tells_of_cross_sections(fspielm: Any, disk: str, impatient: None) -> None:
    assert "\ncross sections ...\n" in fspielm("solve", disk).err


def test_json_has_the_cross_sections(fspielm: Any, disk: str) -> None:
    found = json.loads(fspielm("solve", disk, "--json").out)["cross_sections"]
    sections = fs.read_problem_file(disk).solve(rng=0).cross_sections()
    assert found == {
        "scattering": sections.scattering,
        "absorption": sections.absorption,
        "extinction": sections.extinction,
    }
    source = '[incident]\ntype = "point_source"\nk = "k"\nplace = [4, 0]\n'
    Path(disk).write_text(DISK.partition("[incident]")[0] + source, encoding="utf-8")
    assert json.loads(fspielm("solve", disk, "--json").out)["cross_sections"] is None
    assert "cross sections" not in fspielm("solve", disk).out


def test_many_wavelengths_have_more_directions(fspielm: Any, disk: str) -> None:
    Path(disk).write_text(DISK.replace("k = 2", "k = 60"), encoding="utf-8")
    assert fspielm("solve", disk, "--far-field", "far.csv").status == 0
    rows = table("far.csv")[1]
    assert len(rows) == 1080
    assert rows[1, 0] == pytest.approx(1 / 3)


def test_the_far_field_in_space(tmp_path: Path) -> None:
    """All of what is scattered, integrated from the table."""
    x, y, z = sp.symbols("x y z")
    u = sp.Function("u")(x, y, z)
    equation = sp.Eq(u.diff(x, 2) + u.diff(y, 2) + u.diff(z, 2) + u, 0)
    outside = fs.Exterior(fs.Ball((0, 0, 0), 1), fs.Ball((3, 0, 0), 0.5))
    solution = fs.solve(
        fs.Problem(equation, outside, [fs.Dirichlet(0)], incident=fs.plane_wave(1, (0, 1, 1))), tol=1e-4, rng=0
    )
    far_field_to_csv(solution, tmp_path / "far.csv")
    names, rows = table(str(tmp_path / "far.csv"))
    assert names == ["theta_degrees", "phi_degrees", "real", "imag", "abs"]
    theta, phi, real, imag, size = rows.T
    assert (theta.max(), phi.min()) == (180.0, 0.0)
    on_x = (theta == 90.0) & (phi == 0.0)
    assert (real + 1j * imag)[on_x] == pytest.approx(solution.far_field([(1, 0, 0)]), abs=1e-12)
    steps = np.radians(theta[-1] - np.unique(theta)[-2]), np.radians(phi[1])
    scattering = np.sum(size**2 * np.sin(np.radians(theta))) * steps[0] * steps[1]
    assert scattering == pytest.approx(solution.cross_sections().scattering, rel=1e-3)


GRATING = DISK.replace("radius = 1 }]", "radius = 1 }]\nperiod = 3").replace("[1, 0]", "[1, 2]")
LOSSY = DISK.replace("k = 2", 'k = "2 + i"')


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (
            DISK,
            ["--far-field", "far.txt"],
            "must end in .csv, .png, .pdf, .svg, .jpg; got 'far.txt'",
        ),
        (DISK, ["--far-field", "far.csv", "--set", "k=1,2"], "--far-field is for a single solve; leave it out with"),
        (
            GRATING,
            ["--far-field", "far.csv"],
            "--far-field: a grating has no end; where it sends waves is said by orders() of",
        ),
        (
            LOSSY,
            ["--far-field", "far.csv"],
            "--far-field: only undamped waves have one; this equation has no wavenumber",
        ),
    ],
)
def test_what_has_none_is_refused_before_the_solve(
    fspielm: Any, disk: str, text: str, options: list[str], message: str
) -> None:
    Path(disk).write_text(text, encoding="utf-8")
    done = fspielm("solve", disk, *options)
    assert done.status == 2
    assert message in done.error


def test_a_domain_with_an_end_has_none(fspielm: Any) -> None:
    done = fspielm("solve", "heat", "--far-field", "far.csv")
    assert done.error.startswith("--far-field is for open domains, ")
