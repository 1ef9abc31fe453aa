"""Bands of a crystal of glass rods in air, and the modes at the edges of its gap.

    python benchmarks/crystal_bands.py measure   # writes docs/crystal_bands.csv, and goes on where it stopped
    python benchmarks/crystal_bands.py draw      # docs/crystal_bands.csv -> docs/images/bands.png

Light with its electric field along the rods, whose radius is a fifth of their distance and whose permittivity is 8.9:
the textbook example of Joannopoulos and others (Photonic Crystals), who give a gap from 0.32 to 0.44 in units of c / a.
"""

from __future__ import annotations

import argparse
from itertools import pairwise
from typing import Any

import numpy as np
import sympy as sp
from kept_rows import read_rows, write_rows
from method_page import DOCS

import fspielm as fs

TABLE = DOCS / "crystal_bands.csv"
HEAD = ("place", "kx", "ky", *(f"band {n}" for n in range(1, 5)), "largest bound", "complete")

# Corners of the zone's irreducible part, and values on each side of it.
CORNERS = {"Γ": (0.0, 0.0), "X": (np.pi, 0.0), "M": (np.pi, np.pi), "Γ ": (0.0, 0.0)}
ON_A_SIDE = 8
BANDS, TOL = 4, 1e-5

x, y, lam, kx, ky, eps = sp.symbols("x y lam k_x k_y epsilon")
u = sp.Function("u")(x, y)


def crystal() -> fs.Problem:
    """One period; the eigenvalue is the square of frequency over the speed of light."""
    rod = fs.Disk((0, 0), 0.2)
    return fs.Problem(
        sp.Eq(-u.diff(x, 2) - u.diff(y, 2), lam * eps * u),
        fs.Regions(rod=rod, air=fs.Box((-0.5, -0.5), (0.5, 0.5)) - rod),
        [fs.Periodic("x", factor=sp.exp(sp.I * kx)), fs.Periodic("y", factor=sp.exp(sp.I * ky))],
        given={eps: fs.ByRegion(rod=8.9, air=1.0), lam: ..., kx: ..., ky: ...},
    )


def way() -> list[tuple[float, tuple[float, float]]]:
    """Places along the rim of the irreducible part, each with its distance on the way."""
    found, distance = [], 0.0
    for here, there in pairwise(np.array(list(CORNERS.values()))):
        length = float(np.linalg.norm(there - here))
        shares = np.arange(ON_A_SIDE) / ON_A_SIDE
        found += [(distance + share * length, tuple(here + share * (there - here))) for share in shares]
        distance += length
    return [*found, (distance, CORNERS["Γ"])]


def modes_at(vector: tuple[float, float], count: int = BANDS) -> fs.Modes:
    """The lowest ones of a wave vector."""
    return fs.eigenmodes(crystal().at({kx: vector[0], ky: vector[1]}), lam, count=count, tol=TOL, rng=0)


def frequencies(modes: Any) -> np.ndarray:
    """In units of the speed of light over the distance of rods."""
    return np.sqrt(np.maximum(np.real(modes.values), 0.0)) / (2 * np.pi)


def measure() -> None:
    """A row for each wave vector, on the disk as soon as it is known."""
    rows: list[dict[str, Any]] = list(read_rows(TABLE))
    for place, vector in way()[len(rows) :]:
        modes = modes_at(vector)
        bands = {f"band {n}": f"{value:.8f}" for n, value in enumerate(frequencies(modes), 1)}
        rows.append(
            {"place": f"{place:.6f}", "kx": f"{vector[0]:.6f}", "ky": f"{vector[1]:.6f}", **bands}
            | {"largest bound": f"{max(modes.bounds):.1e}", "complete": modes.complete}
        )
        write_rows(TABLE, HEAD, rows)
        print(rows[-1], flush=True)


def draw() -> None:
    """Bands with their gap, and the fields below and above it, one period beside the other."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    rows = read_rows(TABLE)
    places = np.array([float(row["place"]) for row in rows])
    bands = np.array([[float(row[f"band {n}"]) for n in range(1, BANDS + 1)] for row in rows])
    gap = bands[:, 0].max(), bands[:, 1].min()
    figure, (axis, *fields) = plt.subplots(1, 3, figsize=(10, 3.6), layout="constrained", width_ratios=(1.5, 1, 1))
    axis.axhspan(*gap, color="0.9")
    axis.plot(places, bands, color="tab:blue", marker=".", markersize=4, linewidth=1)
    axis.text(0.5 * places[-1], 0.5 * sum(gap), f"gap {gap[0]:.4f} to {gap[1]:.4f}", ha="center", va="center")
    corners = places[::ON_A_SIDE]
    axis.set_xticks(corners, [name.strip() for name in CORNERS])
    for corner in corners:
        axis.axvline(corner, color="0.8", linewidth=0.6, zorder=0)
    axis.set(xlim=(0, places[-1]), ylim=(0, None), ylabel="frequency (c / a)")
    for own, name, count in zip(fields, ("M", "X"), (1, 2), strict=True):
        _draw_field(own, CORNERS[name], count)
        own.set_title(f"band {count} at {name}, {'below' if count == 1 else 'above'} the gap", fontsize=10)
    figure.savefig(DOCS / "images" / "bands.png", dpi=130)


def _draw_field(axis: Any, vector: tuple[float, float], count: int) -> None:
    """The highest of so many modes of a wave vector, real at its largest value, on two by two periods."""
    field = modes_at(vector, count)[count - 1].field
    line = np.linspace(-0.5, 0.5, 161)
    grid = np.stack(np.meshgrid(line, line), axis=-1)
    values = field(grid.reshape(-1, 2)).reshape(len(line), len(line))
    values = values / values.flat[np.argmax(np.abs(values))]
    phases = np.exp(1j * np.array([[vector[0] * i + vector[1] * j for i in range(2)] for j in range(2)]))
    axis.imshow(
        np.kron(phases, values).real, extent=(-0.5, 1.5, -0.5, 1.5), origin="lower", cmap="RdBu", vmin=-1, vmax=1
    )
    turn = np.linspace(0, 2 * np.pi, 200)
    for i in range(2):
        for j in range(2):
            axis.plot(i + 0.2 * np.cos(turn), j + 0.2 * np.sin(turn), color="black", linewidth=0.8)
    axis.set_axis_off()


def main() -> None:
    """Measure or draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("measure", "draw"))
    {"measure": measure, "draw": draw}[parser.parse_args().command]()


if __name__ == "__main__":
    main()
