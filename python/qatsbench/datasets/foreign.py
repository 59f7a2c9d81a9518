"""What a file is by its first bytes, where it is not of the form that it was given as.

data/formats/foreign.go of the program has the same forms.
"""

import re

_PANDAS = "in Python, save it as a table by pandas: "
_FORMS = [
    (b"\x93NUMPY", "a .npy array"),
    (b"BZh", "packed by bzip2; unpack it"),
    (b"\xfd7zXZ\0", "packed by xz; unpack it"),
    (b"\x28\xb5\x2f\xfd", "packed by Zstandard; unpack it"),
    (b"\x04\x22\x4d\x18", "packed by LZ4; unpack it"),
    (b"7z\xbc\xaf\x27\x1c", "an archive of 7-Zip; unpack it"),
    (b"PAR1", "a table of Parquet: import parquet reads it"),
    (b"ARROW1", f"a table of Arrow; {_PANDAS}read_feather, to_parquet"),
    (b"FEA1", f"a table of Feather; {_PANDAS}read_feather, to_parquet"),
    (b"\xff\xff\xff\xff", f"a stream of Arrow; {_PANDAS}read it by pyarrow, to_parquet"),
    (b"\x89HDF\r\n\x1a\n", "a file of HDF5; save its arrays by np.savez"),
    (b"MATLAB 7.3 MAT-file", "a MAT-file of MATLAB 7.3; save its arrays by np.savez"),
    (b"MATLAB 5.0 MAT-file", "a MAT-file of MATLAB; read it by scipy.io.loadmat, and save its arrays by np.savez"),
    (b"RDX", "a file of R; in R, save it by write.csv"),
    (b"X\n\0\0\0", "a file of R; in R, save it by write.csv"),
    (b"\xd0\xcf\x11\xe0", "a file of Excel; save it as CSV UTF-8"),
    (b"version https://git-lfs", "a pointer of Git LFS in the place of the file; get the file: git lfs pull"),
    (b"%PDF", "a PDF"),
    (b"\x89PNG", "a picture"),
]


def form(start, text=True):
    """Returns what a file is that begins with these bytes, and what to do; "" if they do not say it. text: a text of no
    known form is what was wanted, and a pickle or an archive is not."""
    if start.startswith(b"PK\x03\x04") and text:
        first = start[30 : 30 + int.from_bytes(start[26:28], "little")]
        if first.endswith((b"data.pkl", b".format_version")):
            return "a file of torch.save: import pickle reads it"
        if first.startswith((b"[Content_Types]", b"xl/", b"docProps/", b"_rels/")):
            return "a file of Excel; save it as CSV UTF-8"
        return "a ZIP archive; unpack it"
    if re.match(rb"\x80[\x02-\x05]", start) and text:
        return "a pickle of Python: import pickle reads it"
    for magic, what in _FORMS:
        if start.startswith(magic):
            return what
    line = start.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if line.startswith((b"<!doctype html", b"<html")):
        return "a web page in the place of the file; download the file itself"
    if line.startswith((b"{", b"[")):
        return f"a text of JSON; {_PANDAS}read_json, to_csv"
    return ""
