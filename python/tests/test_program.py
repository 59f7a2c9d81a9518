"""Processes: errors, interrupts, and what is left behind."""

import errno
import json
import os
import pickle
import re
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import qatsbench
from qatsbench import _program

PYTHON = Path(qatsbench.__file__).resolve().parent.parent


def leftovers():
    return sorted(name for name in os.listdir(tempfile.gettempdir()) if name.startswith("qats-") and name.endswith(".json"))


def test_an_error_of_the_program_is_an_exception_with_its_parts(small):
    z = small[0].copy()
    z[3, 1] = np.nan
    before = leftovers()
    with pytest.raises(qatsbench.InputError) as e:
        qatsbench.TS().fit(z, small[1])
    assert e.value.where.startswith("logits") and "row 3" in e.value.where and "NaN" in e.value.what
    assert leftovers() == before


def test_a_label_out_of_range_names_its_row(small):
    y = small[1].copy()
    y[5] = 7
    with pytest.raises(qatsbench.InputError, match="labels.*row 5"):
        qatsbench.TS().fit(small[0], y)


def test_errors_can_be_pickled():
    e = pickle.loads(pickle.dumps(qatsbench.InputError("NaN", code="input", where="logits: row 1", hint="remove it")))
    assert (type(e), str(e), e.code, e.hint) == (qatsbench.InputError, "logits: row 1: NaN; remove it", "input", "remove it")


def test_a_missing_program_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setenv("QATS_BIN", str(tmp_path / "none"))
    with pytest.raises(qatsbench.ProgramError, match="which is no file"):
        qatsbench.ece([[0.1, 0.9]], [1])
    monkeypatch.delenv("QATS_BIN")
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(_program, "_places", lambda: iter(()))
    with pytest.raises(qatsbench.ProgramError, match="go build -o bin/qats"):
        qatsbench.ece([[0.1, 0.9]], [1])


@pytest.mark.parametrize(
    "call, says",
    [
        (lambda p, y: qatsbench.ece(2 * p, y), "^p: row 0.* is not a probability"),
        (lambda p, y: qatsbench.metrics(p, y, "nlll"), "^metrics: unknown metric"),
        (lambda p, y: qatsbench.metrics(p, y + 3), "^y: row 0: label .* is outside"),
        (
            lambda p, y: qatsbench.TS().fit(p, y - 7),
            "labels: row 0: label .*; if rows of this label have no class, ignore=-[0-9]+ leaves them out$",
        ),
        (
            lambda p, y: qatsbench.ece(p.T, y),
            "^y: 200 labels for 3 rows; rows and classes look exchanged: transpose the other array by .T$",
        ),
        (lambda p, y: qatsbench.ece(p, np.eye(3)[y]), r"^y: .*; each row has one 1: give y.argmax\(1\)$"),
        (lambda p, y: qatsbench.reliability(100 * p, y), "^p: row 0, class 0: .* sums to 100, as per cent do: divide them by 100$"),
    ],
    ids=["p", "metrics", "y", "ignore", "transposed", "one-hot", "percent"],
)
def test_messages_name_the_arguments_of_python(small, call, says):
    z, y = small
    p = np.exp(z.astype(float)) / np.exp(z.astype(float)).sum(1, keepdims=True)
    with pytest.raises(qatsbench.InputError, match=says) as e:
        call(p, y)
    assert "--" not in str(e.value) and "manifest" not in str(e.value) and "#" not in str(e.value)


def test_messages_name_a_command_that_there_is(program, small):
    command = f"{'python' if os.name == 'nt' else 'python3'} -m qatsbench"
    with pytest.raises(qatsbench.InputError, match=f"; {command} doc metrics lists all"):
        qatsbench.metrics([[0.2, 0.8]], [1], "zzzzzz")
    done = subprocess.run(
        [sys.executable, "-m", "qatsbench", "nosuch"], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(PYTHON)}
    )
    assert done.stderr == f'qatsbench: unknown command "nosuch" ({command} --help lists them)\n' and done.returncode == 2


def put(values, path):
    np.save(path, values)
    return path


