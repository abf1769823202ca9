"""A release is known everywhere or nowhere: each of the tables of ``facts``, and one that is added as one line."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from specgen.cli.main import main
from specgen.diagnostics.model import BadQuestion, has_errors
from specgen.install.index import MODULES
from specgen.install.install import install
from specgen.lower.index import TARGETS as LOWERED
from specgen.operators import by_object, release
from specgen.operators.index import KINDS
from specgen.operators.jobset.facts import OPERATOR as JOBSET
from specgen.operators.mindspore.facts import OPERATOR as MINDSPORE
from specgen.operators.mpi.facts import OPERATOR as MPI
from specgen.operators.reader import Reader
from specgen.operators.release import Operator, Release
from specgen.operators.training.facts import FORERUNNER, PROCESSES_TOLD
from specgen.operators.training.facts import OPERATOR as TRAINING
from specgen.profile.cluster import ClusterProfile
from specgen.profile.library import Library, check
from specgen.source import Source

ROOT = Path(__file__).resolve().parents[2]
FACTS = sorted((ROOT / "specgen" / "operators").glob("*/facts.py"))
READERS = [reader for key in KINDS if (reader := by_object(*key)) is not None]
# (kind of a profile, operator): what a cluster profile can list and a profile be built for.
_LOWERED = [
    (kind, import_module(f"specgen.lower.{name}").READER.operator) for kind, names in LOWERED.items() for name in names
]
# Without those that nothing here installs: no cluster profile says their release.
TARGETS = [(kind, operator) for kind, operator in _LOWERED if operator.manifests is not None]
INSTALLED = [module.OPERATOR for module in MODULES]
FAKE = "99.0.0"
HEAD = "apiVersion: specgen/v1\nkind: {kind}\nmetadata: {{name: a}}\n"


def operators() -> list[Operator]:
    """Every table of releases that a folder of ``operators`` holds."""
    modules = [import_module(f"specgen.operators.{path.parent.name}.facts") for path in FACTS]
    tables = [value for module in modules for value in vars(module).values() if isinstance(value, Operator)]
    return list(dict.fromkeys(tables))


def named(operator: Operator) -> str:
    return operator.name


def profiles(folder: Path, kind: str, operator: Operator, version: str) -> None:
    """A job and a cluster profile that lists one operator."""
    listed = f'operators: {{{operator.name}: {{version: "{version}"}}}}\n'
    (folder / "cluster.yaml").write_text(HEAD.format(kind="Cluster") + listed)
    words = "cluster: cluster.yaml\nimage: a/b:1\ncommand: [x.py]\npods: 2\n"
    (folder / "job.yaml").write_text(HEAD.format(kind="Job") + f"target: {kind}\n" + words)


def cluster(operator: Operator, version: str) -> ClusterProfile:
    text = HEAD.format(kind="Cluster") + f'operators: {{{operator.name}: {{version: "{version}"}}}}\n'
    document, findings = check(Source("cluster.yaml", text))
    assert document is not None and findings == []
    return Library(None).cluster(document)  # type: ignore[arg-type]  # it reads no files


class Verbs:
    """Asks the verbs, in this process, whether they know what a release does."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.capsys = capsys

    def said(self, *words: str) -> tuple[int, str]:
        code = main(words)
        return code, "".join(self.capsys.readouterr())

    def answers(self, kind: str, operator: Operator, version: str) -> dict[str, bool]:
        """Verb → whether it knows the release."""
        profiles(self.folder, kind, operator, version)
        _, built = self.said("build", "job.yaml", "--format", "json")
        _, listed = self.said("images", "job.yaml")
        code, expanded = self.said("expand", "job.yaml", "--operator", f"{operator.name}={version}", "-o", "yaml")
        another = f"{operator.name} {version} does was not read, this is what " in expanded
        assert (code == 2) == (f"{operator.name} {version} does with a" in expanded), expanded
        return {
            "build": "SG214" not in built,
            "images": "is not known here" not in listed,
            "expand": code != 2 and not another,
        }


