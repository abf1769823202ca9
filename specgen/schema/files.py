"""Finds the files of ``schemas/``: inside an installed wheel first, then beside the package in a checkout."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDERS = (os.path.join(_PACKAGE, "_schemas"), os.path.join(os.path.dirname(_PACKAGE), "schemas"))


def text(name: str) -> str:
    """The text of a schema such as ``job.schema.json`` or ``k8s/kubeflow.org/pytorchjob_v1.json``.

    Raises FileNotFoundError where neither folder has it.
    """
    for folder in FOLDERS:
        path = os.path.join(folder, *name.split("/"))
        if os.path.isfile(path):
            with open(path, encoding="utf-8") as file:
                return file.read()
    raise FileNotFoundError(f"the installation of specgen lacks the schema {name}")


def kinds() -> list[str]:
    """The schemas of Kubernetes' kinds, such as ``k8s/kubeflow.org/pytorchjob_v1.json``, sorted."""
    for folder in FOLDERS:
        groups = os.path.join(folder, "k8s")
        if os.path.isdir(groups):
            return [
                f"k8s/{group}/{file}"
                for group in sorted(os.listdir(groups))
                if os.path.isdir(os.path.join(groups, group))
                for file in sorted(os.listdir(os.path.join(groups, group)))
                if file.endswith(".json")
            ]
    return []


def load(name: str) -> dict[str, Any]:
    """The schema itself, which nobody changes: a run with many files asks for the same few of them."""
    if name not in _loaded:
        import json

        _loaded[name] = json.loads(text(name))
    return _loaded[name]


_loaded: dict[str, dict[str, Any]] = {}
