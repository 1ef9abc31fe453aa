"""What the methods are called, and in which order they come."""

from __future__ import annotations

from collections.abc import Iterable

from fspielm.study.job import ALL_METHODS

LABELS = {
    "tanh": "Tanh-PIELM",
    "siren": "SIREN-PIELM",
    "gff": "GFF-PIELM",
    "fs-l": "FS-PIELM-L",
    "fs-g": "FS-PIELM-G",
    "fs-l-space": "FS-PIELM-L, space",
    "fs-g-space": "FS-PIELM-G, space",
    "automatic": "automatic",
}
SHORT_LABELS = {
    "tanh": "Tanh",
    "siren": "SIREN",
    "gff": "GFF",
    "fs-l": "FS-L",
    "fs-g": "FS-G",
    "fs-l-space": "FS-L space",
    "fs-g-space": "FS-G space",
    "automatic": "automatic",
}


def order_methods(methods: Iterable[str]) -> list[str]:
    """Each method once, in the order of the paper, then our own."""
    return sorted(set(methods), key=ALL_METHODS.index)
