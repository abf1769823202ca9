"""Words of a profile and the fields that come of them, for each kind that can carry them: cases in `words.yaml`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from specgen.linting import lint_text
from tests.lower.lowering import built, stream

CASES: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("words.yaml").read_text("utf-8"))


def _at(tree: Any, path: str) -> Any:
    for step in path.split("/"):
        tree = tree[int(step)] if isinstance(tree, list) else tree.get(step, {})
    return tree


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["about"])
def test_what_comes_of_a_word(case: dict[str, Any]) -> None:
    for target in case.get("targets", ["PyTorchJob"]):
        result = built({"target": target, **case["job"]}, case.get("cluster"))
        assert [(one["code"], one["path"]) for one in result.diagnostics] == []
        bundle = result.compiled[0].bundle
        assert bundle is not None
        trees: dict[str, Any] = {"job": bundle.job.tree}
        trees |= {one.ref.kind: one.tree for one in bundle.manifests if one is not bundle.job}
        for path, wanted in case["gives"].items():
            whole = path.format(**{key: value for key, value in _WHERE[_name(target)].items()})
            assert _at(trees, whole) == wanted, whole
        # what is built is what hand-written manifests should be
        assert lint_text(stream([bundle])) == []


def _name(target: Any) -> str:
    return target if isinstance(target, str) else f"{target['kind']} {target['version']}"


def _spec(field: str, role: str) -> dict[str, str]:
    return {"pod": f"job/spec/{field}/{role}/template/spec", "policy": "job/spec/runPolicy"}


# Where each kind has the pods of its workers.
_WHERE = {
    "PyTorchJob": _spec("pytorchReplicaSpecs", "Worker"),
    "TFJob": _spec("tfReplicaSpecs", "Worker"),
    "MPIJob": _spec("mpiReplicaSpecs", "Worker"),
    "MPIJob v1": _spec("mpiReplicaSpecs", "Worker"),
    "MSJob": _spec("msReplicaSpecs", "Worker"),
    "TrainJob": {
        "pod": "TrainingRuntime/spec/template/spec/replicatedJobs/0/template/spec/template/spec",
        "policy": "job/spec",
    },
}
