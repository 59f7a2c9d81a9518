"""The estimators, one for each method: written by tools/generate.py, as _methods.json is."""

from typing import Any, Self

import numpy as np

from ._calibrator import Calibrator, TopCalibrator

CLASSES: dict[str, type[Calibrator]]
ALIASES: dict[str, str]
METHODS: tuple[str, ...]

def named(long: str) -> list[str]: ...

__all__ = [
    "Uncal",
    "TS",
    "TSGuo50",
    "TSECEGrid",
    "EC",
    "CTS",
    "ETS",
    "IR",
    "IRTop",
    "IROvA",
    "CIR",
    "IVAP",
    "CVAP",
    "HB",
    "HBMass",
    "HBTop",
    "BBQ",
    "ScalingBinning",
    "ScalingBinningTop",
    "BaseRate",
    "BaseRateTop",
    "Spline",
    "PlattTop",
    "BetaTop",
    "TSTop",
    "QaTSTop",
    "SmoothingSpline",
    "Kernel",
    "Platt",
    "PlattLogits",
    "Quadratic",
    "QuadraticRidge",
    "Beta",
    "VS",
    "SVS",
    "SMS",
    "Dirichlet",
    "MSODIR",
    "TTATS",
    "AdaTS",
    "HTS",
    "HTSBounded",
    "BTS",
    "CBT",
    "PTS",
    "SMART",
    "HCalibration",
    "GC",
    "GCSplit",
    "FeatClip",
    "DAC",
    "ProCal",
    "ProCalBins",
    "HFE",
    "HFENoOOD",
    "HFETarget",
    "LabelShift",
    "QaTS",
    "QaTSPW",
    "QaTSFree",
    "QaTSPWFree",
    "QaTSTransductive",
    "QaTSReading",
    "TConf",
    "TEntropy",
    "TGap",
]

class Uncal(Calibrator):
    """No calibration (Uncal): softmax of the logits, nothing fitted."""
    def __init__(self, *, kind: str | None = None) -> None: ...

class TS(Calibrator):
    """Temperature scaling (TS): one temperature at the minimum of the calibration NLL."""
    def __init__(self, *, kind: str | None = None) -> None: ...

class TSGuo50(Calibrator):
    """Temperature scaling, 50 steps (TS (Guo, 50)): temperature after 50 LBFGS steps of 0.01 from 1.5, as the first public code; not converged."""
    def __init__(self, *, kind: str | None = None) -> None: ...

class TSECEGrid(Calibrator):
    """Temperature scaling by ECE on a grid (TS (ECE grid)): temperature of 0.1, 0.2, ..., 10 with the least ECE-15 on the calibration set."""
    def __init__(self, *, kind: str | None = None) -> None: ...

class EC(Calibrator):
    """Expectation consistency (EC): one temperature at which the mean confidence equals the accuracy."""
    def __init__(self, *, kind: str | None = None) -> None: ...

class CTS(Calibrator):
    """Class-wise temperature scaling (CTS): a temperature for the logit of each class, found on a grid for the least ECE-15."""
    def __init__(self, *, kind: str | None = None) -> None: ...

class ETS(Calibrator):
    """Ensemble temperature scaling (ETS): mixture of the softmax at a temperature, at 1 and the uniform distribution, fitted by squared error."""
    def __init__(self, *, kind: str | None = None) -> None: ...

class IR(Calibrator):
    """Isotonic regression, one for all classes (IR): isotonic regression on the pooled pairs of all classes (IRM); keeps the prediction."""
    def __init__(self, *, kind: str | None = None) -> None: ...

class IRTop(TopCalibrator):
    """Isotonic regression of the top label (IR-top): isotonic regression on the confidence of the prediction; a top-label method."""
    def __init__(self, *, kind: str | None = None) -> None: ...

class IROvA(Calibrator):
    """Isotonic regression, one-vs-all (IR-OvA): isotonic regression of each class against all others, rows normalised."""
    def __init__(self, *, kind: str | None = None) -> None: ...

