"""Reads the samples of lm-evaluation-harness (EleutherAI): samples_<task>_<date>.jsonl, of --log_samples.

A line is a document under one filter. filtered_resps has a pair [log-likelihood, is greedy] for each choice,
as texts; a task of mutual information has as many again, of the choices without their context. target is a text
too: the index of the right choice, the choice itself, or a list. arguments has for each request the context and
the continuation, which is the delimiter of the task and the choice.

The scores are the log-likelihoods, whose softmax is the harness's probability; or, as its acc_norm and acc_bytes
have them, divided by the length of the choice; or, as acc_mutual_info, without the log-likelihood of the choice
alone. Where a line has the accuracy that the harness gave to it, scores and target must give the same.

The harness opens its files for append, so runs may follow each other: a run begins where a document comes again.
The last one is read.
"""

import ast
import json
import os
import re

from . import choices, stream
from .errors import DatasetError, at, base, short

MOST_LINE = 64 << 20
MOST_FILTERS = 100
MOST_RESULTS = 256 << 20

_SAMPLES = re.compile(r"^samples_(.+)_(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)\.jsonl$")
_RESULTS = re.compile(r"^results_(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)\.json$")

# The normalisation of scores, the accuracy of the harness that has it, and what the manifest says.
NORMALISATIONS = {
    "none": ("acc", "log-likelihoods"),
    "chars": ("acc_norm", "log-likelihoods divided by the number of characters of the choice"),
    "bytes": ("acc_bytes", "log-likelihoods divided by the number of bytes of the choice"),
    "mutual": ("acc_mutual_info", "log-likelihoods minus those of the choice without its context"),
}


def read(files, o, skipped):
    """Yields the networks of files of samples. results_<date>.json files among them say what the harness was told."""
    if o.normalise not in ("", *NORMALISATIONS):
        raise DatasetError(f"--normalise {short(o.normalise, 40)}; want one of {', '.join(NORMALISATIONS)}")
    results = {m[1]: at(f, _results, f) for f in files if (m := _RESULTS.match(base(f)))}
    tasks = []
    for file in files:
        if _RESULTS.match(base(file)):
            continue
        m = _SAMPLES.match(base(file))
        if not m and not o.dataset:
            raise DatasetError(f"{short(file, 200)}: not named samples_<task>_<date>.jsonl; give --dataset and --backbone")
        name = o.dataset or m[1]
        model = o.backbone or o.network or os.path.basename(os.path.dirname(os.path.abspath(file))).split("__")[-1] or "model"
        if not o.keeps(name, model):
            continue
        told = results.get(m[2]) if m else None
        try:
            tasks.append(_Reader(file, choices.Task(name, model, base(file)), told, m[1] if m else name, o).task())
        except _Unfit as e:
            skipped.append(f"{short(name, 60)}: {e}")
        except DatasetError as e:
            raise DatasetError(f"{short(file, 200)}: {e}") from None
    yield from choices.networks(tasks, "logits", "language models in lm-evaluation-harness", o, skipped)


class _Unfit(Exception):
    """A task that has no rows with one right choice each."""


def _results(file):
    """Returns the configuration of the tasks, the harness's version and the number of examples in the prompt of a results file."""
    with stream.opened(file) as f:
        if os.fstat(f.fileno()).st_size > MOST_RESULTS:
            raise DatasetError("not a file of results: more than 256 MiB")
        try:
            found = json.load(f)
        except (ValueError, RecursionError) as e:
            raise DatasetError(f"not JSON: {short(e, 120)}") from None
    if not isinstance(found, dict) or not isinstance(found.get("configs", {}), dict):
        raise DatasetError("not a file of results of the harness")
    return found


