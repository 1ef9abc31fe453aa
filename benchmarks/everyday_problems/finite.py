"""The everyday problems by finite elements: one function for each, from a `Setting` to what was `Found`."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from everyday_problems.closed import medium, source
from everyday_problems.elements import (
    Found,
    Setting,
    coefficient,
    less_polygons,
    make_mesh,
    sides,
    solve_condensed,
    solve_scalar,
    within_curve,
)
from everyday_problems.places import (
    BENDING,
    BRACKET,
    CABIN,
    CANTILEVER,
    CONTRAST,
    CONVECTION,
    ELASTIC_L,
    HOLED,
    HOLES,
    INCLUSION,
    LAYER,
    NONLINEAR,
    PLATE,
    QUADRANGLE,
    SIDES,
    SQUARE,
    STAR_CENTER,
    STOKES,
    TRIANGLE,
    Place,
    star_radius,
)

_KNOTS = 400
_PENALTY = 4.0
_POISSON = 0.3


def _scalar(place: Place, setting: Setting, held: tuple[str, ...], **data: Any) -> Found:
    """A scalar problem whose data need no mesh."""
    mesh = make_mesh(place, setting)
    field = solve_scalar(mesh, setting, sides(setting, *held), **data)
    return Found(mesh, (field,), field.space.ndof)


def square(setting: Setting) -> Found:
    """Poisson's equation."""
    return _scalar(SQUARE, setting, SIDES, f=1)


def varying(setting: Setting) -> Found:
    """A conductivity that varies."""
    import ngsolve as ng

    return _scalar(SQUARE, setting, SIDES, a=1 + ng.x * ng.x + ng.y / 2, f=-ng.x * ng.y)


def plate(setting: Setting) -> Found:
    """Reaction and diffusion."""
    return _scalar(PLATE, setting, ("outline",), c=1, f=1)


def bracket(setting: Setting) -> Found:
    """Convection on the outline."""
    return _scalar(BRACKET, setting, ("hot", "cold"), walls={"outline": (2, 0)}, values={"hot": 1, "cold": 0})


def _materials(place: Place, setting: Setting, inside: float) -> Found:
    mesh = make_mesh(place, setting)
    a = mesh.MaterialCF({"around": 1.0} | {name: inside for name, _, _ in place.inclusions})
    left, right = sides(setting, "x-"), sides(setting, "x+")
    field = solve_scalar(mesh, setting, f"{left}|{right}", a=a, values={left: 1, right: 0})
    return Found(mesh, (field,), field.space.ndof)


def inclusion(setting: Setting) -> Found:
    """One disk, 1 : 10."""
    return _materials(INCLUSION, setting, 10.0)


def contrast(setting: Setting) -> Found:
    """Three disks, 1 : 1000."""
    return _materials(CONTRAST, setting, 1000.0)


def convection(setting: Setting) -> Found:
    """A stream past a warm disk."""
    import ngsolve as ng

    b = ng.CF((80 * ng.y * (1 - ng.y), 0))
    return _scalar(CONVECTION, setting, ("x-", "warm"), b=b, values={"x-": 0, "warm": 1})


def cabin(setting: Setting, hertz: float) -> Found:
    """Sound."""
    k = 2 * np.pi * hertz / 343
    walls = {"roof": (-0.4j * k, 0), "firewall": (0, k)}
    return _scalar(CABIN, setting, (), c=-(k**2), walls=walls, complex_valued=True)


def layer(setting: Setting) -> Found:
    """Thin layers."""
    return _scalar(LAYER, setting, (*SIDES, "hole"), a=0.02**2, c=1, f=1)


def holes(setting: Setting) -> Found:
    """Twenty holes."""
    return _scalar(HOLES, setting, SIDES, f=1)


def nonlinear(setting: Setting) -> Found:
    """Newton's method with a number of steps that `method` tells."""
    import ngsolve as ng

    mesh = make_mesh(NONLINEAR, setting)
    space = ng.H1(mesh, order=setting.order, dirichlet=sides(setting, *SIDES))
    u, v = space.TnT()
    form = ng.BilinearForm(space, condense=setting.order > 1)
    form += ((1 + u * u) * ng.grad(u) * ng.grad(v) - 10 * v) * ng.dx(bonus_intorder=setting.bonus)
    field = ng.GridFunction(space)
    rest, step = field.vec.CreateVector(), field.vec.CreateVector()
    for _ in range(int(setting.method.split()[0])):
        form.Apply(field.vec, rest)
        form.AssembleLinearization(field.vec)
        if form.condense:
            rest.data += form.harmonic_extension_trans * rest
        step.data = form.mat.Inverse(space.FreeDofs(coupling=form.condense), inverse=setting.inverse) * rest
        if form.condense:
            step.data += form.harmonic_extension * step
            step.data += form.inner_solve * rest
        field.vec.data -= step
    return Found(mesh, (field,), space.ndof)


