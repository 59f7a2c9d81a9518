"""@qats.method: functions as methods of a run."""

import os
import signal
import sys
import time

import numpy as np
import pytest

import qats

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork")

SPEC = """
name: mine
data: [arrays]
methods: [uncal, ts]
metrics: [nll]
baseline: ts
settings: {dataset: small, backbone: [one, two]}
"""


@pytest.fixture
def folder(small, tmp_path):
    (tmp_path / "mine.yaml").write_text(SPEC)
    for network, factor in (("one", 1), ("two", 2)):
        for part in ("cal", "test"):
            to = tmp_path / "arrays" / "small" / network / part
            to.mkdir(parents=True)
            np.save(to / "logits.npy", small[0] * np.float32(factor))
            np.save(to / "labels.npy", small[1])
    return tmp_path


def run(folder, *methods):
    r = qats.run(folder / "mine.yaml", out=folder / "out", data=folder / "arrays", methods=methods, workers=2, progress=False)
    f = r.frame
    return {(b, m): (v, s, str(n)) for b, m, metric, v, s, n in zip(f["backbone"], f["method"], f["metric"], f["value"], f["status"], f["note"]) if metric == "nll"}


def softmax(z):
    e = np.exp(z.astype(float) - z.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def test_two_functions_are_a_method_in_one_process(folder):
    log = folder / "log"

    @qats.method(version=str(time.time()))
    def to_the_mean(logits, labels, seed):
        with open(log, "a") as f:
            f.write(f"fit {os.getpid()} {logits.dtype} {logits.shape} {seed % 1 == 0}\n")
        return {"shares": np.bincount(labels, minlength=3) / len(labels)}

    @to_the_mean.apply
    def to_the_mean(model, logits):
        with open(log, "a") as f:
            f.write(f"apply {os.getpid()}\n")
        return 0.5 * softmax(logits) + 0.5 * model["shares"]

    got = run(folder, to_the_mean)
    for network, factor in (("one", 1), ("two", 2)):
        z = np.load(folder / f"arrays/small/{network}/test/logits.npy")
        y = np.load(folder / f"arrays/small/{network}/test/labels.npy")
        p = to_the_mean.predict(to_the_mean(z, y, 0), z)
        value, status, _ = got[network, "to-the-mean"]
        assert status == "ok" and value == pytest.approx(-np.log(p[np.arange(200), y]).mean(), abs=1e-8)
    lines = [x for x in log.read_text().splitlines() if str(os.getpid()) not in x.split()]
    assert sorted(x.split()[0] for x in lines) == ["apply", "apply", "fit", "fit"]
    assert len({x.split()[1] for x in lines}) == 1
    assert "float32 (200, 3) True" in log.read_text()
    before = len(log.read_text().splitlines())
    run(folder, to_the_mean)  # from the store
    assert len(log.read_text().splitlines()) == before


def test_an_exception_fails_its_cell_with_its_line(folder):
    @qats.method
    def picky(logits, labels):
        if np.abs(logits).max() > 12:
            raise ValueError("too large for me")
        return None

    @picky.apply
    def picky(model, logits):
        return softmax(logits)

    with pytest.raises(qats.Error):
        run(folder, picky)
    f = qats.results(folder / "out").frame
    rows = {(b, m): (s, n) for b, m, s, n in zip(f["backbone"], f["method"], f["status"], f["note"])}
    assert rows["one", "picky"][0] == "ok" and rows["two", "picky"][0] == "fail"
    assert "ValueError: too large for me" in rows["two", "picky"][1] and "test_external.py:" in rows["two", "picky"][1]
    assert rows["two", "ts"][0] == "ok"


def test_a_process_that_dies_fails_its_cell_and_is_started_once_more(folder):
    @qats.method
    def mortal(logits, labels):
        if np.abs(logits).max() <= 12:
            os.kill(os.getpid(), signal.SIGKILL)
        return None

    @mortal.apply
    def mortal(model, logits):
        return softmax(logits)

    with pytest.raises(qats.Error):
        run(folder, mortal)
    f = qats.results(folder / "out").frame
    rows = {(b, m): (s, n) for b, m, s, n in zip(f["backbone"], f["method"], f["status"], f["note"])}
    assert rows["two", "mortal"][0] == "ok"
    assert rows["one", "mortal"][0] == "fail" and "killed by SIGKILL" in rows["one", "mortal"][1]


def test_a_limit_ends_one_call(folder):
    @qats.method(limit="1s")
    def slow(logits, labels):
        time.sleep(60 if np.abs(logits).max() <= 12 else 0)

    @slow.apply
    def slow(model, logits):
        return softmax(logits)

    begin = time.monotonic()
    with pytest.raises(qats.Error):
        run(folder, slow)
    f = qats.results(folder / "out").frame
    rows = {(b, m): (s, n) for b, m, s, n in zip(f["backbone"], f["method"], f["status"], f["note"])}
    assert rows["one", "slow"][0] == "fail" and "limit of 1s" in rows["one", "slow"][1]
    assert rows["two", "slow"][0] == "ok" and time.monotonic() - begin < 50


def test_another_source_is_another_fit():
    def one(version=""):
        @qats.method(version=version)
        def mine(logits, labels):
            return 1

        @mine.apply
        def mine(model, logits):
            return softmax(logits)

        return mine.described()

    @qats.method
    def mine(logits, labels):
        return 2

    @mine.apply
    def mine(model, logits):
        return softmax(logits)

    assert one() == one()
    assert one()["source"] != mine.described()["source"]
    assert one("2")["version"] == "2"


def test_mistakes(folder):
    lone = qats.method(lambda z, y: None, name="lone")
    with pytest.raises(qats.InputError, match="lone has no function that predicts"):
        run(folder, lone)
    lone.apply(lambda m, z: softmax(z))
    with pytest.raises(qats.InputError, match="the source of lone cannot be found; give version="):
        run(folder, lone)
    with pytest.raises(qats.InputError, match="a function without a name; give name="):
        qats.method(lambda z, y: None)
    named = qats.method(lambda z, y: None, name="lone", version=1)
    named.apply(lambda m, z: softmax(z))
    with pytest.raises(qats.InputError, match="two methods have one name"):
        run(folder, named, named)
    assert run(folder, named)["one", "lone"][1] == "ok"
