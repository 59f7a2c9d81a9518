"""The forms in which predictions are published, each read into one array.

    npy      a file of numpy.save
    npz      a member of a file of numpy.savez, by name
    pickle   an array in a pickle or in a file of torch.save, by the steps that lead to it
    csv      columns of a CSV file with a header, by name or pattern
    indexed  a CSV file without a header: column 0 is the index of the row, the others are numbers (MedMNIST)
    hdf5     a dataset of an HDF5 file, by path
    json     a list of numbers
    records  columns of a list of mappings in a JSON file, one mapping a row
    paths    a list of files, one path a line; the folder of a file is its class

Bytes that are not of the form are an error that says where. Nothing in a file is run, and no other
file is opened.
"""

import csv
import fnmatch
import io
import json
import math
import os
import zipfile
from array import array

import numpy as np

from . import stream, unpickle
from .errors import ZIP_FAULTS, DatasetError, need, short

MOST_COLUMNS = 65536
MOST_BYTES = 4 << 30


def read_bytes(path):
    """Returns the bytes of a regular file of less than 4 GiB."""
    with stream.opened(path) as f:
        if os.fstat(f.fileno()).st_size >= MOST_BYTES:
            raise DatasetError("not a file of less than 4 GiB")
        return f.read()


def npy(data):
    """Returns the array of the bytes of a .npy file."""
    file = io.BytesIO(data)
    try:
        a = np.lib.format.read_array(file, allow_pickle=False)
    except (ValueError, EOFError, SyntaxError, TypeError, OverflowError, UnicodeError) as e:
        raise DatasetError(f"not a .npy file: {short(e, 120)}") from None
    if file.tell() != len(data):
        raise DatasetError(f"byte {file.tell()}: bytes after the end of the array")
    if a.dtype.kind not in "fiub":
        raise DatasetError(f"elements of type {a.dtype}; want numbers")
    return a


def npz(source, member):
    """Returns a member of a .npz file, given by its path or as a file object."""
    if isinstance(source, (str, os.PathLike)):
        with stream.opened(source) as f:
            return npz(f, member)
    try:
        with zipfile.ZipFile(source) as z:
            names = [n for n in z.namelist() if n in (member, member + ".npy")]
            if not names:
                raise DatasetError(f"no member {member!r} (there are {short(', '.join(z.namelist()), 200)})")
            info = z.getinfo(names[0])
            if info.file_size >= MOST_BYTES:
                raise DatasetError(f"member {member}: not less than 4 GiB")
            data = z.read(info)
    except zipfile.BadZipFile as e:
        raise DatasetError(f"not a .npz file: {short(e, 120)}") from None
    except ZIP_FAULTS as e:
        raise DatasetError(f"member {member}: {short(e, 120)}") from None
    except OSError as e:
        raise DatasetError(e.strerror or short(e, 120)) from None
    try:
        return npy(data)
    except DatasetError as e:
        raise DatasetError(f"member {member}: {e}") from None


def number(text):
    """Returns a finite number in decimal notation."""
    try:
        v = float(text)
    except ValueError:
        v = math.nan
    if not math.isfinite(v) or "_" in text or not text.isascii():
        raise DatasetError(f"{short(text, 40)!r} is not a finite number")
    return v


