"""SG82x: an output tree that cannot become what was built, SG84x: a KRM function that cannot do what it is asked,
and SG72x, SG83x: words that a GitOps controller undoes."""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, WARNING, Code
from specgen.diagnostics.pages import page

_TREE = "`specgen build --help`; the list of what specgen wrote is `.specgen-owned` in the tree."
_HANDS_OFF = "Never; a tree that hides a mistake loses a job."

ONE_FOLDER = Code(
    "SG820",
    "one-folder",
    ERROR,
    since="0.1",
    page=page(
        "Two jobs that come to one folder of the output tree.",
        "A job's folder is named by its namespace and name alone, so that it never depends on other jobs. Two jobs of "
        "one name differ by their namespaces.",
        "The second one would overwrite the files of the first. PyTorchJobs, TFJobs and MPIJobs of one name give their "
        "pods the same names as well.",
        "- error: one job's files would overwrite the other's.",
        "# a.yaml is a PyTorchJob, b.yaml a TFJob\nmetadata: {name: mnist}",
        "# b.yaml\nmetadata: {name: mnist-tf}",
        "Rename one of them.",
        _HANDS_OFF,
        _TREE,
    ),
)

LOST_SOURCE = Code(
    "SG821",
    "lost-source",
    ERROR,
    since="0.1",
    page=page(
        "A job of the tree whose profile is gone.",
        "Every job that the tree lists and that this build covers still has its profile: the file is there, and it is "
        "a job profile. Of jobs that it does not cover, those whose profiles lay beside one that is built.",
        "A profile that was deleted by mistake, or that a slip made unreadable, would take its job out of the tree; a "
        "controller that prunes then deletes the job while it trains.",
        "- error: a controller that prunes would delete the job while it trains.\n"
        "- warning: the build is about other profiles, and leaves the job in the tree.",
        "# .specgen-owned lists `mnist` from profiles/mnist.yaml, which is not there",
        "# profiles/mnist.yaml\napiVersion: specgen/v1\nkind: Job",
        "Bring the profile back, or let `specgen build … --prune` take the job out of the tree.",
        _HANDS_OFF,
        _TREE,
    ),
)

TAKEN_FOLDER = Code(
    "SG822",
    "taken-folder",
    ERROR,
    since="0.1",
    page=page(
        "A job whose folder belongs to another profile.",
        "The folder that a job comes to was not built from another profile that is still there and is no part of this "
        "build.",
        "Two profiles come to one job: whichever is built last would win, and the tree would change with every build.",
        "- error: one profile's files would overwrite the other's.",
        "# profiles/a.yaml and drafts/a.yaml, built one after the other\nmetadata: {name: a}",
        "# drafts/a.yaml\nmetadata: {name: a-draft}",
        "Rename one of the two jobs, or remove the profile that is not meant.",
        _HANDS_OFF,
        _TREE,
    ),
)

FOREIGN_FILE = Code(
    "SG823",
    "foreign-file",
    ERROR,
    since="0.1",
    page=page(
        "A file in the way that specgen did not write, or that was edited since.",
        "Every file that a build would overwrite or remove is as specgen wrote it last. Names that differ by case "
        "alone are one file on Windows and macOS, and a folder has one kustomization.",
        "Somebody's work would be lost without a word.",
        "- error: somebody's work would be lost.",
        "# out/mnist/pytorchjob.yaml, by hand\nspec: {runPolicy: {backoffLimit: 9}}",
        "# profiles/mnist.yaml\nlifecycle: {backoffLimit: 9}",
        "Say in the profile what was edited (`patch` knows every field), or move the file away. `--force` overwrites "
        "it.",
        _HANDS_OFF,
        _TREE,
    ),
)

LEFT_JOB = Code(
    "SG824",
    "left-job",
    WARNING,
    since="0.1",
    page=page(
        "A job of the tree that its profile no longer comes to.",
        "Each job of the tree is one that its profile, which was built, still comes to.",
        "A job that was renamed, or that became variants, stays in the tree under its old name and is applied with the "
        "new ones.",
        "- warning: both jobs may be meant to run.",
        "# was: metadata: {name: resnet}, and the tree has the folder resnet\nmetadata: {name: resnet50}",
        "metadata: {name: resnet}",
        "`specgen build … --prune` takes the old job out of the tree.",
        "While both are meant to run.",
        _TREE,
    ),
)

