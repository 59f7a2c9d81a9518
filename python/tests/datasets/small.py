"""A small table of made files, in the forms of sources.yaml, and what must come of it."""

import hashlib
import io
import json
import pickle
import struct
import zipfile

import numpy as np
import yaml

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def npy(a):
    out = io.BytesIO()
    np.save(out, a)
    return out.getvalue()


def npz(**arrays):
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


def saved(**tensors):
    """A file of torch.save of a dict of float32 tensors: its pickle and a member for each storage."""
    text = b"}" + b"".join(
        b"X" + struct.pack("<i", len(name)) + name.encode() + _tensor(i, *parts[:4]) + b"s"
        for i, (name, parts) in enumerate(tensors.items())
    )
    return _archive(text, [parts[4] for parts in tensors.values()])


def tensor(a):
    """A file of torch.save of one float32 tensor of rows."""
    return _archive(_tensor(0, a.shape, (a.shape[1], 1), 0, a.size), [a.astype("<f4").tobytes()])


def _tensor(i, size, stride, offset, count):
    k = str(i).encode()
    text = b"ctorch._utils\n_rebuild_tensor_v2\n((X\x07\x00\x00\x00storagectorch\nFloatStorage\nX" + struct.pack("<i", len(k)) + k
    text += b"X\x03\x00\x00\x00cpuJ" + struct.pack("<i", count) + b"tQJ" + struct.pack("<i", offset)
    for shape in (size, stride):
        text += b"(" + b"".join(b"J" + struct.pack("<i", n) for n in shape) + b"t"
    return text + b"\x89NtR"


def _archive(text, storages):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        for i, data in enumerate(storages):
            z.writestr(f"archive/data/{i}", data)
        z.writestr("archive/data.pkl", b"\x80\x02" + text + b".")
        z.writestr("archive/byteorder", "little")
    return out.getvalue()


def indexed(p):
    return "".join(f"{i},{','.join(map(repr, map(float, row)))}\n" for i, row in enumerate(p)).encode()


def draw(seed, n, k):
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(n, k)).astype("f4")
    return z, (np.exp(z) / np.exp(z).sum(1, keepdims=True)).astype("f4"), rng.integers(0, k, n)


