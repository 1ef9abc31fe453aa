"""Every shape, combined and moved, in a file and back."""

# ruff: noqa: E501 (one mistake on each line)

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.files.domain import describe_domain
from fspielm.files.toml import write_toml
from fspielm.geometry import SHAPES, Domain

x, y, z = sp.symbols("x y z")
t = sp.Symbol("t", real=True)

# An example of every shape; the suite fails for a shape that has none.
EXAMPLES: dict[str, Domain] = {
    "Annulus": fs.Annulus((0, 1), 0.5, 2, name="ring"),
    "Ball": fs.Ball((0, 1, 2), 1.5, name="core"),
    "Box": fs.Box((0, -1), (np.pi, 1), name="room"),
    "Curve": fs.Curve(sp.cos(t) + sp.cos(2 * t) / 4, sp.sin(t)),
    "Cylinder": fs.Cylinder((0, 0, 1), 0.5, 2, axis="x"),
    "Disk": fs.Disk((0.1, 0.2), 0.3),
    "Ellipse": fs.Ellipse((0, 0), (2, 1), 0.3),
    "Ellipsoid": fs.Ellipsoid((0, 1, 2), (1, 2, 0.5), name="lens"),
    "Interval": fs.Interval(-1, 2),
    "LShape": fs.LShape(),
    "Pacman": fs.Pacman(mouth=0.5),
    "Panda": fs.Panda(),
    "PolarCurve": fs.PolarCurve(2 + sp.cos(3 * sp.Symbol("theta", real=True)) / 3),
    "Polygon": fs.Polygon([(0, 0), (2, 0), (1, 2)], holes=[[(0.8, 0.4), (1.2, 0.4), (1, 0.8)]], names=["a", "b", "c"]),
    "Surface": fs.Surface(
        [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)], name="wedge"
    ),
}

TEMPLATE = """\
unknown = "u({})"
equation = "laplacian(u) = 0"
conditions = [{{ type = "dirichlet", value = 0 }}]

{}
"""


def read_domain(text: str, coordinates: str = "x, y", folder: Path | None = None) -> Domain:
    """The domain that `text` writes."""
    source: str | Path = TEMPLATE.format(coordinates, text)
    if folder is not None:
        (folder / "problem.toml").write_text(str(source), encoding="utf-8")
        source = folder / "problem.toml"
    return fs.read_problem(source).domain


def assert_back(domain: Domain) -> None:
    coordinates = ", ".join("xyz"[: domain.dimension])
    again = read_domain(write_toml({"domain": describe_domain(domain)}), coordinates)
    assert again == domain
    assert [p.name for p in again.boundary()] == [p.name for p in domain.boundary()]
    points = domain.sample(50, np.random.default_rng(0))
    np.testing.assert_array_equal(again.sample(50, np.random.default_rng(0)), points)


@pytest.mark.parametrize("name", SHAPES)
def test_every_shape(name: str) -> None:
    assert_back(EXAMPLES[name])


BOX, DISK = fs.Box((0, 0), (2, 1)), fs.Disk((0, 0), 0.5)


@pytest.mark.parametrize(
    "domain",
    [
        BOX - DISK,
        BOX | fs.Disk((2, 0.5), 0.5, name="nose"),
        (BOX & fs.Disk((1, 0), 0.75)) - fs.Disk((1, 0.3), 0.1),
        DISK.moved((1, 2)),
        BOX.rotated(0.3).scaled(1.7).moved((0.1, 0.2)),
        BOX - DISK.scaled(0.5, center=(1, 1)).moved((1, 0.5)),
        (BOX - DISK).rotated(1.0),
        fs.Box((0, 0, 0), (1, 2, 3)).rotated(0.5, axis=(1, 1, 0)),
    ],
    ids=repr,
)
def test_combined_and_moved(domain: Domain) -> None:
    assert_back(domain)


def test_as_people_write_it() -> None:
    text = """
    [parameters]
    r = 0.25

    [domain]
    rotate = "pi/2"
    scale = { factor = 2, center = [0, 0] }
    move = [1, "2*r"]
    difference = [
        { shape = "Box", lower = [0, 0], upper = [2, 1] },
        { shape = "Disk", center = [0, 0], radius = "r", name = "hole", move = [1, 0.5] },
        { shape = "Disk", center = [2, 0], radius = "r" },
    ]
    """
    expected = BOX - fs.Disk((0, 0), 0.25, name="hole").moved((1, 0.5)) - fs.Disk((2, 0), 0.25)
    expected = expected.scaled(2, center=(0, 0)).rotated(float(sp.pi / 2)).moved((1, 0.5))
    assert read_domain(text) == expected


