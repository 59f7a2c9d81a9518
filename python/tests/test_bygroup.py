"""Metrics by group."""

import itertools
import math

import numpy as np
import pytest

import qatsbench

rng = np.random.default_rng(0)
N = 600
P = rng.dirichlet(np.ones(3), N)
SITE = np.array(["a", "b", "c"])[rng.integers(0, 3, N)]
Y = np.array([rng.choice(3, p=p) for p in np.where((SITE == "c")[:, None], np.roll(P, 1, axis=1), P)])


def rows(table):
    return table.to_dict("records") if hasattr(table, "to_dict") else [dict(zip(table, r)) for r in zip(*table.values())]


def test_a_row_of_a_group_has_the_metrics_of_its_rows():
    found = qatsbench.metrics(P, Y, ["accuracy", "ece", "nll"], by=SITE)
    assert [r["group"] for r in rows(found.groups)] == ["a", "b", "c"]
    for r in rows(found.groups):
        own = r["group"] == SITE
        want = qatsbench.metrics(P[own], Y[own], ["accuracy", "ece", "nll"], interval="standard")
        assert {k: r[k] for k in want} == want and r["n"] == own.sum()


def test_largest_differences_have_the_p_of_all_pairs_by_holm():
    found = qatsbench.metrics(P, Y, ["accuracy", "ece", "nll"], by=SITE)
    at = {r["group"]: r for r in rows(found.groups)}
    tests = {}
    for name in ("accuracy", "nll"):
        for a, b in itertools.combinations("abc", 2):
            errors = [(at[g][name + "_hi"] - at[g][name + "_lo"]) / 3.919927969080108 for g in (a, b)]
            tests[name, a + b] = math.erfc(abs(at[a][name] - at[b][name]) / math.hypot(*errors) / math.sqrt(2))
    order = sorted(tests, key=tests.get)
    holm = {k: max(min(1, (6 - i) * tests[k]) for i, k in enumerate(order[: order.index(key) + 1])) for key, k in zip(order, order)}
    for r in rows(found.differences):
        values = {g: at[g][r["metric"]] for g in "abc"}
        assert (r["largest"], r["smallest"]) == (max(values, key=values.get), min(values, key=values.get))
        assert r["difference"] == max(values.values()) - min(values.values())
        if r["metric"] == "ece":  # it depends on the number of rows
            assert r["p"] is None or r["p"] != r["p"]
        else:
            pair = "".join(sorted(r["largest"] + r["smallest"]))
            assert r["p"] == pytest.approx(max(holm[k] for k in order[: order.index((r["metric"], pair)) + 1]))
            assert r["p"] < 0.001  # site c has other labels


def test_groups_of_a_confidence_alone_and_of_clusters():
    right = Y == P.argmax(1)
    found = qatsbench.metrics(confidence=P.max(1), correct=right, by=SITE == "c", groups=np.arange(N) // 2)
    assert [r["n"] for r in rows(found.groups)] == [(SITE != "c").sum(), (SITE == "c").sum()]
    own = SITE == "c"
    want = qatsbench.metrics(confidence=P.max(1)[own], correct=right[own], interval="standard", groups=(np.arange(N) // 2)[own])
    assert {k: rows(found.groups)[1][k] for k in want} == want


@pytest.mark.parametrize(
    "by,want",
    [(SITE[:5], "want one value for each of 600 rows"), (np.zeros(N), "one group"), (np.where(SITE == "a", np.nan, 1.0), "a row without")],
)
def test_groups_that_are_none(by, want):
    with pytest.raises(qatsbench.InputError, match=want):
        qatsbench.metrics(P, Y, by=by)
