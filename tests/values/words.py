"""Every word of the job profile with odd values, from the models' own schema: a new word is among them as it is.

A *leaf* is a path of the schema: a value, or the key of a map. Around it stands a job that is fine but for it, with the
words that it goes with (``BESIDE``). What a plain value of each grammar is says ``PLAIN``: one that is missing there
fails, so a new grammar gets one.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterator
from typing import Any

from specgen.generate.profile_schemas import JOB, schemas
from specgen.schema import formats

Path = tuple[str | int, ...]

_SCHEMA = schemas()[JOB]
DEFINITIONS: dict[str, Any] = _SCHEMA["definitions"]
KEY = "<key>"
# What a map or list of the job is keyed by around a leaf.
SPOT = "spot"

TARGETS: dict[str, Any] = {
    "PyTorchJob": "PyTorchJob",
    "TFJob": "TFJob",
    "MPIJob v1": {"kind": "MPIJob", "version": "v1"},
    "MPIJob v2beta1": {"kind": "MPIJob", "version": "v2beta1"},
    "MSJob": "MSJob",
    "TrainJob": "TrainJob",
    "JobSet": "JobSet",
    "VolcanoJob": "VolcanoJob",
    "TrainJob over": {"kind": "TrainJob", "runtime": "torch-distributed"},
}

# Words that stand elsewhere as well, with the same values: the job's own are tried.
_SKIPPED = {
    "JobProfile": ("apiVersion", "kind", "cluster", "extends", "variants", "variantsOnly", "matrix", "ignore"),
    "Role": tuple(
        name for name in DEFINITIONS["Role"]["properties"] if name in DEFINITIONS["JobProfile"]["properties"]
    ),
    "Roles": tuple(name for name in DEFINITIONS["Roles"]["properties"] if name != "worker"),
}

# Grammar → a value that nobody refuses.
PLAIN = {
    "name": "a",
    "name-prefix": "a-",
    "dns-name": "a",
    "env-name": "A",
    "absolute-path": "/a",
    "duration": "1h",
    "memory": "1Gi",
    "milli": "500m",
    "version": "2.27.3",
    "label-key": "example.com/a",
    "label-value": "a",
    "code": "SG401",
    "date": "2027-01-31",
    "kubernetes": "1.34",
}
_OF_PATTERN = {pattern: name for name, pattern in formats.PATTERNS.items()}

# (definition, word) → its plain value, where its type alone gives none that makes sense.
SAID: dict[tuple[str, str], Any] = {
    ("JobProfile", "command"): ["train.py"],
    ("JobProfile", "prepare"): "true",
    ("JobProfile", "objects"): [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "cm"}, "data": {"a": "b"}}
    ],
    ("JobProfile", "procsPerPod"): 1,
    ("PodScheduling", "pool"): "gpu",
    ("PodScheduling", "within"): "rack",
    ("PodScheduling", "near"): "rack",
    ("Spread", "prefer"): "rack",
    ("Spread", "over"): "rack",
    ("JobScheduling", "pool"): "gpu",
    ("JobScheduling", "within"): "rack",
    ("JobScheduling", "near"): "rack",
    ("JobScheduling", "queue"): "default",
    ("JobScheduling", "priority"): "high",
    ("EnvSource", "field"): "status.podIP",
    ("EnvSource", "resource"): "limits.cpu",
    ("Mount", "storage"): "share",
    ("TargetChoice", "runtime"): "torch-distributed",
    ("TargetChoice", "version"): "v1",
    ("JobScheduling", "gang"): "volcano",
    ("Elastic", "max"): 8,
    ("Lifecycle", "restart"): "OnFailure",
    ("JobProfile", "envFrom"): [{"secret": "a"}],
    ("Mount", "volume"): {"emptyDir": {}},
    ("VolumeCreate", "volume"): {"hostPath": {"path": "/x"}},
    ("HostAlias", "ip"): "10.0.0.7",
    ("Ssh", "server"): ["UsePAM=no"],
    ("Ssh", "client"): ["Port=22"],
    ("Communication", "version"): "2.27.3",
    ("PodPatch", "pod"): {"metadata": {"labels": {"a": "b"}}},
    ("PodPatch", "container"): {"tty": True},
    ("JobPatch", "pod"): {"metadata": {"labels": {"a": "b"}}},
    ("JobPatch", "container"): {"tty": True},
    ("JobPatch", "job"): {"metadata": {"labels": {"a": "b"}}},
    ("JobPatch", "runtime"): {"metadata": {"labels": {"a": "b"}}},
    ("Dataset", "uri"): "hf://a/b",
}

# Definition → a whole one.
WHOLE: dict[str, Any] = {"Mount": {"scratch": "a"}, "Claim": {"template": "a"}, "File": {"text": "a"}}

# Definition → words without which it is nothing.
ALWAYS: dict[str, dict[str, Any]] = {"Container": {"image": "registry.example.com/b:1", "resources": {"memory": "1Gi"}}}

# (definition, word) → words that it goes with, in the same mapping.
BESIDE: dict[tuple[str, str], dict[str, Any]] = {
    **{("Mount", word): {"scratch": "a"} for word in ("size", "memory", "readOnly", "subPath")},
    **{("Mount", word): {"configMap": "a"} for word in ("items", "mode")},
    ("Mount", "create"): {"pvc": "a"},
    ("Mount", "type"): {"hostPath": "/a"},
    **{("Spread", word): {"over": "rack"} for word in ("domains", "skew")},
    ("EnvSource", "secret"): {"key": "k"},
    ("EnvSource", "configMap"): {"key": "k"},
    ("EnvSource", "key"): {"secret": "a"},
    ("EnvSource", "optional"): {"secret": "a", "key": "k"},
    ("EnvFrom", "prefix"): {"secret": "a"},
    ("EnvFrom", "optional"): {"secret": "a"},
    ("File", "mode"): {"text": "a"},
    ("Toleration", "effect"): {"value": "a"},
    **{("Dataset", word): {"uri": "hf://a/b"} for word in ("secret",)},
    ("TargetChoice", "runtime"): {"kind": "TrainJob"},
    ("TargetChoice", "version"): {"kind": "PyTorchJob"},
    ("JobScheduling", "queue"): {"gang": "volcano"},
}

# Top-level word → what the job says besides.
WITH: dict[str, dict[str, Any]] = {
    "dataset": {"mounts": {"/a": {"pvc": "a"}}},
    "model": {"mounts": {"/a": {"pvc": "a"}}},
    "slices": {"scheduling": {"gang": "kueue", "queue": "default"}},
    "generateName": {"metadata": {}},
    "keep": {"env": {"A": "b"}},
    "npu": {"scheduling": {"pool": "gpu"}},
    "args": {"command": None},
    "elastic": {"pods": 2},
    "communication": {"resources": {"gpu": 1}},
    "vars": {"args": [f"$<{SPOT}>"]},
    "hugepages": {"resources": {"memory": "1Gi"}},
}

CLUSTER: dict[str, Any] = {
    "apiVersion": "specgen/v1",
    "kind": "Cluster",
    "metadata": {"name": "lab"},
    "kubernetes": "1.34",
    "operators": {
        "training-operator": {"version": "1.9.4"},
        "mpi-operator": {"version": "0.8.2"},
        "ms-operator": {"version": "1.0.0"},
        "trainer": {"version": "2.3.0", "runtimes": {"torch-distributed": "runtime.yaml"}},
    },
    "pools": {
        "gpu": {
            "gpu": {"resource": "nvidia.com/gpu"},
            "npu": {"resource": "huawei.com/Ascend910"},
            "hca": {"resource": "rdma/hca"},
            "fabric": {"rdma": "shared-device"},
        },
    },
    "nccl": {"2.27.3": "/opt/nccl/libnccl.so"},
    "storage": {"share": {"hostPath": "/mnt/share"}},
    "topology": {"rack": "example.com/rack", SPOT: "example.com/spot"},
}

RUNTIME: dict[str, Any] = {
    "apiVersion": "trainer.kubeflow.org/v1alpha1",
    "kind": "ClusterTrainingRuntime",
    "metadata": {"name": "torch-distributed", "labels": {"trainer.kubeflow.org/framework": "torch"}},
    "spec": {
        "mlPolicy": {"numNodes": 1, "torch": {}},
        "template": {
            "spec": {
                "replicatedJobs": [
                    {
                        "name": "node",
                        "template": {
                            "metadata": {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}},
                            "spec": {"template": {"spec": {"containers": [{"name": "node", "image": "t:1"}]}}},
                        },
                    }
                ]
            }
        },
    },
}


class Leaf:
    """A value of the schema, or the key of a map (its last step is ``KEY``)."""

    def __init__(
        self, path: Path, schema: dict[str, Any], home: str, beside: list[tuple[Path, dict[str, Any]]]
    ) -> None:
        self.path = path
        self.schema = schema
        # the definition that holds it
        self.home = home
        # (path of a mapping, words that must stand in it)
        self.beside = beside

    @property
    def name(self) -> str:
        """The path in words; ``*`` for a key of a map."""
        return ".".join("*" if step == SPOT else str(step) for step in self.path)


def _resolved(schema: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    name = schema.get("$ref", "").rpartition("/")[2]
    return (name, DEFINITIONS[name]) if name else ("", schema)


def leaves() -> list[Leaf]:
    """Every leaf of a job profile."""
    return list(_model("JobProfile", (), []))


def _model(name: str, path: Path, beside: list[tuple[Path, dict[str, Any]]]) -> Iterator[Leaf]:
    definition = DEFINITIONS[name]
    beside = [*beside, (path, ALWAYS[name])] if name in ALWAYS else beside
    required = {word: plain(definition["properties"][word], name, word) for word in _required(definition)}
    for word, schema in definition["properties"].items():
        if word in _SKIPPED.get(name, ()):
            continue
        others = {other: value for other, value in required.items() if other != word}
        more = {**others, **BESIDE.get((name, word), {})}
        here = [*beside, (path, more)] if more and path else beside
        yield from _value(schema, (*path, word), name, here)


def _value(schema: dict[str, Any], path: Path, home: str, beside: list[tuple[Path, dict[str, Any]]]) -> Iterator[Leaf]:
    for one in schema.get("anyOf", [schema]):
        name, resolved = _resolved(one)
        kinds = resolved.get("type", "string" if "enum" in resolved or "const" in resolved else "object")
        kind = next((each for each in ([kinds] if isinstance(kinds, str) else kinds) if each != "null"), None)
        if kind is None:
            continue
        if kind == "array":
            yield Leaf(path, resolved, home, beside)
            yield from _value(resolved["items"], (*path, 0), home, beside)
        elif kind == "object" and isinstance(resolved.get("additionalProperties"), dict):
            yield Leaf((*path, KEY), resolved, home, beside)
            key = _key(resolved)
            yield from _value(resolved["additionalProperties"], (*path, key), home, beside)
        elif kind == "object" and "properties" in resolved:
            if name:
                yield from _model(name, path, beside)
            else:  # a map with few keys
                for key, below in resolved["properties"].items():
                    yield from _value(below, (*path, key), home, beside)
        else:
            yield Leaf(path, resolved, home, beside)


def _key(schema: dict[str, Any]) -> str:
    names = schema.get("propertyNames")
    return SPOT if names is None else str(_text(names))


def _text(schema: dict[str, Any]) -> Any:
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    if "x-specgen-words" in schema:
        return schema["x-specgen-words"][0]
    if "pattern" in schema:
        return PLAIN[_OF_PATTERN[schema["pattern"]]]
    return "a"


def plain(schema: dict[str, Any], home: str = "", word: str = "") -> Any:
    """A value of a schema that nobody refuses."""
    if (home, word) in SAID:
        return SAID[home, word]
    name, resolved = _resolved(schema.get("anyOf", [schema])[0])
    if name in WHOLE:
        return WHOLE[name]
    kinds = resolved.get("type", "string" if "enum" in resolved or "const" in resolved else "object")
    kind = kinds if isinstance(kinds, str) else kinds[0]
    if kind == "array":
        return [plain(resolved["items"])]
    if kind == "boolean":
        return True
    if kind in ("integer", "number"):
        return max(1, resolved.get("minimum", 1))
    if kind == "string":
        return _text(resolved)
    if isinstance(resolved.get("additionalProperties"), dict):
        return {_key(resolved): plain(resolved["additionalProperties"])}
    return {one: plain(resolved["properties"][one], name, one) for one in _required(resolved)}


def _required(schema: dict[str, Any]) -> list[str]:
    """What a mapping must say, in one layer or in all of them together."""
    return [*schema.get("required", ()), *schema.get("x-specgen-required", ())]


# fmt: off
TEXTS = (
    "", "a" * 63, "a" * 64, "a" * 253, "a" * 254, "A", "A_B", "a b", " a", "a ", "-a", "a-", ".a", "a.", "a.b", "a..b",
    "..", ".", "/", "/a", "a/b", "/a/../b", "../a", "a/", "//a", "é", "日本", "a\nb", "a\tb", "\u0000", "1", "0", "-1",
    "1.5", "1e3", "0x10", "1Ki", "1m", "1Gi", "0Gi", "0.1Gi", "99999999Ei", "1h", "0h", "999999999d", "*", "a=b", "a,b",
    "a:b", "a@b", "$(A)", "$$", "%s", "null", "yes", "None", "Always", "10.0.0.300", "::1", "{}", "'", '"', "\\",
    "registry.example.com:5000/a/b:1@sha256:0", "requests.a/b", "kubernetes.io/x", "nvidia.com/gpu", "metadata.name",
    "SYS_ADMIN", "CAP_SYS_ADMIN", "\U0001f600", "a" * 5000,
)
NUMBERS = (-2**63, -1, 0, 1, 2, 511, 512, 1023, 65535, 65536, 999_999, 1_000_000, 2**31 - 1, 2**31, 2**53 + 1, 2**63)
FRACTIONS = (0.0, 1e-9, 0.0001, 0.5, 1.5, 1e9, 1e300)
RAW: tuple[dict[str, Any], ...] = (
    {}, {"": None}, {"a b": 1}, {"spec": {}}, {"metadata": {"labels": {"a b": "c d"}}}, {"name": ""},
    {"emptyDir": {"sizeLimit": "-1"}}, {"hostPath": {"path": "/a/../b"}}, {"spec": {"hostname": "A_B"}},
    {"spec": {"activeDeadlineSeconds": 0}}, {"spec": {"nodeSelector": {"a": "b c"}}}, {"env": [{"name": "a=b"}]},
    {"resources": {"limits": {"foo": 1}}}, {"livenessProbe": {}}, {"spec": {"runPolicy": {"activeDeadlineSeconds": 0}}},
    {"persistentVolumeClaim": {"claimName": ""}}, {"csi": {}}, {"nfs": {"server": "a"}},
)
# fmt: on


def odd(leaf: Leaf) -> Iterator[Any]:
    """Values of the right type, most of which somebody refuses."""
    schema = leaf.schema
    if leaf.path[-1] == KEY:
        yield from TEXTS
        return
    kinds = schema.get("type", "string" if "enum" in schema or "const" in schema else "object")
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if "boolean" in kinds:
        yield from (True, False)
    elif "integer" in kinds or "number" in kinds:
        yield from NUMBERS
        yield from FRACTIONS if "number" in kinds else ()
    elif "array" in kinds:
        item = around(leaf)
        yield from ([], [*item, *item], item * 40)
    elif "string" in kinds:
        words = schema.get("enum", [schema["const"]] if "const" in schema else [])
        yield from words
        yield from (word.swapcase() for word in words)
        yield from TEXTS
    else:
        yield from RAW
    yield None


def around(leaf: Leaf) -> Any:
    """The plain value of a leaf."""
    *above, last = leaf.path
    if last == KEY:
        return _key(leaf.schema)
    if last == 0 and (leaf.home, above[-1]) in SAID:
        return SAID[leaf.home, str(above[-1])][0]
    return plain(leaf.schema, leaf.home, str(last))


def job(leaf: Leaf, value: Any, target: str) -> dict[str, Any]:
    """A job of a target with this value at the leaf, and what goes with it."""
    tree: dict[str, Any] = {
        "apiVersion": "specgen/v1",
        "kind": "Job",
        "metadata": {"name": "demo"},
        "cluster": "cluster.yaml",
        "target": copy.deepcopy(TARGETS[target]),
        "image": "registry.example.com/a:1",
        "command": ["train.py"],
        "pods": 3,
    }
    for word, more in WITH.items():
        if word in leaf.path:
            tree = {key: one for key, one in {**tree, **copy.deepcopy(more)}.items() if one is not None}
    for path, more in leaf.beside:
        home = _home(tree, (*path, ""))
        for word, one in more.items():
            home.setdefault(word, copy.deepcopy(one))
    last = leaf.path[-1]
    if last == KEY:
        below = copy.deepcopy(plain(leaf.schema["additionalProperties"]))
        _home(tree, leaf.path)[value] = below
        return tree
    home = _home(tree, leaf.path)
    if isinstance(home, list):
        home[:] = [copy.deepcopy(value)]
    else:
        home[last] = copy.deepcopy(value)
    return tree


def _home(tree: Any, path: Path) -> Any:
    """The mapping or list that holds the last step of a path, made if it is not there; lists hold one item."""
    for step, following in itertools.pairwise(path):
        empty: Any = [] if following == 0 else {}
        if isinstance(tree, list):
            if not tree or not isinstance(tree[0], type(empty)):
                tree[:] = [empty]
            tree = tree[0]
            continue
        if not isinstance(tree.get(step), type(empty)):
            tree[step] = empty
        tree = tree[step]
    return tree