@pytest.fixture
def verbs(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Verbs:
    monkeypatch.chdir(tmp_path)
    return Verbs(tmp_path, capsys)


def was_read(operator: Operator, version: str, kind: str) -> bool:
    """Whether the table says that what a release does with a kind was read: what every answer must agree with."""
    alike = [one for one in operator.releases if release.minor(one.version) == release.minor(version)]
    kinds = operator.kinds(version)
    return any(one.read for one in alike) and (not kinds or kind in kinds)


@pytest.mark.parametrize("operator", operators(), ids=named)
def test_a_table_is_in_order(operator: Operator) -> None:
    numbers = [one.numbers for one in operator.releases]
    assert numbers == sorted(set(numbers))
    assert operator.newest == operator.releases[-1].version
    for one in operator.releases:
        assert release.numbers(one.version) == one.numbers
        assert operator.at(one.version) == operator.at(f"v{one.version}") == one.numbers
        assert operator.release(one.version) is operator.release(f"v{one.version}") is one
        assert operator.has_minor(one.version)
    assert operator.at(FAKE) == operator.at("latest") == operator.at("") == numbers[-1]
    assert operator.release(FAKE) is None and not operator.has_minor(FAKE)


@pytest.mark.parametrize("path", FACTS, ids=lambda path: path.parent.name)
def test_news_of_a_release_is_of_one_that_exists(path: Path) -> None:
    """Numbers in ``facts``, such as those of behaviours, are of releases of the folder's operator."""
    facts = import_module(f"specgen.operators.{path.parent.name}.facts")
    known = {one.numbers[:size] for one in facts.OPERATOR.releases for size in (2, 3)}
    said = [value for name, value in vars(facts).items() if name.isupper() and name != "PODS_OF"]
    said += [since for value in said if isinstance(value, dict) for since in value.values()]
    found = [one for one in said if isinstance(one, tuple) and one and all(isinstance(part, int) for part in one)]
    assert set(found) <= known
    if path.parent.name in ("training", "mpi", "trainer"):
        assert len(found) > 3


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: f"{reader.kind}-{reader.operator.name}")
def test_readers_know_the_releases_of_their_operator(reader: Reader) -> None:
    for one in reader.operator.releases:
        assert reader.speaks_for(one.version) is was_read(reader.operator, one.version, reader.kind)
    assert reader.speaks_for(reader.newest)
    assert not reader.speaks_for(FAKE)


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: f"{reader.kind}-{reader.operator.name}")
def test_a_release_that_was_not_read_is_answered_by_the_nearest(reader: Reader) -> None:
    """The last read one before it, or the first after it; nothing answers for a text that is no version."""
    served = [one for one in reader.operator.releases if reader.speaks_for(one.version)]
    assert reader.answered(reader.newest) == (reader.newest, "")
    version, said = reader.answered("999.0")
    assert version == served[-1].version and "999.0" in said and version in said
    kinds = reader.operator.releases[0].kinds
    assert reader.answering("0.0.1") == (served[0].version if kinds is None or reader.kind in kinds else "")
    assert reader.answering("latest") == ""
    with pytest.raises(BadQuestion, match="is not known here"):
        reader.answered("latest")


@pytest.mark.parametrize(
    ("operator", "version"), [(operator, one.version) for operator in INSTALLED for one in operator.releases]
)
def test_every_release_is_installed_by_what_pins_it(operator: Operator, version: str) -> None:
    files, findings = install(cluster(operator, version), {})
    assert findings == []
    known = operator.release(version)
    assert known is not None
    pinned = f"/download/{known.ref}/" if operator is JOBSET else f'?ref={known.ref}"\n'
    assert pinned in files[f"{operator.name}/kustomization.yaml"]


@pytest.mark.parametrize(("kind", "operator"), TARGETS, ids=lambda one: getattr(one, "name", one))
def test_a_release_is_known_by_every_verb_or_by_none(kind: str, operator: Operator, verbs: Verbs) -> None:
    for one in operator.releases:
        expected = was_read(operator, one.version, kind)
        assert set(verbs.answers(kind, operator, one.version).values()) == {expected}, one.version
    for version in (FAKE, "98"):
        assert set(verbs.answers(kind, operator, version).values()) == {False}