class CIR(Calibrator):
    """Centred isotonic regression (CIR): centred isotonic regression of each class against all others, rows normalised."""
    def __init__(self, *, kind: str | None = None) -> None: ...

class IVAP(Calibrator):
    """Inductive Venn-Abers predictor (IVAP): inductive Venn-Abers predictor of each class against all others, or of each pair of classes."""
    coupling: str
    def __init__(self, *, coupling: str = 'one-vs-rest', kind: str | None = None) -> None: ...

class CVAP(Calibrator):
    """Cross Venn-Abers predictor (CVAP): cross Venn-Abers predictor: inductive ones of disjoint folds, merged by geometric means."""
    coupling: str
    folds: int
    def __init__(self, *, coupling: str = 'one-vs-rest', folds: int = 5, kind: str | None = None) -> None: ...

class HB(Calibrator):
    """Histogram binning (HB): histogram binning of each class against all others, rows normalised."""
    bins: int
    def __init__(self, *, bins: int = 15, kind: str | None = None) -> None: ...

class HBMass(Calibrator):
    """Histogram binning, equal mass (HB-mass): histogram binning with bins of equal numbers of rows, of each class against all others, rows normalised."""
    bins: int
    def __init__(self, *, bins: int = 10, kind: str | None = None) -> None: ...

class HBTop(TopCalibrator):
    """Histogram binning of the top label (HB-top): histogram binning of the confidence of the prediction; a top-label method."""
    bins: int
    def __init__(self, *, bins: int = 15, kind: str | None = None) -> None: ...

class BBQ(Calibrator):
    """Bayesian binning into quantiles (BBQ): average of histogram binnings with different numbers of bins, of each class against all others, rows normalised."""
    score_: str
    def __init__(self, *, score_: str = 'bic', kind: str | None = None) -> None: ...

class ScalingBinning(Calibrator):
    """Scaling-binning: sigmoid of each class against all others, replaced by its mean in bins of equal size, rows normalised."""
    bins: int
    def __init__(self, *, bins: int = 10, kind: str | None = None) -> None: ...

class ScalingBinningTop(TopCalibrator):
    """Scaling-binning of the top label (Scaling-binning-top): sigmoid of the confidence of the prediction, replaced by its mean in bins of equal size; a top-label method."""
    bins: int
    def __init__(self, *, bins: int = 10, kind: str | None = None) -> None: ...

class BaseRate(Calibrator):
    """Base rate: the accuracy of the calibration set as the confidence of every row, the floor of knowing nothing."""
    def __init__(self, *, kind: str | None = None) -> None: ...

class BaseRateTop(TopCalibrator):
    """Base rate of the top label (Base-rate-top): the accuracy of the calibration set as the confidence of every row; a top-label method."""
    def __init__(self, *, kind: str | None = None) -> None: ...

class Spline(TopCalibrator):
    """Spline calibration of the top label (Spline): confidence corrected by the slope of a natural cubic spline; a top-label method."""
    knots: int
    def __init__(self, *, knots: int = 6, kind: str | None = None) -> None: ...

class PlattTop(TopCalibrator):
    """Platt scaling of the top label (Platt-top): logistic regression on the log odds of the confidence of the prediction; a top-label method."""
    def __init__(self, *, kind: str | None = None) -> None: ...

class BetaTop(TopCalibrator):
    """Beta calibration of the top label (Beta-top): beta calibration of the confidence of the prediction; a top-label method."""
    def __init__(self, *, kind: str | None = None) -> None: ...

class TSTop(TopCalibrator):
    """Temperature scaling of the top label (TS-top): one temperature on logits that are derived from the confidence alone; a top-label method."""
    def __init__(self, *, kind: str | None = None) -> None: ...

class QaTSTop(TopCalibrator):
    """Quantile-adaptive temperature scaling of the top label (QaTS-top): QaTS on logits that are derived from the confidence alone; a top-label method."""
    def __init__(self, *, kind: str | None = None) -> None: ...

class SmoothingSpline(Calibrator):
    """Smoothing spline: penalised spline of the log odds of each class against all others, rows normalised."""
    def __init__(self, *, kind: str | None = None) -> None: ...

