"""What the objects of a cluster say, as a cluster profile that a person reviews before it counts.

``capture`` takes the objects as ``kubectl get … -o json`` prints them, from a file or from the API server, and gives
the text of the profile. What no word of the profile can say, and what no object says (names of adapters, the fabric,
the interface of NCCL), is a comment with the question. Same objects, same text: sorted, without times, addresses,
identifiers and names of nodes; variables, Secrets and annotations that may hold a whole object are never read.

Lives here: ``objects`` (text → objects, and what is asked of them), ``wanted`` (which kinds are asked for, and the
commands that print them), ``devices`` (which resource is a GPU, an NPU, an adapter), ``nodes`` (nodes that are alike),
``pools`` (what is said of them), ``installed`` (operators and schedulers with versions and flags), ``queues`` (queues
and priorities, with ``quotas``), ``beside`` (topology, storage, namespaces), ``text`` (a tree with comments, written),
``like`` (profiles of usual clusters, for those that have none yet). May import everything below the command line but
the stages.
"""

from __future__ import annotations

from specgen.capture import beside, installed, pools, queues
from specgen.capture.nodes import groups, own_nodes
from specgen.capture.text import Tree, written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from specgen.capture.objects import Objects

HEAD = """\
# yaml-language-server: $schema=cluster.schema.json
# Captured from the objects of the cluster. Comments that ask are for those who know: answer them in the profile.
"""


def capture(objects: Objects, name: str, unread: Mapping[str, str] | None = None) -> tuple[str, list[str]]:
    """The text of a cluster profile, and what must be said of it besides.

    ``name``: of the cluster. ``unread``: kind in the plural → why its objects are not known, such as a missing right.
    Raises ValueError where no object is a node that takes pods.
    """
    unread = unread or {}
    nodes = own_nodes(objects)
    if not nodes:
        raise ValueError(unread.get("nodes") or "there is no node among the objects")
    tree, warnings = Tree(), []
    for kind, why in sorted(unread.items()):
        tree.note(f"Not known, as the cluster did not show its {kind}: {why}.")
        warnings.append(f"the {kind} of the cluster are not known: {why}")
    tree.add("apiVersion", "specgen/v1")
    tree.add("kind", "Cluster")
    tree.add("metadata", {"name": name})
    beside.say_version(tree, objects)
    found = installed.installed(objects)
    warnings += installed.say(tree, found, objects)
    places = queues.networks(objects)
    beside.say_claims(tree, objects)
    words, level = beside.topology(objects, nodes), beside.level(objects, found)
    warnings += pools.say(tree, groups(nodes, queues.flavor_labels(objects)), places, level, words)
    beside.say_storage(tree, objects)
    beside.say_topology(tree, nodes, words, objects)
    warnings += queues.say(tree, found, objects, words, blind="cohorts" in unread)
    beside.say_namespaces(tree, objects, found)
    tree.end("Which NCCL libraries do the nodes have? nccl: {2.27.3: /opt/nccl/lib/libnccl.so}")
    tree.end("Where do images come from? images: {mirrors: {docker.io: registry.example.com/hub}, allow: []}")
    return HEAD + written(tree), warnings
