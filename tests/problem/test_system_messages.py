"""What a newcomer to systems writes, and what is said to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import sympy as sp

import fspielm as fs

x, y = sp.symbols("x y")
u, v = (sp.Function(name)(x, y) for name in "uv")
PAIR = [u.diff(x, 2) + u.diff(y, 2), v.diff(x, 2) + v.diff(y, 2)]


@pytest.mark.parametrize(
    ("conditions", "message"),
    [
        (lambda: [], r"Dirichlet\(\{u: 0, v: 0\}\)"),
        (lambda: [fs.Dirichlet({sp.Symbol("u"): 0, v: 0})], r"got the key u; write u\(x, y\)"),
        (lambda: [fs.Condition(sp.Eq(sp.Matrix([u, v]), sp.zeros(2, 1)))], r"fs\.Condition for each component"),
    ],
    ids=["none", "a symbol", "vectors"],
)
def test_says_what_to_write(conditions: Callable[[], list[Any]], message: str) -> None:
    with pytest.raises(fs.ProblemError, match=message):
        fs.Problem(PAIR, fs.Disk((0, 0), 1), conditions())
