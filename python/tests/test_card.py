"""The card of data/bundle, and what says the version."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


def test_the_card_is_that_of_the_bundle():
    pytest.importorskip("yaml")
    done = subprocess.run([sys.executable, ROOT / "python/tools/croissant.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_card_is_valid():
    mlcroissant = pytest.importorskip("mlcroissant")
    card = mlcroissant.Dataset(ROOT / "data/croissant.json")
    assert len(list(card.records("networks"))) > 40


def test_the_citation_has_the_version_of_the_package():
    version = re.search(r'"(.+)"', (ROOT / "python/qatsbench/_version.py").read_text())[1]
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text()
