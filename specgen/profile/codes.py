"""SG2xx of profiles: what layers, variables and references make impossible."""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, NOTE, WARNING, Code
from specgen.diagnostics.pages import page

_LANGUAGE = "The profile's own language: `specgen schema job`, `specgen schema cluster`."

WRONG_ENVELOPE = Code(
    "SG110",
    "wrong-envelope",
    ERROR,
    since="0.1",
    page=page(
        "A file that is not the kind of profile that is wanted here.",
        "`apiVersion` is `specgen/v1`, and `kind` is `Job`, `Base`, or `Cluster` as the place demands.",
        "A manifest given where a profile is meant would otherwise be reported field by field.",
        "- error: no job can be built of a file that is something else.",
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
    page=page(
        "A job that lacks something once all its layers are merged.",
        "After `extends`, variants, and `--set`, the job has a name, a target and an image, and a queue where Kueue "
        "lets it begin.",
        "No manifest can be written without them.",
        "- error: no manifest can be written without it.",
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
    page=page(
        "A file that a profile names and that cannot be used.",
        "Files named by `extends`, `cluster`, `files` and `objects` exist, are regular files under the root, and are "
        "profiles of the right kind; no profile extends itself. The root is the nearest folder above the profile with "
        "`.git` or `.specgen-root`, an empty file. Where there is neither, it is the profile's own folder for `files`, "
        "which become part of the output, and the one above for bases and cluster profiles, unless that is the home, "
        "the top of the file system, or a folder in which everyone may write. The files belong to the "
        "repository: they are not in `.git`, no `.gitignore` keeps them out unless git tracks them all the same, "
        "and they hold no keys, by their names (`.env`, `id_rsa`, `.netrc`, …) or, for `files`, by what is in them.",
        "The job cannot be built from half its layers. One that is built from what only this machine has is another "
        "job, or none, wherever else it is built; and what `files` carries is read by whoever may read ConfigMaps.",
        "- error: no job can be built of half its layers, and one of files that others lack is another job.",
        "extends: ../bases/torch.yaml   # the folder is called base",
        "extends: ../base/torch.yaml",
        "Paths count from the file they stand in. A cluster profile that is no part of the repository is named by "
        "`--cluster`; secrets reach pods from a Secret, as `env: {TOKEN: {secret: NAME, key: KEY}}` or "
        "`mounts: {/etc/keys: {secret: NAME}}`.",
        "Never.",
        _LANGUAGE,
    ),
)

UNKNOWN_NAME = Code(
    "SG203",
    "unknown-name",
    ERROR,
    since="0.1",
    page=page(
        "A name that the cluster profile does not know.",
        "Pools, storage, NCCL versions, topology words, queues, priorities and runtimes that a job names stand in its "
        "cluster profile.",
        "The name would reach the manifest as it is, or mean nothing at all.",
        "- error: what the name stands for is unknown, so nothing can be written for it.\n"
        "- warning: a runtime of Trainer, where no cluster profile lists any: the cluster may have it.",
        "mounts: {/data: {storage: imges}}",
        "mounts: {/data: {storage: images}}",
        "Use a name of the cluster profile, or add it there.",
        "Where the runtime is one that Trainer installs.",
        _LANGUAGE,
    ),
)

UNKNOWN_VARIABLE = Code(
    "SG204",
    "unknown-variable",
    ERROR,
    since="0.1",
    page=page(
        "A `$<name>` that nothing defines.",
        "Every `$<name>` in a string is one of `vars` or of the names that are always there: name, namespace, pods, "
        "procsPerPod, processes, gpu. `$$<` stands for the two signs themselves.",
        "The program would get the text `$<name>`.",
        "- error: the program would certainly get the text `$<name>`.",
        "vars: {data: /fsx}\ncommand: [train.py, $<dta>]",
        "vars: {data: /fsx}\ncommand: [train.py, $<data>]",
        "Define it under `vars`, or correct the name.",
        "Never.",
        _LANGUAGE,
    ),
)

CONTRADICTION = Code(
    "SG207",
    "contradicting-fields",
    ERROR,
    since="0.1",
    page=page(
        "Two fields of a profile that cannot both hold.",
        "A mount has one source, a file one text, a variable one value; a starter has a program; counts of GPUs and "
        "processes agree with what starts them. Of a cluster profile: a queue that borrows is in a cohort, and what "
        "only Kueue reads stands where Kueue lets jobs begin.",
        "Whichever specgen chose would be wrong for someone.",
        "- error: both cannot hold, and whichever were chosen is not what the other line says.\n"
        "- warning: the job can be built, and whether it works depends on its program or on the cluster.\n"
        "- note: of an elastic job, whose `restarts` bound less than they may be taken for.",
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
    page=page(
        "A word that the target kind cannot express.",
        "Roles, counts and policies that a profile uses exist in the kind it compiles to.",
        "Dropping the word would build another job than the one described.",
        "- error: the kind has no way to say it: the job would be another one.\n"
        "- warning: the job is built, and the word has no effect there, or less than it says.\n"
        "- note: what is left out changes nothing of how the job runs.",
        "target: PyTorchJob\nroles: {ps: {pods: 2}}",
        "target: TFJob\nroles: {ps: {pods: 2}}",
        "Choose a target that has it, or remove the word.",
        "Never.",
        "Each backend's docstring names the upstream files it was read from.",
    ),
)

PATCH_OVERRIDES = Code(
    "SG220",
    "patch-overrides-field",
    NOTE,
    since="0.1",
    page=page(
        "A patch that changes what a typed field said.",
        "`patch` adds what the profile has no word for; where it changes a value that a field of the profile or a "
        "default wrote, both places are named.",
        "The next reader believes the field.",
        "- note: the patch does what it says; the field it changes says something else.",
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
    page=page(
        "A base's role that beats the profile's own top level.",
        "Roles are laid over the job's words after all layers are merged, so a base's `roles.worker.image` beats the "
        "profile's `image`.",
        "The profile reads as if its image ran everywhere.",
        "- note: it is what the layers say; they read otherwise.",
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
    page=page(
        "Two jobs of one run, or two manifests of one file, that come to the same object.",
        "No two profiles or variants of a run make an object of the same kind, namespace and name, nor does a job that "
        "stays in the output tree bring one of them, and no file of manifests holds one twice. Files that repeat what "
        "another one holds are left alone: of base and overlay, or of two environments, one is applied. A claim that "
        "pods on several nodes may use, and of which variants of one profile say the same, is written once, with the "
        "first of them.",
        "The second one silently overwrites the first, in the output folder and in the cluster; kustomize refuses "
        "both, and `kubectl create` the second.",
        "- error: the second object overwrites the first, in the tree and in the cluster.\n"
        "- warning: of two manifests of one file that are the same, as nothing is lost.",
        "# a.yaml and b.yaml\nmetadata: {name: resnet}",
        "# b.yaml\nmetadata: {name: resnet-b}",
        "Rename one of them. Two manifests that say the same are a warning.",
        "Never.",
        "Kubernetes: names are unique within a kind and a namespace.",
    ),
)

NO_NAME_IN_TREE = Code(
    "SG250",
    "generated-name-in-tree",
    ERROR,
    since="0.1",
    page=page(
        "A job without a name of its own in a tree of files.",
        "A job with `metadata.generateName` is built to standard output, not with `--out`.",
        "`kubectl apply`, kustomize, Argo CD and Flux find an object by its name: they refuse one without, and could "
        "not tell whether it is there. Only `kubectl create` takes it, and makes another job each time.",
        "- error: no tool that applies a tree takes an object without a name.",
        "metadata: {generateName: sweep-}   # specgen build --out out/",
        "metadata: {generateName: sweep-}   # specgen build job.yaml | kubectl create -f -",
        "Name the job, or pipe it into `kubectl create`.",
        "Never.",
        "kubectl 1.36, pkg/cmd/apply (`cannot use generate name with apply`); kustomize 5.8, api/resource.",
    ),
)

UNKNOWN_VERSION = Code(
    "SG214",
    "unknown-operator-version",
    WARNING,
    since="0.1",
    page=page(
        "An operator whose version specgen was not held against.",
        "The version that the cluster profile gives for the operator of the target is of a release whose behaviour is "
        "known.",
        "Fields, defaults and what is injected differ between releases; the manifest is written for the newest known "
        "one.",
        "- error: what is to be installed is not known, and nothing stands in for it.\n"
        "- warning: the release may behave like the newest one that is known.",
        "operators: {training-operator: {version: 2.5.0}}",
        "operators: {training-operator: {version: 1.9.4}}",
        "Correct the version, or check the manifest against the cluster before relying on it.",
        "When the release is known to behave like the newest one that specgen knows.",
        "The docstring of the target's backend names the versions that it was read from.",
    ),
)

SAME_VARIANT = Code(
    "SG270",
    "same-variant",
    ERROR,
    since="0.1",
    page=page(
        "Two choices of a matrix that come to one name.",
        "A variant of `matrix` is named after its values, with dashes between them; no two choices have one name.",
        "One of the two jobs would be lost.",
        "- error: one of the two jobs would be lost.",
        "matrix:\n  data: {web: {}, web-small: {}}\n  size: {small-1: {pods: 1}, '1': {pods: 1}}",
        "matrix:\n  data: {web: {}, websmall: {}}\n  size: {small-1: {pods: 1}, '1': {pods: 1}}",
        "Rename a value so that its name has no dash.",
        "Never.",
        _LANGUAGE,
    ),
)

IDLE_VARIANT = Code(
    "SG271",
    "idle-variant",
    WARNING,
    since="0.1",
    page=page(
        "A variant, or a value of a matrix, that makes no difference.",
        "Every variant changes something of the job, which is built beside its variants unless `variantsOnly` is true; "
        "every value of a matrix is in a variant.",
        "The same job runs twice, on twice the GPUs, or a value that somebody wrote is never used.",
        "- warning: the job is built and runs; whether the same job is meant twice is not known.",
        "pods: 16\nvariants: {small: {pods: 2}, full: {}}",
        "pods: 16\nvariants: {small: {pods: 2}}",
        "Remove it, or say `variantsOnly: true` if the job itself is not meant to be built.",
        "When the same job is meant to run twice.",
        _LANGUAGE,
    ),
)

UNKNOWN_VARIANT = Code(
    "SG272",
    "unknown-variant",
    ERROR,
    since="0.1",
    page=page(
        "A null for a variant that is not there.",
        "`null` under `variants` leaves out a base's variant or a choice of the matrix, and under `matrix` a base's "
        "axis or a value of it; there must be one of that name.",
        "The job that should be left out is built, under the name that was mistyped here.",
        "- error: there is nothing to leave out: the profile means something else than it says.",
        "matrix: {team: {vision: {}, speech: {}}, size: {small: {}, full: {}}}\nvariants: {speech-ful: null}",
        "matrix: {team: {vision: {}, speech: {}}, size: {small: {}, full: {}}}\nvariants: {speech-full: null}",
        "Correct the name, or remove the entry. A variant that changes nothing is `{}`.",
        "Never.",
        _LANGUAGE,
    ),
)

UNVARIED_JOB = Code(
    "SG274",
    "unvaried-job",
    WARNING,
    since="0.1",
    page=page(
        "A job beside its variants that lacks what each of them says.",
        "Where every variant sets a variable, or says `args` or `command`, the job without a variant, which is built "
        "as well unless `variantsOnly` is true, has it too.",
        "One job more than was meant takes its GPUs and runs the text `$(NAME)`, or a default that nobody chose, and "
        "may write where a variant writes.",
        "- warning: the job is built and runs, with a variable that the profile does not set; what comes by `envFrom` "
        "is not known.\n"
        "- note: the job may be meant as it is, beside its variants.",
        "command: [eval.py, --ckpt, $(CKPT)]\nvariants: {first: {env: {CKPT: '1'}}, second: {env: {CKPT: '2'}}}",
        "command: [eval.py, --ckpt, $(CKPT)]\n"
        "variants: {first: {env: {CKPT: '1'}}, second: {env: {CKPT: '2'}}}\nvariantsOnly: true",
        "Say `variantsOnly: true`, or give the job itself what its variants have.",
        "When the job without a variant is meant as it is.",
        _LANGUAGE,
    ),
)

SHARED_OUTPUT = Code(
    "SG275",
    "shared-output",
    WARNING,
    since="0.1",
    page=page(
        "Jobs of one profile that write to the same folder.",
        "Of a profile with `variants` or a `matrix`, the paths that options and variables call an output "
        "(`--output_dir`, `--save`, `--ckpt`) in volumes that outlive the pods; where two jobs name the same place of "
        "the same volume, it is told. Folders of one pod alone are passed over.",
        "The jobs replace each other's checkpoints and results, or go on from those of another: of a sweep one result "
        "is left, and nobody knows whose.",
        "- warning: what a program makes below the folder is not seen here.",
        "command: [train.py, --out, /ckpt/sweep]\n"
        "mounts: {/ckpt: {pvc: ckpt}}\n"
        "matrix: {rate: {low: {args: [--lr=1e-4]}, high: {args: [--lr=1e-3]}}}\nvariantsOnly: true",
        "command: [train.py, --out, /ckpt/sweep/$<name>]\n"
        "mounts: {/ckpt: {pvc: ckpt}}\n"
        "matrix: {rate: {low: {args: [--lr=1e-4]}, high: {args: [--lr=1e-3]}}}\nvariantsOnly: true",
        "Give each job a folder of its own: `$<name>` is a job's name.",
        "Where the program makes such a folder itself, or the jobs are one training that goes on.",
        _LANGUAGE,
    ),
)

MOVING_TAG = Code(
    "SG273",
    "moving-tag",
    WARNING,
    since="0.1",
    page=page(
        "An operator whose manifests name an image that does not stay: its tag moves, or is removed.",
        "The images of the operators that a cluster profile lists have the tag of a release, or come from a mirror.",
        "`latest` is another program tomorrow, for a node that pulls it anew: pods of one Deployment may run two "
        "versions, and what was tested is not what runs. No released tag or digest of it is known here. What lies in a "
        "staging registry is removed after 90 days, and then no node that lacks it can start the operator.",
        "- warning: the manifests work today; what the tag names tomorrow is not known.",
        "operators: {ms-operator: {version: 1.0.0}}",
        "operators: {ms-operator: {version: 1.0.0, mirror: registry.example.com/mirror}}",
        "Copy the image into a mirror that does not follow the tag, and name it; of an image that was released "
        "elsewhere, name that registry under `images.mirrors`.",
        "When the nodes pull only what the platform team put there.",
        "mindspore-ai/ms-operator e361e2b, config/manager/kustomization.yaml; the chart of the pytorch-operator; "
        "kubernetes-sigs/jobset, issues 1113 and 1216, of the manifests that Trainer 2.1 and 2.2.0 bring along.",
    ),
)

# Found in profiles before there is a manifest, and by the rules in manifests (``does_not_fit``, ``refused_by_level``).
DOES_NOT_FIT = Code(
    "SG601",
    "does-not-fit",
    ERROR,
    since="0.1",
    page=page(
        "Pods that the nodes of the cluster profile cannot hold.",
        "GPUs, NPUs, HCAs, CPU, memory, disk, ports of the node and the number of pods against the nodes of the pools, "
        "their hosts and taints. What is counted is a lower bound: all pods of the job at once, on nodes that are "
        "empty. Pods that ask for a device are counted on all pools that have it, those that ask for none on all pools "
        "where one of these has no devices. Where sums do not decide (affinity, spread, pods of several sizes, pods a "
        "node, quotas and limits of the namespace), the rules of kube-scheduler and of the API server do, and their "
        "words are shown, as in `specgen fit`, which says the sums of each pool.",
        "The pods stay Pending for ever, or are never made; those that were placed hold their GPUs.",
        "- error: by the cluster profile no node, or not enough of them, take the pods, which stay Pending; or the "
        "API server refuses them by a quota or the limits of their namespace.\n"
        "- warning: the cluster or Kueue may give the pods the toleration that they lack; or pods of several sizes "
        "find no room by the order in which they are placed, which may be another where more runs.",
        "# a pool of two nodes with one GPU each\n"
        "replicas: 3\n"
        "template:\n"
        "  spec:\n"
        "    containers: [{name: pytorch, image: example/train:1, resources: {limits: {nvidia.com/gpu: 1}}}]",
        "replicas: 2\n"
        "template:\n"
        "  spec:\n"
        "    containers: [{name: pytorch, image: example/train:1, resources: {limits: {nvidia.com/gpu: 1}}}]",
        "Ask for less, or correct the cluster profile. Tolerations for taints are an unsafe fix: such nodes may be "
        "kept for others. A warning where pods may come to bear the taint by others: of a device that they ask for "
        "(ExtendedResourceToleration), of a flavor of Kueue.",
        "Where pods without devices run on nodes that no pool names; a pool without `nodes` is not counted.",
        "Kubernetes scheduler: NodeResourcesFit, NodeAffinity, TaintToleration, NodePorts.",
    ),
)

POD_SECURITY = Code(
    "SG325",
    "refused-by-pod-security",
    ERROR,
    since="0.1",
    page=page(
        "Pods that the Pod Security level of their namespace refuses.",
        "Host namespaces, host paths and ports, privileges, capabilities and security options of the pods against "
        "`podSecurity` of the cluster profile, that of their namespace first. With `restricted`, what that level "
        "demands is written into the jobs that are built.",
        "The job is admitted, and the API server refuses every pod of it; the reason stands only in the job's events.",
        "- error: the API server refuses the pods at the level that the cluster profile names.\n"
        "- warning: what the operator adds to the pods may be built from a template of the administrator's.",
        "# podSecurity: baseline\n"
        "volumes: [{name: data, hostPath: {path: /data}}]\n"
        "containers: [{name: pytorch, image: example/train:1, volumeMounts: [{name: data, mountPath: /data}]}]",
        "volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]\n"
        "containers: [{name: pytorch, image: example/train:1, volumeMounts: [{name: data, mountPath: /data}]}]",
        "Do without, or run in a namespace of another level. A warning where an operator adds the container, whose "
        "template its administrator may have changed.",
        "Never; a namespace whose level differs says so: `namespaces: {research: {podSecurity: privileged}}`.",
        "Kubernetes 1.36, staging/src/k8s.io/pod-security-admission/policy.",
    ),
)

ALL = (
    WRONG_ENVELOPE,
    MISSING,
    BROKEN_REFERENCE,
    UNKNOWN_NAME,
    UNKNOWN_VARIABLE,
    CONTRADICTION,
    NOT_FOR_TARGET,
    PATCH_OVERRIDES,
    BASE_ROLE_WINS,
    SAME_NAME,
    NO_NAME_IN_TREE,
    UNKNOWN_VERSION,
    SAME_VARIANT,
    IDLE_VARIANT,
    UNKNOWN_VARIANT,
    MOVING_TAG,
    UNVARIED_JOB,
    SHARED_OUTPUT,
)
