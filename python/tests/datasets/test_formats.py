"""Imports: each format, from files that its source's own writer made of invented numbers."""

import glob
import hashlib
import io
import os
import zipfile

import h5py
import numpy as np
import pytest
import yaml
from samples import TESTDATA, content, rows

import qatsbench.datasets
from qatsbench.datasets import folder, formats, network
from qatsbench.datasets.errors import DatasetError

FILES = os.path.join(TESTDATA, "formats")
MEDMNIST = "dermamnist_test_[AUC]0.900_[ACC]0.700@resnet18_28_1.csv"


def files(format):
    """Returns the files of a format in testdata, and the options for them."""
    at = lambda p: sorted(os.path.join(FILES, n) for n in os.listdir(FILES) if n.endswith(p))  # noqa: E731
    if format == "csv":
        return [os.path.join(FILES, "table.csv")], {
            "dataset": "mine",
            "backbone": "net",
            "classes": ["z_a", "z_b", "z_c"],
            "label": "truth",
            "kind": "logits",
            "split": "split",
            "cal": "val",
        }
    if format == "medmnist":
        return [f for f in at(".csv") if "@" in f] + at(".npz"), {}
    if format == "calarena":
        return [os.path.join(TESTDATA, "hdf5", "calarena.h5")], {}
    return at(".p" if format == "nncal" else ".pkl"), {}


OF_NETWORKS = ("nncal", "medmnist", "calarena", "groupcal", "csv")  # the formats of test_lm_eval and its like are of language models


@pytest.mark.parametrize("format", OF_NETWORKS)
def test_arrays_have_the_bytes_that_the_sources_wrote(format, tmp_path):
    """testdata/formats/want.tsv has the digests, computed by the program that made the files."""
    names, options = files(format)
    into = str(tmp_path / "arrays")
    qatsbench.datasets.import_files(format, names, into, **options)
    want = [r for r in rows("formats/want.tsv") if r[0] == format]
    for _, path, dtype, shape, digest in want:
        a = np.load(os.path.join(into, path))
        assert a.dtype.str == dtype and "x".join(map(str, a.shape)) == shape
        if "log" in folder.read_manifest(into)["sets"][0]["kind"] and path.endswith("logits.npy"):
            continue  # within one unit of the last place: see test_log_probabilities
        assert hashlib.sha256(a.tobytes()).hexdigest() == digest, path
    m = folder.read_manifest(into)
    assert len(m["files"]) == len(want)
    for name, f in m["files"].items():
        assert folder.file_digest(os.path.join(into, name)) == f["sha256"]
    again = {p: os.stat(os.path.join(into, p)).st_mtime_ns for p in m["files"]}
    qatsbench.datasets.import_files(format, names, into, **options)  # the same again: nothing is written anew
    assert again == {p: os.stat(os.path.join(into, p)).st_mtime_ns for p in m["files"]} and folder.read_manifest(into) == m


def test_log_probabilities():
    rng = np.random.default_rng(3)
    p = rng.dirichlet(np.full(7, 0.05), 500)
    p[3] = np.eye(7)[2]
    got, clipped = network.log_probs(p)
    want = [[np.float32(np.log(max(x / sum(row), 2.0**-126))) for x in row] for row in p.tolist()]
    assert np.abs(got.view(np.int32) - np.array(want, np.float32).view(np.int32)).max() <= 1
    assert clipped == np.count_nonzero([[x / sum(row) < 2.0**-126 for x in row] for row in p.tolist()]) > 0
    for bad, message in (
        (p[:3] * 1.005 + 0.005, "not 1 within 0.01"),
        (p - 0.001, "is not a probability"),
        (p * np.nan, "is not a probability"),
    ):
        with pytest.raises(DatasetError, match=message):
            network.log_probs(bad)


def test_what_an_import_says(tmp_path):
    names, _ = files("medmnist")
    into = str(tmp_path / "a")
    s = qatsbench.datasets.import_files("medmnist", names, into)
    lines = list(s.lines())
    assert any(
        line.startswith("dermamnist/resnet18 ") and line.endswith("7 classes, log-probabilities (6 below 2^-126 set to it), stand-in")
        for line in lines
    )
    e = next(e for e in folder.read_manifest(into)["sets"] if e["set"] == "dermamnist/resnet18")
    assert e["stand-in"] == "another training, named 28 pixels, run 1 in its file" and "the validation set calibrates" in e["note"]
    e = next(e for e in folder.read_manifest(into)["sets"] if e["set"] == "breastmnist/resnet18")
    assert "rows of even index" in e["note"]


