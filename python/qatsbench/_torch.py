"""Fitted maps as torch modules, which need no program: the table of operations of the map, as a graph of torch.fx.

A module computes in float64 and returns the type of its input (float32 for smaller ones). Its probabilities differ from
those of ``predict_proba`` by less than 1e-6. torch.jit.script takes it, and its operations are those that ONNX has.

A logit of -inf is a masked class, with probability 0. A module of a method that takes no masked classes returns NaN for a
row that has one.
"""

import math
import operator

import numpy as np
import torch
from torch import fx, nn

from ._maps import exported
from ._table import MASKED, names, padded, reached

_TWO = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv, "lt": operator.lt, "matmul": torch.matmul}
_ONE = {"neg": operator.neg, "exp": torch.exp, "log": torch.log, "log1p": torch.log1p}
_TENSORS = {"max": torch.maximum, "min": torch.minimum, "where": torch.where}  # take no plain numbers


def module(calibrator):
    """Return the module of a fitted calibrator."""
    table, classes = exported(calibrator, "module")
    return _Head(_graph(table.probabilities), classes, table.masked).eval()


class _Head(nn.Module):
    """Probabilities of n x k logits. The numbers of the fit are buffers."""

    def __init__(self, inner, classes, masked):
        super().__init__()
        self.inner, self.classes, self.masked = inner, classes, masked
        self.least = MASKED if masked else math.nan

    def _apply(self, fn, *args, **kwargs):
        """Move the buffers to another device; .half() and .float() leave them in float64."""
        here = next((b.device for b in self.buffers()), torch.device("cpu"))
        device = fn(torch.empty(0, dtype=torch.float64, device=here)).device
        return super()._apply(lambda t: t.to(device), *args, **kwargs)

    def forward(self, logits: torch.Tensor) -> torch.Tensor:
        if logits.dim() != 2 or self.classes > 0 and logits.size(1) != self.classes:
            raise ValueError(f"logits of shape {list(logits.shape)}, want n x {self.classes}")
        to = logits.dtype
        if to != torch.float64:
            to = torch.float32
        z = logits.to(torch.float32).to(torch.float64)
        z = z.masked_fill(z == -math.inf, self.least)
        p = self.inner(z)
        if not self.masked:
            p = p + 0.0 * z.sum(dim=1, keepdim=True)  # a step of NaN is none
        return p.to(to)


def _graph(line):
    root, graph = nn.Module(), fx.Graph()
    lines = reached(line)
    node, named = {}, names(lines)

    def buffer(value, name):
        if isinstance(value, np.ndarray) and value.dtype.kind == "i":
            tensor = torch.tensor(value.tolist(), dtype=torch.int64)
        else:
            tensor = torch.tensor(np.asarray(value, np.float64).tolist(), dtype=torch.float64)
        base, i = name, 2
        while hasattr(root, name):
            name, i = f"{base}{i}", i + 1
        root.register_buffer(name, tensor)
        return graph.get_attr(name)

    def call(f, *args, **named_args):
        return graph.call_function(f, args, named_args)

    for x in lines:
        args = [node[id(o)] for o in x.operands]
        if x.op == "logits":
            made = graph.placeholder("z")
        elif x.op == "number":
            made = buffer(x.value, named[id(x)]) if id(x) in named else x.value
        elif x.op in _TENSORS or x.op == "cleared":
            args = [buffer(a, "c") if isinstance(a, float) else a for a in args]
            if x.op == "cleared":
                here = call(operator.eq, buffer(np.arange(x.table.k), "classes"), args[1])
                made = call(torch.where, here, args[2], args[0])
            else:
                made = call(_TENSORS[x.op], *args)
        elif x.op in _TWO:
            made = call(_TWO[x.op], *args)
        elif x.op in _ONE:
            made = call(_ONE[x.op], *args)
        elif x.op == "single":
            made = graph.call_method("to", (graph.call_method("to", (args[0], torch.float32)), torch.float64))
        elif x.op == "sum":
            made = call(torch.sum, args[0], dim=[1], keepdim=True)
        elif x.op == "most":
            made = call(torch.amax, args[0], dim=[1], keepdim=True)
        elif x.op == "top":
            made = call(torch.argmax, args[0], dim=1, keepdim=True)
        elif x.op == "largest":
            made = call(operator.getitem, call(torch.topk, args[0], x.value, dim=1), 0)
        else:  # a curve, by bisection
            ends, at, y, *linear = padded(x.value)
            step, ends, i = ends.shape[1], buffer(ends.ravel(), "ends"), buffer(at, "at")
            while step > 1:
                step //= 2
                less = call(operator.lt, call(operator.getitem, ends, call(operator.add, i, step - 1)), args[0])
                i = call(operator.add, i, call(operator.mul, graph.call_method("to", (less, torch.int64)), step))
            made = call(operator.getitem, buffer(y.ravel(), "y"), i)
            if linear:
                slope, anchor = (call(operator.getitem, buffer(v.ravel(), name), i) for v, name in zip(linear, ("slope", "anchor")))
                made = call(operator.add, made, call(operator.mul, slope, call(operator.sub, args[1], anchor)))
        node[id(x)] = made
    graph.output(node[id(line)])
    return fx.GraphModule(root, graph)
