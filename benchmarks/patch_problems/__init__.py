"""The named problems that patches are measured by, each with its solution and what finite elements need for it."""

from patch_problems import corners, evolving, layers, materials, media, perforated, sources  # each registers its own
from patch_problems.example import PATCH_PROBLEMS, PatchProblem

__all__ = [
    "PATCH_PROBLEMS",
    "PatchProblem",
    "corners",
    "evolving",
    "layers",
    "materials",
    "media",
    "perforated",
    "sources",
]
