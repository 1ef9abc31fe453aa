"""How wrong the parameter may be at folds and bifurcations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fspielm.accuracy import examine
from fspielm.arrays import safe_rms
from fspielm.equations import identity
from fspielm.solvers.following.events import Event
from fspielm.solvers.following.path import Station
from fspielm.solvers.following.walk import Stop
from fspielm.solvers.newton.deviations import deviations, of_sum


def fold_error(beside: Sequence[Stop]) -> float:
    """By the error of solutions on either side, as a change of the parameter that would make as much.

    An error E of a solution u with the parameter p fixed is as if that were wrong by ``E / |du/dp|``. Both grow without
    bound toward a fold, where the linearisation is singular; their ratio does not, and is what the fold is wrong by.
    """
    return max((_error(stop) / stop.curve.slope(stop.station) for stop in beside), default=np.inf)


def bifurcation_error(beside: Sequence[Stop], event: Event) -> float:
    """By the error of the eigenvalue that crosses zero, and that of the solutions on either side."""
    change = abs(event.after - event.before) / max(abs(event.last.value - event.first.value), np.finfo(float).tiny)
    rng = beside[0].notary.request.streams.probes if beside else np.random.default_rng(0)
    eigenvalue = max(_eigenvalue_error(event.first, event.before, rng), _eigenvalue_error(event.last, event.after, rng))
    moved = max(
        (_error(stop) / stop.curve.metric.unit * abs(stop.station.steepness) for stop in beside), default=np.inf
    )
    return eigenvalue / change + moved if change > 0 else np.inf


def _error(stop: Stop) -> float:
    estimate = stop.solution.estimate
    return estimate.relative * estimate.scale


def _eigenvalue_error(station: Station, value: float, rng: np.random.Generator) -> float:
    """By what the eigenfunction leaves in rows that are held out.

    With T the inverse of the linearisation, of norm A, and r what is left of ``F' phi = mu phi``, there is an
    eigenvalue of T within ``A r / mu`` of ``1 / mu``.
    """
    local, spectrum = station.local, station.spectrum
    place = int(np.argmin(np.abs(spectrum.values - value)))
    finite, function = local.finite, np.asarray(spectrum.functions[:, place].real)
    examination = examine(finite, local.blocks, local.factored, rng)
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
