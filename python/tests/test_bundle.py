"""The release asset of data/bundle, and its way to a user: from a server on loopback to a run of a spec."""

import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import pytest

from qatsbench.datasets import DatasetError, bundle, fetch

PYTHON = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(PYTHON / "tools"), str(PYTHON / "tests" / "datasets")]

import bundle as tool  # noqa: E402
import server  # noqa: E402

del sys.path[:2]


@pytest.fixture(scope="module")
def asset(tmp_path_factory):
    """The folder of the asset, as make bundle writes it."""
    folder = tmp_path_factory.mktemp("asset")
    assert tool.main([str(folder)]) == 0, "data/bundle, its version and its digest do not fit"
    return folder


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A server with an archive of two files, which takes the place of the bundle."""
    source = tmp_path / "source"
    (source / "a" / "cal").mkdir(parents=True)
    (source / "LICENSE").write_bytes(b"terms")
    (source / "a" / "cal" / "logits.npy").write_bytes(os.urandom(900_000))
    out = io.BytesIO()
    tool.write(out, source)
    monkeypatch.setattr(bundle, "BYTES", len(out.getvalue()))
    monkeypatch.setattr(bundle, "SHA256", hashlib.sha256(out.getvalue()).hexdigest())
    monkeypatch.setenv("QATS_CACHE", str(tmp_path / "cache"))
    with server.serving({"b.tar": out.getvalue()}) as s:
        monkeypatch.setenv(bundle.VARIABLE, f"{s.url}/b.tar")
        yield s


def test_the_asset_is_the_same_in_any_copy_of_the_files(asset, tmp_path):
    """Neither the order of a folder nor times, modes and owners of files are in it."""
    copy = tmp_path / "copy"
    for path in sorted(tool.BUNDLE.rglob("*"), reverse=True):
        if path.is_file():
            to = copy / path.relative_to(tool.BUNDLE)
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, to)
            to.chmod(0o600)
            os.utime(to, (1, 1))
    out = tool.Hashed()
    tool.write(out, copy)
    assert (out.digest.hexdigest(), out.size) == (bundle.SHA256, bundle.BYTES)
    with tarfile.open(asset / tool.NAME) as t:
        names = [m.name for m in t]
        assert names == sorted(names) and {(m.mtime, m.mode, m.uid, m.gid, m.uname, m.gname) for m in t} == {
            (tool.EPOCH, 0o644, 0, 0, "", "")
        }
        assert {"bundle/LICENSE", "bundle/manifest.yaml"} < set(names)


def test_a_changed_file_is_no_asset(tmp_path, monkeypatch, capsys):
    other = tmp_path / "bundle"
    other.mkdir()
    (other / "LICENSE").write_text("other terms")
    monkeypatch.setattr(tool.write, "__defaults__", (other,))
    assert tool.main([str(tmp_path)]) == 1
    assert "raise VERSION" in capsys.readouterr().err


def test_the_program_has_the_version_and_the_folder():
    go = (PYTHON.parent / "experiments" / "sources.go").read_text(encoding="utf-8")
    assert re.search(r'BundleVersion = "(.+)"', go)[1] == bundle.VERSION
    install = (PYTHON.parent / "docs" / "tutorial.md").read_text(encoding="utf-8")
    assert f"data/bundle@{bundle.VERSION}\n" in install and f"qatsbench/bundle@{bundle.VERSION}`" in install and bundle.VARIABLE in install
    assert f"data%2Fbundle%2F{bundle.VERSION}/{tool.NAME}" in bundle.ADDRESS


def test_a_bundle_is_fetched_once(small, tmp_path):
    assert fetch("bundle").into == str(tmp_path / "cache" / f"bundle@{bundle.VERSION}") == bundle.folder()
    at = Path(bundle.folder())
    assert (at / "LICENSE").read_bytes() == b"terms" and (at / "a/cal/logits.npy").stat().st_size == 900_000
    assert fetch("bundle").loaded == 0 and small.count("b.tar") == 1
    assert [p.name for p in at.parent.iterdir()] == [at.name]


def nothing_is_kept(tmp_path):
    return not any(tmp_path.joinpath("cache").rglob("*"))


def test_a_wrong_byte_leaves_nothing(small, tmp_path):
    text = bytearray(small.files["b.tar"])
    text[1000] ^= 1
    small.files["b.tar"] = bytes(text)
    with pytest.raises(DatasetError, match=f"SHA-256 {hashlib.sha256(text).hexdigest()}; the bundle {bundle.VERSION} has {bundle.SHA256}"):
        fetch("bundle")
    assert nothing_is_kept(tmp_path)


@pytest.mark.parametrize("at", [0, 1, 512, 600_000])
def test_a_cut_file_leaves_nothing(small, tmp_path, at):
    small.faults["b.tar"] = [server.cut(at)]
    with pytest.raises(DatasetError, match=f"the connection ended after {at:,} of {bundle.BYTES:,} bytes; run the command again"):
        fetch("bundle")
    assert nothing_is_kept(tmp_path)
    fetch("bundle")
    assert os.path.isdir(bundle.folder())


def test_more_or_fewer_bytes_leave_nothing(small, tmp_path):
    whole = small.files["b.tar"]
    for text, want in ((whole + b"\0", "has more than"), (whole[:-1], "the connection ended after")):
        small.files["b.tar"] = text
        with pytest.raises(DatasetError, match=want):
            fetch("bundle")
        assert nothing_is_kept(tmp_path)


@pytest.mark.skipif(os.name == "nt", reason="limits of a process")
@pytest.mark.parametrize("limit", [100_000, 850_000])
def test_a_full_disk_leaves_nothing(small, tmp_path, limit):
    """A file may have so many bytes: the archive cannot be written."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
    try:
        with pytest.raises(DatasetError, match="nothing was kept"):
            fetch("bundle")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert nothing_is_kept(tmp_path)


