"""NCCL variables: the two readings of a grammar agree, and real manifests raise only reviewed faults."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from specgen.nccl import NOT_NCCL, PREFIXES, UNDOCUMENTED, VARIABLES, fault, gone, known, pattern, too_new

PATTERNS = {name: re.compile(text) for name in VARIABLES if (text := pattern(name)) is not None}

# Values of real manifests that NCCL does not take, each with what happens.
REVIEWED_FAULTS = {
    ("NCCL_DEBUG", "DEBUG"): "no such level; the job logs nothing",
    ("NCCL_DEBUG_SUBSYS", "INIT,GRAPH,ENV,TUNING,NET,VERSION"): "VERSION is a level, no subsystem",
    ("NCCL_IB_RETRY_CNT", "13"): "the verbs' field has 3 bits",
}

# Names of real manifests that nothing reads, each with what was meant.
REVIEWED_UNKNOWN = {
    "NCCL_BOOTSTRAP_TIMEOUT": "nothing in NCCL; a hope for a timeout",
    "NCCL_BOOTSTRAP_TIMEOUT_SEC": "the manifest's own variable for the former",
    "NCCL_DYNAMIC_CHUNK_SIZE": "from Google's recipes, not in the library",
    "NCCL_IB_GTD_INDEX": "NCCL_IB_GID_INDEX misspelt",
    "NCCL_IB_LIST": "a variable of the manifest's own script",
    "NCCL_IB_NET_LATENCY": "from recipes for GB200, not in the library",
    "NCCL_NITERS": "a variable of the manifest's own script",
}


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


def test_every_documented_variable_is_there() -> None:
    assert len(VARIABLES) == 113
    assert sum(entry[4] == "S" for entry in VARIABLES.values()) == 44
    for name, (_, since, removed, successor, section, meaning) in VARIABLES.items():
        assert name.startswith("NCCL_")
        assert section in ("S", "D")
        assert successor == "" or successor in VARIABLES
        assert all(re.fullmatch(r"(2(\.[0-9]+){1,2})?", version) for version in (since, removed))
        assert meaning
        assert not meaning.endswith(".")


def test_the_lists_do_not_overlap() -> None:
    assert list(UNDOCUMENTED) == sorted(set(UNDOCUMENTED))
    assert not set(UNDOCUMENTED) & set(VARIABLES)
    assert not any(known(name) for name in NOT_NCCL)
    assert not any(name.startswith(PREFIXES) for name in (*UNDOCUMENTED, *VARIABLES))


def test_patterns_keep_to_the_common_part_of_the_dialects() -> None:
    assert set(VARIABLES) - set(PATTERNS) == {"NCCL_DEBUG_TIMESTAMP_FORMAT"}
    for compiled in PATTERNS.values():
        assert not re.search(r"\(\?[^:]|\\[dwbAZ]", compiled.pattern)
    assert pattern("NCCL_NO_SUCH") is None


ATOMS = st.sampled_from(
    [
        *("0", "1", "2", "7", "8", "15", "16", "31", "32", "63", "64", "99", "100", "128", "129", "199", "255", "256"),
        *("65535", "65536", "2147483647", "2147483648", "4294967295", "4294967296", "9223372036854775807"),
        *("9223372036854775808", "18446744073709551615", "18446744073709551616", "0x", "0X", "0x1F", "ff", "Ff", "g"),
        *"+-^=,:;|/.~$()[]% \n\"'éK\u0661\u212a",
        *("$(", "$(A.b)", "mlx5_0", "eth0", "Ring", "tree", "NVLSTree", "LL", "Simple", "allreduce", "INFO", "ALL"),
        *("Init", "MAX", "SYS", "EFFICIENCY", "zero", "AF_INET", "PARALLEL", "fd00", "10", "localhost", "_A"),
    ]
)
ANY_VALUE = st.one_of(st.lists(ATOMS, max_size=9).map("".join), st.text(max_size=12))
NUMBERS = st.integers(-(2**65), 2**65) | st.integers(-40, 300)
SPELT_NUMBER = st.builds(
    lambda number, form: form.format(number),
    NUMBERS,
    st.sampled_from(["{}", "{:+}", "{:#x}", "{:+#X}", "{:03}", "{:#o}", "{}M"]),
)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.sampled_from(sorted(PATTERNS)), ANY_VALUE | SPELT_NUMBER)
def test_pattern_and_check_agree_on_any_text(name: str, value: str) -> None:
    assert (fault(name, value) is None) == (PATTERNS[name].fullmatch(value) is not None)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.data())
def test_what_a_pattern_yields_is_no_fault_and_its_neighbours_agree(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(PATTERNS)))
    value = data.draw(st.from_regex(PATTERNS[name], fullmatch=True))
    assert fault(name, value) is None
    at = data.draw(st.integers(0, len(value)))
    near = value[:at] + data.draw(ATOMS) + value[at + data.draw(st.integers(0, 1)) :]
    assert (fault(name, near) is None) == (PATTERNS[name].fullmatch(near) is not None)


@pytest.mark.parametrize("name", [name for name in VARIABLES if VARIABLES[name][0][0] in ("integer", "bytes")])
def test_the_bounds_of_numbers_are_exact(name: str) -> None:
    least, greatest = VARIABLES[name][0][2:]
    assert least <= 1
    for number in range(max(least - 3, -5), min(greatest, 300) + 4):
        verdict = least <= number <= greatest
        for spelt in (str(number), f"{number:#x}", f"{number:+}"):
            assert (fault(name, spelt) is None) == verdict, spelt
            assert (PATTERNS[name].fullmatch(spelt) is not None) == verdict, spelt
    for number in (least - 1, least, greatest, greatest + 1, 10 * greatest):
        for spelt in (str(number), f"{number:#X}"):
            assert (fault(name, spelt) is None) == (least <= number <= greatest), spelt
            assert (PATTERNS[name].fullmatch(spelt) is not None) == (least <= number <= greatest), spelt


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("NCCL_DEBUG", ["VERSION", "warn", "Info", "ABORT", "TRACE", "$(LEVEL)"]),
        (
            "NCCL_IB_HCA",
            ["mlx5", "=mlx5_0:1,mlx5_1:1", "^=mlx5_1,mlx5_4", "=mlx5_0:1:0:1", "mlx5_0::0:0", "^mlx5_$(N)"],
        ),
        ("NCCL_SOCKET_IFNAME", ["eth0", "=eth0,eth1", "^lo,docker0", "^=bond0.100", "ib"]),
        ("NCCL_OOB_NET_IFNAME", ["=mlx5_1:1", "ens1"]),
        (
            "NCCL_ALGO",
            ["Ring", "^NVLS,PAT", "ring,collnetdirect;allreduce:tree,collnetdirect;broadcast:ring", "allreduce:^tree"],
        ),
        ("NCCL_PROTO", ["Simple", "^LL128", "LL,ll128", "reduce:LL;AllGather:^Simple"]),
        ("NCCL_NET_GDR_LEVEL", ["LOC", "PIX", "PXB", "PXN", "PHB", "SYS", "4", ""]),
        ("NCCL_CTA_POLICY", ["0", "2", "EFFICIENCY|ZERO", "default"]),
        ("NCCL_NETDEVS_POLICY", ["AUTO", "ALL", "MAX:2"]),
        ("NCCL_IB_ADDR_RANGE", ["10.0.0.0/8", "fd02::/16", "::/0"]),
        ("NCCL_RAS_ADDR", ["localhost:28028", "[::1]:28028"]),
        ("NCCL_IB_TC", ["106", "+106", "0x6A", "-1"]),
        ("NCCL_DEBUG_FILE", ["/tmp/nccl.%h.%p.log", "nccl log"]),
        ("NCCL_DEBUG_TIMESTAMP_FORMAT", ["", "[%F_%T] 'x'"]),
        ("NCCL_NET_PLUGIN", ["none", "ofi", "/opt/lib/libnccl-net.so"]),
    ],
)
def test_values_that_nccl_takes(name: str, values: list[str]) -> None:
    assert [fault(name, value) for value in values] == [None] * len(values)


@pytest.mark.parametrize(
    ("name", "value", "clause"),
    [
        ("NCCL_IB_TIMEOUT", "64", "`NCCL_IB_TIMEOUT` takes 0 to 31, not `64`"),
        ("NCCL_IB_DISABLE", "true", "`NCCL_IB_DISABLE` takes 0 or 1, not `true`"),
        ("NCCL_IB_DISABLE", "-0", "`NCCL_IB_DISABLE` takes 0 or 1, not `-0`"),
        ("NCCL_IB_TC", "0106", "`NCCL_IB_TC` takes -1 to 255, not `0106`, which is octal to NCCL"),
        ("NCCL_BUFFSIZE", "8M", "`NCCL_BUFFSIZE` takes a number of bytes from 1, without a unit, not `8M`"),
        ("NCCL_SOCKET_RETRY_CNT", "0", "`NCCL_SOCKET_RETRY_CNT` takes a whole number from 1, not `0`"),
        ("NCCL_SOCKET_FAMILY", "ipv4", "`NCCL_SOCKET_FAMILY` takes one of `AF_INET`, `AF_INET6`, not `ipv4`"),
        (
            "NCCL_NETDEVS_POLICY",
            "MAX:0",
            "`NCCL_NETDEVS_POLICY` takes `AUTO`, `ALL` or `MAX:` and a number, not `MAX:0`",
        ),
        (
            "NCCL_RAS_ADDR",
            "localhost",
            "`NCCL_RAS_ADDR` takes a host or an address in brackets, then `:` and a port, not `localhost`",
        ),
        (
            "NCCL_DEBUG",
            "debug\n",
            "`NCCL_DEBUG` takes one of `VERSION`, `WARN`, `INFO`, `ABORT`, `TRACE`, not `debug\\n`",
        ),
    ],
)
def test_the_clause_names_both_sides(name: str, value: str, clause: str) -> None:
    assert fault(name, value) == clause


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("NCCL_DEBUG", ["DEBUG", "INFO,WARN", " INFO", '"INFO"', "${LEVEL}", "$(1X)"]),
        (
            "NCCL_IB_HCA",
            ["mlx5_0:", "=^mlx5_0", "mlx5_0,", "mlx5_*", "mlx5_0:1:0:0:0", "mlx5_0 mlx5_1", ",".join(["m"] * 33)],
        ),
        ("NCCL_SOCKET_IFNAME", ["eth*", "eth0:1", "eth0, eth1", "!lo"]),
        ("NCCL_ALGO", ["Ring;Tree", "Reduce:Reduce:Ring", ":Ring", "Rings", "Tree,^Ring", "Allgather:"]),
        ("NCCL_PROTO", ["LL64", "bad:LL"]),
        ("NCCL_NET_GDR_LEVEL", ["sys", "+1", "5", "NODE"]),
        ("NCCL_CTA_POLICY", ["3", "0|1", "ZERO,DEFAULT"]),
        ("NCCL_IB_ADDR_RANGE", ["10.0.0.0", "10.0.0.256/8", "10.0.0.0/33", "fd00/8"]),
        ("NCCL_TOPO_FILE", ["~/topo.xml", '"/etc/topo.xml"']),
        ("NCCL_NET_PLUGIN", ["'none'", "a b"]),
    ],
)
def test_values_that_nccl_does_not_take(name: str, values: list[str]) -> None:
    assert [value for value in values if fault(name, value) is None] == []


def test_undocumented_variables_are_not_judged() -> None:
    assert fault("NCCL_IB_PKEY", "nonsense") is None
    assert fault("NCCL_NO_SUCH", "nonsense") is None


def test_versions_compare_by_number() -> None:
    assert too_new("NCCL_NVLS_ENABLE", "2.4.8-1") == "2.17"
    assert too_new("NCCL_NVLS_ENABLE", "2.9") == "2.17"
    assert too_new("NCCL_NVLS_ENABLE", "2.17.1-1") is None
    assert too_new("NCCL_NVLS_ENABLE", "2.27.3+cuda12.4") is None
    assert too_new("NCCL_NET_MERGE_POLICY", "2.30") is None
    assert too_new("NCCL_NET_MERGE_POLICY", "2.30.4-1") == "2.30.5"
    assert too_new("NCCL_SOCKET_NTHREADS", "2.4.7") == "2.4.8"
    assert too_new("NCCL_IB_HCA", "2.0") is None
    for version in ("latest", "", "2.x", "2.", "2.1234567890x", "2.\u0661", "9" * 5000):
        assert too_new("NCCL_NVLS_ENABLE", version) is None
        assert gone("NCCL_LL_THRESHOLD", version) is None
    assert too_new("NCCL_NO_SUCH", "2.4") is None
    assert gone("NCCL_LL_THRESHOLD", "2.4.8-1") is None
    assert gone("NCCL_LL_THRESHOLD", "2.5") == "2.5"
    assert gone("NCCL_LL_THRESHOLD", "2.27.3") == "2.5"
    assert gone("NCCL_IB_CUDA_SUPPORT", "2.4") == "2.4.0"
    assert gone("NCCL_IB_CUDA_SUPPORT", "2.3.7-1") is None
    assert gone("NCCL_IB_CUDA_SUPPORT", "") is None
    assert gone("NCCL_DEBUG", "2.30.7") is None


def test_known_names() -> None:
    assert known("NCCL_IB_GID_INDEX")
    assert known("NCCL_IB_PKEY")
    assert known("NCCL_INSPECTOR_ENABLE")
    assert not known("NCCL_SOCKET_IF_NAME")
    assert not known("NCCL_BLOCKING_WAIT")
    assert not known("nccl_debug")


def test_values_of_real_manifests_are_taken(used: list[tuple[str, str | None]]) -> None:
    values = [(name, value) for name, value in used if value is not None and name in VARIABLES]
    faults = {(name, value) for name, value in values if fault(name, value) is not None}
    print(f"{len(values)} values of {len({name for name, _ in values})} variables checked, {len(faults)} refused")
    assert len(values) > 500
    assert faults == set(REVIEWED_FAULTS)


def test_names_of_real_manifests_are_known(used: list[tuple[str, str | None]]) -> None:
    names = {name for name, _ in used}
    unknown = {name for name in names if not known(name) and name not in NOT_NCCL}
    print(f"{len(names)} names checked, {len(unknown)} unknown")
    assert unknown == set(REVIEWED_UNKNOWN)
