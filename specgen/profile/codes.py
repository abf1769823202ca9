"""SG2xx of profiles: what layers, variables and references make impossible."""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, NOTE, WARNING, Code


def _page(title: str, checks: str, hurts: str, bad: str, good: str, fix: str, ignore: str, references: str) -> str:
    return f"""{title}

## What it checks
{checks}

## Why it hurts
{hurts}

## Example
Bad:

```yaml
{bad}
```

Good:

```yaml
{good}
```

## Fix
{fix}

## When to ignore it
{ignore}

## References
{references}
"""


_LANGUAGE = "The profile's own language: `specgen schema job`, `specgen schema cluster`."

WRONG_ENVELOPE = Code(
    "SG110",
    "wrong-envelope",
    ERROR,
    since="0.1",
    page=_page(
        "A file that is not the kind of profile that is wanted here.",
        "`apiVersion` is `specgen/v1`, and `kind` is `Job`, `Base`, or `Cluster` as the place demands.",
        "A manifest given where a profile is meant would otherwise be reported field by field.",
        "apiVersion: kubeflow.org/v1\nkind: PyTorchJob",
        "apiVersion: specgen/v1\nkind: Job",
        "Write the envelope, or use `specgen lint` for a hand-written manifest.",
        "Never.",
        _LANGUAGE,
    ),
)

MISSING = Code(
    "SG201",
    "incomplete-job",
    ERROR,
    since="0.1",
    page=_page(
        "A job that lacks something once all its layers are merged.",
        "After `extends`, variants, and `--set`, the job has a target and an image, and a queue where Kueue lets it begin.",
        "No manifest can be written without them.",
        "apiVersion: specgen/v1\nkind: Job\nmetadata: {name: a}\nimage: registry.example.com/a:1",
        "apiVersion: specgen/v1\nkind: Job\nmetadata: {name: a}\ntarget: PyTorchJob\nimage: registry.example.com/a:1",
        "Write the field, or extend a base that has it.",
        "Never.",
        _LANGUAGE,
    ),
)

BROKEN_REFERENCE = Code(
    "SG202",
    "broken-reference",
    ERROR,
    since="0.1",
    page=_page(
        "A file that a profile names and that cannot be used.",
        "Files named by `extends`, `cluster`, `files` and `objects` exist, are regular files under the root (the nearest "
        "folder with `.git`), and are profiles of the right kind; no profile extends itself.",
        "The job cannot be built from half its layers.",
        "extends: ../bases/torch.yaml   # the folder is called base",
        "extends: ../base/torch.yaml",
        "Paths count from the file they stand in.",
        "Never.",
        _LANGUAGE,
    ),
)

UNKNOWN_NAME = Code(
    "SG203",
    "unknown-name",
    ERROR,
    since="0.1",
    page=_page(
        "A name that the cluster profile does not know.",
        "Pools, storage, NCCL versions, topology words, queues and priorities that a job names stand in its cluster profile.",
        "The name would reach the manifest as it is, or mean nothing at all.",
        "mounts: {/data: {storage: imges}}",
        "mounts: {/data: {storage: images}}",
        "Use a name of the cluster profile, or add it there.",
        "Never.",
        _LANGUAGE,
    ),
)

UNKNOWN_VARIABLE = Code(
    "SG204",
    "unknown-variable",
    ERROR,
    since="0.1",
    page=_page(
        "A `$<name>` that nothing defines.",
        "Every `$<name>` in a string is one of `vars` or of the names that are always there: name, namespace, pods, "
        "procsPerPod, processes, gpu. `$$<` stands for the two signs themselves.",
        "The program would get the text `$<name>`.",
        "vars: {data: /fsx}\ncommand: [train.py, $<dta>]",
        "vars: {data: /fsx}\ncommand: [train.py, $<data>]",
        "Define it under `vars`, or correct the name.",
        "Never.",
        _LANGUAGE,
    ),
)

