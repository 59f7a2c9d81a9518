"""qatsbench.run and qatsbench.results."""

import numpy as np
import pytest

import qatsbench

SPEC = """
name: mine
data: [arrays]
methods: [uncal, ts, qats]
metrics: [ece, nll]
baseline: ts
settings: {dataset: small, backbone: net}
"""


@pytest.fixture(scope="module")
def folder(small, tmp_path_factory):
    at = tmp_path_factory.mktemp("run")
    (at / "mine.yaml").write_text(SPEC)
    for part in ("cal", "test"):
        to = at / "arrays" / "small" / "net" / part
        to.mkdir(parents=True)
        np.save(to / "logits.npy", small[0])
        np.save(to / "labels.npy", small[1])
    return at


def test_a_spec_and_its_files(folder):
    r = qatsbench.run(folder / "mine.yaml", out=folder / "out", data=folder / "arrays", progress=False)
    frame = r.frame
    nll = {m: v for m, metric, v in zip(frame["method"], frame["metric"], frame["value"]) if metric == "nll"}
    assert set(nll) == {"uncal", "ts", "qats"}
    z, y = np.load(folder / "arrays/small/net/cal/logits.npy"), np.load(folder / "arrays/small/net/cal/labels.npy")
    assert nll["ts"] == pytest.approx(qatsbench.TS().fit(z, y).score(z, y, "nll"), abs=1e-8)
    assert set(r.pairs["against"]) == {"ts"} and r.bins["acc_lo"].dtype == float
    assert {"T", "a", "b"} <= set(r.fits["parameter"])
    assert dict(zip(r.methods["method"], r.methods["label"])) == {"uncal": "Uncal", "ts": "TS", "qats": "QaTS"}
    assert set(r.methods["sees"]) == {""} and r.settings["k"][0] == 3
    assert "backbone: net" in str(r.about)
    again = qatsbench.results(folder / "out")
    assert list(again.frame["value"][-1:]) == list(frame["value"][-1:])


def test_classes_of_a_spec_that_asks_for_them(folder):
    with pytest.raises(qatsbench.InputError, match="there is no classes.csv; qatsbench.run writes it for specs with per_class: true"):
        qatsbench.run(folder / "mine.yaml", out=folder / "plain", data=folder / "arrays", progress=False).classes
    (folder / "classes.yaml").write_text(SPEC + "background: 0\n")
    rows = qatsbench.run(folder / "classes.yaml", out=folder / "classes", data=folder / "arrays", progress=False).classes
    k = np.load(folder / "arrays/small/net/test/logits.npy").shape[1]
    assert list(rows["method"]) == [m for m in ("uncal", "ts", "qats") for _ in range(k - 1)]
    assert list(rows["class"]) == 3 * list(range(1, k)) and rows["ece"].dtype == float
    y = np.load(folder / "arrays/small/net/test/labels.npy")
    assert list(rows["n"]) == 3 * [(y == j).sum() for j in range(1, k)]


def test_mistakes(folder, tmp_path):
    with pytest.raises(qatsbench.InputError, match="there is no results.csv; qatsbench.run writes it"):
        qatsbench.results(tmp_path)
    for name, says in {
        "mine.yml": "no such file or directory; .* init DIR writes a spec",
        "companoin": "there is no such file.*mean companion",
    }.items():
        with pytest.raises(qatsbench.InputError, match=f"^{name}: {says}"):
            qatsbench.run(name, out=tmp_path)
    with pytest.raises(qatsbench.InputError, match="names no spec"):
        qatsbench.run()
    (folder / "wrong.yaml").write_text(SPEC.replace("qats]", "qatz]"))
    with pytest.raises(qatsbench.InputError, match=r"wrong.yaml:4:\d+: unknown method .qatz. .did you mean qats"):
        qatsbench.run(folder / "wrong.yaml", out=tmp_path)


def test_a_run_with_an_own_function_is_compared(folder, program):
    @qatsbench.method(version=1)
    def shares(logits, labels):
        return np.bincount(labels, minlength=logits.shape[1]) / len(labels)

    @shares.apply
    def shares(model, logits):
        return np.tile(model, (len(logits), 1))

    out = folder / "own"
    r = qatsbench.run(folder / "mine.yaml", out=out, data=folder / "arrays", methods=[shares], progress=False)
    rows = r.compare("shares", against="qats", metrics="nll")
    mean = {m: v for m, metric, v in zip(r.frame["method"], r.frame["metric"], r.frame["value"]) if metric == "nll"}
    assert list(rows["method"]) == ["shares"] and list(rows["against"]) == ["qats"] and list(rows["metric"]) == ["nll"]
    assert rows["mean"][0] == pytest.approx(mean["shares"]) and rows["difference"][0] == pytest.approx(mean["shares"] - mean["qats"])
    assert set(r.compare(metrics="ece")["method"]) == {"uncal", "qats", "shares"}  # against ts, the baseline
    assert r"\begin{tabular}" in r.to_latex("shares", metrics=["nll"])
    assert r.page() == out / "index.html" and "shares" in r.page().read_text(encoding="utf-8")
    with pytest.raises(qatsbench.InputError, match="nosuch"):
        r.compare("nosuch", metrics="nll")
    board = r.leaderboard("nll")
    assert list(board["method"]) == sorted(mean, key=mean.get) and "shares" in list(board["label"]) and list(board["rank"]) == [1, 2, 3, 4]
    assert list(board["mean"]) == pytest.approx(sorted(mean.values()))
    assert [d for m, d in zip(board["method"], board["difference"]) if m == "shares"] == pytest.approx([mean["shares"] - mean["ts"]])
    pytest.importorskip("matplotlib").use("agg")
    ticks = [t.get_text() for t in r.plot(metric="nll").get_yticklabels()]
    assert set(ticks) == {"Uncal", "QaTS", "shares"}
    assert len(r.plot("means", "nll").patches) == 4
    with pytest.raises(qatsbench.InputError, match="^kind: 'pie', want one of differences, means$"):
        r.plot("pie")


def test_a_run_without_ece_is_compared_by_what_it_has(folder):
    (folder / "nll.yaml").write_text(SPEC.replace("[ece, nll]", "[nll, brier]"))
    r = qatsbench.run(folder / "nll.yaml", out=folder / "nll", data=folder / "arrays", progress=False)
    assert set(r.compare()["metric"]) == {"nll", "brier"} and "tabular" in r.to_latex()
    assert list(r.leaderboard()["mean"]) == list(r.leaderboard("nll")["mean"])
    pytest.importorskip("matplotlib").use("agg")
    assert r.plot().get_xlabel() == "nll minus that of ts"


def test_more_of_some_metrics_is_better(folder, capfd):
    (folder / "more.yaml").write_text(SPEC.replace("[ece, nll]", "[accuracy, auroc, {metric: ece, bins: 10}]"))
    r = qatsbench.run(folder / "more.yaml", out=folder / "more", data=folder / "arrays")
    assert "next: leaderboard(), compare(), plot() and page()" in capfd.readouterr().err
    for metric, best in (("auroc", max), ("ece_10_uniform_l1", min)):
        values = list(r.leaderboard(metric)["mean"])
        assert values[0] == best(values) and len(values) == 3
