"""A digest of what decides the results of functions: their code, and the values that it names.

The code is that of the function which runs, and not a file, which may have been edited since
it was imported. With it come its default arguments, the values that it encloses, and the
globals that it names: of functions and classes of the user the same again, of a library its
name and version. The digest is equal in every process of one version of Python.
"""

import copyreg
import dis
import enum
import functools
import hashlib
import importlib.util
import inspect
import random
import sys
import sysconfig
import types
from pathlib import Path

import numpy as np


class Unstable(Exception):
    """A value that looks different in another process, or that other things than itself decide."""


def digest(functions):
    """Return (digest, problem) of functions. problem names the first value that has no stable
    representation, or is "". The digest then has all other values."""
    writer = _Writer()
    for function in functions:
        writer.value(function, getattr(function, "__name__", "function"))
    return writer.sum.hexdigest(), writer.problem


def has_source(function):
    """Report whether the source of a function can be found. Of a lambda it cannot: a line may
    have several."""
    try:
        return getattr(function, "__name__", "") != "<lambda>" and bool(inspect.getsource(function))
    except (OSError, TypeError):
        return False


_ATOMS = (type(None), bool, int, float, complex, str, bytes, bytearray, type(Ellipsis), type(NotImplemented), range, slice)
_DRAWS = (random.Random, np.random.Generator, np.random.RandomState, np.random.BitGenerator)  # what was drawn before decides
_SHARED = (random._inst, np.random.mtrand._rand)
_OF_CLASSES = {
    "__dict__",
    "__weakref__",
    "__doc__",
    "__module__",
    "__firstlineno__",
    "__static_attributes__",
    "__annotations__",
    "__abstractmethods__",
    "_abc_impl",
    "__slotnames__",
    "__annotate_func__",
    "__annotations_cache__",
}


