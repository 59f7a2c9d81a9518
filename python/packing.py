"""Makes the wheels and the source distribution of the package, with Python's standard
library and Go alone:

    python3 python/packing.py wheels dist      a wheel for each system, and the sdist
    python3 python/packing.py wheel dist       the wheel of this system

It is also the build backend of pyproject.toml (PEP 517 and 660), for pip.

A wheel carries the program among its scripts, so an environment with the package has
the command qatsbench too. (The distribution and the command qats of PyPI are another project's.) The program is static: one wheel serves glibc and musl. The same
commit, Go and Python make the same bytes.
"""

import base64
import gzip
import hashlib
import io
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
EPOCH = int(os.environ.get("SOURCE_DATE_EPOCH", 315532800))  # 1980, the first year of a zip
LARGEST = 14_000_000  # bytes of a wheel

# Systems by their names in Go, with the platform tags of their wheels. Go 1.26 needs
# macOS 12; the Linux program needs no C library, and a kernel that both tags imply.
TARGETS = {
    "linux/amd64": "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
    "linux/arm64": "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
    "darwin/amd64": "macosx_12_0_x86_64",
    "darwin/arm64": "macosx_12_0_arm64",
    "windows/amd64": "win_amd64",
}

NO_GO = """qatsbench: this source distribution builds the program with Go, and there is no `go` on the PATH.
Install Go {version} or later (https://go.dev/dl), or a wheel of qatsbench, which carries the program."""


class Failure(SystemExit):
    """An error of one line for the user."""


# The build backend.


def get_requires_for_build_wheel(config_settings=None):
    return []


get_requires_for_build_sdist = get_requires_for_build_editable = get_requires_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return wheel(this_system(), Path(wheel_directory)).name


def build_sdist(sdist_directory, config_settings=None):
    return sdist(Path(sdist_directory)).name


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """A wheel that names this folder. The program is bin/qats of the checkout."""
    project = Project()
    path = Path(wheel_directory) / f"{project.stem}-py3-none-any.whl"
    write_wheel(path, project, "any", [("qatsbench.pth", f"{HERE}\n".encode(), 0o644)])
    return path.name


# What is packed.


class Project:
    """pyproject.toml and the version."""

    def __init__(self):
        self.toml = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        self.version = re.search(r'"(.+)"', (HERE / "qatsbench" / "_version.py").read_text())[1]
        self.stem = f"{self.toml['name']}-{self.version}"

    def metadata(self):
        """Return METADATA, which is also the PKG-INFO of an sdist."""
        t = self.toml
        lines = [
            "Metadata-Version: 2.4",
            f"Name: {t['name']}",
            f"Version: {self.version}",
            f"Summary: {t['description']}",
            f"Keywords: {','.join(t['keywords'])}",
            f"Author: {', '.join(a['name'] for a in t['authors'])}",
            f"License-Expression: {t['license']}",
            *(f"License-File: {f}" for f in t["license-files"]),
            *(f"Classifier: {c}" for c in t["classifiers"]),
            *(f"Project-URL: {n}, {u}" for n, u in t["urls"].items()),
            f"Requires-Python: {t['requires-python']}",
            *(f"Requires-Dist: {d}" for d in t["dependencies"]),
        ]
        for extra, needs in t["optional-dependencies"].items():
            lines += [f"Provides-Extra: {extra}", *(f'Requires-Dist: {d}; extra == "{extra}"' for d in needs)]
        lines += ["Description-Content-Type: text/markdown", "", (HERE / t["readme"]).read_text(encoding="utf-8")]
        return "\n".join(lines).encode()

    def licences(self):
        """Return (name, bytes) of the licence, the terms of the data, and the notice of linked modules."""
        return [(f, next(p for p in (HERE / f, HERE.parent / f) if p.is_file()).read_bytes()) for f in self.toml["license-files"]]


