"""Writes log.eval and log.json: python make.py SAMPLES, with Inspect 0.3.285.

SAMPLES is the file samples_news_group_... of which testdata/lm-eval has the beginning. The model is mockllm, whose probabilities of the letters are those
of the tiny network for the choices; of these the log has the five likeliest.
"""

import json
import math
import sys

from inspect_ai import Task
from inspect_ai import eval as run
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageAssistant, ModelOutput, ModelUsage, get_model
from inspect_ai.model._model_output import ChatCompletionChoice, Logprob, Logprobs, TopLogprob
from inspect_ai.scorer import choice
from inspect_ai.solver import multiple_choice

rows = [json.loads(x) for x in open(sys.argv[1])][:10]
samples = [
    Sample(input=r["doc"]["text"], choices=r["doc"]["choices"], target="ABCDEFGHIJ"[r["doc"]["answer"]], id=r["doc_id"]) for r in rows
]
by_text = {r["doc"]["text"]: r for r in rows}


def answer(input, tools, tool_choice, config):
    """The letter of the likeliest choice, with the five likeliest letters (top_logprobs=5), as an API gives them."""
    text = " ".join(input[-1].text.split())
    r = next(r for t, r in by_text.items() if " ".join(t.split()) in text)
    z = [float(v) for v, _ in r["filtered_resps"]]
    m = max(z)
    s = sum(math.exp(v - m) for v in z)
    p = sorted(((v - m - math.log(s), "ABCDEFGHIJ"[j]) for j, v in enumerate(z)), reverse=True)
    token = p[0][1]
    top = [TopLogprob(token=f" {t}", logprob=v, bytes=list(f" {t}".encode())) for v, t in p[: config.top_logprobs]]
    before = [Logprob(token=t, logprob=0.0, top_logprobs=[TopLogprob(token=t, logprob=0.0)]) for t in ("ANSWER", ":")]
    content = [*before, Logprob(token=f" {token}", logprob=p[0][0], bytes=top[0].bytes, top_logprobs=top)]
    message = ChatMessageAssistant(content=f"ANSWER: {token}", source="generate")
    return ModelOutput(
        model="mockllm/tiny-lm",
        usage=ModelUsage(input_tokens=100, output_tokens=3, total_tokens=103),
        choices=[ChatCompletionChoice(message=message, stop_reason="stop", logprobs=Logprobs(content=content))],
    )


model = get_model("mockllm/tiny-lm", custom_outputs=answer)
for fmt in ("eval", "json"):
    run(
        Task(dataset=MemoryDataset(samples), solver=multiple_choice(), scorer=choice(), name="news_group"),
        model=model,
        log_format=fmt,
        log_dir="logs",
        display="none",
        logprobs=True,
        top_logprobs=5,
    )
