"""Labelled tables and pickles: what their headers and names say, and what is not installed."""

import gzip
import json
import os
import pickle
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
from samples import TESTDATA

import qatsbench.datasets
from qatsbench.datasets import formats, names, tables
from qatsbench.datasets.errors import DatasetError

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DATA = os.path.join(os.path.dirname(ROOT), "data")


def cases():
    """Returns the tables of data/testdata/tables, which the tests of the program read too."""
    path = os.path.join(DATA, "testdata", "tables", "cases.json")
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as f:
        return json.load(f)["tables"]


@pytest.mark.parametrize("case", cases(), ids=lambda c: c["name"])
def test_tables_are_read_as_the_program_reads_them(case, tmp_path):
    for name, data in (("t.csv", case["text"].encode()), ("t.csv.gz", gzip.compress(case["text"].encode()))):
        file = tmp_path / (name if not case["text"].lstrip().startswith(("{", "[")) else name.replace("csv", "jsonl"))
        file.write_bytes(data)
        if "error" in case:
            with pytest.raises(DatasetError) as e:
                tables.read([str(file)], formats.Options())
            want = re.sub(r"'(.*)'( is| says|:)", r'"\1"\2', case["error"]).partition("; ")[0]
            assert want in str(e.value) and "\n" not in str(e.value)
            continue
        found = tables.read([str(file)], formats.Options())
        assert (found.kind, found.told) == (case["kind"], case["told"])
        got = {s or "all": {"scores": z.tolist(), "labels": y.tolist()} for s, (z, y) in found.sets.items()}
        assert got == case["sets"]


def test_rows_without_a_class_and_masked_classes(tmp_path):
    """255 is left out, and what --ignore states; a logit of -inf is written as it is."""
    rows = [(*z, y) for z, y in zip(np.log(P), Y)]
    masked = [(*z[:2], "-inf", 255 if i % 10 == 0 else z.argmin() % 2) for i, z in enumerate(np.log(P))]
    for ignore, text in (([], rows[:50] + [(1, 2, 3, 255)] * 3), ([-100], rows[:50] + [(1, 2, 3, -100)] * 3), ([], masked)):
        file = table(tmp_path / "mine.csv", "z0,z1,z2,label", text)
        s = qatsbench.datasets.import_files("csv", [file], tmp_path / "arrays", ignore=ignore)
        assert any("rows with the label" in x for x in s.lines())
        got = load(tmp_path, "mine/network")
        assert sum(len(y) for _, y in got.values()) == sum(r[3] not in (255, -100) for r in text)
        assert all(np.isneginf(z[:, 2]).all() == (text is masked) for z, _ in got.values())
        shutil.rmtree(tmp_path / "arrays")


@pytest.mark.parametrize(
    "header,shown,want",
    [
        ("p0,p1,p2,label", 1, "label 3 is outside 0..2; the smallest is 1, so they count from 1: store labels - 1"),
        (
            "p0,p1,p2,label",
            -3,
            "the labels are -3, -2, -1, and the columns of scores p0, p1, p2 have other numbers; name each column by its class",
        ),
        (
            "p0,p1,p2,label",
            7,
            "the labels are 7, 8, 9, and the columns of scores p0, p1, p2 have other numbers; name each column by its class",
        ),
    ],
)
def test_labels_outside_the_classes(tmp_path, header, shown, want):
    file = table(tmp_path / "mine.csv", header, [(*p, y + shown) for p, y in zip(P, Y)])
    with pytest.raises(DatasetError, match=want):
        qatsbench.datasets.import_files("csv", [file], tmp_path / "arrays")


def test_one_score_a_row_in_per_cent(tmp_path):
    file = table(tmp_path / "mine.csv", "prob,label", [(100 * p[0], int(y == 0)) for p, y in zip(P, Y)])
    with pytest.raises(DatasetError, match="is not a probability; if these are per cent, divide them by 100"):
        qatsbench.datasets.import_files("csv", [file], tmp_path / "arrays")


@pytest.mark.skipif(not os.path.exists(os.path.join(DATA, "names.go")), reason="is no clone")
def test_the_program_knows_the_same_names():
    with open(os.path.join(DATA, "names.go"), encoding="utf-8") as f:
        text = f.read()
    kinds = {"AnyKind": "", "KindLogProbs": "log-probs", "KindProbs": "probs"}
    lines = re.findall(r"^\t\{(\w+), \[\]string\{(.*)\}\},$", text, re.MULTILINE)
    assert [(kinds[k], re.findall(r'"(\w+)"', n)) for k, n in lines] == names.SCORES
    assert re.findall(r'"(\w+)"', re.search(r"var labelNames = .*", text)[0]) == names.LABELS


