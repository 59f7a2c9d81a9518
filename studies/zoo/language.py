"""A tiny language model, and tasks of several choices for it, in the forms of other programs.

    python3 -m zoo language --raw RAW --out OUT

trains a transformer of 0.6 million weights on the training part of 20 Newsgroups and writes it in the form of
transformers (OUT/tiny-lm), with tasks for lm-evaluation-harness (OUT/tasks) whose documents are messages of the
test part. The harness then says how likely the network finds each choice:

    lm_eval run --model hf --model_args pretrained=OUT/tiny-lm --include_path OUT/tasks --tasks news --device cpu \\
        --output_path OUT/logs --log_samples

The network is here to have true files of true mistakes, and knows little. Everything random is seeded.
"""

import json
import random
import re
import time
from pathlib import Path

from .data import find
from .files import atomic

VOCABULARY = 4096
WIDTH, LAYERS, HEADS, LENGTH = 96, 2, 4, 160  # LENGTH in tokens
WORDS = 40  # of a message
SEED = 1

# What each task asks. The choices of a document are in its order; answer is the index of the right one.
TASKS = {
    "news_group": dict(  # 4 or 10 newsgroups
        doc_to_text="{{text}}\nNewsgroup:", doc_to_target="answer", doc_to_choice="choices", metrics=["acc", "acc_norm", "acc_bytes"]),
    "news_subject": dict(  # 4 subject lines; the target is a text, and each choice has its likelihood alone, too
        doc_to_text="{{text}}\nSubject:", doc_to_target="right", doc_to_choice="choices", metrics=["acc", "acc_norm", "acc_mutual_info"]),
    "news_next": dict(  # 4 continuations of different lengths
        doc_to_text="{{text}}", doc_to_target="{{answer}}", doc_to_choice="choices", metrics=["acc", "acc_norm", "acc_bytes"]),
    "news_before": dict(  # 2 beginnings of one end: the choices are the contexts, as in WinoGrande
        doc_to_text="answer", doc_to_target="end", doc_to_choice="choices", metrics=["acc"]),
    "news_first": dict(  # the right choice is always the first, as in TruthfulQA
        doc_to_text="{{text}}\nNewsgroup:", doc_to_target=0, doc_to_choice="choices", metrics=["acc"]),
    "news_either": dict(  # sometimes two choices are right
        doc_to_text="{{text}}\nNewsgroup:", doc_to_target="answers", doc_to_choice="choices", metrics=["acc"]),
}


def messages(raw, part):
    """Returns (group, subject, words) of the messages of a part that have a subject and 40 words of their own, in a seeded order."""
    root, found = find(raw, f"20news-bydate-{part}"), []
    for folder in sorted(p for p in root.iterdir() if p.is_dir()):
        for f in sorted(folder.iterdir()):
            whole = f.read_text("latin-1")
            if "\n\n" not in whole:  # some copies of the set have tabs in place of line feeds
                whole = whole.replace("\t", "\n")
            head, _, text = whole.partition("\n\n")
            subject = re.search(r"^Subject: *(?:Re: *)*(.+)$", head, re.M | re.I)
            lines = [line for line in text.split("\n") if not re.match(r"\s*[>|:#]|.*(writes:|wrote:|@)", line)]  # no quotations, no addresses
            words = " ".join(lines).split()
            if f.name.isdigit() and subject and len(words) >= 40:
                found.append((folder.name, " ".join(subject[1].split())[:80], words))
    random.Random(f"{SEED} {part}").shuffle(found)
    return found


def documents(raw, rows):
    """Returns the documents of each task, from messages of the test part."""
    found = [m for m in messages(raw, "test") if all(len(w) <= 20 for w in m[2][:WORDS])]  # no encoded files
    groups = sorted({g for g, _, _ in found})
    out = {name: [] for name in TASKS}
    for i, (group, subject, words) in enumerate(found[:rows]):
        rng = random.Random(f"{SEED} {i}")
        text = " ".join(words[:WORDS])

        def shuffled(right, wrong):
            order = [right, *wrong]
            rng.shuffle(order)
            return {"choices": order, "answer": order.index(right)}

        others = rng.sample([g for g in groups if g != group], 9)
        k = 4 if i % 2 else 10
        out["news_group"].append({"text": text} | shuffled(group, others[: k - 1]))
        subjects = rng.sample(sorted({s for g, s, _ in found[:rows] if s != subject}), 3)
        out["news_subject"].append({"text": text, "right": subject} | shuffled(subject, subjects))
        out["news_first"].append({"text": text, "choices": [group, *others[:3]]})
        two = sorted(rng.sample(range(4), 1 + i % 2))
        out["news_either"].append({"text": text, "choices": [group if j in two else others[j] for j in range(4)], "answers": two})
        cut = [w for _, _, w in rng.sample(found[:i] + found[i + 1 :], 4)]
        end = lambda w: " ".join(w[25 : 25 + rng.randint(4, 24)])  # noqa: E731
        out["news_next"].append({"text": " ".join(words[:25])} | shuffled(end(words), [end(w) for w in cut[:3]]))
        out["news_before"].append({"end": " ".join(words[25:40])} | shuffled(" ".join(words[:25]), [" ".join(cut[3][:25])]))
    return out


