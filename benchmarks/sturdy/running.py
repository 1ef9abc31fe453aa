"""What is missing in the tables, solved and added."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from children import Ended, in_children

from sturdy import constants, solving, statements
from sturdy.constants import CONSTANT
from sturdy.solving import CATALOGUE, Result, Task
from sturdy.statements import COEFFICIENTS, STEPS
from sturdy.table import Table

# The budgets of a part's solves, and the seconds after which one counts as hung; a budget is 600 s where none is given.
_BUDGETS = {"seeds": ("default",), "heavy": ("seconds", "memory"), "five_dimensions": ("default",)}
_LIMITS = {"default": 700.0, "seconds": 60.0, "memory": 700.0}
_STATEMENT_LIMIT = 60.0
_CONSTANT_LIMIT = 1200.0


@dataclass(frozen=True)
class Options:
    """What to run, and how.

    Attributes
    ----------
    folder : Path
        Of the tables.
    seeds : int
        How many for each problem and budget.
    seeds_of : Path or None
        A folder of tables whose seeds are taken again, to compare like with like.
    only : sequence of str
        Names of problems; all of them if empty.
    workers : int
    limit : float or None
        Seconds after which a solve is ended, where not those of its part.
    """

    folder: Path
    seeds: int
    seeds_of: Path | None
    only: Sequence[str]
    workers: int
    limit: float | None

    def chosen(self, names: Iterable[str]) -> list[str]:
        """The names asked for."""
        return [name for name in names if not self.only or name in self.only]


def solves_of(part: str, folder: Path) -> Table:
    """The table of a part's solves."""
    return Table(folder / f"{part}.csv", solving.COLUMNS)


def rounds_in(folder: Path) -> Table:
    """The table of the rounds of all solves."""
    return Table(folder / "rounds.csv", solving.ROUND_COLUMNS)


def statements_in(folder: Path) -> Table:
    """The table of statements."""
    return Table(folder / "statements.csv", statements.COLUMNS)


def constants_in(folder: Path) -> Table:
    """The table of constant data."""
    return Table(folder / "constant_data.csv", constants.COLUMNS)


def run_solves(part: str, options: Options) -> None:
    """Solve what a part's table lacks; for every seed all problems, so that a run cut short has some of each."""
    table, rounds = solves_of(part, options.folder), rounds_in(options.folder)
    for budget in _BUDGETS[part]:
        todo = missing(part, budget, options)
        # only in a fresh process the most memory it ever held is that of the one solve
        outcomes = in_children(
            solving.perform, todo, options.workers, options.limit or _LIMITS[budget], fresh=budget != "default"
        )
        for count, ended in enumerate(outcomes, 1):
            task, result = ended.task, ended.result or Result(_lost(ended), [])
            row = task.key | result.row
            rounds.append(result.rounds)
            table.append([row])
            _tell(f"{part} {budget} {count}/{len(todo)}", row, "problem", "seed", *solving.COLUMNS[3:])


def missing(part: str, budget: str, options: Options) -> list[Task]:
    """The solves that the table lacks, with seeds drawn now or taken from another table."""
    done = [row for row in solves_of(part, options.folder).rows() if row["budget"] == budget]
    former = [] if options.seeds_of is None else solves_of(part, options.seeds_of).rows()
    by_turn: list[tuple[int, Task]] = []
    for name in options.chosen(CATALOGUE[part]):
        had = [int(row["seed"]) for row in done if row["problem"] == name]
        again = [int(row["seed"]) for row in former if row["budget"] == budget and row["problem"] == name]
        fresh = [seed for seed in dict.fromkeys(again) if seed not in had]
        fresh += [int(seed) for seed in np.random.SeedSequence().generate_state(options.seeds)]
        turns = range(len(had), options.seeds)
        by_turn += [(turn, Task(part, name, budget, seed)) for turn, seed in zip(turns, fresh, strict=False)]
    return [task for _, task in sorted(by_turn, key=lambda pair: pair[0])]


def run_statements(options: Options) -> None:
    """Take the steps that the table lacks: SymPy remembers what it did, so each in a fresh process."""
    table = statements_in(options.folder)
    done = {(row["statement"], row["step"]) for row in table.rows()}
    todo = [(name, step) for name in options.chosen(COEFFICIENTS) for step in STEPS if (name, step) not in done]
    limit = options.limit or _STATEMENT_LIMIT
    for ended in in_children(statements.perform, todo, options.workers, limit, fresh=True):
        name, step = ended.task
        row = {"statement": name, "step": step} | (ended.result or _lost(ended))
        table.append([row])
        _tell("statements", row, *statements.COLUMNS)


def run_constants(options: Options) -> None:
    """Solve the problems with constant data that the table lacks, every approach to one of them in one process."""
    table = constants_in(options.folder)
    had = [row["problem"] for row in table.rows() if row["approach"] == "default"]
    todo = [
        (name, int(seed))
        for name in options.chosen(CONSTANT)
        for seed in np.random.SeedSequence().generate_state(max(options.seeds - had.count(name), 0))
    ]
    limit = options.limit or _CONSTANT_LIMIT
    for ended in in_children(constants.perform, todo, options.workers, limit):
        name, seed = ended.task
        found = ended.result or [{"approach": "default"} | _lost(ended)]
        rows = [{"problem": name, "seed": seed} | row for row in found]
        table.append(rows)
        for row in rows:
            _tell("constant_data", row, *constants.COLUMNS)


def _lost(ended: Ended) -> dict[str, Any]:
    """The row of a solve that never answered."""
    words = {"hung": "ended by the benchmark", "died": "its process died"}
    return {"status": ended.how, "message": words[ended.how], "seconds": f"{ended.seconds:.1f}"}


def _tell(where: str, row: dict[str, Any], *columns: str) -> None:
    print(where, *(f"{name}={row[name]}" for name in columns if row.get(name, "") != ""), sep=" | ", flush=True)