P = np.random.default_rng(0).dirichlet(np.ones(3), 60)
Y = np.array([np.random.default_rng(i).choice(3, p=p) for i, p in enumerate(P)])


def table(path, header, rows):
    path.write_text("\n".join([header, *(",".join(map(str, r)) for r in rows)]) + "\n")
    return path


def load(tmp_path, name):
    return {part: [np.load(tmp_path / "arrays" / name / part / f"{a}.npy") for a in ("logits", "labels")] for part in ("cal", "test")}


def test_one_file_without_options(tmp_path):
    file = table(tmp_path / "mine.csv", "p0,p1,p2,label", [(*p, y) for p, y in zip(P, Y)])
    s = qatsbench.datasets.import_files("csv", [file], tmp_path / "arrays")
    got = load(tmp_path, "mine/network")
    assert len(got["cal"][1]) + len(got["test"][1]) == 60
    for y in range(3):  # half of the rows of each class
        assert abs((got["cal"][1] == y).sum() - (got["test"][1] == y).sum()) <= 1
    want = {tuple(np.log(p / p.sum()).astype("f4")): y for p, y in zip(P, Y)}
    assert all(want[tuple(z)] == y for zs, ys in got.values() for z, y in zip(zs, ys))
    lines = list(s.lines())
    assert any("probabilities in p0, p1, p2, labels in label (3 classes)" in x for x in lines) and any(
        "half of the rows of each class calibrate" in x for x in lines
    )
    again = qatsbench.datasets.import_files("csv", [file], tmp_path / "arrays")
    assert [n["entry"] for n in again.networks] == [n["entry"] for n in s.networks]


def test_a_confidence_alone(tmp_path):
    """The folder has confidence and correctness, half of the right and of the wrong rows in each set."""
    right = [i % 3 > 0 for i in range(60)]
    file = table(tmp_path / "mine.csv", "confidence,correct", [(0.5 + i / 200, str(r)) for i, r in enumerate(right)])
    s = qatsbench.datasets.import_files("csv", [file], tmp_path / "arrays")
    stated = qatsbench.datasets.import_files("csv", [file], tmp_path / "stated", classes=["1000"]).networks[0]["entry"]
    assert stated["classes"] == 1000 and "classes" not in s.networks[0]["entry"]
    assert s.networks[0]["entry"]["kind"] == "confidence" and any("60" not in x and "a confidence alone" in x for x in s.lines())
    got = {p: [np.load(tmp_path / "arrays/mine/network" / p / f"{a}.npy") for a in ("confidence", "correct")] for p in ("cal", "test")}
    assert sorted(np.concatenate([c[:, 0] for c, _ in got.values()])) == [0.5 + i / 200 for i in range(60)]
    assert [y.sum() for _, y in got.values()] == [20, 20] and not (tmp_path / "arrays/mine/network/cal/logits.npy").exists()


@pytest.mark.parametrize(
    "header,row,want",
    [
        (
            "confidence,correct",
            (1.9, 1),
            "column confidence: 1.9 is not a confidence in \\[0, 1\\]",
        ),
        ("confidence,correct", ("nan", 1), "column confidence: nan is not a confidence|column confidence: .*nan"),
        (
            "confidence,correct",
            (0.9, "perhaps"),
            'column correct: "perhaps" says neither that the prediction is right nor that it is wrong',
        ),
        ("confidence,pred,label", (0.9, "", 1), "column pred: no class; remove the row, or give it a class"),
        (
            "confidence,label",
            (0.9, 1),
            "confidence is a confidence, and nothing says which predictions are right; add a column of the predicted",
        ),
    ],
)
def test_a_confidence_that_is_none(tmp_path, header, row, want):
    last = (0.5, 1, 1)[: len(row)]
    file = table(tmp_path / "mine.csv", header, [row, last])
    with pytest.raises(DatasetError, match=want):
        qatsbench.datasets.import_files("csv", [file], tmp_path / "arrays")


