"""A folder of arrays with its manifest, to which networks are added.

    <dataset>/<backbone>/{cal,test}/logits.npy     float32, or float64 as in the source
    <dataset>/<backbone>/{cal,test}/labels.npy     int32
    <dataset>/<backbone>/{cal,test}/confidence.npy, correct.npy    in their place, of predictions with a confidence alone
    <dataset>/<backbone>/{cal,test}/features.npy   where the source has them
    <dataset>/<backbone>/head_weight.npy, head_bias.npy, ood/
    manifest.yaml                                  kinds, origin, licence, digests

A network is written to a stage, a hidden folder below, by stage. Then add names it in the manifest,
with the digests of its files, and only then moves it to its place. So a process that is killed
leaves arrays that the manifest knows, or none, and the same call again completes the folder. Calls
from several processes wait for each other.
"""

import contextlib
import hashlib
import json
import os
import shutil
import tempfile

import numpy as np

from .. import _files
from . import stream
from .errors import DatasetError, need, short

try:  # a manifest in JSON, which is YAML too, needs no more than Python
    import yaml
except ImportError:
    yaml = None

MANIFEST = "manifest.yaml"
STAGE = ".stage-"
LOCK = ".lock"
MOST_TEXT = 1000  # bytes of a text of a manifest


def text(s, most=MOST_TEXT):
    """Returns a text as a manifest takes it: one line, without semicolons, of at most `most` bytes."""
    s = "".join(c if c.isprintable() else "?" for c in s).replace(";", ",")
    while len(s.encode()) > most:
        s = s[: len(s) - max(1, len(s.encode()) - most)]
    return s


def entry(n):
    """Returns what the manifest says of a network."""
    names = sorted({text(x) for x in n.names})
    files = " and ".join(names)
    if len(files.encode()) > 500:
        files = f"{len(names)} files, {text(names[0], 300)} and others"
    note = "imported from " + files
    if n.kind == "log-probs":
        note += ", probabilities"
        if n.clipped:
            note += f" ({n.clipped} below 2^-126 were set to it)"
    if n.note:
        note += ", " + n.note
    e = {
        "set": n.name,
        "kind": n.kind,
        "classes": n.classes,
        "source": "measured",
        "domain": n.domain,
        "from": text(n.came_from),
        "samples": n.samples,
        "note": text(note),
        "stand-in": text(n.stands_in),
        "licence": text(n.licence),
    }
    return {k: v for k, v in e.items() if v}


def stage(stage, n):
    """Writes the arrays of a network to a stage. Returns the files of the manifest."""
    root = os.path.join(stage, n.dataset, n.backbone)
    shutil.rmtree(root, ignore_errors=True)
    files = {}

    def write(name, a):
        path = os.path.join(root, *name.split("/"))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            np.lib.format.write_array_header_1_0(f, np.lib.format.header_data_from_array_1_0(a))
            f.write(memoryview(a).cast("B"))  # numpy's own way does not say that the disk is full
            f.flush()
            os.fsync(f.fileno())
        files[f"{n.name}/{name}"] = {"shape": list(a.shape), "sha256": file_digest(path)}

    try:
        for split, part in (("cal", n.cal), ("test", n.test)):
            for name, a in (part.beside if part is not None else {}).items():
                write(f"{split}/{name}.npy", np.ascontiguousarray(a))
            if part is not None and n.kind == "confidence":
                write(split + "/confidence.npy", part.scores)
                write(split + "/correct.npy", (part.labels == 0).astype("<i4"))
            elif part is not None:
                write(split + "/logits.npy", part.scores)
                write(split + "/labels.npy", part.labels)
                if part.features is not None:
                    write(split + "/features.npy", part.features)
        if n.head is not None:
            write("head_weight.npy", np.ascontiguousarray(n.head[0], "<f4"))
            write("head_bias.npy", np.ascontiguousarray(n.head[1], "<f4"))
        if n.ood is not None:
            write("ood/logits.npy", np.ascontiguousarray(n.ood.scores, "<f4"))
            if n.ood.features is not None:
                write("ood/features.npy", np.ascontiguousarray(n.ood.features, "<f4"))
    except OSError as e:
        shutil.rmtree(root, ignore_errors=True)
        raise DatasetError(f"{n.name}: {e.strerror or e}; nothing of this network was kept") from None
    return files


def file_digest(path):
    """Returns the SHA-256 of a file."""
    with stream.opened(path) as f:
        return hashlib.file_digest(f, "sha256").hexdigest()


@contextlib.contextmanager
def locked(path):
    """Holds a lock on a file, for which other processes wait."""
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "a+b") as f:
        if os.name == "nt":
            import msvcrt

            f.seek(0)
            msvcrt.locking(f.fileno(), msvcrt.LK_LOCK, 1)
            try:
                yield
            finally:
                f.seek(0)
                msvcrt.locking(f.fileno(), msvcrt.LK_UNLCK, 1)
        else:
            import fcntl

            fcntl.flock(f, fcntl.LOCK_EX)
            yield


def read_manifest(dir):
    """Returns the manifest of a folder; an empty one if there is none."""
    path = os.path.join(dir, MANIFEST)
    try:
        with _files.opened(path) as f:
            m = _parsed(f.read(), path)
    except FileNotFoundError:
        m = {}
    except (OSError, UnicodeDecodeError) as e:
        raise DatasetError(f"{path}: {short(e, 200)}") from None
    if (
        not isinstance(m, dict)
        or not isinstance(m.get("sets", []), list)
        or not all(isinstance(m.get(k, {}), dict) for k in ("files", "sources"))
    ):
        raise DatasetError(f"{path}: not a manifest; move it away")
    return m


