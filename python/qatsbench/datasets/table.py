"""Reads sources.yaml, the table of published files, and checks it.

sources.schema.json beside it says the same to editors. An error names the place in the table.
"""

import dataclasses
import fnmatch
import os
import re
from urllib.parse import quote, urlsplit

from .._files import opened
from .errors import DatasetError, need, short
from .formats import FORMATS
from .published import files_of, name_of

TABLE = os.path.join(os.path.dirname(__file__), "sources.yaml")
GITHUB = "https://raw.githubusercontent.com"
FORMS = ("npy", "npz", "pickle", "csv", "indexed", "hdf5", "json", "records", "paths", "head")


@dataclasses.dataclass(frozen=True)
class File:
    """One published file. key is its name in the cache and in mirrors, unique in the table."""

    key: str
    url: str
    licence: str
    bytes: int = 0  # 0 if it is not known
    sha256: str = ""  # in hex; empty if it is not known
    md5: str = ""
    git: str = ""  # the id of git's blob, where git knows the file and no SHA-256 is known
    members: tuple = ()  # of a .npz, which are all that is read of it
    always: bool = False  # is fetched with any choice of others
    on_request: bool = False  # is fetched only by a choice that names it

    @property
    def name(self):
        return self.key.rsplit("/", 1)[-1]

    def at(self, mirror):
        """Returns the file at a mirror, which has it under its key."""
        return dataclasses.replace(self, url=mirror.rstrip("/") + "/" + quote(self.key))


@dataclasses.dataclass(frozen=True)
class Source:
    """A collection. Its files have a format of formats, or it has networks, each an entry for published."""

    name: str
    title: str
    page: str
    licence: str
    into: str
    format: str = ""
    files: tuple = ()
    networks: tuple = ()
    came_from: str = ""
    training: str = ""


