"""Arrays as one stream in the format of safetensors: 8 bytes with the length of a header,
the header in JSON, and the numbers of the arrays, row-major and little-endian."""

import json
import struct

import numpy as np

_TYPES = {
    "b1": "BOOL",
    "u1": "U8",
    "i1": "I8",
    "u2": "U16",
    "i2": "I16",
    "u4": "U32",
    "i4": "I32",
    "u8": "U64",
    "i8": "I64",
    "f2": "F16",
    "f4": "F32",
    "f8": "F64",
}

_BLOCK = 1 << 20  # bytes that are converted, and written, at a time


def stream(arrays):
    """Yield the bytes of the named arrays. An array that is not contiguous is copied in
    blocks, so the stream needs no memory of their size."""
    header, at = {}, 0
    for name, a in arrays.items():
        header[name] = {"dtype": _TYPES[a.dtype.str[1:]], "shape": a.shape, "data_offsets": (at, at + a.nbytes)}
        at += a.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    yield struct.pack("<Q", len(text)) + text
    for a in arrays.values():
        yield from _numbers(a)


def _numbers(a):
    plain = a.dtype.newbyteorder("<")
    if a.ndim and len(a) == 0:
        return
    if a.flags.c_contiguous and a.dtype == plain:
        yield memoryview(a.reshape(-1).view(np.uint8))
        return
    if a.ndim > 2:
        for part in a:
            yield from _numbers(part)
        return
    step = max(1, _BLOCK * len(a) // max(1, a.nbytes))
    for lo in range(0, len(a), step):
        yield memoryview(np.ascontiguousarray(a[lo : lo + step], plain).reshape(-1).view(np.uint8))


def load(data):
    """Return the arrays of the bytes of a stream, by name."""
    n = 8 + struct.unpack_from("<Q", data)[0]
    types = {name: kind for kind, name in _TYPES.items()}
    return {
        name: np.frombuffer(data[n + x["data_offsets"][0] : n + x["data_offsets"][1]], "<" + types[x["dtype"]]).reshape(x["shape"])
        for name, x in json.loads(data[8:n]).items()
    }
