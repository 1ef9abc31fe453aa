"""Everything that is `fs.<name>`, but for the packages `fs.cases` and `fs.study`."""

from __future__ import annotations

from fspielm.basis.basis import Activation, Basis
from fspielm.basis.exact.family import Characteristic
from fspielm.basis.random.families import GFF, Band, Family, FrequencyShift, Joined, Place, Siren, Tanh
from fspielm.basis.singular.columns import Singular
from fspielm.collocation.least_squares import QR, Factored, LeastSquares, TruncatedSVD
from fspielm.collocation.points import Points
from fspielm.collocation.system import Discretisation, RowBlock, System, draw_features
from fspielm.eigen.eigenmodes import eigenmodes
from fspielm.eigen.membranes.search import ModeCount, count_modes
from fspielm.eigen.modes import Mode, Modes
from fspielm.errors import (
    AccuracyWarning,
    MemoryBudgetError,
    OutsideWarning,
    ProblemError,
    SolveError,
    SolveInterrupted,
    StorageWarning,
)
from fspielm.estimate.bands import Bands, infer_bands
from fspielm.estimate.estimate import ErrorEstimate, judge
from fspielm.estimate.examination import examine
from fspielm.estimate.narrow import NarrowPlaces, find_narrow
from fspielm.estimate.narrow_search import Narrow
from fspielm.files.draft import ProblemFile
from fspielm.files.read import read_problem, read_problem_file
from fspielm.files.saved import load
from fspielm.files.write import write_problem
from fspielm.geometry.boundary import BoundaryPart, Sites
from fspielm.geometry.domain import Domain
from fspielm.geometry.exterior import Exterior
from fspielm.geometry.regions import Regions
from fspielm.geometry.shapes.annulus import Annulus
from fspielm.geometry.shapes.ball import Ball
from fspielm.geometry.shapes.box import Box, Interval
from fspielm.geometry.shapes.cylinder import Cylinder
from fspielm.geometry.shapes.disk import Disk
from fspielm.geometry.shapes.ellipse import Ellipse
from fspielm.geometry.shapes.ellipsoid import Ellipsoid
from fspielm.geometry.shapes.lshape import LShape
from fspielm.geometry.shapes.pacman import Pacman
from fspielm.geometry.shapes.panda import Panda
from fspielm.geometry.shapes.parametric import Curve
from fspielm.geometry.shapes.polar import PolarCurve
from fspielm.geometry.shapes.polygon import Polygon
from fspielm.geometry.shapes.surface import Surface
from fspielm.geometry.time import Time
from fspielm.jobs.sweep_picture import plot_sweep
from fspielm.jobs.sweeping import sweep
from fspielm.problem.further_conditions import Condition, Measured, Periodic
from fspielm.problem.interfaces import Interface, InterfaceLine, Transmission
from fspielm.problem.normal import curl, divergence, normal, normal_derivative, strain, stress, traction
from fspielm.problem.operator import Operator, Term
from fspielm.problem.problem import Problem
from fspielm.problem.scattering.incident import Incident, beam, plane_wave, point_source
from fspielm.problem.scattering.media import Transparent
from fspielm.problem.setting import Unknown
from fspielm.problem.statement import AnyCondition, Dirichlet, Initial, Neumann, Relation, Robin, Symmetry
from fspielm.problem.substitutions import ByRegion
from fspielm.solution.report import Forecast, FoundMode, ModeSearch, NewtonStep, Report, Round, Window
from fspielm.solution.solution import Solution
from fspielm.solvers.continuation.branch import Bifurcation, Branch, BranchPoint, Fold
from fspielm.solvers.continuation.walk import follow
from fspielm.solvers.request import Budget
from fspielm.solvers.solve import Prepared, prepare, solve

__all__ = [
    "GFF",
    "QR",
    "AccuracyWarning",
    "Activation",
    "Annulus",
    "AnyCondition",
    "Ball",
    "Band",
    "Bands",
    "Basis",
    "Bifurcation",
    "BoundaryPart",
    "Box",
    "Branch",
    "BranchPoint",
    "Budget",
    "ByRegion",
    "Characteristic",
    "Condition",
    "Curve",
    "Cylinder",
    "Dirichlet",
    "Discretisation",
    "Disk",
    "Domain",
    "Ellipse",
    "Ellipsoid",
    "ErrorEstimate",
    "Exterior",
    "Factored",
    "Family",
    "Fold",
    "Forecast",
    "FoundMode",
    "FrequencyShift",
    "Incident",
    "Initial",
    "Interface",
    "InterfaceLine",
    "Interval",
    "Joined",
    "LShape",
    "LeastSquares",
    "Measured",
    "MemoryBudgetError",
    "Mode",
    "ModeCount",
    "ModeSearch",
    "Modes",
    "Narrow",
    "NarrowPlaces",
    "Neumann",
    "NewtonStep",
    "Operator",
    "OutsideWarning",
    "Pacman",
    "Panda",
    "Periodic",
    "Place",
    "Points",
    "PolarCurve",
    "Polygon",
    "Prepared",
    "Problem",
    "ProblemError",
    "ProblemFile",
    "Regions",
    "Relation",
    "Report",
    "Robin",
    "Round",
    "RowBlock",
    "Singular",
    "Siren",
    "Sites",
    "Solution",
    "SolveError",
    "SolveInterrupted",
    "StorageWarning",
    "Surface",
    "Symmetry",
    "System",
    "Tanh",
    "Term",
    "Time",
    "Transmission",
    "Transparent",
    "TruncatedSVD",
    "Unknown",
    "Window",
    "beam",
    "count_modes",
    "curl",
    "divergence",
    "draw_features",
    "eigenmodes",
    "examine",
    "find_narrow",
    "follow",
    "infer_bands",
    "judge",
    "load",
    "normal",
    "normal_derivative",
    "plane_wave",
    "plot_sweep",
    "point_source",
    "prepare",
    "read_problem",
    "read_problem_file",
    "solve",
    "strain",
    "stress",
    "sweep",
    "traction",
    "write_problem",
]