@pytest.mark.parametrize("call", ["copyfileobj", "makedirs", "rename", "sync"])
def test_a_disk_that_is_full_later_leaves_nothing(small, tmp_path, monkeypatch, call):
    """The archive is there, and its files cannot be written, or their folder cannot be named."""

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    where = shutil if call == "copyfileobj" else os
    if call == "makedirs":
        real = os.makedirs
        monkeypatch.setattr(
            os, call, lambda path, *a, **k: full() if "bundle" in Path(path).name or "cal" in Path(path).name else real(path, *a, **k)
        )
    else:
        monkeypatch.setattr(where, call, full)
    with pytest.raises(DatasetError, match="No space left on device; nothing was kept"):
        fetch("bundle")
    assert nothing_is_kept(tmp_path)


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_a_killed_fetch_leaves_nothing_that_is_found(small, tmp_path):
    code = f"from qatsbench.datasets import bundle; bundle.BYTES = {bundle.BYTES}; bundle._place = lambda *_: print('there', flush=True) or input(); bundle.SHA256 = {bundle.SHA256!r}; bundle.fetch()"
    p = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(PYTHON)}
    )
    with p:
        assert p.stdout.readline() == b"there\n"
        p.kill()
    left = list((tmp_path / "cache").iterdir())
    assert [x.name.startswith(bundle.STAGE) for x in left] == [True] and not os.path.exists(bundle.folder())
    fetch("bundle")  # another process may still be at work there
    assert left[0].exists()
    shutil.rmtree(bundle.folder())
    os.utime(left[0], (time.time() - 2 * bundle.FORGOTTEN,) * 2)
    fetch("bundle")
    assert not left[0].exists()


