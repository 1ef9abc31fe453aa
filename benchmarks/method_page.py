"""Tables in docs/method.md and other pages, each between marks of its own, written anew by the benchmark of it."""

from __future__ import annotations

from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGE = DOCS / "method.md"


def put(name: str, text: str, page: Path = PAGE) -> None:
    """Replace what stands between ``<!-- name -->`` and the next ``<!-- end -->``."""
    before, mark, rest = page.read_text(encoding="utf-8").partition(f"<!-- {name} -->")
    _, end, after = rest.partition("<!-- end -->")
    if not mark or not end:
        raise SystemExit(f"{page} has no marks <!-- {name} --> and <!-- end --> to put the table between")
    page.write_text(f"{before}{mark}\n{text}\n{end}{after}", encoding="utf-8")