def make():
    """Returns the table as a mapping, and the files by key (as a mirror has them)."""
    z, p, y = draw(1, 60, 3)
    zv, pv, yv = draw(2, 40, 3)
    accuracy = lambda q, t: round(float(np.mean(q.argmax(1) == t)), 3)  # noqa: E731
    features = np.random.default_rng(5).normal(size=(50, 4))
    weight, bias = np.random.default_rng(6).normal(size=(3, 4)).astype("f4"), np.zeros(3, "f4")
    files = {
        "pairs.p": pickle.dumps([(zv, yv.reshape(-1, 1)), (z, y.reshape(-1, 1))], 3),
        "half.npz": npz(logits=z, labels=y),
        "probs.npy": npy(p),
        "labels.npy": npy(y.astype("u1")),
        "d_val@x.csv": indexed(pv),
        "d_test@x.csv": indexed(p),
        "features.csv": (
            "i,"
            + ",".join(f"f{j}" for j in range(4))
            + ",label\n"
            + "".join(f"{i},{','.join(map(repr, map(float, row)))},{i % 3}\n" for i, row in enumerate(features))
        ).encode(),
        "head.p": pickle.dumps({"w": weight, "b": bias}, 4),
        "at.json": json.dumps([int(v) for v in np.arange(60)[::-1]]).encode(),
        "preds.csv": (
            "id,a,b\n" + "".join(f"i{i},{q[0]!r},{1 - q[0]!r}\n" for i, q in enumerate(np.linspace(0.1, 0.9, 30).reshape(-1, 1).tolist()))
        ).encode(),
        "meta.csv": ("id,lesion,dx\n" + "".join(f"i{i},L{i // 3},{'xy'[i % 2]}\n" for i in range(30))).encode(),
    }
    official = npz(train_images=np.zeros((4000, 8), "u1"), val_labels=yv.reshape(-1, 1), test_labels=y.reshape(-1, 1))
    at = lambda n, form, **k: {"file": f"repo:{n}", "form": form, **k}  # noqa: E731
    common = {"kind": "probs", "from": "made networks"}
    networks = [
        {
            "dataset": "d",
            "network": "pairs",
            "kind": "logits",
            "from": "made networks",
            "cal": {"scores": at("pairs.p", "pickle", member=[0, 0]), "labels": at("pairs.p", "pickle", member=[0, 1])},
            "test": {"scores": at("pairs.p", "pickle", member=[1, 0]), "labels": at("pairs.p", "pickle", member=[1, 1])},
        },
        {
            "dataset": "d",
            "network": "half",
            "kind": "logits",
            "from": "made networks",
            "halves": {"scores": at("half.npz", "npz", member="logits"), "labels": at("half.npz", "npz", member="labels")},
        },
        {
            "dataset": "d",
            "network": "probs",
            **common,
            "stands_in": "made",
            "halves": {"scores": at("probs.npy", "npy"), "labels": at("labels.npy", "npy")},
        },
        {
            "dataset": "d",
            "network": "seeded",
            "seed": 0,
            **common,
            "note": "the epoch was chosen on the validation rows",
            "cal": {
                "published": "val",
                "scores": at("d_val@x.csv", "indexed"),
                "labels": {"file": "official:d.npz", "form": "npz", "member": "val_labels"},
                "accuracy": accuracy(pv, yv),
            },
            "test": {"scores": at("d_test@x.csv", "indexed"), "labels": at("labels.npy", "npy"), "accuracy": accuracy(p, y)},
        },
        {
            "dataset": "d",
            "network": "outside",
            **common,
            "halves": {"scores": at("probs.npy", "npy"), "labels": {"file": "official:d.npz", "form": "npz", "member": "test_labels"}},
        },
        {
            "dataset": "d",
            "network": "head",
            "kind": "logits",
            "from": "made networks",
            "head": {"weight": at("head.p", "pickle", member=["w"]), "bias": at("head.p", "pickle", member=["b"])},
            "halves": {
                "published": "test-50",
                "scores": at("features.csv", "head"),
                "features": at("features.csv", "csv", columns=["f*"]),
                "labels": at("features.csv", "csv", column="label"),
            },
            "ood": {"scores": at("features.csv", "head"), "features": at("features.csv", "csv", columns=["f*"])},
        },
        {
            "dataset": "g",
            "network": "groups",
            **common,
            "halves": {
                "scores": at("preds.csv", "csv", columns=["a", "b"]),
                "labels": at("meta.csv", "csv", column="dx", codes={"x": 0, "y": 1}),
                "groups": at("meta.csv", "csv", column="lesion"),
            },
        },
        {
            "dataset": "b",
            "network": "parts",
            "kind": "logits",
            "from": "made networks",
            "cal": {
                "scores": at("half.npz", "npz", member="logits"),
                "labels": at("labels.npy", "npy", at=at("at.json", "json")),
                "groups": at("at.json", "json", prefix="test:"),
            },
            "test": {
                "balanced": 5,
                "parts": [
                    {
                        "scores": at("half.npz", "npz", member="logits"),
                        "labels": at("labels.npy", "npy"),
                        "groups": at("at.json", "json", prefix="train:"),
                    }
                ],
            },
        },
    ]

    def entry(path, data, **k):
        return {"path": path, "sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data), **k}

    top = {
        "origins": [
            {
                "name": "repo",
                "repository": "someone/predictions",
                "commit": COMMIT,
                "licence": "MIT",
                "files": [entry(n, d) for n, d in files.items()],
            },
            {
                "name": "official",
                "url": "https://example.invalid/records",
                "licence": "CC BY 4.0",
                "files": [{"path": "d.npz", "sha256": "not stated", "members": ["val_labels", "test_labels"]}],
            },
            {
                "name": "pickles",
                "url": "https://example.invalid/p",
                "licence": "MIT",
                "files": [
                    entry("probs_net_c10_logits.p", files["pairs.p"]),
                    entry("probs_other_c10_logits.p", files["pairs.p"], on_request=True),
                ],
            },
        ],
        "sources": [
            {
                "name": "real",
                "title": "made networks",
                "page": "nowhere",
                "licence": "that of each file",
                "into": "data/real",
                "networks": networks,
            },
            {
                "name": "nncal",
                "title": "made pickles",
                "page": "nowhere",
                "licence": "MIT",
                "into": "data/arrays",
                "format": "nncal",
                "origins": ["pickles"],
            },
        ],
    }
    mirror = {f"someone/predictions/{COMMIT}/{n}": d for n, d in files.items()}
    mirror |= {
        "official/d.npz": official,
        "pickles/probs_net_c10_logits.p": files["pairs.p"],
        "pickles/probs_other_c10_logits.p": files["pairs.p"],
    }
    return top, mirror


def write(path, top):
    with open(path, "w", encoding="utf-8") as f:
        yaml.safe_dump(top, f, sort_keys=False)
    return str(path)
