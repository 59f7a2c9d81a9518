"""Files that only Python reads: what a person types until the first table of methods."""

import os
import pickle
import re
import shlex
import subprocess
import sys

import numpy as np
import pytest

import qatsbench

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RNG = np.random.default_rng(0)
Y = RNG.integers(0, 4, 400)
Z = RNG.normal(size=(400, 4)) * 1.5 + 2 * np.eye(4)[Y]
P = np.exp(Z) / np.exp(Z).sum(1, keepdims=True)
NAMES = np.array(["cat", "dog", "frog", "ship"])


def parquet(path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.table({f"prob_{c}": P[:, j] for j, c in enumerate(NAMES)} | {"label": NAMES[Y]}), path)


def torch_dict(path):
    torch = pytest.importorskip("torch")
    torch.save({"logits": torch.tensor(Z).float(), "labels": torch.tensor(Y)}, path)


def torch_pair(path):
    torch = pytest.importorskip("torch")
    torch.save((torch.tensor(Z), torch.tensor(Y)), path)


def pickled(path):
    path.write_bytes(pickle.dumps({"preds": P.astype(np.float32), "targets": Y}))


@pytest.fixture
def program():
    try:
        return qatsbench._program.program()
    except qatsbench.ProgramError as e:
        pytest.skip(str(e))


@pytest.mark.parametrize("name,make", [("out.parquet", parquet), ("out.pt", torch_dict), ("pair.pth", torch_pair), ("out.pkl", pickled)])
def test_two_commands_bring_the_first_table(name, make, tmp_path, program):
    """The program names the first, which names the second."""
    make(tmp_path / name)

    def typed(words):
        return subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": ROOT})

    r = typed([program, "try", name])
    assert r.returncode == 2 and r.stderr.count("\n") == 1, r.stderr
    words = shlex.split(re.search(rf"python3 (-m qatsbench\.datasets import \w+ {re.escape(name)}) makes arrays", r.stderr)[1])
    r = typed([sys.executable, *words])
    assert r.returncode == 0, r.stderr
    following = shlex.split(re.search(r"^next: python3 -m qatsbench (.*)$", r.stderr, re.MULTILINE)[1])
    r = typed([program, *following, "--method", "ts"])
    assert r.returncode == 0 and re.search(r"^ +method .*NLL +.*ECE", r.stdout, re.MULTILINE), r.stderr
