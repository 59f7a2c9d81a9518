"""Downloads from loopback: digests, tries, ranges, kills."""

import dataclasses
import gzip
import hashlib
import io
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from server import answer, cut, serving

from qatsbench.datasets import download
from qatsbench.datasets.download import Client
from qatsbench.datasets.errors import DatasetError
from qatsbench.datasets.table import File

DATA = bytes(range(256)) * 4000
SUM = hashlib.sha256(DATA).hexdigest()


def file(server, name="a/x.npz", **k):
    return File(name, f"{server.url}/{name}", "MIT", **k)


def left(dir):
    """Returns the files below a folder, records aside."""
    return sorted(os.path.relpath(os.path.join(d, n), dir) for d, _, ns in os.walk(dir) for n in ns if ".records" not in d)


def test_a_finished_file_is_not_loaded_again(tmp_path):
    with serving({"a/x.npz": DATA}) as s:
        f = file(s, sha256=SUM, bytes=len(DATA))
        path, record, new = Client(tmp_path).fetch(f)
        assert new and record["sha256"] == SUM and open(path, "rb").read() == DATA
        assert Client(tmp_path).fetch(f) == (path, record, False) and len(s.requests) == 1
        assert left(tmp_path) == ["a/x.npz"]


@pytest.mark.parametrize(
    "wrong,want",
    [
        ({"sha256": "0" * 64}, f"wrong digest: sha256 {SUM}; the source says 000"),
        ({"md5": "0" * 32}, "wrong digest: md5"),
        ({"git": "0" * 40}, "wrong digest: git"),
        ({"sha256": SUM, "bytes": 5}, f"the server has {len(DATA)} bytes; the source says 5"),
    ],
)
def test_wrong_digests(wrong, want, tmp_path):
    with serving({"a/x.npz": DATA}) as s:
        with pytest.raises(DatasetError) as e:
            Client(tmp_path).fetch(file(s, **wrong))
        assert want in str(e.value) and "nothing was kept" in str(e.value)
        assert all(n.endswith(".lock") for n in left(tmp_path))


def test_other_digests(tmp_path):
    with serving({"a/x.npz": DATA}) as s:
        for k in ({"md5": hashlib.md5(DATA).hexdigest()}, {"git": hashlib.sha1(b"blob %d\0" % len(DATA) + DATA).hexdigest()}, {}):
            c = Client(tmp_path / str(len(k) and list(k)[0]))
            assert c.fetch(file(s, **k))[1]["sha256"] == SUM


def test_the_first_digest_is_recorded(tmp_path):
    with serving({"a/x.npz": DATA}) as s:
        f = file(s)
        path, record, _ = Client(tmp_path).fetch(f)
        os.remove(path)
        s.files["a/x.npz"] = DATA + b"x"
        with pytest.raises(DatasetError, match=f"at the first download it was {SUM}"):
            Client(tmp_path).fetch(f)
        with open(path, "wb") as to:
            to.write(b"other")
        with pytest.raises(DatasetError, match="remove the file to fetch it again"):
            Client(tmp_path).fetch(f)


def test_two_addresses_with_one_base_name(tmp_path):
    with serving({"a/x.p": b"one", "b/x.p": b"two"}) as s:
        got = Client(tmp_path).fetch_all([file(s, "a/x.p"), file(s, "b/x.p")])
        assert [open(got[k][0]).read() for k in ("a/x.p", "b/x.p")] == ["one", "two"]
        for k in ("a/x.p", "b/x.p"):
            assert Client(tmp_path).record(file(s, k))["key"] == k


@pytest.mark.parametrize("name", ["x.part", "x.part.version", "x.lock", "tmpabc"])
def test_any_name(name, tmp_path):
    with serving({"a/x": DATA, "a/" + name: b"other"}) as s:
        got = Client(tmp_path).fetch_all([file(s, "a/x", sha256=SUM), file(s, "a/" + name)])
        assert open(got["a/" + name][0], "rb").read() == b"other" and open(got["a/x"][0], "rb").read() == DATA


