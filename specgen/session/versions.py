"""Manifests judged by several versions of their operators: what differs between them says for which it holds."""

from __future__ import annotations

from specgen import operators
from specgen.checking import check
from specgen.diagnostics.model import BadQuestion, listed
from specgen.schema.record import record
from specgen.tables import cluster as table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Manifest
    from specgen.operators.release import Operator
    from specgen.profile.cluster import ClusterProfile


def known() -> dict[str, Operator]:
    """The operators that cluster profiles have words for, by name."""
    from specgen.operators.index import KINDS

    found = {}
    for version, kind in KINDS:
        reader = operators.by_object(version, kind)
        assert reader is not None
        if reader.operator.name in _WORDS:
            found[reader.operator.name] = reader.operator
    return found


_WORDS = [key for key, *_ in table.RECORDS["Operators"].values()]


def asked(name: str, versions: Sequence[str]) -> list[str]:
    """The versions of an operator. Raises BadQuestion for an operator or a version that is not known."""
    if name not in _WORDS:
        from specgen.diagnostics.suggest import hint

        raise BadQuestion(f"no operator is called `{name}`", hint(name, _WORDS, "known operator"))
    operator = known()[name]
    for version in versions:
        if not operator.has_minor(version):
            near = operator.nearest(version, next(iter(operator.kinds(version)), ""))
            way = f"; `{name}={near}` is the nearest" if near else ""
            message = f"what {name} {version} takes is not known here"
            raise BadQuestion(message, f"known are {listed(operator.minors())}{way}")
    return list(dict.fromkeys(versions))


def parsed(words: Sequence[str]) -> dict[str, list[str]]:
    """``NAME=VERSION[,VERSION]`` of the command line. Raises BadQuestion."""
    found: dict[str, list[str]] = {}
    for word in words:
        name, sign, versions = word.partition("=")
        told = [version.strip() for version in versions.split(",") if version.strip()]
        if not sign or not told:
            raise BadQuestion(f"`--operator {word}` is not NAME=VERSION", "such as `--operator trainer=2.1.0,2.2.0`")
        found[name] = [*found.get(name, []), *asked(name, told)]
    return found


class Versions:
    """Cluster profiles that differ in the version of one operator each.

    ``data``: the cluster profile that they begin with, as it is written; None: nothing but the operator is known.
    """

    __slots__ = ("_clusters", "_data", "_versions")

    def __init__(self, data: dict[str, Any] | None, versions: dict[str, list[str]]) -> None:
        self._data = data
        self._versions = versions
        self._clusters: dict[tuple[str, str], ClusterProfile] = {}

    def judge(
        self,
        manifest: Manifest,
        cluster: ClusterProfile | None,
        companions: Sequence[Manifest],
        chosen: frozenset[str],
        kinds: Mapping[tuple[str, str], dict[str, Any]] | None,
    ) -> list[Finding] | None:
        """What is found of an object with each version of its operator, once; else with the ``cluster`` as it is."""
        name = _operator(manifest)
        versions = self._versions.get(name, [])
        if not versions:
            return check(manifest, cluster, companions, chosen, kinds)
        found = [(one, check(manifest, self._cluster(name, one), companions, chosen)) for one in versions]
        merged: dict[object, tuple[Finding, list[str]]] = {}
        for version, findings in found:
            for finding in findings or ():
                said = finding.message.replace(version, "")
                key = (finding.code.id, finding.place.path, finding.place.part, finding.severity, said)
                merged.setdefault(key, (finding, []))[1].append(version)
        for finding, held in merged.values():
            if len(held) < len(versions) and not all(version in finding.message for version in held):
                finding.message += f" (with {name} {' and '.join(held)})"
        return None if found[0][1] is None else [finding for finding, _ in merged.values()]

    def _cluster(self, name: str, version: str) -> ClusterProfile:
        if (name, version) not in self._clusters:
            data = self._data or {"apiVersion": "specgen/v1", "kind": "Cluster", "metadata": {"name": "asked"}}
            listed = (data.get("operators") or {}) if self._data is not None else {}
            own = {**(listed.get(name) or {}), "version": version}
            whole = {**data, "operators": {**listed, name: own}}
            self._clusters[name, version] = record(whole, "ClusterProfile", table.RECORDS)
        return self._clusters[name, version]


def _operator(manifest: Manifest) -> str:
    """The operator of a job, or of a runtime; empty for other objects."""
    from specgen.operators.trainer.facts import OPERATOR, RUNTIMES

    ref = manifest.ref
    reader = operators.by_object(ref.api_version, ref.kind)
    if reader is not None:
        # what comes with another operator is of its release
        name = reader.operator.name
        return name if name in _WORDS else reader.operator.comes_with
    return OPERATOR.name if ref.kind in RUNTIMES else ""
