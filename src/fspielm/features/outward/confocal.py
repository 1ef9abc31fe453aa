"""Sources in and around ellipsoids, on confocal ones, with strengths that are spherical harmonics.

Fields that come from far away continue into an ellipsoid up to its focal conic, and those inside of it beyond its
surface. Along confocal surfaces they vary as on the surface itself, so that harmonics of the stretched ball hold
their strengths: superexponentially, once degrees exceed the wavenumber times a semi-axis.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.errors import ProblemError
from fspielm.features.outward.layers import Rings
from fspielm.geometry.space_exterior import Body

# Foldings beyond those aimed at that sums over sources are exact to.
_EXACT_TO = 3.0
_MOST_SOURCES = 300_000
# Places along and around a surface at which speeds are looked at.
_LOOKS = (65, 33)
# Steps of Newton's method for distances, which converges from one side.
_STEPS = 30


@final
@dataclass(frozen=True, eq=False)
class Layer:
    """Sources on one surface.

    Attributes
    ----------
    centers : (N, 3) array
    scale : float
        Their distance from the object, about.
    rings : Rings
    """

    centers: FloatArray
    scale: float
    rings: Rings


@final
@dataclass(frozen=True)
class Degrees:
    """The harmonics of strengths: of a degree, and of an order around one of the axes."""

    degree: int
    order: int
    axis: int


def layer_on(body: Body, semi_axes: FloatArray, degrees: Degrees, k: complex, foldings: float) -> Layer:
    """Sources on the surface of other `semi_axes`, as many as waves and distances ask for."""
    axes = np.roll(np.arange(3), 2 - degrees.axis)  # the axis of the rings last
    own, other = body.semi_axes[axes], semi_axes[axes]
    along, around = _speeds(own, other, k, foldings + _EXACT_TO)
    count = degrees.degree + 1 + math.ceil(0.5 * float(along.max()))
    heights, shares = np.polynomial.legendre.leggauss(count)
    looks = -np.cos(np.linspace(0, np.pi, _LOOKS[0]))
    counts = 2 * degrees.order + 1 + np.ceil(np.interp(heights, looks, around)).astype(np.int_)
    if counts.sum() > _MOST_SOURCES:
        given = ", ".join(f"{length:.3g}" for length in body.semi_axes)
        raise ProblemError(
            f"Exterior: an ellipsoid of semi-axes {given} asks for {counts.sum()} sources, more than {_MOST_SOURCES}; "
            "it is too flat, or too close to others, for so many digits: ask for fewer with tol=, or state a thicker "
            "one, or one further away"
        )
    turns = 2 * np.pi * np.concatenate([(np.arange(each) + 0.5) / each for each in counts])
    on_ball = _on_ball(np.repeat(heights, counts), turns)
    scale = float(np.median(np.linalg.norm(on_ball * (own - other), axis=1)))
    weights = np.repeat(0.5 * shares / counts, counts)
    if k.imag:  # as large on the object as others that are closer to it
        weights = weights * np.exp(k.imag * (_distances(own, on_ball * other) - scale))
    placed = np.empty_like(on_ball)
    placed[:, axes] = on_ball
    return Layer(body.placed(placed, semi_axes), scale, Rings(heights, counts, weights, degrees.degree, degrees.order))


def fastest(k: complex, foldings: float, distance: FloatArray | float) -> FloatArray:
    """The frequency along a surface beyond which waves of wavenumber k have lost so much at a distance from it."""
    lost = foldings / np.asarray(distance) + k.imag
    return np.asarray(np.sqrt(lost**2 + k.real**2 - k.imag**2))


def distance_of(k: complex, foldings: float, frequency: float) -> float:
    """The distance at which waves of a frequency along a surface have lost so much; the inverse of `fastest`."""
    steep = math.sqrt(max(frequency**2 - k.real**2 + k.imag**2, 0.0)) - k.imag
    return foldings / steep if steep > 0 else math.inf


def _speeds(own: FloatArray, other: FloatArray, k: complex, foldings: float) -> tuple[FloatArray, FloatArray]:
    """The highest frequencies of what a source is at the object, along and around, from pole to pole."""
    polar, azimuth = np.linspace(0, np.pi, _LOOKS[0])[:, None], np.linspace(0, np.pi, _LOOKS[1])
    on_ball = _on_ball(-np.cos(polar), azimuth)
    highest = fastest(k, foldings, np.linalg.norm(on_ball * (own - other), axis=-1))
    ahead = np.stack(
        np.broadcast_arrays(np.cos(polar) * np.cos(azimuth), np.cos(polar) * np.sin(azimuth), np.sin(polar)), axis=-1
    )
    aside = np.stack(
        np.broadcast_arrays(-np.sin(polar) * np.sin(azimuth), np.sin(polar) * np.cos(azimuth), 0.0), axis=-1
    )
    along, around = (np.linalg.norm(way * other, axis=-1) * highest for way in (ahead, aside))
    return along.max(axis=1), around.max(axis=1)


def _on_ball(heights: FloatArray, turns: FloatArray) -> FloatArray:
    across = np.sqrt(1 - heights**2)
    each = np.broadcast_arrays(across * np.cos(turns), across * np.sin(turns), heights)
    return np.stack(each, axis=-1)


def _distances(semi_axes: FloatArray, points: FloatArray) -> FloatArray:
    """From an ellipsoid of these semi-axes to points ``(n, 3)`` outside."""
    squares, t = semi_axes**2, np.zeros((len(points), 1))
    for _ in range(_STEPS):
        # the nearest place is squares * point / (squares + t), where it lies on the surface
        each = squares * points**2 / (squares + t) ** 2
        t = t + (each.sum(axis=1, keepdims=True) - 1) / (2 * (each / (squares + t)).sum(axis=1, keepdims=True))
    return np.asarray(np.linalg.norm(points * t / (squares + t), axis=1))