REFUSED_UPDATE = Code(
    "SG825",
    "refused-update",
    WARNING,
    since="0.1",
    page=page(
        "A job of the tree that was changed in a field which nobody can change in the cluster.",
        "Where a build replaces a file of the tree, what changed in it is what its kind lets change in an object that "
        "is there. Hooks of Argo CD, and objects that a controller is told to replace by force, are made anew and "
        "passed over.",
        "The API server or a webhook refuses the update. A Kustomization of Flux applies none of its objects then, and "
        "an Application of Argo CD fails to sync: the other jobs wait as well.",
        "- warning: whether the object is in a cluster is not known.",
        "# out/llm/trainjob.yaml was built, and applied, with train:1.4\nimage: registry.example.com/train:1.5",
        "metadata: {name: llm, suffix: hash}\nimage: registry.example.com/train:1.5",
        "With `metadata.suffix: hash` a changed job has another name, and the controller prunes the old one. Or delete "
        "the job before the tree is applied.",
        "Where the job was deleted already, or was never applied.",
        "CRDs and webhooks of the operators; `specgen diff` says the same of two files, with who refuses it.",
    ),
)

REPLACED_JOB = Code(
    "SG826",
    "replaced-job",
    WARNING,
    since="0.1",
    page=page(
        "A job of the tree that became an object of another kind.",
        "Where a build takes the file of a job out of its folder, or replaces it, the job there is of the same kind "
        "and API version as before.",
        "To a controller that prunes, the old job is gone: it deletes it with its pods, whatever they were doing, and "
        "creates the new one. One that does not prune runs both.",
        "- warning: whether the old job is in a cluster is not known.",
        "# out/resnet/pytorchjob.yaml was built, and applied\ntarget: TrainJob",
        "target: PyTorchJob",
        "Let the old job end, or delete it, before the tree is applied.",
        "Where the job has ended, or was never applied.",
        _TREE,
    ),
)

UNREACHED_UPDATE = Code(
    "SG827",
    "unreached-update",
    WARNING,
    since="0.1",
    page=page(
        "A job of the tree that was changed in what no pod that exists gets.",
        "Where a build replaces a file of the tree, what changed in it reaches the pods of a job that is there, and "
        "those that stay agree with those that are created. Hooks of Argo CD, and objects that a controller is told to "
        "replace by force, are made anew and passed over.",
        "The API server takes the update, the controller says that all is synced, and the job trains on with its old "
        "image or command. With another number of pods, those that run keep their `WORLD_SIZE`, and the new ones wait "
        "for ranks that never come.",
        "- warning: whether the job is in a cluster, and has not ended, is not known.",
        "# out/resnet/pytorchjob.yaml was built, and applied, with train:1.4\nimage: registry.example.com/train:1.5",
        "metadata: {name: resnet, suffix: hash}\nimage: registry.example.com/train:1.5",
        "With `metadata.suffix: hash` a changed job has another name, and the controller prunes the old one. Or delete "
        "the job before the tree is applied.",
        "Where the job was deleted already, was never applied, or is to have the change at its next start alone.",
        "What operators compare of pods that exist; `specgen diff` says the same of two files, change by change.",
    ),
)

TTL_IN_GITOPS = Code(
    "SG720",
    "ttl-in-gitops",
    WARNING,
    since="0.1",
    page=page(
        "A job in a GitOps tree that its operator deletes once it has ended.",
        "`lifecycle.ttl` is not said of a job in a tree, unless the job is a hook of Argo CD.",
        "The job is in Git and no longer in the cluster: Argo CD with self-heal and Flux, at its next interval, create "
        "it anew, and it trains again. Without self-heal it is shown as missing.",
        "- warning: whether a controller applies the tree by itself is not known.",
        "lifecycle: {ttl: 1h}",
        "lifecycle: {cleanPods: Running}",
        "Leave `ttl` out: the finished job holds no pods that run. Or make the job a hook of Argo CD, whose delete "
        "policy takes it away.",
        "Where nothing applies the tree by itself.",
        "Argo CD, issue 8586, and airbytehq/airbyte, issue 15202: jobs that were deleted and created again.",
    ),
)

