"""Pages of what stands around profiles in a repository: hooks, workflows, what syncs it, and manifests that are there.

None of it is a word of a profile, and it is looked up by its name all the same.

What Flux applies of a folder without a kustomization.yaml is every file `*.yaml` and `*.yml` below it, each of which
must be an object of Kubernetes (fluxcd/pkg, kustomize/kustomize_generator.go, `scan`); what it ignores is `spec.ignore`
of the source, or `.sourceignore` files, in the form of `.gitignore` (fluxcd/source-controller,
docs/spec/v1/gitrepositories.md). Argo CD takes the files `*.yaml`, `*.yml` and `*.json` of a folder, of those below
with `directory.recurse`, but for `directory.exclude` (argoproj/argo-cd, docs/user-guide/directory.md).
"""

from __future__ import annotations

from specgen.operators.kubernetes.bearing import USUAL
from specgen.operators.lifecycle import BESIDE, HELD
from specgen.reference.becoming import Compiler, targets
from specgen.reference.page import Code, Page
from specgen.reference.running import job_profile, metrics, object_store, pod_states, running_job, slow_job
from specgen.schema.wording import folded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

HOOKS = """\
repos:
  - repo: https://github.com/example/specgen   # where your copy of this repository lives
    rev: v0.1.0
    hooks: [{id: specgen-fix}, {id: specgen-lint}, {id: specgen-build}]
"""
_IGNORED = """\
# in the GitRepository; or the lines alone in `.sourceignore` at the root
spec:
  ignore: |
    /*
    !/out
"""
_ALONE = """\
# .sourceignore: all but the profiles, where other manifests stand beside `out/`
/profiles/
/clusters/
"""
_EXCLUDED = """\
spec:
  source:
    path: .
    directory: {recurse: true, exclude: "{profiles/*,clusters/*}"}
"""
_KUSTOMIZED = """\
resources:
  - out/
"""


def _pre_commit() -> Page:
    found = Page("pre-commit", "hooks of a repository", "What pre-commit runs on the files of a commit.")
    found.add("In `.pre-commit-config.yaml`", Code(HOOKS, "yaml"), "Then `pre-commit install`, once in each clone.")
    found.add(
        "What they do",
        [
            "`specgen-fix`: mends what one edit puts right, proven before it is written",
            "`specgen-lint`: `specgen lint` of the manifests and profiles that change",
            "`specgen-build`: `specgen build --check --out out profiles`: the committed tree is what profiles come to",
        ],
    )
    found.add("See also", ["`specgen ci github` and `specgen ci gitlab`: the same checks of every change"])
    return found


def _ci() -> Page:
    found = Page("ci", "checks of every change", "A workflow of GitHub Actions or a pipeline of GitLab, printed.")
    found.add(
        "Commands",
        ["`specgen ci github > .github/workflows/specgen.yaml`", "`specgen ci gitlab > .gitlab-ci.yml`"],
    )
    found.add(
        "What to put in `SPECGEN`",
        "It is what pip installs, a line of a requirements file. The printed one is an example:",
        [
            "`specgen @ git+https://github.com/YOU/specgen@v0.1.0`: your copy of the repository, at a tag",
            "`./specgen`: a folder of this repository that holds it",
            "`specgen==0.1.0`: a package of an index of your own",
        ],
    )
    return found


def _flux() -> Page:
    found = Page("flux", "what syncs a repository", "Flux applies what `specgen build --out out/` wrote.")
    found.add(
        "Commands",
        [
            "`specgen gitops flux --tree out/ --repo URL`: a source and a Kustomization for each step, on `out/` alone",
            "`specgen gitops flux PyTorchJob`: when a job is well, for a Kustomization that is there",
        ],
    )
    found.add(
        "What must not be applied",
        "Profiles are no objects of Kubernetes. A Kustomization whose `path` is the root of the repository, or another "
        "folder above the profiles without a kustomization.yaml, takes every YAML file below it. With a profile among "
        'them it applies nothing: `no matches for kind "Job" in version "specgen/v1"`.',
        "Let `path` be `./out`, or have the source leave the profiles out:",
        Code(_IGNORED, "yaml"),
        Code(_ALONE),
        "`spec.ignore` and `.sourceignore` are of the source, not of the Kustomization. `out/` itself is not left out.",
    )
    return found


