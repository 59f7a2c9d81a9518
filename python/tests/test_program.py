"""Processes: errors, interrupts, and what is left behind."""

import os
import pickle
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import qats
from qats import _program

PYTHON = Path(qats.__file__).resolve().parent.parent


def leftovers():
    return sorted(name for name in os.listdir(tempfile.gettempdir()) if name.startswith("qats-") and name.endswith(".json"))


def test_an_error_of_the_program_is_an_exception_with_its_parts(small):
    z = small[0].copy()
    z[3, 1] = np.nan
    before = leftovers()
    with pytest.raises(qats.InputError) as e:
        qats.TS().fit(z, small[1])
    assert e.value.where.startswith("logits") and "row 3" in e.value.where and "NaN" in e.value.what
    assert leftovers() == before


def test_a_label_out_of_range_names_its_row(small):
    y = small[1].copy()
    y[5] = 7
    with pytest.raises(qats.InputError, match="labels.*row 5"):
        qats.TS().fit(small[0], y)


def test_errors_can_be_pickled():
    e = pickle.loads(pickle.dumps(qats.InputError("NaN", code="input", where="logits: row 1", hint="remove it")))
    assert (type(e), str(e), e.code, e.hint) == (qats.InputError, "logits: row 1: NaN; remove it", "input", "remove it")


def test_a_missing_program_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setenv("QATS_BIN", str(tmp_path / "none"))
    with pytest.raises(qats.ProgramError, match="which is no file"):
        qats.ece([[0.1, 0.9]], [1])
    monkeypatch.delenv("QATS_BIN")
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(_program, "_places", lambda: iter(()))
    with pytest.raises(qats.ProgramError, match="go build -o bin/qats"):
        qats.ece([[0.1, 0.9]], [1])


@pytest.mark.parametrize("version, carried, says", [
    ('{"protocol": 99, "version": "v2", "commit": ""}', None, "is version v2 with protocol 99; this package"),
    ("qats 1.0", None, "is older than this package"),
    ('{"protocol": 1, "version": "v2", "commit": "bbbb"}', {"commit": "aaaa"}, "of commit bbbb; this package is .* of commit aaaa; .*unset QATS_BIN"),
])
def test_another_version_is_an_error(fake, monkeypatch, version, carried, says):
    fake("", version)
    monkeypatch.setattr(_program, "_carried", lambda: carried)
    with pytest.raises(qats.ProgramError, match=says):
        qats.ece([[0.1, 0.9]], [1])


def test_the_version_is_looked_up_once(fake, tmp_path):
    fake("print('{\"n\": 1, \"ece\": 0.5}')")
    for _ in range(3):
        assert qats.ece([[0.1, 0.9]], [1]) == 0.5
    assert (tmp_path / "asked").read_text() == "x"


def test_a_killed_program_is_an_exception_with_its_last_words(fake):
    fake("sys.stderr.write('reading row 7\\n'); sys.stderr.flush(); os.kill(os.getpid(), signal.SIGKILL)")
    with pytest.raises(qats.ProgramError, match="(?s)killed by SIGKILL.*reading row 7") as e:
        qats.TS().fit(np.ones((200_000, 10)), np.zeros(200_000, int))  # more than a pipe holds
    assert e.value.code == "killed"


def test_a_program_that_prints_half_an_array_is_an_error(fake, small):
    fitted = qats.TS().fit(*small)
    fake("""
import io
import numpy as np
b = io.BytesIO(); np.save(b, np.ones((200, 3)))
sys.stdout.buffer.write(b.getvalue()[:1000])
""")
    with pytest.raises(qats.ProgramError, match="cut short"):
        fitted.predict_proba(small[0])


def test_warnings_reach_the_caller(fake):
    fake("""sys.stderr.write('{"warning": {"kind": "remark", "text": "few rows"}}\\n'); print('{"n": 1, "ece": 0.5}')""")
    with pytest.warns(qats.CalibrationWarning, match="few rows") as caught:
        qats.ece([[0.1, 0.9]], [1])
    assert caught[0].filename == __file__


def test_a_model_is_private_while_the_program_reads_it(fake, small):
    fitted = qats.TS().fit(*small)
    fake("""
import json
mode = oct(os.stat(sys.argv[4]).st_mode)[-3:]
sys.stderr.write(json.dumps({"error": {"code": "failed", "what": mode, "where": "", "hint": ""}})); sys.exit(1)
""")
    with pytest.raises(qats.Error, match="^600$"):
        fitted.predict_proba(small[0])
    assert not [name for name in leftovers() if f"qats-{os.getpid()}-" in name]


@pytest.mark.skipif(os.name == "nt", reason="signals are POSIX")
def test_an_interrupt_ends_the_process_and_leaves_nothing(fake, tmp_path):
    """A session of Python that is interrupted in the middle of apply, as a notebook's cell is."""
    path = fake(f"""
open({str(tmp_path / 'started')!r}, "w").write(str(os.getpid()))
sys.stdin.buffer.read()
time.sleep(60)
""")
    code = textwrap.dedent(f"""
        import sys; sys.path.insert(0, {str(PYTHON)!r})
        import numpy as np, qats, tempfile, os, signal
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a test in the background inherits that it is ignored
        c = qats.TS()
        c._keep({{"method": "ts", "version": c._version, "options": {{}}, "classes": 3, "params": {{}}, "report": {{}}}}, None, {{}})
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
        qats.TS().fit(*small)
        with pytest.raises(qats.InputError):
            qats.TS().fit(small[0], np.full(200, 9))
    assert children() == before
    assert not [t for t in threading.enumerate() if isinstance(t, (_program._Words, _program._Writer))]


def test_threads_do_not_disturb_each_other(small):
    z, y = small
    want = [qats.TS().fit(z + i * z[:, :1], y).model_ for i in range(4)]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(3):
            assert list(pool.map(lambda i: qats.TS().fit(z + i * z[:, :1], y).model_, range(4))) == want


def _fit(z, y):
    return qats.QaTS().fit(z, y)


def test_joblib_workers_do_not_disturb_each_other(small):
    joblib = pytest.importorskip("joblib")
    z, y = small
    fitted = joblib.Parallel(n_jobs=2)(joblib.delayed(_fit)(z, y) for _ in range(4))
    assert {c.model_ for c in fitted} == {_fit(z, y).model_}
