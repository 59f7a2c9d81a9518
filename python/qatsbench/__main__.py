"""python -m qatsbench WORDS is qatsbench WORDS."""

import os
import subprocess
import sys

from ._program import COMMAND, program


def main():
    words = [COMMAND, *sys.argv[1:]]
    if os.name == "nt":
        sys.exit(subprocess.run(words, executable=program()).returncode)
    os.execv(program(), words)


main()
