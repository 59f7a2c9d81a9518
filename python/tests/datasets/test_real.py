"""The true files of sources.yaml, which lie outside the project: a folder that has each under its key.

QATS_REAL_FILES=DIR python3 -m pytest python/tests/datasets/test_real.py
"""

import os

import numpy as np
import pytest
from server import serving

import qatsbench.datasets
from qatsbench.datasets import published, table

FILES = os.environ.get("QATS_REAL_FILES", "")
SHARED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "..", "shared")

pytestmark = pytest.mark.skipif(not os.path.isdir(FILES), reason="needs the files of the public repositories (QATS_REAL_FILES)")


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    into = tmp_path_factory.mktemp("real")
    with serving(root=FILES) as s:
        summary = qatsbench.datasets.fetch(
            "real", into=str(into / "arrays"), url=s.url, downloads=str(into / "cache"), labels="repositories"
        )
    return into, summary


def test_all_networks(real):
    _, s = real
    assert not s.failed and len(s.networks) >= 89
    assert s.peak < 1 << 30


def test_rows_are_those_of_the_arrays_before(real):
    """Each row of the folder of measurements is a row of what was fetched, with its label, bit for bit."""
    into, s = real
    old = os.path.join(SHARED, "real")
    if not os.path.isdir(old):
        pytest.skip("needs ../shared/real")
    compared = 0
    for n in s.networks:
        name = n["entry"]["set"]
        if n["entry"]["kind"] != "logits" or not os.path.isdir(os.path.join(old, name)) or name.startswith("cifar100-lt"):
            continue

        def rows(root):
            z, y = (
                np.concatenate([np.load(os.path.join(root, name, p, a + ".npy")) for p in ("cal", "test")]) for a in ("logits", "labels")
            )
            return sorted(r.tobytes() + bytes([v]) for r, v in zip(z.astype("f4"), y))

        assert rows(old) == rows(into / "arrays"), name
        compared += 1
    assert compared == 13


def test_probabilities_are_those_of_the_arrays_before(real):
    """The folder of measurements has log(max(p, 1e-30)) without the division by the sum of the row."""
    into, s = real
    old = os.path.join(SHARED, "real")
    if not os.path.isdir(old):
        pytest.skip("needs ../shared/real")
    for n in s.networks:
        name = n["entry"]["set"]
        if n["entry"]["kind"] == "log-probs" and os.path.isdir(os.path.join(old, name)):
            z = [
                np.concatenate([np.load(os.path.join(root, name, p, "logits.npy")) for p in ("cal", "test")])
                for root in (old, into / "arrays")
            ]
            z = [np.sort(a.astype(float).round(4), axis=None) for a in z]
            z = [np.maximum(a, -69) for a in z]
            assert len(z[0]) == len(z[1]) and np.abs(z[0] - z[1]).max() < 2e-3, name


def test_every_entry_builds(real):
    t = table.Table()
    assert len(t.sources["real"].networks) == len({published.name_of(n) + n["dataset"] for n in t.sources["real"].networks})
