"""Plans that no profile made: what is lowered and read back says what the plan said.

This is how a manifest will become a profile: it is read into a plan, and a plan must not need the words of one.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from specgen.diagnostics.model import Place
from specgen.document.tree import Document, Mapping
from specgen.lower import jobset, mpijob_v1, mpijob_v2beta1, msjob, pytorchjob, tfjob, trainjob, volcanojob
from specgen.manifest.model import Manifest
from specgen.manifest.origins import Sourced
from specgen.plan.model import Elastic, Plan, World
from specgen.plan.pods import ContainerPlan, MountPoint, RolePlan, Volume
from specgen.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.lower.lowering import Lowering

KINDS: dict[str, Lowering] = {
    "PyTorchJob": pytorchjob,
    "TFJob": tfjob,
    "MPIJob v1": mpijob_v1,
    "MPIJob v2beta1": mpijob_v2beta1,
    "MSJob": msjob,
    "TrainJob": trainjob,
    "JobSet": jobset,
    "VolcanoJob": volcanojob,
}
# Roles that a job of the kind may name beside those that it has.
NAMED = {"TFJob": ("chief", "ps", "evaluator"), "MSJob": ("ps",)}
POLICY = ("suspend", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished")
VALUES = [{"value": "$<x>"}, {"valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}]
POLICY = ("suspend", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished")
VALUES = [{"value": "$<x>"}, {"valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}]
WORDS = st.text("abcdefgh-$<(){} ", min_size=1, max_size=8)
NAMES = st.text("abcdefgh", min_size=1, max_size=8)


def said(value: Any) -> Sourced:
    return Sourced(value, None, "as the test says")


@st.composite
def worlds(draw: st.DrawFn, kind: str) -> World:
    plan = KINDS[kind].PLAN
    starter = draw(st.sampled_from(plan.starters))
    pods = draw(st.integers(2 if plan.launcher else 1, 9))
    # these have no field for processes: what pods are told by variables or options stands in the plan as any other
    counts = kind not in ("JobSet", "VolcanoJob") and (starter not in ("none", "self") or plan.launcher is not None)
    procs = draw(st.integers(1, 8)) if counts else 1
    elastic = plan.elastic and starter == "torchrun" and draw(st.booleans())
    world = World(pods, procs, starter, (1, pods + 1) if elastic else None, led=plan.first is not None and not elastic)
    for word in NAMED.get(kind, ()):
        if draw(st.booleans()):
            world.named[word] = Place(("roles", word))
            world.own[word] = said(draw(st.integers(1, 3)))
    if plan.launcher and draw(st.booleans()):
        world.trains = Place(("start", "launcherTrains"))
    return world


@st.composite
def roles(draw: st.DrawFn, kind: str, word: str, count: Sourced, world: World) -> RolePlan:
    """A role with anything that the kind can say."""
    plan = KINDS[kind].PLAN
    role = RolePlan(plan.roles[word], word, count)
    role.starts = word == plan.launcher and world.trains is None
    role.image = said(f"registry.example.com/{draw(NAMES)}:1")
    role.command = said(draw(st.lists(WORDS, min_size=1, max_size=4)))
    role.args = draw(st.none() | st.lists(WORDS, max_size=3).map(said))
    role.env = {
        name: said(draw(st.sampled_from(VALUES)))
        for name in draw(st.lists(NAMES.map(str.upper), unique=True, max_size=3))
    }
    for number in range(draw(st.integers(0, 3))):
        claim: dict[str, Any] = {"persistentVolumeClaim": {"claimName": "data"}}
        source: dict[str, Any] = {"emptyDir": {}} if draw(st.booleans()) else claim
        role.volumes.append(Volume(f"v{number}", source, said(number)))
        sub_path = draw(st.none() | NAMES)
        role.mounts.append(MountPoint(f"/data/{number}", f"v{number}", draw(st.booleans()), sub_path, said(number)))
    for name, most in (("nvidia.com/gpu", 8), ("cpu", 64), ("rdma/hca", 8)):
        if draw(st.booleans()):
            role.devices.limits[name] = said(draw(st.integers(1, most)))
    if kind != "MSJob":  # whose CRD drops what stands there
        role.labels = {name: said("a") for name in draw(st.lists(NAMES, unique=True, max_size=2))}
        role.annotations = {name: said("b c") for name in draw(st.lists(NAMES, unique=True, max_size=2))}
    role.ports = {name: said(9000 + at) for at, name in enumerate(draw(st.lists(NAMES, unique=True, max_size=2)))}
    role.pod = {"hostIPC": said(True)} if draw(st.booleans()) else {}
    role.security = {("capabilities", "add"): said(["IPC_LOCK"])} if draw(st.booleans()) else {}
    role.restart = draw(st.none() | st.sampled_from(["Never", "OnFailure"]).map(said))
    role.workdir = draw(st.none() | st.just(said("/work")))
    role.pull_policy = draw(st.none() | st.just(said("Always")))
    role.env_from = draw(st.sampled_from([[], [said({"prefix": "S3_", "secretRef": {"name": "s3"}})]]))
    role.scheduler = draw(st.none() | st.just(said("mine")))
    role.priority = draw(st.none() | st.just(said("high")))
    role.placing = {"nodeSelector": said({"pool": "a"})} if draw(st.booleans()) else {}
    if kind != "MSJob":  # whose pods are older than claims
        role.devices.claims = {"fast": said({"resourceClaimTemplateName": "t"})} if draw(st.booleans()) else {}
    role.grace = draw(st.none() | st.integers(1, 600).map(said))
    for group in (role.init, role.sidecars):
        for name in draw(st.lists(st.sampled_from(["first", "second"]), unique=True, max_size=2)):
            group.append(ContainerPlan(name if group is role.init else f"{name}-beside", None, said("side:1")))
    return role


@st.composite
def plans(draw: st.DrawFn, kind: str) -> Plan:
    lowering = KINDS[kind]
    world = draw(worlds(kind))
    document = Document(Source("<nowhere>", ""), Mapping(0), 0)
    planned = [draw(roles(kind, word, count, world)) for word, count in _ordered(lowering, world)]
    plan = Plan(said("demo"), lowering.PLAN, lowering.READER.newest, world, planned, document)
    if world.elastic:
        plan.elastic = Elastic(said("c10d"), said(world.least), said(world.most))
    plan.labels = {"team": said("vision")} if draw(st.booleans()) else {}
    plan.annotations = {"note": said("x y")} if draw(st.booleans()) else {}
    plan.namespace = draw(st.none() | st.just(said("training")))
    plan.lifecycle.clean_pods = said("Running")
    if kind != "MSJob":  # which has neither
        plan.lifecycle.suspend = draw(st.none() if kind == "VolcanoJob" else st.none() | st.booleans().map(said))
        plan.lifecycle.ttl = draw(st.none() | st.integers(0, 99).map(said))
    if kind != "VolcanoJob":
        plan.lifecycle.deadline = draw(st.none() | st.integers(1, 99).map(said))
    plan.lifecycle.backoff_limit = draw(st.none() | st.integers(kind == "VolcanoJob", 9).map(said))
    return plan


def _ordered(lowering: Lowering, world: World) -> list[tuple[str, Sourced]]:
    counts = lowering.counts(world)
    return [(word, counts[word]) for word in lowering.PLAN.roles if word in counts]


def check(kind: str, plan: Plan) -> None:
    lowering = KINDS[kind]
    manifest, findings = lowering.lower(plan)
    assert [finding.message for finding in findings] == []
    # nothing but the trees goes on: what is read from them stands in them
    bare, *beside = [Manifest(json.loads(json.dumps(one.tree)), one.where) for one in (manifest, *plan.prerequisites)]
    workload = lowering.READER.read(bare, plan.version)
    if beside:
        lowering.READER.with_runtime(workload, beside)
    meta = bare.tree["metadata"]
    assert (meta["name"], meta.get("namespace")) == (plan.name, value(plan.namespace))
    assert {"labels": meta.get("labels", {}), "annotations": meta.get("annotations", {})} == {
        "labels": values(plan.labels),
        "annotations": values(plan.annotations),
    }
    assert [(role.name, role.replicas) for role in workload.roles] == [
        (role.name, role.replicas.value) for role in plan.roles
    ]
    assert workload.procs_per_pod == plan.world.procs_per_pod
    for read, role in zip(workload.roles, plan.roles, strict=True):
        _same(kind, plan, read, role)
    _policy(kind, plan, bare.tree["spec"], [one.tree for one in beside])


def value(one: Sourced | None) -> Any:
    return one.value if one is not None else None


def values(marks: dict[str, Sourced]) -> dict[str, Any]:
    return {name: one.value for name, one in marks.items()}


def _same(kind: str, plan: Plan, read: Any, role: RolePlan) -> None:
    main = read.main
    assert main is not None and role.image is not None and role.command is not None
    tree = main.tree
    # under MPI Trainer's nodes get keys, and the operator's program is the launcher's
    keys = kind == "TrainJob" and plan.world.starter in ("mpirun", "horovodrun")
    assert tree["image"] == role.image.value and tree["command"] == role.command.value
    assert tree.get("args") == value(role.args)
    assert {name: entry for name, (_, entry) in main.env.items() if not name.startswith("MS_")} == {
        name: {"name": name, **one.value} for name, one in role.env.items()
    }
    assert [mount for _, mount in main.mounts if mount["mountPath"] != "/root/.ssh"] == [
        {
            "name": mount.volume,
            "mountPath": mount.path,
            **({"subPath": mount.sub_path} if mount.sub_path else {}),
            **({"readOnly": True} if mount.read_only else {}),
        }
        for mount in role.mounts
    ]
    resources = tree.get("resources") or {}
    assert resources.get("limits", {}) == values(role.devices.limits)
    assert [claim["name"] for claim in resources.get("claims", ())] == list(role.devices.claims)
    assert [tree.get(key) for key in ("workingDir", "imagePullPolicy", "envFrom")] == [
        value(role.workdir),
        value(role.pull_policy),
        [one.value for one in role.env_from] or None,
    ]
    assert [(port["name"], port["containerPort"]) for port in tree.get("ports", ())] == list(values(role.ports).items())
    assert (tree.get("securityContext") or {}).get("capabilities", {}).get("add") == (
        ["IPC_LOCK"] if role.security else None
    )
    assert [read.pod.get(key) for key in ("schedulerName", "priorityClassName", "nodeSelector", "resourceClaims")] == [
        value(role.scheduler),
        value(role.priority),
        value(role.placing.get("nodeSelector")),
        [{"name": name, **one.value} for name, one in role.devices.claims.items()] or None,
    ]
    pod, marks = read.pod, read.template.get("metadata") or {}
    assert (marks.get("labels", {}), marks.get("annotations", {})) == (values(role.labels), values(role.annotations))
    volumes = [{"name": volume.name, **volume.source} for volume in role.volumes]
    assert [volume for volume in pod.get("volumes", ()) if volume["name"] != "ssh-keys"] == volumes
    assert pod.get("hostIPC") == (True if role.pod else None)
    assert pod.get("terminationGracePeriodSeconds") == value(role.grace)
    first = [one.name for one in read.containers(init=True)]
    assert first == [one.name for one in role.init] + (["ssh-keys"] if keys else [])
    others = [one.name for one in read.containers() if one is not main]
    assert others == [one.name for one in role.sidecars]
    if role.restart is not None:
        assert {read.tree.get("restartPolicy"), pod.get("restartPolicy")} == {role.restart.value, None}


def _policy(kind: str, plan: Plan, spec: dict[str, Any], beside: list[dict[str, Any]]) -> None:
    lifecycle = plan.lifecycle
    policy = spec if kind in ("TrainJob", "JobSet", "VolcanoJob") else spec.get("runPolicy", {})
    found = {key: policy.get(key) for key in POLICY}
    if kind == "VolcanoJob":
        found["backoffLimit"] = spec.get("maxRetry")
    if kind == "TrainJob":
        jobset = beside[0]["spec"]["template"]["spec"]
        found["ttlSecondsAfterFinished"] = jobset.get("ttlSecondsAfterFinished")
        found["backoffLimit"] = jobset["replicatedJobs"][0]["template"]["spec"].get("backoffLimit")
    if kind == "JobSet":
        job = spec["replicatedJobs"][0]["template"]["spec"]
        found |= {key: job.get(key) for key in ("backoffLimit", "activeDeadlineSeconds")}
    wanted = {
        "suspend": lifecycle.suspend,
        "activeDeadlineSeconds": lifecycle.deadline,
        "backoffLimit": lifecycle.backoff_limit,
        "ttlSecondsAfterFinished": lifecycle.ttl,
    }
    assert found == {key: value(one) for key, one in wanted.items()}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("many", [20, pytest.param(60, marks=pytest.mark.fuzz)])
def test_what_is_lowered_and_read_back_is_what_was_planned(kind: str, many: int) -> None:
    @settings(derandomize=True, max_examples=many, deadline=None, suppress_health_check=list(HealthCheck))
    @given(plans(kind))
    def run(plan: Plan) -> None:
        check(kind, plan)

    run()


@pytest.mark.parametrize("kind", KINDS)
def test_the_shortest_plan_is_enough(kind: str) -> None:
    """A name, a kind, a number of pods: everything else may be left out."""
    lowering = KINDS[kind]
    world = World(2, 1, lowering.PLAN.starter, led=lowering.PLAN.first is not None)
    planned = [RolePlan(lowering.PLAN.roles[word], word, count) for word, count in _ordered(lowering, world)]
    document = Document(Source("<nowhere>", ""), Mapping(0), 0)
    manifest, findings = lowering.lower(
        Plan(said("demo"), lowering.PLAN, lowering.READER.newest, world, planned, document)
    )
    assert findings == []
    assert manifest.ref.name == "demo" and manifest.ref.kind == lowering.READER.kind
