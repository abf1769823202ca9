"""Rule → kinds that it is for, none for all; causes without which it is not asked.

Written by ``python -m specgen.generate`` from the rules themselves.
"""

from __future__ import annotations

RULES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "chief_beside_master": (("TFJob",), ("chief",)),
    "dangling_mount": ((), ()),
    "doubled_process_count": (("PyTorchJob",), ("processes",)),
    "elastic_without_worker": (("PyTorchJob",), ("elastic", "elastic-panic")),
    "env_differs_by_role": ((), ()),
    "gpu_not_requested": ((), ()),
    "hca_without_ipc_lock": ((), ()),
    "impossible_elastic_range": (("PyTorchJob",), ()),
    "incomplete_template": ((), ()),
    "missing_roles": (("JAXJob", "MPIJob", "MSJob", "PaddleJob", "PyTorchJob", "TFJob", "XGBoostJob"), ()),
    "missing_shm": ((), ()),
    "negative_limit": (("JAXJob", "MPIJob", "MSJob", "PaddleJob", "PyTorchJob", "TFJob", "XGBoostJob"), ()),
    "preload_not_mounted": ((), ()),
    "refused_job": ((), ("",)),
    "refused_pod": ((), ()),
    "reserved_init_container": (("MPIJob", "PyTorchJob"), ()),
    "reserved_volume": (("MPIJob",), ()),
    "too_many_processes": (("MPIJob",), ()),
    "trainer_behind_shell": ((), ()),
    "trainer_behind_torchrun": ((), ()),
    "trainer_large_bucket": ((), ()),
    "trainer_many_loaders": ((), ()),
    "trainer_refused_argument": ((), ()),
    "trainer_short_grace": ((), ()),
    "trainer_small_shm": ((), ()),
    "trainer_unknown_argument": ((), ()),
    "trainer_unpassed_variable": ((), ()),
    "unequal_request": ((), ()),
    "unknown_clean_policy": (("JAXJob", "MPIJob", "MSJob", "PaddleJob", "PyTorchJob", "TFJob", "XGBoostJob"), ()),
    "unknown_manager": (("MPIJob", "PaddleJob", "PyTorchJob", "TFJob", "XGBoostJob"), ()),
    "unknown_restart_policy": (("JAXJob", "MPIJob", "MSJob", "PaddleJob", "PyTorchJob", "TFJob", "XGBoostJob"), ()),
    "unknown_role": (("JAXJob", "MPIJob", "MSJob", "PaddleJob", "PyTorchJob", "TFJob", "XGBoostJob"), ()),
    "unusable_name": ((), ()),
    "unusable_port": ((), ()),
    "worker_without_sshd": (("MPIJob",), ()),
    "world_size_mismatch": ((), ()),
    "wrong_container_name": (("JAXJob", "MSJob", "PaddleJob", "PyTorchJob", "TFJob", "XGBoostJob"), ()),
    "wrong_replicas": (("JAXJob", "MPIJob", "MSJob", "PaddleJob", "PyTorchJob", "TFJob", "XGBoostJob"), ()),
}
