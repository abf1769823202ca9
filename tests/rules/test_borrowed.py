"""Fixes of what several roles borrow by an alias or a merge key: the owner is mended where all have the finding."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bad.program import specgen

HEAD = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: llama-ft}
spec:
  pytorchReplicaSpecs:
"""
MASTER = """\
    Master:
      replicas: 1
      restartPolicy: OnFailure
      template: &pod
        spec:
          tolerations: [{operator: Exists, value: x}]
          containers:
          - &own
            name: pytorch
            image: registry.example.com/train:1.4
            imagePullPolicy: always
            command: ["torchrun train.py"]
            securityContext: {capabilities: {add: [CAP_SYS_PTRACE]}}
            env: [{name: NCCL_SOCKET_IF_NAME, value: eth0}]
"""
# where → (how the Worker borrows, what each line of the Master that is mended says then)
BORROWED = {
    "pods": "      template: *pod\n",
    "role by a merge key": "",
    "container": "      template:\n        spec:\n          containers: [*own]\n",
    "container by a merge key": "      template: {spec: {containers: [{<<: *own, args: [--lr, '1']}]}}\n",
}
MENDED = {
    '"torchrun train.py"': "torchrun, train.py",
    "always": "Always",
    "CAP_SYS": "SYS",
    "NCCL_SOCKET_IF_NAME": "NCCL_SOCKET_IFNAME",
}


@pytest.mark.parametrize("how", BORROWED)
def test_the_owner_is_mended(how: str, tmp_path: Path) -> None:
    roles = MASTER.replace("Master:", "Master: &role") if how.startswith("role") else MASTER
    worker = "<<: *role" if how.startswith("role") else "restartPolicy: OnFailure"
    text = f"{HEAD}{roles}    Worker:\n      {worker}\n      replicas: 3\n{BORROWED[how]}"
    file = tmp_path / "job.yaml"
    file.write_text(text)
    specgen("fix", "--unsafe", "job.yaml", cwd=tmp_path)
    for old, new in {**MENDED, ", value: x": ""}.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    assert file.read_text() == text


def test_what_another_role_needs_as_it_is_stays(tmp_path: Path) -> None:
    """The Worker has the volume that the Master lacks: its pods are not the Master's to change."""
    text = (
        f"{HEAD}    Master:\n      replicas: 1\n      restartPolicy: OnFailure\n      template:\n        spec:\n"
        "          containers:\n          - &own\n            name: pytorch\n"
        "            image: registry.example.com/train:1.4\n            command: [torchrun, train.py]\n"
        "            volumeMounts: [{name: dat, mountPath: /data}]\n          volumes: [{name: data, emptyDir: {}}]\n"
        "    Worker:\n      replicas: 3\n      restartPolicy: OnFailure\n      template:\n        spec:\n"
        "          containers: [*own]\n          volumes: [{name: dat, emptyDir: {}}]\n"
    )
    file = tmp_path / "job.yaml"
    file.write_text(text)
    assert "SG413" in specgen("fix", "--unsafe", "job.yaml", cwd=tmp_path).out
    assert file.read_text() == text
