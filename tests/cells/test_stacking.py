"""Tilings one on top of the other."""

from __future__ import annotations

import itertools

import numpy as np

import fspielm as fs
from fspielm.cells import tile
from fspielm.cells.frames import stack_frames


def test_every_cell_keeps_its_place() -> None:
    times, shapes = [0.0, 1.0, 1.5, 4.0], [(2, 1), (3, 2), (1, 3)]
    parts = [
        tile(fs.Interval(0, 1) * fs.Time(*ends), shape).frames
        for ends, shape in zip(itertools.pairwise(times), shapes, strict=True)
    ]
    whole = stack_frames(parts)
    assert len(whole) == sum(map(len, parts))
    begins = np.cumsum([0, *map(len, parts)])
    points = np.random.default_rng(0).uniform((0, 0), (1, 4), (500, 2))
    window = np.searchsorted(times[1:-1], points[:, 1], side="right")
    expected = [begins[w] + parts[w].locate(point[None])[0] for w, point in zip(window, points, strict=True)]
    np.testing.assert_array_equal(whole.locate(points), expected)


def test_one_tiling_is_itself() -> None:
    frames = tile(fs.Interval(0, 1) * fs.Time(0, 1), (2, 2)).frames
    alone = stack_frames([frames])
    np.testing.assert_array_equal(alone.tree.cuts, frames.tree.cuts)
    np.testing.assert_array_equal(alone.lower, frames.lower)
