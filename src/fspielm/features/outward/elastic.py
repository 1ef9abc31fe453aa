"""Displacements of elastic bodies from potentials."""

from __future__ import annotations

from collections.abc import Sequence

from fspielm.equations import Operator, Term
from fspielm.features.basis import Basis, JoinedBasis
from fspielm.features.derived import DerivedBasis


def elastic_potentials(longitudinal: Basis, transverse: Basis, axes: Sequence[int]) -> Basis:
    """The gradients of the functions of one basis, and the curls of those of another.

    Parameters
    ----------
    longitudinal, transverse : Basis
        Solutions of Helmholtz' equation in the plane with the two wavenumbers.
    axes : sequence of int
        Along which axis each of the two unknowns displaces.
    """
    slopes = (Term(1.0, (1, 0)), Term(1.0, (0, 1)))
    turned = (Term(1.0, (0, 1)), Term(-1.0, (1, 0)))
    return JoinedBasis(
        [
            DerivedBasis(basis, [Operator(2, (terms[axis],)) for axis in axes])
            for basis, terms in ((longitudinal, slopes), (transverse, turned))
        ]
    )
