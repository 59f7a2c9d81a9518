"""manifest.yaml of qats, which describes the arrays of a folder.

    sets:
      - {set: cifar10-jpeg/vgg7-w32, kind: logits, source: measured, note: "..."}
    files:
      cifar10-jpeg/vgg7-w32/test/logits.npy: {shape: [10000, 10], sha256: 4f1c...}

The name of a set is dataset/network[/loss], which includes all sets below it, or is
longer by /cal, /test or /corruption/severity. If several match, the last one counts.
"""

import fcntl
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import yaml

from .files import atomic, sha256

KINDS = ("logits", "log-probs", "probs")


class _Flow(dict):
    """A mapping written on one line."""


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data):  # qats reads none: a list that two sets share is written twice
        return True


_Dumper.add_representer(_Flow, lambda d, m: d.represent_mapping("tag:yaml.org,2002:map", m, flow_style=True))


def describe(name, note, kind="logits", **more):
    """The line of a measured set. more: from, samples, stand-in and licence, as docs/formats.md has them."""
    if kind not in KINDS:
        raise ValueError(f"kind {kind!r}; want {' or '.join(KINDS)}")
    return dict(set=name, kind=kind, source="measured", note=" ".join(note.split()), **more)


def file_record(path):
    """Shape and digest of an array on disk."""
    a = np.load(path, mmap_mode="r", allow_pickle=False)
    return dict(shape=list(a.shape), sha256=sha256(path))


def write(root, sets, files, labels=None, sources=None):
    """Writes manifest.yaml; files by their paths from root. Labels and sources of an earlier one stay, and the given ones are
    added: labels are written by hand, too."""
    path = Path(root) / "manifest.yaml"
    earlier = (yaml.safe_load(path.read_text()) or {}) if path.exists() else {}
    labels = (earlier.get("labels") or {}) | (labels or {})
    sources = (earlier.get("sources") or {}) | (sources or {})
    document = (dict(labels=labels) if labels else {}) | dict(sets=[_Flow(s) for s in sets], files={f: _Flow(files[f]) for f in sorted(files)})
    document |= dict(sources={f: _Flow(s) for f, s in sources.items()}) if sources else {}
    text = yaml.dump(document, Dumper=_Dumper, sort_keys=False, width=10_000, allow_unicode=True)
    with atomic(path) as f:
        f.write(text.encode())


def read(root):
    """Returns (sets, files), empty if there is no manifest."""
    path = Path(root) / "manifest.yaml"
    if not path.exists():
        return [], {}
    m = yaml.safe_load(path.read_text()) or {}
    sets, files = m.get("sets") or [], m.get("files") or {}
    if not isinstance(sets, list) or not isinstance(files, dict):
        raise ValueError(f"{path}: not a manifest of qats: sets is a list, files a mapping")
    return sets, files


@contextmanager
def locked(root):
    """Keeps two processes from writing the manifest of a folder at once."""
    root = Path(root)
    root.mkdir(parents=True, exist_ok=True)
    with open(root / ".manifest.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def update(root, described, paths):
    """Puts the line of one set, and its files, into the manifest of root."""
    root = Path(root)
    with locked(root):
        sets, files = read(root)
        sets = [s for s in sets if s["set"] != described["set"]] + [described]
        sets.sort(key=lambda s: s["set"])  # a network before the sets below it, because the last match counts
        files = dict(files, **{p.relative_to(root).as_posix(): file_record(p) for p in paths})
        write(root, sets, files)
