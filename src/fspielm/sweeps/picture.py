"""plot_sweep(): what was measured, over the parameters."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from fspielm.errors import ProblemError
from fspielm.geometry.pictures import require_matplotlib
from fspielm.solution.pictures.save import check_picture_path, save_picture
from fspielm.solution.pictures.style import BLUE, INK, VERMILION, Width, inches, style
from fspielm.sweeps.quantities import RESERVED

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

# Height of a picture over its width.
_ASPECT = 0.8


def plot_sweep(
    dataset: xarray.Dataset,
    path: str | os.PathLike[str] | None = None,
    *,
    quantity: str | None = None,
    label: str | None = None,
    width: Width = "single",
) -> Figure:
    """Draw what a sweep has measured: a line and its error estimates over one parameter, a map over two.

    Complex numbers are drawn by their modulus. Rows that miss the tolerance are red, rows that failed are left out.

    Parameters
    ----------
    dataset : xarray.Dataset
        What `sweep` returned.
    path : str or path, optional
        Where to save the picture.
    quantity : str, optional
        What to draw; by default the first of what was measured.
    label : str, optional
        How it is called in the picture.
    width : {"single", "double"}
        Of one or two columns of a journal.

    Returns
    -------
    Figure
        Free of pyplot and its global state; a notebook shows it.
    """
    require_matplotlib()
    if path is not None:
        check_picture_path(path)
    name = _quantity(dataset, quantity)
    parameters = [str(name) for name in dataset["error_estimate"].dims]
    from fspielm.solution.pictures.figure import Picture

    with style():
        across = inches(width)
        figure: Figure = Picture(across, _ASPECT * across)
        shown = np.abs(dataset[name].values) if dataset[name].dtype.kind == "c" else dataset[name].values
        words = label or (f"|{name}|" if dataset[name].dtype.kind == "c" else name)
        (_line if len(parameters) == 1 else _map)(figure, dataset, parameters, shown, words)
    if path is not None:
        save_picture(figure, path)
    return figure


def _quantity(dataset: Any, wanted: str | None) -> str:
    parameters = dataset["error_estimate"].dims
    known = [name for name in dataset.data_vars if name not in RESERVED and dataset[name].dims == parameters]
    if len(parameters) > 2:
        raise ProblemError(
            f"a picture has one or two parameters; choose values of {', '.join(parameters[2:])} with .sel"
        )
    if wanted is not None and wanted not in known:
        raise ProblemError(
            f"there is no quantity {wanted!r} that is a number in each row; there are {', '.join(known)}"
        )
    if not known:
        raise ProblemError(
            "nothing was measured that is a number in each row; no row has ended well, or measure gives arrays"
        )
    return wanted or str(known[0])


def _line(figure: Figure, dataset: Any, parameters: list[str], shown: Any, label: str) -> None:
    (name,) = parameters
    above, below = figure.subplots(2, sharex=True, height_ratios=(3, 1))
    values = dataset[name].values
    order = np.argsort(values)
    missed = ~dataset["converged"].values & (dataset["status"].values == "done")
    above.plot(values[order], shown[order], "-", color=BLUE, marker="." if len(values) < 60 else None, lw=1)
    above.plot(values[missed], shown[missed], "o", color=VERMILION, ms=3, zorder=3)
    above.set_ylabel(label)
    below.semilogy(values[order], dataset["error_estimate"].values[order], ".", color=INK, ms=2.5)
    below.axhline(dataset.attrs["tol"], color=VERMILION, lw=0.8)
    below.set_ylabel("error estimate")
    below.set_xlabel(name)
    for axes in (above, below):
        axes.grid(True)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)


def _map(figure: Figure, dataset: Any, parameters: list[str], shown: Any, label: str) -> None:
    first, second = parameters
    axes = figure.subplots()
    orders = [np.argsort(dataset[name].values) for name in parameters]
    drawn = axes.pcolormesh(
        dataset[second].values[orders[1]], dataset[first].values[orders[0]], shown[np.ix_(*orders)], shading="nearest"
    )
    figure.colorbar(drawn, ax=axes, label=label)
    axes.set_xlabel(second)
    axes.set_ylabel(first)