SUSPEND_IN_GITOPS = Code(
    "SG721",
    "suspend-in-gitops",
    WARNING,
    since="0.1",
    page=page(
        "A job of Kueue in a GitOps tree that says `suspend`.",
        "`lifecycle.suspend` is not said of a job that Kueue admits, where a controller applies it again and again.",
        "Kueue's webhook suspends the job at its creation, and Kueue changes `suspend` from then on. A sync that "
        "applies `true` stops the running job, one that applies `false` lets a waiting one begin; Kueue undoes both at "
        "once, and the operator may have deleted or created pods in between.",
        "- warning: whether a controller applies the tree by itself is not known.",
        "scheduling: {gang: kueue, queue: train}\nlifecycle: {suspend: true}",
        "scheduling: {gang: kueue, queue: train}",
        "Leave `suspend` out.",
        "Where nothing applies the tree by itself, or differences of `suspend` are ignored there.",
        "Recordings of Kueue 0.19.2 with training-operator 1.9.4.",
    ),
)

BEHIND_ITS_HOOK = Code(
    "SG830",
    "behind-its-hook",
    WARNING,
    since="0.1",
    page=page(
        "A job that is a hook before the sync and needs what the sync creates.",
        "A job with the annotation `argocd.argoproj.io/hook: PreSync` brings no claim, volume, runtime or queue along. "
        "ConfigMaps, PodGroups and the like become hooks with it.",
        "Argo CD begins a sync once the hooks before it have ended. The job waits for the object, and the sync that "
        "would create it waits for the job.",
        "- warning: whether the object is there from before is not known.",
        "metadata: {name: check, annotations: {argocd.argoproj.io/hook: PreSync}}\nobjects: [claim.yaml]",
        'metadata: {name: check, annotations: {argocd.argoproj.io/hook: Sync, argocd.argoproj.io/sync-wave: "-1"}}\n'
        "objects: [claim.yaml]",
        "Make it a hook of the phase `Sync`, in a wave of its own where other jobs are to wait for it.",
        "Where something else creates the object.",
        "Argo CD, gitops-engine, pkg/sync/sync_tasks.go (phases come before waves and kinds) and sync_context.go.",
    ),
)

FILLED_IN_SCRIPT = Code(
    "SG833",
    "filled-in-script",
    WARNING,
    since="0.1",
    page=page(
        "A variable for Flux in an object whose script has variables of its own.",
        "No object of a tree holds `${NAME}` both where only a substitution makes sense of it, such as in the name of "
        "an image, and in a script or a file. Where it stands in scripts and files alone, the object is built with an "
        "annotation by which Flux substitutes nothing in it.",
        "With `postBuild` Flux takes the whole object for a template. What it has no value for becomes nothing, and "
        "`${host%%:*}` it works out itself: the script runs without its variables.",
        "- warning: whether the Kustomization says `postBuild` is not known.",
        "image: registry.example.com/train:${TAG}\ncommand: [bash, -c, 'python train.py --host ${HOSTNAME%%-*}']",
        "vars: {tag: v1}\nimage: registry.example.com/train:$<tag>\n"
        "command: [bash, -c, 'python train.py --host ${HOSTNAME%%-*}']",
        "Fill in the variable when the job is built, with a variable of the profile.",
        "Where something else than Flux fills it in.",
        "kustomize-controller 1.8, docs/spec/v1/kustomizations.md, post build variable substitution.",
    ),
)

