"""Says what schedulers would make of a world, in the form of the recordings of real ones.

``python -m tests.schedulers.replay SCENARIO.yaml…`` prints a record for each. What the real programs leave to chance is
played out in several ways (``WAYS``); the first is printed, and ``unstable`` names the places where they differ.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import yaml

from specgen.schedulers.admit import object_refusal
from specgen.schedulers.jobs import is_job
from specgen.schedulers.objects import amounts
from specgen.schedulers.pods import Pod
from specgen.schedulers.simulate import QUOTA, Simulation
from specgen.schedulers.world import Named, Nodes, Numbered, Objects, World, taints_of

# The recordings, where they are: configurations that they name are beside them.
SHARED = Path(os.environ.get("SPECGEN_SHARED") or Path(__file__).parents[3] / "shared")
# Seconds after which the Job controller makes a lost pod anew.
JOBS_REST = 10
# (the operator's map the other way round, the last of equal nodes)
WAYS = ((False, False), (True, False), (False, True), (True, True))


class Play:
    """A scenario on its way. ``keys``: the labels by which nodes of a group differ."""

    def __init__(
        self, scenario: dict[str, Any], *, reverse: bool, last: bool, operators: dict[str, Any] | None = None
    ) -> None:
        self.keys: dict[str, list[str]] = {}
        self.groups: list[Nodes] = []
        self.labels: dict[str, str] = {}
        for entry in scenario.get("nodes") or []:
            self.groups += self.nodes(entry)
        listed = [with_namespace(one) for one in scenario.get("objects") or [] if not is_job(one)]
        # every server has it, and the recorder gives it no label
        spaces = Objects([{"kind": "Namespace", "metadata": {"name": "default"}}, *listed])
        # a scheduler's configuration stands among the objects, and is none that a server keeps
        kept = [one for one in listed if one.get("metadata")]
        refused = {_named(one): object_refusal(one, spaces) for one in kept}
        objects = Objects([one for one in listed if one not in kept or not refused[_named(one)]])
        self.count = 0
        pods = [pod for entry in scenario.get("running") or [] for pod in self.running(entry)]
        patience = scenario.get("quiet", 0) >= JOBS_REST
        world = World(self.groups, pods, objects)
        world.operators = self.operators = operators or {}
        self.simulation = Simulation(world, reverse=reverse, last=last, patience=patience)
        self.verdicts: dict[str, Any] = {
            name: {"accepted": False, "code": 422, "reason": "Invalid", "message": said}
            for name, said in refused.items()
            if said
        }

    def nodes(self, entry: dict[str, Any]) -> list[Nodes]:
        """Groups of nodes that a scenario's group comes to, under the name of the group."""
        group, count, each = entry["group"], entry["count"], entry.get("each")
        made: list[Nodes] = []
        if each is None:
            return [self.group(group, Numbered(f"{group}-", count), entry, {})]
        keys = sorted({key for one in each for key in one.get("labels", {})})
        for at in range(count):
            own = each[at] if at < len(each) else {}
            labels = own.get("labels", {})
            suffix = ",".join(f"{key}={labels[key]}" for key in sorted(labels))
            called = f"{group}[{suffix}]" if suffix else group
            self.keys[called] = keys
            made.append(self.group(called, Named([f"{group}-{at}"]), entry, own))
        return made

    @staticmethod
    def group(called: str, names: Numbered | Named, entry: dict[str, Any], own: dict[str, Any]) -> Nodes:
        """One group of equal nodes."""
        labels = {**entry.get("labels", {}), **own.get("labels", {})}
        taints = own["taints"] if "taints" in own else entry.get("taints", [])
        return Nodes(
            called,
            names,
            amounts(own.get("allocatable") or entry["allocatable"]),
            labels={"kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64", **labels},
            taints=taints_of(taints),
            unschedulable=bool(own.get("unschedulable", entry.get("unschedulable", False))),
            conditions={"Ready": "True" if own.get("ready", entry.get("ready", True)) else "False"},
        )

    def running(self, entry: dict[str, Any]) -> list[dict[str, Any]]:
        """Pods that stand there already."""
        made = []
        for _ in range(entry.get("count", 1)):
            requests = entry.get("requests", {})
            limits = {name: amount for name, amount in requests.items() if "/" in name}
            container = {"name": "main", "resources": {"requests": requests, "limits": limits}}
            spec = {"containers": [container], "nodeName": entry["node"], "priority": entry.get("priority", 0)}
            metadata = {
                "name": f"running-{self.count}",
                "namespace": entry.get("namespace", "default"),
                "labels": entry.get("labels", {}),
            }
            made.append({"kind": "Pod", "metadata": metadata, "spec": {**spec, **entry.get("spec", {})}})
            self.count += 1
        return made

    def create(self, tree: dict[str, Any]) -> Any:
        """A job is sent."""
        return self.simulation.submit(tree)

    def rest(self) -> None:
        """Brings the world to rest."""
        self.simulation.rest()

    def submit(self, tree: dict[str, Any]) -> None:
        job = self.create(tree)
        self.verdicts[job.name] = {"accepted": not job.refused}
        if job.refused:
            forbidden = "webhook" in job.refused_by or job.refused_by == QUOTA
            said = {"code": 403, "reason": "Forbidden"} if forbidden else {"code": 422, "reason": "Invalid"}
            self.verdicts[job.name] |= {**said, "message": job.refused}

    def step(self, step: dict[str, Any]) -> None:
        """One of ``then``."""
        simulation = self.simulation
        if "finish" in step:
            simulation.finish(step["finish"], step.get("role", ""))
        elif "delete" in step:
            self.delete(step["delete"])
        elif "nodes" in step:
            simulation.add_nodes([one for entry in step["nodes"] for one in self.nodes(entry)])
        elif "running" in step:
            simulation.add_pods([pod for entry in step["running"] for pod in self.running(entry)])
        elif "node" in step:
            self.node(step["node"])
        elif "create" in step:
            tree = step["create"]
            if is_job(tree):
                self.submit(tree)
            else:
                simulation.add_object(with_namespace(tree))
        elif "patch" in step:
            self.patch(step["patch"])
        elif "wait" in step and isinstance(step["wait"], int) and step["wait"] >= JOBS_REST:
            simulation.wait()

    def delete(self, what: Any) -> None:
        if isinstance(what, dict):
            self.simulation.drop_object(with_namespace({"metadata": {"name": what.get("name")}, **what}))
        elif what in self.simulation.jobs:
            self.simulation.delete(what)
        else:
            for pod in [one for one in self.simulation.pods if one.name == what]:
                self.simulation.remove(pod)

    def node(self, step: dict[str, Any]) -> None:
        name = step["name"]
        there = self.simulation.changed.get(name)
        there = there or next(group for group in self.simulation.groups if group.names.place(name) is not None)
        self.simulation.change_node(
            name,
            Nodes(
                there.group,
                there.names,
                amounts(step["allocatable"]) if "allocatable" in step else there.allocatable,
                labels={
                    key: value for key, value in {**there.labels, **step.get("labels", {})}.items() if value is not None
                },
                taints=taints_of(step["taints"]) if "taints" in step else there.taints,
                unschedulable=bool(step.get("unschedulable", there.unschedulable)),
                conditions={"Ready": "True" if step["ready"] else "False"} if "ready" in step else there.conditions,
            ),
        )

    def patch(self, step: dict[str, Any]) -> None:
        name, body = step["name"], step["body"]
        if step["kind"] == "Pod":
            for pod in [one for one in self.simulation.pods if one.name == name]:
                self.simulation.change_pod(pod, merged(pod.tree, body))
        elif name in self.simulation.jobs:
            self.simulation.reload(name, merged(self.simulation.jobs[name].tree, body))
        else:
            tree = self.simulation.objects.named(step["kind"], name)
            self.simulation.add_object(merged(tree or {"kind": step["kind"], "metadata": {"name": name}}, body))

    def state(self) -> dict[str, Any]:
        """The world as it stands, as a record has it."""
        simulation = self.simulation
        made: dict[str, Any] = {"jobs": {}, "nodes": {}, "pending": []}
        for name, job in simulation.jobs.items():
            own = simulation.of(name)
            alive = [pod for pod in own if not pod.done]
            bound = [pod for pod in alive if pod.node is not None]
            entry: dict[str, Any] = {
                "kind": job.kind,
                "pods": len(alive),
                "bound": len(bound),
                "state": state_of(job, alive, bound),
            }
            if job.expected is not None:
                entry["expected"] = job.expected
            if own:
                entry["roles"] = {
                    role: self.role([pod for pod in own if pod.role == role]) for role in sorted({p.role for p in own})
                }
            made["jobs"][name] = entry
        made["nodes"] = self.shelves()
        made["pending"] = self.pending()
        running = [pod for pod in simulation.pods if not pod.job]
        if running:
            alive = [pod for pod in running if not pod.done]
            made["running"] = {"bound": sum(pod.node is not None for pod in alive), "pods": len(alive)}
        if claims := self.claims():
            made["claims"] = claims
        volumes = simulation.cluster.volumes
        if found := sorted((name, (space, name) in volumes.bound) for (space, name), _ in volumes.claims()):
            made["volumeClaims"] = [
                {"count": 1, "name": name, "phase": "Bound" if bound else "Pending", "volume": bound}
                for name, bound in found
            ]
        return made

    def role(self, pods: list[Pod]) -> dict[str, Any]:
        alive = [pod for pod in pods if not pod.done]
        bound = [pod for pod in alive if pod.node is not None]
        made: dict[str, Any] = {"pods": len(alive), "bound": len(bound), "nodes": {}}
        per_node: dict[str, tuple[str, int]] = {}
        spread: dict[str, dict[str, int]] = {}
        for pod in bound:
            nodes = pod.node.kind.nodes
            per_node[pod.node.name] = (nodes.group, per_node.get(pod.node.name, ("", 0))[1] + 1)
            for key in self.keys.get(nodes.group, []):
                if key in nodes.labels:
                    own = spread.setdefault(key, {})
                    own[nodes.labels[key]] = own.get(nodes.labels[key], 0) + 1
        for group, count in per_node.values():
            made["nodes"].setdefault(group, []).append(count)
        for counts in made["nodes"].values():
            counts.sort(reverse=True)
        if spread:
            made["spread"] = {key: sorted(own.values(), reverse=True) for key, own in spread.items()}
        if done := len(pods) - len(alive):
            made["done"] = done
        if gated := sum(pod.reason == "SchedulingGated" for pod in alive if pod.node is None):
            made["gated"] = gated
        return made

    def shelves(self) -> dict[str, Any]:
        made: dict[str, list[dict[str, int]]] = {}
        for node in self.simulation.cluster.state.nodes():
            held: dict[str, int] = {}
            for pod in node.pods:
                name = "(running)" if not pod.job else pod.job if pod.role == "pod" else f"{pod.job}/{pod.role}"
                held[name] = held.get(name, 0) + 1
            if held:
                made.setdefault(node.kind.nodes.group, []).append(held)
        for group in {nodes.group for nodes in self.simulation.groups}:
            count = sum(nodes.count for nodes in self.simulation.groups if nodes.group == group)
            listed = made.setdefault(group, [])
            listed += [{} for _ in range(count - len(listed))]
        for listed in made.values():
            listed.sort(key=lambda held: (-sum(held.values()), json.dumps(held, sort_keys=True)))
        return made

    def pending(self) -> list[dict[str, Any]]:
        counts: dict[tuple[Any, ...], int] = {}
        for pod in self.simulation.pods:
            if pod.job and pod.node is None and not pod.done:
                key = (pod.job, pod.role, pod.reason, pod.message, pod.sort.scheduler)
                counts[key] = counts.get(key, 0) + 1
        listed = [
            {"count": count, "job": job, "role": role, "reason": reason, "message": message}
            | ({"schedulerName": scheduler} if scheduler != "default-scheduler" else {})
            for (job, role, reason, message, scheduler), count in counts.items()
        ]
        return sorted(listed, key=lambda one: json.dumps([one["job"], one["role"], one["reason"], one["message"]]))

    def claims(self) -> dict[str, Any]:
        made: dict[str, dict[str, dict[str, Any]]] = {}
        for claim in self.simulation.claims():
            given = None
            if claim.allocated is not None:
                given = dict[str, int]()
                for pool, count in claim.allocated.items():
                    masked = f"{pool.rpartition('-')[0]}-*" if pool.rpartition("-")[2].isdigit() else pool
                    given[masked] = given.get(masked, 0) + count
            entry = {"allocated": given, "reservedFor": len(claim.users)}
            name = f"{claim.job}/{claim.template}" if claim.template else claim.name
            key = json.dumps(entry, sort_keys=True)
            made.setdefault(name, {}).setdefault(key, {**entry, "count": 0})["count"] += 1
        # as the recorder sorts them
        return {
            name: [own[key] for key in sorted(own, key=lambda key: (own[key]["allocated"] is not None, key))]
            for name, own in made.items()
        }


