"""Whether a change of the sources changed a bit of any result: record before it, compare after it.

    python benchmarks/same_bits.py record before.json [--workers 2] [--only NAME ...]   # --only: anew, the rest stays
    python benchmarks/same_bits.py compare before.json [--but FIELD ...]   # prints what differs, and exits with 1
    python benchmarks/same_bits.py quick             # records anew what tests/solvers/test_same_bits.py compares with
    python benchmarks/same_bits.py list

Some 140 solves with fixed seeds, in child processes with one thread of the linear algebra library, and without a budget
of seconds, so that no clock decides anything. Bits depend on the processor and on libraries too: compare on the machine
where you recorded. A name given with `--only` stands for all that begin with it.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from children import in_children
from same_bits.arithmetic import fingerprint
from same_bits.catalogue import SOLVES
from same_bits.outcome import brief_of, differences, outcome_of
from same_bits.quick import QUICK

TESTED = Path(__file__).resolve().parent.parent / "tests" / "solvers" / "same_bits.json"


def main() -> None:
    """Record, compare or list."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["record", "compare", "quick", "list"])
    parser.add_argument("file", type=Path, nargs="?")
    parser.add_argument("--only", nargs="+", default=[""], metavar="NAME")
    parser.add_argument("--but", nargs="+", default=[], metavar="FIELD", help="what may differ, such as reason")
    parser.add_argument("--workers", type=int, default=1, help="processes at a time")
    given = parser.parse_args()
    if given.command in ("record", "compare") and given.file is None:
        parser.error(f"{given.command} needs a file")
    names = [name for name in SOLVES if name.startswith(tuple(given.only))]
    if not names:
        parser.error(f"nothing begins with {given.only[0]!r}; try: list")
    match given.command:
        case "record":
            record(given.file, names, given.workers)
        case "compare":
            sys.exit(compare(given.file, names, given.workers, given.but))
        case "quick":
            record_quick()
        case _:
            print("\n".join(names))


def solve(name: str) -> dict[str, Any]:
    """What the solves of a name give, or how they fail; called in a child process."""
    if name == "arithmetic":
        return fingerprint()
    warnings.simplefilter("ignore")
    try:
        return {what: outcome_of(solution) for what, solution in SOLVES[name]().items()}
    except Exception as error:  # as much a result as any, if it is the same before and after
        return {"": {"failed": f"{type(error).__name__}: {error}"}}


def outcomes(names: list[str], workers: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """The arithmetic of this machine and the outcomes of the names, as they come."""
    for ended in in_children(solve, ["arithmetic", *names], workers):
        yield ended.task, ended.result if ended.how == "done" else {"": {"failed": ended.how}}


def record(path: Path, names: list[str], workers: int) -> None:
    """Keep the outcomes in a file, each as it comes; names that are there already are replaced."""
    kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    for name, outcome in outcomes(names, workers):
        kept[name] = outcome
        path.write_text(json.dumps(kept, indent=1), encoding="utf-8")
        print(name, *(_told(what, one) for what, one in outcome.items() if name != "arithmetic"), sep="\n", flush=True)


def compare(path: Path, names: list[str], workers: int, but: list[str]) -> int:
    """Print what differs from the file; how the process is to end."""
    kept, differ = json.loads(path.read_text(encoding="utf-8")), 0
    for name, outcome in outcomes([name for name in names if name in kept], workers):
        before = kept[name]
        if name == "arithmetic":
            if outcome != before:
                print("another processor, or other libraries, than those of the file: bits cannot be the same")
            continue
        changed = [f"  {line}" for line in differences(before, outcome, but)]
        differ += bool(changed)
        print(f"{name}: {'DIFFERS' if changed else 'the same'}", *changed, sep="\n", flush=True)
    missing = [name for name in names if name not in kept]
    for name in missing:
        print(f"{name}: not in the file")
    print(f"{differ} of {len(names) - len(missing)} differ")
    return 1 if differ or missing else 0


def record_quick() -> None:
    """Write what the tests compare with, deliberately: only a change that is meant to change bits calls for it."""
    kept = {ended.task: ended.result for ended in in_children(solve_quick, ["arithmetic", *QUICK])}
    TESTED.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def solve_quick(name: str) -> dict[str, Any]:
    """The same for what the tests look at."""
    if name == "arithmetic":
        return fingerprint()
    warnings.simplefilter("ignore")
    return {what: brief_of(solution) for what, solution in QUICK[name]().items()}


def _told(what: str, outcome: dict[str, Any]) -> str:
    if "failed" in outcome:
        return f"  {what or 'solution'}: {outcome['failed']}"
    return (
        f"  {what or 'solution'}: estimate {outcome['error_estimate']:.1e}, {outcome['neurons']} neurons, "
        f"{outcome['rows']} rows, {len(outcome['rounds'])} rounds, {outcome['coefficients'][:8]}"
    )


if __name__ == "__main__":
    main()
