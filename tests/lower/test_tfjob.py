"""TFJobs compiled from profiles: who has which pods, what is refused, and what the operator makes of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.acceptance.trees import compiled
from tests.lower.lowering import Came, built, found, tree

ROOT = Path(__file__).parent.parent.parent
TARGET = {"target": "TFJob"}


@pytest.mark.parametrize(
    ("words", "replicas"),
    [
        ({}, {"Worker": 1}),
        ({"pods": 3}, {"Worker": 3}),
        ({"roles": {"chief": {}}}, {"Chief": 1}),
        ({"pods": 3, "roles": {"chief": {}}}, {"Chief": 1, "Worker": 2}),
        ({"pods": 3, "roles": {"master": {}}}, {"Master": 1, "Worker": 2}),
        ({"pods": 2, "roles": {"ps": {}}}, {"Worker": 2, "PS": 1}),
        ({"pods": 2, "roles": {"ps": {"pods": 3}, "evaluator": {}}}, {"Worker": 2, "PS": 3, "Evaluator": 1}),
        (
            {"pods": 2, "roles": {"evaluator": {"pods": 1}, "worker": {"env": {"A": "b"}}, "chief": {}}},
            {"Chief": 1, "Worker": 1, "Evaluator": 1},
        ),
    ],
)
def test_who_has_which_pods(words: dict[str, Any], replicas: dict[str, int]) -> None:
    roles = tree(built({**TARGET, **words}))["spec"]["tfReplicaSpecs"]
    assert {name: role["replicas"] for name, role in roles.items()} == replicas
    assert [role["restartPolicy"] for role in roles.values()] == ["Never"] * len(roles)


@pytest.mark.parametrize(
    ("words", "code", "path", "said"),
    [
        ({"roles": {"chief": {}, "master": {}}}, "SG207", "roles.master", "the webhook refuses both"),
        ({"roles": {"launcher": {}}}, "SG208", "roles.launcher", "has no role `launcher`"),
        ({"roles": {"chief": {"pods": 2}}}, "SG208", "roles.chief.pods", "no count of its own"),
        ({"pods": 2, "elastic": {"max": 3}}, "SG208", "elastic", "does not change while it runs"),
        ({"procsPerPod": 4}, "SG207", "procsPerPod", "whose operator starts one process in each pod"),
        ({"start": "torchrun"}, "SG208", "start", "`torchrun` cannot start the processes"),
        ({"env": {"TF_CONFIG": "{}"}}, "SG212", "env.TF_CONFIG", "TF_CONFIG"),
        (
            {"roles": {"chief": {}}, "lifecycle": {"success": "AllWorkers"}},
            "SG207",
            "lifecycle.success",
            "whose end is the end of the job",
        ),
        ({"metadata": {"name": "a" * 55}}, "SG211", "metadata.name", "longer than 63 characters"),
    ],
)
def test_what_a_tfjob_cannot_be(words: dict[str, Any], code: str, path: str, said: str) -> None:
    result = built({**TARGET, **words})
    assert found(result) == [(code, "error", path)]
    assert said in result.diagnostics[0]["message"]


def test_why_a_tfjob_is_not_elastic_and_who_may_start_its_processes() -> None:
    (one,) = built({**TARGET, "elastic": {"min": 1}}).diagnostics
    assert "`enableDynamicWorker` keeps no range" in str(one)
    (one,) = built({**TARGET, "procsPerPod": 2}).diagnostics
    assert "`start: self`" in str(one) and "torchrun" not in str(one)


def test_all_workers_must_succeed_where_that_is_said() -> None:
    words = {**TARGET, "pods": 2}
    assert "successPolicy" not in tree(built(words))["spec"]
    assert tree(built({**words, "lifecycle": {"success": "AllWorkers"}}))["spec"]["successPolicy"] == "AllWorkers"


def test_one_process_has_all_gpus_of_its_pod() -> None:
    for words in ({}, {"start": "self"}):
        result = built({**TARGET, **words, "pods": 2, "resources": {"gpu": 4}, "roles": {"ps": {}}})
        assert found(result) == []


@pytest.mark.parametrize("target", ["TFJob", "MSJob"])
def test_parameter_servers_have_no_devices_that_they_do_not_ask_for(target: str) -> None:
    cluster = {"pools": {"a": {"gpu": {"resource": "nvidia.com/gpu"}, "hca": {"resource": "rdma/hca"}}}}
    cluster["pools"]["a"]["fabric"] = {"rdma": "shared-device", "memlock": "capability"}
    amounts = {"gpu": 2, "hca": 1, "cpu": 8, "other": {"example.com/fpga": 1}}
    job = {"target": target, "pods": 2, "resources": amounts, "roles": {"ps": {}}}
    hidden = [{"name": "NVIDIA_VISIBLE_DEVICES", "value": "void"}]
    limits, env = _server(built(job, cluster), target)
    # TensorFlow takes all memory of the GPUs that it sees; MindSpore's servers may need the driver (SG482 warns)
    assert (limits, [one for one in env if one in hidden]) == ({"cpu": 8}, hidden if target == "TFJob" else [])
    # what shows no GPU is not told to hide one, nor is an image of its own
    for change in ({"roles": {"ps": {"image": "a/server:1"}}}, {"resources": {"gpu": 0, "cpu": 8}}):
        assert not any(one in hidden for one in _server(built({**job, **change}, cluster), target)[1])
    own = {"roles": {"ps": {"resources": {"gpu": 1}, "env": {"NVIDIA_VISIBLE_DEVICES": "0"}}}}
    limits, env = _server(built({**job, **own}, cluster), target)
    assert limits == {"cpu": 8, "nvidia.com/gpu": 1} and not any(one in hidden for one in env)


def _server(result: Any, target: str) -> tuple[dict[str, Any], list[Any]]:
    """The limits and the variables of the parameter servers."""
    replicas = tree(result)["spec"]["tfReplicaSpecs" if target == "TFJob" else "msReplicaSpecs"]
    (container,) = replicas["PS"]["template"]["spec"]["containers"]
    return container["resources"]["limits"], container.get("env", [])


def test_the_operators_flag_groups_all_roles() -> None:
    cluster = {"operators": {"training-operator": {"version": "1.9.4", "gang": "volcano"}}}
    words = {**TARGET, "pods": 3, "roles": {"chief": {}, "ps": {"pods": 2}}, "scheduling": {"queue": "vision"}}
    result = built(words, cluster)
    assert tree(result)["spec"]["runPolicy"]["schedulingPolicy"] == {"queue": "vision"}
    came = Came(result.compiled[0])
    (group,) = came.expansion.others
    assert (group["kind"], group["spec"]["minMember"], group["spec"]["queue"]) == ("PodGroup", 5, "vision")


def test_volume_and_claim_are_those_of_the_source(shared: Path) -> None:
    bundle = compiled(ROOT / "profiles/jobs/tf-mnist.yaml").compiled[0].bundle
    assert bundle is not None
    beside = [manifest.tree for manifest in bundle.manifests[:-1]]
    files = sorted((shared / "sources/manifests").glob("003-[12]-*.yaml"))
    assert beside == [yaml.safe_load(path.read_text("utf-8")) for path in files] and len(beside) == 2


@st.composite
def _jobs(draw: st.DrawFn) -> dict[str, Any]:
    roles: dict[str, Any] = {}
    gpu = draw(st.integers(0, 4))
    first = draw(st.sampled_from((None, "chief", "master")))
    if first is not None:
        roles[first] = draw(st.sampled_from(({}, {"env": {"A": "b"}}, {"resources": {"gpu": 1}})))
    for word in ("ps", "evaluator"):
        if draw(st.booleans()):
            roles[word] = draw(st.fixed_dictionaries({}, optional={"pods": st.integers(1, 3 if word == "ps" else 1)}))
            if draw(st.booleans()):
                roles[word]["resources"] = {"gpu": 0}
    lifecycle = draw(
        st.fixed_dictionaries(
            {},
            optional={
                "restart": st.sampled_from(("OnFailure", "Never", "ExitCode")),
                "cleanPods": st.sampled_from(("None", "Running", "All")),
                "suspend": st.booleans(),
                "backoffLimit": st.sampled_from((0, 30, 50)),
                "ttl": st.just("1h"),
            },
        )
    )
    if first is None and draw(st.booleans()):
        lifecycle["success"] = "AllWorkers"
    words: dict[str, Any] = {**TARGET, "pods": draw(st.integers(1, 4)), "roles": roles, "lifecycle": lifecycle}
    if gpu:
        words["resources"] = {"gpu": gpu}
    if draw(st.booleans()):
        words["start"] = draw(st.sampled_from(("none", "self")))
    if words.get("start") == "self":
        words["roles"].pop(first, None)
        lifecycle.pop("success", None)
        words["procsPerPod"] = draw(st.integers(1, gpu or 2))
    return words


@settings(derandomize=True, max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_jobs())
def test_what_is_planned_is_what_the_operator_makes(words: dict[str, Any]) -> None:
    result = built(words)
    spec = tree(result)["spec"]
    came = Came(result.compiled[0])
    came.as_planned()
    world = came.plan.world
    assert (world.pods, world.procs_per_pod) == (words["pods"], words.get("procsPerPod", 1))
    training = [role for role in came.plan.roles if role.word not in ("ps", "evaluator")]
    assert sum(role.replicas.value for role in training) == words["pods"]
    assert spec.get("successPolicy") == words["lifecycle"].get("success")
    for pod in came.expansion.pods:
        env = {entry["name"]: entry["value"] for entry in pod["spec"]["containers"][0].get("env", [])}
        assert ("TF_CONFIG" in env) == (len(came.expansion.pods) > 1)
        if "TF_CONFIG" in env:
            cluster = json.loads(env["TF_CONFIG"])["cluster"]
            assert {name: len(hosts) for name, hosts in cluster.items()} == {
                role.name.lower(): role.replicas.value for role in came.plan.roles
            }


def env_of(role: dict[str, Any]) -> list[Any]:
    env: list[Any] = role["template"]["spec"]["containers"][0].get("env", [])
    return env


def test_a_role_without_gpus_sees_none_of_an_image_that_may_ask_for_all() -> None:
    """What is built needs no warning of its own rule (SG482), whichever role has the GPUs."""
    without = {"resources": {"gpu": 0}}
    hidden = {"name": "NVIDIA_VISIBLE_DEVICES", "value": "void"}
    roles: dict[str, Any] = {"ps": {}, "chief": without, "evaluator": without}
    job = {**TARGET, "pods": 3, "roles": roles}
    for words in ({"resources": {"gpu": 2}}, {"roles": {**roles, "worker": {"resources": {"gpu": 2}}}}):
        result = built({**job, **words})
        assert "SG482" not in [one["code"] for one in result.diagnostics]
        replicas = tree(result)["spec"]["tfReplicaSpecs"]
        blind = [name for name, role in replicas.items() if hidden in env_of(role)]
        assert blind == ["Chief", "PS", "Evaluator"]
