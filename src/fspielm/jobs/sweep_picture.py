"""plot_sweep(): draw what a sweep measured over its parameters."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from fspielm.errors import ProblemError
from fspielm.jobs.sweep_plan import RESERVED
from fspielm.solution.plot.style import (
    BLUE,
    INK,
    LAYOUT,
    VERMILION,
    Width,
    as_text,
    check_picture_path,
    inches,
    leave_open,
    new_picture,
    save_picture,
    style,
)

if TYPE_CHECKING:
    import xarray
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def plot_sweep(
    dataset: xarray.Dataset,
    path: str | os.PathLike[str] | None = None,
    *,
    quantity: str | None = None,
    label: str | None = None,
    title: str | None = None,
    width: Width = "single",
) -> Figure:
    """Draw what a sweep measured: a line with its error estimates over one parameter, a map over two.

    Of complex numbers the modulus is drawn. Rows that miss the tolerance are red; failed rows are left out.

    Parameters
    ----------
    dataset : xarray.Dataset
        What `sweep` returned.
    path : str or path, optional
        Where to save the picture.
    quantity : str, optional
        What to draw; by default the first measured quantity.
    label : str, optional
        Its name in the picture.
    title : str, optional
    width : {"single", "double"}
        One or two columns of a journal.

    Returns
    -------
    Figure
        Independent of pyplot; a notebook shows it.
    """
    check_picture_path(path)
    name = _quantity(dataset, quantity)
    parameters = [str(name) for name in dataset["error_estimate"].dims]

    with style():
        across = inches(width)
        figure: Figure = new_picture(across, LAYOUT.space_time_aspect * across)
        is_complex = dataset[name].dtype.kind == "c"
        shown = np.abs(dataset[name].values) if is_complex else dataset[name].values
        words = label or (f"|{name}|" if is_complex else name)
        axes = (_line if len(parameters) == 1 else _map)(figure, dataset, parameters, shown, as_text(words))
        if title is not None:
            axes.set_title(as_text(title))
    return save_picture(figure, path)


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


def _line(figure: Figure, dataset: Any, parameters: list[str], shown: Any, label: str) -> Axes:
    (name,) = parameters
    above: Axes
    above, below = figure.subplots(2, sharex=True, height_ratios=(3, 1))
    values = dataset[name].values
    order = np.argsort(values)
    missed = ~dataset["converged"].values & (dataset["status"].values == "done")
    above.plot(values[order], shown[order], "-", color=BLUE, marker="." if len(values) < 60 else None, lw=1)
    above.plot(values[missed], shown[missed], "o", color=VERMILION, ms=3, zorder=3)
    above.set_ylabel(label)
    below.semilogy(values[order], dataset["error_estimate"].values[order], ".", color=INK, ms=2.5)
    tol = float(dataset.attrs["tol"])
    below.axhline(tol, color=VERMILION, lw=0.8)
    # beside the line, so that it hides no estimate
    place = {"xy": (1.0, tol), "xycoords": ("axes fraction", "data"), "xytext": (3, 0), "textcoords": "offset points"}
    below.annotate(f"tol\n{tol:g}", **place, color=VERMILION, va="center", fontsize="small")
    below.set_ylabel("error\nestimate")
    below.set_xlabel(as_text(name))
    figure.align_ylabels([above, below])
    for axes in (above, below):
        leave_open(axes)
    return above


def _map(figure: Figure, dataset: Any, parameters: list[str], shown: Any, label: str) -> Axes:
    first, second = parameters
    axes: Axes = figure.subplots()
    orders = [np.argsort(dataset[name].values) for name in parameters]
    drawn = axes.pcolormesh(
        dataset[second].values[orders[1]], dataset[first].values[orders[0]], shown[np.ix_(*orders)], shading="nearest"
    )
    figure.colorbar(drawn, ax=axes, label=label)
    axes.set_xlabel(as_text(second))
    axes.set_ylabel(as_text(first))
    return axes
