"""What tools/generate.py writes is what the program says."""

import subprocess
import sys
from pathlib import Path

PYTHON = Path(__file__).resolve().parent.parent


def test_the_estimators_are_those_of_the_program(program):
    done = subprocess.run([sys.executable, str(PYTHON / "tools" / "generate.py"), "--check", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_class_is_spelt_as_the_label(program):
    sys.path.insert(0, str(PYTHON / "tools"))
    try:
        from generate import class_name
    finally:
        sys.path.pop(0)
    for name, label, want in (("qats-pw-free", "QaTS-PW free", "QaTSPWFree"), ("ts-ecegrid", "TS (ECE grid)", "TSECEGrid"),
                              ("hfe-noood", "HFE (no OOD)", "HFENoOOD"), ("gc-split", "GC", "GCSplit"), ("new-method", "Entirely Other", "NewMethod")):
        assert class_name(name, label) == want