def lines(file):
    """Yields number and object of each line of a file of JSON lines."""
    with stream.opened(file) as f:
        n = 0
        while line := f.readline(MOST_LINE + 1):
            n += 1
            if len(line) > MOST_LINE:
                raise DatasetError(f"line {n}: longer than {MOST_LINE >> 20} MiB")
            if not line.strip():
                continue
            try:
                found = json.loads(line)
            except UnicodeDecodeError as e:
                raise DatasetError(f"line {n}: byte {e.start}: not a text in UTF-8") from None
            except RecursionError:
                raise DatasetError(f"line {n}: nested too deeply") from None
            except ValueError as e:
                cut = "" if line.endswith(b"\n") else "; the file ends within the line: remove it, or log the samples again"
                raise DatasetError(f"line {n}: not JSON: {short(e, 100)}{cut}") from None
            if not isinstance(found, dict):
                raise DatasetError(f"line {n}: want an object with doc_id, target and filtered_resps")
            yield n, found


class _Filter:
    """The rows of one filter in the last run so far."""

    def __init__(self, reader):
        self.runs, self.earlier, self.reader = 0, 0, reader
        self.begin()

    def begin(self):
        self.earlier += len(self.seen) if self.runs else 0
        self.runs += 1
        self.seen, self.clipped, self.checked = set(), 0, 0
        # By the meaning of targets, the rows, and what contradicts it. See _labels.
        self.tasks = {m: choices.Task(*self.reader.identity) for m in ("index", "text")}
        self.wrong = {m: None for m in self.tasks}
        self.own = None


