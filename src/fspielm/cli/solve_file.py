"""``fspielm solve`` for problem files."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

from fspielm import cases
from fspielm.cli.outputs import Outputs
from fspielm.cli.progress import completing, run_or_salvage, show_rounds, working
from fspielm.cli.report import file_as_json, print_file_report
from fspielm.cli.settings import Options, file_settings, limit_blas
from fspielm.demo import FileRun, run_file
from fspielm.files import read_problem_file
from fspielm.writing import check_place


def is_problem_file(name: str) -> bool:
    """Whether `name` is meant as the path of a problem file, there or not, and not as the name of a benchmark."""
    path = Path(name)
    written_as_one = bool(path.suffix) or path.name != name
    return name not in cases.names() and (written_as_one or path.exists() or Path(f"{name}.toml").exists())


def solve_file(name: str, options: Options, outputs: Outputs) -> None:
    """Solve the problem of a file, print what came out, and write the outputs that it asks for."""
    file = read_problem_file(Path(name))
    settings = file_settings(options, file.budget)
    # the same digits every time, unless another seed is asked for
    settings["rng"] = options.rng if options.rng is not None else file.rng or 0
    if file.plot is not None and not outputs.plot:
        outputs = replace(outputs, plot=[file.plot])
    if file.table is not None:
        check_place(file.table, (".csv",))
    outputs.check(file.problem)
    limit_blas(settings["budget"].threads)
    with working(f"solving {name}") as show:
        shown = show_rounds(name, show, settings["budget"].seconds)
        run, interrupt = run_or_salvage(partial(run_file, file, settings | {"progress": shown}))
    with completing(interrupt):
        if outputs.json:
            print(json.dumps(file_as_json(run, name), indent=2, allow_nan=False))
        else:
            print_file_report(run, name)
        outputs.write(run.solution, file.title)
        outputs.draw(run, _title(run, name))
        if file.table is not None:
            run.solution.to_csv(file.table)
            if not outputs.json:
                print(f"\nTable: {file.table}")


def _title(run: FileRun, name: str) -> str:
    error = "" if run.relative_error is None else f": relative error {run.relative_error:.1e}"
    return f"{run.file.title or name}{error}"