@pytest.mark.parametrize(
    "call, says",
    [
        (
            lambda z, y, d: qatsbench.TS().fit(put(z, d / "z.npy"), put(np.where(np.arange(len(y)) % 7, y, 99), d / "y.npy")),
            "y.npy: row .*; if such rows have no class, give ignore=99; otherwise",
        ),
        (
            lambda z, y, d: qatsbench.TS().fit(put(z, d / "z.npy"), put(np.where(np.arange(len(y)) % 7, y, 99), d / "y.npy"), ignore=98),
            r"give ignore=\[98, 99\]; otherwise",
        ),
        (
            lambda z, y, d: qatsbench.TS().fit(put(np.full((30, 2), 0.5), d / "p.npy"), put(y[:30] * 0, d / "y.npy")),
            'p.npy: these are probabilities, not logits: .*; give kind="probs" if',
        ),
        (lambda z, y, d: qatsbench.TS().fit(put(z[:, 0], d / "p.npy"), put(y, d / "y.npy")), 'p.npy: shape .*; give kind="probs" if'),
        (
            lambda z, y, d: qatsbench.ece(put(np.full((30, 2), 50.0), d / "p.npy"), y[:30] * 0),
            "p.npy: row 0, class 0: 50 is not a probability; .* as per cent do: divide them by 100$",
        ),
        (lambda z, y, d: qatsbench.ece(np.full((30, 2), 0.5), 1 - 2 * (y[:30] % 2)), r"^y: row .* by \(y \+ 1\) // 2"),
        (
            lambda z, y, d: qatsbench.ece(put(np.full((30, 2), 0.5), d / "p.npy"), put(1 - 2 * (np.arange(30) % 2), d / "y.npy")),
            r"y.npy: row .*: store \(labels \+ 1\) // 2, which is 0 and 1$",
        ),
        (
            lambda z, y, d: qatsbench.ece(put(np.full((30, 2), 0.5), d / "p.npy"), put(1 + np.arange(30) % 2, d / "y.npy")),
            "y.npy: row 1: .*: store labels - 1$",
        ),
    ],
    ids=["label", "labels", "probs", "column", "percent", "signs", "signs-file", "from-1"],
)
def test_messages_on_files_name_the_arguments_of_python(small, call, says, tmp_path):
    with pytest.raises(qatsbench.InputError, match=says) as e:
        call(*small, tmp_path)
    assert "--" not in str(e.value) and "manifest" not in str(e.value) and "-#" not in str(e.value)


@pytest.mark.parametrize(
    "call, says",
    [
        (
            lambda z, y: qatsbench.TS().fit(z, np.where(np.arange(len(y)) < 50, 255, y)),
            "50 of .* have the label 255 and are left out; if they have no class, give ignore=255$",
        ),
        (lambda z, y: qatsbench.ece(np.full((4, 2), 0.5), [0, 1, 0, 255]), "give ignore=255$"),
        (
            lambda z, y: qatsbench.TS().fit(
                100 * np.exp(z - z.max(1, keepdims=True)) / np.exp(z - z.max(1, keepdims=True)).sum(1, keepdims=True), y
            ),
            r'sums to 100 \(probabilities in per cent\?\); divide them by 100, and give kind="probs"$',
        ),
        (
            lambda z, y: qatsbench.recommend((z, np.where(np.arange(len(y)) < 50, 255, y)), methods="ts", progress=False),
            "if they have no class, give ignore=255$",
        ),
    ],
    ids=["fit", "ece", "percent", "compare"],
)
def test_warnings_name_the_arguments_of_python(small, call, says):
    with pytest.warns(qatsbench.CalibrationWarning, match=says) as found:
        call(*small)
    for w in found:
        assert "--" not in str(w.message) and "manifest" not in str(w.message)


@pytest.mark.parametrize(
    "version, carried, says",
    [
        ('{"protocol": 99, "version": "v2", "commit": ""}', None, "is version v2 with protocol 99; this package"),
        ("qats 1.0", None, "is older than this package"),
        (
            '{"protocol": 1, "version": "v2", "commit": "bbbb"}',
            {"commit": "aaaa"},
            "of commit bbbb; this package is .* of commit aaaa; .*unset QATS_BIN",
        ),
    ],
)
def test_another_version_is_an_error(fake, monkeypatch, version, carried, says):
    fake("", version)
    monkeypatch.setattr(_program, "_carried", lambda: carried)
    with pytest.raises(qatsbench.ProgramError, match=says):
        qatsbench.ece([[0.1, 0.9]], [1])


def test_the_version_is_looked_up_once(fake, tmp_path):
    fake('print(\'{"n": 1, "ece": 0.5}\')')
    for _ in range(3):
        assert qatsbench.ece([[0.1, 0.9]], [1]) == 0.5
    assert (tmp_path / "asked").read_text() == "x"


def test_a_killed_program_is_an_exception_with_its_last_words(fake):
    fake("sys.stderr.write('reading row 7\\n'); sys.stderr.flush(); os.kill(os.getpid(), signal.SIGKILL)")
    with pytest.raises(qatsbench.ProgramError, match="(?s)killed by SIGKILL.*reading row 7") as e:
        qatsbench.TS().fit(np.ones((200_000, 10)), np.zeros(200_000, int))  # more than a pipe holds
    assert e.value.code == "killed"


