"""Names and methods that wait for their modules are the same as if they had not."""

from __future__ import annotations

import ast
import inspect
import pickle
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import fspielm as fs
from fspielm.geometry import shapes
from fspielm.later import MethodsFrom, names_from

ROOT = Path(fs.__file__).parent
# Every package and module that has names which come later.
LATER = ["public", "geometry", "features", "collocation", "expressions", "equations", "equations.conditions", "linalg"]


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    made: Any = ModuleType("made_up")
    made.__getattr__ = names_from("made_up", {"fraction": "no.such.module", "Fraction": "fractions"})
    monkeypatch.setitem(sys.modules, "made_up", made)
    return made


def test_a_name_is_found_where_it_is_at_home_and_then_kept(package: ModuleType) -> None:
    assert "Fraction" not in vars(package)
    assert package.Fraction(1, 2) == 0.5
    assert vars(package)["Fraction"] is package.Fraction


def test_a_name_that_does_not_come_later_either_is_said_so(package: ModuleType) -> None:
    with pytest.raises(AttributeError, match="module 'made_up' has no attribute 'other'"):
        _ = package.other


def test_a_module_that_fails_says_why(package: ModuleType) -> None:
    with pytest.raises(ModuleNotFoundError, match="no"):
        _ = package.fraction


def test_a_method_is_the_function_itself_once_it_was_touched() -> None:
    class Word(str):
        wrapped = MethodsFrom("textwrap").wrap
        shortened = MethodsFrom("textwrap").shorten

    assert Word("a b").wrapped(1) == ["a", "b"]
    assert inspect.isfunction(vars(Word)["wrapped"])
    assert not inspect.isfunction(vars(Word)["shortened"])
    assert list(inspect.signature(Word.shortened).parameters)[:2] == ["text", "width"]
    assert Word("a b c d").shortened(width=9, placeholder="") == "a b c d"


def test_modules_are_asked_for_no_name_of_pythons_own() -> None:
    with pytest.raises(AttributeError):
        _ = MethodsFrom("textwrap").__wrapped__


def test_methods_of_solutions_and_problems_are_documented_functions() -> None:
    for name in ("plot", "to_numpy", "save", "diff", "integrate", "spectrum", "plot_error", "_repr_html_"):
        method = getattr(fs.Solution, name)
        assert inspect.isfunction(method)
        assert method.__doc__
    assert inspect.isfunction(fs.Problem._repr_latex_)


@pytest.mark.parametrize("name", LATER)
def test_every_name_that_is_listed_is_there(name: str) -> None:
    module = import_module(f"fspielm.{name}")
    assert [known for known in module.__all__ if not hasattr(module, known)] == []


@pytest.mark.parametrize("name", LATER)
def test_what_type_checkers_read_is_what_is_found(name: str) -> None:
    module = import_module(f"fspielm.{name}")
    read = _read_by_type_checkers(Path(str(module.__file__)))
    assert read
    for known, home in read.items():
        assert getattr(module, known) is getattr(import_module(home), known)
        assert not (ROOT / name.replace(".", "/") / f"{known}.py").exists(), (
            "a module of that name would take its place"
        )


def test_a_shape_has_both_of_its_lines() -> None:
    assert _read_by_type_checkers(Path(shapes.__file__)) == shapes.HOMES


@pytest.mark.parametrize("name", shapes.HOMES)
def test_a_shape_is_the_same_wherever_it_is_asked_for(name: str) -> None:
    shape = getattr(fs, name)
    assert shape is fs.geometry.SHAPES[name] is getattr(fs.geometry, name)
    assert pickle.loads(pickle.dumps(shape)) is shape


def _read_by_type_checkers(file: Path) -> dict[str, str]:
    """The names imported under ``TYPE_CHECKING``, and the modules they come from."""
    blocks = [node for node in ast.parse(file.read_text()).body if isinstance(node, ast.If)]
    imports = [node for block in blocks for node in block.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: str(node.module) for node in imports for alias in node.names if alias.name != "*"}
