"""A fitted map as a table of operations, of which predictions in numpy and exported programs are made.

A table begins with the logits of n rows, n x k, and ends with their probabilities. Every line is one operation on
lines above it. A line is n x k, n x 1 or a number of the fit, and operands are broadcast as numpy does.

    add sub mul div max min    of two lines
    neg exp log log1p single   of one line; the last one rounds to float32
    lt where                   a comparison, and the choice of one of two lines by it
    sum most                   over the classes, n x 1
    top                        the first class with the largest number, n integers
    cleared                    a line with another number at the class of a top
    largest                    the m largest numbers, in falling order
    matmul                     a line times a matrix of the fit
    curve                      a function of one variable in pieces, each constant or linear

A logit of -inf is a masked class. It is MASKED in the first line, since 0 times an infinity is no number.
"""

import base64
from dataclasses import dataclass, field
from typing import Any

import numpy as np

MASKED = -(2.0**60)
_LONG = 32  # numbers that are written in base64, from this many on

_BINARY = ("add", "sub", "mul", "div", "max", "min", "lt")


@dataclass(eq=False)
class Line:
    """One line of a table. width is "k", a number of columns, or 0 for one number of the fit."""

    table: "Table"
    op: str
    operands: tuple["Line", ...] = ()
    width: Any = "k"
    name: str = ""  # of a number of the fit
    value: Any = None  # of a number, or what the operation is told besides

    def _two(self, op, a, b):
        return self.table.line(op, self.table.of(a), self.table.of(b))

    def __add__(self, x):
        return self._two("add", self, x)

    def __radd__(self, x):
        return self._two("add", x, self)

    def __sub__(self, x):
        return self._two("sub", self, x)

    def __rsub__(self, x):
        return self._two("sub", x, self)

    def __mul__(self, x):
        return self._two("mul", self, x)

    def __rmul__(self, x):
        return self._two("mul", x, self)

    def __truediv__(self, x):
        return self._two("div", self, x)

    def __rtruediv__(self, x):
        return self._two("div", x, self)

    def __lt__(self, x):
        return self._two("lt", self, x)

    def __gt__(self, x):
        return self._two("lt", x, self)

    def __neg__(self):
        return self.table.line("neg", self)


@dataclass
class Curve:
    """The pieces of a curve for each class, or of one curve for all. Piece i of n+1 is between the ends i-1 and i of
    n ascending ends; an end belongs to the piece before it. The value is y, or y + slope (u - anchor) of another line u."""

    ends: list  # of arrays
    y: list
    slope: list | None = None
    anchor: list | None = None


@dataclass
class Table:
    """The lines of a map of k classes, in their order."""

    k: int
    masked: bool = True  # rows may have masked classes
    lines: list[Line] = field(default_factory=list)
    probabilities: Line | None = None
    temperature: Line | None = None  # of a map that divides the logits of a row by it, and does nothing else
    confidence: Line | None = None  # of a top-label method

    def __post_init__(self):
        self._known = {}
        self.raw = self.z = self._add(Line(self, "logits"))

    def _add(self, line):
        self.lines.append(line)
        return line

    def of(self, x):
        return x if isinstance(x, Line) else self.number(x)

    def number(self, value, name=""):
        """Return a line of the fit: a number, k numbers, or a matrix."""
        a = np.asarray(value, np.float64)
        if a.ndim == 0:
            return self._once(("number", name, float(a)), lambda: Line(self, "number", width=0, name=name, value=float(a)))
        return self._add(Line(self, "number", width=a.shape[-1] if a.shape[-1] != self.k else "k", name=name, value=a))

    def _once(self, key, make):
        if key not in self._known:
            self._known[key] = self._add(make())
        return self._known[key]

    def line(self, op, *operands, value=None, width=None):
        """Return the line of an operation; the same one if it is asked for again."""
        operands = tuple(self.of(x) for x in operands)
        if width is None:
            widths = [x.width for x in operands]
            width = "k" if "k" in widths else max(widths)
        key = (op, *map(id, operands), value if not isinstance(value, Curve) else id(value))
        return self._once(key, lambda: Line(self, op, operands, width, value=value))

    def max(self, a, b):
        return self.line("max", a, b)

    def min(self, a, b):
        return self.line("min", a, b)

    def exp(self, x):
        return self.line("exp", x)

    def log(self, x):
        return self.line("log", x)

    def log1p(self, x):
        return self.line("log1p", x)

    def where(self, condition, a, b):
        return self.line("where", condition, a, b)

    def sum(self, x):
        return self.line("sum", x, width=1)

    def most(self, x):
        return self.line("most", x, width=1)

    def top(self):
        """The predicted class: the first of the largest logits."""
        return self.line("top", self.raw, width=1)

    def cleared(self, x, by):
        """x with the number or line by at the predicted class."""
        return self.line("cleared", x, self.top(), by)

    def largest(self, x, m):
        return self.line("largest", x, value=m, width=m)

    def matmul(self, x, matrix, name="W"):
        a = np.asarray(matrix, np.float64)
        return self.line(
            "matmul",
            x,
            self._add(Line(self, "number", width=a.shape[1], name=name, value=a)),
            width="k" if a.shape[1] == self.k else a.shape[1],
        )

    def curve(self, x, curve, u=None):
        return self.line("curve", x, *([] if u is None else [u]), value=curve, width=x.width)

    def step(self, x, ends, y):
        """The piece of y in which x is, of one list for all classes, or of lists for each."""
        each = len(ends) and isinstance(ends[0], (list, tuple, np.ndarray))
        arrays = [[np.asarray(a, np.float64) for a in (v if each else [v])] for v in (ends, y)]
        return self.curve(x, Curve(*arrays))


