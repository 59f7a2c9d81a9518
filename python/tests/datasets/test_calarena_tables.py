"""CalArena's benchmarks of tables: made files in the form of its generators, and the two specs."""

import os

import numpy as np
import pytest
import yaml

import qatsbench.datasets
from qatsbench.datasets import folder, table

EXPERIMENTS = os.path.join(os.path.dirname(__file__), "..", "..", "..", "experiments")


def softmax(z):
    e = np.exp(z - z.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def make(path, groups):
    """Writes a file as generate_tabrepo_benchmarks.py does. Two classes are one column: the probability of the second."""
    h5py = pytest.importorskip("h5py")
    rng = np.random.default_rng(9)
    made = {}
    with h5py.File(path, "w") as f:
        f.attrs["source"], f.attrs["problem_type"] = "tabrepo", "binary"
        for name, k in groups:
            grp, made[name] = f.create_group(name), {}
            for part, n in (("cal", 90), ("test", 10)):
                p = softmax(rng.normal(size=(n, k))).astype(np.float32)
                p = p[:, 1] if k == 2 else p
                y = rng.integers(0, k, n).astype(np.int32)
                grp.create_dataset(f"probas_{part}", data=p, compression="gzip")
                grp.create_dataset(f"labels_{part}", data=y, compression="gzip")
                made[name][part] = (p, y)
    return made


def test_two_files_of_one_benchmark(tmp_path):
    """Two classes and several, names with capitals and underscores, and a data set of both files."""
    files = [str(tmp_path / f"tabarena-{kind}.h5") for kind in ("binary", "multiclass")]
    made = make(files[0], [("APSFailure/TabPFN-v2.6", 2), ("HR_Analytics/RealMLP_GPU", 2), ("hiva_agnostic/TabICLv2", 2)])
    made |= make(files[1], [("hiva_agnostic/Mitra_GPU", 3), ("MIC/TabM_GPU", 8)])
    s = qatsbench.datasets.import_files("calarena", files, into=str(tmp_path / "arrays"))
    names = {
        "APSFailure/TabPFN-v2.6": "apsfailure/tabpfn-v2.6",
        "HR_Analytics/RealMLP_GPU": "hr-analytics/realmlp-gpu",
        "hiva_agnostic/TabICLv2": "hiva-agnostic/tabiclv2",
        "hiva_agnostic/Mitra_GPU": "hiva-agnostic/mitra-gpu",
        "MIC/TabM_GPU": "mic/tabm-gpu",
    }
    assert {n["entry"]["set"] for n in s.networks} == set(names.values()) and not s.skipped
    for name, parts in made.items():
        for part, (p, y) in parts.items():
            got = np.load(tmp_path / "arrays" / names[name] / part / "logits.npy")
            want = np.stack([1 - p.astype(float), p], 1) if p.ndim == 1 else p.astype(float)
            assert np.allclose(got, np.log(want / want.sum(1, keepdims=True)), rtol=0, atol=1e-5)
            assert np.array_equal(np.load(tmp_path / "arrays" / names[name] / part / "labels.npy"), y)
    for e in folder.read_manifest(tmp_path / "arrays")["sets"]:
        assert e["domain"] == "tables and signals" and e["from"].startswith("CalArena's networks (tabarena-")


def test_a_choice_of_files(tmp_path):
    t = table.Table()
    names = lambda *only: [t.files[i].name for i in t.choose(t.source("calarena"), only)]  # noqa: E731
    assert names() == ["cv-multiclass.h5"]
    assert names("tabrepo-*") == ["tabrepo-multiclass.h5", "tabrepo-binary.h5"]
    assert names("tabarena-*") == ["tabarena-multiclass.h5", "tabarena-binary.h5"]


@pytest.mark.skipif(not os.path.isdir(EXPERIMENTS), reason="not in a clone")
@pytest.mark.parametrize("bench,settings,datasets,models", [("tabrepo", 832 + 520, 104 + 65, 8), ("tabarena", 314 + 84, 30 + 8, 11)])
def test_specs_have_the_settings_that_calarena_states(bench, settings, datasets, models):
    """The numbers are those of the README of github.com/probkit/CalArena."""
    with open(os.path.join(EXPERIMENTS, f"calarena-{bench}.yaml"), encoding="utf-8") as f:
        grids = yaml.safe_load(f)["settings"]
    found = [(d, b) for g in grids for d in g["dataset"] for b in g["backbone"]]
    assert len(found) == len(set(found)) == settings
    assert len({d for d, _ in found}) == datasets and len({b for _, b in found}) == models
