"""Reads the runs of HELM (Stanford CRFM): scenario_state.json of a run, and per_instance_stats.json beside it.

scenario_state.json has the requests with their results. The adapters multiple_choice_separate_original and
multiple_choice_separate_calibrated ask for each choice (reference) by itself: request_mode original, and
calibration without the question. The log-likelihood of a choice is the sum over its tokens, the last ones of the
completion. HELM's score is this sum divided by the number of tokens, or minus that of the calibration.

The adapter multiple_choice_joint asks for a letter. Files before version 0.5.0 have top_logprobs, the likeliest
tokens; later ones have the likelihood of the given answer alone, from which no row can be made.

per_instance_stats.json has HELM's max_prob and predicted_index, with which the rows must agree.
"""

import math
import os
import re

from . import choices, stream
from .errors import DatasetError, at, base, short

# Arguments of a run that do not say what is asked.
_SILENT = {
    "model",
    "model_deployment",
    "method",
    "data_augmentation",
    "groups",
    "eval_split",
    "max_train_instances",
    "num_train_trials",
    "max_eval_instances",
}
MOST_PENDING = 10_000
CLOSE = 1e-3

NORMALISATIONS = {
    "none": "log-likelihoods",
    "tokens": "log-likelihoods divided by the number of tokens of the choice",
    "mutual": "log-likelihoods minus those of the choice without its question",
}


def read(files, o, skipped):
    """Yields the networks of runs. per_instance_stats.json is of the run in its folder."""
    stats = {os.path.dirname(os.path.abspath(f)): f for f in files if base(f) == "per_instance_stats.json"}
    tasks = []
    for file in files:
        if base(file) == "per_instance_stats.json":
            continue
        folder = os.path.dirname(os.path.abspath(file))
        try:
            said = at(stats[folder], _stats, stats[folder]) if folder in stats else {}
            t = at(file, _Reader(file, os.path.basename(folder), said, o).task)
        except _Unfit as e:
            skipped.append(f"{short(os.path.basename(folder), 100)}: {e}")
            continue
        if t and o.keeps(t.name, t.model):
            tasks.append(t)
    yield from choices.networks(tasks, "logits", "language models in HELM", o, skipped)


class _Unfit(Exception):
    """A run without rows of several choices."""


def task_name(run):
    """Returns the name of the task of a run such as mmlu:subject=philosophy,method=multiple_choice_joint,model=openai_davinci."""
    scenario, _, arguments = run.partition(":")
    values = [v for a in arguments.split(",") for k, eq, v in [a.partition("=")] if eq and k not in _SILENT]
    return "-".join([scenario, *values])


def _stats(file):
    """Returns max_prob and predicted_index by instance, of the first choice of examples."""
    found = {}
    with stream.opened(file) as f:
        for i, e in enumerate(stream.Reader(f).elements()):
            if not isinstance(e, dict) or not isinstance(e.get("stats"), list):
                raise DatasetError(f"element {i}: want an instance with stats")
            if e.get("perturbation") or e.get("train_trial_index", 0) != 0:
                continue
            own = {}
            for s in e["stats"]:
                name = s.get("name") if isinstance(s, dict) else None
                if isinstance(name, dict) and name.get("name") in ("max_prob", "predicted_index") and not name.get("perturbation"):
                    own[name["name"]] = choices.number(s.get("mean", s.get("sum")))
            found.setdefault(str(e.get("instance_id")), {}).update(own)
    return found


