"""How the modules of fspielm depend on each other, room by room.

    python benchmarks/import_graph.py [--list] [--dot rooms.dot] [--src FOLDER]

Prints for each room: files, lines, files with a single importer, imports of own modules within functions and under
``TYPE_CHECKING``, and numeric constants of modules; then groups of modules that import each other. Tests, benchmarks
and ``__init__.py`` do not count as importers. ``--list`` adds what was counted; ``--dot`` writes the graph of rooms for
Graphviz, with the number of imports at the top of files on each edge.
"""

from __future__ import annotations

import argparse
import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

SRC = Path(__file__).resolve().parent.parent / "src"
_CAPITALS = re.compile(r"_?[A-Z][A-Z0-9_]*")
_COLUMNS = {"files": 8, "lines": 8, "one importer": 14, "in functions": 14, "for types": 11, "constants": 11}


def main() -> None:
    """Print the table, and write the graph if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="what was counted")
    parser.add_argument("--dot", type=Path, metavar="FILE", help="write the graph of rooms")
    parser.add_argument("--src", type=Path, default=SRC, metavar="FOLDER", help="other sources than these")
    given = parser.parse_args()
    paths = {_name(path, given.src): path for path in sorted((given.src / "fspielm").rglob("*.py"))}
    texts = {name: path.read_text(encoding="utf-8") for name, path in paths.items()}
    trees = {name: ast.parse(text) for name, text in texts.items()}
    imports = {name: set(imports_of(tree, set(paths))) for name, tree in trees.items()}
    rooms = {name: (*path.relative_to(given.src).parts[1:-1], "(top)")[0] for name, path in paths.items()}
    packages = {name for name, path in paths.items() if path.name == "__init__.py"}
    importers: dict[str, set[str]] = defaultdict(set)
    for name in paths.keys() - packages:
        for other, _ in imports[name]:
            importers[other].add(name)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    listed: list[str] = []
    for name in paths:
        lone = [f"{name}: imported by {one} alone" for one in importers[name] if len(importers[name]) == 1]
        lone = [] if name in packages else lone
        inner = [f"{name}: imports {other} in a function" for other, kind in imports[name] if kind == "in functions"]
        numbers = [f"{name}: constant {constant}" for constant in constants(trees[name])]
        types = sum(kind == "for types" for _, kind in imports[name])
        row = (1, len(texts[name].splitlines()), len(lone), len(inner), types, len(numbers))
        counts[rooms[name]].update(dict(zip(_COLUMNS, row, strict=True)))
        listed += [*lone, *sorted(inner), *numbers]
    print(f"{'':12}" + "".join(f"{title:>{width}}" for title, width in _COLUMNS.items()))
    for room, own in [*sorted(counts.items()), ("all", sum(counts.values(), Counter[str]()))]:
        print(f"{room:12}" + "".join(f"{own[title]:>{width}}" for title, width in _COLUMNS.items()))
    for kinds in (("top",), ("top", "in functions"), ("top", "in functions", "for types")):
        found = cycles({name: {other for other, kind in imports[name] if kind in kinds} for name in paths})
        title = f"import cycles ({', '.join(kinds)})"
        print(f"{title}: {len(found)} groups, {sum(map(len, found))} modules")
        listed += [f"{title}: {', '.join(sorted(group))}" for group in found]
    if given.list:
        print(*listed, sep="\n")
    if given.dot:
        pairs = [(rooms[name], rooms[other]) for name in paths for other, kind in imports[name] if kind == "top"]
        edges = Counter(pair for pair in pairs if pair[0] != pair[1])
        lines = [f'  "{one}" -> "{other}" [label={count}];' for (one, other), count in sorted(edges.items())]
        given.dot.write_text("\n".join(["digraph rooms {", *lines, "}", ""]), encoding="utf-8")


def _name(path: Path, src: Path) -> str:
    return ".".join(path.relative_to(src).with_suffix("").parts).removesuffix(".__init__")


def imports_of(tree: ast.AST, own: set[str], kind: str = "top") -> Iterator[tuple[str, str]]:
    """Own modules that are imported, and where: at the top, in functions or for types."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, kind) for alias in node.names if alias.name in own)
        elif isinstance(node, ast.ImportFrom) and node.module in own:
            modules = {f"{node.module}.{alias.name}" for alias in node.names} & own
            yield from ((name, kind) for name in modules or {node.module})
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from imports_of(ast.Module(node.body, []), own, "for types")
        else:
            is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            yield from imports_of(node, own, "in functions" if is_function else kind)


def constants(tree: ast.Module) -> Iterator[str]:
    """Names in capitals at the top of a module that are assigned a number or a tuple of numbers."""
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            is_tuple = isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)
            pairs = zip(target.elts, node.value.elts, strict=False) if is_tuple else [(target, node.value)]
            named = [(one.id, value) for one, value in pairs if isinstance(one, ast.Name)]
            yield from (name for name, value in named if _CAPITALS.fullmatch(name) and _is_number(value))


def _is_number(node: ast.AST) -> bool:
    if isinstance(node, ast.Tuple):
        return bool(node.elts) and all(map(_is_number, node.elts))
    node = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(node, ast.Constant) and type(node.value) in (int, float, complex)


def cycles(graph: dict[str, set[str]]) -> list[frozenset[str]]:
    """Groups of modules of which each leads to every other one by imports."""
    reach: dict[str, set[str]] = {}
    for start in graph:
        seen, left = set[str](), [start]
        while left:
            left += (new := graph[left.pop()] - seen)
            seen |= new
        reach[start] = seen
    return sorted({frozenset(o for o in reach[n] if n in reach[o]) for n in graph if n in reach[n]}, key=sorted)


if __name__ == "__main__":
    main()