# Numpy.

_NUMPY = {
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "mul": "{0} * {1}",
    "div": "{0} / {1}",
    "max": "np.maximum({0}, {1})",
    "min": "np.minimum({0}, {1})",
    "lt": "{0} < {1}",
    "neg": "-{0}",
    "exp": "np.exp({0})",
    "log": "np.log({0})",
    "log1p": "np.log1p({0})",
    "single": "{0}.astype(np.float32).astype(np.float64)",
    "where": "np.where({0}, {1}, {2})",
    "sum": "{0}.sum(1, keepdims=True)",
    "most": "{0}.max(1, keepdims=True)",
    "top": "{0}.argmax(1)",
    "largest": "np.sort({0}, 1)[:, ::-1][:, :{value}]",
    "matmul": "{0} @ {1}",
}

_HELPERS = {
    "cleared": '''
def cleared(x, at, by):
    """x with the numbers by in the columns at of its rows."""
    x = x.copy("K")
    x[np.arange(len(at)), at] = np.ravel(by)
    return x
''',
    "curve": '''
def curve(x, ends, at, y, slope=None, anchor=None, u=None):
    """The curves of the columns of x. ends[at[j]:at[j+1]] are those of column j."""
    i = np.stack([np.searchsorted(ends[at[j]:at[j + 1]], x[:, j]) + at[j] + j for j in range(len(at) - 1)], axis=1)
    return y[i] if u is None else y[i] + slope[i] * (u - anchor[i])
''',
}


def cleared(x, at, by):
    """Return x with the numbers by in the columns at of its rows."""
    x = x.copy("K")
    x[np.arange(len(at)), at] = np.ravel(by)
    return x


def curve(x, ends, at, y, slope=None, anchor=None, u=None):
    """Return the values of curves. The numbers of ends from at[j] to at[j+1]-1 are those of column j, or of all columns."""
    order = "F" if x.flags.f_contiguous else "C"
    if len(at) == 2:
        line = () if u is None else (slope, anchor, u.ravel(order))
        return _pieces(x.ravel(order), ends, y, *line).reshape(x.shape, order=order)
    out = np.empty_like(x)
    for j in range(len(at) - 1):
        these = slice(at[j] + j, at[j + 1] + j + 1)
        line = () if u is None else (slope[these], anchor[these], u[:, j])
        out[:, j] = _pieces(x[:, j], ends[at[j] : at[j + 1]], y[these], *line)
    return out


def _pieces(x, ends, y, slope=None, anchor=None, u=None):
    if len(x) > 1 and len(ends):  # most numbers are often in the first piece, which is constant
        rows = np.flatnonzero(x > ends[0])
        if 2 * len(rows) < len(x):
            out = np.full_like(x, y[0])
            out[rows] = _pieces(x[rows], ends[1:], y[1:], *(() if u is None else (slope[1:], anchor[1:], u[rows])))
            return out
    i = _below(ends, x)
    return y[i] if u is None else y[i] + slope[i] * (u - anchor[i])


def _below(ends, x):
    """Return how many of the ends are less than each x."""
    if len(x) < 256:
        return np.searchsorted(ends, x)
    step = 1 << len(ends).bit_length()  # without branches, which take most of the time of searchsorted
    ends, i = np.append(ends, np.full(step - len(ends), np.inf)), np.zeros(len(x), np.intp)
    while step > 1:
        step //= 2
        i += (ends[i + (step - 1)] < x) * step
    return i


def flat(curve):
    """Return the lists of a curve one after another: its ends, where the list of each class begins, and y, slope, anchor."""
    at = np.concatenate([[0], np.cumsum([len(e) for e in curve.ends])]).astype(np.int64)
    return [np.concatenate(curve.ends), at, *(np.concatenate(v) for v in (curve.y, curve.slope, curve.anchor) if v is not None)]


def padded(curve):
    """Return [ends, at, y, slope, anchor] of a curve with as many pieces for each class, a power of two: tables c x pieces, and
    where the list of each class begins. An end of infinity, and its piece, are never reached."""
    pieces = 1 << max(len(e) for e in curve.ends).bit_length()

    def table(lists, fill):
        return np.stack([np.append(v, np.full(pieces - len(v), fill)) for v in lists])

    rest = [table(v, 0.0) for v in (curve.y, curve.slope, curve.anchor) if v is not None]
    return [table(curve.ends, np.inf), np.arange(len(curve.ends)) * pieces, *rest]


