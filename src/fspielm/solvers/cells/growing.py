"""Cells that become smaller, with the degrees that they inherit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fspielm.collocation.cells.places import Degrees
from fspielm.equations import Problem
from fspielm.errors import UnsuitableError
from fspielm.geometry.cells import Cover
from fspielm.solvers.cells.corners import Special
from fspielm.solvers.cells.grading import balanced, touching, toward
from fspielm.solvers.cells.plans import Grading

# Where cells around a corner become too small for the boundary, it is so many halvings less.
_BACK = 4

Cells = NDArray[np.intp]


class Growing:
    """A tiling and its degrees, on the way to finer ones."""

    def __init__(self, problem: Problem, tiling: Cover, degrees: Degrees) -> None:
        self._problem = problem
        self.tiling = tiling
        self.degrees = degrees

    def _become(self, tiling: Cover) -> Cells:
        """Take over a finer tiling; the owners of its cells."""
        owners = _owners(self.tiling, tiling)
        self.tiling, self.degrees = tiling, self.degrees[owners]
        return owners

    def halve(self, halvings: NDArray[np.int_]) -> None:
        """Each cell so often along each axis."""
        while halvings.any():
            axes = {int(cell): np.flatnonzero(halvings[cell]).tolist() for cell in np.flatnonzero(halvings.any(axis=1))}
            halvings = np.maximum(halvings - 1, 0)[self._become(self.tiling.halve(axes))]
        self._become(balanced(self.tiling, problem=self._problem))

    def grade(self, gradings: Sequence[tuple[Special, Grading, float]]) -> None:
        """Toward special points, from cells of some size on."""
        of = np.full(len(self.tiling.cells), -1)
        for number, (special, _, _) in enumerate(gradings):
            of[touching(self.tiling, special.point)] = number
        steps = [(self.tiling, self.degrees, of)]
        for level in range(max((grading.levels for _, grading, _ in gradings), default=0)):
            points = [special.point for special, grading, _ in gradings if grading.levels > level]
            try:
                of = of[self._become(toward(self.tiling, points))]
            except UnsuitableError:  # cells as small as the boundary is known
                if level == 0:
                    raise
                break
            steps.append((self.tiling, self.degrees, of))
        finest = self._balanced(steps)
        self.tiling, self.degrees, of = steps[-1]
        sides = self.tiling.frames.lengths.max(axis=1)
        for number, (_, grading, size) in enumerate(gradings):
            here = np.flatnonzero(of == number)
            level = np.clip(np.round(np.log2(size / sides[here])).astype(int) - 1, 0, grading.levels - 1)
            self.degrees[here] = np.array(grading.degrees)[level][:, None]
        self._become(finest)

    def _balanced(self, steps: list[tuple[Cover, Degrees, Cells]]) -> Cover:
        """The last of some steps, balanced; those whose cells are too small for how well the boundary is known go."""
        while True:
            try:
                return balanced(steps[-1][0], problem=self._problem)
            except UnsuitableError:
                if len(steps) <= _BACK + 1:
                    raise
                del steps[-_BACK:]


def _owners(coarse: Cover, fine: Cover) -> Cells:
    """The cells of a coarser tiling that those of a finer one came from."""
    if fine is coarse:
        return np.arange(len(coarse.cells))
    centers = np.array([0.5 * (cell.boxes[0][0] + cell.boxes[0][1]) for cell in fine.cells])
    owners = coarse.locate(centers)
    for index, cell in enumerate(coarse.cells):
        alike = fine.materials == coarse.materials[index]
        for lower, upper in cell.boxes:
            owners[alike & np.all((centers > lower) & (centers < upper), axis=1)] = index
    return owners
