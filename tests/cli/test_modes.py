"""Modes on the command line."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest

import fspielm as fs
from fspielm.eigen import Mode
from fspielm.eigen.modes import caption
from fspielm.solution import plot_modes

STRING = """\
title = "A string"
unknown = "u(x)"
equation = "-dx(u, 2) = lam*u"

[parameters]
lam = 1

[domain]
shape = "Interval"
a = 0
b = 1

[[conditions]]
type = "dirichlet"
value = 0
"""


@pytest.fixture
def string(tmp_path):
    path = tmp_path / "string.toml"
    path.write_text(STRING)
    return path


def test_a_table_of_modes_that_fits_a_terminal(fspielm, string, tmp_path):
    done = fspielm("modes", string, "--count", 2, "--save", tmp_path / "kept")
    assert done.status == 0
    # As many digits as the bound allows, which differs by processor.
    first = next(line for line in done.out.splitlines() if line.split()[:1] == ["1"])
    assert re.fullmatch(r"9\.8696044\d*", first.split()[1])
    assert "bound" in done.out
    assert max(map(len, done.out.splitlines())) <= 80
    assert "Saved: mode-1.fspielm to mode-2.fspielm" in done.out
    shown = fspielm("show", tmp_path / "kept" / "mode-2.fspielm")
    assert shown.status == 0
    assert "equation" in shown.out
    assert ": A string: mode 2 unknown" in " ".join(shown.out.split())
    mode = fs.load(tmp_path / "kept" / "mode-2.fspielm")
    assert abs(mode([[0.5]])[0]) < 1e-8


def test_json_for_scripts(fspielm, string):
    done = fspielm("modes", string, "--within", 30, 100, "--json")
    told = json.loads(done.out)
    assert told["complete"]
    values = [mode["value"] for mode in told["modes"]]
    np.testing.assert_allclose(values, [4 * np.pi**2, 9 * np.pi**2], rtol=1e-8)


def test_a_parameter_that_is_not_there(fspielm, string):
    assert "its parameters are lam; write --symbol lam" in fspielm("modes", string, "--symbol", "k").error
    string.write_text(STRING.replace("lam*u", "lam*mass*u").replace("lam = 1", "lam = 1\nmass = 2"))
    assert "its parameters are lam, mass; did you mean 'lam'?" in fspielm("modes", string, "--symbol", "lan").error


OUTSIDE = """\
unknown = "u(x, y)"
equation = "laplacian(u) + k^2*u = 0"

[parameters]
k = 1

[domain]
exterior = [{ shape = "Disk", center = [0, 0], radius = 1 }]

