"""Problem files on the command line: solve, check, new."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fspielm as fs
from fspielm.cli import check as new
from fspielm.cli import solve as solving

STRING = """\
title = "A vibrating string"
unknown = "u(x)"
equation = "dx(u, 2) + k**2*u = 0"

[parameters]
k = 10

[domain]
shape = "Interval"
a = 0
b = 1

[[conditions]]
type = "dirichlet"
value = "cos(k*x)"

[solve]
tol = 1e-9
rng = 5

[reference]
exact = "cos(k*x)"
"""


@pytest.fixture
def string(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a problem file in the current folder."""
    monkeypatch.chdir(tmp_path)
    Path("string.toml").write_text(STRING, encoding="utf-8")
    return "string.toml"


def change(name: str, old: str, new: str) -> None:
    """Replace a piece of a file."""
    text = Path(name).read_text(encoding="utf-8")
    assert old in text
    Path(name).write_text(text.replace(old, new), encoding="utf-8")


def fits(text: str) -> bool:
    return max(map(len, text.splitlines())) <= 80


class TestSolve:
    def test_prints_title_verdict_and_errors(self, fspielm: Any, string: str) -> None:
        done = fspielm("solve", string)
        assert (done.status, done.err) == (0, "")
        assert fits(done.out)
        assert done.out.startswith("string.toml: A vibrating string\n")
        text = " ".join(done.out.split())
        for fact in (
            "(reference)",
            "error estimate",
            "verdict converged: ",
            "tolerance 1e-09",
            "rng 5",
            "dirichlet x-",
        ):
            assert fact in text

    def test_json(self, fspielm: Any, string: str) -> None:
        content = json.loads(fspielm("solve", string, "--json").out)
        assert content["file"] == "string.toml"
        assert content["title"] == "A vibrating string"
        assert content["relative_error"] <= content["error_estimate"] <= content["tol"] == 1e-9
        assert (content["rng"], content["converged"]) == (5, True)
        assert content["residuals"].keys() == {"dirichlet x-", "dirichlet x+"}
        assert content["seconds"] == pytest.approx(sum(content["phases"].values()))

    def test_options_count_more_than_the_file(self, fspielm: Any, string: str) -> None:
        options = "--tol 1e-4 --rng 0 --neurons 300 --least-squares svd --scaling none --json"
        content = json.loads(fspielm("solve", string, *options.split()).out)
        assert (content["tol"], content["rng"], content["scaling"]) == (1e-4, 0, "none")
        assert content["least_squares"].startswith("TruncatedSVD(")
        assert content["neurons"] <= 300

    def test_without_seed_and_reference(self, fspielm: Any, string: str) -> None:
        change(string, "rng = 5", "")
        change(string, '[reference]\nexact = "cos(k*x)"', "")
        content = json.loads(fspielm("solve", string, "--json").out)
        assert (content["rng"], content["relative_error"]) == (0, None)
        assert "reference" not in fspielm("solve", string).out

    def test_outputs(self, fspielm: Any, string: str) -> None:
        change(string, "[reference]", '[output]\nplot = "string.png"\ntable = "string.csv"\n\n[reference]')
        done = fspielm("solve", string)
        assert done.out.endswith("\nPicture: string.png\n\nTable: string.csv\n")
        assert Path("string.png").read_bytes().startswith(b"\x89PNG")
        assert Path("string.csv").read_text(encoding="utf-8").startswith("x,u\n0,")
        x, u = np.loadtxt("string.csv", delimiter=",", skiprows=1).T
        assert len(x) == 10_000
        assert u == pytest.approx(np.cos(10 * x), abs=1e-8)
        fspielm("solve", string, "--plot", "other.png", "--json")
        assert Path("other.png").exists()

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ('plot = "a.xyz"', "the name of a picture must end in .png"),
            ('table = "a.txt"', "the name of the file must end in .csv; got 'a.txt'"),
            ('table = "no/a.csv"', "its folder does not exist"),
            ('table = "folder.csv"', "it is a folder"),
        ],
    )
    def test_an_impossible_output_is_refused_first(
        self, fspielm: Any, string: str, monkeypatch: pytest.MonkeyPatch, line: str, message: str
    ) -> None:
        def refuse(*args: Any) -> None:
            raise AssertionError("solved before the outputs were checked")

        monkeypatch.setattr(solving, "run_file", refuse)
        Path("folder.csv").mkdir()
        change(string, "[reference]", f"[output]\n{line}\n[reference]")
        done = fspielm("solve", string)
        assert done.status == 2
        assert message in done.error

    @pytest.mark.parametrize("option", ["--method fs-l", "--mu 1 2", "--shift space"])
    def test_the_methods_of_the_paper_belong_to_its_benchmarks(self, fspielm: Any, string: str, option: str) -> None:
        done = fspielm("solve", string, *option.split())
        assert done.status == 2
        assert f"{option.split()[0]} belongs to the benchmarks" in done.error

    def test_a_file_of_another_name(self, fspielm: Any, string: str) -> None:
        Path(string).rename("string.txt")
        assert fspielm("solve", "string.txt").status == 0

    @pytest.mark.parametrize("command", ["solve", "check"])
    def test_no_such_file(self, fspielm: Any, command: str) -> None:
        done = fspielm(command, "no.toml")
        assert done.status == 2
        assert done.error == "no.toml: no such file"

    @pytest.mark.parametrize("name", ["string.tml", "sting.toml", "string", "./string.tml"])
    def test_a_name_mistyped(self, fspielm: Any, string: str, name: str) -> None:
        done = fspielm("solve", name)
        assert done.status == 2
        assert done.error == f"{name.removeprefix('./')}: no such file; did you mean 'string.toml'?"

    @pytest.mark.parametrize("command", ["solve", "check"])
    def test_a_mistake_is_shown_where_it_is(self, fspielm: Any, string: str, command: str) -> None:
        change(string, "k**2*u", "kk**2*u")
        done = fspielm(command, string)
        assert (done.status, done.out) == (2, "")
        assert done.err.splitlines() == [
            "fspielm: error: string.toml, line 3, column 24: equation: unknown name 'kk'; did you mean k?",
            '    equation = "dx(u, 2) + kk**2*u = 0"',
            "                           ^",
        ]

    def test_a_benchmark_from_its_file_is_the_benchmark(
        self, fspielm: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        assert fspielm("new", "poisson.toml", "--case", "poisson-1d").status == 0
        by_file = json.loads(fspielm("solve", "poisson.toml", "--json").out)
        by_case = json.loads(fspielm("solve", "poisson-1d", "--json").out)
        for name in ("relative_error", "error_estimate", "neurons", "rows", "coefficient_norm", "residuals"):
            assert by_file[name] == by_case[name]


class TestCheck:
    def test_prints_what_was_understood(self, fspielm: Any, string: str) -> None:
        done = fspielm("check", string)
        assert (done.status, done.err) == (0, "")
        assert fits(done.out)
        text = " ".join(done.out.split())
        for fact in (
            "string.toml: A vibrating string",
            "unknown u(x)",
            "parameter k 10",
            "domain Interval(0.0, 1.0)",
            "tolerance 1e-09",
            "reference cos(10*x)",
            "x- dirichlet: cos(k*x)",
            "x+ dirichlet: cos(k*x)",
            "Complete: order 2, constant coefficients. Next: fspielm solve string.toml",
        ):
            assert fact in text

    def test_a_nonlinear_problem(self, fspielm: Any, string: str) -> None:
        path = Path(string)
        path.write_text(path.read_text().replace('equation = "', 'equation = "u**3 + '))
        done = fspielm("check", path)
        assert "Complete: order 2, nonlinear." in " ".join(done.out.split())

    def test_a_long_equation_is_shown_in_the_notation(self, fspielm: Any, tmp_path: Path) -> None:
        path = tmp_path / "wave.toml"
        fspielm("new", path, "--case", "wave-1d")
        done = fspielm("check", path)
        assert fits("\n".join(line for line in done.out.splitlines() if str(path) not in line))
        assert "dt(u, 2) - dx(u, 2) = 4*pi**2*(7*t + 1)**2" in done.out
        text = " ".join(done.out.split())
        assert "u(x, t), t is time" in text
        assert "t = 0 initial: sin(2*pi*x) initial: 14*pi*x*cos(2*pi*x), order 1" in text

    def test_what_is_missing(self, fspielm: Any, string: str) -> None:
        change(string, 'value = "cos(k*x)"', 'value = "cos(k*x)"\non = "x-"')
        done = fspielm("check", string)
        assert done.status == 2
        assert "x+     none" in done.out
        assert "takes 2 of them; got 1 (dirichlet x-)" in done.err

    def test_a_part_that_does_not_exist(self, fspielm: Any, string: str) -> None:
        change(string, 'value = "cos(k*x)"', 'value = "cos(k*x)"\non = "y-"')
        done = fspielm("check", string)
        assert done.status == 2
        assert "x-     none" in done.out
        assert "the boundary has no part 'y-'" in done.err

    def test_conditions_on_pieces(self, fspielm: Any, string: str) -> None:
        change(string, 'value = "cos(k*x)"', 'value = "cos(k*x)"\nwhere = "x < 2*k"')
        assert "dirichlet: cos(k*x), where x < 2*k" in " ".join(fspielm("check", string).out.split())

    def test_the_outputs_are_named(self, fspielm: Any, string: str) -> None:
        change(string, "[reference]", '[output]\nplot = "a.png"\n[reference]')
        assert "plot a.png" in " ".join(fspielm("check", string).out.split())

    def test_latex(self, fspielm: Any, tmp_path: Path) -> None:
        fspielm("new", tmp_path / "a.toml")
        assert fspielm("check", tmp_path / "a.toml", "--latex").out.splitlines()[-7:] == [
            r"\begin{align}",
            r"  - k^{2} u - \frac{\partial^{2} u}{\partial x^{2}} - \frac{\partial^{2} u}{\partial y^{2}} &= "
            r"50 e^{- 40 \left(x - 0.7\right)^{2} - 40 \left(y - 0.4\right)^{2}} && "
            r"x \in \left(0, 1.3\right) , y \in \left(0, 0.75\right) \\",
            r"  u &= 0 && \text{ on x-, x+, y- } \\",
            r"  \partial_n u &= \sin{\left(0.769230769230769 \pi x \right)} && \text{ on y+ } \\",
            r"  waves &= 4 \\",
            r"  k &= 8 \pi",
            r"\end{align}",
        ]

    def test_latex_of_times_and_pieces(self, fspielm: Any, tmp_path: Path) -> None:
        path = tmp_path / "wave.toml"
        fspielm("new", path, "--case", "wave-1d")
        change(str(path), 'on = "x-"', 'where = "x < 1/2"')
        text = fspielm("check", path, "--latex").out
        assert r"\frac{\partial u}{\partial t} &= 14 \pi x \cos{\left(2 \pi x \right)}" in text
        assert r"&& \text{ at } t = 0 \\" in text
        assert r"&& \text{ where } x < \frac{1}{2} \\" in text

    def test_latex_of_every_condition(self, fspielm: Any, tmp_path: Path) -> None:
        path = tmp_path / "a.toml"
        path.write_text(
            """
unknown = "u(x, y)"
equation = "laplacian(u)"
domain = { shape = "Box", lower = [0, 0], upper = [1, 1] }
conditions = [
    { type = "periodic", faces = "x" },
    { type = "robin", alpha = 1, beta = "x", value = 2, on = "y-" },
    { type = "symmetry", on = "y+" },
    { type = "condition", equation = "dx(u) = 1", at = [[0.5, 0.5]] },
    { type = "measured", points = [[0.25, 0.5]], values = [1] },
    { type = "measured", points = [[0.25, 0.5]], values = "y" },
]
""",
            encoding="utf-8",
        )
        assert fspielm("check", path, "--latex").out.splitlines()[2:-1] == [
            r"  & \text{ periodic } && \text{ in x } \\",
            r"  x \partial_n u + u &= 2 && \text{ on y- } \\",
            r"  \partial_n u &= 0 && \text{ by symmetry } \text{ on y+ } \\",
            r"  \frac{\partial u}{\partial x} &= 1 && \text{ at 1 point } \\",
            r"  & u && \text{ measured at 1 point } \\",
            r"  u &= y && \text{ measured at 1 point }",
        ]
        text = " ".join(fspielm("check", path).out.split())
        assert "x- periodic: faces x" in text
        assert "y- robin: 2, alpha 1, beta x" in text
        assert "inside condition: dx(u) = 1, at [[0.5, 0.5]] measured: points [[0.25, 0.5]]" in text

    def test_latex_of_an_expression(self, fspielm: Any, string: str) -> None:
        change(string, "k**2*u = 0", "k**2*u")
        assert r" &= 0 && x \in \left(" in fspielm("check", string, "--latex").out

    def test_latex_of_what_is_incomplete(self, fspielm: Any, string: str) -> None:
        change(string, 'value = "cos(k*x)"', 'value = "cos(k*x)"\non = "x-"')
        done = fspielm("check", string, "--latex")
        assert done.status == 2
        assert r"\text{ on x- }" in done.out
        assert "takes 2 of them; got 1 (dirichlet x-)" in done.err

    def test_latex_of_a_domain_of_another_dimension(self, fspielm: Any, tmp_path: Path) -> None:
        path = tmp_path / "a.toml"
        domain = '[domain]\nshape = "Disk"\nradius = 1\ncenter = [0, 0]\n'
        path.write_text(f'unknown = "u(x)"\nequation = "dx(u) = 0"\nconditions = []\n{domain}', encoding="utf-8")
        done = fspielm("check", path, "--latex")
        assert done.status == 2
        assert done.out == ""
        assert "give the unknown one argument for each coordinate of the domain" in done.err


class TestNew:
    def test_an_example_that_is_complete(self, fspielm: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        done = fspielm("new")
        assert done.out == ("Wrote problem.toml. Next: fspielm check problem.toml; fspielm solve problem.toml\n")
        assert done.status == 0
        assert fits(done.out)
        checked = fspielm("check", "problem.toml")
        assert checked.status == 0
        assert fits(checked.out)

    def test_nothing_is_replaced_without_force(self, fspielm: Any, string: str) -> None:
        done = fspielm("new", string)
        assert done.status == 2
        assert done.error == "string.toml exists; choose another name, or add --force to replace it"
        assert Path(string).read_text(encoding="utf-8") == STRING
        assert fspielm("new", string, "--force").status == 0
        assert Path(string).read_text(encoding="utf-8") != STRING

    def test_nor_what_appears_meanwhile(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = tmp_path / "a.toml"
        monkeypatch.setattr(new, "check_place", lambda path: path.write_text("another's", encoding="utf-8"))
        with pytest.raises(fs.ProblemError, match=r"a\.toml exists"):
            new.write_example("ours", path, force=False)
        assert path.read_text(encoding="utf-8") == "another's"

    def test_nothing_remains_of_what_cannot_be_written(self, tmp_path: Path) -> None:
        with pytest.raises(UnicodeEncodeError, match="surrogates not allowed"):
            new.write_example("\ud800", tmp_path / "a.toml", force=False)
        assert list(tmp_path.iterdir()) == []
        with pytest.raises(fs.ProblemError, match="its folder does not exist"):
            new.write_example("text", tmp_path / "no" / "a.toml", force=False)

    @pytest.mark.parametrize("name", fs.cases.names())
    def test_every_benchmark(self, fspielm: Any, tmp_path: Path, name: str) -> None:
        path = tmp_path / "case.toml"
        assert fspielm("new", path, "--case", name).status == 0
        assert fspielm("check", path).status == 0
        file = fs.read_problem_file(path)
        assert (file.title, file.rng) == (fs.cases.load(name).title, 0)

    def test_an_unknown_benchmark(self, fspielm: Any, tmp_path: Path) -> None:
        done = fspielm("new", tmp_path / "a.toml", "--case", "haet")
        assert done.status == 2
        assert done.error == "unknown case 'haet'; did you mean heat?"

    def test_a_folder_that_does_not_exist(self, fspielm: Any, tmp_path: Path) -> None:
        done = fspielm("new", tmp_path / "no" / "a.toml")
        assert done.status == 2
        assert done.error.endswith("a.toml': its folder does not exist")


def test_check_keeps_what_is_right_of_a_list_of_parts(fspielm: Any, tmp_path: Path) -> None:
    file = tmp_path / "problem.toml"
    file.write_text(
        'unknown = "u(x, y)"\nequation = "laplacian(u) = 0"\n'
        '[domain]\nshape = "Box"\nlower = [0, 0]\nupper = [1, 1]\n'
        '[[conditions]]\ntype = "dirichlet"\nvalue = "x"\non = ["x-", "x+", "y-", "z-"]\n',
        encoding="utf-8",
    )
    done = fspielm("check", str(file))
    assert done.status != 0
    assert done.out.count("dirichlet: x") == 3
    assert "no part 'z-'" in done.err


def test_check_says_which_coordinates_do_not_fit(fspielm: Any, tmp_path: Path) -> None:
    file = tmp_path / "problem.toml"
    file.write_text(
        'unknown = "u(x, y, z)"\nequation = "laplacian(u) = 0"\n'
        '[domain]\nshape = "Disk"\ncenter = [0, 0]\nradius = 1\n'
        '[[conditions]]\ntype = "dirichlet"\nvalue = 0\n',
        encoding="utf-8",
    )
    done = fspielm("check", str(file))
    assert done.status != 0
    assert "has 3 coordinates" in " ".join(done.err.split())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
@pytest.mark.parametrize("command", ["solve {}", "check {}", "show {}", "study run {}", "study status {}"])
def test_nobody_waits_for_a_pipe(fspielm: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    done = fspielm(*command.format("pipe").split())
    assert done.status == 2
    assert "is a pipe" in done.error


def test_a_new_file_on_a_full_disk_leaves_nothing(
    fspielm: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: Any, **options: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Path, "write_text", full)
    assert fspielm("new", "a.toml").error == "cannot write 'a.toml': no space left on the disk"
    assert fspielm("study", "new", "a.toml").error == "cannot write 'a.toml': no space left on the disk"
    assert list(tmp_path.iterdir()) == []
