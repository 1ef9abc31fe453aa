"""What a notebook shows for a solution."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from dataclasses import replace
from xml.etree import ElementTree

import pytest
import sympy as sp

import fspielm as fs


def parse(html: str) -> ElementTree.Element:
    """HTML that is written as strictly as XML."""
    return ElementTree.fromstring(re.sub(r"(<img[^>]*)>", r"\1/>", html))


@pytest.mark.parametrize("which", ["line", "square", "string", "pacman", "cube", "automatic"])
def test_has_a_small_picture_and_the_numbers(request: pytest.FixtureRequest, which: str) -> None:
    solution = request.getfixturevalue(which)
    html = solution._repr_html_()
    card = parse(html)
    source = card.find("img").get("src")  # type: ignore[union-attr]
    assert source is not None
    picture = base64.b64decode(source.removeprefix("data:image/png;base64,"))
    assert picture.startswith(b"\x89PNG")
    assert len(picture) <= 60_000
    words = " ".join(card.itertext())
    assert str(solution.problem.unknown) in words
    assert f"functions {solution.report.neurons}" in words.replace("\n", " ")
    assert " id=" not in html


def test_is_the_same_every_time(square: fs.Solution) -> None:
    assert square._repr_html_() == square._repr_html_()


@pytest.fixture
def no_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    """The words alone, as without matplotlib."""
    monkeypatch.setattr("fspielm.geometry.pictures.find_spec", lambda name: None)


@pytest.mark.usefixtures("no_picture")
def test_says_the_verdict(automatic: fs.Solution, line: fs.Solution) -> None:
    words = " ".join(parse(automatic._repr_html_()).itertext())
    assert "converged" in words
    assert f"{automatic.error_estimate:.1e}" in words
    failed = replace(automatic, report=replace(automatic.report, converged=False, reason="1 < 2 & <b>so on</b>"))
    html = failed._repr_html_()
    assert "not converged" in html
    assert "1 &lt; 2 &amp; &lt;b&gt;so on" in html
    unknown = replace(line, report=replace(line.report, converged=None, error_estimate=None, reason=""))
    assert "error not estimated</strong></div>" in unknown._repr_html_()


@pytest.mark.usefixtures("no_picture")
def test_seconds_are_no_power_of_ten(square: fs.Solution) -> None:
    for seconds, shown in ((0.0123, "0.01 s"), (98.7, "99 s"), (150.0, "2 min 30 s"), (1234.5, "21 min")):
        slow = replace(square, report=replace(square.report, rounds=(), seconds={"solve": seconds}))
        assert f">{shown}</td>" in slow._repr_html_()


def test_names_are_escaped(solve: Callable[..., fs.Solution]) -> None:
    html = solve(fs.Interval(0, 1), (sp.Symbol("x"),), sp.Symbol("x"), name="<i>")._repr_html_()
    assert "&lt;i&gt;(x)" in html
    parse(html)


@pytest.mark.usefixtures("no_picture")
def test_without_matplotlib_there_is_no_picture(automatic: fs.Solution) -> None:
    card = parse(automatic._repr_html_())
    assert card.find("img") is None
    assert "converged" in " ".join(card.itertext())
