"""What tools/generate.py writes is what the program says."""

import importlib.util
import inspect
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import qatsbench

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
    for name, label, want in (
        ("qats-pw-free", "QaTS-PW free", "QaTSPWFree"),
        ("ts-ecegrid", "TS (ECE grid)", "TSECEGrid"),
        ("hfe-noood", "HFE (no OOD)", "HFENoOOD"),
        ("gc-split", "GC", "GCSplit"),
        ("new-method", "Entirely Other", "NewMethod"),
    ):
        assert class_name(name, label) == want


def test_signatures_and_docstrings_are_those_of_written_classes():
    assert str(inspect.signature(qatsbench.DAC)) == "(*, neighbours: int | None = None, bank: int = 10000, kind: str | None = None) -> None"
    assert (
        str(inspect.signature(qatsbench.DAC.fit))
        == "(self, logits: Any, labels: Any, *, features: Any, classes: Any = None, ignore: Any = None, "
        "sample_weight: Any = None, groups: Any = None, folds: Any = None, kind: str | None = None) -> Self"
    )
    assert str(inspect.signature(qatsbench.DAC.predict)) == "(self, logits: Any, *, features: Any) -> numpy.ndarray"
    assert (
        str(inspect.signature(qatsbench.TS.fit)) == "(self, logits: Any, labels: Any, *, classes: Any = None, ignore: Any = None, "
        "sample_weight: Any = None, groups: Any = None, folds: Any = None, kind: str | None = None) -> Self"
    )
    doc = inspect.getdoc(qatsbench.DAC)
    assert (
        doc.startswith("Density-aware calibration (DAC): temperature linear in the distance")
        and "neighbours : int | None\n    K: distances" in doc
        and "bank : int, default 10000" in doc
    )
    assert qatsbench.DAC().__doc__ == qatsbench.DAC.__doc__
    assert (
        inspect.getdoc(qatsbench.DAC.fit)
        == "Fit the method, as Calibrator.fit says. Besides it takes:\n\nfeatures: n x d features of the rows"
    )
    assert (qatsbench.DAC.__module__, qatsbench.DAC.fit.__qualname__) == ("qatsbench._methods", "DAC.fit")


def test_a_long_name_says_which_class_it_is():
    for name, says in {
        "TemperatureScaling": "TS; TSGuo50, TSECEGrid, TSTop are near it",
        "PlattScaling": "Platt; PlattLogits, PlattTop are near it",
        "VectorScaling": "VS",
        "IsotonicRegression": "IR; IROvA, IRTop are near it",
        "HistogramBinning": "HB; HBMass, HBTop are near it",
        "DirichletCalibration": "Dirichlet",
        "VennAbers": "CVAP; IVAP is near it",
    }.items():
        with pytest.raises(AttributeError, match=f"^qatsbench.{name} is qatsbench.{says}$"):
            getattr(qatsbench, name)
    for name in ("Temp", "TS2", "temperature_scaling", "_Vector"):
        with pytest.raises(AttributeError, match="^module 'qatsbench' has no attribute"):
            getattr(qatsbench, name)


def test_functions_stand_before_classes():
    first = qatsbench.__all__[: qatsbench.__all__.index("CalibratedClassifier")]
    assert all(name[0].islower() for name in first) and "recommend" == first[0]
    assert len(set(qatsbench.__all__)) == len(qatsbench.__all__) and all(hasattr(qatsbench, name) for name in qatsbench.__all__)


def test_mistakes_in_arguments_name_the_class():
    with pytest.raises(TypeError, match=r"^DAC.__init__\(\) got an unexpected keyword argument 'bnak'"):
        qatsbench.DAC(bnak=3)
    with pytest.raises(TypeError, match=r"__init__\(\) takes 1 positional argument"):
        qatsbench.DAC(3)
    with pytest.raises(TypeError, match=r"^DAC.fit\(\) .*'features'"):
        qatsbench.DAC().fit([[0.0, 1]], [0])
    with pytest.raises(TypeError, match=r"^DAC.predict\(\) .*'feature'"):
        qatsbench.DAC().predict([[0.0, 1]], features=3, feature=3)


