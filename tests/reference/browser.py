"""Chromium without a window, asked over its debugging pipe: DevTools' protocol, messages of JSON that end in NUL.

https://chromedevtools.github.io/devtools-protocol/, domains Page, Runtime, Input and Emulation.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SECONDS = 60
# The browser reads file 3 and writes file 4.
_MOVED = """
import os, sys
into, out = os.dup(int(sys.argv[1])), os.dup(int(sys.argv[2]))
for have, wanted in ((into, 3), (out, 4)):
    os.dup2(have, wanted)
    os.set_inheritable(wanted, True)
os.execv(sys.argv[3], sys.argv[3:])
"""


def program() -> str | None:
    """The browser of this machine; None: it has none."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class Browser:
    """One page of a browser."""

    def __init__(self, path: str, profile: Path) -> None:
        self._last = 0
        into, self._write = os.pipe()
        self._read, out = os.pipe()
        command = [
            *(sys.executable, "-c", _MOVED, str(into), str(out), path, "--headless=new", "--no-sandbox"),
            *("--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", f"--user-data-dir={profile}"),
            *("--remote-debugging-pipe", "about:blank"),
        ]
        quiet = subprocess.DEVNULL
        self._process = subprocess.Popen(command, pass_fds=(into, out), stdout=quiet, stderr=quiet)
        os.close(into)
        os.close(out)
        self._rest = b""
        self._session = ""
        target = next(one for one in self.ask("Target.getTargets")["targetInfos"] if one["type"] == "page")
        attached = self.ask("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self._session = attached["sessionId"]

    def close(self) -> None:
        """Ends the browser."""
        os.close(self._write)
        os.close(self._read)
        self._process.terminate()
        self._process.wait(SECONDS)

    def ask(self, method: str, **parameters: object) -> dict[str, Any]:
        """The answer to one message; what happens meanwhile is left aside."""
        self._last += 1
        message: dict[str, Any] = {"id": self._last, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._message()
            if answer.get("id") == self._last:
                assert "error" not in answer, answer
                found: dict[str, Any] = answer["result"]
                return found

    def _message(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            more = os.read(self._read, 1 << 16)
            assert more, "the browser ended"
            self._rest += more
        text, _, self._rest = self._rest.partition(b"\0")
        found: dict[str, Any] = json.loads(text)
        return found

    def open(self, url: str) -> None:
        """Goes to a page and waits until it has been read."""
        self.ask("Page.navigate", url="about:blank")
        self.ask("Page.navigate", url=url)
        end = time.monotonic() + SECONDS
        while self.value("document.readyState") != "complete" or self.value("location.href") == "about:blank":
            assert time.monotonic() < end, f"{url} is not read"
            time.sleep(0.05)

    def value(self, expression: str) -> Any:
        """What an expression comes to in the page."""
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def type(self, text: str) -> None:
        """Types text where the focus is."""
        self.ask("Input.insertText", text=text)

    def press(self, key: str, code: int) -> None:
        """Presses and releases one key: its name, and its number on Windows, as the protocol wants it."""
        said = {"key": key, "windowsVirtualKeyCode": code}
        text = {"text": key} if len(key) == 1 else {}
        self.ask("Input.dispatchKeyEvent", type="keyDown", **said, **text)
        self.ask("Input.dispatchKeyEvent", type="keyUp", **said)
