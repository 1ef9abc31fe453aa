"""A picture of high modes of a stadium.

python benchmarks/high_modes_picture.py   # writes docs/images/stadium.png
"""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import sympy as sp
from high_modes import lam, stadium, v, x, y
from method_page import DOCS

import fspielm as fs

mpl.use("Agg")
from matplotlib import pyplot as plt

# Around the squares of these wavenumbers.
SHOWN = (42.656316, 100.002855, 42.430412, 41.989549)
NEAR = 0.4


def main() -> None:
    """Draw the square of each mode."""
    equation = sp.Eq(-v.diff(x, 2) - v.diff(y, 2), lam * v)
    problem = fs.Problem(equation, stadium(), [fs.Dirichlet(0)], given={lam: ...})
    grid = np.stack(np.meshgrid(np.linspace(-2, 2, 501), np.linspace(-1, 1, 251)), axis=-1)
    inside = problem.domain.contains(grid.reshape(-1, 2))
    figure, axes = plt.subplots(2, 2, figsize=(10, 5.4), layout="constrained")
    for axis, k in zip(axes.flat, SHOWN, strict=True):
        modes = fs.eigenmodes(problem, lam, within=(k**2 - NEAR, k**2 + NEAR), rng=0)
        mode = min(modes, key=lambda each: abs(each.value - k**2))
        values = np.full(len(inside), np.nan)
        values[inside] = mode.field(grid.reshape(-1, 2)[inside]) ** 2
        top = np.nanquantile(values, 0.995)
        axis.imshow(values.reshape(grid.shape[:2]), extent=(-2, 2, -1, 1), origin="lower", cmap="magma_r", vmax=top)
        axis.set_title(f"k = {np.sqrt(mode.value):.12g}", fontsize=10)
        axis.set_axis_off()
    figure.savefig(DOCS / "images" / "stadium.png", dpi=80)


if __name__ == "__main__":
    main()
