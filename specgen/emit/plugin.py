"""A config management plugin of Argo CD, the sidecar that it runs in, and what an Application says to have it.

Fields: docs/operator-manual/config-management-plugins.md of argo-cd 3, and cmpserver/plugin/config.go. What stands in
``static`` comes after what the plugin says of one Application, and wins (cmpserver/plugin/plugin.go,
``getParametersAnnouncement``): it is what holds for all of them.
"""

from __future__ import annotations

from specgen.document.write import write_yaml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

NAME = "specgen"
# What stands in the place of a user's own.
REPOSITORY, REVISION = "https://git.example.com/team/jobs.git", "main"
_COMMAND = ("specgen", "cmp")
_CONFIG, _TMP = "specgen-cmp", "specgen-cmp-tmp"
# What keeps a sync off jobs that are as they shall be: those without changes are not applied, and fields that others
# write by right are not taken from them (docs/user-guide/sync-options.md).
SYNC_OPTIONS = ("ApplyOutOfSyncOnly=true", "RespectIgnoreDifferences=true", "ServerSideApply=true")
_ALL = {
    "name": "profiles",
    "title": "Job profiles",
    "tooltip": "Files, and folders of them, seen from the folder of the Application",
    "collectionType": "array",
    "array": ["."],
}
_SET = {
    "name": "set",
    "title": "Fields of the jobs",
    "tooltip": "Field of the profile and its value, such as pods and 8, or env.NCCL_DEBUG and WARN",
    "collectionType": "map",
    "map": {},
}


def plugin() -> dict[str, Any]:
    """plugin.yaml. Without a version, so that Applications go on calling it by one name."""
    generate, discover, dynamic = ([*_COMMAND, word] for word in ("generate", "discover", "parameters"))
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "ConfigManagementPlugin",
        "metadata": {"name": NAME},
        "spec": {
            "generate": {"command": generate},
            "discover": {"find": {"command": discover}},
            "parameters": {"static": [_ALL, _SET], "dynamic": {"command": dynamic}},
        },
    }


def announced(variants: Sequence[str], clusters: Sequence[str]) -> list[dict[str, Any]]:
    """What can be chosen for the profiles of one Application: their variants, and a cluster in place of their own."""
    found: list[dict[str, Any]] = []
    cluster = {"name": "cluster", "title": "Cluster profile"}
    cluster["tooltip"] = "A file, seen from the folder of the Application, in place of the one that the profiles name"
    found.append({**cluster, **({"string": clusters[0]} if len(clusters) == 1 else {})})
    if variants:
        tooltip = f"One variant alone, all without one: {', '.join(variants)}"
        found.append({"name": "variant", "title": "Variant", "tooltip": tooltip})
    return found


def sidecar(image: str) -> list[dict[str, Any]]:
    """The ConfigMap of plugin.yaml, and what Deployment argocd-repo-server is to have, for a server-side apply."""
    mounts = [
        {"name": "var-files", "mountPath": "/var/run/argocd"},
        {"name": "plugins", "mountPath": "/home/argocd/cmp-server/plugins"},
        {"name": _CONFIG, "mountPath": "/home/argocd/cmp-server/config/plugin.yaml", "subPath": "plugin.yaml"},
        {"name": _TMP, "mountPath": "/tmp"},
    ]
    container = {
        "name": NAME,
        "image": image,
        "command": ["/var/run/argocd/argocd-cmp-server"],
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": 999,
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "512Mi"}},
        "volumeMounts": mounts,
    }
    volumes = [{"name": _CONFIG, "configMap": {"name": _CONFIG}}, {"name": _TMP, "emptyDir": {}}]
    text = write_yaml(plugin())
    return [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": _in_argocd(_CONFIG), "data": {"plugin.yaml": text}},
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": _in_argocd("argocd-repo-server"),
            "spec": {"template": {"spec": {"containers": [container], "volumes": volumes}}},
        },
    ]


def application(name: str, source: Mapping[str, Any]) -> dict[str, Any]:
    """An Application over one source.

    It syncs by itself and prunes, but heals nothing by itself: a job that somebody deletes stays deleted until the next
    commit, and does not begin anew.
    """
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": _in_argocd(name),
        "spec": _application(source),
    }


def of_profiles(repository: str, revision: str, path: str) -> dict[str, Any]:
    """The source of an Application that has the plugin build the profiles of a folder as they are."""
    return {
        "repoURL": repository,
        "targetRevision": revision,
        "path": path,
        "plugin": {"name": NAME},
    }


def application_set(repository: str, revision: str, path: str) -> dict[str, Any]:
    """An Application for each profile of a folder, by the name of its file.

    ``goTemplate``, the fields of ``path`` and the function ``normalize``: docs/operator-manual/applicationset,
    GoTemplate.md and Generators-Git.md of argo-cd 3. Its end ends no job.
    """
    one = {"name": "profiles", "array": ["{{.path.filename}}"]}
    source = {
        "repoURL": repository,
        "targetRevision": revision,
        "path": "{{.path.path}}",
        "plugin": {"name": NAME, "parameters": [one]},
    }
    files = {"repoURL": repository, "revision": revision, "files": [{"path": f"{path}/*.yaml"}]}
    name = '{{normalize (trimSuffix ".yaml" .path.filename)}}'
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "ApplicationSet",
        "metadata": _in_argocd("training"),
        "spec": {
            "goTemplate": True,
            "goTemplateOptions": ["missingkey=error"],
            "generators": [{"git": files}],
            "syncPolicy": {"preserveResourcesOnDeletion": True},
            "template": {"metadata": {"name": name}, "spec": _application(source)},
        },
    }


def _in_argocd(name: str) -> dict[str, str]:
    return {"name": name, "namespace": "argocd"}


def _application(source: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "project": "default",
        "source": dict(source),
        "destination": {"server": "https://kubernetes.default.svc", "namespace": "training"},
        "syncPolicy": {"automated": {"prune": True, "selfHeal": False}, "syncOptions": list(SYNC_OPTIONS)},
    }
