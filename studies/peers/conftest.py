"""The fixtures of python/tests, on which the tests here run too, and the table that they write:

pytest studies/peers --write    # results/shown/agreement-packages.csv, from which docs/evidence.md has its table
"""

import csv
import datetime
import importlib.metadata
import importlib.util
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "results" / "shown" / "agreement-packages.csv"
COLUMNS = ["package", "version", "what", "difference", "why", "date"]
spec = importlib.util.spec_from_file_location("python_tests", ROOT / "python" / "tests" / "conftest.py")
fixtures = importlib.util.module_from_spec(spec)
spec.loader.exec_module(fixtures)
program, text = fixtures.program, fixtures.text


def pytest_addoption(parser):
    parser.addoption("--write", action="store_true", help="write results/shown/agreement-packages.csv")


@pytest.fixture(scope="session")
def agrees(request):
    """Check that two arrays differ by a tolerance at most, and keep the largest difference for the table. Rows of
    packages that are not installed stay as they are in the file."""
    found = []

    def check(package, what, got, want, tolerance, why=""):
        difference = float(np.abs(np.asarray(got) - np.asarray(want)).max())
        assert difference <= tolerance, (package, what, difference, why)
        version, today = importlib.metadata.version(package), datetime.date.today().isoformat()
        found.append([package, version, what, f"{difference:.0e}", why, today])

    yield check
    if request.config.getoption("--write") and not request.session.testsfailed:
        kept = []
        if TABLE.exists():
            with open(TABLE, newline="") as f:
                kept = [row for row in list(csv.reader(f))[1:] if row[0] not in {new[0] for new in found}]
        with open(TABLE, "w", newline="") as f:
            csv.writer(f, lineterminator="\n").writerows([COLUMNS, *sorted(kept + found)])
