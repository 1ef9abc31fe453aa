"""The same seed gives the same bits as in earlier versions: quick solves of every kind, compared with a record of them.

Bits depend on processor and libraries too. Where these are others than those of the record, the values are compared
within the error estimates. What is meant to change bits records anew: ``python benchmarks/same_bits.py quick``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

HERE = Path(__file__).parent
BENCHMARKS = HERE.parents[1] / "benchmarks"
RECORD: dict[str, Any] = json.loads((HERE / "same_bits.json").read_text(encoding="utf-8"))
ARITHMETIC = RECORD.pop("arithmetic")

pytestmark = pytest.mark.skipif(
    not BENCHMARKS.is_dir(), reason="the benchmarks come with the repository, not with the package"
)


@contextmanager
def as_recorded() -> Iterator[None]:
    """The benchmarks within reach, and one thread of the linear algebra library."""
    sys.path.insert(0, str(BENCHMARKS))
    try:
        with threadpool_limits(1, user_api="blas"):
            yield
    finally:
        sys.path.remove(str(BENCHMARKS))


@pytest.fixture(scope="module")
def is_same_arithmetic() -> bool:
    with as_recorded():
        from same_bits.arithmetic import fingerprint

        return bool(fingerprint() == ARITHMETIC)


def solved(name: str) -> dict[str, Any]:
    """What is recorded of the solves of a name, as it is now."""
    with as_recorded():
        from same_bits.outcome import brief_of
        from same_bits.quick import QUICK

        return {what: brief_of(solution, RECORD[name][what]["at"]) for what, solution in QUICK[name]().items()}


def check_values(now: dict[str, Any], before: dict[str, Any]) -> None:
    """As alike as the error estimates promise."""
    size, error = np.abs(before["values"]).max(), max(now["max_error_estimate"], before["max_error_estimate"])
    np.testing.assert_allclose(now["values"], before["values"], rtol=0, atol=10 * error * size)
    assert error <= 100 * before["max_error_estimate"]
    if before["rounds"] <= 1:  # what was solved decides what comes after it
        assert {key: now[key] for key in ("neurons", "rows", "rounds")} == {
            key: before[key] for key in ("neurons", "rows", "rounds")
        }


@pytest.mark.filterwarnings("ignore:not converged")  # the paper's methods, of a small size
@pytest.mark.parametrize("name", RECORD)
def test_quick_solves_are_those_on_record(name: str, is_same_arithmetic: bool) -> None:
    now, before = solved(name), RECORD[name]
    assert now.keys() == before.keys()
    for what in before:
        check_values(now[what], before[what])
        if is_same_arithmetic:
            assert now[what] == before[what]


def test_a_difference_anywhere_is_told() -> None:
    with as_recorded():
        from same_bits.outcome import differences
    before = {"": {"coefficients": "0a", "rounds": [{"neurons": 3, "growth": 0.1}], "estimate": np.nan}}
    assert list(differences(before, before)) == []
    after = {"": {"coefficients": "0a", "rounds": [{"neurons": 3, "growth": np.nextafter(0.1, 1)}], "estimate": np.inf}}
    assert [line.partition(":")[0].strip() for line in differences(before, after)] == ["rounds 0 growth", "estimate"]
    assert list(differences(before, after, but=["rounds", "estimate"])) == []
    assert list(differences(before, {})) != []
