"""The fastest finite elements for an error: a search over order, mesh, grading and solver."""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import Any

from everyday_problems.catalogue import EverydayProblem
from everyday_problems.elements import Found, Setting

_FINER, _MESHES = 0.72, 9
_GRADINGS = (0.15, 0.35)
_SAFETIES = (2.0, 1.0)
# A finer mesh of the same order is not tried when this one took so much longer than the best.
_SLOWER = 1.3
# Seconds of a solve after which no finer one follows.
_PATIENCE = 20.0
# An error that refinement no longer lowers is that of the corners.
_STALLED = 0.8
# How many of the fastest are timed again, with every solver.
_AGAIN = 8
# Tried for the fastest of all.
_THREADS = 2
_HOPELESS = 2.0


@dataclass(frozen=True)
class Timed:
    """A setting, what it took, and its errors."""

    setting: Setting
    seconds: float
    error: float
    unknowns: int
    pressure: float


def solve_timed(problem: EverydayProblem, setting: Setting) -> tuple[float, Found]:
    """Seconds from the shape to the solution."""
    import ngsolve as ng

    gc.collect()
    ng.SetNumThreads(setting.threads)
    with ng.TaskManager() if setting.threads > 1 else nullcontext():
        start = perf_counter()
        found = problem.finite(setting)
        return perf_counter() - start, found


def solve_measured(problem: EverydayProblem, setting: Setting) -> Timed | None:
    """With the errors; None where NGSolve refuses."""
    try:
        seconds, found = solve_timed(problem, setting)
    except Exception:  # a mesh or a space that NGSolve cannot make, a matrix that its solver finds singular
        return None
    error, pressure = problem.errors(found(problem.points()))
    return Timed(setting, seconds, error, found.unknowns, pressure)


# The settings that searches have found, so that both tools can be timed in one run without another search.
SETTINGS = Path(__file__).with_name("settings.json")


def keep_settings(name: str, found: Mapping[float, Timed]) -> None:
    """Keep the settings of the fastest solves of a problem."""
    kept = json.loads(SETTINGS.read_text(encoding="utf-8")) if SETTINGS.exists() else {}
    kept[name] = {f"{tol:.0e}": asdict(each.setting) for tol, each in found.items()}
    SETTINGS.write_text(json.dumps(dict(sorted(kept.items())), indent=1) + "\n", encoding="utf-8")


def time_kept(problem: EverydayProblem, name: str, tols: Sequence[float], runs: int) -> dict[float, Timed]:
    """Solves with kept settings, on one thread or several, whichever is faster: the least of several runs."""
    kept = json.loads(SETTINGS.read_text(encoding="utf-8")).get(name, {}) if SETTINGS.exists() else {}
    found: dict[float, Timed] = {}
    for tol in tols:
        if f"{tol:.0e}" in kept:
            setting = Setting(**kept[f"{tol:.0e}"])
            best: Timed | None = None
            for threads in (1, _THREADS):
                best = _better(problem, replace(setting, threads=threads), tol, runs, best)
            if best is not None:
                found[tol] = best
    return found


def fastest(problem: EverydayProblem, tols: Sequence[float], runs: int, seconds: float) -> dict[float, Timed]:
    """For each tolerance the fastest with an error as small, timed as the least of several runs."""
    tried = _search(problem, tols, seconds)
    found: dict[float, Timed] = {}
    for tol in tols:
        good = sorted((t for t in tried if t.error <= tol), key=lambda t: t.seconds)[:_AGAIN]
        best: Timed | None = None
        for one, inverse in product(good, problem.inverses):
            best = _better(problem, replace(one.setting, inverse=inverse), tol, runs, best)
        if best is not None:
            found[tol] = _better(problem, replace(best.setting, threads=_THREADS), tol, runs, best) or best
    return found


def _better(problem: EverydayProblem, setting: Setting, tol: float, runs: int, best: Timed | None) -> Timed | None:
    """What the setting gives if it is faster than the best so far, which is returned otherwise."""
    again = _timed_again(problem, setting, runs, best.seconds if best else float("inf"))
    if again is None or again.error > tol or (best is not None and again.seconds >= best.seconds):
        return best
    return again


def _timed_again(problem: EverydayProblem, setting: Setting, runs: int, best: float) -> Timed | None:
    """The least of several runs, unless the first is far from the best."""
    measured = solve_measured(problem, setting)
    if measured is None or measured.seconds > _HOPELESS * best:
        return measured
    others = [solve_timed(problem, setting)[0] for _ in range(runs - 1)]
    return replace(measured, seconds=min([measured.seconds, *others]))


def _search(problem: EverydayProblem, tols: Sequence[float], seconds: float) -> list[Timed]:
    """Everything tried, once each."""
    begun = perf_counter()
    tried: list[Timed] = []
    for order, base in product(problem.orders, list(_families(problem))):
        previous = float("inf")
        for mesh in range(_MESHES):
            if perf_counter() - begun > seconds:
                return tried
            setting = replace(base, order=order, size=problem.size * _FINER**mesh)
            if (one := solve_measured(problem, setting)) is None:
                break
            tried.append(one)
            worth = max(_least(tried, tol) for tol in tols)
            if one.error <= min(tols) or one.seconds > _SLOWER * worth:
                break
            if one.error < 1 and one.error > _STALLED * previous and mesh > 1:
                break
            previous = one.error
    return tried


def _least(tried: Sequence[Timed], tol: float) -> float:
    return min((t.seconds for t in tried if t.error <= tol), default=_PATIENCE)


def _families(problem: EverydayProblem) -> Iterator[Setting]:
    """Settings but for order and size."""
    start = Setting(0, 0.0, inverse=problem.inverses[0], bonus=problem.bonus)
    safeties: tuple[Any, ...] = _SAFETIES if problem.has_circles else _SAFETIES[:1]
    for method, safety, levels in product(problem.methods, safeties, problem.levels):
        setting = replace(start, method=method, safety=safety, levels=levels)
        if not levels:
            yield setting
            continue
        for weak, grading in product(problem.weak, _GRADINGS):
            yield replace(setting, weak=weak, grading=grading)
    if problem.quads:
        for method in problem.methods:
            yield replace(start, method=method, quads=True)
