"""Samples of lm-evaluation-harness: what the harness wrote of a tiny network, and lines with faults."""

import json
import math
import os
import tracemalloc

import numpy as np
import pytest
from samples import TESTDATA

import qatsbench.datasets
from qatsbench.datasets import folder, formats
from qatsbench.datasets.errors import DatasetError

FILES = os.path.join(TESTDATA, "lm-eval", "tiny-lm")


def line(doc, lls, target, texts=None, **more):
    """Returns a line of samples as the harness writes it."""
    texts = texts or [f"choice {j}" for j in range(len(lls))]
    return {
        "doc_id": doc,
        "doc": {},
        "target": target,
        "arguments": {f"gen_args_{j}": {"arg_0": "Question:", "arg_1": " " + t} for j, t in enumerate(texts)},
        "resps": [[[str(v), "False"]] for v in lls],
        "filtered_resps": [[str(v), "False"] for v in lls],
        "filter": "none",
        "metrics": ["acc"],
        **more,
    }


def questions(n, k=4, seed=0, first=0, **more):
    """Returns n lines with random log-likelihoods and the accuracy that the harness gives."""
    rng = np.random.default_rng(seed)
    out = []
    for i in range(n):
        lls, y = (-30 * rng.random(k)).tolist(), int(rng.integers(k))
        out.append(line(first + i, lls, str(y), acc=float(int(np.argmax(lls)) == y), **more))
    return out


def write(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join((r if isinstance(r, str) else json.dumps(r, ensure_ascii=False)) + "\n" for r in rows), encoding="utf-8")
    return str(path)


def read(tmp_path, rows, **options):
    """Returns the networks of lines by data set, and what was left out."""
    file, skipped = write(tmp_path / "org__model" / "samples_some_task_2026-11-24T10-00-00.123456.jsonl", rows), []
    return {n.dataset: n for n in formats.read("lm-eval", [file], formats.Options(least=2, **options), skipped)}, skipped


def test_a_name_reaches_no_terminal_raw(tmp_path):
    """The name of a task is that of a file, which may have any character."""
    wild = "a\x1b[31mb\u202ec\rd"
    file = write(tmp_path / "m" / f"samples_{wild}_2026-11-24T10-00-00.jsonl", [dict(questions(1)[0], filtered_resps=["text"])])
    with pytest.raises(DatasetError) as e:
        qatsbench.datasets.import_files("lm-eval", [file], tmp_path / "arrays")
    assert str(e.value).isprintable() and "a?[31mb?c d: the answers are texts" in str(e.value)
    file = write(
        tmp_path / "m" / f"samples_{wild}_2026-11-24T10-00-00.jsonl",
        questions(40) + [dict(questions(1)[0], filtered_resps=[["nan", "False"]] * 4, doc_id=99)],
    )
    lines = list(qatsbench.datasets.import_files("lm-eval", [file], tmp_path / "arrays", least=2).lines())
    assert all(line.isprintable() for line in lines) and len(lines) > 1


def both(n):
    """Returns scores and labels of a network, calibration rows first."""
    return np.vstack([n.cal.scores, n.test.scores]), np.concatenate([n.cal.labels, n.test.labels])


def test_scores_are_the_log_likelihoods(tmp_path):
    rows = questions(101)
    nets, skipped = read(tmp_path, rows)
    (n,) = nets.values()
    assert n.name == "some-task-4/model" and n.kind == "logits" and not skipped
    z, y = both(n)
    want = {tuple(float(v) for v, _ in r["filtered_resps"]): int(r["target"]) for r in rows}
    assert {tuple(a): b for a, b in zip(z.tolist(), y.tolist())} == want
    for c in range(4):  # each class is halved
        assert abs(np.sum(n.cal.labels == c) - np.sum(n.test.labels == c)) <= 1
    assert "acc of 101 rows agrees" in n.note and "filter none" in n.note