class Table:
    """The sources by name and the files by id."""

    def __init__(self, path=TABLE):
        self.path = path
        yaml = need("yaml", "the table of published files")
        try:
            with opened(path) as f:
                top = yaml.load(f, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        except OSError as e:
            raise DatasetError(f"{path}: {e.strerror}") from None
        except (yaml.YAMLError, UnicodeDecodeError) as e:
            raise DatasetError(f"{path}: {short(e, 200)}") from None
        self._check(top, "", {"origins": list, "sources": list})
        self.files, self.origins = {}, {}
        for i, o in enumerate(top["origins"]):
            self._origin(o, f"origins[{i}]")
        self.sources = {}
        for i, s in enumerate(top["sources"]):
            self._source(s, f"sources[{i}]")

    def fail(self, where, what):
        raise DatasetError(f"{self.path}: {where.lstrip('.')}: {what}")

    def _check(self, x, where, need, may=()):
        """Checks that x is a mapping with keys of given types."""
        if not isinstance(x, dict):
            self.fail(where or "the table", "want keys and values")
        may = dict(may)
        for k in x:
            if k not in need and k not in may:
                self.fail(f"{where}.{k}", f"unknown key; want one of {', '.join([*need, *may])}")
        for k, t in need.items():
            if k not in x:
                self.fail(where or "the table", f"{k} is missing")
        for k, v in x.items():
            t = need.get(k) or may[k]
            if not isinstance(v, t) or isinstance(v, bool) and t is not bool:
                self.fail(f"{where}.{k}", f"{short(v, 60)!r}; want {getattr(t, '__name__', 'a number')}")

    def _origin(self, o, where):
        self._check(
            o, where, {"name": str, "licence": str, "files": list}, {"repository": str, "commit": str, "url": str, "lfs": bool, "note": str}
        )
        if ("repository" in o) == ("url" in o) or ("repository" in o) != ("commit" in o):
            self.fail(where, "want repository and commit, or url")
        if not re.fullmatch(r"[a-z0-9-]+", o["name"]) or o["name"] in self.origins:
            self.fail(f"{where}.name", f"{short(o['name'], 60)!r}; want a new name of letters, digits and hyphens")
        if "commit" in o and not re.fullmatch("[0-9a-f]{40}", o["commit"]):
            self.fail(f"{where}.commit", "want 40 hexadecimal digits")
        self.origins[o["name"]] = o
        for i, f in enumerate(o["files"]):
            at = f"{where}.files[{i}]"
            self._check(
                f,
                at,
                {"path": str, "sha256": str},
                {"bytes": int, "md5": str, "git": str, "licence": str, "members": list, "always": bool, "on_request": bool, "query": str},
            )
            self._file(o, f, at)

    def _file(self, o, f, at):
        path = f["path"]
        if not path or path.startswith("/") or any(s in ("", ".", "..") for s in path.split("/")) or not path.isprintable() or "\\" in path:
            self.fail(f"{at}.path", f"{short(path, 100)!r} is no path")
        for key, digits in (("sha256", 64), ("md5", 32), ("git", 40)):
            unknown = key == "sha256" and f[key] == "not stated"
            if key in f and not unknown and not re.fullmatch(f"[0-9a-f]{{{digits}}}", f[key]):
                self.fail(
                    f"{at}.{key}",
                    f"{short(f[key], 80)!r}; want {digits} hexadecimal digits" + (", or not stated" if key == "sha256" else ""),
                )
        if f.get("bytes", 1) <= 0:
            self.fail(f"{at}.bytes", "want a number above 0")
        if "repository" in o:
            if "query" in f:
                self.fail(f"{at}.query", "is for an origin with a url")
            key = f"{o['repository']}/{o['commit']}/{path}"
            base = (
                f"https://github.com/{o['repository']}/raw/{o['commit']}" if o.get("lfs") else f"{GITHUB}/{o['repository']}/{o['commit']}"
            )
        else:
            key, base = f"{o['name']}/{path}", o["url"].rstrip("/")
        id = f"{o['name']}:{path}"
        if id in self.files:
            self.fail(f"{at}.path", f"{id} is there already")
        self.files[id] = File(
            key,
            f"{base}/{quote(path)}{f.get('query', '')}",
            f.get("licence", o["licence"]),
            f.get("bytes", 0),
            "" if f["sha256"] == "not stated" else f["sha256"],
            f.get("md5", ""),
            f.get("git", ""),
            tuple(f.get("members", ())),
            f.get("always", False),
            f.get("on_request", False),
        )

    def _source(self, s, where):
        self._check(
            s,
            where,
            {"name": str, "title": str, "page": str, "licence": str, "into": str},
            {"format": str, "origins": list, "networks": list, "from": str, "training": str},
        )
        if s["name"] in self.sources:
            self.fail(f"{where}.name", f"{s['name']} is there already")
        if ("format" in s) == ("networks" in s) or ("format" in s) != ("origins" in s):
            self.fail(where, "want format and origins, or networks")
        if "format" in s and s["format"] not in FORMATS:
            self.fail(f"{where}.format", f"want one of {', '.join(FORMATS)}")
        files = []
        for name in s.get("origins", ()):
            if name not in self.origins:
                self.fail(f"{where}.origins", f"{short(name, 60)!r} is no origin")
            files += [f"{name}:{f['path']}" for f in self.origins[name]["files"]]
        names, networks = set(), []
        for i, n in enumerate(s.get("networks", ())):
            n = self._network(n, f"{where}.networks[{i}]")
            if (full := f"{n['dataset']}/{name_of(n)}") in names:
                self.fail(f"{where}.networks[{i}]", f"{full} is there already")
            names.add(full)
            networks.append(n)
        self.sources[s["name"]] = Source(
            s["name"],
            s["title"],
            s["page"],
            s["licence"],
            s["into"],
            s.get("format", ""),
            tuple(files),
            tuple(networks),
            s.get("from", ""),
            s.get("training", ""),
        )

    def _network(self, n, where):
        self._check(
            n,
            where,
            {"dataset": str, "network": str, "kind": str, "from": str},
            {
                "seed": int,
                "classes": int,
                "note": str,
                "stands_in": str,
                "cal": dict,
                "test": dict,
                "halves": dict,
                "head": dict,
                "ood": dict,
            },
        )
        if n["kind"] not in ("logits", "probs", "confidence"):
            self.fail(f"{where}.kind", "want logits, probs or confidence")
        if "classes" in n and (n["kind"] != "confidence" or n["classes"] < 2):
            self.fail(f"{where}.classes", "want at least 2, of the kind confidence")
        if ("halves" in n) == ("test" in n) or ("cal" in n) != ("test" in n):
            self.fail(where, "want cal and test, or halves")
        for key in ("cal", "test", "halves", "ood"):
            if key in n:
                self._set(n[key], f"{where}.{key}", n, key)
        if "head" in n:
            self._check(n["head"], f"{where}.head", {"weight": dict, "bias": dict})
            for k in ("weight", "bias"):
                self._array(n["head"][k], f"{where}.head.{k}")
        licences = {self.files[f].licence for f in files_of(n)}
        return n | {"licence": ", ".join(sorted(licences))}

    def _set(self, s, where, n, key):
        part = {
            "scores": dict,
            "labels": dict,
            "predicted": dict,
            "features": dict,
            "groups": dict,
            "keep": str,
            "without": list,
            "accuracy": float,
        }
        if "parts" in s:
            self._check(s, where, {"parts": list}, {"balanced": int, "published": str})
        else:
            self._check(s, where, {}, part | {"balanced": int, "published": str})
        for i, p in enumerate(s.get("parts", [s])):
            at = f"{where}.parts[{i}]" if "parts" in s else where
            self._check(p, at, {}, part | ({} if "parts" in s else {"balanced": int, "published": str}))
            if "labels" not in p and key != "ood":
                self.fail(at, "labels is missing")
            if "scores" not in p:
                self.fail(at, "scores is missing")
            if ("predicted" in p) != (n["kind"] == "confidence"):
                self.fail(at, "predicted is for the kind confidence, and needed there")
            for k in ("scores", "labels", "predicted", "features", "groups"):
                if k in p:
                    self._array(p[k], f"{at}.{k}")
            if p["scores"]["form"] == "head" and not ("features" in p and "head" in n):
                self.fail(f"{at}.scores", "form head needs features, and the head of the network")
            for j, w in enumerate(p.get("without", ())):
                self._array(w, f"{at}.without[{j}]")

    def _array(self, a, where):
        self._check(
            a,
            where,
            {"file": str, "form": str},
            {"member": (str, list), "columns": list, "column": str, "codes": dict, "at": dict, "prefix": str, "whole": bool},
        )
        if a["file"] not in self.files:
            self.fail(f"{where}.file", f"{short(a['file'], 100)!r} is no file of the origins")
        if a["form"] not in FORMS:
            self.fail(f"{where}.form", f"{short(a['form'], 60)!r}; want {', '.join(FORMS[:-1])} or {FORMS[-1]}")
        if a["form"] in ("npz", "hdf5") and not isinstance(a.get("member"), str):
            self.fail(where, "member is missing")
        if a["form"] in ("csv", "records") and ("column" in a) == ("columns" in a):
            self.fail(where, "want column or columns")
        if a["form"] == "paths" and not a.get("codes"):
            self.fail(where, "codes is missing")
        if "at" in a:
            self._array(a["at"], f"{where}.at")

    def source(self, name):
        """Returns a source by name."""
        if name not in self.sources:
            raise DatasetError(f"unknown source {short(name, 60)!r}; want one of {', '.join(self.sources)}, or the address of a file")
        return self.sources[name]

    def choose(self, source, patterns):
        """Returns the ids of a source's files, or its networks, that match one of the patterns; without patterns all that are not on request."""
        if source.networks:
            names = {f"{n['dataset']}/{name_of(n)}": n for n in source.networks}
            kept = [n for name, n in names.items() if not patterns or any(fnmatch.fnmatchcase(name, p) for p in patterns)]
            for p in patterns:
                if not any(fnmatch.fnmatchcase(name, p) for name in names):
                    raise DatasetError(f"no network of {source.name} matches {p!r}; --list shows them")
            return kept
        for p in patterns:
            if not any(_matches(p, self.files[f]) for f in source.files):
                raise DatasetError(f"no file of {source.name} matches {p!r} (it has {', '.join(self.files[f].name for f in source.files)})")
        chosen = [
            f for f in source.files if any(_matches(p, self.files[f]) for p in patterns) or not patterns and not self.files[f].on_request
        ]
        return [f for f in source.files if f in chosen or self.files[f].always]


def _matches(pattern, file):
    return fnmatch.fnmatchcase(file.name, pattern) or fnmatch.fnmatchcase(os.path.splitext(file.name)[0], pattern)


def check_address(address):
    """Checks an address. file:///PATH is one, too."""
    try:
        u = urlsplit(address)
    except ValueError:
        raise DatasetError(f"{short(address, 100)!r} is not an address") from None
    if u.scheme not in ("http", "https", "file"):
        raise DatasetError(f"{short(address, 200)}: want an address that begins with https://, http:// or file://")
    if u.scheme == "file" and u.netloc not in ("", "localhost"):
        raise DatasetError(f"{short(address, 200)}: a file of another machine; write file:///PATH, with three slashes")
    if u.scheme != "file" and not u.hostname:
        raise DatasetError(f"{short(address, 200)}: names no host")
    if u.username or u.password:
        raise DatasetError("an address with a password in it; want one without")
    return u