def package_files():
    """Return (name, bytes) of the files of the package."""
    found = []
    for path in sorted((HERE / "qatsbench").rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".pyc":
            found.append((path.relative_to(HERE).as_posix(), path.read_bytes()))
    return found


# The program.


def go_root():
    """Return the folder of the Go module: the checkout, or go/ of an sdist."""
    for folder in (HERE.parent, HERE / "go"):
        if (folder / "go.mod").is_file():
            return folder
    raise Failure("qatsbench: there is no Go module here; build from a checkout or an sdist of qatsbench")


def go_command():
    """Return the path of go."""
    found = shutil.which(os.environ.get("GO", "go"))
    if not found:
        version = re.search(r"^go (\d+\.\d+)", (go_root() / "go.mod").read_text(), re.M)[1]
        raise Failure(NO_GO.format(version=version))
    return found


def this_system():
    """Return the system that Python runs on, by its name in Go."""
    system = {"Linux": "linux", "Darwin": "darwin", "Windows": "windows"}.get(platform.system(), platform.system().lower())
    machine = {"x86_64": "amd64", "amd64": "amd64", "arm64": "arm64", "aarch64": "arm64"}.get(
        platform.machine().lower(), platform.machine().lower()
    )
    name = f"{system}/{machine}"
    if name not in TARGETS:
        raise Failure(f"qatsbench: no wheel is made for {name}; build the program by `go build ./cmd/qats` and set QATS_BIN to its path")
    return name


def build_program(target, path):
    """Compile the program for a system, and return the commit that it was built from, "" if
    that is not known."""
    system, machine = target.split("/")
    environment = {**os.environ, "CGO_ENABLED": "0", "GOOS": system, "GOARCH": machine, "GOFLAGS": "", "GOAMD64": "v1", "GOARM64": "v8.0"}
    go = go_command()
    build = [go, "build", "-trimpath", "-buildvcs=auto", "-ldflags=-s -w -buildid=", "-o", str(path), "./cmd/qats"]
    done = subprocess.run(build, cwd=go_root(), env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(f"qatsbench: go build failed for {target}:\n{done.stderr}")
    settings = subprocess.run([go, "version", "-m", str(path)], capture_output=True, text=True, check=True).stdout
    commit = re.search(r"vcs\.revision=(\w+)", settings)
    return commit[1] if commit else ""


# The archives.


def wheel(target, out):
    """Write the wheel of a system and return its path."""
    project = Project()
    with tempfile.TemporaryDirectory() as folder:
        name = "qatsbench.exe" if target.startswith("windows") else "qatsbench"
        program = Path(folder) / name
        commit = build_program(target, program)
        carried = json.dumps({"version": project.version, "commit": commit}).encode()
        files = [(n, b, 0o644) for n, b in package_files()]
        files += [("qatsbench/_carried.json", carried, 0o644), (f"{project.stem}.data/scripts/{name}", program.read_bytes(), 0o755)]
    path = out / f"{project.stem}-py3-none-{TARGETS[target]}.whl"
    write_wheel(path, project, TARGETS[target], files)
    if path.stat().st_size > LARGEST:
        raise Failure(f"qatsbench: {path} has {path.stat().st_size} bytes, more than {LARGEST}")
    return path


def write_wheel(path, project, tags, files):
    """Write a wheel of files, which are (name, bytes, mode)."""
    info = f"{project.stem}.dist-info"
    about = [
        "Wheel-Version: 1.0",
        "Generator: qatsbench packing",
        f"Root-Is-Purelib: {'true' if tags == 'any' else 'false'}",
        *(f"Tag: py3-none-{tag}" for tag in tags.split(".")),
        "",
    ]
    files = sorted(files) + [
        *((f"{info}/licenses/{name}", text, 0o644) for name, text in project.licences()),
        (f"{info}/METADATA", project.metadata(), 0o644),
        (f"{info}/WHEEL", "\n".join(about).encode(), 0o644),
    ]
    record = [f"{name},sha256={digest(text)},{len(text)}" for name, text, _ in files] + [f"{info}/RECORD,,", ""]
    files.append((f"{info}/RECORD", "\n".join(record).encode(), 0o644))
    path.parent.mkdir(parents=True, exist_ok=True)
    date = time.gmtime(EPOCH)[:6]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
        for name, text, mode in files:
            entry = zipfile.ZipInfo(name, date)
            entry.create_system, entry.external_attr, entry.compress_type = 3, (0o100000 | mode) << 16, zipfile.ZIP_DEFLATED
            z.writestr(entry, text, compresslevel=9)


def digest(text):
    return base64.urlsafe_b64encode(hashlib.sha256(text).digest()).rstrip(b"=").decode()


def sdist(out):
    """Write the source distribution and return its path: the package, and the Go module
    as far as the program needs it."""
    project = Project()
    files = [("PKG-INFO", project.metadata()), *project.licences()]
    files += [(name, (HERE / name).read_bytes()) for name in ("pyproject.toml", "packing.py", "README.md")]
    files += package_files() + [(f"go/{name}", (go_root() / name).read_bytes()) for name in go_files()]
    path = out / f"{project.stem}.tar.gz"
    path.parent.mkdir(parents=True, exist_ok=True)
    with (
        open(path, "wb") as f,
        gzip.GzipFile("", "wb", 9, f, EPOCH) as z,
        tarfile.open(fileobj=z, mode="w", format=tarfile.PAX_FORMAT) as t,
    ):
        for name, text in sorted(files):
            entry = tarfile.TarInfo(f"{project.stem}/{name}")
            entry.size, entry.mtime, entry.mode = len(text), EPOCH, 0o644
            t.addfile(entry, io.BytesIO(text))
    return path


def go_files():
    """Return the files of the Go module that the program is made of, on any system."""
    root, names = go_root(), {"go.mod", "go.sum", "LICENSE"}
    shown = "{{if and .Module .Module.Main}}{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}\n{{end}}{{range .IgnoredGoFiles}}{{$d}}/{{.}}\n{{end}}{{range .SFiles}}{{$d}}/{{.}}\n{{end}}{{range .EmbedFiles}}{{$d}}/{{.}}\n{{end}}{{end}}"
    for target in TARGETS:
        system, machine = target.split("/")
        environment = {**os.environ, "CGO_ENABLED": "0", "GOOS": system, "GOARCH": machine, "GOFLAGS": ""}
        done = subprocess.run(
            [go_command(), "list", "-deps", "-f", shown, "./cmd/qats"], cwd=root, env=environment, capture_output=True, text=True
        )
        if done.returncode != 0:
            raise Failure(f"qatsbench: go list failed for {target}:\n{done.stderr}")
        names |= {Path(line).relative_to(root).as_posix() for line in done.stdout.split("\n") if line.strip()}
    return sorted(name for name in names if (root / name).is_file() and not name.endswith("_test.go"))


def main(words):
    match words:
        case ["wheels", out, *targets]:
            made = [wheel(t, Path(out)) for t in targets or TARGETS] + [sdist(Path(out))]
        case ["wheel", out]:
            made = [wheel(this_system(), Path(out))]
        case _:
            raise Failure(__doc__)
    for path in made:
        print(f"{path}  {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main(sys.argv[1:])
