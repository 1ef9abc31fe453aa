"""What is kept of a solution: digests where any bit counts, numbers where one wants to see how far they are off."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

import fspielm as fs
from same_bits.arithmetic import digest

# Points at which a solution is looked at, and how many of them are kept with their values.
_CHECKS = 3000
_SHOWN = 10
_TIMES = ("seconds", "forecast")


def outcome_of(solution: fs.Solution, checks: int = _CHECKS) -> dict[str, Any]:
    """Everything of a solution but how long it took; its values at so many points."""
    report = solution.report
    points = solution.problem.domain.sample(checks, np.random.default_rng(1))
    told = report.as_dict()
    return {
        "coefficients": digest(solution.coefficients),
        "values": digest(solution(points)),
        "gradient": digest(solution.gradient(points[: checks // 10])),
        "error_estimate": solution.error_estimate,
        "max_error_estimate": solution.max_error_estimate,
        "converged": bool(solution.converged),
        "neurons": report.neurons,
        "rows": report.rows,
        "points": told["points"],
        "rank": report.rank,
        "condition": report.condition,
        "residuals": told["residuals"],
        "rounds": [{key: done[key] for key in done if key not in _TIMES} for done in told["rounds"]],
        "features": report.features,
        "choice": report.choice,
        "reason": report.reason,
    }


def brief_of(solution: fs.Solution, at: ArrayLike | None = None) -> dict[str, Any]:
    """What a test can look at on any machine: besides the digest, values at some points, by default random ones."""
    points = solution.problem.domain.sample(_SHOWN, np.random.default_rng(2)) if at is None else np.asarray(at)
    report = solution.report
    return {
        "coefficients": digest(solution.coefficients),
        "error_estimate": solution.error_estimate,
        "max_error_estimate": solution.max_error_estimate,
        "neurons": report.neurons,
        "rows": report.rows,
        "rounds": len(report.rounds),
        "at": points.tolist(),
        "values": solution(points).tolist(),
    }


def differences(before: Any, after: Any, but: Sequence[str] = ()) -> Iterator[str]:
    """What is not the same, one line each; `but` names what may differ."""
    was, now = dict(_leaves(before)), dict(_leaves(after))
    for path in {**was, **now}:
        if was.get(path) != now.get(path) and not set(path).intersection(but):
            yield f"{' '.join(map(str, path))}: {was.get(path)} -> {now.get(path)}"


def _leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], str]]:
    """Numbers and texts with the way to them; as JSON, which has all digits, and in which NaN equals itself."""
    several = enumerate(value) if isinstance(value, list | tuple) else None
    inner = value.items() if isinstance(value, Mapping) else several
    if inner is None:
        yield path, json.dumps(value)
    else:
        for key, item in inner:
            yield from _leaves(item, (*path, key))
