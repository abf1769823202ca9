"""NCCL's documented environment variables as plain data, as of NCCL 2.30.7, and what it makes of their values."""

from __future__ import annotations

# Kind, words, least and greatest number; `specgen.nccl` says what the kinds mean. Sources, unless a
# line says otherwise: docs/userguide/source/env.rst of NVIDIA/nccl at v2.30.7-1.
Grammar = tuple[str, tuple[str, ...], int, int]
Variable = tuple[Grammar, str, str, str, str, str]

INT32 = 2**31 - 1
INT64 = 2**63 - 1
UINT32 = 2**32 - 1
UINT64 = 2**64 - 1

SWITCH: Grammar = ("integer", (), 0, 1)
THREEWAY: Grammar = ("integer", (), 0, 2)
COUNT: Grammar = ("integer", (), 0, INT32)
POSITIVE: Grammar = ("integer", (), 1, INT32)
BYTES: Grammar = ("bytes", (), 0, INT64)
PATH: Grammar = ("path", (), 0, 0)
NAME: Grammar = ("name", (), 0, 0)
LABEL: Grammar = ("label", (), 0, 0)
TEXT: Grammar = ("text", (), 0, 0)
FAMILY: Grammar = ("word", ("AF_INET", "AF_INET6"), 0, 0)
# The guide leaves out NVB, C2C, P2C and PXN; src/graph/paths.cc (ncclGetLevel) compares with every path type up to
# SYS, in this letter case, and takes a number of the old scale where the value begins with a digit.
LEVEL: Grammar = ("level", ("LOC", "NVL", "NVB", "C2C", "PIX", "PXB", "P2C", "PXN", "PHB", "SYS"), 0, 5)
# 4 bits and 8 bits in the verbs' address handle; -1 is the library's own default (src/transport/net_ib).
SERVICE_LEVEL: Grammar = ("integer", (), -1, 15)
TRAFFIC_CLASS: Grammar = ("integer", (), -1, 255)
# 64 since 2.25, 32 before.
CTAS: Grammar = ("integer", (), 1, 64)
LEVELS: Grammar = ("set", ("VERSION", "WARN", "INFO", "ABORT", "TRACE", "ALL"), 0, 0)
SUBSYSTEMS: Grammar = (
    "set",
    (
        *("INIT", "COLL", "P2P", "SHM", "NET", "GRAPH", "TUNING", "ENV", "ALLOC", "ALLOC_HOST", "CALL"),
        *("PROXY", "NVLS", "BOOTSTRAP", "REG", "PROFILE", "RAS", "DESTROY", "ALL"),
    ),
    0,
    0,
)
ALGORITHMS: Grammar = (
    "tuning",
    ("Ring", "Tree", "CollNetDirect", "CollNetChain", "NVLS", "NVLSTree", "PAT"),
    0,
    0,
)
PROTOCOLS: Grammar = ("tuning", ("LL", "LL128", "Simple"), 0, 0)