def test_numbers_of_choices_are_data_sets(tmp_path):
    nets, skipped = read(tmp_path, questions(40, 4) + questions(30, 3, first=40) + questions(1, 7, first=70))
    assert {d: (n.test.scores.shape[1], len(both(n)[1])) for d, n in nets.items()} == {"some-task-3": (3, 30), "some-task-4": (4, 40)}
    assert skipped == ["some-task-7: fewer rows than --least 2 (rows: 1)"]


@pytest.mark.parametrize("normalise,length,metric", [("chars", len, "acc_norm"), ("bytes", lambda t: len(t.encode()), "acc_bytes")])
@pytest.mark.parametrize("delimiter", [" ", "", "\n"])
def test_lengths_are_those_of_the_choice(normalise, length, metric, delimiter, tmp_path):
    texts = ["Zürich", "東京", "a", "a long answer"]
    rows = []
    for i, r in enumerate(questions(30)):
        for j, t in enumerate(texts):
            r["arguments"][f"gen_args_{j}"]["arg_1"] = delimiter + t
        z = [float(v) / length(t) for (v, _), t in zip(r["filtered_resps"], texts)]
        rows.append(r | {metric: float(int(np.argmax(z)) == int(r["target"]))})
    nets, _ = read(tmp_path, rows, normalise=normalise, delimiter=delimiter)
    (n,) = nets.values()
    want = {tuple(float(v) / length(t) for (v, _), t in zip(r["filtered_resps"], texts)) for r in rows}
    assert set(map(tuple, both(n)[0].tolist())) == want and f"{metric} of 30 rows agrees" in n.note
    if delimiter == "\n":  # which nobody can guess
        with pytest.raises(DatasetError, match="--delimiter"):
            read(tmp_path, rows, normalise=normalise)


def test_results_say_the_delimiter(tmp_path):
    rows = questions(30)
    for r in rows:
        for a in r["arguments"].values():
            a["arg_1"] = ":: " + a["arg_1"]
    file = write(tmp_path / "m" / "samples_t_2026-11-24T10-00-00.1.jsonl", rows)
    results = tmp_path / "m" / "results_2026-11-24T10-00-00.1.json"
    results.write_text(json.dumps({"configs": {"t": {"target_delimiter": "::  "}}, "lm_eval_version": "0.4.13", "n-shot": {"t": 2}}))
    (n,) = formats.read("lm-eval", [file, str(results)], formats.Options(normalise="chars"), [])
    assert both(n)[0].min() == min(float(v) / 8 for r in rows for v, _ in r["filtered_resps"])
    assert "lm-evaluation-harness 0.4.13, task t" in n.note and "2 examples in the prompt" in n.note


def mutual(rows, seed=5):
    rng = np.random.default_rng(seed)
    for r in rows:
        k = len(r["filtered_resps"])
        for j in range(k):
            r["arguments"][f"gen_args_{k + j}"] = {"arg_0": "", "arg_1": r["arguments"][f"gen_args_{j}"]["arg_1"]}
            r["filtered_resps"].append([str(-9 * rng.random()), "True"])
        yield r


def test_mutual_information_has_twice_as_many_entries(tmp_path):
    rows = list(mutual(questions(40)))
    (n,) = read(tmp_path, rows)[0].values()
    assert both(n)[0].shape == (40, 4)
    (m,) = read(tmp_path, rows, normalise="mutual")[0].values()
    v = np.array([[float(x) for x, _ in r["filtered_resps"]] for r in rows])
    assert set(map(tuple, both(m)[0].tolist())) == set(map(tuple, (v[:, :4] - v[:, 4:]).tolist()))
    with pytest.raises(DatasetError, match="without their context"):
        read(tmp_path, questions(40), normalise="mutual")


