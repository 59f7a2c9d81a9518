"""Reads a large file of JSON piece by piece, so that memory holds one element of its long lists at a time."""

import codecs
import contextlib
import json
import os
import re

from .. import _files
from .errors import DatasetError, short

CHUNK = 1 << 20
MOST_ELEMENT = 256 << 20  # characters

_NUMBER = re.compile(r"[0-9.eE+-]{0,3}")
_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


class Reader:
    """The object or list of a file of JSON, opened in binary mode."""

    def __init__(self, file):
        self._file, self._text, self._at, self._before, self._end = file, "", 0, 0, False
        self._utf8 = codecs.getincrementaldecoder("utf-8")()

    def items(self, lists=()):
        """Yields key and value of each member. Of the members named in lists it yields each element, with the key."""
        self._expect("{")
        if self._peek() == "}":
            self._expect("}")
        else:
            while True:
                key = self._value()
                if not isinstance(key, str):
                    self._fail("want a name in quotes")
                self._expect(":")
                if key in lists and self._peek() == "[":
                    for value in self._elements():
                        yield key, value
                else:
                    yield key, self._value()
                if self._peek() == "}":
                    break
                self._expect(",")
            self._expect("}")
        if self._peek():
            self._fail("more text after the object")

    def elements(self):
        """Yields the elements of a file that holds a list."""
        yield from self._elements()
        if self._peek():
            self._fail("more text after the list")

    def _elements(self):
        self._expect("[")
        if self._peek() != "]":
            while True:
                yield self._value()
                if self._peek() == "]":
                    break
                self._expect(",")
        self._expect("]")

    def _fail(self, what):
        raise DatasetError(f"not JSON: character {self._before + self._at}: {what}") from None

    def _more(self):
        """Reads on. Returns whether there was more."""
        if self._end:
            return False
        # At least as much again as is there: so a long element is tried a few times only.
        data = self._file.read(max(CHUNK, len(self._text) - self._at))
        self._end = not data
        try:
            text = self._utf8.decode(data, self._end)
        except UnicodeDecodeError as e:
            self._fail(f"not a text in UTF-8 ({e.reason})")
        self._before += self._at
        self._text, self._at = self._text[self._at :] + text, 0
        if len(self._text) > MOST_ELEMENT + CHUNK:
            self._fail(f"an element of more than {MOST_ELEMENT >> 20} million characters")
        return not self._end

    def _peek(self):
        while True:
            self._at = _SPACE.match(self._text, self._at).end()
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def _expect(self, c):
        got = self._peek()
        if got != c:
            self._fail(f"want {c}" + ("; the file ends here" if not got else ""))
        self._at += 1

    def _value(self):
        if not self._peek():
            self._fail("the file ends here")
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except RecursionError:
                self._fail("nested too deeply")
            except ValueError as e:
                if self._more():
                    continue
                self._fail(short(getattr(e, "msg", e), 100) + "; is the file cut off?" * (getattr(e, "pos", 0) >= len(self._text) - 1))
            if _NUMBER.fullmatch(self._text, end) and self._more():  # a number may go on
                continue
            self._at = end
            return value


@contextlib.contextmanager
def opened(path):
    """Opens a regular file. All readers of this package open files here."""
    try:
        with _files.opened(path) as f:
            yield f
    except FileNotFoundError:
        raise DatasetError("no such file" if not os.path.lexists(path) else "a link to nothing") from None
    except OSError as e:
        raise DatasetError(e.strerror or short(e, 120)) from None
