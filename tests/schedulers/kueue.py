"""Plays a world with Kueue in front, in the form of the recordings: also Workloads and queues."""

from __future__ import annotations

from typing import Any

from specgen.manifest.views import mapping
from specgen.schedulers.kueue.manager import Manager
from specgen.schedulers.kueue.podsets import PodSet
from specgen.schedulers.kueue.quota import shown
from specgen.schedulers.kueue.refused import SERVER, refused
from specgen.schedulers.kueue.workload import Workload
from tests.schedulers.replay import Play, merged

INDEX = {"Job": "batch.kubernetes.io/job-completion-index"}


class Queued(Play):
    """A scenario whose jobs go through Kueue."""

    def __init__(self, scenario: dict[str, Any], *, reverse: bool, last: bool) -> None:
        super().__init__(scenario, reverse=reverse, last=last)
        # a label that tells nodes of one group apart counts for all groups
        labels = sorted({key for own in self.keys.values() for key in own})
        self.keys |= {group.group: labels for group in self.groups}
        self.expected: dict[str, Any] = {}
        self.objects: dict[str, str] = {}
        said = {"apiVersion": "config.kueue.x-k8s.io/v1beta2", **mapping(scenario.get("config"))}
        self.simulation.add_object({"kind": "Configuration", "metadata": {"name": "kueue"}, **said})
        for tree in list(self.simulation.objects.of("AdmissionCheck")):
            # nobody is there who answers for it
            inactive = {"conditions": [{"type": "Active", "status": "False"}]}
            self.simulation.add_object({**tree, "status": inactive})
        self.manager = Manager(self.simulation, patience=scenario.get("quiet", 2))

    def submit(self, tree: dict[str, Any]) -> None:
        if not str(tree.get("apiVersion")).startswith("kueue.x-k8s.io/"):
            super().submit(tree)
            return
        # an object among the jobs, of which the verdict says something
        who, why = refused(tree)
        name = tree["metadata"]["name"]
        self.verdicts[name] = {"accepted": not why}
        if why:
            said = {"code": 422, "reason": "Invalid"} if who == SERVER else {"code": 403, "reason": "Forbidden"}
            self.verdicts[name] |= {**said, "message": why}
            return
        self.objects[name] = str(tree["kind"])
        self.simulation.add_object(tree)
        self.manager.refresh()

    def create(self, tree: dict[str, Any]) -> Any:
        job = self.manager.submit(tree)
        self.expected[job.name] = job.expected
        return job

    def patch(self, step: dict[str, Any]) -> None:
        if step["kind"] == "Workload":
            self.manager.activate(step["of"], on=step["body"]["spec"]["active"])
        elif step["name"] in self.simulation.jobs:
            job = self.simulation.jobs[step["name"]]
            self.manager.change(step["name"], merged(job.tree, step["body"]))
        else:
            super().patch(step)

    def rest(self) -> None:
        self.manager.rest()

    def step(self, step: dict[str, Any]) -> None:
        super().step(step)
        self.manager.refresh()

    def state(self) -> dict[str, Any]:
        made = super().state()
        for name, job in made["jobs"].items():
            if self.expected.get(name) is not None:
                job["expected"] = self.expected[name]  # by the manifest as it was sent
        for name, kind in self.objects.items():
            made["jobs"][name] = {"kind": kind, "pods": 0, "bound": 0, "state": "gone"}
        manager = self.manager
        for name, one in manager.workloads.items():
            self.ranks(made["jobs"].get(name, {}).get("roles", {}), one)
        made["workloads"] = {name: self.workload(one) for name, one in manager.workloads.items() if not one.job.gone}
        made["queues"] = {
            "ClusterQueue": {name: self.queue(name) for name in manager.queues},
        }
        return made

    def ranks(self, roles: dict[str, Any], one: Workload) -> None:
        """Which pod stands on which node, where a topology goes down to the host."""
        simulation = self.simulation
        for share in one.given.shares if one.given is not None else ():
            topology = self.manager.topology_of(share)
            role = "pod" if one.job.kind == "Job" else share.pods.name
            if topology is None or not topology.to_hosts or share.domains is None or role not in roles:
                continue
            # where the launcher is the first worker, workers are counted from 1; elsewhere it bears no index
            first = int(mapping(one.job.tree.get("spec")).get("runLauncherAsWorker") is True)
            if role == "launcher" and not first:
                continue
            first = 0 if role == "launcher" else first
            pods = [pod for pod in simulation.of(one.job.id) if pod.role == role and pod.node is not None]
            placed = [(int(pod.key.rpartition("-")[2]) + first, pod.node.name) for pod in pods]
            if placed:
                roles[role]["ranks"] = [list(pair) for pair in sorted(placed)]

    def queue(self, name: str) -> dict[str, Any]:
        own = [one for one in self.manager.workloads.values() if not one.finished and not one.job.gone]
        mine = [one for one in own if one.queue.name == name]
        # who is switched off, or held by a gate, is no longer counted
        gated = ("AdmissionGated",)
        mine = [one for one in mine if one.active and one.conditions.get("QuotaReserved", ("", "", ""))[1] not in gated]
        held = [one for one in mine if one.given is not None]
        return {
            "admittedWorkloads": len(held),
            "reservingWorkloads": len(held),
            "pendingWorkloads": len(mine) - len(held),
        }

    def workload(self, one: Workload) -> dict[str, Any]:
        made: dict[str, Any] = {
            "active": one.active,
            "conditions": [
                {"type": kind, "status": status, "reason": reason, "message": message}
                for kind, (status, reason, message) in sorted(one.conditions.items())
            ],
            "podSets": [self.pod_set(pods) for pods in one.sets],
            "priority": one.priority,
            **({"queue": one.queue_name} if one.queue_name else {}),
        }
        given = one.given or one.ended
        if given is not None:
            made["admission"] = {
                "clusterQueue": one.queue.name,
                "podSetAssignments": [self.share(share) for share in given.shares],
            }
        return made

    def pod_set(self, pods: PodSet) -> dict[str, Any]:
        made: dict[str, Any] = {"name": pods.name, "count": pods.count}
        if pods.least is not None:
            made["minCount"] = pods.least
        return made

    def share(self, share: Any) -> dict[str, Any]:
        asks = share.pods.sum(share.count)
        made: dict[str, Any] = {
            "name": share.pods.name,
            "count": share.count,
            "flavors": {name: given.flavor for name, given in share.flavors.items()},
            "resourceUsage": {
                name: shown(name, share.count * 10**9 if name == "pods" else asks.get(name, 0))
                for name in share.flavors
            },
        }
        if share.domains is not None:
            topology = self.manager.topology_of(share)
            assert topology is not None
            width = len(share.domains[0][0]) if share.domains else 1
            made["topologyAssignment"] = {
                "levels": topology.levels[-width:],
                "domains": [{"count": count, "times": 1, "values": list(values)} for values, count in share.domains],
            }
        return made
