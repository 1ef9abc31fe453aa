"""Functions that live along an interface between materials of opposite signs (surface plasmons).

With ``a`` of opposite signs on either side, ``exp(i k t - k |n|)`` leaves in the flux ``k (a1 + a2)``, however large k
is: nothing at a contrast of -1, where every frequency passes. Beside it, what the layers on either side leave of the
function at their other end, ``exp(-k d)``, makes up for the difference at some k; beyond that k none passes.
"""

from __future__ import annotations

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.equations import Problem
from fspielm.equations.operator import Operator
from fspielm.equations.regions import probe
from fspielm.geometry import Sites
from fspielm.spectrum.hidden.let_through import LetThrough

_SITES = 256
# What is seen across a layer lies within this slope from the normal; of distances, the share that may be smaller.
_CONE, _SHARE = 0.25, 0.1
# Nearer to a contrast of -1 than this, only rounding would select a frequency.
_NO_CONTRAST = 1e-9


def between_materials(problem: Problem) -> list[LetThrough]:
    """The highest frequency along each interface at which a function may pass, where materials have opposite signs."""
    found: list[LetThrough] = []
    lines = [line for line in problem.interfaces if line.part.parameters]
    if not lines or len(problem.unknowns) > 1:
        return found
    every = [probe(line.part, _SITES) for line in lines]
    ends = np.concatenate(
        [sites.points for sites in every] + [probe(part, _SITES).points for part in problem.domain.boundary()]
    )
    for line, sites in zip(lines, every, strict=True):
        rules = [rule for rule in line.rules if rule.kind == "flux"]
        if not rules:
            continue
        first, second = (_along_normal(flux, sites) for flux in (rules[0].first, rules[0].second))
        opposite = first * second < 0
        if not opposite.any():
            continue
        contrast = float((np.abs(first + second) / np.abs(first - second))[opposite].min())
        frequency = float("inf") if contrast < _NO_CONTRAST else float(np.log(2 / contrast)) / _across(sites, ends)
        assert sites.normals is not None  # every interface has them
        reach = np.sqrt(np.maximum(1 - sites.normals**2, 0.0)).max(axis=0)
        along = np.where(reach > 0, frequency, 0.0) * np.where(reach > 0, reach, 1.0)
        found.append(LetThrough(line.name, frequency, along, is_interface=True))
    return found


def _along_normal(flux: Operator, sites: Sites) -> FloatArray:
    """What the derivative along the normal is multiplied with in a flux."""
    assert sites.normals is not None
    total = np.zeros(len(sites))
    for term in flux.terms:
        if term.order == 1:
            total += np.real(term.at(sites)) * sites.normals[:, term.orders.index(1)]
    return total


def _across(sites: Sites, ends: FloatArray) -> float:
    """How far it is from an interface, along its normals, to where something else begins."""
    assert sites.normals is not None
    away = ends[None] - sites.points[:, None]
    height = np.abs(np.einsum("ijk,ik->ij", away, sites.normals))
    beside = np.sqrt(np.maximum(np.sum(away**2, axis=2) - height**2, 0.0))
    seen = np.where((height > 0) & (beside <= _CONE * height), height, np.inf).min(axis=1)
    return float(np.quantile(seen, _SHARE, method="lower"))
