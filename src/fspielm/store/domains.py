"""Domains into text and back, as a problem file has them."""

from __future__ import annotations

import tomllib
from typing import Any

from fspielm.errors import ProblemError
from fspielm.files import read_draft
from fspielm.files.domain import describe_domain
from fspielm.files.toml import write_toml
from fspielm.geometry import Domain


def domain_text(domain: Domain) -> str | None:
    """The domain alone as a problem file, or None where text cannot hold it."""
    names = ", ".join(f"x{i + 1}" for i in range(domain.dimension))
    try:
        content = {"unknown": f"u({names})", "equation": "u = 0", "domain": describe_domain(domain), "conditions": []}
        text = write_toml(content)
        read_draft(text)
    except ProblemError:
        return None
    return text


def read_domain_text(text: Any) -> Domain:
    """The domain that `domain_text` has described."""
    return read_draft(alone(text)).domain


def alone(text: Any) -> str:
    """The text, unless it names another file, which one from elsewhere has no business to read."""
    if not isinstance(text, str) or "\n" not in text:
        raise ValueError("a statement that is no problem file")
    tables: list[Any] = [tomllib.loads(text)]
    while tables:
        table = tables.pop()
        if isinstance(table, dict) and "file" in table:
            raise ValueError("a statement that names another file")
        tables += table.values() if isinstance(table, dict) else table if isinstance(table, list) else []
    return text
