"""What users pass as arrays, turned into numpy arrays or names of files.

Nothing is copied that the program can read as it is. Errors name the argument.
"""

import mmap
import os

import numpy as np

from ._errors import InputError

_WORDS = {0: "a number", 1: "1 dimension"}


class File:
    """An array that the program reads from its file: FILE.npy, FILE.npz#MEMBER."""

    def __init__(self, path):
        self.path = path


def table(value, name, shape="n x k"):
    """Return the numbers of value as an array with the axes of shape, or as a File."""
    if isinstance(value, (str, os.PathLike)):
        return _file(value, name)
    a = _array(value, name)
    axes = shape.count("x") + 1
    if a.ndim != axes:
        raise InputError(f"{_dimensions(a.ndim)}, want {shape}", code="input", where=name)
    if a.size == 0:
        raise InputError(f"shape {a.shape} has no numbers, want {shape}", code="input", where=name)
    if a.dtype.kind in "iu":
        a = a.astype(np.float64)
    if a.dtype.kind != "f":
        raise InputError(f"dtype {a.dtype}, want floating-point numbers", code="input", where=name)
    if a.dtype.itemsize > 8:
        a = a.astype(np.float64)
    return _mapped(a) or a


def rows(a):
    """Return the number of rows of an array of table, or None for a File."""
    return None if isinstance(a, File) else a.shape[-2]


def columns(a):
    """Return the number of columns of an array of table, or None for a File."""
    return None if isinstance(a, File) else a.shape[-1]


def labels(value, n, k, classes=None, name="labels"):
    """Return (labels from 0 to k-1, classes).

    Labels are integers from 0, or booleans of two classes, or whatever classes names: its
    k values are those of the columns, in their order. n and k are None where they are
    unknown, because an array is in a file.
    """
    if classes is not None:
        classes = _classes(classes, k)
    if isinstance(value, (str, os.PathLike)):
        return _file(value, name), classes
    a = _array(value, name)
    if a.ndim != 1:
        raise InputError(f"{_dimensions(a.ndim)}, want n class indices", code="input", where=name)
    if n is not None and len(a) != n:
        raise InputError(f"{len(a)} labels for {n} rows", code="input", where=name)
    if classes is not None:
        return _codes(a, classes, name), classes
    if a.dtype.kind == "b":
        if k not in (2, None):
            raise InputError(f"booleans are labels of 2 classes, and there are {k}", code="input", where=name)
        return a.astype(np.uint8), np.array([False, True])
    if a.dtype.kind not in "iu":
        if a.dtype.kind == "f":
            raise InputError(f"dtype {a.dtype}, want integers from 0", code="input", where=name, hint="convert them by .astype(int)")
        what = "strings" if a.dtype.kind in "UT" or a.dtype == object else f"dtype {a.dtype}"
        raise InputError(f"{what}, want integers from 0", code="input", where=name,
                         hint="classes= names the k columns in their order")
    return _mapped(a) or a, None if k is None else np.arange(k)


def _classes(classes, k):
    c = np.asarray(classes)
    if c.ndim != 1:
        raise InputError(f"{_dimensions(c.ndim)}, want the names of k classes", code="input", where="classes")
    if k is not None and len(c) != k:
        raise InputError(f"{len(c)} names for {k} columns of logits", code="input", where="classes")
    if len(np.unique(c)) != len(c):
        raise InputError("a name occurs twice", code="input", where="classes")
    return c


def _codes(a, classes, name):
    """Return the index in classes of every label."""
    order = np.argsort(classes, kind="stable")
    try:
        at = np.searchsorted(classes, a, sorter=order)
    except TypeError:
        raise InputError(f"dtype {a.dtype}, but classes has {classes.dtype}", code="input", where=name) from None
    codes = order[np.minimum(at, len(classes) - 1)]
    wrong = np.flatnonzero(classes[codes] != a)
    if len(wrong):
        raise InputError(f"{a[wrong[0]]!r} is not one of classes", code="input", where=f"{name}: row {wrong[0]}")
    return codes


def _array(value, name):
    """Return value as an array of any shape, without a copy where there is none to make."""
    if isinstance(value, np.ma.MaskedArray):
        if np.ma.is_masked(value):
            raise InputError("a masked array with masked numbers", code="input", where=name, hint="remove their rows")
        value = value.data
    if hasattr(value, "detach") and hasattr(value, "cpu"):  # torch
        value = value.detach().cpu()
        if str(value.dtype) == "torch.bfloat16":  # unknown to numpy, and exact in float32
            value = value.float()
        value = value.resolve_conj().resolve_neg().numpy()
    elif hasattr(value, "toarray") and hasattr(value, "nnz"):  # scipy
        raise InputError("a sparse matrix, want a dense array", code="input", where=name, hint="convert it by .toarray()")
    elif hasattr(value, "to_numpy"):  # pandas, polars
        value = value.to_numpy()
    try:
        a = value if type(value) is np.memmap else np.asarray(value)
    except ValueError:
        raise InputError("rows of different lengths", code="input", where=name) from None
    if a.dtype == object and a.size and not isinstance(a.flat[0], str):
        try:  # pandas, with missing numbers or columns of several types
            a = a.astype(np.float64)
        except (TypeError, ValueError):
            raise InputError("dtype object, want numbers", code="input", where=name) from None
    return a


def _dimensions(ndim):
    return _WORDS.get(ndim, f"{ndim} dimensions")


def _file(path, name):
    path = os.fspath(path)
    if not isinstance(path, str) or not path:
        raise InputError(f"{path!r} names no file", code="input", where=name)
    return File(path)


def _mapped(a):
    """Return the File that a is a memory map of, whole and unchanged, else None."""
    if type(a) is not np.memmap or type(a.base) is not mmap.mmap or a.mode != "r" or not a.filename:
        return None
    path = os.fspath(a.filename)
    try:
        there = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError):
        return None
    same = (type(there) is np.memmap and there.offset == a.offset and there.shape == a.shape
            and there.dtype == a.dtype and there.strides == a.strides)
    return File(path) if same and path.endswith(".npy") else None
