"""Which root of a squared wavenumber leaves."""

from __future__ import annotations

import pytest

from fspielm.problem.scattering.media import grows, radiating_root


@pytest.mark.parametrize(
    ("square", "root"),
    [(4, 2), (-4, 2j), (complex(-4, -1e-17), 2j), (complex(4, -1e-15), 2), (complex(3, 4), 2 + 1j), (3 - 4j, -2 + 1j)],
)
def test_rounding_does_not_turn_waves_round(square: complex, root: complex) -> None:
    assert abs(radiating_root(square) - root) < 1e-14


def test_what_grows_does_so_by_more_than_rounding() -> None:
    assert grows(3 - 1e-6j)
    assert not grows(3 - 1e-16j)
    assert not grows(3 + 1e-6j)