@pytest.mark.parametrize(("kind", "operator"), TARGETS, ids=lambda one: getattr(one, "name", one))
def test_a_release_without_news_is_one_line(
    kind: str, operator: Operator, verbs: Verbs, monkeypatch: pytest.MonkeyPatch
) -> None:
    newest = operator.newest
    before = install(cluster(operator, newest), {})[0]
    profiles(verbs.folder, kind, operator, newest)
    manifest = verbs.said("build", "job.yaml")
    assert has_errors(install(cluster(operator, FAKE), {})[1])

    monkeypatch.setattr(operator, "releases", (*operator.releases, Release(FAKE)))

    assert verbs.answers(kind, operator, FAKE) == {"build": True, "images": True, "expand": True}
    profiles(verbs.folder, kind, operator, FAKE)
    assert verbs.said("build", "job.yaml") == (manifest[0], manifest[1].replace(f":v{newest}", f":v{FAKE}"))
    (verbs.folder / "manifest.yaml").write_text(manifest[1])
    assert verbs.said("lint", "manifest.yaml", "--cluster", "cluster.yaml", "--quiet")[0] == manifest[0] == 0
    files, findings = install(cluster(operator, FAKE), {})
    assert findings == []
    if operator is not MINDSPORE:  # whose only release is pinned by a commit
        assert files == {name: text.replace(f"v{newest}", f"v{FAKE}") for name, text in before.items()}


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: f"{reader.kind}-{reader.operator.name}")
def test_a_release_without_news_is_as_the_one_before(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    operator, newest = reader.operator, reader.newest
    monkeypatch.setattr(operator, "releases", (*operator.releases, Release(FAKE)))
    assert reader.newest == FAKE and reader.speaks_for(FAKE) and reader.speaks_for(newest)
    assert reader.absent_fields(FAKE) == reader.absent_fields(newest) == frozenset()
    assert reader.unique_lists(FAKE) == reader.unique_lists(newest)
    assert operator.kinds(FAKE) == operator.kinds(newest)
    assert operator.own_images(FAKE) == operator.own_images(newest)
    for container in operator.image_flags:
        assert operator.image(container, FAKE) == operator.image(container, newest)


def test_the_forerunner_is_installed_and_no_more(verbs: Verbs) -> None:
    """Cluster profiles list it under the name of the operator that followed it."""
    [old] = FORERUNNER.releases
    files, findings = install(cluster(TRAINING, old.version), {})
    assert findings == []
    assert list(files) == [f"{FORERUNNER.name}/values.yaml"]
    assert set(verbs.answers("PyTorchJob", TRAINING, old.version).values()) == {False}


@pytest.mark.parametrize(("kind", "operator"), TARGETS, ids=lambda one: getattr(one, "name", one))
def test_a_version_without_a_patch_is_the_first_of_its_name(kind: str, operator: Operator, verbs: Verbs) -> None:
    firsts = [one.version for one in operator.releases if one.numbers[2] == 0]
    assert firsts
    for version in firsts:
        built = []
        for spelled in (version, version.removesuffix(".0")):
            profiles(verbs.folder, kind, operator, spelled)
            if kind == "PyTorchJob":
                with (verbs.folder / "job.yaml").open("a") as job:
                    job.write("start: torchrun\nroles: {master: null}\n")
            built.append(verbs.said("build", "job.yaml")[1].replace(f"{operator.name} {spelled}", operator.name))
        assert built[0] == built[1], version
        if kind == "PyTorchJob":
            assert ("--nproc-per-node=1" in built[0]) is (operator.at(version) < PROCESSES_TOLD)


def test_two_containers_of_one_name_are_found_in_every_release(verbs: Verbs) -> None:
    """By the CRD, whose lists are unique, or by what the API server says of the pods: never by both or neither."""
    container = '{name: one, image: "a:1"}'
    for (kind, field, role), operator in {
        ("MPIJob", "mpiReplicaSpecs", "Launcher"): MPI,
        ("TFJob", "tfReplicaSpecs", "Worker"): TRAINING,
        ("MSJob", "msReplicaSpecs", "Worker"): MINDSPORE,
    }.items():
        group = {"MPIJob": "kubeflow.org/v2beta1", "MSJob": "mindspore.gitee.com/v1"}.get(kind, "kubeflow.org/v1")
        named = container.replace("one", {"TFJob": "tensorflow", "MSJob": "mindspore"}.get(kind, "one"))
        (verbs.folder / "manifest.yaml").write_text(
            f"apiVersion: {group}\nkind: {kind}\nmetadata: {{name: a}}\nspec:\n  {field}:\n    {role}: "
            f"{{replicas: 1, template: {{spec: {{containers: [{named}, {named}]}}}}}}\n"
        )
        for one in operator.releases:
            profiles(verbs.folder, kind, operator, one.version)
            _, said = verbs.said("lint", "manifest.yaml", "--cluster", "cluster.yaml", "--format", "json")
            errors = [found["code"] for found in json.loads(said)["diagnostics"] if found["severity"] == "error"]
            assert errors == ["SG315" if operator.unique_lists(one.version) else "SG104"], one.version


# Modules outside ``facts`` that may name a release in a string, and why.
NAMED = {
    "specgen/cli/expand.py": "an example of --operator",
    "specgen/cli/beginning.py": "an image to begin with",
    "specgen/cli/init.py": "an example of a cluster profile",
    "specgen/reference/_examples.py": "examples of cluster profiles",
    "specgen/profile/words.py": "an example of a version",
    "specgen/operators/queues.py": "releases of Kueue, one of which is called as one of JobSet",
    "specgen/_nccl_table.py": "versions of NCCL",
    "specgen/diagnostics/render/junit.py": "a version of XML",
    "specgen/diagnostics/render/sarif.py": "the version of SARIF",
    "specgen/session/versions.py": "an example of --operator",
    "specgen/schema/samples.py": "a text of the form of a version",
}


def spelled_releases(path: Path, pattern: re.Pattern[str], numbers: set[tuple[int, ...]]) -> Iterator[str]:
    """Each string of code, and each tuple of numbers, that names a release; pages of findings are prose."""
    text = path.read_text(encoding="utf-8")
    if not pattern.search(text) and not re.search(r"\d, *\d", text):
        return  # to parse it takes long
    tree = ast.parse(text)
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            if pattern.search(node.value):
                yield f"{path.relative_to(ROOT)}:{node.lineno}: {node.value[:80]!r}"
        elif isinstance(node, ast.Tuple):
            parts = [part.value for part in node.elts if isinstance(part, ast.Constant) and type(part.value) is int]
            if len(parts) == len(node.elts) and tuple(parts) in numbers:
                yield f"{path.relative_to(ROOT)}:{node.lineno}: {ast.unparse(node)}"


def test_no_module_but_facts_names_a_release() -> None:
    every = [one for operator in operators() for one in operator.releases]
    names = {name for one in every for name in (one.version, release.minor(one.version))}
    longest_first = "|".join(re.escape(name) for name in sorted(names, key=lambda name: (-len(name), name)))
    pattern = re.compile(rf"(?<![\w.-])v?({longest_first})(?!\.?\d)")
    numbers = {one.numbers[:size] for one in every for size in (2, 3)}
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "specgen").rglob("*.py")):
        # tables are generated; codes are the pages of findings; kinds say of which release their schema is
        if path not in FACTS and path.parent.name not in ("tables", "kinds") and path.name != "codes.py":
            lines = list(spelled_releases(path, pattern, numbers))
            if lines:
                found[path.relative_to(ROOT).as_posix()] = lines
    assert {name: lines for name, lines in found.items() if name not in NAMED} == {}
    assert sorted(NAMED) == sorted(found), "an exception that names no release"
    # what is found is found: the tables themselves
    assert all(any(spelled_releases(path, pattern, numbers)) for path in FACTS)


