"""Pickles: what they hold is read, nothing in them is run."""

import hashlib
import io
import os
import pickle
import struct
import zipfile

import numpy as np
import pytest
from samples import content, rows
from small import saved

from qatsbench.datasets import unpickle
from qatsbench.datasets.errors import DatasetError


@pytest.mark.parametrize("name,path,dtype,shape,digest", rows("pickle/read.tsv"))
def test_reads_what_python_reads(name, path, dtype, shape, digest):
    """testdata/pickle/read.tsv was written by Python, numpy and torch themselves."""
    found = unpickle.loads(content("pickle/" + name))
    for key in path.split("/")[1:]:
        found = unpickle.step(found, int(key) if isinstance(found, (list, tuple)) else key, name)
    a = unpickle.array(found, name)
    assert a.dtype.str[1:] == dtype and "x".join(map(str, a.shape)) == shape
    assert hashlib.sha256(np.ascontiguousarray(a, "<f8").tobytes()).hexdigest() == digest


@pytest.mark.parametrize("protocol", range(6))
def test_arrays_of_this_numpy(protocol):
    a = np.arange(12, dtype=">f4").reshape(3, 4)
    found = unpickle.loads(pickle.dumps({"a": [a, np.asfortranarray(a)], "s": np.float32(1.5)}, protocol))
    for x in found["a"]:
        assert np.array_equal(unpickle.array(x, "a"), a)
    assert unpickle.array(found["s"], "s") == 1.5


class Evil:
    def __init__(self, call, *arguments):
        self.call, self.arguments = call, arguments

    def __reduce__(self):
        return self.call, self.arguments


def evil(call, *arguments, protocol=4):
    return pickle.dumps(Evil(call, *arguments), protocol)


