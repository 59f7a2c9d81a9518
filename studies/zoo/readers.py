"""Arrays in other people's files: FILE[#PLACE].

    .npy                        the array
    .npz .safetensors           PLACE is the name of the member
    .pt .pth .pkl .p .pickle    keys and list positions, separated by /: val/logits, 0/1
    .csv                        columns: names (a,b,c), or positions as 2:12; all if none is given

PLACE may be left out if a file holds one array. Pickles are read by unpicklers
that make arrays and nothing else: a file from a stranger cannot run code here.
"""

import csv
import json
import pickle
from pathlib import Path

import numpy as np
import torch


def parts(source):
    """FILE[#PLACE] as a path and a place."""
    file, _, place = str(source).partition("#")
    return Path(file), place


def read(source):
    """The array at FILE[#PLACE]."""
    path, place = parts(source)
    readers = {
        ".npy": lambda p: np.load(p, allow_pickle=False),
        ".npz": lambda p: dict(np.load(p, allow_pickle=False)),
        ".safetensors": safetensors,
        **dict.fromkeys((".pt", ".pth"), lambda p: torch.load(p, map_location="cpu", weights_only=True)),
        **dict.fromkeys((".pkl", ".p", ".pickle"), unpickle),
    }
    try:
        if path.suffix == ".csv":
            return columns(path, place)
        if path.suffix not in readers:
            raise ValueError(f"unknown kind of file; there are {' '.join(readers)} .csv")
        return array(walk(readers[path.suffix](path), place))
    except (ValueError, KeyError, IndexError, TypeError, pickle.UnpicklingError, EOFError, RuntimeError) as e:
        text = e.args[0] if isinstance(e, KeyError) and e.args else e
        raise ValueError(f"{source}: {text}") from e


def walk(tree, place):
    """Follows keys and positions to an array."""
    for step in [s for s in place.split("/") if s]:
        if isinstance(tree, dict):
            keys = {str(k): k for k in tree}
            if step not in keys:
                raise ValueError(f"no {step!r}; there are {', '.join(keys)}")
            tree = tree[keys[step]]
        elif isinstance(tree, (list, tuple)) and step.isdecimal() and int(step) < len(tree):
            tree = tree[int(step)]
        else:
            raise ValueError(f"no {step!r} in a {type(tree).__name__}" + (f" of {len(tree)}" if isinstance(tree, (list, tuple)) else ""))
    if isinstance(tree, dict) and len(tree) == 1:
        (tree,) = tree.values()
    return tree


def array(value):
    if isinstance(value, torch.Tensor):
        value = value.detach()
        return (value.float() if value.dtype == torch.bfloat16 else value).numpy()
    if isinstance(value, np.ndarray) and value.dtype != object:
        return value
    if isinstance(value, dict):
        raise ValueError(f"holds several things; add # and one of {', '.join(map(str, value))}")
    if isinstance(value, (list, tuple)):
        if value and all(isinstance(v, (int, float)) for v in value):
            return np.asarray(value)
        raise ValueError(f"holds a {type(value).__name__} of {len(value)}; add # and a position, as #0")
    raise ValueError(f"holds a {type(value).__name__}, not an array")


class Unpickler(pickle.Unpickler):
    ALLOWED = {("numpy", "ndarray"), ("numpy", "dtype"), ("collections", "OrderedDict"), ("_codecs", "encode")} | {
        (f"numpy.{core}.{m}", f)
        for core in ("core", "_core")
        for m, f in (("multiarray", "_reconstruct"), ("multiarray", "scalar"), ("numeric", "_frombuffer"))
    }

    def find_class(self, module, name):
        if (module, name) not in self.ALLOWED:
            raise pickle.UnpicklingError(f"the pickle wants {module}.{name}; only numpy arrays in lists, tuples and dicts are read")
        return super().find_class(module.replace("numpy._core", np.core.__name__), name)


def unpickle(path):
    with open(path, "rb") as f:
        return Unpickler(f, encoding="latin1").load()  # latin1: arrays pickled by Python 2


TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1", "U8": "u1"}


def safetensors(path):
    """All tensors: a little-endian length, a JSON header, the bytes."""
    b = Path(path).read_bytes()
    size = int.from_bytes(b[:8], "little")
    if size > len(b) - 8:
        raise ValueError("truncated, or not a safetensors file")
    header, body, out = json.loads(b[8 : 8 + size]), b[8 + size :], {}
    for name, t in header.items():
        if name == "__metadata__":
            continue
        raw = body[slice(*t["data_offsets"])]
        if t["dtype"] == "BF16":  # the upper half of a float32
            out[name] = (np.frombuffer(raw, "<u2").astype(np.uint32) << 16).view(np.float32).reshape(t["shape"])
        elif t["dtype"] in TYPES:
            out[name] = np.frombuffer(raw, TYPES[t["dtype"]]).reshape(t["shape"])
        else:
            raise ValueError(f"{name} is of type {t['dtype']}; there are {' '.join(TYPES)} BF16")
    return out


def columns(path, place):
    """Columns of a CSV file, with or without a line of names; one column is a vector."""
    with open(path, newline="") as f:
        rows = [r for r in csv.reader(f) if r]
    names = None
    try:
        list(map(float, rows[0]))
    except ValueError:
        names, rows = [n.strip() for n in rows[0]], rows[1:]
    width = len(rows[0])
    first, colon, end = place.partition(":")
    if not place:
        picked = range(width)
    elif colon:
        picked = range(width)[int(first or 0) : int(end) if end else None]
    else:
        known = {n: i for i, n in enumerate(names or [])} | {str(i): i for i in range(width)}
        missing = [n for n in place.split(",") if n not in known]
        if missing:
            raise ValueError(f"no column {missing[0]!r}; there are {', '.join(names or [f'0 to {width - 1}'])}")
        picked = [known[n] for n in place.split(",")]
    out = np.empty((len(rows), len(picked)))
    for i, row in enumerate(rows):
        line = i + 1 + (names is not None)
        if len(row) != width:
            raise ValueError(f"line {line}: {len(row)} columns, not {width}")
        for j, c in enumerate(picked):
            try:
                out[i, j] = float(row[c])
            except ValueError:
                raise ValueError(f"line {line}, column {c}: {row[c]!r} is not a number") from None
    return out[:, 0] if out.shape[1] == 1 else out