def test_a_program_that_prints_half_an_array_is_an_error(fake, small):
    fitted = qatsbench.Kernel().fit(*small)
    fake("""
import io
import numpy as np
b = io.BytesIO(); np.save(b, np.ones((200, 3)))
sys.stdout.buffer.write(b.getvalue()[:1000])
""")
    with pytest.raises(qatsbench.ProgramError, match="cut short"):
        fitted.predict_proba(small[0])


@pytest.mark.parametrize(
    "fit, kinds",
    [
        (lambda z, y: qatsbench.TS().fit(z, z.argmin(1)), {"rows", "remark"}),  # T at its bound
        (lambda z, y: qatsbench.TS().fit(z[:20], y[:20]), {"rows"}),  # few rows
        (lambda z, y: qatsbench.TS().fit(z, np.where(np.arange(len(y)) < 50, 255, y)), {"file"}),
        (lambda z, y: qatsbench.TS().fit(z, np.where(np.arange(len(y)) < 50, -100, y), ignore=-100), {"file"}),
        (lambda z, y: qatsbench.ece(np.full((4, 2), 0.5), [0, 1, 0, 255]), {"file"}),
    ],
    ids=["bound", "few", "255", "ignore", "score"],
)
def test_every_warning_of_the_program_is_one_of_the_package(small, fit, kinds):
    z, y = small
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit(z, y)
    ours = [w.message for w in caught if w.category is qatsbench.CalibrationWarning]
    assert ours and len({str(w) for w in ours}) == len(ours)
    assert all(w.kind and w.value["text"] for w in ours)
    assert all(c.filename == __file__ for c in caught)
    assert kinds <= {w.kind for w in ours}
    again = pickle.loads(pickle.dumps(ours[0]))
    assert (str(again), again.kind, again.value) == (str(ours[0]), ours[0].kind, ours[0].value)


def test_the_warnings_of_a_fit_are_those_of_the_shell(small, program, tmp_path):
    z = small[0]
    np.save(tmp_path / "z.npy", z)
    np.save(tmp_path / "y.npy", z.argmin(1))
    done = subprocess.run(
        [
            program,
            "--errors",
            "json",
            "fit",
            "ts",
            "--logits",
            str(tmp_path / "z.npy"),
            "--labels",
            str(tmp_path / "y.npy"),
            "-o",
            str(tmp_path / "m.json"),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    want = [json.loads(line)["warning"] for line in done.stderr.splitlines() if "warning" in json.loads(line)]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        qatsbench.TS().fit(z, z.argmin(1))
    assert len(want) > 1 and [(w.message.kind, str(w.message)) for w in caught] == [(w["kind"], w["text"]) for w in want]


def test_warnings_reach_the_caller(fake):
    fake("""sys.stderr.write('{"warning": {"kind": "remark", "text": "few rows"}}\\n'); print('{"n": 1, "ece": 0.5}')""")
    with pytest.warns(qatsbench.CalibrationWarning, match="few rows") as caught:
        qatsbench.ece([[0.1, 0.9]], [1])
    assert caught[0].filename == __file__


def test_a_model_is_private_while_the_program_reads_it(fake, small):
    fitted = qatsbench.Kernel().fit(*small)
    fake("""
import json
mode = oct(os.stat(sys.argv[4]).st_mode)[-3:]
sys.stderr.write(json.dumps({"error": {"code": "failed", "what": mode, "where": "", "hint": ""}})); sys.exit(1)
""")
    with pytest.raises(qatsbench.Error, match="^600$"):
        fitted.predict_proba(small[0])
    assert not [name for name in leftovers() if f"qats-{os.getpid()}-" in name]


@pytest.mark.skipif(os.name == "nt", reason="signals are POSIX")
def test_an_interrupt_ends_the_process_and_leaves_nothing(fake, tmp_path):
    """A session of Python that is interrupted in the middle of apply, as a notebook's cell is."""
    path = fake(f"""
open({str(tmp_path / "started")!r}, "w").write(str(os.getpid()))
sys.stdin.buffer.read()
time.sleep(60)
""")
    code = textwrap.dedent(f"""
        import sys; sys.path.insert(0, {str(PYTHON)!r})
        import numpy as np, qatsbench, tempfile, os, signal
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a test in the background inherits that it is ignored
        c = qatsbench.Kernel()
        c._keep({{"method": "kernel", "version": c._version, "options": {{}}, "classes": 3, "params": {{}}, "report": {{}}}}, None, {{}})
        try:
            c.predict_proba(np.ones((1000, 3)))
        except KeyboardInterrupt:
            print("interrupted", [n for n in os.listdir(tempfile.gettempdir()) if n.startswith(f"qats-{{os.getpid()}}-")], flush=True)
    """)
    session = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env={**os.environ, "QATS_BIN": str(path)})
    while not (tmp_path / "started").exists() or not (tmp_path / "started").read_text():
        assert session.poll() is None
        time.sleep(0.01)
    child = int((tmp_path / "started").read_text())
    session.send_signal(signal.SIGINT)
    assert session.communicate(timeout=30)[0] == "interrupted []\n"
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="reads /proc")
def test_there_are_no_zombies(small):
    def children():
        found = []
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[1]) == os.getpid():
                found.append(fields[0])
        return found

    before = children()
    for _ in range(3):
        qatsbench.TS().fit(*small)
        with pytest.raises(qatsbench.InputError):
            qatsbench.TS().fit(small[0], np.full(200, 9))
    assert children() == before
    assert not [t for t in threading.enumerate() if isinstance(t, (_program._Words, _program._Writer))]