# name: (grammar, since, removed in, replaced by, section, meaning). Versions are "" where the guide
# gives none. Sections: S = system configuration, D = debugging, not meant for production.
VARIABLES: dict[str, Variable] = {
    "NCCL_SOCKET_IFNAME": (("devices", (), 0, 0), "", "", "", "S", "IP interfaces to use"),
    "NCCL_SOCKET_FAMILY": (FAMILY, "", "", "", "S", "IP family of the sockets"),
    "NCCL_SOCKET_MAGIC": (("integer", (), 0, UINT64), "2.30.5", "", "", "S", "number that both ends of a socket share"),
    "NCCL_SOCKET_RETRY_CNT": (POSITIVE, "2.24", "", "", "S", "attempts to connect a socket"),
    "NCCL_SOCKET_RETRY_SLEEP_MSEC": (POSITIVE, "2.24", "", "", "S", "milliseconds before the first new attempt"),
    "NCCL_SOCKET_POLL_TIMEOUT_MSEC": (COUNT, "2.29", "", "", "S", "milliseconds to poll during bootstrap"),
    "NCCL_SOCKET_NTHREADS": (("integer", (), 1, 16), "2.4.8", "", "", "S", "helper threads per socket connection"),
    "NCCL_NSOCKS_PERTHREAD": (("integer", (), 1, 64), "2.4.8", "", "", "S", "sockets per helper thread"),
    "NCCL_CROSS_NIC": (THREEWAY, "", "", "", "S", "whether a ring or tree may change the NIC between nodes"),
    "NCCL_IB_HCA": (("devices", (), 3, 32), "", "", "", "S", "RDMA devices to use"),
    "NCCL_IB_TIMEOUT": (("integer", (), 0, 31), "", "", "", "S", "acknowledgement timeout, 4.096 us times 2 to this"),
    "NCCL_IB_RETRY_CNT": (("integer", (), 0, 7), "2.1.15", "", "", "S", "retries of an RDMA operation"),
    "NCCL_IB_GID_INDEX": (("integer", (), -1, INT32), "2.1.4", "", "", "S", "index of the GID for RoCE"),
    "NCCL_IB_ADDR_FAMILY": (FAMILY, "2.21", "", "", "S", "IP family of the GID that NCCL chooses"),
    "NCCL_IB_ADDR_RANGE": (("cidr", (), 0, 0), "2.21", "", "", "S", "addresses among which NCCL chooses the GID"),
    "NCCL_IB_ROCE_VERSION_NUM": (("integer", (), 1, 2), "2.21", "", "", "S", "RoCE version of that GID"),
    "NCCL_IB_SL": (SERVICE_LEVEL, "2.1.4", "", "", "S", "InfiniBand service level"),
    "NCCL_IB_TC": (TRAFFIC_CLASS, "2.1.15", "", "", "S", "InfiniBand traffic class"),
    "NCCL_IB_FIFO_TC": (TRAFFIC_CLASS, "2.22.3", "", "", "S", "traffic class of control messages"),
    "NCCL_IB_RETURN_ASYNC_EVENTS": (SWITCH, "2.23", "", "", "S", "stop on fatal asynchronous events"),
    "NCCL_OOB_NET_ENABLE": (SWITCH, "2.23", "", "", "S", "bootstrap over the NCCL network"),
    "NCCL_OOB_NET_IFNAME": (("devices", (), 1, 0), "2.23", "", "", "S", "interfaces for that bootstrap"),
    "NCCL_UID_STAGGER_THRESHOLD": (POSITIVE, "2.23", "", "", "S", "ranks per unique id that connect at once"),
    "NCCL_UID_STAGGER_RATE": (POSITIVE, "2.23", "", "", "S", "messages per second when they do"),
    "NCCL_NET": (LABEL, "2.10", "", "", "S", "network module: IB, Socket or the name of a plugin"),
    "NCCL_NET_PLUGIN": (NAME, "2.11", "", "", "S", "network plugin: suffix, file or none"),
    "NCCL_TUNER_PLUGIN": (NAME, "2.19", "", "", "S", "tuner plugin: suffix, file or none"),
    "NCCL_PROFILER_PLUGIN": (NAME, "2.23", "", "", "S", "profiler plugin: suffix, file, none or STATIC_PLUGIN"),
    "NCCL_ENV_PLUGIN": (NAME, "2.28.4", "", "", "S", "environment plugin: suffix, file or none"),
    "NCCL_IGNORE_CPU_AFFINITY": (SWITCH, "2.4.6", "", "", "S", "ignore the CPU affinity of the process"),
    "NCCL_CONF_FILE": (PATH, "2.23", "", "", "S", "file with further settings"),
    "NCCL_DEBUG": (("anycase", LEVELS[1][:-1], 0, 0), "", "", "", "S", "what to log"),
    "NCCL_DEBUG_FILE": (PATH, "2.2.12", "", "", "S", "file to log to, %h is the host and %p the process"),
    "NCCL_DEBUG_SUBSYS": (SUBSYSTEMS, "2.3.4", "", "", "S", "parts of NCCL that log"),
    "NCCL_DEBUG_TIMESTAMP_FORMAT": (TEXT, "2.26", "", "", "S", "form of the time stamp, for strftime"),
    "NCCL_DEBUG_TIMESTAMP_LEVELS": (LEVELS, "2.26", "", "", "S", "messages that get a time stamp"),
    "NCCL_COLLNET_ENABLE": (SWITCH, "2.6", "", "", "S", "use the CollNet plugin"),
    "NCCL_COLLNET_NODE_THRESHOLD": (COUNT, "2.9.9", "", "", "S", "nodes from which CollNet is used"),
    "NCCL_CTA_POLICY": (("policy", ("DEFAULT", "EFFICIENCY", "ZERO"), 0, 2), "2.27", "", "", "S", "how CTAs are spent"),
    "NCCL_NETDEVS_POLICY": (("limit", ("AUTO", "ALL"), 1, INT32), "2.28", "", "", "S", "how GPUs get their NICs"),
    "NCCL_MULTI_RANK_GPU_ENABLE": (SWITCH, "2.30", "", "", "S", "let several ranks share a GPU"),
    "NCCL_TOPO_FILE": (PATH, "2.6", "", "", "S", "topology to read"),
    "NCCL_TOPO_DUMP_FILE": (PATH, "2.6", "", "", "S", "file to write the topology to"),
    "NCCL_SET_THREAD_NAME": (("flag", (), 0, 1), "2.12", "", "", "S", "name the CPU threads"),
    "NCCL_P2P_DISABLE": (SWITCH, "", "", "", "D", "no direct access between GPUs"),
    "NCCL_P2P_LEVEL": (LEVEL, "2.3.4", "", "", "D", "greatest distance of GPUs for direct access"),
    "NCCL_P2P_DIRECT_DISABLE": (SWITCH, "2.11", "", "", "D", "no direct access to user buffers in one process"),
    "NCCL_SHM_DISABLE": (SWITCH, "", "", "", "D", "no shared memory transport"),
    "NCCL_BUFFSIZE": (("bytes", (), 1, INT64), "", "", "", "D", "buffer for each pair of GPUs"),
    "NCCL_NTHREADS": (("threads", (), 64, 512), "", "", "", "D", "CUDA threads per block"),
    "NCCL_MAX_NCHANNELS": (POSITIVE, "2.5", "", "NCCL_MAX_CTAS", "D", "most channels"),
    # The guide says 32; the limit of the channels is that of the CTAs.
    "NCCL_MIN_NCHANNELS": (CTAS, "2.5", "", "NCCL_MIN_CTAS", "D", "fewest channels"),
    "NCCL_CHECKS_DISABLE": (SWITCH, "2.0.5", "2.4.0", "NCCL_CHECK_POINTERS", "D", "no check of arguments"),
    "NCCL_CHECK_POINTERS": (SWITCH, "2.2.12", "", "NCCL_CHECK_MODE", "D", "check the CUDA pointers of each call"),
    "NCCL_CHECK_MODE": (
        ("anycase", ("DEFAULT", "DEBUG_LOCAL", "DEBUG_GLOBAL"), 0, 0),
        "2.29.7",
        "",
        "",
        "D",
        "check of arguments",
    ),
    "NCCL_LAUNCH_MODE": (("anycase", ("PARALLEL", "GROUP"), 0, 0), "2.1", "", "", "D", "how kernels are launched"),
    "NCCL_IB_DISABLE": (SWITCH, "", "", "", "D", "no InfiniBand and no RoCE"),
    "NCCL_IB_AR_THRESHOLD": (BYTES, "2.6", "", "", "D", "size above which data travels in its own message"),
    "NCCL_IB_OOO_RQ": (SWITCH, "2.30", "", "", "D", "consume receive requests out of order"),
    "NCCL_IB_QPS_PER_CONNECTION": (("integer", (), 1, 128), "2.10", "", "", "D", "queue pairs per connection"),
    "NCCL_IB_SPLIT_DATA_ON_QPS": (SWITCH, "2.18", "", "", "D", "split a message over the queue pairs"),
    "NCCL_IB_CUDA_SUPPORT": (SWITCH, "", "2.4.0", "NCCL_NET_GDR_LEVEL", "D", "GPUDirect RDMA on or off"),
    "NCCL_IB_PCI_RELAXED_ORDERING": (THREEWAY, "2.12", "", "", "D", "relaxed ordering on PCI, 2 is automatic"),
    "NCCL_IB_ADAPTIVE_ROUTING": (SWITCH, "2.16", "", "", "D", "transfers fit for adaptive routing"),
    "NCCL_IB_ECE_ENABLE": (SWITCH, "2.23", "", "", "D", "enhanced connection establishment"),
    "NCCL_MEM_SYNC_DOMAIN": (SWITCH, "2.17", "", "", "D", "memory synchronisation domain of the kernels"),
    "NCCL_CUMEM_ENABLE": (SWITCH, "2.18", "", "", "D", "allocate with cuMem"),
    "NCCL_CUMEM_HOST_ENABLE": (SWITCH, "2.23", "", "", "D", "allocate host memory with cuMem"),
    "NCCL_NET_GDR_LEVEL": (LEVEL, "2.4.0", "", "", "D", "greatest distance of GPU and NIC for GPUDirect RDMA"),
    "NCCL_NET_GDR_C2C": (SWITCH, "2.26", "", "", "D", "GPUDirect RDMA to a NIC behind a C2C link"),
    "NCCL_NET_GDR_READ": (SWITCH, "", "", "", "D", "GPUDirect RDMA for sending"),
    "NCCL_NET_SHARED_BUFFERS": (SWITCH, "2.8", "", "", "D", "one pool of buffers for send and receive"),
    "NCCL_NET_SHARED_COMMS": (SWITCH, "2.12", "", "", "D", "reuse connections with PXN"),
    "NCCL_IGNORE_NET_MISMATCH": (SWITCH, "2.30", "", "", "D", "accept ranks with fewer NICs"),
    "NCCL_IGNORE_COLLNET_MISMATCH": (SWITCH, "2.30", "", "", "D", "accept ranks with fewer CollNet devices"),
    "NCCL_SINGLE_RING_THRESHOLD": (BYTES, "2.1", "2.3", "", "D", "size below which one ring is used"),
    "NCCL_LL_THRESHOLD": (BYTES, "2.1", "2.5", "", "D", "size below which LL is used"),
    "NCCL_TREE_THRESHOLD": (BYTES, "2.4", "2.5", "", "D", "size below which trees are used"),
    "NCCL_ALGO": (ALGORITHMS, "2.5", "", "", "D", "algorithms to choose from"),
    "NCCL_PROTO": (PROTOCOLS, "2.5", "", "", "D", "protocols to choose from"),
    "NCCL_NVB_DISABLE": (SWITCH, "2.9", "", "", "D", "no NVLink through another GPU"),
    "NCCL_PXN_DISABLE": (SWITCH, "2.12", "", "", "D", "no NIC of another GPU through NVLink"),
    "NCCL_P2P_PXN_LEVEL": (THREEWAY, "2.12", "", "", "D", "when send and receive use PXN"),
    "NCCL_PXN_C2C": (SWITCH, "2.27", "", "", "D", "PXN over C2C"),
    "NCCL_RUNTIME_CONNECT": (SWITCH, "2.22", "", "", "D", "connect peers at first use"),
    "NCCL_GRAPH_REGISTER": (SWITCH, "2.11", "", "", "D", "register user buffers of CUDA graphs"),
    "NCCL_LOCAL_REGISTER": (SWITCH, "2.19", "", "", "D", "register buffers of the process itself"),
    "NCCL_LEGACY_CUDA_REGISTER": (SWITCH, "2.24", "", "", "D", "register buffers of cudaMalloc"),
    "NCCL_WIN_ENABLE": (SWITCH, "2.27", "", "", "D", "register windows"),
    "NCCL_SET_STACK_SIZE": (SWITCH, "2.9", "", "", "D", "raise the CUDA stack size"),
    "NCCL_GRAPH_MIXING_SUPPORT": (SWITCH, "2.13", "", "", "D", "several calls in flight, captured and not"),
    "NCCL_GRAPH_STREAM_ORDERING": (SWITCH, "2.30.5", "", "", "D", "serialise calls while a graph is captured"),
    "NCCL_DMABUF_ENABLE": (SWITCH, "2.13", "", "", "D", "register GPU memory through dma-buf"),
    "NCCL_P2P_NET_CHUNKSIZE": (("bytes", (), 1, INT64), "2.14", "", "", "D", "message size of send and receive"),
    "NCCL_P2P_LL_THRESHOLD": (BYTES, "2.14", "", "", "D", "size up to which send and receive use LL"),
    # 2.14 and 2.15 read it as `NCCL_NCCL_ALLOC_P2P_NET_LL_BUFFERS`
    "NCCL_ALLOC_P2P_NET_LL_BUFFERS": (SWITCH, "2.16", "", "", "D", "own LL buffers for send and receive"),
    "NCCL_COMM_BLOCKING": (SWITCH, "2.14", "", "", "D", "communicators whose calls block"),
    "NCCL_CGA_CLUSTER_SIZE": (("integer", (), 0, 8), "2.15", "", "", "D", "CTAs of a cluster"),
    "NCCL_MAX_CTAS": (CTAS, "2.17", "", "", "D", "most CTAs"),
    "NCCL_MIN_CTAS": (CTAS, "2.17", "", "", "D", "fewest CTAs"),
    "NCCL_NVLS_ENABLE": (THREEWAY, "2.17", "", "", "D", "NVLink SHARP, 2 is automatic"),
    "NCCL_IB_MERGE_NICS": (SWITCH, "2.20", "", "", "D", "join the ports of a NIC"),
    "NCCL_NET_MERGE_POLICY": (("anycase", ("ALL", "RAIL"), 0, 0), "2.30.5", "", "", "D", "which NICs may be joined"),
    "NCCL_MNNVL_ENABLE": (THREEWAY, "2.21", "", "", "D", "NVLink across nodes, 2 is automatic"),
    "NCCL_MNNVL_UUID": (("integer", (), -INT64 - 1, INT64), "2.25", "", "", "D", "identity of the NVLink domain"),
    "NCCL_MNNVL_CLIQUE_ID": (("integer", (), -INT32 - 1, UINT32), "2.23", "", "", "D", "clique within the domain"),
    "NCCL_RAS_ENABLE": (SWITCH, "2.24", "", "", "D", "the RAS threads"),
    "NCCL_RAS_ADDR": (("address", (), 1, 65535), "2.24", "", "", "D", "address on which RAS listens"),
    "NCCL_RAS_TIMEOUT_FACTOR": (POSITIVE, "2.24", "", "", "D", "factor of the RAS timeouts"),
    "NCCL_LAUNCH_ORDER_IMPLICIT": (SWITCH, "2.26", "", "", "D", "communicators follow the order of the program"),
    "NCCL_LAUNCH_RACE_FATAL": (SWITCH, "2.26", "", "", "D", "stop when launches race"),
    "NCCL_IPC_USE_ABSTRACT_SOCKET": (SWITCH, "2.29", "", "", "D", "abstract sockets for CUDA memory handles"),
    "NCCL_SYM_GIN_KERNELS_ENABLE": (SWITCH, "2.29.3", "", "", "D", "symmetric kernels over GIN"),
}

