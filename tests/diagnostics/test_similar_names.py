"""Names that are near a known one are looked up for the first of a place alone: a file may hold thousands of both."""

from __future__ import annotations

from specgen.diagnostics.suggest import MOST_HELPED, Names, hint, similar
from specgen.linting import lint_text

HEAD = """apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: j}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template:
        spec:
"""


def test_the_first_names_of_a_place_are_looked_up() -> None:
    names = Names(["data", "scratch"])
    found = [names.similar("datas") for _ in range(MOST_HELPED + 1)]
    assert found == [["data"]] * MOST_HELPED + [[]]
    assert names.hint("datas", "volume") is None
    assert Names(["data", "scratch"]).hint("datas", "volume") == "there is a volume with a similar name: `data`"


def test_the_first_two_thousand_known_names_are_compared() -> None:
    known = [f"{number:04}" for number in range(2000)]
    assert similar("volume-one", [*known[:1999], "volume-two"]) == ["volume-two"]
    assert similar("volume-one", [*known, "volume-two"]) == []


def test_words_of_a_name_lead_to_it() -> None:
    known = ["image", "numNodes", "resourcesPerNode", "numProcPerNode"]
    assert hint("nodes", known) == "there is a field with a similar name: `numNodes`"
    assert hint("resources", known) == "there is a field with a similar name: `resourcesPerNode`"
    assert hint("numProcs", known) == "there is a field with a similar name: `numProcPerNode`"
    assert (
        hint("numberOfProcesses", known)
        == f"the fields here are {', '.join(f'`{one}`' for one in known[:3])}, and `{known[3]}`"
    )


def test_findings_beyond_those_are_all_there() -> None:
    mounts = "".join(f"            - {{name: volume-{n}x, mountPath: /m{n}}}\n" for n in range(60))
    volumes = "".join(f"          - {{name: volume-{n}, emptyDir: {{}}}}\n" for n in range(60))
    containers = (
        f"          containers:\n          - name: pytorch\n            image: a:1\n            volumeMounts:\n{mounts}"
    )
    found = [one for one in lint_text(f"{HEAD}{containers}          volumes:\n{volumes}") if one["code"] == "SG413"]
    assert len(found) == 60
    near = [any(["similar name" in help for help in one["helps"]]) for one in found]
    assert near == [True] * 50 + [False] * 10
