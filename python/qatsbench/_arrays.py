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


# Kinds of which one number a row is that of class 1 of two.
BINARY = ("probs", "logits")


def table(value, name, shape="n x k", kind=None, *, labels=None, labels_name="labels", k=None, classes=None):
    """Return the numbers of value as an array with the axes of shape, or as a File.

    n numbers, one a row, are n x 1 where kind says what they are. labels, if there are any,
    tell which axis of an array with more axes has the classes. k is the number of classes, where it is known,
    and classes are their names, in the order of the columns.
    """
    if isinstance(value, (str, os.PathLike)):
        return _file(value, name)
    if value is None:
        raise InputError(f"None, want {shape}", code="input", where=name)
    if labels is not None:
        _exchanged(value, labels, name, labels_name)
        same_order(value, labels, name, labels_name)
    if shape == "n x k" and isinstance(value, (list, tuple)) and value and getattr(value[0], "ndim", 0) == 2:
        if (
            labels is not None
            and len(value) > 1
            and all(getattr(v, "shape", None) == value[0].shape for v in value)
            and np.shape(labels)[:1] == value[0].shape[:1]
        ):
            raise InputError(f"{len(value)} tables, want one", code="input", where=name, hint=_members(len(value)))
        join = "torch.cat" if hasattr(value[0], "detach") else "np.concatenate"
        raise InputError(f"{len(value)} tables, want one", code="input", where=name, hint=f"join them by {join}({_variable(name)})")
    a = array(value, name)
    axes = shape.count("x") + 1
    if a.ndim == 1 and axes == 2 and shape.endswith("k"):
        if kind not in BINARY:
            hint = "of two classes in one number a row, kind='probs' or kind='logits' says what it is"
            if len(a) == k and k > 2:
                hint = f"one row is {_expression(value, name)}.reshape(1, -1)"
            raise InputError(f"{_dimensions(a.ndim)}, want {shape}", code="input", where=name, hint=hint)
        a = a.reshape(-1, 1)
    if a.ndim != axes:
        hint = _reshaped(a, name, labels, labels_name) if shape == "n x k" else ""
        raise InputError(f"{_dimensions(a.ndim)}, want {shape}", code="input", where=name, hint=hint)
    if a.size == 0:
        raise InputError(f"shape {a.shape} has no numbers, want {shape}", code="input", where=name)
    if a.dtype.kind in "iu":
        a = a.astype(np.float64)
    if a.dtype.kind != "f":
        raise _no_number(value, a, name) or InputError(f"dtype {a.dtype}, want floating-point numbers", code="input", where=name)
    if shape == "n x k":
        _no_index(value, a, name)
        if labels is not None:
            _in_order(value, name, classes, a.shape[1])
    if a.dtype.itemsize > 8:
        a = a.astype(np.float64)
    return _mapped(a) or a


_FEWEST_COUNTED = 10  # rows of a column of 0, 1, 2 ... that is taken for an index


def _no_index(value, a, name):
    """Raise InputError for a column that is the index of a table, such as pandas writes to a CSV file."""
    n, k = a.shape
    if k < 3:
        return
    named = list(getattr(value, "columns", ())) or [None] * k
    for j in range(k):
        of_pandas = isinstance(named[j], str) and (named[j] == "index" or named[j].startswith("Unnamed: "))
        first = a[0, j]
        counts = n >= _FEWEST_COUNTED and first in (0, 1) and a[-1, j] == first + n - 1 and np.array_equal(a[:, j], np.arange(n) + first)
        if of_pandas or counts:
            column = f"column {j if named[j] is None else repr(named[j])}"
            at = _expression(value, name)
            fix = f"{_variable(name)}.drop(columns={named[j]!r})" if hasattr(value, "columns") else f"np.delete({at}, {j}, 1)"
            raise InputError(f"{column} is an index of the rows and no class", code="input", where=name, hint=f"leave it out: {fix}")


