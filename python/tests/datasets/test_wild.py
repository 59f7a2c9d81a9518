"""fetch wild: made files in the forms of its sources, read by the entries of sources.yaml."""

import hashlib

import numpy as np
import pytest
import small
import yaml
from server import serving

import qatsbench.datasets
from qatsbench.datasets import folder, forms, splits, table
from qatsbench.datasets.errors import DatasetError

CLASSES = "AnnualCrop Forest HerbaceousVegetation Highway Industrial Pasture PermanentCrop Residential River SeaLake".split()


def accuracy(scores, y):
    predicted = scores >= 0.5 if scores.ndim == 1 else scores.argmax(1)
    return round(float(np.mean(predicted == y)), 3)


def nadeemn():
    """A tensor, and labels as the folders of images, as Windows writes them."""
    z, _, y = small.draw(21, 200, 10)
    other, _, _ = small.draw(22, 200, 10)
    listed = "".join(f"EuroSAT_MS\\{CLASSES[c]}\\{CLASSES[c]}_{i}.tif\n" for i, c in enumerate(y)).encode()
    return (
        {"test_logits_ms.pt": small.tensor(z), "test_logits_rgb.pt": small.tensor(other), "splits/test.txt": listed},
        {"eurosat/resnet18-ms": (z, y), "eurosat/resnet18-rgb": (other, y)},
    )


def maxc01():
    z, _, y = small.draw(23, 200, 10)
    return {"examples/test-logits.npz": small.npz(logits=z, targets=y)}, {"mnist/cnn": (z, y)}


def yuvedasri():
    """One probability a row, and labels as floats."""
    _, p, y = small.draw(24, 200, 2)
    p = p[:, 1].copy()
    return {"outputs/test_probs.npy": small.npy(p), "outputs/test_labels.npy": small.npy(y.astype("f4"))}, {"herg-karim/gat": (p, y)}


def dylannow():
    """Two published sets of one probability a row."""
    parts, files = [], {}
    for seed, name in ((25, "calibration"), (26, "test")):
        _, p, y = small.draw(seed, 200, 2)
        p = p[:, 1].astype("f8")
        files |= {f"{name}_probs.npy": small.npy(p), f"{name}_labels.npy": small.npy(y)}
        parts.append((p, y))
    return files, {"code15-chagas/efficientnet-v2-s": tuple(parts)}


MADE = {"nadeemn": nadeemn, "maxc01": maxc01, "yuvedasri": yuvedasri, "dylannow": dylannow}


def world(tmp_path, origin):
    """Returns a table with the networks of one origin, the files of a mirror, and what is in them."""
    with open(table.TABLE, encoding="utf-8") as f:
        top = yaml.safe_load(f)
    files, want = MADE[origin]()
    o = next(o for o in top["origins"] if o["name"] == origin)
    assert {f["path"] for f in o["files"]} == set(files)
    for f in o["files"]:
        f |= {"sha256": hashlib.sha256(files[f["path"]]).hexdigest(), "bytes": len(files[f["path"]])}
    wild = next(s for s in top["sources"] if s["name"] == "wild")
    wild["networks"] = [n for n in wild["networks"] if f"{n['dataset']}/{n['network']}" in want]
    assert len(wild["networks"]) == len(want)
    mirror = {f"{o['repository']}/{o['commit']}/{path}": data for path, data in files.items()}
    return {"origins": [o], "sources": [wild]}, mirror, want


def fetch(tmp_path, top, mirror):
    with serving(mirror) as s:
        return qatsbench.datasets.fetch(
            "wild",
            into=str(tmp_path / "wild"),
            url=s.url,
            downloads=str(tmp_path / "cache"),
            table=small.write(tmp_path / "table.yaml", top),
        )


@pytest.mark.parametrize("origin", MADE)
def test_rows_and_labels(tmp_path, origin):
    top, mirror, want = world(tmp_path, origin)
    for n in top["sources"][0]["networks"]:
        for key in ("halves", "test"):
            if "accuracy" in n.get(key, {}):
                found = want[f"{n['dataset']}/{n['network']}"]
                n[key]["accuracy"] = accuracy(*(found[1] if isinstance(found[0], tuple) else found))
    s = fetch(tmp_path, top, mirror)
    assert not s.failed and {n["entry"]["set"] for n in s.networks} == set(want)
    for name, parts in want.items():
        if not isinstance(parts[0], tuple):  # one published set
            scores, y = parts
            side = np.array([splits.calibrates(name.split("/")[0], "test", i) for i in range(len(y))])
            parts = (scores[side], y[side]), (scores[~side], y[~side])
        for part, (scores, y) in zip(("cal", "test"), parts):
            got = np.load(tmp_path / "wild" / name / part / "logits.npy")
            assert np.array_equal(np.load(tmp_path / "wild" / name / part / "labels.npy"), y)
            if scores.ndim == 1:  # the probability of the second class
                scores = np.log(np.stack([1 - scores.astype(float), scores], 1))
            assert got.shape == scores.shape and np.allclose(got, scores, rtol=0, atol=1e-6)
    licence = top["origins"][0]["licence"]
    assert all(e["licence"] == licence for e in folder.read_manifest(tmp_path / "wild")["sets"])


@pytest.mark.parametrize("origin,stated", [("nadeemn", 0.899), ("maxc01", 0.992), ("yuvedasri", 0.767), ("dylannow", 0.745)])
def test_the_stated_accuracy_is_checked(tmp_path, origin, stated):
    s = fetch(tmp_path, *world(tmp_path, origin)[:2])
    assert len(s.failed) == 1 and f"its source says {stated}" in s.failed[0]


@pytest.mark.parametrize(
    "text,want",
    [
        ("a/cat/1.png\ncat\n", "line 2: 'cat' is not the path of a file in a folder"),
        ("a/cat/1.png\n\n", "line 2: '' is not the path"),
        ("", "line 1: '' is not the path"),
        ("a/cat/\n", "line 1: 'a/cat/' is not the path"),
        ("a\\cat\\1.png\r\na\\cow\\1.png\r\n", "line 2: the folder 'cow' is none of the classes cat, dog"),
        ("a/\xe4/1.png", "byte 2: not a text in UTF-8"),
    ],
)
def test_faults_of_paths(text, want):
    with pytest.raises(DatasetError) as e:
        forms.folders(text.encode("latin-1"), {"cat": 0, "dog": 1})
    assert str(e.value).startswith(want)


def test_labels_that_are_whole_floats():
    assert np.array_equal(forms.whole(np.array([0.0, 1.0], "f4")), [0, 1])
    for bad, text in ((0.5, "0.5"), (np.nan, "nan"), (np.inf, "inf"), (1e30, "1e\\+30")):
        with pytest.raises(DatasetError, match=f"element 1: {text} is not a whole number"):
            forms.whole(np.array([1, bad]))