def indexed(data):
    """Reads lines "index,number,number,..." without quotes or blank lines: n x k float64.

    The indices must be 0 to n-1, each once, in any order. Rows are returned by index.
    """
    try:
        text = data.decode("ascii")
    except UnicodeDecodeError as e:
        raise DatasetError(f"byte {e.start}: not a text of numbers") from None
    if text.endswith("\n"):
        text = text[:-1]
    if not text:
        raise DatasetError("empty")
    lines = text.split("\n")
    n, k = len(lines), lines[0].count(",")
    if k == 0:
        raise DatasetError("line 1: want an index and numbers, separated by commas")
    if k > MOST_COLUMNS:
        raise DatasetError(f"line 1: {k} numbers; at most {MOST_COLUMNS} are read")
    values, order = array("d"), np.zeros(n, np.int64)
    for at, line in enumerate(lines, 1):
        fields = line.rstrip("\r").split(",")
        if len(fields) != k + 1:
            raise DatasetError(f"line {at}: {len(fields)} fields; line 1 has {k + 1}")
        i = int(fields[0]) if fields[0].isdigit() and len(fields[0]) < 12 else n
        if i >= n:
            raise DatasetError(f"line {at}: the index {short(fields[0], 20)!r} is not one of 0 to {n - 1}")
        if order[i]:
            raise DatasetError(f"line {at}: the index {i} is that of line {order[i]} too")
        order[i] = at
        for j, field in enumerate(fields[1:], 1):
            try:
                values.append(number(field))
            except DatasetError as e:
                raise DatasetError(f"line {at}, column {j}: {e}") from None
    return np.frombuffer(values, np.float64).reshape(n, k)[order - 1]


class Table:
    """The rows of a CSV file with a header, as texts."""

    def __init__(self, data, delimiter=","):
        self.delimiter = delimiter
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as e:
            raise DatasetError(f"byte {e.start}: not a text in UTF-8") from None
        self._reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True, skipinitialspace=delimiter != "\t")
        self.header = self._next()
        if self.header is None:
            raise DatasetError("empty")
        if len(self.header) > MOST_COLUMNS:
            raise DatasetError(f"line 1: {len(self.header)} columns; at most {MOST_COLUMNS} are read")

    def _next(self):
        try:
            row = next(self._reader, None)
            while row == []:
                row = next(self._reader, None)
            return row
        except csv.Error as e:
            raise DatasetError(f"line {self._reader.line_num}: {short(e, 120)}") from None

    @property
    def line(self):
        return self._reader.line_num

    def rows(self):
        """Yields the rows that follow."""
        while (row := self._next()) is not None:
            if len(row) != len(self.header):
                raise DatasetError(f"line {self.line}: wrong number of fields: {len(row)}; the header has {len(self.header)}")
            yield row

    def column(self, name):
        """Returns the index of a column, whose name must occur once."""
        found = [j for j, h in enumerate(self.header) if h == name]
        if not found:
            raise DatasetError(f"no column {name!r} (the columns are {names(self.header)})")
        if len(found) > 1:
            raise DatasetError(f"two columns are named {name!r}")
        return found[0]

    def columns(self, patterns, taken=()):
        """Returns the indices of columns. A name with * is a pattern for several, in the order of the file."""
        found = []
        for name in patterns:
            if "*" not in name:
                found.append(self.column(name))
                continue
            some = [j for j, h in enumerate(self.header) if fnmatch.fnmatchcase(h, name)]
            if not some:
                raise DatasetError(f"no column matches {name!r} (the columns are {names(self.header)})")
            found += some
        for i, j in enumerate(found):
            if j in found[:i] or self.header[j] in taken:
                raise DatasetError(f"column {short(self.header[j], 60)} has two meanings")
        return found

    def number(self, row, j):
        """Returns the number of a field."""
        try:
            return number(row[j])
        except DatasetError as e:
            raise DatasetError(f"line {self.line}, column {short(self.header[j], 60)}: {e}") from None

    def label(self, row, j):
        """Returns the label of a field."""
        if not (row[j].isascii() and row[j].isdigit() and len(row[j]) < 10):
            raise DatasetError(
                f"line {self.line}, column {short(self.header[j], 60)}: {short(row[j], 40)!r} is no label; want an integer from 0"
            )
        return int(row[j])


def names(header):
    """Lists names for an error."""
    return short(", ".join(header), 400) if len(header) <= 12 else f"{short(', '.join(header[:12]), 200)}, ... ({len(header)} in all)"


def columns(data, patterns):
    """Returns columns of a CSV file: n x k float64."""
    t = Table(data)
    chosen, values, n = t.columns(patterns), array("d"), 0
    for row in t.rows():
        for j in chosen:
            values.append(t.number(row, j))
        n += 1
    return np.frombuffer(values, np.float64).reshape(n, len(chosen))


