"""The interface of a basis, and the elementary ones: joined bases, exponentials and ridge functions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import factorial
from typing import TYPE_CHECKING, Any, Literal, final

import numpy as np
from numpy.polynomial import polynomial
from numpy.typing import ArrayLike, NDArray

from fspielm.arrays import BoolArray, ComplexArray, FloatArray, NumberArray
from fspielm.errors import ProblemError, UnsuitableError
from fspielm.geometry.boundary import Sites
from fspielm.problem.operator import Operator
from fspielm.resources import check_deadline

if TYPE_CHECKING:
    from fspielm.cells.basis import CellBasis

# Entries of a table at a time, which bounds the memory.
AT_ONCE = 2**20


def expand_powers(orders: NDArray[np.int_], s: ComplexArray, along: FloatArray, degree: int) -> ComplexArray:
    """Coefficients of ``z^0 .. z^degree`` in ``(s + z along)^orders``, shape ``(M, T, degree + 1)``.

    With ``s = i w``, the first is the factor of ``D^orders exp(i w x)``; the others give the derivatives of that
    exponential times powers of ``along x``.

    Parameters
    ----------
    orders : (T, d) integer array
    s : (M, d) complex array
    along : (M, d) array
    degree : int
        The highest power of z that is returned.
    """
    result = np.zeros((len(s), len(orders), degree + 1), dtype=np.complex128)
    result[:, :, 0] = 1.0
    for axis in range(s.shape[1]):
        value, slope = s[:, axis, None, None], along[:, axis, None, None]
        for power in range(int(orders[:, axis].max(initial=0))):
            affected = orders[:, axis] > power
            raised = result[:, affected] * value
            raised[:, :, 1:] += result[:, affected, :-1] * slope
            result[:, affected] = raised
    return result


@dataclass(frozen=True, eq=False)
class LocalOperator:
    """An operator with its coefficients evaluated at given points.

    Coefficients are user code that may be slow or have side effects. They are evaluated once, here, before chunks and
    threads fill rows with them.

    Attributes
    ----------
    points : (n, d) array
    orders : (T, d) integer array
        Derivative orders of each of the T terms.
    coefficients : (T,) or (T, n) array
        Real or complex; of shape ``(T,)`` if every coefficient is a number.
    unknowns : tuple of int
        The unknown that each term acts on; empty if there is only one.
    """

    points: FloatArray
    orders: np.ndarray[tuple[int, int], np.dtype[np.int_]]
    coefficients: NumberArray
    unknowns: tuple[int, ...] = ()

    @property
    def is_constant(self) -> bool:
        """Whether the coefficients are the same at all points."""
        return self.coefficients.ndim == 1

    @property
    def is_real(self) -> bool:
        """Whether no coefficient is complex."""
        return not np.iscomplexobj(self.coefficients)

    @property
    def parts(self) -> tuple[LocalOperator, LocalOperator]:
        """The operators with the real and the imaginary parts of the coefficients, without zero terms."""
        return self._with(self.coefficients.real), self._with(self.coefficients.imag)

    def _with(self, coefficients: FloatArray) -> LocalOperator:
        kept = np.flatnonzero(np.any(coefficients.reshape(len(coefficients), -1) != 0, axis=1))
        unknowns = tuple(self.unknowns[term] for term in kept) if self.unknowns else ()
        return LocalOperator(self.points, self.orders[kept], np.ascontiguousarray(coefficients[kept]), unknowns)

    def select(self, index: slice | np.ndarray[tuple[int, ...], np.dtype[np.int_]]) -> LocalOperator:
        """The same operator at a subset of the points."""
        coefficients = self.coefficients if self.is_constant else self.coefficients[:, index]
        return LocalOperator(self.points[index], self.orders, coefficients, self.unknowns)

    def on(self, unknown: int) -> LocalOperator:
        """The terms that act on one of the unknowns; there may be none."""
        terms = [term for term, on in enumerate(self.unknowns or (0,) * len(self.orders)) if on == unknown]
        return LocalOperator(self.points, self.orders[terms], self.coefficients[terms])


def localise(operator: Operator, sites: Sites, components: int = 1) -> LocalOperator:
    """Evaluate the coefficients of `operator`, which acts on `components` unknowns, at `sites`."""
    check_deadline()
    if operator.dimension != sites.dimension:
        raise ProblemError(
            f"the operator acts on functions of {operator.dimension} coordinates, but the points have {sites.dimension}"
        )
    unknowns = tuple(term.unknown for term in operator.terms)
    if max(unknowns, default=0) >= components:
        raise ProblemError(f"the operator is on {max(unknowns) + 1} unknowns, but the functions are for {components}")
    orders = np.array([term.orders for term in operator.terms], dtype=np.int_)
    if operator.is_constant:
        numbers = np.array([term.coefficient for term in operator.terms])
        coefficients = numbers if np.iscomplexobj(numbers) else numbers.astype(np.float64)
    else:
        coefficients = np.stack([term.at(sites) for term in operator.terms])
    orders = orders.reshape(len(operator.terms), operator.dimension)
    return LocalOperator(sites.points, orders, coefficients, unknowns if any(unknowns) else ())


def frozen(numbers: ArrayLike, dtype: type, *, order: Literal["K", "C"] = "K") -> NDArray[Any]:
    """A read-only copy of numbers as an array."""
    array: NDArray[Any] = np.array(numbers, dtype=dtype, order=order)
    array.flags.writeable = False
    return array


class Basis(ABC):
    """A finite set of functions; its one primitive applies an operator to some of them at points.

    A basis sets its `size` and `dimension`, and what else differs from the defaults: attributes, or cached properties.

    Attributes
    ----------
    size : int
        Number of functions.
    dimension : int
        Number of coordinates they depend on.
    dtype : dtype
        The type of the functions' values.
    components : int
        Number of unknowns of the operators it works with: one, unless it holds a `Component` of several.
    made_of : tuple of Basis
        The bases whose functions its own are made of, and whose singularities they share.
    frequencies : (M, d) array or None
        Frequencies of its functions; imaginary parts are rates of decay. None if they have none. A joined basis has
        none of its own; its leaves may.
    oscillates : bool
        Whether its functions are waves with its `frequencies`; otherwise these only say how steep they are.
    is_piecewise : bool
        Whether each function is zero outside of one cell; then `tabulate` returns sparse tables.
    """

    size: int
    dimension: int
    dtype: np.dtype[Any] = np.dtype(np.float64)
    components: int = 1
    made_of: tuple[Basis, ...] = ()
    frequencies: FloatArray | ComplexArray | None = None
    oscillates: bool = False
    is_piecewise: bool = False

    @property
    def leaves(self) -> tuple[Basis, ...]:
        """The bases it is joined of, none of them a joined one, in the order of their columns."""
        return (self,)

    @cached_property
    def corners(self) -> tuple[tuple[float, float], ...]:
        """The points, or centers of holes, around which it has a series of singular functions."""
        return tuple(corner for basis in self.made_of for corner in basis.corners)

    @cached_property
    def sources(self) -> FloatArray:
        """The points ``(n, d)`` outside of the domain at which single functions are singular."""
        return np.concatenate([np.empty((0, self.dimension)), *(basis.sources for basis in self.made_of)])

    @property
    def is_smooth(self) -> bool:
        """Whether no function is singular at a corner or a source."""
        return not self.corners and not len(self.sources)

    @cached_property
    def together(self) -> int:
        """How many consecutive functions share work and are best filled at once."""
        return max((basis.together for basis in self.made_of), default=1)

    @cached_property
    def reach(self) -> FloatArray:
        """The highest frequency along each axis that its functions hold; the modulus where it is complex."""
        own = self.frequencies
        sizes = [np.abs(own).max(axis=0)] if own is not None and len(own) else []
        sizes += [basis.reach for basis in self.made_of]
        return np.asarray(np.max([np.zeros(self.dimension), *sizes], axis=0))

    @property
    def varying(self) -> tuple[Basis, ...]:
        """Its functions of nonzero frequency, as bases that are not joined."""
        return tuple(basis for leaf in self.leaves if leaf is not self for basis in leaf.varying)

    @property
    def exponentials(self) -> tuple[ExponentialBasis, ...]:
        """Those of its functions that are exponentials of their frequencies, as exponential bases."""
        return tuple(basis for leaf in self.leaves if leaf is not self for basis in leaf.exponentials)

    @property
    def on_cells(self) -> tuple[CellBasis, ...]:
        """Those of its functions that are polynomials on cells, as bases on cells."""
        return tuple(basis for leaf in self.leaves if leaf is not self for basis in leaf.on_cells)

    @abstractmethod
    def fill(self, operator: LocalOperator, columns: slice, out: NumberArray) -> None:
        """Write ``out[j, i]``: the operator on function ``columns[j]``, at point i.

        `write` ensures that coefficients are real unless the functions are complex, and that `out` has the basis'
        `dtype` or one that holds it. `out` has one row per *function*: the collocation matrix is stored by columns, and
        each thread fills a few of them over all points.
        """

    @final
    def write(self, operator: LocalOperator, columns: slice, out: NumberArray) -> None:
        """Like `fill`, but also for complex coefficients or a complex `out` when the functions are real."""
        if self.dtype.kind == "c" or not np.iscomplexobj(out):
            self.fill(operator, columns, out)
            return
        # real functions: the parts of the operator give the parts of the values
        buffer = np.empty(out.shape)
        parts = (operator, None) if operator.is_real else operator.parts
        for part, target in zip(parts, (out.real, out.imag), strict=True):
            if part is None or not len(part.orders):
                target[...] = 0.0
            else:
                self.fill(part, columns, buffer)
                target[...] = buffer

    def dtype_under(self, *operators: LocalOperator) -> np.dtype[Any]:
        """The type of the values of operators on its functions."""
        return np.result_type(self.dtype, *(np.complex128 for operator in operators if not operator.is_real))

    def far_field(self, angles: FloatArray) -> ComplexArray:
        """How strongly its functions radiate in the directions of `angles` ``(n,)``, shape ``(n, M)``.

        Raises
        ------
        UnsuitableError
            If the functions do not radiate.
        """
        raise UnsuitableError(f"{type(self).__name__} has functions that do not radiate")

    def field(self, unknown: int, coefficients: NumberArray) -> tuple[Basis, NumberArray]:
        """One unknown of the sums with `coefficients` ``(..., M)``: a real basis of it alone, and its coefficients."""
        return parts_of_sum(self, coefficients) if self.dtype.kind == "c" else (self, coefficients)

    def valued(self, coefficients: NumberArray) -> tuple[Basis, NumberArray]:
        """The same sums on a basis without columns that have no values, and its coefficients ``(..., M')``."""
        return self, coefficients

    def matrix(self, operator: Operator, sites: Sites) -> NumberArray:
        """The operator on every function (columns) at every site (rows), shape ``(n, size)``."""
        local = localise(operator, sites, self.components)
        transposed = np.empty((self.size, len(sites)), dtype=self.dtype_under(local))
        self.write(local, slice(0, self.size), transposed)
        return transposed.T


@final
class JoinedBasis(Basis):
    """Several bases side by side, their columns in the order given."""

    def __init__(self, parts: Sequence[Basis]) -> None:
        self.parts = self.made_of = tuple(parts)
        dimensions = [part.dimension for part in self.parts]
        if len(set(dimensions)) != 1:
            raise ProblemError(f"parts must be bases of the same dimension, at least one; got dimensions {dimensions}")
        components = [part.components for part in self.parts]
        if len(set(components)) != 1:
            raise ProblemError(f"parts must be bases for the same unknowns; got bases for {components} of them")
        self._starts = np.cumsum([0, *(part.size for part in self.parts)])
        self.size, self.dimension, self.components = int(self._starts[-1]), dimensions[0], components[0]
        self.dtype = np.result_type(*(part.dtype for part in self.parts))

    @property
    def leaves(self) -> tuple[Basis, ...]:
        """The leaves of its parts."""
        return tuple(leaf for part in self.parts for leaf in part.leaves)

    def fill(self, operator: LocalOperator, columns: slice, out: NumberArray) -> None:
        """Write the operator on the functions `columns`; see `Basis.fill`."""
        first, last, _ = columns.indices(self.size)
        for part, start in zip(self.parts, self._starts, strict=False):
            begin, end = max(first, start), min(last, start + part.size)
            if begin < end:
                part.write(operator, slice(begin - start, end - start), out[begin - first : end - first])

    def field(self, unknown: int, coefficients: NumberArray) -> tuple[Basis, NumberArray]:
        """One unknown of the sums; see `Basis.field`."""
        each = [
            part.field(unknown, coefficients[..., start : start + part.size])
            for part, start in zip(self.parts, self._starts, strict=False)
        ]
        used = [(basis, part) for basis, part in each if basis.size] or each[:1]
        return join_sums(used)


def join_sums(parts: Sequence[tuple[Basis, NumberArray]]) -> tuple[Basis, NumberArray]:
    """The sum of several sums, each a basis with its coefficients."""
    if len(parts) == 1:
        return parts[0]
    return JoinedBasis([basis for basis, _ in parts]), np.concatenate([c for _, c in parts], axis=-1)


class LinearMap(Basis):
    """Functions that are a linear map of those of another `basis` for a single unknown, singular at the same places.

    Unless there is another number of them, each belongs to a function of the basis and has its frequency.
    """

    def __init__(self, basis: Basis, size: int | None = None) -> None:
        if basis.components != 1:
            raise ProblemError(f"basis must be for a single unknown; got one for {basis.components} of them")
        self.basis, self.made_of = basis, (basis,)
        self.dimension, self.dtype = basis.dimension, basis.dtype
        self.size = basis.size if size is None else size
        if size is None:
            self.frequencies, self.oscillates = basis.frequencies, basis.oscillates


@final
class RealParts(LinearMap):
    """The real part of the first function of a complex basis, its imaginary part, the real part of the second, ...

    Sums of complex functions are evaluated on this basis: see `Basis.field`.

    Parameters
    ----------
    basis : Basis
        Complex, for a single unknown.
    """

    def __init__(self, basis: Basis) -> None:
        super().__init__(basis, 2 * basis.size)
        if basis.dtype.kind != "c":
            raise ProblemError("basis must have complex functions for a single unknown")
        self.dtype, self.together = np.dtype(np.float64), 2 * basis.together

    def fill(self, operator: LocalOperator, columns: slice, out: FloatArray) -> None:
        """Write the operator on the functions `columns`; see `Basis.fill`."""
        first, last, _ = columns.indices(self.size)
        begin, end = first // 2, -(-last // 2)
        values: ComplexArray = np.empty((end - begin, len(operator.points)), dtype=np.complex128)
        self.basis.fill(operator, slice(begin, end), values)
        both = np.stack([values.real, values.imag], axis=1).reshape(-1, len(operator.points))
        out[...] = both[first - 2 * begin : last - 2 * begin]


def parts_of_sum(basis: Basis, coefficients: NumberArray) -> tuple[Basis, NumberArray]:
    """Sums of complex functions with `coefficients` ``(..., M)``, as sums of their real and imaginary parts."""
    both = np.stack([coefficients, 1j * coefficients], axis=-1)
    return RealParts(basis), both.reshape(*coefficients.shape[:-1], -1)


# Exponents are cut off here: far outside of the domain, values mean nothing but stay finite.
MOST_GROWTH = 300.0


@final
class ExponentialBasis(Basis):
    """Functions ``Re (along x)^power exp(i (W x + b) - peak)`` with complex W, x measured from `origin`.

    Parameters
    ----------
    W : (M, d) array
        Complex frequencies; imaginary parts are rates of decay.
    b : (M,) array
        Phases; b and ``b - pi / 2`` give the real and the imaginary part.
    origin : (d,) array
        Where x is measured from: the middle of the domain.
    peaks : (M,) array
        The largest ``-Im(W) x`` on the domain, so that no function exceeds one there.
    powers : (M,) integer array, optional
        Powers of the polynomial factors; zero by default.
    along : (M, d) array, optional
        Directions of the polynomial factors, needed if there are powers. A length of about one over the size of the
        domain keeps the factors below one.
    """

    oscillates = True

    def __init__(
        self,
        W: ArrayLike,
        b: ArrayLike,
        origin: ArrayLike,
        peaks: ArrayLike,
        powers: ArrayLike | None = None,
        along: ArrayLike | None = None,
    ) -> None:
        self.W = self.frequencies = frozen(W, np.complex128)
        if self.W.ndim != 2:
            raise ProblemError(f"W must have shape (M, d); got shape {self.W.shape}")
        size, dimension = self.size, self.dimension = self.W.shape
        self.b, self.origin, self.peaks = (frozen(numbers, np.float64) for numbers in (b, origin, peaks))
        self.powers = frozen(np.zeros(size) if powers is None else powers, np.int_)
        self.along = frozen(np.zeros((size, dimension)) if along is None else along, np.float64)
        shapes = {"b": (size,), "origin": (dimension,), "peaks": (size,), "powers": (size,), "along": (size, dimension)}
        for name, shape in shapes.items():
            if getattr(self, name).shape != shape:
                raise ProblemError(
                    f"{name} must have shape {shape} beside W of shape {self.W.shape}; got {getattr(self, name).shape}"
                )

    @property
    def varying(self) -> tuple[ExponentialBasis, ...]:
        """Itself, without the functions of frequency zero."""
        moving = np.any(self.W != 0, axis=1)
        return (self.select(moving),) if moving.any() else ()

    @property
    def exponentials(self) -> tuple[ExponentialBasis, ...]:
        """Itself."""
        return (self,)

    def select(self, index: BoolArray | slice) -> ExponentialBasis:
        """The functions at `index`."""
        others = (array[index] for array in (self.peaks, self.powers, self.along))
        return ExponentialBasis(self.W[index], self.b[index], self.origin, *others)

    def fill(self, operator: LocalOperator, columns: slice, out: FloatArray) -> None:
        """Write the operator on the functions `columns`; see `Basis.fill`.

        With the symbol P of the operator and its derivatives along the direction of the polynomial factor,
        ``P(D) l^p exp(s x) = sum_k (p choose k) l^(p - k) P^(k)(s) exp(s x)``, where ``l = along x``.
        """
        W, b, powers, along = self.W[columns], self.b[columns], self.powers[columns], self.along[columns]
        place = (operator.points - self.origin).T
        degree = int(powers.max(initial=0))
        expanded = expand_powers(operator.orders, 1j * W, along, degree)
        growth = np.minimum(-(W.imag @ place) - self.peaks[columns][:, None], MOST_GROWTH)
        phase = W.real @ place + b[:, None]
        if operator.is_constant and degree == 0:
            symbol = expanded[:, :, 0] @ operator.coefficients
            phase += np.angle(symbol)[:, None]
            np.multiply(np.exp(growth), np.cos(phase), out=out)
            out *= np.abs(symbol)[:, None]
            return
        amplitude = _amplitude(expanded, operator.coefficients, powers, along @ place)
        np.multiply(amplitude.real, np.cos(phase), out=out)
        out -= amplitude.imag * np.sin(phase)
        out *= np.exp(growth)


def _amplitude(
    expanded: ComplexArray,
    coefficients: NumberArray,
    powers: np.ndarray[tuple[int], np.dtype[np.int_]],
    line: FloatArray,
) -> ComplexArray:
    """The factors of the exponentials, shape ``(M, n)``; `line` is ``along x``."""
    total: ComplexArray = np.zeros(line.shape, dtype=np.complex128)
    constant = coefficients.ndim == 1
    for k in range(expanded.shape[2]):
        symbol = expanded[:, :, k] @ coefficients
        falling = np.array([factorial(p) / factorial(p - k) if p >= k else 0.0 for p in powers])
        factor = falling[:, None] * line ** np.maximum(powers - k, 0)[:, None]
        total += factor * (symbol[:, None] if constant else symbol)
    return total


class Activation(ABC):
    """A scalar function and its derivatives.

    Derivatives that differ only by sign have one `shape`. A sinusoid has two shapes, the function and its first
    derivative, so an operator with many terms costs at most two evaluations per entry.
    """

    @abstractmethod
    def shape(self, order: int) -> tuple[int, float]:
        """``(s, sign)`` such that the derivative of this order is ``sign`` times that of order ``s``."""

    @abstractmethod
    def derivative(self, z: FloatArray, order: int) -> FloatArray:
        """The derivative of `order` at `z`."""


@final
class Sinusoid(Activation):
    """``cos(z + phase)``: the cosine for phase 0, the sine for phase -pi/2."""

    def __init__(self, phase: float) -> None:
        self.phase = phase

    def shape(self, order: int) -> tuple[int, float]:
        """Fold the order to 0 or 1, as the second derivative is minus the function."""
        return order % 2, -1.0 if order % 4 >= 2 else 1.0

    def derivative(self, z: FloatArray, order: int) -> FloatArray:
        """``cos(z + phase + order pi/2)``, by quarter turns rather than by adding to z."""
        folded, sign = self.shape(order)
        value = np.cos(z + self.phase) if folded == 0 else -np.sin(z + self.phase)
        return sign * value


@final
class HyperbolicTangent(Activation):
    """``tanh(z)``; its derivatives are polynomials in tanh itself."""

    def shape(self, order: int) -> tuple[int, float]:
        """Every order is a shape of its own."""
        return order, 1.0

    def derivative(self, z: FloatArray, order: int) -> FloatArray:
        """The derivative of any order, ``(1 - T^2) q(T)`` with T = tanh(z).

        The factor that vanishes where tanh is flat is kept separate: expanded into one polynomial, it would cancel
        there and lose a digit or two at the higher orders.
        """
        T: FloatArray = np.tanh(z)
        if order == 0:
            return T
        q = _tanh_cofactor(order)
        values = np.full_like(T, q[-1])
        for coefficient in q[-2::-1]:
            values *= T
            values += coefficient
        return values * ((1.0 - T) * (1.0 + T))


@lru_cache(maxsize=64)
def _tanh_cofactor(order: int) -> tuple[float, ...]:
    """Coefficients of q, lowest first, by ``q -> (1 - T^2) q' - 2 T q`` from ``q = 1`` for order 1."""
    if order == 1:
        return (1.0,)
    q = _tanh_cofactor(order - 1)
    grown = polynomial.polymul([1.0, 0.0, -1.0], polynomial.polyder(q))
    return tuple(float(c) for c in polynomial.polyadd(grown, polynomial.polymul([0.0, -2.0], q)))


COSINE = Sinusoid(0.0)
SINE = Sinusoid(-np.pi / 2)
TANH = HyperbolicTangent()


@final
class RidgeBasis(Basis):
    """Ridge functions ``activation(W x + b)``.

    Parameters
    ----------
    W : (M, d) array
        Frequencies, one row per function.
    b : (M,) array
        Phases.
    activation : Activation
    origin : (d,) array, optional
        Where x is measured from: functions are ``activation(W (x - origin) + b)``. Far from zero, an origin in the
        middle of the domain saves the digits that a large ``W x`` would lose.
    """

    def __init__(self, W: FloatArray, b: FloatArray, activation: Activation, origin: FloatArray | None = None) -> None:
        # copies, so that the caller's arrays are neither frozen nor followed
        self.W = self.frequencies = frozen(W, np.float64, order="C")
        self.b = frozen(b, np.float64, order="C")
        if self.W.ndim != 2 or self.b.shape != self.W.shape[:1]:
            raise ProblemError(
                f"W must have shape (M, d) and b shape (M,); got shapes {self.W.shape} and {self.b.shape}"
            )
        self.size, self.dimension = self.W.shape
        self.activation = activation
        self.oscillates = isinstance(activation, Sinusoid)
        self.origin = np.zeros(self.dimension) if origin is None else np.array(origin, dtype=np.float64)
        if self.origin.shape != self.W.shape[1:]:
            raise ProblemError(f"origin must have shape {self.W.shape[1:]}; got {self.origin.shape}")

    @property
    def varying(self) -> tuple[RidgeBasis, ...]:
        """Itself, without the functions of frequency zero."""
        moving = np.any(self.W != 0, axis=1)
        return (RidgeBasis(self.W[moving], self.b[moving], self.activation, self.origin),) if moving.any() else ()

    @property
    def exponentials(self) -> tuple[ExponentialBasis, ...]:
        """Cosines and sines as exponentials of real frequency."""
        if not isinstance(self.activation, Sinusoid):
            return ()
        return (ExponentialBasis(self.W, self.b + self.activation.phase, self.origin, np.zeros(self.size)),)

    def fill(self, operator: LocalOperator, columns: slice, out: FloatArray) -> None:
        """Write the operator on the functions `columns`; see `Basis.fill`."""
        W, b = self.W[columns], self.b[columns]
        if operator.is_constant and isinstance(self.activation, Sinusoid):
            # one cosine, whose amplitude and phase come from the symbol ``P(w) = sum c (i w)^alpha``
            symbol = np.prod((1j * W[:, None, :]) ** operator.orders, axis=2) @ operator.coefficients
            np.matmul(W, (operator.points - self.origin).T, out=out)
            out += (b + self.activation.phase + np.angle(symbol))[:, None]
            np.cos(out, out=out)
            out *= np.abs(symbol)[:, None]
            return
        z = W @ (operator.points - self.origin).T + b[:, None]
        powers = np.prod(W[:, None, :] ** operator.orders, axis=2)  # (M, T): the factor of each derivative
        folded = [self.activation.shape(int(order)) for order in operator.orders.sum(axis=1)]
        factors = powers * np.array([sign for _, sign in folded])
        out[...] = 0.0
        for shape in sorted({s for s, _ in folded}):
            terms = np.array([s == shape for s, _ in folded])
            amplitude = factors[:, terms] @ operator.coefficients[terms]
            out += (amplitude[:, None] if operator.is_constant else amplitude) * self.activation.derivative(z, shape)
