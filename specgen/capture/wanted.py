"""Which kinds are asked for, of the API server and of kubectl."""

from __future__ import annotations

# Resources that every cluster has: (path of their group, plural).
EVERYWHERE = (
    ("api/v1", "nodes"),
    ("api/v1", "namespaces"),
    ("api/v1", "persistentvolumeclaims"),
    ("api/v1", "resourcequotas"),
    ("api/v1", "limitranges"),
    ("apis/apps/v1", "deployments"),
    ("apis/scheduling.k8s.io/v1", "priorityclasses"),
    ("apis/storage.k8s.io/v1", "storageclasses"),
)
# Those of which names alone matter.
DEFINITIONS = ("apis/apiextensions.k8s.io/v1", "customresourcedefinitions")
# Those that only clusters with their controllers have: (group, plural).
SOMEWHERE = (
    ("k8s.cni.cncf.io", "network-attachment-definitions"),
    ("kueue.x-k8s.io", "clusterqueues"),
    ("kueue.x-k8s.io", "cohorts"),
    ("kueue.x-k8s.io", "localqueues"),
    ("kueue.x-k8s.io", "resourceflavors"),
    ("kueue.x-k8s.io", "topologies"),
    ("kueue.x-k8s.io", "workloadpriorityclasses"),
    ("resource.k8s.io", "resourceclaimtemplates"),
    ("resource.k8s.io", "resourceslices"),
    ("scheduling.run.ai", "queues"),
    ("scheduling.volcano.sh", "queues"),
    ("topology.volcano.sh", "hypernodes"),
    ("trainer.kubeflow.org", "clustertrainingruntimes"),
    ("trainer.kubeflow.org", "trainingruntimes"),
)


def commands(file: str = "cluster.json") -> str:
    """The commands by which kubectl writes all of them into a file: it refuses all that it is asked for at once where
    the cluster lacks one of the kinds.
    """
    always = ",".join([plural for _, plural in (*EVERYWHERE, DEFINITIONS)])
    names = [f"{plural}.{group}" for group, plural in SOMEWHERE]
    listed = " \\\n      ".join(names)
    return (
        f"  kubectl get -A -o json {always} > {file}\n"
        f"  for kind in {listed}\n"
        f"  do kubectl get -A -o json $kind >> {file} 2>/dev/null; done\n"
    )
