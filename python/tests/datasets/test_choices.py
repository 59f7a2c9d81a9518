"""Questions with several choices: what the readers of all harnesses share."""

import copy
import json
import lzma
import os
import random

import numpy as np
import pytest
from samples import TESTDATA
from test_lm_eval import true_rows

from qatsbench.datasets import choices, formats
from qatsbench.datasets.errors import DatasetError

ODD = [
    None,
    True,
    0,
    -1,
    3,
    1 << 70,
    0.5,
    float("nan"),
    float("-inf"),
    "",
    "x",
    "0",
    "[1]",
    "\ud800",
    [],
    [1],
    [[]],
    {},
    {"a": 1},
    ["A", "B"],
]


def nodes(x, path=()):
    """Yields the path of each value in lists and objects."""
    for k, v in x.items() if isinstance(x, dict) else enumerate(x) if isinstance(x, list) else ():
        yield (*path, k)
        yield from nodes(v, (*path, k))


def changed(x, rng):
    """Returns a copy with one value replaced by an odd one, or removed."""
    x = copy.deepcopy(x)
    *path, last = rng.choice(list(nodes(x)))
    at = x
    for k in path:
        at = at[k]
    if rng.random() < 0.2:
        del at[last]
    else:
        at[last] = copy.deepcopy(rng.choice(ODD))
    return x


def whole(harness):
    """Returns the true content of a file, cut to a few rows, and the name that a reader wants."""
    if harness == "lm-eval":
        return true_rows("news_subject")[1] + true_rows("news_before")[1], "samples_t_2026-11-24T10-00-00.jsonl"
    if harness == "inspect":
        with lzma.open(os.path.join(TESTDATA, "inspect", "log.json.xz")) as f:
            log = json.load(f)
        log["samples"] = [
            {k: v for k, v in s.items() if k not in ("events", "messages", "attachments", "events_data")} for s in log["samples"]
        ]
        return {k: log[k] for k in ("eval", "samples")}, "log.json"
    method, name = harness.split("/")
    with lzma.open(os.path.join(TESTDATA, "helm", method, name + ".json.xz")) as f:
        x = json.load(f)
    if name == "scenario_state":
        x["request_states"] = x["request_states"][:28]
        for r in x["request_states"]:
            r["result"]["completions"][0]["tokens"] = r["result"]["completions"][0]["tokens"][-12:]
    return x, name + ".json"


@pytest.mark.parametrize(
    "harness",
    [
        "lm-eval",
        "inspect",
        "multiple_choice_separate_original/scenario_state",
        "multiple_choice_separate_calibrated/scenario_state",
        "multiple_choice_joint/scenario_state",
        "multiple_choice_separate_original/per_instance_stats",
    ],
)
def test_values_of_any_type(harness, tmp_path):
    """Files with a value of another type, anywhere, are rows or an error of one line."""
    rng, (x, name) = random.Random(harness), whole(harness)
    beside = []
    if name == "per_instance_stats.json":
        state, other = whole("multiple_choice_separate_original/scenario_state")
        (tmp_path / other).write_text(json.dumps(state))
        beside = [str(tmp_path / other)]
    file = tmp_path / name
    format = harness if "/" not in harness else "helm"
    for _ in range(400):
        bad = changed(x, rng)
        file.write_text("".join(json.dumps(r) + "\n" for r in bad) if format == "lm-eval" else json.dumps(bad))
        options = formats.Options(
            least=1, normalise=rng.choice(["", "chars"]) if format == "lm-eval" else "", missing=rng.choice(choices.MISSING), across=True
        )
        try:
            for n in formats.read(format, [str(file), *beside], options, []):
                assert np.isfinite(n.test.scores).all()
        except DatasetError as e:
            assert "\n" not in str(e)


@pytest.mark.parametrize("value,want", [("-25.625", -25.625), ("nan", None), ("-inf", -np.inf), (-3, -3.0), ("1e-3", 0.001)])
def test_numbers(value, want):
    got = choices.number(value)
    assert got == want or want is None and got != got


@pytest.mark.parametrize("value", ["", "x", "1_0", "٣", True, None, [], 1 << 5000, "1" * 64])
def test_values_that_are_no_numbers(value):
    with pytest.raises(DatasetError, match="is not a number"):
        choices.number(value)