UNUSED_VARIABLE = Code(
    "SG205",
    "unused-variable",
    ERROR,
    since="0.1",
    page=_page(
        "A variable that no string uses.",
        "Every name under `vars` is used by some string of the job.",
        "It is most often the other half of a misspelt `$<name>`.",
        "vars: {data: /fsx}\ncommand: [train.py]",
        "vars: {data: /fsx}\ncommand: [train.py, $<data>]",
        "Use it or remove it.",
        "Never; a base may define what its jobs do not use.",
        _LANGUAGE,
    ),
)

NOTHING_TO_REMOVE = Code(
    "SG206",
    "nothing-to-remove",
    ERROR,
    since="0.1",
    page=_page(
        "A null that removes nothing.",
        "A `null` takes away what a weaker layer, the fabric or a default says; there must be something to take away.",
        "`{UCX_TLS: self,sm}` without quotes is two entries to YAML, the second one null: a typing slip that would pass.",
        "env: {UCX_TLS: self,sm}",
        'env: {UCX_TLS: "self,sm"}',
        "Quote the text, or remove the entry.",
        "Never.",
        _LANGUAGE,
    ),
)

CONTRADICTION = Code(
    "SG207",
    "contradicting-fields",
    ERROR,
    since="0.1",
    page=_page(
        "Two fields of a profile that cannot both hold.",
        "A mount has one source, a file one text, a variable one value; a starter has a program; counts of GPUs and "
        "processes agree with what starts them.",
        "Whichever specgen chose would be wrong for someone.",
        "mounts: {/data: {pvc: a, hostPath: /b}}",
        "mounts: {/data: {pvc: a}}",
        "Remove one of the two.",
        "Never.",
        _LANGUAGE,
    ),
)

NOT_FOR_TARGET = Code(
    "SG208",
    "not-for-target",
    ERROR,
    since="0.1",
    page=_page(
        "A word that the target kind cannot express.",
        "Roles, counts and policies that a profile uses exist in the kind it compiles to.",
        "Dropping the word would build another job than the one described.",
        "target: PyTorchJob\nroles: {ps: {pods: 2}}",
        "target: TFJob\nroles: {ps: {pods: 2}}",
        "Choose a target that has it, or remove the word.",
        "Never.",
        "Each backend's docstring names the upstream files it was read from.",
    ),
)

NOT_BUILT_YET = Code(
    "SG209",
    "not-built-yet",
    ERROR,
    since="0.1",
    page=_page(
        "A word of the language that this version does not compile yet.",
        "The whole vocabulary is validated; what this version cannot write is refused instead of dropped.",
        "A job without one of its parts is not the job described.",
        "target: MPIJob",
        "target: PyTorchJob",
        "Remove the word, or write what it stands for under `patch`.",
        "Never.",
        _LANGUAGE,
    ),
)

NAME_TOO_LONG = Code(
    "SG211",
    "derived-name-too-long",
    ERROR,
    since="0.1",
    page=_page(
        "A job name that grows beyond 63 characters once the operator has added its suffixes.",
        "`<job>-<role>-<index>` of the last replica is a DNS label, as are the names of variants.",
        "The job is admitted, then no Service can be created for the pod, and the job never starts "
        "(recorded: 54 characters work, 55 do not).",
        "metadata: {name: a-name-of-sixty-characters-which-the-operator-makes-longer-x}",
        "metadata: {name: a-shorter-name}",
        "Shorten the name.",
        "Never.",
        "training-operator v1.9.4, pkg/controller.v1/common/util.go (GenGeneralName).",
    ),
)

OPERATOR_SETS_IT = Code(
    "SG212",
    "operator-sets-it",
    ERROR,
    since="0.1",
    page=_page(
        "A variable that the operator sets itself.",
        "`env` holds none of the names that the operator of the target appends to every container.",
        "The operator appends its own value, and of two equal names the last one wins: yours is without effect.",
        'env: {WORLD_SIZE: "16"}',
        "env: {}",
        "Remove it; a program that wants a count takes `$<pods>` or `$<processes>` among its arguments.",
        "Never.",
        "training-operator v1.9.4, pkg/controller.v1/pytorch/envvar.go.",
    ),
)

