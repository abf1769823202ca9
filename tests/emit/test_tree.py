"""What a tree becomes, as a function: what is replaced, taken away, kept, and what is in the way."""

from __future__ import annotations

import pytest

from specgen.emit import ownership
from specgen.emit.kustomize import FILE, former
from specgen.emit.layout import on_top
from specgen.emit.tree import (
    BUILT,
    ELSEWHERE,
    FOLDER,
    GONE,
    LINK,
    ODD,
    SILENT,
    THERE,
    UNREAD,
    Change,
    Job,
    change,
)


def job(folder: str, text: str = "job\n", profile: str = "") -> Job:
    return Job(folder, profile or f"../{folder}.yaml", {"job.yaml": text, FILE: "list\n"})


def written(*jobs: Job) -> dict[str, str]:
    """Path → text of a tree as a build of these jobs leaves it."""
    return change({}, None, jobs, {}).files


def standing(files: dict[str, str]) -> dict[str, str]:
    folders = {path.rpartition("/")[0]: FOLDER for path in files if "/" in path}
    return {**folders, **{path: ownership.digest(text.encode()) for path, text in files.items()}}


def owned(files: dict[str, str]) -> ownership.Owned:
    found = ownership.read(files[ownership.FILE])
    assert found is not None
    return found


def again(files: dict[str, str], *jobs: Job, there: dict[str, str] | None = None, **more: object) -> Change:
    """A second build over what a first one wrote; ``there`` is what else stands in the tree."""
    fates = more.pop("fates", {})
    assert isinstance(fates, dict)
    built = {one.profile: BUILT for one in jobs}
    return change({**standing(files), **(there or {})}, owned(files), jobs, {**built, **fates}, **more)  # type: ignore[arg-type]


def test_the_same_jobs_change_nothing() -> None:
    result = again(written(job("a"), job("b")), job("b"), job("a"))
    assert (result.write, result.remove, result.states) == ([], [], [])


def test_the_order_of_the_jobs_does_not_show() -> None:
    assert written(job("a"), job("b")) == written(job("b"), job("a"))


def test_a_changed_job_is_stale() -> None:
    result = again(written(job("a"), job("b")), job("a", "new\n"), job("b"))
    assert [(state, path) for state, path, _ in result.states] == [("stale", ".specgen-owned"), ("stale", "a/job.yaml")]
    assert result.write == [".specgen-owned", "a/job.yaml"] and not result.blocked


@pytest.mark.parametrize("fate", [THERE, ELSEWHERE])
def test_jobs_of_other_builds_stay_and_stay_listed(fate: str) -> None:
    files = written(job("a"), job("b"))
    for prune in (False, True):
        result = again(files, job("b", "new\n"), fates={"../a.yaml": fate}, prune=prune)
        assert "- a\n- b\n" in result.files[FILE] and result.remove == [] and not result.lost
        assert "a/job.yaml" in (ownership.read(result.files[ownership.FILE]) or {})


@pytest.mark.parametrize("fate", [GONE, SILENT])
def test_a_lost_profile_is_said_until_its_job_is_pruned(fate: str) -> None:
    files = written(job("a"), job("b"))
    result = again(files, job("b"), fates={"../a.yaml": fate})
    assert result.lost == {"a": "../a.yaml"} and "- a\n" in result.files[FILE]
    pruned = again(files, job("b"), fates={"../a.yaml": fate}, prune=True)
    assert pruned.lost == {} and pruned.remove == [f"a/{name}" for name in ("job.yaml", FILE)]
    assert pruned.files == written(job("b"))


def test_a_renamed_job_is_left_until_it_is_pruned() -> None:
    files = written(job("old", profile="../p.yaml"))
    result = again(files, job("new", profile="../p.yaml"))
    assert result.left == {"old": "../p.yaml"} and "- new\n- old\n" in result.files[FILE] and not result.remove
    pruned = again(files, job("new", profile="../p.yaml"), prune=True)
    assert pruned.files == written(job("new", profile="../p.yaml")) and pruned.left == {}


def test_a_moved_profile_keeps_its_job() -> None:
    files = written(job("a", profile="../old/a.yaml"))
    result = again(files, job("a", profile="../new/a.yaml"), fates={"../old/a.yaml": ELSEWHERE})
    assert result.write == [ownership.FILE] and not result.taken and not result.lost


def test_two_profiles_of_one_job_are_said() -> None:
    files = written(job("a", profile="../one.yaml"))
    result = again(files, job("a", profile="../two.yaml"), fates={"../one.yaml": THERE})
    assert result.taken == {"a": "../one.yaml"}


def test_a_folder_that_somebody_removed_is_said() -> None:
    files = written(job("a"), job("b"))
    left = {path: text for path, text in files.items() if not path.startswith("a/")}
    for prune, lost in ((False, {"a": "../a.yaml"}), (True, {})):
        fates = {"../b.yaml": BUILT, "../a.yaml": THERE}
        result = change(standing(left), owned(files), [job("b")], fates, prune=prune)
        assert result.lost == lost and ("- a\n" in result.files[FILE]) is not prune


@pytest.mark.parametrize(
    ("path", "here", "why"),
    [
        ("a/job.yaml", UNREAD, "edited since specgen wrote it"),
        ("a/job.yaml", LINK, "it is a link, and nothing is written through links"),
        ("a/job.yaml", ODD, "it is no regular file"),
        ("a/job.yaml", FOLDER, "it is a folder"),
        ("a", LINK, "a is a link, and nothing is written through links"),
        ("a", UNREAD, "a is no folder"),
        (FILE, UNREAD, "edited since specgen wrote it"),
    ],
)
def test_what_is_not_as_it_was_written_is_in_the_way(path: str, here: str, why: str) -> None:
    files = written(job("a"), job("b"))
    result = again(files, job("a", "new\n"), job("b"), there={path: here})
    assert why in result.blocked.values()
    forced = again(files, job("a", "new\n"), job("b"), there={path: here}, force=True)
    assert (forced.blocked == {}) is (here != FOLDER and path != "a")


