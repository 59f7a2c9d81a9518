"""CalibratedClassifier, by scikit-learn's own checks and beside its own estimator."""

import warnings

import numpy as np
import pytest

pytest.importorskip("sklearn")

import sklearn  # noqa: E402
from sklearn.calibration import CalibratedClassifierCV  # noqa: E402
from sklearn.datasets import make_classification  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.naive_bayes import GaussianNB  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.svm import SVC, LinearSVC  # noqa: E402
from sklearn.utils.estimator_checks import estimator_checks_generator  # noqa: E402

import qatsbench  # noqa: E402

# Checks of scikit-learn that do not apply, and why.
NOT_APPLICABLE = {}

needs_temperature = pytest.mark.skipif(
    tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 8), reason='method="temperature" of scikit-learn needs 1.8'
)
pytestmark = pytest.mark.filterwarnings("ignore::qatsbench.CalibrationWarning")


@pytest.fixture(scope="module")
def rows():
    x, y = make_classification(1200, 8, n_informative=5, n_classes=3, random_state=0)
    return x[:800], y[:800], x[800:], y[800:]


@pytest.mark.parametrize(
    "estimator, check",
    [(e, c) for e, c in estimator_checks_generator(qatsbench.CalibratedClassifier(LogisticRegression(C=1), method="ts", cv=2))],
    ids=lambda v: getattr(getattr(v, "func", v), "__name__", ""),
)
def test_scikit_learns_checks(estimator, check, program):
    name = check.func.__name__
    if name in NOT_APPLICABLE:
        pytest.skip(NOT_APPLICABLE[name])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


@needs_temperature
def test_one_calibrator_of_all_parts_is_that_of_scikit_learn(rows):
    x, y, xt, _ = rows
    ours = qatsbench.CalibratedClassifier(LogisticRegression(), method="ts", cv=5).fit(x, y)
    theirs = CalibratedClassifierCV(LogisticRegression(), method="temperature", cv=5, ensemble=False).fit(x, y)
    np.testing.assert_allclose(ours.predict_proba(xt), theirs.predict_proba(xt), atol=2e-4)


@needs_temperature
def test_an_ensemble_averages_the_parts(rows):
    x, y, xt, yt = rows
    c = qatsbench.CalibratedClassifier(LogisticRegression(), method="ts", cv=3, ensemble=True).fit(x, y)
    assert len(c.calibrated_) == 3
    want = np.mean([k.predict_proba(e.decision_function(xt)) for e, k in c.calibrated_], axis=0)
    np.testing.assert_allclose(c.predict_proba(xt), want, atol=1e-15)
    theirs = CalibratedClassifierCV(LogisticRegression(), method="temperature", cv=3, ensemble=True).fit(x, y)
    np.testing.assert_allclose(c.predict_proba(xt), theirs.predict_proba(xt), atol=2e-4)


def test_a_fitted_classifier_is_not_fitted_again(rows):
    x, y, xt, _ = rows
    fitted = GaussianNB().fit(x[:400], y[:400])
    c = qatsbench.CalibratedClassifier(fitted, method=qatsbench.QaTS(), cv="prefit").fit(x[400:], y[400:])
    assert c.calibrated_[0][0] is fitted
    assert c.calibrated_[0][1].kind == "probs"
    np.testing.assert_array_equal(c.predict(xt), fitted.predict(xt))
    direct = qatsbench.QaTS(kind="probs").fit(fitted.predict_proba(x[400:]), y[400:])
    np.testing.assert_array_equal(c.predict_proba(xt), direct.predict_proba(fitted.predict_proba(xt)))


def test_two_classes_and_strings(rows):
    x, y, xt, yt = rows
    names = np.array(["no", "yes"])
    c = qatsbench.CalibratedClassifier(make_pipeline(StandardScaler(), LinearSVC()), method="ts", cv=3).fit(x, names[(y > 0).astype(int)])
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
        qatsbench.CalibratedClassifier(LogisticRegression()).fit(x, y)


