"""fetch from loopback: small made files in the forms of the table, and the command."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import small
from samples import TESTDATA
from server import serving

import qatsbench.datasets
from qatsbench.datasets import folder, splits, worker
from qatsbench.datasets.errors import DatasetError

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


@pytest.fixture
def world(tmp_path):
    top, mirror = small.make()
    with serving(mirror) as s:
        s.top, s.table = top, small.write(tmp_path / "table.yaml", top)
        yield s


def fetch(s, tmp_path, **k):
    return qatsbench.datasets.fetch("real", into=str(tmp_path / "real"), url=s.url, downloads=str(tmp_path / "cache"), table=s.table, **k)


def load(tmp_path, name):
    return np.load(tmp_path / "real" / (name + ".npy"))


def test_every_form(world, tmp_path):
    s = fetch(world, tmp_path)
    assert not s.failed and len(s.networks) == 8 and s.loaded == len(world.files) - 2
    z, p, y = small.draw(1, 60, 3)
    zv, pv, yv = small.draw(2, 40, 3)
    assert np.array_equal(load(tmp_path, "d/pairs/cal/logits"), zv) and np.array_equal(load(tmp_path, "d/pairs/test/labels"), y)
    side = np.array([splits.calibrates("d", "test", i) for i in range(60)])
    for name in ("half", "probs"):  # the same rows for every network of a data set
        assert np.array_equal(load(tmp_path, f"d/{name}/cal/labels"), y[side]) and np.array_equal(
            load(tmp_path, f"d/{name}/test/labels"), y[~side]
        )
    assert np.array_equal(load(tmp_path, "d/half/test/logits"), z[~side])
    assert np.allclose(load(tmp_path, "d/probs/cal/logits"), np.log(p[side]), atol=1e-6)
    assert np.array_equal(load(tmp_path, "d/seeded-seed0/cal/labels"), yv) and len(load(tmp_path, "d/seeded-seed0/test/labels")) == 60
    f, w = load(tmp_path, "d/head/cal/features"), load(tmp_path, "d/head/head_weight")
    assert np.allclose(f @ w.T + load(tmp_path, "d/head/head_bias"), load(tmp_path, "d/head/cal/logits"), atol=1e-5)
    assert load(tmp_path, "d/head/ood/logits").shape == (50, 3)
    lesions = [f"L{i // 3}" for i in range(30)]
    side = np.array([splits.calibrates("g", "test", x) for x in lesions])
    assert np.array_equal(load(tmp_path, "g/groups/cal/labels"), (np.arange(30) % 2)[side])
    assert np.array_equal(load(tmp_path, "b/parts/cal/labels"), y[::-1])
    assert np.array_equal(np.bincount(load(tmp_path, "b/parts/test/labels")), [5, 5, 5])
    m = folder.read_manifest(tmp_path / "real")
    e = {e["set"]: e for e in m["sets"]}
    assert e["d/probs"]["stand-in"] == "made" and e["d/probs"]["kind"] == "log-probs" and e["d/pairs"]["kind"] == "logits"
    assert (
        "the epoch was chosen on the validation rows" in e["d/seeded-seed0"]["note"] and e["d/seeded-seed0"]["licence"] == "CC BY 4.0, MIT"
    )
    assert m["sources"]["repo:pairs.p"]["url"] == f"{world.url}/someone/predictions/{small.COMMIT}/pairs.p"
    before = len(world.requests)
    assert fetch(world, tmp_path).loaded == 0 and len(world.requests) == before  # nothing is loaded twice
    assert folder.read_manifest(tmp_path / "real") == m


def test_labels_of_repositories_only(world, tmp_path):
    s = fetch(world, tmp_path, labels="repositories")
    names = {n["entry"]["set"] for n in s.networks}
    assert "d/outside" not in names and "d/seeded-seed0" in names and not world.count("official/d.npz")
    assert len(load(tmp_path, "d/seeded-seed0/cal/labels")) + len(load(tmp_path, "d/seeded-seed0/test/labels")) == 60


def test_a_missing_file_costs_its_network_alone(world, tmp_path):
    del world.files[f"someone/predictions/{small.COMMIT}/half.npz"]
    s = fetch(world, tmp_path)
    assert [f.split(":")[0] for f in s.failed] == ["d/half", "b/parts"] and "404" in s.failed[0] and len(s.networks) == 6
    assert not (tmp_path / "real/d/half").exists()


def test_wrong_bytes_cost_their_network_alone(world, tmp_path):
    key = f"someone/predictions/{small.COMMIT}/probs.npy"
    world.files[key] = world.files[key][:-1] + b"x"
    s = fetch(world, tmp_path)
    assert {f.split(":")[0] for f in s.failed} == {"d/probs", "d/outside"} and "wrong digest" in s.failed[0]


def test_labels_in_another_order(world, tmp_path):
    world.top["sources"][0]["networks"][3]["test"]["accuracy"] = 0.987
    world.table = small.write(tmp_path / "table.yaml", world.top)
    s = fetch(world, tmp_path)
    assert len(s.failed) == 1 and "its source says 0.987: these are other labels, or in another order" in s.failed[0]


def test_two_fetches_into_one_folder_keep_both(world, tmp_path):
    fetch(world, tmp_path, only=["d/pairs"])
    fetch(world, tmp_path, only=["g/*"])
    m = folder.read_manifest(tmp_path / "real")
    assert [e["set"] for e in m["sets"]] == ["d/pairs", "g/groups"] and {"repo:pairs.p", "repo:preds.csv"} <= set(m["sources"])
    with pytest.raises(DatasetError, match="no network of real matches 'x/\\*'"):
        fetch(world, tmp_path, only=["x/*"])


def test_another_fetch_that_ends_meanwhile(world, tmp_path, monkeypatch):
    """The same networks are in the folder when the first ones have been read: they are no other arrays."""
    do, ran = worker.Reader.do, []

    def after_another(self, job):
        answer = do(self, job)
        if not ran:
            ran.append(None)
            ran[0] = fetch(world, tmp_path)
        return answer

    monkeypatch.setattr(worker.Reader, "do", after_another)
    s = fetch(world, tmp_path)
    assert not s.failed and not ran[0].failed and len(s.networks) == len(ran[0].networks) == 8


def command(*arguments, **k):
    env = os.environ | {"PYTHONPATH": ROOT}
    return subprocess.Popen(
        [sys.executable, "-m", "qatsbench.datasets", *arguments], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **k
    )


def run(*arguments, answer="", status=0):
    p = command(*arguments, stdin=subprocess.PIPE)
    out, err = p.communicate(answer)
    assert p.returncode == status, out + err
    assert "Traceback" not in err
    return out, err


def where(world, tmp_path):
    return ["--table", world.table, "--url", world.url, "--downloads", str(tmp_path / "cache"), "--to", str(tmp_path / "real")]


def test_the_command(world, tmp_path):
    at = where(world, tmp_path)
    out, _ = run("fetch", "real", *at, "--dry-run")
    assert f"{world.url}/someone/predictions/{small.COMMIT}/half.npz" in out and not world.requests
    out, _ = run("fetch", "real", *at, "--list")
    assert "d/probs: probs, halves, MIT, stand-in\n" in out
    out, err = run("fetch", "real", *at, "--only", "d/half", answer="n\n", status=2)
    assert (
        "licence: MIT" in out
        and "Download 1 file, 1." in out
        and "nothing was downloaded; answer y, or give --yes" in err
        and not world.requests
    )
    out, _ = run("fetch", "real", *at, "--only", "d/half", answer="y\n")
    assert "imported 1 network into" in out and "d/half " in out
    out, _ = run("fetch", "real", *at, "--yes")
    assert "labels of d (test)" in out and "imported 8 networks" in out
    del world.files[f"someone/predictions/{small.COMMIT}/half.npz"]
    os.remove(tmp_path / "cache/someone/predictions" / small.COMMIT / "half.npz")
    out, _ = run("fetch", "real", *at, "--yes", status=1)
    assert "failed: d/half: " in out and "imported 6 networks" in out
    out, _ = run("fetch", "nncal", *at, "--yes")
    assert "cifar10/net " in out and not world.count("pickles/probs_other_c10_logits.p")
    for arguments, want in (
        (["real", "x"], "give one source (real), or addresses of files"),
        (["ncal"], "unknown source 'ncal'; want one of real, nncal, or the address of a file"),
        (["file:///x/t.csv"], "say what the files are by --format"),
        (["ftp://x/t.csv", "--format", "csv"], "want an address that begins with https://"),
        (["file://host/t.csv", "--format", "csv"], "with three slashes"),
        (["https://a:b@c/t.csv", "--format", "csv"], "a password in it"),
        (["https://c/", "--format", "csv"], "does not end in the name of a file"),
        (["nncal", "--only", "x*"], "no file of nncal matches 'x*' (it has probs_net_c10_logits.p"),
    ):
        assert want in run("fetch", *arguments, "--table", world.table, status=2)[1]


def test_files_by_their_addresses(tmp_path):
    a = "file://" + os.path.join(TESTDATA, "formats", "probs_resnet110_c10_logits.p")
    at = ["--downloads", str(tmp_path / "c"), "--to", str(tmp_path / "a"), "--yes"]
    out, _ = run("fetch", a, "--format", "nncal", *at)
    assert "cifar10/resnet110 " in out and "licence: MIT" in out
    assert folder.read_manifest(tmp_path / "a")["sources"]["probs_resnet110_c10_logits.p"]["url"] == a
    assert "wrong digest" in run("fetch", a, "--format", "nncal", "--sha256", "0" * 64, *at, status=1)[1]


def test_import_on_the_command_line(tmp_path):
    at = os.path.join(TESTDATA, "formats")
    out, _ = run(
        "import",
        "csv",
        os.path.join(at, "table.csv"),
        "--split",
        "split",
        "--cal",
        "val",
        "--label",
        "truth",
        "--classes",
        "z_a,z_b,z_c",
        "--kind",
        "logits",
        "--dataset",
        "mine",
        "--backbone",
        "net",
        "--to",
        str(tmp_path / "a"),
        "--licence",
        "CC0",
        "--from",
        "networks of mine",
    )
    assert "mine/net " in out and "licence: CC0" in out and folder.read_manifest(tmp_path / "a")["sets"][0]["from"] == "networks of mine"
    assert "unknown format 'ncal'" in run("import", "ncal", "x.p", status=2)[1]
    for words in (["import", "nncal", "x.p", "--data", "D"], ["fetch", "real", "--data=D"]):  # no flag is abbreviated, as --dataset was
        assert "the folder to write to is --to" in run(*words, status=2)[1]
    assert "unrecognized arguments: --lic" in run("import", "nncal", "x.p", "--lic", "CC0", status=2)[1]
    assert "nowhere_c10_logits.p: no such file" in run("import", "nncal", "nowhere_c10_logits.p", status=2)[1]


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("signal_", [signal.SIGKILL, signal.SIGINT])
@pytest.mark.parametrize("moment", ["download", "stage", "place"])
def test_killed_and_continued(signal_, moment, world, tmp_path):
    """Whenever it is killed, the folder has whole networks that its manifest names, and the same command completes it."""
    real = tmp_path / "real"
    if moment == "download":
        hold = lambda h: time.sleep(30) or True  # noqa: E731
        world.faults[f"someone/predictions/{small.COMMIT}/half.npz"] = [hold]
        reached = lambda: world.count(f"someone/predictions/{small.COMMIT}/half.npz")  # noqa: E731
    elif moment == "stage":
        reached = lambda: real.exists() and any(n.startswith(".stage") for n in os.listdir(real))  # noqa: E731
    else:
        reached = lambda: (real / "manifest.yaml").exists()  # noqa: E731
    p = command("fetch", "real", *where(world, tmp_path), "--yes")
    for _ in range(3000):
        if reached() or p.poll() is not None:
            break
        time.sleep(0.005)
    p.send_signal(signal_)
    p.communicate()
    named = {f for f in folder.read_manifest(real).get("files", {})} if real.exists() else set()
    there = {
        os.path.relpath(os.path.join(d, n), real) for d, _, ns in os.walk(real) for n in ns if n.endswith(".npy") and ".stage" not in d
    }
    assert there <= named
    out, _ = run("fetch", "real", *where(world, tmp_path), "--yes")
    assert "imported 8 networks" in out and not [n for n in os.listdir(real) if n.startswith(".stage")]
    for name, f in folder.read_manifest(real)["files"].items():
        assert folder.file_digest(real / name) == f["sha256"]


@pytest.mark.skipif(os.name == "nt", reason="limits of POSIX")
def test_a_full_disk_while_importing(world, tmp_path):
    import resource

    fetch(world, tmp_path, only=["d/pairs"])
    before = {os.path.relpath(os.path.join(d, n), tmp_path / "real") for d, _, ns in os.walk(tmp_path / "real") for n in ns}

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))

    run("fetch", "real", *where(world, tmp_path), "--yes", "--no-import")
    p = command("fetch", "real", *where(world, tmp_path), "--yes", preexec_fn=limit)
    out, err = p.communicate()
    assert p.returncode in (1, 2) and "File too large" in out + err and "Traceback" not in err
    after = {os.path.relpath(os.path.join(d, n), tmp_path / "real") for d, _, ns in os.walk(tmp_path / "real") for n in ns}
    assert before == after
    assert "imported 8 networks" in run("fetch", "real", *where(world, tmp_path), "--yes")[0]
