"""Reads pickles and files of torch.save without running anything in them.

A pickle may hold None, booleans, numbers, texts, bytes, lists, tuples, dicts and sets, arrays and
numbers of numpy, and tensors of torch. Each name that it imports is looked up in a fixed table,
whose entries are objects of this module: numpy and torch are never called by a pickle. Any other
name is an error. The objects of the table have no attributes that a pickle could replace.

Nothing here bounds memory or time: see worker.
"""

import collections
import io
import math
import pickle
import struct
import zipfile

import numpy as np

from .errors import ZIP_FAULTS, DatasetError, short

# Element types of torch's storages, by the name of the class.
STORAGES = {
    "DoubleStorage": "<f8",
    "FloatStorage": "<f4",
    "HalfStorage": "<f2",
    "BFloat16Storage": "bf16",
    "LongStorage": "<i8",
    "IntStorage": "<i4",
    "ShortStorage": "<i2",
    "CharStorage": "<i1",
    "ByteStorage": "<u1",
    "BoolStorage": "|b1",
}

# The numbers at the start of a file of torch.save before version 1.6.
LEGACY_MAGIC = 0x1950A86A20F9469CFC6C
LEGACY_PROTOCOL = 1001

ONLY = "only arrays, lists, tuples, dicts and numbers are read, and nothing is run"


class _Name:
    """A name that a pickle may import. Calling it is all that a pickle can do with it."""

    __slots__ = ("_call", "_text")

    def __init__(self, text, call=None):
        object.__setattr__(self, "_text", text)
        object.__setattr__(self, "_call", call)

    def __setattr__(self, name, value):
        raise DatasetError(f"the pickle sets an attribute of {self._text}")

    def __call__(self, *arguments):
        if self._call is None:
            raise DatasetError(f"the pickle calls {self._text}; {ONLY}")
        return self._call(*arguments)


class _DType:
    """numpy.dtype(code, align, copy), and its state, which has the byte order."""

    def __init__(self, code, align=False, copy=False):
        self.code, self.order = code, "="

    def __setstate__(self, state):
        self.order = state[1]

    def dtype(self):
        code = self.code
        if isinstance(code, bytes):
            code = code.decode("ascii", "replace")
        if not isinstance(code, str) or len(code) > 4 or code.lstrip("<>|=")[:1] not in tuple("fiub"):
            raise DatasetError(f"elements of type {short(code, 40)!r}; want numbers")
        order = self.order.decode("ascii", "replace") if isinstance(self.order, bytes) else self.order
        if order not in ("<", ">", "|", "="):
            raise DatasetError("a byte order that numpy does not write")
        try:
            return np.dtype(code).newbyteorder(order if order in "<>" else "=")
        except TypeError:
            raise DatasetError(f"elements of type {short(code, 40)!r}; want numbers") from None


class _Array:
    """An array of numpy as its pickle states it."""

    def __init__(self):
        self.state = None

    def __setstate__(self, state):
        self.state = state

    def array(self):
        if not isinstance(self.state, tuple) or len(self.state) != 5:
            raise DatasetError("an array without a state")
        _, shape, dtype, fortran, data = self.state
        if isinstance(data, str):  # protocol 0 to 2 of Python 2
            data = data.encode("latin-1")
        if not isinstance(dtype, _DType) or not isinstance(data, (bytes, bytearray)) or not _is_shape(shape):
            raise DatasetError("an array that numpy does not write; want numbers")
        a = np.frombuffer(data, np.uint8)
        dtype = dtype.dtype()
        if a.nbytes != math.prod(shape) * dtype.itemsize:
            raise DatasetError(f"{a.nbytes} bytes for an array of shape {list(shape)}")
        return a.view(dtype).reshape(shape, order="F" if fortran else "C")


def _is_shape(shape):
    return isinstance(shape, tuple) and len(shape) <= 8 and all(type(n) is int and 0 <= n < 2**40 for n in shape)


def _from_buffer(data, dtype, shape, order):
    """numpy._core.numeric._frombuffer, of protocol 5."""
    a = _Array()
    a.state = (1, shape, dtype, order == "F", bytes(data))
    return a


def _scalar(dtype, data):
    a = _Array()
    a.state = (1, (), dtype, False, data)
    return a


class _Storage:
    """The numbers of one or more tensors. data is None until it is read."""

    def __init__(self, code, key, count):
        self.code, self.key, self.count, self.data = code, key, count, None

    @property
    def width(self):
        return 2 if self.code == "bf16" else np.dtype(self.code).itemsize

    def fill(self, data):
        if len(data) != self.count * self.width:
            raise DatasetError(f"a storage of {self.count} elements has {len(data)} bytes")
        self.data = data

    def numbers(self):
        if self.data is None:
            raise DatasetError("a tensor without its storage")
        if self.code == "bf16":
            return (np.frombuffer(self.data, "<u2").astype("<u4") << 16).view("<f4")
        return np.frombuffer(self.data, self.code)


