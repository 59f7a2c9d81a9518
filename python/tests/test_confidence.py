"""Predictions with a confidence alone."""

import re
import subprocess

import numpy as np
import pytest

import qatsbench
from qatsbench._calibrator import TopCalibrator


@pytest.fixture
def rows():
    rng = np.random.default_rng(3)
    confidence = rng.beta(5, 1.2, 1500)
    return confidence, rng.random(1500) < confidence**1.8


def test_fits_are_those_of_the_program(rows):
    confidence, correct = rows
    labels = np.arange(1500) % 7
    predicted = np.where(correct, labels, (labels + 1) % 7)
    fits = [
        qatsbench.TSTop().fit(confidence=confidence, correct=correct),
        qatsbench.TSTop().fit(confidence=confidence, correct=correct.astype(int)),
        qatsbench.TSTop().fit(confidence=confidence, predicted=predicted, labels=labels),
    ]
    assert len({f.model_ for f in fits}) == 1
    t = fits[0].parameters_["T"]
    odds = np.log(confidence / (1 - confidence)) / t
    np.testing.assert_allclose(fits[0].predict_confidence(confidence), 1 / (1 + np.exp(-odds)), rtol=1e-9)
    stated = qatsbench.TSTop().fit(confidence=confidence, correct=correct, n_classes=7)
    assert abs(stated.parameters_["T"] - t) > 0.01


def test_scores_are_those_of_numpy(rows):
    confidence, correct = rows
    got = qatsbench.metrics(confidence=confidence, correct=correct)
    assert list(got) == ["accuracy", "ece", "aece", "nll_top", "brier_top"]
    assert got["accuracy"] == pytest.approx(correct.mean(), rel=1e-8)
    assert got["nll_top"] == pytest.approx(-np.log(np.where(correct, confidence, 1 - confidence)).mean(), rel=1e-8)
    assert got["brier_top"] == pytest.approx(((confidence - correct) ** 2).mean(), rel=1e-8)
    bins = np.ceil(15 * confidence).astype(int)
    ece = sum(abs(confidence[bins == b].sum() - correct[bins == b].sum()) for b in range(16)) / len(correct)
    assert got["ece"] == pytest.approx(ece, rel=1e-8)
    assert qatsbench.metrics(confidence=confidence, correct=correct, metrics="nll_top") == got["nll_top"]


def test_recommendations_are_among_methods_of_a_confidence_alone(rows):
    confidence, correct = rows
    cal, test = ({"confidence": confidence[at], "correct": correct[at]} for at in (slice(0, 700), slice(700, None)))
    r = qatsbench.recommend(cal, test, progress=False)
    assert {m["method"] for m in r.methods} >= {"uncal", "ts-top", "qats-top", "platt-top", "beta-top"}
    assert r.choice["by"] == "nll_top"
    assert "top NLL" in repr(r)
    assert "nll_top" in list(r.frame)
    one = qatsbench.recommend(cal, methods=["ts", "hb-top"], n_classes=5, progress=False)
    assert [x["method"] for x in one.left_out] == ["ts"]


def test_the_classes_are_those_of_the_group(program):
    words = subprocess.run([program, "doc", "@confidence"], capture_output=True, text=True, check=True).stdout
    taking = {name for name in qatsbench.METHODS if isinstance(qatsbench.calibrator(name), TopCalibrator)}
    assert taking and "ts" not in taking
    for name in qatsbench.METHODS:
        if name == "base-rate-top":  # takes a confidence alone, and is a floor, which is in no group
            continue
        assert (name in taking) == (name != "uncal" and re.search(rf"(?m)^\s*{name}\b(?!-)", words) is not None), (name, words)


def test_mistakes_name_the_place(rows):
    confidence, correct = rows
    with pytest.raises(TypeError, match="confidence"):
        qatsbench.TS().fit(confidence=confidence, correct=correct)
    with pytest.raises(qatsbench.InputError, match="if these are per cent, divide them by 100"):
        qatsbench.TSTop().fit(confidence=100 * confidence, correct=correct)
    with pytest.raises(qatsbench.InputError, match="want correct, or predicted and labels"):
        qatsbench.TSTop().fit(confidence=confidence)
    with pytest.raises(qatsbench.InputError, match="want 1 where the prediction is right"):
        qatsbench.TSTop().fit(confidence=confidence, correct=2 * correct.astype(int))
    with pytest.raises(qatsbench.InputError, match="correct: 1499 numbers for 1500 confidences"):
        qatsbench.metrics(confidence=confidence, correct=correct[1:])
    with pytest.raises(qatsbench.InputError, match="fit needs logits, or confidence and correct"):
        qatsbench.TSTop().fit()
    with pytest.raises(qatsbench.InputError, match="integer from 2 on"):
        qatsbench.TSTop().fit(confidence=confidence, correct=correct, n_classes=1)


def test_a_diagram_of_confidences_without_logits():
    rng = np.random.default_rng(0)
    confidence = rng.uniform(0.5, 1, 400)
    correct = rng.random(400) < confidence
    r = qatsbench.reliability(confidence=confidence, correct=correct, n_bins=10)
    inside = (confidence > 0.6) & (confidence <= 0.7)
    row = r.frame.iloc[6] if hasattr(r.frame, "iloc") else {name: column[6] for name, column in r.frame.items()}
    assert (row["n"], row["acc"]) == (inside.sum(), pytest.approx(correct[inside].mean(), abs=1e-6))
    assert r.ece == pytest.approx(
        sum(abs(correct[b].sum() - confidence[b].sum()) for b in (np.ceil(confidence * 10) == i for i in range(1, 11))) / 400, abs=1e-6
    )
    named = qatsbench.reliability(y=np.where(correct, "a", "b"), confidence=confidence, predicted=np.full(400, "a"), n_bins=10)
    assert named.ece == r.ece
    with pytest.raises(qatsbench.InputError, match="^confidence: confidences without logits have no p, after"):
        qatsbench.reliability(np.c_[confidence, 1 - confidence], confidence=confidence, correct=correct)
    with pytest.raises(qatsbench.InputError, match="^p: want p and y, or confidence and correct"):
        qatsbench.reliability(np.c_[confidence, 1 - confidence])