def test_methods_are_listed():
    assert qatsbench.METHODS[0] == "uncal" and "qats" in qatsbench.METHODS and len(set(qatsbench.METHODS)) == len(qatsbench.METHODS)
    assert all(qatsbench.calibrator(m)._name == m for m in qatsbench.METHODS)


def test_no_option_hides_a_method():
    for name in qatsbench.METHODS:
        c = qatsbench.calibrator(name)
        assert all(callable(getattr(c, m)) for m in dir(qatsbench.Calibrator) if callable(getattr(qatsbench.Calibrator, m))), name


class Mine(qatsbench.HB):
    """A class of a user."""

    def __init__(self, *, bins: int = 7, extra: str = "x", kind: str | None = None) -> None:
        super().__init__(bins=bins, kind=kind)
        self.extra = extra


def test_a_class_of_a_user_inherits(small):
    c = Mine(extra="y").fit(*small)
    again = pickle.loads(pickle.dumps(c))
    assert repr(again) == "Mine(extra='y')" and again.get_params() == {"bins": 7, "extra": "y", "kind": None}
    np.testing.assert_array_equal(again.predict_proba(small[0]), qatsbench.HB(bins=7).fit(*small).predict_proba(small[0]))
    base = pytest.importorskip("sklearn.base")
    assert repr(base.clone(c)) == "Mine(extra='y')"


def test_joblib_takes_an_estimator_to_other_processes(small, tmp_path):
    joblib = pytest.importorskip("joblib")
    features = np.random.default_rng(3).normal(size=(200, 4))
    c = qatsbench.DAC(neighbours=3).fit(*small, features=features)
    joblib.dump(c, tmp_path / "c.joblib")
    want = c.predict_proba(small[0], features=features)
    np.testing.assert_array_equal(joblib.load(tmp_path / "c.joblib").predict_proba(small[0], features=features), want)
    found = joblib.Parallel(2)(joblib.delayed(e.predict_proba)(small[0], features=features) for e in (c, c))
    np.testing.assert_array_equal(found[1], want)


def test_an_import_reads_nothing_that_it_does_not_need():
    needed = "json, mmap, os, pathlib, shutil, subprocess, sys, tempfile, threading, typing, numpy"
    code = f"import {needed}; before = set(sys.modules); import qatsbench; print(*sorted(set(sys.modules) - before))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONPATH": str(PYTHON)}
    ).stdout.split()
    assert not [m for m in loaded if not m.startswith("qatsbench")]
    allowed = {"_arrays", "_beside", "_calibrator", "_confidence", "_errors", "_files", "_methods", "_metrics"}
    allowed |= {"_program", "_safetensors", "_version"}
    assert {m for m in loaded if m.startswith("qatsbench.")} == {f"qatsbench.{m}" for m in allowed}
    assert not {m.split(".")[0] for m in loaded} & {
        "sklearn",
        "pandas",
        "torch",
        "matplotlib",
        "scipy",
        "asyncio",
        "importlib.metadata",
        "difflib",
        "tqdm",
        "secrets",
        "hashlib",
        "hmac",
        "base64",
    }


@pytest.mark.skipif(not importlib.util.find_spec("mypy"), reason="needs mypy")
def test_the_stub_is_what_the_classes_are(tmp_path):
    words = [
        sys.executable,
        "-m",
        "mypy.stubtest",
        "qatsbench._methods",
        "--ignore-disjoint-bases",
        "--mypy-config-file",
        str(PYTHON / "pyproject.toml"),
    ]
    allow = tmp_path / "allow"
    allow.write_text(r"qatsbench\._methods\.(json|Any|Path|Parameter|Signature|signature|MORE)" + "\n")
    env = {"PYTHONPATH": str(PYTHON), "MYPY_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [*words, "--allowlist", str(allow), "--ignore-unused-allowlist"], capture_output=True, text=True, env=env, cwd=PYTHON
    )
    assert done.returncode == 0, done.stdout + done.stderr