class _Reader:
    """Reads one run."""

    def __init__(self, file, run, said, o):
        if o.normalise not in ("", *NORMALISATIONS):
            raise DatasetError(f"--normalise {short(o.normalise, 40)}; want one of {', '.join(NORMALISATIONS)}")
        self.file, self.run, self.said, self.o = file, run, said, o
        self.adapter, self.pending, self.checked, self.missing, self.clipped, self.rows = {}, {}, 0, 0, 0, 0

    def task(self):
        """Returns the rows of the run."""
        with stream.opened(self.file) as f:
            n = 0
            for key, value in stream.Reader(f).items({"request_states"}):
                if key == "adapter_spec":
                    if not isinstance(value, dict):
                        raise DatasetError("adapter_spec: want an object")
                    self._begin(value)
                elif key == "request_states":
                    if not self.adapter:
                        raise DatasetError("request_states come before adapter_spec: not as HELM writes it")
                    try:
                        self._request(value)
                    except DatasetError as e:
                        raise DatasetError(f"request_states {n}: {e}") from None
                    n += 1
        if not self.adapter:
            raise DatasetError("no adapter_spec: not a scenario_state.json of HELM")
        for left in self.pending.values():
            self.t.leave_out("a choice without a result")
        notes = ["HELM", f"run {self.run}", f"method {self.method}"]
        if self.method == "multiple_choice_joint":
            notes.append("log-probabilities of the letters")
            if self.missing:
                notes.append(f"{self.missing} letters were not among the likeliest tokens and share the rest of the mass")
        else:
            notes.append(NORMALISATIONS[self.normalise])
        if self.clipped:
            notes.append(f"{self.clipped} of -inf count as 2^-126 of the likeliest choice")
        if self.checked:
            notes.append(f"max_prob and predicted_index of {self.checked} rows agree")
        self.t.notes = notes
        return self.t

    def _begin(self, adapter):
        self.adapter = adapter
        self.method, model = str(adapter.get("method")), str(adapter.get("model") or adapter.get("model_deployment") or "model")
        usual = {
            "multiple_choice_separate_original": "tokens",
            "multiple_choice_separate_calibrated": "mutual",
            "multiple_choice_joint": "",
        }
        if self.method not in usual:
            raise _Unfit(
                f"method {short(self.method, 60)} has no several choices; multiple_choice_separate_original and multiple_choice_separate_calibrated have"
            )
        self.normalise = self.o.normalise or usual[self.method]
        if self.normalise == "mutual" and not self.method.endswith("calibrated"):
            raise _Unfit("has no likelihoods of the choices without their question, for --normalise mutual")
        name = choices.plain(self.run) + "/" + base(self.file)
        self.t = choices.Task(self.o.dataset or task_name(self.run), self.o.backbone or self.o.network or model.split("/")[-1], name)

    def _request(self, r):
        instance = r.get("instance") if isinstance(r, dict) else None
        if not isinstance(instance, dict) or not isinstance(instance.get("references"), list):
            raise DatasetError("want an instance with references")
        references = instance["references"]
        texts, right = [], []
        for i, ref in enumerate(references):
            out = ref.get("output") if isinstance(ref, dict) else None
            if not isinstance(out, dict) or not isinstance(out.get("text"), str) or not isinstance(ref.get("tags"), list):
                raise DatasetError(f"reference {i}: want an output with a text, and tags")
            texts.append(out["text"])
            if "correct" in ref["tags"]:
                right.append(i)
        trial, split, row = r.get("train_trial_index", 0), instance.get("split"), str(instance.get("id"))
        first = r.get("reference_index") in (None, 0) and r.get("request_mode") in (None, "original")
        reason = None
        if instance.get("perturbation"):
            reason = "perturbed copies"
        elif trial != 0:
            reason = "of another choice of examples in the prompt"
        elif split == "train":
            reason = "of the training split"
        elif len(right) != 1:
            reason = "several choices are right" if right else "no choice is right"
        elif len(texts) < 2:
            reason = "one choice"
        if reason:
            if first:
                self.t.leave_out(reason)
            return
        side = choices.CAL if split == "valid" else choices.TEST if split == "test" else choices.UNKNOWN
        if self.method == "multiple_choice_joint":
            self._letter(r, row, right[0], side)
            return
        j, mode = r.get("reference_index"), r.get("request_mode")
        if type(j) is not int or not 0 <= j < len(texts) or mode not in ("original", "calibration"):
            raise DatasetError(
                f"reference_index {short(repr(j), 20)}, request_mode {short(repr(mode), 20)}; want the index of a reference, and original or calibration"
            )
        modes = ("original", "calibration") if self.method.endswith("calibrated") else ("original",)
        if row not in self.pending and len(self.pending) == MOST_PENDING:
            raise DatasetError(f"{MOST_PENDING} instances before lack choices")
        p = self.pending.setdefault(row, {})
        if (mode, j) in p:
            raise DatasetError(f"instance {short(row, 40)}: choice {j} comes twice")
        p[mode, j] = self._likelihood(r, texts[j])
        if len(p) == len(modes) * len(texts):
            del self.pending[row]
            self._row(row, p, len(texts), right[0], side)

    def _likelihood(self, r, text):
        """Returns log-likelihood and number of tokens of a choice at the end of a completion, or why there is none."""
        tokens = _tokens(r)
        if isinstance(tokens, str):
            return tokens
        want = re.sub(r"[\sĠ▁]", "", text)  # tokenizers write a space in these ways
        joined, total = "", 0.0
        for n, (token, value) in enumerate(reversed(tokens), 1):
            joined = re.sub(r"[\sĠ▁]", "", token) + joined
            total += value
            if len(joined) >= len(want):
                return (total, n) if want and joined.endswith(want) else "the completion does not end with the choice"
        return "the completion does not end with the choice"

    def _row(self, row, p, k, label, side):
        if (why := next((v for v in p.values() if isinstance(v, str)), None)) is not None:
            self.t.leave_out(why)
            return
        own = [p["original", j] for j in range(k)]
        helms = [a - p["calibration", j][0] if self.method.endswith("calibrated") else a / n for j, (a, n) in enumerate(own)]
        scores = {"none": [a for a, _ in own], "tokens": [a / n for a, n in own], "mutual": helms}[self.normalise]
        found, clipped = choices.usable(scores)
        if isinstance(found, str):
            self.t.leave_out(found)
            return
        if said := self.said.get(row):
            if not _agrees(helms, said):
                self.t.leave_out("max_prob or predicted_index is another: HELM counts other tokens to the choice")
                return
            self.checked += 1
        self.clipped += clipped
        self.t.add(row, found, label, side)

    def _letter(self, r, row, label, side):
        mapping = r.get("output_mapping")
        tokens = _tokens(r, top=True)
        if isinstance(tokens, str):
            self.t.leave_out(tokens)
            return
        if not isinstance(mapping, dict) or len(mapping) != len(r["instance"]["references"]):
            raise DatasetError("output_mapping: want a letter for each reference")
        if tokens is None:
            raise _Unfit(
                "the file has only the likelihood of the given answer; the methods multiple_choice_separate_original and "
                "multiple_choice_separate_calibrated have those of all choices"
            )
        found, lacking = choices.of_tokens([m.strip() for m in mapping], tokens, self.o.missing)
        if isinstance(found, str):
            self.t.leave_out(found)
            return
        self.missing += lacking
        self.t.add(row, found, label, side)


