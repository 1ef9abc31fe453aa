"""Parts of combined shapes by name: prefixes, numbers, and names that mean several."""

from __future__ import annotations

import re
from typing import Any

import pytest
import sympy as sp

import fspielm as fs

x, y = sp.symbols("x y")
u = sp.Function("u")(x, y)
LAPLACE = u.diff(x, 2) + u.diff(y, 2)
PLATE = fs.Box((0, 0), (4, 4))
HOLES = fs.Disk((1, 1), 0.5), fs.Disk((3, 3), 0.5)


def blocks(domain: Any, *conditions: Any) -> list[str]:
    return [constraint.name for constraint in fs.Problem(LAPLACE, domain, conditions).constraints]


def test_a_name_that_means_several_is_refused_with_the_candidates() -> None:
    candidates, remedy = r"'circle \(1\)', 'circle \(2\)'", r"Disk\(.*name='hole'"
    outer = fs.Dirichlet(0, on=["x-", "x+", "y-", "y+"])
    with pytest.raises(fs.ProblemError, match=rf"Neumann.*2 parts.*{candidates}.*{remedy}"):
        fs.Problem(LAPLACE, PLATE - HOLES[0] - HOLES[1], [outer, fs.Neumann(0, on="circle")])
    with pytest.raises(fs.ProblemError, match=r"has 3 parts 'circle'"):
        fs.Problem(LAPLACE, fs.Disk((2, 2), 2) - HOLES[0] - HOLES[1], [fs.Dirichlet(0, on="circle")])


def test_the_candidates_are_taken() -> None:
    domain = PLATE - HOLES[0] - HOLES[1]
    outer = fs.Dirichlet(0, on=["x-", "x+", "y-", "y+"])
    found = blocks(domain, outer, fs.Neumann(0, on=["circle (1)", "circle (2)"]))
    assert found[-2:] == ["neumann circle (1)", "neumann circle (2)"]


def test_names_of_shapes_prefix_their_parts() -> None:
    domain = PLATE - fs.Disk((1, 1), 0.5, name="inlet") - fs.Disk((3, 3), 0.5, name="outlet")
    found = blocks(
        domain,
        fs.Dirichlet(0, on="inlet.circle"),
        fs.Neumann(0, on=["x-", "x+", "y-", "y+"]),
        fs.Dirichlet(1, on="outlet.circle"),
    )
    assert found[0] == "dirichlet inlet.circle"
    assert found[-1] == "dirichlet outlet.circle"
    with pytest.raises(fs.ProblemError, match=r"'inlet.circ'.*mean 'inlet.circle'"):
        blocks(domain, fs.Dirichlet(0, on="inlet.circ"))


def test_a_shape_by_its_name_alone_is_answered_with_its_parts() -> None:
    domain = PLATE - fs.Disk((1, 1), 0.5, name="inlet") - fs.Box((2, 2), (3, 3), name="vent")
    with pytest.raises(fs.ProblemError, match=r"'inlet';.*'inlet\.circle'\?$"):
        blocks(domain, fs.Dirichlet(0, on="inlet"))
    sides = "['vent.y-', 'vent.x-', 'vent.y+', 'vent.x+']"
    with pytest.raises(fs.ProblemError, match=rf"did you mean all.*{re.escape(sides)}"):
        blocks(domain, fs.Dirichlet(0, on="vent"))


def test_a_name_that_no_other_part_has_needs_no_number() -> None:
    assert "dirichlet circle" in blocks(PLATE - HOLES[0], fs.Dirichlet(0))