class Kernel(Calibrator):
    """Dirichlet kernel calibration (Kernel): class shares among calibration rows with similar probabilities, weighted by Dirichlet kernels."""
    bandwidth: float
    rows: int
    def __init__(self, *, bandwidth: float = 0, rows: int = 10000, kind: str | None = None) -> None: ...

class Platt(Calibrator):
    """Platt scaling (Platt): logistic regression on the probability of each class against all others, rows normalised."""
    def __init__(self, *, kind: str | None = None) -> None: ...

class PlattLogits(Calibrator):
    """Platt scaling of the logits (Platt (logits)): logistic regression on the log odds of each class against all others, rows normalised."""
    score_: str
    def __init__(self, *, score_: str = 'log-odds', kind: str | None = None) -> None: ...

class Quadratic(Calibrator):
    """Quadratic scaling (Quadratic): logistic regression on the log odds and their square of each class against all others, rows normalised."""
    def __init__(self, *, kind: str | None = None) -> None: ...

class QuadraticRidge(Calibrator):
    """Quadratic scaling with a ridge (Quadratic-ridge): quadratic with a penalty of the distance from ts, chosen by cross-fitting."""
    lambda_: float
    folds: int
    def __init__(self, *, lambda_: float = 0, folds: int = 5, kind: str | None = None) -> None: ...

class Beta(Calibrator):
    """Beta calibration (Beta): beta calibration of each class against all others, rows normalised."""
    def __init__(self, *, kind: str | None = None) -> None: ...

class VS(Calibrator):
    """Vector scaling (VS): vector scaling, a slope and an offset for each class."""
    ridge: float
    def __init__(self, *, ridge: float = 1e-06, kind: str | None = None) -> None: ...

class SVS(Calibrator):
    """Structured vector scaling (SVS): vector scaling kept near temperature scaling by a ridge of k/n."""
    diagonal: float
    intercept: float
    def __init__(self, *, diagonal: float = 1, intercept: float = 1, kind: str | None = None) -> None: ...

class SMS(Calibrator):
    """Structured matrix scaling (SMS): matrix scaling kept near temperature scaling by ridges of k/n and k(k-1)/n, at most 100 classes."""
    diagonal: float
    intercept: float
    off_diagonal: float
    def __init__(self, *, diagonal: float = 1, intercept: float = 1, off_diagonal: float = 1, kind: str | None = None) -> None: ...

class Dirichlet(Calibrator):
    """Dirichlet calibration (Dirichlet): linear map of the log-probabilities with penalties off the diagonal and of the offsets (Dir-ODIR), mean over folds; at most 100 classes."""
    lambda_: float
    mu: float
    folds: int
    def __init__(self, *, lambda_: float = 0, mu: float = 0, folds: int = 5, kind: str | None = None) -> None: ...

class MSODIR(Calibrator):
    """Matrix scaling with off-diagonal and intercept penalties (MS-ODIR): dirichlet with the logits in place of the log-probabilities."""
    lambda_: float
    mu: float
    folds: int
    def __init__(self, *, lambda_: float = 0, mu: float = 0, folds: int = 5, kind: str | None = None) -> None: ...

class TTATS(Calibrator):
    """Temperature scaling by test-time augmentation (TTA-TS): temperature of ts for the mean of the logits of augmented test views."""
    def __init__(self, *, kind: str | None = None) -> None: ...
    def predict_proba(self, logits: Any, *, augmented: Any, dtype: Any = ..., shares: Any = None) -> np.ndarray: ...  # type: ignore[override] # it needs more arrays than others
    def predict(self, logits: Any, *, augmented: Any) -> np.ndarray: ...  # type: ignore[override] # it needs more arrays than others
    def temperature(self, logits: Any, *, augmented: Any) -> np.ndarray: ...  # type: ignore[override] # it needs more arrays than others
    def score(self, logits: Any, labels: Any, metrics: Any = None, *, augmented: Any, interval: str | None = None, ignore: Any = None, positive: Any = None, sample_weight: Any = None, groups: Any = None) -> Any: ...  # type: ignore[override] # it needs more arrays than others

