"""Where modes are looked for first: the end of the spectrum, as far as the equation tells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from fspielm.arrays import FloatArray, NumberArray
from fspielm.equations import Operator, Relation
from fspielm.geometry import Sites
from fspielm.solvers.modes.pencil import Pencil

_PLACES = 2048
_DIRECTIONS = 16
# How far beyond the end the shift is, in units of the first values.
_BEYOND = 0.37


@final
@dataclass(frozen=True)
class Outlook:
    """What the equation tells of its spectrum.

    Attributes
    ----------
    end : float
        Where it may begin.
    unit : float
        About how far the first values are from each other, for waves as long as the domain.
    direction : int
        Whether values go up from there, down, or either way (0).
    """

    end: float
    unit: float
    direction: int

    @property
    def shift(self) -> float:
        """Beyond the end."""
        return self.end - (self.direction or 1) * _BEYOND * self.unit


def outlook_of(pencil: Pencil) -> Outlook:
    """From the highest derivatives, and from what there is without derivatives, at some places."""
    problem = pencil.at(0.0)
    lower, upper = problem.domain.bounding_box
    wave = np.pi / (upper - lower)
    rng = np.random.default_rng(0)  # only looks
    ends, units, directions = [], [], []
    of_equations = {equation.name: place for place, equation in enumerate(problem.equations)}
    for relation in problem.relations:
        operators = [powers[relation.name] for powers in pencil.powers if relation.name in powers]
        if not operators:
            continue
        power = max(n for n, powers in enumerate(pencil.powers, 1) if relation.name in powers)
        sites = relation.sample(_PLACES, rng, "low-discrepancy")
        unknown = of_equations.get(relation.name)
        rest, mass = _own(relation, unknown), pencil.powers[power - 1][relation.name]
        units.append((_size(rest, sites, wave) / _size(mass, sites, wave)) ** (1 / power))
        if unknown is None or power != 1:
            directions.append(0)
            continue
        directions.append(_direction(rest, mass, sites, rng))
        if mass.order == 0:
            ends.append(_end(rest, mass, sites, directions[-1]))
    same = set(directions)
    direction = same.pop() if len(same) == 1 else 0
    end = 0.0 if not ends or not direction else direction * min(direction * each for each in ends)
    return Outlook(end, float(max(units)), direction)


def _own(relation: Relation, unknown: int | None) -> Operator:
    """What an equation does to its own unknown; all of a condition."""
    operator = relation.operator
    terms = tuple(term for term in operator.terms if unknown is None or term.unknown == unknown)
    return Operator(operator.dimension, terms or operator.terms)


def _size(operator: Operator, sites: Sites, wave: FloatArray) -> float:
    """Of its highest derivatives on a wave."""
    highest = [term for term in operator.terms if term.order == operator.order]
    each = [np.sqrt(np.mean(np.abs(term.at(sites)) ** 2)) * np.prod(wave ** np.array(term.orders)) for term in highest]
    return float(sum(each))


def _direction(rest: Operator, mass: Operator, sites: Sites, rng: np.random.Generator) -> int:
    """The sign of values of short waves, where it is the same everywhere."""
    waves = rng.standard_normal((_DIRECTIONS, rest.dimension))

    def symbol(operator: Operator) -> NumberArray:
        total = np.zeros((len(sites), _DIRECTIONS), dtype=complex)
        for term in operator.terms:
            if term.order == operator.order:
                powers = np.prod((1j * waves) ** np.array(term.orders), axis=1)
                total += np.outer(term.at(sites), powers)
        return total

    values = -symbol(rest) * np.conj(symbol(mass))
    if np.abs(values.imag).max() > 1e-9 * np.abs(values).max():
        return 0
    return 1 if np.all(values.real > 0) else -1 if np.all(values.real < 0) else 0


def _end(rest: Operator, mass: Operator, sites: Sites, direction: int) -> float:
    """No value of a second-order equation is below the least of its potential, with most conditions."""
    potential = [term.at(sites) for term in rest.terms if term.order == 0]
    density = -np.real(np.sum([term.at(sites) for term in mass.terms], axis=0))
    if not potential or not np.all(density):
        return 0.0
    values = np.real(np.sum(potential, axis=0)) / density
    return float(values.min() if direction > 0 else values.max())