def test_an_edited_file_is_not_taken_away() -> None:
    files = written(job("a"), job("b"))
    there = {"a/job.yaml": UNREAD}
    assert again(files, job("b"), fates={"../a.yaml": GONE}, prune=True, there=there).blocked == {
        "a/job.yaml": "edited since specgen wrote it"
    }
    forced = again(files, job("b"), fates={"../a.yaml": GONE}, prune=True, force=True, there=there)
    assert "a/job.yaml" in forced.remove


def test_foreign_files_are_named_and_stay() -> None:
    there = {"notes.txt": UNREAD, "a/mine.yaml": UNREAD, ".git": FOLDER, ".DS_Store": UNREAD, "link": LINK}
    result = again(written(job("a")), job("a"), there=there)
    assert [(state, path) for state, path, _ in result.states] == [
        ("foreign", "a/mine.yaml"),
        ("foreign", "link"),
        ("foreign", "notes.txt"),
    ]
    assert (result.blocked, result.write, result.remove) == ({}, [], [])


@pytest.mark.parametrize("other", ["A", "a/Job.yaml", "a/kustomization.yml", "a/Kustomization", "Kustomization.yaml"])
def test_names_that_others_take_for_the_same_are_in_the_way(other: str) -> None:
    result = change({other: FOLDER if other == "A" else UNREAD}, None, [job("a")], {}, force=True)
    assert len(result.blocked) >= 1 and all(other.split("/")[0] in why for why in result.blocked.values())


def test_a_file_that_a_job_no_longer_has_goes_with_the_next_build() -> None:
    files = written(Job("a", "../a.yaml", {"job.yaml": "x\n", "configmap.yaml": "y\n", FILE: "z\n"}))
    result = again(files, job("a"))
    assert result.remove == ["a/configmap.yaml"] and "a/configmap.yaml" not in result.files[ownership.FILE]


def test_a_tree_from_before_is_taken_over_where_it_is_the_same() -> None:
    files = {path: former(text) for path, text in written(job("a"), job("b")).items() if path != ownership.FILE}
    assert "sortOptions" not in files[FILE]
    result = change(standing(files), None, [job("a"), job("b")], {})
    assert result.blocked == {} and result.write == [ownership.FILE, FILE]
    edited = {**standing(files), "b/job.yaml": UNREAD}
    assert change(edited, None, [job("a"), job("b")], {}).blocked == {"b/job.yaml": "specgen did not write it"}


def test_the_list_survives_a_merge_of_two_branches() -> None:
    ours, theirs = written(job("a", "1\n")), written(job("a", "2\n"), job("c"))
    merged = f"<<<<<<< ours\n{ours[ownership.FILE]}=======\n{theirs[ownership.FILE]}>>>>>>> theirs\n"
    read = ownership.read(merged)
    assert read is not None and len(read["a/job.yaml"][0]) == 2 and "c/job.yaml" in read
    assert change(standing(theirs), read, [job("a", "3\n"), job("c")], {}).blocked == {}


@pytest.mark.parametrize("path", ["../x.yaml", "/etc/passwd", "a/../../x", "a//b", "./x"])
def test_a_list_never_leads_out_of_the_tree(path: str) -> None:
    text = written(job("a"))[ownership.FILE] + f"{'0' * 64} {path} ../p.yaml\n"
    assert set(ownership.read(text) or {}) == {"a/job.yaml", f"a/{FILE}", FILE}


@pytest.mark.parametrize("name", ["../my jobs/ü.yaml", "../a\nb.yaml", "../back\\slash.yaml", "../\udcff.yaml"])
def test_any_name_of_a_profile_fits_on_a_line(name: str) -> None:
    text = written(job("a", profile=name))[ownership.FILE]
    assert text.isascii() and (ownership.read(text) or {})["a/job.yaml"][1] == name
    assert all(len(line.split(" ")[0]) == 64 for line in text.splitlines()[1:])


def test_line_ends_of_windows_are_no_edit() -> None:
    assert ownership.digest(b"a\r\nb\r\n") == ownership.digest(b"a\nb\n")
    text = written(job("a"))[ownership.FILE]
    assert ownership.read(text.replace("\n", "\r\n")) == ownership.read(text)


def test_the_list_of_a_tree_half_way_knows_both_sides() -> None:
    files = written(job("a", "old\n"))
    result = again(files, job("a", "new\n"))
    both = ownership.read(result.between)
    assert both is not None and len(both["a/job.yaml"][0]) == 2
    for text in ("old\n", "new\n"):
        here = {**standing(files), "a/job.yaml": ownership.digest(text.encode())}
        assert change(here, both, [job("a", "newest\n")], {"../a.yaml": BUILT}).blocked == {}


def test_layers_for_flux_stand_where_a_job_brings_its_runtime() -> None:
    assert list(on_top(["a", "b"], ["a/job.yaml"])) == [FILE]
    files = on_top(["a", "b"], [f"a/runtime/{FILE}", f"a/job/{FILE}", f"b/{FILE}"])
    assert files["_flux/1-runtimes/kustomization.yaml"].endswith("resources:\n- ../../a/runtime\n")
    assert files["_flux/2-jobs/kustomization.yaml"].endswith("resources:\n- ../../a/job\n- ../../b\n")
