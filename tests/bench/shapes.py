"""Inputs of any size, each of which grows in one way: what a table, a loop, or a search here might be too slow for."""

from __future__ import annotations

from collections.abc import Callable

# File → text; the first one is named on the command line unless the words say another.
Files = dict[str, str]

JOB = "apiVersion: specgen/v1\nkind: Job\nmetadata: {name: j}\ntarget: PyTorchJob\nimage: a:1\n"
JOB += "command: [python, a.py]\n"
BASE = "apiVersion: specgen/v1\nkind: Base\nmetadata: {name: b}\n"
CLUSTER = "apiVersion: specgen/v1\nkind: Cluster\nmetadata: {name: c}\n"


def rows(count: int, row: str, first: int = 0) -> str:
    """Lines of one form: ``%`` is the number of each, ``^`` that of the one before."""
    return "".join(row.replace("%", str(n)).replace("^", str(n - 1)) + "\n" for n in range(first, count))


def flow(count: int, item: str) -> str:
    """The same between commas."""
    return ", ".join(item.replace("%", str(n)) for n in range(count))


def pod(inside: str = "", name: str = "j", own: str = "") -> str:
    """A PyTorchJob with lines behind those of its one container, whose fields stand behind twelve blanks."""
    return (
        f"apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata:\n  name: {name}\n{own}spec:\n"
        "  pytorchReplicaSpecs:\n    Worker:\n      replicas: 2\n      template:\n        spec:\n"
        "          containers:\n          - name: pytorch\n            image: a:1\n" + inside
    )


def _listed(count: int, key: str, item: str, *, of_pod: bool = False) -> str:
    indent = "          " if of_pod else "            "
    return f"{indent}{key}:\n" + rows(count, f"{indent}- {item}")


def _head(kind: str, name: str, version: str = "trainer.kubeflow.org/v1alpha1") -> str:
    return f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: {name}}}\n"


def _runtime(name: str) -> str:
    labels = "{trainer.kubeflow.org/trainjob-ancestor-step: trainer}"
    containers = "{containers: [{name: node, image: 'a:1'}]}"
    job = f"{{name: node, template: {{metadata: {{labels: {labels}}}, spec: {{template: {{spec: {containers}}}}}}}}}"
    policy = "mlPolicy: {numNodes: 1, torch: {}}"
    return _head("TrainingRuntime", name) + f"spec: {{{policy}, template: {{spec: {{replicatedJobs: [{job}]}}}}}}\n"


def _trainjob(name: str, of: str) -> str:
    return _head("TrainJob", name) + f"spec: {{runtimeRef: {{kind: TrainingRuntime, name: {of}}}}}\n"


def documents(count: int, one: Callable[[str], str]) -> str:
    return "---\n".join(one(str(n)) for n in range(count))


def _both(number: str) -> str:
    return _runtime(f"r{number}") + "---\n" + _trainjob(f"t{number}", f"r{number}")


def _queued(number: str) -> str:
    own = f"  labels: {{kueue.x-k8s.io/queue-name: q{number}}}\n"
    queue = _head("LocalQueue", f"q{number}x", "kueue.x-k8s.io/v1beta1") + "spec: {clusterQueue: c}\n"
    return pod(name=f"j{number}", own=own) + "---\n" + queue


def _doubling(count: int) -> str:
    texts = [f"  v{n}: " + f"$<v{n - 1}>" * 10 + "\n" for n in range(1, count)]
    return JOB + "vars:\n  v0: xxxxxxxxxx\n" + "".join(texts) + f"env: {{A: $<v{count - 1}>}}\n"


def _chain_of_vars(count: int) -> str:
    return JOB + "vars:\n  v0: x\n" + rows(count, "  v%: $<v^>", 1) + f"env: {{A: $<v{count - 1}>}}\n"


def _backwards(count: int) -> str:
    lines = rows(count, "  v%: $<v^>", 1).splitlines(keepends=True)
    return JOB + "vars:\n" + "".join(reversed(lines)) + f"  v0: x\nenv: {{A: $<v{count - 1}>}}\n"


def _deep(count: int) -> str:
    lines = []
    inner = "x"
    for n in range(count):
        lines.append(f"    k{n}: &a{n} " + "[" * 80 + inner + "]" * 80 + "\n")
        inner = f"*a{n}"
    return pod(own="  annotations:\n" + "".join(lines))


def _diamonds(depth: int) -> Files:
    names = range(depth)
    between = {f"b{n}.yaml": BASE + f"extends: [b{n + 1}.yaml, b{n + 1}.yaml]\n" for n in names}
    return {"a.yaml": JOB + "extends: b0.yaml\n", **between, f"b{depth}.yaml": BASE}