class AdaTS(Calibrator):
    """Adaptive temperature scaling (AdaTS (Joy)): temperature from an autoencoder of the features."""
    epochs: int
    max_steps: int
    hidden: int
    draws: int
    def __init__(self, *, epochs: int = 100, max_steps: int = 1000, hidden: int = 256, draws: int = 10, kind: str | None = None) -> None: ...
    def fit(self, logits: Any, labels: Any, *, features: Any, classes: Any = None, ignore: Any = None, sample_weight: Any = None, groups: Any = None, folds: Any = None, kind: str | None = None) -> Self: ...  # type: ignore[override] # it needs more arrays than others
    def predict_proba(self, logits: Any, *, features: Any, dtype: Any = ..., shares: Any = None) -> np.ndarray: ...  # type: ignore[override] # it needs more arrays than others
    def predict(self, logits: Any, *, features: Any) -> np.ndarray: ...  # type: ignore[override] # it needs more arrays than others
    def temperature(self, logits: Any, *, features: Any) -> np.ndarray: ...  # type: ignore[override] # it needs more arrays than others
    def score(self, logits: Any, labels: Any, metrics: Any = None, *, features: Any, interval: str | None = None, ignore: Any = None, positive: Any = None, sample_weight: Any = None, groups: Any = None) -> Any: ...  # type: ignore[override] # it needs more arrays than others

class HTS(Calibrator):
    """Entropy temperature scaling (HTS): temperature from the entropy of the row, softplus(w log h + b)."""
    def __init__(self, *, kind: str | None = None) -> None: ...

class HTSBounded(Calibrator):
    """Entropy temperature scaling, bounded (HTS-bounded): temperature from the entropy of the row as in hts, at most 1.5 times above or below that of ts."""
    range: float
    def __init__(self, *, range: float = 1.5, kind: str | None = None) -> None: ...

class BTS(Calibrator):
    """Bin-wise temperature scaling (BTS): a temperature for each bin of confidence, at the minimum of its NLL."""
    bins: int
    def __init__(self, *, bins: int = 15, kind: str | None = None) -> None: ...

class CBT(Calibrator):
    """Confidence-based temperature (CBT): a temperature for each bin of confidence, at which confidence equals accuracy."""
    bins: int
    def __init__(self, *, bins: int = 15, kind: str | None = None) -> None: ...

class PTS(Calibrator):
    """Parameterized temperature scaling (PTS): temperature by a small network of the 10 largest logits, for the Brier score."""
    steps: int
    rate: float
    def __init__(self, *, steps: int = 5000, rate: float = 0.001, kind: str | None = None) -> None: ...

class SMART(Calibrator):
    """Temperature by the logit gap (SMART): temperature by a small network of the logit gap, for a smooth ECE."""
    epochs: int
    patience: int
    def __init__(self, *, epochs: int = 2000, patience: int = 200, kind: str | None = None) -> None: ...

class HCalibration(Calibrator):
    """h-calibration: mixture of temperatures, trained for small errors in windows of probabilities."""
    temperatures: int
    epochs: int
    patience: int
    select: str
    def __init__(self, *, temperatures: int = 16, epochs: int = 2000, patience: int = 160, select: str = 'ece', kind: str | None = None) -> None: ...

