"""Which schedulers have the plugin Coscheduling, as a KubeSchedulerConfiguration says it, or its ConfigMap.

scheduler-plugins 0.34, manifests/install/charts: without one among the objects it is that of the chart. A profile has a
plugin that it enables at ``multiPoint`` or at a point of its own, unless it disables it or all of them there
(kube-scheduler, pkg/scheduler/framework/runtime, ``expandMultiPointPlugins``).
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.schedulers.world import Objects

SCHEDULER = "scheduler-plugins-scheduler"
KIND = "KubeSchedulerConfiguration"
_PLUGIN = "Coscheduling"
# The point at which a pod waits for the others of its gang.
_POINT = "permit"


def schedulers(objects: Objects) -> tuple[str, ...]:
    """The names of schedulers that have the plugin."""
    configured = [*objects.of(KIND), *_written(objects)]
    if not configured:
        return (SCHEDULER,)
    profiles = [mapping(one) for tree in configured for one in sequence(tree.get("profiles"))]
    return tuple(str(one.get("schedulerName") or "default-scheduler") for one in profiles if _has(one))


def said(objects: Objects) -> bool:
    """Whether a configuration is among the objects."""
    return next(objects.of(KIND), None) is not None or next(_written(objects), None) is not None


def _has(profile: dict[str, Any]) -> bool:
    plugins = mapping(profile.get("plugins"))
    own = mapping(plugins.get(_POINT))
    if _PLUGIN in _named(own, "enabled"):
        return True
    return _PLUGIN in _named(mapping(plugins.get("multiPoint")), "enabled") and not (
        {_PLUGIN, "*"} & set(_named(own, "disabled"))
    )


def _named(point: dict[str, Any], word: str) -> list[str]:
    return [str(mapping(one).get("name")) for one in sequence(point.get(word))]


def _written(objects: Objects) -> Iterator[dict[str, Any]]:
    """Configurations as texts of ConfigMaps."""
    for tree in objects.of("ConfigMap"):
        for text in mapping(tree.get("data")).values():
            if isinstance(text, str) and KIND in text:
                from specgen.document.read import read
                from specgen.source import Source

                for document in read(Source("", text))[0]:
                    if isinstance(document.data, dict) and document.data.get("kind") == KIND:
                        yield document.data
