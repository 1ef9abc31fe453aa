"""Where an equation holds: domains, their named boundary parts, and points in them."""


from fspielm.geometry.boundary import BoundaryPart, Mask, join_parts, list_parts
from fspielm.geometry.shapes import SHAPES
from fspielm.geometry.chords import chord_ends, chord_lines, cluster
from fspielm.geometry.connection import connected_pieces
from fspielm.geometry.corner import Corner
from fspielm.geometry.crossings import meets_any
from fspielm.geometry.curves import PlaneCurve, arc, segment
from fspielm.geometry.domain import Domain
from fspielm.geometry.hole import Hole
from fspielm.geometry.intervals import bisect, halves
from fspielm.geometry.part_names import likely_parts, namesakes
from fspielm.geometry.plane import Edge, PlaneShape, edges_of, parts_of
from fspielm.geometry.quadrature import Quadrature
from fspielm.geometry.regions_in import borders_in, regions_in
from fspielm.geometry.sampling import Sampling, check_count, check_sampling, kronecker, reject, unit_stream
from fspielm.geometry.sites import Sites, join_sites
from fspielm.geometry.time import SpaceTime, Time, extrude

from fspielm.geometry.annulus import Annulus
from fspielm.geometry.ball import Ball
from fspielm.geometry.box import Box, Interval
from fspielm.geometry.combination import Combination, combine
from fspielm.geometry.cylinder import Cylinder
from fspielm.geometry.disk import Disk
from fspielm.geometry.ellipse import Ellipse
from fspielm.geometry.ellipsoid import Ellipsoid
from fspielm.geometry.lshape import LShape
from fspielm.geometry.parametric import Curve
from fspielm.geometry.polar import PolarCurve
from fspielm.geometry.polygon import Polygon
from fspielm.geometry.regions import Regions
from fspielm.geometry.surface import Surface
from fspielm.geometry.transform import Transformed
from fspielm.geometry.triangles import triangulate

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
    "Sampling",
    "Sites",
    "SpaceTime",
    "Surface",
    "Time",
    "Transformed",
    "arc",
    "bisect",
    "borders_in",
    "check_count",
    "check_sampling",
    "chord_ends",
    "chord_lines",
    "cluster",
    "combine",
    "connected_pieces",
    "edges_of",
    "extrude",
    "halves",
    "join_parts",
    "join_sites",
    "kronecker",
    "likely_parts",
    "list_parts",
    "meets_any",
    "namesakes",
    "parts_of",
    "regions_in",
    "reject",
    "segment",
    "triangulate",
    "unit_stream",
]
