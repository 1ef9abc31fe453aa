"""How the sources are shaped, in numbers that a clean-up should make smaller.

    python benchmarks/shape_of_code.py [--list] [--src FOLDER] [--entry fspielm.solvers.round:run_round]

Counts lines, functions of many parameters, questions for a concrete class outside of the package that it belongs to,
and constants that steer the solver; and, in one round of an automatic solve, calls from one module to another, of all
or of the core alone (solvers, estimate, solution, collocation). What a round is, is said by `--entry`: the
function whose first call is looked at, from its beginning to its end.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

SRC = Path(__file__).resolve().parent.parent / "src"
_MANY = 8
# The packages whose constants steer: those that conduct a solve, and that judge it.
_STEERING = ("solvers", "estimate")
# The quick solves whose first round is looked at, and the packages that a round is conducted in.
_ROUNDS = ("band", "characteristic")
_CORE = ("solvers", "estimate", "solution", "collocation")

Module = tuple[Path, ast.Module]
Hops = Counter[tuple[str, str]]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="what was counted, below each number")
    parser.add_argument("--src", type=Path, default=SRC, metavar="FOLDER", help="other sources than these")
    parser.add_argument("--entry", default="fspielm.solvers.round:run_round", metavar="MODULE:FUNCTION")
    given = parser.parse_args()
    package = given.src.resolve() / "fspielm"
    modules = [(path.relative_to(package), _parse(path)) for path in sorted(package.rglob("*.py"))]
    lines = {path: len((package / path).read_text(encoding="utf-8").splitlines()) for path, _ in modules}
    steering = {path: count for path, count in lines.items() if path.parts[0] in _STEERING}
    bases = concrete_classes(modules, "basis", "Basis")
    tables: list[tuple[str, int, Iterable[str]]] = [
        ("lines of src", sum(lines.values()), ()),
        ("lines of the core", sum(count for path, count in lines.items() if path.parts[0] in _CORE), ()),
        (f"lines of {' and '.join(_STEERING)}", sum(steering.values()), (f"{n:5d} {p}" for p, n in steering.items())),
        (f"functions of more than {_MANY} parameters", *_counted(wide_functions(modules))),
        ("questions for a concrete Basis outside of basis", *_counted(questions(modules, bases, "basis"))),
        ("questions for QR outside of collocation", *_counted(questions(modules, {"QR"}, "collocation"))),
        (f"constants of {' and '.join(_STEERING)}", *_counted(constants(modules))),
    ]
    sys.path.insert(0, str(given.src.resolve()))
    for kind in _ROUNDS:
        hops = hops_of_round(kind, given.entry)
        core = Counter({pair: n for pair, n in hops.items() if all(name.split(".")[1] in _CORE for name in pair)})
        for where, among in ((kind, hops), (f"{kind}, core", core)):
            told = [f"{count:5d} {one} -> {other}" for (one, other), count in among.most_common()]
            tables.append((f"calls between modules in a round ({where})", among.total(), ()))
            tables.append((f"pairs of modules of these calls ({where})", len(among), told))
    for what, number, items in tables:
        print(f"{what:<58}{number:>8}")
        if given.list:
            print(*(f"    {item}\n" for item in items), sep="", end="")


def _parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def _counted(items: Iterable[str]) -> tuple[int, list[str]]:
    listed = list(items)
    return len(listed), listed


def wide_functions(modules: Iterable[Module]) -> Iterator[str]:
    """Functions and methods of many parameters, `self` not counted."""
    for path, tree in modules:
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                a = node.args
                names = [arg.arg for arg in (*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg) if arg]
                count = len(names) - (names[:1] in (["self"], ["cls"]))
                if count > _MANY:
                    yield f"{count:3d} {path}:{node.lineno} {node.name}"


def concrete_classes(modules: Iterable[Module], package: str, root: str) -> set[str]:
    """Names of the classes of a package that derive from `root`."""
    parents = {
        node.name: {ast.unparse(base).rpartition(".")[2] for base in node.bases}
        for path, tree in modules
        if path.parts[0] == package
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }
    found = {root}
    while more := {name for name, bases in parents.items() if bases & found} - found:
        found |= more
    return found - {root}


def questions(modules: Iterable[Module], classes: set[str], home: str) -> Iterator[str]:
    """Places outside of the package `home` that ask whether something is one of `classes`."""
    for path, tree in modules:
        if path.parts[0] == home:
            continue
        for node in ast.walk(tree):
            asked: ast.AST | None = None
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("isinstance", "issubclass"):
                asked = node.args[1]
            elif isinstance(node, ast.MatchClass):
                asked = node.cls
            if asked is not None and classes & {ast.unparse(part).rpartition(".")[2] for part in ast.walk(asked)}:
                yield f"{path}:{asked.lineno} {ast.unparse(node)}"  # type: ignore[attr-defined]


def constants(modules: Iterable[Module]) -> Iterator[str]:
    """Names in capitals, given a number or what is made of numbers, in modules that steer."""
    for path, tree in modules:
        if path.parts[0] not in _STEERING:
            continue
        for node in tree.body:
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            for name in (target.id for target in targets if isinstance(target, ast.Name)):
                value = getattr(node, "value", None)
                if name.isupper() and value is not None and any(map(_is_number, ast.walk(value))):
                    yield f"{path}:{node.lineno} {name} = {ast.unparse(value)}"


def _is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool)


def hops_of_round(kind: str, entry: str) -> Hops:
    """Calls from one module of the package to another, by pairs, in the first round of a quick solve."""
    from same_bits.quick import QUICK

    QUICK[kind]()  # what is imported or made once in a process is no part of a round
    watch = _Watch(entry)
    watch.over(QUICK[kind])
    if not watch.ended:
        raise SystemExit(f"{entry} was not called; see --entry")
    return watch.hops


class _Watch:
    """Counts calls during the first call of a function."""

    def __init__(self, entry: str) -> None:
        self.entry = entry
        self.hops: Hops = Counter()
        self.ended = False
        self._round: FrameType | None = None

    def over(self, work: Callable[[], Any]) -> None:
        """Watch some work, in this thread."""
        sys.setprofile(self._look)
        try:
            work()
        finally:
            sys.setprofile(None)

    def _look(self, frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and not self.ended:
            self._called(frame)
        elif event == "return" and frame is self._round:
            self.ended, self._round = True, None

    def _called(self, frame: FrameType) -> None:
        module = _module(frame)
        if self._round is None and f"{module}:{frame.f_code.co_qualname}" == self.entry:
            self._round = frame
        elif self._round is not None and module is not None:
            caller = frame.f_back
            # through libraries that call back, such as a cached property
            while caller is not None and _module(caller) is None:
                caller = caller.f_back
            origin = None if caller is None else _module(caller)
            if origin is not None and origin != module:
                self.hops[origin, module] += 1


def _module(frame: FrameType) -> str | None:
    """The module of a function of the package; None elsewhere."""
    name = str(frame.f_globals.get("__name__", ""))
    return name if name.startswith("fspielm.") else None


if __name__ == "__main__":
    main()
