"""``specgen apply --dry-run=server`` against a stand-in that answers as recorded API servers did."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from specgen.cli.main import main
from tests.bad.program import specgen
from tests.standin import TOKEN, Asked, Reply, Standin, status

JOB = """\
apiVersion: specgen/v1
kind: Job
metadata: {name: train}
target: PyTorchJob
image: registry.example.com/train:1
command: [python, train.py]
pods: 2
resources: {gpu: 1}
env: {HF_TOKEN: hf_abcdefghijklmnopqrstuvwxyz012345}
lifecycle: {restart: OnFailure}
"""
KINDS: dict[str, list[dict[str, Any]]] = {
    "/apis/kubeflow.org/v1": [
        {"name": "pytorchjobs", "kind": "PyTorchJob", "namespaced": True},
        {"name": "pytorchjobs/status", "kind": "PyTorchJob", "namespaced": True},
    ],
    "/api/v1": [
        {"name": "persistentvolumeclaims", "kind": "PersistentVolumeClaim", "namespaced": True},
        {"name": "persistentvolumes", "kind": "PersistentVolume", "namespaced": False},
    ],
    "/apis/trainer.kubeflow.org/v1alpha1": [
        {"name": "trainjobs", "kind": "TrainJob", "namespaced": True},
        {"name": "trainingruntimes", "kind": "TrainingRuntime", "namespaced": True},
    ],
}
WEBHOOK = 'admission webhook "validator.pytorchjob.training-operator.kubeflow.org" denied the request: '
AT = "job.yaml:"


@pytest.fixture
def standin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Standin]:
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "KUBECONFIG", "KUBERNETES_SERVICE_HOST"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "job.yaml").write_text(JOB, "utf-8")
    (tmp_path / ".specgen-root").touch()
    monkeypatch.chdir(tmp_path)
    one = Standin(tmp_path, answering())
    yield one
    one.close()


def answering(**replies: Reply) -> Any:
    """Answers by the plural of what is written; what has none is taken, as new."""

    def answer(asked: Asked) -> Reply | None:
        if asked.path in KINDS:
            return Reply({"kind": "APIResourceList", "resources": KINDS[asked.path]})
        if asked.method == "GET":
            return None
        plural = asked.path.split("/")[-2 if asked.method == "PATCH" else -1]
        return replies.get(plural) or Reply(asked.body, 201)

    return answer


def apply(standin: Standin, *words: str) -> int:
    return main(["apply", "--dry-run=server", "--kubeconfig", standin.kubeconfig(), *(words or ("job.yaml",))])


def test_a_job_that_is_taken(standin: Standin, capsys: pytest.CaptureFixture[str]) -> None:
    assert apply(standin) == 0
    assert capsys.readouterr().out == "PyTorchJob training/train: would be created\n"
    sent = standin.asked[-1]
    assert (sent.method, sent.path) == ("PATCH", "/apis/kubeflow.org/v1/namespaces/training/pytorchjobs/train")
    assert sent.query == {"dryRun": "All", "fieldManager": "specgen", "fieldValidation": "Strict", "force": "true"}
    assert sent.headers["content-type"] == "application/apply-patch+yaml"
    assert sent.body["spec"]["pytorchReplicaSpecs"]["Worker"]["replicas"] == 1
    assert all(asked.query.get("dryRun") == "All" for asked in standin.asked if asked.method != "GET")


# What the server answers → lines of the report, without the path of the file.
REFUSALS: dict[str, tuple[Reply, list[str]]] = {
    "causes": (
        status(
            422,
            "is invalid",
            "Invalid",
            [
                {"field": "<nil>", "message": "Invalid value: null: some validation rules were not checked because"},
                {
                    "field": "spec.pytorchReplicaSpecs.Worker.template.spec.containers[0].volumeMounts[5].mountPath",
                    "message": "Required value",
                },
                {"field": "spec.pytorchReplicaSpecs[Worker].replicas", "message": "Invalid value: 1: too few"},
            ],
        ),
        [
            "3:1: error[SG845] the API server refuses "
            "`spec.pytorchReplicaSpecs.Worker.template.spec.containers[0].volumeMounts[5].mountPath`: required value",
            "7:7: error[SG845] the API server refuses `spec.pytorchReplicaSpecs.Worker.replicas`: invalid value: 1: "
            "too few",
        ],
    ),
    "webhook": (
        status(
            403,
            f"{WEBHOOK}[spec.pytorchReplicaSpecs[Master].template.spec.containers[0].image: Invalid value: "
            '"registry.example.com/train:1": not from here, spec.RunPolicy.cleanPodPolicy: Forbidden: not today]',
            "Forbidden",
        ),
        [
            "3:1: error[SG845] the webhook `validator.pytorchjob.training-operator.kubeflow.org` refuses "
            "`spec.runPolicy.cleanPodPolicy`: forbidden: not today",
            "5:8: error[SG845] the webhook `validator.pytorchjob.training-operator.kubeflow.org` refuses "
            "`spec.pytorchReplicaSpecs.Master.template.spec.containers[0].image`: invalid value: "
            '"registry.example.com/train:1": not from here',
        ],
    ),
    "strict": (
        status(
            400,
            'PyTorchJob in version "v1" cannot be handled as a PyTorchJob: strict decoding error: unknown field '
            '"spec.pytorchReplicaSpecs.Master.restartPolicy"',
            "BadRequest",
        ),
        [
            "10:22: error[SG845] the API server refuses `spec.pytorchReplicaSpecs.Master.restartPolicy`: unknown field",
        ],
    ),
    "typed": (
        status(
            500,
            "failed to create typed patch object (training/train; kubeflow.org/v1, Kind=PyTorchJob): "
            '.spec.pytorchReplicaSpecs.Master.template.spec.containers[name="pytorch"].image: field not declared in '
            "schema",
        ),
        [
            "5:8: error[SG845] the API server refuses "
            "`spec.pytorchReplicaSpecs.Master.template.spec.containers[0].image`: field not declared in schema",
        ],
    ),
    "quota": (
        status(403, 'pytorchjobs.kubeflow.org "train" is forbidden: exceeded quota: jobs, used: 5', "Forbidden"),
        ["3:18: error[SG845] the API server refuses the PyTorchJob: exceeded quota: jobs, used: 5"],
    ),
    "secret": (
        status(403, f"{WEBHOOK}no hf_abcdefghijklmnopqrstuvwxyz012345 here", "Forbidden"),
        [
            "3:18: error[SG845] the webhook `validator.pytorchjob.training-operator.kubeflow.org` refuses the "
            "PyTorchJob: no ••• here",
        ],
    ),
    "no namespace": (
        status(404, 'namespaces "training" not found', "NotFound"),
        ['3:1: error[SG845] the API server refuses `metadata.namespace`: namespaces "training" not found'],
    ),
    "webhook is away": (
        status(
            500,
            'Internal error occurred: failed calling webhook "v.example.com": connect: connection refused',
            "InternalError",
        ),
        [
            "3:18: error[SG845] the API server refuses the PyTorchJob: internal error occurred: failed calling webhook "
            '"v.example.com": connect: connection refused',
        ],
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_what_is_refused_stands_at_the_line_of_the_profile(
    standin: Standin, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    reply, lines = REFUSALS[name]
    standin.answers = answering(pytorchjobs=reply)
    assert apply(standin) == 1
    told = capsys.readouterr()
    assert told.out == ""
    found = [line.removeprefix(AT) for line in told.err.splitlines()]
    assert found == lines


# What stands in the way of an answer → the sentence, with HOST for name and port.
AWAY: dict[str, tuple[Reply, str]] = {
    "no right to apply": (
        status(
            403,
            'pytorchjobs.kubeflow.org "train" is forbidden: User "dev" cannot patch resource "pytorchjobs" in API '
            'group "kubeflow.org" in the namespace "training"',
            "Forbidden",
        ),
        "specgen: HOST: this user may not apply pytorchjobs in the namespace training, not even in a dry run (403)",
    ),
    "too busy": (status(429, "try later"), "specgen: HOST: it does not judge now (429)"),
    "no JSON": (Reply("<html>bad gateway</html>", 502), "specgen: HOST: it does not judge now (502)"),
}


@pytest.mark.parametrize("name", AWAY)
def test_no_answer_is_no_finding(standin: Standin, capsys: pytest.CaptureFixture[str], name: str) -> None:
    reply, sentence = AWAY[name]
    standin.answers = answering(pytorchjobs=reply)
    assert apply(standin) == 2
    told = capsys.readouterr()
    assert told.err.splitlines()[0] == sentence.replace("HOST", standin.host)


def connections(standin: Standin) -> dict[str, tuple[list[str], str]]:
    """What is wrong with the way to the server → words of the command line, and the sentence."""
    good = standin.kubeconfig()
    text = Path(good).read_text("utf-8")
    files = {
        "token": text.replace(TOKEN, "another-token-0123456789"),
        "plain": text.replace("https://", "http://"),
        "closed": text.replace(standin.host, "127.0.0.1:1"),
        "nameless": text.replace(standin.host, "nowhere.invalid:443"),
        "yaml": f"token: {TOKEN}\n  oops: [",
        "shape": f"clusters: {TOKEN}\n",
        "list": "- 1\n",
        "empty": "",
    }
    for name, content in files.items():
        (standin.folder / name).write_text(content, "utf-8")
    host = standin.host
    return {
        "credentials": (["token"], f"specgen: {host}: the credentials of the context are not accepted (401)"),
        "no TLS": (["plain"], f"specgen: {host}: the connection ended before the answer did"),
        "refused": (["closed"], "specgen: 127.0.0.1:1: it refuses the connection"),
        "no host": (["nameless"], "specgen: nowhere.invalid:443: there is no host of that name"),
        "no YAML": (["yaml"], "specgen: yaml is no YAML"),
        "no configuration": (["shape"], "specgen: shape cannot be used: it has no `name` where one is needed"),
        "a list": (["list"], "specgen: list has not the shape of a kubectl configuration"),
        "empty": (
            ["empty"],
            "specgen: empty cannot be used: it names a context, a cluster, or a user that it does not have",
        ),
        "no file": (["absent"], "specgen: there is no kubectl configuration: absent is not there"),
        "no context": ([good, "--context", "lap"], f"specgen: {good} has no context `lap`"),
        "broken context": (
            [good, "--context", "broken"],
            f"specgen: {good} cannot be used: it names a context, a cluster, or a user that it does not have",
        ),
    }


def test_a_server_that_cannot_be_asked(standin: Standin, capsys: pytest.CaptureFixture[str]) -> None:
    found, wanted = {}, {}
    for name, (words, sentence) in connections(standin).items():
        code = main(["apply", "--dry-run=server", "--kubeconfig", *words, "job.yaml"])
        told = capsys.readouterr()
        found[name], wanted[name] = (code, told.err.splitlines()[0]), (2, sentence)
        assert TOKEN not in told.err and "Traceback" not in told.err and "another-token" not in told.err
    assert found == wanted


def test_a_certificate_of_somebody_else(standin: Standin, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["apply", "--dry-run=server", "--kubeconfig", standin.kubeconfig(trusted=False), "job.yaml"]) == 2
    sentence = f"specgen: {standin.host}: its certificate is not one that the context trusts"
    assert capsys.readouterr().err.splitlines()[0] == sentence
    assert not standin.asked


def test_a_field_that_nobody_wrote_says_why_it_is_there(standin: Standin, capsys: pytest.CaptureFixture[str]) -> None:
    standin.answers = answering(pytorchjobs=status(403, f"{WEBHOOK}spec.runPolicy.cleanPodPolicy: Forbidden: no"))
    assert apply(standin, "--format", "human", "job.yaml") == 1
    assert "= note: it is there because: " in capsys.readouterr().err


def test_warnings_of_the_server(standin: Standin, capsys: pytest.CaptureFixture[str]) -> None:
    told = (
        "spec.pytorchReplicaSpecs.Worker.template.spec.containers[0].image: deprecated",
        'unknown field "spec.pytorchReplicaSpecs.Master.replicas"',
        'would violate PodSecurity "baseline:latest": host namespaces',
    )
    standin.answers = lambda asked: Reply(asked.body, 201, told) if asked.method == "PATCH" else answering()(asked)
    assert apply(standin) == 0
    ended = capsys.readouterr()
    assert ended.out == "PyTorchJob training/train: would be created\n"
    assert [line.removeprefix(AT) for line in ended.err.splitlines()] == [
        '3:18: warning[SG846] the API server warns: would violate PodSecurity "baseline:latest": host namespaces',
        "5:8: warning[SG846] the API server warns of "
        "`spec.pytorchReplicaSpecs.Worker.template.spec.containers[0].image`: deprecated",
        '7:7: warning[SG846] the API server warns: unknown field "spec.pytorchReplicaSpecs.Master.replicas"',
    ]


RUNTIME = (
    'admission webhook "validator.trainjob.trainer.kubeflow.org" denied the request: spec.RuntimeRef: Invalid value: '
    '{{"name":"{0}"}}: TrainingRuntime.trainer.kubeflow.org "{0}" not found: specified trainingRuntime must be created '
    "before the TrainJob is created"
)


@pytest.mark.parametrize("there", [False, True])
def test_a_runtime_of_the_same_build_is_not_there_in_a_dry_run(
    standin: Standin, capsys: pytest.CaptureFixture[str], there: bool
) -> None:
    text = JOB.replace("PyTorchJob", "TrainJob").replace("[python, train.py]", "[train.py]")
    Path("job.yaml").write_text(text, "utf-8")

    def answer(asked: Asked) -> Reply | None:
        name = asked.path.rpartition("/")[2]
        runtime = Reply(asked.body, 200 if there else 201)
        reply: Reply | None = answering(
            trainjobs=status(403, RUNTIME.format(name), "Forbidden"), trainingruntimes=runtime
        )(asked)
        return reply

    standin.answers = answer
    assert apply(standin) == (1 if there else 0)
    report = capsys.readouterr().err
    if there:
        assert "refuses `spec.runtimeRef`: invalid value" in report
    else:
        assert (
            "warning[SG848] the dry run cannot judge the TrainJob: its TrainingRuntime `train` is not in the" in report
        )


def test_a_kind_that_the_cluster_does_not_serve(standin: Standin, capsys: pytest.CaptureFixture[str]) -> None:
    standin.answers = lambda asked: (
        Reply({"versions": [{"groupVersion": "kubeflow.org/v2beta1"}]}) if asked.path == "/apis/kubeflow.org" else None
    )
    assert apply(standin, "--format", "human", "job.yaml") == 1
    report = capsys.readouterr().err
    assert f"error[SG847]: the cluster {standin.host} serves no PyTorchJob of `kubeflow.org/v1`" in report
    assert "= note: it serves `kubeflow.org/v2beta1`" in report
    assert "--> job.yaml:4:9" in report
    standin.answers = lambda asked: None
    assert apply(standin, "--format", "human", "job.yaml") == 1
    assert "= note: nothing of `kubeflow.org` is installed there" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "specgen: specgen applies nothing"),
        (["--dry-run=client"], "specgen: --dry-run takes `server`, not `client`"),
        (["--dry-run=server", "absent.yaml"], "specgen: absent.yaml: there is no such file"),
    ],
    ids=["no dry run", "client", "absent"],
)
def test_questions_that_no_cluster_is_asked(
    standin: Standin, capsys: pytest.CaptureFixture[str], words: list[str], sentence: str
) -> None:
    assert main(["apply", *(words if len(words) > 1 else [*words, "job.yaml"])]) == 2
    assert capsys.readouterr().err.splitlines()[0] == sentence
    assert not standin.asked


def test_what_does_not_build_is_not_sent(standin: Standin, capsys: pytest.CaptureFixture[str]) -> None:
    Path("job.yaml").write_text(JOB + "pods: x\n", "utf-8")
    assert apply(standin) == 1
    assert "error[SG" in capsys.readouterr().err
    assert not standin.asked


def test_other_namespaces_and_names_that_the_server_makes(standin: Standin, capsys: pytest.CaptureFixture[str]) -> None:
    Path("job.yaml").write_text(JOB.replace("{name: train}", "{generateName: train-}"), "utf-8")
    assert apply(standin, "-n", "vision", "job.yaml") == 0
    assert capsys.readouterr().out == "PyTorchJob vision/train-: would be created\n"
    assert (standin.asked[-1].method, standin.asked[-1].path) == (
        "POST",
        "/apis/kubeflow.org/v1/namespaces/vision/pytorchjobs",
    )


def test_the_program_itself_asks_and_leaves_no_keys_behind(standin: Standin, tmp_path: Path) -> None:
    """A process of its own reads YAML by a parser of its own, and ends without Python's own end."""
    keys = tmp_path / "tmp"
    keys.mkdir()
    words = ("apply", "--dry-run=server", "--kubeconfig", standin.kubeconfig(), "job.yaml")
    ended = specgen(*words, cwd=tmp_path, env={"TMPDIR": str(keys)}, seconds=20, megabytes=1000)
    assert (ended.code, ended.out, ended.err) == (0, "PyTorchJob training/train: would be created\n", "")
    assert list(keys.iterdir()) == []