class _Reader:
    """Reads one file."""

    def __init__(self, file, task, told, name, o):
        self.file, self.identity, self.o = file, (task.name, task.model, task.file), o
        self.normalise = o.normalise or "none"
        self.metric, self.said = NORMALISATIONS[self.normalise]
        self.told, self.name = told or {}, name
        config = self.told.get("configs", {}).get(name, {})
        self.config = config if isinstance(config, dict) else {}
        self.delimiter = o.delimiter
        if self.delimiter is None and isinstance(self.config.get("target_delimiter"), str):
            self.delimiter = self.config["target_delimiter"]
        self.filters = {}

    def task(self):
        """Returns the rows of the file."""
        for n, row in lines(self.file):
            try:
                self._row(row)
            except DatasetError as e:
                raise DatasetError(f"line {n}: {e}") from None
        if not self.filters:
            raise DatasetError("empty")
        f = self._chosen()
        if f.own is not None:
            raise _Unfit(f.own)
        meaning = next((m for m in ("index", "text") if f.wrong[m] is None), None)
        if meaning is None:
            advice = (
                ""
                if self.metric == "acc"
                else "; if the lengths are not those of the harness, give its results_*.json file too, or --delimiter"
            )
            raise _Unfit(f"{f.wrong['index']}, so the task counts answers by a rule of its own{advice}")
        t = f.tasks[meaning]
        t.notes = self._notes(f)
        others = sum(len(g.seen) + g.earlier for g in self.filters.values() if g is not f)
        if others:
            t.leave_out(f"of another filter ({', '.join(sorted(short(k, 40) for k, g in self.filters.items() if g is not f))})", others)
        if f.earlier:
            t.leave_out("of an earlier run in the same file", f.earlier)
        return t

    def _chosen(self):
        name = self.o.filter or ("none" if "none" in self.filters else next(iter(self.filters)))
        if name not in self.filters or not self.o.filter and name != "none" and len(self.filters) > 1:
            raise DatasetError(
                f"no filter {short(name, 40)!r}; say which by --filter: {short(', '.join(self.filters), 200)}"
                if self.o.filter
                else f"several filters; say which by --filter: {short(', '.join(self.filters), 200)}"
            )
        self.filter = name
        return self.filters[name]

    def _notes(self, f):
        version = self.told.get("lm_eval_version")
        shots = self.told.get("n-shot", {}).get(self.name) if isinstance(self.told.get("n-shot"), dict) else None
        notes = [
            "lm-evaluation-harness" + (f" {version}" if isinstance(version, str) else ""),
            f"task {self.name}",
            f"filter {self.filter}",
            self.said,
        ]
        if isinstance(shots, int):
            notes.append(f"{shots} examples in the prompt")
        if f.runs > 1:
            notes.append(f"{f.runs} runs in the file, of which the last is used")
        if f.clipped:
            notes.append(f"{f.clipped} of -inf count as 2^-126 of the likeliest choice")
        if f.checked:
            notes.append(f"{self.metric} of {f.checked} rows agrees")
        return notes

    def _row(self, row):
        for key in ("doc_id", "target", "filtered_resps"):
            if key not in row:
                raise DatasetError(f"{key} is missing: not a line of samples of the harness")
        doc, name = row["doc_id"], row.get("filter", "none")
        if type(doc) is not int or abs(doc) >= 1 << 63:
            raise DatasetError(f"doc_id {short(repr(doc), 40)}; want an integer")
        if not isinstance(name, str):
            raise DatasetError(f"filter {short(repr(name), 40)}; want a text")
        if name not in self.filters:
            if len(self.filters) == MOST_FILTERS:
                raise DatasetError(f"more than {MOST_FILTERS} filters")
            self.filters[name] = _Filter(self)
        f = self.filters[name]
        if doc in f.seen:
            f.begin()
        f.seen.add(doc)
        found = self._scores(row, doc, f)
        if isinstance(found, str):
            for t in f.tasks.values():
                t.leave_out(found)
            return
        scores, texts, contexts = found
        labels = self._labels(f, row["target"], texts, contexts, scores, row)
        said = row.get(self.metric)
        if isinstance(said, float) and said not in (0.0, 1.0):
            f.own = f.own or f"{self.metric} of document {doc} is {said:g}, so the task counts answers by a rule of its own"
        judged = type(said) in (int, float) and not _in_contexts(texts, contexts)
        best = max(range(len(scores)), key=scores.__getitem__)
        for m, label in labels.items():
            if isinstance(label, str):
                f.tasks[m].leave_out(label)
                continue
            f.tasks[m].add(doc, scores, label)
            if judged and (best == label) != (said == 1) and not f.wrong[m]:
                f.wrong[m] = f"{self.metric} of document {doc} is {said:g}, but its scores and target say {int(best == label)}"
        f.checked += judged and not isinstance(labels["index"], str)

    def _scores(self, row, doc, f):
        """Returns scores, continuations and contexts of the choices of a line; or why it has none, as a text."""
        pairs = row["filtered_resps"]
        if not isinstance(pairs, list) or not pairs:
            raise DatasetError("filtered_resps: want a list with a pair for each choice")
        if not all(isinstance(p, list) and len(p) == 2 for p in pairs):
            if all(isinstance(p, (str, int, float)) for p in pairs) or all(isinstance(p, list) for p in pairs):
                raise _Unfit("the answers are texts, or whole texts are scored: there are no choices")
            raise DatasetError("filtered_resps: want a pair [log-likelihood, is greedy] for each choice")
        scores = []
        for j, (value, _) in enumerate(pairs):
            try:
                scores.append(choices.number(value))
            except DatasetError as e:
                raise DatasetError(f"filtered_resps {j}: {e}") from None
        asked = _arguments(row.get("arguments"), len(pairs))
        n = len(pairs)
        alone = None
        if (
            n % 2 == 0
            and n > 2
            and all(c == "" for c, _ in asked[n // 2 :])
            and [t for _, t in asked[n // 2 :]] == [t for _, t in asked[: n // 2]]
        ):
            scores, alone, asked = scores[: n // 2], scores[n // 2 :], asked[: n // 2]
        if len(scores) < 2:
            raise _Unfit("one log-likelihood a row: there are no choices")
        scores = choices.usable(scores)
        if isinstance(scores[0], str):
            return scores[0]
        scores, clipped = scores
        texts, contexts = [t for _, t in asked], [c for c, _ in asked]
        if self.normalise == "mutual":
            if alone is None:
                raise _Unfit("has no log-likelihoods of the choices without their context, for --normalise mutual")
            alone = choices.usable(alone)
            if isinstance(alone[0], str) or alone[1]:
                return "a log-likelihood without context is not finite"
            scores = [a - b for a, b in zip(scores, alone[0])]
        elif self.normalise != "none":
            if _in_contexts(texts, contexts):
                raise _Unfit(f"the choices are contexts, whose lengths the file does not say, for --normalise {self.normalise}")
            own = [self._choice(t) for t in texts]
            lengths = [len(t) if self.normalise == "chars" else len(t.encode("utf-8", "surrogatepass")) for t in own]
            if not all(lengths):
                return "a choice without text has no length"
            scores = [s / n for s, n in zip(scores, lengths)]
        f.clipped += clipped
        return scores, texts, contexts

    def _choice(self, continuation):
        """Returns a choice without the delimiter of its task."""
        if self.delimiter is None and (continuation.startswith(" ") or not continuation[:1].isspace()):  # the harness's default is a space
            self.delimiter = " " if continuation.startswith(" ") else ""
        if self.delimiter is None or not continuation.startswith(self.delimiter):
            if self.o.delimiter is None and self.config.get("target_delimiter") == self.delimiter and not continuation[:1].isspace():
                return continuation  # with a chat template there is none
            known = "a space, the usual delimiter" if self.delimiter is None else f"{self.delimiter!r}, the delimiter of the task"
            raise DatasetError(
                f"the continuation {short(repr(continuation), 40)} does not begin with {known}; "
                "give the results_*.json file of the run too, or --delimiter"
            )
        return continuation[len(self.delimiter) :]

    def _labels(self, f, target, texts, contexts, scores, row):
        """Returns by meaning the label, or why there is none, as a text.

        A target 2 can be the choice of index 2, or the choice with the text 2. The accuracies of the file tell which.
        """
        if _in_contexts(texts, contexts):  # the target is the continuation that all have
            label = self._told_by_accuracy(row, scores)
            return {"index": label, "text": label}
        if isinstance(target, bool) or not isinstance(target, (str, int)):
            raise DatasetError(f"target {short(repr(target), 40)}; want a text")
        target = str(target)
        reason = "the target is none of the choices"
        index = text = reason
        if re.fullmatch(r"[0-9]{1,6}", target) and int(target) < len(texts):
            index = int(target)
        elif target.startswith("[") and target.endswith("]"):
            several = _list(target)
            if several is not None:
                if len(several) == 1 and type(several[0]) is int and 0 <= several[0] < len(texts):
                    return {"index": several[0], "text": several[0]}
                why = "several choices are right" if len(several) > 1 else reason
                return {"index": why, "text": why}
        own = [t.removeprefix(" " if self.delimiter is None else self.delimiter) for t in texts]
        if target in own:
            text = own.index(target)
        if isinstance(index, str):
            if target.isdigit() and text != reason:
                f.wrong["index"] = f.wrong["index"] or f"target {target} is no index"
            index = text
        elif isinstance(text, str):
            text = index
        return {"index": index, "text": text}

    def _told_by_accuracy(self, row, scores):
        said = row.get("acc")
        if self.normalise != "none" or type(said) not in (int, float) or said not in (0, 1):
            return "the choices are contexts, and no accuracy says which is right"
        if len(scores) != 2:  # it would name the right choice of the rows with acc 1 alone
            return "the choices are contexts, and the accuracy does not say which is right"
        best = max(range(2), key=scores.__getitem__)
        return best if said == 1 else 1 - best


def _in_contexts(texts, contexts):
    """Reports whether all choices have one continuation, and contexts that differ (WinoGrande)."""
    return len(texts) > 1 and len(set(texts)) == 1 and len(set(contexts)) > 1


def _list(text):
    """Returns the list that a text shows, None if it shows none."""
    if len(text) > 10_000:
        return None
    try:
        found = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return found if isinstance(found, list) else None


def _arguments(arguments, n):
    """Returns context and continuation of each request."""
    if isinstance(arguments, dict):  # from version 0.4.3
        asked = [arguments.get(f"gen_args_{i}") for i in range(n)] if len(arguments) == n else []
        asked = [(a.get("arg_0"), a.get("arg_1")) if isinstance(a, dict) else (None, None) for a in asked]
    else:
        asked = (
            [tuple(a[:2]) if isinstance(a, list) and len(a) >= 2 else (None, None) for a in arguments]
            if isinstance(arguments, list)
            else []
        )
    if len(asked) != n or not all(isinstance(c, str) and isinstance(t, str) for c, t in asked):
        raise DatasetError(f"arguments: want context and continuation of each of the {n} requests")
    return asked