def reached(line):
    """Return the lines that a line needs, itself included, in their order."""
    need, todo = set(), [line]
    while todo:
        x = todo.pop()
        if id(x) not in need:
            need.add(id(x))
            todo.extend(x.operands)
    return [x for x in line.table.lines if id(x) in need]


def names(lines):
    """Return the names of the lines that are numbers of the fit, each once, by the id of the line."""
    taken, given = {"z", "i", "np", "cleared", "curve", "predict"}, {}
    for x in lines:
        if x.op == "number" and (x.name or np.ndim(x.value)):
            name, i = x.name or "c", 2
            while name in taken:
                name, i = f"{x.name or 'c'}{i}", i + 1
            taken.add(name)
            given[id(x)] = name
    return given


def body(line, plain=False):
    """Return (statements, numbers): the statements of numpy from z to the result, which the last one names, and the
    numbers of the fit by their names. A variable whose last use is over is used again. plain: a curve that all classes share is
    a search in line, without the function curve."""
    lines = reached(line)
    named = names(lines)
    last = {id(o): i for i, x in enumerate(lines) for o in x.operands}
    last[id(line)] = len(lines)
    numbers, text, variable, free, made = {}, [], {}, [], 0
    for i, x in enumerate(lines):
        if x.op == "logits":
            variable[id(x)] = "z"
            continue
        if x.op == "number":
            variable[id(x)] = named.get(id(x), repr(x.value).replace("inf", "np.inf"))
            if id(x) in named:
                numbers[named[id(x)]] = x.value
            continue
        args = [variable[id(o)] for o in x.operands]
        if x.op == "curve":
            prefix = f"curve{sum(n.endswith('_ends') for n in numbers) + 1}"
            parts = dict(zip(("ends", "at", "y", "slope", "anchor"), flat(x.value)))
            numbers |= {f"{prefix}_{key}": v for key, v in parts.items()}
            words = [args[0], *(f"{prefix}_{key}" for key in parts), *args[1:]]
            code = f"curve({', '.join(words)})"
            if plain and len(x.value.ends) == 1:
                del numbers[f"{prefix}_at"]
                code = f"{prefix}_y[np.searchsorted({prefix}_ends, {args[0]})]"
                if len(args) > 1:
                    text.append(f"i = np.searchsorted({prefix}_ends, {args[0]})")
                    code = f"{prefix}_y[i] + {prefix}_slope[i] * ({args[1]} - {prefix}_anchor[i])"
        elif x.op == "cleared":
            code = f"cleared({', '.join(args)})"
        else:
            code = _NUMPY[x.op].format(*args, value=x.value)
        for o in dict.fromkeys(x.operands):
            if last[id(o)] == i and o.op not in ("number", "logits"):
                free.append(variable[id(o)])
        if free:
            variable[id(x)] = free.pop()
        else:
            made += 1
            variable[id(x)] = f"x{made}"
        text.append(f"{variable[id(x)]} = {code}")
    text.append(f"return {variable[id(line)]}")
    return text, numbers


def function(line):
    """Return the function of numpy from logits, n x k of float64 with MASKED for a masked class, to a line."""
    text, numbers = body(line)
    space = {"np": np, "cleared": cleared, "curve": curve, **numbers}
    exec("def predict(z):\n    " + "\n    ".join(text), space)  # noqa: S102 - of the table above alone
    return space["predict"]


def _literal(value):
    if np.ndim(value) == 0:
        return repr(value)
    whole = value.dtype.kind == "i"
    if value.size < _LONG:
        return f"np.array({value.tolist()!r}{'' if value.size else ', float'})"
    packed = base64.b64encode(value.astype("<i8" if whole else "<f8").tobytes()).decode()
    shape = f".reshape{value.shape}" if value.ndim > 1 else ""
    return f'np.frombuffer(base64.b64decode("{packed}"), "<{"i" if whole else "f"}8"){shape}'


def numpy_source(table):
    """Return the source of a module with a function predict from n x k logits to probabilities."""
    text, numbers = body(table.probabilities, plain=True)
    numbers = [f"{name} = {_literal(v)}" for name, v in numbers.items()]
    out = ["import base64", ""] if any("base64." in n for n in numbers) else []
    out += ["import numpy as np", "", *numbers]
    for op, helper in _HELPERS.items():
        if any(f" = {op}(" in line for line in text):
            out += ["", helper.rstrip("\n")]
    masked = ["    z = np.where(np.isneginf(z), %r, z)" % MASKED]
    if not table.masked:
        masked = ["    if np.isneginf(z).any():", '        raise ValueError("the map needs the logit of every class")']
    out += ["", ""]
    if any("np.log(" in line or " 0.25 / " in line for line in text):
        out.append('@np.errstate(all="ignore")')
    out += [
        "def predict(logits):",
        '    """Return the probabilities of n x k logits."""',
        "    z = np.asarray(logits, np.float32).astype(np.float64)",
        *masked,
        *("    " + line for line in text),
    ]
    return "\n".join(out) + "\n"
