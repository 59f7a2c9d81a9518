"""Fitted maps as ONNX models, of the package onnx alone: the table of operations of the map, as a graph.

The input is logits, n x k of float32, and the output probabilities, n x k of float32. The graph computes in float64.
"""

import math

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from ._maps import exported
from ._table import MASKED, names, padded, reached

_OPSET = 17
_SAME = {
    **{"add": "Add", "sub": "Sub", "mul": "Mul", "div": "Div", "max": "Max", "min": "Min", "lt": "Less", "matmul": "MatMul"},
    **{"neg": "Neg", "exp": "Exp", "log": "Log", "where": "Where"},
}


def model(calibrator):
    """Return the onnx.ModelProto of a fitted calibrator."""
    table, classes = exported(calibrator, "graph")
    k = classes or "k"
    g = _Graph()
    z = g.to(g.to("logits", TensorProto.FLOAT), TensorProto.DOUBLE)
    g.value["logits"] = g.node("Where", g.node("Equal", z, g.number(-math.inf)), g.number(MASKED if table.masked else math.nan), z)
    p = g.table(table.probabilities)
    if not table.masked:  # a step of NaN is none
        p = g.node("Add", p, g.node("Mul", g.number(0.0), g.node("ReduceSum", g.value["logits"], g.whole([1]))))
    g.nodes.append(helper.make_node("Cast", [p], ["probabilities"], to=TensorProto.FLOAT))
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", k]) for name in ("logits", "probabilities")]
    graph = helper.make_graph(g.nodes, type(calibrator).__name__, ends[:1], ends[1:], g.numbers)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=8)
    onnx.checker.check_model(made)
    return made


class _Graph:
    def __init__(self):
        self.nodes, self.numbers, self.value = [], [], {}

    def node(self, op, *inputs, **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, list(inputs), [name], **attributes))
        return name

    def to(self, x, kind):
        return self.node("Cast", x, to=kind)

    def array(self, a, name="c"):
        name = f"{name}_{len(self.numbers)}"
        self.numbers.append(numpy_helper.from_array(np.ascontiguousarray(a), name))
        return name

    def number(self, value, name="c"):
        return self.array(np.asarray(value, np.float64), name)

    def whole(self, value):
        return self.array(np.asarray(value, np.int64))

    def table(self, last):
        lines = reached(last)
        named = names(lines)
        for x in lines:
            args = [self.value["logits" if o.op == "logits" else id(o)] for o in x.operands]
            if x.op == "logits":
                continue
            self.value[id(x)] = self.number(x.value, named.get(id(x), "c")) if x.op == "number" else self.line(x, args)
        return self.value["logits" if last.op == "logits" else id(last)]

    def line(self, x, args):
        if x.op in _SAME:
            return self.node(_SAME[x.op], *args)
        if x.op == "log1p":  # log(u) x/(u-1), u = 1 + x, and x where u rounds to 1
            u = self.node("Add", args[0], self.number(1.0))
            less = self.node("Sub", u, self.number(1.0))
            none = self.node("Equal", less, self.number(0.0))
            log = self.node("Mul", self.node("Log", u), self.node("Div", args[0], self.node("Where", none, self.number(1.0), less)))
            return self.node("Where", none, args[0], log)
        if x.op == "single":
            return self.to(self.to(args[0], TensorProto.FLOAT), TensorProto.DOUBLE)
        if x.op == "sum":
            return self.node("ReduceSum", args[0], self.whole([1]), keepdims=1)
        if x.op == "most":
            return self.node("ReduceMax", args[0], axes=[1], keepdims=1)
        if x.op == "top":
            return self.node("ArgMax", args[0], axis=1, keepdims=1)
        if x.op == "cleared":
            return self.node("Where", self.node("Equal", self.whole(np.arange(x.table.k)), args[1]), args[2], args[0])
        if x.op == "largest":
            values, places = f"v{len(self.nodes)}", f"v{len(self.nodes)}_places"
            self.nodes.append(helper.make_node("TopK", [args[0], self.whole([x.value])], [values, places], axis=1))
            return values
        ends, at, y, *linear = padded(x.value)  # a curve, by bisection
        step, ends, i = ends.shape[1], self.number(ends.ravel(), "ends"), self.whole(at)
        while step > 1:
            step //= 2
            less = self.node("Less", self.node("Gather", ends, self.node("Add", i, self.whole(step - 1))), args[0])
            i = self.node("Add", i, self.node("Mul", self.to(less, TensorProto.INT64), self.whole(step)))
        y = self.node("Gather", self.number(y.ravel(), "y"), i)
        if not linear:
            return y
        slope, anchor = (self.node("Gather", self.number(v.ravel(), name), i) for v, name in zip(linear, ("slope", "anchor")))
        return self.node("Add", y, self.node("Mul", slope, self.node("Sub", args[1], anchor)))