def test_two_clients_at_once_keep_both_records(tmp_path):
    with serving({f"a/{i}": b"%d" % i for i in range(20)}) as s:
        threads = [threading.Thread(target=Client(tmp_path).fetch_all, args=([file(s, f"a/{i}") for i in range(j, 20)],)) for j in (0, 5)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        assert all(Client(tmp_path).record(file(s, f"a/{i}"))["bytes"] == len(str(i)) for i in range(20))
        assert all(s.count(f"a/{i}") == 1 for i in range(20))


def test_three_tries_from_the_start(tmp_path):
    with serving({"a/x": DATA}) as s:
        s.faults["a/x"] = [cut(1000), answer(503)]
        c = Client(tmp_path, pause=0.01)
        assert open(c.fetch(file(s, "a/x", sha256=SUM))[0], "rb").read() == DATA
        assert [r for _, _, r in s.requests] == [None] * 3
        os.remove(c.path(file(s, "a/x")))
        s.faults["a/x"] = [cut(1000)] * 3
        with pytest.raises(DatasetError, match=r"after 1000 of \d+ bytes|3 tries") as e:
            c.fetch(file(s, "a/x", sha256=SUM))
        assert "3 tries; nothing was kept" in str(e.value) and not os.path.exists(c.path(file(s, "a/x")))


def test_errors_that_stay_are_tried_once(tmp_path):
    with serving({}) as s:
        with pytest.raises(DatasetError, match="404 Not Found; give the address of a mirror by --url; nothing was kept"):
            Client(tmp_path).fetch(file(s))
        assert len(s.requests) == 1


def test_large_files_go_on_where_they_ended(tmp_path):
    with serving({"a/x": DATA}) as s:
        c = Client(tmp_path, pause=0.01, resume_from=50_000)
        s.faults["a/x"] = [cut(100_000)]
        assert open(c.fetch(file(s, "a/x", sha256=SUM))[0], "rb").read() == DATA
        assert [r for _, _, r in s.requests] == [None, f"bytes={100_000 // download.CHUNK * download.CHUNK}-"]


def test_a_file_that_changes_between_two_tries(tmp_path):
    with serving({"a/x": DATA}) as s:

        def change(h):
            s.files["a/x"] = DATA[::-1]
            return False

        s.faults["a/x"] = [cut(100_000), change]
        c = Client(tmp_path, pause=0.01, resume_from=50_000)
        assert open(c.fetch(file(s, "a/x"))[0], "rb").read() == DATA[::-1]  # If-Range: all of the new file
        s.tags = False  # no version to hold the server to: begun anew
        s.faults["a/y"] = [cut(100_000)]
        s.files["a/y"] = DATA
        del s.requests[:]

        def no_tag(h):
            h.send_response(200)
            h.send_header("Content-Length", str(len(DATA)))
            h.end_headers()
            h.wfile.write(DATA[:100_000])
            h.close_connection = True
            return True

        s.faults["a/y"] = [no_tag]
        assert open(c.fetch(file(s, "a/y"))[0], "rb").read() == DATA
        assert [r for _, _, r in s.requests] == [None, None]


def raw(reply):
    """A fault: these bytes in place of an answer."""

    def fault(h):
        h.wfile.write(reply)
        h.wfile.flush()
        h.close_connection = True
        return True

    return fault


@pytest.mark.parametrize(
    "reply,want",
    [
        (b"HTTP/1.1 " + b"x" * (9 << 20), ""),
        (b"HTTP/1.1 200 OK\r\n" + b"".join(b"A%d: b\r\n" % i for i in range(5000)) + b"\r\n", ""),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n" + b"x" * 5, "after 5 of 10 bytes"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", ""),
        (b"HTTP/1.1 206 Partial Content\r\nContent-Length: 1\r\nContent-Range: bytes 5-5/9\r\n\r\nx", "the server answers 206"),
        (b"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n", ""),
        (b"HTTP/1.1 200 " + b"y" * 60000 + b"\r\nContent-Length: 0\r\n\r\n", ""),
        (b"\x00\xff\n", ""),
    ],
)
def test_answers_of_hostile_servers(reply, want, tmp_path):
    with serving({"a/x": DATA}) as s:
        s.faults["a/x"] = [raw(reply)] * 3
        with pytest.raises(DatasetError) as e:
            Client(tmp_path, pause=0.01).fetch(file(s, "a/x", sha256=SUM))
        assert "\n" not in str(e.value) and len(str(e.value)) < 700 and want in str(e.value)
        assert not os.path.exists(tmp_path / "a/x")


def ranged(tag, total, start=lambda n: n, **headers):
    """A fault: the answer to a range, which names a version and a length of its own."""

    def fault(h):
        have = int(h.headers["Range"].removeprefix("bytes=").rstrip("-"))
        body = b"\xff" * (total - have)
        h.send_response(206)
        h.send_header("Content-Range", f"bytes {start(have)}-{total - 1}/{total}")
        h.send_header("Content-Length", str(len(body)))
        for k, v in ({"ETag": tag} if tag else {}).items():
            h.send_header(k, v)
        for k, v in headers.items():
            h.send_header(k.replace("_", "-"), v)
        h.end_headers()
        h.wfile.write(body)
        return True

    return fault


SAME = '"' + SUM[:16] + '"'


