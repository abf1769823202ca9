"""NCCL variables: the tables hold what released libraries read, and values are judged as NCCL reads them."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from specgen import nccl
from specgen._nccl_names import MEANT, PLUGINS, PREFIXES, UNLISTED
from specgen._nccl_table import ACTS, ALGORITHM_SINCE, ALGORITHMS, BECOMES, VARIABLES
from specgen.nccl import effective, gone, judge, known, long_gone, number, takes, too_new

# Values of real manifests that NCCL does not take as documented, each with what happens.
REVIEWED_FAULTS = {
    ("NCCL_DEBUG", "DEBUG"): "no such level; the job logs nothing",
    ("NCCL_DEBUG_SUBSYS", "INIT,GRAPH,ENV,TUNING,NET,VERSION"): "VERSION is a level, no subsystem",
    ("NCCL_IB_RETRY_CNT", "13"): "the verbs' field has 3 bits",
}

# Names of real manifests that nothing reads, each with what was meant.
REVIEWED_UNKNOWN = {
    "NCCL_BOOTSTRAP_TIMEOUT": "nothing in NCCL; a hope for a timeout",
    "NCCL_BOOTSTRAP_TIMEOUT_SEC": "the manifest's own variable for the former",
    "NCCL_IB_GTD_INDEX": "NCCL_IB_GID_INDEX misspelt",
    "NCCL_IB_LIST": "a variable of the manifest's own script",
    "NCCL_IB_NET_LATENCY": "from recipes for GB200, not in the library",
    "NCCL_NITERS": "a variable of the manifest's own script",
}

# A name that libraries hold for another reason before they read it.
ALSO_A_WORD = {"NCCL_NET": "a part of the log, until 2.10 made it a variable"}
FACTS = Path(__file__).parent / "nccl" / "releases.txt"


def _strings(node: object, found: list[tuple[str, str | None]]) -> None:
    """Names and literal values of NCCL variables in env lists, env maps and command lines of a document."""
    if isinstance(node, dict):
        name, value = node.get("name"), node.get("value")
        if isinstance(name, str) and name.startswith("NCCL_") and name != "NCCL_":
            found.append((name, value if isinstance(value, str) else None))
        for key, item in node.items():
            if isinstance(key, str) and key.startswith("NCCL_") and isinstance(item, str):
                found.append((key, item))
            _strings(item, found)
    elif isinstance(node, list):
        for item in node:
            _strings(item, found)
    elif isinstance(node, str):
        names = r"(?<![A-Za-z0-9_])(NCCL_[A-Z0-9_]+)"
        found.extend((match[1], None) for match in re.finditer(names, node))
        # A value with a shell expansion is unknown here, one in quotes loses them in the shell.
        for match in re.finditer(names + r"""=(?:"([^"$`]*)"|'([^']*)'|([^\s"'\\;)$`]+)(?![$`]))""", node):
            found.append((match[1], match[2] or match[3] or match[4] or ""))


@pytest.fixture(scope="module")
def used(shared: Path) -> list[tuple[str, str | None]]:
    corpus = [path for path in sorted((shared / "corpus").glob("*/*.y*ml")) if path.parent.name != "broken"]
    profiles = sorted((shared / "profiles").glob("**/*.y*ml"))
    assert len(corpus) == 395
    assert len(profiles) > 50
    found: list[tuple[str, str | None]] = []
    for path in corpus + profiles:
        for document in yaml.load_all(path.read_text(encoding="utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            _strings(document, found)
    return found


@pytest.fixture(scope="module")
def read() -> dict[str, dict[str, bool]]:
    """Name → release → whether its library holds the name, releases in order."""
    lines = [line.split() for line in FACTS.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    (_, *releases), *names = lines
    assert len(releases) == 32
    found = {}
    for name, *runs in names:
        there: set[int] = set()
        for run in runs:
            first, _, last = run.partition("-")
            there.update(range(releases.index(first), releases.index(last or first) + 1))
        found[name] = {release: index in there for index, release in enumerate(releases)}
    assert len(found) == 285
    return found


def test_a_name_that_a_release_reads_is_known(read: dict[str, dict[str, bool]]) -> None:
    assert [name for name in read if not known(name)] == []


def test_no_release_is_said_to_lack_what_its_library_reads(read: dict[str, dict[str, bool]]) -> None:
    for name, releases in read.items():
        for release, there in releases.items():
            if there and name not in ALSO_A_WORD:
                assert too_new(name, release) is None, (name, release)
                assert gone(name, release) is None, (name, release)


def test_a_release_that_lacks_a_name_is_known_to(read: dict[str, dict[str, bool]]) -> None:
    """Before the first library that reads it, a name with a release is too new; after the last it is gone."""
    judged = 0
    for name, releases in read.items():
        there = [index for index, held in enumerate(releases.values()) if held]
        since, removed = VARIABLES[name][1:3] if name in VARIABLES else UNLISTED[name]
        for index, release in enumerate(releases):
            if since and index < there[0] and name not in ALSO_A_WORD:
                assert too_new(name, release) == since, (name, release)
                judged += 1
            if removed and index > there[-1]:
                assert gone(name, release) == removed, (name, release)
                judged += 1
    assert judged > 3000


def test_what_no_library_holds_went_before_the_first_one(read: dict[str, dict[str, bool]]) -> None:
    missing = {name for name in (*VARIABLES, *UNLISTED) if name not in read}
    assert missing == {
        *("NCCL_CHECKS_DISABLE", "NCCL_IB_CUDA_SUPPORT", "NCCL_SINGLE_RING_THRESHOLD", "NCCL_IB_GDR_LEVEL"),
        # of a release after the last one here
        *("NCCL_IB_RAIL_POLICY", "NCCL_PSK"),
    }
    assert {name for name in missing if gone(name, "2.4.2")} == missing - {"NCCL_IB_RAIL_POLICY", "NCCL_PSK"}


def test_every_documented_variable_is_there() -> None:
    assert len(VARIABLES) == 113
    assert sum(entry[4] == "S" for entry in VARIABLES.values()) == 44
    for name, (grammar, since, removed, successor, section, meaning) in VARIABLES.items():
        assert name.startswith("NCCL_")
        assert section in ("S", "D")
        assert successor == "" or successor in VARIABLES
        assert all(re.fullmatch(r"(2(\.[0-9]+){1,2})?", version) for version in (since, removed))
        assert meaning
        assert not meaning.endswith(".")
        assert takes(grammar) or grammar[0] == "text"


def test_the_lists_do_not_overlap() -> None:
    assert not set(UNLISTED) & set(VARIABLES)
    assert not set(PLUGINS) & {*UNLISTED, *VARIABLES}
    assert not any(known(name) for name in MEANT)
    assert not any(name.startswith(PREFIXES) for name in (*PLUGINS, *UNLISTED, *VARIABLES))
    assert all(VARIABLES[name][0][0] in nccl.NUMBERS for name in ACTS)
    assert all(VARIABLES[name][0][0] not in nccl.NUMBERS for name in BECOMES)
    assert set(ALGORITHM_SINCE) - {"CollNet"} <= set(ALGORITHMS[1])


# What C makes of a number: libc itself, which NCCL calls.
_STRTOLL = ctypes.CDLL(None, use_errno=True).strtoll
_STRTOLL.restype = ctypes.c_longlong
_STRTOLL.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_int]

NUMERIC = [name for name in VARIABLES if VARIABLES[name][0][0] in nccl.NUMBERS]
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)
SPELT = st.builds(
    lambda before, number, form, after: before + form.format(number) + after,
    st.sampled_from(["", " ", "\t\n", "-", "+", "0", "0x", "--"]),
    st.integers(-(2**66), 2**66) | st.integers(-40, 300),
    st.sampled_from(["{}", "{:+}", "{:#x}", "{:+#X}", "{:03}", "{:#o}", "{:o}"]),
    st.sampled_from(["", "M", " ", "8", ".5", "x1", "9z", "e3"]),
)


def _libc(value: str) -> int | None:
    ctypes.set_errno(0)
    found = int(_STRTOLL(value.encode(), None, 0))
    return None if ctypes.get_errno() else found


def _model(name: str, value: str) -> int | None:
    """What the code behind a variable makes of the number, written down once more and by itself."""
    found = _libc(value)
    if found is None:
        return None
    if name in ("NCCL_IB_DISABLE", "NCCL_IB_SPLIT_DATA_ON_QPS"):
        return int(found != 0)
    if name in ("NCCL_P2P_DISABLE", "NCCL_SHM_DISABLE"):
        return int(found == 1)
    if name == "NCCL_IB_RETRY_CNT":
        return found & 0b111
    if name == "NCCL_IB_TIMEOUT":
        return found & 0b11111
    most = {"NCCL_CGA_CLUSTER_SIZE": 8, "NCCL_SOCKET_NTHREADS": 16}
    most |= dict.fromkeys(("NCCL_MAX_CTAS", "NCCL_MIN_CTAS", "NCCL_MIN_NCHANNELS"), 64)
    return min(found, most.get(name, found))


@settings(max_examples=500, deadline=None, derandomize=True)
@given(SPELT | TEXTS)
def test_numbers_are_read_as_libc_reads_them(value: str) -> None:
    assert number(value) == _libc(value)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(SPELT | TEXTS)
@pytest.mark.parametrize("name", NUMERIC)
def test_the_effective_value_is_that_of_the_code(name: str, value: str) -> None:
    assert effective(name, value) == _model(name, value)
    judged = judge(name, value)
    least, greatest = VARIABLES[name][0][2:]
    if judged is None:
        # nothing is said of what acts as it stands there, within its bounds, or is for somebody else to fill in
        acts = effective(name, value)
        assert not value or "$" in value or "{{" in value or (acts is not None and least <= acts <= greatest)
    else:
        assert len(judged.notes) == 1
        assert judged.notes[0]
        assert not judged.stops


@pytest.mark.parametrize("name", NUMERIC)
def test_the_bounds_of_numbers_are_exact(name: str) -> None:
    least, greatest = VARIABLES[name][0][2:]
    assert least <= 1
    for found in (*range(max(least - 3, -5), min(greatest, 300) + 4), greatest - 1, greatest, greatest + 1):
        for spelt in (str(found), f"{found:#x}", f"{found:+}"):
            assert (judge(name, spelt) is None) == (least <= found <= greatest), spelt


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("NCCL_DEBUG", ["VERSION", "warn", "Info", "ABORT", "TRACE", "$(LEVEL)", "${LEVEL}", "{{ level }}"]),
        ("NCCL_DEBUG_SUBSYS", ["INIT,NET", "^NET", "all", "INIT,"]),
        (
            "NCCL_IB_HCA",
            ["mlx5", "=mlx5_0:1,mlx5_1:1", "^=mlx5_1,mlx5_4", "=mlx5_0:1:0:1", "mlx5_0::0:0", "^mlx5_$(N)", "mlx5_0,"],
        ),
        ("NCCL_SOCKET_IFNAME", ["eth0", "=eth0,eth1", "^lo,docker0", "^=bond0.100", "ib"]),
        ("NCCL_OOB_NET_IFNAME", ["=mlx5_1:1", "ens1"]),
        (
            "NCCL_ALGO",
            ["Ring", "^NVLS,PAT", "ring,collnetdirect;allreduce:tree,collnetdirect;broadcast:ring", "allreduce:^tree"],
        ),
        ("NCCL_PROTO", ["Simple", "^LL128", "LL,ll128", "reduce:LL;AllGather:^Simple", ":LL", "LL,"]),
        ("NCCL_NET_GDR_LEVEL", ["LOC", "PIX", "PXB", "PXN", "PHB", "SYS", "4", "5", ""]),
        ("NCCL_CTA_POLICY", ["0", "2", "EFFICIENCY|ZERO", "default"]),
        ("NCCL_NETDEVS_POLICY", ["AUTO", "ALL", "MAX:2"]),
        ("NCCL_IB_ADDR_RANGE", ["10.0.0.0/8", "fd02::/16", "::/0"]),
        ("NCCL_RAS_ADDR", ["localhost:28028", "[::1]:28028"]),
        ("NCCL_IB_TC", ["106", "+106", "0x6A", "-1", " 106 "]),
        ("NCCL_DEBUG_FILE", ["/tmp/nccl.%h.%p.log", "nccl log"]),
        ("NCCL_DEBUG_TIMESTAMP_FORMAT", ["", "[%F_%T] 'x'"]),
        ("NCCL_NET", ["IB", "socket", "AWS Libfabric", "NCCL RDMA Plugin"]),
        ("NCCL_NET_PLUGIN", ["none", "ofi", "/opt/lib/libnccl-net.so"]),
        ("NCCL_NTHREADS", ["64", "96", "512"]),
        ("NCCL_LAUNCH_MODE", ["PARALLEL", "group"]),
        ("NCCL_COMM_ID", ["10.0.0.1:5000", "[fd00::1]:5000", "host:1", "$(MASTER_ADDR)"]),
        ("NCCL_IB_PKEY", ["anything"]),
        ("NCCL_SHARP_MAX_COMMS", ["anything"]),
        ("NCCL_NO_SUCH", ["anything"]),
    ],
)
def test_values_that_nccl_takes(name: str, values: list[str]) -> None:
    assert [value for value in values if judge(name, value) is not None] == []


@pytest.mark.parametrize(
    ("name", "value", "version", "clause", "note"),
    [
        ("NCCL_NET_GDR_LEVEL", "6", "", "`6`", "NCCL takes it for `SYS`, on the scale of old releases"),
        ("NCCL_P2P_LEVEL", "3X", "", "`3X`", "NCCL takes it for `PHB`, on the scale of old releases"),
        (
            "NCCL_NET_GDR_LEVEL",
            "sys",
            "",
            "`sys`",
            "NCCL knows no such word, in this letter case, and takes its default",
        ),
        (
            *("NCCL_NET_GDR_LEVEL", "SYS", "2.4.8-1", "`NCCL_NET_GDR_LEVEL` is a number to NCCL 2.4.8-1, not `SYS`"),
            "it is read as 0, which is `LOC`; words came with 2.6",
        ),
        ("NCCL_IB_RETRY_CNT", "13", "", "takes 0 to 7, not `13`", "3 bits of it are kept: it acts as 5"),
        ("NCCL_IB_TIMEOUT", "64", "", "takes 0 to 31, not `64`", "5 bits of it are kept: it acts as 0"),
        ("NCCL_IB_SPLIT_DATA_ON_QPS", "4", "", "takes 0 or 1, not `4`", "it acts as 1"),
        ("NCCL_SHM_DISABLE", "2", "", "takes 0 or 1, not `2`", "it acts as 0"),
        ("NCCL_IB_DISABLE", "true", "", "takes 0 or 1, not `true`", "NCCL reads it as 0, as no number stands there"),
        (
            *("NCCL_IB_DISABLE", "010", "", "not `010`"),
            "NCCL reads it as 8: a number that begins with 0 is octal; it acts as 1",
        ),
        ("NCCL_IB_TC", "0106", "", "not `0106`", "NCCL reads it as 70: a number that begins with 0 is octal"),
        (
            *("NCCL_BUFFSIZE", "8M", "", "takes a number of bytes from 1, without a unit, not `8M`"),
            "NCCL reads it as 8: it looks at nothing behind the digits",
        ),
        (
            *("NCCL_BUFFSIZE", "9" * 30, "", "9`"),
            "it does not fit 64 bits: NCCL says so in its log and takes its default",
        ),
        ("NCCL_MIN_CTAS", "128", "2.20.5", "not `128`", "it acts as 32"),
        ("NCCL_MIN_CTAS", "128", "2.27.3", "not `128`", "it acts as 64"),
        (
            *("NCCL_DEBUG_SUBSYS", "INIT,VERSION", "", "for all others, not `VERSION`"),
            "up to 2.30.4 NCCL leaves an unknown word out; later ones take `INIT,BOOTSTRAP,ENV` for the whole list",
        ),
        ("NCCL_DEBUG", "debug\n", "", "not `debug\\n`", "NCCL then logs nothing"),
        (
            "NCCL_SOCKET_FAMILY",
            "ipv4",
            "",
            "not `ipv4`",
            "NCCL then takes the first address that it finds, of either family",
        ),
        (
            "NCCL_ALGO",
            "Tree,Rng",
            "",
            "not `Rng`",
            "NCCL 2.24 and later stop where several ranks meet; older ones leave it out",
        ),
        ("NCCL_ALGO", "CollNet", "2.18.3", "not `CollNet`", "NCCL 2.18.3 leaves out what it does not know"),
        (
            "NCCL_ALGO",
            "allreduce:ring",
            "2.18.3",
            "not `allreduce:ring`",
            "NCCL 2.18.3 leaves out what it does not know",
        ),
        ("NCCL_ALGO", "NVLSTree", "2.17.1", "not `NVLSTree`", "NCCL 2.17.1 leaves out what it does not know"),
    ],
)
def test_what_becomes_of_a_value_is_said(name: str, value: str, version: str, clause: str, note: str) -> None:
    judged = judge(name, value, version)
    assert judged is not None
    assert name in judged.message
    assert judged.message.endswith(clause)
    assert judged.notes == [note]
    assert not judged.stops


