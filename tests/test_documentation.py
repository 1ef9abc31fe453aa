"""Every Python snippet in the documentation runs, and the README's says what it prints."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
SNIPPETS = [
    pytest.param(code, id=f"{page.name}-{index}")
    for page in PAGES
    for index, code in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL))
]


@pytest.mark.parametrize("code", SNIPPETS)
def test_snippet_runs(code: str) -> None:
    exec(compile(code, "snippet", "exec"), {})


def test_readme_example_prints_what_it_claims(capsys: pytest.CaptureFixture[str]) -> None:
    code = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)[0]
    claimed = re.search(r"# \[(-?[\d.]+)\]", code)
    assert claimed is not None
    exec(compile(code, "README.md", "exec"), {})
    printed = capsys.readouterr().out.splitlines()[0]
    assert printed == f"[{claimed.group(1)}]"
    assert float(claimed.group(1)) == pytest.approx(np.cos(12 * 0.34), abs=1e-8)


def test_readme_names_the_two_commands() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "make run" in text
    assert "make test" in text
