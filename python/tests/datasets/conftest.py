"""The package is imported from the source tree, and the tests are skipped without its libraries."""

import os
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(os.path.dirname(HERE)), HERE]

for module in ("numpy", "yaml", "pooch", "h5py"):
    pytest.importorskip(module, reason="needs the extra datasets: pip install './python[datasets]'")
