"""The page: well formed, complete, self-contained, and nothing in it unescaped."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import fspielm as fs
from fspielm.paper import demo as gallery
from fspielm.paper.demo import CaseRun, run_case
from fspielm.paper.templates import number, typeset

VOID = {"meta", "img", "br", "link"}


class Page(HTMLParser):
    """Tags with their attributes, and text; refuses tags that do not match."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open[-1:] != ["style"]:
            self.text += data

    def values(self, tag: str, attribute: str) -> list[str | None]:
        return [attributes[attribute] for name, attributes in self.tags if name == tag and attribute in attributes]


@pytest.fixture(scope="module")
def run() -> CaseRun:
    case = fs.cases.load("poisson-1d")
    return run_case(case, {}, rng=0)


def test_every_picture_is_there_once(tiny_demo: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fspielm.paper.demo.draw_run", lambda run: None)
    monkeypatch.setattr("fspielm.paper.demo.save_picture", lambda figure, path: path.touch())
    tiny_demo(tmp_path / "out")
    page = Page((tmp_path / "out" / "index.html").read_text("utf-8"))
    pictures = page.values("img", "src")
    assert pictures == [f"{name}.png" for name in fs.cases.names()]
    assert all((tmp_path / "out" / str(picture)).is_file() for picture in pictures)
    assert all(page.values("img", "alt"))
    assert page.values("a", "href") == [f"#{name}" for name in fs.cases.names()]
    assert page.values("figure", "id") == fs.cases.names()
    assert Counter(tag for tag, _ in page.tags)["tr"] == 8
    assert "Over all times" in page.text


def test_needs_nothing_from_elsewhere(run: CaseRun) -> None:
    text = gallery.gallery_page([(run, "a.png")], rng=0)
    assert not {"script", "link", "iframe"} & {tag for tag, _ in Page(text).tags}
    assert "http" not in text
    assert "url(" not in text
    assert "@import" not in text


def test_the_mark_of_our_pages_is_in_them(run: CaseRun) -> None:
    assert gallery.GENERATOR in gallery.gallery_page([(run, "a.png")], rng=0)


def test_everything_is_escaped(run: CaseRun) -> None:
    nasty = "<script>\"&'{x}"
    case = replace(run.case, name=nasty, title=nasty, notes=nasty)
    text = gallery.gallery_page([(replace(run, case=case), f"{nasty}.png")], rng=0)
    page = Page(text)
    assert "<script" not in text
    assert page.text.count(nasty) == 3
    assert page.values("img", "src") == [f"{nasty}.png"]
    assert page.values("figure", "id") == [nasty]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (3.28e-10, "3.28\u202f\u00d7\u202f10<sup>\u221210</sup>"),
        (1.0, "1.00\u202f\u00d7\u202f10<sup>0</sup>"),
        (97700.0, "9.77\u202f\u00d7\u202f10<sup>4</sup>"),
        (0.0, "0.00\u202f\u00d7\u202f10<sup>0</sup>"),
        (float("nan"), "not finite"),
        (float("inf"), "not finite"),
        (None, "–"),
    ],
)
def test_numbers_have_exponents_above_the_line(value: float | None, expected: str) -> None:
    from html import unescape

    assert unescape(number(value)) == expected


def test_multiples_of_pi_are_typeset() -> None:
    assert typeset("2 pi to 16 pi; a pipe 3 pint") == "2\u202fπ to 16\u202fπ; a pipe 3 pint"
    assert typeset("100 x 100 grid") == "100\u00a0×\u00a0100 grid"


def test_shows_estimate_verdict_and_bands(run: CaseRun) -> None:
    text = gallery.gallery_page([(run, "a.png")], rng=0)
    estimate = run.solution.report.error_estimate
    assert estimate is not None
    assert text.count(number(estimate)) == 2
    words = Page(text).text
    assert "Verdictconverged: the error estimate" in words
    assert "Functions that satisfy the equation, and cosines, frequencies up to " in words
    assert " in x (right-hand side)." in words
    assert "Band(" not in words


def test_says_when_a_case_did_not_converge() -> None:
    case = fs.cases.load("heat")
    with pytest.warns(fs.AccuracyWarning, match="budget of 40 functions"):
        run = run_case(case, {"budget": fs.Budget(neurons=40)}, rng=0)
    words = Page(gallery.gallery_page([(run, "a.png")], rng=0)).text
    assert "not converged: " in words
    assert "over all of space and time" in words


def test_a_solve_by_hand_without_estimate_shows_its_features(run: CaseRun) -> None:
    by_hand = run_case(run.case, run.case.paper.settings("fs-l"), rng=0)
    words = Page(gallery.gallery_page([(by_hand, "a.png")], rng=0)).text
    assert "FrequencyShift(neurons=200" in words
    assert "Verdict" not in words


def test_says_how_many_beat_the_paper(run: CaseRun) -> None:
    worse = replace(run, relative_error=1.0)
    better = replace(run, relative_error=1e-15)
    assert "1 of the 2 beat" in gallery.gallery_page([(better, "a.png"), (worse, "b.png")], rng=0)
    assert "All 2 beat" in gallery.gallery_page([(better, "a.png"), (better, "b.png")], rng=0)