def _argo_cd() -> Page:
    found = Page("argocd", "what syncs a repository", "Argo CD applies what `specgen build --out out/` wrote.")
    found.add(
        "Commands",
        [
            "`specgen gitops argocd --tree out/ --repo URL`: an Application, on `out/` alone",
            "`specgen gitops argocd`: when a job is well, for the ConfigMap argocd-cm",
            "`specgen cmp --help`: a plugin with which Argo CD builds the profiles itself",
        ],
    )
    found.add(
        "What must not be applied",
        "Profiles are no objects of Kubernetes. An Application of a plain folder takes the YAML files in it, and with "
        "`recurse` those below: with a profile among them its sync fails, as the cluster knows no `specgen/v1`. Let "
        "`path` be `out`, or leave the profiles out:",
        Code(_EXCLUDED, "yaml"),
    )
    return found


def _kustomize() -> Page:
    found = Page("kustomize", "what puts a tree together", "`specgen build profiles/ --out out/` writes its folders.")
    found.add(
        "Commands",
        [
            "`kubectl apply -k out/JOB`: one job of the tree, `kubectl kustomize out/` prints all",
            "`specgen build profiles/ --out out/ --overlays`: once, adds what patches on these jobs need",
            "`specgen krm`: a function that builds profiles within kustomize",
            "`specgen lint DIR`: checks what a kustomization comes to",
        ],
    )
    found.add("No resource", "A kustomization names the tree, not the profiles:", Code(_KUSTOMIZED, "yaml"))
    return found


def _manifests() -> Page:
    found = Page(
        "import",
        "from manifests to profiles",
        "No profile is made of a manifest: it says what an operator reads, and not what was meant by it.",
    )
    found.add(
        "What there is instead",
        [
            "`specgen lint FILE` and `specgen fix FILE`: it stays a manifest, is checked and mended",
            "`specgen init --from FILE`: prints the line of `specgen init job` that begins a profile of such a job",
            "`specgen diff FILE profile.yaml`: what is still different",
        ],
    )
    return found


def _helm() -> Page:
    found = Page("helm", "charts", "Charts are checked once Helm has rendered them, and operators installed by Helm.")
    found.add(
        "Commands",
        [
            "`helm template CHART | specgen lint -`: checks what a chart comes to",
            "`specgen operators cluster.yaml`: what installs the operators of a cluster, with kustomize or Helm",
        ],
    )
    return found


def _kubectl() -> Page:
    found = Page("kubectl", "what applies and watches jobs", "specgen prints manifests; kubectl applies them.")
    found.add(
        "Commands",
        [
            "`specgen build job.yaml | kubectl apply -f -`: submits the job",
            "`specgen build job.yaml | kubectl delete -f -`: deletes it",
            "`specgen apply --dry-run=server job.yaml`: what the cluster would say, at the profile's lines",
            "`specgen diff --live profiles`: what the cluster holds against what is to be applied",
            "`specgen expand job.yaml`: the names of its pods, for `kubectl logs` and `kubectl exec`",
        ],
    )
    found.add(
        "Which cluster",
        "Verbs that ask a cluster take `--kubeconfig` and `--context`, by default kubectl's own. The namespace is "
        "`metadata.namespace` of the profile, or the one of kubectl.",
    )
    return found


def _clouds() -> Page:
    found = Page("clouds", "clusters of providers", "What a cluster offers stands in a cluster profile, not in jobs.")
    found.add(
        "Commands",
        [
            "`specgen cluster capture > cluster.yaml`: of the cluster that kubectl talks to",
            "`specgen init cluster --like p5-efa`: where there is none yet, with EFA as on EKS; `a3-tcpx` with TCPX as "
            "on GKE, `h100-infiniband`, `roce`, `mi300`, `ascend`, `cpu`",
        ],
    )
    found.add("In a job", "`cluster: cluster.yaml` names it, and `scheduling.pool` one of its pools.")
    return found


