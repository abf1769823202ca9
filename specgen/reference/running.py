"""Pages of a job that runs: its pods and logs, its metrics, what ends it, where its data come from; and of profiles.

specgen looks at no job that runs, and people look such words up here all the same: the pages say which command of
kubectl answers, and which word of a profile decides.
"""

from __future__ import annotations

from specgen.operators.training.facts import INIT
from specgen.reference.page import Code, Page

_SIDECAR = """\
mounts: {/logs: {pvc: logs}}
sidecars: {tensorboard: {command: [tensorboard, --logdir, /logs, --bind_all]}}
"""
_SCRAPED = """\
ports: {metrics: 9090}
annotations: {prometheus.io/scrape: "true", prometheus.io/port: "9090"}
"""
_TRACKED = """\
env:
  WANDB_API_KEY: {secret: wandb, key: api-key}
  MLFLOW_TRACKING_URI: http://mlflow.tools:5000
"""
_BY_CLIENT = """\
env:
  AWS_ACCESS_KEY_ID: {secret: store, key: id}
  AWS_SECRET_ACCESS_KEY: {secret: store, key: secret}
  AWS_ENDPOINT_URL: http://minio.storage:9000   # of a store that is not Amazon's
"""
_FETCHED = """\
mounts: {/scratch: {scratch: data}}
prepare: aws s3 sync s3://bucket/imagenet /scratch/imagenet
"""
_CLAIMED = """\
mounts: {/data: {pvc: datasets, readOnly: true}}
"""
PROFILE = """\
apiVersion: specgen/v1
kind: Job
metadata: {name: train}
target: PyTorchJob
image: registry.example.com/train:1
command: [python, train.py]
pods: 2
resources: {gpu: 8}
"""


def running_job() -> Page:
    """How a job is watched, ended, and run again."""
    found = Page(
        "running job", "how it is watched and ended", "specgen writes jobs and looks at none that runs: kubectl does."
    )
    found.add(
        "Watch it",
        [
            "`specgen expand job.yaml`: the names of its pods, and who decides that it succeeded or failed",
            "`kubectl get pytorchjob train`: the state of the job, `kubectl get pods -o wide` that of pods with their "
            "nodes; `specgen explain pod-states` says what each means",
            "`kubectl describe pod POD`: its events, and why it waits; `specgen explain` takes such a line, in quotes",
            "`kubectl logs -f POD`: what it prints; `--previous` of the run before, `-c NAME` of another container",
            "`kubectl exec -it POD -- nvidia-smi`: a command in it, `-- bash` a shell",
            "`kubectl wait --for=condition=Succeeded pytorchjob/train --timeout=24h`: waits for its end; conditions "
            "of other kinds have other names, which `kubectl get -o yaml` shows",
        ],
    )
    found.add(
        "What stays of its logs",
        "Logs go with their pods. `lifecycle.cleanPods` says which pods go at the end, `lifecycle.ttl` when the job "
        "goes with all of them. What is to stay is written to a path of `mounts`.",
    )
    found.add(
        "End it",
        [
            "`specgen build job.yaml | kubectl delete -f -`: deletes the job and its pods",
            "`lifecycle: {suspend: true}`, built and applied again: takes its pods, keeps the job, and begins it anew "
            "once it is `false`",
            "`lifecycle: {deadline: 12h}`: ends it by itself",
        ],
        "A job that Argo CD or Flux applies comes again: take its folder out of the tree.",
    )
    found.add(
        "Run it again",
        [
            "`specgen build job.yaml | kubectl replace --force -f -`: deletes it and creates it",
            "`metadata: {name: train, suffix: hash}`: a job that was changed is another one beside the first",
            "`lifecycle.restart` and `lifecycle.restarts`: pods that fail begin again by themselves; the program "
            "resumes from its own checkpoint on a path of `mounts`",
        ],
    )
    found.add(
        "From Slurm",
        [
            "`squeue`, `sacct`: `kubectl get`; where a queue holds the job, `kubectl get workloads` with Kueue",
            "`scancel`: `kubectl delete`; `scontrol hold`: `lifecycle.suspend`",
            "`sinfo`: `kubectl get nodes`; `specgen fit job.yaml` says whether and where a job will be placed",
        ],
    )
    return found


def pod_states() -> Page:
    """What the STATUS of a pod means, and what to look at next."""
    found = Page(
        "pod states", "what `kubectl get pods` prints", "What a pod waits for or ended with, and what says more."
    )
    found.add(
        "Before the program",
        [
            "no pod at all: the job is suspended or waits in a queue (`lifecycle.suspend`, `scheduling.queue`), was "
            "refused, or nobody runs its operator: `kubectl describe` of the job says it",
            "`Pending`: no node was chosen, or a claim has no volume: `kubectl describe pod POD` has the reason, "
            "`specgen fit job.yaml` the sum; see `FailedScheduling`",
            "`ContainerCreating`: the image is pulled, a volume is mounted; see `FailedMount` and `ImagePullBackOff`",
            f"`Init:0/1`, `PodInitializing`: a container of `init` runs, or one of the operator, such as `{INIT}`, in "
            "which the Workers of a PyTorchJob wait for the name of the Master: `kubectl logs POD -c NAME`",
            "`CreateContainerConfigError`: a Secret or ConfigMap of `env` is not there",
            "`ErrImagePull`, `ImagePullBackOff`: see `image` and `pull.secrets`",
        ],
    )
    found.add(
        "After it",
        [
            "`Completed`: its program ended with 0; `Error`: with another code, see `exit-codes`, and "
            "`kubectl logs --previous POD`",
            "`CrashLoopBackOff`: it ends again and again: the log of the run before says why",
            "`OOMKilled`: it used more than `resources.memory`, `/dev/shm` included",
            "`Evicted`: the kubelet ended it, mostly for the disk of the node: see `resources.disk`; a drain of the "
            "node and a preemption (`scheduling.priority`) delete the pod instead",
            "`Terminating` for long, `Unknown`: its node does not answer, see `lost-node`",
        ],
    )
    return found