def _chain(depth: int) -> Files:
    between = {f"b{n}.yaml": BASE + f"extends: b{n + 1}.yaml\nenv: {{A{n}: x}}\n" for n in range(depth)}
    return {"a.yaml": JOB + "extends: b0.yaml\n", **between, f"b{depth}.yaml": BASE}


def _grid(width: int) -> Files:
    """Layers of eight bases, each of which names all eight of the next."""
    files = {"a.yaml": JOB + f"extends: [{flow(8, 'b0-%.yaml')}]\n"}
    for n in range(width):
        below = flow(8, f"b{n + 1}-%.yaml") if n + 1 < width else ""
        files.update({f"b{n}-{k}.yaml": BASE + f"extends: [{below}]\nenv: {{A{n}_{k}: x}}\n" for k in range(8)})
    return files


def _wide(count: int) -> Files:
    bases = {f"b{n}.yaml": BASE + f"env: {{A{n}: x}}\n" for n in range(count)}
    return {"a.yaml": JOB + f"extends: [{flow(count, 'b%.yaml')}]\n", **bases}


def _jobset(count: int) -> str:
    spec = "{spec: {template: {spec: {containers: [{name: c, image: 'a:1'}]}}}}"
    jobs = rows(count, f"  - {{name: r%, template: {spec}}}")
    return _head("JobSet", "j", "jobset.x-k8s.io/v1alpha2") + "spec:\n  replicatedJobs:\n" + jobs


def _volcano(count: int) -> str:
    tasks = rows(count, "  - {name: r%, replicas: 1, template: {spec: {containers: [{name: c, image: 'a:1'}]}}}")
    return _head("Job", "j", "batch.volcano.sh/v1alpha1") + "spec:\n  tasks:\n" + tasks


def _mounted(count: int, name: str) -> str:
    volumes = _listed(count, "volumes", "{name: v%, emptyDir: {}}", of_pod=True)
    return pod(_listed(count, "volumeMounts", f"{{name: {name}, mountPath: /m%}}") + volumes)


def _script(count: int) -> str:
    lines = rows(count, "              export A%=$B%; wget http://x/$A%")
    return pod("            command: [bash, -c]\n            args:\n            - |\n" + lines)


# Name → (words of the command line, files of a count of items)
SHAPES: dict[str, tuple[tuple[str, ...], Callable[[int], Files]]] = {}


def _lint(name: str, text: Callable[[int], str]) -> None:
    SHAPES[name] = (("lint", "a.yaml"), lambda count: {"a.yaml": text(count)})


def _build(name: str, text: Callable[[int], str]) -> None:
    SHAPES[name] = (("build", "a.yaml"), lambda count: {"a.yaml": JOB + text(count)})


def _expand(name: str, text: Callable[[int], str]) -> None:
    SHAPES[name] = (("expand", "a.yaml"), lambda count: {"a.yaml": text(count)})


def _files(name: str, words: str, files: Callable[[int], Files]) -> None:
    SHAPES[name] = (tuple(words.split()), files)


def _script_of(name: str, line: str) -> None:
    """A batch script of such lines, and a step behind them."""
    step = "srun python t.py\n"
    _files(name, "init job -- sbatch JOB", lambda n: {"JOB": "#SBATCH --gres=gpu:1\n" + rows(n, line.rstrip()) + step})