def test_two_files_with_names(tmp_path):
    """The names of both files are the classes, also where one file lacks some."""
    rows = [(*p, "abc"[p.argmax()]) for p in P]
    rows.sort(key=lambda r: r[-1])
    cal, test = table(tmp_path / "c.csv", "p0,p1,p2,label", rows[:40]), table(tmp_path / "t.csv", "p0,p1,p2,label", rows[40:])
    s = qatsbench.datasets.import_files("csv", [cal, test], tmp_path / "arrays", dataset="d", backbone="b")
    got = load(tmp_path, "d/b")
    assert got["test"][1].tolist() == ["abc".index(r[-1]) for r in rows[40:]] and len(got["cal"][1]) == 40
    assert any("warning: the titles do not name the labels, which are the classes in ascending order: a is p0" in x for x in s.lines())
    table(tmp_path / "t.csv", "p0,p1,p3,label", rows[40:])
    with pytest.raises(DatasetError, match="c.csv: the files have different columns"):
        qatsbench.datasets.import_files("csv", [cal, test], tmp_path / "arrays")


def test_options_say_what_the_header_does_not(tmp_path):
    file = table(tmp_path / "x.csv", "a,b,c,what,fold", [(*p, y, i % 5) for i, (p, y) in enumerate(zip(P, Y))])
    with pytest.raises(DatasetError, match="no column of labels .*name it: --label COLUMN"):
        qatsbench.datasets.import_files("csv", [file], tmp_path / "arrays")
    qatsbench.datasets.import_files(
        "csv", [file], tmp_path / "arrays", label="what", classes=["a", "b", "c"], split="fold", cal="0", test="1", kind="probs"
    )
    assert [len(y) for _, y in load(tmp_path, "x/network").values()] == [12, 12]


@pytest.mark.parametrize(
    "found,want",
    [
        ({"logits": P, "targets": Y}, "logits with targets"),
        ({"val": {"probs": P, "y": Y}, "test": {"probs": P, "y": Y}}, "val_probs with val_y; test_probs with test_y"),
        ((P, Y), "scores with labels"),
        ((Y, P), "scores with labels"),
        ([(P, Y), (P, Y)], "cal_scores with cal_labels; test_scores with test_labels"),
        ({"y_pred": Y, "y_true": Y}, "no scores with labels"),
        ({"probs": P, "y_prob": P, "y": Y}, "several arrays can be the scores: probs (60x3 float64), y_prob (60x3 float64)"),
        ({"decision": P[:, 0] * 4 - 2, "y": (P[:, 0] > 0.5).astype(int)}, "decision with y"),
        ({"weight": P}, "no scores with labels"),
        ("text", "no scores with labels"),
    ],
)
def test_pickles(found, want, tmp_path):
    path = tmp_path / "o.pkl"
    path.write_bytes(pickle.dumps(found, 4))
    try:
        s = qatsbench.datasets.import_files("pickle", [path], tmp_path / "arrays")
    except DatasetError as e:
        assert want in str(e) and "\n" not in str(e)
        return
    told = [t for n in s.networks for t in n["told"] if "labels in" in t]
    assert [re.sub(r"^\S+ in (\S+)( \(.*\))?, labels in (\S+)$", r"\1 with \3", t) for t in told] == want.split("; ")


def test_torch(tmp_path):
    torch = pytest.importorskip("torch")
    torch.save({"logits": torch.tensor(np.log(P)).float() + 1, "labels": torch.tensor(Y)}, tmp_path / "o.pt")
    qatsbench.datasets.import_files("pickle", [tmp_path / "o.pt"], tmp_path / "arrays")
    assert load(tmp_path, "o/network")["cal"][0].dtype == np.float32


def test_parquet(tmp_path, monkeypatch):
    """pyarrow is a stand-in here: what is read of its columns is what counts."""
    import types

    columns = {"probs": P.tolist(), "label": Y.tolist()}
    fake = types.ModuleType("pyarrow.parquet")
    fake.read_table = lambda file: types.SimpleNamespace(to_pydict=lambda: columns)
    monkeypatch.setitem(sys.modules, "pyarrow", types.ModuleType("pyarrow"))
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", fake)
    (tmp_path / "o.parquet").write_bytes(b"PAR1")
    (n,) = formats.read("parquet", [str(tmp_path / "o.parquet")], formats.Options(), [])
    assert (
        n.told[0] == "probabilities in probs_0, probs_1, probs_2, labels in label (3 classes)"
        and len(n.cal.labels) + len(n.test.labels) == 60
    )


