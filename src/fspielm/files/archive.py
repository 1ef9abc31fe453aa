"""Files of text and arrays, with a checksum over every byte.

Such a file is a ZIP archive that any tool opens: ``content.json``, and one ``.npy`` file for each array. Nothing in it
is compressed, so that reading never takes more memory than the file, and nothing is pickled, so that reading executes
nothing. The archive's comment, the last bytes of the file, is the SHA-256 of all bytes before.
"""

from __future__ import annotations

import io
import json
import math
import os
import types
import zipfile
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from fspielm.disk import open_file, staged_file
from fspielm.errors import ProblemError

VERSION = 3

_KIND = b"application/x-fspielm-solution"
_CONTENT = "content.json"
_SEAL = b"fspielm sha256 "
_DIGITS = 2 * sha256().digest_size
_MOST_BYTES = 2**31
_DTYPES = ("<f4", "<f8", "<c8", "<c16")

Arrays = dict[str, NDArray[Any]]


def write_archive(path: str | os.PathLike[str], content: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write content and arrays to a file, which appears complete or not at all."""
    data = pack(content, arrays)
    with staged_file(path) as draft:
        draft.write_bytes(data)


def read_archive(path: str | os.PathLike[str]) -> tuple[dict[str, Any], Arrays]:
    """Read what `write_archive` has written; refuse what is none of ours, not whole, changed, or of a newer format."""
    path = Path(path)
    try:
        with open_file(path) as file:
            data = file.read(_MOST_BYTES + 1)
    except FileNotFoundError:
        raise ProblemError(f"{path}: no such file") from None
    except OSError as error:
        reason = "a folder, not a saved solution" if path.is_dir() else f"cannot be read: {error.strerror}"
        raise ProblemError(f"{path}: {reason}") from None
    if len(data) > _MOST_BYTES:
        raise ProblemError(f"{path}: larger than {_MOST_BYTES} bytes, which no saved solution is")
    return unpack(data, str(path))


def pack(content: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """The bytes of the file."""
    text = json.dumps({"version": VERSION, **content}, indent=1, allow_nan=False, ensure_ascii=False)
    entries = {"mimetype": _KIND, _CONTENT: text.encode()}
    entries |= {f"{name}.npy": _array_bytes(array) for name, array in arrays.items()}
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        for name, data in entries.items():
            # dated 1980 by default: the same content always gives the same bytes
            archive.writestr(zipfile.ZipInfo(name), data)
        archive.comment = _SEAL + b"0" * _DIGITS
    unsealed = stream.getvalue()[:-_DIGITS]
    return unsealed + sha256(unsealed).hexdigest().encode()


def unpack(data: bytes, name: str) -> tuple[dict[str, Any], Arrays]:
    """Content and arrays from the bytes of the file `name`."""
    _check_seal(data, name)
    try:
        content, arrays = _read_entries(data)
        version = int(content["version"])
    except (zipfile.BadZipFile, KeyError, TypeError, ValueError, NotImplementedError, RecursionError) as error:
        raise ProblemError(f"{name}: not a solution that fspielm saved: {error}") from error
    if version > VERSION:
        by = content.get("versions", {}).get("fspielm", "a newer version")
        raise ProblemError(
            f"{name}: saved by fspielm {by} in format {version}, and this version reads formats up to {VERSION}; "
            "update fspielm"
        )
    return content, arrays


def _check_seal(data: bytes, name: str) -> None:
    """Refuse bytes that differ from what was written, before anything else parses them."""
    if sha256(data[:-_DIGITS]).hexdigest().encode() == data[-_DIGITS:] and _KIND in data[:100]:
        return
    if not data.startswith(b"PK") or _KIND not in data[:100]:
        raise ProblemError(f"{name}: not a solution that fspielm saved")
    if data[-_DIGITS - len(_SEAL) : -_DIGITS] != _SEAL:
        raise ProblemError(f"{name}: not complete; its end is missing")
    raise ProblemError(f"{name}: damaged or changed since it was saved; its checksum does not fit")


def _read_entries(data: bytes) -> tuple[dict[str, Any], Arrays]:
    content: dict[str, Any] | None = None
    arrays: Arrays = {}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
        # entries may share bytes, and then hold more than the file
        if sum(entry.file_size for entry in entries) > len(data):
            raise ValueError("it would grow when it is read")
        for entry in entries:
            if entry.compress_type != zipfile.ZIP_STORED:
                raise ValueError(f"{entry.filename} is compressed")
            if entry.filename == _CONTENT:
                content = json.loads(archive.read(entry))
            elif entry.filename.endswith(".npy"):
                arrays[entry.filename.removesuffix(".npy")] = _read_array(archive.read(entry))
    if not isinstance(content, dict):
        raise ValueError(f"it has no {_CONTENT}")
    return content, arrays


def _array_bytes(array: NDArray[Any]) -> bytes:
    stream = io.BytesIO()
    little = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
    np.lib.format.write_array(stream, little, version=(1, 0), allow_pickle=False)
    return stream.getvalue()


def _read_array(data: bytes) -> NDArray[Any]:
    """An array of numbers; not by NumPy's own function, which trusts the size in the header."""
    stream = io.BytesIO(data)
    if np.lib.format.read_magic(stream) != (1, 0):
        raise ValueError("an array of an unknown format")
    shape, by_columns, dtype = np.lib.format.read_array_header_1_0(stream)
    if by_columns or dtype.str not in _DTYPES:
        raise ValueError(f"an array of dtype {dtype}")
    numbers = np.frombuffer(data, dtype, offset=stream.tell())
    if any(count < 0 for count in shape):  # -1 would mean "as many as there are"
        raise ValueError(f"an array of shape {shape}")
    return numbers.reshape(shape).astype(dtype.newbyteorder("="))


# ---- Dataclasses of plain values into JSON and back, by their annotations: a new field needs no line here


def encode(value: Any) -> Any:
    """A value as JSON has it: a float that is not finite as text, a complex number as a pair."""
    if is_dataclass(value):
        return {field.name: encode(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): encode(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [encode(item) for item in value]
    if isinstance(value, np.generic):
        return encode(value.item())
    if isinstance(value, complex):
        return [encode(value.real), encode(value.imag)]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"cannot store {value!r}")


def decode(kind: Any, value: Any) -> Any:
    """The value of type `kind` that was encoded; a TypeError or ValueError if it is something else."""
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        return kind(**{name: decode(hints[name], item) for name, item in value.items()})  # type: ignore[operator]
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        if value is None and type(None) in inner:
            return None
        (kind,) = (choice for choice in inner if choice is not type(None))
        return decode(kind, value)
    if origin is Mapping:
        return {key: decode(inner[1], item) for key, item in value.items()}
    if origin is tuple:
        return tuple(decode(inner[0], item) for item in value)
    if kind is complex:
        real, imaginary = (decode(float, part) for part in value)
        return complex(real, imaginary)
    if kind is float and isinstance(value, str):
        return float(value)
    accepted = (int, float) if kind is float else kind
    if not isinstance(value, accepted) or (kind is not bool and isinstance(value, bool)):
        raise TypeError(f"{value!r} is not of type {kind.__name__}")
    return float(value) if kind is float else value
