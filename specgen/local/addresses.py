"""The pods' names and ports on one machine: every host becomes 127.0.0.1, and pods do not share a port."""

from __future__ import annotations

HERE = "127.0.0.1"


class Addresses:
    """``pods``: names in the order of the operator. ``shift``: added to every port.

    A port behind the name of a pod belongs to that pod and becomes its own; a variable of its own for a port
    (``MASTER_PORT``) stands for the one pod that the address beside it names.
    """

    __slots__ = ("_pods", "shift")

    def __init__(self, pods: list[str], shift: int) -> None:
        self._pods = {name: index for index, name in enumerate(pods)}
        self.shift = shift

    def here(self, text: str, variable: str) -> str:
        """A text of the cluster with addresses of this machine."""
        if self.shift and variable.endswith("_PORT") and text.isdigit():
            return str(int(text) + self.shift)
        if text.startswith("<clusterIP of "):
            return HERE
        if not any(name in text for name in self._pods):
            return text
        import re

        names = sorted(self._pods, key=len, reverse=True)
        host = rf"({'|'.join(re.escape(name) for name in names)})(\.[A-Za-z0-9.-]*[A-Za-z0-9])?(?::(\d+))?(?![\w-])"
        return re.sub(rf"(?<![\w.-]){host}", self._replaced, text)

    def _replaced(self, match: re.Match[str]) -> str:  # type: ignore[name-defined] # noqa: F821
        port = match.group(3)
        if port is None:
            return HERE
        return f"{HERE}:{int(port) + self._pods[match.group(1)] + self.shift}"
