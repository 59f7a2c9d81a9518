"""The fixtures of python/tests, on which the tests here run too."""

import importlib.util
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "python" / "tests" / "conftest.py"
spec = importlib.util.spec_from_file_location("python_tests", SOURCE)
fixtures = importlib.util.module_from_spec(spec)
spec.loader.exec_module(fixtures)
program, text = fixtures.program, fixtures.text
