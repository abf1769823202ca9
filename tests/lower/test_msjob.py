"""MSJobs compiled from profiles: the Scheduler, what its operator cannot do, and what it makes of the rest."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from specgen.operators.mindspore.facts import FRAMEWORK
from tests.lower.lowering import Came, built, found, tree

TARGET = {"target": "MSJob"}
NPUS = {
    "pools": {"ascend": {"npu": {"resource": "huawei.com/Ascend910", "perNode": 8}}},
    "operators": {"ms-operator": {"version": "1.0.0"}},
}
GROUPED = {"operators": {"ms-operator": {"version": "1.0.0", "gang": "volcano"}}}


@pytest.mark.parametrize(
    ("words", "replicas"),
    [
        ({}, {"Worker": 1}),
        ({"roles": {"scheduler": {"resources": {"cpu": 1}}}}, {"Worker": 1}),
        ({"pods": 2}, {"Scheduler": 1, "Worker": 2}),
        ({"roles": {"ps": {}}}, {"Scheduler": 1, "PS": 1, "Worker": 1}),
        ({"pods": 4, "roles": {"ps": {"pods": 2}, "scheduler": {}}}, {"Scheduler": 1, "PS": 2, "Worker": 4}),
    ],
)
def test_a_scheduler_comes_where_two_are_to_meet(words: dict[str, Any], replicas: dict[str, int]) -> None:
    roles = tree(built({**TARGET, **words}))["spec"]["msReplicaSpecs"]
    assert {name: role["replicas"] for name, role in roles.items()} == replicas
    assert [role["restartPolicy"] for role in roles.values()] == ["Never"] * len(roles)


@pytest.mark.parametrize(
    ("words", "code", "path", "said"),
    [
        ({"roles": {"scheduler": {"pods": 2}}}, "SG208", "roles.scheduler.pods", "no count of its own"),
        ({"roles": {"chief": {}}}, "SG208", "roles.chief", "has no role `chief`"),
        ({"labels": {"team": "vision"}}, "SG208", "labels.team", "the CRD drops labels and annotations"),
        ({"pods": 2, "annotations": {"a/b": "c"}}, "SG208", "annotations[a/b]", "the annotation `a/b`"),
        (
            {"pods": 2, "roles": {"worker": {"labels": {"a": "b"}}}},
            "SG208",
            "roles.worker.labels.a",
            "cannot have the label `a`",
        ),
        ({"lifecycle": {"suspend": True}}, "SG208", "lifecycle.suspend", "begin at once"),
        ({"lifecycle": {"ttl": "1h"}}, "SG208", "lifecycle.ttl", "nothing wakes the ms-operator"),
        ({"pods": 2, "lifecycle": {"restart": "ExitCode"}}, "SG208", "lifecycle.restart", "restarts no pod"),
        ({"pods": 2, "elastic": {"max": 3}}, "SG208", "elastic", "does not change while it runs"),
        ({"procsPerPod": 4}, "SG207", "procsPerPod", "whose operator starts one process in each pod"),
        ({"start": "torchrun"}, "SG208", "start", "`torchrun` cannot start the processes"),
        ({"env": {"MS_ROLE": "MS_WORKER"}}, "SG212", "env.MS_ROLE", "MS_ROLE"),
        ({"pods": 2, "metadata": {"name": "a" * 52}}, "SG211", "metadata.name", "longer than 63 characters"),
        ({"pods": 2, "scheduling": {"gang": "kueue"}}, "SG208", "scheduling.gang", "Kueue knows no MSJobs"),
        ({"pods": 2, "scheduling": {"gang": "volcano"}}, "SG208", "scheduling.gang", "only an ms-operator with"),
        ({"pods": 2, "scheduling": {"gang": "coscheduling"}}, "SG208", "scheduling.gang", "belong to their group"),
        ({"pods": 2, "scheduling": {"gang": "yunikorn"}}, "SG208", "scheduling.gang", "to their application"),
        ({"pods": 2, "scheduling": {"gang": "kai"}}, "SG208", "scheduling.gang", "its pod grouper knows no MSJobs"),
    ],
)
def test_what_an_msjob_cannot_be(words: dict[str, Any], code: str, path: str, said: str) -> None:
    result = built({**TARGET, **words})
    assert found(result) == [(code, "error", path)]
    assert said in result.diagnostics[0]["message"]


def test_its_pods_cannot_be_kept_out_of_a_mesh_but_by_their_namespace() -> None:
    result = built({**TARGET, "pods": 2}, {"mesh": "istio"})
    assert found(result) == [("SG208", "error", "mesh")]
    assert "kept out of the mesh" in result.diagnostics[0]["message"]
    free = {"labels": {"sidecar.istio.io/inject": None}}
    assert found(built({**TARGET, "pods": 2, **free}, {"mesh": "istio"})) == []


def test_labels_of_the_job_stay_on_the_job_and_that_is_said() -> None:
    result = built({**TARGET, "pods": 2, "metadata": {"name": "demo", "labels": {"team": "vision"}}})
    assert found(result) == [("SG208", "note", "metadata.labels.team")]
    bundle = result.compiled[0].bundle
    assert bundle is not None and bundle.job.tree["metadata"]["labels"] == {"team": "vision"}
    for role in bundle.job.tree["spec"]["msReplicaSpecs"].values():
        assert list(role["template"]) == ["spec"]


def test_metadata_that_a_patch_puts_into_a_template_is_an_unknown_field() -> None:
    result = built({**TARGET, "patch": {"pod": {"metadata": {"labels": {"a": "b"}}}}})
    assert found(result) == [("SG101", "error", "spec.msReplicaSpecs.Worker.template.metadata.labels")]


def test_a_single_pod_may_restart_by_its_exit_code_and_be_called_as_people_like() -> None:
    assert tree(built({**TARGET, "lifecycle": {"restart": "ExitCode"}}))["spec"]["msReplicaSpecs"]
    assert tree(built({**TARGET, "metadata": {"name": "a" * 60}}))["metadata"]["name"] == "a" * 60


@pytest.mark.parametrize(
    ("words", "shared"),
    [({}, ["Worker"]), ({"roles": {"scheduler": {"resources": {"shm": "1Gi"}}}}, ["Scheduler", "Worker"])],
)
def test_the_scheduler_shares_no_memory_unless_it_is_said(words: dict[str, Any], shared: list[str]) -> None:
    job = {**TARGET, "pods": 2, "start": "self", "resources": {"npu": 8}, **words}
    roles = tree(built(job, NPUS))["spec"]["msReplicaSpecs"]
    volumes = {name: role["template"]["spec"].get("volumes", []) for name, role in roles.items()}
    assert [name for name, found in volumes.items() if any(one["name"] == "shm" for one in found)] == shared


def test_the_scheduler_has_the_variables_that_the_operator_now_and_then_forgets() -> None:
    words = {**TARGET, "pods": 3, "roles": {"ps": {}}, "env": {"A": "b"}, "ports": {"msjob-port": 3333}}
    came = Came(built(words).compiled[0])
    by_role = {pod["metadata"]["name"]: pod["spec"]["containers"][0]["env"] for pod in came.expansion.pods}
    scheduler = by_role["demo-scheduler-0"]
    assert scheduler[0] == {"name": "A", "value": "b"}
    assert scheduler[1:7] == scheduler[7:]
    assert [entry["name"] for entry in scheduler[1:7]] == [entry["name"] for entry in by_role["demo-worker-0"][1:]]
    assert {entry["name"] for entry in scheduler[1:7]} == FRAMEWORK.injected
    assert len(by_role["demo-worker-0"]) == len(by_role["demo-ps-0"]) == 7


def test_a_patch_may_set_a_variable_of_the_scheduler_or_call_its_container_otherwise() -> None:
    own = {"patch": {"container": {"env": [{"name": "MS_ROLE", "value": "MS_SCHED"}]}}}
    roles = tree(built({**TARGET, "pods": 2, "roles": {"scheduler": own}}))["spec"]["msReplicaSpecs"]
    names = [entry["name"] for entry in roles["Scheduler"]["template"]["spec"]["containers"][0]["env"]]
    assert names[0] == "MS_ROLE" and sorted(names) == sorted(FRAMEWORK.injected)
    renamed = {"patch": {"container": {"name": "trainer"}}}
    result = built({**TARGET, "pods": 2, "roles": {"scheduler": renamed}})
    assert ("SG301", "error") in [(code, severity) for code, severity, _ in found(result)]


def test_npus_are_asked_for_by_the_name_that_the_pool_has() -> None:
    words = {**TARGET, "pods": 2, "resources": {"npu": 1}, "roles": {"scheduler": {"resources": {"npu": 0}}}}
    came = Came(built(words, NPUS).compiled[0])
    came.as_planned()
    assert [instance.devices for instance in came.expansion.instances] == [{}, *[{"huawei.com/Ascend910": 1}] * 2]


def test_the_operators_flag_groups_scheduler_and_workers() -> None:
    words = {**TARGET, "pods": 2, "scheduling": {"queue": "vision", "priority": "high"}}
    result = built(words, GROUPED)
    assert tree(result)["spec"]["runPolicy"]["schedulingPolicy"] == {"queue": "vision", "priorityClass": "high"}
    came = Came(result.compiled[0])
    came.as_planned()
    (group,) = came.expansion.others
    assert (group["kind"], group["spec"]["minMember"], group["spec"]["queue"]) == ("PodGroup", 3, "vision")
    alone = tree(built({**TARGET, "pods": 2, "scheduling": {"gang": False}}, GROUPED))
    assert alone["spec"]["runPolicy"]["schedulingPolicy"]["minAvailable"] == 1


@st.composite
def _jobs(draw: st.DrawFn) -> dict[str, Any]:
    roles: dict[str, Any] = {}
    npu = draw(st.integers(0, 2))
    if draw(st.booleans()):
        roles["ps"] = draw(st.fixed_dictionaries({}, optional={"pods": st.integers(1, 3), "env": st.just({"A": "b"})}))
    if draw(st.booleans()):
        roles["scheduler"] = {"resources": {"npu": 0}}
    lifecycle = draw(
        st.fixed_dictionaries(
            {},
            optional={
                "restart": st.sampled_from(("OnFailure", "Never")),
                "cleanPods": st.sampled_from(("None", "Running", "All")),
                "backoffLimit": st.sampled_from((0, 30, 50)),
                "success": st.just("AllWorkers"),
                "deadline": st.just("2h"),
            },
        )
    )
    words: dict[str, Any] = {**TARGET, "pods": draw(st.integers(1, 4)), "roles": roles, "lifecycle": lifecycle}
    if npu:
        words["resources"] = {"npu": npu}
    if npu > 1 or draw(st.booleans()):
        words["start"] = "self"
    if draw(st.booleans()):
        words["ports"] = {"msjob-port": draw(st.integers(3000, 3005))}
    return words


@settings(derandomize=True, max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_jobs())
def test_what_is_planned_is_what_the_operator_makes(words: dict[str, Any]) -> None:
    result = built(words, NPUS)
    spec = tree(result)["spec"]
    came = Came(result.compiled[0])
    came.as_planned()
    counts = {role.word: role.replicas.value for role in came.plan.roles}
    assert counts["worker"] == came.plan.world.pods == words["pods"]
    assert ("scheduler" in counts) == (words["pods"] > 1 or "ps" in words["roles"])
    assert spec.get("successPolicy") == words["lifecycle"].get("success")
    for pod in came.expansion.pods:
        env = {entry["name"]: entry.get("value") for entry in pod["spec"]["containers"][0].get("env", [])}
        assert env.get("MS_WORKER_NUM") == (str(counts["worker"]) if "scheduler" in counts else None)
        assert env.get("MS_SERVER_NUM") == (str(counts.get("ps", 0)) if "scheduler" in counts else None)