def test_targets(tmp_path):
    """Index, text, list of one: one label. Several, none: left out and counted."""
    texts = ["yes", "no", "perhaps"]
    lls = [-1.0, -2.0, -3.0]
    rows = [line(i, lls, t, texts) for i, t in enumerate(["0", "no", "[2]", "perhaps", "1", "yes"])]
    rows += [line(10 + i, lls, t, texts) for i, t in enumerate(["[0, 2]", "-100", "3", "never", "", "[", "[0, 1"])]
    (n,) = read(tmp_path, rows)[0].values()
    assert sorted(both(n)[1].tolist()) == [0, 0, 1, 1, 2, 2]
    assert "left out: several choices are right (1), the target is none of the choices (6)" in n.note


@pytest.mark.parametrize("meaning", ["index", "text"])
def test_a_number_as_target_is_what_the_accuracies_say(meaning, tmp_path):
    texts, rng, rows = ["3", "1", "2", "0"], np.random.default_rng(1), []
    for i in range(60):
        lls, t = (-rng.random(4)).tolist(), str(rng.integers(4))
        y = int(t) if meaning == "index" else texts.index(t)
        rows.append(line(i, lls, t, texts, acc=float(int(np.argmax(lls)) == y)))
    (n,) = read(tmp_path, rows)[0].values()
    want = {
        tuple(map(float, np.array(r["filtered_resps"])[:, 0])): int(r["target"]) if meaning == "index" else texts.index(r["target"])
        for r in rows
    }
    assert {tuple(a): b for a, b in zip(both(n)[0].tolist(), both(n)[1].tolist())} == want


def test_choices_that_are_contexts(tmp_path):
    """WinoGrande: the target is the end of the sentence, and of two choices the accuracy says which is right."""
    rng, rows, want = np.random.default_rng(2), [], {}
    for i in range(50):
        lls, y = (-rng.random(2)).tolist(), int(rng.integers(2))
        r = line(i, lls, "was too small.", ["was too small."] * 2, acc=float(int(np.argmax(lls)) == y))
        for j in range(2):
            r["arguments"][f"gen_args_{j}"]["arg_0"] = f"The trophy did not fit because it {j}"
        rows.append(r)
        want[tuple(lls)] = y
    (n,) = read(tmp_path, rows)[0].values()
    assert {tuple(a): b for a, b in zip(both(n)[0].tolist(), both(n)[1].tolist())} == want
    with pytest.raises(DatasetError, match="the choices are contexts"):
        read(tmp_path, rows, normalise="chars")
    for r in rows:  # of three choices it does so only where the model is right: such rows alone would be a wrong sample
        r["filtered_resps"].append(["-9.0", "False"])
        r["arguments"]["gen_args_2"] = {"arg_0": "The trophy did not fit because it 2", "arg_1": r["arguments"]["gen_args_0"]["arg_1"]}
    with pytest.raises(DatasetError, match="the accuracy does not say which is right"):
        read(tmp_path, rows)


def test_runs_in_one_file(tmp_path):
    first, second = questions(30, seed=1), questions(50, seed=2)
    (n,) = read(tmp_path, first + second)[0].values()
    assert set(map(tuple, both(n)[0].tolist())) == {tuple(float(v) for v, _ in r["filtered_resps"]) for r in second}
    assert "2 runs in the file, of which the last is used" in n.note and "of an earlier run in the same file (30)" in n.note


def test_one_filter_is_read(tmp_path):
    rows = questions(30) + [r | {"filter": "other"} for r in questions(30, seed=9)]
    (n,) = read(tmp_path, rows)[0].values()
    assert "of another filter (other) (30)" in n.note
    (m,) = read(tmp_path, rows, filter="other")[0].values()
    assert "filter other" in m.note and not np.array_equal(both(n)[0], both(m)[0])
    for row, options, message in (
        (rows, {"filter": "x"}, "no filter 'x'; say which by --filter: none, other"),
        ([r | {"filter": r["filter"] + "1"} for r in rows], {}, "several filters; say which by --filter: none1, other1"),
    ):
        with pytest.raises(DatasetError, match=message):
            read(tmp_path, row, **options)