FILES_TOO_LARGE = Code(
    "SG215",
    "files-too-large",
    ERROR,
    since="0.1",
    page=_page(
        "Files of a job that no ConfigMap can hold.",
        "The files that a job carries come to one ConfigMap, whose values have 1,048,576 bytes at most.",
        "The API server refuses the ConfigMap, and the pods of the job wait for it. From 262,144 bytes on, `kubectl apply` "
        "needs `--server-side`, as the annotation that it writes otherwise is limited too.",
        "files: {/data/vocabulary.bin: {from: vocabulary.bin}}   # 30 MB",
        "mounts: {/data: {storage: datasets}}",
        "Put large files on a file system that the pods mount, or into the image.",
        "Never.",
        "kubernetes 1.36, pkg/apis/core/validation (ValidateConfigMap).",
    ),
)

PATCH_OVERRIDES = Code(
    "SG220",
    "patch-overrides-field",
    NOTE,
    since="0.1",
    page=_page(
        "A patch that changes what a typed field said.",
        "`patch` adds what the profile has no word for; where it changes a value that a field of the profile or a default "
        "wrote, both places are named.",
        "The next reader believes the field.",
        "image: a:1\npatch: {container: {image: a:2}}",
        "image: a:2",
        "Say it in the typed field.",
        "When a default of specgen has no word to change it.",
        _LANGUAGE,
    ),
)

BASE_ROLE_WINS = Code(
    "SG221",
    "base-role-wins",
    NOTE,
    since="0.1",
    page=_page(
        "A base's role that beats the profile's own top level.",
        "Roles are laid over the job's words after all layers are merged, so a base's `roles.worker.image` beats the "
        "profile's `image`.",
        "The profile reads as if its image ran everywhere.",
        "extends: base.yaml   # has roles: {worker: {image: a:1}}\nimage: a:2",
        "extends: base.yaml\nroles: {worker: {image: a:2}}",
        "Say it under the role.",
        "When the base is meant to win.",
        _LANGUAGE,
    ),
)

SAME_NAME = Code(
    "SG213",
    "same-name",
    ERROR,
    since="0.1",
    page=_page(
        "Two jobs of one run that come to the same object.",
        "No two profiles or variants of a run make an object of the same kind, namespace and name.",
        "The second one silently overwrites the first, in the output folder and in the cluster.",
        "# a.yaml and b.yaml\nmetadata: {name: resnet}",
        "# b.yaml\nmetadata: {name: resnet-b}",
        "Rename one of them.",
        "Never.",
        "Kubernetes: names are unique within a kind and a namespace.",
    ),
)

UNKNOWN_VERSION = Code(
    "SG214",
    "unknown-operator-version",
    WARNING,
    since="0.1",
    page=_page(
        "An operator whose version specgen was not held against.",
        "The version that the cluster profile gives for the operator of the target is of a release whose behaviour is known.",
        "Fields, defaults and what is injected differ between releases; the manifest is written for the newest known one.",
        "operators: {training-operator: {version: 2.5.0}}",
        "operators: {training-operator: {version: 1.9.4}}",
        "Correct the version, or check the manifest against the cluster before relying on it.",
        "When the release is known to behave like the newest one that specgen knows.",
        "The docstring of the target's backend names the versions that it was read from.",
    ),
)

NCCL_WITHOUT_GPU = Code(
    "SG310",
    "nccl-without-gpu",
    ERROR,
    since="0.1",
    page=_page(
        "NCCL is asked for, and no pod has a GPU.",
        "A job whose `communication.library` is `nccl` asks for GPUs, in whatever form.",
        "PyTorch refuses to create the NCCL process group on a machine without a GPU.",
        "communication: {library: nccl}\nresources: {cpu: 16}",
        "communication: {library: gloo}\nresources: {cpu: 16}",
        "Choose gloo, or ask for GPUs; specgen cannot know which was meant.",
        "Never.",
        "PyTorch 2.13, torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp.",
    ),
)

