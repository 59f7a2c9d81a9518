"""qatsbench.recommend: the answer of qats try, as objects."""

import builtins
import json
import subprocess

import numpy as np
import pytest

import qatsbench

ROWS = {"methods": ["qats", "svs"], "progress": False}


@pytest.fixture(scope="module")
def compared(text):
    return qatsbench.recommend(cal=text[:2], test=text[2:], **ROWS)


def test_the_numbers_are_those_of_the_shell(compared, text, program, tmp_path):
    for name, a in zip(("cal_logits", "cal_labels", "test_logits", "test_labels"), text):
        np.save(tmp_path / f"{name}.npy", a)
    files = [str(tmp_path / f"{n}.npy") for n in ("cal_logits", "cal_labels", "test_logits", "test_labels")]
    lines = [
        json.loads(x)
        for x in subprocess.run(
            [program, "try", "--json", "--method", "qats,svs", *files], capture_output=True, check=True
        ).stdout.splitlines()
    ]
    want = {x["method"]: x for x in lines if x["kind"] == "method"}
    assert compared.best == next(x["method"] for x in lines if x["kind"] == "choice") == "qats"
    for m in compared.methods:
        for key in ("choice", "nll", "brier", "ece", "ece_null_lo", "accuracy", "changed", "bins"):
            assert m[key] == want[m["method"]][key]
    by_path = qatsbench.recommend(cal=files[:2], test=(np.load(files[2], mmap_mode="r"), text[3]), **ROWS)
    assert [m["nll"] for m in by_path.methods] == [m["nll"] for m in compared.methods]


def test_the_former_name_says_where_it_went():
    with pytest.raises(AttributeError, match="^qatsbench.compare is qatsbench.recommend, as try in a shell$"):
        qatsbench.compare  # noqa: B018
    assert not hasattr(qatsbench, "Comparison") and "recommend" in dir(qatsbench)


def test_the_choice_is_made_on_the_calibration_rows(compared):
    choices = [m["choice"] for m in compared.methods[1:]]
    assert choices == sorted(choices) and compared.methods[0]["method"] == compared.best == compared.choice["method"]
    assert compared.choice["reason"] == "verdict" and [d["against"] for d in compared.choice["differences"]] == ["uncal", "ts"]
    assert {m["method"] for m in compared.methods} == {"uncal", "ts", "qats", "svs"}


def test_a_method_that_explodes_is_below_the_table():
    rng = np.random.default_rng(3)
    y = np.minimum(rng.exponential(8, 500).astype(int), 31)  # few rows of most classes
    z = 2 * rng.normal(size=(500, 32))
    z[np.arange(500), y] += 6
    r = qatsbench.recommend((z, y), methods=["quadratic"], progress=False)
    exploded = next(m for m in r.methods if m["method"] == "quadratic")
    assert exploded["bar"] == "explodes" and "quadratic" in r.frame["method"].tolist()
    for text in (repr(r), r._repr_html_()):
        table, below = text.split("cal NLL: ")
        assert "quadratic" not in table
        assert f"no candidate: quadratic: {exploded['barred']}" in " ".join(below.split())
        assert exploded["barred"].endswith("; take quadratic-ridge")


def test_tables(compared, monkeypatch):
    pandas = pytest.importorskip("pandas")
    assert isinstance(compared.frame, pandas.DataFrame)
    assert compared.frame.method.tolist() == [m["method"] for m in compared.methods]
    pairs = compared.pairs.set_index("method")
    assert pairs.against.unique().tolist() == ["ts"] and (pairs.lo < pairs.difference).all() and (pairs.difference < pairs.hi).all()
    real = builtins.__import__
    monkeypatch.setattr(
        builtins, "__import__", lambda name, *a, **k: (_ for _ in ()).throw(ImportError(name)) if name == "pandas" else real(name, *a, **k)
    )
    plain = compared.frame
    assert isinstance(plain, dict) and plain["nll"].dtype == float and plain["method"].tolist() == [m["method"] for m in compared.methods]