class GC(Calibrator):
    """Group calibration on one set (GC (one set)): gc-split with groups and temperatures on the same calibration rows."""
    groups: int
    partitions: int
    weight_decay: float
    def __init__(self, *, groups: int = 2, partitions: int = 20, weight_decay: float = 0.1, kind: str | None = None) -> None: ...
    def fit(self, logits: Any, labels: Any, *, features: Any, classes: Any = None, ignore: Any = None, sample_weight: Any = None, groups: Any = None, folds: Any = None, kind: str | None = None) -> Self: ...  # type: ignore[override] # it needs more arrays than others
    def predict_proba(self, logits: Any, *, features: Any, dtype: Any = ..., shares: Any = None) -> np.ndarray: ...  # type: ignore[override] # it needs more arrays than others
    def predict(self, logits: Any, *, features: Any) -> np.ndarray: ...  # type: ignore[override] # it needs more arrays than others
    def temperature(self, logits: Any, *, features: Any) -> np.ndarray: ...  # type: ignore[override] # it needs more arrays than others
    def score(self, logits: Any, labels: Any, metrics: Any = None, *, features: Any, interval: str | None = None, ignore: Any = None, positive: Any = None, sample_weight: Any = None, groups: Any = None) -> Any: ...  # type: ignore[override] # it needs more arrays than others

class GCSplit(Calibrator):
    """Group calibration (GC): a temperature for each group of features, averaged over partitions; groups learnt on one half of the calibration set, temperatures on the other."""
    groups: int
    partitions: int
    weight_decay: float
    def __init__(self, *, groups: int = 2, partitions: int = 20, weight_decay: float = 0.1, kind: str | None = None) -> None: ...
    def fit(self, logits: Any, labels: Any, *, features: Any, classes: Any = None, ignore: Any = None, sample_weight: Any = None, groups: Any = None, folds: Any = None, kind: str | None = None) -> Self: ...  # type: ignore[override] # it needs more arrays than others
    def predict_proba(self, logits: Any, *, features: Any, dtype: Any = ..., shares: Any = None) -> np.ndarray: ...  # type: ignore[override] # it needs more arrays than others
    def predict(self, logits: Any, *, features: Any) -> np.ndarray: ...  # type: ignore[override] # it needs more arrays than others
    def temperature(self, logits: Any, *, features: Any) -> np.ndarray: ...  # type: ignore[override] # it needs more arrays than others
    def score(self, logits: Any, labels: Any, metrics: Any = None, *, features: Any, interval: str | None = None, ignore: Any = None, positive: Any = None, sample_weight: Any = None, groups: Any = None) -> Any: ...  # type: ignore[override] # it needs more arrays than others

class FeatClip(Calibrator):
    """Feature clipping (FeatClip): features clipped at one threshold, then the last layer of the network."""
    sides: int
    guard: float
    criterion: str
    def __init__(self, *, sides: int = 2, guard: float = 0.99, criterion: str = 'nll', kind: str | None = None) -> None: ...
    def fit(self, logits: Any, labels: Any, *, features: Any, head_weight: Any, head_bias: Any, classes: Any = None, ignore: Any = None, sample_weight: Any = None, groups: Any = None, folds: Any = None, kind: str | None = None) -> Self: ...  # type: ignore[override] # it needs more arrays than others
    def predict_proba(self, logits: Any, *, features: Any, head_weight: Any, head_bias: Any, dtype: Any = ..., shares: Any = None) -> np.ndarray: ...  # type: ignore[override] # it needs more arrays than others
    def predict(self, logits: Any, *, features: Any, head_weight: Any, head_bias: Any) -> np.ndarray: ...  # type: ignore[override] # it needs more arrays than others
    def temperature(self, logits: Any, *, features: Any, head_weight: Any, head_bias: Any) -> np.ndarray: ...  # type: ignore[override] # it needs more arrays than others
    def score(self, logits: Any, labels: Any, metrics: Any = None, *, features: Any, head_weight: Any, head_bias: Any, interval: str | None = None, ignore: Any = None, positive: Any = None, sample_weight: Any = None, groups: Any = None) -> Any: ...  # type: ignore[override] # it needs more arrays than others

