"""Reads the logs of Inspect (UK AI Security Institute): .eval, an archive with a file for each sample, or .json.

A sample of the solver multiple_choice has choices, a target (letters) and an output. With logprobs and top_logprobs in
the configuration, the output has for each token that was generated the likeliest tokens in its place. The answer is the
token that is a letter after the last "ANSWER:", or the only letter of the output. The probabilities of the letters there
are the row; a letter that is not among the likeliest tokens has the rest of the mass, or the row is left out.

These are probabilities of the model only if it samples at temperature 1 or the provider reports them so; a chat
model that thinks first has decided before the letter, so its probabilities are near 0 and 1.
"""

import io
import json
import re
import zipfile

from . import choices, stream
from .errors import ZIP_FAULTS, DatasetError, at, base, short

MOST_MEMBER = 1 << 30
ZSTANDARD = 93  # the method of packing in zip archives
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def read(files, o, skipped):
    """Yields the networks of logs."""
    tasks = []
    for file in files:
        try:
            t = at(file, _Reader(file, o).task)
        except _Unfit as e:
            skipped.append(f"{short(base(file), 100)}: {e}")
            continue
        if o.keeps(t.name, t.model):
            tasks.append(t)
    yield from choices.networks(tasks, "logits", "language models in Inspect", o, skipped)


class _Unfit(Exception):
    """A log without rows of several choices."""


class _Reader:
    """Reads one log."""

    def __init__(self, file, o):
        self.file, self.o, self.t = file, o, None
        self.missing, self.checked = 0, 0

    def task(self):
        """Returns the rows of the log."""
        with stream.opened(self.file) as f:
            if f.read(4) == b"PK\x03\x04":
                self._archive(f)
            else:
                f.seek(0)
                for key, value in stream.Reader(f).items({"samples"}):
                    if key == "eval":
                        self._begin(value)
                    elif key == "samples":
                        self._sample(value)
                if self.t is None:
                    raise DatasetError("no eval: not a log of Inspect")
        notes = ["Inspect", f"task {short(self.name, 100)}", "log-probabilities of the letters among the likeliest tokens"]
        if self.missing:
            notes.append(f"{self.missing} letters were not among them and share the rest of the mass")
        if self.checked:
            notes.append(f"the score of {self.checked} rows agrees")
        self.t.notes = notes
        return self.t

    def _archive(self, file):
        try:
            with zipfile.ZipFile(file) as z:
                names = z.namelist()
                head = next((n for n in ("header.json", "_journal/start.json") if n in names), None)
                if head is None:
                    raise DatasetError("no header.json: not a log of Inspect")
                header = self._load(z, head)
                self._begin(header.get("eval") if isinstance(header, dict) else None)
                for name in sorted(set(names)):
                    if name.startswith("samples/") and name.endswith(".json"):
                        try:
                            self._sample(self._load(z, name))
                        except DatasetError as e:
                            raise DatasetError(f"{short(name, 100)}: {e}") from None
        except ZIP_FAULTS as e:
            raise DatasetError(f"not an archive that can be read: {short(e, 120)}") from None

    @staticmethod
    def _load(z, name):
        info = z.getinfo(name)
        if info.file_size > MOST_MEMBER or info.compress_size > MOST_MEMBER:
            raise DatasetError(f"more than {MOST_MEMBER >> 30} GiB")
        if info.compress_type == ZSTANDARD and not hasattr(zipfile, "ZIP_ZSTANDARD"):
            data = _zstandard(z, info)
        else:
            data = z.read(info)
        try:
            return json.loads(data)
        except RecursionError:
            raise DatasetError(f"{short(name, 100)}: nested too deeply") from None
        except ValueError as e:
            raise DatasetError(f"{short(name, 100)}: not JSON: {short(e, 100)}") from None

    def _begin(self, spec):
        if not isinstance(spec, dict) or not isinstance(spec.get("task"), str) or not isinstance(spec.get("model"), str):
            raise DatasetError("eval: want task and model; not a log of Inspect")
        self.name = spec["task"]
        task, model = spec["task"].split("/")[-1], spec["model"].rstrip("/").split("/")[-1]
        self.t = choices.Task(self.o.dataset or task, self.o.backbone or self.o.network or model, base(self.file))

    def _sample(self, s):
        if self.t is None:
            raise DatasetError("samples come before eval: not as Inspect writes it")
        if not isinstance(s, dict) or not isinstance(s.get("output"), dict):
            raise DatasetError("want a sample with an output")
        row = f"sample {short(s.get('id'), 40)}"
        options = s.get("choices")
        if not isinstance(options, list) or len(options) < 2:
            self.t.leave_out("no choices")
            return
        if len(options) > len(LETTERS):
            self.t.leave_out("more choices than letters")
            return
        if s.get("epoch", 1) != 1:
            self.t.leave_out("of a later epoch")
            return
        if s.get("error"):
            self.t.leave_out("the sample has an error")
            return
        target = s.get("target")
        letters = LETTERS[: len(options)]
        parts = re.split(r"[,\s]+", target) if isinstance(target, str) else target
        if not isinstance(parts, list) or not all(isinstance(x, str) for x in parts):
            raise DatasetError(f"{row}: target {short(repr(target), 40)}; want letters")
        right = {x.strip() for x in parts} - {""}
        if len(right) != 1 or next(iter(right)) not in letters:
            self.t.leave_out("several choices are right" if len(right) > 1 else "the target is no letter of a choice")
            return
        try:
            tokens = _answer(s["output"], letters)
        except DatasetError as e:
            raise DatasetError(f"{row}: {e}") from None
        if isinstance(tokens, str):
            self.t.leave_out(tokens)
            return
        found, lacking = choices.of_tokens(letters, tokens, self.o.missing)
        if isinstance(found, str):
            self.t.leave_out(found)
            return
        label = letters.index(next(iter(right)))
        self.missing += lacking
        self.checked += self._agrees(s, letters, label)
        self.t.add(str(s.get("id")), found, label)

    def _agrees(self, s, letters, label):
        """Returns whether the scorer choice gave a letter. Its verdict must be that of the target, or choices were shuffled behind the log's back."""
        score = s["scores"].get("choice") if isinstance(s.get("scores"), dict) else None
        if not isinstance(score, dict) or score.get("answer") not in list(letters) or score.get("value") not in ("C", "I"):
            return False
        if (score["answer"] == letters[label]) != (score["value"] == "C"):
            raise DatasetError(
                f"sample {short(s.get('id'), 40)}: the score says {score['value']} of the answer {score['answer']}, the target {letters[label]}"
            )
        if "Choices were shuffled before" in str(score.get("explanation")):
            raise _Unfit("multiple_choice(shuffle) changed the letters after the answer; shuffle the choices of the dataset instead")
        return True


