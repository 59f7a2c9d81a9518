"""Writes the pickles of this folder and read.tsv, what Python reads in them.

    /usr/bin/python3 python/tests/datasets/testdata/pickle/make.py

The numbers are made up. read.tsv has one line an array: file, path to the array,
type, shape, and the SHA-256 of its elements as little-endian float64 in C order.
Written with Python 3.11, numpy 1.24.2 and torch 1.13.0.
"""

import hashlib
import io
import os
import pickle

import numpy as np
import torch

here = os.path.dirname(os.path.abspath(__file__))
rng = np.random.default_rng(7)
lines = []


def note(name, value, path=""):
    if isinstance(value, torch.Tensor):
        value = value.numpy()
    if isinstance(value, np.ndarray):
        digest = hashlib.sha256(np.ascontiguousarray(value, "<f8").tobytes()).hexdigest()
        lines.append("\t".join([name, path, value.dtype.str[1:], "x".join(map(str, value.shape)), digest]))
    elif isinstance(value, dict):
        for k, v in value.items():
            note(name, v, f"{path}/{k}")
    elif isinstance(value, (list, tuple)):
        for i, v in enumerate(value):
            note(name, v, f"{path}/{i}")


def save(name, value, protocol):
    with open(os.path.join(here, name), "wb") as f:
        pickle.dump(value, f, protocol=protocol)
    with open(os.path.join(here, name), "rb") as f:
        note(name, pickle.load(f))


z = rng.normal(size=(6, 3)).astype("<f4")
y = rng.integers(0, 3, size=(6, 1))
pair = [(z[:2], y[:2]), (z[2:], y[2:])]
for protocol in range(6):
    save(f"pair-{protocol}.p", pair, protocol)

save(
    "types.p",
    {
        t: np.abs(rng.normal(size=(3, 2)) * 50).astype(t) if "u" in t else (rng.normal(size=(3, 2)) * 50).astype(t)
        for t in ["<f2", ">f2", "<f4", ">f4", "<f8", ">f8", "i1", "u1", "<i2", ">i2", "<u2", "<i4", "<u4", "<i8", ">i8", "<u8", "?"]
    },
    4,
)
save("orders.p", [np.asfortranarray(z), np.asfortranarray(z.reshape(3, 2, 3)), z[:0], np.float32(2.5), z.T, z[::2]], 4)
save("orders-5.p", [np.asfortranarray(z), z[:0], z.T, z[::2]], 5)
save(
    "values.p",
    {
        "none": None,
        "yes": True,
        "no": False,
        "n": -3,
        "big": 1 << 40,
        "x": 0.1,
        "text": "ä\u2192",
        "bytes": b"\x00\xff",
        "list": [1, [2]],
        "tuple": (),
        "a": {},
    },
    2,
)
save(
    "values-0.p",
    {
        "none": None,
        "yes": True,
        "no": False,
        "n": -3,
        "big": 1 << 40,
        "x": 0.1,
        "text": "ä\u2192",
        "bytes": b"\x00\xff",
        "list": [1, [2]],
        "tuple": (),
        "a": {},
    },
    0,
)

t = torch.tensor(z)
save(
    "torch.p",
    {
        "logits": t,
        "labels": torch.tensor(y[:, 0]),
        "features": t.double()[:, :2],
        "half": t.half(),
        "flipped": t.t(),
        "small": torch.tensor(y[:, 0]).to(torch.uint8),
        "yes": t > 0,
    },
    4,
)
save("torch-2.p", {"logits": t[2:], "labels": torch.tensor(y[:, 0]).int()}, 2)

# What Python 2 wrote: str for bytes, is_fortran as an int.
b = io.BytesIO()
raw = np.arange(6, dtype="<i4").tobytes()
b.write(
    b"\x80\x02cnumpy.core.multiarray\n_reconstruct\nq\x01cnumpy\nndarray\nq\x02K\x00\x85U\x01b\x87Rq\x03(K\x01K\x02K\x03\x86cnumpy\ndtype\n"
    b"U\x02i4K\x00K\x01\x87R(K\x03U\x01<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tbI00\nU" + bytes([len(raw)]) + raw + b"tb."
)
with open(os.path.join(here, "python2.p"), "wb") as f:
    f.write(b.getvalue())
note("python2.p", pickle.loads(b.getvalue(), encoding="latin1"))

with open(os.path.join(here, "read.tsv"), "w") as f:
    f.write("\n".join(lines) + "\n")
