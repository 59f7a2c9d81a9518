"""@qatsbench.method: functions as methods of a run."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

import qatsbench

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
    r = qatsbench.run(folder / "mine.yaml", out=folder / "out", data=folder / "arrays", methods=methods, workers=2, progress=False)
    f = r.frame
    return {
        (b, m): (v, s, str(n))
        for b, m, metric, v, s, n in zip(f["backbone"], f["method"], f["metric"], f["value"], f["status"], f["note"])
        if metric == "nll"
    }


def softmax(z):
    e = np.exp(z.astype(float) - z.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def test_two_functions_are_a_method_in_one_process(folder):
    log = folder / "log"

    @qatsbench.method(version=str(time.time()))
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
    @qatsbench.method
    def picky(logits, labels):
        if np.abs(logits).max() > 12:
            raise ValueError("too large for me")
        return None

    @picky.apply
    def picky(model, logits):
        return softmax(logits)

    with pytest.raises(qatsbench.Error):
        run(folder, picky)
    f = qatsbench.results(folder / "out").frame
    rows = {(b, m): (s, n) for b, m, s, n in zip(f["backbone"], f["method"], f["status"], f["note"])}
    assert rows["one", "picky"][0] == "ok" and rows["two", "picky"][0] == "fail"
    assert "ValueError: too large for me" in rows["two", "picky"][1] and "test_external.py:" in rows["two", "picky"][1]
    assert rows["two", "ts"][0] == "ok"


def test_a_process_that_dies_fails_its_cell_and_is_started_once_more(folder):
    @qatsbench.method
    def mortal(logits, labels):
        if np.abs(logits).max() <= 12:
            os.kill(os.getpid(), signal.SIGKILL)
        return None

    @mortal.apply
    def mortal(model, logits):
        return softmax(logits)

    with pytest.raises(qatsbench.Error):
        run(folder, mortal)
    f = qatsbench.results(folder / "out").frame
    rows = {(b, m): (s, n) for b, m, s, n in zip(f["backbone"], f["method"], f["status"], f["note"])}
    assert rows["two", "mortal"][0] == "ok"
    assert rows["one", "mortal"][0] == "fail" and "killed by SIGKILL" in rows["one", "mortal"][1]


def test_a_limit_ends_one_call(folder):
    @qatsbench.method(limit="1s")
    def slow(logits, labels):
        time.sleep(60 if np.abs(logits).max() <= 12 else 0)

    @slow.apply
    def slow(model, logits):
        return softmax(logits)

    begin = time.monotonic()
    with pytest.raises(qatsbench.Error):
        run(folder, slow)
    f = qatsbench.results(folder / "out").frame
    rows = {(b, m): (s, n) for b, m, s, n in zip(f["backbone"], f["method"], f["status"], f["note"])}
    assert rows["one", "slow"][0] == "fail" and "limit of 1s" in rows["one", "slow"][1]
    assert rows["two", "slow"][0] == "ok" and time.monotonic() - begin < 50


def test_another_source_is_another_fit():
    def one(version=""):
        @qatsbench.method(version=version)
        def mine(logits, labels):
            return 1

        @mine.apply
        def mine(model, logits):
            return softmax(logits)

        return mine.described()

    @qatsbench.method
    def mine(logits, labels):
        return 2

    @mine.apply
    def mine(model, logits):
        return softmax(logits)

    assert one() == one()
    assert one()["source"] != mine.described()["source"]
    assert one("2")["version"] == "2"


def test_mistakes(folder):
    lone = qatsbench.method(lambda z, y: None, name="lone")
    with pytest.raises(qatsbench.InputError, match="lone has no function that predicts"):
        run(folder, lone)
    lone.apply(lambda m, z: softmax(z))
    with pytest.raises(qatsbench.InputError, match="the source of lone cannot be found; give version="):
        run(folder, lone)
    with pytest.raises(qatsbench.InputError, match="a function without a name; give name="):
        qatsbench.method(lambda z, y: None)
    named = qatsbench.method(lambda z, y: None, name="lone", version=1)
    named.apply(lambda m, z: softmax(z))
    with pytest.raises(qatsbench.InputError, match="two methods have one name"):
        run(folder, named, named)
    assert run(folder, named)["one", "lone"][1] == "ok"


# Without fork, as on Windows.

SPAWNED = """
import qatsbench, qatsbench._external
qatsbench._external._START = "spawn"
import mine
if __name__ == "__main__":
    f = qatsbench.run("mine.yaml", out={out!r}, data="arrays", methods=[mine.mine], progress=False).frame
    print(sorted((b, s, v) for m, metric, b, s, v in zip(f["method"], f["metric"], f["backbone"], f["status"], f["value"]) if (m, metric) == ("mine", "nll")))
