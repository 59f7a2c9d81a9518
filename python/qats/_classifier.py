"""A scikit-learn classifier with calibrated probabilities."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import check_cv
from sklearn.preprocessing import LabelEncoder
from sklearn.utils import check_array, get_tags, indexable
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_y, check_is_fitted
from sklearn.utils._indexing import _safe_indexing

from ._calibrator import Calibrator, calibrator
from ._errors import InputError


class CalibratedClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """A classifier whose probabilities a method of qats calibrates, as
    ``sklearn.calibration.CalibratedClassifierCV`` does with its methods.

    The logits are the classifier's ``decision_function``, else its probabilities, which
    are read as their logarithms. Of two classes, a decision d is the logits -d/2 and d/2.

    Parameters
    ----------
    estimator : classifier
        not fitted, unless cv is "prefit"
    method : str or Calibrator, default "qats"
        the method by its name, as ``qats methods`` lists it, or an estimator with its options
    cv : int, cross-validation generator or "prefit", default 5
        how the rows are divided. Rows that a classifier was fitted on have too confident
        logits, so each part is predicted by a classifier that was fitted on the others.
        "prefit": the classifier is fitted already, and all rows calibrate
    ensemble : bool, default False
        False: one calibrator of the predictions for all parts, and a classifier fitted on
        all rows. True: for each part a classifier with its calibrator, whose probabilities
        are averaged; this is the default of CalibratedClassifierCV

    Attributes
    ----------
    classes_ : the values of y, in ascending order
    calibrated_ : pairs of a classifier and its calibrator: one, or one for each part
    """

    def __init__(self, estimator, *, method="qats", cv=5, ensemble=False):
        self.estimator = estimator
        self.method = method
        self.cv = cv
        self.ensemble = ensemble

    def fit(self, X, y):
        """Fit classifiers and calibrators on n rows X with the classes y. Returns the estimator."""
        y = _check_y(y)  # as scikit-learn's own classifiers do: a column is taken as n values
        check_classification_targets(y)
        X, y = indexable(X, y)
        if 0 in getattr(X, "shape", ()):
            check_array(X, accept_sparse=True, dtype=None)  # raises scikit-learn's error
        if isinstance(self.cv, str) and self.cv == "prefit":
            check_is_fitted(self.estimator)
            self.classes_ = np.asarray(self.estimator.classes_)
            z, kind = self._outputs(self.estimator, X)
            self.calibrated_ = [(self.estimator, self._calibrator(z, kind, _codes(y, self.classes_)))]
            return self._described(self.estimator)
        coder = LabelEncoder().fit(y)
        self.classes_, codes = coder.classes_, coder.transform(y)
        parts = check_cv(self.cv, y, classifier=True)
        folds = parts.get_n_splits(X, y)
        if len(self.classes_) < 2:
            raise InputError("1 class, want 2 or more", code="input", where="y")
        counts = np.bincount(codes)
        if counts.min() < folds:
            rarest = counts.argmin()
            raise InputError(f"class {self.classes_[rarest]} has {counts[rarest]} rows, fewer than the {folds} parts", code="input", where="y", hint="set cv to fewer")
        self.calibrated_, kept, kinds = [], [], set()
        for train, test in parts.split(X, y):
            part = clone(self.estimator).fit(_safe_indexing(X, train), _safe_indexing(y, train))
            z, kind = self._outputs(part, _safe_indexing(X, test))
            if self.ensemble:
                self.calibrated_.append((part, self._calibrator(z, kind, codes[test])))
            kept.append((test, z))
            kinds.add(kind)
        if not self.ensemble:
            if len(kinds) > 1:
                raise InputError("one part has a decision_function and another has none", code="input", where="estimator")
            rows = np.concatenate([test for test, _ in kept])
            z = np.concatenate([z for _, z in kept])
            order = np.argsort(rows, kind="stable")
            self.calibrated_ = [(clone(self.estimator).fit(X, y), self._calibrator(z[order], kinds.pop(), codes[rows[order]]))]
        return self._described(self.calibrated_[0][0])

    def _described(self, fitted):
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(fitted, name):
                setattr(self, name, getattr(fitted, name))
        return self

    def _calibrator(self, z, kind, codes):
        c = clone(self.method) if isinstance(self.method, Calibrator) else calibrator(self.method)
        if c.kind is None:
            c.set_params(kind=kind)
        return c.fit(z, codes)

    def _outputs(self, fitted, X):
        """Return (outputs, kind): n x k logits or probabilities, a column for each of classes_."""
        if len(fitted.classes_) != len(self.classes_):
            raise InputError(f"a part of the rows has {len(fitted.classes_)} of the {len(self.classes_)} classes", code="input", where="y",
                             hint="set cv to parts that have all of them")
        if hasattr(fitted, "decision_function"):
            z = np.asarray(fitted.decision_function(X))
            if z.ndim == 1:
                z = np.stack([-z / 2, z / 2], axis=1)
            if z.shape[1] == len(fitted.classes_):
                return z, "logits"
        if not hasattr(fitted, "predict_proba"):
            raise InputError(f"{type(fitted).__name__} has neither a decision_function with a column for each class nor predict_proba", code="input", where="estimator")
        return np.asarray(fitted.predict_proba(X)), "probs"

    def predict_proba(self, X):
        """Return the calibrated probabilities of the rows X, n x k."""
        check_is_fitted(self)
        total = None
        for fitted, c in self.calibrated_:
            p = c.predict_proba(self._outputs(fitted, X)[0])
            total = p if total is None else total + p
        return total / len(self.calibrated_)

    def predict(self, X):
        """Return the predicted class of each row of X."""
        check_is_fitted(self)
        if len(self.calibrated_) == 1:
            fitted, c = self.calibrated_[0]
            return self.classes_[c.predict(self._outputs(fitted, X)[0])]
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]

    def __sklearn_tags__(self):
        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.input_tags.sparse, tags.input_tags.pairwise = inner.input_tags.sparse, inner.input_tags.pairwise
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        return tags


def _codes(y, classes):
    """Return the index in classes of every value of y."""
    known = {c: i for i, c in enumerate(classes.tolist())}
    try:
        return np.array([known[v] for v in np.asarray(y).tolist()])
    except KeyError as e:
        raise InputError(f"{e.args[0]!r} is no class of the fitted estimator", code="input", where="y") from None
