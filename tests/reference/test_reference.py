"""The reference says every word, and what it says was compiled: the page in the repository is what is looked at.

`tests/test_fresh.py` holds that page against the code that makes it, which compiles every example anew.
"""

from __future__ import annotations

import json
import re
from argparse import ArgumentParser
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator

from specgen import nccl
from specgen.cli.codes import codes
from specgen.cli.lookup import is_name
from specgen.cli.main import VERBS, main
from specgen.pipeline import Text, compile_texts
from specgen.profile.library import Library
from specgen.reference._examples import CASES, EXAMPLES
from specgen.reference.around import HOOKS, NAMED
from specgen.reference.around import pages as pages_around
from specgen.reference.becoming import Compiler, targets
from specgen.reference.examples import Files, cluster_profile, data, example, profile
from specgen.reference.find import elsewhere, find
from specgen.reference.html import html
from specgen.reference.page import Code, Page
from specgen.reference.page import text as text_of
from specgen.reference.pages import page
from specgen.reference.running import job_profile, metrics, object_store, running_job
from specgen.reference.spoken import spoken
from specgen.reference.variables import nccl_page
from specgen.reference.words import by_name, words
from specgen.schema.topics import TOPICS, topic
from specgen.schema.wording import PROFILE
from specgen.source import Source

# Words that stand in no manifest: what becomes of them is a check, a name, or another object.
NOTHING_MADE = re.compile(r"(all kinds|[\w ,]+): nothing in the manifest by itself\.")


@pytest.fixture(scope="module")
def pages(root: Path) -> dict[str, str]:
    """Name → its part of the page in the repository."""
    text = (root / "schemas/reference.md").read_text("utf-8")
    parts = re.split(r"^### `", text, flags=re.MULTILINE)[1:]
    return {part.partition("`\n")[0]: part for part in parts}


def fields(schema: dict[str, Any]) -> set[str]:
    """Every field of every model."""
    return {f"{name}.{key}" for name, model in schema["definitions"].items() for key in model.get("properties", {})}


def test_every_field_of_the_models_is_a_word(root: Path) -> None:
    """A field is met by its schema: what two models share word for word is one word."""
    said = {json.dumps([word.path[-1], word.schema.get("description")]) for word in words()}
    for name in ("job", "cluster"):
        schema = json.loads((root / f"schemas/{name}.schema.json").read_text("utf-8"))
        for model, definition in schema["definitions"].items():
            if model in ("Env", "AddedEnv", "BaseProfile", "Layer", "Role", "RoleAdds"):
                continue  # variables, and the words of a job once more
            for key, below in definition.get("properties", {}).items():
                assert json.dumps([key, below.get("description")]) in said, f"{model}.{key}"


def test_every_name_has_its_page(pages: dict[str, str]) -> None:
    assert [word.name for word in words() if word.name not in pages] == []
    assert [name for name in nccl.VARIABLES if name not in pages] == []
    assert [name for name in (*targets(), "XGBoostJob", "WORLD_SIZE", "TF_CONFIG") if name not in pages] == []


def test_every_example_builds_for_some_kind(pages: dict[str, str]) -> None:
    for word in words():
        became = pages[word.name].partition("**What it becomes**\n")[2].partition("\n**")[0]
        assert became.strip(), word.name
        refused = re.findall(r"^.*: refused, .*$", became, re.MULTILINE)
        assert "```" in became or NOTHING_MADE.search(became), f"{word.name}: {refused}"


def test_examples_say_their_word() -> None:
    for word in words():
        text = example(word)[0 if word.profile == "job" else 1]
        spelled = re.search(rf"\b{re.escape(word.path[-1])}:", text)
        # operators share their fields, and one of them stands for all
        assert spelled or word.path[-1] in ("jobset",), word.name
    # `*` stands for the first operator, below which the words of all stand
    every = {f"cluster.operators.*.{name.split('.', 3)[3]}" for name in by_name() if name.count(".") > 2}
    assert [name for name in EXAMPLES if name not in by_name() and name not in every] == []


def test_examples_are_valid(root: Path) -> None:
    judges = {
        name: Draft7Validator(json.loads((root / f"schemas/{name}.schema.json").read_text("utf-8")))
        for name in ("job", "cluster")
    }
    for word in words():
        job, cluster = example(word)
        whole = yaml.safe_load(profile(data(job), "PyTorchJob", cluster=bool(cluster)))
        assert [error.message for error in judges["job"].iter_errors(whole)] == [], word.name
        if cluster:
            lab = yaml.safe_load(cluster_profile(data(cluster)))
            assert [error.message for error in judges["cluster"].iter_errors(lab)] == [], word.name


