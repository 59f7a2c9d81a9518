"""The list of the paper's settings, which needs PyYAML alone: so does this file, beside pytest."""

import itertools
import subprocess
import sys
import types
from pathlib import Path

import yaml

from zoo import settings

PROJECT = Path(__file__).parents[3]
SPECS = PROJECT / "experiments/paper"


def listed(value):
    return value if isinstance(value, list) else [value]


def settings_of_the_specs():
    """The settings of the five specs of the paper's tables, as qats run -n names them."""
    for name in ("standard", "longtail", "shift", "medical", "tasks"):
        settings = yaml.safe_load((SPECS / f"{name}.yaml").read_text())["settings"]
        for s in listed(settings):
            keys = [k for k in ("dataset", "backbone", "corruption", "severity") if k in s]
            for values in itertools.product(*(listed(s[k]) for k in keys)):
                yield "/".join(map(str, values))


def test_the_list_has_the_162_settings_of_the_specs():
    lines = []
    assert settings.act(types.SimpleNamespace(list=True), lines.append) is None
    assert lines[0].split("\t") == list(settings.HEADINGS)
    named = [line.split("\t")[0] for line in lines[1:]]
    assert len(named) == 162 and len(set(named)) == 162
    assert set(named) == set(settings_of_the_specs())
    assert all(len(line.split("\t")) == len(settings.HEADINGS) and all(line.split("\t")) for line in lines)


BLOCKED = """
import runpy, sys

sys.modules.update(dict.fromkeys(["torch", "numpy", "PIL"]))
sys.argv = ["zoo", "paper", *sys.argv[1:]]
runpy.run_module("zoo", run_name="__main__")
"""


def zoo_alone(*args):
    return subprocess.run([sys.executable, "-c", BLOCKED, *args], cwd=PROJECT / "studies", capture_output=True, text=True)


def test_the_list_needs_pyyaml_alone():
    p = zoo_alone("--list")
    assert (p.returncode, p.stderr) == (0, "")
    assert p.stdout == (PROJECT / "results/shown/paper-rows.tsv").read_text(), "python3 -m zoo paper --list > ../results/shown/paper-rows.tsv"


def test_the_ways_are_those_of_the_list():
    p = zoo_alone("--ways")
    assert (p.returncode, p.stderr) == (0, "")
    assert p.stdout == (PROJECT / "results/shown/paper-ways.csv").read_text(), "python3 -m zoo paper --ways > ../results/shown/paper-ways.csv"


def test_a_network_needs_torch():
    """The block of the test above works."""
    p = zoo_alone("--dataset", "cifar10", "--backbone", "resnet18", "--raw", ".", "--data", ".")
    assert "import of torch halted" in p.stderr


def test_every_row_can_be_had_in_one_way():
    ways = {"download": 20, "checkpoint": 89, "training": 53}
    counted = {w: sum(way.split(":")[0] == w for _, way, *_ in settings.listing()) for w in ways}
    assert counted == ways
    # What is trained from nothing or downloaded has no weights to download.
    for _, way, source, *_, hours, images, weights in settings.listing():
        assert float(images) > 0 and (float(weights) == 0) == (way == "download" or source.startswith("new:"))
        assert (float(hours) == 0) == (way == "download")