# Since when NCCL_ALGO knows a word, and the release that no longer does (`ncclAlgoStr`). From 2.24 on, a word that is
# not known ends the start of a communicator of several ranks with ncclInvalidUsage (src/graph/tuning.cc, parseList);
# before, it was left out.
ALGORITHM_SINCE: dict[str, tuple[str, str]] = {
    "CollNet": ("2.5", "2.14"),
    "CollNetDirect": ("2.14", ""),
    "CollNetChain": ("2.14", ""),
    "NVLS": ("2.17", ""),
    "NVLSTree": ("2.18", ""),
    "PAT": ("2.23", ""),
}
STRICT_LISTS = "2.24"
# Before, the levels were numbers (2.5, src/transport/net.cc and p2p.cc: NCCL_PARAM).
WORDS_OF_LEVELS = "2.6"

# What a number other than the documented ones comes to: (how, number). src/transport/net_ib.cc hands retries and
# timeout to ibv_modify_qp, whose fields have as many bits (mlx5: 3 and 5); the rest as its line says.
ACTS: dict[str, tuple[str, int]] = {
    "NCCL_IB_RETRY_CNT": ("bits", 3),
    "NCCL_IB_TIMEOUT": ("bits", 5),
    # src/transport/net_ib.cc: `if (ncclParamIbDisable())`, `ncclParamIbSplitDataOnQps() ?`
    "NCCL_IB_DISABLE": ("any", 0),
    "NCCL_IB_SPLIT_DATA_ON_QPS": ("any", 0),
    # src/graph/paths.cc, src/transport/shm.cc: `== 1`
    "NCCL_P2P_DISABLE": ("only", 1),
    "NCCL_SHM_DISABLE": ("only", 1),
    # src/init.cc, src/transport/net_socket.cc: cut with a line in the log
    "NCCL_CGA_CLUSTER_SIZE": ("most", 8),
    "NCCL_SOCKET_NTHREADS": ("most", 16),
    "NCCL_MAX_CTAS": ("most", 64),
    "NCCL_MIN_CTAS": ("most", 64),
    "NCCL_MIN_NCHANNELS": ("most", 64),
}