@pytest.mark.parametrize(
    "options,want",
    [
        ({}, "resnet18 resnet18-28-run2 resnet18-224-run1 resnet18-224-run2"),
        ({"run": "2"}, "resnet18-28-run1 resnet18 resnet18-224-run1 resnet18-224-run2"),
        ({"pixels": 224}, "resnet18-28-run1 resnet18-28-run2 resnet18 resnet18-224-run2"),
        ({"select": ["*/resnet18_224_*"]}, ""),
    ],
)
def test_names_of_trainings(options, want, tmp_path):
    names = []
    for training in ("28_1", "28_2", "224_1", "224_2"):
        names.append(str(tmp_path / f"dermamnist_test_x@resnet18_{training}.csv"))
        open(names[-1], "wb").write(content("formats/" + MEDMNIST))
    names.append(os.path.join(FILES, "dermamnist.npz"))
    read = formats.read("medmnist", names, formats.Options(**options), [])
    if not want:
        with pytest.raises(DatasetError, match="not selected"):
            list(read)
        return
    assert [n.backbone for n in read] == want.split()


def test_any_training_with_a_network(tmp_path):
    for name, said in (("resnet50", ["resnet50"]), ("", None)):
        file = str(tmp_path / "dermamnist_test_[AUC]0.918_[ACC]0.744@r50_28_seed0.csv")
        open(file, "wb").write(content("formats/" + MEDMNIST))
        read = formats.read("medmnist", [file, os.path.join(FILES, "dermamnist.npz")], formats.Options(network=name), [])
        if said is None:
            with pytest.raises(DatasetError, match="--network"):
                list(read)
            continue
        (n,) = read
        assert n.backbone == "resnet50" and n.stands_in == "another training, named r50_28_seed0 in its file"


def test_archives_leave_out_what_cannot_be_used(tmp_path):
    out = tmp_path / "p.zip"
    with zipfile.ZipFile(out, "w") as z:
        for name in (
            "p/readme.txt",
            "p/._dermamnist_test_x@resnet18_28_1.csv",
            "p/table.csv",
            "p/other.csv",
            "p/octmnist_test_x@resnet18_28_1.csv",
            "p/dermamnist_train_x@resnet18_28_1.csv",
            "p/dermamnist_test_x@autokeras.csv",
        ):
            z.writestr(name, "")
        z.writestr("p/dermamnist_test_x@resnet50_28_1.csv", "damaged")
        z.writestr("p/" + MEDMNIST, content("formats/" + MEDMNIST))
    skipped = []
    found = list(formats.read("medmnist", [str(out), os.path.join(FILES, "dermamnist.npz")], formats.Options(), skipped))
    assert [n.name for n in found] == ["dermamnist/resnet18"]
    assert (
        len(skipped) == 5 and any("(files of predictions: 2)" in s for s in skipped) and any("line 1: want an index" in s for s in skipped)
    )
    data = out.read_bytes()
    for i in range(0, len(data), 97):  # damaged archives
        out.write_bytes(data[:i] + bytes([data[i] ^ 0x21]) + data[i + 1 :])
        try:
            list(formats.read("medmnist", [str(out), os.path.join(FILES, "dermamnist.npz")], formats.Options(), []))
        except DatasetError as e:
            assert "\n" not in str(e)


def test_an_archive_without_a_folder(tmp_path):
    names, _ = files("medmnist")
    npz = [n for n in names if n.endswith(".npz")]
    for folder_ in ("", "a/", "a\\"):
        with zipfile.ZipFile(tmp_path / "predictions.zip", "w") as z:
            for n in names:
                if n not in npz:
                    z.write(n, folder_ + os.path.basename(n))
        got = qatsbench.datasets.import_files(
            "medmnist", [tmp_path / "predictions.zip", *npz], tmp_path / f"to{len(folder_)}{folder_[-1:] == '/'}"
        )
        want = qatsbench.datasets.import_files("medmnist", names, tmp_path / "want")
        assert [n["entry"]["set"] for n in got.networks] == [n["entry"]["set"] for n in want.networks]