def _parsed(text, path):
    if yaml is None:
        try:
            return json.loads(text)
        except ValueError:
            need("yaml", f"{path}, which is no JSON,")
    try:
        return yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as e:
        raise DatasetError(f"{path}: {short(e, 200)}") from None


def _written(m):
    """Returns the text of a manifest: YAML, or JSON where PyYAML is not installed."""
    if yaml is None:
        return (json.dumps(m, indent=1, ensure_ascii=False) + "\n").encode()
    return yaml.dump(m, Dumper=getattr(yaml, "CSafeDumper", yaml.SafeDumper), sort_keys=False, allow_unicode=True, width=10**6).encode()


def write_atomic(path, data):
    """Writes a file under its name only once it is complete."""
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    fd, temporary = tempfile.mkstemp(prefix=".tmp-", dir=os.path.dirname(path) or ".")
    try:
        with open(fd, "wb") as f:
            f.write(data)
            f.flush()
            os.fsync(f.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.remove(temporary)
        raise


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def check_free(dir, entries):
    """Rejects a network whose folder has arrays from other files. The manifest is read under the lock:
    another process may have added networks a moment ago."""
    if any(os.path.isdir(os.path.join(dir, *e["set"].split("/"))) for e in entries):
        with locked(os.path.join(dir, LOCK)):
            m = read_manifest(dir)
            for e in entries:
                _check_free(dir, m, e)


def _check_free(dir, manifest, e):
    if not os.path.isdir(os.path.join(dir, *e["set"].split("/"))):
        return
    want = e["note"].split(",")[0]
    for s in manifest.get("sets", []):
        if isinstance(s, dict) and s.get("set") == e["set"] and str(s.get("note", "")).split(",")[0] == want:
            return
    files = want.removeprefix("imported from ")
    raise DatasetError(
        f"{os.path.join(dir, e['set'])}: there are other arrays already; import {files} to another folder, or under another name"
    )


def add(dir, stage, staged, sources):
    """Adds networks of a stage: a list of (entry, files) and the published files by name.

    A network whose place has arrays from elsewhere is an error, and then nothing is added.
    """
    try:
        with locked(os.path.join(dir, LOCK)):
            m = read_manifest(dir)
            for e, _ in staged:
                _check_free(dir, m, e)
            sets, files = list(m.get("sets", [])), dict(m.get("files", {}))
            at = {s.get("set"): i for i, s in enumerate(sets) if isinstance(s, dict)}
            for e, own in staged:
                files = {k: v for k, v in files.items() if not k.startswith(e["set"] + "/")} | own
                if e["set"] in at:
                    sets[at[e["set"]]] = e
                else:
                    at[e["set"]] = len(sets)
                    sets.append(e)
            m |= {"sets": sets, "files": dict(sorted(files.items())), "sources": dict(sorted((m.get("sources", {}) | sources).items()))}
            write_atomic(os.path.join(dir, MANIFEST), _written(m))
            for e, own in staged:
                _place(dir, stage, e["set"], own)
    except OSError as e:
        raise DatasetError(f"{e.filename or dir}: {e.strerror or e}") from None


def _place(dir, stage, name, own):
    """Moves a staged network to its place, unless the same files lie there."""
    new, old = os.path.join(stage, *name.split("/")), os.path.join(dir, *name.split("/"))
    if os.path.isdir(old):
        have = {os.path.relpath(os.path.join(d, f), dir).replace(os.sep, "/") for d, _, fs in os.walk(old) for f in fs}
        if have == set(own) and all(file_digest(os.path.join(dir, *f.split("/"))) == own[f]["sha256"] for f in own):
            shutil.rmtree(new, ignore_errors=True)
            return
        away = new + ".old"
        shutil.rmtree(away, ignore_errors=True)
        os.rename(old, away)
        os.rename(new, old)
        shutil.rmtree(away, ignore_errors=True)
        return
    os.makedirs(os.path.dirname(old), exist_ok=True)
    os.rename(new, old)


@contextlib.contextmanager
def new_stage(dir):
    """Makes a stage in a folder, and removes it at the end with what a killed process left of others."""
    made = not os.path.isdir(dir)
    try:
        with locked(os.path.join(dir, LOCK)):
            for other in os.listdir(dir):
                if other.startswith(STAGE):
                    _sweep(os.path.join(dir, other))
            stage = tempfile.mkdtemp(prefix=STAGE, dir=dir)
            alive = open(os.path.join(stage, LOCK), "wb")
            if os.name != "nt":
                import fcntl

                fcntl.flock(alive, fcntl.LOCK_EX)
    except OSError as e:
        raise DatasetError(f"{e.filename or dir}: {e.strerror or e}") from None
    try:
        yield stage
    finally:
        alive.close()
        shutil.rmtree(stage, ignore_errors=True)
        if made and os.listdir(dir) == [LOCK]:  # nothing was imported
            shutil.rmtree(dir, ignore_errors=True)


def _sweep(stage):
    """Removes a stage whose process has ended."""
    try:
        if os.name != "nt":
            import fcntl

            with open(os.path.join(stage, LOCK), "ab") as f:
                fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(stage, ignore_errors=True)
    except OSError:  # it is in use
        pass