def _answer(output, letters):
    """Returns the likeliest tokens, pairs of text and log-probability, where the answer stands; or why there are none."""
    given = output.get("choices")
    if not isinstance(given, list) or not given or not isinstance(given[0], dict):
        return "no output"
    logprobs = given[0].get("logprobs")
    if logprobs is None:
        return "no logprobs: run with --logprobs --top-logprobs 20"
    content = logprobs.get("content") if isinstance(logprobs, dict) else None
    if not isinstance(content, list) or not all(isinstance(c, dict) and isinstance(c.get("token"), str) for c in content):
        raise DatasetError("logprobs: want content with tokens")
    texts = [c["token"] for c in content]
    # The place of each token in the text that they make.
    ends, length = [], 0
    for t in texts:
        length += len(t)
        ends.append(length)
    after = [m.end() for m in re.finditer(r"(?i)answer\s*:", "".join(texts))]
    places = [i for i, t in enumerate(texts) if t.strip() in tuple(letters) and (not after or ends[i] > after[-1])]
    if not places or not after and len(places) > 1:
        return "no token of the output is the letter of an answer"
    top = content[places[0]].get("top_logprobs")
    if not isinstance(top, list) or not top:
        return "no top_logprobs: run with --logprobs --top-logprobs 20"
    if not all(isinstance(t, dict) and isinstance(t.get("token"), str) for t in top):
        raise DatasetError("top_logprobs: want token and logprob")
    return [(t["token"], choices.number(t.get("logprob"))) for t in top]


def _zstandard(z, info):
    """Returns a member that is packed with Zstandard, which zipfile knows from Python 3.14 on."""
    try:
        import zstandard
    except ImportError:
        raise DatasetError(
            "is packed with Zstandard, which this Python cannot unpack: pip install zstandard, use Python 3.14, "
            "or write the log as JSON: inspect log convert FILE --to json --output-dir DIR"
        ) from None
    z.fp.seek(info.header_offset)
    head = z.fp.read(30)
    if len(head) < 30 or head[:4] != b"PK\x03\x04":
        raise DatasetError("the archive is damaged")
    z.fp.seek(int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little"), io.SEEK_CUR)
    packed = z.fp.read(info.compress_size)
    try:
        with zstandard.ZstdDecompressor().stream_reader(io.BytesIO(packed), read_across_frames=True) as r:
            data = r.read(MOST_MEMBER + 1)
    except zstandard.ZstdError as e:
        raise DatasetError(f"the archive is damaged: {short(e, 100)}") from None
    if len(data) != info.file_size:
        raise DatasetError(f"the archive is damaged: {len(data)} bytes; want {info.file_size}")
    return data
