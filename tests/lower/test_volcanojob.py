"""Volcano Jobs compiled from profiles: tasks of one gang, what plugins tell them, what policies make of failures."""

from __future__ import annotations

from typing import Any

import pytest

from specgen import operators
from specgen.checking import check_manifest
from specgen.operators.lifecycle import ANEW, FAILED
from tests.lower.lowering import Came, built, found, tree

TARGET = {"target": "VolcanoJob"}
TORCHRUN = {**TARGET, "command": ["train.py"], "start": "torchrun", "resources": {"gpu": 2}}
MPI = {**TARGET, "command": ["python", "train.py"], "start": "mpirun", "resources": {"gpu": 2}, "pods": 3}
SVC = ["--publish-not-ready-addresses=true"]
PYTORCH = {"pytorch": ["--master=master", "--worker=worker", "--port=23456"], "svc": SVC}
AGAIN = [{"event": "PodEvicted", "action": "RestartJob"}, {"event": "PodFailed", "action": "RestartJob"}]
ENDS = {"event": "PodFailed", "action": "TerminateJob"}


def spec_of(words: dict[str, Any], cluster: dict[str, Any] | None = None) -> dict[str, Any]:
    manifest = tree(built({**TARGET, **words}, cluster))
    assert (manifest["apiVersion"], manifest["kind"]) == ("batch.volcano.sh/v1alpha1", "Job")
    spec: dict[str, Any] = manifest["spec"]
    return spec


