"""Save logits for qats, and read its results; needs numpy only.

    qats_io.save("arrays/mydata/mynet", "cal", logits, labels)   # and the same for "test"
    wide = qats_io.read("results/out/results-wide.csv")          # wide["ece"], wide["method"], ...
"""

import csv
from pathlib import Path

import numpy as np


def save(folder, split, logits, labels, **others):
    """Write folder/split/logits.npy (n x k, float32) and labels.npy (n integers), and others such as features=."""
    logits, labels = np.asarray(logits, np.float32), np.asarray(labels).astype(np.int64).ravel()
    if logits.ndim != 2 or len(logits) != len(labels):
        raise ValueError(f"logits are n x k and labels n, these are {logits.shape} and {labels.shape}")
    path = Path(folder) / split
    path.mkdir(parents=True, exist_ok=True)
    for name, array in {"logits": logits, "labels": labels, **others}.items():
        np.save(path / f"{name}.npy", np.ascontiguousarray(array))


def read(path):
    """Return a CSV file of qats as a pandas.DataFrame or, without pandas, as a dict of numpy arrays by column."""
    try:
        import pandas
        return pandas.read_csv(path)
    except ImportError:
        with open(path, newline="") as f:
            rows = list(csv.reader(f))
        return {name: _column([r[j] for r in rows[1:]]) for j, name in enumerate(rows[0])}


def _column(texts):
    try:
        return np.array([float(t) if t else np.nan for t in texts])
    except ValueError:
        return np.array(texts)