def texts(data, name):
    """Returns one column of a CSV file as a list of texts."""
    t = Table(data)
    j = t.column(name)
    return [row[j] for row in t.rows()]


def classes(data, name, codes):
    """Returns one column of a CSV file as labels: integers, or the numbers that codes give to its texts."""
    t = Table(data)
    j, labels = t.column(name), []
    for row in t.rows():
        if not codes:
            labels.append(t.label(row, j))
        elif row[j] in codes:
            labels.append(codes[row[j]])
        else:
            raise DatasetError(f"line {t.line}, column {name}: {short(row[j], 40)!r} is none of the classes {short(', '.join(codes), 200)}")
    return np.array(labels, np.int64)


def folders(data, codes):
    """Returns the classes of a list of files, one path a line: the number that codes gives to the folder that a file lies in.

    Folders are separated by / or \\. Blank lines are an error, because a line is a row.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as e:
        raise DatasetError(f"byte {e.start}: not a text in UTF-8") from None
    found = []
    for at, line in enumerate(text.removesuffix("\n").split("\n"), 1):
        parts = line.rstrip("\r").replace("\\", "/").split("/")
        if len(parts) < 2 or not parts[-1]:
            raise DatasetError(f"line {at}: {short(line, 60)!r} is not the path of a file in a folder")
        if parts[-2] not in codes:
            raise DatasetError(f"line {at}: the folder {short(parts[-2], 40)!r} is none of the classes {short(', '.join(codes), 200)}")
        found.append(codes[parts[-2]])
    return np.array(found, np.int64)


def whole(a):
    """Returns floats that are whole numbers, as losses of two classes want their labels, as integers."""
    bad = np.flatnonzero(~((a == np.rint(a)) & (np.abs(a) < 2**31)))
    if len(bad):
        raise DatasetError(f"element {bad[0]}: {a.reshape(-1)[bad[0]]:g} is not a whole number below 2^31")
    return a.astype(np.int64)


def numbers(data):
    """Returns the numbers of a JSON list."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as e:
        raise DatasetError(f"not JSON: {short(e, 120)}") from None
    if not isinstance(found, list) or not all(type(v) is int and abs(v) < 2**53 for v in found):
        raise DatasetError("want a list of integers")
    return np.array(found, np.int64)


def records(data, steps, paths):
    """Returns elements of a list of mappings in a JSON file, one list a row: the values at paths, such as probs/A.

    steps lead to the list, as the keys of mappings.
    """
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as e:
        raise DatasetError(f"not JSON: {short(e, 120)}") from None
    for key in steps:
        if not isinstance(found, dict) or key not in found:
            raise DatasetError(f"no element {short(key, 60)!r}")
        found = found[key]
    if not isinstance(found, list) or not found:
        raise DatasetError("want a list of mappings, one a row")
    rows = []
    for at, row in enumerate(found):
        values = []
        for path in paths:
            v = row
            for key in path.split("/"):
                if not isinstance(v, dict) or key not in v:
                    raise DatasetError(f"row {at}: no element {short(path, 60)!r}")
                v = v[key]
            values.append(v)
        rows.append(values)
    return rows


def record_columns(data, steps, paths):
    """Returns numbers of a list of mappings: n x k float64."""
    rows = records(data, steps, paths)
    for at, row in enumerate(rows):
        for path, v in zip(paths, row):
            if type(v) not in (int, float) or not abs(v) < 1e300:
                raise DatasetError(f"row {at}, {short(path, 60)}: {short(json.dumps(v), 40)} is not a finite number")
    return np.array(rows, np.float64)


