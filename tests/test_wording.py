"""Time spans as people say them, and what they may have meant."""

import ast
import re
from pathlib import Path

import numpy as np
import pytest

import fspielm
from fspielm.resources import run_interruptibly
from fspielm.wording import (
    MORE_TIME,
    argument,
    did_you_mean,
    duration,
    known_digits,
    readable_bytes,
    roughly,
    speaking_in_options,
    spoken,
)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 ms"),
        (0.0042, "4 ms"),
        (0.00994, "10 ms"),
        (0.01, "0.01 s"),
        (0.42, "0.42 s"),
        (0.994, "0.99 s"),
        (0.996, "1.0 s"),
        (4.5, "4.5 s"),
        (9.96, "10 s"),
        (83, "83 s"),
        (99.4, "99 s"),
        (99.6, "1 min 40 s"),
        (120, "2 min"),
        (450, "7 min 30 s"),
        (599.4, "9 min 59 s"),
        (599.6, "10 min"),
        (3600, "60 min"),
        (99 * 60, "99 min"),
        (6000, "1 h 40 min"),
        (7200, "2 h"),
        (47 * 3600, "47 h"),
        (49 * 3600, "2 d 1 h"),
        (72 * 3600 - 20, "3 d"),
        (400 * 86400, "400 d"),
    ],
)
def test_a_time_span_has_about_two_digits_in_at_most_two_units(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_no_time_span_is_written_with_a_power_of_ten_and_none_seems_shorter_than_a_smaller_one() -> None:
    units = {"s": 1, "min": 60, "h": 3600, "d": 86400}
    spans = np.geomspace(0.01, 1e9, 4000)
    said = [duration(span).split() for span in spans]
    back = [sum(float(a) * units[u] for a, u in zip(text[::2], text[1::2], strict=True)) for text in said]
    assert not any("e" in text for text in map(" ".join, said))
    assert np.all(np.diff(back) >= 0)
    # two digits, but for the first ones and for minutes that say their seconds
    assert np.abs(np.array(back) / spans - 1).max(where=spans > 0.1, initial=0) <= 0.055


def test_a_time_left_that_ran_out_is_none() -> None:
    assert duration(-3) == "0 ms"


@pytest.mark.parametrize("seconds", [float("nan"), float("inf")])
def test_what_nobody_can_tell_is_said_so(seconds: float) -> None:
    assert duration(seconds) == "an unknown time"


def test_a_name_like_one_that_is_known() -> None:
    assert did_you_mean("heet", {"wave": 1, "heat": 2}) == "; did you mean 'heat'?"
    assert did_you_mean("stokes", ["wave", "heat"]) == ""


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (9.6397238440219, 3e-12, "9.63972384402"),
        (9.6397238440219, 0.0, "9.63972384402190"),
        (9.6397238440219, float("inf"), "9.64"),
        (9.6397238440219, 1e-30, "9.63972384402190"),
        (9.9999, 2e-3, "10.00"),
        (1234.5, 20.0, "1200"),
        (-1.3e-5, 1.8e-3, "0.00"),
        (123456.7, 1e9, "0"),
        (0.00012345678912345678, 1e-20, "0.000123456789123457"),
        (1e-9, 1e-17, "1.00000000e-09"),
        (-3.2e20, 1e12, "-3.20000000e+20"),
        (1.43443802318 - 0.834546174j, 3e-5, "1.4344 - 0.8345i"),
        (1.5 + 1e-9j, 1e-3, "1.500 + 0.000i"),
        (0.0, 0.0, "0"),
        (float("nan"), 1.0, "nan"),
    ],
)
def test_numbers_have_the_digits_that_their_errors_allow(value: complex, error: float, text: str) -> None:
    assert known_digits(value, error) == text


def test_numbers_have_no_more_digits_than_wanted() -> None:
    assert known_digits(9.6397238440219, 3e-12, most=5) == "9.6397"


def test_functions_have_one_word() -> None:
    """What users read says functions; `features` and `neurons` are names of arguments, and words of the paper."""
    root = Path(fspielm.__file__).parent
    told = []
    for path in root.rglob("*.py"):
        if {"jobs", "paper", "families.py", "study.py"} & set(path.relative_to(root).parts):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        texts = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in docs)
        words = re.compile(r"(?<![-.`{])\b(features?|neurons?)\b(?!=| must | or approach)")
        told += [f"{path.name}: {t.value}" for t in texts if " " in str(t.value) and words.search(str(t.value))]
    assert told == []


@pytest.mark.parametrize(("number", "text"), [(57.0, "60"), (1e6, "1,000,000"), (5.76e12, "6e12")])
def test_a_large_number_is_said_roughly(number: float, text: str) -> None:
    assert roughly(number) == text


@pytest.mark.parametrize(
    ("size", "text"), [(2**20, "1.0 MiB"), (2**31, "2.00 GiB"), (2**45, "32 TiB"), (1e30, "more than 1000 TiB")]
)
def test_bytes(size: float, text: str) -> None:
    assert readable_bytes(size) == text


def test_arguments_are_written_as_the_interface_in_use_writes_them() -> None:
    python = "within=(1-0.5j, 3), count=4, far_field: allow more with budget=fs.Budget(seconds=...)"
    options = "--within 1-0.5j 3, --count 4, --far-field: allow more with --seconds"

    def told() -> str:
        first = f"{argument('within', (1 - 0.5j, 3))}, {argument('count', 4)}, {argument('far_field')}"
        return spoken(f"{first}: {MORE_TIME}")

    assert told() == python
    with speaking_in_options():
        assert told() == run_interruptibly(told) == options
    assert told() == python