def nonlinear_straightened(setting: Setting) -> Found:
    """``u + u^3 / 3`` of the problem above, which satisfies Poisson's equation."""
    return _scalar(NONLINEAR, setting, SIDES, f=10)


def bent_back(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """From ``u + u^3 / 3`` to u."""
    return np.asarray(2 * np.sinh(np.arcsinh(1.5 * values) / 3))


def stokes(setting: Setting) -> Found:
    """Pressures that are continuous (Taylor and Hood), or that are not and are condensed but for their means."""
    import ngsolve as ng

    mesh = make_mesh(STOKES, setting)
    held = sides(setting, "x-", "y-", "y+", "disk")
    velocities = ng.VectorH1(mesh, order=setting.order, dirichlet=held)
    if setting.method == "Taylor-Hood":
        pressures = ng.H1(mesh, order=setting.order - 1)
    else:
        pressures = ng.L2(mesh, order=setting.order - 2, lowest_order_wb=True)
    space = velocities * pressures
    (u, p), (v, q) = space.TnT()
    form = ng.BilinearForm(space, condense=setting.order > 2, symmetric=setting.inverse != "umfpack")
    form += (ng.InnerProduct(ng.grad(u), ng.grad(v)) - ng.div(u) * q - ng.div(v) * p) * ng.dx
    form.Assemble()
    flow = ng.GridFunction(space)
    flow.components[0].Set(ng.CF((4 * ng.y * (1 - ng.y), 0)), definedon=mesh.Boundaries(sides(setting, "x-")))
    solve_condensed(space, form, None, flow, setting.inverse)
    return Found(mesh, tuple(flow.components), space.ndof)


def _elastic(
    place: Place, setting: Setting, young: float, clamped: str, weight: float, pulled: tuple[str, float]
) -> Found:
    import ngsolve as ng

    mesh = make_mesh(place, setting)
    lam, mu = young * _POISSON / (1 - _POISSON**2), young / (2 * (1 + _POISSON))
    space = ng.VectorH1(mesh, order=setting.order, dirichlet=sides(setting, clamped))
    u, v = space.TnT()
    strain = ng.Sym(ng.Grad(u))
    form = ng.BilinearForm(space, condense=setting.order > 1, symmetric=setting.inverse != "umfpack")
    form += (2 * mu * ng.InnerProduct(strain, ng.Sym(ng.Grad(v))) + lam * ng.div(u) * ng.div(v)) * ng.dx
    load = ng.LinearForm(space)
    if weight:
        load += -weight * v[1] * ng.dx
    part, shear = pulled
    if part:
        load += shear * v[1] * ng.ds(sides(setting, part))
    form.Assemble()
    load.Assemble()
    field = ng.GridFunction(space)
    solve_condensed(space, form, load, field, setting.inverse)
    return Found(mesh, (field,), space.ndof)


def cantilever(setting: Setting) -> Found:
    """Sheared by its end."""
    return _elastic(CANTILEVER, setting, 1000.0, "x-", 0.0, ("x+", -1.0))


def elastic_l(setting: Setting) -> Found:
    """Under its weight."""
    return _elastic(ELASTIC_L, setting, 100.0, "foot", 1.0, ("", 0.0))


_MODES = 6


def modes(setting: Setting) -> Found:
    """Six modes, by Lanczos' method about zero."""
    import ngsolve as ng

    mesh = make_mesh(PLATE, setting)
    space = ng.H1(mesh, order=setting.order, dirichlet=sides(setting, "outline"))
    u, v = space.TnT()
    symmetric = setting.inverse != "umfpack"
    stiffness = ng.BilinearForm(ng.grad(u) * ng.grad(v) * ng.dx, symmetric=symmetric).Assemble()
    mass = ng.BilinearForm(u * v * ng.dx, symmetric=symmetric).Assemble()
    numbers = _lanczos(ng, space, stiffness.mat, mass.mat, setting.inverse)
    return Found(mesh, (), space.ndof, numbers)


def _lanczos(ng: Any, space: Any, stiffness: Any, mass: Any, inverse: str) -> NDArray[np.float64]:
    """Values of ``K x = lam M x`` closest to zero, by SciPy with NGSolve's factors."""
    from scipy.sparse.linalg import LinearOperator, eigsh

    free = np.flatnonzero(np.array(space.FreeDofs()))
    factors = stiffness.Inverse(space.FreeDofs(), inverse=inverse)
    from_, to = stiffness.CreateColVector(), stiffness.CreateColVector()

    def operator(matrix: Any) -> Any:
        def apply(vector: NDArray[np.float64]) -> NDArray[np.float64]:
            from_.FV().NumPy()[:] = 0
            from_.FV().NumPy()[free] = vector.ravel()
            to.data = matrix * from_
            return to.FV().NumPy()[free].copy()

        return LinearOperator((len(free), len(free)), matvec=apply, dtype=float)

    values = eigsh(
        operator(stiffness),
        k=_MODES,
        M=operator(mass),
        sigma=0.0,
        OPinv=operator(factors),
        which="LM",
        v0=np.ones(len(free)),
        return_eigenvectors=False,
    )
    return np.sort(values)


def bending(setting: Setting) -> Found:
    """Continuous elements with hybrid interior penalties, or Hellan, Herrmann and Johnson's, hybrid as well."""
    import ngsolve as ng

    mesh = make_mesh(BENDING, setting)
    held, order = sides(setting, *SIDES), setting.order
    deflections = ng.H1(mesh, order=order, dirichlet=held)
    normal, size = ng.specialcf.normal(2), ng.specialcf.mesh_size
    edges = ng.dx(element_boundary=True)
    if setting.method == "interior penalty":
        space = deflections * ng.NormalFacetFESpace(mesh, order=order - 1, dirichlet=held)
        (w, slope), (v, other) = space.TnT()

        def bends(f: Any) -> Any:
            return f.Operator("hesse")

        def across(f: Any) -> Any:
            return ng.InnerProduct(normal, bends(f) * normal)

        def jump(f: Any, facet: Any) -> Any:
            return (ng.grad(f) - facet) * normal

        form = ng.BilinearForm(space, condense=True, symmetric=setting.inverse != "umfpack")
        form += ng.InnerProduct(bends(w), bends(v)) * ng.dx
        form += (-across(w) * jump(v, other) - across(v) * jump(w, slope)) * edges
        form += _PENALTY * order**2 / size * jump(w, slope) * jump(v, other) * edges
    else:
        moments = ng.HDivDiv(mesh, order=order - 1, discontinuous=True)
        space = moments * deflections * ng.NormalFacetFESpace(mesh, order=order - 1, dirichlet=held)
        (m, w, slope), (k, v, other) = space.TnT()

        def pairing(moment: Any, f: Any, facet: Any) -> Any:
            along = (moment * normal) * normal
            inside = ng.InnerProduct(moment, f.Operator("hesse")) * ng.dx
            return inside - along * ((ng.grad(f) - facet) * normal) * edges

        form = ng.BilinearForm(space, condense=True, symmetric=setting.inverse != "umfpack")
        form += ng.InnerProduct(m, k) * ng.dx
        form += -1 * pairing(m, v, other)
        form += -1 * pairing(k, w, slope)
    load = ng.LinearForm(space)
    load += (v if setting.method == "interior penalty" else -v) * ng.dx
    form.Assemble()
    load.Assemble()
    field = ng.GridFunction(space)
    solve_condensed(space, form, load, field, setting.inverse)
    deflection = field.components[0 if setting.method == "interior penalty" else 1]
    return Found(mesh, (deflection,), space.ndof)


@cache
def _in_medium(wavelengths: float) -> tuple[Any, ...]:
    """What is multiplied with u, the right-hand side and the solution; not counted, as one writes them by hand."""
    wavenumber, wave = medium(wavelengths)
    return tuple(coefficient(e) for e in (-wavenumber, source(wavenumber, wave), wave))


def _medium(mesh: Any, setting: Setting, wavelengths: float) -> Found:
    c, f, known = _in_medium(wavelengths)
    field = solve_scalar(mesh, setting, ".*", c=c, f=f, values=known)
    return Found(mesh, (field,), field.space.ndof)


def medium_box(setting: Setting, wavelengths: float) -> Found:
    """In the unit square."""
    return _medium(make_mesh(SQUARE, setting), setting, wavelengths)


def medium_star(setting: Setting) -> Found:
    """In a star; data that satisfy the equation beyond the outline let its curve be of low degree."""
    angle = 2 * np.pi * np.arange(_KNOTS) / _KNOTS
    points = STAR_CENTER + star_radius(angle)[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return _medium(make_mesh(SQUARE, setting, lambda: within_curve(points), curve=2), setting, 20)


def medium_holes(setting: Setting) -> Found:
    """In a polygon with holes."""
    mesh = make_mesh(SQUARE, setting, lambda: less_polygons(HOLED.corners, (TRIANGLE, QUADRANGLE)), curve=1)
    return _medium(mesh, setting, 20)
