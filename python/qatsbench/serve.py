"""Serve the functions ``fit`` and ``apply`` of a file to a run, as docs/calibrator.md has the lines of JSON:

    python3 -m qatsbench.serve FILE [OPTION=VALUE...] serve      answer calls until standard input ends
    python3 -m qatsbench.serve FILE about                        print one object: python, modules, options

fit(logits, labels) returns a model that pickle can store, and apply(model, logits) the probabilities of other rows. Arrays
beside these, a seed and options are given by keyword, as ``qatsbench.method`` does; options go to fit alone.
"""

import functools
import importlib.util
import inspect
import json
import os
import platform
import sys
import traceback
from pathlib import Path

from ._external import Method


def main(words):
    if len(words) < 2 or words[-1] not in ("serve", "about"):
        sys.exit("python3 -m qatsbench.serve: want FILE [OPTION=VALUE...] serve, or FILE about")
    path, options, verb = Path(words[0]), words[1:-1], words[-1]
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")  # what the file prints goes to standard error
    os.dup2(2, 1)
    before = set(sys.modules) - {"numpy"}
    fit, apply = _functions(path)
    if verb == "about":
        print(json.dumps(_about(fit, set(sys.modules) - before)), file=answers, flush=True)
        return
    method = Method(functools.wraps(fit)(functools.partial(fit, **dict(map(_option, options)))), name=path.stem)
    method.apply(apply)
    print(json.dumps({"methods": [{"name": method.name}]}), file=answers, flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        answer = {"id": request["id"]}
        try:
            method.call(request["call"], request["dir"], request["seed"])
        except Exception as e:
            place = next((f for f in reversed(traceback.extract_tb(e.__traceback__)) if f.filename == str(path.resolve())), None)
            answer |= {"error": f"{type(e).__name__}: {e}", "line": f"{path.name}:{place.lineno}: {place.line}" if place else ""}
        print(json.dumps(answer), file=answers, flush=True)


def _functions(path):
    """Return the functions fit and apply of a file. Modules beside it can be imported."""
    sys.path.insert(0, str(path.resolve().parent))
    spec = importlib.util.spec_from_file_location(path.stem, path.resolve())
    if spec is None or spec.loader is None:
        sys.exit(f"{path}: no file of Python")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # where pickle looks for the classes of models
    spec.loader.exec_module(module)
    found = [getattr(module, name, None) for name in ("fit", "apply")]
    for name, function in zip(("fit", "apply"), found, strict=True):
        if not callable(function):
            sys.exit(f"{path}: no function {name}; want fit(logits, labels) and apply(model, logits)")
    return found


def _option(word):
    name, equals, value = word.partition("=")
    if not equals:
        sys.exit(f"{word!r} is not OPTION=VALUE")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _about(fit, imported):
    modules = {}
    for name in sorted(imported):
        version = getattr(sys.modules[name], "__version__", None)
        if "." not in name and not name.startswith("_") and name not in sys.stdlib_module_names and isinstance(version, str):
            modules[name] = version
    options = [p.name for p in inspect.signature(fit).parameters.values() if p.default is not p.empty and p.name != "seed"]
    return {"python": platform.python_version(), "modules": modules, "options": options}


if __name__ == "__main__":
    main(sys.argv[1:])
