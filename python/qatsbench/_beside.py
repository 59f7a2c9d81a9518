"""Weights, groups and folds: arrays that stand beside labels, as the program takes them."""

import os

import numpy as np

from . import _arrays
from ._errors import InputError

NAMES = {"weights": "sample_weight", "groups": "groups", "folds": "folds"}


def arrays(n, sample_weight=None, groups=None, folds=None, name="", labels=None):
    """Return the arrays of a set of n rows by their names in the program, with name before them; n is None where it is unknown. labels
    are the owner's, whose index says the order of the rows."""
    given = {"weights": sample_weight, "groups": groups, "folds": folds}
    for of, value in given.items():
        _arrays.same_order(labels, value, "labels", NAMES[of])
    return {name + of: _array(value, of, n, name + NAMES[of]) for of, value in given.items() if value is not None}


def words(given, *names):
    """Return the flags of the arrays of sets, whose names begin with names."""
    out = []
    for of in NAMES:
        files = [given.get(name + of) for name in names]
        while files and files[-1] is None:
            files.pop()
        if any(f is None for f in files):
            raise InputError("the test rows have it, and the calibration rows do not", code="usage", where=NAMES[of])
        if files:
            out += ["--" + of, ",".join(_argument(name + of, f) for name, f in zip(names, files))]
    return out


def _argument(name, array):
    from . import _program

    return _program.argument(name, array)


def _array(value, of, n, where):
    if isinstance(value, (str, os.PathLike)):
        return _arrays._file(value, where)
    a = _arrays.array(value, where, words=of != "weights")
    if a.ndim == 2 and a.shape[1] == 1:
        a = a[:, 0]
    if a.ndim != 1:
        raise InputError(f"{a.ndim} dimensions, want one value a row", code="input", where=where)
    if n is not None and len(a) != n:
        raise InputError(f"{len(a)} values for {n} rows", code="input", where=where)
    if of == "weights":
        if a.dtype.kind not in "biuf":
            raise InputError(f"dtype {a.dtype}, want numbers", code="input", where=where)
        a = a.astype(np.float64)
        wrong = np.flatnonzero(~((a >= 0) & np.isfinite(a)))
        if len(wrong):
            raise InputError(
                f"{a[wrong[0]]:g} is no weight",
                code="input",
                where=f"{where}: row {wrong[0]}",
                hint="a weight is a finite number of at least 0; 2 counts the row twice, and 0 leaves it out",
            )
        return a
    missing = np.flatnonzero(a != a) if a.dtype.kind in "fO" else []
    if a.dtype == object:
        missing = [i for i, v in enumerate(a.tolist()) if v is None or v != v]
    if len(missing):
        raise InputError("a row without a value", code="input", where=f"{where}: row {missing[0]}", hint="give each row one")
    try:
        return np.unique(a, return_inverse=True)[1].reshape(-1).astype(np.int32)  # in the order of the values
    except TypeError:
        raise InputError("values of several types", code="input", where=where) from None
