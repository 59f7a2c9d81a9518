"""A classifier that is fitted once on the same rows, and predicts the same rows once, whoever wraps it."""

import hashlib

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.metaestimators import available_if

_kept = {}


def forget():
    _kept.clear()


def _digest(*arrays):
    h = hashlib.sha256()
    for a in arrays:
        h.update(repr(a.tolist()).encode() if a.dtype == object else np.ascontiguousarray(a).tobytes())
    return h.hexdigest()


class Once(ClassifierMixin, BaseEstimator):
    def __init__(self, estimator):
        self.estimator = estimator

    def fit(self, X, y):
        self.key_ = repr(self.estimator), _digest(X, y)
        if self.key_ not in _kept:
            _kept[self.key_] = clone(self.estimator).fit(X, y)
        self.classes_ = _kept[self.key_].classes_
        return self

    def _said(self, name, X):
        key = *self.key_, name, _digest(X)
        if key not in _kept:
            _kept[key] = getattr(_kept[self.key_], name)(X)
        return _kept[key].copy()

    def predict(self, X):
        return self._said("predict", X)

    @available_if(lambda self: hasattr(self.estimator, "decision_function"))
    def decision_function(self, X):
        return self._said("decision_function", X)

    @available_if(lambda self: hasattr(self.estimator, "predict_proba"))
    def predict_proba(self, X):
        return self._said("predict_proba", X)
