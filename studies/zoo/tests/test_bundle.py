"""Run from the folder above the package: python3 -m pytest zoo/tests"""

import numpy as np
import pytest
import torch
import yaml

from zoo import bundle, corruptions, data, export, files, train

from test_zoo import tiny_set

NET = "resnet18-w16-s2"


@pytest.fixture
def arrays(tmp_path, monkeypatch):
    """A trained tiny network with one corruption, under the name of a set that has features."""
    torch.set_num_threads(1)
    d = tiny_set()
    monkeypatch.setattr(d, "name", "tiny")
    monkeypatch.setattr(data, "SETS", {"tiny": lambda raw, cache: d})
    monkeypatch.setitem(data.LICENCES, "tiny", "free")
    monkeypatch.setitem(bundle.TERMS, "tiny", "0BSD")
    monkeypatch.setattr(corruptions, "CORRUPTIONS", {"brightness": corruptions.CORRUPTIONS["brightness"]})
    monkeypatch.setattr(bundle, "FEATURED", {"tiny": (NET,)})
    monkeypatch.setattr(bundle, "SHIFTED", NET)
    monkeypatch.setattr(bundle, "SHIFTED_ROWS", 40)
    r = train.recipe("tiny", NET, epochs=1, batch=32)
    net, history = train.train(r, d, tmp_path / "run", say=str)
    export.export(r, d, net, history, tmp_path / "arrays", say=str)
    export.export_corrupted(r, d, net, tmp_path / "arrays", tmp_path / "cache", say=str)
    return d


def test_bundle(tmp_path, arrays):
    bundle.bundle(tmp_path / "arrays", None, None, tmp_path / "bundle", say=str)
    at = tmp_path / "bundle"
    m = yaml.safe_load((at / "manifest.yaml").read_text())
    assert {s["set"] for s in m["sets"]} == {"*/*", "cifar10-jpeg*/*", *bundle.KNOWN, "tiny/*", f"tiny/{NET}"} | {f"tiny-c/{NET}/brightness/{s}" for s in range(1, 6)}
    assert {s["licence"] for s in m["sets"] if s["set"].startswith("tiny")} == {"0BSD"}
    for name, f in m["files"].items():
        assert f == dict(shape=list(np.load(at / name).shape), sha256=files.sha256(at / name))
    assert {str(p.relative_to(at)) for p in at.rglob("*.npy")} == set(m["files"])
    # Rows are those of the index list, in its order, in every array.
    rows = np.load(at / "tiny/splits/test.npy")
    assert sorted(rows) == list(arrays.test.index) and list(rows) != sorted(rows)
    place = {int(r): i for i, r in enumerate(arrays.test.index)}
    picked = [place[int(r)] for r in rows]
    for name in ("logits", "features", "labels"):
        whole = np.load(tmp_path / f"arrays/tiny/{NET}/test/{name}.npy")
        np.testing.assert_array_equal(np.load(at / f"tiny/{NET}/test/{name}.npy"), whole[picked])
    views = np.load(tmp_path / f"arrays/tiny/{NET}/test/logits_aug.npy")
    np.testing.assert_array_equal(np.load(at / f"tiny/{NET}/test/logits_aug.npy"), views[: bundle.VIEWS, picked])
    shifted = np.load(at / "tiny-c/splits/test.npy")
    assert len(shifted) == 40
    np.testing.assert_array_equal(np.load(at / f"tiny-c/{NET}/brightness/2/labels.npy"), arrays.test.y[shifted])
    assert (at / f"tiny-c/{NET}/brightness/3/features.npy").exists() and not (at / f"tiny-c/{NET}/brightness/2/features.npy").exists()
    # The same input gives the same bytes, and files by hand stay; another folder is left alone.
    (at / "LICENSE").write_text("terms")
    first = {p: p.read_bytes() for p in at.rglob("*") if p.is_file()}
    bundle.bundle(tmp_path / "arrays", None, None, at, say=str)
    assert first == {p: p.read_bytes() for p in at.rglob("*") if p.is_file()}
    with pytest.raises(ValueError, match="holds other things"):
        bundle.bundle(tmp_path / "arrays", None, None, tmp_path / "run", say=str)