def write_tasks(raw, to, rows):
    """Writes the documents of each task as JSON lines, and the task for the harness beside them."""
    import yaml

    to = Path(to).resolve()
    for name, docs in documents(raw, rows).items():
        with atomic(to / f"{name}.jsonl") as f:
            f.write("".join(json.dumps(d) + "\n" for d in docs).encode())
        task = dict(TASKS[name])
        metrics = task.pop("metrics")
        top = {"task": name, "tag": "news", "dataset_path": "json", "dataset_kwargs": {"data_files": {"test": str(to / f"{name}.jsonl")}},
               "test_split": "test", "output_type": "multiple_choice", **task,
               "metric_list": [{"metric": m, "aggregation": "mean", "higher_is_better": True} for m in metrics], "metadata": {"version": 1.0}}
        with atomic(to / f"{name}.yaml") as f:
            f.write(yaml.safe_dump(top, sort_keys=False).encode())


def train(raw, to, steps, batch, threads, say):
    """Trains tokenizer and network on messages that end with their newsgroup and subject, and saves both."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    torch.manual_seed(SEED)
    torch.set_num_threads(threads)
    found = messages(raw, "train")
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer, bpe.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    bpe.train_from_iterator((f"{' '.join(w)}\nNewsgroup: {g}\nSubject: {s}" for g, s, w in found),
                            trainers.BpeTrainer(vocab_size=VOCABULARY, special_tokens=["<end>"], initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=bpe, bos_token="<end>", eos_token="<end>", pad_token="<end>", model_max_length=LENGTH)
    net = GPT2LMHeadModel(GPT2Config(vocab_size=VOCABULARY, n_positions=LENGTH, n_embd=WIDTH, n_layer=LAYERS, n_head=HEADS,
                                     resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, bos_token_id=0, eos_token_id=0))
    say(f"{len(found)} messages, {sum(p.numel() for p in net.parameters()):,} weights")
    peak = 3e-3
    optimizer = torch.optim.AdamW(net.parameters(), peak, betas=(0.9, 0.95), weight_decay=0.1)
    rng, started = random.Random(SEED), time.time()
    for step in range(steps):
        for g in optimizer.param_groups:
            g["lr"] = peak * min(1, (step + 1) / 100, (steps - step) / (0.8 * steps))
        texts = []
        for group, subject, words in rng.sample(found, batch):
            start = rng.randrange(max(1, len(words) - WORDS + 1))
            tail = [f"\nNewsgroup: {group}", f"\nSubject: {subject}"]
            rng.shuffle(tail)
            texts.append(tokenizer.encode(" ".join(words[start : start + WORDS]))[: LENGTH - 40] + tokenizer.encode("".join(tail))[:39] + [0])
        longest = max(map(len, texts))
        x = torch.tensor([t + [0] * (longest - len(t)) for t in texts])
        y = torch.tensor([t + [-100] * (longest - len(t)) for t in texts])
        loss = net(input_ids=x, labels=y).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        if step % 100 == 0 or step == steps - 1:
            say(f"step {step}: loss {loss.item():.3f}, {time.time() - started:.0f} s")
    net.save_pretrained(to)
    tokenizer.save_pretrained(to)


def act(args):
    """Trains a tiny language model on 20 Newsgroups and writes tasks of several choices for it."""
    write_tasks(args.raw, args.out / "tasks", args.rows)
    if args.steps:
        train(args.raw, args.out / "tiny-lm", args.steps, args.batch, args.threads, lambda line: print(line, flush=True))
    return 0


def arguments(c):
    """The flags of the command."""
    c.set_defaults(act=act)
    c.add_argument("--raw", type=Path, required=True, help="folder with the unpacked 20 Newsgroups, bydate split")
    c.add_argument("--out", type=Path, required=True, help="folder for tiny-lm/ and tasks/")
    c.add_argument("--rows", type=int, default=2000, help="documents of each task (default 2000)")
    c.add_argument("--steps", type=int, default=1000, help="steps of the training; 0 writes the tasks alone (default 1000)")
    c.add_argument("--batch", type=int, default=32)
    c.add_argument("--threads", type=int, default=1)
