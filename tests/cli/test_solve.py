"""``fspielm solve``: what it prints, and what it refuses."""

from __future__ import annotations

import json
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fspielm as fs
from fspielm import resources as blas
from fspielm.cli import report, solve
from fspielm.cli import report as outputs
from fspielm.cli.options import Options, file_settings, read_options
from fspielm.cli.output import finite
from fspielm.cli.progress import show_rounds
from fspielm.paper.demo import CaseRun, run_case
from fspielm.solution import Round

REQUIRED = {
    *("case", "method", "neurons", "rows", "relative_error", "seconds", "residuals", "rank"),
    *("coefficient_norm", "rng", "mu", "least_squares", "scaling", "space_time_error", "paper"),
    *("error_estimate", "max_error_estimate", "tol", "converged", "reason", "bands", "rounds"),
}


def strict_json(text: str) -> dict[str, Any]:
    """One JSON object and nothing else; NaN and infinity are no JSON."""

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    content = json.loads(text, parse_constant=refuse)
    assert isinstance(content, dict)
    return content


class TestAutomatic:
    def test_is_the_default(self, fspielm: Any) -> None:
        done = fspielm("solve", "poisson-1d", "--json")
        assert (done.status, done.err) == (0, "")
        content = strict_json(done.out)
        assert content.keys() >= REQUIRED
        chosen = {name: content[name] for name in ("method", "mu", "least_squares", "scaling", "tol", "rng")}
        expected = {"method": "auto", "mu": None, "least_squares": "qr", "scaling": "rms", "tol": 1e-8, "rng": 0}
        assert chosen == expected
        assert content["converged"] is True
        assert content["relative_error"] <= content["error_estimate"] <= 1e-8
        assert content["max_error_estimate"] > 0
        assert "meets the tolerance" in content["reason"]
        assert content["bands"]["x"]["frequency"] == pytest.approx(75 * np.pi, rel=0.05)
        assert content["bands"]["x"]["source"] == "right-hand side"
        last = content["rounds"][-1]
        assert (last["neurons"], last["rows"]) == (content["neurons"], content["rows"])
        assert last["error_estimate"] == content["error_estimate"]
        # the same numbers as through the library
        solution = fs.solve(fs.cases.load("poisson-1d").problem, rng=0)
        assert content["neurons"] == solution.report.neurons

    def test_is_compared_with_the_best_method_of_the_paper(self, fspielm: Any) -> None:
        content = strict_json(fspielm("solve", "heat", "--neurons", 40, "--json").out)
        best = fs.cases.load("heat").paper.results["gff"]
        assert content["paper"] == {"method": "gff", "best": best.best, "mean": best.mean, "mu": list(best.mu)}

    def test_the_time_is_that_of_all_rounds(self, fspielm: Any) -> None:
        content = strict_json(fspielm("solve", "poisson-1d", "--json").out)
        assert content["seconds"] == pytest.approx(sum(content["phases"].values()))
        assert content["seconds"] >= sum(done["seconds"] for done in content["rounds"])

    @pytest.mark.parametrize("name", [[], ["--method", "auto"]])
    def test_options(self, fspielm: Any, name: list[str]) -> None:
        options = "--tol 1e-5 --least-squares svd --scaling none --seconds 100 --rng 3 --json"
        content = strict_json(fspielm("solve", "poisson-1d", *name, *options.split()).out)
        assert (content["method"], content["least_squares"], content["scaling"]) == ("auto", "svd", "none")
        assert (content["tol"], content["rng"]) == (1e-5, 3)
        assert content["features"].startswith("Joined(")

    def test_the_kind_of_features(self, fspielm: Any) -> None:
        content = strict_json(fspielm("solve", "poisson-1d", "--approach", "band", "--json").out)
        assert content["features"].startswith("Band(")
        wrong = fspielm("solve", "poisson-1d", "--approach", "bands")
        assert wrong.status != 0
        assert "unknown approach 'bands'" in wrong.err
        paper = fspielm("solve", "poisson-1d", "--approach", "band", "--method", "fs-l")
        assert "--approach belongs to the automatic solver" in paper.err

    def test_neurons_are_a_limit(self, fspielm: Any) -> None:
        content = strict_json(fspielm("solve", "poisson-1d", "--neurons", 1000, "--json").out)
        assert content["neurons"] < 200
        assert content["converged"] is True

    @pytest.mark.parametrize("flags", [[], ["--json"]])
    def test_a_missed_tolerance_is_one_line_and_no_failure(self, fspielm: Any, flags: list[str]) -> None:
        done = fspielm("solve", "wave-1d", "--neurons", 40, *flags)
        assert done.status == 0
        assert done.err.startswith("fspielm: warning: not converged: no digits are reliable")
        assert "the budget of 40 functions ended it" in done.err
        assert done.err.count("\n") == 1
        if flags:
            content = strict_json(done.out)
            assert (content["converged"], content["neurons"]) == (False, 40)
            assert content["reason"] in done.err
        else:
            assert "NOT CONVERGED: no digits are reliable" in " ".join(done.out.split())

    def test_the_warning_does_not_depend_on_the_filters(self, fspielm: Any) -> None:
        for action in ("ignore", "error"):
            with warnings.catch_warnings():
                warnings.simplefilter(action)  # type: ignore[arg-type]
                done = fspielm("solve", "wave-1d", "--neurons", 40, "--json")
            assert done.status == 0
            assert done.err.count("not converged") == 1

    def test_the_report_fits_80_columns_and_names_what_matters(self, fspielm: Any) -> None:
        done = fspielm("solve", "advection-diffusion-pacman", "--neurons", 30)
        assert done.status == 0
        assert max(map(len, done.out.splitlines())) <= 80
        text = " ".join(done.out.split())
        for fact in (
            "error estimate",
            "relative L2, ",
            "verdict NOT CONVERGED: ",
            "method auto",
            "band x",
            "band t",
            "set by",
            "functions cosines, frequencies up to",
            "QR(), row scaling rms",
            "round functions rows estimate time what it changed",
            "band of the equation and its data",
            "held-out residual (rms)",
        ):
            assert fact in text

    @pytest.mark.usefixtures("impatient")
    def test_every_round_is_shown(self, fspielm: Any) -> None:
        done = fspielm("solve", "poisson-1d", "--json")
        content = strict_json(done.out)
        first, *rounds = done.err.splitlines()
        assert first == "solving poisson-1d ..."
        assert rounds[::2] == [
            f"poisson-1d: round {r['number']}, {r['neurons']} functions, estimate {r['error_estimate']:.1e}"
            for r in content["rounds"]
        ]
        for line, r in zip(rounds[1::2], content["rounds"], strict=True):
            sizes = f"  {r['rows']} rows, band {r['widths'][0]:.3g}; at most "
            assert line.startswith(sizes)
            assert line.endswith((" min left", " s left"))

    def test_what_is_shown_of_a_round_fits_80_columns(self) -> None:
        shown: list[str] = []
        widths = (1234.5, 987.65, 0.5, 12.3)
        done = Round(12, "wider", 123456, 1234567, widths, 1.234e-10, 1e3, 12.0)
        show_rounds("advection-diffusion-pacman", shown.append, 600.0)(done)
        show_rounds("heat", shown.append, None)(done)
        # the terminal has a spinner before them and the time behind
        assert max(len(line) for text in shown for line in text.splitlines()) <= 80 - 10
        assert shown[0].startswith("...tion-diffusion-pacman: round 12, 123456 functions, estimate 1.2e-10\n")
        assert shown[1].splitlines()[1] == "  1234567 rows, band 1.23e+03 x 988 x 0.5 x 12.3"

    def test_what_is_expected_of_a_long_round_is_shown_before_it(self) -> None:
        class Forecast:
            def __str__(self) -> str:
                return "round 2: 3600 functions, about 12 s"

        shown: list[str] = []
        show_rounds("heat", shown.append, 600.0)(Forecast())
        assert shown == ["heat: round 2: 3600 functions, about 12 s"]

    def test_a_terminal_shows_the_round(self, fspielm: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("FORCE_COLOR", "1")
        done = fspielm("solve", "poisson-1d", "--json")
        assert done.status == 0
        assert "poisson-1d: round 1, " in done.err
        strict_json(done.out)


class TestJson:
    def test_defaults_of_a_method_are_the_papers(self, fspielm: Any) -> None:
        done = fspielm("solve", "poisson-1d", "--method", "fs-l", "--json")
        assert done.status == 0
        content = strict_json(done.out)
        assert content.keys() >= REQUIRED
        case = fs.cases.load("poisson-1d")
        paper = case.paper.results["fs-l"]
        assert content["mu"] == list(paper.mu)
        assert content["paper"] == {"method": "fs-l", "best": paper.best, "mean": paper.mean, "mu": list(paper.mu)}
        chosen = {name: content[name] for name in ("method", "neurons", "rows", "least_squares", "scaling")}
        expected = {"method": "fs-l", "neurons": 200, "rows": 402, "least_squares": "svd", "scaling": "none"}
        assert chosen == expected
        # the same numbers as through the library
        solution = fs.solve(case.problem, **case.paper.settings("fs-l"), rng=0)
        assert content["relative_error"] == pytest.approx(case.relative_error(solution), rel=0.2)
        assert content["relative_error"] < 1e-8
        assert content["residuals"].keys() == {"equation", "dirichlet x-", "dirichlet x+"}
        assert content["seconds"] == pytest.approx(sum(content["phases"].values()))
        assert content["space_time_error"] is None
        # an estimate would cost a factorisation more
        missing = ("error_estimate", "max_error_estimate", "converged")
        assert [content[name] for name in missing] == [None, None, None]
        assert (content["reason"], content["bands"], content["rounds"]) == ("", {}, [])

    @pytest.mark.parametrize("method", fs.cases.METHODS)
    def test_every_method(self, fspielm: Any, method: str) -> None:
        content = strict_json(fspielm("solve", "poisson-1d", "--method", method, "--json").out)
        assert content["method"] == method
        assert content["paper"]["best"] == fs.cases.load("poisson-1d").paper.results[method].best
        assert (content["relative_error"] > 1e-2) == (method == "tanh")

    def test_every_option(self, fspielm: Any) -> None:
        before = blas.threads()
        options = "--method fs-g --mu 3 90 --neurons 40 --shift space --least-squares qr --scaling rms"
        done = fspielm("solve", "heat", *options.split(), "--rng", 7, "--threads", 1, "--json")
        if before is not None:
            blas.set_threads(before)
        content = strict_json(done.out)
        assert content["features"] == "FrequencyShift(neurons=40, mu=(3.0, 90.0), groups=10, shift='space')"
        assert (content["least_squares"], content["scaling"], content["rng"]) == ("qr", "rms", 7)
        assert content["mu"] == [3.0, 90.0]
        assert content["rank"] == 40
        # QR leaves an estimate at no price
        assert content["error_estimate"] is None  # infinite: no digits are reliable
        assert content["converged"] is False
        assert done.err.startswith("fspielm: warning: not converged: no digits are reliable")

    def test_a_time_slice_has_a_space_time_error_as_well(self, fspielm: Any) -> None:
        options = ("--method", "fs-l", "--neurons", 30, "--least-squares", "qr", "--json")
        content = strict_json(fspielm("solve", "advection-diffusion-pacman", *options).out)
        assert content["space_time_error"] > 0
        assert content["space_time_error"] != content["relative_error"]

    @pytest.mark.parametrize("options", [(), ("--method", "fs-l", "--least-squares", "qr", "--neurons", 60)])
    def test_the_same_seed_gives_the_same_error(self, fspielm: Any, options: tuple[object, ...]) -> None:
        command = ("solve", "poisson-1d", "--json", *options)
        first, again, other = (
            strict_json(fspielm(*command, "--rng", seed).out)["relative_error"] for seed in (3, 3, 4)
        )
        assert first == again != other

    @pytest.mark.parametrize(
        ("size", "expected"),
        [("4096", 4096), ("1e6", 1e6), ("500MB", 5e8), ("1.5 GiB", 1.5 * 2**30), ("2k", 2e3), ("3tib", 3 * 2**40)],
    )
    def test_the_memory_has_a_unit(self, size: str, expected: float) -> None:
        assert file_settings(Options(memory=size), fs.Budget(neurons=7))["budget"] == fs.Budget(
            neurons=7, memory=expected
        )

    def test_what_is_not_finite_is_null(self) -> None:
        case = fs.cases.load("poisson-1d")
        choice = read_options(case, Options(method="fs-l"))
        run = run_case(case, choice.settings, rng=0)
        run = replace(run, relative_error=float("nan"), space_time_error=float("inf"))
        content = finite(report.as_json(run, choice))
        assert content["relative_error"] is None
        assert content["space_time_error"] is None
        strict_json(json.dumps(content, allow_nan=False))


class TestReport:
    def test_fits_80_columns_and_names_what_matters(self, fspielm: Any) -> None:
        options = ("--method", "fs-l", "--neurons", 30, "--least-squares", "qr")
        done = fspielm("solve", "advection-diffusion-pacman", *options)
        assert done.status == 0
        assert max(map(len, done.out.splitlines())) <= 80
        text = " ".join(done.out.split())
        for fact in (
            "advection-diffusion-pacman: Advection-diffusion on a Pacman",
            "at time 0.5",
            "space-time error",
            "best 3.87e-05, mean 1.21e-04",
            "9400 rows x 30 functions, rank 30",
            "QR(), row scaling none",
            "dirichlet arc 420",
        ):
            assert fact in text

    def test_a_case_without_time_slice_has_one_error(self, fspielm: Any) -> None:
        assert "space-time" not in fspielm("solve", "poisson-1d").out

    def test_a_method_of_the_paper_has_no_rounds(self, fspielm: Any) -> None:
        text = fspielm("solve", "poisson-1d", "--method", "fs-l").out
        assert not any(word in text for word in ("error estimate", "verdict", "band", "held-out"))
        assert "method             fs-l" in text


class TestPlot:
    @pytest.mark.parametrize("flags", [[], ["--json"]])
    def test_writes_one_file(self, fspielm: Any, tmp_path: Path, flags: list[str]) -> None:
        picture = tmp_path / "poisson.png"
        done = fspielm("solve", "poisson-1d", "--plot", picture, *flags)
        assert done.status == 0
        assert [path.name for path in tmp_path.iterdir()] == ["poisson.png"]
        assert picture.read_bytes().startswith(b"\x89PNG")
        if flags:
            strict_json(done.out)
        else:
            assert done.out.endswith(f"Picture: {picture}\n")

    @pytest.fixture
    def no_solve(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*args: Any, **kwargs: Any) -> None:
            raise AssertionError("solved before the picture's path was checked")

        monkeypatch.setattr(solve, "run_case", refuse)

    @pytest.mark.usefixtures("no_solve")
    @pytest.mark.parametrize(
        ("name", "message"),
        [
            ("a.xyz", "must end in .png, .pdf, .svg, .jpg; got 'a.xyz'"),
            ("a", "must end in"),
            ("missing/a.png", "No such file or directory"),
            ("file/a.png", "Not a directory"),
            ("folder.png", "it is a folder"),
        ],
    )
    def test_an_impossible_file_is_refused_first(self, fspielm: Any, tmp_path: Path, name: str, message: str) -> None:
        (tmp_path / "file").touch()
        (tmp_path / "folder.png").mkdir()
        done = fspielm("solve", "poisson-1d", "--plot", tmp_path / name)
        assert done.status == 2
        assert message in done.error

    @pytest.mark.usefixtures("no_solve")
    def test_without_matplotlib_the_remedy_is_named(
        self, fspielm: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("fspielm.geometry.pictures.find_spec", lambda name: None)
        done = fspielm("solve", "poisson-1d", "--plot", tmp_path / "a.png")
        assert done.status == 2
        assert 'pip install "fspielm[plot]"' in done.error


@pytest.mark.usefixtures("impatient")
def test_what_takes_long_says_so(fspielm: Any) -> None:
    done = fspielm("solve", "poisson-1d", "--method", "fs-l", "--json")
    assert done.err == "solving poisson-1d with 200 functions ...\n"
    strict_json(done.out)


class TestWrongInput:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ("pacman", "unknown case 'pacman'; did you mean advection-diffusion-pacman?"),
            ("helmholz-2d", "did you mean helmholtz-2d"),
            ("helmholtz", "did you mean helmholtz-2d or helmholtz-panda?"),
            ("Heat", "did you mean heat?"),
            ("zzz", "choose from helmholtz-2d, wave-1d, poisson-1d"),
            ("heat --method fsl", "unknown method 'fsl'; did you mean fs-l"),
            ("heat --method fourier", "choose from tanh, siren, gff, fs-l, fs-g"),
            ("heat --method fs-l --mu 10 5", "mu must be (smallest, largest)"),
            ("heat --method fs-l --mu -1 5", "got (-1.0, 5.0)"),
            ("heat --method fs-l --mu nan 5", "mu must be"),
            ("heat --mu 1", "--mu"),
            ("heat --mu low high", "--mu"),
            ("heat --neurons 0", "neurons must be at least 1; got 0"),
            ("heat --neurons many", "--neurons"),
            ("heat --method fs-g --neurons 5", "groups must not exceed neurons"),
            ("heat --least-squares lu", "unknown least-squares method 'lu'; choose from svd, qr"),
            ("heat --scaling max", "unknown scaling 'max'; choose from none, rms"),
            ("heat --method fs-l --least-squares lu", "unknown least-squares method 'lu'; choose from svd, qr"),
            ("heat --method fs-l --scaling max", "unknown scaling 'max'; choose from none, rms"),
            ("heat --mu 5 10", "--mu belongs to the paper's methods; add --method"),
            ("heat --shift space", "--shift belongs to the paper's methods; add --method"),
            ("heat --method auto --mu 5 10", "--mu belongs to the paper's methods; add --method"),
            ("heat --method gff --tol 1e-6", "--tol belongs to the automatic solver"),
            ("heat --method gff --seconds 5", "--seconds belongs to the automatic solver"),
            ("heat --method fs-l --neurons 0", "neurons must be at least 1; got 0"),
            ("heat --tol 0", "tol must be a number from 1e-15 to 1; got 0.0"),
            ("heat --tol nan", "tol must be a number"),
            ("heat --tol small", "--tol"),
            ("heat --seconds 0", "seconds must be a positive number; got 0.0"),
            ("heat --seconds nan", "seconds must be a positive number"),
            ("heat --memory 0MB", 'memory must be a positive number of bytes, or a size such as "4GB"; got 0.0'),
            ("heat --memory much", "--memory must be a number of bytes, or one such as 500MB or 4GiB; got 'much'"),
            ("heat --memory 1.2.3GB", "--memory must be a number of bytes"),
            ("heat --method fs-l --shift time", "unknown shift 'time'"),
            ("heat --method tanh --shift space", "--shift goes with the methods fs-l and fs-g"),
            ("poisson-1d --method fs-l --shift space", "needs a domain with time"),
            ("heat --rng -1", "--rng"),
            ("heat --seed 7", "--seed is called --rng now, as the argument of fs.solve is"),
            ("heat --threads 0", "threads"),
            ("heat --bogus", "--bogus"),
            ("heat extra", "extra"),
            ("", "CASE"),
        ],
    )
    def test_is_one_line_and_status_2(self, fspielm: Any, arguments: str, message: str) -> None:
        done = fspielm("solve", *arguments.split())
        assert done.status == 2
        assert message in done.error

    def test_an_unknown_command(self, fspielm: Any) -> None:
        done = fspielm("slove")
        assert done.status == 2
        assert "slove" in done.error