@pytest.mark.parametrize(
    "answer_",
    [
        ranged('"other"', len(DATA)),
        ranged("", len(DATA)),
        ranged("W/" + SAME, len(DATA)),
        ranged(SAME, len(DATA) + 1000),
        ranged(SAME, len(DATA), Content_Encoding="gzip"),
        ranged(SAME, len(DATA), start=lambda n: n - 1),
    ],
)
def test_two_versions_are_never_joined(answer_, tmp_path):
    """A server that goes on with another file than it began: the file is loaded from the start."""
    with serving({"a/x": DATA}) as s:
        s.faults["a/x"] = [cut(10 * download.CHUNK), answer_]
        path, _, _ = Client(tmp_path, pause=0.01, resume_from=50_000).fetch(file(s, "a/x"))
        with open(path, "rb") as f:
            assert f.read() == DATA
        assert [r for _, _, r in s.requests] == [None, "bytes=655360-", None]


def test_a_part_without_a_version_is_not_continued(tmp_path):
    """A kill can leave a part without its version, or an earlier package one of another form."""
    for text in (None, '"abc"', "{", '{"tag": "x"}'):
        with serving({"a/x": DATA}) as s:
            f = file(s, "a/x")
            part = Client(tmp_path)._hidden(".part", f)
            os.makedirs(os.path.dirname(part), exist_ok=True)
            with open(part, "wb") as to:
                to.write(b"\0" * 100_000)
            if text is not None:
                with open(part + ".version", "w") as to:
                    to.write(text)
            path, _, _ = Client(tmp_path, resume_from=50_000).fetch(f)
            with open(path, "rb") as to:
                assert to.read() == DATA
            assert [r for _, _, r in s.requests] == [None]
            os.remove(path)


def drip(head):
    """A fault: the server sends its head, or its body, byte by byte, and never ends."""

    def fault(h):
        first = b"HTTP/1.1 200 OK\r\n"
        h.wfile.write(first if head else first + b"Content-Length: 1000000\r\n\r\n")
        h.close_connection = True
        while True:  # until the client goes away, or its process ends
            h.wfile.write(b"X")
            h.wfile.flush()
            time.sleep(0.01)

    return fault


@pytest.mark.parametrize("head", [True, False])
def test_a_server_that_drips_is_given_up(head, tmp_path):
    with serving({"a/x": DATA}) as s:
        s.faults["a/x"] = [drip(head)] * 3
        with pytest.raises(DatasetError, match="too slow.*3 tries; nothing was kept"):
            Client(tmp_path, pause=0.01, stall=0.3).fetch(file(s, "a/x"))


def test_a_server_that_is_slow_on_the_whole_is_given_up(tmp_path):
    """Each piece comes in time, and all of them do not."""

    def slow(h):
        h.send_response(200)
        h.send_header("Content-Length", str(1 << 40))
        h.end_headers()
        while True:
            h.wfile.write(b"\0" * download.CHUNK)
            time.sleep(0.02)

    with serving({"a/x": DATA}) as s:
        s.faults["a/x"] = [slow] * 3
        with pytest.raises(DatasetError, match="too slow.*3 tries"):
            Client(tmp_path, pause=0.01, stall=0.3, slowest=1 << 40).fetch(file(s, "a/x"))


def unstated(packed):
    """A fault: a body without a stated length, packed on the way or not."""

    def fault(h):
        body = gzip.compress(b"\0" * 3_000_000) if packed else b"\0" * 3_000_000
        h.send_response(200)
        if packed:
            h.send_header("Content-Encoding", "gzip")
            h.send_header("Content-Length", str(len(body)))
        h.send_header("Connection", "close")
        h.end_headers()
        h.wfile.write(body)
        h.close_connection = True
        return True

    return fault


@pytest.mark.parametrize("packed", [True, False])
def test_bodies_without_a_stated_length_have_a_bound(packed, tmp_path, monkeypatch):
    with serving({"a/x": DATA}) as s:
        s.faults["a/x"] = [unstated(packed)]
        path, _, _ = Client(tmp_path / "1").fetch(file(s, "a/x"))
        assert os.path.getsize(path) == 3_000_000
        monkeypatch.setattr(download.forms, "MOST_BYTES", 1_000_000)
        s.faults["a/x"] = [unstated(packed)]
        with pytest.raises(
            DatasetError, match="more than the 1000000 bytes that a file may have whose length nobody states; download it by other means"
        ):
            Client(tmp_path / "2").fetch(file(s, "a/x"))


def test_more_bytes_than_the_source_says(tmp_path):
    with serving({}) as s:
        s.faults["a/x"] = [raw(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + b"z" * 100_000)]
        with pytest.raises(DatasetError, match="more than the 50 bytes"):
            Client(tmp_path).fetch(file(s, "a/x", bytes=50))


