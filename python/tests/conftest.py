"""Tests of the package against the program of the checkout, bin/qats (make build)."""

import sys
from pathlib import Path

import numpy as np
import pytest

PYTHON = Path(__file__).resolve().parent.parent
ROOT = PYTHON.parent
try:
    import qatsbench  # noqa: F401 - the installed one, if there is one
except ImportError:
    sys.path.insert(0, str(PYTHON))

BUNDLE = ROOT / "data" / "bundle" / "20newsgroups-body" / "transformer-d64-l2"


@pytest.fixture(scope="session")
def program():
    from qatsbench import ProgramError, _program

    try:
        return _program.program()
    except ProgramError as e:
        pytest.skip(str(e))


@pytest.fixture(scope="session")
def text(program):
    """(calibration logits, labels, test logits, labels) of a text transformer: 1,700 and
    7,532 rows, 20 classes, float16."""
    return tuple(np.load(BUNDLE / part / f"{array}.npy") for part in ("cal", "test") for array in ("logits", "labels"))


@pytest.fixture(scope="module")
def rows(text):
    """float32 rows with ties in confidence: classes in another order, equal logits, one prediction that is certain."""
    z, y = text[0][:600].astype(np.float32), text[1][:600]
    z[10:20] = z[:10, ::-1]
    z[20] = 0
    z[21, 3] = 900
    z[22] = np.nextafter(z[23], np.float32(np.inf))
    return z, y, text[2][:500].astype(np.float32)


@pytest.fixture(scope="session")
def small(program):
    """200 rows of 3 classes that a known temperature of 2 calibrates, with float32 logits."""
    rng = np.random.default_rng(1)
    z = rng.normal(size=(200, 3))
    p = np.exp(z) / np.exp(z).sum(1, keepdims=True)
    y = (rng.random((200, 1)) > p.cumsum(1)).sum(1).clip(max=2)
    return (2 * z).astype(np.float32), y


@pytest.fixture
def fake(tmp_path, monkeypatch):
    """Return a function that makes a program of Python code the one that the package calls."""
    if sys.platform == "win32":
        pytest.skip("a script is no program on Windows")

    def make(code, version='{"protocol": 1, "version": "(devel)", "commit": ""}'):
        path = tmp_path / "qats"
        path.write_text(f"""#!{sys.executable}
import sys, os, time, signal
if sys.argv[1] == '--version':
    open({str(tmp_path / "asked")!r}, 'a').write('x')
    print({version!r})
    sys.exit()
{code}
""")
        path.chmod(0o755)
        monkeypatch.setenv("QATS_BIN", str(path))
        return path

    return make
