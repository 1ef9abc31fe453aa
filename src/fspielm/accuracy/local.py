"""The residual where something is narrow, which rows spread all over would hardly meet."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from fspielm.arrays import FloatArray, NumberArray
from fspielm.collocation import Finite, RowBlock, make_block
from fspielm.equations import Problem, Relation
from fspielm.features.evaluation import evaluate
from fspielm.geometry import join_sites
from fspielm.scrutiny import Narrow, look_closely

# A residual as large everywhere else as in a narrow place does not come from there.
_CLEARLY = 4.0


@dataclass(frozen=True, eq=False)
class Local:
    """What the narrow places of one block add to its residual.

    Attributes
    ----------
    rms : float
        Root of the mean square that they add, over all that the block holds on.
    data : float
        The same of the data.
    largest : float
        The largest deviation.
    most : float
        The part of `rms` that one of the places has.
    place : Narrow or None
        That place.
    share : float
        How much of all that the block holds on it is.
    """

    rms: float = 0.0
    data: float = 0.0
    largest: float = 0.0
    most: float = 0.0
    place: Narrow | None = None
    share: float = 0.0

    def stands_out(self, rms: float) -> bool:
        """Whether the residual in the place is clearly above that of the block, with this root of its mean square."""
        return self.most > math.sqrt(_CLEARLY * self.share) * rms


@dataclass(frozen=True, eq=False)
class CloseRows:
    """Rows in the narrow places of one relation.

    Attributes
    ----------
    places : tuple of Narrow
    shares : (n,) array
        Of all that the relation holds on, what each row stands for.
    block : RowBlock
    """

    places: tuple[Narrow, ...]
    shares: FloatArray
    block: RowBlock

    def apply(self, finite: Finite, coefficients: NumberArray) -> NumberArray:
        """The rows on sums with `coefficients`; directly, as all that residuals are made of."""
        basis, threads = finite.basis, finite.threads
        return np.asarray(
            sum(
                evaluate(basis, coefficients, op, sites, threads=threads, method="direct")
                for op, sites in self.block.pieces
            )
        )


def close_rows(problem: Problem, relation: Relation, finite: Finite) -> CloseRows | None:
    """Those of a relation; None where nothing in it is narrow.

    Cells end at interfaces, and know which side is meant: jumps there are none to them.
    """
    places = look_closely(problem, relation).places
    if problem.interfaces and finite.basis.is_piecewise:
        places = tuple(place for place in places if place.kind not in ("jump", "kink"))
    if not places:
        return None
    shares = np.concatenate([place.shares for place in places])
    return CloseRows(places, shares, make_block(relation, join_sites([place.sites for place in places])))


def look_at_places(
    problem: Problem, blocks: Iterable[str], finite: Finite, coefficients: NumberArray
) -> dict[str, Local]:
    """The residual in every narrow place of these blocks of a problem, by the name of the block."""
    names = set(blocks)
    result = {}
    for relation in problem.relations:
        close = close_rows(problem, relation, finite) if relation.name in names else None
        if close is None:
            continue
        places, shares, block = close.places, close.shares, close.block
        emphasis = finite.emphasis(block.name, block.pieces[0][1], shares)
        counted = 1.0 if emphasis is None else emphasis
        deviation = counted * np.abs(close.apply(finite, coefficients) - block.values)
        squares = shares * deviation**2
        each = np.add.reduceat(squares, np.cumsum([0, *(len(place.shares) for place in places[:-1])]))
        each = np.where([place.kind == "smooth" for place in places], 0.0, each)
        worst = int(each.argmax())
        result[block.name] = Local(
            rms=float(np.sqrt(squares.sum())),
            data=float(np.sqrt(np.sum(shares * np.abs(counted * block.values) ** 2))),
            largest=float(deviation.max()),
            most=float(np.sqrt(each[worst])),
            place=places[worst],
            share=float(places[worst].shares.sum()),
        )
    return result
