"""What several tests use. The package is imported from the source tree."""

import os
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(os.path.dirname(HERE)), HERE]

for module in ("numpy", "yaml", "pooch", "h5py"):
    pytest.importorskip(module, reason="needs the extra datasets: pip install 'qats[datasets]'")

TESTDATA = os.path.join(HERE, "testdata")


def rows(name):
    """Returns the fields of the lines of a .tsv file of testdata."""
    with open(os.path.join(TESTDATA, *name.split("/")), encoding="utf-8") as f:
        return [line.rstrip("\n").split("\t") for line in f]


def content(name):
    """Returns the bytes of a file of testdata."""
    with open(os.path.join(TESTDATA, *name.split("/")), "rb") as f:
        return f.read()
