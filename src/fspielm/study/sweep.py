"""Every combination of some settings: the part that a plan is made of."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from numbers import Real
from typing import Any, final

import numpy as np

from fspielm.cases import PaperSetting
from fspielm.errors import ProblemError
from fspielm.features import check_count
from fspielm.study.job import ALL_METHODS, AUTOMATIC, Job, name_least_squares
from fspielm.wording import did_you_mean

# Ranges that the paper gives: the best one of each method, or all that it tried.
BEST, GRID = "best", "grid"
# The store's whole numbers.
_LARGEST = 2**63 - 1
_SCALINGS = ("none", "rms")

Pair = tuple[float, float]


@final
@dataclass(frozen=True)
class Sweep:
    """All combinations of subjects, methods, frequency ranges, sizes, least-squares methods and seeds.

    Parameters
    ----------
    subjects : sequence of str
        Benchmarks, and names of the plan's problem files.
    methods : sequence of str
        Of the five of the paper; ``"fs-l-space"`` and ``"fs-g-space"``, which shift along space alone; and
        ``"automatic"``, to which only seeds apply.
    mu : "best", "grid" or sequence of pairs
        Ranges of frequencies: the paper's best of each method, all 36 of the paper, or these. The first two for
        benchmarks only.
    neurons : sequence of int
        The paper's number if empty; a problem file needs one.
    least_squares : sequence of str
        ``"qr"``, or ``"svd"`` with its tolerance as in ``"svd 1e-12"``.
    scaling : sequence of str
        ``"none"``, as the paper, or ``"rms"``.
    seeds : sequence of int
        The paper's five by default.
    """

    subjects: Sequence[str]
    methods: Sequence[str]
    mu: str | Sequence[Pair] = BEST
    neurons: Sequence[int] = ()
    least_squares: Sequence[str] = ("svd 1e-12",)
    scaling: Sequence[str] = ("none",)
    seeds: Sequence[int] = (0, 1, 2, 3, 4)

    def __post_init__(self) -> None:
        for name in ("subjects", "methods", "neurons", "scaling", "seeds"):
            object.__setattr__(self, name, _sequence(name, getattr(self, name), may_be_empty=name == "neurons"))
        for method in self.methods:
            _check_choice("methods", method, ALL_METHODS)
        for scaling in self.scaling:
            _check_choice("scaling", scaling, _SCALINGS)
        for neurons in self.neurons:
            check_count("neurons", neurons)
        for seed in self.seeds:
            if not isinstance(seed, int | np.integer) or isinstance(seed, bool) or seed < 0:
                raise ProblemError(f"seeds must be whole numbers >= 0; got {seed!r}")
        for name in ("neurons", "seeds"):
            if any(number > _LARGEST for number in getattr(self, name)):
                raise ProblemError(f"{name} must be below 2**63")
            object.__setattr__(self, name, tuple(map(int, getattr(self, name))))
        named = [name_least_squares(text) for text in _sequence("least_squares", self.least_squares)]
        object.__setattr__(self, "least_squares", _sequence("least_squares", named))
        object.__setattr__(self, "mu", _ranges(self.mu))

    def jobs(self, papers: Mapping[str, PaperSetting | None]) -> Iterator[Job]:
        """The solves, seed by seed, so that a part of a study covers all of its cells.

        Parameters
        ----------
        papers : mapping
            Every subject with what the paper says of it, or None for a problem file.
        """
        for seed in self.seeds:
            for subject, method in product(self.subjects, self.methods):
                if method == AUTOMATIC:
                    yield Job(subject, method, seed)
                    continue
                for mu, neurons, least_squares, scaling in product(
                    self._mu_of(subject, method, papers[subject]),
                    self._neurons_of(subject, papers[subject]),
                    self.least_squares,
                    self.scaling,
                ):
                    yield Job(subject, method, seed, mu, neurons, least_squares, scaling)

    def as_dict(self) -> dict[str, Any]:
        """The sweep as JSON and TOML take it."""
        content = asdict(self)
        mu = self.mu if isinstance(self.mu, str) else [list(pair) for pair in self.mu]
        return {key: list(value) for key, value in content.items() if key != "mu"} | {"mu": mu}

    def _mu_of(self, subject: str, method: str, paper: PaperSetting | None) -> Sequence[Pair]:
        if not isinstance(self.mu, str):
            return self.mu
        if paper is None:
            raise ProblemError(f'{subject}: mu="{self.mu}" is the paper\'s; give a problem file its own ranges')
        if self.mu == GRID:
            return [(float(low), float(high)) for low, high in product(paper.mu_min, paper.mu_max)]
        low, high = paper.results[method.removesuffix("-space")].mu
        return [(float(low), float(high))]

    def _neurons_of(self, subject: str, paper: PaperSetting | None) -> Sequence[int]:
        if self.neurons:
            return self.neurons
        if paper is None:
            raise ProblemError(f"{subject}: a problem file needs neurons, as in neurons=[1000]")
        return [paper.neurons]


def _sequence(name: str, value: Any, *, may_be_empty: bool = False) -> tuple[Any, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ProblemError(f"{name} must be a list; got {value!r}")
    items = tuple(value)
    if not items and not may_be_empty:
        raise ProblemError(f"{name} is empty; a sweep over nothing has no solves")
    try:
        (item, count), *_ = Counter(items).most_common(1) or [(None, 0)]
    except TypeError:
        raise ProblemError(f"{name} has something in it that is neither text nor number") from None
    if count > 1:
        raise ProblemError(f"{name} has {item!r} twice")
    return items


def _check_choice(name: str, value: Any, known: Sequence[str]) -> None:
    if value in known:
        return
    hint = did_you_mean(value, known) if isinstance(value, str) else ""
    raise ProblemError(f"{name}: there is no {value!r}; there are {', '.join(known)}{hint}")


def _ranges(mu: Any) -> str | tuple[Pair, ...]:
    if isinstance(mu, str):
        if mu not in (BEST, GRID):
            raise ProblemError(f'mu must be "{BEST}", "{GRID}" or a list of pairs such as [(5, 80)]; got {mu!r}')
        return mu
    if not isinstance(mu, Iterable):
        raise ProblemError(f"mu must be a list of pairs such as [(5, 80)]; got {mu!r}")
    return _sequence("mu", [_pair(pair) for pair in mu])


def _pair(pair: Any) -> Pair:
    try:
        low, high = pair
    except (TypeError, ValueError):
        raise ProblemError(f"mu must be pairs (smallest, largest); got {pair!r}") from None
    real = isinstance(low, Real) and isinstance(high, Real)
    if not real or low < 0 or not low <= high <= sys.float_info.max:
        raise ProblemError(f"mu must be (smallest, largest) with 0 <= smallest <= largest; got {pair!r}")
    # without the sign of a zero, which a database does not keep
    return float(low) + 0.0, float(high) + 0.0