def test_infinite_and_nan(tmp_path):
    rows = questions(30)
    rows[3]["filtered_resps"][1][0] = "nan"
    rows[4]["filtered_resps"] = [["-inf", "False"]] * 4
    rows[5]["filtered_resps"][1][0] = "-inf"
    for r in rows[3:6]:
        del r["acc"]
    (n,) = read(tmp_path, rows)[0].values()
    z, _ = both(n)
    assert z.shape == (28, 4) and np.isfinite(z).all()
    i = np.argmax(z.max(1) - z.min(1))
    assert z[i].max() - z[i].min() == pytest.approx(126 * math.log(2))
    assert "a log-likelihood is nan (1)" in n.note and "every log-likelihood is -inf (1)" in n.note and "1 of -inf count as" in n.note


def test_scores_of_a_rule_of_its_own(tmp_path):
    """TruthfulQA's mc2 has a share as accuracy, and several right choices behind one target."""
    rows = questions(30)
    for r in rows[7:]:
        r["acc"] = 0.43
    with pytest.raises(DatasetError, match="acc of document 7 is 0.43, so the task counts answers by a rule of its own"):
        read(tmp_path, rows)
    rows = questions(30)
    rows[8]["acc"] = 1 - rows[8]["acc"]
    with pytest.raises(DatasetError, match="acc of document 8 is"):
        read(tmp_path, rows)


def test_a_place_that_is_always_right(tmp_path):
    rows = [r | {"target": "0", "acc": None} for r in questions(30)]
    (n,) = read(tmp_path, rows)[0].values()
    assert "choice 0 is right in 100% of the rows" in n.warning and n.warning in n.note


def test_other_tasks_calibrate(tmp_path):
    files = [
        write(
            tmp_path / "model" / f"samples_t{i}_2026-11-24T10-00-00.jsonl",
            questions(20 + i, 4, seed=i) + questions(5, 2 + (i == 0), seed=9, first=90),
        )
        for i in range(3)
    ]
    skipped = []
    nets = {n.dataset: n for n in formats.read("lm-eval", files, formats.Options(least=2, across=True), skipped)}
    assert sorted(nets) == [
        "t0-3",
        "t0-4",
        "t0-4-others",
        "t1-2",
        "t1-2-others",
        "t1-4",
        "t1-4-others",
        "t2-2",
        "t2-2-others",
        "t2-4",
        "t2-4-others",
    ]
    own, other = nets["t1-4"], nets["t1-4-others"]
    assert np.array_equal(own.test.scores, other.test.scores) and other.samples == "t1-4"
    assert set(map(tuple, other.cal.scores.tolist())) == set(map(tuple, np.vstack([both(nets["t0-4"])[0], both(nets["t2-4"])[0]]).tolist()))
    assert folder.entry(other)["samples"] == "t1-4" and "t0-4 and t2-4 calibrate" in other.note
    assert skipped == ["t0-3-others: no other task of model with 3 choices"]


def true_rows(task):
    (file,) = [os.path.join(FILES, f) for f in os.listdir(FILES) if f.startswith(f"samples_{task}_")]
    with open(file, encoding="utf-8") as f:
        return file, [json.loads(row) for row in f]


RESULTS = os.path.join(FILES, "results_2026-11-24T19-52-38.json")
# The data sets of each task of testdata, with their rows.
TRUE = {
    "news_group": {"news-group-4": 4, "news-group-10": 4},
    "news_subject": {"news-subject-4": 5},
    "news_next": {"news-next-4": 5},
    "news_before": {"news-before-2": 5},
    "news_first": {"news-first-4": 5},
    "news_either": {"news-either-4": 3},
}


