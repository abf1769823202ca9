"""Rule → kinds that it is for, none for all; causes and fields without which it is not asked.

Written by ``python -m specgen.generate`` from the rules themselves.
"""

from __future__ import annotations

RULES: dict[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    "chief_beside_master": (("TFJob",), ("chief",), ()),
    "dangling_mount": ((), (), ("<a refused pod>",)),
    "doubled_process_count": (("PyTorchJob",), ("processes",), ()),
    "elastic_without_worker": (("PyTorchJob",), ("elastic", "elastic-panic"), ()),
    "env_differs_by_role": ((), (), ()),
    "gpu_not_requested": ((), (), ()),
    "hca_without_ipc_lock": ((), (), ()),
    "impossible_elastic_range": (("PyTorchJob",), (), ("elasticPolicy",)),
    "incomplete_template": ((), (), ()),
    "missing_roles": (("JAXJob", "MPIJob", "MSJob", "PaddleJob", "PyTorchJob", "TFJob", "XGBoostJob"), (), ()),
    "missing_shm": ((), (), ()),
    "negative_limit": (("JAXJob", "MPIJob", "MSJob", "PaddleJob", "PyTorchJob", "TFJob", "XGBoostJob"), (), ("backoffLimit", "activeDeadlineSeconds", "ttlSecondsAfterFinished", "slotsPerWorker")),
    "preload_not_mounted": ((), (), ()),
    "refused_job": ((), ("",), ()),
    "refused_pod": ((), (), ("<a refused pod>",)),
    "reserved_init_container": (("MPIJob", "PyTorchJob"), (), ("<a refused pod>",)),
    "reserved_volume": (("MPIJob",), (), ("<a refused pod>",)),
    "too_many_processes": (("MPIJob",), (), ()),
    "trainer_behind_shell": ((), (), ()),
    "trainer_behind_torchrun": ((), (), ()),
    "trainer_large_bucket": ((), (), ()),
    "trainer_many_loaders": ((), (), ()),
    "trainer_refused_argument": ((), (), ()),
    "trainer_short_grace": ((), (), ()),
    "trainer_small_shm": ((), (), ()),
    "trainer_unknown_argument": ((), (), ()),
    "trainer_unpassed_variable": ((), (), ()),
    "unequal_request": ((), (), ("<a refused pod>",)),
    "unknown_clean_policy": (("JAXJob", "MPIJob", "MSJob", "PaddleJob", "PyTorchJob", "TFJob", "XGBoostJob"), (), ("cleanPodPolicy",)),
    "unknown_manager": (("MPIJob", "PaddleJob", "PyTorchJob", "TFJob", "XGBoostJob"), (), ("managedBy",)),
    "unknown_restart_policy": (("JAXJob", "MPIJob", "MSJob", "PaddleJob", "PyTorchJob", "TFJob", "XGBoostJob"), (), ("restartPolicy",)),
    "unknown_role": (("JAXJob", "MPIJob", "MSJob", "PaddleJob", "PyTorchJob", "TFJob", "XGBoostJob"), (), ()),
    "unusable_name": ((), (), ()),
    "unusable_port": ((), (), ("ports",)),
    "worker_without_sshd": (("MPIJob",), (), ()),
    "world_size_mismatch": ((), (), ()),
    "wrong_container_name": (("JAXJob", "MPIJob", "MSJob", "PaddleJob", "PyTorchJob", "TFJob", "XGBoostJob"), (), ()),
    "wrong_replicas": (("JAXJob", "MPIJob", "MSJob", "PaddleJob", "PyTorchJob", "TFJob", "XGBoostJob"), (), ()),
}