def test_texts(compared):
    text, html = repr(compared), compared._repr_html_()
    assert (
        text.startswith("Use `qats`: on your test rows NLL 1.367 -> 0.963, ECE 17.3 -> 5.2 %; against `ts` NLL -0.0206\n[-0.030,")
        and "-> qats" in text
    )
    assert max(map(len, text.splitlines())) <= 100
    assert html.count("<tr") == 5 and '<tr style="font-weight:bold"><td style="text-align:left">→ qats' in html


def test_figures(compared):
    pytest.importorskip("matplotlib").use("agg")
    import matplotlib.pyplot as plt

    with plt.rc_context({"axes.facecolor": "0.9"}):
        ax = compared.plot()
        assert ax.get_facecolor()[:3] == (0.9, 0.9, 0.9)  # of the user's style
    assert [t.get_text() for t in ax.get_yticklabels()][-1] == "qats"
    _, mine = plt.subplots()
    assert compared.reliability("svs", ax=mine) is mine
    bins = [b for b in next(m for m in compared.methods if m["method"] == "svs")["bins"] if b["n"]]
    np.testing.assert_allclose([bar.get_height() for bar in mine.patches], [b["acc"] for b in bins])
    with pytest.raises(qatsbench.InputError, match="'vs' is not among the methods compared"):
        compared.reliability("vs")
    plt.close("all")


def test_one_set_is_judged_by_cross_fitting(text):
    r = qatsbench.recommend(cal=text[:2], **ROWS)
    assert r.choice["judged_on"] == "cross-fitting"
    assert "by 5-fold cross-fitting" in repr(r)


def test_named_classes_and_mistakes(small):
    z, y = small
    names = np.array(["a", "b", "c"])
    r = qatsbench.recommend(cal=(z, names[y]), classes=names, methods="ts", progress=False)
    assert len(r.methods) == 2
    with pytest.raises(qatsbench.InputError, match="^cal: want a pair of logits and labels"):
        qatsbench.recommend(cal=z)
    with pytest.raises(qatsbench.InputError, match="^test_logits: 1 dimension, want n x k"):
        qatsbench.recommend(cal=(z, y), test=(z[0], y))
    assert "ir" in [m["method"] for m in qatsbench.recommend(cal=(z, y), methods="isotonic", progress=False).methods]
    with pytest.raises(qatsbench.InputError, match="unknown method .*qatz"):
        qatsbench.recommend(cal=(z, y), methods="qatz")
    with pytest.raises(qatsbench.InputError, match="by: 'mce', want one of nll, brier"):
        qatsbench.recommend(cal=(z, y), by="mce")


def test_progress_is_a_bar_or_a_line(small, capsys, monkeypatch):
    pytest.importorskip("tqdm")
    qatsbench.recommend(cal=small, methods="ts")
    assert "fit" in capsys.readouterr().err
    monkeypatch.setitem(__import__("sys").modules, "tqdm.auto", None)
    qatsbench.recommend(cal=small, methods="ts")
    assert capsys.readouterr().err.count("\n") == 1


def test_the_best_can_be_fitted(compared, text):
    c = compared.fit(text[:2])
    assert isinstance(c, qatsbench.QaTS)
    assert c.score(text[2], text[3], "nll") == pytest.approx(compared.methods[0]["nll"], abs=1e-8)


def test_rows_that_recommend_nothing_say_why(text):
    z, y, zt, yt = text
    with pytest.raises(qatsbench.InputError, match="^cal_logits and test_logits: the test rows are the calibration rows") as e:
        qatsbench.recommend(cal=(z, y), test=(z, y), methods=["ts"], progress=False)
    assert e.value.hint and e.value.code == "input"
    with pytest.raises(qatsbench.InputError, match="^cal_logits: 3 rows are too few"):
        qatsbench.recommend(cal=(z[:3], y[:3]), test=(zt, yt), methods=["ts"], progress=False)