def test_files_of_this_machine(tmp_path):
    (tmp_path / "a b.p").write_bytes(DATA)
    f = File("url/1/a b.p", (tmp_path / "a b.p").as_uri(), "", sha256=SUM)
    assert Client(tmp_path / "c").fetch(f)[1]["bytes"] == len(DATA)
    with pytest.raises(DatasetError, match="no such file"):
        Client(tmp_path / "c").fetch(dataclasses.replace(f, key="k", url="file:///nowhere"))


def labels(tmp_path):
    out = io.BytesIO()
    np.savez(out, train_images=np.zeros(2_000_000, "u1"), val_labels=np.arange(30).reshape(-1, 1), test_labels=np.arange(40).reshape(-1, 1))
    return out.getvalue()


def test_members_by_ranges(tmp_path):
    data = labels(tmp_path)
    with serving({"a/x.npz": data}) as s:
        f = file(s, members=("val_labels", "test_labels"))
        path, record, new = Client(tmp_path / "1").fetch(f)
        with np.load(path) as z:
            assert sorted(z) == ["test_labels", "val_labels"] and np.array_equal(z["val_labels"][:, 0], np.arange(30))
        assert new and Client(tmp_path / "1").fetch(f)[2] is False
        assert all(r for _, _, r in s.requests)  # never the whole
        s.ranges = False
        path, _, _ = Client(tmp_path / "2").fetch(dataclasses.replace(f, bytes=len(data)))
        assert open(path, "rb").read() == data
        s.ranges = True
        s.files["a/x.npz"] = data[:-40]  # no zip file: the whole is tried, and its length is wrong
        with pytest.raises(DatasetError, match="the source says"):
            Client(tmp_path / "3").fetch(dataclasses.replace(f, bytes=len(data)))


def test_members_of_a_file_that_changes(tmp_path):
    data = labels(tmp_path)
    with serving({"a/x.npz": data}) as s:

        def change(h):
            s.files["a/x.npz"] = data + b"\0"
            return False

        s.faults["a/x.npz"] = [lambda h: False, lambda h: False, change]
        with pytest.raises(DatasetError, match="changed while it was read"):
            Client(tmp_path).fetch(file(s, members=("val_labels", "test_labels")))


PROGRAM = """
import signal, sys
from qatsbench.datasets.download import Client
from qatsbench.datasets.table import File
url, dir, sum, limit = sys.argv[1:]
if limit != "0":
    import resource
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), int(limit)))
signal.signal(signal.SIGINT, signal.default_int_handler)  # a test in the background inherits that it is ignored
Client(dir, pause=0.01, resume_from=100_000).fetch(File("a/x", url, "", sha256=sum))
"""


def start(s, dir, limit=0):
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(download.__file__)))))
    env = os.environ | {"PYTHONPATH": os.path.join(root, "python")}
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(PROGRAM), s.url + "/a/x", dir, SUM, str(limit)], env=env, stderr=subprocess.PIPE
    )


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("signal_", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_download_is_continued(signal_, tmp_path):
    stop = threading.Event()
    with serving({"a/x": DATA}) as s:

        def slow(h):
            h.send_response(200)
            h.send_header("Content-Length", str(len(DATA)))
            h.send_header("ETag", '"' + SUM[:16] + '"')
            h.end_headers()
            for i in range(0, len(DATA), 50_000):
                try:
                    h.wfile.write(DATA[i : i + 50_000])
                    h.wfile.flush()
                except OSError:
                    break
                if stop.wait(0.1):
                    break
            return True

        s.faults["a/x"] = [slow]
        p = start(s, str(tmp_path))
        parts = tmp_path / ".part"
        for _ in range(1000):
            if p.poll() is not None or parts.exists() and any(f.stat().st_size > 0 for f in parts.iterdir() if "." not in f.name):
                break
            time.sleep(0.02)
        p.send_signal(signal_)
        p.communicate()
        stop.set()
        assert p.returncode != 0 and not (tmp_path / "a/x").exists()
        Client(tmp_path, pause=0.01).fetch(file(s, "a/x", sha256=SUM))
        assert (tmp_path / "a/x").read_bytes() == DATA
        assert [n for n in left(tmp_path) if ".part" in n and not n.endswith(".lock")] == []


@pytest.mark.skipif(os.name == "nt", reason="limits of POSIX")
def test_a_full_disk(tmp_path):
    with serving({"a/x": DATA}) as s:
        p = start(s, str(tmp_path), 300_000)
        _, words = p.communicate()
        assert p.returncode != 0 and b"File too large; nothing was kept" in words
        assert not (tmp_path / "a/x").exists() and all(os.path.getsize(tmp_path / n) == 0 for n in left(tmp_path))
        assert Client(tmp_path).fetch(file(s, "a/x", sha256=SUM))[2]