def test_two_fetches_at_once(small, monkeypatch):
    """The second one finds the folder of the first."""
    real = bundle._place

    def late(unpacked, at):
        shutil.copytree(unpacked, at)
        real(unpacked, at)

    monkeypatch.setattr(bundle, "_place", late)
    assert fetch("bundle").loaded == 1 and os.path.isfile(os.path.join(bundle.folder(), "LICENSE"))


def test_errors_name_the_address(small, monkeypatch):
    for url, want in [
        (f"{small.url}/none", "the server answers 404"),
        ("http://127.0.0.1:1/b.tar", "QATS_BUNDLE_URL names another address"),
        ("ftp://host/b.tar", "want an address that begins with https://"),
        ("file:///none/b.tar", "No such file or directory"),
    ]:
        monkeypatch.setenv(bundle.VARIABLE, url)
        with pytest.raises(DatasetError, match=re.escape(want)) as e:
            fetch("bundle")
        assert url in str(e.value)


def command(*words, stdin=""):
    done = subprocess.run(
        [sys.executable, "-m", "qatsbench.datasets", "fetch", *words],
        input=stdin,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(PYTHON)},
    )
    return done.returncode, done.stdout, done.stderr


def test_the_command(small):
    status, out, err = command("bundle", stdin="n\n")
    assert status == 2 and "52.9 MB, licence: " in out and f"to {bundle.folder()}? [y/N]" in out and "nothing was downloaded" in err
    assert command("bundle", "--dry-run") == (0, os.environ[bundle.VARIABLE] + "\n", "")
    status, _, err = command("bundle", "--to", "elsewhere", "--yes")
    assert status == 2 and "--to is for other sources: the bundle has one folder" in err
    status, _, err = command("bundle", "--yes")
    assert status == 2 and f"the connection ended after {len(small.files['b.tar']):,} of 52,930,560 bytes" in err
    assert not os.path.exists(bundle.folder())


def test_it_needs_the_standard_library_alone():
    names = set(re.findall(r"^(?:import|from) ([\w.]+)", (PYTHON / "qatsbench/datasets/bundle.py").read_text(encoding="utf-8"), re.M))
    assert {n.split(".")[0] for n in names} - {""} <= sys.stdlib_module_names


@pytest.mark.skipif(not shutil.which("go"), reason="the wheel is built with Go")
def test_a_user_of_the_wheel_runs_the_companion(asset, tmp_path):
    """An empty environment with the wheel, the command of the message, and a line of docs/python.md."""
    made = subprocess.run([sys.executable, PYTHON / "packing.py", "wheel", tmp_path], capture_output=True, text=True, check=True)
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    python = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    env = {k: v for k, v in os.environ.items() if k not in ("QATS_BIN", "PYTHONPATH")} | {
        "QATS_CACHE": str(tmp_path / "cache"),
        "GOMODCACHE": str(tmp_path / "modules"),
    }
    work = tmp_path / "work"
    work.mkdir()

    def run(*words):
        return subprocess.run([python, *words], cwd=work, env=env, capture_output=True, text=True)

    if run("-m", "pip", "install", "-q", made.stdout.split()[0]).returncode != 0:
        pytest.skip("pip cannot download numpy")
    assert run("-c", "import pooch").returncode != 0 and run("-c", "import yaml").returncode != 0
    line = re.search(r'^r = qatsbench\.run\("companion"\)', (PYTHON.parent / "docs/python.md").read_text(encoding="utf-8"), re.M)[0]
    code = f"import qatsbench\n{line}\nprint(len(r.settings['source']), *set(r.settings['source']))"
    lacking = run("-c", code)
    assert lacking.returncode != 0
    remedy = re.search(r"python -m (qatsbench\.datasets fetch bundle)", lacking.stderr)[1]
    with server.serving(root=str(asset)) as s:
        env[bundle.VARIABLE] = f"{s.url}/{tool.NAME}"
        done = run("-m", *remedy.split(), "--yes")
    assert done.returncode == 0, done.stderr
    done = run("-c", code)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "106 measured\n"