def test_an_accuracy_by_chance_is_a_warning_with_a_table(text):
    """As in the shell: a weak model of two classes, and answers of four choices near chance."""
    z, y, zt, yt = text
    rng = np.random.default_rng(2)
    s = rng.normal(size=2000) * 0.15
    weak = np.stack([-s / 2, s / 2], 1), (rng.random(2000) < 1 / (1 + np.exp(-s))).astype(int)
    choices = 3 * rng.normal(size=(400, 4)), rng.integers(0, 4, 400)
    for cal, test in ((weak, None), (choices, None), ((z, y), (zt, np.roll(yt, 1)))):
        with pytest.warns(qatsbench.CalibrationWarning, match="is chance") as caught:
            r = qatsbench.recommend(cal=cal, test=test, methods=["ts"], progress=False)
        assert any(w.message.value.get("oddity") for w in caught)
        assert {m["method"] for m in r.methods} == {"uncal", "ts"} and len(r.frame["method"]) == 2
        assert "warning: accuracy" in repr(r) and "is chance" in r._repr_html_()
        if r.best is None:
            assert repr(r).startswith("No method can be recommended")
            with pytest.raises(qatsbench.InputError, match="no method is recommended"):
                r.fit(cal)


def test_the_warnings_of_fits_are_below_the_table_with_their_method(small):
    z, _ = small
    bound = 1000 * np.diff(np.sort(z, axis=1)[:, -2:]).mean()  # the largest temperature goes with the spread of the logits
    with pytest.warns(qatsbench.CalibrationWarning, match=f"^ts: T = {bound:.4g}: the calibration labels contradict") as caught:
        r = qatsbench.recommend((z, z.argmin(1)), methods="ts", progress=False)
    assert {str(w.message) for w in caught} == {w["text"] for w in r.warnings}
    assert f"ts: T = {bound:.4g}" in " ".join(repr(r).split())


def test_the_time_left_in_words():
    from qatsbench._recommendation import _left

    assert [_left(s) for s in (None, 0.2, 36.4, 299, 600, 4 * 3600)] == [
        "",
        ", 1 s left",
        ", 36 s left",
        ", 299 s left",
        ", 10 minutes left",
        ", 4 hours left",
    ]


def test_progress_without_tqdm_on_a_terminal(monkeypatch):
    """One line is written anew, with the time left, and removed at the end."""
    import io
    import sys

    from qatsbench._recommendation import _Progress

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with _Progress(True) as show:
        show({"done": 1, "total": 9, "what": "ts"})
        show({"done": 3, "total": 9, "what": "qats", "seconds_left": 12.3})
    lines = screen.getvalue().split("\r")
    assert lines == [
        "qatsbench: 9 fits\n",
        "qatsbench: 1 of 9 fits",
        "qatsbench: 3 of 9 fits, 12 s left",
        " " * len("qatsbench: 3 of 9 fits, 12 s left"),
        "",
    ]


def test_the_table_says_which_methods_leave_python(small):
    names = ["kernel", "svs"]
    r = qatsbench.recommend(cal=small[:2], methods=names, progress=False)
    frame = dict(zip(r.frame["method"], r.frame["exports"]))
    assert frame["svs"] and frame["ts"] and not frame["kernel"]
    assert "no to_numpy, to_torch, to_onnx or to_c: kernel" in repr(r)
    for name in names:
        c = qatsbench.calibrator(name).fit(*small[:2])
        if frame[name]:
            assert "def predict" in c.to_numpy()
        else:
            with pytest.raises(NotImplementedError):
                c.to_numpy()
    p = np.exp(small[0] - small[0].max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    of = qatsbench.recommend(cal=(p, small[1]), methods=names, kind="probs", progress=False)
    assert not of.frame["exports"].any() and "to_numpy" not in repr(of)
