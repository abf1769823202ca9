"""Which kinds an API server has, and by what path it is asked for their objects."""

from __future__ import annotations

from specgen.diagnostics.model import BadQuestion, listed
from specgen.manifest.views import mapping, sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from specgen.cli.api import Api

    # the plural of a kind, and whether its objects have a namespace
    Resource: TypeAlias = tuple[str, bool]


def resources(api: Api, api_version: str) -> dict[str, Resource] | None:
    """Kind → (its plural, whether it has a namespace), of a group and version; None: the cluster does not serve it."""
    answer = api.ask(_group(api_version))
    if answer.status == 404:
        return None
    if answer.status != 200:
        raise BadQuestion(f"{api.host}: it does not say which kinds it serves ({answer.status})", rights())
    found: dict[str, Resource] = {}
    for one in map(mapping, sequence(answer.body.get("resources"))):
        name, kind = one.get("name"), one.get("kind")
        # `jobs/status` is no resource of its own
        if isinstance(name, str) and isinstance(kind, str) and "/" not in name:
            found[kind] = name, one.get("namespaced") is True
    return found


def other_versions(api: Api, api_version: str) -> list[str]:
    """What the cluster serves of the group besides."""
    group = api_version.rpartition("/")[0]
    answer = api.ask(f"apis/{group}")
    versions = [mapping(one).get("groupVersion") for one in sequence(answer.body.get("versions"))]
    known = [one for one in versions if isinstance(one, str) and one != api_version]
    if answer.status != 200:
        return [f"nothing of `{group}` is installed there"]
    return [f"it serves {listed(known)}"] if known else []


def _group(api_version: str) -> str:
    return f"apis/{api_version}" if "/" in api_version else f"api/{api_version}"


def rights() -> str:
    """A help for whoever may not ask."""
    return "`kubectl auth can-i --list` says what this user may do"


def path_of(api_version: str, resource: Resource, namespace: str) -> str:
    """The path of all objects of a kind, in a namespace where they have one."""
    from urllib.parse import quote

    plural, namespaced = resource
    within = f"/namespaces/{quote(namespace, safe='')}" if namespaced else ""
    return f"{_group(api_version)}{within}/{plural}"
