"""Pictures of domains: drawn for every kind, with every part named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure

from fspielm.errors import ProblemError
from fspielm.geometry import Ball, BoundaryPart, Box, Cylinder, Disk, Domain, Interval, Sites, Surface, Time
from fspielm.geometry.exterior import Exterior
from fspielm.geometry.pictures import INTERIOR, PALETTE
from fspielm.geometry.shapes.pacman import Pacman
from fspielm.geometry.shapes.panda import Panda

TETRAHEDRON = Surface([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)])
SHAPES = {
    "interval": Interval(0, 1),
    "box": Box((0, 0), (3, 1)),
    "disk": Disk((1, 2), 3),
    "pacman": Pacman(),
    "panda": Panda(),
    "box-3d": Box((0, 0, 0), (1, 2, 3)),
    "ball": Ball((0, 0, 0), 1, name="core"),
    "cylinder": Cylinder((0, 0, 0), 1, 4, "x"),
    "surface": TETRAHEDRON,
    "interval-time": Interval(0, 1) * Time(0, 2),
    "pacman-time": Pacman() * Time(0, 2),
    "ball-time": Ball((0, 0, 0), 1) * Time(0, 2),
}


def names(axes: Any) -> list[str]:
    legend = axes.get_legend() or axes.figure.legends[0]
    return [text.get_text() for text in legend.get_texts()]


@pytest.fixture(params=list(SHAPES))
def shape(request: pytest.FixtureRequest) -> Domain:
    return SHAPES[request.param]


def test_every_part_is_named(shape: Domain) -> None:
    axes = shape.plot(points=30)
    assert isinstance(axes, Axes)
    axes.figure.canvas.draw()
    assert names(axes) == [part.name for part in shape.boundary()]
    assert axes.get_xlabel() == "$x$"
    lower, upper = shape.bounding_box
    left, right = axes.get_xlim()
    assert left <= lower[0] < upper[0] <= right


def test_time_is_told(shape: Domain) -> None:
    assert shape.plot(normals=False).get_title() == ("" if shape.time is None else "at $t$ = 0, until 2")


def test_scales_are_equal() -> None:
    assert Box((0, 0), (3, 1)).plot().get_aspect() == 1
    axes: Any = Box((0, 0, 0), (1, 2, 3)).plot()
    extents = [np.diff(limits)[0] for limits in (axes.get_xlim(), axes.get_ylim(), axes.get_zlim())]
    assert np.ptp(axes._box_aspect / extents) == pytest.approx(0, abs=1e-12)


def test_points_and_normals_are_drawn_on_request() -> None:
    def drawn(**options: Any) -> int:
        axes = Disk((0, 0), 1).plot(**options)
        return sum(len(collection.get_offsets()) for collection in axes.collections)

    bare = drawn(normals=False)
    assert drawn(normals=False, points=123) == bare + 123
    assert drawn() > bare


def test_own_axes() -> None:
    figure = Figure()
    flat, solid = figure.add_subplot(1, 2, 1), figure.add_subplot(1, 2, 2, projection="3d")
    assert Pacman().plot(ax=flat) is flat
    assert names(flat) == ["arc", "lower", "upper"]
    assert TETRAHEDRON.plot(ax=solid) is solid
    figure.canvas.draw()
    with pytest.raises(ProblemError, match=r"plot: ax.*three-dimensional"):
        TETRAHEDRON.plot(ax=flat)


def test_masked_and_scattered_parts() -> None:
    """A part with a mask loses what the mask denies; one whose map jumps is drawn as dots."""

    class Solid(Domain):
        dimension = 3
        bounding_box = (np.zeros(3), np.ones(3))
        measure = 0.5

        def _contains(self, points, closed):
            return (points >= 0).all(axis=1) & (points <= 1).all(axis=1)

        def _boundary(self, axes):
            def floor(unit):
                return Sites(np.column_stack([unit, np.zeros(len(unit))]), np.tile([0.0, 0.0, -1.0], (len(unit), 1)))

            def shuffled(unit):
                return floor(np.column_stack([unit[:, 0] * 97 % 1, unit[:, 1]]))

            half = BoundaryPart("half", 0.5, 2, floor, keep=lambda points: points[:, 0] < 0.5)
            return half, BoundaryPart("dots", 1.0, 2, shuffled)

    axes = Solid().plot()
    axes.figure.canvas.draw()
    assert names(axes) == ["half", "dots"]


def test_many_parts_are_not_all_named() -> None:
    class Saw(Domain):
        dimension = 1
        bounding_box = (np.zeros(1), np.ones(1))
        measure = 1.0

        def _contains(self, points, closed):
            return np.ones(len(points), dtype=bool)

        def _boundary(self, axes):
            def end(unit):
                return Sites(np.zeros((len(unit), 1)), np.ones((len(unit), 1)))

            return tuple(BoundaryPart(f"tooth {i}", 1.0, 0, end) for i in range(40))

    assert names(Saw().plot())[-2:] == ["tooth 14", "and 25 more"]


def test_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ProblemError, match=r"three space dimensions.*has 4"):
        Box((0,) * 4, (1,) * 4).plot()
    with pytest.raises(ProblemError, match=r"\bn must be a whole.*points"):
        Disk((0, 0), 1).plot(points=-1)
    monkeypatch.setattr("fspielm.geometry.pictures.find_spec", lambda name: None)
    with pytest.raises(ProblemError, match=r"pictures.*fspielm\[plot\]"):
        Disk((0, 0), 1).plot()


def test_saved_by_suffix(tmp_path: Path) -> None:
    Disk((0, 0), 1).plot(tmp_path / "disk.png")
    assert (tmp_path / "disk.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(ProblemError, match=r"write a picture.*disk\.nothing"):
        Disk((0, 0), 1).plot(str(tmp_path / "disk.nothing"))
    with pytest.raises(ProblemError, match=r"path must name a file.*ax="):
        Disk((0, 0), 1).plot(3)  # type: ignore[arg-type]


def tint(axes: Any, place: tuple[float, float]) -> str | None:
    """The colour of a place; None where there is none."""
    (image,) = axes.images
    numbers, (left, right, bottom, top) = image.get_array(), image.get_extent()
    rows, columns = numbers.shape
    across, up = (place[0] - left) / (right - left), (place[1] - bottom) / (top - bottom)
    number = numbers[int(up * rows), int(across * columns)]
    return None if np.ma.is_masked(number) else str(to_hex(image.cmap(image.norm(number))))


def test_layers_have_light_colours_of_their_own() -> None:
    coated = Exterior(Disk((0, 0), 1, name="coat"), Disk((0, 0), 0.5, name="core"), Disk((3, 0), 0.5, name="wire"))
    places = (-1.2, 0), (0.75, 0), (0.2, 0), (3.1, 0)
    outside, coat, core, wire = (tint(coated.plot(), place) for place in places)
    assert outside == INTERIOR
    assert wire is None  # nothing says that it lets anything through
    assert coat is not None
    assert core is not None
    assert len({outside, coat, core}) == 3
    for colour, of in ((coat, PALETTE[0]), (core, PALETTE[1])):  # the colour of the outline, with much white
        np.testing.assert_allclose(1 - np.array(to_rgb(colour)), 0.2 * (1 - np.array(to_rgb(of))), atol=1 / 255)
    # as a problem says that has a soft core and a wire of glass
    filled = coated.filled([0, 2]).plot()
    assert [tint(filled, place) is None for place in places] == [False, False, True, False]


def test_arrows_into_a_small_object_do_not_fill_it() -> None:
    axes = (Box((0, 0), (10, 10)) - Disk((5, 5), 0.3)).plot()
    lengths = [np.hypot(arrows.U, arrows.V).max() for arrows in axes.collections if hasattr(arrows, "U")]
    assert min(lengths) < 0.2
    assert max(lengths) == pytest.approx(0.7)
