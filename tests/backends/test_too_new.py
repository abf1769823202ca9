"""A field that the installed operator does not know is refused where it was written, with the release that brought it."""

from __future__ import annotations

import pytest

from specgen import backends
from specgen.backends._too_new import too_new

CASES = [
    ("PyTorchJob", "kubeflow.org/v1", "1.8.1", {"spec": {"runPolicy": {"managedBy": "a"}}}, "managedBy", "1.9"),
    (
        "PyTorchJob",
        "kubeflow.org/v1",
        "1.7.0",
        {"initContainers": [{}, {"restartPolicy": "Always"}]},
        "restartPolicy",
        "1.8",
    ),
    ("PyTorchJob", "kubeflow.org/v1", "1.8.1", {"spec": {"hostnameOverride": "a"}}, "hostnameOverride", "1.9"),
    ("MPIJob", "kubeflow.org/v2beta1", "0.4.0", {"spec": {"runLauncherAsWorker": True}}, "runLauncherAsWorker", "0.5"),
    ("MPIJob", "kubeflow.org/v2beta1", "0.5.0", {"spec": {"runPolicy": {"managedBy": "a"}}}, "managedBy", "0.6"),
]


@pytest.mark.parametrize(("kind", "api", "version", "tree", "field", "brought"), CASES)
def test_a_field_of_a_later_release_is_refused(
    kind: str, api: str, version: str, tree: dict[str, object], field: str, brought: str
) -> None:
    backend = backends.by_object(api, kind)
    assert backend is not None
    (finding,) = too_new(backend, tree, version)
    assert finding.place.path[-1] == field
    assert finding.message == f"{backend.OPERATOR} {version} does not know `{field}`, which came with {brought}"
    assert too_new(backend, tree, brought + ".0") == []
