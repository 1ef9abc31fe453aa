"""Piecewise expressions on one side of borders."""

from __future__ import annotations

import sympy as sp

from fspielm.problem.substitutions import resolve_pieces, side_of

x, y = sp.symbols("x y")
LEFT = side_of(x < sp.Rational(1, 2))
BELOW = side_of(y < 0)
assert LEFT is not None
assert BELOW is not None


def test_one_piece_is_left_on_each_side() -> None:
    jumps = 3 * sp.Piecewise((x**2, x < sp.Rational(1, 2)), (sp.sin(y), True)) + y
    assert resolve_pieces(jumps, {LEFT[0]: LEFT[1]}) == 3 * x**2 + y
    assert resolve_pieces(jumps, {LEFT[0]: -LEFT[1]}) == 3 * sp.sin(y) + y


def test_pieces_within_pieces() -> None:
    inner = sp.Piecewise((1, y < 0), (2, True), evaluate=False)
    jumps = sp.Piecewise((inner + x, x < sp.Rational(1, 2)), (7, True), evaluate=False)
    assert resolve_pieces(jumps, {LEFT[0]: LEFT[1], BELOW[0]: BELOW[1]}) == 1 + x
    assert resolve_pieces(jumps, {LEFT[0]: LEFT[1], BELOW[0]: -BELOW[1]}) == 2 + x
    assert resolve_pieces(jumps, {LEFT[0]: LEFT[1]}) == x + sp.Piecewise((1, y < 0), (2, True))


def test_borders_that_are_not_known_stay() -> None:
    jumps = sp.Piecewise((1, y < 0), (2, x < sp.Rational(1, 2)), (3, True))
    assert resolve_pieces(jumps, {LEFT[0]: -LEFT[1]}) == sp.Piecewise((1, y < 0), (3, True))
    assert resolve_pieces(jumps, {LEFT[0]: LEFT[1]}) == sp.Piecewise((1, y < 0), (2, True))
    assert resolve_pieces(jumps, {}) == jumps


def test_where_no_piece_is_left_there_is_no_value() -> None:
    assert resolve_pieces(sp.Piecewise((1, y < 0)), {BELOW[0]: -BELOW[1]}) is sp.nan
