"""Whether what is carried along comes from, or leads to, a place where something is prescribed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, FloatArray, NumberArray
from fspielm.estimate.frozen import without_phase
from fspielm.geometry.domain import Domain
from fspielm.geometry.points import Sites
from fspielm.problem.operator import Operator
from fspielm.problem.places import probe
from fspielm.problem.problem import Problem

_POINTS = 256
# The longest step, in extents of the domain; by how much the direction may change over half of one, for which it
# is made shorter so many times; and how many steps streamlines are followed.
_STEP = 0.04
_TURN = 0.03
_SHORTER = 4
_STEPS = 1200
# Bisections of the last step: to the sites that tell where it ended, which are so many for each condition.
_BISECTIONS = 20
_SITES = 2000
# What is forgotten by so many powers of e along the way need not be known.
_FORGOTTEN = 25.0
# So many streamlines from nowhere are no accident.
_FEW = 3
# An end belongs to no condition if a place without one is so much closer.
_CLOSER = 0.5


def undetermined_streamline(problem: Problem) -> tuple[FloatArray, bool] | None:
    """A point whose streamline no condition holds on, and whether it never leaves the domain; None if there is none.

    For equations ``b . grad u + a u = f`` of first order: with time, b has a component along it. A streamline may be
    known from either end; where `a` makes it forget, from neither.
    """
    if problem.dimension == 1 or problem.determinant.order != 1:
        return None
    if any(c.region.kind == "inside" and c.part is not None for c in problem.constraints):
        return None  # a curve may cross all of them
    if problem.domain.time is None and any(c.region.partner is not None for c in problem.constraints):
        return None  # around a period, which the constant that is left open tells of
    flow = _Flow(problem.determinant, problem.domain)
    points = problem.domain.sample(_POINTS, np.random.default_rng(0), "low-discrepancy")  # only looks
    if not flow.is_real(points):
        return None
    known, held, open_places = np.zeros(len(points), dtype=bool), _held(problem), _open(problem)
    endless = np.ones(len(points), dtype=bool)
    for sign in (-1.0, 1.0):
        left = np.flatnonzero(~known)
        if len(left) < _FEW:
            return None
        ends, leaves, forgotten = flow.follow(points[left], sign)
        determined = forgotten
        determined[leaves] |= _is_held(ends[leaves], held, open_places, flow.lengths)
        endless[left] &= ~leaves
        known[left] = determined
    unknown = np.flatnonzero(~known)
    if len(unknown) < _FEW:
        return None
    return points[unknown[0]], bool(endless[unknown[0]])


@final
@dataclass(frozen=True, eq=False)
class _Flow:
    operator: Operator
    domain: Domain

    @property
    def lengths(self) -> FloatArray:
        lower, upper = self.domain.bounding_box
        return upper - lower

    def velocity(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Of unit length in extents of the domain ``(n, d)``, and what is forgotten on that way ``(n,)``."""
        b, a = self._coefficients(points)
        if np.iscomplexobj(b):  # the phase that all of them have in common means nothing
            leading = np.take_along_axis(b, np.abs(b).argmax(axis=1)[:, None], axis=1)
            turn = np.conj(leading) / np.maximum(np.abs(leading), 1e-300)
            b, a = (b * turn).real, (a * turn[:, 0]).real
        speed = np.maximum(np.linalg.norm(b / self.lengths, axis=1), 1e-300)
        return b / speed[:, None], a / speed

    def is_real(self, points: FloatArray) -> bool:
        """Whether there is a direction: ``u_x + i u_y`` carries nothing along."""
        return without_phase(self._coefficients(points)[0].T) is not None

    def _coefficients(self, points: FloatArray) -> tuple[NumberArray, NumberArray]:
        """Of the derivatives ``(n, d)``, and of the unknown itself ``(n,)``."""
        sites = Sites(points)
        values = [term.at(sites) for term in self.operator.terms]
        dtype = np.result_type(np.float64, *values)
        b, a = np.zeros(points.shape, dtype=dtype), np.zeros(len(points), dtype=dtype)
        for term, value in zip(self.operator.terms, values, strict=True):
            if term.order:
                b[:, term.orders.index(1)] += value
            else:
                a += value
        return b, a

    def follow(self, points: FloatArray, sign: float) -> tuple[FloatArray, BoolArray, BoolArray]:
        """Where streamlines leave the domain, whether they do, and whether all is forgotten before.

        By the classical Runge-Kutta method; a stage outside is taken where the step began.
        """
        ends, leaves = points.copy(), np.zeros(len(points), dtype=bool)
        damped = np.zeros(len(points))
        moving = np.arange(len(points))
        for _ in range(_STEPS):
            here = ends[moving]
            step, lost = self._step(here, sign)
            after = here + step
            damped[moving] += lost
            outside = ~self.domain.contains(after)
            gone = moving[outside]
            ends[gone] = self._exit(here[outside], after[outside])
            leaves[gone] = True
            ends[moving[~outside]] = after[~outside]
            moving = moving[~outside & (np.abs(damped[moving]) < _FORGOTTEN)]
            if not moving.size:
                break
        # forward along the stream what was is forgotten where `a` damps; backward, where it feeds
        return ends, leaves, -sign * damped >= _FORGOTTEN

    def _step(self, here: FloatArray, sign: float) -> tuple[FloatArray, FloatArray]:
        first, lost = self.velocity(here)
        h = np.full((len(here), 1), sign * _STEP)
        for _ in range(_SHORTER):  # a thin eddy turns within less than a step
            middle = self._at(here, here + 0.5 * h * first)
            turn = np.linalg.norm((middle - first) / self.lengths, axis=1, keepdims=True)
            if np.all(turn <= _TURN):
                break
            h *= np.minimum(1.0, _TURN / np.maximum(turn, 1e-300))
        stages = [first]
        for share in (0.5, 0.5, 1.0):
            stages.append(self._at(here, here + share * h * stages[-1]))
        step = h / 6 * (stages[0] + 2 * stages[1] + 2 * stages[2] + stages[3])
        return step, np.abs(h[:, 0]) * lost

    def _at(self, here: FloatArray, there: FloatArray) -> FloatArray:
        """The velocity there, or here where there is outside."""
        return self.velocity(np.where(self.domain.contains(there)[:, None], there, here))[0]

    def _exit(self, inside: FloatArray, outside: FloatArray) -> FloatArray:
        for _ in range(_BISECTIONS):
            middle = 0.5 * (inside + outside)
            held = self.domain.contains(middle)[:, None]
            inside, outside = np.where(held, middle, inside), np.where(held, outside, middle)
        return inside


