"""Where an equation holds: domains, their named boundary parts, and points in them."""

from fspielm.geometry.boundary import (
    BoundaryPart,
    Mask,
    Quadrature,
    Sites,
    join_parts,
    join_sites,
    likely_parts,
    list_parts,
    namesakes,
)
from fspielm.geometry.combination import Combination, combine
from fspielm.geometry.crossings import meets_any
from fspielm.geometry.curves import Edge, PlaneCurve, arc, segment
from fspielm.geometry.domain import Corner, Domain, Hole, chord_ends, chord_lines, cluster
from fspielm.geometry.pictures import has_matplotlib, plot_domain, require_matplotlib
from fspielm.geometry.plane import PlaneShape, edges_of, parts_of, triangulate
from fspielm.geometry.regions import Regions
from fspielm.geometry.shapes.annulus import Annulus
from fspielm.geometry.shapes.ball import Ball
from fspielm.geometry.shapes.box import Box, Interval
from fspielm.geometry.shapes.catalogue import SHAPES
from fspielm.geometry.shapes.cylinder import Cylinder
from fspielm.geometry.shapes.disk import Disk
from fspielm.geometry.shapes.ellipse import Ellipse
from fspielm.geometry.shapes.ellipsoid import Ellipsoid
from fspielm.geometry.shapes.lshape import LShape
from fspielm.geometry.shapes.parametric import Curve
from fspielm.geometry.shapes.polar import PolarCurve
from fspielm.geometry.shapes.polygon import Polygon
from fspielm.geometry.shapes.surface import Surface
from fspielm.geometry.time import SpaceTime, Time, borders_in, extrude, regions_in
from fspielm.geometry.transform import Transformed

__all__ = [
    "SHAPES",
    "Annulus",
    "Ball",
    "BoundaryPart",
    "Box",
    "Combination",
    "Corner",
    "Curve",
    "Cylinder",
    "Disk",
    "Domain",
    "Edge",
    "Ellipse",
    "Ellipsoid",
    "Hole",
    "Interval",
    "LShape",
    "Mask",
    "PlaneCurve",
    "PlaneShape",
    "PolarCurve",
    "Polygon",
    "Quadrature",
    "Regions",
    "Sites",
    "SpaceTime",
    "Surface",
    "Time",
    "Transformed",
    "arc",
    "borders_in",
    "chord_ends",
    "chord_lines",
    "cluster",
    "combine",
    "edges_of",
    "extrude",
    "has_matplotlib",
    "join_parts",
    "join_sites",
    "likely_parts",
    "list_parts",
    "meets_any",
    "namesakes",
    "parts_of",
    "plot_domain",
    "regions_in",
    "require_matplotlib",
    "segment",
    "triangulate",
]
