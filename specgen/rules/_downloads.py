"""Commands that fetch something from outside the pod: by which program, and by which words behind it."""

from __future__ import annotations

from specgen.diagnostics.model import Place
from specgen.operators.kubernetes.argv import script_at
from specgen.rules._shell import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from specgen.manifest.views import Container

# Programs that download by these words behind them; none: whatever follows.
_PROGRAMS: dict[str, tuple[tuple[str, ...], ...]] = {
    "wget": ((),),
    "git": (("clone",),),
    "aws": (("s3", "cp"), ("s3", "sync")),
    "gsutil": (("cp",), ("rsync",), ("-m", "cp"), ("-m", "rsync")),
    "gcloud": (("storage", "cp"), ("storage", "rsync")),
    "huggingface-cli": (("download",),),
    "hf": (("download",),),
}
_STORES = ("aws", "gsutil", "gcloud")
_INTO_FILES = ("-O", "-o", "--output", "--remote-name", "-LO", "-OL", "-sO", "-sLO", "-fsSLO", "-Lo", "-sLo")


def fetches(container: Container, counts: Callable[[Sequence[str]], bool] = bool) -> tuple[Place, str] | None:
    """(where, the words) of the first command of a container that downloads, and counts; None: none is seen to."""
    line = container.words()
    texts = [text for _, _, text in line]
    at = script_at(texts)
    if at is None:
        what = downloads(texts) if texts and counts(texts) else ""
        return (Place((*container.path, line[0][0], line[0][1])), what) if what else None
    key, index, text = line[at]
    script = parse(text)
    for said, _ in script.commands if script is not None else ():
        what = downloads([word.text for word in said])
        if what and counts([word.text for word in said]):
            return Place((*container.path, key, index), inside=(said[0].start, said[0].end)), what
    return None


def downloads(said: Sequence[str]) -> str:
    """The words of a command by which it downloads; empty where it does not."""
    name = said[0].rpartition("/")[2]
    if name == "curl":
        return name if any([word in _INTO_FILES for word in said]) else ""
    for behind in _PROGRAMS.get(name, ()):
        rest = [word for word in said[1 + len(behind) :] if not word.startswith("-")]
        if tuple(said[1 : 1 + len(behind)]) != behind or not rest:
            continue
        # what comes from the node goes there
        if name not in _STORES or "://" in rest[0]:
            return " ".join([name, *behind])
    return ""


# Variables that name the store from which programs fetch what has no address of its own.
_ENDPOINTS = ("HF_ENDPOINT", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3")


def sources(container: Container, said: Sequence[str]) -> list[str]:
    """The addresses of the web to which a command goes: its words', or else those of its container's variables."""
    urls = [word[word.index("http") :] for word in said if "http://" in word or "https://" in word]
    told = [container.env[name][1].get("value") for name in _ENDPOINTS if name in container.env]
    return urls or [one for one in told if isinstance(one, str)]


def is_by_proxy(url: str, proxies: Sequence[str], spared: str) -> bool:
    """Whether a program would ask a proxy for an address, told of ``proxies`` by these names, and ``NO_PROXY``."""
    from ipaddress import ip_address, ip_network

    scheme, _, rest = url.partition("://")
    if not {f"{scheme.upper()}_PROXY", "ALL_PROXY"} & set(proxies):
        return False
    host = rest.partition("/")[0].rpartition("@")[2].partition(":")[0]
    for one in spared.split(","):
        entry = one.strip().removeprefix(".")
        if entry == "*" or (entry and f".{host}".endswith(f".{entry}")):
            return False
        try:
            if ip_address(host) in ip_network(entry, strict=False):
                return False
        except ValueError:
            continue  # a name
    return True