def _no_number(value, a, name):
    """Return the InputError of the first column of a that has words, or None."""
    if a.ndim != 2 or not hasattr(value, "columns"):
        return None
    for j, column in enumerate(value.columns):
        try:
            a[:, j].astype(np.float64)
        except (TypeError, ValueError):
            word = next(v for v in a[:, j] if not isinstance(v, (int, float)))
            return InputError(
                f"column {column!r} has {word!r}, want numbers",
                code="input",
                where=name,
                hint=f"leave it out: {_variable(name)}.drop(columns={column!r})",
            )
    return None


def _exchanged(value, labels, name, labels_name):
    """Raise InputError for labels in the place of the numbers of a table, and the table in theirs."""
    if getattr(value, "ndim", None) != 1 or getattr(labels, "ndim", None) != 2:
        return
    a, b = array_of_labels(value, name), array_of_labels(labels, labels_name)
    if len(a) == len(b) and b.shape[1] > 1 and a.dtype.kind in "biuOUS" and b.dtype.kind == "f" and not np.isin(b, (0, 1)).all():
        raise InputError(
            f"these look like labels, and {labels_name} has {b.shape[1]} numbers a row",
            code="input",
            where=name,
            hint=f"exchange the two: {_variable(name)} comes first, then {_variable(labels_name)}",
        )


def same_order(value, labels, name, labels_name):
    """Raise InputError for pandas objects whose indexes have the same rows in another order, or other rows where neither only
    numbers them. Rows are taken by their place."""
    a, b = getattr(value, "index", None), getattr(labels, "index", None)
    if not all(hasattr(i, "is_unique") and i.is_unique for i in (a, b)) or len(a) != len(b) or a.equals(b):
        return
    same = len(a.difference(b)) == 0
    if same or not any(np.array_equal(i, np.arange(len(i))) for i in (a, b)):
        p, y = _variable(name), _variable(labels_name)
        raise InputError(
            f"its index has {'the rows in another order than' if same else 'other rows than'} that of {labels_name}, and rows are taken by their place",
            code="input",
            where=name,
            hint=f"give {y}.loc[{p}.index]; if the places are right, give {y}.to_numpy()"
            if same
            else f"if the places are right, give {y}.to_numpy()",
        )


def _variable(name):
    """Return what a caller may have called an array: cal_labels is the second of cal."""
    return name.removeprefix("cal_").removeprefix("test_")


def _expression(value, name):
    """Return the caller's variable as something that has the methods of an array."""
    return _variable(name) if isinstance(value, np.ndarray) or hasattr(value, "detach") else f"np.asarray({_variable(name)})"


def _in_order(value, name, classes, k):
    """Raise InputError for a table whose columns have the names of the classes in another order than classes, or the numbers
    from 0 to k-1 in another order. Columns are taken by their place."""
    columns = list(getattr(value, "columns", ()))
    want = np.arange(k) if classes is None else np.asarray(classes)
    if len(columns) != k or want.shape != (k,) or columns == (want := want.tolist()):
        return
    named = _classes_in(columns, want)
    if named is not None and named != [str(w) for w in want]:
        fix = (
            "give its columns in ascending order"
            if classes is None
            else f"give classes={named if named != columns else f'list({_variable(name)}.columns)'}"
        )
        raise InputError(
            f"the columns have the names {', '.join(map(repr, columns[:5]))}{', ...' * (k > 5)}, and the classes have another order",
            code="input",
            where=name,
            hint=fix,
        )


def _classes_in(columns, classes):
    """Return the text of the class that each title of a column names, between a prefix and a suffix that all have in common, as
    p_cat and p_dog do; None where the titles do not name all classes once."""
    columns, classes = list(map(str, columns)), list(map(str, classes))
    longest = max(classes, key=len)
    for title in columns:
        at = title.find(longest)
        while at >= 0:
            before, after = title[:at], title[at + len(longest) :]
            if {before + c + after for c in classes} == set(columns) and len(set(columns)) == len(columns):
                return [c[len(before) : len(c) - len(after)] for c in columns]
            at = title.find(longest, at + 1)
    return None


def rows(a):
    """Return the number of rows of an array of table, or None for a File."""
    return None if isinstance(a, File) else a.shape[-2]


