"""Parameters that are written with one another are each read once."""

from __future__ import annotations

import pytest

import fspielm as fs
from fspielm.expr import scope

FILE = """
unknown = "u(x)"
equation = "dx(u, 2) = p{last}"
domain = {{ shape = "Interval", a = 0, b = 1 }}
conditions = [{{ type = "dirichlet", value = 0 }}]

[parameters]
p0 = 1
"""


def chained(count: int) -> str:
    return FILE.format(last=count - 1) + "\n".join(f'p{i} = "p{i - 1} + 1/4"' for i in range(1, count))


def names_looked_at(count: int, monkeypatch: pytest.MonkeyPatch) -> int:
    seen = 0

    def check_name(name: str, what: str) -> str:
        nonlocal seen
        seen += 1
        return original(name, what)

    with monkeypatch.context() as patched:
        original = scope.check_name
        patched.setattr(scope, "check_name", check_name)
        fs.read_problem(chained(count))
    return seen


def test_the_work_grows_with_their_number(monkeypatch: pytest.MonkeyPatch) -> None:
    few, many = (names_looked_at(count, monkeypatch) for count in (100, 400))
    assert many < 5 * few


def test_the_last_has_its_value() -> None:
    assert fs.read_problem(chained(400)).right_hand_side.constant == 1 + 399 / 4


def test_a_wrong_name_is_still_compared_with_all() -> None:
    with pytest.raises(fs.ProblemError, match="did you mean length"):
        fs.read_problem(FILE.format(last=0) + 'length = 2\nwidth = "lenght/2"')


@pytest.mark.parametrize("name", ["x", "u", "sin"])
def test_names_that_are_taken_are_refused(name: str) -> None:
    with pytest.raises(fs.ProblemError, match=f"'{name}'"):
        fs.read_problem(FILE.format(last=0) + f"{name} = 2")
