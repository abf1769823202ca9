"""The plugin of Argo CD as its sidecar runs it: in a checkout that nobody may write, with nothing but its variables."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from specgen.cli.main import main
from tests.bad.program import ROOT, command, environment
from tests.kubectl import kubectl

# What a plugin has no business with, told by the interpreter itself.
GUARD = """
import sys
WRITES = ("w", "a", "x", "+")
def guard(event, arguments):
    if event.startswith(("socket.", "subprocess.", "os.system", "os.fork", "os.exec", "os.posix_spawn", "shutil.")):
        raise RuntimeError(event)
    if event == "open" and isinstance(arguments[1], str) and any(sign in arguments[1] for sign in WRITES):
        raise RuntimeError(f"writes {arguments[0]}")
    if event in ("os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.symlink", "os.truncate"):
        raise RuntimeError(event)
sys.addaudithook(guard)
from specgen.cli.main import run
sys.argv[0] = "specgen"
run()
"""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A copy of the profiles that nobody may write, beside another one's checkout."""
    top = tmp_path_factory.mktemp("_cmp_server") / "3f1c"
    shutil.copytree(ROOT / "profiles", top / "profiles")
    (top.parent / "other").mkdir()
    (top.parent / "other" / "cluster.yaml").write_text("apiVersion: specgen/v1\nkind: Cluster\nsecret: mine\n")
    folders = [top, *(path for path in top.rglob("*") if path.is_dir())]
    for path in top.rglob("*"):
        path.chmod(0o555 if path.is_dir() else 0o444)
    top.chmod(0o555)
    yield top
    for path in folders:
        path.chmod(0o755)


