"""A cluster profile → what installs its operators: a kustomization directory each, Helm values for the old chart."""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, has_errors, listed
from specgen.document.write import write_yaml
from specgen.emit.kustomize import FILE, kustomization
from specgen.install import jobset, ms_operator, pytorch_operator, training_operator
from specgen.install.index import MODULES
from specgen.install.mirrors import rewritten
from specgen.install.model import Base
from specgen.operators.training.facts import FORERUNNER
from specgen.profile import codes
from specgen.profile.library import installed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.install.model import Flag, Module
    from specgen.operators import release
    from specgen.operators.release import Manifests
    from specgen.profile.cluster import ClusterProfile
    from specgen.profile.operator import Operator

_FLAGS = "flags.yaml"
_RIGHTS = "rights.yaml"
_CRD = "mpijobs.yaml"


def listed_operators(cluster: ClusterProfile) -> dict[str, Operator]:
    """Operators that the cluster profile lists, by name, in the order of ``MODULES``."""
    names = [module.OPERATOR.name for module in MODULES]
    entries = {name: installed(cluster, name) for name in names}
    return {name: entry for name, entry in entries.items() if entry is not None}


def folder(name: str, entry: Operator) -> str:
    """The directory of an operator's files."""
    is_chart = name == pytorch_operator.NAME and pytorch_operator.is_chart(entry.version)
    return pytorch_operator.FOLDER if is_chart else name


def install(cluster: ClusterProfile, bases: dict[str, Base]) -> tuple[dict[str, str], list[Finding]]:
    """Relative path → text of every file, the kustomization on top last; no files where a finding is an error.

    bases: operator → what is in place of upstream's; that of JobSet is installed beside Trainer, whose own is then one
    without it. Paths of findings are those of the cluster profile.
    """
    files: dict[str, str] = {}
    findings: list[Finding] = []
    folders = []
    for module in MODULES:
        name = module.OPERATOR.name
        entry = listed_operators(cluster).get(name)
        if module is jobset and jobset.brought(cluster):
            if name not in bases:
                findings += jobset.lost(cluster)
                continue
            entry = entry or jobset.as_brought()
        if entry is None:
            continue
        if folder(name, entry) == pytorch_operator.FOLDER:
            values, found = pytorch_operator.values(entry, cluster)
            files[f"{pytorch_operator.FOLDER}/{pytorch_operator.FILE}"] = write_yaml(values)
        else:
            own, found = _directory(module, entry, cluster, bases.get(name))
            files.update({f"{name}/{file}": text for file, text in own.items()})
            folders.append(name)
        findings += found
    if folders:
        files[FILE] = write_yaml(kustomization(sorted(folders)))
    return ({} if has_errors(findings) else files), findings


def _directory(
    module: Module, entry: Operator, cluster: ClusterProfile, base: Base | None
) -> tuple[dict[str, str], list[Finding]]:
    operator = module.OPERATOR
    manifests, known = operator.manifests, operator.release(entry.version)
    assert manifests is not None  # of all in MODULES
    if base is None and known is not None:
        base = Base([manifests.remote(known.ref)])
    # a local base stands in for a release that is not known, if others of its name are
    if base is None or not operator.has_minor(entry.version):
        return {}, [_unknown(operator, entry)]
    name = operator.name
    flags, findings = module.flags(entry, cluster)
    files: dict[str, str] = {**base.files}
    tree: dict[str, Any] = {**kustomization(base.resources), **base.tree}
    tree["namespace"] = entry.namespace or manifests.namespace
    # what comes with another operator, and is not listed itself, is pulled from that one's mirror
    speaks = name if name in listed_operators(cluster) else operator.comes_with
    images = rewritten(operator.own_images(entry.version), cluster, speaks, base.tree.get("images") or [])
    if images:
        tree["images"] = images
    patches = []
    if flags:
        files[_FLAGS] = _flag_patch(manifests, flags)
        target = {"group": "apps", "version": "v1", "kind": "Deployment", "name": manifests.deployment}
        patches.append({"path": _FLAGS, "target": target})
    if module is ms_operator and flags:
        files[_RIGHTS] = write_yaml([{"op": "add", "path": "/rules/-", "value": rule} for rule in ms_operator.RULES])
        patches.append({"path": _RIGHTS, "target": {"kind": "ClusterRole", "name": ms_operator.ROLE}})
    if module is training_operator and training_operator.shares_crd(cluster):
        crd = training_operator.SHARED_CRD
        files[_CRD] = f"# {crd} is the mpi-operator's here\n" + write_yaml(_deleted_crd(crd))
        patches.append({"path": _CRD, "target": {"kind": "CustomResourceDefinition", "name": crd}})
    if patches:
        tree["patches"] = patches
    if flags:
        tree["replacements"] = [_guard(manifests.deployment)]
    return {FILE: write_yaml(tree), **files}, findings


def _unknown(operator: release.Operator, entry: Operator) -> Finding:
    """SG214 as an error: here the version is what is installed, and nothing stands in for it."""
    name = operator.name
    message = f"how {name} {entry.version} is installed is not known here"
    charts = FORERUNNER.releases if name == pytorch_operator.NAME else ()
    known = [one.version for one in (*charts, *operator.releases)]
    notes = [f"known are {listed(known, most=len(known))}"]
    like = operator.has_minor(entry.version)
    helps = [f"name a copy of its manifests: `--base {name}=PATH`"] if like else []
    place = ("operators", name, "version")
    return codes.UNKNOWN_VERSION.at(place, message, notes=notes, helps=helps, severity=ERROR)


def _flag_patch(manifests: Manifests, flags: list[Flag]) -> str:
    """A JSON patch (RFC 6902) that adds the flags; it fails where the container is not the one that is meant."""
    pod = f"/spec/template/spec/containers/{manifests.index}"
    text = write_yaml([{"op": "test", "path": f"{pod}/name", "value": manifests.container}])
    reason = ""
    for flag in flags:
        if flag.reason != reason:
            reason = flag.reason
            text += f"# {reason}\n"
        text += write_yaml([{"op": "add", "path": f"{pod}/{manifests.words}/-", "value": flag.word}])
    return text


def _guard(deployment: str) -> dict[str, Any]:
    """A replacement of a name by itself: kustomize skips a patch whose target is absent, but not a replacement."""
    select = {"kind": "Deployment", "name": deployment}
    return {
        "source": {**select, "fieldPath": "metadata.name"},
        "targets": [{"select": dict(select), "fieldPaths": ["metadata.name"]}],
    }


def _deleted_crd(name: str) -> dict[str, Any]:
    kind = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}
    return {"$patch": "delete", **kind, "metadata": {"name": name}}
