"""Builds a network of sources.yaml from its files.

A network has a calibration and a test set that were published as such (cal and test), or one
labelled set that is divided by the rule of splits (halves). A set has one or more parts; a part
says where scores, labels and, where rows belong together, the groups of its rows are. The page
docs/public-data.md has the keys.
"""

import base64
import binascii

import numpy as np

from . import forms, splits
from .errors import DatasetError, at
from .network import Network, Split, labels


def build(spec, paths):
    """Returns the network of an entry, prepared. paths are the files by id."""
    head = None
    if "head" in spec:
        head = tuple(_array(spec["head"][k], paths).astype(np.float64) for k in ("weight", "bias"))
    if "halves" in spec:
        part, rows = _set(spec, spec["halves"], paths, head)
        side = splits.halves(spec["dataset"], spec["halves"].get("published", "test"), rows)
        cal, test = part.take(side), part.take(~side)
        if not len(cal.labels) or not len(test.labels):
            raise DatasetError(f"{spec['dataset']}/{spec['network']}: all rows fall on one side")
    else:
        cal, test = (_set(spec, spec[k], paths, head)[0] for k in ("cal", "test"))
    n = Network(
        spec["dataset"],
        name_of(spec),
        spec["kind"],
        cal,
        test,
        first_file(spec),
        came_from=spec["from"],
        note=note_of(spec),
        licence=spec["licence"],
        names=sorted(files_of(spec)),
        stands_in=spec.get("stands_in", ""),
        classes=spec.get("classes", 0),
    )
    if head is not None:
        n.head = head
    if "ood" in spec:
        n.ood = _set(spec, spec["ood"], paths, head)[0]
    n.prepare()
    return n


def name_of(spec):
    """Returns the name of the folder of a network: the seed of its training is part of it."""
    return spec["network"] + (f"-seed{spec['seed']}" if "seed" in spec else "")


def note_of(spec):
    """Returns what the manifest says of the rows."""
    split = "the published validation set calibrates"
    if "halves" in spec:
        split = "one published set, divided by SHA-256 of " + ("group" if "groups" in _parts(spec["halves"])[0] else "row")
    return ", ".join(x for x in (split, spec.get("note", "")) if x)


def _parts(s):
    return s.get("parts") or [s]


def files_of(spec):
    """Returns the ids of the files that a network is read from."""
    found = set()

    def visit(x):
        if isinstance(x, dict):
            if isinstance(x.get("file"), str):
                found.add(x["file"])
            for v in x.values():
                visit(v)
        elif isinstance(x, list):
            for v in x:
                visit(v)

    for key in ("cal", "test", "halves", "head", "ood"):
        visit(spec.get(key))
    return found


def first_file(spec):
    """Returns the id of the file with the scores that test."""
    return _parts(spec.get("test") or spec["halves"])[0]["scores"]["file"]


def _set(spec, s, paths, head):
    """Returns a set and the names of its rows."""
    found = [_part(spec, p, paths, head) for p in _parts(s)]
    scores = np.concatenate([f[0] for f in found])
    y = np.concatenate([f[1] for f in found])
    features = None if found[0][2] is None else np.concatenate([f[2] for f in found])
    rows = [r for f in found for r in f[3]]
    if "balanced" in s:
        chosen = splits.balanced(spec["dataset"], s.get("published", "test"), rows, y, s["balanced"])
        counts = np.bincount(y[chosen], minlength=scores.shape[1])
        if counts.min() < s["balanced"]:
            raise DatasetError(f"class {int(counts.argmin())} has {int(counts.min())} rows; want {s['balanced']}")
        scores, y, features, rows = scores[chosen], y[chosen], None if features is None else features[chosen], [rows[i] for i in chosen]
    return Split(scores, y, features), rows


