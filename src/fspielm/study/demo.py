"""The demonstration: every benchmark of the paper, solved as well as the package can, on one page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from fspielm import cases
from fspielm.cases import Case
from fspielm.features import FrequencyShift
from fspielm.linalg import QR
from fspielm.solution.pictures import require_matplotlib, save_picture
from fspielm.study.background import run_interruptibly
from fspielm.study.gallery import GENERATOR, gallery_page
from fspielm.study.publish import check_replaceable, staged_folder
from fspielm.study.run import CaseRun, draw_run, run_case

# Fewer neurons than the paper's where they already gain nothing worth their time.
_NEURONS = {"klein-gordon": 4000, "advection-diffusion-pacman": 3500, "helmholtz-panda": 4000}
# These solutions oscillate in space and merely decay in time.
_DECAYING = frozenset({"heat", "advection-diffusion-pacman"})


def best_settings(case: Case) -> dict[str, Any]:
    """The best setting for a benchmark that the package has: keyword arguments of `fspielm.solve`.

    Chosen by hand, knowing the benchmarks: FS-PIELM-L at the paper's best range (which the paper found by
    searching with the exact solution), shifted in space alone where the solution merely decays in time; sizes
    that bring the seven together under two minutes; QR, scaled rows and low-discrepancy points in the paper's
    numbers everywhere. The automatic solver, which knows nothing but the equation, is to replace this.
    """
    return {
        "features": FrequencyShift(
            _NEURONS.get(case.name, case.paper.neurons),
            mu=case.paper.results["fs-l"].mu,
            shift="space" if case.name in _DECAYING else "isotropic",
        ),
        "points": replace(case.paper.points, sampling="low-discrepancy"),
        "least_squares": QR(),
        "scaling": "rms",
    }


def run_demo(
    out: Path,
    *,
    seed: int = 0,
    starts: Callable[[Case], None] = lambda case: None,
    ends: Callable[[CaseRun], None] = lambda run: None,
) -> list[CaseRun]:
    """Solve the seven benchmarks; write a picture of each and an ``index.html`` with all of them to `out`.

    Parameters
    ----------
    out : Path
        A folder of its own. It appears, or is replaced, when everything is finished; not before.
    seed : int
    starts, ends : callable
        Called before each case and after it, to show how far it is.
    """
    require_matplotlib()
    names = cases.names()
    check_replaceable(out, {"index.html", *map(_picture_name, names)}, mark=GENERATOR)
    runs = []
    with staged_folder(out) as folder:
        for name in names:
            case = cases.load(name)
            starts(case)
            run = run_interruptibly(partial(run_case, case, best_settings(case), rng=seed))
            figure = run_interruptibly(partial(draw_run, run))
            save_picture(figure, folder / _picture_name(name))
            runs.append(run)
            ends(run)
        page = gallery_page([(run, _picture_name(run.case.name)) for run in runs], seed=seed)
        (folder / "index.html").write_text(page, encoding="utf-8")
    return runs


def _picture_name(case: str) -> str:
    return f"{case}.png"