def test_words_show_what_becomes_of_them_with_each_gang_scheduler(pages: dict[str, str]) -> None:
    within, priority = pages["scheduling.within"], pages["scheduling.priority"]
    assert "kueue.x-k8s.io/podset-required-topology] = example.com/rack" in within
    assert "networkTopology.mode = hard" in within
    assert "metadata.labels[kueue.x-k8s.io/priority-class] = high" in priority
    assert "PodGroup train: spec.priorityClassName = high" in priority
    for name, cases in CASES.items():
        for case, job, _ in cases:
            became = pages[name].partition(f"**What it becomes {case}**\n")[2].partition("\n**")[0]
            # the example, and lines of a kind that takes it
            assert job in became and became.count("```yaml") < became.count("```") / 2, (name, case)


def test_a_base_stands_beside_the_profile_that_extends_it(pages: dict[str, str]) -> None:
    assert "in `base.yaml`:" in pages["extends"] and "kind: Base" in pages["extends"]


def test_a_list_ends_before_a_mapping_begins() -> None:
    takes = by_name()["cluster.scheduling.queues"].takes
    assert takes == "a list, each item text; or a mapping: a name → a cluster queue"


def test_a_page_is_what_the_compiler_says(pages: dict[str, str]) -> None:
    """One word anew, against the builder as people call it."""
    became = pages["lifecycle.deadline"]
    assert "activeDeadlineSeconds = 43200" in became
    outcome = Compiler().outcome({"lifecycle": {"deadline": "12h"}}, {}, "PyTorchJob")
    values = {path[-1]: value for (_, path), value in outcome.leaves.items()}
    assert values["activeDeadlineSeconds"] == 43200


def _unsaid(page: str) -> list[str]:
    return re.findall(
        r"^- (.*)$", page.partition("**If not said**")[2].partition("**What it becomes**")[0], re.MULTILINE
    )


def test_what_counts_if_a_word_is_not_said_is_its_own_default(pages: dict[str, str]) -> None:
    # what stands there for other reasons is nobody's default
    for name in ("prepare", "env", "env.prepend", "start.ssh.client", "roles.ps", "roles.chief", "elastic", "guard"):
        assert _unsaid(pages[name]) == [], name
    assert not any("…`, because" in line for page in pages.values() for line in _unsaid(page))
    assert _unsaid(pages["roles.pods"]) == [
        f"{kind}: `spec.{field}.PS.replicas = 1`, because `roles.ps`, one pod as it says no `pods`"
        for kind, field in (("MSJob", "msReplicaSpecs"), ("TFJob", "tfReplicaSpecs"))
    ]
    for name, said in (
        ("start.bind", "= none`"),
        ("mounts.type", "hostPath.type = Directory`"),
        ("elastic.min", "minReplicas = 2`, because `pods`"),
        ("procsPerPod", "spec.slotsPerWorker = 1`"),
    ):
        assert any(said in line for line in _unsaid(pages[name])), name


def test_words_that_need_the_cluster_say_which_of_its_words(pages: dict[str, str]) -> None:
    assert "`cluster.storage.hostPath`" in pages["mounts.storage"].partition("**Needs of the cluster**")[2]
    assert "**Needs of the cluster**" not in pages["mounts.pvc"]
    assert "training-operator 1.9" in pages["scheduling.managedBy"].partition("**Since**")[2]


def test_codes_are_those_whose_pages_speak_of_the_word() -> None:
    found = spoken(codes().values())
    assert "SG720" in [code.id for code in found["lifecycle.ttl"]]
    assert "SG201" in [code.id for code in found["target"]]
    assert all(name in by_name() for name in found)


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("mounts", "mounts"),
        ("scheduling.gang", "scheduling.gang"),
        ("cluster.fabric.rdma", "cluster.pools.fabric.rdma"),
        ("pools.h100.fabric.rdma", "cluster.pools.fabric.rdma"),
        ("mounts./data.readOnly", "mounts.readOnly"),
        ("roles.worker.env", "env"),
        ("defaults.resources.gpu", "resources.gpu"),
        ("variants.large.pods", "pods"),
        ("sidecars.image", "init.image"),
        ("sidecars.log.image", "init.image"),
        ("model.path", "dataset.path"),
        ("cluster.operators.trainer.version", "cluster.operators.jobset.version"),
        ("cleanpods", "lifecycle.cleanPods"),
        ("hugepages", "resources.hugepages"),
    ],
)
def test_names_lead_to_words(name: str, word: str) -> None:
    assert [one.name for one in find(name)] == [word]


