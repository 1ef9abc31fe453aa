"""How wrong an eigenvalue of a linearisation may be."""

from __future__ import annotations

import numpy as np

from fspielm.accuracy import examine
from fspielm.arrays import safe_rms
from fspielm.equations import identity
from fspielm.solvers.following.path import Station
from fspielm.solvers.newton.deviations import deviations, of_sum


def eigenvalue_error(station: Station, value: float) -> float:
    """By what the eigenfunction leaves in rows that are held out.

    With T the inverse of the linearisation, of norm A, and r what is left of ``F' phi = mu phi``, there is an
    eigenvalue of T within ``A r / mu`` of ``1 / mu``.
    """
    local, spectrum = station.local, station.spectrum
    place = int(np.argmin(np.abs(spectrum.values - value)))
    finite, function = local.finite, np.asarray(spectrum.functions[:, place].real)
    examination = examine(finite, local.blocks, local.factored, local.equations.request.streams.probes)
    apply, nothing = (of_sum(finite.basis, each, finite.threads) for each in (function, np.zeros_like(function)))
    sites = examination.held_out.sites
    left, constant = (deviations(finite.problem, sites, each) for each in (apply, nothing))
    left = {name: left[name] - constant[name] for name in left}
    for number, equation in enumerate(finite.problem.equations):
        values = apply(identity(finite.problem.dimension).on(number), sites[equation.name])
        left[equation.name] = left[equation.name] - value * (spectrum.sign or 1) * values
    seams = finite.seams(function)
    residual = examination.norm(left)
    for seam in seams:
        residual = float(np.hypot(residual, seam.rows.scale * np.sqrt(seam.rows.count) * safe_rms(seam.deviation)))
    size = max(safe_rms(values @ function) for values in examination.sensitivity.values)
    return abs(value) * examination.sensitivity.amplification * residual / size
