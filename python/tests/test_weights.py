"""Weights, groups and folds beside labels."""

import warnings

import numpy as np
import pytest

import qatsbench as qats


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(4)
    n, k = 300, 3
    z = rng.normal(size=(n, k)).astype(np.float32) * 2
    p = np.exp(z / 1.6)
    y = np.array([rng.choice(k, p=q / q.sum()) for q in p])
    w = rng.integers(0, 4, n)
    return z, y, w, np.repeat(z, w, 0), np.repeat(y, w)


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", qats.CalibrationWarning)
        yield


@pytest.mark.parametrize("method", ["TS", "QaTS", "VS", "IR", "HB", "Beta", "SVS"])
def test_whole_weights_are_repeated_rows(rows, method):
    z, y, w, many, labels = rows
    a = getattr(qats, method)().fit(z, y, sample_weight=w)
    b = getattr(qats, method)().fit(many, labels)
    np.testing.assert_array_equal(a.predict_proba(z), b.predict_proba(z))


def test_metrics_and_score_take_weights(rows):
    z, y, w, many, labels = rows
    names = ["accuracy", "ece", "aece", "nll", "brier"]
    a = qats.metrics(z, y, names, kind="logits", sample_weight=w)
    assert a == qats.metrics(many, labels, names, kind="logits")
    ts = qats.TS().fit(z, y, sample_weight=w)
    assert ts.score(z, y, "nll", sample_weight=w) == ts.score(many, labels, "nll")
    p = ts.predict_proba(z)
    assert qats.ece(p, y, sample_weight=w) == qats.ece(np.repeat(p, w, 0), labels)
    assert qats.ece(p, y, positive=1, sample_weight=w) == qats.ece(np.repeat(p, w, 0), labels, positive=1)
    conf, right = p.max(1), p.argmax(1) == y
    assert qats.metrics(confidence=conf, correct=right, metrics="ece", sample_weight=w) == qats.metrics(
        confidence=np.repeat(conf, w), correct=np.repeat(right, w), metrics="ece"
    )


def test_fractional_weights_have_a_unit(rows):
    z, y, w, many, labels = rows
    a = qats.TS().fit(z, y, sample_weight=w / 4).parameters_["T"]
    assert a == pytest.approx(qats.TS().fit(many, labels).parameters_["T"], rel=1e-9)
    assert qats.metrics(z, y, "nll", kind="logits", sample_weight=w / 4) == pytest.approx(
        qats.metrics(many, labels, "nll", kind="logits"), rel=1e-12
    )


def test_groups_make_intervals_wider(rows):
    z, y, *_ = rows
    groups = np.tile([f"patient {i}" for i in range(len(y))], 4)
    four, labels = np.tile(z, (4, 1)), np.tile(y, 4)
    width = lambda d: d["nll_hi"] - d["nll_lo"]  # noqa: E731
    apart = qats.metrics(four, labels, "nll", kind="logits", interval="standard")
    together = qats.metrics(four, labels, "nll", kind="logits", interval="standard", groups=groups)
    once = qats.metrics(z, y, "nll", kind="logits", interval="standard")
    assert width(together) == pytest.approx(width(once), rel=1e-6)
    assert width(apart) < 0.55 * width(together)


def test_recommend_takes_folds_and_groups(rows):
    z, y, w, *_ = rows
    r = qats.recommend((z, y), methods=["ts"], folds=np.arange(len(y)) % 3, progress=False)
    assert r.choice["folds"] == 3
    r = qats.recommend(
        (z, y), (z[:200], y[:200]), methods=["ts"], groups=np.arange(len(y)) // 2, test_groups=np.arange(200), progress=False
    )
    assert r.choice["folds"] == 5
    with pytest.raises(qats.InputError, match="no test rows"):
        qats.recommend((z, y), test_groups=np.arange(len(y)), progress=False)


@pytest.mark.parametrize(
    "given, text",
    [
        ({"sample_weight": -np.ones(300)}, "sample_weight: row 0: -1 is no weight"),
        ({"sample_weight": np.ones(3)}, "sample_weight: 3 values for 300 rows"),
        ({"groups": np.full(300, np.nan)}, "groups: row 0: a row without a value"),
        ({"sample_weight": np.zeros(300)}, "all weights are 0"),
    ],
)
def test_errors_name_the_argument(rows, given, text):
    z, y, *_ = rows
    with pytest.raises(qats.InputError, match=text):
        qats.TS().fit(z, y, **given)


def test_the_classifier_passes_weights_on(rows):
    sklearn = pytest.importorskip("sklearn")
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier

    from qatsbench import CalibratedClassifier

    z, y, w, *_ = rows
    half = CalibratedClassifier(LogisticRegression().fit(z, y), method="ts", cv="prefit").fit(z, y, sample_weight=w)
    d = LogisticRegression().fit(z, y).decision_function(z)
    assert half.calibrated_[0][1].parameters_ == qats.TS(kind="logits").fit(d, y, sample_weight=w).parameters_
    whole = CalibratedClassifier(LogisticRegression(), method="ts", cv=3).fit(z, y, sample_weight=w)
    plain = CalibratedClassifier(LogisticRegression(), method="ts", cv=3).fit(z, y)
    assert not np.allclose(whole.calibrated_[0][0].coef_, plain.calibrated_[0][0].coef_)
    with pytest.warns(qats.CalibrationWarning, match="takes no sample_weight"):
        CalibratedClassifier(KNeighborsClassifier(5), method="ts", cv=3).fit(z, y, sample_weight=w)
    with sklearn.config_context(enable_metadata_routing=True):
        from sklearn.model_selection import cross_validate

        c = (
            CalibratedClassifier(LogisticRegression(), method="ts", cv=3)
            .set_fit_request(sample_weight=True)
            .set_score_request(sample_weight=True)
        )
        assert len(cross_validate(c, z, y, params={"sample_weight": w}, cv=2)["test_score"]) == 2
