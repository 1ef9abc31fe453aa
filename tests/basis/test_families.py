"""How the frequencies are drawn: the paper's laws, step by step and as statistics."""

from __future__ import annotations

import math
from dataclasses import FrozenInstanceError, dataclass
from typing import Any

import mpmath as mp
import numpy as np
import pytest
import sympy as sp
from scipy import stats

import fspielm as fs
from fspielm import ProblemError
from fspielm.basis import COSINE, SINE, TANH, Family, RidgeBasis, Siren
from fspielm.basis.random.families import GFF, FrequencyShift, Tanh, magnitudes

MANY = 40_000
SCALING = {"tanh": (Tanh, TANH), "siren": (Siren, SINE), "gff": (GFF, COSINE)}
each_scaling = pytest.mark.parametrize("name", SCALING)
each_dimension = pytest.mark.parametrize("d", [1, 2, 3, 4])


def draw(family: Family, d: int, seed: int = 0, time_axis: int | None = None) -> RidgeBasis:
    basis = family.draw(d, np.random.default_rng(seed), time_axis=time_axis)
    assert isinstance(basis, RidgeBasis)
    return basis


def plausible(sample: np.ndarray, law: Any) -> bool:
    """Kolmogorov-Smirnov at a level that a right law misses once in a thousand (the seed is fixed)."""
    return bool(stats.kstest(sample, law.cdf).pvalue > 1e-3)


# --- draw order: anyone with the seed can redo it by hand ---------------------------------------


@each_scaling
@each_dimension
def test_scaling_families_draw_weights_then_biases(name: str, d: int) -> None:
    family, activation = SCALING[name]
    basis = draw(family(23, mu=(3, 30)), d, seed=5)
    rng = np.random.default_rng(5)
    weights = rng.standard_normal((23, d))
    biases = rng.standard_normal(23)
    delta = np.linspace(3, 30, 23)
    assert np.array_equal(basis.W, delta[:, None] * weights)
    assert np.array_equal(basis.b, delta * biases)
    assert basis.activation is activation


@each_dimension
@pytest.mark.parametrize("groups", [None, 1, 4, 23])
def test_frequency_shift_draws_directions_then_perturbations_then_phases(d: int, groups: int | None) -> None:
    basis = draw(FrequencyShift(23, mu=(3, 30), groups=groups), d, seed=5)
    rng = np.random.default_rng(5)
    directions = rng.standard_normal((23, d))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    perturbations = rng.standard_normal((23, d))
    phases = rng.uniform(0, 2 * np.pi, 23)
    assert np.array_equal(basis.W, magnitudes(23, (3, 30), groups)[:, None] * directions + perturbations)
    assert np.array_equal(basis.b, phases)
    assert basis.activation is COSINE


@pytest.mark.parametrize("d", [2, 3, 4])
def test_space_shift_leaves_the_time_part_to_the_perturbation(d: int) -> None:
    basis = draw(FrequencyShift(23, mu=(30, 90), shift="space"), d, seed=5, time_axis=d - 1)
    rng = np.random.default_rng(5)
    directions = rng.standard_normal((23, d))[:, :-1]
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    perturbations = rng.standard_normal((23, d))
    assert np.array_equal(basis.W[:, -1], perturbations[:, -1])
    shifts = basis.W[:, :-1] - perturbations[:, :-1]
    assert np.allclose(np.linalg.norm(shifts, axis=1), np.linspace(30, 90, 23), rtol=1e-14)
    assert np.allclose(shifts, np.linspace(30, 90, 23)[:, None] * directions, rtol=1e-12)


def test_time_axis_changes_nothing_unless_asked_for() -> None:
    family = FrequencyShift(9, mu=(1, 9))
    assert np.array_equal(draw(family, 2).W, draw(family, 2, time_axis=1).W)
    assert np.array_equal(draw(Siren(9, (1, 9)), 2).W, draw(Siren(9, (1, 9)), 2, time_axis=1).W)


# --- statistics ---------------------------------------------------------------------------------


