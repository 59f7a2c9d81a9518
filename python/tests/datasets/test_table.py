"""sources.yaml: what it lists, and the faults that a table can have."""

import copy
import json
import os
import re

import pytest
import small
import yaml

from qatsbench.datasets import published, table
from qatsbench.datasets.errors import DatasetError
from qatsbench.datasets.fetching import plan_source

SCHEMA = os.path.join(os.path.dirname(table.TABLE), "sources.schema.json")


def validator():
    jsonschema = pytest.importorskip("jsonschema")
    with open(SCHEMA, encoding="utf-8") as f:
        return jsonschema.Draft202012Validator(json.load(f))


@pytest.fixture(scope="module")
def real():
    return table.Table()


def test_the_table_is_of_the_schema():
    with open(table.TABLE, encoding="utf-8") as f:
        top = yaml.safe_load(f)
    assert [e.message for e in validator().iter_errors(top)] == []


def test_what_is_listed(real):
    networks = real.sources["real"].networks
    names = [f"{n['dataset']}/{published.name_of(n)}" for n in networks]
    seeds = [n for n in names if re.search(r"/resnet50-seed[0-4]$", n)]
    assert len(seeds) == 50 and len({n.split("/")[0] for n in seeds}) == 10  # five trainings on each of the paper's MedMNIST sets
    assert len([f for f in real.sources["nncal"].files]) == 11
    for id, f in real.files.items():
        if "/raw" in f.url and not f.git:
            assert f.sha256 and f.bytes, id
    assert all(f.licence for f in real.files.values())
    used = {f for s in real.sources.values() for n in s.networks for f in published.files_of(n)}
    spare = {
        i
        for i, f in real.files.items()
        if i.split(":")[0] not in ("nncal", "medmnist-predictions", "medmnist-data", "calarena", "smartyfh")
    } - used
    assert not spare, spare


def test_networks_of_one_data_set_have_one_rule(real):
    """Divided sets of a data set have the same rows, unless the table gives the published set another name."""
    for n in plan_source(real, real.sources["real"], labels="repositories").networks:
        if "halves" in n:
            assert n["halves"].get("published", "test") == ("test-5000" if n["network"].startswith("resnet14") else "test")


def test_files_at_a_mirror(real):
    for f in real.files.values():
        m = f.at("http://mirror/x/")
        assert m.url.startswith("http://mirror/x/") and m.sha256 == f.sha256
    assert len({f.key for f in real.files.values()}) == len(real.files)


def set_(path, value):
    def change(top):
        x = top
        for k in path[:-1]:
            x = x[k]
        if value is None:
            del x[path[-1]]
        else:
            x[path[-1]] = value

    return change


FILE = ("origins", 0, "files", 0)
NET = ("sources", 0, "networks", 0)
FAULTS = [
    (set_(("x",), 1), "x: unknown key"),
    (set_((*FILE, "sha256"), None), "origins[0].files[0]: sha256 is missing"),
    (set_((*FILE, "sha256"), "F" * 64), "origins[0].files[0].sha256: "),
    (set_((*FILE, "path"), "../x"), "origins[0].files[0].path: '../x' is no path"),
    (set_((*FILE, "bytes"), 0), "want a number above 0"),
    (set_((*FILE, "bytes"), "many"), "origins[0].files[0].bytes: 'many'; want int"),
    (set_(("origins", 0, "commit"), "main"), "origins[0].commit: want 40 hexadecimal digits"),
    (set_(("origins", 0, "url"), "https://x"), "want repository and commit, or url"),
    (set_(("origins", 1, "name"), "repo"), "want a new name"),
    (set_((*NET, "kind"), "probabilities"), "sources[0].networks[0].kind: want logits, probs or confidence"),
    (set_((*NET, "kid"), "logits"), "unknown key"),
    (set_((*NET, "test"), None), "want cal and test, or halves"),
    (set_((*NET, "test", "labels"), None), "sources[0].networks[0].test: labels is missing"),
    (set_((*NET, "test", "scores", "file"), "repo:none"), "'repo:none' is no file of the origins"),
    (set_((*NET, "test", "scores", "form"), "xls"), "'xls'; want npy"),
    (set_(("sources", 0, "networks", 1, "network"), "pairs"), "d/pairs is there already"),
    (set_(("sources", 1, "format"), "xls"), "sources[1].format"),
    (set_(("sources", 1, "origins"), ["none"]), "'none' is no origin"),
]


@pytest.mark.parametrize("change,want", FAULTS)
def test_faults(change, want, tmp_path):
    top = copy.deepcopy(small.make()[0])
    change(top)
    with pytest.raises(DatasetError) as e:
        table.Table(small.write(tmp_path / "t.yaml", top))
    assert want in str(e.value) and str(tmp_path) in str(e.value) and "\n" not in str(e.value)


def test_the_schema_finds_faults_too():
    v = validator()
    top = small.make()[0]
    assert not list(v.iter_errors(top))
    found = 0
    for change, _ in FAULTS:
        top = copy.deepcopy(small.make()[0])
        change(top)
        found += bool(list(v.iter_errors(top)))
    assert found >= 12  # a schema knows nothing of names that are there already, or of files


def test_a_table_that_is_none(tmp_path):
    for text, want in (("[", "t.yaml"), ("", "want keys and values"), ("origins: 1\nsources: []\n", "origins: '1'; want list")):
        (tmp_path / "t.yaml").write_text(text)
        with pytest.raises(DatasetError, match=want):
            table.Table(tmp_path / "t.yaml")
    with pytest.raises(DatasetError, match="No such file"):
        table.Table(tmp_path / "x.yaml")