@pytest.mark.parametrize(
    "task,normalise,metric",
    [(t, "none", "acc") for t in TRUE]
    + [(t, n, m) for t in ("news_group", "news_next") for n, m in (("chars", "acc_norm"), ("bytes", "acc_bytes"))]
    + [("news_subject", "mutual", "acc_mutual_info"), ("news_subject", "chars", "acc_norm")],
)
def test_what_the_harness_wrote(task, normalise, metric, tmp_path):
    """The rows give the accuracies that the harness has given to them, and the documents say the same label as the targets."""
    file, rows = true_rows(task)
    found = list(formats.read("lm-eval", [file, RESULTS], formats.Options(least=1, normalise=normalise), []))
    assert {n.dataset: len(both(n)[1]) for n in found} == TRUE[task] and {n.backbone for n in found} == {"tiny-lm"}
    got = [(tuple(z), y) for n in found for z, y in zip(*(a.tolist() for a in both(n)))]
    assert all("lm-evaluation-harness 0.4.13" in n.note for n in found)
    for r in rows:
        answers = r["doc"].get("answers", [r["doc"].get("answer", 0)])
        if len(answers) > 1:
            continue
        k = len(r["doc"]["choices"])
        v = np.array([float(x) for x, _ in r["filtered_resps"]])
        size = {
            "none": 1,
            "mutual": 1,
            "chars": [len(c) for c in r["doc"]["choices"]],
            "bytes": [len(c.encode()) for c in r["doc"]["choices"]],
        }[normalise]
        z = v[:k] - v[k:] if normalise == "mutual" else v[:k] / size
        (y,) = [y for a, y in got if len(a) == k and np.allclose(a, z, rtol=1e-12, atol=0)]
        assert y == answers[0] and (int(np.argmax(z)) == y) == r[metric]


def test_an_import_of_what_the_harness_wrote(tmp_path):
    files = [os.path.join(FILES, f) for f in sorted(os.listdir(FILES))]
    s = qatsbench.datasets.import_files("lm-eval", files, str(tmp_path / "a"), least=3, across=True)
    lines = "\n".join(s.lines())
    assert "news-group-10/tiny-lm " in lines and "news-subject-4-others/tiny-lm " in lines
    assert "beware: news-first-4/tiny-lm: choice 0 is right in 100% of the rows" in lines
    assert "left out: news-either: several choices are right (rows: 2)" in lines
    sets = {e["set"]: e for e in folder.read_manifest(str(tmp_path / "a"))["sets"]}
    e = sets["news-subject-4-others/tiny-lm"]
    assert e["kind"] == "logits" and e["samples"] == "news-subject-4" and "task news_subject, filter none, log-likelihoods" in e["note"]
    z = np.load(tmp_path / "a" / "news-subject-4" / "tiny-lm" / "test" / "logits.npy")
    assert z.dtype == np.float64 and z.shape[1] == 4


GOOD = json.dumps(line(0, [-1.0, -2.0], "0"))

