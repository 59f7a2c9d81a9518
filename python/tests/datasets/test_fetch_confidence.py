"""fetch confidence: made files in the form of its source, read by the entries of sources.yaml."""

import hashlib
import os

import numpy as np
import pytest
import small
import yaml
from server import serving

import qatsbench.datasets
from qatsbench.datasets import folder, splits, table
from qatsbench.datasets.errors import DatasetError


def made(seed, entry, n=200):
    """Returns labels, predictions and confidences, and the CSV file of them with the columns of an entry."""
    r, k = np.random.default_rng(seed), min(entry["classes"], 7)
    y, predicted, c = r.integers(0, k, n), r.integers(0, k, n), r.uniform(1 / k, 1, n)
    predicted[: n // 2] = y[: n // 2]
    part = entry["halves"]
    texts = {i: t for t, i in part["labels"].get("codes", {}).items()}
    columns = [part["labels"]["column"], part["predicted"]["column"], *part["scores"]["columns"]]
    lines = [",".join(columns)] + [f"{texts.get(a, a)},{texts.get(b, b)},{float(x)!r}" for a, b, x in zip(y, predicted, c)]
    return y, predicted, c, ("\n".join(lines) + "\n").encode()


def world():
    """Returns the table with the source confidence alone, the files of a mirror, and what is in them."""
    with open(table.TABLE, encoding="utf-8") as f:
        top = yaml.safe_load(f)
    source = next(s for s in top["sources"] if s["name"] == "confidence")
    entries = {n["halves"]["scores"]["file"]: n for n in source["networks"]}
    origins = [o for o in top["origins"] if any(i.startswith(o["name"] + ":") for i in entries)]
    mirror, want = {}, {}
    for o in origins:
        for f in o["files"]:
            entry = entries[f"{o['name']}:{f['path']}"]
            y, predicted, c, data = made(len(want), entry)
            f |= {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
            mirror[f"{o['repository']}/{o['commit']}/{f['path']}"] = data
            want[f"{entry['dataset']}/{entry['network']}"] = y, predicted, c, o["licence"]
            if "accuracy" in entry["halves"]:
                entry["halves"]["accuracy"] = float(np.mean(y == predicted))
    return {"origins": origins, "sources": [source]}, mirror, want


def fetch(tmp_path, top, mirror):
    with serving(mirror) as s:
        return qatsbench.datasets.fetch(
            "confidence",
            into=str(tmp_path / "confidence"),
            url=s.url,
            downloads=str(tmp_path / "cache"),
            table=small.write(tmp_path / "table.yaml", top),
        )


def test_rows_are_right_where_the_prediction_is_the_label(tmp_path):
    top, mirror, want = world()
    s = fetch(tmp_path, top, mirror)
    assert not s.failed and {n["entry"]["set"] for n in s.networks} == set(want)
    for name, (y, predicted, c, _) in want.items():
        side = np.array([splits.calibrates(name.split("/")[0], "test", i) for i in range(len(y))])
        for part, rows in (("cal", side), ("test", ~side)):
            at = tmp_path / "confidence" / name / part
            assert np.array_equal(np.load(at / "confidence.npy").ravel(), c[rows])
            assert np.array_equal(np.load(at / "correct.npy").ravel(), (y == predicted)[rows])
    sets = folder.read_manifest(tmp_path / "confidence")["sets"]
    assert all(e["licence"] == want[e["set"]][3] and e["kind"] == "confidence" for e in sets)
    assert {e["set"].split("/")[0]: e["classes"] for e in sets} == {"imagenet": 1000, "birds": 200, "mmlu": 4, "plant-disease": 38}


def test_the_stated_accuracy_is_checked(tmp_path):
    top, mirror, _ = world()
    top["sources"][0]["networks"][-1]["halves"]["accuracy"] = 0.933
    s = fetch(tmp_path, top, mirror)
    assert len(s.failed) == 1 and "its source says 0.933" in s.failed[0]


def test_the_spec_has_the_networks_of_the_source():
    root = os.path.join(os.path.dirname(__file__), "..", "..", "..")
    with open(os.path.join(root, "experiments", "confidence.yaml"), encoding="utf-8") as f:
        spec = yaml.safe_load(f)
    of = lambda b: b if isinstance(b, list) else [b]  # noqa: E731
    networks = {f"{s['dataset']}/{b}" for s in spec["settings"] for b in of(s["backbone"])}
    assert networks == {f"{n['dataset']}/{n['network']}" for n in table.Table().source("confidence").networks}


@pytest.mark.parametrize(
    "change,want",
    [
        (lambda n: n["halves"].pop("predicted"), "halves: predicted is for the kind confidence, and needed there"),
        (lambda n: n.update(kind="probs"), "networks[0].classes: want at least 2, of the kind confidence"),
        (lambda n: n.update(classes=1), "networks[0].classes: want at least 2, of the kind confidence"),
        (lambda n: n.update(kind="odds"), "networks[0].kind: want logits, probs or confidence"),
    ],
)
def test_faults_of_entries(tmp_path, change, want):
    top, _, _ = world()
    change(top["sources"][0]["networks"][0])
    with pytest.raises(DatasetError, match=want.replace("[", r"\[").replace("]", r"\]")):
        table.Table(small.write(tmp_path / "table.yaml", top))