def columns(a, kind=None):
    """Return the number of columns of an array of table, or None for a File. One column of a
    kind in BINARY stands for two."""
    if isinstance(a, File):
        return None
    return 2 if a.shape[-1] == 1 and kind in BINARY else a.shape[-1]


_FIRST = 100  # rows that are looked at before all are


def are_probabilities(a):
    """Report whether every row of an array is in [0, 1] and sums to 1. False of a File, which the program reads."""
    if isinstance(a, File) or a.ndim != 2 or a.shape[1] < 2:
        return False
    near = 1e-2 if a.dtype.itemsize == 2 else 1e-4
    for rows in (a[:_FIRST], a):
        if not ((rows >= 0).all() and (rows <= 1).all() and (np.abs(rows.sum(1, dtype=np.float64) - 1) <= near).all()):
            return False
    return True


def seen_kind(a):
    """Return what the rows of an array are: "logits" if there are numbers below 0 and most rows are no probabilities, else "probs", so
    that a wrong number among probabilities is an error. A File is taken as probabilities."""
    if isinstance(a, File) or not (a < -1e-3).any():
        return "probs"
    right = (a >= -1e-3) & (a <= 1 + 1e-3)
    if a.shape[1] == 1:
        return "probs" if right.mean() > 0.9 else "logits"
    with np.errstate(invalid="ignore"):
        right = right.all(1) & (np.abs(a.sum(1, dtype=np.float64) - 1) <= 1e-2)
    return "probs" if right.mean() > 0.5 else "logits"


def top(a, kind):
    """Return the first of the largest classes of every row of an array of table."""
    z = np.asarray(a, np.float32)
    if z.shape[1] == 1 and kind in BINARY:
        return (z[:, 0] > (0.5 if kind == "probs" else 0)).astype(np.intp)
    return np.argmax(z, axis=1)


def labels(value, n, k, classes=None, name="labels", ignore=None, one=False):
    """Return (labels from 0 to k-1, classes).

    Labels are integers from 0, or booleans of two classes, or whatever classes names: its
    k values are those of the columns, in their order. Rows with a label of ignore keep it, or
    get NO_CLASS if classes has names. n and k are None where they are unknown, because an array
    is in a file. one: of two classes there is one number a row.
    """
    if classes is not None:
        classes = names(classes, k)
    if isinstance(value, (str, os.PathLike)):
        return _file(value, name), classes
    if value is None:
        raise InputError("None, want n labels", code="input", where=name)
    a = array_of_labels(value, name)
    if a.ndim != 1:
        raise not_one_label(a, n, name, _expression(value, name))
    if n is not None and len(a) != n:
        hint = "rows and classes look exchanged: transpose the other array by .T" if len(a) == k != n else ""
        raise InputError(f"{len(a)} labels for {n} rows", code="input", where=name, hint=hint)
    left_out = _listed(ignore)
    if classes is not None:
        return _codes(a, classes, name, left_out), classes
    if a.dtype.kind == "b":
        if k not in (2, None):
            raise InputError(f"booleans are labels of 2 classes, and there are {k}", code="input", where=name)
        return a.astype(np.uint8), np.array([False, True])
    if a.dtype.kind not in "iu":
        if a.dtype.kind == "f":
            raise _no_integers(a, name, ".long()" if hasattr(value, "detach") else ".astype(int)")
        if a.dtype == object and not any(isinstance(v, str) for v in a):
            raise InputError("dtype object, want integers from 0", code="input", where=name, hint="convert them by .astype(int)")
        what = "strings" if a.dtype.kind in "UT" or a.dtype == object else f"dtype {a.dtype}"
        raise InputError(
            f"{what}, want integers from 0",
            code="input",
            where=name,
            hint="classes= names the k columns in their order (of a scikit-learn classifier: classes=clf.classes_)",
        )
    if k not in (None, 1) and len(a):  # one column is of two classes
        _in_range(a, k, name, _integers(left_out), _expression(value, name), one)
    return _mapped(a) or a, None if k is None else np.arange(k)


