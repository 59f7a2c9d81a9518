"""The estimators, a class for each method, made at import from _methods.json. That file, and _methods.pyi with
the same signatures for editors and type checkers, are written by tools/generate.py from ``qats doc methods --json``."""

import json
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Any

from ._calibrator import MORE, Calibrator, TopCalibrator

_WIDTH = 100  # of docstrings
_TYPES = {"int": int, "float": float, "str": str, "list": list}
_METHODS = {
    "predict_proba": "_apply",
    "predict": "_predicted",
    "temperature": "_temperature",
    "score": "_score",
}  # that take arrays of rows


class _Docstring:
    """The docstring of a class, written when it is first read."""

    def __init__(self, method):
        self.method, self.text = method, None

    def __get__(self, instance, owner=None):
        if self.text is None:
            self.text = _docstring(self.method)
        return self.text


def _docstring(m):
    import textwrap

    def filled(text, indent="    "):
        return textwrap.fill(text, _WIDTH, initial_indent=indent, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)

    title = f"{m['title']} ({m['label']})" if "title" in m else m["label"]
    out = [
        filled(f"{title}: {m['summary']}.").lstrip(),
        "",
        filled(f"Formula: {m['formula']}"),
        filled(f"Reference: {m['reference']}"),
    ]
    if m.get("top_label"):
        out.append(filled("It gives the predicted class a new confidence; the other classes share the rest in their old proportions."))
    if m.get("true_logits"):
        out.append(filled("It reads true logits: log-probabilities are an error."))
    out += ["", "    Parameters", "    ----------"]
    for o in m["options"]:
        default = "" if o["default"] is None else f", default {o['default']!r}"
        out += [f"    {o['parameter']} : {o['type']}{' | None' if o['default'] is None else ''}{default}", filled(o["help"], "        ")]
    out += [
        "    kind : str | None",
        "        what the rows are: logits, log-probs or probs; None: logits, unless every row is in [0, 1] and sums to 1",
        "    ",
    ]
    return "\n".join(out)


def _init(name, options):
    """Return the __init__ that stores options, which are (parameter, type, default)."""
    defaults = {parameter: default for parameter, _, default in options}

    def __init__(self, **given):
        if "n_bins" in given and "bins" in defaults and "bins" not in given:
            given["bins"] = given.pop("n_bins")  # as ece and scikit-learn call it
        for parameter in given:
            if parameter not in defaults:
                raise TypeError(f"{name}.__init__() got an unexpected keyword argument {parameter!r}")
        vars(self).update(defaults | given)

    taken = [Parameter(p, Parameter.KEYWORD_ONLY, default=default, annotation=kind) for p, kind, default in options]
    return _described(
        __init__, name, "__init__", Signature([Parameter("self", Parameter.POSITIONAL_OR_KEYWORD), *taken], return_annotation=None)
    )


def _taking(name, public, private, arrays):
    """Return a method of Calibrator that takes more arrays by keyword. private does its work, and has its
    parameters and ``more``."""
    plain = getattr(Calibrator, public)
    taken = signature(plain).parameters.values()
    more = [Parameter(a, Parameter.KEYWORD_ONLY, annotation=Any) for a in arrays]
    by_place, by_name = ([p for p in taken if (p.kind is Parameter.KEYWORD_ONLY) == named] for named in (False, True))
    whole = signature(plain).replace(parameters=[*by_place, *more, *by_name])

    def method(*places, **named):
        try:
            bound = whole.bind(*places, **named)
        except TypeError as e:
            raise TypeError(f"{name}.{public}() {e}") from None
        bound.apply_defaults()
        given = bound.arguments
        return getattr(given.pop("self"), private)(more={a: given.pop(a) for a in arrays}, **given)

    says = " ".join(plain.__doc__.split(".")[0].split())
    method.__doc__ = f"{says}, as Calibrator.{public} says. Besides it takes:\n\n" + "\n".join(f"{a}: {MORE[a][2]}" for a in arrays)
    return _described(method, name, public, whole)


def _described(function, of, name, parameters):
    function.__name__, function.__qualname__, function.__signature__ = name, f"{of}.{name}", parameters
    function.__annotations__ = {p.name: p.annotation for p in parameters.parameters.values() if p.annotation is not p.empty}
    function.__annotations__["return"] = parameters.return_annotation
    return function


def _made(m):
    """Return the class of a method."""
    name, cal, test = m["class"], m.get("cal", []), m.get("test", [])
    options = [
        (o["parameter"], _TYPES[o["type"]] | None if o["default"] is None else _TYPES[o["type"]], o["default"]) for o in m["options"]
    ]
    body = {
        "__module__": __name__,
        "__qualname__": name,
        "__doc__": _Docstring(m),
        "__init__": _init(name, [*options, ("kind", str | None, None)]),
        "_name": m["name"],
        "_version": m["version"],
        "_options": {o["name"]: o["parameter"] for o in m["options"]},
        "_cal": tuple(cal),
        "_test": tuple(test),
        "_top_label": m.get("top_label", False),
        "_true_logits": m.get("true_logits", False),
    }
    if cal:
        body["fit"] = _taking(name, "fit", "_fit", cal)
    if test:
        body |= {public: _taking(name, public, private, test) for public, private in _METHODS.items()}
    alone = m.get("top_label", False) and not cal  # of the logits it reads the confidence of the prediction
    return type(name, (TopCalibrator if alone else Calibrator,), body)


_known = json.loads(Path(__file__).with_name("_methods.json").read_text(encoding="utf-8"))
CLASSES: dict[str, type[Calibrator]] = {m["name"]: _made(m) for m in _known}
ALIASES: dict[str, str] = {alias: m["name"] for m in _known for alias in m.get("aliases", ())}
METHODS: tuple[str, ...] = tuple(CLASSES)


def named(long):
    """Return the classes that a long name such as "TemperatureScaling" means, the nearest first."""
    squashed = lambda text: "".join(c for c in text.lower() if c.isalnum())  # noqa: E731
    wanted, found = squashed(long), []
    for m in _known if len(wanted) > 7 else ():
        names = [squashed(n) for n in (*m.get("aliases", ()), m.get("title", m["label"])) if wanted in squashed(n)]
        found += [(min((not n.startswith(wanted), len(n)) for n in names), m["class"])] if names else []
    found.sort(key=lambda of: of[0])
    begin = [name for (inside, _), name in found if not inside]
    return begin or [name for _, name in found]


__all__ = [c.__name__ for c in CLASSES.values()]
globals().update({c.__name__: c for c in CLASSES.values()})