def test_a_polygon_of_another_file(tmp_path: Path) -> None:
    ring = [[0, 0], [1, 0], [1, 1], [0, 0]]
    (tmp_path / "land.geojson").write_text(json.dumps({"type": "Polygon", "coordinates": [ring]}), encoding="utf-8")
    text = '[domain]\nshape = "Polygon"\nfile = "land.geojson"\nname = "island"'
    domain = read_domain(text, folder=tmp_path)
    assert domain == fs.Polygon.from_geojson(tmp_path / "land.geojson", name="island")
    for name in ("../land.geojson", str(tmp_path / "land.geojson"), ""):
        with pytest.raises(fs.ProblemError, match=r"file.*beside.*or below"):
            read_domain(text.replace("land.geojson", name), folder=tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_no_link_leads_elsewhere_and_no_pipe_is_waited_for(tmp_path: Path) -> None:
    below = tmp_path / "below"
    below.mkdir()
    (tmp_path / "land.geojson").write_text("{}", encoding="utf-8")
    (below / "link.geojson").symlink_to(tmp_path / "land.geojson")
    os.mkfifo(below / "pipe.geojson")
    text = '[domain]\nshape = "Polygon"\nfile = "{}.geojson"'
    with pytest.raises(fs.ProblemError, match=r"file.*beside.*or below"):
        read_domain(text.format("link"), folder=below)
    with pytest.raises(fs.ProblemError, match=r"file.*'pipe\.geojson' is none"):
        read_domain(text.format("pipe"), folder=below)


def test_in_space_and_time() -> None:
    domain = (BOX - DISK) * fs.Time(0, 2)
    assert describe_domain(domain)["time"] == [0, 2]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("union = 3", r"union.*list.*\[\[domain\.union\]\]"),
        ('exterior = { shape = "Disk" }', r"\[\[domain\.exterior\]\].*got"),
        ("union = [{ union = 3 }]", r"union.*tables, as in.*got 3"),
        ("union = []", r"union.*at least two.*got 0"),
        ("uniom = []", r"no key 'uniom'.*'union'"),
        ('shape = "Disk"\nunion = []', r"\[domain\]: no key 'shape'"),
        ('union = [{ shape = "Disk", center = [0, 0], radius = 1 }, { shape = "disc" }]', "no shape 'disc'; did you mean"),
        (
            'intersection = [{ shape = "Disk", center = [0, 0], radius = 1 }, '
            '{ shape = "Disk", center = [9, 0], radius = 1 }]',
            r"\[domain\]: .*do not overlap",
        ),
        ('shape = "LShape"\nmove = [1]', r"domain.*moved: offset.*2 coord"),
        ('shape = "LShape"\nrotate = { angel = 1 }', r"rotate.*no key 'angel'.*'angle'"),
        ('shape = "LShape"\nscale = -1', r"domain.*scaled: factor.*-1"),
        ('shape = "LShape"\ntransform = { matrix = [[1, 1], [0, 1]], offset = [0, 0] }', r"matrix.*a rotation"),
        ('shape = "LShape"\ntransform = { matrix = [[1, 1], [0]], offset = [0, 0] }', r"matrix.*2 rows of 2"),
        ('shape = "LShape"\ntransform = { matrix = [[1, 0], [0, 1]] }', "the key 'offset' is missing"),
    ],
)  # fmt: skip
def test_refused(text: str, message: str) -> None:
    with pytest.raises(fs.ProblemError, match=message):
        read_domain(f"[domain]\n{text}\n")


def test_callables_have_no_place_in_a_file() -> None:
    curve = fs.Curve(np.cos, np.sin)
    problem = fs.Problem(sp.Function("u")(x, y).diff(x, 2), curve, [fs.Dirichlet(0)])
    with pytest.raises(fs.ProblemError, match=r"ufunc 'cos'.*callables"):
        fs.write_problem(problem)