def _no_integers(a, name, convert):
    """Return the InputError of labels that are floating-point numbers, which convert makes integers."""
    for row in np.flatnonzero(~(a == np.floor(a)) | np.isinf(a))[:1]:
        hint = "remove such rows" if not np.isfinite(a[row]) else "want integers from 0"
        return InputError(f"{'NaN' if np.isnan(a[row]) else a[row]} is no class", code="input", where=f"{name}: row {row}", hint=hint)
    return InputError(f"dtype {a.dtype}, want integers from 0", code="input", where=name, hint=f"convert them by {convert}")


NO_CLASS = -1  # the label of rows that are left out, where classes have names
_VOID = 255  # the program leaves its rows out without being told, where no class has this number


def ignored(ignore, labels, classes):
    """Return the flag of the program for labels that were given as ignore; labels and classes are
    those of the function labels."""
    values = _listed(ignore)
    if not values:
        return []
    if classes is not None and not isinstance(labels, File):
        return [f"--ignore={NO_CLASS}"]
    return ["--ignore=" + ",".join(str(v) for v in _integers(values))]


def _integers(left_out):
    for v in left_out:
        if isinstance(v, (bool, np.bool_)) or not isinstance(v, (int, np.integer)):
            raise InputError(
                f"{v!r}, want an integer, or a list of integers",
                code="usage",
                where="ignore",
                hint="other labels need classes=, the names of the k columns",
            )
    return list(dict.fromkeys(map(int, left_out)))


def _listed(ignore):
    if ignore is None:
        return []
    return list(ignore) if isinstance(ignore, (list, tuple, set, frozenset, np.ndarray)) and np.ndim(ignore) else [ignore]


def _in_range(a, k, name, left_out, written, one):
    """Raise InputError for a label that is no class of k, unless it is left out. The caller has written the labels so."""
    least, largest = int(a.min()), int(a.max())
    if least >= 0 and largest < k:
        return
    wrong = (a < 0) | (a >= k)
    for v in left_out or ([_VOID] if k <= _VOID else []):
        wrong &= a != v
    if not wrong.any():
        return
    row = int(np.argmax(wrong))
    kept = a[~np.isin(a, left_out)] if left_out else a
    least, largest = int(kept.min()), int(kept.max())
    ignore = [*left_out, int(a[row])]
    if k == 2 and least == -1 and largest == 1 and (kept != 0).all():
        hint = f"labels of -1 and 1 are 0 and 1 by ({written} + 1) // 2, or name the columns by classes=[-1, 1]"
    elif least == 1 and largest == k:
        hint = f"the smallest label is 1, so they count from 1: give {written} - 1"
    elif one:
        hint = "one number a row is of class 1 of two: give a column for every class, or confidence= and correct= to qatsbench.metrics"
    elif least >= 0 and len(found := np.unique(kept)) == k:
        hint = f"{k} labels with gaps: name the columns by classes={found.tolist() if k <= 12 else 'np.unique(' + written + ')'}"
    else:
        hint = f"if rows of this label have no class, ignore={ignore[0] if len(ignore) == 1 else ignore} leaves them out"
        if least >= 0:
            hint += "; otherwise give a column for every class"
    raise InputError(f"label {a[row]} is outside 0..{k - 1}", code="input", where=f"{name}: row {row}", hint=hint)


def array_of_labels(value, name):
    """Return labels as an array of any shape. Rows of several labels that make no array, and None
    in the place of a label, are errors."""
    a = array(value, name, words=True, ragged=_several(name))
    if a.dtype == object:
        for i, v in enumerate(a.flat):
            if isinstance(v, (list, tuple, set, frozenset)):
                raise _several(name)
            if v is None:
                raise InputError("None is no class", code="input", where=f"{name}: row {i}", hint="remove such rows")
    return a


def _several(name):
    return InputError(
        "several labels a row are not supported", code="input", where=name, hint="give one label for each row, the index of its class"
    )


