"""TrainJobs that nobody wrote: expanded and read back, they are what was planned."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from specgen.linting import lint_source
from specgen.manifest.model import Manifest
from specgen.manifest.origins import Origins
from specgen.operators.trainer.trainjob import READER as trainjob
from specgen.source import Source
from tests.lower.lowering import unmeant
from tests.lower.trainjobs import VERSIONS, build, expanded, trees


@st.composite
def jobs(draw: st.DrawFn) -> dict[str, Any]:
    """A job that is right, for each starter."""
    gpu = draw(st.integers(0, 8))
    words: dict[str, Any] = {"pods": draw(st.integers(1, 12))}
    if gpu:
        words["resources"] = {"gpu": gpu, "cpu": draw(st.integers(1, 4))}
    starter = draw(st.sampled_from((None, "none", "self", "torchrun", "mpirun")))
    if starter is not None:
        words["start"] = starter
    if starter == "mpirun" and words["pods"] > 1 and draw(st.booleans()):
        words["start"] = {"by": "mpirun", "launcherTrains": True}
    if starter != "none" and draw(st.booleans()):
        words["procsPerPod"] = draw(st.integers(1, gpu or 4))
    if draw(st.booleans()):
        words["env"] = {"A": draw(st.sampled_from(("", "$$(B)", "1")))}
    if draw(st.booleans()):
        words["mounts"] = {"/data": {"pvc": "data"}}
    if draw(st.booleans()):
        words["prepare"] = "true"
    if draw(st.booleans()):
        words["lifecycle"] = {"restart": "Never", "backoffLimit": 20, "deadline": "1h"}
    return words


@settings(derandomize=True, max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(jobs(), st.sampled_from(VERSIONS), st.booleans())
def test_what_is_expanded_and_read_back_is_what_was_planned(words: dict[str, Any], version: str, gang: bool) -> None:
    result = build(words, version, {"scheduling": {"gang": "coscheduling"}} if gang else None)
    assert not unmeant(result.diagnostics), result.diagnostics
    one = result.compiled[0]
    plan, bundle = one.plan, one.bundle
    assert plan is not None and bundle is not None
    workload = trainjob.read(bundle.job, version)
    trainjob.with_runtime(workload, [manifest for manifest in bundle.manifests if manifest is not bundle.job])
    assert [(role.name, role.replicas) for role in workload.roles] == [
        (role.name, role.replicas.value) for role in plan.roles
    ]
    assert workload.procs_per_pod == plan.world.procs_per_pod
    training = [role for role in workload.roles if not (role.name == "launcher" and words["start"] == "mpirun")]
    assert sum(role.replicas for role in training) == plan.world.pods == words["pods"]
    for role, planned in zip(workload.roles, plan.roles, strict=True):
        main = role.main
        assert main is not None and main.name == "node"
        assert main.tree.get("command", []) == planned.command.value if planned.command is not None else True
        assert {name: entry["value"] for name, (_, entry) in main.env.items()} == {
            name: said.value["value"] for name, said in planned.env.items()
        }
        limits = (main.tree.get("resources") or {}).get("limits", {})
        assert limits == {name: said.value for name, said in planned.devices.limits.items()}
        keys = ["/root/.ssh"] if words.get("start") not in (None, "none", "self", "torchrun") else []
        assert [mount["mountPath"] for _, mount in main.mounts] == [mount.path for mount in planned.mounts] + keys
    expansion = expanded(one)
    assert len(expansion.pods) == sum(role.replicas.value for role in plan.roles)
    groups = [tree for tree in [*expansion.objects, *trees(one).values()] if tree["kind"] == "PodGroup"]
    together = sum(role.replicas.value for role in plan.roles if not role.late)
    assert [tree["spec"]["minMember"] for tree in groups] == ([together] if gang and together > 1 else [])
    if plan.world.starter == "torchrun":
        procs = plan.world.procs_per_pod
        ranks = [(index * procs, index * procs + procs - 1) for index in range(words["pods"])]
        assert [instance.ranks for instance in expansion.instances] == ranks
    for manifest in bundle.manifests:
        _origins(manifest)
    text = "\n---\n".join(json.dumps(manifest.tree) for manifest in bundle.manifests)
    assert unmeant(lint_source(Source("built.yaml", text)).diagnostics) == []


def _origins(manifest: Manifest) -> None:
    """Every leaf has an origin of its own or of a part above it, never of the whole object."""
    assert isinstance(manifest.where, Origins)
    pending: list[tuple[tuple[str | int, ...], Any]] = [((), manifest.tree)]
    for path, tree in pending:  # grows while it is walked
        below = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
        children = [((*path, key), child) for key, child in below]
        pending += children
        if not children:
            origin = manifest.where.of(path)
            assert origin is not None and origin[0] and len(origin[2]) > 3, f"{path} has no origin"
