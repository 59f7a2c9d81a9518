"""Writes files of each format, of made-up numbers, and want.tsv.

    /usr/bin/python3 python/tests/datasets/testdata/formats/make.py

Each file is written as its source writes it: nncal by pickle.dump of
scripts/utility/evaluation.py, medmnist by DataFrame.to_csv of medmnist/evaluator.py
(its format of float32 numbers, without pandas) and np.savez, groupcal by pickle.dump
of a dict of tensors. want.tsv has one line for each array that an import must
write: command, path, type, shape and the SHA-256 of its bytes, computed here, in
Python. Written with Python 3.11, numpy 1.24.2 and torch 1.13.0. The HDF5 file is
../hdf5/calarena.h5.
"""

import hashlib
import math
import os
import pickle

import h5py
import numpy as np
import torch

here = os.path.dirname(os.path.abspath(__file__))
rng = np.random.default_rng(5)
lines = []


def at(name):
    return os.path.join(here, name)


def want(command, path, a, dtype):
    a = np.ascontiguousarray(a, dtype)
    lines.append("\t".join([command, path, a.dtype.str, "x".join(map(str, a.shape)), hashlib.sha256(a.tobytes()).hexdigest()]))


def log_probs(p):
    """Each row over its sum, at least 2^-126, and the logarithm, in float64."""
    rows = []
    for row in np.asarray(p, float).tolist():
        total = 0.0
        for x in row:
            total += x
        rows.append([math.log(max(x / total, 2.0**-126)) for x in row])
    return np.array(rows)


def softmax(z):
    e = np.exp(z - z.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def draw(n, k):
    z = (3 * rng.normal(size=(n, k))).astype(np.float32)
    y = np.array([rng.choice(k, p=p / p.sum()) for p in softmax(z.astype(float))])
    return z, y


# nncal
for name, dataset, backbone, k in [("resnet110_c10", "cifar10", "resnet110", 4), ("resnet_wide32_c100", "cifar100", "wrn-32", 6)]:
    (zv, yv), (zt, yt) = draw(25, k), draw(30, k)
    with open(at(f"probs_{name}_logits.p"), "wb") as f:
        pickle.dump([(zv, yv[:, None]), (zt, yt[:, None])], f, protocol=3)
    for split, z, y in [("cal", zv, yv), ("test", zt, yt)]:
        want("nncal", f"{dataset}/{backbone}/{split}/logits.npy", z, "<f4")
        want("nncal", f"{dataset}/{backbone}/{split}/labels.npy", y, "<i4")


# medmnist: DataFrame(y_score).to_csv(path, header=None)
def to_csv(name, p, order):
    with open(at(name), "w") as f:
        for i in order:
            f.write(
                ",".join(
                    [str(i)]
                    + [
                        np.format_float_positional(x, unique=True)
                        if x == 0 or x >= 1e-4
                        else np.format_float_scientific(x, unique=True, exp_digits=2)
                        for x in p[i]
                    ]
                )
                + "\n"
            )


labels = {}
for flag, k, sizes in [("dermamnist", 7, {"val": 26, "test": 31}), ("breastmnist", 2, {"test": 40})]:
    for split, n in {"train": 5, "val": sizes.get("val", 8), "test": sizes["test"]}.items():
        labels[f"{flag}/{split}"] = rng.integers(0, k, size=(n, 1)).astype(np.uint8)
    np.savez_compressed(
        at(f"{flag}.npz"),
        **{f"{s}_labels": labels[f"{flag}/{s}"] for s in ["train", "val", "test"]},
        test_images=np.zeros((2, 3), np.uint8),
    )
    for backbone, pixels, run in [("resnet18", 28, 1), ("resnet50", 28, 1), ("resnet18", 224, 2)]:
        if flag == "breastmnist" and backbone == "resnet50":
            continue
        sets = {}
        for split, n in sizes.items():
            y = labels[f"{flag}/{split}"][:, 0]
            p = softmax(3 * rng.normal(size=(n, k)) + 3 * np.eye(k)[y]).astype(np.float32)
            if split == "test":
                p[4] = np.eye(k, dtype=np.float32)[1]  # exact zeros
            order = rng.permutation(n) if pixels == 224 else range(n)
            to_csv(f"{flag}_{split}_[AUC]0.900_[ACC]0.700@{backbone}_{pixels}_{run}.csv", p, order)
            sets[split] = (p, y)
        if "val" in sets:
            sets["cal"] = sets["val"]
        else:
            p, y = sets["test"]
            sets = {"cal": (p[::2], y[::2]), "test": (p[1::2], y[1::2])}
        name = backbone if (pixels, run) == (28, 1) else f"{backbone}-{pixels}-run{run}"
        for split in ["cal", "test"]:
            p, y = sets[split]
            # The CSV has the shortest decimals of float32 numbers.
            decimals = np.array([[float(np.format_float_positional(x, unique=True)) for x in row] for row in p])
            want("medmnist", f"{flag}/{name}/{split}/logits.npy", log_probs(decimals), "<f4")
            want("medmnist", f"{flag}/{name}/{split}/labels.npy", y, "<i4")

# calarena
with h5py.File(os.path.join(here, "..", "hdf5", "calarena.h5")) as f:
    for group, path in [("c10/resnet110", "cifar10/resnet110"), ("c10/densenet40", "cifar10/densenet40"), ("derma/vit", "dermamnist/vit")]:
        for split in ["cal", "test"]:
            want("calarena", f"{path}/{split}/logits.npy", log_probs(f[group][f"probas_{split}"][()]), "<f4")
            want("calarena", f"{path}/{split}/labels.npy", f[group][f"labels_{split}"][()], "<i4")

# groupcal
for split, name in [("val", "cal"), ("test", "test")]:
    z, y = draw(22, 3)
    x = rng.normal(size=(22, 5)).astype(np.float32)
    with open(at(f"cifar10_resnet152_0.9576_{split}.pkl"), "wb") as f:
        pickle.dump({"logits": torch.tensor(z), "labels": torch.tensor(y), "features": torch.tensor(x)}, f)
    want("groupcal", f"cifar10/resnet152/{name}/logits.npy", z, "<f4")
    want("groupcal", f"cifar10/resnet152/{name}/labels.npy", y, "<i4")
    want("groupcal", f"cifar10/resnet152/{name}/features.npy", x, "<f4")

# csv
z, y = draw(44, 3)
split = np.array(["val", "test", "train", "test"] * 11)
with open(at("table.csv"), "w") as f:
    f.write("id,split,z_a,z_b,z_c,truth\n")
    for i in range(44):
        f.write(f"row {i},{split[i]}," + ",".join(repr(float(v) / 3) for v in z[i]) + f",{y[i]}\n")
for name, value in [("cal", "val"), ("test", "test")]:
    want("csv", f"mine/net/{name}/logits.npy", z[split == value].astype(float) / 3, "<f8")
    want("csv", f"mine/net/{name}/labels.npy", y[split == value], "<i4")

with open(at("want.tsv"), "w") as f:
    f.write("\n".join(lines) + "\n")
