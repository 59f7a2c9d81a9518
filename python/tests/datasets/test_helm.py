"""Runs of HELM: what it wrote of a tiny network, and files with faults."""

import copy
import io
import json
import lzma
import os

import numpy as np
import pytest
from samples import TESTDATA
from test_lm_eval import both, true_rows

import qatsbench.datasets
from qatsbench.datasets import folder, formats, stream
from qatsbench.datasets.errors import DatasetError

METHODS = {"multiple_choice_separate_original": "tokens", "multiple_choice_separate_calibrated": "mutual"}


def unpacked(method, name):
    with lzma.open(os.path.join(TESTDATA, "helm", method, name + ".json.xz")) as f:
        return f.read()


def run(tmp_path, method, state=None, stats=True):
    """Writes the files of a run, and returns their names."""
    folder = tmp_path / f"news:task=news_group,method={method},model=huggingface_tiny-lm"
    folder.mkdir(exist_ok=True)
    (folder / "scenario_state.json").write_bytes(
        unpacked(method, "scenario_state") if state is None else state if isinstance(state, bytes) else json.dumps(state).encode()
    )
    if stats:
        (folder / "per_instance_stats.json").write_bytes(unpacked(method, "per_instance_stats"))
    return [str(f) for f in sorted(folder.iterdir())]


def read(files, **options):
    skipped = []
    return {n.dataset: n for n in formats.read("helm", files, formats.Options(least=1, **options), skipped)}, skipped


@pytest.mark.parametrize("method", METHODS)
def test_what_helm_wrote(method, tmp_path):
    """The softmax of a row has HELM's max_prob, its greatest score HELM's predicted_index, and its label the tag."""
    nets, skipped = read(run(tmp_path, method))
    assert {d: len(both(n)[1]) for d, n in nets.items()} == {"news-news-group-4": 5, "news-news-group-10": 5} and not skipped
    want = {}
    state = json.loads(unpacked(method, "scenario_state"))
    right = {
        r["instance"]["id"]: ["correct" in x["tags"] for x in r["instance"]["references"]].index(True) for r in state["request_states"]
    }
    for e in json.loads(unpacked(method, "per_instance_stats")):
        s = {x["name"]["name"]: x.get("mean") for x in e["stats"]}
        want[e["instance_id"]] = (round(s["max_prob"], 5), s["predicted_index"], s["exact_match"], right[e["instance_id"]])
    got = []
    for n in nets.values():
        assert n.kind == "logits" and n.backbone == "tiny-lm" and "max_prob and predicted_index of 10 rows agree" in n.note
        z, labels = both(n)
        p = np.exp(z - z.max(1, keepdims=True))
        p /= p.sum(1, keepdims=True)
        got += [(round(q.max(), 5), q.argmax(), float(q.argmax() == y), y) for q, y in zip(p, labels)]
    assert sorted(got) == sorted(want.values())
    if len({r["instance"]["split"] for r in state["request_states"]}) == 2:
        n = nets["news-news-group-4"]
        valid = {
            r["instance"]["id"]
            for r in state["request_states"]
            if r["instance"]["split"] == "valid" and len(r["instance"]["references"]) == 4
        }
        assert len(n.cal.labels) == len(valid) and "the validation rows calibrate" in n.note


def test_two_harnesses_agree(tmp_path):
    """The same network and the same texts: HELM's sums over tokens are lm-evaluation-harness's log-likelihoods."""
    nets, _ = read(run(tmp_path, "multiple_choice_separate_original"), normalise="none")
    rows = [r for r in true_rows("news_group")[1] if len(r["doc"]["choices"]) == 4]
    z, y = both(nets["news-news-group-4"])
    for r in rows:
        v = np.array([float(x) for x, _ in r["filtered_resps"]])
        i = np.argmin(np.abs(z - v).max(1))
        assert np.abs(z[i] - v).max() < 1e-3 and y[i] == int(r["target"])


def test_letters(tmp_path):
    """Since 0.5.0 HELM keeps the likelihood of the given letter alone. Before, tokens had top_logprobs."""
    method = "multiple_choice_joint"
    files = run(tmp_path, method)
    with pytest.raises(DatasetError, match="only the likelihood of the given answer; the methods multiple_choice_separate_original"):
        read(files)
    state = json.loads(unpacked(method, "scenario_state"))
    for r in state["request_states"]:
        k = len(r["instance"]["references"])
        likeliest = {f" {c}": float(np.log(0.5 ** (j + 1))) for j, c in enumerate("ABCDEFGHIJ"[:k][:5])}
        r["result"]["completions"][0]["tokens"] = [{"text": " A", "logprob": float(np.log(0.5)), "top_logprobs": likeliest}]
    nets, _ = read(run(tmp_path, method, state))
    assert np.allclose(np.exp(both(nets["news-news-group-4"])[0]), [0.5, 0.25, 0.125, 0.0625])
    z = np.exp(both(nets["news-news-group-10"])[0])
    assert np.allclose(z[:, :5], 0.5 ** np.arange(1, 6)) and np.allclose(z[:, 5:], 0.5**5 / 5)  # the rest, by equal parts
    assert "25 letters were not among the likeliest tokens" in nets["news-news-group-10"].note
    nets, skipped = read(run(tmp_path, method, state), missing="drop")
    assert list(nets) == ["news-news-group-4"] and skipped == ["news-news-group: an answer is not among the likeliest tokens (rows: 5)"]


def changed(change, method="multiple_choice_separate_original"):
    state = json.loads(unpacked(method, "scenario_state"))
    change(state, state["request_states"])
    return state


