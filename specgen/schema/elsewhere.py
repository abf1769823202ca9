"""Keys of other tools' files for which profiles have no field: what is said in their place, a sentence each.

Docker Compose, SkyPilot, Ray, Kubeflow Pipelines, Helm, and launchers of a shell. Names stand without dashes and
underscores, in small letters; ``{}`` is the value, where it is one word.
"""

from __future__ import annotations

import re

from specgen.schema.remedies import said
from specgen.schema.wording import folded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_WORD = re.compile(r"[\w./:@-]{1,80}")
_SENTENCES: dict[str, str] = {
    **dict.fromkeys(
        ("build", "dockerfile"), "leave it out: images are built elsewhere, `image` names one that the nodes can pull"
    ),
    "envfile": "`kubectl create secret generic NAME --from-env-file={}` makes a Secret of it, and `envFrom: "
    "[{{secret: NAME}}]` reads that; of one without tokens a ConfigMap does as well",
    "networkmode": "write `pod: {{hostNetwork: true}}` for the network of the node; else leave it out",
    "ulimits": "write `security: {{capabilities: [IPC_LOCK]}}` for memory that may be locked; other limits are "
    "the node's",
    "deploy": "write `resources: {{gpu: 8}}` with the number of one pod, and `pods` with the number of pods",
    "containername": "leave it out: `metadata: {{name: {}}}` names the job, and its operator the container",
    "healthcheck": "leave it out: a job ends with its program, and `guard: true` ends one that hangs",
    **dict.fromkeys(("links", "logging", "networks"), "leave it out: the pods of a job reach each other as it is"),
    **dict.fromkeys(
        ("global", "values", "fullnameoverride", "nameoverride"),
        "a profile has no values of a chart: `vars` holds texts for `$<NAME>`, `extends` what several jobs share",
    ),
    **dict.fromkeys(
        ("components", "dag", "pipeline", "stage"),
        "a profile is one job: who applies it says what comes after what, such as sync waves of Argo CD",
    ),
    **dict.fromkeys(
        ("mpirun", "sbatch", "slurm", "srun", "torchrun"),
        "write the words of a profile: `specgen init job -- {name} …` prints them for a line of a shell",
    ),
    "kubeflow": "write `training-operator: {{version: VERSION}}` with the version that runs, `trainer` of TrainJobs",
    **dict.fromkeys(
        ("pytorchoperator", "tfoperator", "trainingoperator"),
        "write `training-operator: {{version: VERSION}}` with the version that runs",
    ),
    **dict.fromkeys(("license", "licenses"), "leave it out: nobody counts licences here"),
    "norequeue": "write `lifecycle: {{restart: Never}}`",
    "reservation": "write `scheduling: {{queue: NAME}}` for a queue that holds the share, or `pool` for its nodes",
}
# Mappings of options of the program.
_OPTIONS = ("config", "hparams", "hyperparameters", "inputs", "parameters", "params")
# What Docker restarts after, as the pods of a job do.
_RESTARTS = {"always": "OnFailure", "unlessstopped": "OnFailure", "onfailure": "OnFailure", "no": "Never"}
_ACCELERATORS = re.compile(r"(\w[\w-]*?)(?::([0-9]{1,3}))?")


def elsewhere(key: str, value: Any) -> str | None:
    """The sentence for a key of another tool; None: it is none of those."""
    name = folded(key)
    if name in _SENTENCES:
        word = value if isinstance(value, str) and _WORD.fullmatch(value) else "NAME"
        return _SENTENCES[name].format(word, name=key)
    if name == "runtime" and value == "nvidia":
        return "write `pod: {runtimeClassName: nvidia}`, where the nodes do not have it by default"
    if name == "restart" and isinstance(value, (str, bool)):
        policy = _RESTARTS.get(folded(str(value)), "Never" if value is False else "OnFailure")
        return f"write `lifecycle: {{restart: {policy}}}`: a job ends, and its pods begin again after a failure alone"
    if name == "user" and isinstance(value, (str, int)) and not isinstance(value, bool):
        user, _, group = str(value).replace("root", "0").partition(":")
        ids = {word: int(one) for word, one in (("user", user), ("group", group)) if one.isdecimal() and len(one) < 10}
        return f"write `{said('security', ids)}`" if ids else None
    if name == "accelerators" and isinstance(value, str) and (found := _ACCELERATORS.fullmatch(value)) is not None:
        labels = said("nodeLabels", {"LABEL": found[1]})
        return f"write `gpu: {found[2] or 1}`; `scheduling: {{{labels}}}` with a label of the nodes asks for a model"
    if name not in _OPTIONS or not isinstance(value, dict) or not 0 < len(value) < 9:
        return None
    if not all(isinstance(one, (str, int, float)) for one in value.values()):
        return None
    line = said("args", [f"--{option}={one}" for option, one in value.items()])
    return f"write `{line}` for options of the program, or `vars` for texts of `$<NAME>`"
