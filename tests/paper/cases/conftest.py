"""The seven benchmarks, loaded once."""

from __future__ import annotations

from functools import cache

import pytest

from fspielm.paper.cases import Case
from fspielm.paper.cases import catalogue as cases

load = cache(cases.load)


@pytest.fixture(params=cases.names())
def case(request: pytest.FixtureRequest) -> Case:
    """Each benchmark in turn."""
    return load(request.param)