@pytest.fixture
def jobs(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of an Application, which is the working directory."""
    folder = checkout / "profiles" / "jobs"
    monkeypatch.chdir(folder)
    monkeypatch.setenv("ARGOCD_APP_SOURCE_PATH", "profiles/jobs")
    return folder


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["cmp", *words])
    return (code, *capsys.readouterr())


def test_a_sidecar_builds_what_the_command_line_does(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    env = {key: value for key, value in environment().items() if key != "PATH"}
    began = time.monotonic()
    ended = subprocess.run(
        # -B: what a sidecar's image holds is compiled already, a fresh checkout is not
        [command()[0], "-B", "-c", GUARD, "cmp", "generate"],
        cwd=checkout / "profiles" / "jobs",
        env={**env, "ARGOCD_APP_SOURCE_PATH": "profiles/jobs", "ARGOCD_APP_PARAMETERS": "null"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    took = time.monotonic() - began
    assert (ended.returncode, ended.stderr) == (0, "")
    assert main(["build", str(ROOT / "profiles" / "jobs"), "-q"]) == 0
    plain = list(yaml.safe_load_all(capsys.readouterr().out))
    for one in plain:
        if one["kind"] in ("PersistentVolume", "PersistentVolumeClaim"):
            keeps = {"argocd.argoproj.io/sync-options": "Delete=false,Prune=false"}
            one["metadata"]["annotations"] = {**keeps, "kustomize.toolkit.fluxcd.io/prune": "disabled"}
    assert list(yaml.safe_load_all(ended.stdout)) == plain
    assert took < 10, "a second, and tenfold for a machine that others load"


ASKED: list[tuple[dict[str, str], int, str]] = [
    ({"ARGOCD_APP_PARAMETERS": "[]"}, 0, ""),
    ({"ARGOCD_APP_PARAMETERS": ""}, 0, ""),
    ({"ARGOCD_APP_PARAMETERS": "{"}, 2, "ARGOCD_APP_PARAMETERS is no JSON"),
    ({"ARGOCD_APP_PARAMETERS": "[" * 50_000}, 2, "ARGOCD_APP_PARAMETERS is no JSON"),
    ({"ARGOCD_APP_PARAMETERS": "{}"}, 2, "is no list of parameters"),
    ({"ARGOCD_APP_PARAMETERS": '[{"string": "x"}]'}, 2, "holds a parameter without a name"),
    ({"ARGOCD_ENV_SPECGEN_VARIENT": "small"}, 2, "a variable with a similar name: `ARGOCD_ENV_SPECGEN_VARIANT`"),
    ({"ARGOCD_ENV_TEAM": "vision", "PARAM_X": "1"}, 0, ""),
    ({"ARGOCD_ENV_SPECGEN_VARIANT": "small"}, 0, ""),
    ({"ARGOCD_ENV_SPECGEN_SET": "pods"}, 2, "`pods` is no setting"),
]
GIVEN: list[tuple[list[dict[str, Any]], int, str]] = [
    ([{"name": "profile", "array": ["mnist.yaml"]}], 2, "a parameter with a similar name: `profiles`"),
    ([{"name": "set", "array": ["pods=2"]}], 2, "the parameter `set` takes `map` of strings, and has `array`"),
    ([{"name": "set", "map": {"pods": 2}}], 2, "the parameter `set` takes `map` of strings\n"),
    ([{"name": "set", "map": {"pods=2": "x"}}], 2, "what stands behind `=` is its value"),
    ([{"name": "set", "map": {"podz": "2"}}], 2, "`podz` is no field of a job profile"),
    ([{"name": "variant", "string": "nope"}], 2, "none of these profiles has a variant `nope`"),
    ([{"name": "variant"}], 2, "the parameter `variant` takes `string`"),
    ([{"name": "variant", "string": "a"}, {"name": "variant", "string": "b"}], 2, "is given twice"),
    ([{"name": "profiles", "array": []}], 2, "the parameter `profiles` is empty"),
    ([{"name": "profiles", "array": ["-"]}], 2, "there is no standard input"),
    ([{"name": "profiles", "array": ["../clusters"]}], 2, "to print nothing would let Argo CD delete all jobs"),
    ([{"name": "profiles", "array": ["absent.yaml"]}], 2, "absent.yaml: there is no such file"),
    ([{"name": "profiles", "array": ["/"]}], 2, "/: it lies outside the root"),
    ([{"name": "profiles", "array": ["/etc/passwd"]}], 2, "/etc/passwd: it lies outside the root"),
    ([{"name": "profiles", "array": ["../../../other"]}], 2, "it lies outside the root"),
    ([{"name": "cluster", "string": "../../../other/cluster.yaml"}], 2, "it lies outside the root"),
    ([{"name": "cluster", "string": "../clusters/absent.yaml"}], 2, "there is no such file"),
    ([{"name": "set", "map": {"cluster": "../../../other/cluster.yaml"}}], 1, "it lies outside the root"),
]


@pytest.mark.parametrize(
    ("env", "code", "says"), [*ASKED, *(({"ARGOCD_APP_PARAMETERS": json.dumps(given)}, *end) for given, *end in GIVEN)]
)
def test_what_an_application_asks(
    jobs: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    env: dict[str, str],
    code: int,
    says: str,
) -> None:
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    ended, out, err = printed(capsys, "generate")
    assert says in err
    assert (ended, out == "") == (code, code != 0), err
    assert "mine" not in err


def test_parameters_are_data(jobs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A parameter wins over a variable, and no sign in either means anything to anybody on the way."""
    odd = "$(touch x) `id` ${HOME} 'a' \"b\" ; & | \\"
    given = [
        {"name": "profiles", "array": ["mnist-offline.yaml"]},
        {"name": "set", "map": {"env.ODD": odd, "pods": "3"}},
        {"name": "cluster", "string": "../clusters/infiniband-16.yaml"},
    ]
    monkeypatch.setenv("ARGOCD_ENV_SPECGEN_SET", "pods=2\nenv.FIRST=yes")
    monkeypatch.setenv("ARGOCD_ENV_SPECGEN_PROFILES", "mnist.yaml")
    monkeypatch.setenv("ARGOCD_APP_PARAMETERS", json.dumps(given))
    code, out, err = printed(capsys, "generate")
    assert code == 0, err
    (job,) = yaml.safe_load_all(out)
    roles = job["spec"]["pytorchReplicaSpecs"]
    assert roles["Worker"]["replicas"] == 2
    env = {one["name"]: one.get("value") for one in roles["Worker"]["template"]["spec"]["containers"][0]["env"]}
    assert (env["ODD"], env["FIRST"]) == (odd, "yes")


def test_the_printed_application_builds(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of the folder that it names by default, with the parameters that it holds; and with those that `--help` shows."""
    from specgen.cli import cmp

    _, out, _ = printed(capsys, "application")
    source = yaml.safe_load(out)["spec"]["source"]
    shown = yaml.safe_load("\n".join(line for line in cmp.__doc__.split("\n") if line.startswith("  - {")))
    assert len(shown) == 3
    monkeypatch.chdir(checkout / source["path"])
    monkeypatch.setenv("ARGOCD_APP_SOURCE_PATH", source["path"])
    for given in (source["plugin"].get("parameters", []), shown):
        monkeypatch.setenv("ARGOCD_APP_PARAMETERS", json.dumps(given))
        code, _, err = printed(capsys, "generate")
        assert code == 0, err


def test_what_can_be_chosen(jobs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("ARGOCD_ENV_SPECGEN_PROFILES", "llama-pretrain.yaml")
    code, out, _ = printed(capsys, "parameters")
    found = {one["name"]: one for one in json.loads(out)}
    assert (code, found["cluster"]["string"]) == (0, "../clusters/h100-rail8.yaml")
    assert found["variant"]["tooltip"].endswith(": small, full")


def test_discovery(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is said of folders that Argo CD renders by itself: a plugin that matches comes before kustomize."""
    monkeypatch.chdir(tmp_path)
    assert printed(capsys, "discover") == (0, "", "")
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "job.yaml").write_text((ROOT / "profiles/jobs/mnist-offline.yaml").read_text())
    (tmp_path / "cluster.yaml").write_text((ROOT / "profiles/clusters/gpu.yaml").read_text())
    assert printed(capsys, "discover") == (0, "below/job.yaml\n", "")
    monkeypatch.setenv("ARGOCD_APP_PARAMETERS", '[{"name": "values-of-another-plugin", "string": "x"}]')
    assert printed(capsys, "discover") == (0, "below/job.yaml\n", "")
    (tmp_path / "kustomization.yaml").write_text("resources: []\n")
    assert printed(capsys, "discover") == (0, "", "")


def test_a_part_of_a_repository_is_no_more_than_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the annotation manifest-generate-paths the checkout begins further down than the repository."""
    part = tmp_path / "9a0b"
    shutil.copytree(ROOT / "profiles", part)
    monkeypatch.chdir(part / "jobs")
    monkeypatch.setenv("ARGOCD_APP_SOURCE_PATH", "team/profiles/jobs")
    assert printed(capsys, "generate")[0] == 0
    monkeypatch.setenv("ARGOCD_APP_SOURCE_PATH", "jobs/elsewhere")
    code, _, err = printed(capsys, "generate")
    assert (code, "it lies outside the root" in err) == (1, True)


def test_a_hook_may_have_no_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    plain = "apiVersion: specgen/v1\nkind: Job\nmetadata: {generateName: check-}\ntarget: PyTorchJob\nimage: a:1\n"
    plain += "command: [python, x.py]\npods: 2\n"
    (tmp_path / "job.yaml").write_text(plain)
    code, _, err = printed(capsys, "generate")
    assert (code, "SG250" in err) == (1, True)
    (tmp_path / "job.yaml").write_text(
        plain.replace("check-", "check-, annotations: {argocd.argoproj.io/hook: PostSync}")
    )
    assert printed(capsys, "generate")[0] == 0


def test_the_plugin_runs_what_there_is(capsys: pytest.CaptureFixture[str], jobs: Path) -> None:
    """The commands of plugin.yaml are those of this program, and its parameters those that are read."""
    from specgen.cli.parameters import FIELDS
    from specgen.emit.plugin import announced, plugin

    spec = plugin()["spec"]
    said = [spec["generate"]["command"], spec["discover"]["find"]["command"], spec["parameters"]["dynamic"]["command"]]
    for words in said:
        assert words[0] == "specgen"
        assert main(words[1:]) == 0
        assert capsys.readouterr().out
    offered = [*spec["parameters"]["static"], *announced(["a"], ["b"])]
    assert {one["name"]: one.get("collectionType", "string") for one in offered} == FIELDS


def test_the_sidecar_joins_the_deployment(tmp_path: Path) -> None:
    """As a strategic merge, which a server-side apply is as well: containers are one list by their names."""
    binary = kubectl()
    if binary is None:
        pytest.skip("kubectl is not installed")
    from specgen.document.write import write_yaml
    from specgen.emit.plugin import sidecar

    settings, patch = sidecar("specgen:1")
    container = {
        "name": "argocd-repo-server",
        "image": "argocd",
        "volumeMounts": [{"name": "tmp", "mountPath": "/tmp"}],
    }
    volumes: list[Any] = [{"name": name, "emptyDir": {}} for name in ("var-files", "plugins", "tmp")]
    own = {**patch, "spec": {"template": {"spec": {"containers": [container], "volumes": volumes}}}}
    kustomization = {"resources": ["own.yaml", "settings.yaml"], "patches": [{"path": "patch.yaml"}]}
    for name, tree in {"own": own, "settings": settings, "patch": patch, "kustomization": kustomization}.items():
        (tmp_path / f"{name}.yaml").write_text(write_yaml(tree))
    ended = subprocess.run([binary, "kustomize", "."], cwd=tmp_path, capture_output=True, text=True, check=True)
    found = {one["kind"]: one for one in yaml.safe_load_all(ended.stdout)}
    pod = found["Deployment"]["spec"]["template"]["spec"]
    assert {one["name"] for one in pod["containers"]} == {"argocd-repo-server", "specgen"}
    held = {one["name"] for one in pod["volumes"]}
    assert all(
        one["name"] in held for one in pod["containers"][0]["volumeMounts"] + pod["containers"][1]["volumeMounts"]
    )
    assert yaml.safe_load(found["ConfigMap"]["data"]["plugin.yaml"])["kind"] == "ConfigManagementPlugin"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("application",), "an artifact has tags and no branch: --revision names one"),
        (("applicationset", "--revision", "v1"), "an ApplicationSet looks for profiles in Git alone"),
    ],
)
def test_an_artifact_is_no_branch(words: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["cmp", *words, "--repo", "oci://registry.example.com/jobs"])
    out, err = capsys.readouterr()
    assert (code, out) == (2, "") and says in err
