"""What of a configuration of vc-scheduler is followed: that of its chart, the overcommit factor, network topology.

Volcano 1.15, installer/helm/chart/volcano/config/volcano-scheduler.conf; the ConfigMap's key is the file's name.
"""

from __future__ import annotations

from specgen.manifest.views import mapping
from specgen.quantity import NANO, nano

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.schedulers.world import Objects

KEY = "volcano-scheduler.conf"
_ACTIONS = ("enqueue", "allocate", "backfill")
_PLUGINS = ("priority", "gang", "conformance", "overcommit", "drf", "predicates", "proportion", "nodeorder", "binpack")
_TOPOLOGY = "network-topology-aware"
# A cluster is asked for this share of what its nodes have.
_FACTOR = 12 * NANO // 10


class Configuration:
    """``factor``: of overcommit, in billionths; ``topology``: whether HyperNodes are looked at; ``said``: whether it is
    among the objects; ``other``: what of it is not followed here, empty: nothing.
    """

    __slots__ = ("factor", "other", "said", "topology")

    def __init__(self, objects: Objects) -> None:
        self.factor = _FACTOR
        self.topology = self.said = False
        self.other = ""
        for tree in objects.of("ConfigMap"):
            text = mapping(tree.get("data")).get(KEY)
            if isinstance(text, str):
                self.said = True
                self._read(text)

    def _read(self, text: str) -> None:
        plugins = []
        actions = ""
        for line in text.splitlines():
            word, _, value = line.partition("#")[0].strip().removeprefix("- ").strip().partition(":")
            value = value.strip("\"' ")
            if word == "actions":
                actions = value
            elif word == "name":
                plugins.append(value)
            elif word == "overcommit-factor" and nano(value) is not None:
                self.factor = nano(value) or 0
            elif word not in ("", "tiers", "plugins", "arguments", "enablePreemptable"):
                self.other = self.other or word
        self.topology = _TOPOLOGY in plugins
        odd = [one for one in plugins if one not in (*_PLUGINS, _TOPOLOGY)]
        odd += [f"no {one}" for one in _PLUGINS if one not in plugins]
        if [one.strip() for one in actions.split(",")] != list(_ACTIONS):
            odd.append(f"actions: {actions}")
        self.other = self.other or next(iter(odd), "")
