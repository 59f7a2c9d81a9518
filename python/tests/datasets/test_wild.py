"""fetch wild: made files in the forms of its sources, read by the entries of sources.yaml."""

import csv
import hashlib
import json
import os
import re

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


def positive(seed, n=200):
    """Draws one probability a row, and labels."""
    _, p, y = small.draw(seed, n, 2)
    return p[:, 1].copy(), y


def stellaris():
    """Arrays of a .npz file, labels as floats, and a number that is not read."""
    p, y = positive(27)
    file = small.npz(probs=p, labels=y.astype("f4"), threshold=np.float32(0.6))
    return {"results/test_predictions.npz": file}, {"kepler-koi/cnn": (p, y)}


def shashank():
    """Three networks in one file; each patient is on one side."""
    names = ("densenet121", "resnet50", "efficientnet_b4")
    (p, y), others = positive(28), [positive(s)[0] for s in (29, 30)]
    arrays = dict(zip(names, (p, *others)))
    patients = "Image Index,Patient ID,label\n" + "".join(f"{i}.png,{i // 3},{c}\n" for i, c in enumerate(y))
    files = {"data/test.csv": patients.encode(), "results/test_predictions.npz": small.npz(y=y, **arrays)}
    groups = [str(i // 3) for i in range(len(y))]
    return files, {f"chestxray14-cardiomegaly/{n.replace('_', '-')}": (a, y, groups) for n, a in arrays.items()}


def table_of(**columns):
    """Makes a CSV file of columns, as pandas writes them."""
    rows = zip(*(c.tolist() if isinstance(c, np.ndarray) else c for c in columns.values()))
    return (",".join(columns) + "\n" + "".join(",".join(map(str, r)) + "\n" for r in rows)).encode()


def hoangsonww():
    """One probability a row, many of them 0, and decisions."""
    p, y = positive(31)
    p = np.where(p < 0.4, 0, p).astype(float)
    decision = ["fraud" if v > 0.58 else "legit" for v in p]
    return {"artifacts/test_predictions.csv": table_of(prob_fraud=p, label=y, decision=decision)}, {"emscad/ensemble": (p, y)}


def git_ansh():
    """Two published sets of two models, with labels in files of their own."""
    files, want = {}, {"deberta": [], "xgb": []}
    for seed, part in ((32, "cal"), (34, "test")):
        y = small.draw(seed, 200, 30)[2]
        files[f"model_ablation/cp_baselines/{part}_labels.npy"] = small.npy(y)
        for i, model in enumerate(want):
            p = small.draw(seed + i, 200, 30)[1]
            files[f"model_ablation/cp_baselines/{model}_{part}_probs.npy"] = small.npy(p)
            want[model].append((p, y))
    return files, {"eclipse-bugs/deberta-v3-base": tuple(want["deberta"]), "eclipse-bugs/xgboost": tuple(want["xgb"])}


def tharun2908():
    """A list of mappings in JSON, one a question."""
    files, want = {}, {}
    for seed, file, name in ((36, "baseline", "mistral-7b"), (37, "finetuned", "mistral-7b-qlora")):
        _, p, y = small.draw(seed, 200, 4)
        rows = [
            {"question": "?", "ground_truth": "ABCD"[c], "confidence": float(q.max()), "all_probs": dict(zip("ABCD", map(float, q)))}
            for q, c in zip(p, y)
        ]
        files[f"results/phase1_sft_posthoc/{file}_results.json"] = json.dumps({"mode": "full", "total": 200, "predictions": rows}).encode()
        want[f"medqa/{name}"] = (p, y)
    return files, want


def tmushd():
    """Two models in the columns of one file, beside texts with commas."""
    (forest, y), electra = positive(38), positive(39)[0]
    urls = [f'"a.com/?q={i},1"' for i in range(len(y))]
    file = table_of(url=urls, label=y, p_meta=forest, p_electra=electra, p_fusion=forest)
    return {"results/predictions_test.csv": file}, {
        "malicious-urls/electra-small": (electra, y),
        "malicious-urls/random-forest": (forest, y),
    }


def barroso2501():
    p, y = positive(40)
    file = table_of(row=np.arange(200), T=np.full(200, 2013), label=y, prob=p, Class8590=["CDPD"] * 200)
    return {"results/predictions_test.csv": file}, {"cerrado-soy/multihead": (p, y)}


def cristinarubylee():
    """Two published sets, with a column for each class."""
    files, parts = {}, []
    names = "Oxidoreductases Transferases Hydrolases Lyases Isomerases Ligases Translocases".split()
    for seed, part in ((41, "validation"), (42, "test")):
        _, p, y = small.draw(seed, 200, 7)
        columns = {f"Prob_{n}": p[:, j] for j, n in enumerate(names)}
        files[f"results/predictions/{part}_predictions.csv"] = table_of(
            True_Label=y, Pred_Label=p.argmax(1), Confidence=p.max(1), **columns
        )
        parts.append((p, y))
    return files, {"enzyme-ec/esm2-35m": tuple(parts)}


def lin_lini():
    """A column for each class, beside texts with line breaks."""
    files, want = {}, {}
    for seed, file, name in ((43, "bert", "bert-base"), (44, "compact", "compact-transformer")):
        _, p, y = small.draw(seed, 200, 3)
        probs = {f"prob_{c}": p[:, j] for j, c in enumerate(("entailment", "neutral", "contradiction"))}
        files[f"results/{file}_predictions.csv"] = table_of(premise=['"a man,\na horse"'] * 200, true_label_id=y, **probs)
        want[f"snli/{name}"] = (p, y)
    return files, want


def aliai11():
    p, y = positive(45)
    file = table_of(image_name=[f"{i}.jpg" for i in range(200)], label=y, split=["test"] * 200, pred_prob_fake=p)
    return {"data/test_predictions.csv": file}, {"ntire-aigen/vit-b16": (p, y)}


def h_1000():
    p, y = positive(46)
    return {"output/test_predictions.csv": table_of(y_true=y, y_pred=(p > 0.5).astype(int), y_prob=p)}, {
        "medicare-fraud/random-forest": (p, y)
    }


MADE = {
    f.__name__.replace("_", "-"): f
    for f in (
        *(nadeemn, maxc01, yuvedasri, dylannow, stellaris, shashank, hoangsonww, git_ansh),
        *(tharun2908, tmushd, barroso2501, cristinarubylee, lin_lini, aliai11, h_1000),
    )
}


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
        for key, i in (("halves", 0), ("cal", 0), ("test", 1)):
            if "accuracy" in n.get(key, {}):
                found = want[f"{n['dataset']}/{n['network']}"]
                n[key]["accuracy"] = accuracy(*(found[i] if isinstance(found[0], tuple) else found[:2]))
    s = fetch(tmp_path, top, mirror)
    assert not s.failed and {n["entry"]["set"] for n in s.networks} == set(want)
    for name, parts in want.items():
        if not isinstance(parts[0], tuple):  # one published set
            scores, y, *groups = parts
            side = np.array([splits.calibrates(name.split("/")[0], "test", i) for i in (groups[0] if groups else range(len(y)))])
            parts = (scores[side], y[side]), (scores[~side], y[~side])
        for part, (scores, y) in zip(("cal", "test"), parts):
            got = np.load(tmp_path / "wild" / name / part / "logits.npy")
            assert np.array_equal(np.load(tmp_path / "wild" / name / part / "labels.npy"), y)
            if scores.ndim == 1:  # the probability of the second class
                scores = np.stack([1 - scores.astype(float), scores], 1)
            if next(n["kind"] for n in top["sources"][0]["networks"] if f"{n['dataset']}/{n['network']}" == name) == "probs":
                scores = np.log(np.maximum(scores / scores.sum(1, keepdims=True), 2.0**-126))
            assert got.shape == scores.shape and np.allclose(got, scores, rtol=0, atol=1e-5)
    licence = top["origins"][0]["licence"]
    assert all(e["licence"] == licence for e in folder.read_manifest(tmp_path / "wild")["sets"])


@pytest.mark.parametrize(
    "origin,stated",
    [
        ("nadeemn", [0.899]),
        ("maxc01", [0.992]),
        ("yuvedasri", [0.767]),
        ("dylannow", [0.745]),
        ("git-ansh", [0.545, 0.661]),
        ("tharun2908", [0.493, 0.522]),
        ("tmushd", [0.96, 0.931]),
        ("cristinarubylee", [0.971]),
        ("lin-lini", [0.907, 0.793]),
        ("aliai11", [0.928]),
    ],
)
def test_the_stated_accuracy_is_checked(tmp_path, origin, stated):
    s = fetch(tmp_path, *world(tmp_path, origin)[:2])
    assert len(s.failed) == len(stated) and all(f"its source says {a}" in f for a, f in zip(stated, s.failed))


def test_each_origin_of_wild_has_a_made_file():
    with open(table.TABLE, encoding="utf-8") as f:
        top = yaml.safe_load(f)
    wild = next(s for s in top["sources"] if s["name"] == "wild")
    origins = {i.split(":")[0] for n in wild["networks"] for i in table.files_of(n)}
    assert origins == set(MADE)


DOCS = os.path.join(os.path.dirname(__file__), "..", "..", "..", "docs")


@pytest.mark.skipif(not os.path.isdir(DOCS), reason="not in a clone")
def test_repositories_that_were_looked_at():
    """Each has a commit and a verdict; what passes is in the table at that commit, and the page counts the others."""
    with open(os.path.join(DOCS, "wild-looked-at.csv"), newline="", encoding="utf-8") as f:
        rows = list(csv.DictReader(f))
    assert len({r["repository"].lower() for r in rows}) == len(rows)
    origins = {o["repository"]: o["commit"] for o in table.Table().origins.values() if "repository" in o}
    counts = {}
    for r in rows:
        assert re.fullmatch("[0-9a-f]{40}", r["commit"]) and r["rule"] in ("passes", "a", "b", "c", "d", "e", "scores", "size")
        assert all(re.fullmatch(r"\d*", r[k]) for k in ("rows", "classes"))
        if r["rule"] == "passes":
            assert origins[r["repository"]] == r["commit"]
        else:
            assert r["why"] and origins.get(r["repository"]) != r["commit"]
            counts[r["rule"]] = counts.get(r["rule"], 0) + 1
    with open(os.path.join(DOCS, "public-data.md"), encoding="utf-8") as f:
        page = f.read()
    assert "|---|---:|\n" + "".join(f"| {rule} | {n} |\n" for rule, n in sorted(counts.items())) in page


@pytest.mark.parametrize(
    "text,steps,want",
    [
        ("{", [], "not JSON"),
        ("[" * 100000, [], "not JSON"),
        ('{"a": []}', ["a"], "want a list of mappings"),
        ('{"a": {"b": 1}}', ["a", "b"], "want a list of mappings"),
        ('{"a": 1}', ["b"], "no element 'b'"),
        ('[{"p": {"A": 1}}, {"p": 2}]', [], "row 1: no element 'p/A'"),
        ('[{"p": {"A": 0.5}}, {"p": {"A": NaN}}]', [], "row 1, p/A: NaN is not a finite number"),
        ('[{"p": {"A": true}}]', [], "row 0, p/A: true is not a finite number"),
        ('[{"p": {"A": 1' + "0" * 400 + "}}]", [], "row 0, p/A: 1000"),
        ('[{"p": {"A": "0.5"}}]', [], 'row 0, p/A: "0.5" is not a finite number'),
    ],
)
def test_faults_of_records(text, steps, want):
    with pytest.raises(DatasetError) as e:
        forms.record_columns(text.encode(), steps, ["p/A"])
    assert str(e.value).startswith(want)


def test_labels_of_records():
    assert forms.record_classes(b'[{"y": "B"}, {"y": "A"}]', [], "y", {"A": 0, "B": 1}).tolist() == [1, 0]
    assert forms.record_classes(b'[{"y": 3}, {"y": 0}]', [], "y", None).tolist() == [3, 0]
    for text, codes, want in (
        ('"C"', {"A": 0}, 'row 0, y: "C" is none of the classes A'),
        ("0", {"A": 0}, "row 0, y: 0 is none of the classes A"),
        ('"A"', None, 'row 0, y: "A" is no label; want an integer from 0'),
        ("-1", None, "row 0, y: -1 is no label"),
        ("true", None, "row 0, y: true is no label"),
    ):
        with pytest.raises(DatasetError, match=re.escape(want)):
            forms.record_classes(f'[{{"y": {text}}}]'.encode(), [], "y", codes)


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