def _agrees(scores, said):
    top = max(scores)
    p = 1 / sum(math.exp(s - top) for s in scores)
    return abs(said.get("max_prob", p) - p) <= CLOSE and said.get("predicted_index", scores.index(top)) == scores.index(top)


def _tokens(r, top=False):
    """Returns text and log-probability of the tokens of a completion; with top those of the first token's top_logprobs, None without."""
    result = r.get("result")
    if not isinstance(result, dict) or result.get("success") is False:
        return "a request without a result"
    completions = result.get("completions")
    if not isinstance(completions, list) or len(completions) != 1 and not top or not completions or not isinstance(completions[0], dict):
        return "a request without a completion"
    tokens = completions[0].get("tokens")
    if not isinstance(tokens, list) or not tokens:
        return "a completion without tokens"
    out = []
    for t in tokens[:1] if top else tokens:
        if not isinstance(t, dict) or not isinstance(t.get("text"), str):
            raise DatasetError("tokens: want text and logprob")
        if top:
            likeliest = t.get("top_logprobs")
            return [(str(k), choices.number(v)) for k, v in likeliest.items()] if isinstance(likeliest, dict) and likeliest else None
        if "logprob" not in t:
            return "a token without logprob"
        out.append((t["text"], choices.number(t["logprob"])))
    return out
