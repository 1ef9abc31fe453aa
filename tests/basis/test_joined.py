"""Families side by side."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.basis import JoinedBasis
from fspielm.geometry import Sites
from fspielm.problem import identity

x, y = sp.symbols("x y")
u = sp.Function("u")(x, y)
WAVES = fs.Problem(sp.Eq(u.diff(x, 2) + u.diff(y, 2) + 400 * u, 0), fs.Disk((0, 0), 1), [fs.Dirichlet(1)])


def test_it_draws_what_its_parts_draw() -> None:
    parts = [fs.Band(7, (3, 5)), fs.GFF(4, mu=(1, 2))]
    basis = fs.Joined(parts).draw(2, np.random.default_rng(3))
    rng = np.random.default_rng(3)
    sites = Sites(np.random.default_rng(0).random((5, 2)))
    each = np.concatenate([part.draw(2, rng).matrix(identity(2), sites) for part in parts], axis=1)
    np.testing.assert_array_equal(basis.matrix(identity(2), sites), each)


def test_it_counts_all_and_satisfies_the_equation_only_if_all_do() -> None:
    exact = fs.Joined([fs.Characteristic(40), fs.Characteristic(20)])
    mixed = fs.Joined([exact, fs.Band(10, (3, 3))])
    assert (exact.neurons, mixed.neurons) == (60, 70)
    assert exact.satisfies_equation
    assert not mixed.satisfies_equation
    assert mixed.parts == (fs.Characteristic(40), fs.Characteristic(20), fs.Band(10, (3, 3)))


def test_it_passes_the_problem_on() -> None:
    basis = fs.Joined([fs.Characteristic(40), fs.Band(9, (3, 3))]).draw(2, np.random.default_rng(0), problem=WAVES)
    assert isinstance(basis, JoinedBasis)
    assert [part.size for part in basis.parts] == [40, 9]


def test_it_reads_as_it_is_written() -> None:
    family = fs.Joined([fs.Characteristic(40), fs.Band(9, (3, 3), center=(20, 0))])
    assert repr(family) == "Joined([Characteristic(neurons=40, reach=None), Band(9, widths=(3, 3), center=(20, 0))])"


@pytest.mark.parametrize("families", [[], 3, [3], "ab", fs.Band(9, (3,)), [fs.Band]])
def test_what_is_no_sequence_of_families_is_refused(families: Any) -> None:
    with pytest.raises(fs.ProblemError, match=r"families.*sequence"):
        fs.Joined(families)
