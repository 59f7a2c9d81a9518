"""python3 -m qatsbench.serve: the functions of a file answer the calls of a run."""

import json
import subprocess
import sys

import numpy as np
import pytest

GOOD = """
import numpy as np
print("words of its own")
def fit(logits, labels, weight=0.5, seed=0):
    if len(labels) == 1:
        raise ValueError("one row")
    return {"weight": weight, "seed": seed}
def apply(model, logits):
    return np.full(logits.shape, 1 / logits.shape[1]) + 0 * model["weight"]
"""


def said(tmp_path, text, *words, lines=()):
    (tmp_path / "mine.py").write_text(text)
    return subprocess.run(
        [sys.executable, "-m", "qatsbench.serve", str(tmp_path / "mine.py"), *words],
        input="".join(json.dumps(x) + "\n" for x in lines),
        capture_output=True,
        text=True,
    )


def test_calls_are_answered_in_order_and_a_failure_ends_one_call_alone(tmp_path):
    for part, n in (("cal", 3), ("test", 2)):
        (tmp_path / part).mkdir()
        np.save(tmp_path / part / "logits.npy", np.zeros((n, 4), np.float32))
    np.save(tmp_path / "cal/labels.npy", np.zeros(3, np.int32))
    (tmp_path / "model").mkdir()
    calls = [{"id": i, "method": "mine", "call": c, "dir": str(tmp_path), "seed": 7} for i, c in enumerate(("fit", "apply"))]
    r = said(tmp_path, GOOD, "weight=0.25", "serve", lines=calls)
    assert [json.loads(line) for line in r.stdout.splitlines()] == [{"methods": [{"name": "mine"}]}, {"id": 0}, {"id": 1}], r.stderr
    assert "words of its own" in r.stderr
    assert np.load(tmp_path / "probs.npy").shape == (2, 4)
    np.save(tmp_path / "cal/labels.npy", np.zeros(1, np.int32))
    r = said(tmp_path, GOOD, "serve", lines=[calls[0], calls[1]])
    failed, after = [json.loads(line) for line in r.stdout.splitlines()][1:]
    assert failed["error"] == "ValueError: one row" and failed["line"].startswith("mine.py:6:"), failed
    assert after == {"id": 1}


def test_about_has_versions_and_options(tmp_path):
    about = json.loads(said(tmp_path, GOOD, "about").stdout)
    assert about["options"] == ["weight"] and about["modules"] == {"numpy": np.__version__}


@pytest.mark.parametrize(
    "text, words, want",
    [("def fit(z, y): pass", ["about"], "no function apply"), (GOOD, ["weight", "serve"], "not OPTION=VALUE"), (GOOD, [], "want FILE")],
)
def test_mistakes_are_one_line(tmp_path, text, words, want):
    r = said(tmp_path, text, *words)
    assert r.returncode != 0 and want in r.stderr and "Traceback" not in r.stderr
