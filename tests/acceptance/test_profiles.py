"""The reference material's job and cluster profiles: all validate, those that can be built equal their manifests.

What is wrong stands in ``profiles.yaml``, every difference in the file of its kind in ``profiles/``. Nothing of the
material is copied: where it is absent, the tests are skipped.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from specgen.diagnostics.model import ERROR
from specgen.profile.library import Library
from specgen.source import dotted
from tests.acceptance.trees import KINDS, Folder, compiled, differences, leaves, load, manifests, reviewed, together

HERE = Path(__file__).parent
REVIEW = load(HERE / "profiles.yaml")
REVIEWS = {path.stem: load(path) for path in sorted((HERE / "profiles").glob("*.yaml"))}
BUILT = {name: kind for kind, review in REVIEWS.items() for name in review["built"]}


class Survey:
    """Every job profile, compiled once; those that are wrong, as they would be right."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.jobs = {path.stem: path for path in sorted((folder / "jobs").glob("*.yaml"))}
        self.clusters = sorted((folder / "clusters").glob("*.yaml"))
        files = Folder({**self.beside(), **self.righted()})
        self.library = Library(files)
        self.results = {name: compiled(path, self.library, files) for name, path in self.jobs.items()}

    def righted(self) -> dict[str, bytes]:
        """The profiles that are wrong in one value, with another one."""
        found: dict[str, bytes] = {}
        for name, entry in REVIEW["wrong"].items():
            text = (self.folder / name).read_text("utf-8")
            assert text.count(entry["written"]) == 1, f"stale: {entry['written']}"
            found[str(self.folder / name)] = text.replace(entry["written"], entry["read"]).encode()
        return found

    def beside(self) -> dict[str, bytes]:
        """Files of `objects` that the material lacks, cut out of the manifests that they were part of."""
        found: dict[str, bytes] = {}
        for path in self.jobs.values():
            profile = load(path)
            for name in profile.get("objects", ()):
                source = yaml.safe_load_all((self.folder.parent / named(path)[0]).read_text("utf-8"))
                others = [one for one in source if one["kind"] not in KINDS]
                found[str(path.parent / name)] = yaml.safe_dump_all(others).encode()
        return found

    def target(self, name: str) -> str:
        document, _ = self.library.document(str(self.jobs[name]))
        target: Any = document.data["target"] if document is not None else "unread"
        return target if isinstance(target, str) else str(target["kind"])

    def errors(self, name: str) -> list[tuple[str, str]]:
        """(code, path) of each error."""
        return [(d["code"], d["path"]) for d in self.results[name].diagnostics if d["severity"] == ERROR]

    def built(self) -> list[str]:
        return [name for name, result in self.results.items() if not result.failed]


@pytest.fixture(scope="module")
def survey(shared: Path) -> Survey:
    return Survey(shared / "profiles")


def test_every_profile_validates_but_for_those_known_to_be_wrong(survey: Survey) -> None:
    library = Library(Folder())
    wrong: dict[str, list[str]] = {}
    for path in [*survey.jobs.values(), *survey.clusters]:
        _, findings = library.document(str(path))
        if findings:
            wrong[f"{path.parent.name}/{path.name}"] = sorted({dotted(finding.place.path) for finding in findings})
    assert wrong == {file: entry["paths"] for file, entry in REVIEW["wrong"].items()}
    assert all(len(entry["reason"]) > 15 for entry in REVIEW["wrong"].values())


def test_every_job_is_built(survey: Survey) -> None:
    assert {name: survey.errors(name) for name in survey.jobs if survey.errors(name)} == {}
    assert {name: survey.target(name) for name in survey.built()} == BUILT


@pytest.mark.parametrize("kind", sorted(REVIEWS))
def test_built_jobs_have_the_warnings_that_were_reviewed_and_no_others(kind: str, survey: Survey) -> None:
    review = REVIEWS[kind]
    warned = {name: [d["code"] for d in survey.results[name].diagnostics] for name in review["built"]}
    wanted = review.get("warned", {})
    assert {name: codes for name, codes in warned.items() if codes} == {
        name: entry["codes"] for name, entry in wanted.items()
    }
    assert all(len(entry["reason"]) > 15 for entry in wanted.values())


@pytest.mark.parametrize("name", sorted(BUILT))
def test_a_built_job_equals_its_manifest_but_for_reviewed_differences(name: str, survey: Survey) -> None:
    review = REVIEWS[BUILT[name]]
    left, right = _sides(survey, name)
    wrong = reviewed(differences(left, right), [*review.get("common", []), *review["built"][name]])
    assert not wrong, "\n".join(wrong)


def test_the_numbers(survey: Survey) -> None:
    texts = {name: path.read_text("utf-8") for name, path in survey.jobs.items()}
    numbers = {
        "profiles": len(survey.jobs),
        "clusters": len(survey.clusters),
        "with a patch": sum(re.search(r"^ *(roles: .*)?patch:", text, re.M) is not None for text in texts.values()),
    }
    print(*(f"{what}: {number}" for what, number in numbers.items()), sep="\n")
    assert numbers == REVIEW["numbers"]


@pytest.mark.parametrize("kind", sorted(REVIEWS))
def test_the_numbers_of_a_kind(kind: str, survey: Survey) -> None:
    built = [name for name in survey.built() if survey.target(name) == kind]
    numbers = {"built": len(built), "fields compared": sum(leaves(_sides(survey, name)[0]) for name in built)}
    print(kind, *(f"{what}: {number}" for what, number in numbers.items()), sep="\n")
    assert numbers == REVIEWS[kind]["numbers"]


def _sides(survey: Survey, name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The objects that the profile names, and the built ones, ready to compare."""
    sources: list[dict[str, Any]] = []
    for file in named(survey.jobs[name]):
        found, codes = manifests(survey.folder.parent / file)
        assert codes == REVIEWS[BUILT[name]].get("reader", {}).get(name, [])
        sources += found
    bundle = survey.results[name].compiled[0].bundle
    assert bundle is not None
    built = [one.tree for one in bundle.manifests if one.ref.kind in KINDS]
    return together(sources, names=False), together(built, names=False)


def named(profile: Path) -> list[str]:
    """The manifests that a profile says it stands for."""
    return re.findall(r"^# manifest: (.+)$", profile.read_text("utf-8"), re.M)