def not_one_label(a, n, name, written):
    """Return the error of labels that have not one axis. The caller has written them so."""
    if (
        a.ndim == 2
        and a.shape[1] > 1
        and a.dtype.kind in "biuf"
        and a.shape[0] == (n if n is not None else a.shape[0])
        and np.isin(a, (0, 1)).all()
    ):
        if (a.sum(axis=1) != 1).any():  # argmax would make up labels
            return _several(name)
        return InputError(
            f"{_dimensions(a.ndim)}, want n class indices", code="input", where=name, hint=f"each row has one 1: give {written}.argmax(1)"
        )
    hint = f"reshape it by {written}.reshape(-1)" if a.ndim > 1 and a.size == n else ""
    if a.ndim == 2 and a.shape[1] > 1 and a.dtype.kind == "f":
        hint = f"if the largest number of a row is its class, give {written}.argmax(1)"
    return InputError(f"{_dimensions(a.ndim)}, want n class indices", code="input", where=name, hint=hint)


def _reshaped(a, name, labels, labels_name):
    """Return the line that makes n x k of an array with more axes, one of which has the classes."""
    if a.ndim < 3 or a.size == 0:
        return ""
    axis = a.ndim - 1 if a.ndim == 3 else 1  # n x t x k, n x k x h x w
    shape = None if labels is None or isinstance(labels, (str, os.PathLike)) else np.shape(labels)
    if a.ndim == 3 and shape in (a.shape[1:2], a.shape[:1]) and a.shape[0] != a.shape[1]:
        return _members(a.shape[0] if shape == a.shape[1:2] else a.shape[1])
    fits = [i for i in range(1, a.ndim) if shape == a.shape[:i] + a.shape[i + 1 :]]
    if fits and axis not in fits:
        axis = fits[0]
    name, k = _variable(name), a.shape[axis]
    last = name if axis == a.ndim - 1 else f"np.moveaxis({name}, {axis}, -1)"
    line = f"reshape it by {last}.reshape(-1, {k})"
    return line + (f", and {_variable(labels_name)} by {_variable(labels_name)}.reshape(-1)" if labels is not None else "")


def _members(m):
    return f"of {m} members of an ensemble or passes of dropout, give the mean of their softmax, n x k, with kind='probs'"


def ascending(columns):
    """Return the order that makes names ascend, or None if they do."""
    order = np.argsort(columns, kind="stable")
    return None if np.array_equal(order, np.arange(len(columns))) else order


def names(classes, k):
    """Return the names of k classes as an array."""
    c = np.asarray(classes)
    if c.ndim != 1:
        raise InputError(f"{_dimensions(c.ndim)}, want the names of k classes", code="input", where="classes")
    if k is not None and len(c) != k:
        raise InputError(f"{len(c)} names for {k} columns of logits", code="input", where="classes")
    for name in c.tolist():
        if name is None or name != name:
            raise InputError(f"{name!r} is no name of a class", code="input", where="classes")
    try:
        once = len(np.unique(c)) == len(c)
    except TypeError:
        raise InputError("names of several types, which have no order", code="input", where="classes") from None
    if not once:
        raise InputError("a name occurs twice", code="input", where="classes")
    return c


def _codes(a, classes, name, left_out):
    """Return the index in classes of every label; NO_CLASS of those that are left out."""
    out = np.zeros(len(a), bool)
    for v in left_out:
        out |= np.asarray(a == v, bool)
    codes = np.full(len(a), NO_CLASS)
    order = np.argsort(classes, kind="stable")
    inside = np.flatnonzero(~out)
    a = a[inside]
    if len(left_out) and a.dtype == object and classes.dtype.kind in "US":
        a = a.astype(classes.dtype.kind)
    try:
        at = np.searchsorted(classes, a, sorter=order)
    except TypeError:
        raise InputError(f"dtype {a.dtype}, but classes has {classes.dtype}", code="input", where=name) from None
    found = order[np.minimum(at, len(classes) - 1)]
    wrong = np.flatnonzero(classes[found] != a)
    if len(wrong):
        raise InputError(f"{a[wrong[0]]!r} is not one of classes", code="input", where=f"{name}: row {inside[wrong[0]]}")
    codes[inside] = found
    return codes


