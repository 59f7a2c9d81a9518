"""The scenario of these files, for HELM 0.5.16, on the first ten documents of news_group of zoo language, in the folder $NEWS:

    helm-run --plugins news_helm --enable-local-huggingface-models OUT/tiny-lm --suite s --disable-cache -n 1 -m 200 \\
        --run-entries news:task=news_group,method=METHOD,model=huggingface/tiny-lm

with the methods of the folders' names. The files are whole, and packed by xz.
"""

import json
import os

from helm.benchmark.adaptation.adapter_spec import AdapterSpec
from helm.benchmark.metrics.metric import MetricSpec
from helm.benchmark.run_spec import RunSpec, run_spec_function
from helm.benchmark.scenarios.scenario import (
    CORRECT_TAG,
    TEST_SPLIT,
    VALID_SPLIT,
    Input,
    Instance,
    Output,
    Reference,
    Scenario,
    ScenarioSpec,
)


class NewsScenario(Scenario):
    name, description, tags = "news", "20 Newsgroups", []

    def __init__(self, task):
        super().__init__()
        self.task = task

    def get_instances(self, output_path):
        out = []
        with open(os.path.join(os.environ["NEWS"], f"{self.task}.jsonl")) as f:
            for i, line in enumerate(f):
                d = json.loads(line)
                refs = [Reference(Output(text=c), tags=[CORRECT_TAG] if j == d["answer"] else []) for j, c in enumerate(d["choices"])]
                out.append(Instance(Input(text=d["text"]), references=refs, split=VALID_SPLIT if i % 3 == 0 else TEST_SPLIT))
        return out


@run_spec_function("news")
def spec(task: str, method: str) -> RunSpec:
    adapter = AdapterSpec(
        method=method,
        input_prefix="",
        input_suffix="\n",
        output_prefix="Newsgroup: ",
        output_suffix="\n" if "joint" in method else "",
        reference_prefix="\nA. ",
        max_train_instances=0,
        max_eval_instances=200,
        num_outputs=5,
        max_tokens=1,
        temperature=0.0,
        num_train_trials=1,
    )
    metric = (
        MetricSpec("helm.benchmark.metrics.basic_metrics.BasicReferenceMetric", {})
        if "separate" in method
        else MetricSpec("helm.benchmark.metrics.basic_metrics.BasicGenerationMetric", {"names": ["exact_match"]})
    )
    return RunSpec(
        name=f"news:task={task},method={method}",
        scenario_spec=ScenarioSpec("news_helm.NewsScenario", {"task": task}),
        adapter_spec=adapter,
        metric_specs=[metric],
        groups=["news"],
    )
