"""An API server on loopback that answers over HTTPS from a table, and remembers what it was asked.

A client must bring the token of the configuration; the certificate is made here, for this run alone.
"""

from __future__ import annotations

import json
import ssl
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import trustme
import yaml

TOKEN = "token-of-the-tests-0123456789"


class Asked:
    """A question: method, path, query, headers, and body as JSON, None where there is none."""

    def __init__(self, method: str, path: str, query: dict[str, str], headers: dict[str, str], body: Any) -> None:
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body


class Reply:
    """What is answered: status, body (JSON, or text as it stands), and texts of ``Warning`` headers."""

    def __init__(self, body: Any, status: int = 200, warnings: tuple[str, ...] = ()) -> None:
        self.body = body
        self.status = status
        self.warnings = warnings


class Standin:
    """``answers``: a function of the question; None of it is a 404 as the API server has it."""

    def __init__(self, folder: Path, answers: Callable[[Asked], Reply | None]) -> None:
        self.folder = folder
        self.asked: list[Asked] = []
        self.answers = answers
        self.authority = trustme.CA()
        certificate = self.authority.issue_cert("127.0.0.1", "localhost")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        certificate.configure_cert(context)
        standin = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def answer(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                data = self.rfile.read(length) if length else b""
                url = urlsplit(self.path)
                asked = Asked(
                    self.command,
                    url.path,
                    dict(parse_qsl(url.query)),
                    {name.lower(): value for name, value in self.headers.items()},
                    json.loads(data) if data else None,
                )
                standin.asked.append(asked)
                reply = standin.answers(asked) or status(404, "the server could not find the requested resource")
                scheme, _, token = asked.headers.get("authorization", "").partition(" ")
                if (scheme.lower(), token) != ("bearer", TOKEN):
                    reply = status(401, "Unauthorized")
                text = reply.body if isinstance(reply.body, str) else json.dumps(reply.body)
                self.send_response(reply.status)
                self.send_header("Content-Type", "application/json")
                for warning in reply.warnings:
                    quoted = warning.replace("\\", "\\\\").replace('"', '\\"')
                    self.send_header("Warning", f'299 - "{quoted}"')
                self.send_header("Content-Length", str(len(text.encode())))
                self.end_headers()
                self.wfile.write(text.encode())

            do_GET = do_POST = do_PATCH = answer

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.thread = Thread(target=self.server.serve_forever, args=(0.01,), daemon=True)
        self.thread.start()

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.server.server_address[1]}"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def kubeconfig(self, *, token: str = TOKEN, trusted: bool = True, server: str = "") -> str:
        """A file with one context, ``admin@lab``, whose namespace is ``training``."""
        authority = (self.authority if trusted else trustme.CA()).cert_pem.bytes()
        from base64 import b64encode

        tree = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "admin@lab",
            "contexts": [
                {"name": "admin@lab", "context": {"cluster": "lab", "user": "admin", "namespace": "training"}},
                {"name": "broken", "context": {"cluster": "gone", "user": "admin"}},
            ],
            "clusters": [
                {
                    "name": "lab",
                    "cluster": {
                        "server": server or f"https://{self.host}",
                        "certificate-authority-data": b64encode(authority).decode(),
                    },
                }
            ],
            "users": [{"name": "admin", "user": {"token": token}}],
        }
        file = self.folder / "kubeconfig"
        file.write_text(yaml.safe_dump(tree), "utf-8")
        return str(file)


def status(code: int, message: str, reason: str = "", causes: list[dict[str, str]] | None = None) -> Reply:
    """A Status as the API server answers."""
    body: dict[str, Any] = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code}
    body |= {"message": message, "reason": reason}
    if causes is not None:
        body["details"] = {"causes": causes}
    return Reply(body, code)
