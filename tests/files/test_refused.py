"""Files that are refused: why, and where."""

# ruff: noqa: E501 (one mistake on each line)

from __future__ import annotations

import re
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

import fspielm as fs
from fspielm.errors import TextError

CountCalls = Callable[[Callable[[], object]], int]

# what is replaced in the file, by what, the line, and the message
MISTAKES = [
    ("equation =", "equatoin =", 3, "no key 'equatoin' here; did you mean 'equation'?"),
    ("equation =", "zzz =", 3, "no key 'zzz' here; its keys are unknown, equation, domain, "),
    ("equation =", "exact = 1\nequation =", 3, "no key 'exact' here; it belongs under [reference]"),
    ("equation =", "tol = 1\nequation =", 3, "no key 'tol' here; it belongs under [solve]"),
    ("equation =", "plot = 1\nequation =", 3, "no key 'plot' here; it belongs under [output]"),
    ("equation =", "exterior = 1\nequation =", 3, "no key 'exterior' here; it belongs under [domain]"),
    ("[domain]", "[[exterior]]", 9, "no key 'exterior' here; it belongs under [domain]"),
    ("[solve]", "[slove]", 24, "no key 'slove' here; did you mean 'solve'?"),
    ("radius =", "raduis =", 12, "[domain]: no key 'raduis' here; did you mean 'radius'?"),
    ("shape =", "shpae =", 10, "[domain]: no key 'shpae' here; did you mean 'shape'?"),
    ("radius =", "height =", 12, "[domain]: no key 'height' here; its keys are shape, center, radius, name, "),
    ('radius = "R"\n', "", 9, "[domain]: the key 'radius' is missing"),
    ('shape = "Disk"\n', "", 9, "[domain]: the key 'shape' is missing"),
    ('"Disk"', '"disc"', 10, "[domain]: no shape 'disc'; did you mean 'Disk'?"),
    ('"Disk"', '"Zzz"', 10, "[domain]: no shape 'Zzz'; the shapes are Annulus, B"),
    ('"Disk"', "3", 10, "[domain]: shape must be text in quotes; got 3"),
    ('"R/4"]', '"R/4", 3]', 9, "[domain]: Disk: center must have two coordinates (x, y); got 3"),
    ('[0, "R/4"]', "1", 9, "[domain]: Disk: center must be a sequence of numbers"),
    ('[0, "R/4"]', "{ a = 1 }", 11, "[domain]: center must be a number, or an expression in quotes; got {'a': 1}"),
    ('[0, "R/4"]', "[0, true]", 11, "[domain]: center must be a number, or an expression in quotes; got True"),
    ('radius = "R"', 'radius = "x"', 12, "[domain]: radius: unknown name 'x'; known are R, k, pi, e"),
    ('radius = "R"', "radius = -1", 9, "[domain]: Disk: radius must be positive; got -1.0"),
    ('radius = "R"', 'radius = "R"\ntime = 1', 13, "[domain]: time must be a list of its start and its end"),
    ("sin(k*x)*y", "sin(k*x)*z", 3, "equation: unknown name 'z'; known are R, k, x, y, u, pi, e"),
    ("sin(k*x)*y", "max(u, 0)", 3, "equation: max of the unknown has kinks"),
    ("k**2*u", "2**(k*10**5)*u", 3, "equation: the exponent 471239 is larger than 10000"),
    ("sin(k*x)*y", "2**2**2**2**2**99", 3, "equation: the exponent 6.33825e+29 is larger than 10000"),
    ('"-laplacian(u) - k**2*u = sin(k*x)*y"', "3", 3, "equation must be text in quotes, or a list of such texts; got 3"),
    ('"u(x, y)"', '"u"', 2, "unknown must be a function of its coordinates, as in \"u(x, y)\"; got 'u'"),
    ('"u(x, y)"', '"u(x, x)"', 2, "the name 'x' stands for two things; rename one"),
    ('"u(x, y)"', '"u(x, sin)"', 2, "the coordinate cannot be named 'sin', which has a meaning in expressions"),
    ('"u(x, y)"', '"u(x, 2)"', 2, "the coordinate '2' must be named by a letter"),
    ("R = 2", "R = inf", 6, "[parameters]: R must be finite; got inf"),
    ("R = 2", "R = true", 6, "[parameters]: R must be a number, or an expression in quotes; got True"),
    ("R = 2", "R = 0x" + "f" * 9000, 6, "[parameters]: R is larger than double precision holds"),
    ("R = 2", "sin = 2", 6, "[parameters]: the parameter cannot be named 'sin', which has a meaning in expressions"),
    ("R = 2", "x = 2", 6, "[parameters]: the name 'x' stands for two things; rename one"),
    ("R = 2", 'R = "k"', 6, "[parameters]: R: unknown name 'k'; known are pi, e"),
    ('[parameters]\nR = 2\nk = "3*pi/R"', "parameters = 2", 5, "parameters must be a table, as in [parameters]; got 2"),
    ('"dirichlet"', '"dirichelt"', 15, "[[conditions]] number 1: no type 'dirichelt' of condition; did you mean 'dirich"),
    ('"neumann"', '"zzz"', 20, "[[conditions]] number 2: no type 'zzz' of condition; the types are dirichlet, neumann, ro"),
    ('"neumann"', '"Hard"', 20, "[[conditions]] number 2: no type 'Hard' of condition; write 'neumann'; the types are dirichlet, n"),
    ('"neumann"', '"rigid"', 20, "[[conditions]] number 2: no type 'rigid' of condition; write 'neumann'; the types are dirichlet,"),
    ('"neumann"', '"soft"', 20, "[[conditions]] number 2: no type 'soft' of condition; write 'dirichlet'; the types are dirichlet,"),
    ('"neumann"', '"head"', 20, "[[conditions]] number 2: no type 'head' of condition; the types are dirichlet, neumann, robin"),
    ('type = "neumann"\n', "", 19, "[[conditions]] number 2: the key 'type' is missing"),
    ("value = 0\n", "", 19, "[[conditions]] number 2: the key 'value' is missing"),
    ("value = 0\n", "valeu = 0\n", 21, "[[conditions]] number 2: no key 'valeu' here; did you mean 'value'?"),
    ("value = 0\n", "value = []\n", 21, "[[conditions]] number 2: value must be a number, or an expression in quotes; got"),
    ("value = 0\n", "value = nan\n", 21, "[[conditions]] number 2: value must be finite; got nan"),
    ("value = 0\n", 'value = "u"\n', 21, "[[conditions]] number 2: value: unknown name 'u'; known are R, k, x, y, pi, e"),
    ("value = 0\n", "value = 0\nweight = -1\n", 19, "[[conditions]] number 2: Neumann: weight must be a positive number"),
    ("value = 0\n", "value = 0\norder = 1\n", 22, "[[conditions]] number 2: no key 'order' here"),
    ('where = "x < 0"', 'on = "x < 0"', 17, "[[conditions]] number 1: on names parts of the boundary; for a comparison wri"),
    ('where = "x < 0"', "on = 3", 17, "[[conditions]] number 1: on must be the name of a part of the boundary, or a list of names"),
    ('where = "x < 0"', "on = []", 17, "[[conditions]] number 1: on must be the name of a part of the boundary, or a list of name"),
    ('where = "x < 0"', 'where = "x"', 17, "[[conditions]] number 1: where: expected a comparison, as in x < 0.5"),
    ('where = "x < 0"', 'where = "1 < 0"', 17, "[[conditions]] number 1: where: the condition is false everywhere"),
    ('where = "x < 0"', 'where = "x < 0"\non = "a"', 17, "[[conditions]] number 1: on and where both say where"),
    ("tol = 1e-6", "tol = 2", 25, "[solve]: tol must lie between 0 and 1; got 2.0"),
    ("tol = 1e-6", 'tol = "abc"', 25, "[solve]: tol: unknown name 'abc'; known are R, k, pi, e"),
    ("rng = 7", "rng = -7", 26, "[solve]: rng must be a whole number, 0 or more; got -7"),
    ("rng = 7", "seed = -7", 26, "[solve]: seed must be a whole number, 0 or more; got -7"),
    ("rng = 7", "rng = 7\nseed = 7", 27, "[solve]: seed is what rng was called; give one of the two"),
    ("rng = 7", "rng = 7.5", 26, "[solve]: rng must be a whole number; got 7.5"),
    ("rng = 7", "rng = 0x" + "f" * 9000, 26, "[solve]: rng must be a whole number below 2**128"),
    ("neurons = 500", "neurons = 0", 24, "[solve]: budget: neurons must be a whole number, at least 1; got 0"),
    ("seconds =", "secnods =", 28, "[solve]: no key 'secnods' here; did you mean 'seconds'?"),
    ("disk.png", "../disk.png", 31, "[output]: plot must name a file beside the problem file, or below; got '../disk.png'"),
    ("disk.png", "/etc/disk.png", 31, "[output]: plot must name a file beside the problem file, or below"),
    ('"sin(k*x)"', '"sin(k*z)"', 35, "[reference]: exact: unknown name 'z'; known are R, k, x, y, pi, e"),
    ("[domain]", "[domain", 9, "not valid TOML: Expected ']' at the end of a table declaration"),
    ("R = 2", "R = 2\nR = 3", 7, "not valid TOML: Cannot overwrite a value"),
    ('"Waves', "Waves", 1, "not valid TOML: "),
    ("rng = 7", "rng = " + "7" * 5000, 0, "not valid TOML: Exceeds the limit (4300"),
    ("rng = 7", "rng = " + "[" * 5000, 0, "arrays or tables nested too deep"),
    ("rng = 7", "a" + ".a" * 5000 + " = 7", 26, "a key has at most 16 parts"),
    ('where = "x >= 0"', 'where = "x > 0.5"', 0, "a piece of the boundary part 'circle', for instance at x="),
    ('where = "x >= 0"', 'on = "circel"', 0, "Neumann: the boundary has no part 'circel'; its parts are ['circle']; did"),
    ('"u(x, y)"', '"u(x, y, z)"', 0, "the unknown u(x, y, z) has 3 coordinates, but domain=Disk"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "line", "message"), MISTAKES, ids=lambda value: str(value)[:40])
