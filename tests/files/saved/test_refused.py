"""Files that are damaged, foreign, newer or hostile: a clear error, and nothing executed."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fspielm as fs
from fspielm.files import archive

Make = Callable[..., fs.Solution]


@pytest.fixture
def saved(make_solution: Make, tmp_path: Path) -> Path:
    path = tmp_path / "it.fspielm"
    make_solution("2d", "joined").save(path)
    return path


def rewritten(path: Path, change: Callable[[dict[str, Any], dict[str, Any]], None]) -> None:
    """Change the content of a file and seal it again, as somebody who means harm would."""
    content, arrays = archive.read_archive(path)
    change(content, arrays)
    path.write_bytes(archive.pack(content, arrays))


def sealed(entries: dict[str, bytes], **options: Any) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        file.writestr("mimetype", b"application/x-fspielm-solution")
        for name, data in entries.items():
            file.writestr(name, data, **options)
        file.comment = b"fspielm sha256 " + b"0" * 64
    body = stream.getvalue()[:-64]
    return body + sha256(body).hexdigest().encode()


def test_any_flipped_bit_is_noticed(saved: Path) -> None:
    whole = saved.read_bytes()

    @given(st.integers(0, len(whole) - 1), st.integers(0, 7))
    def check(place: int, bit: int) -> None:
        changed = bytearray(whole)
        changed[place] ^= 1 << bit
        with pytest.raises(fs.ProblemError, match=r"damaged|not a solution|not complete"):
            archive.unpack(bytes(changed), "it")

    check()


def test_every_flipped_byte_is_noticed_in_one_go(saved: Path) -> None:
    whole = saved.read_bytes()
    for place in range(0, len(whole), 37):
        changed = whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :]
        with pytest.raises(fs.ProblemError):
            archive.unpack(changed, "it")


def test_a_changed_file_says_so(saved: Path) -> None:
    whole = bytearray(saved.read_bytes())
    whole[len(whole) // 2] ^= 1
    saved.write_bytes(whole)
    with pytest.raises(fs.ProblemError, match=r"it\.fspielm.*damaged.*checksum"):
        fs.load(saved)


@pytest.mark.parametrize("kept", [0.3, 0.9, 0.999])
def test_a_truncated_file_says_so(saved: Path, kept: float) -> None:
    whole = saved.read_bytes()
    saved.write_bytes(whole[: int(kept * len(whole))])
    with pytest.raises(fs.ProblemError, match=r"it\.fspielm.*end is missing"):
        fs.load(saved)


def test_a_newer_format_says_so(saved: Path) -> None:
    rewritten(saved, lambda content, arrays: content.update(version=4, versions={"fspielm": "9.1"}))
    with pytest.raises(fs.ProblemError, match=r"9\.1.*format 4.*up to 3; update"):
        fs.load(saved)


@pytest.mark.parametrize("content", [b"", b"PK", b"hello", b"\x89HDF", b"PK\x03\x04" + bytes(200)])
def test_files_of_others_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.fspielm"
    path.write_bytes(content)
    with pytest.raises(fs.ProblemError, match=r"other\.fspielm.*not a solution"):
        fs.load(path)


def test_an_archive_of_others_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.npz"
    np.savez(path, a=np.ones(3))
    with pytest.raises(fs.ProblemError, match="not a solution that fspielm"):
        fs.load(path)


def test_no_such_file_and_a_folder(tmp_path: Path) -> None:
    with pytest.raises(fs.ProblemError, match=r"none\.fspielm: no such file"):
        fs.load(tmp_path / "none.fspielm")
    with pytest.raises(fs.ProblemError, match="a folder, not a saved solution"):
        fs.load(tmp_path)


def test_too_large(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "_MOST_BYTES", 1000)
    with pytest.raises(fs.ProblemError, match="larger than 1000 bytes"):
        fs.load(saved)


def test_what_would_grow_is_refused(tmp_path: Path) -> None:
    data = sealed({"content.json": b" " * 10**6}, compress_type=zipfile.ZIP_DEFLATED)
    assert len(data) < 5000
    with pytest.raises(fs.ProblemError, match="it would grow when it is read"):
        archive.unpack(data, "it")
    data = sealed({"content.json": b'{"version": 1}'}, compress_type=zipfile.ZIP_DEFLATED)
    with pytest.raises(fs.ProblemError, match=r"content\.json is compressed"):
        archive.unpack(data, "it")


def npy(header: str, data: bytes = b"") -> bytes:
    text = header.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + data


@pytest.mark.parametrize(
    "array",
    [
        npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", b"cos\nsystem\n"),
        npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,)}", bytes(8)),
        npy("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}", bytes(16)),
        npy("{'descr': '<f8', 'fortran_order': True, 'shape': (1,)}", bytes(8)),
        npy("{'descr': '<i8', 'fortran_order': False, 'shape': (1,)}", bytes(8)),
        npy("__import__('os').system('false')"),
        b"\x93NUMPY\x02\x00",
        b"nothing",
    ],
)
def test_arrays_that_lie_or_would_execute_are_refused(array: bytes) -> None:
    data = sealed({"content.json": b'{"version": 1}', "coefficients.npy": array})
    with pytest.raises(fs.ProblemError, match=r"it: not a solution.*saved: "):
        archive.unpack(data, "it")


@pytest.mark.parametrize("content", [b"[" * 100_000, b"[]", b"{}", b"nonsense", b'{"version": []}', b"\xff"])
def test_content_that_makes_no_sense(content: bytes) -> None:
    with pytest.raises(fs.ProblemError, match="not a solution that fspielm"):
        archive.unpack(sealed({"content.json": content}), "it")


def test_without_content() -> None:
    with pytest.raises(fs.ProblemError, match=r"it has no content\.json"):
        archive.unpack(sealed({}), "it")


def _set(*path: Any, to: Any) -> Callable[[dict[str, Any], dict[str, Any]], None]:
    def change(content: dict[str, Any], arrays: dict[str, Any]) -> None:
        inner: Any = content
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = to

    return change


HOSTILE = {
    "no basis": (_set("basis", to={}), "KeyError"),
    "another kind of basis": (_set("basis", "kind", to="magic"), r"basis.*unknown kind 'magic'"),
    "another activation": (
        _set("basis", "parts", 0, "activation", "kind", to="magic"),
        r"activation.*unknown kind 'magic'",
    ),
    "missing columns": (_set("basis", "parts", to=[]), "at least one"),
    "deep basis": (_set("basis", to=json.loads('{"kind": "joined", "parts": [' * 150 + "]}" * 150)), "dimension"),
    "a report of text": (_set("report", "neurons", to="many"), "'many' is not of type int"),
    "a report with more": (_set("report", "more", to=1), "KeyError"),
    "a bool for a number": (_set("report", "tol", to=True), "True is not of type float"),
    "a residual of text": (_set("report", "residuals", to="none"), "AttributeError"),
    "another dimension": (_set("statement", "problem", to="\n"), "missing"),
    "another file": (
        _set(
            "statement",
            "problem",
            to='unknown = "u(x, y)"\nequation = "u = 0"\n[domain]\nshape = "Polygon"\nfile = "secrets.json"\n',
        ),
        r"statement.*another file",
    ),
    "code in the statement": (
        _set(
            "statement",
            "problem",
            to='unknown = "u(x)"\nequation = "__import__(1)"\nconditions = []\n[domain]\nshape = "Disk"\n',
        ),
        "__import__",
    ),
    "a path in the statement": (_set("statement", "problem", to="problem.toml"), r"statement.*no problem file"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_content_that_was_never_written(saved: Path, name: str) -> None:
    change, message = HOSTILE[name]
    rewritten(saved, change)
    with pytest.raises(fs.ProblemError, match=rf"(?s)it\.fspielm: not a solution.*: .*{message}"):
        fs.load(saved)


def test_arrays_that_do_not_fit(saved: Path) -> None:
    whole = saved.read_bytes()
    for name, shape in {"coefficients": (3,), "basis.0.W": (7, 3), "basis.0.b": (3,), "basis.0.origin": (5,)}.items():
        saved.write_bytes(whole)
        rewritten(saved, lambda content, arrays, name=name, shape=shape: arrays.update({name: np.ones(shape)}))
        with pytest.raises(fs.ProblemError, match=r"not a solution.*(shape|dimension)"):
            fs.load(saved)


def test_names_and_places_that_cannot_be_written(make_solution: Make, tmp_path: Path) -> None:
    solution = make_solution()
    for path, message in {
        tmp_path / "it.pickle": r"end in \.fspielm.*'it\.pickle'",
        tmp_path / "none" / "it.fspielm": r"cannot write.*folder.*not exist",
    }.items():
        with pytest.raises(fs.ProblemError, match=message):
            solution.save(path)
    (tmp_path / "folder.fspielm").mkdir()
    with pytest.raises(fs.ProblemError, match=r"folder\.fspielm.*is a folder"):
        solution.save(tmp_path / "folder.fspielm")