IRREGULAR = [p for p in ("/proc/self/mem", "/proc/self/maps", "/dev/zero") if os.path.exists(p)]


@pytest.mark.parametrize(
    "format,name",
    [
        ("nncal", "probs_net_c10_logits.p"),
        ("medmnist", MEDMNIST),
        ("medmnist", "dermamnist.npz"),
        ("medmnist", "x.zip"),
        ("calarena", "x.h5"),
        ("groupcal", "c10_net_val.pkl"),
        ("lm-eval", "samples_t_2026-11-24T10-00-00.jsonl"),
        ("lm-eval", "results_2026-11-24T10-00-00.json"),
        ("inspect", "x.json"),
        ("inspect", "x.eval"),
        ("csv", "x.csv"),
    ],
)
def test_only_regular_files_are_opened(format, name, tmp_path):
    """Opening a pipe waits for ever, a device has no end, and a file of the kernel cannot be read as others are."""
    path = tmp_path / name
    os.mkfifo(tmp_path / "pipe")
    for target in [*IRREGULAR, tmp_path / "pipe"]:
        path.symlink_to(target)
        with pytest.raises(DatasetError, match=f"{name.replace('[', '.').replace(']', '.')}: not a regular file"):
            qatsbench.datasets.import_files(format, [path], tmp_path / "arrays")
        more = {
            "dermamnist.npz": [os.path.join(FILES, MEDMNIST)],
            "c10_net_val.pkl": [os.path.join(FILES, "c10_net_test.pkl")],
            "x.csv": [str(path)],
        }.get(name, [])
        skipped, o = [], formats.Options(dataset="d", backbone="b", label="y", classes=["p*"], kind="probs")
        with pytest.raises(DatasetError, match="not a regular file"):
            list(formats.read(format, [str(path), *more], o, skipped))
        path.unlink()


def edit(name, old, new, count=1):
    data = content("formats/" + name)
    assert old.encode() in data
    return data.replace(old.encode(), new.encode(), count)


def table(column, value):
    lines = content("formats/table.csv").decode().split("\n")
    f = lines[2].split(",")
    f[column] = value
    lines[2] = ",".join(f)
    return "\n".join(lines).encode()


HOSTILE = [
    ("medmnist", MEDMNIST, b"", "empty"),
    ("medmnist", MEDMNIST, content("formats/" + MEDMNIST)[:-60], "fields"),
    ("medmnist", MEDMNIST, content("formats/" + MEDMNIST).rsplit(b"\n", 2)[0], "30 rows; dermamnist.npz has 31 labels"),
    ("medmnist", MEDMNIST, edit(MEDMNIST, "\n2,", "\n1,"), "that of line 2"),
    ("medmnist", "dermamnist_test@resnet18.csv", b"", "not of resnet18 or resnet50"),
    ("medmnist", "dermamnist_train_x@resnet18_28_1.csv", b"", "has seen"),
    ("medmnist", "bloodmnist_test_x@resnet18_28_1.csv", b"", "give bloodmnist.npz"),
    ("medmnist", "x.csv", b"", "not named"),
    ("csv", "t.csv", b"", "empty"),
    ("csv", "t.csv", content("formats/table.csv").split(b"\n")[0] + b"\n", "no row after the header"),
    ("csv", "t.csv", edit("table.csv", "truth", "y"), "no column truth (the columns are id, split, z_a, z_b, z_c, y)"),
    ("csv", "t.csv", edit("table.csv", "z_", "q_", 9), 'no column "z_a"'),
    ("csv", "t.csv", edit("table.csv", ",test,", ",x,", 999), "no row of the test set"),
    ("csv", "t.csv", table(2, "NaN"), "line 3, column z_a"),
    ("csv", "t.csv", table(2, "1e99"), "1e+99"),
    ("csv", "t.csv", table(5, "3"), "label 3 is outside 0..2"),
    ("csv", "t.csv", table(5, "-1"), "label -1 is outside 0..2"),
    ("csv", "t.csv", table(5, "1,2"), "7 fields; the header has 6"),
    ("nncal", "probs_net_c10_logits.p", b"(NNt.", "validation set: None"),
    ("nncal", "probs_net_c10_logits.p", b"(d.", "a dict of 0"),
    ("nncal", "logits.p", b"(d.", "give --dataset and --backbone"),
    ("groupcal", "cifar10_net_val.pkl", b"(d.", "there is no file *_test.pkl"),
    ("groupcal", "net.pkl", b"", "not named"),
    ("calarena", "x.h5", b"", "not an HDF5 file"),
    ("ncal", "x", b"", "unknown format 'ncal'; want one of nncal, medmnist, calarena, groupcal, lm-eval, helm, inspect, llm-uncertainty"),
]


