"""The configuration file that accelerate reads in a container, where a ConfigMap beside the job brings it."""

from __future__ import annotations

from specgen.manifest.beside import named
from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.accelerate import Configured
from specgen.operators.kubernetes.accelerate import configured as read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from specgen.manifest.model import Manifest
    from specgen.manifest.views import Container
    from specgen.operators.kubernetes.launchers import Line


def configured(container: Container, line: Line, companions: Sequence[Manifest]) -> Configured | None:
    """What the file of a line says; None where the line names none, or nobody here sees what stands in it."""
    name = line.value("config_file")
    if not name or "$" in name:
        return None
    folder = container.tree.get("workingDir")
    path = name if name.startswith("/") else f"{folder if isinstance(folder, str) else ''}/{name.removeprefix('./')}"
    text = _text(container, path, companions)
    return read(text, name) if text is not None else None


def _text(container: Container, path: str, companions: Sequence[Manifest]) -> str | None:
    """The text at a path of the container; the deepest mount there has it."""
    above = [entry for _, entry in container.mounts if f"{path}/".startswith(entry["mountPath"].rstrip("/") + "/")]
    if not above:
        return None
    mount = max(above, key=lambda entry: len(entry["mountPath"].rstrip("/")))
    below = path[len(mount["mountPath"].rstrip("/")) :].strip("/")
    inside = "/".join(part for part in (mount.get("subPath"), below) if isinstance(part, str) and part)
    volumes = [mapping(one) for one in sequence(container.role.pod.get("volumes"))]
    volume = next((one for one in volumes if one.get("name") == mount.get("name")), {})
    source = mapping(volume.get("configMap"))
    own = container.role.workload.manifest.ref.namespace
    found = [
        one
        for one in named(companions, "ConfigMap", str(source.get("name") or ""))
        if own is None or one.ref.namespace in (None, own)
    ]
    if not inside or len(found) != 1:
        return None
    items = [mapping(one) for one in sequence(source.get("items"))]
    key: Any = next((one.get("key") for one in items if one.get("path") == inside), None) if items else inside
    text = mapping(found[0].tree.get("data")).get(key) if isinstance(key, str) else None
    return text if isinstance(text, str) else None
