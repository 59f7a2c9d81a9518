"""CalibratedClassifier, by scikit-learn's own checks and beside its own estimator."""

import warnings

import numpy as np
import pytest

pytest.importorskip("sklearn")

from sklearn.calibration import CalibratedClassifierCV  # noqa: E402
from sklearn.datasets import make_classification  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.naive_bayes import GaussianNB  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.svm import LinearSVC  # noqa: E402
from sklearn.utils.estimator_checks import estimator_checks_generator  # noqa: E402

import qats  # noqa: E402

# Checks of scikit-learn that do not apply, and why.
NOT_APPLICABLE = {}

pytestmark = pytest.mark.filterwarnings("ignore::qats.CalibrationWarning")


@pytest.fixture(scope="module")
def rows():
    x, y = make_classification(1200, 8, n_informative=5, n_classes=3, random_state=0)
    return x[:800], y[:800], x[800:], y[800:]


@pytest.mark.parametrize("estimator, check", [
    (e, c) for e, c in estimator_checks_generator(qats.CalibratedClassifier(LogisticRegression(C=1), method="ts", cv=2))
], ids=lambda v: getattr(getattr(v, "func", v), "__name__", ""))
def test_scikit_learns_checks(estimator, check, program):
    name = check.func.__name__
    if name in NOT_APPLICABLE:
        pytest.skip(NOT_APPLICABLE[name])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


def test_one_calibrator_of_all_parts_is_that_of_scikit_learn(rows):
    x, y, xt, _ = rows
    ours = qats.CalibratedClassifier(LogisticRegression(), method="ts", cv=5).fit(x, y)
    theirs = CalibratedClassifierCV(LogisticRegression(), method="temperature", cv=5, ensemble=False).fit(x, y)
    np.testing.assert_allclose(ours.predict_proba(xt), theirs.predict_proba(xt), atol=2e-4)


def test_an_ensemble_averages_the_parts(rows):
    x, y, xt, yt = rows
    c = qats.CalibratedClassifier(LogisticRegression(), method="ts", cv=3, ensemble=True).fit(x, y)
    assert len(c.calibrated_) == 3
    want = np.mean([k.predict_proba(e.decision_function(xt)) for e, k in c.calibrated_], axis=0)
    np.testing.assert_allclose(c.predict_proba(xt), want, atol=1e-15)
    theirs = CalibratedClassifierCV(LogisticRegression(), method="temperature", cv=3, ensemble=True).fit(x, y)
    np.testing.assert_allclose(c.predict_proba(xt), theirs.predict_proba(xt), atol=2e-4)


def test_a_fitted_classifier_is_not_fitted_again(rows):
    x, y, xt, _ = rows
    fitted = GaussianNB().fit(x[:400], y[:400])
    c = qats.CalibratedClassifier(fitted, method=qats.QaTS(), cv="prefit").fit(x[400:], y[400:])
    assert c.calibrated_[0][0] is fitted
    assert c.calibrated_[0][1].kind == "probs"
    np.testing.assert_array_equal(c.predict(xt), fitted.predict(xt))
    direct = qats.QaTS(kind="probs").fit(fitted.predict_proba(x[400:]), y[400:])
    np.testing.assert_array_equal(c.predict_proba(xt), direct.predict_proba(fitted.predict_proba(xt)))


def test_two_classes_and_strings(rows):
    x, y, xt, yt = rows
    names = np.array(["no", "yes"])
    c = qats.CalibratedClassifier(make_pipeline(StandardScaler(), LinearSVC()), method="ts", cv=3).fit(x, names[(y > 0).astype(int)])
    assert c.classes_.tolist() == ["no", "yes"]
    p = c.predict_proba(xt)
    assert p.shape == (400, 2)
    d = c.calibrated_[0][0].decision_function(xt)
    np.testing.assert_allclose(p[:, 1], 1 / (1 + np.exp(-d / c.calibrated_[0][1].parameters_["T"])), atol=1e-6)
    assert set(c.predict(xt)) <= {"no", "yes"}
    assert c.score(xt, names[(yt > 0).astype(int)]) > 0.7


def test_a_rare_class_is_an_error_that_names_it(rows):
    x, y, _, _ = rows
    y = y.copy()
    y[:] = 0
    y[:3] = 1
    with pytest.raises(ValueError, match="y: class 1 has 3 rows, fewer than the 5 parts; set cv to fewer"):
        qats.CalibratedClassifier(LogisticRegression()).fit(x, y)
