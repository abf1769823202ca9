"""Inputs of any size, each of which grows in one way: what a table, a loop, or a search here might be too slow for."""

from __future__ import annotations

from collections.abc import Callable, Iterable

# File → text; the first one is named on the command line unless the words say another.
Files = dict[str, str]

JOB = "apiVersion: specgen/v1\nkind: Job\nmetadata: {name: j}\ntarget: PyTorchJob\nimage: a:1\ncommand: [python, a.py]\n"
BASE = "apiVersion: specgen/v1\nkind: Base\nmetadata: {name: b}\n"
CLUSTER = "apiVersion: specgen/v1\nkind: Cluster\nmetadata: {name: c}\n"


def _lines(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def pod(inside: Iterable[str], name: str = "j") -> str:
    """A PyTorchJob with lines at the level of the fields of its one container (twelve blanks)."""
    return (
        f"apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {{name: {name}}}\nspec:\n  pytorchReplicaSpecs:\n"
        "    Worker:\n      replicas: 2\n      template:\n        spec:\n          containers:\n"
        "          - name: pytorch\n            image: a:1\n" + _lines(inside)
    )


def _head(kind: str, name: str, version: str = "trainer.kubeflow.org/v1alpha1") -> str:
    return f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: {name}}}\n"


def runtime(name: str) -> str:
    return _head("TrainingRuntime", name) + (
        "spec: {mlPolicy: {numNodes: 1, torch: {}}, template: {spec: {replicatedJobs: [{name: node, template: {metadata: "
        "{labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}, spec: {template: {spec: {containers: "
        "[{name: node, image: 'a:1'}]}}}}}]}}}\n"
    )


def trainjob(name: str, of: str) -> str:
    return _head("TrainJob", name) + f"spec: {{runtimeRef: {{kind: TrainingRuntime, name: {of}}}}}\n"


def trainjobs(count: int) -> str:
    return "---\n".join(runtime(f"r{one}") + "---\n" + trainjob(f"t{one}", f"r{one}") for one in range(count))


def one(text: Callable[[int], str]) -> Callable[[int], Files]:
    return lambda count: {"a.yaml": text(count)}


def _indented(text: str) -> list[str]:
    return ["            " + line for line in text.split("\n")]


def _env(count: int, name: str, value: str = "x") -> str:
    return pod([*_indented("env:"), *_indented("\n".join(f"- {{name: {name}{n}, value: '{value}'}}" for n in range(count)))])


def _many(count: int, key: str, item: str) -> str:
    return pod([*_indented(key + ":"), *_indented("\n".join(item.replace("%", str(n)) for n in range(count)))])


def _diamond(depth: int) -> Files:
    files = {"a.yaml": JOB + "extends: b0.yaml\n"}
    for n in range(depth):
        files[f"b{n}.yaml"] = BASE + f"extends: [b{n + 1}.yaml, b{n + 1}.yaml]\n"
    return {**files, f"b{depth}.yaml": BASE}


def _chain(depth: int) -> Files:
    files = {"a.yaml": JOB + "extends: b0.yaml\n"}
    for n in range(depth):
        files[f"b{n}.yaml"] = BASE + f"extends: b{n + 1}.yaml\nenv: {{A{n}: x}}\n"
    return {**files, f"b{depth}.yaml": BASE}


def _grid(width: int) -> Files:
    """Layers of eight bases, each of which names all eight of the next."""
    files = {"a.yaml": JOB + "extends: [" + ", ".join(f"b0-{i}.yaml" for i in range(8)) + "]\n"}
    for n in range(width):
        for i in range(8):
            below = ", ".join(f"b{n + 1}-{k}.yaml" for k in range(8)) if n + 1 < width else ""
            files[f"b{n}-{i}.yaml"] = BASE + f"extends: [{below}]\nenv: {{A{n}-{i}: x}}\n".replace("-", "_", 0)
    return files


def _wide(count: int) -> Files:
    files = {"a.yaml": JOB + "extends: [" + ", ".join(f"b{n}.yaml" for n in range(count)) + "]\n"}
    return {**files, **{f"b{n}.yaml": BASE + f"env: {{A{n}: x}}\n" for n in range(count)}}


def _doubling(count: int) -> str:
    rows = [f"  v{n}: " + f"$<v{n - 1}>" * 10 for n in range(1, count)]
    return JOB + _lines(["vars:", "  v0: xxxxxxxxxx", *rows, f"env: {{A: $<v{count - 1}>}}"])