def _masked(value):
    """Report whether value is a masked array, or has one among its rows, with a masked number."""
    if isinstance(value, np.ma.MaskedArray):
        return np.ma.is_masked(value)
    if not isinstance(value, (list, tuple)):
        return False
    types = set(map(type, value))  # most lists have numbers alone
    return any(issubclass(t, (list, tuple, np.ma.MaskedArray)) for t in types) and any(_masked(v) for v in value)


def array(value, name, words=False, ragged=None):
    """Return value as an array of any shape, without a copy where there is none to make. words:
    it may hold other things than numbers. ragged: the error of rows of different lengths."""
    if _masked(value):
        raise InputError("a masked array with masked numbers", code="input", where=name, hint="remove their rows")
    given = value
    if isinstance(value, np.ma.MaskedArray):
        value = value.data
    if hasattr(value, "detach") and hasattr(value, "cpu"):  # torch
        try:
            value = value.detach().cpu()
            if value.is_floating_point() and str(value.dtype) not in ("torch.float16", "torch.float32", "torch.float64"):
                value = value.float()  # of bfloat16 and of 8 bits; numpy does not know them, and they are exact in float32
            value = value.resolve_conj().resolve_neg().numpy()
        except (TypeError, RuntimeError) as e:  # sparse tensors, and those without data
            raise InputError(str(e).split("\n")[0].rstrip("."), code="input", where=name) from None
    elif hasattr(value, "toarray") and hasattr(value, "nnz"):  # scipy
        raise InputError("a sparse matrix, want a dense array", code="input", where=name, hint="convert it by .toarray()")
    elif hasattr(value, "to_numpy"):  # pandas, polars
        value = value.to_numpy()
    try:
        a = value if type(value) is np.memmap else np.asarray(value)
    except ValueError:
        raise ragged or InputError("rows of different lengths", code="input", where=name) from None
    if a.dtype.kind == "V" and a.dtype.names is None and "float" in a.dtype.name:  # ml_dtypes, such as JAX's bfloat16
        a = a.astype(np.float32)
    if a.dtype == object and a.ndim == 0:
        raise InputError(f"{type(value).__name__}, want an array", code="input", where=name)
    if a.dtype == object and a.size and not words and not isinstance(a.flat[0], str):
        try:  # pandas, with missing numbers or columns of several types
            a = a.astype(np.float64)
        except (TypeError, ValueError):
            raise _no_number(given, a, name) or InputError("dtype object, want numbers", code="input", where=name) from None
    return a


def _dimensions(ndim):
    return _WORDS.get(ndim, f"{ndim} dimensions")


def _file(path, name):
    path = os.fspath(path)
    if not isinstance(path, str) or not path:
        raise InputError(f"{path!r} names no file", code="input", where=name)
    return File(f"./{path}" if path.startswith("-") else path)  # a dash begins a flag, or a name of the stream


def _mapped(a):
    """Return the File that a is a memory map of, whole and unchanged, else None. Only Linux says
    which file is mapped; elsewhere another one may have its name by now."""
    if type(a) is not np.memmap or type(a.base) is not mmap.mmap or a.mode != "r" or not a.filename:
        return None
    path = os.fspath(a.filename)
    if not _is_mapped(a, path):
        return None
    try:
        there = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError):
        return None
    same = (
        type(there) is np.memmap
        and there.offset == a.offset
        and there.shape == a.shape
        and there.dtype == a.dtype
        and there.strides == a.strides
    )
    return File(path) if same and path.endswith(".npy") else None


def _is_mapped(a, path):
    """Report whether the numbers of a are mapped from the file that has this name now."""
    at = a.__array_interface__["data"][0]
    try:
        there = os.stat(path)
        with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
            for line in maps:  # lo-hi permissions offset device inode name
                lo, _, hi = line.partition(" ")[0].partition("-")
                if int(lo, 16) <= at < int(hi, 16):
                    major, _, minor = (fields := line.split(maxsplit=5))[3].partition(":")
                    same = (os.makedev(int(major, 16), int(minor, 16)), int(fields[4])) == (there.st_dev, there.st_ino)
                    return same and not line.rstrip("\n").endswith(" (deleted)")
    except (OSError, ValueError):
        pass
    return False
