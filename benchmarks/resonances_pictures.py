"""A picture of resonances: a whispering gallery, a split ring, and a trefoil of glass.

python benchmarks/resonances_pictures.py   # writes docs/images/resonances.png
"""

from __future__ import annotations

import sys

import matplotlib as mpl
import numpy as np
import sympy as sp
from method_page import DOCS
from resonances import TREFOIL, k, split_ring, u, x, y

import fspielm as fs

mpl.use("Agg")
from matplotlib import pyplot as plt

sys.path.insert(0, str(DOCS))
from make_pictures import shrink

IMAGE = DOCS / "images" / "resonances.png"
_POINTS = 420
# What is shown: objects, their condition, where the resonance is, and half of the window.
SHOWN = (
    ("glass disk, n = 3", fs.Disk((0, 0), 1), fs.Transparent(3 * k), (3.65 - 0.005j, 3.67 + 0j), 1.7),
    ("split ring, soft", split_ring(0.1), fs.Dirichlet(0), (2.95 - 0.01j, 3.0 + 0j), 1.7),
    ("glass trefoil, n = 3", TREFOIL, fs.Transparent(3 * k), (3.25 - 0.015j, 3.3 + 0j), 2.0),
)


def main() -> None:
    """Draw the real part of each, over the largest value, with the objects' outlines."""
    figure, axes = plt.subplots(1, 3, figsize=(10, 3.7), layout="tight")
    for axis, (title, shape, condition, within, half) in zip(axes, SHOWN, strict=True):
        problem = fs.Problem(
            sp.Eq(u.diff(x, 2) + u.diff(y, 2) + k**2 * u, 0),
            fs.Exterior(shape, window=((-half, -half), (half, half))),
            [condition],
            given={k: ...},
        )
        modes = fs.eigenmodes(problem, k, within=within, tol=1e-6, rng=0)
        mode = max(modes, key=lambda each: each.value.imag)
        side = np.linspace(-half, half, _POINTS)
        grid = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
        shown = np.full(len(grid), np.nan)
        filled = isinstance(condition, fs.Transparent) | problem.domain.contains(grid)
        values = mode.field(grid[filled])
        shown[filled] = (values / values[np.argmax(np.abs(values))]).real
        # the field outside of a good cavity would hardly be seen
        softly = np.sign(shown) * np.abs(shown) ** 0.6
        extent = (-half, half, -half, half)
        axis.imshow(softly.reshape(_POINTS, _POINTS), extent=extent, origin="lower", cmap="RdBu_r", vmin=-1, vmax=1)
        for part in shape.boundary():
            rim = part.place(np.linspace(0, 1, 800)[:, None]).points
            axis.fill(*rim.T, facecolor="none" if isinstance(condition, fs.Transparent) else "0.35", edgecolor="0.2")
        axis.set_title(f"{title}\nk = {mode.value.real:.6f} - {-mode.value.imag:.2e} i", fontsize=10)
        axis.set_axis_off()
    figure.savefig(IMAGE, dpi=130, bbox_inches="tight")
    shrink(IMAGE)


if __name__ == "__main__":
    main()