def test_warnings_that_a_profile_ignores(standin: Standin, capsys: pytest.CaptureFixture[str]) -> None:
    standin.answers = lambda asked: Reply(asked.body, 201, ("old",)) if asked.method == "PATCH" else answering()(asked)
    Path("job.yaml").write_text(JOB + "ignore: {SG846: {reason: known}}\n", "utf-8")
    assert apply(standin) == 0
    assert capsys.readouterr().err == ""
    assert main(["build", "job.yaml"]) == 0
    assert capsys.readouterr().err == ""
    Path("job.yaml").write_text(JOB + "ignore: {SG846: {reason: known, until: '2020-01-01'}}\n", "utf-8")
    assert apply(standin) == 0
    assert "warning[SG846]" in capsys.readouterr().err


# A command for credentials → exit code, and the beginning of the report.
COMMANDS = {
    "fails": ("echo hunter2-secret >&2; exit 3", 2, "specgen: FILE cannot be used: the command that it names for"),
    "says nothing of use": ("echo hunter2-secret", 2, "specgen: FILE cannot be used: the command that it names for"),
    "gives a token": (
        'echo \'{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "'
        + TOKEN
        + "\"}}'",
        0,
        "",
    ),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_for_credentials(standin: Standin, capfd: pytest.CaptureFixture[str], name: str) -> None:
    script, code, begins = COMMANDS[name]
    file = standin.kubeconfig()
    config = yaml.safe_load(Path(file).read_text("utf-8"))
    user = {"apiVersion": "client.authentication.k8s.io/v1", "command": "/bin/sh", "args": ["-c", script]}
    config["users"][0]["user"] = {"exec": user}
    Path(file).write_text(yaml.safe_dump(config), "utf-8")
    assert main(["apply", "--dry-run=server", "--kubeconfig", file, "job.yaml"]) == code
    told = capfd.readouterr()
    assert told.err.startswith(begins.replace("FILE", file))
    assert "hunter2" not in told.out + told.err and TOKEN not in told.out + told.err
    assert told.err == "" or code


def test_a_configuration_that_trusts_anybody(standin: Standin, capfd: pytest.CaptureFixture[str]) -> None:
    file = standin.kubeconfig()
    config = yaml.safe_load(Path(file).read_text("utf-8"))
    config["clusters"][0]["cluster"] = {"server": f"https://{standin.host}", "insecure-skip-tls-verify": True}
    Path(file).write_text(yaml.safe_dump(config), "utf-8")
    assert main(["apply", "--dry-run=server", "--kubeconfig", file, "job.yaml"]) == 0
    assert capfd.readouterr().err == ""


def test_objects_beside_the_job(standin: Standin, capsys: pytest.CaptureFixture[str]) -> None:
    volume = "volume: {hostPath: {path: /tmp/data}}"
    claim = f"mounts: {{/data: {{pvc: data, create: {{size: 1Gi, {volume}}}}}}}\n"
    Path("job.yaml").write_text(JOB + claim, "utf-8")
    forbidden = status(
        422, "no", "Invalid", [{"field": "spec.resources.requests[storage]", "message": "Forbidden: no"}]
    )
    standin.answers = answering(persistentvolumeclaims=forbidden)
    assert apply(standin) == 1
    told = capsys.readouterr()
    assert told.out == "PersistentVolume data: would be created\nPyTorchJob training/train: would be created\n"
    assert told.err.startswith("job.yaml:11:44: error[SG845] the API server refuses `spec.resources.requests.storage`")
    paths = [asked.path for asked in standin.asked if asked.method == "PATCH"]
    assert paths[0] == "/api/v1/persistentvolumes/data"
    assert paths[1] == "/api/v1/namespaces/training/persistentvolumeclaims/data"


def test_from_a_pod_of_the_cluster(
    standin: Standin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from kubernetes.config import incluster_config

    host, _, port = standin.host.partition(":")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", host)
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", port)
    (tmp_path / "token").write_text(TOKEN, "utf-8")
    standin.authority.cert_pem.write_to_path(str(tmp_path / "ca.crt"))
    monkeypatch.setattr(incluster_config, "SERVICE_TOKEN_FILENAME", str(tmp_path / "token"))
    monkeypatch.setattr(incluster_config, "SERVICE_CERT_FILENAME", str(tmp_path / "ca.crt"))
    assert main(["apply", "--dry-run=server", "job.yaml"]) == 0
    assert capsys.readouterr().out == "PyTorchJob default/train: would be created\n"
    (tmp_path / "token").write_text("", "utf-8")
    assert main(["apply", "--dry-run=server", "job.yaml"]) == 2
    assert capsys.readouterr().err.startswith("specgen: the account of this pod has no token, or no certificate of")
