"""Ordinary differential equations in time: a domain of nothing but time, in a file and back."""

from __future__ import annotations

import pytest
import sympy as sp

import fspielm as fs
from fspielm.files import read_draft

TEXT = """
unknown = "u(t)"
equation = "dt(u, 2) + k**2*u = 0"

[parameters]
k = 20

[domain]
time = TIMES

[[conditions]]
type = "initial"
value = "exp(t)"

[[conditions]]
type = "initial"
value = 0
order = 1
"""


def test_there_and_back() -> None:
    problem = fs.read_problem(TEXT.replace("TIMES", '[0, "pi/2"]'))
    assert problem.domain == fs.Time(0, sp.pi.evalf() / 2)
    again = fs.read_problem(fs.write_problem(problem))
    assert (again.domain, again.conditions, again.equation) == (problem.domain, problem.conditions, problem.equation)


def test_solved() -> None:
    file = fs.read_problem_file(TEXT.replace("TIMES", "[0, 1]") + '[reference]\nexact = "cos(k*t)"\n')
    assert file.relative_error(file.solve()) < 1e-10


def test_places() -> None:
    places = read_draft(TEXT.replace("TIMES", "[0, 1]")).by_place()
    assert {place: len(conditions) for place, conditions in places.items()} == {"t = 0": 2}


@pytest.mark.parametrize(
    ("times", "message"),
    [
        ("3", r"line 9, column 1:.*time.*list.*3"),
        ("[1, 0]", r"line 9, column 1:.*Time: end"),
        ("[0, 1]\nradius = 2", r"the key 'shape' is missing"),
    ],
)
def test_refused(times: str, message: str) -> None:
    with pytest.raises(fs.ProblemError, match=message):
        fs.read_problem(TEXT.replace("TIMES", times))
