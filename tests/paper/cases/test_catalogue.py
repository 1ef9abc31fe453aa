"""The catalogue of benchmarks, and the paper's settings and results as data."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError
from importlib.resources import files
from typing import Any

import pytest

import fspielm as fs
from fspielm.paper.cases import METHODS, Case, check_method

NAMES = [
    "helmholtz-2d",
    "wave-1d",
    "poisson-1d",
    "klein-gordon",
    "heat",
    "advection-diffusion-pacman",
    "helmholtz-panda",
]
DOMAINS = {
    "helmholtz-2d": fs.Box((0, 0), (1, 1)),
    "wave-1d": fs.Interval(0, 1) * fs.Time(0, 1),
    "poisson-1d": fs.Interval(0, 1),
    "klein-gordon": fs.Interval(0, 1) * fs.Time(0, 1),
    "heat": fs.Interval(-1, 1) * fs.Time(0, 1),
    "advection-diffusion-pacman": fs.Pacman((0.5, 0.5), 0.4) * fs.Time(0, 1),
    "helmholtz-panda": fs.Panda(0.25),
}
# neurons, rows in the order: interior, boundary (per part, or total), initial; from the paper's text
SIZES: dict[str, tuple[int, fs.Points]] = {
    "helmholtz-2d": (5000, fs.Points(8000, boundary=400)),
    "wave-1d": (5000, fs.Points(8000, boundary=400, initial=400)),
    "poisson-1d": (200, fs.Points(400, boundary_total=2)),
    "klein-gordon": (5000, fs.Points(8000, boundary=400, initial=400)),
    "heat": (1200, fs.Points(8000, boundary=400, initial=1000)),
    "advection-diffusion-pacman": (5000, fs.Points(8000, boundary_total=600, initial=800)),
    "helmholtz-panda": (5000, fs.Points(10_000, boundary_total=600)),
}
ROWS = {
    "helmholtz-2d": 9600,
    "wave-1d": 9600,
    "poisson-1d": 402,
    "klein-gordon": 9600,
    "heat": 9800,
    "advection-diffusion-pacman": 9400,
    "helmholtz-panda": 10_600,
}
MU = {
    "helmholtz-2d": ((5, 10, 15, 20, 25, 30), (80, 100, 120, 140, 160, 180)),
    "wave-1d": ((1, 4, 7, 10, 13, 16), (60, 70, 80, 90, 100, 110)),
    "poisson-1d": ((1, 5, 10, 15, 20, 25), (200, 250, 300, 350, 400, 450)),
    "klein-gordon": ((1, 5, 10, 15, 20, 25), (50, 60, 70, 80, 90, 100)),
    "heat": ((5, 10, 15, 20, 25, 30), (50, 60, 70, 80, 90, 100)),
    "advection-diffusion-pacman": ((1, 4, 7, 10, 13, 16), (35, 45, 55, 65, 75, 85)),
    "helmholtz-panda": ((1, 4, 7, 10, 13, 16), (80, 90, 100, 110, 120, 130)),
}
# case, method: best range, best and mean error, read off the paper's tables
TABLES: dict[tuple[str, str], tuple[tuple[float, float], float, float]] = {
    ("helmholtz-2d", "tanh"): ((5, 80), 1.81e4, 9.77e4),
    ("helmholtz-2d", "siren"): ((30, 120), 5.13e-5, 4.07e-4),
    ("helmholtz-2d", "fs-l"): ((30, 140), 1.37e-8, 1.05e-7),
    ("helmholtz-2d", "fs-g"): ((5, 120), 1.07e-7, 4.14e-6),
    ("wave-1d", "gff"): ((16, 100), 2.76e-6, 5.04e-6),
    ("wave-1d", "fs-l"): ((16, 110), 2.00e-8, 9.36e-8),
    ("poisson-1d", "tanh"): ((15, 200), 8.36e4, 3.30e7),
    ("poisson-1d", "fs-l"): ((5, 250), 8.22e-12, 2.25e-11),
    ("poisson-1d", "fs-g"): ((15, 300), 5.88e-10, 1.50e-8),
    ("klein-gordon", "siren"): ((20, 100), 1.78e-7, 4.13e-7),
    ("klein-gordon", "fs-l"): ((10, 100), 4.95e-9, 2.92e-8),
    ("heat", "gff"): ((30, 70), 1.41e-9, 7.40e-9),
    ("heat", "fs-l"): ((5, 80), 5.56e-9, 2.47e-8),
    ("advection-diffusion-pacman", "fs-l"): ((16, 45), 3.87e-5, 1.21e-4),
    ("helmholtz-panda", "gff"): ((16, 70), 2.27e-3, 2.67e-2),
    ("helmholtz-panda", "fs-l"): ((10, 90), 6.15e-8, 1.76e-6),
}


# --- the catalogue ------------------------------------------------------------------------------


def test_names_are_those_of_the_paper_in_its_order() -> None:
    assert fs.cases.names() == NAMES


def test_names_can_be_changed_without_harm() -> None:
    fs.cases.names().clear()
    assert fs.cases.names() == NAMES


def test_a_case_knows_its_name_and_says_what_it_is(case: Case) -> None:
    assert case.name in NAMES
    assert case.title
    assert len(case.title) < 80
    with pytest.raises(FrozenInstanceError):
        case.name = "other"  # type: ignore[misc]


def test_domains_are_those_of_the_paper(case: Case) -> None:
    assert repr(case.problem.domain) == repr(DOMAINS[case.name])


def test_loading_builds_a_new_case() -> None:
    assert fs.cases.load("poisson-1d") is not fs.cases.load("poisson-1d")


@pytest.mark.parametrize(
    ("name", "near"), [("helmholtz2d", "helmholtz-2d"), ("Heat", "heat"), ("klein-gordan", "klein-gordon")]
)
def test_refuses_an_unknown_name_with_the_nearest(name: str, near: str) -> None:
    with pytest.raises(fs.ProblemError, match=rf"{name!r}.*{', '.join(NAMES)}.*did you mean {near!r}"):
        fs.cases.load(name)


def test_refuses_a_name_that_is_like_none() -> None:
    with pytest.raises(fs.ProblemError, match=r"'burgers'.*helmholtz-panda$"):
        fs.cases.load("burgers")


def test_the_pandas_radius_can_be_chosen() -> None:
    small, large = fs.cases.load("helmholtz-panda"), fs.cases.load("helmholtz-panda", radius=1.0)
    assert large.problem.domain.measure == pytest.approx(16 * small.problem.domain.measure)
    assert large.exact == small.exact


@pytest.mark.parametrize("name", ["wave-1d", "klein-gordon", "poisson-1d", "heat", "advection-diffusion-pacman"])
def test_where_the_paper_is_open_a_note_tells_what_was_done(name: str) -> None:
    assert len(fs.cases.load(name).notes) > 50


# --- the paper's data ---------------------------------------------------------------------------


def test_neurons_and_points_are_the_papers(case: Case) -> None:
    neurons, points = SIZES[case.name]
    assert case.paper.neurons == neurons
    assert case.paper.points == points
    if case.name in ("wave-1d", "klein-gordon"):  # two initial conditions, 400 points each
        assert sum(points.counts(case.problem).values()) == 8000 + 2 * 400 + 2 * 400
    else:
        assert sum(points.counts(case.problem).values()) == ROWS[case.name]


def test_frequency_grids_are_the_papers(case: Case) -> None:
    assert (case.paper.mu_min, case.paper.mu_max) == MU[case.name]


@pytest.mark.parametrize(("name", "method"), TABLES)
def test_results_are_the_papers(name: str, method: str) -> None:
    result = fs.cases.load(name).paper.results[method]
    assert (result.mu, result.best, result.mean) == TABLES[name, method]


def test_every_method_has_its_result(case: Case) -> None:
    assert tuple(case.paper.results) == METHODS
    for result in case.paper.results.values():
        assert result.best <= result.mean
        assert result.std > 0
        assert result.seconds > 0


def test_best_ranges_lie_on_the_grid(case: Case) -> None:
    for result in case.paper.results.values():
        assert result.mu[0] in case.paper.mu_min
        if case.name != "helmholtz-panda":  # whose table contradicts its text
            assert result.mu[1] in case.paper.mu_max


def test_the_data_agree_with_the_file(case: Case) -> None:
    data = json.loads(files("fspielm.paper.cases").joinpath("paper.json").read_text(encoding="utf-8"))
    assert list(data["cases"]) == NAMES
    entry = data["cases"][case.name]
    assert case.paper.neurons == entry["neurons"]
    assert case.paper.points.interior == entry["interior"]
    assert case.paper.groups == data["groups_for_fs_g"] == 10
    assert case.paper.svd_tolerance == data["svd_tolerance"] == 1e-12
    for method, result in entry["results"].items():
        ours = case.paper.results[method]
        assert (*ours.mu, ours.best, ours.mean, ours.std, ours.seconds) == tuple(result.values())


# --- settings -----------------------------------------------------------------------------------


def test_methods_make_their_features(case: Case) -> None:
    M = case.paper.neurons
    mu = {method: result.mu for method, result in case.paper.results.items()}
    assert [case.paper.features(method) for method in METHODS] == [
        fs.Tanh(M, mu["tanh"]),
        fs.Siren(M, mu["siren"]),
        fs.GFF(M, mu["gff"]),
        fs.FrequencyShift(M, mu["fs-l"]),
        fs.FrequencyShift(M, mu["fs-g"], groups=10),
    ]


def test_features_take_another_range_and_size() -> None:
    paper = fs.cases.load("poisson-1d").paper
    assert paper.features("fs-g", mu=(1, 2), neurons=30) == fs.FrequencyShift(30, (1, 2), groups=10)


@pytest.mark.parametrize("wrong", [{"neurons": 0}, {"mu": (0, -1)}, {"mu": ()}, {"mu": (9, 1)}])
def test_features_refuse_wrong_values_instead_of_the_papers(wrong: dict[str, Any]) -> None:
    with pytest.raises(fs.ProblemError, match=next(iter(wrong))):
        fs.cases.load("poisson-1d").paper.features("fs-l", **wrong)


def test_settings_are_what_solve_takes(case: Case) -> None:
    settings = case.paper.settings("fs-l")
    assert settings == {
        "features": case.paper.features("fs-l"),
        "points": case.paper.points,
        "least_squares": fs.TruncatedSVD(1e-12),
        "scaling": "none",
    }


@pytest.mark.parametrize("method", ["fs", "sirene", "elm"])
def test_refuses_an_unknown_method_by_name(method: str) -> None:
    with pytest.raises(fs.ProblemError, match=rf"method.*tanh, siren.*got {method!r}"):
        fs.cases.load("heat").paper.features(method)


def test_names_the_nearest_method() -> None:
    with pytest.raises(fs.ProblemError, match=r"'sirens'.*did you mean 'siren'"):
        check_method("sirens")