def state_of(job: Any, alive: list[Pod], bound: list[Pod]) -> str:
    """The word of a record for a job."""
    if job.gone:
        return "gone"
    if job.failed:
        return "failed"
    if job.finished:
        return "finished"
    if job.suspended:
        return "suspended"
    return "waiting" if not bound else "partly" if len(bound) < len(alive) else "running"


def _named(tree: dict[str, Any]) -> str:
    return f"{tree.get('kind')} {tree['metadata']['name']}"


def with_namespace(tree: dict[str, Any]) -> dict[str, Any]:
    return tree


def merged(tree: dict[str, Any], patch: dict[str, Any]) -> dict[str, Any]:
    """A merge patch (RFC 7386)."""
    made = dict(tree)
    for key, value in patch.items():
        if value is None:
            made.pop(key, None)
        elif isinstance(value, dict):
            made[key] = merged(made[key] if isinstance(made.get(key), dict) else {}, value)
        else:
            made[key] = value
    return made


def player(scenario: dict[str, Any]) -> type[Play]:
    """Who plays the worlds of a scheduler."""
    if scenario["scheduler"] == "kueue":
        from tests.schedulers.kueue import Queued

        return Queued
    if scenario["scheduler"] == "volcano":
        from tests.schedulers.volcano import Ganged

        return Ganged
    if scenario["scheduler"] == "coscheduling":
        from tests.schedulers.coscheduling import Coscheduled

        return Coscheduled
    return Play