# Scores that are not of classes.


@pytest.mark.parametrize(
    "estimator",
    [SVC(decision_function_shape="ovo"), make_pipeline(StandardScaler(), SVC(decision_function_shape="ovo"))],
    ids=["svc", "pipeline"],
)
@pytest.mark.parametrize("cv", [2, "prefit"])
@pytest.mark.parametrize("ensemble", [False, True])
def test_scores_of_pairs_are_not_taken_for_scores_of_classes(rows, estimator, cv, ensemble):
    x, y, xt, yt = rows
    given = estimator.fit(x, y) if cv == "prefit" else estimator
    c = qatsbench.CalibratedClassifier(given, method="ts", cv=cv, ensemble=ensemble).fit(x, y)
    assert c.score(xt, yt) > 0.95 * estimator.fit(x, y).score(xt, yt)
    shape = [v for n, v in given.get_params().items() if n.endswith("decision_function_shape")]
    assert shape == ["ovo"]  # of the user's


class Odd(LogisticRegression):
    """Scores in the order of other classes than classes_."""

    def decision_function(self, X):
        return np.roll(super().decision_function(X), 1, axis=1)

    def predict(self, X):
        return self.classes_[super().decision_function(X).argmax(1)]


class Nearly(LogisticRegression):
    """Predicts another class than its scores in 4 rows of 100."""

    def predict(self, X):
        p = super().predict(X).copy()
        rows = np.arange(len(p)) % 25 == 0
        p[rows] = self.classes_[(np.searchsorted(self.classes_, p[rows]) + 1) % len(self.classes_)]
        return p


@pytest.mark.parametrize("cv", [2, "prefit"])
def test_scores_that_contradict_the_predictions_are_an_error(rows, cv):
    x, y, _, _ = rows
    odd = Odd().fit(x, y) if cv == "prefit" else Odd()
    with pytest.raises(
        qatsbench.InputError,
        match=r"estimator: in [\d.]+ % of 800 rows the largest of its scores is of another class than the classifier predicts, and less often right: .*; its decision_function",
    ):
        qatsbench.CalibratedClassifier(odd, method="ts", cv=cv).fit(x, y)


@pytest.mark.filterwarnings("default::qatsbench.CalibrationWarning")
def test_few_scores_that_contradict_the_predictions_are_a_warning(rows):
    x, y, _, _ = rows
    with pytest.warns(qatsbench.CalibrationWarning, match="in 4 % of 800 rows") as caught:
        qatsbench.CalibratedClassifier(Nearly(), method="ts", cv=2).fit(x, y)
    w = next(w.message for w in caught if w.message.kind == "predictions")
    assert w.value["share"] == 0.04 and w.value["rows"] == 800


# Labels.


def test_rows_without_a_class_are_left_out(rows):
    x, y, xt, yt = rows
    drop = np.arange(len(y)) % 5 == 0
    got = qatsbench.CalibratedClassifier(LogisticRegression(), method="ts", cv=3, ignore=-1).fit(x, np.where(drop, -1, y))
    want = qatsbench.CalibratedClassifier(LogisticRegression(), method="ts", cv=3).fit(x[~drop], y[~drop])
    np.testing.assert_array_equal(got.predict_proba(xt), want.predict_proba(xt))
    assert got.classes_.tolist() == [0, 1, 2]
    some = np.arange(len(yt)) % 3 == 0
    weights = np.arange(1.0, len(yt) + 1)
    assert got.score(xt, np.where(some, -1, yt)) == want.score(xt[~some], yt[~some])
    assert got.score(xt, np.where(some, -1, yt), weights) == want.score(xt[~some], yt[~some], weights[~some])
    words = np.array(["a", "b", "c"])
    named = qatsbench.CalibratedClassifier(LogisticRegression(), method="ts", cv=3, ignore=["none"]).fit(
        x, np.where(drop, "none", words[y])
    )
    np.testing.assert_allclose(named.predict_proba(xt), want.predict_proba(xt), atol=1e-12)
    with pytest.raises(qatsbench.InputError, match="y: no row is left"):
        qatsbench.CalibratedClassifier(LogisticRegression(), ignore=0).fit(x, np.zeros(len(x), int))