@pytest.mark.parametrize(
    ("name", "value", "version", "wrong"),
    [
        ("NCCL_ALGO", "Rng", "2.24.3", "Rng"),
        ("NCCL_ALGO", "CollNet", "2.27.3", "CollNet"),
        ("NCCL_ALGO", "Ring;Tree", "2.27.3", "Tree"),
        ("NCCL_PROTO", "bad:LL", "2.30.7", "bad"),
        ("NCCL_PROTO", "reduce:LL,bad,Simple", "2.30.7", "bad"),
        ("NCCL_COMM_ID", "10.0.0.1", "", "10.0.0.1"),
    ],
)
def test_what_stops_nccl_is_told_apart(name: str, value: str, version: str, wrong: str) -> None:
    judged = judge(name, value, version)
    assert judged is not None
    assert judged.stops
    assert judged.message.endswith(f"not `{wrong}`")


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("NCCL_DEBUG", ["DEBUG", "INFO,WARN", " INFO", '"INFO"']),
        ("NCCL_IB_HCA", ["mlx5_0:", "=^mlx5_0", "mlx5_*", "mlx5_0:1:0:0:0", "mlx5_0 mlx5_1", ",".join(["m"] * 33)]),
        ("NCCL_SOCKET_IFNAME", ["eth*", "eth0:1", "eth0, eth1", "!lo"]),
        ("NCCL_ALGO", ["Ring;Tree", "Reduce:Reduce:Ring", "Rings", "Tree,^Ring", "Allgather:"]),
        ("NCCL_PROTO", ["LL64", "bad:LL"]),
        ("NCCL_NET_GDR_LEVEL", ["sys", "+1", "6", "NODE"]),
        ("NCCL_CTA_POLICY", ["3", "0|1", "ZERO,DEFAULT"]),
        ("NCCL_IB_ADDR_RANGE", ["10.0.0.0", "10.0.0.256/8", "10.0.0.0/33", "fd00/8"]),
        ("NCCL_NETDEVS_POLICY", ["MAX:0"]),
        ("NCCL_RAS_ADDR", ["localhost"]),
        ("NCCL_TOPO_FILE", ["~/topo.xml", '"/etc/topo.xml"']),
        ("NCCL_NET", ['"IB"']),
        ("NCCL_NET_PLUGIN", ["'none'", "a b"]),
        ("NCCL_NTHREADS", ["100", "32", "1024", "many"]),
        ("NCCL_SET_THREAD_NAME", ["2", "true"]),
    ],
)
def test_values_that_nccl_does_not_take(name: str, values: list[str]) -> None:
    assert [value for value in values if judge(name, value) is None] == []