def _part(spec, p, paths, head):
    features = _array(p["features"], paths) if "features" in p else None
    if p["scores"]["form"] == "head":  # the last layer on the features, in float64
        scores = (features @ head[0].T + head[1]).astype(np.float32)
        features = features.astype(np.float32)
    else:
        scores = _array(p["scores"], paths)
    if scores.ndim != 2:
        scores = scores.reshape(len(scores), -1)
    n = len(scores)
    y = at(p["labels"]["file"], labels, _array(p["labels"], paths)) if "labels" in p else np.zeros(n, np.int64)
    if len(y) != n:
        raise DatasetError(f"{p['labels']['file']}: {len(y)} labels for {n} rows")
    if "predicted" in p:  # labels of a confidence alone: 1 where the prediction is wrong
        predicted = at(p["predicted"]["file"], labels, _array(p["predicted"], paths))
        if len(predicted) != n:
            raise DatasetError(f"{p['predicted']['file']}: {len(predicted)} predictions for {n} rows")
        y = (predicted != y).astype(np.int64)
    if "accuracy" in p:
        _check_accuracy(p, scores, y)
    rows = list(map(str, range(n)))
    if "groups" in p:
        rows = _names(p["groups"], paths)
        if len(rows) != n:
            raise DatasetError(f"{p['groups']['file']}: {len(rows)} groups for {n} rows")
    keep = np.ones(n, bool)
    if "keep" in p:
        keep = _mask(p["keep"], n)
    if "without" in p:
        out = {r for w in p["without"] for r in _names(w, paths)}
        keep &= np.array([r not in out for r in rows])
    return scores[keep], y[keep], None if features is None else features[keep], [r for r, k in zip(rows, keep) if k]


def _check_accuracy(p, scores, y):
    """Checks labels by the accuracy that the source states, a fraction of three digits. One column is the probability of
    the second of two classes, which is predicted from 1/2 on. Labels of a confidence alone are 0 where the prediction is right."""
    if "predicted" in p:
        predicted = 0
    else:
        predicted = scores[:, 0] >= 0.5 if scores.shape[1] == 1 else np.argmax(scores, axis=1)
    right = float(np.mean(predicted == y))
    if not abs(right - p["accuracy"]) <= 0.00051:
        raise DatasetError(
            f"{p['scores']['file']}: the accuracy is {right:.4f} with the labels of {p['labels']['file']}; its source says {p['accuracy']}: "
            "these are other labels, or in another order"
        )


def _names(a, paths):
    """Returns the names of groups: a column of texts, or numbers behind a prefix."""
    if a["form"] == "csv":
        return at(a["file"], lambda: forms.texts(forms.read_bytes(paths[a["file"]]), a["column"]))
    return [a.get("prefix", "") + str(int(v)) for v in _array(a, paths)]


def _mask(text, n):
    """Returns the rows that a bit mask keeps: base64 of numpy.packbits."""
    try:
        bits = np.unpackbits(np.frombuffer(base64.b64decode("".join(text.split()), validate=True), np.uint8))
    except (binascii.Error, ValueError):
        raise DatasetError("keep: want base64 of numpy.packbits") from None
    if not n <= len(bits) < n + 8 or bits[n:].any():
        raise DatasetError(f"keep: {len(bits)} bits for {n} rows")
    return bits[:n].astype(bool)


def _array(a, paths):
    """Reads one array."""
    return at(a["file"], _read, a, paths)


def _read(a, paths):
    path, form = paths[a["file"]], a["form"]
    if form == "npz":
        found = forms.npz(path, a["member"])
    elif form == "npy":
        found = forms.npy(forms.read_bytes(path))
    elif form == "pickle":
        found = forms.pickled(forms.read_bytes(path), a.get("member", []))
    elif form == "indexed":
        found = forms.indexed(forms.read_bytes(path))
    elif form == "json":
        found = forms.numbers(forms.read_bytes(path))
    elif form == "paths":
        found = forms.folders(forms.read_bytes(path), a["codes"])
    elif form == "records" and "column" in a:
        found = forms.record_classes(forms.read_bytes(path), a.get("member", []), a["column"], a.get("codes"))
    elif form == "records":
        found = forms.record_columns(forms.read_bytes(path), a.get("member", []), a["columns"])
    elif form == "csv" and "column" in a:
        found = forms.classes(forms.read_bytes(path), a["column"], a.get("codes"))
    elif form == "csv":
        found = forms.columns(forms.read_bytes(path), a["columns"])
    elif form == "hdf5":
        with forms.HDF5(path) as h:
            found = h.at(a["member"])
    else:
        raise DatasetError(f"unknown form {form!r}")
    if a.get("whole"):
        found = forms.whole(found)
    if "at" in a:
        index = labels(_array(a["at"], paths))
        if len(index) and not 0 <= int(index.min()) <= int(index.max()) < len(found):
            raise DatasetError(f"{a['at']['file']}: a number that is not one of 0 to {len(found) - 1}")
        found = found[index]
    return found