# What becomes of a value that NCCL does not know, where it is no number.
BECOMES: dict[str, str] = {
    "NCCL_DEBUG": "NCCL then logs nothing",
    "NCCL_DEBUG_SUBSYS": (
        "up to 2.30.4 NCCL leaves an unknown word out; later ones take `INIT,BOOTSTRAP,ENV` for the whole list"
    ),
    "NCCL_DEBUG_TIMESTAMP_LEVELS": (
        "up to 2.30.4 NCCL leaves an unknown word out; later ones take `WARN` for the whole list"
    ),
    "NCCL_SET_THREAD_NAME": (
        "up to 2.30.4 NCCL reads a number; later ones also `T`, `TRUE`, `F` and `FALSE`, and take all else for 0"
    ),
    "NCCL_LAUNCH_MODE": "NCCL takes all but `GROUP` for `PARALLEL`",
    "NCCL_SOCKET_FAMILY": "NCCL then takes the first address that it finds, of either family",
    "NCCL_SOCKET_IFNAME": "NCCL compares names letter by letter; where none fits, it stops as it starts",
    "NCCL_IB_HCA": "NCCL compares names letter by letter; where none fits, it has no RDMA device",
    "NCCL_IB_ADDR_RANGE": "NCCL says so in its log and leaves the range out",
    "NCCL_NETDEVS_POLICY": "NCCL says so in its log and takes `AUTO`",
    "NCCL_CTA_POLICY": "NCCL says so in its log and leaves the word out",
    "NCCL_NTHREADS": "NCCL says so in its log and takes a number that it allows",
}

# An address without an entry in the guide; src/bootstrap.cc ends with ncclInvalidArgument where it has no port.
COMM_ID = "NCCL_COMM_ID"