class DAC(Calibrator):
    """Density-aware calibration (DAC): temperature linear in the distance of the features to their neighbours among the calibration rows."""
    neighbours: int | None
    bank: int
    def __init__(self, *, neighbours: int | None = None, bank: int = 10000, kind: str | None = None) -> None: ...
    def fit(self, logits: Any, labels: Any, *, features: Any, classes: Any = None, ignore: Any = None, sample_weight: Any = None, groups: Any = None, folds: Any = None, kind: str | None = None) -> Self: ...  # type: ignore[override] # it needs more arrays than others
    def predict_proba(self, logits: Any, *, features: Any, dtype: Any = ..., shares: Any = None) -> np.ndarray: ...  # type: ignore[override] # it needs more arrays than others
    def predict(self, logits: Any, *, features: Any) -> np.ndarray: ...  # type: ignore[override] # it needs more arrays than others
    def temperature(self, logits: Any, *, features: Any) -> np.ndarray: ...  # type: ignore[override] # it needs more arrays than others
    def score(self, logits: Any, labels: Any, metrics: Any = None, *, features: Any, interval: str | None = None, ignore: Any = None, positive: Any = None, sample_weight: Any = None, groups: Any = None) -> Any: ...  # type: ignore[override] # it needs more arrays than others

class ProCal(Calibrator):
    """Proximity-informed calibration (ProCal): confidence by the densities of confidence and proximity among right and wrong rows; a top-label method."""
    neighbours: int
    bank: int
    base: str
    def __init__(self, *, neighbours: int = 10, bank: int = 10000, base: str = 'none', kind: str | None = None) -> None: ...
    def fit(self, logits: Any, labels: Any, *, features: Any, classes: Any = None, ignore: Any = None, sample_weight: Any = None, groups: Any = None, folds: Any = None, kind: str | None = None) -> Self: ...  # type: ignore[override] # it needs more arrays than others
    def predict_proba(self, logits: Any, *, features: Any, dtype: Any = ..., shares: Any = None) -> np.ndarray: ...  # type: ignore[override] # it needs more arrays than others
    def predict(self, logits: Any, *, features: Any) -> np.ndarray: ...  # type: ignore[override] # it needs more arrays than others
    def temperature(self, logits: Any, *, features: Any) -> np.ndarray: ...  # type: ignore[override] # it needs more arrays than others
    def score(self, logits: Any, labels: Any, metrics: Any = None, *, features: Any, interval: str | None = None, ignore: Any = None, positive: Any = None, sample_weight: Any = None, groups: Any = None) -> Any: ...  # type: ignore[override] # it needs more arrays than others

class ProCalBins(Calibrator):
    """Proximity-informed calibration by bins (ProCal (bins)): isotonic regression (ir) in each of five groups of equal size by proximity."""
    groups: int
    neighbours: int
    bank: int
    def __init__(self, *, groups: int = 5, neighbours: int = 10, bank: int = 10000, kind: str | None = None) -> None: ...
    def fit(self, logits: Any, labels: Any, *, features: Any, classes: Any = None, ignore: Any = None, sample_weight: Any = None, groups: Any = None, folds: Any = None, kind: str | None = None) -> Self: ...  # type: ignore[override] # it needs more arrays than others
    def predict_proba(self, logits: Any, *, features: Any, dtype: Any = ..., shares: Any = None) -> np.ndarray: ...  # type: ignore[override] # it needs more arrays than others
    def predict(self, logits: Any, *, features: Any) -> np.ndarray: ...  # type: ignore[override] # it needs more arrays than others
    def temperature(self, logits: Any, *, features: Any) -> np.ndarray: ...  # type: ignore[override] # it needs more arrays than others
    def score(self, logits: Any, labels: Any, metrics: Any = None, *, features: Any, interval: str | None = None, ignore: Any = None, positive: Any = None, sample_weight: Any = None, groups: Any = None) -> Any: ...  # type: ignore[override] # it needs more arrays than others

class HFE(Calibrator):
    """Helmholtz free energy (HFE): temperature from the energy of the row, fitted with out-of-distribution samples."""
    m: int | None
    def __init__(self, *, m: int | None = None, kind: str | None = None) -> None: ...
    def fit(self, logits: Any, labels: Any, *, ood_logits: Any, classes: Any = None, ignore: Any = None, sample_weight: Any = None, groups: Any = None, folds: Any = None, kind: str | None = None) -> Self: ...  # type: ignore[override] # it needs more arrays than others

