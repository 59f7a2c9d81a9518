"""The files of testdata."""

import os

TESTDATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "testdata")


def rows(name):
    """Returns the fields of the lines of a .tsv file of testdata."""
    with open(os.path.join(TESTDATA, *name.split("/")), encoding="utf-8") as f:
        return [line.rstrip("\n").split("\t") for line in f]


def content(name):
    """Returns the bytes of a file of testdata."""
    with open(os.path.join(TESTDATA, *name.split("/")), "rb") as f:
        return f.read()
