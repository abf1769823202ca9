"""Variables of NCCL, and those that operators put into containers: the pages of both.

NCCL's are those of its user guide (``specgen.nccl``). An operator's are read off what ``expand`` makes of a small job
of each kind, so that a page shows values and not rules.
"""

from __future__ import annotations

from specgen import nccl
from specgen.document.read import read
from specgen.document.write import write_yaml
from specgen.manifest.origins import manifests
from specgen.manifest.views import mapping, sequence
from specgen.operators import by_object
from specgen.operators.expand import expand_manifest
from specgen.operators.index import KINDS
from specgen.reference.becoming import targets
from specgen.reference.page import Page
from specgen.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.operators.expansion import Expansion
    from specgen.reference.becoming import Compiler

# The job whose pods show the values, where its kind takes a starter: two processes in each of two pods; besides one
# whose pods come and go.
_JOB: dict[str, Any] = {"procsPerPod": 2, "start": "torchrun"}
_ELASTIC: dict[str, Any] = {"start": "torchrun", "elastic": {"min": 1, "max": 4}, "resources": {"cpu": 4}}
# Kinds that profiles do not compile to: the field of their roles, the training container, a pod for each of the roles.
_OTHERS = {
    "JAXJob": ("jaxReplicaSpecs", "jax", ("Worker",)),
    "PaddleJob": ("paddleReplicaSpecs", "paddle", ("Master", "Worker")),
    "XGBoostJob": ("xgbReplicaSpecs", "xgboost", ("Master", "Worker")),
}

# What no list of values says of a variable. The lines are those of NVIDIA/nccl, src/init.cc, src/transport/net_ib.cc
# and net_socket.cc.
_USED = {
    "NCCL_DEBUG": "Write `env: {NCCL_DEBUG: INFO}` and look in the log of rank 0 for `NET/IB : Using` (InfiniBand or "
    "RoCE), `NET/Socket : Using` (TCP), `NET/OFI` (EFA), then `via NET/IB/…/GDRDMA` of each channel, and on every rank "
    "for the first `NCCL WARN`; `specgen explain` takes such a line, in quotes.",
}


def nccl_page(name: str) -> Page:
    """The page of a variable of NCCL's user guide."""
    grammar, since, removed, replaced, _, meaning = nccl.VARIABLES[name]
    found = Page(name, "a variable of NCCL", _sentence(meaning))
    takes = nccl.takes(grammar)
    found.add("Takes", f"{takes[:1].upper()}{takes[1:]}." if takes else "")
    found.add("How to use it", _USED.get(name, ""))
    found.add("Since", [f"NCCL {since}"] if since else "")
    gone = f"NCCL {removed} reads it no more" if removed else ""
    found.add("Gone", gone + (f"; `{replaced}` took its place." if replaced and gone else "." if gone else ""))
    found.add("Said in", "`env` of a job, `cluster.pools.fabric.adds.env` for every pod that asks for an HCA.")
    return found


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}" + ("" if text.endswith(".") else ".")


def operator_variables(compiler: Compiler) -> dict[str, dict[str, list[str]]]:
    """Name of a variable → kind → its values, in the order of pods, in the words ``pod: value``."""
    found: dict[str, dict[str, list[str]]] = {}
    for kind, pods in _pods(compiler):
        for pod in pods:
            metadata = mapping(pod.get("metadata"))
            name = str(metadata.get("name") or f"{metadata.get('generateName', '')}…")
            for container in sequence(mapping(pod.get("spec")).get("containers"))[:1]:
                for entry in sequence(mapping(container).get("env")):
                    said = f"`{name}`: {_value(mapping(entry))}"
                    values = found.setdefault(str(entry["name"]), {}).setdefault(kind, [])
                    if said not in values:
                        values.append(said)
    return dict(sorted(found.items()))


def variable_page(name: str, values: dict[str, list[str]]) -> Page:
    """The page of a variable that operators set."""
    kinds = ", ".join(values)
    lead = f"Set in the pods of {kinds}."
    found = Page(name, "a variable that operators set", lead)
    for kind, said in values.items():
        more = [f"… and {len(said) - 4} more"] if len(said) > 4 else []
        found.add(kind, [*said[:4], *more])
    found.add("Shown by", "`specgen expand job.yaml -o yaml`, for your own job and the version of your operator.")
    return found


def _value(entry: dict[str, Any]) -> str:
    if "value" in entry:
        text = " ".join(str(entry["value"]).split())
        return f"`{text if len(text) <= 160 else text[:159] + '…'}`" if text else "an empty text"
    source = mapping(entry.get("valueFrom"))
    for word, below in source.items():
        at = mapping(below).get("fieldPath") or mapping(below).get("key") or mapping(below).get("resource")
        return f"from `{word}` `{at}`"
    return "an empty text"


def _pods(compiler: Compiler) -> list[tuple[str, list[dict[str, Any]]]]:
    """(kind, the pods of a small job of it), of all kinds; those of an elastic one besides."""
    found = []
    for name, target in targets().items():
        # not every kind takes a starter
        found.append((name, compiler.outcome(_JOB, {}, target).pods() or compiler.outcome({}, {}, target).pods()))
        elastic = compiler.outcome(_ELASTIC, {}, target).pods()
        if elastic:
            found.append((f"{name} (elastic)", elastic))
    for kind in _OTHERS:
        expansion = expansion_of(kind)
        found.append((kind, expansion.pods if expansion is not None else []))
    return found


def expansion_of(kind: str) -> Expansion | None:
    """What comes of a small job of a kind that no profile compiles to; None: its least is not known."""
    if kind not in _OTHERS:
        return None
    version = next(version for version, name in KINDS if name == kind)
    field, container, roles = _OTHERS[kind]
    pod = {"spec": {"containers": [{"name": container, "image": "registry.example.com/train:1"}]}}
    replicas = {role: {"replicas": 1, "template": pod} for role in roles}
    tree = {"apiVersion": version, "kind": kind, "metadata": {"name": "train"}, "spec": {field: replicas}}
    reader = by_object(version, kind)
    assert reader is not None
    (document,), _ = read(Source(f"{kind}.yaml", write_yaml(tree)))
    return expand_manifest(manifests(document)[0], reader)[0]
