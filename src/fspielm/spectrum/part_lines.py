"""Lines along the parts of a boundary, to look at data on."""

from __future__ import annotations

from itertools import pairwise
from typing import TypeAlias

import numpy as np

from fspielm.arrays import BoolArray, FloatArray
from fspielm.equations import Relation, mask_borders, value_jumps
from fspielm.geometry import BoundaryPart, Mask, Sites, reject, unit_stream

# Of the parts of a solid's boundary; and of a part's smooth pieces, the longest.
_LINES = 24
_PIECES = 8
_MASK_HALVINGS = 40
# Between jumps, lines keep this share of their length away from them.
_HAIR = 1e-9

# Starts and ends in the unit cube of a part, each ``(lines, parameters)``.
Lines: TypeAlias = tuple[FloatArray, FloatArray]


def part_lines(constraint: Relation, part: BoundaryPart, parameter: int, rng: np.random.Generator) -> Lines:
    """Lines of a part's unit cube along one parameter, each as long as the condition's mask holds on it.

    None runs across a corner or a gap of the part, where smooth data jump: each of its longest pieces has its own.
    """
    count = 1 if part.parameters == 1 else _LINES
    jumps = value_jumps(constraint)
    if jumps.size:
        return _between(constraint, part, np.concatenate([part.breaks, mask_borders(constraint), jumps]))
    masks = [mask for mask in (part.keep, constraint.mask) if mask is not None]
    if not masks:
        pieces = sorted(pairwise(part.breaks if parameter == 0 else (0.0, 1.0)), key=lambda piece: piece[0] - piece[1])
        low, high = np.repeat(pieces[:_PIECES], count, axis=0).T
        starts = rng.random((len(low), part.parameters))
        ends = starts.copy()
        starts[:, parameter], ends[:, parameter] = low, high
        return starts, ends

    def mask(points: FloatArray) -> BoolArray:
        held: BoolArray = np.logical_and.reduce([mask(points) for mask in masks])
        return held

    stream = unit_stream(part.parameters, rng, "uniform")
    seeds = reject(stream, lambda unit: mask(part.place(unit).points), count, what=f"the condition {constraint.name!r}")
    return _masked_lines(mask, part, parameter, seeds)


def _between(constraint: Relation, part: BoundaryPart, cuts: FloatArray) -> Lines:
    """The longest lines of a curve between cuts on which the condition holds, a hair off their ends."""
    low, high = np.sort(cuts)[:-1], np.sort(cuts)[1:]
    hair = _HAIR * (high - low)
    held = (high - low > _HAIR) & constraint.holds(part.place((0.5 * (low + high))[:, None]).points)
    longest = np.flatnonzero(held)[np.argsort(low[held] - high[held], kind="stable")[:_PIECES]]
    return (low + hair)[longest, None], (high - hair)[longest, None]


def _masked_lines(mask: Mask, part: BoundaryPart, parameter: int, seeds: FloatArray) -> Lines:
    """From each seed, where the mask holds, along one parameter as far as it does, by halving the way."""
    ends = []
    for limit in (0.0, 1.0):
        inside = seeds[:, parameter].copy()
        step = limit - inside
        for _ in range(_MASK_HALVINGS):
            unit = seeds.copy()
            unit[:, parameter] = inside + step
            held = mask(part.place(unit).points)
            inside = np.where(held, unit[:, parameter], inside)
            step = np.where(held, np.minimum(np.abs(step), np.abs(limit - inside)) * np.sign(step), step / 2)
        end = seeds.copy()
        end[:, parameter] = inside
        ends.append(end)
    return ends[0], ends[1]


def sites_on_lines(part: BoundaryPart, lines: Lines, n: int) -> Sites:
    """`n` sites on each line of a part's unit cube, one line after the other."""
    return part.place(np.linspace(*lines, n, axis=1).reshape(-1, part.parameters))


def directions_of(part: BoundaryPart, lines: Lines) -> FloatArray:
    """The largest component of the unit tangent along each axis, over lines of a part."""
    points = sites_on_lines(part, lines, 201).points
    steps = np.diff(points.reshape(len(lines[0]), 201, -1), axis=1)
    lengths = np.linalg.norm(steps, axis=2, keepdims=True)
    components = np.abs(np.divide(steps, lengths, out=np.zeros_like(steps), where=lengths > 0))
    return np.asarray(components.max(axis=(0, 1)), dtype=np.float64)
