"""Which images are known: by their names, whatever registry stands in front, and by no name that is like theirs."""

from __future__ import annotations

import pytest

from specgen.operators.mpi.images import found_by_entrypoint, sshd_port


@pytest.mark.parametrize(
    ("image", "port"),
    [
        ("mpioperator/base", 2222),
        ("docker.io/mpioperator/openmpi:v0.6.0", 2222),
        ("registry.example.com:5000/mirror/mpioperator/intel:latest", 2222),
        ("mpioperator/mpich@sha256:" + "0" * 64, 2222),
        ("mpioperator/mpi-pi:openmpi", 2222),
        ("ghcr.io/kubeflow/trainer/deepspeed-runtime:v2.3.0", 2222),
        ("ghcr.io/kubeflow/trainer/mlx-runtime", 2222),
        ("mpioperator/openmpi:0.3.0", None),
        ("mpioperator/mpi-pi", None),
        ("mpioperator/mpi-pi:v1", None),
        ("mpioperator/tensorflow-benchmarks:latest", None),
        ("ghcr.io/kubeflow/trainer/torchtune-trainer:v2.3.0", None),
        ("mympioperator/base", None),
        ("registry.example.com:2222/team/mpi", None),
        ("", None),
    ],
)
def test_where_sshd_listens(image: str, port: int | None) -> None:
    known = sshd_port(image)
    assert (known[0] if known else None) == port


def test_a_configuration_of_ones_own_may_say_any_port() -> None:
    assert sshd_port("mpioperator/base", "/home/mpiuser/.sshd_config") == (2222, "mpioperator/base")
    assert sshd_port("mpioperator/base", "/etc/own") is None


@pytest.mark.parametrize(
    ("image", "known"),
    [
        ("mpioperator/mpi-pi:intel", "mpioperator/mpi-pi:intel"),
        ("registry.example.com/mpioperator/intel:v0.8.0", "mpioperator/intel"),
        ("mpioperator/mpi-pi:openmpi", ""),
        ("mpioperator/openmpi", ""),
    ],
)
def test_whose_programs_only_the_entrypoint_finds(image: str, known: str) -> None:
    assert found_by_entrypoint(image) == known