def test_a_shared_sample_is_rejected(tmp_path, arrays):
    arrays.cal.x[3] = arrays.test.x[5]
    with pytest.raises(ValueError, match="a calibration sample equals a test sample"):
        bundle.bundle(tmp_path / "arrays", None, None, tmp_path / "bundle", say=str)


def test_the_limit(tmp_path, arrays, monkeypatch):
    monkeypatch.setattr(bundle, "LIMIT", 1000)
    with pytest.raises(ValueError, match="more than the 1,000 allowed"):
        bundle.bundle(tmp_path / "arrays", None, None, tmp_path / "bundle", say=str)


def test_add(tmp_path, arrays):
    """A network that is added has logits, labels and OOD rows alone, and its line in the page and the manifest."""
    at = tmp_path / "bundle"
    bundle.bundle(tmp_path / "arrays", None, None, at, say=str)
    before = yaml.safe_load((at / "manifest.yaml").read_text())
    r = train.recipe("tiny", "vgg7-w32", loss="ls", epochs=1, batch=32)
    net, history = train.train(r, arrays, tmp_path / "run2", say=str)
    export.export(r, arrays, net, history, tmp_path / "arrays", say=str)
    bundle.add(tmp_path / "arrays", None, None, at, "tiny/vgg7-w32/ls", say=str)
    m = yaml.safe_load((at / "manifest.yaml").read_text())
    assert m["sets"][:2] == before["sets"][:2]
    assert {s["set"] for s in m["sets"]} - {s["set"] for s in before["sets"]} == {"tiny/vgg7-w32/ls-0.05"}
    added = set(m["files"]) - set(before["files"])
    kept = {f"{p}/{a}" for p in ("cal", "test") for a in ("logits", "labels")}
    if arrays.ood is not None:
        kept.add("ood/logits")
    assert added == {f"tiny/vgg7-w32/ls-0.05/{f}.npy" for f in kept}
    for name in added:
        assert m["files"][name]["sha256"] == files.sha256(at / name)
    logits, labels = (np.load(at / f"tiny/vgg7-w32/ls-0.05/test/{a}.npy") for a in ("logits", "labels"))
    rows = bundle.order(len(labels))
    assert logits.dtype == np.float16 and np.array_equal(labels, arrays.test.y[rows])
    page = (at / "README.md").read_text()
    assert "| tiny | vgg7-w32 | ls-0.05 |" in page and page.count("## Bytes") == 1 and page.count("corruptions.py") == 1
    with pytest.raises(ValueError, match="already"):
        bundle.add(tmp_path / "arrays", None, None, at, "tiny/vgg7-w32/ls", say=str)


def test_a_network_is_added_with_its_corrupted_images(tmp_path, arrays, monkeypatch):
    at = tmp_path / "bundle"
    bundle.bundle(tmp_path / "arrays", None, None, at, say=str)
    monkeypatch.setattr(export, "FEATURES_UP_TO", 8)
    monkeypatch.setattr(bundle, "FEATURES_UP_TO", 8)
    r = train.recipe("tiny", "vgg7-w32", epochs=1, batch=32)
    net, history = train.train(r, arrays, tmp_path / "run2", say=str)
    export.export(r, arrays, net, history, tmp_path / "arrays", say=str)
    export.export_corrupted(r, arrays, net, tmp_path / "arrays", tmp_path / "cache", say=str)
    before = yaml.safe_load((at / "manifest.yaml").read_text())
    bundle.add(tmp_path / "arrays", None, None, at, "tiny/vgg7-w32", say=str)
    added = set(yaml.safe_load((at / "manifest.yaml").read_text())["files"]) - set(before["files"])
    shifted = {f"tiny-c/vgg7-w32/brightness/{s}/{a}.npy" for s in range(1, 6) for a in ("logits", "labels")}
    assert {name for name in added if name.startswith("tiny-c/")} == shifted  # neither features nor head
    tested = np.load(at / "tiny-c/splits/test.npy")
    np.testing.assert_array_equal(np.load(at / "tiny-c/vgg7-w32/brightness/2/labels.npy"), arrays.test.y[tested])
    assert f"networks {NET} and vgg7-w32" in (at / "README.md").read_text()