@pytest.mark.parametrize(
    "data,want",
    [
        (b"", "not complete"),
        (b"<html>", "not a pickle"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n", "not a pickle"),
        (b"cos\nsystem\n(S'touch owned'\ntR.", "imports 'system' from 'os'"),
        (b"cposix\nsystem\n(S'touch owned'\ntR.", "nothing is run"),
        (b"c__main__\nModel\n)\x81.", "__main__"),
        (b"cbuiltins\neval\n(S'1'\ntR.", "eval"),
        (b"cbuiltins\ngetattr\n.", "getattr"),
        (b"ctorch\nload\n(S'x'\ntR.", "'load' from 'torch'"),
        (b"cnumpy\nndarray\n(I1000000000\ntR.", "calls ndarray"),
        (b"cnumpy\nload\n(S'x'\ntR.", "'load' from 'numpy'"),
        (b"(lp0\n.x", "byte 6: bytes after the end"),
        (b"ctorch.storage\n_load_from_bytes\n(C\x01NtR.", "not complete"),
        (b"ccollections\nOrderedDict\n(K\x01tR.", "ordered dict"),
        (b"cnumpy\ndtype\n}X\x04\x00\x00\x00_call\x8c\x01xs\x86b.", ""),  # sets an attribute of a name
        (b"cnumpy\ndtype\nN}\x8c\x05_callK\x01s\x86b.", "sets an attribute"),
        (b"(" * 100_000 + b"t" * 100_000 + b".", ""),
    ],
)
def test_rejects(data, want, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    try:
        found = unpickle.loads(data)
    except DatasetError as e:
        assert want in str(e) and "\n" not in str(e) and len(str(e)) < 400
    else:  # harmless, and no array
        assert want == "" and not unpickle.is_array(found)
    assert not os.listdir(tmp_path)


def test_names_stay_as_they_are():
    """A pickle that sets attributes does not change what the next one may do."""
    before = unpickle._NAMES["numpy", "dtype"]._call
    for data in (b"cnumpy\ndtype\nN}\x8c\x05_callK\x01s\x86b.", b"cnumpy\ndtype\n}\x8c\x05_callK\x01sb."):
        with pytest.raises(DatasetError):
            unpickle.loads(data)
    assert unpickle._NAMES["numpy", "dtype"]._call is before


def array(shape, code, data):
    """A pickle's array with any state."""
    return (
        b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntC\x01btR(I1\n"
        + shape
        + b"cnumpy\ndtype\n(S'"
        + code
        + b"'\nI0\nI1\ntR(I3\nS'<'\nNNNI-1\nI-1\nI0\ntbI00\nC"
        + bytes([len(data)])
        + data
        + b"tb"
    )


@pytest.mark.parametrize(
    "data,want",
    [
        (array(b"(I1000000000\nI1000000000\nt", b"f4", b"1234"), "4 bytes for an array of shape [1000000000, 1000000000]"),
        (array(b"(I-1\nt", b"f4", b"1234"), "does not write"),
        (array(b"(I1\nt", b"O8", b"12345678"), "want numbers"),
        (array(b"(I1\nt", b"V4", b"1234"), "want numbers"),
        (array(b"(I1\nt", b"f3", b"123"), "want numbers"),
        (b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntC\x01btR", "without a state"),
    ],
)
def test_states_of_arrays(data, want):
    with pytest.raises(DatasetError, match="(?s).*"):
        try:
            unpickle.array(unpickle.loads(data + b"."), "x")
        except DatasetError as e:
            assert want in str(e)
            raise


def test_tensors():
    numbers = np.arange(6, dtype="<f4")
    data = saved(
        a=((2, 3), (3, 1), 0, 6, numbers.tobytes()), t=((3, 2), (1, 3), 0, 6, numbers.tobytes()), o=((2,), (2,), 1, 6, numbers.tobytes())
    )
    found = unpickle.loads(data)
    assert np.array_equal(unpickle.array(found["a"], "a"), numbers.reshape(2, 3))
    assert np.array_equal(unpickle.array(found["t"], "t"), numbers.reshape(2, 3).T)
    assert np.array_equal(unpickle.array(found["o"], "o"), [1, 3])


@pytest.mark.parametrize(
    "size,stride,offset,count,data,want",
    [
        ((2, 4), (4, 1), 0, 6, bytes(24), "than its storage has"),
        ((2, 3), (4, 1), 0, 6, bytes(24), "beyond its storage"),
        ((2, 3), (3, 1), 1, 6, bytes(24), "beyond its storage"),
        ((2, 3), (3, 1), -1, 6, bytes(24), "unexpected arguments"),
        ((2, 3), (-3, 1), 3, 6, bytes(24), "unexpected arguments"),
        ((1 << 20, 1 << 10), (0, 0), 0, 6, bytes(24), "than its storage has"),
        ((2, 3), (3,), 0, 6, bytes(24), "unexpected arguments"),
        ((2, 3), (3, 1), 0, 6, bytes(20), "has 20 bytes"),
        ((2, 3), (3, 1), 0, 5, bytes(24), "want at most 20"),
    ],
)
def test_tensors_within_their_storage(size, stride, offset, count, data, want):
    with pytest.raises(DatasetError) as e:
        unpickle.array(unpickle.loads(saved(a=(size, stride, offset, count, data)))["a"], "a")
    assert want in str(e.value)


def test_load_from_bytes_inside_load_from_bytes():
    """One level is what pickling a tensor writes; more levels, or the same bytes again and again, are made for the reader."""

    def wrap(data):
        return b"ctorch.storage\n_load_from_bytes\n(B" + struct.pack("<I", len(data)) + data + b"tR."

    legacy = b"".join(pickle.dumps(x, 2) for x in (unpickle.LEGACY_MAGIC, unpickle.LEGACY_PROTOCOL, {"little_endian": True}))
    with pytest.raises(DatasetError, match="inside a file of torch.save"):
        unpickle.loads(wrap(legacy + wrap(b"x") + pickle.dumps([], 2)))
    inner = legacy + pickle.dumps(1, 2) + pickle.dumps([], 2) + b""
    again = b"(B" + struct.pack("<I", len(inner)) + inner + b"q\x000" + b"ctorch.storage\n_load_from_bytes\n(h\x00tR0" * 50 + b"l."
    with pytest.raises(DatasetError, match="more bytes than the file has"):
        unpickle.loads(again)


def test_a_zip_bomb_in_a_file_of_torch():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr("archive/data.pkl", bytes(50 << 20))
    with pytest.raises(DatasetError, match="want at most"):
        unpickle.loads(out.getvalue())


@pytest.mark.parametrize("name", ["pickle/torch.p", "pickle/pair-4.p", "formats/cifar10_resnet152_0.9576_val.pkl"])
def test_damaged_files_are_errors_or_arrays(name):
    """Any cut and any changed byte is an error in one line, or another number, and never another exception."""
    good = content(name)
    for i in range(0, len(good), max(1, len(good) // 300)):
        for data in (good[:i], good[:i] + bytes([good[i] ^ 0x41]) + good[i + 1 :]):
            try:
                unpickle.loads(data)
            except DatasetError as e:
                assert "\n" not in str(e)