# texts and trees
_lint("comments", lambda n: pod("# a comment\n" * n))
_lint("long text", lambda n: pod("            args: ['" + "x " * n + "']\n"))
_lint("anchors", lambda n: pod("            args: [&a x" + ", *a" * n + "]\n"))
_lint("merges", lambda n: "x: &a {value: b}\n" + pod(_listed(n, "env", "{<<: *a, name: A%}")))
_lint("doubtful scalars", lambda n: pod(_listed(n, "env", "{name: A%, value: no}")))
_lint("equal keys", lambda n: pod() + rows(n, "k: %"))
_lint("deep lists", lambda n: pod() + "x:\n" + ("- " + "[" * 90 + "]" * 90 + "\n") * n)
_lint("depth through aliases", _deep)
_lint("documents", lambda n: documents(n, lambda number: pod(name=f"j{number}")))
_lint("unknown objects", lambda n: documents(n, lambda number: _head("Foo", f"j{number}", "x.io/v1")))
_lint("misspelt kinds", lambda n: documents(n, lambda number: _head("PytorchJbo", f"j{number}", "kubeflow.org/v1")))
_lint(
    "items of a List",
    lambda n: (
        "apiVersion: v1\nkind: List\nitems:\n" + rows(n, "- {apiVersion: v1, kind: ConfigMap, metadata: {name: c%}}")
    ),
)
_files("Markdown", "lint a.md", lambda n: {"a.md": "".join(f"\n```yaml\n{pod(name=f'j{k}')}```\n" for k in range(n))})
_lint("ignores", lambda n: pod(rows(n, "            x%: 1 # specgen: ignore[SG401] y")))
_lint("ignores of unknown codes", lambda n: pod(rows(n, "            # specgen: ignore[SG%x] y")))
_lint("ignores in one comment", lambda n: pod("            # specgen: ignore[" + "SG401," * n + "] y\n"))
_lint(
    "ignores of objects", lambda n: documents(n, lambda number: "# specgen: ignore[SG401] y\n" + pod(name=f"j{number}"))
)
# shapes
_lint("unknown keys", lambda n: pod(rows(n, "            nmae%x: 1")))
_lint("unknown keys, nearly known", lambda n: pod(rows(n, "            imagePullPolicy%: 1")))
_build("unknown keys of a profile", lambda n: rows(n, "procsPer%x: 1"))
_lint("unknown keys in items", lambda n: pod(_listed(n, "env", "{name: A%, vlaue: x}")))
_lint("wrong types", lambda n: pod(_listed(n, "args", "{a: %}")))
_lint("wrong words", lambda n: pod(_listed(n, "ports", "{containerPort: 1%, name: p%, protocol: TPC}")))
_lint("labels", lambda n: pod(own="  labels:\n" + rows(n, "    l%: 'bad value!'")))
_lint("annotations", lambda n: pod(own="  annotations:\n" + rows(n, "    l%: x")))
_lint("unknown roles", lambda n: pod() + rows(n, "    Workre%: {replicas: 1, template: {spec: {containers: []}}}"))
# pods
_lint("variables", lambda n: pod(_listed(n, "env", "{name: A%, value: x}")))
_lint("variables of variables", lambda n: pod("            env:\n" + rows(n, "            - {name: A%, value: $(A^)}")))
_expand(
    "variables that double",
    lambda n: pod("            env:\n" + rows(n, "            - {name: A%, value: $(A^)$(A^)x}")),
)
_lint("undefined variables", lambda n: pod(_listed(n, "env", "{name: A%, value: $(B)}")))
_lint("unknown NCCL variables", lambda n: pod(_listed(n, "env", "{name: NCCL_IB_GDI_%, value: x}")))
_build("unknown NCCL variables of a profile", lambda n: "env:\n" + rows(n, "  NCCL_IB_GDI_%: x"))
_lint("wrong NCCL values", lambda n: pod(_listed(n, "env", "{name: NCCL_IB_DISABLE, value: maybe%}")))
_lint("mounts", lambda n: _mounted(n, "v%"))
_lint("dangling mounts", lambda n: _mounted(n, "v%x"))
_lint("mounts of one path", lambda n: pod(_listed(n, "volumeMounts", "{name: v, mountPath: /m}")))
_lint("containers", lambda n: pod(rows(n, "          - {name: c%, image: 'a:1'}")))
_lint("containers of one name", lambda n: pod(rows(n, "          - {name: c, image: 'a:1'}")))
_lint("init containers", lambda n: pod(_listed(n, "initContainers", "{name: c%, image: 'a:1'}", of_pod=True)))
_lint("ports", lambda n: pod(_listed(n, "ports", "{containerPort: %, name: p}")))
_lint("devices", lambda n: pod("            resources: {limits: {" + flow(n, "x.io/d%: 1") + "}}\n"))
_lint("tolerations", lambda n: pod(_listed(n, "tolerations", "{key: k%, operator: Exsits}", of_pod=True)))
_lint("arguments", lambda n: pod(_listed(n, "args", "--a%=1")))
_lint("lines of a script", _script)
_lint("line of a script", lambda n: pod('            command: [bash, -c, "' + "export A=$B; " * n + '"]\n'))
_lint("arguments of mpirun", lambda n: pod("            command: [mpirun, " + flow(n, "-x, A%") + "]\n"))
_lint("signs of templates", lambda n: pod(rows(n, "            x%: ${A%}")))
# other kinds, and what they stand beside
_lint("TrainJobs with runtimes", lambda n: documents(n, _both))
_expand("TrainJobs with runtimes, expanded", lambda n: documents(n, _both))
_lint("TrainJobs of one runtime", lambda n: _runtime("r") + "---\n" + documents(n, lambda k: _trainjob(f"t{k}", "r")))
_lint("TrainJobs without a runtime", lambda n: documents(n, lambda number: _trainjob(f"t{number}", f"r{number}")))
_files("TrainJobs in files", "lint .", lambda n: {f"f{number}.yaml": _both(str(number)) for number in range(n)})
_lint("jobs with queues", lambda n: documents(n, _queued))
_lint("replicated jobs", _jobset)
_expand("replicated jobs, expanded", _jobset)
_lint("tasks", _volcano)
_expand("tasks, expanded", _volcano)
_expand("jobs, expanded", lambda n: documents(n, lambda number: pod(name=f"j{number}")))
# profiles
_build("vars", lambda n: "vars:\n" + rows(n, "  v%: x") + "args:\n" + rows(n, "- $<v%>"))
_build("vars in one text", lambda n: "vars: {v: x}\nargs: ['" + "$<v>" * n + "']\n")
SHAPES["vars in a chain"] = (("build", "a.yaml"), lambda n: {"a.yaml": _chain_of_vars(n)})
SHAPES["vars in a chain, backwards"] = (("build", "a.yaml"), lambda n: {"a.yaml": _backwards(n)})
SHAPES["vars that double"] = (("build", "a.yaml"), lambda n: {"a.yaml": _doubling(n)})
_build("vars in a circle", lambda n: "vars:\n" + rows(n, "  v%: $<v^>", 1) + f"  v0: $<v{n - 1}>\n")
_build("a long var, often", lambda n: f"vars: {{v: {'x' * n}}}\nenv:\n" + rows(n // 10, "  A%: $<v>"))
_build("unknown vars", lambda n: "env:\n" + rows(n, "  A%: $<pdos%>"))
_build("keys with vars", lambda n: "vars: {v: x}\nmounts:\n" + rows(n, "  /$<v>/%: {hostPath: /x}"))
_build("mounts of a profile", lambda n: "mounts:\n" + rows(n, "  /m%: {hostPath: /x}"))
_build("files of a profile", lambda n: "files:\n" + rows(n, "  /f%/m: {text: x}"))
_build("sidecars", lambda n: "sidecars:\n" + rows(n, "  s%: {image: 'a:1', command: [sleep]}"))
_build("patched variables", lambda n: "patch: {container: {env: [" + flow(n, "{name: A%, value: x}") + "]}}\n")
_build(
    "objects of a profile",
    lambda n: "objects:\n" + rows(n, "- {apiVersion: v1, kind: ConfigMap, metadata: {name: c%}}"),
)
_build("nulls", lambda n: "env:\n" + rows(n, "  A%: null"))
_build("variants", lambda n: "variants:\n" + rows(n, "  v%: {pods: 2}"))
_build("variants of a long job", lambda n: "env:\n" + rows(n, "  A%: x") + "variants:\n" + rows(n, "  v%: {pods: 2}"))
_build("variants that are not there", lambda n: "variants:\n" + rows(n, "  v%: null"))
_files(
    "storage of a profile",
    "build a.yaml",
    lambda n: {
        "a.yaml": JOB + "cluster: c.yaml\nmounts:\n" + rows(n, "  /m%: {storage: s%x}"),
        "c.yaml": CLUSTER + "storage:\n" + rows(n, "  s%: {hostPath: /x%}"),
    },
)
_files("bases", "build a.yaml", _wide)
_files("bases in a chain", "build a.yaml", _chain)
_files("bases in diamonds", "build a.yaml", _diamonds)
_files("bases in a grid", "build a.yaml", _grid)
_files("profiles", "build .", lambda n: {f"f{k}.yaml": JOB.replace("name: j", f"name: j{k}") for k in range(n)})
_files("a cluster profile", "lint c.yaml", lambda n: {"c.yaml": CLUSTER + "pools:\n  p:\n" + rows(n, "    ndoes%: 1")})
_script_of("conditions of a batch script", "if some%; then echo %; fi\n")
_script_of("files that a batch script asks for", "if [ -f /x% ]; then A%=1; fi\n")
_script_of("calls in a batch script", "f() { echo $1; }\nf %\n")


def sized(name: str, size: int) -> Files:
    """The files of a shape, together about as long as asked for, in bytes."""
    files = SHAPES[name][1]
    each = (length(files(64)) - length(files(32))) / 32
    return files(max(2, round(size / each)))


def length(files: Files) -> int:
    """Characters of files."""
    return sum(map(len, files.values()))
