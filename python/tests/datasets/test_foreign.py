"""The package and the program call a foreign file the same."""

import ast
import pathlib
import re

import pytest

from qatsbench.datasets.foreign import form

PROGRAM = pathlib.Path(__file__).parents[3] / "data" / "npy" / "foreign.go"
PACKED = {"packed by gzip"}  # the package reads it


def forms():
    """The first bytes of each form of the program, and what such a file is."""
    listed = re.search(r"^var forms = \[\]form\{\n(.*?)^\}", PROGRAM.read_text(), re.M | re.S)[1]
    for start, what in re.findall(r'^\t\{(npyMagic|"(?:[^"\\]|\\.)*"), "([^"]*)"', listed, re.M):
        yield (b"\x93NUMPY" if start == "npyMagic" else ast.literal_eval("b" + start)), what


@pytest.mark.skipif(not PROGRAM.exists(), reason="the program's files are not here")
def test_forms_have_one_name():
    listed = list(forms())
    assert len(listed) > 20
    for start, what in listed:
        if what not in PACKED:
            named = form(start + bytes(40))
            assert named == what or named.startswith((what + ";", what + ":")), (start, named)


@pytest.mark.parametrize(
    "start, want",
    [
        (b'\xef\xbb\xbf {"logits": []}', "a text of JSON"),
        (b"<!DOCTYPE html>\n<html>", "a web page in the place of the file"),
        (b"PK\x03\x04" + bytes(22) + b"\x10\0\0\0archive/data.pkl", "a file of torch.save"),
        (b"PK\x03\x04" + bytes(22) + b"\x13\0\0\0[Content_Types].xml", "a file of Excel"),
        (b"label,p0,p1\n1,.2,.8\n", ""),
    ],
)
def test_what_the_first_bytes_alone_do_not_tell(start, want):
    assert form(start).startswith(want)
    assert want or not form(start)
