"""A session over files that are on no disk, as an editor or a plugin of kustomize holds them."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable

import pytest

from specgen.diagnostics.model import BadQuestion, Finding
from specgen.diagnostics.place import Unproven, published
from specgen.manifest.edits import edits
from specgen.profile.codes import BROKEN_REFERENCE
from specgen.session import Session
from specgen.source import Source

JOB = "apiVersion: specgen/v1\nkind: Job\nmetadata: {name: train}\ntarget: PyTorchJob\n"
JOB += "image: registry.example.com/train:1\nextends: parts/base.yaml\n"
BASE = "apiVersion: specgen/v1\nkind: Base\nenv: {A: a}\n"


class Held:
    """Files by name, in memory. It offers what ``specgen.session.Files`` asks for, and counts what is read."""

    CONFIG = "specgen.toml"

    def __init__(self, texts: dict[str, str]) -> None:
        self.texts = texts
        self.reads: list[str] = []
        self.expected: list[str] = []

    def below(self, name: str) -> list[str] | None:
        return sorted(one for one in self.texts if one.startswith(f"{name}/")) or None

    def all_below(self, name: str) -> list[str]:
        return self.below(name) or []

    def config(self, name: str) -> Source | None:
        return Source(self.CONFIG, self.texts[self.CONFIG]) if self.CONFIG in self.texts else None

    def around(self, steps: int) -> str:
        return ""

    def is_there(self, name: str) -> bool:
        return name in self.texts

    def expect(self, names: Iterable[str]) -> None:
        assert not self.reads, "what may be read must not depend on what was"
        self.expected += names

    def named(self, name: str) -> tuple[Source | None, list[Finding]]:
        if name not in self.texts:
            raise BadQuestion("it is not open")
        self.reads.append(name)
        return Source(name, self.texts[name]), []

    def join(self, name: str, beside: str) -> str:
        return posixpath.normpath(posixpath.join(posixpath.dirname(beside), name))

    def read(self, name: str) -> tuple[Source | None, list[Finding]]:
        try:
            return self.named(name)
        except BadQuestion as error:
            return None, [BROKEN_REFERENCE.at((), str(error))]

    def content(self, name: str) -> tuple[bytes | None, list[Finding]]:
        source, findings = self.read(name)
        return (None if source is None else source.text.encode()), findings

    def beside(self, name: str) -> str | None:
        return self.texts.get(name)

    def printed(self, name: str) -> str:
        return self.again(name)

    def again(self, name: str) -> str:
        return self.texts.get(name, "")


def test_what_stands_on_no_disk_is_compiled() -> None:
    files = Held({"jobs/a.yaml": JOB, "jobs/b.yaml": JOB.replace("train}", "b}"), "jobs/parts/base.yaml": BASE})
    session = Session(files)
    results = list(session.compile(["jobs"]))
    assert [compiled.job.name for result in results for compiled in result.compiled] == ["train", "b"]
    assert (session.found(), session.failed, session.unreadable, session.files) == ([], False, [], 2)
    assert files.expected == ["jobs/a.yaml", "jobs/b.yaml", "jobs/parts/base.yaml"]
    # the base is met in the folder, where it is no job, and named by both jobs, which read it once
    assert files.reads.count("jobs/parts/base.yaml") == 2


def test_what_is_found_is_placed_in_what_is_held() -> None:
    session = Session(Held({"a.yaml": JOB + "pods: x\n", "parts/base.yaml": BASE}))
    assert [one.compiled for one in session.compile(["a.yaml", "gone.yaml"])] == [[]]
    (found,) = session.found()
    assert (found["code"], found["primary"]["file"], found["primary"]["start"]["line"]) == ("SG103", "a.yaml", 7)
    assert session.failed and session.unreadable == ["gone.yaml: it is not open"]


@pytest.mark.parametrize(
    ("cluster", "settings", "message"),
    [("gone.yaml", [], "gone.yaml: it is not open"), (None, ["podss=1"], "`podss` is no field of a job profile")],
)
def test_a_question_that_is_not_good_is_no_session(cluster: str | None, settings: list[str], message: str) -> None:
    with pytest.raises(BadQuestion) as caught:
        Session(Held({}), cluster=cluster, settings=settings)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(("today", "ended"), [("", False), ("2026-12-31", False), ("2027-01-02", True)])
def test_the_day_is_the_one_that_is_handed_in(today: str, ended: bool) -> None:
    dated = JOB + "ignore: {SG401: {reason: in time, until: '2027-01-01'}}\n"
    session = Session(Held({"a.yaml": dated, "parts/base.yaml": BASE}), today=today)
    list(session.compile(["a.yaml"]))
    messages = [one["message"] for one in session.found()]
    assert ("this ignore of SG401 ended on 2027-01-01" in messages) == ended


@pytest.mark.parametrize("prove", [True, False])
def test_what_is_found_in_many_texts_holds_on_to_none_of_them(monkeypatch: pytest.MonkeyPatch, prove: bool) -> None:
    """A finding of ten thousand files would keep each of them in memory, for the sake of an edit that nobody sees."""
    monkeypatch.setattr("specgen.session._MANY", 1)
    monkeypatch.setattr("specgen.session._BLOCK", 1)
    text = "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: a}\nspec: {pytorchReplicaSpec: {}}\n"
    names = [f"{number}.yaml" for number in range(6)]
    found = {}
    for how in (prove, None):
        session = Session(Held({name: text.replace("name: a", f"name: a{name[0]}") for name in names}))
        session.lint(names, prove=how)
        found[how] = session.found()
    kept = [one for one in found[None] if one["fix"] is not None]
    assert len(kept) == len(names) and all(isinstance(one["fix"]["edits"], Unproven) for one in kept if one["fix"])
    settled = {one["primary"]["file"]: one["fix"]["edits"] for one in found[prove] if one["fix"] is not None}
    assert [name for name in names if isinstance(settled[name], list)] == names[:-1]
    assert all(bool(settled[name]) is prove for name in names[:-1])
    everything = [published(found[how], edits) for how in (True, None) if how in found]
    assert all(one == everything[0] for one in everything)