def test_mistake(disk: str, tmp_path: Path, old: str, new: str, line: int, message: str) -> None:
    assert disk.count(old) >= 1
    path = tmp_path / "disk.toml"
    path.write_text(disk.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(fs.ProblemError) as caught:
        fs.read_problem_file(path)
    where = f"{path}, line {line}, column " if line else f"{path}: "
    assert str(caught.value).startswith(where)
    assert re.sub(r"^(column )?\d*(: )?", "", str(caught.value).removeprefix(where)).startswith(message)


def test_the_place_of_a_mistake_in_an_expression(disk: str) -> None:
    with pytest.raises(TextError) as caught:
        fs.read_problem(disk.replace("sin(k*x)*y", "sinn(k*x)*y"))
    assert str(caught.value).splitlines() == [
        "line 3, column 38: equation: unknown function 'sinn'; did you mean sin or sinh or sign?",
        '    equation = "-laplacian(u) - k**2*u = sinn(k*x)*y"',
        "                                         ^",
    ]


def test_the_place_in_a_table_on_one_line(heat: str) -> None:
    with pytest.raises(TextError) as caught:
        fs.read_problem(heat.replace('b = "pi"', 'b = "pie"'))
    assert caught.value.text.splitlines()[2][caught.value.column - 1 :].startswith('pie"')


def test_an_expression_with_escapes_is_shown_by_its_key(disk: str) -> None:
    with pytest.raises(TextError, match=r"line 3, column 1: equation.*'z'"):
        fs.read_problem(disk.replace("sin(k*x)*y", r"sin(k*x)*\u007a"))


def test_a_list_of_tables_is_needed(heat: str) -> None:
    text = heat[: heat.index("conditions")] + '[conditions]\ntype = "dirichlet"\nvalue = 0\n'
    with pytest.raises(fs.ProblemError, match=r"conditions.*list of tables"):
        fs.read_problem(text)


def test_no_conditions(heat: str) -> None:
    with pytest.raises(fs.ProblemError, match=r"conditions.*equation alone"):
        fs.read_problem(heat[: heat.index("conditions")] + "conditions = []\n")


class TestFiles:
    def test_missing(self, tmp_path: Path) -> None:
        with pytest.raises(fs.ProblemError, match=r"no\.toml: no such file"):
            fs.read_problem(tmp_path / "no.toml")

    def test_missing_beside_another(self, tmp_path: Path) -> None:
        (tmp_path / "ellipse.toml").touch()
        for typed in ("elipse.toml", "ellipse.tml", "ellipse"):
            with pytest.raises(fs.ProblemError, match=rf"{typed}: no such file.*ellipse\.toml'\?$"):
                fs.read_problem(tmp_path / typed)
        with pytest.raises(fs.ProblemError, match=r"no\.toml: no such file$"):
            fs.read_problem(tmp_path / "no.toml")

    def test_a_name_that_no_file_can_have(self) -> None:
        with pytest.raises(fs.ProblemError, match="no such file"):
            fs.read_problem("a\0b")
        with pytest.raises(fs.ProblemError, match=r"read.*name too long"):
            fs.read_problem("a" * 5000)

    def test_a_folder(self, tmp_path: Path) -> None:
        with pytest.raises(fs.ProblemError, match="a folder, not a problem file"):
            fs.read_problem(tmp_path)

    def test_not_a_path(self) -> None:
        with pytest.raises(fs.ProblemError, match=r"source.*path.*text; got 3"):
            fs.read_problem(3)  # type: ignore[arg-type]

    def test_not_text(self, tmp_path: Path) -> None:
        (tmp_path / "a.toml").write_bytes(b"title = '\xff'")
        with pytest.raises(fs.ProblemError, match="UTF-8: byte 10 is 0xff"):
            fs.read_problem(tmp_path / "a.toml")

    def test_a_hundred_megabytes(self, tmp_path: Path) -> None:
        path = tmp_path / "large.toml"
        with path.open("wb") as file:
            file.truncate(100_000_000)
        tracemalloc.start()
        with pytest.raises(fs.ProblemError, match="larger than 1 MB"):
            fs.read_problem(path)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert most < 2_000_000  # no more of it is read than tells that it is too large
        with pytest.raises(fs.ProblemError, match="at most 1000000 characters"):
            fs.read_problem("\n" * 2_000_000)

    @pytest.mark.parametrize(
        ("piece", "length"),
        [
            ("a=1\n", 990_000),
            *((piece, 100_000) for piece in ("a", "a.", "[", "[[", "a={", '"', "'", "[a]\n", " ", "a=[1,", "\\", "9")),
        ],
    )
    def test_any_length_of_anything_is_answered_at_once(self, piece: str, length: int, count_calls: CountCalls) -> None:
        text = "\n" + piece * (length // len(piece))

        def refuse() -> None:
            with pytest.raises(fs.ProblemError):
                fs.read_problem(text)

        # some calls for each character at most, where a square of their number would be ten thousand million
        assert count_calls(refuse) < 20 * len(text)
