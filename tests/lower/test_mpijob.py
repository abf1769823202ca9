"""MPIJobs compiled from profiles, for both operators: what is planned is what they make of it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from specgen.linting import lint_text
from specgen.operators.training.facts import OPERATOR as TRAINING
from specgen.plan.mpi_line import STARTERS
from tests.lower.lowering import Came, built, found, tree, unmeant

V1 = {"target": {"kind": "MPIJob", "version": "v1"}}
V2 = {"target": {"kind": "MPIJob", "version": "v2beta1"}}
GPUS = {"gpu": {"gpu": {"resource": "nvidia.com/gpu", "perNode": 8}}}


def _cluster(version: str = "0.8.2", gang: str | None = None, **more: Any) -> dict[str, Any]:
    flag = {"gang": gang} if gang else {}
    operators = {"mpi-operator": {"version": version, **flag}, "training-operator": {"version": "1.9.4", **flag}}
    return {"operators": operators, **more}


@pytest.mark.parametrize(
    ("words", "replicas", "slots"),
    [
        ({}, {"Launcher": 1, "Worker": 1}, 1),
        ({"pods": 3, "procsPerPod": 2}, {"Launcher": 1, "Worker": 3}, 2),
        ({"pods": 2, "resources": {"gpu": 8}}, {"Launcher": 1, "Worker": 2}, 8),
        ({"pods": 3, "start": {"by": "mpirun", "launcherTrains": True}}, {"Launcher": 1, "Worker": 2}, 1),
        ({"start": {"by": "mpirun", "launcherTrains": True}}, {"Launcher": 1}, 1),
        ({"pods": 2, "resources": {"gpu": 8}, "start": "none"}, {"Launcher": 1, "Worker": 2}, 1),
        ({"pods": 2, "resources": {"gpu": 8}, "start": "self"}, {"Launcher": 1, "Worker": 2}, 8),
    ],
)
def test_pods_and_slots(words: dict[str, Any], replicas: dict[str, int], slots: int) -> None:
    spec = tree(built({**V2, **words}))["spec"]
    assert {name: role["replicas"] for name, role in spec["mpiReplicaSpecs"].items()} == replicas
    assert spec["slotsPerWorker"] == slots
    assert spec.get("runLauncherAsWorker") == (True if "launcherTrains" in str(words) else None)


def test_what_the_two_versions_say_otherwise() -> None:
    words = {"pods": 2, "lifecycle": {"ttl": "1h", "backoffLimit": 3}}
    old, new = (tree(built({**target, **words}))["spec"] for target in (V1, V2))
    assert old["cleanPodPolicy"] == new["runPolicy"]["cleanPodPolicy"] == "Running"
    assert old["runPolicy"] == {"ttlSecondsAfterFinished": 3600, "backoffLimit": 3}
    policies = [[role["restartPolicy"] for role in spec["mpiReplicaSpecs"].values()] for spec in (old, new)]
    assert policies == [["Never", "Never"], ["OnFailure", "Never"]]
    ssh = {"by": "mpirun", "implementation": "Intel", "ssh": {"keys": "/home/a/.ssh"}}
    spec = tree(built({**V2, "start": ssh}))["spec"]
    assert (spec["mpiImplementation"], spec["sshAuthMountPath"]) == ("Intel", "/home/a/.ssh")


@pytest.mark.parametrize(
    ("words", "cluster", "code", "path", "said"),
    [
        ({**V1, "start": {"by": "mpirun", "ssh": {"port": 1}}}, None, "SG208", "start.ssh", "by `kubectl exec`"),
        (
            {**V1, "start": {"by": "mpirun", "implementation": "Intel"}},
            None,
            "SG208",
            "start.implementation",
            f"the training-operator {TRAINING.newest} writes no host files for Intel",
        ),
        (
            {**V1, "start": {"by": "mpirun", "launcherTrains": True}},
            None,
            "SG208",
            "start.launcherTrains",
            "by its GPUs, and this one has none",
        ),
        (
            {**V1, "roles": {"launcher": {"resources": {"gpu": 1}}}},
            None,
            "SG208",
            "roles.launcher.resources",
            "it would run processes too",
        ),
        ({**V1, "lifecycle": {"restart": "ExitCode"}}, None, "SG208", "lifecycle.restart", "in Restarting for ever"),
        ({**V2, "lifecycle": {"restart": "ExitCode"}}, None, "SG208", "lifecycle.restart", "refuses it with an event"),
        ({**V2, "lifecycle": {"success": "AllWorkers"}}, None, "SG208", "lifecycle.success", "when its launcher does"),
        (
            {**V2, "start": {"by": "mpirun", "launcherTrains": True}},
            _cluster("0.4.0"),
            "SG208",
            "start.launcherTrains",
            "trains since mpi-operator 0.5, and this is 0.4.0",
        ),
        (
            {**V2, "start": {"by": "mpirun", "implementation": "MPICH"}},
            _cluster("0.4.0"),
            "SG208",
            "start.implementation",
            "mpi-operator 0.4.0 writes no host files for MPICH",
        ),
        (
            {**V2, "roles": {"launcher": {"env": {"NVIDIA_VISIBLE_DEVICES": "all"}}}},
            None,
            "SG212",
            "roles.launcher.env.NVIDIA_VISIBLE_DEVICES",
            "empties `NVIDIA_VISIBLE_DEVICES`",
        ),
        ({**V2, "env": {"K_MPI_JOB_ROLE": "a"}}, None, "SG212", "env.K_MPI_JOB_ROLE", "the operator sets"),
        ({**V2, "metadata": {"name": "a" * 55}}, None, "SG211", "metadata.name", "longer than 63 characters"),
        ({**V1, "metadata": {"name": "a" * 55}}, None, "SG211", "metadata.name", "longer than 63 characters"),
        ({**V2, "metadata": {"name": "1a"}}, None, "SG211", "metadata.name", "the mpi-operator wants a letter first"),
        ({**V1, "scheduling": {"gang": "kueue"}}, None, "SG208", "scheduling.gang", "Kueue knows MPIJobs of the"),
    ],
)
def test_what_an_mpijob_cannot_be(
    words: dict[str, Any], cluster: dict[str, Any] | None, code: str, path: str, said: str
) -> None:
    result = built(words, cluster)
    assert found(result)[0] == (code, "error", path), result.diagnostics
    assert said in result.diagnostics[0]["message"]


def test_a_digit_begins_the_name_of_a_job_that_has_no_service() -> None:
    came = Came(built({**V1, "metadata": {"name": "1a"}}).compiled[0])
    assert came.expansion.refusals == []


def test_a_gang_of_workers_alone_lets_them_become_ready() -> None:
    for gang in ("volcano", "scheduler-plugins"):
        words = {**V2, "pods": 3, "start": {"by": "mpirun", "ssh": {"port": 2222}}}
        result = built(words, _cluster(gang=gang))
        assert tree(result)["spec"]["runPolicy"]["schedulingPolicy"]["minAvailable"] == 3
        group = next(one for one in Came(result.compiled[0]).expansion.others if one["kind"] == "PodGroup")
        assert group["spec"]["minMember"] == 3
        # all start at once: the gang may hold the launcher too
        at_once = tree(built({**words, "start": {"by": "mpirun", "wait": False}}, _cluster(gang=gang)))["spec"]
        assert "launcherCreationPolicy" not in at_once
        assert at_once["runPolicy"].get("schedulingPolicy", {}).get("minAvailable", 4) == 4


def test_workers_lie_together_wherever_their_launcher_is() -> None:
    labels = {"training.kubeflow.org/job-name": "demo", "training.kubeflow.org/job-role": "worker"}
    words = {**V2, "pods": 2, "scheduling": {"within": "zone"}}
    pods = tree(built(words))["spec"]["mpiReplicaSpecs"]
    affinity = pods["Worker"]["template"]["spec"]["affinity"]["podAffinity"]
    (term,) = affinity["requiredDuringSchedulingIgnoredDuringExecution"]
    assert term["labelSelector"]["matchLabels"] == labels
    assert "affinity" not in pods["Launcher"]["template"]["spec"]


@st.composite
def _jobs(draw: st.DrawFn) -> dict[str, Any]:
    target = draw(st.sampled_from((V1, V2)))
    gpu = draw(st.sampled_from((0, 0, 1, 4)))
    starter = draw(st.sampled_from(("mpirun", "mpirun", "horovodrun", "self", "none")))
    start: dict[str, Any] = {"by": starter}
    trains = draw(st.booleans()) and (target is V2 or gpu > 0)
    if trains:
        start["launcherTrains"] = True
    if draw(st.booleans()):
        start["wait"] = draw(st.booleans())
    if target is V2 and draw(st.booleans()):
        start["ssh"] = {"port": draw(st.integers(1024, 4000)), "server": ["StrictModes=no"]}
        if draw(st.booleans()):
            start["ssh"]["keys"] = "/home/mpi/.ssh"
    if target is V2 and starter == "mpirun":
        start["implementation"] = draw(st.sampled_from(("OpenMPI", "Intel", "MPICH")))
    words: dict[str, Any] = {**target, "pods": draw(st.integers(1, 4)), "start": start}
    if gpu:
        words["resources"] = {"gpu": gpu}
    elif starter != "none" and draw(st.booleans()):
        words["procsPerPod"] = draw(st.integers(1, 4))
    words["env"] = draw(
        st.dictionaries(st.sampled_from(("A", "B", "OMPI_MCA_pml", "NVIDIA_DRIVER_CAPABILITIES")), st.just("x"))
    )
    if draw(st.booleans()):
        words["prepare"] = draw(st.sampled_from(("date", "echo $(date) $$\n", "#!/bin/bash\nset -u")))
    if draw(st.booleans()):
        words["roles"] = {"worker": {"env": {"LATER": "1"}, "lifecycle": {"restart": "OnFailure"}}}
    words["lifecycle"] = draw(
        st.fixed_dictionaries(
            {},
            optional={
                "cleanPods": st.sampled_from(("None", "Running", "All")),
                "backoffLimit": st.sampled_from((0, 2, 3)),
            },
        )
    )
    return words


@settings(derandomize=True, max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_jobs(), st.sampled_from(("0.8.2", "0.6.0", "0.4.0")))
def test_what_is_planned_is_what_the_operators_make(words: dict[str, Any], version: str) -> None:
    start = words["start"]
    if version == "0.4.0" and words["target"]["version"] == "v2beta1":
        start.pop("launcherTrains", None)
        start["implementation"] = "OpenMPI"
    result = built(words, _cluster(version, pools=GPUS))
    spec = tree(result)["spec"]
    came = Came(result.compiled[0])
    plan, count = came.plan, came.plan.world
    assert unmeant(lint_text(came.text)) == [] and came.expansion.refusals == []
    roles = [(role.name, role.replicas.value) for role in plan.roles]
    assert [(role.name, role.replicas) for role in came.workload.roles] == roles
    assert count.pods == words["pods"] == sum(pods for _, pods in roles) - (0 if start.get("launcherTrains") else 1)
    assert came.workload.procs_per_pod == count.procs_per_pod
    instances = came.expansion.instances
    assert sorted(one.role for one in instances) == sorted(name for name, pods in roles for _ in range(pods))
    for one in instances:
        role = next(role for role in plan.roles if role.name == one.role)
        assert one.devices == {name: said.value for name, said in role.devices.limits.items() if "/" in name}
        if role.command is not None:
            assert one.command == [word.replace("$$(", "$(").replace("$$$", "$$") for word in role.command.value] or (
                "prepare" in words
            )
    _ranks(came, words)
    _environment(came, words)
    waits = start.get("wait") is not False and "Worker" in dict(roles)
    line = " ".join(spec["mpiReplicaSpecs"]["Launcher"]["template"]["spec"]["containers"][0]["command"])
    held = "launcherCreationPolicy" in spec
    assert waits == (held or "until " in line) and not (held and "until " in line)


def _ranks(came: Came, words: dict[str, Any]) -> None:
    """Every process has a rank on a host of the host file, where the operator's expansion knows them."""
    if words["target"] == V1["target"] or words["start"]["by"] != "mpirun":
        return
    given = [one.ranks for one in came.expansion.instances if one.ranks is not None]
    ranks = [rank for first, last in sorted(given) for rank in range(first, last + 1)]
    assert ranks == list(range(came.plan.world.size))


def _environment(came: Came, words: dict[str, Any]) -> None:
    """The launcher has every variable of the ranks; mpirun carries it by its name, or the container has it."""
    names = [*words["env"], *(["LATER"] if "roles" in words else [])]
    containers = {}
    for pod in came.expansion.pods:
        role = "Launcher" if "launcher" in pod["metadata"]["name"] else "Worker"
        containers[role] = pod["spec"]["containers"][0]
    launcher = containers["Launcher"]
    had = [entry["name"] for entry in launcher.get("env", [])]
    line = ",".join(launcher["command"]).split(",")
    trains = words["start"].get("launcherTrains")
    if trains and "Worker" not in containers:
        names = list(words["env"])
    for name in names:
        if name.startswith("NVIDIA_"):
            assert name not in line
            worker = [entry["name"] for entry in containers.get("Worker", launcher).get("env", [])]
            assert name in worker
            continue
        assert name in had
        if words["start"]["by"] == "mpirun":
            assert (name in line) == (not name.startswith("OMPI_"))
        assert words["start"]["by"] in (*STARTERS, "self", "none")