@each_scaling
@each_dimension
def test_scaling_weights_and_biases_are_normal_times_delta(name: str, d: int) -> None:
    family, _ = SCALING[name]
    basis = draw(family(MANY, mu=(7, 7)), d, seed=d)
    for sample in [*basis.W.T, basis.b]:
        assert plausible(sample, stats.norm(scale=7))
    # Theorem: E|w| = delta c_d, Var|w| = delta^2 (d - c_d^2)
    c = math.sqrt(2) * math.gamma((d + 1) / 2) / math.gamma(d / 2)
    norms = np.linalg.norm(basis.W, axis=1)
    assert abs(norms.mean() - 7 * c) < 5 * 7 * math.sqrt((d - c**2) / MANY)
    assert norms.var() == pytest.approx(49 * (d - c**2), rel=0.05)


@each_dimension
@pytest.mark.parametrize("mu", [0.0, 1.0, 12.0, 140.0])
def test_shifted_frequencies_have_noncentral_chi_magnitudes(d: int, mu: float) -> None:
    basis = draw(FrequencyShift(MANY, mu=(mu, mu)), d, seed=17 + d)
    norms = np.linalg.norm(basis.W, axis=1)
    mean = float(mp.sqrt(2) * mp.gamma((d + 1) / 2) / mp.gamma(d / 2) * mp.hyp1f1(-0.5, d / 2, -(mu**2) / 2))
    variance = mu**2 + d - mean**2
    assert abs(norms.mean() - mean) < 5 * math.sqrt(variance / MANY)
    assert norms.var() == pytest.approx(variance, rel=0.05)
    # E|w|^2 = mu^2 + d, whose variance is 4 mu^2 + 2 d
    assert abs((norms**2).mean() - (mu**2 + d)) < 5 * math.sqrt((4 * mu**2 + 2 * d) / MANY)
    law = stats.chi2(d) if mu == 0 else stats.ncx2(d, mu**2)
    assert plausible(norms**2, law)


def test_spread_stays_one_whatever_the_shift() -> None:
    # the paper's point against scaling: Var |w| -> 1
    for mu in (20, 80, 320):
        assert np.linalg.norm(draw(FrequencyShift(MANY, mu=(mu, mu)), 2).W, axis=1).var() == pytest.approx(1, abs=0.03)
        scaled = np.linalg.norm(draw(GFF(MANY, mu=(mu, mu)), 2).W, axis=1).var()
        assert scaled == pytest.approx((2 - math.pi / 2) * mu**2, rel=0.05)


def test_directions_are_uniform() -> None:
    far = (1e7, 1e7)  # the perturbation no longer turns the direction
    one = draw(FrequencyShift(MANY, mu=far), 1, seed=1).W[:, 0]
    assert abs(np.mean(one > 0) - 0.5) < 5 * 0.5 / math.sqrt(MANY)
    two = draw(FrequencyShift(MANY, mu=far), 2, seed=2).W
    assert plausible(np.arctan2(two[:, 1], two[:, 0]), stats.uniform(-np.pi, 2 * np.pi))
    three = draw(FrequencyShift(MANY, mu=far), 3, seed=3).W / far[0]
    for axis in range(3):  # Archimedes: each coordinate of the sphere is uniform
        assert plausible(three[:, axis], stats.uniform(-1, 2))


@pytest.mark.parametrize("shift", ["isotropic", "space"])
def test_phases_are_uniform_over_one_turn(shift: Any) -> None:
    b = draw(FrequencyShift(MANY, mu=(1, 9), shift=shift), 2, time_axis=1).b
    assert b.min() >= 0
    assert b.max() < 2 * np.pi
    assert plausible(b, stats.uniform(0, 2 * np.pi))


def test_perturbation_is_a_unit_normal_around_the_shift() -> None:
    family = FrequencyShift(MANY, mu=(50, 50), shift="space")
    W = draw(family, 2, time_axis=1).W  # one space axis: the shift is +-50
    assert plausible(W[:, 0] - 50 * np.sign(W[:, 0]), stats.norm())
    assert plausible(W[:, 1], stats.norm())
    assert abs(np.corrcoef(W[:, 0], W[:, 1])[0, 1]) < 5 / math.sqrt(MANY)


# --- configuration ------------------------------------------------------------------------------


