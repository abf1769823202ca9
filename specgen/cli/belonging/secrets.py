"""Files that hold keys or passwords, by their names or by what is in them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Of a version control: `.git/config` holds the token that a checkout action leaves there.
_CONTROL = frozenset((".git", ".hg", ".jj", ".svn"))
_FOLDERS = frozenset((".aws", ".azure", ".docker", ".gnupg", ".kube", ".ssh"))
_NAMES = frozenset(
    (
        ".dockercfg",
        ".env",
        ".envrc",
        ".git-credentials",
        ".htpasswd",
        ".netrc",
        ".pgpass",
        ".pypirc",
        "_netrc",
        "id_dsa",
        "id_ecdsa",
        "id_ecdsa_sk",
        "id_ed25519",
        "id_ed25519_sk",
        "id_rsa",
        "kubeconfig",
    )
)
_ENDS = (".jks", ".kdbx", ".keystore", ".kubeconfig", ".p12", ".pfx", ".ppk")
# What such a name stands for with nothing in it.
_SAMPLES = (".dist", ".example", ".sample", ".template")
_MARK = b"PRIVATE KEY"


def by_name(steps: Sequence[str]) -> str:
    """Why a file is not to be read, by its path below the root; empty: nothing is known of the name.

    Letters count alike in both cases, as on the file systems of macOS and Windows.
    """
    folded = [step.casefold() for step in steps]
    for step, fold in zip(steps, folded, strict=True):
        if fold in _CONTROL:
            return f"`{step}` is no part of what the repository holds, and often holds tokens"
    for step, fold in zip(steps[:-1], folded, strict=False):
        if fold in _FOLDERS:
            return f"a folder `{step}` holds keys"
    last = folded[-1]
    known = last in _NAMES or last.endswith(_ENDS) or (last.startswith("gha-creds-") and last.endswith(".json"))
    if known or (last.startswith(".env.") and not last.endswith(_SAMPLES)):
        return "a file of this name holds keys or passwords"
    return ""


def by_content(data: bytes) -> str:
    """Why such bytes are not to be carried: a private key in the armour of PEM, OpenSSH or PGP; empty: there is none.

    Where only its first line is spoken of, as programs do that look for keys, there is no key.
    """
    if _MARK not in data:
        return ""
    import re  # most files hold no such words

    begin = rb"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
    head = rb"(?:[\r\n\t ]|\\[rn])+(?:[A-Za-z-]+: [^\r\n\\]*(?:[\r\n\t ]|\\[rn])+)*"
    return "it holds a private key" if re.search(begin + head + rb"[A-Za-z0-9+/=]{16}", data) else ""