def _deep(count: int) -> str:
    rows = []
    inner = "x"
    for n in range(count):
        rows.append(f"    k{n}: &a{n} " + "[" * 80 + inner + "]" * 80)
        inner = f"*a{n}"
    return "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata:\n  name: j\n  annotations:\n" + _lines(rows)


def _jobset(count: int) -> str:
    rows = [
        f"  - {{name: r{n}, template: {{spec: {{template: {{spec: {{containers: [{{name: c, image: 'a:1'}}]}}}}}}}}}}"
        for n in range(count)
    ]
    return _head("JobSet", "j", "jobset.x-k8s.io/v1alpha2") + _lines(["spec:", "  replicatedJobs:", *rows])


def _volcano(count: int) -> str:
    rows = [
        f"  - {{name: r{n}, replicas: 1, template: {{spec: {{containers: [{{name: c, image: 'a:1'}}]}}}}}}"
        for n in range(count)
    ]
    return _head("Job", "j", "batch.volcano.sh/v1alpha1") + _lines(["spec:", "  tasks:", *rows])


def _markdown(count: int) -> Files:
    return {"a.md": "\n".join("text\n\n```yaml\n" + pod([], f"j{n}") + "```\n" for n in range(count))}


# Name → (words of the command line, files of a count of items)
SHAPES: dict[str, tuple[tuple[str, ...], Callable[[int], Files]]] = {
    # texts and trees
    "comments": (("lint", "a.yaml"), one(lambda n: pod([]) + "# a comment\n" * n)),
    "blank lines": (("lint", "a.yaml"), one(lambda n: pod([]) + "\n" * n)),
    "long text": (("lint", "a.yaml"), one(lambda n: pod(["            args: ['" + "x " * n + "']"]))),
    "anchors": (("lint", "a.yaml"), one(lambda n: pod(["            args: [&a x" + ", *a" * n + "]"]))),
    "merges": (
        ("lint", "a.yaml"),
        one(lambda n: _many(n, "env", "- {<<: *a, name: A%}").replace("env:", "env: [] \n  x: &a {value: b}\n  y:")),
    ),
    "doubtful scalars": (("lint", "a.yaml"), one(lambda n: _env(n, "A").replace("'x'", "no"))),
    "equal keys": (("lint", "a.yaml"), one(lambda n: pod([]) + "".join(f"k: {i}\n" for i in range(n)))),
    "deep lists": (("lint", "a.yaml"), one(lambda n: pod([]) + "x:\n" + ("- " + "[" * 90 + "]" * 90 + "\n") * n)),
    "depth through aliases": (("lint", "a.yaml"), one(_deep)),
    "documents": (("lint", "a.yaml"), one(lambda n: "---\n".join(pod([], f"j{i}") for i in range(n)))),
    "unknown objects": (("lint", "a.yaml"), one(lambda n: "---\n".join(_head("Foo", f"j{i}", "x.io/v1") for i in range(n)))),
    "misspelt kinds": (
        ("lint", "a.yaml"),
        one(lambda n: "---\n".join(_head("PytorchJbo", f"j{i}", "kubeflow.org/v1") for i in range(n))),
    ),
    "items of a List": (
        ("lint", "a.yaml"),
        one(lambda n: "apiVersion: v1\nkind: List\nitems:\n" + _lines(f"- {{apiVersion: v1, kind: ConfigMap, metadata: {{name: c{i}}}}}" for i in range(n))),
    ),
    "markdown": (("lint", "a.md"), _markdown),
    "ignores": (("lint", "a.yaml"), one(lambda n: pod(f"            x{i}: 1 # specgen: ignore[SG401] y" for i in range(n)))),
    "ignores of unknown codes": (("lint", "a.yaml"), one(lambda n: pod(f"            # specgen: ignore[SG{i}x] y" for i in range(n)))),
    "ignores in one comment": (("lint", "a.yaml"), one(lambda n: pod(["            # specgen: ignore[" + "SG401," * n + "] y"]))),
    "ignores above objects": (
        ("lint", "a.yaml"),
        one(lambda n: "---\n".join("# specgen: ignore[SG401] y\n" + pod([], f"j{i}") for i in range(n))),
    ),
    # shapes
    "unknown keys": (("lint", "a.yaml"), one(lambda n: pod(f"            nmae{i}x: 1" for i in range(n)))),
    "unknown keys alike": (("lint", "a.yaml"), one(lambda n: pod(f"            {'imagePullPolic' + 'y' * (i % 7)}{i}: 1" for i in range(n)))),
    "unknown keys of a profile": (("build", "a.yaml"), one(lambda n: JOB + _lines(f"procsPer{i}x: 1" for i in range(n)))),
    "unknown keys in items": (("lint", "a.yaml"), one(lambda n: _many(n, "env", "- {name: A%, vlaue: x}"))),
    "wrong types": (("lint", "a.yaml"), one(lambda n: _many(n, "args", "- {a: %}"))),
    "wrong enums": (("lint", "a.yaml"), one(lambda n: _many(n, "ports", "- {containerPort: 1%, name: p%, protocol: TPC}"))),
    "labels": (("lint", "a.yaml"), one(lambda n: pod([]).replace("{name: j}", "\n  name: j\n  labels:\n" + _lines(f"    l{i}: 'bad value!'" for i in range(n))))),
    "annotations": (("lint", "a.yaml"), one(lambda n: pod([]).replace("{name: j}", "\n  name: j\n  annotations:\n" + _lines(f"    l{i}: x" for i in range(n))))),
    "unknown roles": (("lint", "a.yaml"), one(lambda n: pod([]) + _lines(f"    Workre{i}: {{replicas: 1, template: {{spec: {{containers: []}}}}}}" for i in range(n)))),
    # pods
    "env": (("lint", "a.yaml"), one(lambda n: _env(n, "A"))),
    "env that names env": (("lint", "a.yaml"), one(lambda n: pod([*_indented("env:"), *(f"            - {{name: A{i}, value: $(A{i - 1})}}" for i in range(n))]))),
    "env twice": (("lint", "a.yaml"), one(lambda n: _env(n // 2, "A").rstrip("\n") + "\n" + _lines(_indented("\n".join(f"- {{name: A{i}, value: y}}" for i in range(n - n // 2)))))),
    "undefined variables": (("lint", "a.yaml"), one(lambda n: _env(n, "A", "$(B)"))),
    "unknown NCCL variables": (("lint", "a.yaml"), one(lambda n: _env(n, "NCCL_IB_GDI_"))),
    "unknown NCCL variables of a profile": (("build", "a.yaml"), one(lambda n: JOB + "env:\n" + _lines(f"  NCCL_IB_GDI_{i}: x" for i in range(n)))),
    "wrong NCCL values": (("lint", "a.yaml"), one(lambda n: _many(n, "env", "- {name: NCCL_IB_DISABLE, value: maybe%}"))),
    "dangling mounts": (("lint", "a.yaml"), one(lambda n: _many(n, "volumeMounts", "- {name: v%, mountPath: /m%}"))),
    "dangling mounts beside volumes": (
        ("lint", "a.yaml"),
        one(lambda n: _many(n // 2 + 1, "volumeMounts", "- {name: v%x, mountPath: /m%}") + "          volumes:\n" + _lines(f"          - {{name: v{i}, emptyDir: {{}}}}" for i in range(n // 2 + 1))),
    ),
    "mounts": (
        ("lint", "a.yaml"),
        one(lambda n: _many(n // 2 + 1, "volumeMounts", "- {name: v%, mountPath: /m%}") + "          volumes:\n" + _lines(f"          - {{name: v{i}, emptyDir: {{}}}}" for i in range(n // 2 + 1))),
    ),
    "mounts of one path": (
        ("lint", "a.yaml"),
        one(lambda n: _many(n, "volumeMounts", "- {name: v, mountPath: /m}") + "          volumes: [{name: v, emptyDir: {}}]\n"),
    ),
    "containers": (("lint", "a.yaml"), one(lambda n: pod(f"          - {{name: c{i}, image: 'a:1'}}" for i in range(n)))),
    "containers of one name": (("lint", "a.yaml"), one(lambda n: pod("          - {name: c, image: 'a:1'}" for i in range(n)))),
    "init containers": (("lint", "a.yaml"), one(lambda n: pod([]) + "          initContainers:\n" + _lines(f"          - {{name: c{i}, image: 'a:1'}}" for i in range(n)))),
    "ports": (("lint", "a.yaml"), one(lambda n: _many(n, "ports", "- {containerPort: %, name: p}"))),
    "devices": (("lint", "a.yaml"), one(lambda n: pod(["            resources: {limits: {" + ", ".join(f"x.io/d{i}: 1" for i in range(n)) + "}}"]))),
    "unknown devices": (("lint", "a.yaml"), one(lambda n: pod(["            resources: {limits: {" + ", ".join(f"nvidia.com/gpus{i}: 1" for i in range(n)) + "}}"]))),
    "tolerations": (("lint", "a.yaml"), one(lambda n: pod([]) + "          tolerations:\n" + _lines(f"          - {{key: k{i}, operator: Exsits}}" for i in range(n)))),
    "arguments": (("lint", "a.yaml"), one(lambda n: _many(n, "args", "- --a%=1"))),
    "lines of a script": (("lint", "a.yaml"), one(lambda n: pod(["            command: [bash, -c]", "            args:", "            - |", *(f"              export A{i}=$B{i}; wget http://x/$A{i}" for i in range(n))]))),
    "one line of a script": (("lint", "a.yaml"), one(lambda n: pod(["            command: [bash, -c, \"" + "export A=$B; " * n + "\"]"]))),
    "arguments of mpirun": (("lint", "a.yaml"), one(lambda n: pod(["            command: [mpirun, " + ", ".join(f"-x, A{i}" for i in range(n)) + "]"]))),
    "variables to fill in": (("lint", "a.yaml"), one(lambda n: pod([f"            x{i}: ${{A{i}}}" for i in range(n)]))),
    "templates": (("lint", "a.yaml"), one(lambda n: pod([f"            x{i}: '{{{{ .Values.a{i} }}}}'" for i in range(n)]))),
    # other kinds
    "TrainJobs with runtimes": (("lint", "a.yaml"), one(trainjobs)),
    "TrainJobs with runtimes, expanded": (("expand", "a.yaml"), one(trainjobs)),
    "TrainJobs of one runtime": (("lint", "a.yaml"), one(lambda n: runtime("r") + "".join("---\n" + trainjob(f"t{i}", "r") for i in range(n)))),
    "TrainJobs without a runtime": (("lint", "a.yaml"), one(lambda n: "---\n".join(trainjob(f"t{i}", f"r{i}") for i in range(n)))),
    "TrainJobs in files": (("lint", "."), lambda n: {f"f{i}.yaml": runtime(f"r{i}") + "---\n" + trainjob(f"t{i}", f"r{i}") for i in range(n)}),
    "replicated jobs": (("lint", "a.yaml"), one(_jobset)),
    "tasks": (("lint", "a.yaml"), one(_volcano)),
    "replicated jobs, expanded": (("expand", "a.yaml"), one(_jobset)),
    "tasks, expanded": (("expand", "a.yaml"), one(_volcano)),
    "jobs, expanded": (("expand", "a.yaml"), one(lambda n: "---\n".join(pod([], f"j{i}") for i in range(n)))),
    "jobs with queues": (
        ("lint", "a.yaml"),
        one(lambda n: "---\n".join(pod([], f"j{i}").replace(f"{{name: j{i}}}", f"{{name: j{i}, labels: {{kueue.x-k8s.io/queue-name: q{i}}}}}") + "---\n" + _head("LocalQueue", f"q{i}x", "kueue.x-k8s.io/v1beta1") + "spec: {clusterQueue: c}\n" for i in range(n))),
    ),
    "env, expanded": (("expand", "a.yaml"), one(lambda n: pod([*_indented("env:"), *(f"            - {{name: A{i}, value: $(A{i - 1})}}" for i in range(n))]))),
    # profiles
    "vars": (("build", "a.yaml"), one(lambda n: JOB + "vars:\n" + _lines(f"  v{i}: x" for i in range(n)) + "env: {A: '" + "".join(f"$<v{i}>" for i in range(n)) + "'}\n")),
    "vars in a chain": (("build", "a.yaml"), one(lambda n: JOB + "vars:\n  v0: x\n" + _lines(f"  v{i}: $<v{i - 1}>" for i in range(1, n)) + f"env: {{A: $<v{n - 1}>}}\n")),
    "vars in a chain backwards": (("build", "a.yaml"), one(lambda n: JOB + "vars:\n" + _lines(f"  v{i}: $<v{i - 1}>" for i in range(n - 1, 0, -1)) + f"  v0: x\nenv: {{A: $<v{n - 1}>}}\n")),
    "vars in a circle": (("build", "a.yaml"), one(lambda n: JOB + "vars:\n" + _lines(f"  v{i}: $<v{(i + 1) % n}>" for i in range(n)) + f"env: {{A: $<v{n - 1}>}}\n")),
    "vars that double": (("build", "a.yaml"), one(_doubling)),
    "one long var often": (("build", "a.yaml"), one(lambda n: JOB + f"vars: {{v: {'x' * n}}}\nenv:\n" + _lines(f"  A{i}: $<v>" for i in range(n // 10)))),
    "unused vars": (("build", "a.yaml"), one(lambda n: JOB + "vars:\n" + _lines(f"  v{i}: x" for i in range(n)))),
    "unknown vars": (("build", "a.yaml"), one(lambda n: JOB + "env:\n" + _lines(f"  A{i}: $<pdos{i}>" for i in range(n)))),
    "env of a profile": (("build", "a.yaml"), one(lambda n: JOB + "env:\n" + _lines(f"  A{i}: x" for i in range(n)))),
    "mounts of a profile": (("build", "a.yaml"), one(lambda n: JOB + "mounts:\n" + _lines(f"  /m{i}: {{hostPath: /x}}" for i in range(n)))),
    "storage of a profile": (
        ("build", "a.yaml"),
        lambda n: {"a.yaml": JOB + "cluster: c.yaml\nmounts:\n" + _lines(f"  /m{i}: {{storage: s{i}x}}" for i in range(n)), "c.yaml": CLUSTER + "storage:\n" + _lines(f"  s{i}: {{hostPath: /x{i}}}" for i in range(n))},
    ),
    "files of a profile": (("build", "a.yaml"), one(lambda n: JOB + "files:\n" + _lines(f"  /f/m{i}: {{text: x}}" for i in range(n)))),
    "folders of files": (("build", "a.yaml"), one(lambda n: JOB + "files:\n" + _lines(f"  /f{i}/m: {{text: x}}" for i in range(n)))),
    "sidecars": (("build", "a.yaml"), one(lambda n: JOB + "sidecars:\n" + _lines(f"  s{i}: {{image: 'a:1', command: [sleep]}}" for i in range(n)))),
    "patched env": (("build", "a.yaml"), one(lambda n: JOB + "patch: {container: {env: [" + ", ".join(f"{{name: A{i}, value: x}}" for i in range(n)) + "]}}\n")),
    "patched pod": (("build", "a.yaml"), one(lambda n: JOB + "patch: {pod: {spec: {containers: [" + ", ".join(f"{{name: c{i}, image: a}}" for i in range(n)) + "]}}}\n")),
    "objects of a profile": (("build", "a.yaml"), one(lambda n: JOB + "objects:\n" + _lines(f"- {{apiVersion: v1, kind: ConfigMap, metadata: {{name: c{i}}}}}" for i in range(n)))),
    "labels of a profile": (("build", "a.yaml"), one(lambda n: JOB + "labels:\n" + _lines(f"  l{i}: x" for i in range(n)))),
    "ignored codes": (("build", "a.yaml"), one(lambda n: JOB + "ignore:\n" + _lines(f"  SG{i}: x" for i in range(n)))),
    "variants": (("build", "a.yaml"), one(lambda n: JOB + "variants:\n" + _lines(f"  v{i}: {{pods: 2}}" for i in range(n)))),
    "matrix": (("build", "a.yaml"), one(lambda n: JOB + "matrix:\n  a:\n" + _lines(f"    v{i}: {{pods: 2}}" for i in range(n)) + "  b: {x: {env: {A: b}}, y: {env: {A: c}}}\n")),
    "absent variants": (("build", "a.yaml"), one(lambda n: JOB + "variants:\n" + _lines(f"  v{i}: null" for i in range(n)))),
    "nulls": (("build", "a.yaml"), one(lambda n: JOB + "env:\n" + _lines(f"  A{i}: null" for i in range(n)))),
    "bases": (("build", "a.yaml"), _wide),
    "chain of bases": (("build", "a.yaml"), _chain),
    "diamonds of bases": (("build", "a.yaml"), _diamond),
    "grid of bases": (("build", "a.yaml"), _grid),
    "profiles": (("build", "."), lambda n: {f"f{i}.yaml": JOB.replace("name: j", f"name: j{i}") for i in range(n)}),
    "pools of a cluster": (
        ("build", "a.yaml"),
        lambda n: {"a.yaml": JOB + "cluster: c.yaml\nresources: {gpu: 1}\n", "c.yaml": CLUSTER + "pools:\n" + _lines(f"  p{i}: {{nodes: {{count: 1}}, gpu: {{resource: nvidia.com/gpu, perNode: 1}}}}" for i in range(n))},
    ),
    "unknown keys of a cluster": (("lint", "c.yaml"), lambda n: {"c.yaml": CLUSTER + "pools:\n  p:\n" + _lines(f"    ndoes{i}: 1" for i in range(n))}),
}
