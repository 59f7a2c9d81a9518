"""What mkdocs does not do by itself, for the site of the documents:

* Links out of docs lead to the repository, and links to pages have their titles. Pictures of results/shown are copied.
* The pages gallery.md and api.md are made here: the first from the files of make gallery.
* Old names of pages lead to the new ones.
* A page that would load something from another machine is an error. The theme would ask GitHub for the stars of the repository:
  the mark by which it finds the link goes.
"""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import yaml
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parent.parent.parent
REPOSITORY = "https://github.com/qats-bench/qats/blob/main/"
PAGE = re.compile(r"\[([a-z-]+\.md)\]\(\1")  # the names of files are for readers of the repository; the site has titles
OUTSIDE = re.compile(r"(!?)(\[[^]]*\])\(\.\./([^)#\s]+)(#[^)\s]*)?\)")

API = """# Python, each name

[python.md](python.md) shows the package by examples. This page is made from its signatures and docstrings. The Go packages are on
[pkg.go.dev](https://pkg.go.dev/github.com/qats-bench/qats).

## The package

::: qatsbench
    options:
      show_root_heading: false
      show_root_toc_entry: false
      filters: ["!^_"]
      members: {members}

## What all calibrators have

::: qatsbench.Calibrator

## A class for each method

::: qatsbench._methods
    options:
      show_root_heading: false
      show_root_toc_entry: false
      heading_level: 3
      members: {classes}
"""

GALLERY = """# Gallery

Every kind of figure and the forms of a table, from networks that come with the project. In a checkout one line makes all of
them, in less than a minute:

    qats run gallery && qats report gallery

Each picture is one entry of [the spec](https://github.com/qats-bench/qats/blob/main/experiments/gallery.yaml), which stands above
it. Put the entry under `figures:` of a spec of yours. [spec.md](spec.md#figure) has all keys.
"""


def gallery():
    """Return the page of the gallery, and its pictures by their name on the page. The files are those of make gallery."""
    made = ROOT / "results/out/gallery"
    if not (made / "figures.json").exists():
        raise PluginError(f"{made} has no figures: make gallery")
    spec = yaml.safe_load((ROOT / "experiments/gallery.yaml").read_text())
    page, pictures = [GALLERY], {}
    for kind in map(json.loads, (made / "figures.json").read_text().splitlines()):
        lines = [f for f in spec["figures"] if f["kind"] == kind["name"]]
        where = f"{lines[0]['dataset']}-{lines[0]['backbone']}" if kind["one_setting"] and lines else "measured"
        found = made / f"figures/gallery-{kind['name']}-{where}.svg"
        if not found.exists():
            raise PluginError(f"experiments/gallery.yaml has no figure of the kind {kind['name']}")
        line = yaml.safe_dump([lines[0]], default_flow_style=None, sort_keys=False).strip()
        pictures[f"gallery/{kind['name']}.svg"] = found
        page.append(f"""## {kind["name"]}

{kind["summary"]}

```yaml
{line}
```

![{kind["name"]}](gallery/{kind["name"]}.svg)
""")
    page.append("""## Tables

`report` writes each table of a spec as text, LaTeX and CSV, and prints it with `--format text`, `latex` or `md`.
""")
    for table in spec["tables"]:
        text = (made / f"tables/gallery-{table['name']}.txt").read_text().rstrip()
        page.append(f"### {table['title']}\n\n```text\n{text}\n```\n")
    compared = (made / "compare.txt").read_text().rsplit("\n\n", 1)[0]  # the last paragraph says where the files are
    for title, command, text in (
        ("Comparison of all methods", "qats compare", compared),
        (
            "Which calibrator to use",
            "qats try data/bundle/20newsgroups-body/transformer-d64-l2",
            (ROOT / "results/shown/try.txt").read_text(),
        ),
    ):
        page.append(f"### {title}\n\n    {command}\n\n```text\n{text.rstrip()}\n```\n")
    return "\n".join(page), pictures