@pytest.mark.parametrize("format,name,data,want", HOSTILE)
def test_rejects(format, name, data, want, tmp_path):
    file = tmp_path / name
    file.write_bytes(data)
    options = files("csv")[1] if format == "csv" else {}
    beside = [os.path.join(FILES, "dermamnist.npz")] if format == "medmnist" else []
    with pytest.raises(DatasetError) as e:
        qatsbench.datasets.import_files(format, [str(file), *beside], str(tmp_path / "arrays"), **options)
    assert want in str(e.value) and "\n" not in str(e.value)
    assert not (tmp_path / "arrays").exists()


def pairs(tmp_path, z, y, name="probs_net_c10_logits.p"):
    import pickle

    file = tmp_path / name
    file.write_bytes(pickle.dumps([(z, y), (z, y)], 4))
    return [str(file)]


@pytest.mark.parametrize(
    "z,y,want",
    [
        (np.array([[1, np.nan], [1, 1]], "f4"), [0, 1], "row 0, class 1: nan"),
        (np.array([[1, 1], [1, np.inf]], "f4"), [0, 1], "row 1, class 1: inf"),
        (np.array([[1, 1], [1, 1e300]]), [0, 1], "row 1, class 1: 1e+300"),
        (np.ones((1, 2, 2), "f4"), [0], "want rows and classes"),
        (np.ones((0, 2), "f4"), [], "want rows and classes"),
        (np.ones((2, 1), "f4"), [0, 1], "1 class"),
        (np.ones((2, 2), "i4"), [0, 1], "want floats"),
        (np.ones((2, 2), "f4"), np.array([0, 1.0]), "must be integers"),
        (np.ones((2, 2), "f4"), [0, 2], "row 1: label 2"),
        (np.ones((2, 2), "f4"), [0, -1], "row 1: label -1 is outside 0..1"),
        (np.ones((2, 2), "f4"), [0], "1 labels for 2 rows"),
        (np.ones((2, 2), "f4"), np.ones((2, 2), int), "labels of shape [2, 2]"),
        (np.ones((2, 2), "f4"), np.array([0, 2**31]), "beyond int32"),
        (np.full((20, 2), 0.5, "f4"), [0] * 20, "these are probabilities, not logits"),
    ],
)
def test_arrays_that_do_not_fit(z, y, want, tmp_path):
    with pytest.raises(DatasetError) as e:
        list(formats.read("nncal", pairs(tmp_path, z, np.array(y)), formats.Options(), []))
    assert want in str(e.value)


def test_precision_is_that_of_the_source(tmp_path):
    for dtype, want in (("f2", "<f4"), ("f4", "<f4"), (">f4", "<f4"), ("f8", "<f8")):
        (n,) = formats.read("nncal", pairs(tmp_path, np.arange(6, dtype=dtype).reshape(3, 2), np.zeros(3, int)), formats.Options(), [])
        assert n.cal.scores.dtype.str == want


def test_two_networks_of_one_name(tmp_path):
    a = pairs(tmp_path, np.ones((2, 2)), np.zeros(2, int)) + pairs(tmp_path, np.ones((2, 2)), np.zeros(2, int), "net_c10_logits.p")
    with pytest.raises(DatasetError, match="a second network named cifar10/net"):
        list(formats.read("nncal", a, formats.Options(), []))
    with pytest.raises(DatasetError, match="name only one"):
        list(formats.read("nncal", a, formats.Options(dataset="d", backbone="b"), []))
    with pytest.raises(DatasetError, match="give both"):
        list(formats.read("nncal", a, formats.Options(dataset="d"), []))


