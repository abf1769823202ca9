"""The objects of a live cluster that a cluster profile is made of, and which kinds it does not show."""

from __future__ import annotations

from specgen.capture.objects import Objects
from specgen.capture.wanted import DEFINITIONS, EVERYWHERE, SOMEWHERE
from specgen.diagnostics.model import BadQuestion
from specgen.manifest.views import mapping, sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.cli.api import Answer, Api

# Objects of one answer, and answers of one kind: half a million objects.
_PAGE, _PAGES = 500, 1000
_NAMES_ONLY = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"


def listed(api: Api) -> tuple[Objects, dict[str, str]]:
    """All objects that are wanted, and kind → why it is not known. Raises BadQuestion where no answer comes."""
    objects = Objects()
    unread: dict[str, str] = {}
    for group, plural in EVERYWHERE:
        _list(api, objects, unread, f"{group}/{plural}", plural)
    group, plural = DEFINITIONS
    _list(
        api, objects, unread, f"{group}/{plural}", plural, names=("apiextensions.k8s.io/v1", "CustomResourceDefinition")
    )
    versions: dict[str, str] = {}
    for group, plural in SOMEWHERE:
        if group not in versions:
            versions[group] = _version(api, group)
        if versions[group]:
            _list(api, objects, unread, f"apis/{versions[group]}/{plural}", f"{plural}.{group}")
    return objects, unread


def _version(api: Api, group: str) -> str:
    """``group/version`` as the cluster prefers it, empty where it does not serve the group."""
    answer = api.ask(f"apis/{group}")
    version = mapping(answer.body.get("preferredVersion")).get("groupVersion")
    return version if answer.status == 200 and isinstance(version, str) else ""


def _list(
    api: Api,
    objects: Objects,
    unread: dict[str, str],
    path: str,
    plural: str,
    names: tuple[str, str] | None = None,
) -> None:
    """Takes all objects of a kind; ``names``: apiVersion and kind of objects of which the names are enough."""
    query = [("limit", str(_PAGE))]
    accept = "application/json" if names is None else _NAMES_ONLY
    for _ in range(_PAGES):
        answer = api.ask(path, query, accept=accept)
        if answer.status == 404 and "." in plural:
            return  # a kind that the version of its controller does not have
        if answer.status != 200:
            unread[plural] = _why(answer)
            return
        items: list[Any] = sequence(answer.body.get("items"))
        said = names or (answer.body.get("apiVersion"), str(answer.body.get("kind", "")).removesuffix("List"))
        envelope = {"apiVersion": said[0], "kind": said[1]}
        objects.take({**one, **envelope} for one in items if isinstance(one, dict))
        token = mapping(answer.body.get("metadata")).get("continue")
        if not isinstance(token, str) or not token:
            return
        query = [("limit", str(_PAGE)), ("continue", token)]
    raise BadQuestion(f"{api.host}: its list of {plural} has no end")


def _why(answer: Answer) -> str:
    if answer.status == 403:
        return "this user may not list them (403)"
    if answer.status == 410:
        return "the list changed while it was read (410)"
    return f"the API server answered {answer.status}"