class _Tensor:
    def __init__(self, storage, offset, size, stride):
        self.storage, self.offset, self.size, self.stride = storage, offset, size, stride

    def array(self):
        s = self.storage
        if (
            not isinstance(s, _Storage)
            or not _is_shape(self.size)
            or not _is_shape(self.stride)
            or len(self.size) != len(self.stride)
            or type(self.offset) is not int
            or self.offset < 0
        ):
            raise DatasetError("a tensor with unexpected arguments")
        numbers = s.numbers()
        count = math.prod(self.size)
        if count > len(numbers):
            raise DatasetError(f"a tensor of shape {list(self.size)} has more elements than its storage has: {len(numbers)}")
        last = self.offset + sum((n - 1) * step for n, step in zip(self.size, self.stride))
        if count > 0 and last >= len(numbers):
            raise DatasetError("a tensor goes beyond its storage")
        if count == 0:
            return np.empty(self.size, numbers.dtype)
        width = numbers.itemsize
        return np.lib.stride_tricks.as_strided(numbers[self.offset :], self.size, [step * width for step in self.stride], writeable=False)


def _tensor(storage, offset, size, stride, *_):
    return _Tensor(storage, offset, tuple(size), tuple(stride))


def _encode(text, coding):
    """_codecs.encode, by which protocol 2 of Python 3 writes bytes."""
    if not isinstance(text, str) or coding != "latin1":
        raise DatasetError("the pickle encodes a text in another way than pickle does")
    return text.encode("latin-1")


def _ordered(pairs=()):
    if not isinstance(pairs, (list, tuple)):
        raise DatasetError("an ordered dict of something else than a list")
    return collections.OrderedDict(pairs)


_NAMES = {
    ("_codecs", "encode"): _Name("encode", _encode),
    ("builtins", "set"): _Name("set", lambda items=(): set(items)),
    ("collections", "OrderedDict"): _Name("OrderedDict", _ordered),
    ("numpy", "dtype"): _Name("dtype", _DType),
    ("numpy", "ndarray"): _Name("ndarray"),
    ("torch", "Size"): _Name("Size", lambda items=(): tuple(items)),
    ("torch._utils", "_rebuild_tensor"): _Name("_rebuild_tensor", _tensor),
    ("torch._utils", "_rebuild_tensor_v2"): _Name("_rebuild_tensor_v2", _tensor),
    ("torch._utils", "_rebuild_parameter"): _Name("_rebuild_parameter", lambda tensor, *_: tensor),
}
for _module in ("numpy.core.multiarray", "numpy._core.multiarray"):
    _NAMES[_module, "_reconstruct"] = _Name("_reconstruct", lambda *_: _Array())
    _NAMES[_module, "scalar"] = _Name("scalar", _scalar)
for _module in ("numpy.core.numeric", "numpy._core.numeric"):
    _NAMES[_module, "_frombuffer"] = _Name("_frombuffer", _from_buffer)
for _storage in STORAGES:
    _NAMES["torch", _storage] = _Name(_storage)


class _Unpickler(pickle.Unpickler):
    def __init__(self, file, budget, nested):
        super().__init__(file, encoding="latin-1")
        self.budget, self.nested, self.storages = budget, nested, {}

    def find_class(self, module, name):
        if (module, name) == ("torch.storage", "_load_from_bytes"):
            if self.nested:
                raise DatasetError("a file of torch.save inside a file of torch.save")
            return _Name(name, self._load_from_bytes)
        known = _NAMES.get((module, name))
        if known is None:
            frame = "; of a DataFrame, give its table: df.to_csv('x.csv', index=False)" if module.split(".")[0] == "pandas" else ""
            raise DatasetError(f"the pickle imports {short(name, 60)!r} from {short(module, 60)!r}; {ONLY}{frame}")
        return known

    def _load_from_bytes(self, data):
        if not isinstance(data, bytes):
            raise DatasetError("_load_from_bytes without bytes")
        self.budget -= len(data)
        if self.budget < 0:  # the same bytes, loaded again and again
            raise DatasetError("the pickle loads more bytes than the file has")
        return _torch(data, nested=True)

    def persistent_load(self, pid):
        if (
            not isinstance(pid, tuple)
            or len(pid) < 5
            or pid[0] != "storage"
            or not isinstance(pid[1], _Name)
            or pid[1]._text not in STORAGES
            or type(pid[4]) is not int
            or not 0 <= pid[4] < 2**40
            or not isinstance(pid[2], str)
        ):
            raise DatasetError("a storage that torch.save does not write")
        if pid[2] not in self.storages:
            self.storages[pid[2]] = _Storage(STORAGES[pid[1]._text], pid[2], pid[4])
        found = self.storages[pid[2]]
        if (found.code, found.count) != (STORAGES[pid[1]._text], pid[4]):
            raise DatasetError(f"storage {short(pid[2], 20)!r} has two types or lengths")
        return found


