"""qats beside other Python packages, on the logits of a text transformer (data/bundle).

Each test says what differs and why. It is skipped where the package is not installed;
docs/python.md has the versions that it last ran with.
"""

import warnings

import numpy as np
import pytest

import qatsbench

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("program")]


@pytest.fixture(scope="module")
def rows(text):
    """Logits in float32 and their softmax in float64, of both sets."""
    z, y, zt, yt = text
    z, zt = z.astype(np.float32), zt.astype(np.float32)
    return z, softmax(z), y.astype(np.int64), zt, softmax(zt), yt.astype(np.int64)


def softmax(z):
    e = np.exp(z.astype(np.float64) - z.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def one(p, j):
    """Class j against the others."""
    return np.stack([1 - p[:, j], p[:, j]], axis=1)


def test_temperature_of_scikit_learn(rows):
    """Its search ends in float32, because the logits are float32: T differs by 3e-5."""
    base, calibration = pytest.importorskip("sklearn.base"), pytest.importorskip("sklearn.calibration")
    frozen = pytest.importorskip("sklearn.frozen")
    z, _, y, zt, _, _ = rows

    class Logits(base.ClassifierMixin, base.BaseEstimator):
        def fit(self, x, y):
            self.classes_ = np.unique(y)
            return self

        def decision_function(self, x):
            return x

        def predict(self, x):
            return x.argmax(1)

    ours = qatsbench.TS().fit(z, y)
    for dtype, tolerance in ((np.float32, 1e-4), (np.float64, 1e-6)):
        theirs = calibration.CalibratedClassifierCV(frozen.FrozenEstimator(Logits().fit(z, y)), method="temperature").fit(z.astype(dtype), y)
        beta = theirs.calibrated_classifiers_[0].calibrators[0].beta_
        assert 1 / beta == pytest.approx(ours.parameters_["T"], rel=tolerance)
        np.testing.assert_allclose(theirs.predict_proba(zt.astype(dtype)), ours.predict_proba(zt), atol=tolerance)


def test_ece_of_torchmetrics(rows):
    """It sums in float32, one row after another: 2e-6 of the value."""
    torch = pytest.importorskip("torch")
    functional = pytest.importorskip("torchmetrics.functional.classification")
    p, y = rows[4].astype(np.float32), rows[5]
    theirs = functional.multiclass_calibration_error(torch.tensor(p), torch.tensor(y), 20, n_bins=15).item()
    assert qatsbench.metrics(p, y, "ece_tm") == pytest.approx(theirs, abs=1e-5)


@pytest.mark.parametrize("theirs, ours", [("ECE", "ece"), ("ACE", "ace_netcal"), ("MCE", "mce"), ("MMCE", "mmce")])
def test_metrics_of_netcal(rows, theirs, ours):
    """Equal to the digits that qats score prints."""
    metrics = pytest.importorskip("netcal.metrics")
    m = getattr(metrics, theirs)() if theirs == "MMCE" else getattr(metrics, theirs)(15)
    assert qatsbench.metrics(rows[4], rows[5], ours) == pytest.approx(m.measure(rows[4], rows[5]), abs=2e-9)


def test_calibrators_of_netcal(rows):
    """Temperature, histogram binning and isotonic regression of each class."""
    scaling, binning = pytest.importorskip("netcal.scaling"), pytest.importorskip("netcal.binning")
    z, p, y, zt, pt, _ = rows
    for theirs, ours, tolerance in ((scaling.TemperatureScaling(), qatsbench.TS(), 1e-6), (binning.HistogramBinning(bins=15), qatsbench.HB(bins=15), 1e-12),
                                    (binning.IsotonicRegression(), qatsbench.IROvA(), 1e-8)):
        theirs.fit(p, y)
        np.testing.assert_allclose(ours.fit(z, y).predict_proba(zt), theirs.transform(pt), atol=tolerance)


@pytest.mark.parametrize("name, ours, tolerance, why", [
    ("temp-scaling", qatsbench.TS, 1e-7, "both end at the minimum"),
    ("ets", qatsbench.ETS, 1e-6, "both end at the minimum"),
    ("isotonic", qatsbench.IROvA, 1e-8, "the same regressions"),
    ("ivap", qatsbench.IVAP, 5e-4, "theirs rounds the probabilities of the calibration rows"),
    ("svs", qatsbench.SVS, 5e-4, "theirs stops at a looser tolerance of its own solver"),
    ("sms", qatsbench.SMS, 3e-3, "theirs stops at a looser tolerance of its own solver"),
])
def test_calibrators_of_probmetrics(rows, name, ours, tolerance, why):
    pytest.importorskip("numba")  # which probmetrics imports
    calibrators = pytest.importorskip("probmetrics.calibrators")
    z, p, y, zt, pt, _ = rows
    theirs = calibrators.ETSCalibrator() if name == "ets" else calibrators.get_calibrator(name)
    theirs.fit(p, y)
    got, want = ours().fit(z, y).predict_proba(zt), theirs.predict_proba(pt)
    np.testing.assert_allclose(got, want, atol=tolerance, err_msg=why)
    assert np.abs(got - want).mean() < tolerance / 20


def test_venn_abers(rows):
    """One class against the others: equal to the last bits."""
    venn_abers = pytest.importorskip("venn_abers")
    _, p, y, _, pt, _ = rows
    theirs = venn_abers.VennAbers()
    theirs.fit(one(p, 3), (y == 3).astype(int))
    ours = qatsbench.IVAP(kind="probs").fit(one(p, 3), y == 3)
    np.testing.assert_allclose(ours.predict_proba(one(pt, 3)), theirs.predict_proba(one(pt, 3))[0], atol=1e-12)


def test_betacal(rows):
    """It is a regression with a small ridge (C = 1e8) that stops at scikit-learn's
    tolerance: 2e-4. Both reach the same NLL of the calibration rows, ours not the higher."""
    betacal = pytest.importorskip("betacal")
    _, p, y, _, pt, _ = rows
    hit = y == 3
    theirs = betacal.BetaCalibration("abm").fit(p[:, 3].reshape(-1, 1), hit.astype(int))
    ours = qatsbench.Beta(kind="probs").fit(one(p, 3), hit)
    np.testing.assert_allclose(ours.predict_proba(one(pt, 3))[:, 1], theirs.predict(pt[:, 3]), atol=1e-3)

    def nll(q):
        return -np.mean(np.log(np.where(hit, q, 1 - q)))

    assert nll(ours.predict_proba(one(p, 3))[:, 1]) <= nll(theirs.predict(p[:, 3])) + 1e-9
