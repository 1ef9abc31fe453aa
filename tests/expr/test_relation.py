"""Masks from SymPy relations, to rounding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp

from fspielm import ProblemError
from fspielm.expr import compile_relation

x, y = sp.symbols("x y")
POINTS = np.array([[0.0, 0.0], [1e-12, 1.0], [-1e-12, 0.5], [0.5, 0.25], [1.0, 0.75]])


@pytest.mark.parametrize(
    ("relation", "expected"),
    [
        (sp.Eq(x, 0), [1, 1, 1, 0, 0]),
        (sp.Ne(x, 0), [0, 0, 0, 1, 1]),
        (x <= 0, [1, 1, 1, 0, 0]),
        (x >= 0, [1, 1, 1, 1, 1]),
        (x < 0, [0, 0, 0, 0, 0]),
        (x > 0, [0, 0, 0, 1, 1]),
        (x > 0.5, [0, 0, 0, 0, 1]),
        (x < 0.5, [1, 1, 1, 0, 0]),
        (sp.And(x > 0, y > 0.5), [0, 0, 0, 0, 1]),
        (sp.Or(sp.Eq(x, 0), sp.Eq(x, 1)), [1, 1, 1, 0, 1]),
        (~sp.Or(sp.Eq(x, 0), sp.Eq(x, 1)), [0, 0, 0, 1, 0]),
        (sp.Xor(x > 0, y > 0.5), [0, 1, 0, 1, 0]),
        (sp.Implies(x > 0, y > 0.5), [1, 1, 1, 0, 1]),
        (sp.ITE(x > 0, y > 0.5, y > 0.9), [0, 1, 0, 0, 1]),
        (sp.Interval(0, 0.5).contains(x), [1, 1, 1, 1, 0]),
        (sp.Eq(x**2 + y**2, sp.Rational(5, 16)), [0, 0, 0, 1, 0]),
        (sp.Abs(x - y) < 0.3, [1, 0, 0, 1, 1]),
        (sp.polylog(2, x) > 0.1, [0, 0, 0, 1, 1]),
        (sp.Or(x < 0.1, x > -0.1), [1, 1, 1, 1, 1]),
    ],
    ids=str,
)
def test_masks(relation: Any, expected: list[int]) -> None:
    mask = compile_relation(relation, (x, y), 1e-9)(POINTS)
    assert mask.dtype == np.bool_
    assert mask.tolist() == [bool(e) for e in expected]


@pytest.mark.parametrize("cut", [0, 0.5, sp.Rational(1, 3)])
def test_a_relation_and_its_negation_share_the_points(cut: Any) -> None:
    points = np.random.default_rng(0).random((500, 2)) // 0.01 / 100
    for relation in (x <= cut, x < cut, sp.Eq(x, cut), sp.And(x < cut, y > cut)):
        inside = compile_relation(relation, (x, y), 1e-9)(points)
        outside = compile_relation(sp.Not(relation), (x, y), 1e-9)(points)
        assert np.all(inside ^ outside)


def test_foreign_symbols_are_named() -> None:
    with pytest.raises(ProblemError, match=r"on=a < x.*contains a.*neither"):
        compile_relation(sp.Symbol("a") < x, (x, y), 1e-9)
    with pytest.raises(ProblemError, match="different assumptions"):
        compile_relation(sp.Symbol("x", real=True) < 1, (x, y), 1e-9)


@pytest.mark.parametrize("formula", [x, sp.And(x, y < 1), sp.Not(y), sp.Function("f")(x) > 0], ids=str)
def test_what_compares_nothing_is_refused(formula: Any) -> None:
    with pytest.raises(ProblemError, match=r"compare.*coordinates.*x < 0\.5"):
        compile_relation(formula, (x, y), 1e-9)
