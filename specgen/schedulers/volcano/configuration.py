"""What of a configuration of vc-scheduler is followed: that of its chart, the overcommit factor, network topology,
queues by the plugin capacity, and that it may evict.

Volcano 1.15, installer/helm/chart/volcano/config/volcano-scheduler.conf; the ConfigMap's key is the file's name.
"""

from __future__ import annotations

from specgen.manifest.views import mapping
from specgen.quantity import NANO, nano

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.schedulers.world import Objects

KEY = "volcano-scheduler.conf"
_GATE, _LATER, _EVICTING = "enqueue", ("backfill", "preempt", "reclaim"), ("preempt", "reclaim")
_PLUGINS = ("priority", "gang", "conformance", "drf", "predicates", "nodeorder", "binpack")
_OVERCOMMIT, _TOPOLOGY = "overcommit", "network-topology-aware"
# One of them counts what queues have.
_QUEUES = _PROPORTION, _CAPACITY = ("proportion", "capacity")
# A cluster is asked for this share of what its nodes have.
_FACTOR = 12 * NANO // 10
# Words that change nothing but which of several nodes a pod gets, or are followed without a look.
_SILENT = ("", "tiers", "plugins", "arguments", "enablePreemptable", "configurations")


def written(*, capacity: bool, hierarchy: bool, topology: bool) -> dict[str, Any]:
    """The configuration of the chart with other plugins, as its ConfigMap.

    With ``capacity`` it is that of docs/user-guide/how_to_use_capacity_plugin.md, which takes back what is deserved.
    """
    first = [*_PLUGINS[:3]]
    rest = ["drf", "predicates", _CAPACITY] if capacity else [_OVERCOMMIT, "drf", "predicates", _PROPORTION]
    rest += ["nodeorder", "binpack", *([_TOPOLOGY] if topology else [])]
    lines = [f'actions: "enqueue, allocate, backfill{", reclaim" if capacity else ""}"', "tiers:"]
    for tier in (first, rest):
        lines.append("- plugins:")
        for name in tier:
            lines.append(f"  - name: {name}")
            if name == _CAPACITY and hierarchy:
                lines.append("    enableHierarchy: true")
    metadata = {"name": "volcano-scheduler-configmap", "namespace": "volcano-system"}
    return {"kind": "ConfigMap", "metadata": metadata, "data": {KEY: "\n".join(lines)}}


class Configuration:
    """What is followed. ``factor``: of overcommit, in billionths, 0: nothing holds PodGroups to what the cluster has;
    ``gate``: whether PodGroups wait for a place in their queue at all; ``hierarchy``: whether the queues above a queue
    count; ``weighed``: whether weights divide what there is among queues; ``remembers``: whether a node that refused a
    pod of a task is not asked again for the next one; ``evicts``: actions by which pods may have to go for others;
    ``topology``: whether HyperNodes are looked at; ``said``: whether it is among the objects; ``other``: what of it is
    not followed here, empty: nothing.
    """

    __slots__ = ("evicts", "factor", "gate", "hierarchy", "other", "remembers", "said", "topology", "weighed")

    def __init__(self, objects: Objects) -> None:
        self.factor = _FACTOR
        self.topology = self.said = self.hierarchy = False
        self.gate = self.weighed = self.remembers = True
        self.evicts: tuple[str, ...] = ()
        self.other = ""
        for tree in objects.of("ConfigMap"):
            text = mapping(tree.get("data")).get(KEY)
            if isinstance(text, str):
                self.said = True
                self._read(text)

    def _read(self, text: str) -> None:
        plugins: list[str] = []
        actions: list[str] = []
        own = False
        for line in text.splitlines():
            word, _, value = line.partition("#")[0].strip().removeprefix("- ").strip().partition(":")
            value = value.strip("\"' ")
            own = own or word == "configurations"  # of actions, by their names
            if word == "actions":
                actions = [one.strip() for one in value.split(",")]
            elif word == "name" and not own:
                plugins.append(value)
            elif word == "overcommit-factor" and nano(value) is not None:
                self.factor = nano(value) or 0
            elif word == "predicateErrorCacheEnable":
                self.remembers = value != "false"
            elif word == "enableHierarchy":
                self.hierarchy = value == "true"
            elif word not in _SILENT and not (own and word == "name") and not word.startswith("binpack."):
                self.other = self.other or word
        self.topology = _TOPOLOGY in plugins
        self.factor = self.factor if _OVERCOMMIT in plugins else 0
        self.evicts = tuple(one for one in _EVICTING if one in actions)
        odd = [one for one in plugins if one not in (*_PLUGINS, *_QUEUES, _OVERCOMMIT, _TOPOLOGY)]
        odd += [f"no {one}" for one in _PLUGINS if one not in plugins]
        counting = [one for one in _QUEUES if one in plugins]
        if len(counting) != 1:
            odd.append(" and ".join(counting) or f"neither {_PROPORTION} nor {_CAPACITY}")
        self.hierarchy = self.hierarchy and _CAPACITY in counting
        self.weighed = _PROPORTION in counting
        self.gate = _GATE in actions
        later = actions[1:] if self.gate else actions
        if later[:1] != ["allocate"] or any(one not in _LATER for one in later[1:]):
            odd.append(f"actions: {', '.join(actions)}")
        self.other = self.other or next(iter(odd), "")
