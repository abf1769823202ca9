"""Names of NCCL's variables that its guide does not list, and of those of its plugins, as plain data.

Sources: the names that the released libraries ``libnccl.so.2`` hold in their texts, 2.4.2 to 2.31.2, among them those
that NCCL 2.30.7 reads through ``src/misc/param.cc``; the plugins' own sources, named beside them.
``tests/nccl/releases.txt`` holds which library reads which name, and ``tests/test_nccl.py`` these tables to it.
"""

from __future__ import annotations

# The first and the last release whose library was looked at.
FIRST, LAST = "2.4.2", "2.31.2"

# (since, gone in) → names without the prefix. A library before `since` does not read them; where releases between two
# libraries were not looked at, `since` is the first of those. "": they were there in 2.4.2, they are there in 2.31.2.
_READ: dict[tuple[str, str], str] = {
    ("", ""): "COMM_ID GDR_FLUSH_DISABLE GROUP_CUDA_STREAM MAX_NRINGS MIN_NRINGS",
    ("", "2.5"): "RINGS THREAD_THRESHOLD",
    ("2.5", ""): "HOSTID LL128_NTHREADS THREAD_THRESHOLDS",
    ("2.6", ""): (
        "GRAPH_DUMP_FILE GRAPH_DUMP_FILE_RANK GRAPH_FILE LL128_BUFFSIZE LL_BUFFSIZE MAX_P2P_NCHANNELS "
        "MIN_P2P_NCHANNELS P2P_READ_ENABLE TOPO_DUMP_FILE_RANK"
    ),
    ("2.8", ""): "IB_PKEY IB_USE_INLINE",
    ("2.8", "2.10"): "SHARED_BUFF_COUNT",
    ("2.9", ""): "GDRCOPY_ENABLE GDRCOPY_FIFO_ENABLE GDRCOPY_FLUSH_ENABLE NVB_PRECONNECT",
    ("2.9", "2.13"): "AGG_ALLOC_MODE GDRCOPY_TAIL_ENABLE",
    ("2.9", "2.20"): "AGG_CHANNEL_SIZE",
    ("2.11", ""): (
        "CHUNK_SIZE GDRCOPY_SYNC_ENABLE GRAPH_HELPER_DISABLE IGNORE_DISABLED_P2P L1_SHARED_MEMORY_CARVEOUT "
        "NCHANNELS_PER_NET_PEER NET_DISABLE_INTRA P2P_USE_CUDA_MEMCPY SHM_LOCALITY"
    ),
    ("2.11", "2.21"): "CUDA_PATH",
    ("2.11", "2.22"): "WORK_FIFO_DEPTH",
    ("2.11", "2.30.7"): "CREATE_THREAD_CONTEXT SHM_MEMCPY_MODE SHM_USE_CUDA_MEMCPY",
    ("2.14", ""): "PROXY_DUMP_SIGNAL",
    ("2.14", "2.16"): "NCCL_ALLOC_P2P_NET_LL_BUFFERS",
    ("2.15", ""): "NET_FORCE_FLUSH",
    ("2.16", ""): "P2P_NVL_CHUNKSIZE P2P_PCI_CHUNKSIZE PROGRESS_APPENDOP_FREQ PROXY_APPEND_BATCH_SIZE",
    ("2.17", ""): "NVLS_NCHANNELS",
    ("2.18", ""): "COMM_SPLIT_SHARE_RESOURCES IB_MERGE_VFS NET_OVERHEAD",
    ("2.20", ""): ("CONNECT_ROUND_MAX_PEERS NVLSTREE_MAX_CHUNKSIZE REPORT_CONNECT_PROGRESS WARN_ENABLE_DEBUG_INFO"),
    ("2.20", "2.21"): "MNNVL",
    ("2.21", ""): "NVLS_CHUNKSIZE",
    ("2.22", ""): "IB_ROUTABLE_FLID_GID_INDEX UNPACK_DOUBLE_NCHANNELS WORK_ARGS_BYTES WORK_FIFO_BYTES",
    ("2.23", ""): "PAT_ENABLE",
    ("2.24", ""): (
        "IB_MQP_RETRY_ALL IB_MQP_RETRY_CNT IB_MQP_RETRY_SLEEP_MSEC IB_WARN_RAIL_LOCAL NET_FORCE_MERGE "
        "NET_MERGE_LEVEL NET_OPTIONAL_RECV_COMPLETION"
    ),
    ("2.26", ""): "NET_PLUGIN_REF_COUNT",
    ("2.27", ""): (
        "COMM_SHRINK_SHARE_RESOURCES IB_DATA_DIRECT LL128_C2C NVLINK_UTIL_CENTRIC_SCHED_ENABLE SOCKET_INLINE "
        "SOCKET_MIN_TASKSIZE SOCKET_RCVBUF SOCKET_SNDBUF SYM_CTAS SYM_KERNEL WIN_STRIDE"
    ),
    ("2.27.4", ""): "MNNVL_SCATTER_NETS_ENABLE",
    ("2.28", ""): "NVTX_DISABLE PROXY_CPUSET SET_CPU_STACK_SIZE SINGLE_PROC_MEM_REG_ENABLE",
    ("2.28.4", ""): (
        "GIN_ENABLE GIN_ERROR_QUERY_SEC GIN_GDAKI_NIC_HANDLER GIN_GDAKI_QP_DEPTH GIN_PROXY_QUEUE_SIZE GIN_TYPE "
        "MNNVL_RAIL_PER_HOST P2P_SCHEDULE_GROUP_SIZE"
    ),
    ("2.28.4", "2.30"): "GIN_COUNTER_POOL_SIZE GIN_NCONTEXTS GIN_SIGNAL_POOL_SIZE",
    ("2.29", ""): (
        "ALLGATHERV_ENABLE ENABLE_VERSION_CHECK MULTI_SEGMENT_REGISTER NUM_RMA_CTX P2P_EPOCH_ENABLE "
        "P2P_PER_CHANNEL_NET_BW RMA_PROXY_DUMP_SIGNAL RMA_PROXY_QUEUE_SIZE SYM_CE_THRESHOLD SYM_NOWIN_ENABLE"
    ),
    ("2.29.3", ""): (
        "DISABLE_MEM_MANAGER GDAKI_USE_RELIABLE_DB GIN_NCONNECTIONS GIN_PLUGIN GIN_PLUGIN_REF_COUNT "
        "IB_DEVICE_PCI_ORDER IB_PREPOST_RECEIVE_WORK_REQUESTS IB_RECEIVER_SIDE_MATCHING_SCHEME "
        "IB_RESILIENCY_PORT_FAILOVER IB_RESILIENCY_PORT_FAILOVER_MAX_ATTEMPTS "
        "IB_RESILIENCY_PORT_FAILOVER_PROBE_DELAY LSA_TEAM_SIZE NO_CACHE"
    ),
    ("2.29.3", "2.30"): "GIN_EXCLUSIVE_CONTEXTS",
    ("2.30", ""): (
        "ELASTIC_BUFFER_REGISTER GIN_GDAKI_MAX_DEST_RD_ATOMIC GIN_GDAKI_MAX_QP_RD_ATOMIC IBVERBS_LIB "
        "IB_RESILIENCY_PORT_RECOVERY IB_RESILIENCY_PORT_RECOVERY_ACK_TIMEOUT "
        "IB_RESILIENCY_PORT_RECOVERY_ALIVE_MSG_BATCH_INTERVAL IB_RESILIENCY_PORT_RECOVERY_ALIVE_MSG_BATCH_SIZE "
        "IB_RESILIENCY_PORT_RECOVERY_ALIVE_MSG_SEQUENCE_SIZE IB_RESILIENCY_PORT_RECOVERY_ALIVE_MSG_TIMEOUT "
        "IB_RESILIENCY_PORT_RECOVERY_ATTEMPTS_MAX IB_RESILIENCY_PORT_RECOVERY_START_DELAY MNNVL_CROSS_CLIQUE "
        "P2P_MAX_PEERS PARAM_DUMP_ALL SYM_TMA_ENABLE"
    ),
    ("2.30.4", ""): "SYM_REUSE_SYSMEM_HANDLES",
    ("2.30.5", ""): (
        "DEV_API_JIT GIN_IB_TC IB_QUERY_PORT_SPEED IB_SUBNET_AWARE_ROUTING IB_SUBNET_PREFIX_LEN "
        "MLOPART_RDMA_ENABLE NET_GDR_MLOPART RMA_DISABLE RMA_PLUGIN RMA_PLUGIN_REF_COUNT SHADOW_MEMPOOL_MAX_SIZE "
        "SYM_RS_GIN_CHUNK_SIZE TOPO_SPLIT_MLOPART"
    ),
    ("2.31", ""): (
        "CE_COLL_AG_MULTICAST_THRESHOLD CFT_ENABLE DIAGNOSTICS_ECC_THRESHOLD ENQUEUE_REARCH_ENABLE "
        "GDRCOPY_USE_INTERNAL_DMABUF GIN_IB_OOO_OPT GIN_PROXY_NTHREADS GIN_PROXY_POLL_BATCH HIER_CE_COLL_NUM_CTX "
        "IB_EVENT_BASED_LB IB_EVENT_BASED_LB_REMOTE IB_PKEY_VALUE IB_WQE_LATENCY_REPORT "
        "IB_WQE_LATENCY_THRESHOLD_NS NUM_RMA_INT_CTX P2P_PER_CHANNEL_REG_NET_BW RMA_EAGER_INIT "
        "RMA_MULTI_CTX_THRESHOLD RUN_DIAGNOSTICS RUN_RAS_DIAGNOSTICS TOPO_SCATTER_START_NET"
    ),
}
# Old names, and names of releases after the last that was looked at.
_OTHERS = {
    "NCCL_IB_GDR_LEVEL": ("", "2.4.0"),
    "NCCL_IB_RAIL_POLICY": ("", ""),
    "NCCL_PSK": ("", ""),
}
# Name → (since, gone in).
UNLISTED: dict[str, tuple[str, str]] = {
    **{f"NCCL_{name}": when for when, names in _READ.items() for name in names.split()},
    **_OTHERS,
}