def test_threads_do_not_disturb_each_other(small):
    z, y = small
    want = [qatsbench.TS().fit(z + i * z[:, :1], y).model_ for i in range(4)]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(3):
            assert list(pool.map(lambda i: qatsbench.TS().fit(z + i * z[:, :1], y).model_, range(4))) == want


def _fit(z, y):
    return qatsbench.QaTS().fit(z, y)


def test_joblib_workers_do_not_disturb_each_other(small):
    joblib = pytest.importorskip("joblib")
    z, y = small
    fitted = joblib.Parallel(n_jobs=2)(joblib.delayed(_fit)(z, y) for _ in range(4))
    assert {c.model_ for c in fitted} == {_fit(z, y).model_}


# Forks, kills and full disks.


def session(code, **env):
    """Start a session of Python in which SIGINT has its usual effect."""
    head = f"import sys; sys.path.insert(0, {str(PYTHON)!r})\nimport os, signal, threading, time\nimport numpy as np, qatsbench\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
    return subprocess.Popen(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", head + textwrap.dedent(code)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, **env},
    )


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_beside_the_first_call_does_not_wait_for_ever(fake, tmp_path):
    path = fake('print(\'{"n": 1, "ece": 0.5}\')')
    path.write_text(
        path.read_text().replace(
            "import sys, os, time, signal", f"import sys, os, time, signal\nopen({str(tmp_path / 'begun')!r}, 'a').close()\ntime.sleep(1)"
        )
    )
    done = session(
        f"""
        threading.Thread(target=qatsbench.ece, args=([[.1, .9]], [1])).start()  # asks for the version, with the lock
        while not os.path.exists({str(tmp_path / "begun")!r}):
            time.sleep(.01)
        child = os.fork()
        if child == 0:
            print(qatsbench.ece([[.1, .9]], [1]), flush=True)
            os._exit(0)
        for _ in range(300):
            if os.waitpid(child, os.WNOHANG)[0]:
                break
            time.sleep(.1)
        else:
            os.kill(child, signal.SIGKILL)
            print("waits for ever")
    """,
        QATS_BIN=str(path),
    )
    assert done.communicate(timeout=60)[0] == "0.5\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_beside_a_call_does_not_keep_its_pipes_open(fake, tmp_path):
    path = fake(f"""
sys.stdin.buffer.read(1)
open({str(tmp_path / "begun")!r}, "w").close()
while not os.path.exists({str(tmp_path / "forked")!r}):
    time.sleep(.01)
sys.stdin.buffer.read()  # until nobody has the other end
print('{{"n": 1, "ece": 0.5}}')
""")
    done = session(
        f"""
        call = threading.Thread(target=lambda: print(qatsbench.ece(np.full((1_000_000, 2), .5), np.zeros(1_000_000, int)), flush=True), daemon=True)
        call.start()
        while not os.path.exists({str(tmp_path / "begun")!r}):
            time.sleep(.01)
        child = os.fork()
        if child == 0:
            time.sleep(300)
            os._exit(0)
        open({str(tmp_path / "forked")!r}, "w").close()
        call.join(20)
        print("waits for the fork" if call.is_alive() else "ended", flush=True)
        os.kill(child, signal.SIGKILL)
        os._exit(0)
    """,
        QATS_BIN=str(path),
    )
    assert done.communicate(timeout=60)[0] == "0.5\nended\n"


