"""Gang schedulers: profiles in, manifests out, each case a file of documents.

The first document is the cluster profile, the second the job profile (which calls the first ``cluster.yaml``), the rest
are the manifests that come of it. In ``refused`` there are none: ``# expect: CODE`` ends the line that a finding is
about, ``# related`` each line that it names besides, ``# says: …`` above holds its message.
`pytest tests/scheduling --snapshot-update` writes the manifests anew; read the difference before keeping it.
"""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from specgen import gangs
from specgen.diagnostics.model import Finding
from specgen.document.write import write_yaml_stream
from specgen.pipeline import Result, compile_source
from specgen.profile.library import Library
from specgen.source import Source
from tests.golden import Golden

HERE = Path(__file__).parent
CASES = sorted(path for path in HERE.glob("*/*.yaml") if path.parent.name != "refused")
REFUSED = sorted((HERE / "refused").glob("*.yaml"))
CLUSTER = "cluster.yaml"


class Parts:
    """The documents of one case as files, on the lines where they stand in it."""

    def __init__(self, case: Path) -> None:
        self.text = case.read_text("utf-8")
        self.parts: list[str] = []
        above = 0
        for part in self.text.split("---\n"):
            self.parts.append("\n" * above + part)
            above += part.count("\n") + 1
        self.profiles = "".join(part + "---\n" for part in self.text.split("---\n")[:2])

    def join(self, name: str, beside: str) -> str:
        return name

    def read(self, name: str) -> tuple[Source | None, list[Finding]]:
        assert name == CLUSTER
        return Source(name, self.parts[0]), []

    def content(self, name: str) -> tuple[bytes | None, list[Finding]]:
        raise AssertionError(f"no case carries the file {name}")

    def compiled(self) -> Result:
        return compile_source(Source("job.yaml", self.parts[1]), Library(self))


def written(result: Result) -> str:
    bundle = result.compiled[0].bundle
    assert bundle is not None
    return write_yaml_stream([manifest.tree for manifest in bundle.manifests])


@pytest.mark.parametrize("case", CASES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_case_is_built_as_it_stands_there(case: Path, golden: Golden) -> None:
    parts = Parts(case)
    result = parts.compiled()
    assert [(one["code"], one["message"]) for one in result.diagnostics] == []
    assert parts.profiles + written(result) == golden(case)


@pytest.mark.parametrize("case", CASES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_everything_a_gang_brings_says_where_it_comes_from(case: Path) -> None:
    bundle = Parts(case).compiled().compiled[0].bundle
    assert bundle is not None
    for manifest in bundle.manifests:
        for path in leaves(manifest.tree):
            origin = manifest.where.of(path)  # type: ignore[attr-defined]
            assert origin is not None and origin[2], path


def leaves(tree: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    if isinstance(tree, dict):
        return [leaf for key, value in tree.items() for leaf in leaves(value, (*path, key))]
    if isinstance(tree, list):
        return [leaf for index, value in enumerate(tree) for leaf in leaves(value, (*path, index))]
    return [path]


@pytest.mark.parametrize("case", REFUSED, ids=lambda path: path.stem)
def test_a_contradiction_is_refused_with_both_places(case: Path) -> None:
    parts = Parts(case)
    lines = parts.text.splitlines()
    result = parts.compiled()
    assert result.failed
    assert all(compiled.bundle is None for compiled in result.compiled)
    expected = [(at, line.partition("# expect: ")[2]) for at, line in enumerate(lines, 1) if "# expect: " in line]
    related = [at for at, line in enumerate(lines, 1) if line.endswith("# related")]
    says = [line.removeprefix("# says: ") for line in lines if line.startswith("# says: ")]
    assert [(one["primary"]["start"]["line"], one["code"]) for one in result.diagnostics] == expected
    assert sorted({note["start"]["line"] for one in result.diagnostics for note in one["related"]}) == related
    assert [one["message"] for one in result.diagnostics] == says


@pytest.mark.parametrize(
    ("roles", "apart"),
    [
        ("{}", ""),
        ("{ps: {pods: 1}}", ""),
        ("{ps: {pods: 2}}", "Worker` and `PS"),
        ("{chief: {}, ps: {pods: 1}}", "Chief`, `Worker`, and `PS"),
        ("{ps: {pods: 2, scheduling: {within: null}}}", ""),
    ],
)
def test_one_domain_for_more_than_kueue_can_group_is_a_warning(roles: str, apart: str) -> None:
    parts = Parts(HERE / "kueue" / "topology.yaml")
    parts.parts[1] = parts.parts[1].replace("PyTorchJob", "TFJob") + f"roles: {roles}\n"
    result = parts.compiled()
    assert not result.failed
    message = f"`{apart}` are each kept in one `example.com/rack`, and not in the same"
    said = [(one["severity"], one["code"], one["message"]) for one in result.diagnostics]
    assert said == [("warning", "SG606", message)] * bool(apart)


@pytest.mark.parametrize("name", gangs.names())
def test_a_scheduler_fits_its_protocol_and_has_cases(name: str) -> None:
    module = gangs.load(name)
    assert module.SCHEDULER is None or isinstance(module.SCHEDULER, str)
    assert isinstance(module.QUEUES, bool)
    assert list(inspect.signature(module.prepare).parameters) == ["plan"]
    assert list(inspect.signature(module.attach).parameters) == ["plan", "bundle", "workload"]
    assert (module.__doc__ or "").strip().endswith(".")
    assert any(path.parent.name == name for path in CASES)


def test_the_words_of_profiles_are_the_files_of_the_folder() -> None:
    from specgen.profile.cluster import ClusterScheduling

    values = ClusterScheduling.model_json_schema()["properties"]["gang"]["anyOf"][0]["enum"]
    assert sorted(values) == gangs.names()


def test_the_priority_of_one_pod_is_said_of_the_group_that_the_operator_makes_of_every_job() -> None:
    cluster = "operators: {training-operator: {version: 1.9.4, gang: volcano}}\nscheduling: {priorities: {high: pod}}\n"
    head = "apiVersion: specgen/v1\nkind: %s\nmetadata: {name: a}\n"
    job = (
        "cluster: cluster.yaml\ntarget: PyTorchJob\nimage: a:1\ncommand: [python, a.py]\nscheduling: {priority: high}\n"
    )
    parts = Parts(HERE / "kueue" / "topology.yaml")
    parts.parts[:] = [head % "Cluster" + cluster, head % "Job" + job]
    result = parts.compiled()
    assert not result.failed and result.diagnostics == []
    bundle = result.compiled[0].bundle
    assert bundle is not None
    assert bundle.job.tree["spec"]["runPolicy"]["schedulingPolicy"] == {"priorityClass": "high"}
