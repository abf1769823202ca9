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
<<<<<<< HEAD
    "launcher_without_script": ((), (), ("<slip: no-script>",)),
    "lost_claims": (("TrainJob",), (), ("resourcesPerNode",)),
    "lost_words": ((), (), ("<slip: lost-words>",)),
=======
    "instant_deadline": ((), (), ("activeDeadlineSeconds",)),
>>>>>>> af92bdf (A refusal points at the profile's own line: the entry of a mount, a patch or a container that holds the value)
    "misread_nccl_value": ((), (), ("<a variable of NCCL>",)),
    "missing_roles": (("JAXJob", "MPIJob", "MSJob", "PaddleJob", "PyTorchJob", "TFJob", "XGBoostJob"), (), ()),
    "missing_shm": ((), (), ()),
    "more_processes_than_gpus": ((), (), ("<a launcher>",)),
    "nccl_variable_too_new": ((), (), ("<a variable of NCCL>",)),
    "negative_limit": (("JAXJob", "MPIJob", "MSJob", "PaddleJob", "PyTorchJob", "TFJob", "XGBoostJob"), (), ("backoffLimit", "activeDeadlineSeconds", "ttlSecondsAfterFinished", "slotsPerWorker")),
    "one_string_command": ((), (), ("<slip: one-string>",)),
    "preload_not_mounted": ((), (), ()),
    "refused_job": ((), ("",), ()),
    "refused_nccl_value": ((), (), ("<a variable of NCCL>",)),
    "refused_pod": ((), (), ("<a refused pod>",)),
    "reserved_init_container": (("MPIJob", "PyTorchJob"), (), ("<a refused pod>",)),
    "reserved_volume": (("MPIJob",), (), ("<a refused pod>",)),
    "same_rank_everywhere": ((), (), ("<a launcher>",)),
    "shell_words": ((), (), ("<slip: shell-words>",)),
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
    "undefined_reference": ((), (), ("<slip: undefined>",)),
    "unequal_request": ((), (), ("<a refused pod>",)),
    "unexpanded_variable": ((), (), ("<slip: unexpanded>",)),
    "unknown_clean_policy": (("JAXJob", "MPIJob", "MSJob", "PaddleJob", "PyTorchJob", "TFJob", "XGBoostJob"), (), ("cleanPodPolicy",)),
    "unknown_manager": (("MPIJob", "PaddleJob", "PyTorchJob", "TFJob", "XGBoostJob"), (), ("managedBy",)),
    "unknown_nccl_variable": ((), (), ("<a variable of NCCL>",)),
    "unknown_restart_policy": (("JAXJob", "MPIJob", "MSJob", "PaddleJob", "PyTorchJob", "TFJob", "XGBoostJob"), (), ("restartPolicy",)),
    "unknown_role": (("JAXJob", "MPIJob", "MSJob", "PaddleJob", "PyTorchJob", "TFJob", "XGBoostJob"), (), ()),
    "unusable_name": ((), (), ()),
    "unusable_port": ((), (), ("ports",)),
    "worker_without_sshd": (("MPIJob",), (), ()),
    "world_size_mismatch": ((), (), ()),
    "wrong_container_name": (("JAXJob", "MPIJob", "MSJob", "PaddleJob", "PyTorchJob", "TFJob", "XGBoostJob"), (), ()),
    "wrong_replicas": (("JAXJob", "MPIJob", "MSJob", "PaddleJob", "PyTorchJob", "TFJob", "XGBoostJob"), (), ()),
}