def _lost_node() -> Page:
    found = Page(
        "lost node", "what a cluster does with its pods", "A node that does not answer any more keeps its pods' names."
    )
    found.add(
        "What happens",
        [
            "the Node becomes `NotReady`, then it is tainted `node.kubernetes.io/unreachable`",
            f"its pods are marked for deletion {USUAL} s later, or as their tolerations say, and stay "
            "`Terminating`: nobody knows whether their containers still run",
            "they go once the kubelet answers, the Node object is deleted, or the node is tainted "
            "`node.kubernetes.io/out-of-service=nodeshutdown:NoExecute`",
            "processes that they talked to wait for the limit of their library, such as NCCL's or the store's",
        ],
    )
    compiler = Compiler()
    named: dict[str, list[str]] = {HELD: [], BESIDE: []}
    for name, target in targets().items():
        expansion = compiler.outcome({}, {}, target).expansion
        lost = expansion.lifecycle.lost if expansion is not None and expansion.lifecycle is not None else {}
        for what, names in named.items():
            roles = [role for role, fate in lost.items() if fate == what]
            if roles:
                names.append(f"`{name}`" + (f" ({', '.join(roles)})" if len(roles) < len(lost) else ""))
    found.add(
        "What operators make of it",
        [
            f"{', '.join(named[HELD])}: pods have the same names each time, so none comes while the lost one is there",
            f"{', '.join(named[BESIDE])}: the Job puts another pod beside it, and counts a failed one",
        ],
        "`specgen expand` says it of a job, with what follows other failures.",
    )
    found.add(
        "What helps",
        [
            "`kubectl delete node NAME`, or the taint, once the machine is known to be off: two pods of one rank must "
            "not write the same files",
            "`kubectl delete pod NAME --force --grace-period=0` of one pod, under the same condition",
            "`scheduling: {tolerations: {node.kubernetes.io/unreachable: {seconds: 30}}}` changes the time to the "
            "mark, and not what follows",
            "an eviction by the kubelet or a drain is none of this: the kubelet answers, and the pod fails or goes",
        ],
    )
    return found


def _slurm() -> Page:
    found = Page("slurm", "where many jobs come from", "A batch script or a line with `srun` becomes a profile.")
    found.add(
        "Commands",
        [
            "`specgen init job --out job.yaml -- sbatch train.sbatch`: with the arguments that sbatch would be given",
            "`specgen init job -- sbatch --nodes=8 train.sbatch`: options of the line are above those of the script",
            "`specgen init job -- srun -N 4 --ntasks-per-node=8 --gpus-per-node=8 python train.py`",
        ],
        "What has no word, or depends on what nobody sees here, stands in comments behind the profile, with its line.",
    )
    found.add(
        "What becomes of it",
        [
            "a node is a pod: `--nodes` is `pods`",
            "a task is a process: torchrun starts one on each GPU, mpirun those of MPI; `procsPerPod` without GPUs",
            "`--gpus-per-node` and `--gres=gpu:N` are `resources.gpu`, `--cpus-per-task` times tasks `resources.cpu`",
            "`--mem` is `resources.memory`, `--time` `lifecycle.deadline`, `--job-name` `metadata.name`",
            "an array (`--array`), a loop around `srun`, and calls of a function with it are a `matrix`",
            "the script is read, not run: variables, lists, sums, conditions; what it does not say stays as `$NAME`",
            "`--container-image` is `image`, `--container-mounts` are `mounts`",
            "`--partition` is a queue or a pool: `scheduling.queue`, `scheduling.pool`",
        ],
    )
    found.add(
        "What is other here",
        [
            "nothing of the login node travels: modules, environments and exported variables are the image's and `env`",
            "no file system is there by itself: `mounts` says which",
            "`SLURM_PROCID` and its like are set by nobody: `RANK`, `LOCAL_RANK` and `WORLD_SIZE` are",
            "tasks of an array run as jobs of their own, and one that fails ends none of the others",
        ],
    )
    return found


def _other_kinds() -> Page:
    found = Page(
        "other kinds", "what profiles do not compile to", "A profile compiles to jobs that train, and to no more."
    )
    found.add(
        "Kinds that there are",
        [f"`{name}`" for name in targets()],
    )
    found.add(
        "What becomes of others",
        "`specgen lint` leaves objects of kinds that it does not know alone, and says how many there were; with "
        "`--crds PATH` it checks their shape. `objects` of a profile may bring what stands beside its job.",
    )
    return found