RDMA_NOT_USED = Code(
    "SG530",
    "rdma-not-used",
    WARNING,
    since="0.1",
    page=_page(
        "Several pods with GPUs on nodes with HCAs, and no HCA asked for.",
        "A job of several pods with GPUs on a pool whose fabric carries RDMA asks for `hca`, or says "
        "`communication: {rdma: false}`.",
        "NCCL then talks TCP without a word: often a tenth of the bandwidth.",
        "pods: 16\nresources: {gpu: 8}",
        "pods: 16\nresources: {gpu: 8, hca: auto}",
        "None is applied: devices bring rights.",
        "When the job hardly communicates; say `rdma: false`.",
        "NCCL user guide 2.30.7, environment variables (NCCL_NET).",
    ),
)

DOES_NOT_FIT = Code(
    "SG601",
    "does-not-fit",
    ERROR,
    since="0.1",
    page=_page(
        "Pods that the nodes of the cluster profile cannot hold.",
        "GPUs, HCAs, CPU, memory and the number of pods against the nodes of the pool.",
        "The pods stay Pending for ever, those that were placed hold their GPUs.",
        "pods: 20   # on a pool of 16 nodes with one GPU each\nresources: {gpu: 1}",
        "pods: 16\nresources: {gpu: 1}",
        "Ask for less, or correct the cluster profile.",
        "Never; a pool without `nodes` is not counted.",
        "Kubernetes scheduler, NodeResourcesFit.",
    ),
)

AMBIGUOUS_POOL = Code(
    "SG602",
    "ambiguous-pool",
    ERROR,
    since="0.1",
    page=_page(
        "Pods that several pools could take, or none.",
        "The devices that a job asks for exist in exactly one pool of the cluster profile, or `scheduling.pool` names one.",
        "Resource names, rights and interfaces follow from the pool.",
        "resources: {gpu: 8}   # two pools have GPUs",
        "resources: {gpu: 8}\nscheduling: {pool: h100}",
        "Name the pool.",
        "Never.",
        _LANGUAGE,
    ),
)

UNKNOWN_NCCL_VARIABLE = Code(
    "SG520",
    "unknown-nccl-variable",
    WARNING,
    since="0.1",
    page=_page(
        "A variable named like NCCL's that NCCL does not know.",
        "Names beginning with `NCCL_` against the variables that NCCL 2.30.7 documents, and those it is known to read besides.",
        "NCCL reads the variables it knows and says nothing about others.",
        "env: {NCCL_SOCKET_IF_NAME: eth0}",
        "env: {NCCL_SOCKET_IFNAME: eth0}",
        "Correct the name.",
        "For variables of a plugin, or of a newer NCCL.",
        "NVIDIA/nccl, docs/userguide/source/env.rst, 2.30.7.",
    ),
)

NCCL_TOO_OLD = Code(
    "SG521",
    "nccl-variable-too-new",
    WARNING,
    since="0.1",
    page=_page(
        "A variable that the NCCL named by the profile does not know yet, or no more.",
        "Variables of `env` against `communication.version`.",
        "NCCL ignores it.",
        "communication: {version: 2.4.8}\nenv: {NCCL_IB_ADDR_RANGE: 10.0.0.0/8}",
        "communication: {version: 2.27.3}\nenv: {NCCL_IB_ADDR_RANGE: 10.0.0.0/8}",
        "Remove the variable, or use the NCCL that has it.",
        "When the image brings another NCCL.",
        "NVIDIA/nccl, docs/userguide/source/env.rst, 2.30.7.",
    ),
)

ALL = (
    WRONG_ENVELOPE,
    MISSING,
    BROKEN_REFERENCE,
    UNKNOWN_NAME,
    UNKNOWN_VARIABLE,
    UNUSED_VARIABLE,
    NOTHING_TO_REMOVE,
    CONTRADICTION,
    NOT_FOR_TARGET,
    NOT_BUILT_YET,
    NAME_TOO_LONG,
    OPERATOR_SETS_IT,
    SAME_NAME,
    UNKNOWN_VERSION,
    FILES_TOO_LARGE,
    PATCH_OVERRIDES,
    BASE_ROLE_WINS,
    RDMA_NOT_USED,
    DOES_NOT_FIT,
    AMBIGUOUS_POOL,
    UNKNOWN_NCCL_VARIABLE,
    NCCL_TOO_OLD,
)