def metrics() -> Page:
    """How curves and metrics are seen."""
    found = Page(
        "metrics", "curves of a run", "A profile has no word of its own for them: files, ports and variables say them."
    )
    found.add(
        "TensorBoard",
        "It reads what the program writes to a path of `mounts`. Beside the program, its image must hold it:",
        Code(_SIDECAR, "yaml"),
        "`kubectl port-forward POD 6006` opens it on this machine. As a sidecar it needs the `kubernetes` of the "
        "cluster profile; on a claim that several may read, it may as well run elsewhere.",
    )
    found.add(
        "Prometheus",
        "A port by its name, and what the Prometheus of the cluster looks for: these annotations where it is set up "
        "to read them, or a PodMonitor, which `objects` may bring.",
        Code(_SCRAPED, "yaml"),
    )
    found.add("Weights & Biases, MLflow, and others", "Their clients read variables:", Code(_TRACKED, "yaml"))
    found.add(
        "See also",
        [
            "`guard`: names ranks that hang or are slow to come",
            "`lifecycle.cleanPods`: which logs stay",
            "`running-job`: what kubectl shows",
        ],
    )
    return found


def slow_job() -> Page:
    """Where a job that is slower than it should be loses its time, by what is seen."""
    found = Page("slow job", "where its time goes", "Most jobs that are slow wait: for data, the net, or one node.")
    found.add(
        "GPUs wait for data",
        [
            "`kubectl exec POD -- nvidia-smi`: a utilisation that falls to 0 between steps",
            "`resources.cpu`: a loader needs a CPU of its own (`SG454`), and room in `resources.shm` (`SG450`)",
            "`mounts`: many small files of a shared file system; a copy in `scratch` is read from the node's disk",
        ],
    )
    found.add(
        "GPUs wait for the net",
        [
            "`env: {NCCL_DEBUG: INFO}`: with `NET/Socket` in the log NCCL talks TCP, see `NCCL_DEBUG` and `SG530`",
            "`resources.hca` and `cluster.pools.fabric`: adapters that the pods ask for, and what the net needs",
            "`scheduling.within`: all pods in one part of the network; `specgen fit job.yaml` shows where they will be",
        ],
    )
    found.add(
        "One node is slow",
        [
            "`specgen preflight job.yaml`: a twin of the job that tries the nodes, pair by pair",
            "`scheduling.avoidHosts`: leaves a node out",
            "`guard`: names the ranks that hang",
        ],
    )
    found.add("Before it is applied", ["`specgen lint` and `specgen build` warn of what makes a job slow"])
    return found


def object_store() -> Page:
    """How data in buckets come to a program."""
    found = Page(
        "object store",
        "buckets: S3, MinIO, GCS",
        "No path of a pod shows a bucket: the program reads it, something fetches it, or a claim holds its files.",
    )
    found.add(
        "The program reads it",
        "Its client takes credentials from a Secret of the namespace, made by `kubectl create secret generic store "
        "--from-literal=id=… --from-literal=secret=…`:",
        Code(_BY_CLIENT, "yaml"),
        "Clusters of providers may give rights to an account instead: `pod: {serviceAccountName: NAME}`.",
    )
    found.add(
        "It is fetched before",
        "In every pod, by a tool that the image holds:",
        Code(_FETCHED, "yaml"),
        "Once for all pods: `dataset.uri` and `model.uri` of a TrainJob, whose initialiser writes to a claim. In other "
        "kinds, by hand or by a job before: then `mounts` names the claim.",
    )
    found.add(
        "A claim holds its files", "Of a driver that shows buckets as folders, or a copy:", Code(_CLAIMED, "yaml")
    )
    found.add(
        "What is written",
        "Checkpoints are written to a claim, or uploaded by the program: a pod's own disk goes with it.",
    )
    return found


def job_profile() -> Page:
    """What a profile is, and what is done with it."""
    found = Page(
        "job profile", "a file that specgen reads", "A job in few words, in YAML; the smallest builds as it is:"
    )
    found.add("Such as", Code(PROFILE, "yaml"))
    found.add(
        "Commands",
        [
            "`specgen init > job.yaml`: a commented one to begin with",
            "`specgen init job -- torchrun --nproc_per_node=8 train.py`: one of a line that starts a job today",
            "`specgen explain`: its words; `specgen explain mounts`: all of one",
            "`specgen build job.yaml`: the manifest, as YAML, to be applied",
            "`specgen schema job > job.schema.json`: its schema, for editors",
        ],
    )
    found.add(
        "Others",
        [
            "a cluster profile (`kind: Cluster`) says what a cluster offers: `specgen init cluster`",
            "a base (`kind: Base`) holds words that several jobs share: see `extends`",
        ],
    )
    return found
