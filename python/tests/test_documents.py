"""The blocks of docs/python.md and of README run as they are printed."""

import base64
import json
import re
from pathlib import Path

import numpy as np
import pytest

import qatsbench

ROOT = Path(__file__).resolve().parent.parent.parent

pytestmark = pytest.mark.filterwarnings("ignore")


def blocks(path):
    return [b for b in re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), re.S) if "qats" in b]


@pytest.mark.parametrize("file", ["docs/python.md", "README.md", "python/README.md"])
def test_blocks_run(file, text, tmp_path, monkeypatch):
    for name in ("sklearn", "matplotlib", "torch", "pandas"):
        pytest.importorskip(name)
    import matplotlib
    from sklearn.datasets import make_classification
    from sklearn.linear_model import LogisticRegression

    matplotlib.use("agg")
    x, labels = make_classification(300, random_state=0)
    z, y, zt, yt = text
    names = {
        "np": np,
        "Z": z,
        "y": y,
        "Zt": zt,
        "yt": yt,
        "X": x,
        "labels": labels,
        "patients": np.arange(300) // 3,
        "clf": LogisticRegression(),
    }
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.yaml").write_text(
        "name: small\ndata: []\nmethods: [uncal, ts, qats]\nmetrics: [ece, nll]\nbaseline: ts\nsettings: {dataset: 20newsgroups-body, backbone: transformer-d64-l2}\n"
    )
    real = qatsbench.run  # the documents run a spec of 31 networks
    monkeypatch.setattr(qatsbench, "run", lambda spec, **more: real("small.yaml", data=ROOT / "data/bundle", **more))
    found = blocks(ROOT / file)
    assert found
    for i, block in enumerate(found):
        path = tmp_path / f"block{i}.py"  # where inspect finds the source of functions
        path.write_text(block)
        exec(compile(block, str(path), "exec"), names)  # noqa: S102 - our own documents
    if file == "docs/python.md":
        assert (tmp_path / "results/out/index.html").is_file()
        line = re.search(r"`(metrics: \[nll, \{metric: ece, .*?\])`", (ROOT / file).read_text(encoding="utf-8"))[1]
        (tmp_path / "options.yaml").write_text((tmp_path / "small.yaml").read_text().replace("metrics: [ece, nll]", line))
        assert "ece_10_quantile_l2" in set(real("options.yaml", data=ROOT / "data/bundle", out="options").frame["metric"])
    c = names["c"]
    assert isinstance(c, qatsbench.QaTS) and round(c.score(zt, yt, "ece"), 4) == 0.0524


def test_the_tutorial_runs(program, tmp_path, monkeypatch):
    """Each block in its order; that of ONNX where its exporter is installed."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("sklearn")
    monkeypatch.chdir(tmp_path)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # a small network: threads would only wait for each other
    names = {}
    try:
        for block in re.findall(r"```python\n(.*?)```", (ROOT / "docs/tutorial.md").read_text(encoding="utf-8"), re.S):
            if "onnx.export" in block:
                try:
                    import onnxscript  # noqa: F401
                except ImportError:
                    continue
            exec(block, names)  # noqa: S102 - our own document
    finally:
        torch.set_num_threads(threads)
    z, p = names["Zt"].numpy(), names["p"]  # p of six lines of numpy
    assert names["r"].best in qatsbench.METHODS
    assert np.abs(p - qatsbench.load("ts.json").predict_proba(z)).max() < 1e-6
    with torch.no_grad():
        deployed = names["deployed"](names["images"][names["test"]])
    assert np.abs(deployed.numpy() - p).max() < 1e-6
    assert qatsbench.ece(p, names["yt"]) < qatsbench.ece(z, names["yt"], kind="logits") / 2


def test_the_notebook_has_neither_warnings_nor_dead_progress_bars():
    cells = json.loads((ROOT / "python" / "examples" / "quickstart.ipynb").read_text(encoding="utf-8"))["cells"]
    outputs = [o for c in cells for o in c.get("outputs", ())]
    assert sum("image/png" in o.get("data", {}) for o in outputs) == 3
    for o in outputs:
        assert o["output_type"] != "error" and o.get("name") != "stderr", o
        assert not [form for form in o.get("data", {}) if "widget" in form], o


def test_the_function_of_a_model_is_that_of_to_numpy():
    text = (ROOT / "docs/formats.md").read_text(encoding="utf-8")
    block = re.search(r"#### A model without the program.*?```python\n(.*?)```", text, re.S)[1]
    ecdf = base64.b64encode(np.array([0.125, 0.25, 0.5, 1.0]).tobytes()).decode()
    c = qatsbench.QaTS()
    model = {
        "method": "qats",
        "version": c._version,
        "options": {},
        "classes": 3,
        "params": {"a": 1.5, "b": 0.5, "ecdf": ecdf},
        "report": {},
    }
    assert c._keep(model, None, {}).to_numpy() == block
