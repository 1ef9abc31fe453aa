"""Problem files to read."""

from __future__ import annotations

import pytest

DISK = """\
title = "Waves in a disk"
unknown = "u(x, y)"
equation = "-laplacian(u) - k**2*u = sin(k*x)*y"

[parameters]
R = 2
k = "3*pi/R"

[domain]
shape = "Disk"
center = [0, "R/4"]
radius = "R"

[[conditions]]
type = "dirichlet"
value = "0.1*x"
where = "x < 0"

[[conditions]]
type = "neumann"
value = 0
where = "x >= 0"

[solve]
tol = 1e-6
rng = 7
neurons = 500
seconds = "2*R"

[output]
plot = "disk.png"
table = "out/disk.csv"

[reference]
exact = "sin(k*x)"
"""

HEAT = """\
unknown = "v(x, t)"
equation = "dt(v) = div((2 + cos(x))*grad(v)) + 0.5"
domain = { shape = "Interval", a = 0, b = "pi", time = [0, "1/2"] }
conditions = [
    { type = "dirichlet", value = 0, on = ["x-", "x+"] },
    { type = "initial", value = "where(x < 1, x, 1)" },
]
"""


@pytest.fixture
def disk() -> str:
    """A file with every table."""
    return DISK


@pytest.fixture
def heat() -> str:
    """A file without any that may be left out, its tables on single lines."""
    return HEAT
