"""The page: well formed, complete, self-contained, and nothing in it unescaped."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

import fspielm as fs
from fspielm.jobs import Job, Outcome, Plan, Subject, Sweep
from fspielm.paper.report.analysis import StudyResult
from fspielm.paper.report.figures import illustrations, unique_slugs
from fspielm.paper.report.page import GENERATOR, report_page
from fspielm.paper.templates import require_pages

Make = Callable[..., StudyResult]
KINDS = ["heat-map", "lines", "seeds", "times", "frequencies"]


def page_of(result: StudyResult) -> str:
    return report_page(result, {one.name: illustrations(result, one) for one in result.subjects}, ["cells.csv"])


@pytest.fixture
def troubled_page(make_result: Make, small_plan: Plan, in_trouble: Any) -> str:
    return page_of(make_result(small_plan, in_trouble))


def check(page: Any) -> None:
    """What holds for every page."""
    ids = page.values("id")
    assert len(set(ids)) == len(ids)
    for link in page.values("href"):
        assert not link.startswith("#") or link[1:] in ids
        assert "//" not in link
    assert page.values("src") == []
    assert not {"link", "iframe", "img", "object"} & {tag for tag, _ in page.tags}
    references = {link[1:] for link in page.values("xlink:href") if link.startswith("#")}
    assert references <= set(ids)
    charts = [attributes for tag, attributes in page.tags if tag == "svg"]
    assert all(chart["role"] == "img" and chart["aria-label"] for chart in charts)
    for _, attributes in page.tags:
        for name in ("x", "y", "width", "height", "d"):
            assert not re.search("nan|inf", attributes.get(name) or "")


def test_well_formed_and_complete(make_result: Make, small_plan: Plan, parse: Any) -> None:
    text = page_of(make_result(small_plan))
    page = parse(text)
    check(page)
    assert GENERATOR in text
    assert page.values("id", "figure") == [f"figure-poisson-1d-{kind}" for kind in KINDS]
    tags = Counter(tag for tag, _ in page.tags)
    assert tags["figcaption"] == tags["figure"] == 5
    assert tags["svg"] == 5
    assert "not finished" not in page.text
    assert "All 12 settings" in page.text


def test_needs_nothing_from_elsewhere(troubled_page: str) -> None:
    assert "http" not in troubled_page
    assert set(re.findall(r"url\(.", troubled_page)) == {"url(#"}
    assert "@import" not in troubled_page


def test_says_what_is_missing_and_what_failed(troubled_page: str, parse: Any) -> None:
    page = parse(troubled_page)
    check(page)
    assert "This study is not finished: 22 of 24 solves have ended. 6 solves failed" in page.text
    assert "out of memory: <3 GiB> & more" in page.text
    assert "22 of 24 solves so far" in page.text
    assert "1 of 2: 1 to come" in page.text
    assert "0 of 2: 2 failed" in page.text
    assert "0 of 2: 2 not finite" in page.text
    assert "#failures" in page.values("href")


@pytest.mark.parametrize("outcome", [None, Outcome("failed", "no")])
def test_a_study_without_a_number(make_result: Make, small_plan: Plan, parse: Any, outcome: Outcome | None) -> None:
    page = parse(page_of(make_result(small_plan, lambda job: outcome)))
    check(page)
    assert "No solve has given a number yet." in page.text
    assert page.values("id", "figure") == []


def test_own_problems_say_what_they_are_measured_with(make_result: Make, string: Subject, parse: Any) -> None:
    sweep = Sweep([string.name], ["fs-l"], mu=[(1, 2), (2, 3)], neurons=[20], seeds=[0, 1])
    for measure, words in (
        ("estimate", "the solver's own estimates"),
        ("reference", "distances from the reference solution"),
        ("exact", "against the exact solution"),
    ):
        result = make_result(
            Plan("<own> & 'only'", sweep, files=[string]), lambda job, m=measure: Outcome("done", measure=m, error=1e-3)
        )
        text = page_of(result)
        page = parse(text)
        check(page)
        assert words in page.text
        assert "Best / paper's" not in page.text
        assert "the paper, best to mean" not in page.text
        assert "Study “<own> & 'only'”" in page.text
        assert "<string>" in page.text
        assert "<string>" not in text


def test_several_settings_have_their_own_pictures(make_result: Make, parse: Any) -> None:
    sweep = Sweep(
        ["poisson-1d"], ["gff", "automatic"], mu=[(1, 200)], neurons=[50, 200], least_squares=["qr"], seeds=[0]
    )
    page = parse(page_of(make_result(Plan("p", sweep))))
    check(page)
    assert page.values("id", "figure") == [
        f"figure-poisson-1d-{neurons}-neurons-{kind}" for neurons in (50, 200) for kind in KINDS[2:]
    ]
    assert "Unlike the paper: 50 neurons instead of 200 neurons; qr instead of svd 1e-12." in page.text
    assert "the paper's FS-PIELM-L" in page.text


def test_every_builtin_method_on_one_page(make_result: Make, parse: Any) -> None:
    methods = ["tanh", "siren", "gff", "fs-l", "fs-g", "fs-l-space", "fs-g-space", "automatic"]
    page = parse(page_of(make_result(Plan("p", Sweep(["heat"], methods, mu=[(5, 50), (10, 60)], neurons=[40])))))
    check(page)
    assert len(page.values("id", "figure")) == 4
    assert "the paper's GFF-PIELM" in page.text


def test_a_large_grid_of_ranges(make_result: Make, parse: Any) -> None:
    pairs = [(low, high) for low in range(12) for high in range(20, 32)]
    page = parse(page_of(make_result(Plan("p", Sweep(["poisson-1d"], ["gff"], mu=pairs, neurons=[20], seeds=[0])))))
    check(page)
    assert "figure-poisson-1d-heat-map" in page.values("id", "figure")


def test_numbers_are_sorted_by_themselves(make_result: Make, small_plan: Plan, parse: Any) -> None:
    def fill(job: Job) -> Outcome:
        return Outcome("done", measure="exact", error=1.25e-7, seconds=0.5)

    page = parse(page_of(make_result(small_plan, fill)))
    assert "1.25e-07" in page.values("data-key", "td")


def test_names_of_files_never_clash() -> None:
    assert unique_slugs(["A b", "a-b", "b", "ÿ", "%"]) == {
        "A b": "a-b",
        "a-b": "a-b-2",
        "b": "b",
        "ÿ": "case",
        "%": "case-2",
    }


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fspielm.paper.templates.find_spec", lambda name: None)
    with pytest.raises(fs.ProblemError, match=r"pages need jinja2: pip install \"fspielm\[plot\]\""):
        require_pages()
