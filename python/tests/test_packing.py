"""Wheels and the source distribution."""

import base64
import csv
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from email.parser import BytesParser
from pathlib import Path

import pytest

PYTHON = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PYTHON))

import packing  # noqa: E402

sys.path.pop(0)


@pytest.fixture
def quick(monkeypatch):
    """A program that needs no compiler."""
    monkeypatch.setattr(packing, "build_program", lambda target, path: path.write_bytes(f"program of {target}".encode()) and "abc123")


def test_a_wheel_is_as_installers_want_it(quick, tmp_path):
    for target, tags in packing.TARGETS.items():
        path = packing.wheel(target, tmp_path)
        name, version, *tag = path.stem.split("-")
        assert (name, version, "-".join(tag)) == ("qatsbench", packing.Project().version, f"py3-none-{tags}")
        with zipfile.ZipFile(path) as z:
            record = {row[0]: row[1:] for row in csv.reader(io.StringIO(z.read(f"{name}-{version}.dist-info/RECORD").decode()))}
            assert sorted(record) == sorted(z.namelist())
            for entry, (digest, size) in record.items():
                text = z.read(entry)
                if entry.endswith("RECORD"):
                    assert (digest, size) == ("", "")
                    continue
                assert digest == "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(text).digest()).rstrip(b"=").decode()
                assert int(size) == len(text)
            program = next(i for i in z.infolist() if "/scripts/" in i.filename)
            assert program.external_attr >> 16 & 0o777 == 0o755
            assert z.read(program) == f"program of {target}".encode()
            assert b'"commit": "abc123"' in z.read("qatsbench/_carried.json")
            about = BytesParser().parsebytes(z.read(f"{name}-{version}.dist-info/METADATA"))
            for licence in ("LICENSE", "LICENSE-DATA", "NOTICE"):
                assert licence in about.get_all("License-File")
                assert z.read(f"{name}-{version}.dist-info/licenses/{licence}") == (PYTHON.parent / licence).read_bytes()
            assert about["Requires-Dist"] == "numpy>=1.26" and "datasets" in about.get_all("Provides-Extra")
            wheel = BytesParser().parsebytes(z.read(f"{name}-{version}.dist-info/WHEEL"))
            assert wheel.get_all("Tag") == [f"py3-none-{t}" for t in tags.split(".")]


def test_the_same_sources_make_the_same_bytes(quick, tmp_path):
    one = packing.wheel("linux/amd64", tmp_path / "one").read_bytes()
    assert packing.wheel("linux/amd64", tmp_path / "two").read_bytes() == one
    if shutil.which("go"):
        assert packing.sdist(tmp_path / "one").read_bytes() == packing.sdist(tmp_path / "two").read_bytes()


def test_a_wheel_that_is_too_large_is_an_error(monkeypatch, tmp_path):
    monkeypatch.setattr(packing, "build_program", lambda target, path: path.write_bytes(os.urandom(15_000_000)) and "")
    with pytest.raises(SystemExit, match="more than 14000000"):
        packing.wheel("linux/amd64", tmp_path)


@pytest.mark.skipif(not shutil.which("go"), reason="lists the sources with go")
def test_an_sdist_has_what_the_program_is_made_of(tmp_path):
    with tarfile.open(packing.sdist(tmp_path)) as t:
        t.extractall(tmp_path, filter="data")
        names = {n.split("/", 1)[1] for n in t.getnames()}
    assert {
        "PKG-INFO",
        "LICENSE-DATA",
        "NOTICE",
        "pyproject.toml",
        "packing.py",
        "qatsbench/__init__.py",
        "go/go.mod",
        "go/cmd/qats/main.go",
        "go/experiments/companion.yaml",
    } <= names
    assert not [n for n in names if n.endswith("_test.go") or "__pycache__" in n]
    root = tmp_path / packing.Project().stem
    done = subprocess.run(
        ["go", "vet", "./cmd/qats"], cwd=root / "go", capture_output=True, text=True, env={**os.environ, "GOFLAGS": "-buildvcs=false"}
    )
    assert done.returncode == 0, done.stderr
    # Without Go it says what to do.
    code = "import packing; packing.build_wheel('.')"
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, env={"PATH": ""})
    assert done.returncode != 0
    assert re.search(r"there is no `go` on the PATH\.\nInstall Go 1\.\d+ or later", done.stderr)


def test_an_editable_install_names_this_folder(tmp_path):
    with zipfile.ZipFile(tmp_path / packing.build_editable(tmp_path)) as z:
        assert z.read("qatsbench.pth").decode().strip() == str(PYTHON)