HOSTILE = [
    ([], "empty"),
    ([GOOD[:-30]], "line 1: not JSON"),
    ([GOOD, GOOD[: len(GOOD) // 2] + GOOD], "line 2: not JSON"),
    (["[1]"], "line 1: want an object"),
    (["{}"], "line 1: doc_id is missing"),
    (["[" * 100_000], "line 1: nested too deeply"),
    ([line("0", [-1, -2], "0")], "doc_id '0'; want an integer"),
    ([line(True, [-1, -2], "0")], "doc_id True"),
    ([line(1 << 70, [-1, -2], "0")], "want an integer"),
    ([line(0, [-1, -2], None)], "target None; want a text"),
    ([line(0, [-1, -2], ["0"])], "target ['0']; want a text"),
    ([line(0, [-1, "x"], "0")], "filtered_resps 1: 'x' is not a number"),
    ([line(0, [-1, "1_0"], "0")], "filtered_resps 1: '1_0' is not a number"),
    ([line(0, [-1, "٣"], "0")], "is not a number"),
    ([line(0, [-1, -2], "0", filter=3)], "filter 3; want a text"),
    ([line(0, [-1, -2], "0", arguments=None)], "arguments: want context and continuation of each of the 2 requests"),
    ([line(0, [-1, -2], "0", arguments={"gen_args_0": 1, "gen_args_1": {}})], "arguments: want"),
    ([line(0, [-1, -2], "0", filtered_resps={})], "filtered_resps: want a list"),
    ([line(0, [-1, -2], "0", filtered_resps=[["-1", "False"], "x"])], "filtered_resps: want a pair"),
    ([line(0, [-1, -2], "0", filtered_resps=[[{}, "False"], [[], "x"]])], "filtered_resps 0: {} is not a number"),
    ([line(0, [-1, -2], "0", filtered_resps=["a text"])], "there are no choices"),
    ([line(0, [-1], "0")], "there are no choices"),
    ([line(i, [-1, -2], "0", filter=str(i)) for i in range(101)], "line 101: more than 100 filters"),
    ([line(i, [-1] * (i + 2), "0") for i in range(65)], "more than 64 different numbers of choices"),
    ([line(0, [-1] * 4097, "0")], "4097 choices; at most 4096"),
    ([line(0, [1e300, 0], "0"), line(1, [0, -1], "0")], "1e+300"),
]


@pytest.mark.parametrize("rows,want", HOSTILE)
def test_rejects(rows, want, tmp_path):
    file = write(tmp_path / "m" / "samples_t_2026-11-24T10-00-00.jsonl", rows)
    with pytest.raises(DatasetError) as e:
        qatsbench.datasets.import_files("lm-eval", [file], str(tmp_path / "arrays"), least=1)
    assert want in str(e.value) and "\n" not in str(e.value)
    assert not (tmp_path / "arrays").exists()


def test_any_bytes_are_read_or_rejected(tmp_path):
    """Files with one byte changed, or cut off anywhere, are rows or an error of one line."""
    data = "".join(json.dumps(r) + "\n" for r in questions(4, 2)).encode()
    file = tmp_path / "samples_t_2026-11-24T10-00-00.jsonl"
    rng = np.random.default_rng(1)
    for i in [*range(0, len(data), 13)]:
        for bad in (data[:i], data[:i] + bytes([rng.integers(256)]) + data[i + 1 :]):
            file.write_bytes(bad)
            try:
                list(formats.read("lm-eval", [str(file)], formats.Options(least=1), []))
            except DatasetError as e:
                assert "\n" not in str(e)


def test_names(tmp_path):
    file = write(tmp_path / "Some Org__My Model" / "samples_x.jsonl", questions(30))
    with pytest.raises(DatasetError, match="not named samples_<task>_<date>.jsonl; give --dataset and --backbone"):
        list(formats.read("lm-eval", [file], formats.Options(), []))
    (n,) = formats.read("lm-eval", [file], formats.Options(dataset="mine", backbone="net"), [])
    assert n.name == "mine-4/net"
    file = write(tmp_path / "Some Org__My Model" / "samples_a_b_2026-11-24T10-00-00.jsonl", questions(30))
    (n,) = formats.read("lm-eval", [file], formats.Options(), [])
    assert n.name == "a-b-4/My-Model"


def big(path, size):
    """Writes lines of about 2 kB until the file has so many bytes. Returns their number."""
    rows = [json.dumps(r | {"doc": {"text": "word " * 300}}) for r in questions(1000)]
    n = 0
    with open(path, "w") as f:
        while f.tell() < size:
            for r in rows:
                f.write(f'{{"doc_id": {n}, ' + r.split(", ", 1)[1] + "\n")
                n += 1
    return n


@pytest.mark.parametrize(
    "size", [pytest.param(1 << 30, marks=pytest.mark.skipif("QATS_BIG" not in os.environ, reason="QATS_BIG=1 reads 1 GB")), 20 << 20]
)
def test_memory_does_not_grow_with_the_file(size, tmp_path):
    """A line takes the bytes of its numbers, and some 80 for its name; the text of a line goes when it is read."""
    file = tmp_path / "samples_t_2026-11-24T10-00-00.jsonl"
    n = big(file, size)
    tracemalloc.start()
    (net,) = formats.read("lm-eval", [str(file)], formats.Options(), [])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(both(net)[1]) == n and peak < (4 << 20) + 500 * n