def test_a_family_is_an_immutable_value() -> None:
    family = FrequencyShift(100, mu=[5, 80], groups=10)  # type: ignore[arg-type]
    assert family == FrequencyShift(100, (5.0, 80.0), 10)
    assert family.mu == (5.0, 80.0)
    assert hash(family) == hash(FrequencyShift(100, (5.0, 80.0), 10))
    assert eval(repr(family)) == family
    with pytest.raises(FrozenInstanceError):
        family.neurons = 3  # type: ignore[misc]


def test_the_ends_of_the_range_may_meet_and_may_be_zero() -> None:
    assert FrequencyShift(3, mu=(0, 0)).mu == (0, 0)
    assert GFF(3, mu=(5, 5)).mu == (5, 5)


def test_numpy_integers_are_numbers_of_neurons() -> None:
    assert draw(FrequencyShift(np.int64(5), (1, 2), groups=np.int32(2)), 2).size == 5  # type: ignore[arg-type]


every_family = pytest.mark.parametrize("family", [Tanh, Siren, GFF, FrequencyShift])


@every_family
@pytest.mark.parametrize("neurons", [0, -3, 2.5, 10.0, "ten", None, True])
def test_refuses_neurons_below_one_or_not_whole(family: Any, neurons: Any) -> None:
    with pytest.raises(ProblemError, match=r"neurons.*whole number"):
        family(neurons, mu=(5, 80))


@every_family
@pytest.mark.parametrize("mu", [(-1, 5), (80, 5), (5, math.nan), (5, math.inf), (-math.inf, 5)])
def test_refuses_a_negative_reversed_or_infinite_range(family: Any, mu: Any) -> None:
    with pytest.raises(ProblemError, match=r"mu must.*0 <= smallest"):
        family(10, mu=mu)


@every_family
@pytest.mark.parametrize("mu", [80, None, (5,), (5, 20, 80), "ab", "58", (5, "x"), (5, 3j)])
def test_refuses_a_range_that_is_no_pair(family: Any, mu: Any) -> None:
    with pytest.raises(ProblemError, match=r"mu must.*a pair"):
        family(10, mu=mu)


def test_refuses_more_groups_than_neurons() -> None:
    with pytest.raises(ProblemError, match=r"groups.*exceed.*11.*10 neurons"):
        FrequencyShift(10, mu=(5, 80), groups=11)


@pytest.mark.parametrize("groups", [0, -1, 2.0, "x", True])
def test_refuses_groups_below_one_or_not_whole(groups: Any) -> None:
    with pytest.raises(ProblemError, match=r"groups.*whole number"):
        FrequencyShift(10, mu=(5, 80), groups=groups)


def test_refuses_an_unknown_shift() -> None:
    with pytest.raises(ProblemError, match=r"shift.*isotropic.*'time'"):
        FrequencyShift(10, mu=(5, 80), shift="time")  # type: ignore[arg-type]


def test_refuses_a_space_shift_without_time() -> None:
    with pytest.raises(ProblemError, match=r'shift="space".*with time'):
        FrequencyShift(10, mu=(5, 80), shift="space").draw(2, np.random.default_rng(0))


# --- a family of one's own ----------------------------------------------------------------------


@dataclass(frozen=True)
class Sines(Family):
    """The first sines of an interval from its left end, if the place says what is solved there."""

    neurons: int

    def _draw(self, place: fs.Place, rng: np.random.Generator) -> fs.Basis:
        assert place.problem is not None
        assert place.center is not None
        assert (place.dimension, place.time_axis) == (1, None)
        W = np.pi * np.arange(1, self.neurons + 1)[:, None] / (2 * place.center)
        return RidgeBasis(W, np.zeros(self.neurons), SINE)


def test_a_family_is_extended_by_what_it_draws_at_a_place() -> None:
    x = sp.Symbol("x")
    u = sp.Function("u")(x)
    problem = fs.Problem(sp.Eq(u.diff(x, 2), 1), fs.Interval(0, 3), [fs.Dirichlet(0)])
    basis = fs.draw_features(problem, Sines(4), np.random.default_rng(0))
    places, numbers = np.linspace(0, 3, 11)[:, None], np.pi * np.arange(1, 5) / 3
    curvatures = -(numbers**2) * np.sin(places * numbers)
    assert np.allclose(basis.matrix(problem.operator, fs.Sites(places)), curvatures, rtol=0, atol=1e-13)