@pytest.mark.skipif(os.name == "nt", reason="signals are POSIX")
def test_an_interrupt_within_the_start_of_the_program_leaves_no_process(small, program):
    done = session(f"""
        import subprocess
        subprocess._USE_POSIX_SPAWN, real = False, subprocess._fork_exec
        def interrupted(*arguments):
            pid = real(*arguments)
            open("/dev/null").close()
            signal.raise_signal(signal.SIGINT)  # between the start of the process and the return of its number
            return pid
        z, y = np.array({small[0][:50].tolist()}), {small[1][:50].tolist()}
        for of_version in (True, False):
            subprocess._fork_exec = interrupted
            try:
                qatsbench.TS().fit(z, y)
            except KeyboardInterrupt:
                print("interrupted")
            subprocess._fork_exec = real
            try:
                print("left", os.waitpid(-1, os.WNOHANG))
            except ChildProcessError:
                print("none")
            qatsbench.metrics(z, y, "nll", kind="logits")
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    """)
    assert done.communicate(timeout=60)[0] == "interrupted\nnone\ninterrupted\nnone\n"


@pytest.mark.skipif(sys.platform not in ("linux", "darwin"), reason="a file needs a name")
def test_a_session_that_is_killed_leaves_no_model(fake, tmp_path, monkeypatch):
    """joblib kills its workers when it is interrupted."""
    path = fake(f"""
open({str(tmp_path / "started")!r}, "w").close()
time.sleep(60)
""")
    temp = tmp_path / "temp"
    temp.mkdir()
    at = session(
        """
        c = qatsbench.Kernel()
        c._keep({"method": "kernel", "version": c._version, "options": {}, "classes": 3, "params": {}, "report": {}}, None, {})
        c.predict_proba(np.ones((10, 3)))
    """,
        QATS_BIN=str(path),
        TMPDIR=str(temp),
    )
    while not (tmp_path / "started").exists():
        assert at.poll() is None
        time.sleep(0.01)
    at.kill()
    at.communicate()
    assert not list(temp.iterdir())


def test_a_full_disk_is_an_error_and_leaves_nothing(small, tmp_path, monkeypatch):
    c = qatsbench.Kernel().fit(*small)
    want = c.predict_proba(small[0])
    monkeypatch.setattr(_program.tempfile, "gettempdir", lambda: str(tmp_path))
    real = os.write

    def full(fd, data):
        if os.fstat(fd).st_size + len(data) > 50 and not os.get_inheritable(fd):
            if os.fstat(fd).st_size >= 50:
                raise OSError(errno.ENOSPC, "No space left on device")
            return real(fd, data[:50])
        return real(fd, data)

    with monkeypatch.context() as m:
        m.setattr(sys, "platform", "freebsd14")  # a system without files that have no name
        np.testing.assert_array_equal(c.predict_proba(small[0]), want)
        m.setattr(os, "write", full)
        with pytest.raises(
            qatsbench.Error, match="the model cannot be written for the program: No space left on device; TMPDIR names a folder with room"
        ) as e:
            c.predict_proba(small[0])
        assert e.value.code == "machine" and e.value.where.startswith(str(tmp_path))
    assert not list(tmp_path.iterdir())


def test_a_name_that_begins_with_a_dash_is_no_flag(small, program, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("-z.npy", small[0])
    np.save("-y.npy", small[1])
    want = qatsbench.TS().fit(*small)
    assert qatsbench.TS().fit("-z.npy", "-y.npy").model_ == want.model_
    for part in ("cal", "test"):
        os.makedirs(f"-arrays/small/net/{part}")
        np.save(f"-arrays/small/net/{part}/logits.npy", small[0])
        np.save(f"-arrays/small/net/{part}/labels.npy", small[1])
    Path("--allow-exec=1").write_text(
        "name: mine\ndata: [arrays]\nmethods: [uncal, ts]\nmetrics: [nll]\nbaseline: ts\nsettings: {dataset: small, backbone: net}\n"
    )
    r = qatsbench.run("--allow-exec=1", out="-out", data="-arrays", progress=False)
    assert Path("-out/results.csv").is_file() and len(r.frame["method"]) == 2


def test_messages_of_datasets_begin_with_the_command_that_was_called(monkeypatch):
    pytest.importorskip("yaml")
    monkeypatch.setenv("PYTHONPATH", str(PYTHON))
    for words in (["fetch", "no-source"], ["import", "no-format"]):
        done = subprocess.run([sys.executable, "-m", "qatsbench.datasets", *words], capture_output=True, text=True)
        said = done.stderr.splitlines()[-1]
        assert done.returncode == 2 and re.match(r"python -m qatsbench\.datasets( import)?: ", said), done.stderr