NAME_WITHOUT_HASH = Code(
    "SG834",
    "name-without-hash",
    WARNING,
    since="0.1",
    page=page(
        "A pod called by the plain name of a job whose name ends in a hash.",
        "No command, variable or file of a job with `metadata.suffix: hash` names a pod of it with the plain name, and "
        "no object selects its pods by a label with it. `$<name>` is the plain name, for claims, folders and tables "
        "that stay the same from one state of the job to the next.",
        "The pods of `bert` with a hash are `bert-90af800d-master-0` and so on. A program that waits for "
        "`bert-master-0` finds no such host, or one of another job of that name.",
        "- warning: whether another job has the plain name, and is meant, is not known.",
        "metadata: {name: bert, suffix: hash}\ncommand: [train.py, --master, $<name>-master-0]",
        "metadata: {name: bert, suffix: hash}\ncommand: [train.py, --master, $(MASTER_ADDR)]",
        "Read the variable that the operator gives to each pod, or leave the suffix out.",
        "Where the pod of another job is meant.",
        "The profile's own language, `metadata.suffix`: `specgen schema job`.",
    ),
)

LOST_CHARACTER = Code(
    "SG034",
    "lost-character",
    ERROR,
    since="0.1",
    page=page(
        "A control character in a text of a tree that kustomize cannot hand on.",
        "No text of an object that is built into a tree holds DEL, a control character of U+0080 to U+009F, U+FFFE, or "
        "U+FFFF.",
        "The manifest itself is right, and `kubectl apply -f` takes it. kustomize reads it and writes it anew for "
        "whoever applies the tree: it makes a blank of U+0085, and refuses the whole tree for the others.",
        "- error: kustomize refuses the tree, or what runs is not what was built.",
        'env: {GREETING: "a\\x7Fb"}',
        'env: {GREETING: "ab"}',
        "Take the character out, or let the program make it of an escape of its own.",
        "Never.",
        "Recorded: kustomize 5.8.1, as part of kubectl 1.37.",
    ),
)

_FUNCTION = "`specgen krm --help`; the functions specification of kustomize."

FOREIGN_ITEM = Code(
    "SG840",
    "foreign-item",
    ERROR,
    since="0.1",
    page=page(
        "An item of a ResourceList that a KRM function would generate, and that somebody else wrote.",
        "No item is the same object as one that `specgen krm` generates, unless the same functionConfig generated it: "
        "such items bear its name in the annotation `specgen/generated-by`.",
        "Two objects of one name cannot be applied together, and what somebody wrote by hand is not thrown away.",
        "- error: kustomize refuses two objects of one name.",
        "# the job that the profile `mnist` comes to\nkind: PyTorchJob\nmetadata: {name: mnist}",
        "kind: PyTorchJob\nmetadata: {name: mnist, annotations: {specgen/generated-by: jobs}}",
        "Take the item out, or give the job another name.",
        "Never.",
        _FUNCTION,
    ),
)

WRONG_FUNCTION = Code(
    "SG841",
    "wrong-function-config",
    ERROR,
    since="0.1",
    page=page(
        "A functionConfig that does not say what `specgen krm` is to do.",
        "The functionConfig is a job profile, a `Build` or a `Lint` of `krm.specgen/v1`, or a ConfigMap with the words "
        "of either in its `data`; what it names is there, and may be read.",
        "A function that guesses generates nothing, or lets pass what it was to refuse.",
        "- error: nothing is generated, or nothing is checked.",
        "apiVersion: krm.specgen/v1\nkind: Build\nspec: {profile: mnist.yaml}",
        "apiVersion: krm.specgen/v1\nkind: Build\nspec: {profiles: [mnist.yaml]}",
        "Write the words that the finding names.",
        "Never.",
        _FUNCTION,
    ),
)

ALL = (
    *(LOST_CHARACTER, TTL_IN_GITOPS, SUSPEND_IN_GITOPS, ONE_FOLDER, LOST_SOURCE, TAKEN_FOLDER, FOREIGN_FILE, LEFT_JOB),
    *(FOREIGN_ITEM, WRONG_FUNCTION, BEHIND_ITS_HOOK, FILLED_IN_SCRIPT, NAME_WITHOUT_HASH, REFUSED_UPDATE),
    REPLACED_JOB,
    UNREACHED_UPDATE,
)
