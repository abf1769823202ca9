"""Probes of containers and what runs at their start and end (Kubernetes 1.36, validateProbe, validateLifecycle)."""

from __future__ import annotations

from specgen.diagnostics.model import listed, shown
from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.names import is_header, is_port_name
from specgen.operators.kubernetes.reason import at_least, because, missing, number, one_of, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.operators.kubernetes.reason import Reason
    from specgen.source import Path

PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_OF_PROBES = ("exec", "httpGet", "tcpSocket", "grpc")
_OF_LIFECYCLE = ("exec", "httpGet", "tcpSocket", "sleep")
_NUMBERS = ("initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold")
_GRACE = "terminationGracePeriodSeconds"


def probe(kind: str, tree: dict[str, Any], path: Path) -> Iterator[Reason]:
    """What is wrong with a probe. A 0 stands for the default."""
    yield from _handler(tree, _OF_PROBES, 0, path)
    for key in _NUMBERS:
        yield from at_least(tree, key, path, 0)
    if kind == "readinessProbe":
        if tree.get(_GRACE) is not None:
            yield because((*path, _GRACE), "a readiness probe ends nothing, so it has no such field")
        return
    yield from at_least(tree, _GRACE, path, 1)
    if (number(tree, "successThreshold") or 1) > 1:
        yield because((*path, "successThreshold"), f"{tree['successThreshold']} is not 1, as it must be here")


def lifecycle(tree: dict[str, Any], grace: int, path: Path) -> Iterator[Reason]:
    """What is wrong with the hooks of a container; ``grace``: seconds that its pod has to end."""
    for key in ("postStart", "preStop"):
        if isinstance(tree.get(key), dict):
            yield from _handler(tree[key], _OF_LIFECYCLE, grace, (*path, key))


def _handler(tree: dict[str, Any], kinds: tuple[str, ...], grace: int, path: Path) -> Iterator[Reason]:
    given = [kind for kind in kinds if isinstance(tree.get(kind), dict)]
    if not given:
        yield because(path, f"none of {listed(kinds)} is given")
    for kind in given[1:]:
        message = f"`{kind}` contradicts `{given[0]}`: only one may be given"
        yield because((*path, kind), message, "", (*path, given[0]))
    for kind in given[:1]:
        action, here = tree[kind], (*path, kind)
        if kind == "exec":
            if not sequence(action.get("command")):
                yield missing((*here, "command"))
        elif kind == "sleep":
            seconds = number(action, "seconds") or 0
            if not 0 <= seconds <= grace:
                message = f"{seconds} is not between 0 and the {grace} seconds of `{_GRACE}`"
                yield because((*here, "seconds"), message)
        else:
            yield from _port(action.get("port"), (*here, "port"))
        if kind == "httpGet":
            yield from one_of(action, "scheme", here, ("HTTP", "HTTPS"))
            for at, header in enumerate(sequence(action.get("httpHeaders"))):
                name = text(mapping(header), "name")
                if name is not None and not is_header(name):
                    yield because((*here, "httpHeaders", at, "name"), f"`{shown(name)}` is no name of a header")


def _port(port: Any, path: Path) -> Iterator[Reason]:
    if port is None:
        yield missing(path)
    elif isinstance(port, str) and not is_port_name(port):
        yield because(path, f"`{shown(port)}` is neither a number nor a name of a port")
    elif isinstance(port, int) and not isinstance(port, bool) and not 1 <= port <= 65535:
        yield because(path, f"{shown(port)} is not between 1 and 65535")
