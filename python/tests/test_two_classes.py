"""Two classes: the metrics of the positive class, its columns in recommend, and known shares of classes."""

import warnings

import numpy as np
import pytest

import qatsbench


@pytest.fixture(scope="module")
def rows(program):
    """(probabilities, labels) of 2000 rows of a model that gives class 1 a log odds of 1.5 too much."""
    rng = np.random.default_rng(4)
    z = rng.normal(-1, 2, 2000)
    q = 1 / (1 + np.exp(-z - 1.5))
    return np.c_[1 - q, q], (rng.random(2000) < 1 / (1 + np.exp(-z))).astype(int)


def test_metrics_show_the_positive_class(rows):
    p, y = rows
    of = qatsbench.metrics(p, y)
    assert of["oe"] == pytest.approx(y.sum() / p[:, 1].sum())
    assert of["ece_positive"] == pytest.approx(qatsbench.ece(p, y, positive=1))
    assert of["ece_positive"] > 0.15 and of["intercept"] == pytest.approx(-1.5, abs=0.2) and of["slope"] == pytest.approx(1, abs=0.15)
    other = qatsbench.metrics(p, y, ["oe", "intercept"], positive=0, interval="standard")
    assert other["intercept"] == pytest.approx(-of["intercept"]) and other["oe_lo"] < other["oe"] < other["oe_hi"]
    names = np.array(["no", "yes"])
    assert qatsbench.metrics(p, names[y], "oe", classes=["no", "yes"], positive="no") == pytest.approx(other["oe"])
    assert qatsbench.metrics(p[:, 1], y, "oe") == pytest.approx(of["oe"])
    fitted = qatsbench.TS(kind="probs").fit(p, y)
    assert fitted.score(p, y, "oe") == pytest.approx(y.sum() / fitted.predict_proba(p)[:, 1].sum())
    with pytest.raises(qatsbench.InputError, match="5 is no class"):
        qatsbench.metrics(p, y, positive=5)
    with pytest.raises(qatsbench.Error, match="of 3 classes none is the positive one"):
        qatsbench.metrics(np.full((4, 3), 1 / 3), [0, 1, 2, 0], "oe", positive=1)


def test_slope_and_intercept_are_those_of_a_glm(rows):
    sm = pytest.importorskip("statsmodels.api")
    p, y = rows
    z = np.log(p[:, 1]) - np.log(p[:, 0])
    both = sm.GLM(y, sm.add_constant(z), family=sm.families.Binomial()).fit(tol=1e-14)
    large = sm.GLM(y, np.ones(len(y)), family=sm.families.Binomial(), offset=z).fit(tol=1e-14)
    of = qatsbench.metrics(p, y, ["slope", "intercept"])
    assert of["slope"] == pytest.approx(both.params[1], abs=1e-7) and of["intercept"] == pytest.approx(large.params[0], abs=1e-7)


def test_without_a_value_the_answer_is_none(program):
    p = np.array([0.1, 0.2, 0.8, 0.9])
    assert qatsbench.metrics(np.c_[1 - p, p], [0, 0, 1, 1], ["slope", "oe"]) == {"slope": None, "oe": pytest.approx(1)}


def test_recommend_shows_the_positive_class(rows):
    p, y = rows
    r = qatsbench.recommend((p[:1000], y[:1000]), (p[1000:], y[1000:]), ["platt-logits"], kind="probs", progress=False)
    of = {m["method"]: m for m in r.methods}
    assert r.best == "platt-logits" and not of["ts"]["inside"] and of["ts"]["ece_positive"] > 0.15
    assert of["uncal"]["oe"] == pytest.approx(y[1000:].sum() / p[1000:, 1].sum())
    assert "ECE P(1) %" in repr(r) and list(r.frame)[-1] == "intercept_hi"
    first = qatsbench.recommend((p[:1000], y[:1000]), (p[1000:], y[1000:]), [], kind="probs", positive=0, progress=False)
    assert {m["method"]: m for m in first.methods}["uncal"]["intercept"] == pytest.approx(-of["uncal"]["intercept"])


def test_shares_off_are_a_warning_and_known_shares_move_probabilities(rows):
    p, y = rows
    with pytest.warns(qatsbench.CalibrationWarning, match="class 1 has a mean probability of .*: one temperature cannot move shares"):
        ts = qatsbench.TS(kind="probs").fit(p, y)
    with pytest.raises(qatsbench.Error, match="fit vs or platt-logits"):
        ts.predict_proba(p, shares=[0.9, 0.1])
    names = np.array(["yes", "no"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        m = qatsbench.calibrator("platt-logits", kind="probs").fit(p, names[y], classes=["yes", "no"])
    assert list(m.classes_) == ["no", "yes"]  # not the order of the columns
    before, after = m.predict_proba(p), m.predict_proba(p, shares=[0.1, 0.9])
    ratio = np.array([0.1 / np.mean(y == 1), 0.9 / np.mean(y == 0)])
    assert after == pytest.approx(before * ratio / (before * ratio).sum(1, keepdims=True), abs=1e-9)
    for wrong in ([0.5], [0.3, 0.3], [np.nan, 1], "half"):
        with pytest.raises(qatsbench.Error, match="shares"):
            m.predict_proba(p, shares=wrong)


def test_two_classes_have_methods_of_their_own(rows):
    p, y = rows
    r = qatsbench.recommend((p[:1000], y[:1000]), kind="probs", progress=False)
    assert {m["method"] for m in r.methods} == {"uncal", "ts", "platt-logits", "beta", "ivap", "quadratic-ridge", "qats"}