[[conditions]]
type = "neumann"
value = 0
"""


def test_resonances_in_a_rectangle(fspielm, tmp_path):
    path = tmp_path / "outside.toml"
    path.write_text(OUTSIDE)
    done = fspielm("modes", path, "--symbol", "k", "--within", "1.2-1.1j", "1.8", "--json")
    told = json.loads(done.out)
    assert told["complete"]
    np.testing.assert_allclose([mode["value"] for mode in told["modes"]], [[1.434438023186, -0.834546174422]] * 2)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("", ": write --within 1-0.5j 3, its lower left and its upper right corner"),
        ("--count 4", " its upper right corner; --count 4 alone does not say where"),
        ("--count 4 --within 1-0.5j 3", "give --within, not --count: all resonances of a rectangle are found"),
        (
            "--within 3 1-0.5j",
            "--within is the wrong way round: the lower left corner comes first, then the upper right "
            "one, write --within 1-0.5j 3",
        ),
        ("--within 1-0.5j 3+1j", "--within 1-0.5j 3+1j reaches above the real axis"),
        ("--within a 3", "'a' is no number"),
    ],
)
def test_where_resonances_are_wanted_is_said_with_options(fspielm, tmp_path, options, told):
    path = tmp_path / "outside.toml"
    path.write_text(OUTSIDE)
    error = fspielm("modes", path, "--symbol", "k", *options.split()).error
    assert told in error
    assert ("count" in options) == ("count" in error)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("--within 5 1", "--within is the wrong way round: write --within 1 5"),
        ("--within 1-0.5j 5", "on this one, write an interval of real values, as in --within 0 100"),
        ("--within 1 5 --count 2", "say which modes: --count 10 for the first ten, or --within a b for all"),
        ("--count 0", "--count must be a whole number, at least 1; got 0"),
    ],
)
def test_which_modes_are_wanted_is_said_with_options(fspielm, string, options, told):
    assert told in fspielm("modes", string, *options.split()).error


def test_a_mode_of_a_membrane_is_shown(fspielm, tmp_path):
    path = tmp_path / "drum.toml"
    path.write_text(
        'unknown = "u(x, y)"\nequation = "-laplacian(u) = lam*u"\n[parameters]\nlam = 1\n'
        '[domain]\nshape = "Disk"\ncenter = [0, 0]\nradius = 1\n[[conditions]]\ntype = "dirichlet"\nvalue = 0\n'
    )
    assert fspielm("modes", path, "--count", 1, "--save", tmp_path / "kept").status == 0
    shown = fspielm("show", tmp_path / "kept" / "mode-1.fspielm")
    assert shown.status == 0, shown.err
    assert "dirichlet circle" in shown.out


def test_an_interval_without_modes_says_so(fspielm, string):
    done = fspielm("modes", string, "--within", 50, 60)
    assert "There are none" in done.out


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("", "", "and so is the solution. Next, for its eigenvalues: fspielm modes string.toml"),
        ("lam", "k", "for its eigenvalues: fspielm modes string.toml --symbol k"),
        ("lam*u", "u", "-laplacian(u) = lam*u with lam = 1 under [parameters]; then: fspielm modes string.toml"),
        ("value = 0", "value = 1", "constant coefficients. Next: fspielm solve string.toml"),
        ("lam*u", "lam*u**2", "nonlinear. Next: fspielm solve string.toml"),
    ],
)
def test_check_tells_what_nothing_drives(fspielm, string, monkeypatch, old, new, told):
    monkeypatch.chdir(string.parent)
    string.write_text(STRING.replace(old, new))
    done = fspielm("check", string.name)
    assert done.status == 0
    assert " ".join(done.out.split()).endswith(told)


def test_check_of_objects_tells_of_a_rectangle(fspielm, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (
        'unknown = "u(x, y)"\nequation = "laplacian(u) + k**2*u = 0"\nparameters = { k = 1 }\n'
        'domain = { exterior = [{ shape = "Disk", center = [0, 0], radius = 1 }] }\n'
        'conditions = [{ type = "dirichlet", value = 0 }]\n'
    )
    (tmp_path / "disk.toml").write_text(text)
    told = " ".join(fspielm("check", "disk.toml").out.split())
    assert told.endswith("for its eigenvalues: fspielm modes disk.toml --symbol k --within 1-0.5j 3")
    (tmp_path / "disk.toml").write_text(text + 'incident = "exp(i*k*x)"\n')
    assert "Next: fspielm solve disk.toml" in " ".join(fspielm("check", "disk.toml").out.split())


def test_a_picture_of_the_first_modes(fspielm, string, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    told = []
    monkeypatch.setattr("fspielm.eigen.modes.plot_modes", lambda *given: told.append(given) or plot_modes(*given))
    done = fspielm("modes", string, "--count", 13, "--plot", tmp_path / "a.png", "--plot", tmp_path / "a.pdf")
    assert done.status == 0
    assert done.out.endswith(f"\nPicture: {tmp_path / 'a.png'}\nPicture: {tmp_path / 'a.pdf'}\n")
    assert (tmp_path / "a.png").stat().st_size > 5000
    assert (tmp_path / "a.pdf").exists()
    ((fields, captions, title),) = told
    assert len(fields) == 12
    assert captions[0].startswith("1:  9.8696044")
    assert "\n± " in captions[0]
    assert title == "A string: the first 12 of 13 modes"
    json.loads(fspielm("modes", string, "--count", 1, "--json", "--plot", tmp_path / "b.png").out)
    assert (tmp_path / "b.png").exists()


@pytest.mark.usefixtures("patient")
def test_what_is_not_known_of_errors_is_said_and_drawn(fspielm, string, tmp_path):
    """A budget that ends before most errors were measured."""
    pytest.importorskip("matplotlib")
    done = fspielm("modes", string, "--count", 4, "--seconds", 0.001, "--plot", tmp_path / "a.png")
    assert done.status == 0
    assert " unknown " in done.out
    assert "allow more with --seconds" in " ".join(done.out.split())
    assert (tmp_path / "a.png").exists()
    told = fspielm("modes", string, "--count", 4, "--seconds", 0.001, "--json").out
    modes = json.loads(told, parse_constant=pytest.fail)["modes"]
    assert None in [mode["bound"] for mode in modes]


def test_a_picture_that_cannot_be_written_is_refused_at_once(fspielm, string):
    assert fspielm("modes", string, "--plot", "modes.txt").error.startswith("the name of a picture must end in .png")


@pytest.mark.parametrize(
    ("mode", "told"),
    [
        (Mode(9.869604401089358, 2e-12, 2e-12, None), "3:  9.869604401\n± 2.0e-12"),
        (Mode(15.4212600528438, 3.5e-3, 3.5e-3, None, 2), "3:  15.42\n± 3.5e-03, 2-fold"),
        (Mode(-1.3e-5, 1.8e-3, 1.8e-3, None), "3:  0.00\n± 1.8e-03"),
        (Mode(1234.5, 20.0, 20.0, None), "3:  1200\n± 2.0e+01"),
        (Mode(1.5 - 0.25j, None, 1e-3, None), "3:  1.500 - 0.250i\nerror about 1.0e-03"),
        (Mode(39.478417604, math.inf, math.inf, None), "3:  39.5\nerror unknown"),
        (Mode(1.5 - 0.25j, None, math.inf, None, 2), "3:  1.50 - 0.25i\nerror unknown, 2-fold"),
        (Mode(0.0, 0.0, 0.0, None), "3:  0\nexact"),
        (Mode(1.5 + 0.25j, None, 0.0, None), "3:  1.500000000 + 0.250000000i\nerror about 0.0e+00"),
    ],
)
def test_captions_have_the_digits_that_are_known(mode, told):
    assert caption(3, mode) == told