def record_classes(data, steps, path, codes):
    """Returns the labels of a list of mappings: integers, or the numbers that codes give to texts."""
    labels = []
    for at, (v,) in enumerate(records(data, steps, [path])):
        if not codes and type(v) is int and 0 <= v < 2**31:
            labels.append(v)
        elif codes and isinstance(v, str) and v in codes:
            labels.append(codes[v])
        else:
            raise DatasetError(
                f"row {at}, {short(path, 60)}: {short(json.dumps(v), 40)} is "
                + (f"none of the classes {short(', '.join(codes), 200)}" if codes else "no label; want an integer from 0")
            )
    return np.array(labels, np.int64)


def pickled(data, steps):
    """Returns an array in a pickle or a file of torch.save."""
    found, where = unpickle.loads(data), "the file"
    for i, key in enumerate(steps):
        found = unpickle.step(found, key, where)
        where = "element " + "/".join(map(str, steps[: i + 1]))
    return unpickle.array(found, where)


class HDF5:
    """An HDF5 file. Only what lies in the file itself is read: no links to other files, no plugins."""

    # The filters that come with h5py: gzip, shuffle, checksum, LZF.
    FILTERS = {1, 2, 3, 32000}

    def __init__(self, path):
        h5py = need("h5py", "a file in HDF5")  # costs 0.1 s, which other formats need not wait for
        self.h5py, self.path = h5py, path
        with stream.opened(path):  # says what is there in place of a regular file
            pass
        try:
            self.file = h5py.File(path, "r")
        except OSError as e:
            raise DatasetError(f"not an HDF5 file that can be read: {short(e, 120)}") from None
        self._seen = {self._address(self.file): "the root"}

    def _address(self, group):
        info = self.h5py.h5o.get_info(group.id)
        return info.fileno, info.addr

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()

    def _get(self, group, name):
        link = group.get(name, getlink=True)
        if not isinstance(link, self.h5py.HardLink):
            raise DatasetError(f"{group.name.rstrip('/')}/{short(name, 60)}: a link; want what lies in the file")
        return group[name]

    def groups(self, group=None):
        """Yields name and group of each group of a group, the root by default."""
        group = self.file if group is None else group
        try:
            for name in group:
                g = self._get(group, name)
                if not isinstance(g, self.h5py.Group):
                    continue
                if (other := self._seen.setdefault(self._address(g), g.name)) != g.name:
                    raise DatasetError(f"{short(g.name, 60)} is {short(other, 60)} again")
                yield name, g
        except (OSError, RuntimeError, KeyError, ValueError, UnicodeError) as e:
            raise DatasetError(f"{short(group.name, 60)}: {short(e, 120)}") from None

    def at(self, path):
        """Returns the dataset at a path from the root."""
        *groups, name = path.strip("/").split("/")
        group = self.file
        for g in groups:
            if g not in group or not isinstance(group := self._get(group, g), self.h5py.Group):
                raise DatasetError(f"/{short(path, 100)}: no such dataset")
        return self.read(group, name)

    def read(self, group, name):
        """Returns a dataset of a group."""
        at = f"{group.name.rstrip('/')}/{name}"
        try:
            if name not in group:
                raise DatasetError(f"{short(at, 100)}: no such dataset")
            d = self._get(group, name)
            if not isinstance(d, self.h5py.Dataset):
                raise DatasetError(f"{short(at, 100)}: a group; want a dataset")
            if d.is_virtual or d.external:
                raise DatasetError(f"{short(at, 100)}: its numbers are in other files")
            plist = d.id.get_create_plist()
            for i in range(plist.get_nfilters()):
                if plist.get_filter(i)[0] not in self.FILTERS:
                    raise DatasetError(f"{short(at, 100)}: filter {plist.get_filter(i)[0]}; gzip, shuffle, fletcher32 and lzf are read")
            if d.dtype.kind not in "fiub":
                raise DatasetError(f"{short(at, 100)}: elements of type {d.dtype}; want numbers")
            if d.shape is None or len(d.shape) > 4:
                raise DatasetError(f"{short(at, 100)}: not an array")
            return d[()]
        except (OSError, RuntimeError, KeyError, ValueError, TypeError, OverflowError, UnicodeError) as e:
            raise DatasetError(f"{short(at, 100)}: {short(e, 120)}") from None