def test_every_name_of_elsewhere_leads_to_a_word() -> None:
    for name in (*PROFILE.aliases, *PROFILE.patched):
        found = find(name) or elsewhere(name)[0]
        assert found, name
    assert elsewhere("nodeSelector")[0][0].name == "scheduling.nodeLabels"
    assert elsewhere("replicas")[0][0].name == "pods"
    assert elsewhere("affinity") == (find("patch.pod"), "write `patch: {pod: {spec: {affinity: …}}}`")


def test_a_word_wins_over_a_file_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mounts").write_text("apiVersion: specgen/v1\nkind: Job\nmetadata: {name: a}\nimage: b:1\n")
    assert main(["explain", "mounts"]) == 0
    assert capsys.readouterr().out.startswith("mounts (a word of")
    for words_of_a_file in (["./mounts"], ["mounts", "spec"]):
        assert main(["explain", *words_of_a_file]) == 1
        assert "`target`" in capsys.readouterr().err


def test_the_default_is_told_with_its_reason() -> None:
    text = str(page(by_name()["lifecycle.cleanPods"], Compiler(), {}).sections)
    assert "`Running`, the language's own default." in text
    assert "because pods that outlive the job would keep their GPUs" in text


class Reader(HTMLParser):
    """What a page holds: its articles, and all that would be fetched."""

    def __init__(self) -> None:
        super().__init__()
        self.articles: list[str] = []
        self.fetched: list[str] = []
        self.open: list[str] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = dict(attrs)
        if tag == "article":
            self.articles.append(said["data-name"] or "")
        self.fetched += [value or "" for key, value in attrs if key in ("src", "href") and (value or "")[:1] != "#"]
        if tag not in ("meta", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def test_what_a_list_has_besides_is_in_the_place_of_nothing() -> None:
    for one in Compiler().becomings(by_name()["env"]):
        assert one.unsaid == []
        assert not any("train.py" in line or "MS_" in line for line in one.lines), one.kinds


def test_the_html_is_one_file_that_fetches_nothing() -> None:
    chosen = [page(by_name()[name], Compiler(), {}) for name in ("pods", "command")]
    text = html("One `code`.\n\nTwo & <three>.", [("Words", chosen), ("NCCL", [nccl_page("NCCL_IB_HCA")])])
    reader = Reader()
    reader.feed(text)
    assert reader.articles == ["pods", "command", "NCCL_IB_HCA"]
    assert reader.fetched == [] and "url(" not in text and "@import" not in text
    assert reader.open == ["html"] or reader.open == []
    assert "Two & <three>." in reader.words
    assert "prefers-color-scheme:dark" in text and 'for="search"' in text


def test_text_of_pages_is_no_markup() -> None:
    odd = Page('<b>"x"', "about", "a < b & `c>d`")
    odd.add("Takes", ["`<script>`"])
    text = html("", [("Odd", [odd])])
    assert "<b>" not in text and "<code>&lt;script&gt;</code>" in text


# Names of the field that are no words, by the first word that is shown, or the page.
NAMES = """
resources.claims: ResourceClaimTemplate ResourceClaim DRA gpu.nvidia.com resourceClaimTemplateName ResourceSlice
scheduling.priority: WorkloadPriorityClass kueue.x-k8s.io/priority-class preempt nice
cluster.scheduling.flavors: flavor flavour ResourceFlavors
cluster.scheduling.queues: ClusterQueues nominalQuota fair-share scheduling.volcano.sh/queue-name
cluster.scheduling.queues.checks: AdmissionCheck ProvisioningRequest
scheduling.managedBy: MultiKueue kueue.x-k8s.io/multikueue
scheduling.gang: gang-scheduling PodGroups all-or-nothing minResources volcano.sh/task-spec
scheduling.scheduler: kai-scheduler KAI
scheduling.within: HyperNode TAS kueue.x-k8s.io/podset-required-topology topology.kubernetes.io/zone
scheduling.within: cloud.google.com/gce-topology-block-x kueue.x-k8s.io/podset-group-name --switches
cluster.pools.fabric.networks: multus k8s.v1.cni.cncf.io/networks NetworkAttachmentDefinition macvlan SR-IOV
cluster.pools.fabric.net: aws-ofi-nccl libfabric TCPXO nccl-fastsocket SHARP nccl-rdma-sharp
cluster.pools.fabric.rdma: GPUDirect gpudirect-rdma verbs
communication.library: hccl RCCL rank_table gloo
communication.nvlink: GB200 IMEX ComputeDomain MNNVL
start: NODE_RANK GROUP_RANK trainer.num_nodes
start: msrun lightning composer torchelastic --standalone --rdzv-id --machinefile rdzv_conf
start.bind: --cpu-bind --oversubscribe
pods: nnodes --num-machines completions
lifecycle.deadline: walltime max-run-time
lifecycle.suspend: hold suspended
lifecycle.success: completionMode
lifecycle.backoffLimit: maxFailures
guard: hang straggler watchdog heartbeat
scheduling.pool: nodepool node-group karpenter karpenter.sh/capacity-type capacityType
scheduling.nodeLabels: cloud.google.com/gke-nodepool eks.amazonaws.com/nodegroup nvidia.com/gpu.product
scheduling.nodeLabels: node.kubernetes.io/instance-type cloud.google.com/gke-accelerator example.com/team
scheduling.hosts: kubernetes.io/hostname --nodelist
lifecycle.deadline: resources.time timelimit
cluster.pools.fabric.rdma: ibverbs libibverbs
scheduling.tolerations: NoSchedule NoExecute spot
resources.other: amd.com/gpu nvidia.com/mig-3g.40gb aws.amazon.com/neuron habana.ai/gaudi google.com/tpu
resources.hca: rdma/hca_shared_devices_a nvidia.com/hostdev openshift.io/mlnxnics efa mellanox.com/cx7
resources.gpu: nvidia.com/gpu.shared --gres
resources.npu: huawei.com/Ascend910B
pod.runtimeClassName: gpu-operator
cluster.podSecurity: PSA rootless PodSecurityPolicy seccompProfile
cluster.mesh: istio sidecar.istio.io/inject
cluster.namespaces.quota: ResourceQuota
resources.cpu: numactl NUMA cpuset
mounts.create.class: StorageClass storageClassName
mounts.create: PV RWX volumeClaimTemplates accessModes
env: mlflow neptune nccl-tests
env.field: fieldRef downwardAPI
objects: NetworkPolicy ConfigMaps
mounts: checkpoint data volumeMount
env.secret: wandb hf-token
annotations: cluster-autoscaler.kubernetes.io/safe-to-evict
extends: hydra overlay overrides
sidecars: sidecar
image: docker
"""
PAGES_AROUND = """
pre-commit: pre-commit githooks
ci: ci github github-actions GitLab pipeline
flux: flux FluxCD .sourceignore sourceignore GitRepository spec.ignore
argocd: argocd Argo-CD Application ApplicationSet
kustomize: kustomize Kustomization kustomization.yaml
import: import convert manifest
helm: helm chart
kubectl: kubectl kubeconfig submit
clouds: GKE EKS openshift
other kinds: RayJob Deployment
interactive: interactive debug notebook Jupyter shell ssh
running job: status logs watch exec kill stop monitor scancel kubectl-logs
pod states: pending evicted ContainerCreating
metrics: metrics tensorboard Prometheus
object store: s3 bucket MinIO gcs
job profile: job yaml profile
podFailurePolicy: podFailurePolicy onExitCodes backoffLimitPerIndex
"""
# What beginners type, of one word or several, and what must stand in the answer.
LOOKED_UP = """
pip install: prepare: Shell text
requirements.txt: prepare: Shell text
venv: image: Image of the training container
array job: matrix: Axes of variants
SLURM_ARRAY_TASK_ID: `matrix: {task: {t0:
completion-index: `JOB_COMPLETION_INDEX`
environment variable: env (a word
private registry: pull.secrets: Secrets
mount data: mounts: Path in the container
dataset cache: mounts.pvc: A Persistent
download dataset: dataset: {path
port: ports: Ports of the training container
secrets: env.secret: Name of a Secret
stop: cluster.scheduling.queues.stop: The queue
stop: kubectl delete -f -
ssh: start.ssh: sshd
node: scheduling.hosts: Run on these nodes only.
ckpt: mounts: {/data
wandb: `env: {WANDB_API_KEY: {secret: NAME, key: KEY}}`
HF_TOKEN: `kubectl create secret generic NAME
huggingface: dataset.uri: Where
OOM: OOMKilled (a line of a log)
OOM: CUDA out of memory (a line of a log)
NCCL timeout: `guard`: Run the program
Init:0/1: `kubectl logs POD -c NAME`
0/8 nodes are available: `specgen fit job.yaml`
Timed out initializing process group: Look for the pod that is Pending
cron: `metadata: {generateName: train-}`
checkpoint dir: mounts: Path in the container
rank: RANK (a variable
lint: `specgen lint --help`
validate: `specgen lint --help`
dry run: `specgen apply --dry-run=server FILE`
label: labels: Labels of the pods
template: vars: Texts
container: image: Image
default: extends: Profiles that this one builds on
slow: `specgen preflight job.yaml`
no matches for kind: `specgen operators
field is immutable: `metadata.suffix: hash`
permission denied: security.user
quota exceeded: cluster.namespaces.quota
"""


@pytest.mark.parametrize(
    ("name", "says"),
    [("lightning", "write `start: torchrun`"), ("NODE_RANK", "`prepare: export NODE_RANK=$RANK`")],
)
def test_a_name_is_led_to_the_one_choice_that_is_right(name: str, says: str) -> None:
    words, said = elsewhere(name)
    assert [word.name for word in words] == ["start"] and says in said


@pytest.mark.parametrize("line", NAMES.split("\n")[1:-1])
def test_names_of_the_field_lead_to_a_word(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    first, _, names = line.partition(": ")
    for name in names.split():
        assert is_name(name), name
        found = find(name) or elsewhere(name)[0]
        assert main(["explain", name.lstrip("-")]) == 0
        shown = capsys.readouterr().out
        assert first in [word.name for word in found], (name, [word.name for word in found])
        assert f"{first}: " in shown or f"{first} (" in shown, name


@pytest.mark.parametrize("line", PAGES_AROUND.split("\n")[1:-1])
def test_what_stands_around_profiles_has_a_page(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    page, _, names = line.partition(": ")
    for name in names.split():
        assert is_name(name)
        assert main(["explain", name]) == 0
        assert capsys.readouterr().out.startswith(f"{page} (")


@pytest.mark.parametrize("line", LOOKED_UP.split("\n")[1:-1])
def test_what_beginners_look_up_is_answered(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    name, _, says = line.partition(": ")
    assert main(["explain", name]) == 0
    assert says in capsys.readouterr().out


def test_another_number_of_a_name_is_read_as_the_known_one(capsys: pytest.CaptureFixture[str]) -> None:
    for typed, known in (("epoch", "epochs"), ("registries", ""), ("quantizations", "quantization")):
        assert main(["explain", typed]) == (0 if known else 2)
        assert f"`{typed}` is read as `{known}`" in (told := capsys.readouterr().err) or not known, told


def test_lines_on_pages_around_profiles_are_taken() -> None:
    top = {"apiVersion": "specgen/v1", "kind": "Job", "metadata": {"name": "a"}, "cluster": "cluster.yaml"}
    top |= {"target": "PyTorchJob", "image": "b:1", "command": ["python", "train.py"]}
    cluster = 'apiVersion: specgen/v1\nkind: Cluster\nmetadata: {name: lab}\nkubernetes: "1.31"\n'
    said = 0
    for page_of in (job_profile, metrics, object_store, running_job):
        blocks = [block for _, blocks in page_of().sections for block in blocks if isinstance(block, Code)]
        for block in blocks:
            text = yaml.safe_dump({**top, **yaml.safe_load(block.text)}, sort_keys=False)
            (result,) = compile_texts([Text(Source("job.yaml", text))], Library(Files(cluster)))
            errors = [one["message"] for one in result.diagnostics if one["severity"] == "error"]
            assert not errors, (block.text, errors)
            said += 1
    assert said > 5


def test_commands_on_pages_around_profiles_are_there() -> None:
    said = 0
    for one in pages_around():
        for line in re.findall(r"`specgen ([^`]+)`", text_of(one)):
            if line.startswith("@"):
                continue  # a requirement of pip
            verb, *rest = line.partition(" -- ")[0].split()
            assert verb in VERBS, line
            usage = import_module(f"specgen.cli.{verb}")
            parser = ArgumentParser()
            usage.add(parser)
            options = [word.partition("=")[0] for word in rest if word.startswith("--")]
            assert all(option in parser._option_string_actions for option in options if option != "--help"), line
            said += 1
    assert said > 30


def test_no_word_is_hidden_by_a_page_and_no_file_by_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not [name for name in NAMED if name in by_name() or topic(name)]
    monkeypatch.chdir(tmp_path)
    assert is_name("example.com/team")
    (tmp_path / "example.com").mkdir()
    (tmp_path / "example.com/team").write_text("")
    assert not is_name("example.com/team")


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("\uff47\uff50\uff55", "resources.gpu: "),
        ("\u201emounts\u201c", "mounts (a word"),
        ("mounts\uff1a", "mounts (a word"),
        ("\u300cpods\u300d", "pods (a word"),
        ("`env`", "env (a word"),
        ("master_addr", "MASTER_ADDR (a variable"),
        ("nccl_debug", "NCCL_DEBUG (a variable"),
    ],
)
def test_a_name_is_read_as_it_was_typed(typed: str, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", typed]) == 0
    told = capsys.readouterr()
    assert shown in told.out and told.err.startswith(f"specgen: `{typed}` is read as `")


def test_a_question_leads_to_the_names_in_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "where do I put my data?"]) == 2
    assert "there is `data`" in capsys.readouterr().err


def test_the_hooks_that_are_shown_are_those_of_the_repository(root: Path) -> None:
    offered = [one["id"] for one in yaml.safe_load((root / ".pre-commit-hooks.yaml").read_text("utf-8"))]
    shown = yaml.safe_load(HOOKS)["repos"][0]["hooks"]
    assert sorted(one["id"] for one in shown) == sorted(offered)
    assert HOOKS in (root / "README.md").read_text("utf-8")


def test_what_people_want_leads_to_words(capsys: pytest.CaptureFixture[str]) -> None:
    for name, said in TOPICS.items():
        assert all(one in by_name() for one in said), name
        # what a patch writes is no topic: it would never be asked for
        assert name not in PROFILE.patched, name
        assert name not in PROFILE.aliases or set(said) - {PROFILE.aliases[name]}, name
        assert topic(name) == said
    # a word that only ends so stands behind them
    assert not [name for name in TOPICS if name in by_name()]
    assert topic("Shared-Memory") == ("resources.shm",)
    # options of Slurm and torchrun as they are typed, resources as Kubernetes has them
    assert elsewhere("--ntasks-per-node")[0] == elsewhere("ntasks_per_node")[0] != []
    assert elsewhere("--nproc_per_node")[0] == elsewhere("nproc_per_node")[0] != []
    assert is_name("nvidia.com/gpu") and is_name("/dev/shm") and not is_name("jobs/a.yaml") and not is_name("a/b")
    assert [word.name for word in elsewhere("image pull policy")[0]] == ["pull.policy"]
    assert [word.name for word in elsewhere("image_pull_policy")[0]] == ["pull.policy"]
    assert [word.name for word in elsewhere("ClusterTrainingRuntime")[0]][:1] == ["target.runtime"]
    assert is_name("kueue.x-k8s.io/queue-name") and is_name("hugepages-2Mi")
    # variables keep their pages
    assert not [name for name in (*nccl.VARIABLES, "WORLD_SIZE", "RANK", "MASTER_ADDR") if topic(name)]
    assert main(["explain", "learning rate"]) == 0
    assert "\n  matrix: Axes of variants" in capsys.readouterr().out
    assert [word.name for word in find("host network")] == ["pod.hostNetwork"]
    assert main(["explain", "AWS_SECRET_ACCESS_KEY"]) == main(["explain", "OMP_NUM_THREADS"]) == 0
    assert "\n  env.secret: " in (listed := capsys.readouterr().out) and "\n  env: Variables" in listed
    assert main(["explain", "NCCL_DEBGU"]) == 2
    assert "there is `NCCL_DEBUG`" in capsys.readouterr().err
    assert main(["explain", "lmits"]) == 2
    assert "there is `limits`" in capsys.readouterr().err


def test_a_name_that_several_words_say_has_a_line_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "kueue"]) == 0
    told = capsys.readouterr().out
    assert "  scheduling.queue: " in told and "```yaml\nscheduling: {gang: kueue, queue: training}\n```\n" in told


def test_what_no_word_says_is_told_where_it_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    for name, said in (
        (["dependency"], "who applies it says what comes after what"),
        (["mail-type"], "`kubectl wait` waits for a job's end"),
        (["intel", "mpi"], "start.implementation: The MPI in the image"),
        (["mpich"], "start.implementation: The MPI in the image"),
        (["sshd"], "start.ssh: sshd and ssh"),
    ):
        assert main(["explain", *name]) == 0
        assert said in capsys.readouterr().out
    assert main(["explain", "nowhere", "mpi"]) == 2
    assert "nowhere: there is no such file" in capsys.readouterr().err