def test_a_place_that_is_taken(tmp_path):
    into = str(tmp_path / "arrays")
    qatsbench.datasets.import_files("nncal", pairs(tmp_path, np.ones((2, 2)), np.zeros(2, int)), into, dataset="d", backbone="b")
    other = pairs(tmp_path, np.ones((3, 2)), np.zeros(3, int), "x_c10_logits.p")
    with pytest.raises(DatasetError, match="there are other arrays already; import x_c10_logits.p to another folder"):
        qatsbench.datasets.import_files("nncal", other, into, dataset="d", backbone="b")
    assert np.load(os.path.join(into, "d/b/cal/labels.npy")).shape == (2,)
    with open(os.path.join(into, "manifest.yaml"), "a") as f:
        f.write("layout: 3\n")
    assert not glob.glob(os.path.join(into, ".stage*"))


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a\\b", "a*", "a\n"])
def test_names_that_are_none(name):
    z = network.Split(np.ones((2, 2), "f4"), np.zeros(2, int))
    for d, b in ((name, "b"), ("d", name)):
        with pytest.raises(DatasetError, match="cannot name"):
            network.Network(d, b, "logits", z, z, "f").prepare()


def test_notes_fit_into_a_manifest():
    z = network.Split(np.ones((2, 2), "f4"), np.zeros(2, int))
    for names in (["a\x1b[2J\n;.csv"], [f"file-{i:03}.csv" for i in range(200)], ["x" * 2000], ["\u00e4" * 900]):
        e = folder.entry(network.Network("d", "b", "logits", z, z, "f", names=names, came_from="a;b"))
        assert len(e["note"].encode()) <= 1000 and e["note"].isprintable() and ";" not in e["from"]
        assert yaml.safe_load(yaml.safe_dump(e)) == e


def test_memory_is_limited(tmp_path):
    """Bombs: small files that ask for much memory. The reader's process ends them; the folder stays as it was."""
    gz = tmp_path / "x.h5"
    with h5py.File(gz, "w") as f:
        g = f.create_group("c10/net")
        for part in ("cal", "test"):
            g.create_dataset("probas_" + part, shape=(400_000_000, 10), dtype="f4", chunks=(100_000, 10), compression="gzip")
            g.create_dataset("labels_" + part, data=np.zeros(2, "i4"))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        with z.open("test_labels.npy", "w") as f:
            np.lib.format.write_array_header_1_0(f, {"descr": "<i8", "fortran_order": False, "shape": (80_000_000,)})
            for _ in range(40):
                f.write(bytes(16_000_000))
    npz = tmp_path / "dermamnist.npz"
    npz.write_bytes(out.getvalue())
    csv = tmp_path / MEDMNIST
    csv.write_bytes(content("formats/" + MEDMNIST))
    memo = tmp_path / "probs_net_c10_logits.p"
    memo.write_bytes(b"\x80\x02Nr\xff\xff\xff\x7f.")  # a memo of 2^31 entries
    grow = tmp_path / "probs_grow_c10_logits.p"  # each step doubles a text: 2^40 bytes
    grow.write_bytes(b"\x80\x04X\x01\x00\x00\x00x" + b"2" * 60 + b".")
    for format, names in (("calarena", [gz]), ("medmnist", [csv, npz]), ("nncal", [memo]), ("nncal", [grow])):
        with pytest.raises(DatasetError) as e:
            qatsbench.datasets.import_files(format, names, str(tmp_path / "arrays"), memory=512 << 20)
        assert "\n" not in str(e.value)
        if names != [grow]:
            assert "memory" in str(e.value), names
        assert not (tmp_path / "arrays").exists()


def test_time_is_limited(tmp_path):
    from qatsbench.datasets import worker

    with worker.Reader(seconds=1) as r:
        big = tmp_path / MEDMNIST
        big.write_bytes(b"".join(b"%d,%s\n" % (i, b",".join([b"0.001"] * 1000)) for i in range(20_000)))
        with pytest.raises(DatasetError, match="more than 1 seconds of processor time"):
            r.do(
                {
                    "do": "import",
                    "format": "medmnist",
                    "files": [str(big), os.path.join(FILES, "dermamnist.npz")],
                    "options": {},
                    "stage": str(tmp_path),
                }
            )
        with pytest.raises(DatasetError, match="no such file"):  # the next job has a process of its own
            r.do({"do": "import", "format": "nncal", "files": ["a_c10_logits.p"], "options": {}, "stage": str(tmp_path)})