class HFENoOOD(Calibrator):
    """Helmholtz free energy without OOD rows (HFE (no OOD)): temperature from the energy of the row, without out-of-distribution samples."""
    def __init__(self, *, kind: str | None = None) -> None: ...

class HFETarget(Calibrator):
    """Helmholtz free energy with target rows (HFE (target)): temperature from the energy of the row, fitted with unlabelled target samples in place of out-of-distribution samples."""
    m: int | None
    def __init__(self, *, m: int | None = None, kind: str | None = None) -> None: ...
    def fit(self, logits: Any, labels: Any, *, target_logits: Any, classes: Any = None, ignore: Any = None, sample_weight: Any = None, groups: Any = None, folds: Any = None, kind: str | None = None) -> Self: ...  # type: ignore[override] # it needs more arrays than others

class LabelShift(Calibrator):
    """Label shift (EM): class shares of the target estimated by EM from unlabelled target samples, after bias-corrected temperature scaling."""
    calibration: str
    steps: int
    tolerance: float
    def __init__(self, *, calibration: str = 'bcts', steps: int = 100, tolerance: float = 1e-06, kind: str | None = None) -> None: ...
    def fit(self, logits: Any, labels: Any, *, target_logits: Any, classes: Any = None, ignore: Any = None, sample_weight: Any = None, groups: Any = None, folds: Any = None, kind: str | None = None) -> Self: ...  # type: ignore[override] # it needs more arrays than others

class QaTS(Calibrator):
    """Quantile-adaptive temperature scaling (QaTS): temperature linear in the confidence rank, a (1-q) + b with a >= 0, b >= 0.001."""
    def __init__(self, *, kind: str | None = None) -> None: ...

class QaTSPW(Calibrator):
    """Quantile-adaptive temperature scaling, piecewise (QaTS-PW): falling temperature, piecewise linear in the confidence rank."""
    segments: int
    def __init__(self, *, segments: int = 4, kind: str | None = None) -> None: ...

class QaTSFree(Calibrator):
    """Quantile-adaptive temperature scaling, free (QaTS free): qats without a >= 0: the temperature may rise with confidence."""
    def __init__(self, *, kind: str | None = None) -> None: ...

class QaTSPWFree(Calibrator):
    """Quantile-adaptive temperature scaling, piecewise and free (QaTS-PW free): rising or falling temperature, piecewise linear in the confidence rank."""
    segments: int
    def __init__(self, *, segments: int = 4, kind: str | None = None) -> None: ...

class QaTSTransductive(Calibrator):
    """Quantile-adaptive temperature scaling, transductive (QaTS (trans)): a and b of qats, ranks among the unlabelled target rows."""
    def __init__(self, *, kind: str | None = None) -> None: ...
    def fit(self, logits: Any, labels: Any, *, target_logits: Any, classes: Any = None, ignore: Any = None, sample_weight: Any = None, groups: Any = None, folds: Any = None, kind: str | None = None) -> Self: ...  # type: ignore[override] # it needs more arrays than others

class QaTSReading(Calibrator):
    """Quantile-adaptive temperature scaling, other readings (QaTS (reading)): qats by the Brier score, by only the top label, with a rising temperature, or by some steps of Adam."""
    loss: str
    form: str
    solver: str
    steps: int
    rate: float
    def __init__(self, *, loss: str = 'nll', form: str = 'falling', solver: str = 'newton', steps: int = 200, rate: float = 0.01, kind: str | None = None) -> None: ...

class TConf(Calibrator):
    """Temperature by the confidence (T(conf)): qats with the confidence in place of the confidence rank."""
    def __init__(self, *, kind: str | None = None) -> None: ...

class TEntropy(Calibrator):
    """Temperature by the entropy (T(entropy)): qats with the normalised entropy in place of the confidence rank."""
    def __init__(self, *, kind: str | None = None) -> None: ...

class TGap(Calibrator):
    """Temperature by the gap (T(gap)): qats with the gap between the two largest logits in place of the confidence rank."""
    def __init__(self, *, kind: str | None = None) -> None: ...
