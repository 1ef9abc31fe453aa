"""Where the spectrum of a datum lives: boxes around its peaks."""

from __future__ import annotations

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.expressions import Field
from fspielm.geometry import Domain
from fspielm.spectrum.axes import waves_from_axes
from fspielm.spectrum.inscribed import Box, inscribed_boxes
from fspielm.spectrum.lines import THRESHOLD
from fspielm.spectrum.waves import Peak, exact_waves
from fspielm.spectrum.windowed import find_lines, grid_points, grid_size, windowed_spectrum

_MOST_SAMPLES = 4_000_000
# Memory for each sample, with the padding of its transform and what is made of that.
SAMPLE_BYTES = 250
# Frequencies closer than this, over the extent of the box, share a peak: within it each passes for the image of the
# other, and there may be more between them.
_MERGED = 30.0


def find_peaks(
    field: Field,
    domain: Domain,
    highest: FloatArray,
    rng: np.random.Generator,
    threshold: float = THRESHOLD,
    most: float = _MOST_SAMPLES,
) -> tuple[Peak, ...] | None:
    """Boxes that hold every frequency of a smooth field with an amplitude above `threshold` of the largest.

    Windowed Fourier transforms over boxes inside the domain; neighbours that those cannot tell apart share a box.

    Parameters
    ----------
    field : Field
    domain : Domain
    highest : (d,) array
        The highest frequency expected along each axis, which decides the sampling.
    rng : Generator
    threshold : float
    most : float
        Samples at most.

    Returns
    -------
    tuple of Peak or None
        None where the field is not finite, has higher frequencies than expected, more peaks than are of use, or
        would need too many samples and is no sum of waves.
    """
    if field.constant is not None:
        return () if field.constant == 0.0 else (Peak(np.zeros(domain.dimension), np.zeros(domain.dimension)),)
    boxes = inscribed_boxes(domain, rng)
    sizes = [grid_size(box, highest) for box in boxes]
    if sum(float(np.prod(size)) for size in sizes) > min(most, _MOST_SAMPLES):
        return waves_from_axes(field, domain, highest, rng)
    if not boxes:
        return None
    if not _are_inside(field, domain, boxes, sizes):
        return None
    spectra = [windowed_spectrum(field, box, size) for box, size in zip(boxes, sizes, strict=True)]
    largest = max(float(spectrum.amplitudes.max()) for spectrum in spectra)
    if not np.isfinite(largest):
        return None
    lines = [find_lines(spectrum, threshold * largest) for spectrum in spectra]
    found = [line for line in lines if line is not None]
    if len(found) < len(lines):
        return None
    # a sum of waves with one frequency each is known better than any window shows
    tops = _one_of_each_pair([np.stack([w, w]) for w in found[0].frequencies[found[0].stand_out]])
    waves = exact_waves(tops, field, domain, rng)
    if waves is not None:
        return waves
    coarsest = np.min([upper - lower for lower, upper in boxes], axis=0)
    ends = [np.stack([w, w]) for line in found for w in line.frequencies]
    return _one_of_each_pair(_merge(ends, _MERGED / coarsest))


def _are_inside(field: Field, domain: Domain, boxes: list[Box], sizes: list[tuple[int, ...]]) -> bool:
    """Whether the field may be asked all over the boxes: a callable need not be defined outside of the domain."""
    lower, upper = domain.bounding_box
    if field.is_formula or (np.all(boxes[0][0] == lower) and np.all(boxes[0][1] == upper)):
        return True
    return all(bool(domain.contains(grid_points(*one)).all()) for one in zip(boxes, sizes, strict=True))


def _merge(boxes: list[FloatArray], resolution: FloatArray) -> list[FloatArray]:
    """Boxes that overlap, or nearly do, made one."""
    left, merged = list(boxes), []
    while left:
        box = left.pop()
        near = [
            other for other in left if np.all(np.maximum(box[0], other[0]) <= np.minimum(box[1], other[1]) + resolution)
        ]
        if not near:
            merged.append(box)
            continue
        left = [other for other in left if not any(other is one for one in near)]
        together = [box, *near]
        left.append(np.stack([np.min([b[0] for b in together], axis=0), np.max([b[1] for b in together], axis=0)]))
    return merged


def _one_of_each_pair(boxes: list[FloatArray]) -> tuple[Peak, ...]:
    peaks = []
    for low, high in boxes:
        center, widths = 0.5 * (low + high), 0.5 * (high - low)
        rounding = 1e-9 * np.abs(boxes).max()
        if np.all(np.abs(center) <= rounding):
            peaks.append(Peak(np.zeros_like(center), widths))
        elif center[np.argmax(np.abs(center) > rounding)] > 0:
            peaks.append(Peak(center, widths))
    return tuple(peaks)