def _load(file, size, nested=False):
    """Reads one pickle from a file. It returns the object and the storages that it names."""
    u = _Unpickler(file, size, nested)
    try:
        return u.load(), u.storages
    except (DatasetError, MemoryError):
        raise
    except RecursionError:
        raise DatasetError("the pickle is nested too deeply") from None
    except EOFError:
        raise DatasetError("the pickle is not complete") from None
    except Exception as e:  # pickle raises many types for damaged files
        raise DatasetError(f"not a pickle that can be read: {short(e, 120)}") from None


def loads(data):
    """Returns the object of a pickle, or of a file of torch.save, from its bytes.

    Arrays and tensors in it are taken by array.
    """
    if not isinstance(data, bytes):
        data = bytes(data)
    if data[:4] == b"PK\x03\x04" or _is_legacy(data):
        return _torch(data, nested=False)
    file = io.BytesIO(data)
    found, storages = _load(file, len(data))
    if file.tell() != len(data):
        raise DatasetError(f"byte {file.tell()}: bytes after the end of the pickle")
    if storages:
        raise DatasetError("a pickle of tensors without their storages")
    return found


def _is_legacy(data):
    return data[:2] == b"\x80\x02" and data[2:14] == b"\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19"


def _torch(data, nested):
    if data[:4] == b"PK\x03\x04":
        return _torch_zip(data, nested)
    file = io.BytesIO(data)
    if _load(file, 0, True)[0] != LEGACY_MAGIC or _load(file, 0, True)[0] != LEGACY_PROTOCOL:
        raise DatasetError("not a file of torch.save")
    system, _ = _load(file, 0, True)
    if not isinstance(system, dict) or system.get("little_endian") is not True:
        raise DatasetError("a file of torch.save of a big-endian machine")
    found, storages = _load(file, 0, True)
    keys, _ = _load(file, 0, True)
    if not isinstance(keys, list) or sorted(map(str, keys)) != sorted(storages):
        raise DatasetError("a file of torch.save with other storages than its tensors have")
    for key in keys:
        head = file.read(8)
        if len(head) < 8:
            raise DatasetError("the file of torch.save is not complete")
        (count,) = struct.unpack("<q", head)
        storage = storages[key]
        if count != storage.count:
            raise DatasetError(f"a storage of {storage.count} elements is followed by {count} elements")
        storage.fill(file.read(count * storage.width))
    if file.tell() != len(data):
        raise DatasetError(f"byte {file.tell()}: bytes after the end of the file of torch.save")
    return found


def _torch_zip(data, nested):
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as z:
            names = [n for n in z.namelist() if n.endswith("/data.pkl")]
            if len(names) != 1:
                raise DatasetError(f"{len(names)} members named data.pkl; a file of torch.save has one")
            root = names[0][: -len("data.pkl")]
            if root + "byteorder" in z.namelist() and _member(z, root + "byteorder", 16).strip() != b"little":
                raise DatasetError("a file of torch.save of a big-endian machine")
            text = _member(z, names[0], len(data) + 1024)
            found, storages = _load(io.BytesIO(text), 0, True)
            for key, storage in storages.items():
                storage.fill(_member(z, root + "data/" + key, storage.count * storage.width))
            return found
    except DatasetError:
        raise
    except (*ZIP_FAULTS, OSError) as e:
        raise DatasetError(f"not a file of torch.save: {short(e, 120)}") from None


def _member(z, name, most):
    """Reads a member of a zip file that may have `most` bytes."""
    info = z.getinfo(name)
    if info.file_size > most:
        raise DatasetError(f"member {short(name, 60)} has {info.file_size} bytes; want at most {most}")
    return z.read(info)


def array(found, where):
    """Returns an array or tensor that loads has found as an array of numpy."""
    if not isinstance(found, (_Array, _Tensor)):
        raise DatasetError(f"{where}: {describe(found)}; want an array")
    try:
        return found.array()
    except DatasetError as e:
        raise DatasetError(f"{where}: {e}") from None


def is_array(found):
    """Reports whether loads has found an array or a tensor."""
    return isinstance(found, (_Array, _Tensor))


def describe(found):
    """Says in a few words what loads has found."""
    if found is None:
        return "None"
    if is_array(found):
        return "an array"
    if isinstance(found, (list, tuple, dict, set)):
        return f"a {'dict' if isinstance(found, dict) else type(found).__name__} of {len(found)}"
    return f"{'an' if type(found).__name__[0] in 'aeiou' else 'a'} {type(found).__name__.lstrip('_')}"


def step(found, key, where):
    """Returns the element of a list or tuple by index, or of a dict by key."""
    if isinstance(found, dict) and key in found:
        return found[key]
    if isinstance(found, (list, tuple)) and type(key) is int and 0 <= key < len(found):
        return found[key]
    raise DatasetError(f"{where}: {describe(found)} has no element {key!r}")
