"""What the package draws has the moments that the theory says."""

from __future__ import annotations

import numpy as np
import pytest

import fspielm as fs
from fspielm.basis import Family
from fspielm.errors import ProblemError
from fspielm.paper.theory import compare, compare_ratios, effective_frequencies, scaling_moments, shift_moments
from fspielm.paper.theory.moments import draw_frequencies, sample_moments

SAMPLES = 20_000
# Standard errors; one in fifteen thousand is beyond.
FAR = 4.0


@pytest.mark.parametrize("dimension", [1, 2, 5])
@pytest.mark.parametrize(
    ("family", "moments_of"),
    [
        (fs.Siren(SAMPLES, mu=(7, 7)), scaling_moments),
        (fs.GFF(SAMPLES, mu=(7, 7)), scaling_moments),
        (fs.Tanh(SAMPLES, mu=(7, 7)), scaling_moments),
        (fs.FrequencyShift(SAMPLES, mu=(7, 7)), shift_moments),
        (fs.FrequencyShift(SAMPLES, mu=(7, 7), groups=10), shift_moments),
    ],
)
def test_every_family_follows_its_law(family: Family, moments_of: object, dimension: int) -> None:
    drawn = sample_moments(effective_frequencies(family, dimension, np.random.default_rng(3)))
    exact = moments_of(dimension, 7.0)  # type: ignore[operator]
    assert abs(drawn.mean - exact.mean) < FAR * drawn.mean_error
    assert abs(drawn.variance - exact.variance) < FAR * drawn.variance_error


def test_covariance_of_weights_over_directions() -> None:
    basis = fs.FrequencyShift(SAMPLES, mu=(6, 6)).draw(3, np.random.default_rng(5))
    covariance = np.cov(basis.W.T)  # type: ignore[attr-defined]
    np.testing.assert_allclose(covariance, (1 + 36 / 3) * np.eye(3), atol=0.5)


def test_standard_errors_are_what_they_say() -> None:
    rng = np.random.default_rng(1)
    many = [sample_moments(rng.standard_normal(500)) for _ in range(400)]
    assert np.std([one.mean for one in many]) == pytest.approx(np.mean([one.mean_error for one in many]), rel=0.15)
    assert np.std([one.variance for one in many]) == pytest.approx(
        np.mean([one.variance_error for one in many]), rel=0.15
    )


def test_portions_add_up() -> None:
    assert draw_frequencies("shift", 1, 2.0, 2**17 + 3, np.random.default_rng(0)).shape == (2**17 + 3,)


def test_comparison() -> None:
    rows = compare(dimensions=(1, 3), magnitudes=(0.0, 2.0, 50.0), samples=SAMPLES, rng=1)
    assert [(row.scheme, row.dimension, row.mu) for row in rows[:4]] == [
        ("scaling", 1, 0.0),
        ("scaling", 1, 2.0),
        ("scaling", 1, 50.0),
        ("scaling", 3, 0.0),
    ]
    assert len(rows) == 12
    for row in rows:
        assert abs(row.mean_score) < FAR
        assert abs(row.variance_score) < FAR
        if row.scheme == "scaling":
            assert row.mean_deviation == pytest.approx(0.0, abs=1e-14)
            assert row.variance_deviation == pytest.approx(0.0, abs=1e-13)
        else:
            assert row.exact == shift_moments(row.dimension, row.mu)
            assert row.mean_deviation > 0
    assert rows[6].variance_deviation == pytest.approx(0.376, abs=1e-3)


def test_ratios() -> None:
    calls: list[None] = []
    rows = compare_ratios(
        dimensions=(2, 5), frequencies=(2.5, 80.0), samples=SAMPLES, rng=1, ends=lambda: calls.append(None)
    )
    assert len(rows) == len(calls) == 4
    for row in rows:
        assert abs(row.score) < FAR
        assert row.deviation == pytest.approx(row.shift_variance - 1.0)
    assert rows[1].exact == pytest.approx(1748.87, abs=0.01)
    assert rows[1].paper == pytest.approx(1748.73, abs=0.01)


def test_the_same_seed_gives_the_same_rows() -> None:
    def run(rng: object) -> list[object]:
        return [compare(dimensions=(2,), magnitudes=(3.0,), samples=50, rng=rng)]

    assert run(4) == run(4)
    assert run(4) != run(5)
    assert run(np.random.default_rng(4)) == run(np.random.default_rng(4))


class TestRefusals:
    @pytest.mark.parametrize("function", [compare, compare_ratios])
    def test_samples(self, function: object) -> None:
        with pytest.raises(ProblemError, match=r"samples.*at least 2; got 1"):
            function(samples=1)  # type: ignore[operator]
        with pytest.raises(ProblemError, match="samples must be a whole number"):
            function(samples=1e5)  # type: ignore[operator]

    def test_scheme(self) -> None:
        with pytest.raises(ProblemError, match=r"scheme.*'shift'; got 'both'"):
            draw_frequencies("both", 2, 1.0, 5, np.random.default_rng(0))  # type: ignore[arg-type]

    def test_one_value_has_no_variance(self) -> None:
        with pytest.raises(ProblemError, match=r"variance.*2 samples; got 1"):
            sample_moments(np.ones(1))
