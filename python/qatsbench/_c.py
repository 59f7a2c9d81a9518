"""Fitted maps as C: the table of operations of the map, as one header that C99 and C++ compile."""

import math
import re

import numpy as np

from ._errors import InputError
from ._maps import exported
from ._table import MASKED, flat, names, reached

_TWO = {
    "add": "{} + {}",
    "sub": "{} - {}",
    "mul": "{} * {}",
    "div": "{} / {}",
    "max": "fmax({}, {})",
    "min": "fmin({}, {})",
    "lt": "{} < {}",
}
_ONE = {"neg": "-{}", "exp": "exp({})", "log": "log({})", "log1p": "log1p({})", "single": "(double)(float)({})"}


def header(calibrator, name):
    """Return the header of a fitted calibrator, whose names begin with name."""
    if not isinstance(name, str) or not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise InputError(f"{name!r} is no name in C, want small letters, digits and _", code="usage", where="name")
    table, classes = exported(calibrator, "header")
    if not classes:
        raise NotImplementedError("uncal has no header: the number of classes is not in its model; its map is the softmax")
    return _Writer(name, table).text(type(calibrator).__name__)


class _Writer:
    def __init__(self, name, table):
        self.name, self.at = name, table
        self.numbers, self.code, self.slots, self.free = [], [], [], []

    def text(self, what):
        lines = reached(self.at.probabilities)
        named = names(lines)
        last = {id(o): i for i, x in enumerate(lines) for o in x.operands}
        last[id(lines[-1])] = len(lines)
        value = {}  # of each line, the variable, or the text of a number
        for i, x in enumerate(lines):
            if x.op == "logits":
                value[id(x)] = "z"
            elif x.op == "number":
                value[id(x)] = self.array(named[id(x)], x.value) if np.ndim(x.value) else _number(x.value)
            else:
                value[id(x)] = self.line(x, [(value[id(o)], o) for o in x.operands])
            for o in dict.fromkeys(x.operands):
                if last[id(o)] == i and value[id(o)] in self.slots:
                    self.free.append(value[id(o)])
        name, k = self.name, self.at.k
        masked = _number(MASKED) if self.at.masked else "NAN"
        closed = [] if self.at.masked else [f"    for (int j = 0; j < {k}; j++) if (isnan(z[j])) for (int i = 0; i < {k}; i++) p[i] = NAN;"]
        result = _read(value[id(lines[-1])], lines[-1], "j")
        return "\n".join(
            [
                f"/* {what} of qats: {name}_probabilities(logits, p) writes the {k} probabilities of a row of {k} logits to p.",
                "   A logit of -INFINITY is a masked class."
                + (" */" if self.at.masked else " The map has none: the probabilities are then NAN. */"),
                f"#ifndef {name.upper()}_H",
                f"#define {name.upper()}_H",
                "#include <math.h>",
                f"#define {name.upper()}_CLASSES {k}",
                "",
                *self.numbers,
                "",
                f"static inline int {name}_below(const double *ends, int n, double x) {{ /* how many ends are less than x */",
                "    int lo = 0;",
                "    while (lo < n) { int mid = lo + (n - lo) / 2; if (ends[mid] < x) lo = mid + 1; else n = mid; }",
                "    return lo;",
                "}",
                "",
                f"static inline void {name}_probabilities(const float *logits, double *p) {{",
                f"    double z[{k}]{''.join(f', {s}[{self.wide()}]' for s in self.slots)};",
                f"    for (int j = 0; j < {k}; j++) z[j] = isinf(logits[j]) && logits[j] < 0 ? {masked} : (double)logits[j];",
                *("    " + line for line in self.code),
                f"    for (int j = 0; j < {k}; j++) p[j] = {result};",
                *closed,
                "}",
                "#endif",
                "",
            ]
        )

    def wide(self):
        return max([self.at.k, *(x.width for x in self.at.lines if isinstance(x.width, int))])

    def array(self, name, value):
        kind = "int" if value.dtype.kind == "i" else "double"
        name = f"{self.name}_{name}"
        words = ", ".join(str(int(v)) if kind == "int" else _number(float(v)) for v in value.ravel())
        self.numbers.append(f"static const {kind} {name}[{max(1, value.size)}] = {{{words or 0}}};")
        return name

    def line(self, x, args):
        if x.width == 1 or x.width == 0:
            name = f"s{len(self.code)}"
            self.code.append(self.one(x, args, name))
            return name
        if self.free:
            name = self.free.pop()
        else:
            name = f"x{len(self.slots)}"
            self.slots.append(name)
        self.code.append(self.each(x, args, name))
        return name

    def one(self, x, args, name):
        value, of = args[0]
        n = self.at.k if of.width == "k" else of.width
        if x.op == "sum":
            return f"double {name} = 0; for (int j = 0; j < {n}; j++) {name} += {_read(value, of, 'j')};"
        if x.op == "most":
            return f"double {name} = -INFINITY; for (int j = 0; j < {n}; j++) {name} = fmax({name}, {_read(value, of, 'j')});"
        if x.op == "top":
            return f"int {name} = 0; for (int j = 1; j < {n}; j++) if ({value}[j] > {value}[{name}]) {name} = j;"
        if x.op == "matmul":
            matrix = args[1][0]
            return f"double {name} = 0; for (int i = 0; i < {n}; i++) {name} += {_read(value, of, 'i')} * {matrix}[i];"
        return f"double {name} = {self.expression(x, args, '0')};"

    def each(self, x, args, name):
        n, value = self.at.k if x.width == "k" else x.width, args[0][0]
        if x.op == "matmul":
            of = args[0][1]
            m = 1 if of.width in (0, 1) else self.at.k if of.width == "k" else of.width
            terms = f"for (int i = 0; i < {m}; i++) s += {_read(value, of, 'i')} * {args[1][0]}[i * {n} + j];"
            return f"for (int j = 0; j < {n}; j++) {{ double s = 0; {terms} {name}[j] = s; }}"
        if x.op == "largest":
            self.code.append(f"for (int i = 0; i < {n}; i++) {name}[i] = -INFINITY;")
            insert = f"for (int i = 0; i < {n}; i++) if (y > {name}[i]) {{ double t = {name}[i]; {name}[i] = y; y = t; }}"
            return f"for (int j = 0; j < {self.at.k}; j++) {{ double y = {value}[j]; {insert} }}"
        return f"for (int j = 0; j < {n}; j++) {name}[j] = {self.expression(x, args, 'j')};"

    def expression(self, x, args, j):
        words = [_read(value, of, j) for value, of in args]
        if x.op in _TWO:
            return _TWO[x.op].format(*words)
        if x.op in _ONE:
            return _ONE[x.op].format(*words)
        if x.op == "where":
            return "{} ? {} : {}".format(*words)
        if x.op == "cleared":
            return f"{j} == {words[1]} ? {words[2]} : {words[0]}"
        prefix = f"curve{sum('_ends[' in line for line in self.numbers)}"
        parts = dict(zip(("ends", "at", "y", "slope", "anchor"), flat(x.value)))
        ends, at, y, *linear = (self.array(f"{prefix}_{part}", v) for part, v in parts.items())
        of = j if len(x.value.ends) > 1 else "0"
        i = f"{at}[{of}] + {of} + {self.name}_below({ends} + {at}[{of}], {at}[{of} + 1] - {at}[{of}], {words[0]})"
        if not linear:
            return f"{y}[{i}]"
        self.numbers.append(
            f"static inline double {self.name}_{prefix}(int i, double u) {{ return {y}[i] + {linear[0]}[i] * (u - {linear[1]}[i]); }}"
        )
        return f"{self.name}_{prefix}({i}, {words[1]})"


def _read(value, line, j):
    """The number of a line at class j."""
    many = line.width not in (0, 1) or line.op == "number" and np.ndim(line.value) > 0
    return f"{value}[{j}]" if many else value


def _number(v):
    if math.isinf(v):
        return "INFINITY" if v > 0 else "(-INFINITY)"
    return repr(v) if v >= 0 else f"({v!r})"
