"""python -m qatsbench WORDS is qatsbench WORDS."""

import os
import subprocess
import sys

from ._program import program


def main():
    words = [program(), *sys.argv[1:]]
    if os.name == "nt":
        sys.exit(subprocess.run(words).returncode)
    os.execv(words[0], words)


main()
