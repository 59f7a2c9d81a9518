"""Numbers in CSV, .npz, JSON and HDF5."""

import gzip
import hashlib
import io
import json
import os
import zipfile

import h5py
import numpy as np
import pytest
from samples import TESTDATA, rows

from qatsbench.datasets import forms
from qatsbench.datasets.errors import DatasetError


@pytest.mark.parametrize(
    "text,want",
    [
        ("0,1,0\n1,1\n", "line 2: 2 fields; line 1 has 3"),
        ("0,1,0\n2,1,0\n", "line 2: the index '2' is not one of 0 to 1"),
        ("1,1,0\n1,1,0\n", "line 2: the index 1 is that of line 1 too"),
        ("0,1,0\n1,0.5,x\n", "line 2, column 2: 'x' is not a finite number"),
        ("0,1,0\n1,nan,0.5", "line 2, column 1: 'nan' is not a finite number"),
        ("0,1,0\n1,1_0,0.5", "line 2, column 1: '1_0' is not a finite number"),
        ("0,1,0\n-1,1,0\n\n", "line 2: the index '-1' is not one of 0 to 2"),
        ("0,1,0\n\n1,1,0\n", "line 2: 1 fields; line 1 has 3"),
        ("", "empty"),
        ("\n", "empty"),
        ("<html>\n</html>\n", "line 1: want an index"),
        ("0" + ",1" * 200_000, "line 1: 200000 numbers; at most 65536 are read"),
        ("0,\xe4", "byte 2: not a text"),
    ],
)
def test_faults_of_indexed_rows(text, want):
    with pytest.raises(DatasetError) as e:
        forms.indexed(text.encode("latin-1"))
    assert str(e.value).startswith(want)


def test_indexed_rows_are_sorted():
    assert np.array_equal(forms.indexed(b"1,0.25,0.75\r\n0,1,0\r\n"), [[1, 0], [0.25, 0.75]])


def test_columns_of_a_csv_file():
    data = b'\xef\xbb\xbfid,a1,a2,y\nx,1,2,0\n"y\nz",3,4e1,1\n'
    assert np.array_equal(forms.columns(data, ["a*"]), [[1, 2], [3, 40]])
    assert np.array_equal(forms.columns(data, ["a2", "a1"]), [[2, 1], [40, 3]])
    assert list(forms.classes(data, "y", None)) == [0, 1] and list(forms.classes(data, "id", {"x": 4, "y\nz": 5})) == [4, 5]
    assert forms.texts(data, "id") == ["x", "y\nz"]


@pytest.mark.parametrize(
    "text,call,want",
    [
        ("", lambda d: forms.columns(d, ["a"]), "empty"),
        ("a,b\n1\n", lambda d: forms.columns(d, ["a"]), "line 2: wrong number of fields: 1; the header has 2"),
        ("a,a\n1,2\n", lambda d: forms.columns(d, ["a"]), "two columns are named 'a'"),
        ("a,b\n1,2\n", lambda d: forms.columns(d, ["a", "*"]), "column a has two meanings"),
        ("a,b\n1,2\n", lambda d: forms.columns(d, ["c*"]), "no column matches 'c*' (the columns are a, b)"),
        ("a\nx\n", lambda d: forms.classes(d, "a", {"y": 1}), "line 2, column a: 'x' is none of the classes y"),
        ("a\n1.0\n", lambda d: forms.classes(d, "a", None), "line 2, column a: '1.0' is no label; want an integer from 0"),
        ("a\n" + '"' + "x" * 200_000, lambda d: forms.texts(d, "a"), "line 2: field larger"),
        (",".join("a" * 200_000), lambda d: forms.columns(d, ["a"]), "line 1: 200000 columns; at most 65536 are read"),
    ],
)
def test_faults_of_csv_files(text, call, want):
    with pytest.raises(DatasetError) as e:
        call(text.encode())
    assert str(e.value).startswith(want)


def packed(**arrays):
    out = io.BytesIO()
    np.savez_compressed(out, **arrays)
    return out


def test_members_of_npz():
    a = np.arange(6.0).reshape(2, 3)
    assert np.array_equal(forms.npz(packed(a=a), "a"), a)
    with pytest.raises(DatasetError, match=r"no member 'b' \(there are a.npy\)"):
        forms.npz(packed(a=a), "b")
    with pytest.raises(DatasetError, match="allow_pickle"):
        forms.npz(packed(a=np.array([{}], object)), "a")
    with pytest.raises(DatasetError, match="not a .npz file"):
        forms.npz(io.BytesIO(b"PK\3\4"), "a")
    good = packed(a=np.random.default_rng(0).normal(size=400)).getvalue()
    for i in range(0, len(good), 41):
        for data in (good[:i], good[:i] + bytes([good[i] ^ 0x55]) + good[i + 1 :]):
            try:
                forms.npz(io.BytesIO(data), "a")
            except DatasetError as e:
                assert "\n" not in str(e)


