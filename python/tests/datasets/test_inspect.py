"""Logs of Inspect: what it wrote with the probabilities of a tiny network, and logs with faults."""

import copy
import io
import json
import lzma
import os
import zipfile

import numpy as np
import pytest
from samples import TESTDATA
from test_lm_eval import both, true_rows

import qatsbench.datasets
from qatsbench.datasets import choices, formats, inspect_logs
from qatsbench.datasets.errors import DatasetError

LOG = os.path.join(TESTDATA, "inspect", "log.eval")

with lzma.open(os.path.join(TESTDATA, "inspect", "log.json.xz")) as f:
    WHOLE = json.load(f)


def read(tmp_path, log, **options):
    file = tmp_path / "log.json"
    file.write_text(json.dumps(log))
    skipped = []
    return {n.dataset: n for n in formats.read("inspect", [str(file)], formats.Options(least=1, **options), skipped)}, skipped


def archive(log, method=zipfile.ZIP_DEFLATED):
    """Returns a log as .eval, as versions before 0.3.16x packed it."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as z:
        z.writestr("header.json", json.dumps({k: v for k, v in log.items() if k != "samples"}))
        z.writestr("summaries.json", "[]")
        for s in log["samples"]:
            z.writestr(f"samples/{s['id']}_epoch_{s['epoch']}.json", json.dumps(s))
    return out.getvalue()


def check(nets):
    """The letters have the probabilities that the network gave to the choices, of which the log has the five likeliest."""
    assert {d: len(both(n)[1]) for d, n in nets.items()} == {"news-group-4": 5, "news-group-10": 5}
    for r in true_rows("news_group")[1]:
        v = np.array([float(x) for x, _ in r["filtered_resps"]])
        p = np.exp(v - v.max()) / np.exp(v - v.max()).sum()
        z, labels = both(nets[f"news-group-{len(v)}"])
        top = np.sort(np.argsort(-p)[:5])
        want = np.full(len(p), (1 - p[top].sum()) / max(len(p) - 5, 1))
        want[top] = p[top]
        i = np.argmin(np.abs(np.exp(z) - want).max(1))
        assert np.allclose(np.exp(z[i]), want, atol=1e-9) and labels[i] == int(r["target"])
    assert "25 letters were not among them and share the rest" in nets["news-group-10"].note
    assert all("the score of 10 rows agrees" in n.note and n.backbone == "tiny-lm" and n.kind == "logits" for n in nets.values())


def test_what_inspect_wrote(tmp_path):
    check(read(tmp_path, WHOLE)[0])
    nets, skipped = read(tmp_path, WHOLE, missing="drop")
    assert list(nets) == ["news-group-4"] and skipped == ["news-group: an answer is not among the likeliest tokens (rows: 5)"]


def test_archives(tmp_path):
    for method in (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED):
        file = tmp_path / "log.eval"
        file.write_bytes(archive(WHOLE, method))
        check({n.dataset: n for n in formats.read("inspect", [str(file)], formats.Options(least=1), [])})
    if hasattr(zipfile, "ZIP_ZSTANDARD"):
        check({n.dataset: n for n in formats.read("inspect", [LOG], formats.Options(least=1), [])})


def test_archives_of_zstandard(tmp_path):
    pytest.importorskip("zstandard", reason="unpacks .eval before Python 3.14")
    check({n.dataset: n for n in formats.read("inspect", [LOG], formats.Options(least=1), [])})
    data = open(LOG, "rb").read()
    rng = np.random.default_rng(4)
    file = tmp_path / "log.eval"
    for i in range(4, len(data), 331):
        for bad in (data[:i], data[:i] + bytes([rng.integers(256)]) + data[i + 1 :]):
            file.write_bytes(bad)
            try:
                list(formats.read("inspect", [str(file)], formats.Options(least=1), []))
            except DatasetError as e:
                assert "\n" not in str(e)


def test_without_zstandard(monkeypatch):
    if hasattr(zipfile, "ZIP_ZSTANDARD"):
        pytest.skip("this Python unpacks it")
    monkeypatch.setitem(__import__("sys").modules, "zstandard", None)
    with pytest.raises(DatasetError, match="pip install zstandard, use Python 3.14, or write the log as JSON: inspect log convert"):
        list(formats.read("inspect", [LOG], formats.Options(), []))


def test_damaged_archives(tmp_path):
    data, rng = archive(WHOLE), np.random.default_rng(4)
    file = tmp_path / "log.eval"
    for i in range(4, len(data), 331):
        for bad in (data[:i], data[:i] + bytes([rng.integers(256)]) + data[i + 1 :]):
            file.write_bytes(bad)
            try:
                list(formats.read("inspect", [str(file)], formats.Options(least=1), []))
            except DatasetError as e:
                assert "\n" not in str(e)


def changed(change):
    log = copy.deepcopy(WHOLE)
    change(log, log["samples"][0], log["samples"][0]["output"]["choices"][0])
    return log


def token(c, i=-1):
    return c["logprobs"]["content"][i]


@pytest.mark.parametrize(
    "change,want",
    [
        (lambda log, s, c: c.update(logprobs=None), "no logprobs: run with --logprobs --top-logprobs 20"),
        (lambda log, s, c: token(c).update(top_logprobs=None), "no top_logprobs: run with"),
        (lambda log, s, c: token(c).update(token=" Z"), "no token of the output is the letter of an answer"),
        (lambda log, s, c: token(c).update(top_logprobs=[{"token": "x", "logprob": -1.0}]), "no answer is among the likeliest tokens"),
        (lambda log, s, c: token(c)["top_logprobs"][0].update(logprob=float("nan")), "a log-probability is no number below 0"),
        (lambda log, s, c: token(c)["top_logprobs"][0].update(logprob=0.7), "a log-probability is no number below 0"),
        (lambda log, s, c: s.update(target=["A", "B"]), "several choices are right"),
        (lambda log, s, c: s.update(target="Paris"), "the target is no letter of a choice"),
        (lambda log, s, c: s.update(choices=None), "no choices"),
        (lambda log, s, c: s.update(epoch=2), "of a later epoch"),
        (lambda log, s, c: s.update(error={"message": "x"}), "the sample has an error"),
        (lambda log, s, c: s["output"].update(choices=[]), "no output"),
    ],
)
def test_rows_that_are_left_out(change, want, tmp_path):
    nets, skipped = read(tmp_path, changed(change))
    assert sum(len(both(n)[1]) for n in nets.values()) == 9
    assert len(skipped) >= 1 and want in skipped[0] and skipped[0].endswith("(rows: 1)")


@pytest.mark.parametrize(
    "change,want",
    [
        (lambda log, s, c: log.pop("eval"), "samples come before eval"),
        (lambda log, s, c: log["eval"].pop("model"), "eval: want task and model"),
        (lambda log, s, c: log["samples"].insert(0, 3), "want a sample with an output"),
        (lambda log, s, c: c["logprobs"].update(content=[1]), "logprobs: want content with tokens"),
        (lambda log, s, c: token(c).update(top_logprobs=[3]), "top_logprobs: want token and logprob"),
        (lambda log, s, c: token(c)["top_logprobs"][0].update(logprob="x"), "'x' is not a number"),
        (lambda log, s, c: s.update(target=[1]), "target [1]; want letters"),
        (lambda log, s, c: s["scores"]["choice"].update(value="C" if s["scores"]["choice"]["value"] == "I" else "I"), "the score says"),
        (
            lambda log, s, c: s["scores"]["choice"].update(explanation="Choices were shuffled before generating"),
            "shuffle the choices of the dataset instead",
        ),
    ],
)
def test_rejects(change, want, tmp_path):
    file = tmp_path / "log.json"
    file.write_text(json.dumps(changed(change)))
    with pytest.raises(DatasetError) as e:
        qatsbench.datasets.import_files("inspect", [str(file)], str(tmp_path / "arrays"), least=1)
    assert want in str(e.value) and "\n" not in str(e.value) and not (tmp_path / "arrays").exists()


def test_the_answer_is_the_letter_after_the_last_answer():
    """Words such as "A" before it, or in a chain of thought, are none."""

    def output(*texts):
        return {
            "choices": [
                {
                    "logprobs": {
                        "content": [
                            {"token": t, "logprob": -0.1, "top_logprobs": [{"token": t, "logprob": -0.1}, {"token": str(i), "logprob": -3}]}
                            for i, t in enumerate(texts)
                        ]
                    }
                }
            ]
        }

    def place(*texts):
        found = inspect_logs._answer(output(*texts), "ABCD")
        return found if isinstance(found, str) else int(found[1][0])

    assert place("A", " cat", "\n", "ANS", "WER", ":", " B") == 6
    assert place("ANSWER", ":", " A", " or ", "ANSWER: ", "C") == 5
    assert place("B") == 0 and place(" D", ".") == 0
    assert place("A", " or", " B").startswith("no token")  # which of the two?


def test_mass_of_answers():
    log = lambda *p: [float(np.log(x)) for x in p]  # noqa: E731
    found, lacking = choices.of_tokens("AB", [(" A", log(0.5)[0]), ("A", log(0.2)[0]), ("B", log(0.1)[0]), ("x", log(0.1)[0])], "rest")
    assert np.allclose(np.exp(found), [0.7, 0.1]) and lacking == 0
    found, lacking = choices.of_tokens("ABC", [("A", log(0.6)[0]), ("x", log(0.2)[0])], "rest")
    assert np.allclose(np.exp(found), [0.6, 0.1, 0.1]) and lacking == 2
    found, _ = choices.of_tokens("AB", [("A", 0.0)], "rest")  # nothing is left
    assert found[0] - found[1] == pytest.approx(126 * np.log(2))
    assert choices.of_tokens("AB", [("A", -1.0)], "drop")[0] == "an answer is not among the likeliest tokens"
