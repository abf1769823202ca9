"""Jobs compiled and held against what their operator makes of them: what is planned is what comes of it."""

from __future__ import annotations

import json
from typing import Any

from specgen import operators
from specgen.checking import operator_gang
from specgen.document.write import write_yaml_stream
from specgen.linting import lint_text
from specgen.manifest.model import Bundle, Manifest
from specgen.operators.expand import expand_manifest
from specgen.pipeline import Compiled, Result, compile_source
from specgen.profile.library import Library
from specgen.source import Source
from tests.acceptance.trees import Folder

ENVELOPE = {"apiVersion": "specgen/v1", "kind": "Job", "image": "registry.example.com/a:1", "command": ["train"]}


# True of jobs with any words, and asked for by some: what is tested is how they are written. Launchers without mpirun,
# pods that stay, roles without GPUs that may see some, a `backoffLimit` beside `Never`, an Evaluator that is deleted,
# GPUs that no process has.
MEANT = ("SG216", "SG425", "SG482", "SG486", "SG487", "SG534")


def built(words: dict[str, Any], cluster: dict[str, Any] | None = None) -> Result:
    """A job of a few words, compiled, on a cluster of a few words. None: without a word that all of these jobs have."""
    given = {**ENVELOPE, "metadata": {"name": "demo"}, **words}
    job: dict[str, Any] = {word: value for word, value in given.items() if value is not None or word not in ENVELOPE}
    files: dict[str, bytes] = {}
    if cluster is not None:
        whole = {"apiVersion": "specgen/v1", "kind": "Cluster", "metadata": {"name": "demo"}, **cluster}
        files["cluster.yaml"] = json.dumps(whole).encode()
        job["cluster"] = "cluster.yaml"
    return compile_source(Source("job.yaml", json.dumps(job)), Library(Folder(files)))


def tree(result: Result) -> Any:
    """The job object of a result without findings, but those that are true of jobs with any words."""
    assert unmeant(result.diagnostics) == []
    bundle = result.compiled[0].bundle
    assert bundle is not None
    return bundle.job.tree


def unmeant(diagnostics: list[Any]) -> list[Any]:
    """What is found but for what is true of jobs with any words."""
    return [one for one in diagnostics if one["code"] not in MEANT]


def found(result: Result) -> list[tuple[str, str, str]]:
    """(code, severity, path) of what was found, each once."""
    return [(one["code"], one["severity"], one["path"]) for one in result.diagnostics]


def stream(bundles: list[Bundle]) -> str:
    """All objects as one text, in order, as `build` prints them."""
    return write_yaml_stream([manifest.tree for bundle in bundles for manifest in bundle.manifests])


class Came:
    """What comes of a compiled job: its bare manifest as the backend reads it, and as its operator expands it."""

    def __init__(self, one: Compiled) -> None:
        assert one.bundle is not None and one.plan is not None
        self.plan = one.plan
        # nothing but the tree goes on: what is read from it stands in it
        manifest = Manifest(json.loads(json.dumps(one.bundle.job.tree)), one.bundle.job.where)
        backend = operators.by_object(manifest.ref.api_version, manifest.ref.kind)
        assert backend is not None
        self.workload = backend.read(manifest, one.plan.version)
        gang = operator_gang(one.job.cluster, backend)
        expansion, findings = expand_manifest(manifest, backend, one.plan.version, gang=gang)
        assert findings == [] and expansion is not None, [finding.message for finding in findings]
        self.expansion = expansion
        self.text = write_yaml_stream([one.tree for one in one.bundle.manifests])

    def as_planned(self) -> None:
        """Roles, pods, devices, and programs are those of the plan; no webhook, operator or rule objects."""
        assert unmeant(lint_text(self.text)) == []
        assert self.expansion.refusals == [] and self.expansion.notes == []
        roles = [(role.name, role.replicas.value) for role in self.plan.roles]
        assert [(role.name, role.replicas) for role in self.workload.roles] == roles
        pods = [f"{self.plan.job.name}-{name.lower()}-{index}" for name, count in roles for index in range(count)]
        if self.plan.job.job.lifecycle.suspend:
            assert self.expansion.pods == [] and self.expansion.idle
            return
        assert [pod["metadata"]["name"] for pod in self.expansion.pods] == pods
        by_name = {role.name: role for role in self.plan.roles}
        for instance in self.expansion.instances:
            devices = by_name[instance.role].devices
            assert instance.devices == {name: said.value for name, said in devices.limits.items() if "/" in name}
            command = by_name[instance.role].command
            assert command is not None and instance.command[: len(command.value)] == command.value
