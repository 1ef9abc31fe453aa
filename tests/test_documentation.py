"""Every Python snippet in the documentation runs, and the README's says what it prints."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_snippets_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One after the other, as a reader would type them; what they write lands in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {}
    for code in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
        exec(compile(code, page.name, "exec"), namespace)


def test_readme_example_prints_what_it_claims(capsys: pytest.CaptureFixture[str]) -> None:
    code = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)[0]
    claimed = re.search(r"# \[(-?[\d.]+)\]", code)
    assert claimed is not None
    exec(compile(code, "README.md", "exec"), {})
    printed = capsys.readouterr().out.splitlines()[0]
    assert printed == f"[{claimed.group(1)}]"
    assert float(claimed.group(1)) == pytest.approx(np.cos(12 * 0.34), abs=1e-8)


def test_the_shape_of_the_contributing_guide_works() -> None:
    """Everything that is promised to follow from its edges does."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    code = re.findall(r"```python\n(.*?)```", text, re.DOTALL)[0]
    namespace: dict[str, Any] = {}
    exec(compile(code, "CONTRIBUTING.md", "exec"), namespace)
    stadium = namespace["Stadium"]((1, 2), 3, 0.5, name="track")
    assert stadium.measure == pytest.approx(3 + np.pi / 4, rel=1e-14)
    assert np.array(stadium.bounding_box) == pytest.approx(np.array([[-1, 1.5], [3, 2.5]]), abs=1e-14)
    parts = {part.name: part.measure for part in stadium.boundary()}
    assert parts == pytest.approx({"track.straights": 6, "track.bends": np.pi})
    assert stadium.corners() == ()
    points = np.array([[1, 2], [2.9, 2], [2.9, 2.4], [3, 2], [3.1, 2]])
    assert stadium.contains(points).tolist() == [True, True, False, True, False]
    assert repr(stadium) == "Stadium(center=(1.0, 2.0), length=3.0, radius=0.5, name='track')"


def test_readme_names_the_two_commands() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "make run" in text
    assert "make test" in text


OWN = ROOT / "src" / "fspielm"
DOCUMENTS = [
    ROOT / "ARCHITECTURE.md",
    ROOT / "CONTRIBUTING.md",
    *(ROOT / "docs" / "decisions").glob("*.md"),
    *OWN.rglob("README.md"),
]
MADE = ("out/",)  # folders that commands make


def test_documents_name_what_exists() -> None:
    """Names and files in the documents for developers are those of the sources."""
    folders = [ROOT / name for name in ("src", "tests", "benchmarks")]
    sources = [path.read_text(encoding="utf-8") for folder in folders for path in folder.rglob("*.py")]
    words = set(re.findall(r"\w+", "\n".join(sources)))
    stale = []
    for document in DOCUMENTS:
        for name in re.findall(r"`([\w./]+)`", document.read_text(encoding="utf-8")):
            if "/" in name or name.endswith(".py"):
                exists = name in MADE or _find(document, name) is not None
            else:
                exists = name.rpartition(".")[2] in words or name.startswith(".")
            stale += [] if exists else [f"{document.relative_to(ROOT)}: {name}"]
    assert not stale


def test_documents_name_the_file_that_defines_a_name() -> None:
    """In "`name` (`file.py`" and "`name` in `file.py`", the file defines the name."""
    listed = r"((?:`[\w.]+`(?:,\s+|\s+and\s+)?)+)\s*(?:\(|in\s+)`([\w/]+\.py)`"
    stale, found = [], 0
    for document in DOCUMENTS:
        for names, file in re.findall(listed, document.read_text(encoding="utf-8")):
            path = _find(document, file)
            assert path is not None, f"{document.relative_to(ROOT)}: {file}"
            source = path.read_text(encoding="utf-8")
            for name in re.findall(r"`([\w.]+)`", names):
                if name.endswith(".py"):
                    continue
                last, found = name.rpartition(".")[2], found + 1
                defined = re.search(rf"^\s*(?:(?:def|class) {last}\b|(?:self\.)?{last}\s*[:=])", source, re.MULTILINE)
                stale += [] if defined else [f"{document.relative_to(ROOT)}: {name} ({file})"]
    assert found > 100
    assert not stale


def _find(document: Path, name: str) -> Path | None:
    """The file or folder that a document names: from the root, from the package or from the document's folder."""
    places = (ROOT / name, OWN / name, document.parent / name)
    return next((place for place in places if place.exists()), None)