def tasks_of(words: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {task["name"]: task for task in spec_of(words)["tasks"]}


def line_of(task: dict[str, Any]) -> list[str]:
    found: list[str] = task["template"]["spec"]["containers"][0]["command"]
    return found


@pytest.mark.parametrize("pods", [1, 4])
def test_all_pods_are_one_gang_of_a_master_and_workers(pods: int) -> None:
    spec = spec_of({"pods": pods})
    assert (spec["schedulerName"], spec["minAvailable"], spec["plugins"]) == ("volcano", pods, PYTORCH)
    assert [(task["name"], task["replicas"]) for task in spec["tasks"]] == [("master", 1), ("worker", pods - 1)][:pods]
    assert {task["template"]["spec"]["restartPolicy"] for task in spec["tasks"]} == {"OnFailure"}


@pytest.mark.parametrize(
    ("words", "ranks"),
    [
        ({"pods": 3}, [(0, 0), (1, 1), (2, 2)]),
        ({**TORCHRUN, "pods": 2}, [(0, 1), (2, 3)]),
        ({**TORCHRUN, "pods": 2, "procsPerPod": 1}, [(0, 0), (1, 1)]),
        ({**TORCHRUN, "pods": 2, "start": "accelerate"}, [(0, 1), (2, 3)]),
        ({**TORCHRUN, "pods": 1}, [(0, 1)]),
    ],
)
def test_pods_meet_as_planned(words: dict[str, Any], ranks: list[tuple[int, int]]) -> None:
    (one,) = built({**TARGET, **words}).compiled
    expansion = Came(one).expansion
    assert expansion.refusals == [] and expansion.notes == []
    assert [instance.ranks for instance in expansion.instances] == ranks
    assert {instance.rendezvous for instance in expansion.instances} == {"demo-master-0.demo:23456"}
    first = expansion.pods[0]["spec"]
    assert (first["hostname"], first["subdomain"]) == ("demo-master-0", "demo")
    (service,) = expansion.services
    assert service["metadata"]["name"] == "demo" and service["spec"]["publishNotReadyAddresses"] is True


@pytest.mark.parametrize(
    ("words", "processes"), [({}, "2"), ({"procsPerPod": "auto"}, "auto"), ({"procsPerPod": 4}, "4")]
)
def test_torchrun_is_told_by_its_line(words: dict[str, Any], processes: str) -> None:
    if words.get("procsPerPod") == 4:
        words = {**words, "resources": {"gpu": 4}}
    line = line_of(tasks_of({**TORCHRUN, "pods": 3, **words})["worker"])
    told = ["--nnodes=3", f"--nproc-per-node={processes}", "--node-rank=$(RANK)"]
    assert line == ["torchrun", *told, "--master-addr=$(MASTER_ADDR)", "--master-port=$(MASTER_PORT)", "train.py"]


def test_the_jobs_own_options_of_torchrun_come_first() -> None:
    options = ["--rdzv-backend=c10d", "--rdzv-endpoint=store:1"]
    line = line_of(tasks_of({**TORCHRUN, "pods": 3, "start": {"by": "torchrun", "options": options}})["worker"])
    assert line == ["torchrun", "--nnodes=3", "--nproc-per-node=2", "--node-rank=$(RANK)", *options, "train.py"]


@pytest.mark.parametrize("start", ["mpirun", "horovodrun"])
def test_the_launcher_writes_slots_and_waits(start: str) -> None:
    spec = spec_of({**MPI, "start": start})
    assert spec["minAvailable"] == 4
    assert spec["plugins"] == {"mpi": ["--master=launcher", "--worker=worker"], "ssh": [], "svc": SVC}
    launcher, worker = spec["tasks"]
    assert launcher["policies"] == [{"event": "TaskCompleted", "action": "CompleteJob"}]
    shell, line = launcher["template"]["spec"]["containers"][0]["command"][:4], line_of(launcher)[4:]
    hosts = 'for host in $$(cat /etc/volcano/worker.host); do echo "$host slots=2"; done'
    assert hosts in shell[3] and shell[3].index(hosts) < shell[3].index("until said=")
    assert "-ge 1800" in shell[3] and shell[3].count("/tmp/mpi-hosts") == 2
    assert line[line.index("--hostfile") + 1] == "/tmp/mpi-hosts" and line[line.index("-np") + 1] == "6"
    assert line_of(worker) == ["/usr/sbin/sshd", "-De"]
    assert [task["template"]["spec"]["restartPolicy"] for task in spec["tasks"]] == ["Never", "OnFailure"]


@pytest.mark.parametrize(
    ("start", "plugins", "hosts"),
    [
        ({"launcherTrains": True}, {"mpi": ["--master=launcher", "--worker=worker"]}, 'echo "$HOSTNAME slots=2"'),
        ({"ssh": {"port": 2022}}, {"mpi": ["--master=launcher", "--worker=worker", "--port=2022"]}, "slots=2"),
        ({"ssh": {"keys": "/home/a/.ssh"}}, {"ssh": ["--ssh-key-file-path=/home/a/.ssh"]}, "slots=2"),
        ({"hostfile": "/own"}, {}, "done </own"),
    ],
)
def test_words_of_a_launcher(start: dict[str, Any], plugins: dict[str, Any], hosts: str) -> None:
    spec = spec_of({**MPI, "start": {"by": "mpirun", **start}})
    assert spec["plugins"] == {**spec["plugins"], **plugins}
    assert hosts in line_of(spec["tasks"][0])[3]
    assert ("slots=" in line_of(spec["tasks"][0])[3]) is ("hostfile" not in start)


def test_one_pod_that_trains_is_its_own_launcher() -> None:
    spec = spec_of({**MPI, "pods": 1, "start": {"by": "mpirun", "launcherTrains": True}})
    assert [task["name"] for task in spec["tasks"]] == ["launcher"] and "mpi" not in spec["plugins"]
    assert "--hostfile" not in line_of(spec["tasks"][0])


def test_the_plugin_that_opens_a_port_in_every_container_is_not_for_the_nodes_network() -> None:
    spec = spec_of({**MPI, "pod": {"hostNetwork": True}, "init": {"s": {"image": "s:1"}}})
    assert "mpi" not in spec["plugins"] and "ssh" in spec["plugins"]


def test_a_command_may_call_mpirun_itself() -> None:
    spec = spec_of({**MPI, "start": "self", "roles": {"launcher": {"command": ["go"]}}})
    assert [(task["name"], task["replicas"]) for task in spec["tasks"]] == [("launcher", 1), ("worker", 3)]
    (one,) = built({**MPI, "start": "self", "roles": {"launcher": {"command": ["go"]}}}).compiled
    env = {entry["name"]: entry.get("value") for entry in Came(one).expansion.pods[0]["spec"]["containers"][0]["env"]}
    assert env["MPI_HOST"] == "demo-worker-0.demo,demo-worker-1.demo,demo-worker-2.demo"


@pytest.mark.parametrize(
    ("lifecycle", "retry", "policies", "own", "restart"),
    [
        ({}, None, AGAIN, None, "OnFailure"),
        ({"restarts": 3}, 4, AGAIN, None, "Never"),
        ({"restarts": 0}, 1, AGAIN, None, "Never"),
        ({"restartAll": 3}, 4, AGAIN, None, "Never"),
        ({"backoffLimit": 3}, 3, AGAIN, None, "OnFailure"),
        ({"restart": "Never", "restarts": 2}, 3, AGAIN, None, "Never"),
        ({"restart": "Never"}, None, AGAIN[:1], [ENDS], "Never"),
    ],
)
def test_what_a_failure_does(
    lifecycle: dict[str, Any], retry: int | None, policies: list[Any], own: list[Any] | None, restart: str
) -> None:
    spec = spec_of({"pods": 2, "lifecycle": lifecycle})
    assert (spec.get("maxRetry"), spec["policies"]) == (retry, policies)
    for task in spec["tasks"]:
        assert (task.get("policies"), task["template"]["spec"]["restartPolicy"]) == (own, restart)
    (one,) = built({**TARGET, "pods": 2, "lifecycle": lifecycle}).compiled
    life = Came(one).expansion.lifecycle
    assert life is not None
    failed = life.failure("worker", 1, crowded=True)
    assert failed is not None
    # as many new beginnings as were meant, and then the end
    times = (3 if retry is None else retry) - 1
    meant = [(FAILED, None)] if own else [(ANEW, times), (FAILED, None)]
    assert [(step.outcome, step.times) for step in failed.steps] == meant
    if "restarts" in lifecycle:
        assert times == lifecycle["restarts"]


def test_a_role_may_end_the_job_alone() -> None:
    spec = spec_of({"pods": 2, "roles": {"worker": {"lifecycle": {"restart": "Never"}}}})
    assert spec["policies"] == AGAIN
    assert [task.get("policies") for task in spec["tasks"]] == [None, [ENDS]]


@pytest.mark.parametrize(
    ("scheduling", "cluster", "wanted"),
    [
        ({"queue": "team", "priority": "high"}, None, {"queue": "team", "priorityClassName": "high"}),
        ({"gang": False}, None, {"minAvailable": 1}),
        ({"gang": True}, None, {"minAvailable": 4}),
        ({"gang": "volcano"}, {"scheduling": {"gang": "volcano"}}, {"minAvailable": 4}),
        ({}, {"scheduling": {"gang": "volcano", "scheduler": "vc"}}, {"schedulerName": "vc"}),
        (
            {"within": "rack"},
            {"topology": {"rack": {"label": "example.com/rack", "tier": 2}}},
            {"networkTopology": {"mode": "hard", "highestTierAllowed": 2}},
        ),
    ],
)
def test_the_gang(scheduling: dict[str, Any], cluster: dict[str, Any] | None, wanted: dict[str, Any]) -> None:
    result = built({**TARGET, "pods": 4, "scheduling": scheduling}, cluster)
    spec = tree(result)["spec"]
    assert {key: spec.get(key) for key in wanted} == wanted
    bundle = result.compiled[0].bundle
    assert bundle is not None and [one.ref.kind for one in bundle.manifests] == ["Job"]


@pytest.mark.parametrize(
    ("words", "code", "path", "said"),
    [
        ({"roles": {"ps": {}}}, "SG208", "roles.ps", "has no role `ps`"),
        ({"roles": {"worker": {"pods": 2}}}, "SG208", "roles.worker.pods", "no count of its own"),
        ({"lifecycle": {"cleanPods": "All"}}, "SG208", "lifecycle.cleanPods", "`cleanPods` is `Running`"),
        ({"lifecycle": {"deadline": "2h"}}, "SG208", "lifecycle.deadline", "has no deadline"),
        ({"lifecycle": {"suspend": True}}, "SG208", "lifecycle.suspend", "`suspend` cannot be said"),
        ({"lifecycle": {"restart": "ExitCode"}}, "SG208", "lifecycle.restart", "one code each"),
        ({"lifecycle": {"restart": "Always"}}, "SG207", "lifecycle.restart", "would never succeed"),
        ({"lifecycle": {"backoffLimit": 0}}, "SG208", "lifecycle.backoffLimit", "would be 3"),
        ({"lifecycle": {"restart": "OnFailure", "restarts": 1}}, "SG207", "lifecycle.restarts", "`restart: OnFailure`"),
        ({**MPI, "lifecycle": {"success": "AllWorkers"}}, "SG208", "lifecycle.success", "succeeds when that does"),
        ({**MPI, "start": {"by": "mpirun", "implementation": "Intel"}}, "SG208", "start.implementation", "for Intel"),
        ({"scheduling": {"gang": "kueue"}}, "SG208", "scheduling.gang", "cannot be a gang of kueue"),
        ({"scheduling": {"gang": "coscheduling"}}, "SG208", "scheduling.gang", "no other scheduler reads"),
        ({"scheduling": {"scheduler": "mine"}}, "SG207", "scheduling.scheduler", "whose scheduler is `volcano`"),
        ({"scheduling": {"managedBy": "kueue.x-k8s.io/multikueue"}}, "SG208", "scheduling.managedBy", "leaves no job"),
        ({"pods": 2, "elastic": {"max": 3}}, "SG208", "elastic", "does not change while it runs"),
        ({"mounts": {"/etc/volcano": {"pvc": "a"}}}, "SG207", "mounts[/etc/volcano]", "plugins mount their own"),
        ({**MPI, "mounts": {"/root/.ssh": {"pvc": "a"}}}, "SG207", "mounts[/root/.ssh]", "mount"),
        ({"env": {"RANK": "0"}}, "SG212", "env.RANK", "the operator sets `RANK`"),
        ({**MPI, "env": {"MPI_HOST": "a"}}, "SG212", "env.MPI_HOST", "the operator sets `MPI_HOST`"),
        (
            {"pod": {"hostNetwork": True}, "sidecars": {"s": {"image": "s:1"}}},
            "SG208",
            "pod.hostNetwork",
            "contradict the node's network",
        ),
        ({"metadata": {"name": "a" * 57}, "pods": 2}, "SG211", "metadata.name", "longer than 63 characters"),
        ({"metadata": {"name": "9a"}}, "SG211", "metadata.name", "wants a letter first"),
        ({"dataset": {"uri": "hf://a/b", "path": "/data"}}, "SG208", "dataset.uri", "only a TrainJob fetches"),
    ],
)
def test_what_no_volcano_job_can_do(words: dict[str, Any], code: str, path: str, said: str) -> None:
    result = built({**TARGET, **words})
    assert (code, "error", path) in found(result), result.diagnostics
    assert any(said in one["message"] for one in result.diagnostics), result.diagnostics


def test_a_launchers_ranks_may_have_variables_that_pytorch_reads() -> None:
    assert built({**MPI, "env": {"MASTER_PORT": "1234"}}).diagnostics == []


def test_a_cluster_of_another_gang_scheduler_has_no_volcano_jobs() -> None:
    result = built({**TARGET, "pods": 2}, {"scheduling": {"gang": "kueue"}})
    assert [(code, severity) for code, severity, _ in found(result)] == [("SG208", "error")]


@pytest.mark.parametrize("words", [{"metadata": {"generateName": "a-"}}, {**MPI, "metadata": {"generateName": "a-"}}])
def test_the_api_server_may_name_it(words: dict[str, Any]) -> None:
    (one,) = built({**TARGET, **words}).compiled
    expansion = Came(one).expansion
    assert expansion.refusals == []
    assert expansion.pods[0]["spec"]["subdomain"] == "a-<random>"


@pytest.mark.parametrize("words", [{"pods": 3}, MPI, {"pods": 1}])
def test_what_is_built_is_what_the_webhook_takes(words: dict[str, Any]) -> None:
    bundle = built({**TARGET, **words}).compiled[0].bundle
    reader = operators.by_object("batch.volcano.sh/v1alpha1", "Job")
    assert bundle is not None and reader is not None
    assert list(reader.refusals(reader.read(bundle.job))) == []
    assert check_manifest(bundle.job, reader, None, reader.newest, ()) == []
