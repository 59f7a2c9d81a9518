"""Writes the HDF5 files of this folder and read.tsv, what h5py reads in them.

    /usr/bin/python3 python/tests/datasets/testdata/hdf5/make.py

The numbers are made up. read.tsv has one line an array: file, path, type, shape,
and the SHA-256 of its elements as little-endian float64 in C order. Written with
h5py 3.7.0 and numpy 1.24.2. calarena.h5 is written as CalArena's
generate_cv_benchmarks.py does: f.create_group(f"{dataset}/{model}") and gzip.
"""

import hashlib
import os

import h5py
import numpy as np

here = os.path.dirname(os.path.abspath(__file__))
rng = np.random.default_rng(11)
lines = []


def note(name):
    def visit(path, x):
        if isinstance(x, h5py.Dataset):
            a = x[()]
            digest = hashlib.sha256(np.ascontiguousarray(a, "<f8").tobytes()).hexdigest()
            lines.append("\t".join([name, path, np.asarray(a).dtype.str[1:], "x".join(map(str, np.shape(a))), digest]))

    with h5py.File(os.path.join(here, name)) as f:
        f.visititems(visit)


def create(name, **options):
    return h5py.File(os.path.join(here, name), "w", **options)


def softmax(z):
    e = np.exp(z - z.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


with create("calarena.h5") as f:
    f.attrs["source"] = "cv"
    f.attrs["problem_type"] = "multiclass"
    for dataset, model, k in [("c10", "resnet110", 4), ("c10", "densenet40", 4), ("derma", "vit", 3)]:
        g = f.create_group(f"{dataset}/{model}")
        for split, n in [("cal", 25), ("test", 30)]:
            p = softmax(3 * rng.normal(size=(n, k))).astype(np.float32)
            if model == "vit" and split == "test":
                p[3] = np.eye(k, dtype=np.float32)[1]  # exact zeros
            y = np.array([rng.choice(k, p=q / q.sum()) for q in p.astype(float)])
            g.create_dataset(f"probas_{split}", data=p, compression="gzip")
            g.create_dataset(f"labels_{split}", data=y.astype(np.int32), compression="gzip")
note("calarena.h5")

# Types, byte orders, layouts, edges of chunks, many members (several nodes of a group).
with create("arrays.h5") as f:
    for t in ["<f2", ">f2", "<f4", ">f4", "<f8", ">f8", "i1", "u1", "<i2", ">i4", "<u4", "<i8"]:
        f.create_dataset(f"types/{t.replace('<', 'le-').replace('>', 'be-')}", data=(50 * np.abs(rng.normal(size=(2, 3)))).astype(t))
    a = rng.normal(size=(7, 5)).astype("<f4")
    f.create_dataset("chunks/plain", data=a, chunks=(3, 2))
    f.create_dataset("chunks/gzip", data=a, chunks=(3, 2), compression="gzip")
    f.create_dataset("chunks/one", data=a, chunks=(7, 5), compression="gzip", compression_opts=9)
    f.create_dataset("chunks/cube", data=a[:6].reshape(2, 3, 5), chunks=(1, 2, 3), compression="gzip")
    f.create_dataset("chunks/line", data=a[:, 0], chunks=(4,), compression="gzip")
    f.create_dataset("chunks/many", data=np.arange(300, dtype="<i4"), chunks=(2,))
    f.create_dataset("scalar", data=np.float64(2.5))
    f.create_dataset("empty", data=np.zeros((0, 4), "<f4"))
    space = h5py.h5s.create_simple((4,))
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_layout(h5py.h5d.COMPACT)
    h5py.h5d.create(f.id, b"compact", h5py.h5t.IEEE_F32LE, space, plist).write(h5py.h5s.ALL, h5py.h5s.ALL, a[:4, 0].copy())
    for i in range(40):
        f.create_dataset(f"many/member{i:02d}", data=np.int32(i))
    f["chunks"].attrs["note"] = "a longer text in an attribute " * 4
    f.create_dataset("attributes", data=a[0])
    for i in range(9):
        f["attributes"].attrs[f"name{i}"] = i
note("arrays.h5")

# A short file, for fuzzing.
with create("tiny.h5") as f:
    f.create_dataset("c10/net/probas_cal", data=np.eye(3, dtype="<f4"), chunks=(2, 2), compression="gzip")
note("tiny.h5")

# Files that are rejected.
with create("latest.h5", libver="latest") as f:
    f.create_dataset("a", data=np.zeros(3))
with create("odd.h5") as f:
    z = np.zeros((4, 4), "<f4")
    f.create_dataset("shuffle", data=z, compression="gzip", shuffle=True)
    f.create_dataset("lzf", data=z, compression="lzf")
    f.create_dataset("fletcher32", data=z, fletcher32=True, chunks=(2, 2))
    f.create_dataset("text", data="text")
    f.create_dataset("bool", data=np.zeros(3, bool))
    f.create_dataset("complex", data=np.zeros(3, complex))
    f.create_dataset("struct", data=np.zeros(3, [("a", "f4"), ("b", "i4")]))
    f.create_dataset("holes", shape=(4, 4), dtype="<f4", chunks=(2, 2))
    f["holes"][0, 0] = 1
    f.create_dataset("never", shape=(4, 4), dtype="<f4")
    f["links/soft"] = h5py.SoftLink("/text")
    f.create_group("ordered", track_order=True).create_dataset("a", data=z)

with open(os.path.join(here, "read.tsv"), "w") as f:
    f.write("\n".join(lines) + "\n")
