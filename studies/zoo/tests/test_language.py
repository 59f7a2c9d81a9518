"""The tasks of the tiny language model, of made-up messages."""

import json
import random

import pytest
import yaml

from zoo import language


@pytest.fixture
def raw(tmp_path):
    rng = random.Random(0)
    for part, n in (("train", 2), ("test", 6)):
        for g in range(12):
            folder = tmp_path / f"20news-bydate-{part}" / f"group.{g}"
            folder.mkdir(parents=True)
            for i in range(n):
                words = [f"w{rng.randrange(1000)}" for _ in range(80)]
                text = f"From: a@b\nSubject: Re: about {g} and {i}\n\nX writes:\n> quoted\n{' '.join(words)}\n"
                (folder / str(100 + i)).write_text(text if part == "test" else text.replace("\n", "\t"))
            (folder / "stray").write_text("Subject: x\n\n" + "w " * 80)
            (folder / "1").write_text("Subject: short\n\nfew words\n")
    return tmp_path


def test_messages_have_their_own_words(raw):
    for part, n in (("train", 24), ("test", 72)):
        found = language.messages(raw, part)
        assert len(found) == n and found == language.messages(raw, part)
        for group, subject, words in found:
            assert len(words) == 80 and "quoted" not in words and subject.startswith(f"about {group[6:]} and")


def test_answers_are_right(raw, tmp_path):
    language.write_tasks(raw, tmp_path / "tasks", 40)
    group = {" ".join(w[: language.WORDS]): (g, s) for g, s, w in language.messages(raw, "test")}
    for name in language.TASKS:
        task = yaml.safe_load((tmp_path / "tasks" / f"{name}.yaml").read_text())
        docs = [json.loads(line) for line in open(task["dataset_kwargs"]["data_files"]["test"])]
        assert task["task"] == name and len(docs) == 40
        for d in docs:
            assert name == "news_either" or len(set(d["choices"])) == len(d["choices"]), name
            if name in ("news_group", "news_first"):
                assert d["choices"][d.get("answer", 0)] == group[d["text"]][0]
            if name == "news_subject":
                assert d["choices"][d["answer"]] == d["right"] == group[d["text"]][1]
            if name == "news_either":
                assert all((c == group[d["text"]][0]) == (j in d["answers"]) for j, c in enumerate(d["choices"]))
