"""Twenty-one jobs as strangers come with them: what they type, against the manifest that an expert wrote by hand.

``*.yaml``: the task in words, what is looked up by which name and the word that it leads to, the command lines, what is
then changed in the profile (``null`` takes a line out), and the expert's objects. Both are expanded, and compared in
what matters: pods, ranks, rendezvous, devices, environment, commands, volumes, rights, and where pods may stand.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from specgen.cli.files import opened
from specgen.cli.lifecycle import lines
from specgen.cli.main import main
from specgen.document.write import write_yaml
from specgen.operators.expand import expand_manifest
from specgen.quantity import nano
from specgen.reference.find import elsewhere, find
from specgen.session.jobs import Jobs

HERE = Path(__file__).parent
TASKS = sorted(HERE.glob("*.yaml"))
# Parts of a pod that are compared as they stand.
POD = (
    "activeDeadlineSeconds",
    "affinity",
    "dnsPolicy",
    "hostIPC",
    "hostNetwork",
    "imagePullSecrets",
    "nodeSelector",
    "priorityClassName",
    "restartPolicy",
    "schedulerName",
    "securityContext",
    "serviceAccountName",
    "terminationGracePeriodSeconds",
    "tolerations",
)
# Open MPI's options with a value, without the first dash of those that have two.
_MPIRUN = ("-np", "-bind-to", "-map-by", "-hostfile", "-x")


def line(words: list[str]) -> Any:
    """A command line; of mpirun what it starts, how many, and with which variables, however it is spelled."""
    if "mpirun" not in words:
        return words
    rest = words[words.index("mpirun") + 1 :]
    said: dict[str, Any] = {"-x": set()}
    while rest and rest[0].startswith("-"):
        option = "-" + rest.pop(0).lstrip("-")
        if option == "-x":
            said["-x"].add(rest.pop(0))
        elif option in _MPIRUN:
            said[option] = rest.pop(0)
    said.pop("-hostfile", None)  # the operator's own, which mpirun finds by its environment as well
    return said, rest


def environment(container: dict[str, Any]) -> dict[str, Any]:
    """Name → value, the last one of a name, without those that only spell a command line, and without torchrun's
    options where another program starts the processes."""
    found = {one["name"]: one.get("value", one.get("valueFrom")) for one in container.get("env", ())}
    used = " ".join([*container.get("command", ()), *container.get("args", ())])
    spelled = () if "torchrun" in used else ("PET_",)
    return {name: value for name, value in found.items() if f"$({name})" not in used and not name.startswith(spelled)}


def mounts(container: dict[str, Any], pod: dict[str, Any], maps: dict[str, Any]) -> dict[str, Any]:
    """Path → what is there, whatever the volume is called; files of ConfigMaps by what they hold."""
    volumes = {one["name"]: {key: value for key, value in one.items() if key != "name"} for one in pod["volumes"]}
    found = {}
    for one in container.get("volumeMounts", ()):
        source = volumes[one["name"]]
        known = maps.get(source.get("configMap", {}).get("name"))
        if known is not None and one.get("subPath") in known:
            found[one["mountPath"]] = known[one["subPath"]]
            continue
        read_only = bool(one.get("readOnly") or source.get("persistentVolumeClaim", {}).get("readOnly"))
        source.get("persistentVolumeClaim", {}).pop("readOnly", None)
        found[one["mountPath"]] = (source, read_only, one.get("subPath"))
    return found


def amounts(container: dict[str, Any]) -> dict[str, Any]:
    """Requests and limits as numbers; the API server takes limits for requests that are not said."""
    resources = container.get("resources", {})
    limits = {name: nano(str(value)) for name, value in resources.get("limits", {}).items()}
    requests = {name: nano(str(value)) for name, value in resources.get("requests", {}).items()}
    return {"limits": limits, "requests": {**limits, **requests}}


def jobs(file: str) -> dict[str, Any]:
    """Name of a job → all that matters of what its operator makes of it."""
    session = opened()
    read = Jobs()
    for text, result in session.expand([file]):
        read.take(text, result, session, lenient=False)
    documents = [one for one in yaml.safe_load_all(Path(file).read_text()) if one is not None]
    maps = {one["metadata"]["name"]: one["data"] for one in documents if one["kind"] == "ConfigMap"}
    queues = {}
    for one in documents:
        labels, spec = one["metadata"].get("labels", {}), one.get("spec", {})
        queues[one["metadata"]["name"]] = (labels.get("kueue.x-k8s.io/queue-name"), spec.get("queue"))
    found = {}
    for job in read.jobs:
        companions, _ = read.beside(job)
        expansion, _ = expand_manifest(job.manifest, job.reader, job.version, gang=job.gang, companions=companions)
        assert expansion is not None and not expansion.refusals, file
        found[job.manifest.ref.name] = {
            "queue": queues[job.manifest.ref.name],
            "ranks": [(one.role, one.ranks, one.devices) for one in expansion.instances],
            "rendezvous": [one.rendezvous for one in expansion.instances],
            "commands": [line(one.command) for one in expansion.instances],
            "lifecycle": lines(expansion),
            "pods": [
                {
                    "name": pod["metadata"]["name"],
                    **{key: pod["spec"].get(key) for key in POD},
                    "containers": [
                        {
                            "image": one["image"],
                            "env": environment(one),
                            "resources": amounts(one),
                            "mounts": mounts(one, {"volumes": [], **pod["spec"]}, maps),
                            "rights": one.get("securityContext"),
                        }
                        for key in ("initContainers", "containers")
                        for one in pod["spec"].get(key, ())
                    ],
                }
                for pod in expansion.pods
            ],
        }
    assert not session.failed, session.found()
    return found


def merged(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """The profile with what was changed in it."""
    whole = {**old}
    for key, value in new.items():
        if isinstance(value, dict) and isinstance(old.get(key), dict):
            whole[key] = merged(old[key], value)
        elif value is None:
            del whole[key]
        else:
            whole[key] = value
    return whole


@pytest.mark.parametrize("file", TASKS, ids=lambda file: file.stem)
def test_a_stranger_gets_what_an_expert_writes(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    task = yaml.safe_load(file.read_text())
    monkeypatch.chdir(tmp_path)
    for command in task["lines"]:
        name, *words = shlex.split(command)
        target = words[words.index(">") + 1] if ">" in words else None
        assert (name, main(words[: words.index(">")] if target else words)) == ("specgen", 0)
        told = capsys.readouterr()
        if target is not None:
            Path(target).write_text(told.out)
    for name, text in task.get("files", {}).items():
        Path(name).write_text(text)
    profile = merged(yaml.safe_load(Path("job.yaml").read_text()), task["edit"])
    Path("job.yaml").write_text(write_yaml(profile))
    assert main(["build", "job.yaml"]) == 0
    told = capsys.readouterr()
    # notes and warnings that are true of what was asked for
    assert re.findall(r"\[(SG\d+)\]", told.err) == task.get("told", []) and len(told.err.splitlines()) == len(
        task.get("told", [])
    ), told.err
    Path("built.yaml").write_text(told.out)
    Path("expert.yaml").write_text(task["expert"])
    ours, theirs = jobs("built.yaml"), jobs("expert.yaml")
    assert ours.keys() == theirs.keys()
    for name, job in theirs.items():
        for part, value in job.items():
            if part == "rendezvous" and not any(value):
                continue  # the expert's is in the command line
            assert ours[name][part] == value, (name, part)


@pytest.mark.parametrize("file", TASKS, ids=lambda file: file.stem)
def test_words_are_found_by_the_names_that_strangers_have(file: Path) -> None:
    for name, word in yaml.safe_load(file.read_text())["looked up"].items():
        # those that `explain` shows or lists
        assert word in [one.name for one in (*find(name), *elsewhere(name)[0])], name


def test_there_are_twenty_one() -> None:
    assert len(TASKS) == 21