def test_a_warning_is_one_line(fspielm: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def warn(*args: Any, **kwargs: Any) -> CaseRun:
        warnings.warn("mind\nthe gap", UserWarning, stacklevel=1)
        return run_case(*args, **kwargs)

    monkeypatch.setattr(solve, "run_case", warn)
    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        done = fspielm("solve", "poisson-1d", "--json")
    assert done.status == 0
    assert done.err == "fspielm: warning: mind the gap\n"
    strict_json(done.out)


class TestFailure:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ("heat --method fs-l --neurons 50000000", "above the budget"),
            ("heat --method fs-l --memory 2MB", "above the budget of 1.9 MiB"),
            ("poisson-1d --method fs-l --neurons 1000 --least-squares qr", "QR needs at least as many rows as"),
        ],
    )
    def test_is_one_line_and_status_1(self, fspielm: Any, arguments: str, message: str) -> None:
        done = fspielm("solve", *arguments.split())
        assert done.status == 1
        assert message in done.error

    def test_a_full_disk(self, fspielm: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def full(figure: Any, path: Path) -> None:
            raise OSError(28, "No space left on device", str(path))

        monkeypatch.setattr(outputs, "save_picture", full)
        done = fspielm("solve", "poisson-1d", "--plot", tmp_path / "a.png")
        assert done.status == 1
        assert "relative error" in done.out
        assert done.err == f"fspielm: error: {tmp_path / 'a.png'}: No space left on device\n"

    def test_a_bug_keeps_its_traceback(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from fspielm.cli import main

        def fail(*args: Any, **kwargs: Any) -> None:
            raise KeyError("a bug")

        monkeypatch.setattr(solve, "run_case", fail)
        with pytest.raises(KeyError, match="a bug"):
            main(["solve", "poisson-1d"])