def test_versions_compare_by_number() -> None:
    assert too_new("NCCL_NVLS_ENABLE", "2.4.8-1") == "2.17"
    assert too_new("NCCL_NVLS_ENABLE", "2.9") == "2.17"
    assert too_new("NCCL_NVLS_ENABLE", "2.17.1-1") is None
    assert too_new("NCCL_NVLS_ENABLE", "2.27.3+cuda12.4") is None
    assert too_new("NCCL_NET_MERGE_POLICY", "2.30") is None
    assert too_new("NCCL_NET_MERGE_POLICY", "2.30.4-1") == "2.30.5"
    assert too_new("NCCL_SOCKET_NTHREADS", "2.4.7") == "2.4.8"
    assert too_new("NCCL_MNNVL_CROSS_CLIQUE", "2.27.3") == "2.30"
    assert too_new("NCCL_IB_HCA", "2.0") is None
    for version in ("latest", "", "2.x", "2.", "2.1234567890x", "2.\u0661", "9" * 5000):
        assert too_new("NCCL_NVLS_ENABLE", version) is None
        assert gone("NCCL_LL_THRESHOLD", version) is None
    assert too_new("NCCL_NO_SUCH", "2.4") is None
    assert gone("NCCL_LL_THRESHOLD", "2.4.8-1") is None
    assert gone("NCCL_LL_THRESHOLD", "2.5") == "2.5"
    assert gone("NCCL_WORK_FIFO_DEPTH", "2.27.3") == "2.22"
    assert gone("NCCL_IB_CUDA_SUPPORT", "2.4") == "2.4.0"
    assert gone("NCCL_IB_CUDA_SUPPORT", "2.3.7-1") is None
    assert gone("NCCL_DEBUG", "2.30.7") is None
    assert long_gone("NCCL_LL_THRESHOLD") == "2.5"
    assert long_gone("NCCL_WORK_FIFO_DEPTH") is None


