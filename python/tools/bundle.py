"""Writes the release asset of data/bundle, an archive of its files and of nothing else:

    python3 python/tools/bundle.py dist

Names are sorted, times and modes fixed, and it is not compressed, so that the same files give the same bytes on every
system and with every version of Python. Its digest stands in qatsbench/datasets/bundle.py.
"""

import hashlib
import re
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BUNDLE = ROOT / "data" / "bundle"
SOURCE = ROOT / "python" / "qatsbench" / "datasets" / "bundle.py"
NAME = "qats-bundle.tar"
EPOCH = 315532800  # 1980


class Hashed:
    """A file that is hashed on its way, or nothing but that."""

    def __init__(self, file=None):
        self.file, self.digest, self.size = file, hashlib.sha256(), 0

    def write(self, chunk):
        self.digest.update(chunk)
        self.size += len(chunk)
        return len(chunk) if self.file is None else self.file.write(chunk)


def write(out, bundle=BUNDLE):
    """Writes the archive of a folder to a file that needs write alone."""
    files = sorted((p.relative_to(bundle).as_posix(), p) for p in bundle.rglob("*") if p.is_file())
    with tarfile.open(fileobj=out, mode="w|", format=tarfile.USTAR_FORMAT) as t:
        for name, path in files:
            entry = tarfile.TarInfo(f"bundle/{name}")
            entry.size, entry.mtime, entry.mode = path.stat().st_size, EPOCH, 0o644
            with path.open("rb") as f:
                t.addfile(entry, f)


def stated():
    """Returns the digest and the length that the sources have."""
    text = SOURCE.read_text(encoding="utf-8")
    return re.search(r'^SHA256 = "(\w+)"', text, re.M)[1], int(re.search(r"^BYTES = (\d+)", text, re.M)[1])


def main(words):
    if len(words) != 1:
        raise SystemExit(__doc__)
    path = Path(words[0]) / NAME
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as f:
        out = Hashed(f)
        write(out)
    print(f"{path}  {out.size} bytes  {out.digest.hexdigest()}")
    if (out.digest.hexdigest(), out.size) != stated():
        print(
            f"{SOURCE.relative_to(ROOT)} has another digest. If that of VERSION was released, raise VERSION there and in experiments/sources.go; then put SHA256 and BYTES there",
            file=sys.stderr,
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
