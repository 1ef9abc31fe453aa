"""Modules that were documented under other names are still there, with a warning."""

from __future__ import annotations

import sys
from importlib import import_module

import pytest

import fspielm as fs


@pytest.mark.parametrize(
    ("former", "present", "name"),
    [
        ("fspielm.expressions", "fspielm.expr", "parse_equation"),
        ("fspielm.cases", "fspielm.paper.cases", "load"),
        ("fspielm.geometry.inputs", "fspielm.geometry.boundary", "as_positive"),
    ],
)
def test_a_former_place_warns_and_gives_the_same(former: str, present: str, name: str) -> None:
    sys.modules.pop(former, None)
    with pytest.warns(DeprecationWarning, match=f"{former} is now {present}"):
        module = import_module(former)
    assert module is import_module(present)
    assert hasattr(module, name)


def test_a_former_name_warns_and_gives_the_same() -> None:
    with pytest.warns(DeprecationWarning, match=r"scrutinise.*now.*find_narrow"):
        assert fs.scrutinise is fs.find_narrow
