"""The demonstration: every benchmark of the paper, solved automatically, on one page."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from fspielm import cases
from fspielm.cases import Case
from fspielm.demo.background import run_interruptibly
from fspielm.demo.gallery import GENERATOR, gallery_page
from fspielm.demo.run import CaseRun, draw_run, run_case
from fspielm.solution.pictures import require_matplotlib, save_picture
from fspielm.study.publish import check_replaceable, staged_folder


def run_demo(
    out: Path,
    *,
    rng: int = 0,
    starts: Callable[[Case], None] = lambda case: None,
    ends: Callable[[CaseRun], None] = lambda run: None,
) -> list[CaseRun]:
    """Solve the seven benchmarks; write a picture of each and an ``index.html`` with all of them to `out`.

    Parameters
    ----------
    out : Path
        A folder of its own. It appears, or is replaced, when everything is finished; not before.
    rng : int
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
            run = run_interruptibly(partial(run_case, case, {}, rng=rng))
            figure = run_interruptibly(partial(draw_run, run))
            save_picture(figure, folder / _picture_name(name))
            runs.append(run)
            ends(run)
        page = gallery_page([(run, _picture_name(run.case.name)) for run in runs], rng=rng)
        (folder / "index.html").write_text(page, encoding="utf-8")
    return runs


def _picture_name(case: str) -> str:
    return f"{case}.png"
