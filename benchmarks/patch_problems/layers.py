"""Layers: along a straight side, along a curve, and oblique."""

from __future__ import annotations

from typing import Any

import sympy as sp

import fspielm as fs
from patch_problems.elements import Elements, box, outline
from patch_problems.example import PatchProblem, patch_problem, source_of, steady, x, y


@patch_problem("layer along a side", "-eps^2 laplacian u + u = f with eps = 1e-4, a layer along x = 0")
def straight() -> PatchProblem:
    """What is beside the layer is a wave that bends."""
    eps = 1e-4
    exact = sp.cos(5 * (x + y**2 / 2)) + sp.exp(-x / eps) * (1 + sp.sin(4 * y + x) / 2)
    stated = steady(fs.Box((0, 0), (1, 1)), exact, a=eps**2, c=-1)

    def shape(occ: Any) -> Any:
        face = box((0, 0), (1, 1))(occ)
        face.edges.Min(occ.X).hpref = 1
        return face

    elements = Elements(shape, 0.3, a=eps**2, c=-1, f=source_of(stated), value=exact, levels=6)
    return PatchProblem(stated, 1e-8, elements=elements)


@patch_problem("layer along a curve", "the same with eps = 1e-2, along an ellipse")
def curved() -> PatchProblem:
    """As wide everywhere, nearly."""
    eps, axes = 1e-2, (1.0, 0.7)
    inward = (1 - (x / axes[0]) ** 2 - (y / axes[1]) ** 2) / 2
    exact = sp.sin(4 * (y - x**2 / 3)) + sp.exp(-inward / eps) * (1 + sp.cos(3 * x - y) / 3)
    domain = fs.Ellipse((0, 0), axes)
    stated = steady(domain, exact, a=eps**2, c=-1)
    elements = Elements(outline(domain), 0.12, a=eps**2, c=-1, f=source_of(stated), value=exact, curve=2)
    return PatchProblem(stated, 1e-8, elements=elements)


@patch_problem("oblique layer", "-eps laplacian u + b grad u = f with eps = 1e-2, a layer across the box")
def oblique() -> PatchProblem:
    """The drift goes along the layer."""
    eps, along = 1e-2, (0.8, 0.6)
    across = 0.6 * (x - 0.45) - 0.8 * (y - 0.52)
    exact = sp.tanh(across / eps) * (1 + sp.sin(3 * x + y) / 3) + sp.cos(4 * (x - y**2 / 2))
    stated = steady(fs.Box((0, 0), (1, 1)), exact, a=eps, b=along)
    elements = Elements(box((0, 0), (1, 1)), 0.05, a=eps, b=along, f=source_of(stated), value=exact)
    return PatchProblem(stated, 1e-8, elements=elements)