def perturbed(s, r):
    for x in list(r[:4]):
        x = copy.deepcopy(x)
        x["instance"]["perturbation"] = {"name": "typos"}
        r.append(x)


@pytest.mark.parametrize(
    "change,want",
    [
        (lambda s, r: r.pop(), "a choice without a result (1)"),
        (lambda s, r: r[0].update(result={"success": False}), "a request without a result (1)"),
        (lambda s, r: r[0]["result"]["completions"][0].update(tokens=[]), "a completion without tokens (1)"),
        (lambda s, r: r[0]["result"]["completions"][0]["tokens"][-1].update(logprob=float("nan")), "a log-likelihood is nan (1)"),
        (lambda s, r: r[0]["result"]["completions"][0]["tokens"][-1].update(logprob=-90.0), "max_prob or predicted_index is another"),
        (lambda s, r: r[0]["result"]["completions"][0]["tokens"].pop(), "the completion does not end with the choice (1)"),
        (lambda s, r: [x["tags"].append("correct") for x in r[0]["instance"]["references"] if not x["tags"]], "several choices are right"),
        (
            lambda s, r: [x["instance"].update(split="train") for x in r if x["instance"]["id"] == r[0]["instance"]["id"]],
            "of the training split (1)",
        ),
        (
            lambda s, r: [x.update(train_trial_index=1) for x in r if x["instance"]["id"] == r[0]["instance"]["id"]],
            "of another choice of examples in the prompt (1)",
        ),
        (perturbed, "perturbed copies (1)"),
    ],
)
def test_rows_that_are_left_out(change, want, tmp_path):
    nets, skipped = read(run(tmp_path, "multiple_choice_separate_original", changed(change)))
    assert want in next(iter(nets.values())).note + " ".join(skipped).replace(" (rows: ", " (")


@pytest.mark.parametrize(
    "change,want",
    [
        (lambda s, r: s.update(adapter_spec=3), "adapter_spec: want an object"),
        (lambda s, r: s["adapter_spec"].update(method="generation"), "method generation has no several choices"),
        (lambda s, r: s.pop("adapter_spec"), "request_states come before adapter_spec"),
        (lambda s, r: r.insert(0, 5), "request_states 0: want an instance with references"),
        (lambda s, r: r[3]["instance"].update(references=[1]), "request_states 3: reference 0: want an output"),
        (lambda s, r: r[3].update(reference_index="1"), "request_states 3: reference_index '1'"),
        (lambda s, r: r[3].update(request_mode="x"), "request_mode 'x'"),
        (lambda s, r: r.insert(0, r[1]), "comes twice"),
        (lambda s, r: r[3]["result"]["completions"][0]["tokens"].append({"text": 1}), "tokens: want text and logprob"),
        (lambda s, r: r[3]["result"]["completions"][0]["tokens"][-1].update(logprob="x"), "'x' is not a number"),
    ],
)
def test_rejects(change, want, tmp_path):
    files = run(tmp_path, "multiple_choice_separate_original", changed(change))
    with pytest.raises(DatasetError) as e:
        qatsbench.datasets.import_files("helm", files, str(tmp_path / "arrays"), least=1)
    assert want in str(e.value) and "\n" not in str(e.value) and not (tmp_path / "arrays").exists()


def test_an_import(tmp_path):
    files = run(tmp_path, "multiple_choice_separate_original")
    s = qatsbench.datasets.import_files("helm", files, str(tmp_path / "a"), least=1)
    assert "news-news-group-4/tiny-lm " in "\n".join(s.lines())
    e = folder.read_manifest(str(tmp_path / "a"))["sets"][0]
    assert "method multiple_choice_separate_original, log-likelihoods divided by the number of tokens" in e["note"]


def test_cut_and_damaged_files_are_errors(tmp_path):
    """Anywhere: an error of one line, never other rows."""
    data = unpacked("multiple_choice_joint", "scenario_state")
    rng = np.random.default_rng(3)
    for i in range(0, len(data) - 2, 499):
        for bad in (data[:i], data[:i] + bytes([rng.integers(256)]) + data[i + 1 :]):
            with pytest.raises(DatasetError) as e:
                read(run(tmp_path, "multiple_choice_joint", bad, stats=False))
            assert "\n" not in str(e.value)


@pytest.mark.parametrize("chunk", [1, 2, 7, 1 << 20])
def test_json_in_pieces(chunk, monkeypatch):
    monkeypatch.setattr(stream, "CHUNK", chunk)
    whole = {"a": [1, {"b": None}], "ü": '東"京\\', "l": [[], {}, "x", 12345, -1.5e-7, True], "e": {}, "n": 77}
    for indent in (None, 1):
        for ascii in (True, False):
            found, elements = {}, []
            for k, v in stream.Reader(io.BytesIO(json.dumps(whole, indent=indent, ensure_ascii=ascii).encode())).items({"l"}):
                if k == "l":
                    elements.append(v)
                else:
                    found[k] = v
            assert found | {"l": elements} == whole
    assert list(stream.Reader(io.BytesIO(b" [1, 22,[3]] ")).elements()) == [1, 22, [3]]
    for bad in (
        b"",
        b"{",
        b"[1]",
        b'{"l": [1',
        b'{"l": [1,]}',
        b'{"a" 1}',
        b'{"a": 1,}',
        b"{} x",
        b'{"a": tru}',
        b"{1: 2}",
        b'{"a": "\xff"}',
        b'{"a": ' + b"[" * 99999,
    ):
        with pytest.raises(DatasetError, match="not JSON: character"):
            list(stream.Reader(io.BytesIO(bad)).items({"l"}))