def test_a_member_that_says_it_is_huge():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr("a.npy", b"x")
    data = bytearray(out.getvalue())
    at = data.find(b"PK\1\2") + 24
    data[at : at + 4] = b"\xfe\xff\xff\xff"
    with pytest.raises(DatasetError, match="a: "):
        forms.npz(io.BytesIO(bytes(data)), "a")


def test_lists_of_numbers():
    assert list(forms.numbers(b"[3, 1]")) == [3, 1]
    for text in ("[", "{}", "[1.5]", "[true]", '["1"]', json.dumps([2**60]), "[" * 100_000):
        with pytest.raises(DatasetError):
            forms.numbers(text.encode())


@pytest.mark.parametrize("name,path,dtype,shape,digest", rows("hdf5/read.tsv"))
def test_reads_what_h5py_reads(name, path, dtype, shape, digest):
    with forms.HDF5(os.path.join(TESTDATA, "hdf5", name)) as h:
        a = h.at(path)
    assert a.dtype.str[1:] == dtype and "x".join(map(str, a.shape)) == shape
    assert hashlib.sha256(np.ascontiguousarray(a, "<f8").tobytes()).hexdigest() == digest


def test_links_of_hdf5(tmp_path):
    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as f:
        f["d"] = np.zeros(3)
        f.create_group("g")
        f["soft"] = h5py.SoftLink("/d")
        f["other"] = h5py.ExternalLink("/etc/passwd", "/d")
        f["text"] = "abc"
    with forms.HDF5(path) as h:
        for name in ("soft", "other"):
            with pytest.raises(DatasetError, match="a link"):
                h.read(h.file, name)
        with pytest.raises(DatasetError, match="want numbers"):
            h.read(h.file, "text")
        with pytest.raises(DatasetError, match="a group; want a dataset"):
            h.read(h.file, "g")
        with pytest.raises(DatasetError, match="no such dataset"):
            h.read(h.file, "x")


def test_links_to_the_root_of_hdf5(tmp_path):
    """6,000 names of the root would be 36 million groups of two levels."""
    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as f:
        for i in range(6_000):
            f[f"root{i}"] = f["/"]
    with forms.HDF5(path) as h, pytest.raises(DatasetError, match="is the root again"):
        list(h.groups())


def test_empty_leaves_of_hdf5(tmp_path):
    """A group whose B-tree says that it has no entries is empty; the size of the file bounds the work."""
    good = bytearray(open(os.path.join(TESTDATA, "hdf5", "calarena.h5"), "rb").read())
    good[good.index(b"TREE") + 6] = 0
    (tmp_path / "x.h5").write_bytes(good)
    try:
        with forms.HDF5(tmp_path / "x.h5") as h:
            assert list(h.groups()) == []
    except DatasetError as e:
        assert "\n" not in str(e)


def test_damaged_hdf5(tmp_path):
    good = open(os.path.join(TESTDATA, "hdf5", "tiny.h5"), "rb").read()
    path = tmp_path / "x.h5"
    for i in range(0, len(good), max(1, len(good) // 150)):
        path.write_bytes(good[:i])
        try:
            with forms.HDF5(path) as h:
                for name, g in h.groups():
                    for _ in h.groups(g):
                        pass
        except DatasetError as e:
            assert "\n" not in str(e)


def test_bytes_of_files(tmp_path):
    with pytest.raises(DatasetError, match="no such file"):
        forms.read_bytes(tmp_path / "x")
    with pytest.raises(DatasetError, match="is a directory"):
        forms.read_bytes(tmp_path)
    with open(tmp_path / "large", "wb") as f:
        f.truncate(forms.MOST_BYTES)
    with pytest.raises(DatasetError, match="less than 4 GiB"):
        forms.read_bytes(tmp_path / "large")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(DatasetError, match="not a regular file"):
            forms.read_bytes(tmp_path / "pipe")
    assert gzip.compress(b"")  # a .csv.gz is not taken for a text
    with pytest.raises(DatasetError, match="not a text"):
        forms.indexed(gzip.compress(b"0,1,0\n") + b"\xff")
