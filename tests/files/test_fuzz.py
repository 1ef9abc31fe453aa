"""Whatever is in a file: a clear error, or a problem; never a crash, a hang, a file touched or code run."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from inspect import getsource

import pytest

import fspielm as fs
from fspielm.files import example

_AT_ONCE = 20_000_000  # calls of functions for one file: bounds a hang, on any machine

CountCalls = Callable[[Callable[[], object]], int]

PIECES = (
    *"0123456789.eExytuk+-*/^()[],<>= \n\"'#{}\\_$@;:%&|~`é²\0",
    *("**", "==", "<=", "!=", "and ", "or ", "not ", "sin(", "exp(", "log(", "sqrt(", "abs(", "gamma(", "where("),
    *("dx(", "dt(", "grad(", "div(", "laplacian(", "dot(", "dn(", "diff(", "max(", "besselj(", "1e", "1e400", "10**"),
    *(
        "__import__('os').system('true')",
        "eval(",
        "x.__class__",
        "lambda: ",
        "9" * 50,
        "2**2**2**2**99",
        "pi",
        "u(x, y)",
    ),
    *("[domain]", "[[conditions]]", "title = ", "inf", "nan", "true", "0x", "[[", "]]", '"""', "\\u0000", "1979-05-27"),
)


def mutate(text: str, others: list[str], rng: random.Random) -> str:
    """`text` with one to four changes: pieces removed, doubled, swapped, inserted, or taken from `others`."""
    for _ in range(rng.randint(1, 4)):
        a = rng.randrange(len(text) + 1)
        b = min(len(text), a + rng.choice((1, 1, 2, 5, 20, 100)))
        match rng.randrange(6):
            case 0:
                text = text[:a] + text[b:]
            case 1:
                text = text[:a] + rng.choice(PIECES) + text[a:]
            case 2:
                text = text[:a] + rng.choice(PIECES) + text[b:]
            case 3:
                text = text[:b] + text[a:b] * rng.choice((1, 2, 30)) + text[b:]
            case 4:
                other = rng.choice(others)
                c = rng.randrange(len(other))
                text = text[:a] + other[c : c + rng.choice((3, 10, 60))] + text[b:]
            case 5:
                lines = text.split("\n")
                i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
                lines[i], lines[j] = lines[j], lines[i]
                text = "\n".join(lines)
    return text


HOLE = """
unknown = "u(x, y)"
equation = "div((1 + x**2)*grad(u)) + k**2*u = 0"
[parameters]
k = 5
[domain]
difference = [
  { shape = "Box", lower = [0, 0], upper = [2, 1] },
  { shape = "Ellipse", center = [0, 0], semi_axes = ["1/3", 0.2], name = "hole", move = [1, 0.5] },
]
[[conditions]]
type = "periodic"
faces = "x"
[[conditions]]
type = "robin"
alpha = 1
beta = "1 + x"
value = "k*y"
on = "y-"
[[conditions]]
type = "condition"
equation = "dn(u) + 0.5*dx(u) = 0"
on = ["y+", "hole.ellipse"]
"""


def originals() -> list[str]:
    cases = [fs.cases.load(name) for name in ("poisson-1d", "heat", "advection-diffusion-pacman")]
    return [example(), HOLE, *(fs.write_problem(case.problem, title=case.title, exact=case.exact) for case in cases)]


def fuzz_files(count: int, seed: int, count_calls: CountCalls) -> int:
    """Read `count` spoiled files; the number of those that still were problems."""
    rng, texts, problems = random.Random(seed), originals(), 0
    for _ in range(count):
        text = mutate(rng.choice(texts), texts, rng)
        understood: list[fs.Problem] = []
        assert count_calls(partial(read_spoiled, text, understood)) < _AT_ONCE, text
        for problem in understood:
            problems += 1
            # understood rightly: what it writes is read as the same
            written = fs.write_problem(problem)
            assert fs.write_problem(fs.read_problem(written)) == written, text
    return problems