def api():
    """Return the page of the names of the Python package, but for the classes of METHODS."""
    text = (ROOT / "python/qatsbench/_methods.pyi").read_text()
    classes = re.findall(r'^    "(\w+)",$', text[: text.index("\nclass ")], re.MULTILINE)
    init = (ROOT / "python/qatsbench/__init__.py").read_text()
    names = re.findall(r'^    "(\w+)",$', init[init.index("__all__ = [") :], re.MULTILINE)
    members = [n for n in names if n not in ("Calibrator", "METHODS", "__version__")]
    return API.format(members=members, classes=classes)


def on_files(files, config):
    files.append(File.generated(config, "api.md", content=api()))
    page, pictures = gallery()
    files.append(File.generated(config, "gallery.md", content=page))
    for name, picture in pictures.items():
        files.append(File.generated(config, name, abs_src_path=str(picture)))
    for picture in sorted((ROOT / "results/shown").rglob("*.svg")):
        files.append(File.generated(config, str(picture.relative_to(ROOT / "results")), abs_src_path=str(picture)))
    return files


def on_page_markdown(markdown, page, config, files):
    wide = {"evidence.md": ["navigation"], "findings.md": ["navigation"]}  # their tables need the width
    if page.file.src_path in wide:
        page.meta["hide"] = wide[page.file.src_path]

    def lead(m):
        bang, words, path, anchor = m.groups()
        if not (ROOT / path).exists():
            raise PluginError(f"{page.file.src_path} links to {path}, which is not there")
        if bang:
            return f"![{words[1:-1]}]({path.removeprefix('results/')})"
        return f"{words}({REPOSITORY}{path}{anchor or ''})"

    titles = titled(config.nav)

    def title(m):
        return f"[{titles.get(m[1], m[1])}]({m[1]}"

    return PAGE.sub(title, OUTSIDE.sub(lead, markdown))


def titled(nav):
    """Return the titles of pages by their files."""
    found = {}
    for entry in nav:
        for title, to in entry.items():
            found |= titled(to) if isinstance(to, list) else {to: title}
    return found


MOVED = {
    "install": "tutorial.html#install",
    "which": "choose.html",
    "page": "read.html",
    "intervals": "read.html#intervals",
    "check": "formats.html#what-check-finds",
    "recipes": "compare.html",
    "new-calibrator": "calibrator.html",
    "leaderboard": "calibrator.html#the-board",
    "implementers": "formats.html#for-implementers",
    "peers": "evidence.html#peers",
    "speed": "evidence.html#speed",
    "reliability": "evidence.html#reliability",
}


def redirect(site):
    """Write a page for each old name, which leads to the new one."""
    for old, new in MOVED.items():
        page, _, anchor = new.partition("#")
        if f'id="{anchor}"' not in (site / page).read_text() and anchor:
            raise PluginError(f"{page} has no heading {anchor}, to which {old}.html leads")
        (site / f"{old}.html").write_text(
            f'<!doctype html><meta charset="utf-8"><title>Moved</title><meta http-equiv="refresh" content="0; url={new}"><a href="{new}">This page has moved.</a>\n'
        )


ASKS = ' data-md-component="source"'  # by this the theme's script finds the link to the repository, and asks api.github.com about it


class Loads(HTMLParser):
    """Collects what a page loads by itself."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        a = dict(attrs)
        if tag == "link" and a.get("rel") in ("canonical", "prev", "next"):
            return
        for key in ("src", "srcset", "data", "poster") + (("href",) if tag in ("link", "use", "image") else ()):
            if re.match(r"(https?:)?//", a.get(key) or ""):
                self.found.append(a[key])


def on_post_build(config):
    for page in Path(config.site_dir).rglob("*.html"):
        loads = Loads()
        text = page.read_text()
        if ASKS not in text:
            raise PluginError(f"{page.name} lacks{ASKS}: the theme has another mark, and its script may ask other machines")
        text = text.replace(ASKS, "")
        page.write_text(text)
        loads.feed(text)
        loads.found += re.findall(r"""(?:@import|url\()\s*["']?((?:https?:)?//[^"')]+)""", text)
        if loads.found:
            raise PluginError(f"{page.name} loads {loads.found} from other machines")
    for sheet in Path(config.site_dir).rglob("*.css"):
        if found := re.findall(r"""url\(\s*["']?((?:https?:)?//[^"')]+)""", sheet.read_text()):
            raise PluginError(f"{sheet.name} loads {found} from other machines")
    redirect(Path(config.site_dir))
