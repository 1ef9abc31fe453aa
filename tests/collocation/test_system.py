"""Row blocks and their assembly into one system."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp

from fspielm import Box, Dirichlet, FrequencyShift, Points, Problem, ProblemError, SolveError, Tanh
from fspielm.basis import COSINE, Basis, JoinedBasis, RidgeBasis
from fspielm.collocation import assemble, make_blocks
from fspielm.collocation import system as system_module
from fspielm.collocation.system import RowBlock, System
from fspielm.geometry import Sites
from fspielm.problem import Operator, Term, along_normal, identity

Blocks = tuple[RowBlock, ...]


@pytest.fixture
def basis() -> Basis:
    """Cosines and tanh side by side, so that both ways of filling are met."""
    rng = np.random.default_rng(1)
    return JoinedBasis([FrequencyShift(37, (1, 30)).draw(2, rng), Tanh(6, (1, 3)).draw(2, rng)])


@pytest.fixture
def blocks(wave: Problem, rng: np.random.Generator) -> Blocks:
    return make_blocks(wave, Points(90, boundary=11, initial=13).draw(wave, rng))


# --- blocks -------------------------------------------------------------------------------------


def test_blocks_carry_names_operators_and_values(wave: Problem, rng: np.random.Generator) -> None:
    sites = Points(20, boundary=5, initial=7).draw(wave, rng)
    blocks = make_blocks(wave, sites)
    names = ["equation", "dirichlet x-", "dirichlet x+", "initial", "initial order 1"]
    assert [block.name for block in blocks] == names
    assert [len(block) for block in blocks] == [20, 5, 5, 7, 7]
    for block in blocks:
        ((_, here),) = block.pieces
        assert here is sites[block.name]
    assert np.allclose(blocks[0].values, np.exp(-sites["equation"].points[:, 1]), rtol=1e-15)
    assert np.allclose(blocks[3].values, np.sin(sites["initial"].points[:, 0]), rtol=1e-15)
    assert np.array_equal(blocks[4].values, sites["initial order 1"].points[:, 0])
    assert blocks[0].pieces[0][0] is wave.operator


def test_the_equation_alone_may_go_without_sites(wave: Problem, rng: np.random.Generator) -> None:
    sites = Points(20, boundary=6, initial=5).draw(wave, rng)
    inside = sites.pop("equation")
    assert [block.name for block in make_blocks(wave, sites)] == [c.name for c in wave.constraints]
    del sites["initial"]
    with pytest.raises(KeyError, match="initial"):
        make_blocks(wave, sites | {"equation": inside})


def test_a_bad_value_is_refused_by_block_and_point() -> None:
    x, y = sp.symbols("x y")
    u = sp.Function("u")(x, y)
    f = sp.Function("f")
    equation = sp.Eq(u.diff(x, 2) + u.diff(y, 2), f(x, y))

    def late(points: np.ndarray) -> np.ndarray:
        return np.where(points[:, 0] > 0.99, np.nan, 1.0)

    square, points = Box((0, 0), (1, 1)), Points(500, boundary=400)
    bad_source = Problem(equation, square, [Dirichlet(0)], given={f: late})
    with pytest.raises(ProblemError, match=r"right-hand side.*nan.*x=0\.99"):
        make_blocks(bad_source, points.draw(bad_source, np.random.default_rng(0)))
    bad_datum = Problem(equation, square, [Dirichlet(late)], given={f: lambda p: p[:, 0]})
    with pytest.raises(ProblemError, match=r"'dirichlet x\+'.*nan.*400 of 400"):
        make_blocks(bad_datum, points.draw(bad_datum, np.random.default_rng(0)))


def test_a_bad_coefficient_is_refused_before_the_matrix_is_filled() -> None:
    x, y = sp.symbols("x y")
    u = sp.Function("u")(x, y)
    problem = Problem(
        sp.Eq(sp.log(x - sp.Rational(1, 2)) * u.diff(x, 2) + u.diff(y, 2), 0),
        Box((0, 0), (1, 1)),
        [Dirichlet(0)],
    )
    blocks = make_blocks(problem, Points(50, boundary=5).draw(problem, np.random.default_rng(0)))
    basis = FrequencyShift(5, (1, 3)).draw(2, np.random.default_rng(0))
    with pytest.raises(ProblemError, match=r"coefficient log.*u_xx.*nan"):
        assemble(basis, blocks)


def test_refuses_pieces_of_different_lengths() -> None:
    pieces = ((identity(1), Sites(np.zeros((3, 1)))), (identity(1), Sites(np.zeros((1, 1)))))
    with pytest.raises(ProblemError, match=r"'jump'.*3 values.*1 sites"):
        RowBlock("jump", pieces, np.zeros(3))


# --- assembly -----------------------------------------------------------------------------------


def test_rows_are_the_operators_on_the_features(basis: Basis, blocks: Blocks) -> None:
    system = assemble(basis, blocks)
    assert system.matrix.shape == (90 + 2 * 11 + 2 * 13, basis.size)
    assert system.matrix.flags.f_contiguous
    assert scales(system) == [1.0] * 5
    for block in blocks:
        rows = system.rows[block.name]
        expected = basis.matrix(*block.pieces[0])
        scale = np.abs(expected).max()
        assert np.allclose(system.matrix[rows], expected, rtol=0, atol=1e-13 * scale)
        assert np.array_equal(system.values[rows], block.values)


def test_rows_follow_the_blocks(basis: Basis, blocks: Blocks) -> None:
    rows = assemble(basis, blocks).rows
    assert list(rows) == [block.name for block in blocks]
    assert list(rows.values()) == [
        slice(0, 90),
        slice(90, 101),
        slice(101, 112),
        slice(112, 125),
        slice(125, 138),
    ]


@pytest.mark.parametrize("scaling", ["none", "rms"])
def test_bits_do_not_depend_on_threads(
    basis: Basis, blocks: Blocks, scaling: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system_module, "_CHUNK_ENTRIES", 300)  # many tasks
    one, *others = (assemble(basis, blocks, scaling=scaling, threads=threads) for threads in (1, 2, 3))
    for other in others:
        assert np.array_equal(one.matrix, other.matrix)
        assert np.array_equal(one.values, other.values)
        assert scales(one) == scales(other)


def test_chunks_change_no_more_than_rounding(basis: Basis, blocks: Blocks, monkeypatch: pytest.MonkeyPatch) -> None:
    reference = assemble(basis, blocks).matrix
    for entries in (1, 100, 1000, 10**7):
        monkeypatch.setattr(system_module, "_CHUNK_ENTRIES", entries)
        matrix = assemble(basis, blocks, threads=2).matrix
        # a phase of up to 100 is rounded to 1e-14
        assert np.allclose(matrix, reference, rtol=0, atol=1e-13 * np.abs(reference).max())


def test_a_block_is_a_sum_over_places(rng: np.random.Generator) -> None:
    # periodic in x: u(1, y) - u(0, y) = 0, and equal slopes, with outward normals on both sides
    basis = FrequencyShift(20, (1, 30)).draw(2, rng)
    y = rng.random(15)
    left = Sites(np.column_stack([np.zeros(15), y]), np.tile([-1.0, 0.0], (15, 1)))
    right = Sites(np.column_stack([np.ones(15), y]), np.tile([1.0, 0.0], (15, 1)))
    minus = Operator(2, (Term(-1.0, (0, 0)),))
    blocks = [
        RowBlock("periodic", ((identity(2), right), (minus, left)), np.zeros(15)),
        RowBlock("flux", ((along_normal(2), right), (along_normal(2), left)), np.zeros(15)),
    ]
    system = assemble(basis, blocks, threads=2)
    jump = basis.matrix(identity(2), right) - basis.matrix(identity(2), left)
    assert np.allclose(system.matrix[:15], jump, rtol=0, atol=1e-13)
    slope = Operator(2, (Term(1.0, (1, 0)),))
    flux = basis.matrix(slope, right) - basis.matrix(slope, left)
    assert np.allclose(system.matrix[15:], flux, rtol=0, atol=1e-13 * 30)


def test_a_periodic_feature_satisfies_periodic_rows() -> None:
    basis = RidgeBasis(2 * np.pi * np.array([[3.0, 1.0], [0.0, 2.0]]), np.array([0.3, 1.0]), COSINE)
    y = np.linspace(0, 1, 9)
    left, right = (Sites(np.column_stack([np.full(9, side), y])) for side in (0.0, 1.0))
    pieces = ((identity(2), right), (Operator(2, (Term(-1.0, (0, 0)),)), left))
    system = assemble(basis, [RowBlock("periodic", pieces, np.zeros(9))])
    assert np.abs(system.matrix).max() < 1e-13


# --- scaling and residuals ----------------------------------------------------------------------


def scales(system: System) -> list[float]:
    return [block.scale for block in system.blocks]


def block_rms(system: System) -> list[float]:
    return [float(np.sqrt(np.mean(system.matrix[rows] ** 2))) for rows in system.rows.values()]


def test_rms_scaling_makes_every_block_the_same_size(basis: Basis, blocks: Blocks) -> None:
    plain, scaled = assemble(basis, blocks), assemble(basis, blocks, scaling="rms")
    assert max(block_rms(plain)) / min(block_rms(plain)) > 100
    assert np.allclose(block_rms(scaled), 1, rtol=1e-13)
    assert np.allclose(scales(scaled), 1 / np.array(block_rms(plain)), rtol=1e-13)
    for (name, rows), scale in zip(scaled.rows.items(), scales(scaled), strict=True):
        assert np.allclose(scaled.matrix[rows], scale * plain.matrix[rows], rtol=1e-14), name
        assert np.allclose(scaled.values[rows], scale * plain.values[rows], rtol=1e-14), name


@pytest.mark.parametrize("scaling", ["none", "rms"])
def test_residuals_are_in_the_units_of_the_equation(basis: Basis, blocks: Blocks, scaling: Any) -> None:
    coefficients = np.random.default_rng(5).normal(size=basis.size)
    residuals = assemble(basis, blocks, scaling=scaling).residuals(coefficients)
    assert list(residuals) == [block.name for block in blocks]
    for block in blocks:
        deviation = basis.matrix(*block.pieces[0]) @ coefficients - block.values
        assert residuals[block.name].rms == pytest.approx(float(np.sqrt(np.mean(deviation**2))), rel=1e-12)
        assert residuals[block.name].largest == pytest.approx(float(np.abs(deviation).max()), rel=1e-12)


def test_assembly_leaves_the_values_of_the_blocks_alone(basis: Basis, blocks: Blocks) -> None:
    kept = [block.values.copy() for block in blocks]
    assemble(basis, blocks, scaling="rms")
    assert all(np.array_equal(block.values, values) for block, values in zip(blocks, kept, strict=True))


def test_a_block_of_zeros_is_not_scaled() -> None:
    zero = Operator(2, (Term(0.0, (0, 0)),))
    block = RowBlock("nothing", ((zero, Sites(np.ones((4, 2)))),), np.ones(4))
    system = assemble(FrequencyShift(3, (1, 2)).draw(2, np.random.default_rng(0)), [block], scaling="rms")
    assert scales(system) == [1.0]
    assert system.residuals(np.zeros(3))["nothing"].rms == 1.0


@pytest.mark.parametrize("scaling", ["RMS", "row", None])
def test_refuses_an_unknown_scaling(basis: Basis, blocks: Blocks, scaling: Any) -> None:
    with pytest.raises(ProblemError, match=r"scaling must be one of.*'rms'"):
        assemble(basis, blocks, scaling=scaling)


@pytest.mark.parametrize("threads", [1, 2])
def test_refuses_rows_that_overflow_by_block(blocks: Blocks, threads: int) -> None:
    basis = FrequencyShift(3, (1e200, 1e200)).draw(2, np.random.default_rng(0))
    with pytest.raises(SolveError, match=r"'equation' overflow.*mu"):
        assemble(basis, blocks, threads=threads)


def test_a_failure_while_filling_reaches_the_caller(blocks: Blocks) -> None:
    class Failing(Basis):
        size = 50
        dimension = 2

        def fill(self, operator: Any, columns: slice, out: Any) -> None:
            raise RuntimeError("in a thread")

    for threads in (1, 3):
        with pytest.raises(RuntimeError, match="in a thread"):
            assemble(Failing(), blocks, threads=threads)


# --- weights ------------------------------------------------------------------------------------


@pytest.mark.parametrize("scaling", ["none", "rms"])
def test_a_weight_multiplies_its_own_block_after_the_scaling(scaling: Any) -> None:
    x, y = sp.symbols("x y")
    u = sp.Function("u")(x, y)
    basis = FrequencyShift(20, (1, 30)).draw(2, np.random.default_rng(0))

    def system(weight: float) -> System:
        conditions = [Dirichlet(x, on=["x-", "x+"]), Dirichlet(y, on=["y-", "y+"], weight=weight)]
        problem = Problem(sp.Eq(u.diff(x, 2) + u.diff(y, 2), 1), Box((0, 0), (1, 1)), conditions)
        blocks = make_blocks(problem, Points(50, boundary=10).draw(problem, np.random.default_rng(1)))
        return assemble(basis, blocks, scaling=scaling)

    plain, weighted = system(1.0), system(250.0)
    for name, rows in plain.rows.items():
        factor = 250.0 if name in ("dirichlet y-", "dirichlet y+") else 1.0
        assert np.allclose(weighted.augmented[rows], factor * plain.augmented[rows], rtol=1e-14)
    assert scales(weighted) == pytest.approx([s * f for s, f in zip(scales(plain), (1, 1, 1, 250, 250), strict=True)])
    coefficients = np.random.default_rng(2).normal(size=20)
    assert weighted.residuals(coefficients)["dirichlet y-"].rms == pytest.approx(
        plain.residuals(coefficients)["dirichlet y-"].rms, rel=1e-12
    )


def test_matrix_and_values_are_one_array(basis: Basis, blocks: Blocks) -> None:
    system = assemble(basis, blocks)
    assert system.augmented.shape == (len(system.values), basis.size + 1)
    assert system.augmented.flags.f_contiguous
    assert np.shares_memory(system.matrix, system.augmented)
    assert np.shares_memory(system.values, system.augmented)
    assert np.array_equal(system.values, np.concatenate([block.values for block in blocks]))