def played(scenario: dict[str, Any], *, reverse: bool = False, last: bool = False) -> dict[str, Any]:
    """A record of one way that a world may take."""
    play = player(scenario)(scenario, reverse=reverse, last=last)
    settled = []
    play.rest()
    for tree in scenario.get("jobs") or []:
        play.submit(tree)
        if not scenario.get("at_once"):
            play.rest()
    if scenario.get("at_once"):
        play.rest()
    settled.append(play.state())
    for step in scenario.get("then") or []:
        play.step(step)
        play.rest()
        did = {"create": f"{step['create']['kind']} {step['create']['metadata']['name']}"} if "create" in step else step
        settled.append({"did": did, **play.state()})
    return {"scheduler": scenario["scheduler"], "settled": settled, "verdicts": play.verdicts}


def differing(one: Any, other: Any, at: str = "") -> list[str]:
    """JSON pointers of the places where two trees differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        found = []
        for key in sorted({*one, *other}):
            here = f"{at}/{str(key).replace('~', '~0').replace('/', '~1')}"
            found += differing(one[key], other[key], here) if key in one and key in other else [here]
        return found
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [
            pointer
            for place, pair in enumerate(zip(one, other, strict=True))
            for pointer in differing(*pair, f"{at}/{place}")
        ]
    return [] if one == other and type(one) is type(other) else [at]


def prediction(scenario: dict[str, Any]) -> dict[str, Any]:
    """The record that is foretold, with the places that are not certain."""
    first, *others = [played(scenario, reverse=reverse, last=last) for reverse, last in WAYS]
    unstable = {pointer for one in (first, *others) for pointer in by_chance(one)}
    for one in (first, *others):
        for state in one["settled"]:
            state.pop("chance", None)
    unstable |= {pointer for other in others for pointer in differing(first, other)}
    return {**first, "question": scenario.get("question"), "unstable": sorted(unstable)}


def by_chance(way: dict[str, Any]) -> list[str]:
    """The places of which a way says nothing: where some pods are evicted, and which ones is left to chance.

    It names the jobs to which that may happen; which nodes are free follows from it.
    """
    found = []
    for at, state in enumerate(way["settled"]):
        jobs = state.get("chance", ())
        found += [f"/settled/{at}/{word}/{name}" for name in jobs for word in ("jobs", "podgroups")]
        found += [f"/settled/{at}/{word}" for word in ("nodes", "pending") if jobs]
    return found


def configured(scenario: dict[str, Any], folder: Path) -> list[dict[str, Any]]:
    """The scheduler's configuration that a scenario names, of the folder ``config`` beside it: an object more."""
    name, scheduler = scenario.get("config") or "default", scenario["scheduler"]
    if scheduler not in ("volcano", "coscheduling"):
        return []
    path = folder / "config" / f"{name}{'.conf' if scheduler == 'volcano' else '.yaml'}"
    if not path.is_file():
        path = SHARED / "conformance/schedulers" / scheduler / "config" / path.name
    if scheduler == "coscheduling":
        return [tree for tree in yaml.safe_load_all(path.read_text("utf-8")) if tree] if path.is_file() else []
    # of a configuration that nobody shows nothing is followed
    text = path.read_text("utf-8") if path.is_file() else f"unseen: {name}\n"
    metadata = {"name": "volcano-scheduler-configmap", "namespace": "volcano-system"}
    made = {"kind": "ConfigMap", "metadata": metadata, "data": {"volcano-scheduler.conf": text}}
    return [made] if path.is_file() or name != "default" else []


def main(paths: list[str]) -> int:
    """Prints a prediction for each scenario."""
    for path in map(Path, paths):
        scenario = yaml.safe_load(path.read_text("utf-8"))
        scenario["objects"] = [*(scenario.get("objects") or []), *configured(scenario, path.parent)]
        print(json.dumps(prediction(scenario), indent=1, sort_keys=True))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