"""


def test_a_process_that_imports_the_methods_gives_the_same_numbers(folder):
    (folder / "mine.py").write_text(MODULE.format(factor="0.5"))
    forked = python(folder, SPAWNED.format(out="forked").replace('"spawn"', '"fork"'))
    assert python(folder, SPAWNED.format(out="spawned")) == forked and forked.count("'ok'") == 2


def test_a_method_that_cannot_be_imported_is_an_error_without_fork(folder, monkeypatch):
    monkeypatch.setattr(qatsbench._external, "_START", "spawn")

    @qatsbench.method
    def inside(logits, labels):
        return None

    @inside.apply
    def inside(model, logits):
        return softmax(logits)

    with pytest.raises(
        qatsbench.InputError,
        match="inside is not at the top level of the module test_external, and this system has no fork; put the function into a file",
    ):
        run(folder, inside)


# What a fit is stored under.

MODULE = """
import numpy as np, qatsbench

@qatsbench.method
def mine(logits, labels):
    return {factor}

@mine.apply
def mine(model, logits):
    e = np.exp(model * (logits.astype(float) - logits.max(1, keepdims=True)))
    return e / e.sum(1, keepdims=True)
"""

EDITED = """
import pathlib, mine, qatsbench
text = pathlib.Path("mine.py").read_text()
pathlib.Path("mine.py").write_text({edited!r} or text)
f = qatsbench.run("mine.yaml", out={out!r}, data="arrays", methods=[mine.mine], progress=False).frame
print([v for m, metric, b, v in zip(f["method"], f["metric"], f["backbone"], f["value"]) if (m, metric, b) == ("mine", "nll", "one")])
"""


def python(folder, code, **env):
    at = str(Path(qatsbench.__file__).resolve().parent.parent)
    done = subprocess.run(
        [sys.executable, "-B", "-c", code], cwd=folder, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": at, **env}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_file_that_is_edited_after_its_import_stores_what_ran(folder):
    old, new = MODULE.format(factor="0.1"), MODULE.format(factor="1.5")
    (folder / "mine.py").write_text(old)
    first = python(folder, EDITED.format(edited=new, out="out"))  # runs the old function beside the new file
    second = python(folder, EDITED.format(edited="", out="out"))
    (folder / "mine.py").write_text(old)
    third = python(folder, EDITED.format(edited="", out="out"))
    assert first == third != second


def described(fit, **more):
    m = qatsbench.method(fit, **more)

    def predict(model, logits):
        return logits

    m.apply(predict)
    return m.described()["source"]


SCALE, TABLE = 2.0, {"a": [1, {"x", "y"}], "b": np.arange(3.0)}


def helper(x):
    return x * SCALE


def test_what_a_function_names_is_part_of_its_digest(monkeypatch):
    def enclosing(value):
        def fit(logits, labels):
            return value

        return fit

    def defaulting(value):
        def fit(logits, labels, a=value, *, b=-value):
            return a, b

        return fit

    def indirect(logits, labels):
        return [helper(x) for x in TABLE["b"]]

    def base():
        return described(indirect)

    for make in (enclosing, defaulting):
        assert described(make(1)) == described(make(1)) != described(make(2))
        assert described(make(np.ones(3))) != described(make(np.array([1.0, 1, 2])))
    before = base()
    assert before == base()
    for name, value in (
        ("SCALE", 3.0),
        ("TABLE", {**TABLE, "a": [1, {"x", "z"}]}),
        ("TABLE", {**TABLE, "b": np.arange(4.0)}),
        ("helper", lambda x: x * SCALE + 1),
    ):
        with monkeypatch.context() as m:
            m.setitem(globals(), name, value)
            assert base() != before
    assert base() == before


def test_a_digest_is_equal_in_every_process(folder):
    (folder / "lib.py").write_text("RATE = .1\ndef step(x):\n    return x * RATE\n")
    (folder / "code_.py").write_text(
        textwrap.dedent("""
        import collections, dataclasses, enum, functools, math, random, re
        from pathlib import Path
        import numpy as np
        import lib, qatsbench
        from numpy.random import normal

        class Kind(enum.Enum):
            A = 1

        @dataclasses.dataclass(frozen=True)
        class Options:
            names: frozenset = frozenset({"a", "b", "c"})
            where: Path = Path("x")

        @functools.lru_cache
        def cached(x):
            return x + 1

        WORDS, PATTERN, PART = {"some", "more", "words"}, re.compile("a+"), functools.partial(cached, 3)

        @qatsbench.method
        def mine(logits, labels, seed, options=Options()):
            random.random(), normal(), np.random.default_rng(seed), np.linalg.norm(logits), math.pi
            return [lib.step(x) for x in (1, 2)], Kind.A, PATTERN, WORDS, PART(), collections.Counter("abc"), {"x", "y", "z"} & WORDS

        @mine.apply
        def mine(model, logits):
            return logits

        print(mine.described()["source"])
    """)
    )
    first, second = (python(folder, "import code_", PYTHONHASHSEED=seed) for seed in ("1", "2"))
    assert first == second and len(first) == 65
    (folder / "lib.py").write_text("RATE = .2\ndef step(x):\n    return x * RATE\n")
    assert python(folder, "import code_", PYTHONHASHSEED="1") != first


def test_a_value_that_has_no_stable_representation_needs_a_version():
    rng, lock = np.random.default_rng(0), __import__("threading").Lock()

    def drawing(logits, labels):
        return rng.normal()

    def locking(logits, labels):
        return lock

    with pytest.raises(
        qatsbench.InputError,
        match=r"^methods: drawing depends on a value without a stable representation: rng in drawing: a generator of random numbers.*; give version=",
    ):
        described(drawing)
    with pytest.raises(qatsbench.InputError, match="lock in locking: a value of the type lock.*give version="):
        described(locking)
    assert described(drawing, version=1)
    assert described(locking, version=1) != described(drawing, version=1)
    with pytest.raises(qatsbench.InputError, match="the source of sum cannot be found; give version="):
        described(sum, name="sum")


# What a function may return.


@pytest.mark.parametrize(
    "spoil, says",
    [
        (lambda p: p + 0j, "bad returned numbers of the type complex128"),
        (lambda p: np.ma.masked_less(p, 0.1), "what bad returned: a masked array with masked numbers"),
        (lambda p: [np.ma.masked_less(row, 0.1) for row in p], "what bad returned: a masked array with masked numbers"),
        (lambda p: p.astype(str), "bad returned numbers of the type <U"),
    ],
    ids=["complex", "masked", "masked rows", "text"],
)
def test_what_is_no_probability_fails_the_cell(folder, spoil, says):
    @qatsbench.method(version=1)
    def bad(logits, labels):
        return None

    @bad.apply
    def bad(model, logits):
        return spoil(softmax(logits))

    with pytest.raises(qatsbench.Error):
        run(folder, bad)
    f = qatsbench.results(folder / "out").frame
    notes = [n for m, n in zip(f["method"], f["note"]) if m == "bad"]
    assert notes and all(says in n for n in notes), notes


# What is left behind.


def running(pids):
    return [
        pid
        for pid in pids
        if Path(f"/proc/{pid}/stat").exists() and Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    ]


def gone(pids, seconds=20):
    until = time.monotonic() + seconds
    while running(pids) and time.monotonic() < until:
        time.sleep(0.1)
    return not running(pids)


LEAVING = """
import os, subprocess, sys, time, qatsbench
@qatsbench.method(version={version!r}, limit="60s")
def leaving(logits, labels):
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(100)"])
    fork = os.fork()
    if fork == 0:
        time.sleep(100)
        os._exit(0)
    with open({log!r}, "a") as f:
        f.write(f"{{os.getpid()}} {{child.pid}} {{fork}}\\n")
    {then}
