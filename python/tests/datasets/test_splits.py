"""The rule that divides published rows."""

import hashlib
import os

import numpy as np
import pytest

from qatsbench.datasets import splits


@pytest.mark.parametrize("text,digest,side", splits.VECTORS)
def test_vectors(text, digest, side):
    assert hashlib.sha256(text.encode()).hexdigest() == digest and (int(digest, 16) >> 255 == 0) == side
    assert splits.calibrates(*text.split("/")) == side


def test_halves():
    side = splits.halves("d", "test", map(str, range(10_000)))
    assert 4_800 < side.sum() < 5_200  # four standard deviations of 50 about 5,000
    assert np.array_equal(splits.halves("d", "test", map(str, range(100))), side[:100])  # a part of the rows has the same sides
    assert not np.array_equal(splits.halves("e", "test", map(str, range(100))), side[:100])


def test_groups_stay_together():
    side = splits.halves("d", "test", ["a", "b", "a", "c", "b"])
    assert side[0] == side[2] and side[1] == side[4]


def test_balanced():
    names = ["p", "q", "r", "p", "s", "t"]
    labels = np.array([0, 0, 0, 0, 1, 1])
    chosen = splits.balanced("d", "test", names, labels, 2)
    assert len(chosen) == 4 and list(chosen) == sorted(chosen) and 3 not in chosen  # the second p
    least = sorted("pqr", key=lambda r: splits.digest("d", "test", r))[:2]
    assert {names[i] for i in chosen if labels[i] == 0} == set(least)


def test_stratified():
    names, labels = [f"d{i % 900}" for i in range(1000)], np.array([i % 900 % 3 for i in range(1000)])
    digests = np.array([int(splits.digest("t", "test", n)[:16], 16) for n in names], np.uint64)
    side = splits.stratified(digests, labels)
    for y in range(3):
        assert abs(2 * side[labels == y].sum() - (labels == y).sum()) <= 2  # two rows may have the middle digest
    assert np.array_equal(side[:100], side[900:])  # the same names
    for i, n in enumerate(names[:50]):  # one row alone is where the rule for single rows puts it
        assert splits.stratified(digests[i : i + 1], labels[:1]) == splits.calibrates("t", "test", n)


def test_the_page_has_the_vectors():
    page = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "docs", "public-data.md")
    with open(page, encoding="utf-8") as f:
        text = f.read()
    for row, digest, side in splits.VECTORS:
        assert f"| `{row}` | `{digest[:8]}` | {'calibration' if side else 'test'} |" in text
