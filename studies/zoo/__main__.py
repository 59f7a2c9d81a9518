"""Command line: prepare, run (train and export one network), queue, table, bundle, foreign, language, tabular, paper."""

import argparse
import sys

from . import settings


def main():
    p = argparse.ArgumentParser(prog="zoo", description=__doc__)
    parsers = p.add_subparsers(dest="command", required=True)
    settings.arguments(parsers.add_parser("paper", help=settings.act.__doc__))
    if sys.argv[1:2] != ["paper"]:  # which lists the settings without torch, numpy and PIL
        from . import commands

        commands.arguments(parsers)
    args = p.parse_args()
    sys.exit(args.act(args))


if __name__ == "__main__":
    main()