class _Writer:
    """Writes values to a sum. Each part begins with its kind, and texts with their length, so
    no two values have the same parts."""

    def __init__(self, seen=None):
        self.sum = hashlib.sha256()
        self.problem = ""
        self.seen = {} if seen is None else seen  # by id: number and the value, which is kept alive
        self.part("python", f"{sys.implementation.name} {sys.version_info[0]}.{sys.version_info[1]}")

    def part(self, kind, text=b""):
        text = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        self.sum.update(f"{kind} {len(text)}\n".encode())
        self.sum.update(text)

    def value(self, v, where):
        """Write a value. where names it in a problem."""
        try:
            self._value(v, where)
        except RecursionError:
            self._unstable(where, "it is nested too deep")
        except Unstable as e:
            self._unstable(where, str(e))

    def _unstable(self, where, why):
        self.part("unstable", where)
        self.problem = self.problem or f"{where}: {why}"

    def _value(self, v, where):
        if isinstance(v, _ATOMS) and type(v) in _ATOMS:
            self.part(type(v).__name__, bytes(v) if type(v) in (bytes, bytearray) else repr(v))
            return
        if type(v) in (tuple, list):
            if type(v) is list and self._met(v):
                return
            self.part(type(v).__name__, str(len(v)))
            for i, x in enumerate(v):
                self.value(x, f"{where}[{i}]")
            return
        if type(v) in (set, frozenset):
            self.part(type(v).__name__, str(len(v)))
            for one in sorted(self._alone(x, where) for x in v):
                self.part("element", one)
            return
        if self._met(v):
            return
        match v:
            case dict() | types.MappingProxyType() if type(v) in (dict, types.MappingProxyType):
                self._pairs("dict", v.items(), where)
            case types.ModuleType():
                self._module(v, where)
            case np.ndarray():
                self._array(v, where)
            case np.generic() | np.dtype():
                self.part("number", repr(v.dtype if isinstance(v, np.generic) else v))
                if isinstance(v, np.generic):
                    self._array(np.asarray(v), where)
            case types.MethodType() | types.BuiltinMethodType() if any(v.__self__ is shared for shared in _SHARED):
                self.part("drawn by", v.__name__)  # as random.random, which a function of a library is
            case types.FunctionType():
                self._function(v, where)
            case types.MethodType():
                self.part("method")
                self.value(v.__func__, where)
                self.value(v.__self__, where)
            case types.CodeType():
                self._code(v, where, None)
            case staticmethod() | classmethod():
                self.part(type(v).__name__)
                self.value(v.__func__, where)
            case property():
                self.part("property")
                for f in (v.fget, v.fset, v.fdel):
                    self.value(f, where)
            case functools.partial():
                self.part("partial")
                self.value(v.func, where)
                self.value(v.args, where)
                self._pairs("named", v.keywords.items(), where)
            case types.BuiltinFunctionType() | types.MethodWrapperType():
                self.part("builtin", v.__qualname__)
                if not isinstance(v.__self__, (type(None), types.ModuleType)):
                    self.value(v.__self__, where)
                elif v.__module__:
                    self._library(v.__module__)
            case functools._lru_cache_wrapper():
                self.part("cached")
                self.value(v.__wrapped__, where)
            case np.ufunc():
                self.part("ufunc", v.__name__)
                self._library("numpy")
            case type():
                self._class(v, where)
            case _:
                self._object(v, where)

    def _met(self, v):
        """Report whether v was met before, and write which of the values it is."""
        if id(v) in self.seen:
            self.part("again", str(self.seen[id(v)][0]))
            return True
        self.seen[id(v)] = (len(self.seen), v)
        return False

    def _alone(self, v, where):
        other = _Writer(dict(self.seen))
        other.value(v, where)
        self.problem = self.problem or other.problem
        return other.sum.digest()

    def _pairs(self, kind, pairs, where):
        pairs = list(pairs)
        self.part(kind, str(len(pairs)))
        for key, x in pairs:
            self.value(key, where)
            self.value(x, f"{where}[{key!r}]" if isinstance(key, (str, int)) else where)

    def _array(self, a, where):
        self.part("array", f"{a.dtype.descr if a.dtype.names else a.dtype.str} {a.shape}")
        if a.dtype.hasobject:
            self.value(a.ravel().tolist(), where)
        elif isinstance(a, np.ma.MaskedArray):
            self._array(np.ma.getmaskarray(a), where)
            self._array(a.filled(), where)
        else:
            self.part("numbers", hashlib.sha256(np.ascontiguousarray(a).reshape(-1).view(np.uint8)).digest())

    # Code.

    def _function(self, f, where):
        module = f.__globals__.get("__name__")  # functools.wraps gives __module__ another value
        if _of_library(module, f.__globals__):
            self.part("library function", f.__qualname__)
            self._library(module)
            return
        self.part("function")
        self.value(f.__defaults__, f"the defaults of {where}")
        self._pairs("keyword defaults", sorted((f.__kwdefaults__ or {}).items()), f"the defaults of {where}")
        cells = {}
        for name, cell in zip(f.__code__.co_freevars, f.__closure__ or ()):
            try:
                cells[name] = cell.cell_contents
            except ValueError:
                continue  # has no value yet
        named = {**f.__globals__, **cells}
        self._code(f.__code__, where, named)
        for name in sorted(cells):
            if not isinstance(cells[name], types.ModuleType):
                self.part("encloses", name)
                self.value(cells[name], f"{name} in {where}")

    def _code(self, code, where, named):
        """Write code, and the values that it names. named has those of its globals and cells; it is
        None of code that is a value by itself, which names nothing that is known."""
        self.part("code", code.co_code)
        self.part(
            "shape",
            repr(
                (
                    code.co_name,
                    code.co_argcount,
                    code.co_posonlyargcount,
                    code.co_kwonlyargcount,
                    code.co_flags,
                    code.co_names,
                    code.co_varnames,
                    code.co_freevars,
                    code.co_cellvars,
                )
            ),
        )
        self.part("handlers", getattr(code, "co_exceptiontable", b""))
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                self._code(constant, where, named)
            else:
                self.value(constant, where)
        if named is None:
            raise Unstable("code without its globals")
        steps = [s for s in dis.get_instructions(code) if s.opname not in ("CACHE", "EXTENDED_ARG", "PUSH_NULL", "PRECALL")]
        for i, step in enumerate(steps):
            if step.opname == "IMPORT_NAME":
                self._import(steps, i, where)
            elif step.opname in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"):
                self._named(step.argval, named, steps, i, where)
            elif step.opname in ("LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF") and isinstance(
                named.get(step.argval), types.ModuleType
            ):
                self._named(step.argval, named, steps, i, where)

    def _named(self, name, named, steps, i, where):
        """Write the value of a name that is loaded at step i, or of its attribute if it is a module."""
        builtins = named.get("__builtins__", {})
        builtins = vars(builtins) if isinstance(builtins, types.ModuleType) else builtins
        if name not in named:
            self.part("builtin name" if name in builtins else "name without a value", name)
            return
        v, shown = named[name], name
        while isinstance(v, types.ModuleType) and i + 1 < len(steps) and steps[i + 1].opname in ("LOAD_ATTR", "LOAD_METHOD"):
            i += 1
            attribute = steps[i].argval
            if not hasattr(v, attribute):
                break
            if _of_library(v.__name__, vars(v)):
                self.part("names", f"{shown}.{attribute}")
                self._library(v.__name__)
                return
            v, shown = getattr(v, attribute), f"{shown}.{attribute}"
        self.part("names", shown)
        self.value(v, f"{shown} in {where}")

    def _import(self, steps, i, where):
        """Write what an import within a function brings."""
        name = steps[i].argval
        if not steps[i - 2].argval and _of_library(name, None):  # the level of a relative import is not 0
            self._library(name)
            return
        wanted = []
        for step in steps[i + 1 :]:
            if step.opname == "IMPORT_FROM":
                wanted.append(step.argval)
            elif not step.opname.startswith("STORE_"):
                break
        if not wanted or steps[i - 2].argval:
            self._unstable(f"{name} in {where}", "it is imported within the function")
            return
        try:
            module = importlib.import_module(name)
        except Exception as e:
            self._unstable(f"{name} in {where}", f"it cannot be imported: {e}")
            return
        for x in wanted:
            self.value(getattr(module, x, None), f"{x} in {where}")

    # Modules, classes and other values.

    def _module(self, module, where):
        if not _of_library(module.__name__, vars(module)):
            raise Unstable("a module of yours as a whole")
        self._library(module.__name__)

    def _library(self, name):
        top = sys.modules.get(name.partition(".")[0])
        version = getattr(top, "__version__", "")
        self.part("library", f"{name} {version if isinstance(version, str) else ''}")

    def _class(self, c, where):
        self.part("class", f"{c.__qualname__}")
        if _of_library(c.__module__, None):
            self._library(c.__module__)
            return
        for base in c.__bases__:
            self.value(base, where)
        if issubclass(c, enum.Enum):
            self._pairs("members", ((name, m._value_) for name, m in c.__members__.items()), where)
            return
        for name, x in sorted(vars(c).items()):
            if name in _OF_CLASSES or isinstance(x, (types.MemberDescriptorType, types.GetSetDescriptorType)):
                continue
            self.part("attribute", name)
            self.value(x, f"{c.__name__}.{name}")

    def _object(self, v, where):
        if isinstance(v, _DRAWS):
            raise Unstable("a generator of random numbers, which gives other ones each time; a parameter seed is the same for the same fit")
        if isinstance(v, enum.Enum):
            self.part("member", v.name)
            self.value(type(v), where)
            return
        if hasattr(v, "detach") and hasattr(v, "cpu"):  # torch, whose pickles have addresses
            self.part("tensor", str(v.dtype))
            self.value(v.detach().cpu().resolve_conj().resolve_neg().contiguous().view(-1).view(_torch().uint8).numpy(), where)
            self.value(tuple(v.shape), where)
            return
        try:
            known = copyreg.dispatch_table.get(type(v))
            parts = known(v) if known is not None else v.__reduce_ex__(4)
        except Exception as e:
            raise Unstable(f"{_kind(v)} ({e})") from None
        if isinstance(parts, str):
            self.part("global", f"{getattr(v, '__module__', '')} {parts}")
            if not _of_library(getattr(v, "__module__", None) or "", None):
                raise Unstable(_kind(v))
            return
        self.part("object")
        make, arguments, state, items, pairs = (*parts, None, None, None)[:5]
        for x in (make, arguments, state, None if items is None else list(items)):
            self.value(x, where)
        self._pairs("pairs", pairs or (), where)


def _torch():
    import torch

    return torch


def _kind(v):
    return f"a value of the type {type(v).__name__}"


@functools.cache
def _library_folders():
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    return [Path(p).resolve() for p in {sysconfig.get_paths()[n] for n in names}]


def _of_library(name, globals_):
    """Report whether a module is one of Python or an installed package. globals_ are those of a
    module that may not be in sys.modules."""
    if not name or name == "__main__":
        return False
    top = name.partition(".")[0]
    if top == "qatsbench" or top in sys.builtin_module_names or top in sys.stdlib_module_names:
        return True
    file = (globals_ or {}).get("__file__") or getattr(sys.modules.get(name), "__file__", None)
    if file is None:
        try:
            spec = importlib.util.find_spec(top)
        except (ImportError, ValueError):
            return False
        file = spec.origin if spec is not None else None
        if file is None:
            return False
    path = Path(file).resolve()
    return "site-packages" in path.parts or "dist-packages" in path.parts or any(path.is_relative_to(f) for f in _library_folders())
