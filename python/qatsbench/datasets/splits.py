"""Which published rows calibrate, and which test.

A published validation set calibrates. Where only one labelled set is published, its rows are
divided by a rule that a stranger can repeat in one line, and that gives a row the same side for
every network:

    the row calibrates if the first hexadecimal digit of SHA-256("<data set>/<published set>/<row>")
    is one of 0 to 7; otherwise it tests.

<row> is the index of the row in the published set, in decimal, from 0. Where rows belong together,
as several images of one lesion, it is the name of their group, so a group stays on one side. The
text is in UTF-8, without a line feed. VECTORS has examples.

About half of the rows calibrate: the digest decides each row by itself, so networks that are
published with a part of the rows share their rows with the others.
"""

import hashlib

import numpy as np

# Text, SHA-256, and whether the row calibrates.
VECTORS = [
    ("bloodmnist/test/0", "ee791864cc329388758df576ee755db3dc3b0f10f645eed1597348aad0e0d100", False),
    ("bloodmnist/test/1", "000249b7d258a95d515098645138065e48d6ca7bf0e67c3389adee6afe822ed1", True),
    ("cifar10/test/9999", "e7811321fc0833e342c87291746a8b9e5dc5e54c5b10cf5b184ac8dbb740b3a0", False),
    ("imdb/test/12345", "c6c95045517e651f3c6e48a9194346cba9391400bf64f99259bf91bcf67de5af", False),
    ("ham10000/test/HAM_0000118", "34d0fcc15c818a7f3337c72331e2f20c0ca3a94c2aa507609cb3f393f7ae5f4f", True),
]


def digest(dataset, published, row):
    """Returns the SHA-256 of a row, in hexadecimal digits."""
    return hashlib.sha256(f"{dataset}/{published}/{row}".encode()).hexdigest()


def calibrates(dataset, published, row):
    """Reports whether a row, or a group, calibrates."""
    return digest(dataset, published, row)[0] in "01234567"


def halves(dataset, published, rows):
    """Returns which of the rows calibrate, as booleans. A row is an index or the name of a group."""
    known = {}
    return np.array([known[r] if r in known else known.setdefault(r, calibrates(dataset, published, r)) for r in rows], bool)


def stratified(digests, labels):
    """Returns which rows calibrate, as booleans: of each class the half with the least digests.

    digests are numbers, the first 16 digits of each row's digest. The middle row of an odd number has the side that
    calibrates gives it. Rows of one name and class stay together.
    """
    side = np.zeros(len(labels), bool)
    for y in np.unique(labels):
        own = labels == y
        d = digests[own]
        middle = np.partition(d, len(d) // 2)[len(d) // 2]
        side[own] = (d < middle) | ((d == middle) & (len(d) % 2 == 1) & (middle < 1 << 63))
    return side


def balanced(dataset, published, rows, labels, each):
    """Returns indices of `each` rows of every class: of each class those with the least digests, in the order of the rows.

    A row whose name occurred before is left out.
    """
    first = {}
    for i, r in enumerate(rows):
        first.setdefault(r, i)
    chosen = []
    for y in np.unique(labels):
        own = sorted((digest(dataset, published, r), i) for r, i in first.items() if labels[i] == y)
        chosen += [i for _, i in own[:each]]
    return np.array(sorted(chosen), np.int64)