def test_known_names() -> None:
    assert known("NCCL_IB_GID_INDEX")
    assert known("NCCL_IB_PKEY")
    assert known("NCCL_MNNVL_CROSS_CLIQUE")
    assert known("NCCL_INSPECTOR_ENABLE")
    assert known("NCCL_SHARP_GROUP_SIZE_THRESH")
    assert known("NCCL_PLUGIN_P2P")
    assert known("NCCL_SHIMNET_GUEST_CONFIG_CHECKER_CONFIG_FILE")
    assert known("NCCL_BLOCKING_WAIT")
    assert not known("NCCL_SOCKET_IF_NAME")
    assert not known("nccl_debug")


def test_values_of_real_manifests_are_taken(used: list[tuple[str, str | None]]) -> None:
    values = [(name, value) for name, value in used if value is not None and name in VARIABLES]
    faults = {(name, value) for name, value in values if judge(name, value) is not None}
    print(f"{len(values)} values of {len({name for name, _ in values})} variables checked, {len(faults)} misread")
    assert len(values) > 500
    assert faults == set(REVIEWED_FAULTS)
    assert not any(judged.stops for name, value in values if (judged := judge(name, value)) is not None)


def test_names_of_real_manifests_are_known(used: list[tuple[str, str | None]]) -> None:
    names = {name for name, _ in used}
    unknown = {name for name in names if not known(name) and name not in MEANT}
    print(f"{len(names)} names checked, {len(unknown)} unknown")
    assert unknown == set(REVIEWED_UNKNOWN)