_SLEEPS = """\
command: [sleep, infinity]
pods: 1
resources: {gpu: 1}
lifecycle: {restart: Never, deadline: 8h}
"""


def _interactive() -> Page:
    found = Page(
        "interactive",
        "shells, notebooks and debuggers",
        "A pod has no terminal: what waits for somebody to type ends at once, and is opened in a pod that sleeps.",
    )
    found.add(
        "What to write",
        "`specgen init job -- bash` prints such a profile. The deadline gives the GPUs back where somebody forgets it.",
        Code(_SLEEPS, "yaml"),
    )
    found.add(
        "In the pod",
        [
            "`kubectl exec -it POD -- bash`: a shell, in place of ssh; `python` and `ipython` as well",
            "`kubectl exec POD -- jupyter lab --allow-root`, and `kubectl port-forward POD 8888` beside it: a notebook",
            "`kubectl cp train.py POD:/workspace/`: a file of yours",
            "`kubectl delete -f manifest.yaml` once it is done",
        ],
    )
    found.add(
        "Of a job that fails",
        '`kubectl logs --previous POD` has the log of the run before. `command: [bash, -c, "python train.py || sleep '
        'infinity"]` keeps a pod whose program failed, so that somebody can look into it. `specgen run` runs the '
        "processes of a job on this machine.",
    )
    return found


_PARTS = """\
target: JobSet
command: [python, embed.py, --shard=$(RANK), --num-shards=$<pods>]
pods: 8
resources: {gpu: 1}
"""


def _parts() -> Page:
    found = Page(
        "shards",
        "pods that do not need each other",
        "Each pod takes its part of the data, and none waits for another: embeddings, evaluation, inference.",
    )
    found.add(
        "One job",
        "A JobSet ends with the last of its pods; `RANK` is the number of a pod there, from 0:",
        Code(_PARTS, "yaml"),
        "`specgen init job -- python embed.py --shard 0 --num-shards 8` prints such a profile.",
    )
    found.add(
        "What to know",
        [
            "a PyTorchJob ends with its Master, whatever the others still do: `specgen explain SG457`",
            "no gang is needed: `scheduling: {gang: false}` lets each part begin as soon as it has a place",
        ],
    )
    found.add(
        "Jobs of their own",
        "A `matrix` makes a job for each part, which waits, fails and is started again by itself: "
        "`specgen explain matrix`.",
    )
    return found


_DOCKER_RUN = """\
specgen init job -- docker run --gpus 2 --shm-size 16g -e NCCL_DEBUG=INFO -v /data:/data IMAGE python train.py
"""


def _compose() -> Page:
    found = Page(
        "compose", "services of Docker Compose", "No profile is made of its file: a job has the program of one service."
    )
    found.add("What to write", "The service as a line of `docker run`, which is read:", Code(_DOCKER_RUN))
    found.add(
        "What becomes of it",
        [
            "`image`, `command`, `environment`, `volumes` and `shm_size`: `image`, `command`, `env`, `mounts` and "
            "`resources.shm`",
            "`env_file`: `envFrom: [{secret: NAME}]`, of `kubectl create secret generic NAME --from-env-file=.env`",
            "`build`: an image that is built elsewhere, from a registry that the nodes reach",
            "services beside it: `sidecars` of each pod where they end with the program, else Deployments of their own",
        ],
    )
    return found


_OF_A_JOBSET = """\
lifecycle: {restartAll: 10}
patch:
  job:
    spec:
      replicatedJobs:
      - name: worker
        template:
          spec:
            podFailurePolicy:
              rules:
              - {action: FailJob, onExitCodes: {operator: In, values: [78]}}
"""
_OF_A_TRAINJOB = """\
patch:
  runtime:
    spec:
      template:
        spec:
          replicatedJobs:
          - name: node
            template:
              spec:
                podFailurePolicy:
                  rules:
                  - {action: FailJob, onExitCodes: {operator: In, values: [78]}}
"""
_OF_VOLCANO = """\
patch:
  job:
    spec:
      policies:
      - {exitCode: 78, action: AbortJob}
      - {event: PodFailed, action: RestartJob}
"""


