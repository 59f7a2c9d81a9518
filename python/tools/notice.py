"""Writes NOTICE, the licences of the modules that the program links, on any system:

    python3 python/tools/notice.py          writes the file
    python3 python/tools/notice.py --check  status 1 if it would change

go-licenses finds the modules and their licences. MORE has what it does not look for.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
TOOL = "github.com/google/go-licenses@v1.6.0"
SYSTEMS = ("linux", "darwin", "windows")
RULE = "=" * 78

# Other files of a module that go with its binary, and what they are.
MORE = {
    "codeberg.org/go-fonts/liberation": [("LICENSE-SIL", "OFL-1.1, of the Liberation fonts")],
    "github.com/golang/freetype": [("LICENSE", "FTL, by choice"), ("licenses/ftl.txt", "FTL")],
    "gonum.org/v1/gonum": [("THIRD_PARTY_LICENSES/*", "of code in it")],
    "gopkg.in/yaml.v3": [("NOTICE", "Apache-2.0, of a part of it")],
}

HEAD = """qats is under the MIT licence (LICENSE), its data under the terms in LICENSE-DATA. Its program
links the modules of others that follow, and a page that it writes has two libraries of JavaScript.
make notice writes this file.
"""

TEMPLATE = """{{range .}}{{.Name}}\t{{.LicenseName}}\t{{.LicensePath}}
{{end}}"""


def go(*words, system="", quiet=False):
    environment = {**os.environ, "GOFLAGS": "", "GOOS": system, "CGO_ENABLED": "0"}
    done = subprocess.run(
        ["go", *words], cwd=ROOT, env=environment, capture_output=quiet, stdout=None if quiet else subprocess.PIPE, text=True
    )
    if done.returncode != 0:
        raise SystemExit(f"go {' '.join(words)} failed\n{done.stderr or ''}")
    return done.stdout


def modules():
    """Returns the linked modules, path to (version, folder)."""
    shown = "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}{{end}}"
    lines = {line for s in SYSTEMS for line in go("list", "-deps", "-f", shown, "./cmd/qats", system=s).splitlines() if line}
    return {path: (version, Path(folder)) for path, version, folder in (line.split("\t") for line in sorted(lines))}


def found(known):
    """Returns what go-licenses finds: the name of the licence and its file, by module."""
    licences = {}
    with tempfile.TemporaryDirectory() as folder:
        template, tool = Path(folder) / "template", Path(folder) / "go-licenses"
        template.write_text(TEMPLATE)
        os.environ["GOBIN"] = folder
        go("install", TOOL, quiet=True)
        os.environ["GOROOT"] = go("env", "GOROOT").strip()  # what is in it is no module
        for system in SYSTEMS:
            words = [tool, "report", "./cmd/qats", "--confidence_threshold", "0.8", "--template", template]
            done = subprocess.run(words, cwd=ROOT, env={**os.environ, "GOOS": system}, capture_output=True, text=True)
            if done.returncode != 0:
                raise SystemExit(done.stderr)
            for line in done.stdout.splitlines():
                if line:
                    library, name, path = line.split("\t")
                    module = next((m for m in known if library == m or library.startswith(m + "/")), None)
                    if module and path:
                        licences.setdefault(module, set()).add((name, path))
    return licences


def notice():
    known = modules()
    licences = found(known)
    texts = {}  # the modules by the text that they have

    def add(path, title):
        raw = path.read_bytes()
        try:
            text = raw.decode()
        except UnicodeDecodeError:
            text = raw.decode("latin-1")
        text = "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")
        texts.setdefault(text, []).append(title)

    add(Path(os.environ["GOROOT"]) / "LICENSE", "Go, its standard library: BSD-3-Clause")
    for module, (version, folder) in known.items():
        files = [(Path(path), name) for name, path in sorted(licences.get(module, ()))]
        files += [(path, what) for pattern, what in MORE.get(module, ()) for path in sorted(folder.glob(pattern))]
        if not files:
            raise SystemExit(f"go-licenses finds no licence of {module}; look at {folder}, and name its file in MORE")
        for path, what in files:
            add(path, f"{module} {version}: {what}" + (f" ({path.name})" if "THIRD" in path.parent.name else ""))
    for name, title in (("d3", "d3"), ("plot", "Observable Plot")):
        add(ROOT / f"experiments/report/page/vendor/LICENSE-{name}", f"{title}, in a page that the program writes: ISC")
    parts = ["\n".join([RULE, *titles, RULE, "", text, ""]) for text, titles in texts.items()]
    return "\n".join([HEAD, *parts])


def main(words):
    path, text = ROOT / "NOTICE", notice()
    if words != ["--check"]:
        path.write_text(text, encoding="utf-8")
    elif not path.is_file() or path.read_text(encoding="utf-8") != text:
        print("NOTICE does not have the modules that the program links: run make notice", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
