"""The theory in a folder: tables, pictures, and what they show."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from fspielm.solution.pictures import require_matplotlib, save_picture
from fspielm.solvers.randomness import spawn
from fspielm.study.publish import check_replaceable, staged_folder
from fspielm.study.theory.comparison import DIMENSIONS, MAGNITUDES, SAMPLES, check_samples, compare
from fspielm.study.theory.findings import MARK, findings
from fspielm.study.theory.monte_carlo import SCHEMES
from fspielm.study.theory.pictures import draw_densities, draw_moments, draw_ratios
from fspielm.study.theory.ratios import FREQUENCIES, compare_ratios
from fspielm.study.theory.tables import moments_csv, ratios_csv, ratios_latex

if TYPE_CHECKING:
    from fspielm.solution.pictures import Figure

_REPORT = "theory.md"
_PICTURES = ("variance_ratio", "moments", "densities")
_FORMATS = (".png", ".pdf")

FILES = frozenset(
    {_REPORT, "theory.csv", "theory.tex", "variance_ratio.csv"}
    | {name + suffix for name in _PICTURES for suffix in _FORMATS}
)

# Steps of which `write_theory` tells: a row of either table, or a picture.
STEPS = len(DIMENSIONS) * (len(SCHEMES) * len(MAGNITUDES) + len(FREQUENCIES)) + len(_PICTURES)


def write_theory(
    out: str | os.PathLike[str], *, rng: int = 0, samples: int = SAMPLES, ends: Callable[[], None] = lambda: None
) -> None:
    """Compare the statistics of effective frequencies with the paper's theorems; write what is found to `out`.

    ``theory.md`` says what is found. Beside it are the moments (``theory.csv``, ``moments.png``), the variance ratios
    (``variance_ratio.csv``, ``variance_ratio.png``, and ``theory.tex`` for LaTeX with booktabs) and the distributions
    (``densities.png``); every picture is there as PDF too.

    Parameters
    ----------
    out : path
        A folder of its own. It appears, or is replaced, when everything is finished; not before.
    rng : int
    samples : int
        Neurons drawn for each row.
    ends : callable
        Called after each of `STEPS` steps, to show how far it is.
    """
    require_matplotlib()
    check_samples(samples)
    target = Path(out)
    check_replaceable(target, FILES, mark=MARK, marked=_REPORT)
    (for_moments, for_ratios, for_densities), _ = spawn(rng, 3)
    rows = compare(samples=samples, rng=for_moments, ends=ends)
    ratios = compare_ratios(samples=samples, rng=for_ratios, ends=ends)
    texts = {
        _REPORT: findings(rows, ratios, rng=rng),
        "theory.csv": moments_csv(rows),
        "theory.tex": ratios_latex(ratios),
        "variance_ratio.csv": ratios_csv(ratios),
    }
    pictures: dict[str, Callable[[], Figure]] = {
        "variance_ratio": lambda: draw_ratios(ratios),
        "moments": lambda: draw_moments(rows),
        "densities": lambda: draw_densities(samples=samples, rng=for_densities),
    }
    with staged_folder(target) as folder:
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
        for name, draw in pictures.items():
            figure = draw()
            for suffix in _FORMATS:
                save_picture(figure, folder / (name + suffix))
                figure.set_layout_engine("none")  # laid out once, the panels stay where they are
            ends()