@leaving.apply
def leaving(model, logits):
    e = __import__("numpy").exp(logits)
    return e / e.sum(1, keepdims=True)
if __name__ == "__main__":
    try:
        qatsbench.run("mine.yaml", out="out", data="arrays", methods=[leaving], progress=False)
    except qatsbench.Error as e:
        print(e)
"""


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="reads /proc")
@pytest.mark.parametrize(
    "end, then", [("returns", "return None"), ("dies", "os._exit(3)"), ("is killed", "time.sleep(60)"), ("is terminated", "time.sleep(60)")]
)
def test_nothing_runs_on_when_the_session(folder, end, then):
    """Processes that a served function starts end with the run, and all of them with the session."""
    log = folder / "log"
    (folder / "leaving.py").write_text(LEAVING.format(log=str(log), then=then, version=str(time.time())))
    session = subprocess.Popen(
        [sys.executable, "leaving.py"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(qatsbench.__file__).resolve().parent.parent)},
    )
    if end in ("is killed", "is terminated"):
        while not log.exists() or not log.read_text().endswith("\n"):
            assert session.poll() is None, session.communicate()
            time.sleep(0.05)
        session.send_signal(signal.SIGKILL if end == "is killed" else signal.SIGTERM)
    said = session.communicate(timeout=60)[0]
    pids = [int(x) for x in log.read_text().split()]
    assert len(pids) >= 3, said
    assert gone(pids), running(pids)
    if end == "dies":
        f = qatsbench.results(folder / "out").frame
        assert all("ended with status 3" in n for m, n in zip(f["method"], f["note"]) if m == "leaving")