def read_spoiled(text: str, understood: list[fs.Problem]) -> None:
    """Read a file into `understood`; refusing it is as good."""
    with suppress(fs.ProblemError):
        understood.append(fs.read_problem("\n" + text))


# Runs in a process of its own, for an audit hook cannot be removed. Every expression is parsed once without it, so
# that SymPy has imported what it imports on first use.
PARSER = """
import sys
import sympy as sp
from fspielm.errors import TextError
from fspielm.expr import Scope, parse_condition, parse_equation, parse_expression, print_expression

x, y, t, k = sp.symbols("x y t k")
scope = Scope((x, y, t), t, (sp.Function("u")(x, y, t),), {"k": k})
TEXTS = [
    "-laplacian(u) - k**2*u = k**2*sin(k*x)*sin(k*y)",
    "dt(u, 2) - div((1 + x**2)*grad(u)) + dot([1, y], grad(u)) = where(x < 0.5 and y > 0, exp(-t), 1/3)",
    "laplacian(laplacian(u)) = besselj(2, k*x)*abs(y)**0.5 + max(x, 0) - atan2(y, x) + gamma(2.5)*erf(t)",
    "dx(sin(x)*log(2 + y), 3)/(1 + sqrt(x**2 + y**2)) + tanh(x)^2 - 1e-3*floor(t)*sign(x)",
]
CONDITIONS = ["x < 0.5", "0 <= x < 1 and not (y == 0 or t > 1)"]
events = []


def watch(event, arguments):
    kind = event.split(".")[0]
    if watching and kind in ("open", "import", "exec", "compile", "os", "subprocess", "socket", "ctypes"):
        events.append((event, str(arguments)[:200]))


calls = [0]


def count_call(frame, event, argument):
    calls[0] += event in ("call", "c_call")


def run(count, seed):
    rng, parsed = random.Random(seed), 0
    for _ in range(count):
        condition = rng.random() < 0.2
        text = mutate(rng.choice(CONDITIONS if condition else TEXTS), TEXTS, rng)
        calls[0] = 0
        try:
            meaning = (parse_condition if condition else parse_equation)(text, scope)
        except TextError as error:
            assert str(error).count("\\n") == 2, text
        else:
            parsed += 1
            for side in meaning.args if isinstance(meaning, sp.Eq) and not condition else [meaning]:
                try:
                    printed = print_expression(side, scope)
                except ValueError as error:
                    assert "no word for" in str(error), text
                    continue
                again = (parse_condition if condition else parse_expression)(printed, scope)
                assert print_expression(again, scope) == printed, (text, printed)
        assert calls[0] < 20_000_000, text
    return parsed


watching = False
sys.addaudithook(watch)
count, seed = int(sys.argv[1]), int(sys.argv[2])
run(count, seed)
watching = True
sys.setprofile(count_call)
open(sys.executable, "rb").close()
assert events, "the hook sees files"
events.clear()
parsed = run(count, seed)
watching = False
sys.setprofile(None)
print(parsed, events[:5])
"""


def fuzz_parser(count: int, seed: int) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            f"import random\nPIECES = {PIECES!r}\n{getsource(mutate)}\n{PARSER}",
            str(count),
            str(seed),
        ],
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    parsed, events = done.stdout.split(maxsplit=1)
    assert events.strip() == "[]"
    assert int(parsed) > count / 50


def test_expressions() -> None:
    fuzz_parser(60, seed=1)


def test_files(count_calls: CountCalls) -> None:
    assert fuzz_files(30, seed=2, count_calls=count_calls) > 2


@pytest.mark.slow
def test_ten_thousand_expressions() -> None:
    fuzz_parser(10_000, seed=3)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4, 14))
def test_ten_thousand_files(seed: int, count_calls: CountCalls) -> None:
    assert fuzz_files(1_000, seed, count_calls) > 30