# Families that plugins, tools and nccl-tests read, and single names of theirs.
PREFIXES: tuple[str, ...] = (
    # NVIDIA/nccl 2.30.7, plugins/profiler: inspector and the example; nccl-tests, src/common.cu
    "NCCL_INSPECTOR_",
    "NCCL_PROFILE_",
    "NCCL_TESTS_",
    # Mellanox/nccl-rdma-sharp-plugins (HPC-X), src/sharp_plugin.c, p2p_plugin.c, ucx_plugin.c; UCX reads its own
    # variables under `NCCL_UCX_`, as it is given that prefix
    "NCCL_SHARP_",
    "NCCL_PLUGIN_",
    "NCCL_UCX_",
    "NCCL_IBEXT_",
    # Google's TCPX (google/nccl-plugin-gpudirect-tcpx), TCPXO and gIB
    "NCCL_GPUDIRECTTCPX_",
    "NCCL_TCPX_",
    "NCCL_FASTRAK_",
    "NCCL_SHIMNET_",
)
PLUGINS: tuple[str, ...] = (
    # Google's plugins and their tuner; NVIDIA/nccl 2.30.7, plugins/tuner/example
    "NCCL_DYNAMIC_CHUNK_SIZE",
    "NCCL_TUNER_CONFIG_PATH",
    "NCCL_USE_SNAP",
    "NCCL_TUNER_CONFIG_FILE",
    # pytorch/pytorch, torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp: names of 2.1
    "NCCL_ASYNC_ERROR_HANDLING",
    "NCCL_BLOCKING_WAIT",
    "NCCL_DESYNC_DEBUG",
    "NCCL_ENABLE_TIMING",
    "NCCL_USE_TENSOR_REGISTER_ALLOCATOR_HOOK",
    # images and build scripts tell where NCCL is and which one
    "NCCL_HOME",
    "NCCL_INCLUDE_DIR",
    "NCCL_LIB_DIR",
    "NCCL_VERSION",
)

# Names that nobody reads, and what is meant: PyTorch has had these under its own prefix from the start.
MEANT: dict[str, str] = {
    "NCCL_ENABLE_MONITORING": "TORCH_NCCL_ENABLE_MONITORING",
    "NCCL_TRACE_BUFFER_SIZE": "TORCH_NCCL_TRACE_BUFFER_SIZE",
    "NCCL_DUMP_ON_TIMEOUT": "TORCH_NCCL_DUMP_ON_TIMEOUT",
}