def test_vendored_schemas_are_of_releases_that_exist() -> None:
    from specgen.generate.job_kinds import POD_TYPES

    tables = {operator.name: operator for operator in operators()}
    made = [name.split() for name in POD_TYPES]
    assert {name for name, _ in made} >= tables.keys() - {FORERUNNER.name}
    for name, version in made:
        assert name not in tables or tables[name].release(version), (name, version)


# Spellings of a version → its numbers; None: it is none, and counts as the newest.
SPELLINGS: dict[str, tuple[int, int, int] | None] = {
    "1.9.4": (1, 9, 4),
    "v1.9.4": (1, 9, 4),
    "1.9": (1, 9, 0),
    "01.9": (1, 9, 0),
    "1.9.4.1": (1, 9, 4),
    "1.9.0-rc.1": (1, 9, 0),
    "1.9-rc.1": (1, 9, 0),
    "1.9.4+build": (1, 9, 4),
    "0.8.2-0.20260701": (0, 8, 2),
    "1": None,
    "v1": None,
    "": None,
    "latest": None,
    "latest-1.9": None,
    "1.x": None,
    "-1.9": None,
    "1..9": None,
    ".1.9": None,
    "1,9": None,
    "vv1.9": None,
    "\N{ARABIC-INDIC DIGIT ONE}.9": None,
    "1.999999": None,
}


@pytest.mark.parametrize("text", SPELLINGS)
def test_a_version_is_read_in_one_way(text: str) -> None:
    expected = SPELLINGS[text]
    assert release.numbers(text) == expected
    assert release.minor(text) == (text if expected is None else f"{expected[0]}.{expected[1]}")
    for operator in operators():
        newest = operator.releases[-1].numbers
        assert operator.at(text) == (newest if expected is None else min(expected, newest))
        assert operator.has_minor(text) is (
            release.minor(text) in {release.minor(one.version) for one in operator.releases}
        )
    for since in ((0, 1), (1, 9), (1, 9, 4), (2, 0)):
        assert release.at_least(text, since) is (expected is None or expected >= since)


def test_what_is_recorded_is_of_releases_that_exist(shared: Path) -> None:
    """Folders of recordings, and CRDs of old releases, name operators and versions."""
    names = [path.name for path in (shared / "conformance").iterdir() if path.is_dir()]
    recorded = [name.rsplit("-", 1) for name in names if re.search(r"-\d+\.\d+\.\d+$", name)]
    assert len(recorded) > 6
    tables = {operator.name: operator for operator in operators()}
    for name, version in recorded:
        known = tables[name].release(version)
        assert known is not None and known.read, (name, version)
