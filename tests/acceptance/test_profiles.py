"""The reference material's job and cluster profiles: all validate, those that can be built equal their manifests.

What is wrong, what is refused by which word, and every difference stand in ``profiles.yaml``. Nothing of the material
is copied: where it is absent, the tests are skipped.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from specgen.diagnostics.model import ERROR
from specgen.profile.library import Library
from specgen.source import dotted
from tests.acceptance.trees import Folder, compiled, differences, leaves, load, manifest, normalised, reviewed

REVIEW = load(Path(__file__).parent / "profiles.yaml")
NOT_BUILT = "SG209"


class Survey:
    """Every job profile, compiled once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.jobs = {path.stem: path for path in sorted((folder / "jobs").glob("*.yaml"))}
        self.library = Library(Folder(self.beside()))
        self.clusters = sorted((folder / "clusters").glob("*.yaml"))
        self.results = {name: compiled(path, self.library) for name, path in self.jobs.items()}

    def beside(self) -> dict[str, bytes]:
        """Files of `objects` that the material lacks, cut out of the manifests that they were part of."""
        found: dict[str, bytes] = {}
        for path in self.jobs.values():
            profile = load(path)
            for name in profile.get("objects", ()):
                source = yaml.safe_load_all((self.folder.parent / named(path)[0]).read_text("utf-8"))
                others = [one for one in source if one["kind"] != profile["target"]]
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

    def refused(self) -> list[str]:
        return [name for name in self.jobs if {code for code, _ in self.errors(name)} == {NOT_BUILT}]


@pytest.fixture(scope="module")
def survey(shared: Path) -> Survey:
    return Survey(shared / "profiles")


def test_every_profile_validates_but_for_those_known_to_be_wrong(survey: Survey) -> None:
    wrong: dict[str, list[str]] = {}
    for path in [*survey.jobs.values(), *survey.clusters]:
        _, findings = survey.library.document(str(path))
        if findings:
            wrong[f"{path.parent.name}/{path.name}"] = sorted({dotted(finding.place.path) for finding in findings})
    for name in survey.jobs:
        paths = [path for code, path in survey.errors(name) if code != NOT_BUILT]
        if paths:
            wrong.setdefault(f"jobs/{name}.yaml", paths)
    assert wrong == {file: entry["paths"] for file, entry in REVIEW["wrong"].items()}
    assert all(len(entry["reason"]) > 15 for entry in REVIEW["wrong"].values())


def test_other_kinds_are_refused_at_their_target_and_nowhere_else(survey: Survey) -> None:
    known = {Path(file).stem for file in REVIEW["wrong"]}
    others = [name for name in survey.jobs if survey.target(name) != "PyTorchJob" and name not in known]
    assert len(others) > 20
    assert {name: survey.errors(name) for name in others} == {name: [(NOT_BUILT, "target")] for name in others}


def test_every_job_is_built_refused_or_wrong(survey: Survey) -> None:
    known = [Path(file).stem for file in REVIEW["wrong"] if file.startswith("jobs/")]
    assert sorted([*survey.built(), *survey.refused(), *known]) == sorted(survey.jobs)
    assert sorted(survey.built()) == sorted(REVIEW["built"])
    warned = {name: [d["code"] for d in survey.results[name].diagnostics] for name in survey.built()}
    assert {name: codes for name, codes in warned.items() if codes} == {
        name: entry["codes"] for name, entry in REVIEW["warned"].items()
    }
    assert all(len(entry["reason"]) > 15 for entry in REVIEW["warned"].values())


@pytest.mark.parametrize("name", sorted(REVIEW["built"]))
def test_a_built_job_equals_its_manifest_but_for_reviewed_differences(name: str, survey: Survey) -> None:
    left, right = _sides(survey, name)
    wrong = reviewed(differences(left, right), [*REVIEW["common"], *REVIEW["built"][name]])
    assert not wrong, "\n".join(wrong)


def test_the_numbers(survey: Survey) -> None:
    words = Counter(path for name in survey.refused() for _, path in survey.errors(name))
    texts = {name: path.read_text("utf-8") for name, path in survey.jobs.items()}
    numbers = {
        "profiles": len(survey.jobs),
        "clusters": len(survey.clusters),
        "with a patch": sum(re.search(r"^ *(roles: .*)?patch:", text, re.M) is not None for text in texts.values()),
        "built": len(survey.built()),
        "fields compared": sum(leaves(_sides(survey, name)[0]) for name in survey.built()),
        "refused as not built yet": len(survey.refused()),
        "by word": dict(sorted(words.items())),
    }
    for what, number in numbers.items():
        print(f"{what}: {number}")
    assert numbers == REVIEW["numbers"]


def _sides(survey: Survey, name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The manifest that the profile names, and the built one, ready to compare."""
    (file,) = named(survey.jobs[name])
    source, codes = manifest(survey.folder.parent / file)
    assert codes == REVIEW["reader"].get(name, [])
    bundle = survey.results[name].compiled[0].bundle
    assert bundle is not None
    return normalised(source, names=False), normalised(bundle.job.tree, names=False)


def named(profile: Path) -> list[str]:
    """The manifests that a profile says it stands for."""
    return re.findall(r"^# manifest: (.+)$", profile.read_text("utf-8"), re.M)
