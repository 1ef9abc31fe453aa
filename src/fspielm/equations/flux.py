"""The flux of an equation in divergence form, read back from its expanded derivatives.

SymPy expands ``div(a grad u)`` to ``a u_xx + a_x u_x + ...``. Where ``a`` is a function given by region, derivatives of
it are seen in the coefficients, and tell what stood under a derivative. A Piecewise loses them, where its pieces are
constant; what is left is taken for a divergence form unless its pieces speak against that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

import sympy as sp
from sympy.core.function import AppliedUndef

from fspielm.equations.normal import normal
from fspielm.expressions import is_zero

# Coefficients of one unknown, by the orders of the derivative along each coordinate.
Coefficients = Mapping[tuple[int, ...], sp.Expr]
# What makes of an expression that on one of the sides of an interface.
Take = Callable[[sp.Expr], sp.Expr]


def flux_of(
    coefficients: Coefficients,
    unknown: AppliedUndef,
    materials: frozenset[str],
    sides: Sequence[Take],
    *,
    own: bool = True,
) -> sp.Expr | None:
    """The normal component of F, where the terms in one unknown are div F and ones of lower order; None without one.

    Parameters
    ----------
    coefficients : mapping
        No derivatives above the second.
    unknown : AppliedUndef
    materials : set of str
        Names of functions given by region.
    sides : two callables
        The expression on either side.
    own : bool
        Whether the equation is the unknown's own: a mixed derivative of another one does not tell which of the two
        was taken last.
    """
    coordinates = unknown.args
    d = len(coordinates)

    def of(*axes: int) -> sp.Expr:
        return coefficients.get(tuple(axes.count(axis) for axis in range(d)), sp.S.Zero)

    second = [of(*pair) for pair in (*((j, j) for j in range(d)), *combinations(range(d), 2))]
    named = sorted({f for c in second for f in c.atoms(AppliedUndef) if f.func.__name__ in materials}, key=str)
    lower = {f for k in range(d) for f in of(k).atoms(AppliedUndef) | of().atoms(AppliedUndef)}
    known = sorted({*named, *(f for f in lower if f.func.__name__ in materials)}, key=str)
    matrix = {(j, j): of(j, j) for j in range(d)}
    for j, k in combinations(range(d), 2):
        one, other = (_potential(of(b), known, coordinates[a]) for a, b in ((j, k), (k, j)))
        if one is None or other is None:
            return None
        left = of(j, k) - one - other
        if any(not is_zero(left.diff(f)) for f in named):
            return None
        matrix[j, k], matrix[k, j] = one + left / 2, other + left / 2
    for j in range(d):
        inner = _potential(of(j), named, coordinates[j])
        if inner is None or any(not is_zero((matrix[j, j] - inner).diff(f)) for f in named):
            return None
    carried = [_potential(of(), known, c) for c in coordinates]
    if any(part is None for part in carried):
        return None
    if not named and not _may_be(matrix, [of(k) for k in range(d)], coordinates, sides, own):
        return None
    terms = [
        normal(coordinates[j]) * entry * unknown.diff(coordinates[k]) for (j, k), entry in matrix.items() if entry != 0
    ]
    terms += [normal(c) * part * unknown for c, part in zip(coordinates, carried, strict=True) if part]
    return sp.Add(*terms)


def _potential(coefficient: sp.Expr, materials: Sequence[AppliedUndef], along: sp.Symbol) -> sp.Expr | None:
    """What of the coordinates and materials has the terms with derivatives of materials `along` as its derivative.

    None where there is no such thing, or it is no polynomial of the materials.
    """
    plain = {material: sp.Dummy(str(material)) for material in materials}
    slopes = {material: sp.Dummy() for material in materials}
    pieces = {p: sp.Dummy() for p in coefficient.atoms(sp.Piecewise) if not p.has(*materials)} if materials else {}
    # derivatives first: they contain the materials
    known = {sp.Derivative(material, along): dummy for material, dummy in slopes.items()}
    body = coefficient.xreplace(pieces).xreplace(known)
    body = body.xreplace({derivative: sp.Dummy() for derivative in body.atoms(sp.Derivative)}).xreplace(plain)
    found = sp.S.Zero
    for material in materials:
        slope = sp.expand(body.diff(slopes[material]) - found.diff(plain[material]))
        if slope.free_symbols & set(slopes.values()) or not slope.is_polynomial(*plain.values()):
            return None
        found += sp.expand(sp.integrate(slope.as_poly(*plain.values()).as_expr(), plain[material])) if slope != 0 else 0
    if any(not is_zero(found.diff(plain[m]) - body.diff(slopes[m])) for m in materials):
        return None
    return found.xreplace({dummy: material for material, dummy in (plain | pieces).items()})


def _may_be(
    matrix: Mapping[tuple[int, int], sp.Expr],
    first: Sequence[sp.Expr],
    coordinates: Sequence[sp.Symbol],
    sides: Sequence[Take],
    own: bool,
) -> bool:
    """Whether coefficients that jump without a trace of it may be those of a divergence form.

    On both sides, they are constant there, or what is beside their derivatives is the same.
    """
    taken = [{key: take(entry) for key, entry in matrix.items()} for take in sides]
    if not own and any(j != k and not is_zero(taken[0][j, k] - taken[1][j, k]) for j, k in matrix):
        return False
    slopes = [
        [sp.Add(*(here[j, k].diff(c) for j, c in enumerate(coordinates))) for k in range(len(coordinates))]
        for here in taken
    ]
    if all(is_zero(slope) for here in slopes for slope in here):
        return True
    rests = [
        [take(b) - slope for b, slope in zip(first, here, strict=True)]
        for take, here in zip(sides, slopes, strict=True)
    ]
    return all(is_zero(one - other) for one, other in zip(*rests, strict=True))
