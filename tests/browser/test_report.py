"""The page of a report in a real browser: Debian's chromium, or what goes by its names, without a window."""

from __future__ import annotations

import json
import shutil
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from fspielm.jobs import Job, Outcome, Plan, Row, Sweep
from fspielm.paper.report.analysis import make_study
from fspielm.paper.report.figures import illustrations
from fspielm.paper.report.page import report_page

pytestmark = pytest.mark.browser

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
WIDTHS = {"phone": 360, "desk": 1280}
HEAD = "<script>window.caught = []; window.onerror = (message) => { window.caught.push(String(message)); };" + (
    "console.error = console.warn = (...said) => { window.caught.push(said.join(' ')); };</script>"
)
AROUND = """<!DOCTYPE html><meta charset="utf-8"><pre id="found"></pre>
<script>addEventListener("message", (event) => {{
  const found = document.getElementById("found");
  found.textContent += event.data + "\\n";
}});</script>
{frames}"""


def outcome_of(job: Job) -> Outcome | None:
    """Numbers made up, with failures and gaps among them."""
    low, high = job.mu or (1, 100)
    if job.method == "tanh" and low == 5:
        return Outcome("failed", "out of memory: the system needs more than there is, by far, whatever one does")
    if job.method == "siren" and low == 10:
        return None
    return Outcome("done", measure="exact", error=1e-9 * low * (1 + job.seed) * (high - 40) ** 2, seconds=0.01 * high)


@pytest.fixture(scope="module")
def page() -> str:
    """A page with everything on it."""
    methods = ["tanh", "siren", "gff", "fs-l", "fs-g", "fs-l-space", "fs-g-space", "automatic"]
    pairs = [(low, high) for low in (5, 10, 15) for high in (50, 60, 70, 80)]
    plan = Plan("for the browser", [Sweep(["heat"], methods, mu=pairs), Sweep(["poisson-1d"], ["fs-l"], seeds=[0])])
    rows = [Row(job, outcome) for job in plan.jobs if (outcome := outcome_of(job))]
    result = make_study(plan, plan.terms(), rows, {})
    return report_page(result, {one.name: illustrations(result, one) for one in result.subjects}, ["cells.csv"])


@pytest.fixture(scope="module")
def found(page: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the probe found at each width."""
    if BROWSER is None:
        pytest.skip("there is no chromium here; on Debian: apt install chromium")
    folder = tmp_path_factory.mktemp("page")
    probe = Path(__file__).with_name("probe.js").read_text("utf-8")
    probed = page.replace("<head>", f"<head>{HEAD}").replace("</body>", f"<script>{probe}</script></body>")
    (folder / "page.html").write_text(probed, "utf-8")
    # frames, since a window cannot be as narrow as a phone
    frames = "".join(
        f'<iframe name="{name}" src="page.html" style="width: {width}px; height: 900px; border: 0"></iframe>'
        for name, width in WIDTHS.items()
    )
    (folder / "around.html").write_text(AROUND.format(frames=frames), "utf-8")
    command = [
        BROWSER,
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        "--window-size=1700,1000",
    ]
    command += [f"--user-data-dir={folder / 'profile'}", "--virtual-time-budget=20000", "--dump-dom"]
    done = subprocess.run([*command, (folder / "around.html").as_uri()], capture_output=True, text=True, timeout=180)
    told = unescape(done.stdout.partition('<pre id="found">')[2].partition("</pre>")[0])
    return {report["name"]: report for report in map(json.loads, told.splitlines())}


@pytest.mark.parametrize("name", WIDTHS)
class TestPage:
    def test_loads_without_errors(self, found: dict[str, Any], name: str) -> None:
        assert found[name]["errors"] == []

    def test_has_every_figure(self, found: dict[str, Any], name: str) -> None:
        figures = found[name]["figures"]
        heat = [f"figure-heat-{kind}" for kind in ("heat-map", "lines", "seeds", "times", "frequencies")]
        poisson = [f"figure-poisson-1d-{kind}" for kind in ("seeds", "times", "frequencies")]
        assert [figure["id"] for figure in figures] == heat + poisson
        assert all(figure["drawn"] for figure in figures)

    def test_does_not_scroll_sideways(self, found: dict[str, Any], name: str) -> None:
        assert found[name]["width"] == WIDTHS[name]
        assert found[name]["scrollWidth"] <= WIDTHS[name]

    def test_no_text_is_cut(self, found: dict[str, Any], name: str) -> None:
        assert found[name]["outside"] == []

    def test_sorts_every_column_of_every_table(self, found: dict[str, Any], name: str) -> None:
        tables = found[name]["sorting"]
        assert len(tables) == 7
        for column in (column for table in tables for column in table):
            for way in column["ways"]:
                assert way["said"], column["heading"]
                assert way["keys"] == sorted(way["keys"]), column["heading"]
                assert way["missingLast"], column["heading"]