def _held(problem: Problem) -> FloatArray:
    """Places where something is prescribed; of parts that are tied together, on both."""
    rng = np.random.default_rng(0)  # only looks
    found = []
    for constraint in problem.constraints:
        points = constraint.sample(_SITES, rng, "low-discrepancy").points
        found.append(points)
        if constraint.region.shift is not None:
            found.append(points + constraint.region.shift)
    return np.concatenate(found)


def _open(problem: Problem) -> FloatArray:
    """Places of the boundary, and of the end of time, where nothing is."""
    bound = [c for c in problem.constraints if c.region.kind == "boundary"]
    found = []
    for part in problem.domain.boundary([str(symbol) for symbol in problem.coordinates]):
        points = probe(part, _SITES).points
        here = [c for c in bound if part.name in c.part_names]
        found.append(points[~np.any([np.zeros(len(points), dtype=bool), *(c.holds(points) for c in here)], axis=0)])
    time = problem.domain.time
    if time is not None:
        last = problem.domain.sample(_SITES, np.random.default_rng(0), "low-discrepancy")
        last[:, -1] = time.end
        found.append(last)
    return np.concatenate(found)


def _is_held(ends: FloatArray, held: FloatArray, open_places: FloatArray, lengths: FloatArray) -> NDArray[np.bool_]:
    """Whether something is prescribed where streamlines end, as far as the places can tell."""
    from scipy.spatial import cKDTree

    if not len(open_places) or not len(ends):
        return np.ones(len(ends), dtype=bool)
    near = [cKDTree(places / lengths).query(ends / lengths)[0] for places in (held, open_places)]
    return np.asarray(near[1] >= _CLOSER * near[0])
