"""Plans in TOML: what is read, what is refused and where, and that what is written is the plan."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fspielm as fs
from fspielm.jobs import Job, Plan, Subject, Sweep, builtin_plan, builtin_plans, example_plan, read_plan, write_plan
from fspielm.jobs.job import ESTIMATE, EXACT, REFERENCE

ROOM = """\
title = "A room"   # with a comment
unknown = "u(x)"
equation = "dx(u, 2) = -k**2*sin(k*x)"
parameters = { k = 5 }
domain = { shape = "Interval", a = 0, b = "pi" }
conditions = [{ type = "dirichlet", value = 0 }]
"""
MINE = """\
name = "mine"
threads = 1
[[files]]
path = "room.toml"
[[sweeps]]
subjects = ["heat", "room"]
methods = ["fs-l", "fs-g"]
mu = [[5, 80], [10, 90]]
neurons = [400, 800]
seeds = 2
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a problem file."""
    monkeypatch.chdir(tmp_path)
    Path("room.toml").write_text(ROOM, encoding="utf-8")
    return tmp_path


def read(text: str) -> Plan:
    Path("mine.toml").write_text(text, encoding="utf-8")
    return read_plan("mine.toml")


def sweep(lines: str) -> Sweep:
    """The sweep of a plan with these lines in it."""
    plan = read_plan(f'name = "a"\n[[sweeps]]\nsubjects = ["heat"]\nmethods = ["gff"]\n{lines}\n')
    return plan.sweeps[0]


class TestRead:
    def test_everything(self, folder: Path) -> None:
        plan = read(MINE)
        mu = [(5, 80), (10, 90)]
        expected = Sweep(["heat", "room"], ["fs-l", "fs-g"], mu=mu, neurons=[400, 800], seeds=[0, 1])
        assert plan == Plan("mine", [expected], [Subject.from_file("room.toml")], threads=1)
        assert plan.jobs[-1] == Job("room", "fs-g", 1, (10.0, 90.0), 800, "svd 1e-12", "none")

    def test_the_terms(self) -> None:
        plan = read_plan(
            'name = "a"\nthreads = 2\nseconds = 60\nmemory = 4e9\ntol = 1e-6\n'
            '[[sweeps]]\nsubjects = ["heat"]\nmethods = ["automatic"]\n'
        )
        assert (plan.threads, plan.seconds, plan.memory, plan.tol) == (2, 60.0, 4e9, 1e-6)

    @pytest.mark.parametrize(
        ("lines", "name", "value"),
        [
            ("", "mu", "best"),
            ('mu = "grid"', "mu", "grid"),
            ("mu = [[5, 80.5]]", "mu", ((5.0, 80.5),)),
            ("mu = { min = [5, 10], max = [50, 60] }", "mu", ((5, 50), (5, 60), (10, 50), (10, 60))),
            ("", "neurons", ()),
            ("neurons = [10, 20]", "neurons", (10, 20)),
            ('least_squares = ["svd", "qr"]', "least_squares", ("svd 1e-12", "qr")),
            ('scaling = ["none", "rms"]', "scaling", ("none", "rms")),
            ("", "seeds", (0, 1, 2, 3, 4)),
            ("seeds = 3", "seeds", (0, 1, 2)),
            ("seeds = [7, 5]", "seeds", (7, 5)),
        ],
    )
    def test_the_ways_to_write_a_sweep(self, lines: str, name: str, value: object) -> None:
        assert getattr(sweep(lines), name) == value

    def test_the_example_is_a_plan(self) -> None:
        assert len(read_plan(example_plan()).jobs) == 59


class TestFiles:
    def test_from_python(self, folder: Path) -> None:
        subject = Subject.from_file("room.toml")
        assert (subject.name, subject.open().measure) == ("room", ESTIMATE)
        assert Subject.from_file(folder / "room.toml", name="hall").name == "hall"

    def test_comments_and_titles_do_not_matter(self, folder: Path) -> None:
        before = Subject.from_file("room.toml")
        Path("room.toml").write_text("# a room\n" + ROOM.replace("A room", "The room"), encoding="utf-8")
        assert Subject.from_file("room.toml") == before

    def test_the_measure_is_the_exact_solution(self, folder: Path) -> None:
        Path("room.toml").write_text(f'{ROOM}reference = {{ exact = "sin(k*x)" }}\n', encoding="utf-8")
        bench = Subject.from_file("room.toml").open()
        assert bench.measure == EXACT
        assert bench.relative_error is not None
        assert bench.relative_error(lambda points: 1.5 * np.sin(5 * points[:, 0])) == pytest.approx(0.5)

    def test_the_measure_is_a_saved_solution(self, folder: Path) -> None:
        solution = fs.solve(fs.read_problem("room.toml"), rng=0)
        solution.save("fine.fspielm")
        plan = read(MINE.replace('path = "room.toml"', 'path = "room.toml"\nname = "hall"\nreference = "fine.fspielm"'
                                 ).replace('"room"]', '"hall"]'))  # fmt: skip
        assert plan.files == (Subject.from_file("room.toml", name="hall", reference="fine.fspielm"),)
        assert plan.files == (Subject.from_file("room.toml", name="hall", reference=solution),)
        bench = plan.files[0].open()
        assert bench.measure == REFERENCE
        assert bench.relative_error is not None
        assert bench.relative_error(solution) == 0.0

    def test_a_domain_from_another_file_comes_along(self, folder: Path) -> None:
        ring = [[0, 0], [1, 0], [0, 1], [0, 0]]
        Path("outline.json").write_text(f'{{"type": "Polygon", "coordinates": [{ring}]}}', encoding="utf-8")
        Path("plot.toml").write_text(
            'unknown = "u(x, y)"\nequation = "laplacian(u) = 1"\n'
            'domain = { shape = "Polygon", file = "outline.json" }\n'
            'conditions = [{ type = "dirichlet", value = 0 }]\n',
            encoding="utf-8",
        )
        subject = Subject.from_file("plot.toml")
        Path("outline.json").unlink()
        assert subject.open().problem.domain.measure == pytest.approx(0.5)


class TestWrite:
    @pytest.mark.parametrize("name", builtin_plans())
    def test_built_in_plans_come_back(self, name: str) -> None:
        assert read_plan(write_plan(builtin_plan(name))) == builtin_plan(name)

    def test_files_and_references_come_along(self, folder: Path) -> None:
        text = "quotes \" and ' and \\"
        subjects = [
            Subject.from_file("room.toml", reference=fs.solve(fs.read_problem("room.toml"), rng=0)),
            Subject("odd", ROOM.replace("A room", text.replace("\\", "\\\\").replace('"', '\\"'))),
            Subject("tabs", ROOM.replace("\n", "\t\n")),
        ]
        names = ["heat", "room", "odd", "tabs"]
        sweeps = [Sweep(names, ["fs-l"], mu=[(0.1, 1 / 3)], neurons=[7]), Sweep(["heat"], ["automatic"], seeds=[9])]
        plan = Plan("mine", sweeps, subjects, threads=3, seconds=0.1, memory=1e9, tol=1e-5)
        text = write_plan(plan, "written.toml")
        assert Path("written.toml").read_text(encoding="utf-8") == text
        assert 'equation = "' in text  # as it was, not with its quotes escaped
        Path("room.toml").unlink()
        assert read_plan("written.toml") == plan

    @settings(max_examples=30)
    @given(st.lists(st.tuples(st.floats(0, 1e9), st.floats(0, 1e9)), min_size=1, unique=True), st.floats(1e-9, 0.5))
    def test_numbers_come_back_to_the_last_bit(self, pairs: list[tuple[float, float]], tol: float) -> None:
        mu = sorted({(min(pair), max(pair)) for pair in pairs})
        plan = Plan("a", [Sweep(["heat"], ["gff"], mu=mu, seeds=[0])], tol=tol)
        assert read_plan(write_plan(plan)) == plan

    def test_what_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(fs.ProblemError, match=r"plan.*fs.study.Plan.*'quick'"):
            write_plan("quick")  # type: ignore[arg-type]
        with pytest.raises(fs.ProblemError, match="its folder does not exist"):
            write_plan(builtin_plan("quick"), tmp_path / "no" / "a.toml")
        large = Subject("large", ROOM + "#" * 1_000_000)
        plan = Plan("a", [Sweep(["large"], ["gff"], mu=[(1, 2)], neurons=[5])], [large])
        with pytest.raises(fs.ProblemError, match=r"plan file.*1000000.*references"):
            write_plan(plan)


BAD = [
    ('"heat", ', '"haet", ', 6, r"'haet'.*did you mean 'heat'"),
    ('"fs-g"', '"fsg"', 7, r"'fsg'.*did you mean 'fs-g'"),
    ('"fs-l", "fs-g"', "", 7, "methods is empty"),
    ('"heat", "room"', "3", 6, r"subjects.*list of names"),
    ("mu =", "my =", 8, r"no key 'my'.*'mu'"),
    ("neurons = [400, 800]", "", 5, r"room:.*needs neurons"),
    ("[400, 800]", "400", 9, r"neurons.*list.*got 400"),
    ("[400, 800]", "[0]", 9, r"neurons.*whole number.*got 0"),
    ("[400, 800]", "[9223372036854775808]", 9, r"neurons must be below 2\*\*63"),
    ("[[5, 80], [10, 90]]", '"best"', 8, 'room: mu="best" is the paper'),
    ("[[5, 80], [10, 90]]", '"bset"', 8, r'mu must be "best".*or a list'),
    ("[[5, 80], [10, 90]]", "[[5, 80], [10]]", 8, r"mu must be .*\[10\]\]"),
    ("[[5, 80], [10, 90]]", "[[50, 8]]", 8, r"mu must be .*smallest <= largest"),
    ("[[5, 80], [10, 90]]", "[[5, nan]]", 8, r"mu must be .*smallest <= largest"),
    ("[[5, 80], [10, 90]]", f"[[5, 0x{'f' * 5000}]]", 8, r"mu must be .*too many digits"),
    ("[[5, 80], [10, 90]]", "[[5, 80], [5.0, 80.0]]", 8, r"mu has \(5.0, 80.0\) twice"),
    ("[[5, 80], [10, 90]]", "[]", 8, "mu is empty"),
    ("[[5, 80], [10, 90]]", "{ min = [1], max = [] }", 8, "mu is empty"),
    ("[[5, 80], [10, 90]]", "{ min = [1], max = 2 }", 8, r"max.*list of numbers; got 2"),
    ("[[5, 80], [10, 90]]", "{ min = [1], top = [2] }", 8, "no key 'top' here"),
    ("[[5, 80], [10, 90]]", f"{{ min = {[1] * 600}, max = {[2] * 600} }}", 8, r"\bmu .*250000 combinations"),
    ("seeds = 2", "seeds = 0", 10, r"seeds.*at most 250000; got 0"),
    ("seeds = 2", "seeds = true", 10, r"seeds.*list of whole numbers"),
    ("seeds = 2", "seeds = [1, 1]", 10, "seeds has 1 twice"),
    ("seeds = 2", "seeds = [-1]", 10, r"seeds.*whole numbers.*-1"),
    ("seeds = 2", "seeds = 10000\nleast_squares = ['qr', 'svd 1e-9', 'svd 1e-8', 'svd 1e-7']", 5, "at most 250000"),
    ("seeds = 2", 'least_squares = ["lu"]', 10, r'least squares.*"qr", or "svd"'),
    ("seeds = 2", 'scaling = ["max"]', 10, "scaling: there is no 'max'"),
    ("threads = 1", "threads = 0", 2, r"threads.*whole number.*got 0"),
    ("threads = 1", "threads = 1.5", 2, r"threads.*whole number.*1.5"),
    ("threads = 1", "seconds = inf", 2, r"seconds.*positive.*inf"),
    ("threads = 1", 'memory = "4 GB"', 2, r"memory.*number.*'4 GB'"),
    ("threads = 1", "tol = 1", 2, "tol must lie between 0 and 1"),
    ('"mine"', '""', 1, "name must be a text"),
    ('"room.toml"', '"rom.toml"', 4, r"1: rom.toml: no such file"),
    ('"room.toml"', '"../room.toml"', 4, r"path.*beside the plan, or below"),
    ('"room.toml"', '"."', 4, "path must name a file"),
    ('"room.toml"', '"mine.toml"', 1, "no key 'name' here"),  # a plan is no problem
    ('path = "room.toml"', 'nmae = "a"', 4, r"no key 'nmae'.*'name'"),
    ('path = "room.toml"', 'name = "a"', 3, "the key 'path' is missing"),
    ('path = "room.toml"', 'path = "room.toml"\nname = "heat"', 5, r"benchmark.*name 'heat'"),
    ('path = "room.toml"', 'path = "room.toml"\n[[files]]\npath = "room.toml"', 5, r"another file.*name 'room'"),
    ('path = "room.toml"', 'path = "room.toml"\nreference = "no.fspielm"', 5, "no.fspielm: no such file"),
    ('path = "room.toml"', 'path = "room.toml"\nreference = "room.toml"', 5, "not a solution"),
    ('path = "room.toml"', 'path = "room.toml"\nreference = "plane.fspielm"', 5, r"2 coordinates.*problem 1"),
    ('path = "room.toml"', 'path = "room.toml"\nvalues = "AAAA"', 5, r"values.*write_plan"),
    ('path = "room.toml"', 'path = "room.toml"\nvalues = "AAAAAAAAAAA="', 5, "finite numbers, .*; got 1"),
    ('path = "room.toml"', 'path = "room.toml"\ntext = "x"', 5, "either path or text, not both"),
    ('path = "room.toml"', 'text = "x"', 4, "text needs a name beside it"),
    ('path = "room.toml"', 'name = "room"\ntext = "room.toml"', 5, "not valid TOML"),  # a text is no path
]


class TestRefused:
    @pytest.fixture
    def plane(self, folder: Path) -> None:
        """A solution with another number of coordinates."""
        problem = fs.read_problem(
            'unknown = "u(x, y)"\nequation = "laplacian(u) = 0"\n'
            'domain = { shape = "Box", lower = [0, 0], upper = [1, 1] }\n'
            'conditions = [{ type = "dirichlet", value = "x" }]\n'
        )
        fs.solve(problem, tol=1e-2, rng=0).save("plane.fspielm")

    @pytest.mark.usefixtures("plane")
    def test_every_mistake_has_its_place(self) -> None:
        for old, new, line, message in BAD:
            assert old in MINE
            with pytest.raises(fs.ProblemError, match=rf"mine\.toml, line {line}, .*{message}"):
                read(MINE.replace(old, new, 1))

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("a = 1\n", "no key 'a' here"),
            ("\n", "the key 'name' is missing"),
            ('name = "a"\nsweeps = []\n', "at least one sweep"),
            ('name = "a"\n[sweeps]\n', r"sweeps.*list of tables"),
        ],
    )
    def test_without_a_place(self, text: str, message: str) -> None:
        with pytest.raises(fs.ProblemError, match=message):
            read_plan(text)

    def test_no_file(self, tmp_path: Path) -> None:
        with pytest.raises(fs.ProblemError, match=r"no\.toml: no such file"):
            read_plan(tmp_path / "no.toml")
        with pytest.raises(fs.ProblemError, match="a folder, not a plan file"):
            read_plan(tmp_path)


PIECES = st.one_of(
    st.text(max_size=4),
    st.sampled_from(
        [
            *'"[]{}=,\n\0',
            "[[sweeps]]",
            "[[files]]",
            "'''",
            "1e999",
            "nan",
            "-1",
            "true",
            "1979-05-27",
            "mu = ",
            "0x" + "f" * 400,
        ]
    ),
)


class TestFuzz:
    @settings(max_examples=25)
    @given(changes=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 30), PIECES), min_size=1, max_size=4))
    @pytest.mark.parametrize("text", [example_plan(), write_plan(builtin_plan("quick"))], ids=["example", "quick"])
    def test_spoiled_plans(self, text: str, changes: list[tuple[float, int, str]]) -> None:
        for share, length, piece in changes:
            at = round(share * len(text))
            text = text[:at] + piece + text[at + length :]
        try:
            plan = read_plan("\n" + text)
        except fs.ProblemError:
            return
        assert read_plan(write_plan(plan)) == plan

    @settings(max_examples=100, deadline=None)
    @given(data=st.binary(max_size=200))
    def test_any_bytes(self, tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
        path = tmp_path_factory.getbasetemp() / "bytes.toml"
        path.write_bytes(data)
        with pytest.raises(fs.ProblemError):
            read_plan(path)


def test_the_plans_of_the_documentation(folder: Path) -> None:
    fs.solve(fs.read_problem("room.toml"), rng=0).save("fine.fspielm")
    page = Path(__file__).resolve().parents[2] / "docs" / "studies.md"
    plans = [read(text) for text in re.findall(r"```toml\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)]
    assert [len(plan.jobs) for plan in plans] == [2 * 4 * 3 + 5 * (2 + 1), 2 * 2 * 2 * 2 * 2]
