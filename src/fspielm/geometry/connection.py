"""Which points of a domain can be joined within it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray
from fspielm.geometry.domain import Domain

_NEIGHBOURS = 8
_STEPS = np.linspace(0.0, 1.0, 12)[1:-1]
_FIRST_LOOK, _SECOND_LOOK = 600, 4000


def connected_pieces(domain: Domain) -> tuple[FloatArray, NDArray[np.int_]]:
    """Points of the domain ``(n, d)``, and the number of the piece that each lies in.

    Two pieces are told apart by the straight ways between neighbouring points, all of which leave the domain. A neck
    too narrow for these is a gap to them; so what looks like two pieces is looked at again with more points.
    """
    points, labels = _look(domain, _FIRST_LOOK)
    return (points, labels) if labels.max() == 0 else _look(domain, _SECOND_LOOK)


def _look(domain: Domain, n: int) -> tuple[FloatArray, NDArray[np.int_]]:
    from scipy.sparse import coo_array  # seldom needed, slow to import
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import cKDTree

    points = domain.sample(n, np.random.default_rng(0), "low-discrepancy")
    near = cKDTree(points).query(points, _NEIGHBOURS + 1)[1][:, 1:]
    first, second = np.repeat(np.arange(n), _NEIGHBOURS), near.ravel()
    ways = points[first, None] + _STEPS[:, None] * (points[second] - points[first])[:, None]
    free = domain.contains(ways.reshape(-1, domain.dimension)).reshape(len(first), -1).all(axis=1)
    graph = coo_array((np.ones(int(free.sum())), (first[free], second[free])), shape=(n, n))
    return points, connected_components(graph, directed=False)[1].astype(np.int_)