def _exit_codes() -> Page:
    found = Page(
        "podFailurePolicy",
        "what becomes of a job by the exit code of its program",
        "It is a field of a Job of Kubernetes: of the kinds, those have it whose pods come of such Jobs.",
    )
    found.add(
        "JobSet",
        "The Job of a role has its name; what the patch does not name stays.",
        Code(_OF_A_JOBSET, "yaml"),
        "The Job fails, and `failurePolicy` of the JobSet still makes all pods anew; a rule there with "
        "`onJobFailureReasons: [PodFailurePolicy]` and `action: FailJobSet` ends the JobSet.",
    )
    found.add("TrainJob", "In a runtime of the job's own:", Code(_OF_A_TRAINJOB, "yaml"))
    found.add(
        "VolcanoJob", "Volcano has rules of its own, and this list replaces that of the job:", Code(_OF_VOLCANO, "yaml")
    )
    found.add(
        "Other kinds",
        "Their operators make pods without a Job. `lifecycle: {restart: ExitCode}` of a PyTorchJob or TFJob: codes "
        "from 1 to 127 fail the job, higher ones start the pod anew. An MPIJob has nothing of the kind.",
    )
    return found


_PAGES: dict[Callable[[], Page], str] = {
    _pre_commit: "precommit precommithook precommitconfig .precommitconfig.yaml githook githooks hooks",
    _ci: "ci cicd githubactions github gitlab gitlabci pipeline",
    _flux: "flux fluxcd sourceignore .sourceignore spec.ignore gitrepository ocirepository kustomizecontroller",
    _argo_cd: "argo argocd application applicationset hydrator",
    _kustomize: "kustomize kustomization kustomization.yaml",
    _manifests: "import convert manifest manifests frommanifest decompile reverse migrate migration",
    _kubectl: "kubectl kubeconfig context apply submit",
    _clouds: "clouds gke eks aks openshift coreweave sagemaker hyperpod azure",
    _other_kinds: "otherkinds ray rayjob raycluster rayservice sparkapplication argoworkflow workflow "
    "deployment statefulset cronjob kserve",
    _lost_node: "lostnode nodelost nodefailure nodefailed nodefail deadnode nodedown nodeloss "
    "terminating outofservice nodenotready unreachable",
    _interactive: "interactive debug debugger debugging ipython jupyter jupyterhub jupyterlab notebook notebooks "
    "portforward portforwarding pty repl terminal tty shell ssh vscode",
    _exit_codes: "podfailurepolicy onexitcodes backofflimitperindex",
    _helm: "helm chart charts helmchart",
    _parts: "shard shards sharding partition worksharing embarrassinglyparallel independent independentpods",
    _compose: "compose dockercompose composefile composeyaml composeyml podmancompose",
    _slurm: "slurm sbatch salloc batchscript",
    running_job: "runningjob abort attach cancel describe events exec get jobstatus kill kubectldelete kubectldescribe "
    "kubectlexec kubectlget kubectllogs listjobs log logs monitor monitoring ps rerun restartjob sacct scancel "
    "scontrol sinfo squeue status stop tail terminate top wait watch",
    pod_states: "podstates completed containercreating evict evicted eviction notready pending phase podinitializing "
    "podphase podstatus waiting",
    metrics: "metrics dashboard dcgm grafana metric prometheus tensorboard",
    object_store: "objectstore awss3 azureblob blob boto3 bucket buckets gcs gsutil minio objectstorage s3 s3fs",
    slow_job: "slowjob bandwidth bottleneck gpuutilization idle performance slow speed throughput utilization",
    job_profile: "job jobprofile baseprofile clusterprofile jobspec profile profiles yaml",
}
NAMED = {name: page for page, names in _PAGES.items() for name in names.split()}


def around(name: str) -> Page | None:
    """The page of what stands around profiles by that name; None: it is no such name."""
    found = NAMED.get(folded(name))
    return found() if found is not None else None


def pages() -> list[Page]:
    """All of them."""
    return [page() for page in _PAGES]
