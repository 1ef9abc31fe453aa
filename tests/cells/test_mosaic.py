"""Domains of several materials, tiled one by one."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.cells import Mosaic, mosaic_of
from fspielm.cells.crossings import crossings, lowest_power
from fspielm.errors import UnsuitableError
from fspielm.geometry import Domain
from fspielm.solvers.cells.corners import special_points

x, y, t = sp.symbols("x y t")
BOX = fs.Box((0, 0), (1, 1))


def problem(a: sp.Expr, domain: Domain = BOX, value: sp.Expr = x) -> fs.Problem:
    u = sp.Function("u")(x, y)
    return fs.Problem((a * u.diff(x)).diff(x) + (a * u.diff(y)).diff(y), domain, [fs.Dirichlet(value)])


def tiled(stated: fs.Problem, count: int = 2) -> Mosaic:
    lines = [line.part for line in stated.interfaces]
    return mosaic_of(stated.domain, lines, stated.material_of, lambda piece: (count,) * piece.dimension)


CIRCLE = sp.Piecewise((5, (x - 0.4) ** 2 + (y - 0.5) ** 2 < 0.09), (1, True))
CROSS = sp.Piecewise((5, (x < 0.3) & (y < 0.6)), (2, x < 0.3), (1, True))
ASLANT = sp.Piecewise((5, x + 2 * y < 1), (1, True))


@pytest.mark.parametrize(("a", "materials"), [(CIRCLE, 2), (CROSS, 4), (ASLANT, 2)])
def test_pieces_add_up_and_points_are_found_in_them(a: sp.Expr, materials: int) -> None:
    stated = problem(a)
    mosaic = tiled(stated).halve({0: (0, 1)})
    assert len(mosaic.tiles) == materials
    areas = [cell.share * np.prod(cell.upper - cell.lower) for cell in mosaic.cells]
    assert sum(areas) == pytest.approx(1.0, rel=1e-12)
    points = BOX.sample(500, np.random.default_rng(0))
    for point, cell in zip(points, mosaic.locate(points), strict=True):
        assert mosaic.holds(int(cell), point[None])[0]


def test_boxes_of_a_material_are_whole_wherever_the_border_is() -> None:
    assert all(cell.whole for cell in tiled(problem(CROSS)).cells)


@pytest.mark.parametrize("a", [CIRCLE, CROSS, ASLANT])
def test_contacts_cover_each_interface_once(a: sp.Expr) -> None:
    stated = problem(a)
    mosaic = tiled(stated, 3)
    for number, line in enumerate(stated.interfaces):
        own = [contact for contact in mosaic.contacts if contact.line == number]
        assert sum(contact.end - contact.start for contact in own) == pytest.approx(1.0, rel=1e-9)
        for contact in own:
            sites = line.part.place(np.array([[0.5 * (contact.start + contact.end)]]))
            assert sites.normals is not None
            for cell, sign in zip(contact.cells, (-1, 1), strict=True):
                assert mosaic.holds(cell, sites.points + sign * 1e-6 * sites.normals)[0]


def test_a_part_of_the_boundary_is_cut_where_materials_change() -> None:
    mosaic = tiled(problem(CROSS), 1)
    (left,) = (part for part in BOX.boundary() if part.name == "x-")
    assert sorted({s for each in mosaic.stretches(left) for s in (each.start, each.end)}) == pytest.approx([0, 0.6, 1])


def test_borders_that_move_in_time() -> None:
    u = sp.Function("u")(x, t)
    a = sp.Piecewise((4, x < 0.3 + 0.2 * t), (1, True))
    rod = fs.Interval(0, 1) * fs.Time(0, 1)
    stated = fs.Problem(u.diff(t) - (a * u.diff(x)).diff(x), rod, [fs.Dirichlet(0), fs.Initial(x)])
    mosaic = tiled(stated)
    areas = [tile.tiling.domain.measure for tile in mosaic.tiles]
    assert sorted(areas) == pytest.approx([0.4, 0.6])
    spans = [span for _, span in mosaic.face_stretches(1, 0)]
    assert sum(high - low for low, high in spans) == pytest.approx(1.0)


def test_where_four_quarters_meet_the_power_is_known() -> None:
    a = sp.Piecewise((10, (x < 0.4) & (y < 0.7)), (1, x < 0.4), (1, y < 0.7), (10, True))
    stated = problem(a)
    (crossing,) = crossings(stated)
    assert crossing.point == pytest.approx([0.4, 0.7])
    assert lowest_power(stated, crossing.point) == pytest.approx(crossing.functions[0].power, abs=1e-3)
    assert not any(each.is_sharp for each in special_points(stated))  # cells have functions for it


def test_straight_lines_across_a_box_need_no_small_cells() -> None:
    found = special_points(problem(sp.Piecewise((1000, x < 0.4), (1, True))))
    assert not any(each.is_sharp for each in found)


def test_where_a_line_ends_data_that_are_constant_bring_no_first_power() -> None:
    a = sp.Piecewise((1000, x < 0.4), (1, True))
    quiet, loud = problem(a, value=sp.Integer(1)), problem(a)
    ends = [
        [each.power for each in special_points(one) if each.point[0] == pytest.approx(0.4)] for one in (quiet, loud)
    ]
    assert ends == [[2.0, 2.0], [1.0, 1.0]]


def test_a_border_that_was_missed_is_noticed() -> None:
    stated = problem(sp.Piecewise((5, sp.Abs(x - 0.5) < 0.2), (1, True)))
    first, second = (line.part for line in stated.interfaces)
    with pytest.raises(UnsuitableError, match="not found"):
        mosaic_of(BOX, [first], stated.material_of, lambda piece: (2, 2))
    assert len(mosaic_of(BOX, [first, second], stated.material_of, lambda piece: (2, 2)).tiles) == 3