@pytest.mark.parametrize(
    "y, says",
    [
        (lambda n: np.tile([[1, 1, 0], [0, 1, 0]], (n // 2, 1)), "y: several labels a row are not supported"),
        (lambda n: [["a", "b"], ["a"]] * (n // 2), "y: several labels a row are not supported"),
        (lambda n: [{"a", "b"}, {"a"}] * (n // 2), "y: several labels a row are not supported"),
        (lambda n: np.array([None, "a"] * (n // 2), object), "y: row 0: None is no class; remove such rows"),
    ],
    ids=["matrix", "lists", "sets", "None"],
)
def test_what_is_no_label(rows, y, says):
    x, _, _, _ = rows
    with pytest.raises(qatsbench.InputError, match=says):
        qatsbench.CalibratedClassifier(LogisticRegression(), method="ts").fit(x, y(len(x)))


class Descending(LogisticRegression):
    """A classifier of another library, whose classes descend."""

    def fit(self, X, y):
        super().fit(X, y)
        self.classes_ = self.classes_[::-1].copy()
        return self

    def decision_function(self, X):
        return super().decision_function(X)[:, ::-1]

    def predict(self, X):
        return self.classes_[self.decision_function(X).argmax(1)]


@pytest.mark.parametrize("cv", [3, "prefit"])
def test_the_columns_ascend_though_those_of_the_classifier_do_not(rows, cv):
    x, y, xt, yt = rows

    def of(kind):
        return qatsbench.CalibratedClassifier(kind().fit(x, y) if cv == "prefit" else kind(), method="ts", cv=cv).fit(x, y)

    got, want = of(Descending), of(LogisticRegression)
    assert got.classes_.tolist() == [0, 1, 2]
    np.testing.assert_array_equal(got.predict_proba(xt), want.predict_proba(xt))
    np.testing.assert_array_equal(got.predict(xt), want.predict(xt))


class Kept(LogisticRegression):
    """Keeps the rows of every fit."""

    fits: list = []

    def fit(self, X, y):
        self.fits.append(set(X[:, 0].tolist()))
        return super().fit(X, y)


def test_a_class_in_the_place_of_an_estimator(rows):
    with pytest.raises(qatsbench.InputError, match=r"^estimator: a class, want an estimator; give LogisticRegression\(\)$"):
        qatsbench.CalibratedClassifier(LogisticRegression).fit(rows[0], rows[1])


@pytest.mark.parametrize("ignore", [None, 2])
def test_groups_stay_in_one_part(program, ignore):
    rng = np.random.default_rng(4)
    groups = np.repeat(np.arange(30), 10)
    X = np.c_[np.arange(300.0), rng.normal(size=(300, 3))]
    y = (X[:, 1] + rng.normal(size=300) > 0).astype(int)
    y[rng.random(300) < 0.1] = 2
    Kept.fits = []
    c = qatsbench.CalibratedClassifier(Kept(), method="ts", cv=3, ignore=ignore).fit(X, y, groups=groups)
    rows = np.flatnonzero(y != ignore) if ignore is not None else np.arange(300)
    assert len(Kept.fits) == 4 and Kept.fits[3] == set(rows.astype(float).tolist())
    for part in Kept.fits[:3]:
        seen = set(groups[np.array(sorted(part), int)])
        assert seen and not seen & set(groups[[i for i in rows if float(i) not in part]])
    assert c.predict_proba(X).shape == (300, 2 if ignore == 2 else 3)
    with pytest.raises(qatsbench.InputError, match="^groups: the classifier is fitted"):
        qatsbench.CalibratedClassifier(LogisticRegression().fit(X, y), method="ts", cv="prefit").fit(X, y, groups=groups)