def test_true_parquet(tmp_path):
    """Doubles, floats of 32 bits in a list, and labels that are names, in a dictionary as pandas writes categories."""
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    names = np.array(["cat", "dog", "frog"])
    wide = pa.table({f"p_{c}": P[:, j] for j, c in enumerate(names)} | {"label": pa.array(names[Y]).dictionary_encode()})
    lists = pa.table({"logits": pa.array((np.log(P) + 1).tolist(), pa.list_(pa.float32())), "label": pa.array(Y, pa.int8())})
    for name, content, told, kind in (
        ("wide", wide, "probabilities in p_cat, p_dog, p_frog, labels in label (3 classes)", "log-probs"),
        ("lists", lists, "logits in logits_0, logits_1, logits_2, labels in label (3 classes)", "logits"),
    ):
        parquet.write_table(content, tmp_path / f"{name}.parquet", compression="zstd")
        s = qatsbench.datasets.import_files("parquet", [tmp_path / f"{name}.parquet"], tmp_path / "arrays")
        (n,) = s.networks
        assert n["told"][0] == told and n["entry"]["kind"] == kind
        z, y = load(tmp_path, f"{name}/network")["cal"]
        assert z.shape == (len(y), 3) and 25 <= len(y) <= 35 and set(y) == {0, 1, 2}
    (tmp_path / "broken.parquet").write_bytes(b"PAR1")
    with pytest.raises(DatasetError, match="broken.parquet: not a .parquet file that can be read"):
        qatsbench.datasets.import_files("parquet", [tmp_path / "broken.parquet"], tmp_path / "arrays")


def without(modules, *arguments, absent=None):
    """Runs the command where some modules are not installed. absent is a folder of modules that cannot be imported, for the process
    that reads files."""
    for m in modules if absent else ():
        (absent / f"{m.partition('.')[0]}.py").write_text("raise ModuleNotFoundError(__name__)\n")
    path = os.pathsep.join([*([str(absent)] if absent else []), ROOT])
    code = f"import sys\nfor m in {modules!r}: sys.modules[m] = None\nimport runpy; sys.argv = ['x', *{arguments!r}]; runpy.run_module('qatsbench.datasets', run_name='__main__')"
    r = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | {"PYTHONPATH": path})
    assert "Traceback" not in r.stderr, r.stderr
    return r


EXTRAS = ("yaml", "pooch", "requests", "h5py", "pyarrow")


def test_an_import_needs_no_extra_that_it_does_not_use(tmp_path):
    """Nor does the second import into the same folder; and the manifest is one that PyYAML reads."""
    file = table(tmp_path / "mine.csv", "p0,p1,p2,label", [(*p, y) for p, y in zip(P, Y)])
    for _ in range(2):
        r = without(EXTRAS, "import", "csv", str(file), "--to", str(tmp_path / "arrays"))
        assert r.returncode == 0 and "imported 1 network" in r.stdout, r.stderr
    s = qatsbench.datasets.import_files("csv", [file], tmp_path / "arrays")
    assert len(s.networks) == 1


@pytest.mark.parametrize(
    "modules,arguments,want",
    [
        (("yaml",), ["fetch", "real", "--list"], "the table of published files needs PyYAML, which is not installed: pip install pyyaml"),
        (("pooch",), ["fetch", "file:///nowhere", "--no-import"], "a download needs pooch, which is not installed: pip install pooch"),
        (
            ("pyarrow", "pyarrow.parquet"),
            ["import", "parquet", "FILE"],
            "a .parquet file needs pyarrow.*which is not installed: pip install pyarrow",
        ),
    ],
)
def test_what_is_not_installed_is_named_in_one_line(modules, arguments, want, tmp_path):
    (tmp_path / "x.parquet").write_bytes(b"PAR1")
    arguments = [str(tmp_path / "x.parquet") if a == "FILE" else a for a in arguments]
    (tmp_path / "absent").mkdir()
    r = without(modules, *arguments, absent=tmp_path / "absent")
    assert r.returncode == 2 and re.search(want, r.stderr) and r.stderr.count("\n") == 1, r.stderr


def test_hdf5_needs_h5py(monkeypatch):
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(DatasetError, match="a file in HDF5 needs h5py, which is not installed: pip install h5py"):
        list(formats.read("calarena", [os.path.join(TESTDATA, "hdf5", "calarena.h5")], formats.Options(), []))


def test_help_without_extras():
    r = without(EXTRAS, "--help")
    assert r.returncode == 0 and "import" in r.stdout
