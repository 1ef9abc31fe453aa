"""Directions spread evenly over half of a sphere, one of every opposite pair."""

from __future__ import annotations

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.deadline import check_deadline
from fspielm.geometry import kronecker


def half_sphere(n: int, dimension: int, rng: np.random.Generator) -> FloatArray:
    """`n` unit vectors ``(n, dimension)``, turned at random; the line has one direction, however many are asked for."""
    check_deadline()
    if dimension == 1:
        return np.ones((1, 1))
    if dimension == 2:
        angle = np.pi * (np.arange(n) + rng.random()) / n
        return np.column_stack([np.cos(angle), np.sin(angle)])
    if dimension == 3:
        # a spiral of equal areas, as dense as on a whole sphere of twice the number
        height = (np.arange(n) + 0.5) / n
        angle = np.pi * (3 - np.sqrt(5)) * np.arange(n)
        across = np.sqrt(1 - height**2)
        points = np.column_stack([across * np.cos(angle), across * np.sin(angle), height])
    else:
        from scipy.special import ndtri

        points = ndtri(np.clip(kronecker(n, dimension), 1e-12, 1 - 1e-12))
        points /= np.linalg.norm(points, axis=1, keepdims=True)
    turn, _ = np.linalg.qr(rng.standard_normal((dimension, dimension)))
    return np.asarray(points @ turn)


def tangents(directions: FloatArray, rng: np.random.Generator) -> FloatArray:
    """A unit vector across each of the directions ``(n, d)``, d at least two."""
    n, dimension = directions.shape
    if dimension == 2:
        return np.column_stack([-directions[:, 1], directions[:, 0]])
    # even in angle around the directions, by an irrational step that has nothing to do with theirs
    angle = 2 * np.pi * (np.sqrt(2) * np.arange(n) + rng.random())
    plane, _ = np.linalg.qr(rng.standard_normal((dimension, 2)))
    across = np.cos(angle)[:, None] * plane[:, 0] + np.sin(angle)[:, None] * plane[:, 1]
    across -= np.sum(across * directions, axis=1, keepdims=True) * directions
    return np.asarray(across / np.linalg.norm(across, axis=1, keepdims=True))
