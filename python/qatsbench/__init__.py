"""Post-hoc calibration of classifiers: the program qats, called from Python.

A call runs the program once. Arrays reach it through a pipe, and nothing is computed twice:
methods, metrics and comparisons are the program's own.
"""

from typing import TYPE_CHECKING

from ._calibrator import Calibrator, calibrator, load
from ._errors import CalibrationWarning, Error, InputError, ProgramError
from ._methods import *  # noqa: F403
from ._methods import METHODS
from ._methods import __all__ as _classes
from ._metrics import ece, metrics
from ._version import __version__

if TYPE_CHECKING:
    from ._classifier import CalibratedClassifier
    from ._external import method
    from ._recommendation import Recommendation, recommend
    from ._reliability import Reliability, reliability
    from ._runs import Results, results, run

_LATER = {
    "CalibratedClassifier": "_classifier",
    "recommend": "_recommendation",
    "Recommendation": "_recommendation",
    "run": "_runs",
    "results": "_runs",
    "Results": "_runs",
    "method": "_external",
    "reliability": "_reliability",
    "Reliability": "_reliability",
}  # they need more than numpy, or are seldom used
_RENAMED = {"compare": "recommend", "Comparison": "Recommendation"}  # compare is what Results and a shell do with a run

__all__ = [
    "recommend",
    "calibrator",
    "load",
    "reliability",
    "metrics",
    "ece",
    "run",
    "results",
    "method",
    "CalibratedClassifier",
    "Calibrator",
    "Recommendation",
    "Reliability",
    "Results",
    "METHODS",
    "Error",
    "InputError",
    "ProgramError",
    "CalibrationWarning",
    "__version__",
    *_classes,
]


def __getattr__(name):
    if name in _LATER:
        from importlib import import_module

        value = getattr(import_module("." + _LATER[name], __name__), name)
        globals()[name] = value
        return value
    if name in _RENAMED:
        raise AttributeError(f"{__name__}.{name} is {__name__}.{_RENAMED[name]}, as try in a shell", name=None)
    import sys

    from ._methods import named

    meant = named(name) if name[:1].isupper() else []
    if meant:
        others = f"; {', '.join(meant[1:4])} {'are' if len(meant) > 2 else 'is'} near it" if len(meant) > 1 else ""
        raise AttributeError(f"{__name__}.{name} is {__name__}.{meant[0]}{others}", name=None)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name, obj=sys.modules[__name__])  # for a suggestion


def __dir__():
    return sorted(__all__)
