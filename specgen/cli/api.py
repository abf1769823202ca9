"""The API server that kubectl's configuration names: one question, one answer, within time, and never a second try.

The package ``kubernetes`` reads the configuration and signs in; it is imported nowhere else. Its own messages may quote
a whole entry of the configuration with its token, and what a command for credentials printed (37.0.2, config/
kube_config.py, ``KubeConfigMerger._merge`` and ``_load_from_exec_plugin``), so that none of them is printed: what is
said here names files, keys and hosts alone.
"""

from __future__ import annotations

import os

from specgen.diagnostics.model import BadQuestion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType
    from typing import Any

# Seconds until a connection, and until each part of an answer.
CONNECT, READ = 10, 60
_DEFAULT = "~/.kube/config"
_FAILED = "the command that it names for credentials failed"
_CONFIG_HELP = "`--kubeconfig FILE` and `--context NAME` say which cluster is asked"


class Answer:
    """What came back: the status, the JSON (empty where there is none), and the texts of ``Warning`` headers."""

    __slots__ = ("body", "status", "warnings")

    def __init__(self, status: int, body: dict[str, Any], warnings: list[str]) -> None:
        self.status = status
        self.body = body
        self.warnings = warnings

    @property
    def message(self) -> str:
        """What a Status says, empty where it is none."""
        said = self.body.get("message")
        return said if isinstance(said, str) else ""


class Api:
    """A connection. Raises BadQuestion where there is no configuration, or none that can be used.

    ``host``: name and port of the server; ``name``: of the context, as a name in profiles; ``namespace``: that of the
    context. Keys and certificates in files of its own are gone once it is closed.
    """

    __slots__ = ("_client", "_keys", "host", "name", "namespace")

    _client: Any

    def __init__(self, kubeconfig: str | None = None, context: str | None = None) -> None:
        from tempfile import TemporaryDirectory

        try:
            from kubernetes.client import ApiClient, Configuration
            from urllib3 import disable_warnings
            from urllib3.exceptions import InsecureRequestWarning
        except ImportError:
            help = "`pip install 'specgen[cluster]'` installs it"
            raise BadQuestion("a cluster is asked through the Python package `kubernetes`", help) from None
        self._keys = TemporaryDirectory(prefix="specgen-")
        configuration = Configuration()
        try:
            self.name, self.namespace = _configured(configuration, kubeconfig, context, self._keys.name)
        except BaseException:
            self._keys.cleanup()
            raise
        # a question that failed is one that the user asks again
        configuration.retries = False
        if not configuration.verify_ssl:
            # whoever wrote so into the configuration knows
            disable_warnings(InsecureRequestWarning)
        self.host = _host(configuration.host)
        self._client = ApiClient(configuration)

    def __enter__(self) -> Api:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()
        self._keys.cleanup()

    def ask(
        self,
        path: str,
        query: Sequence[tuple[str, str]] = (),
        *,
        method: str = "GET",
        body: str | None = None,
        content: str = "application/json",
        accept: str = "application/json",
    ) -> Answer:
        """The answer, whatever its status; of 401 too. Raises BadQuestion where none came."""
        from kubernetes.client.exceptions import ApiException
        from urllib3.exceptions import HTTPError

        headers = {"Accept": accept, "Content-Type": content, "User-Agent": "specgen"}
        try:
            asked = self._client.param_serialize(
                method, f"/{path}", None, list(query), headers, body, auth_settings=["BearerToken"]
            )
            response = self._client.call_api(*asked, _request_timeout=(CONNECT, READ))
            data = response.read()
            warnings = _warnings(response.headers)
        except (ApiException, HTTPError, OSError, ValueError) as error:
            raise BadQuestion(f"{self.host}: {_reason(error)}", _remedy(error)) from None
        answer = Answer(response.status, _json(data), warnings)
        if answer.status == 401:
            raise BadQuestion(
                f"{self.host}: the credentials of the context are not accepted (401)",
                "`kubectl get nodes` says whether they have ended",
            )
        return answer


def _configured(configuration: Any, kubeconfig: str | None, context: str | None, keys: str) -> tuple[str, str]:
    """Fills a configuration; (name, namespace) of its context. Raises BadQuestion."""
    from kubernetes import config as untyped

    config: Any = untyped

    said = kubeconfig or os.environ.get("KUBECONFIG") or _DEFAULT
    files = [os.path.expanduser(one) for one in ([said] if kubeconfig else said.split(os.pathsep)) if one]
    if not any(os.path.exists(one) for one in files):
        if kubeconfig is None and context is None and "KUBERNETES_SERVICE_HOST" in os.environ:
            try:
                config.load_incluster_config(client_configuration=configuration)
            except config.ConfigException:
                message = "the account of this pod has no token, or no certificate of the cluster beside it"
                raise BadQuestion(message, _CONFIG_HELP) from None
            return "", _own_namespace()
        raise BadQuestion(f"there is no kubectl configuration: {said} is not there", _CONFIG_HELP)
    try:
        contexts, active = config.list_kube_config_contexts(os.pathsep.join(files))
        if context is not None:
            known = [str(one["name"]) for one in contexts]
            if context not in known:
                from specgen.diagnostics.suggest import hint

                raise BadQuestion(f"{said} has no context `{context}`", hint(context, known, "context") or None)
            active = next(one for one in contexts if one["name"] == context)
        with _Heard() as heard:
            config.load_kube_config(
                config_file=os.pathsep.join(files),
                context=context,
                client_configuration=configuration,
                persist_config=False,
                temp_file_path=keys,
            )
        if heard.errors:
            raise BadQuestion(f"{said} cannot be used: {_FAILED}", _CONFIG_HELP)
    except config.kube_config.yaml.YAMLError:
        raise BadQuestion(f"{said} is no YAML", _CONFIG_HELP) from None
    except config.ConfigException as error:
        raise BadQuestion(f"{said} cannot be used: {_config_reason(str(error))}", _CONFIG_HELP) from None
    except OSError as error:
        what = "it" if error.filename in files else "a file or command that it names"
        reason = (error.strerror or "unknown").lower()
        raise BadQuestion(f"{said} cannot be used: {what} cannot be opened ({reason})", _CONFIG_HELP) from None
    except (AttributeError, KeyError, TypeError, ValueError):
        raise BadQuestion(f"{said} has not the shape of a kubectl configuration", _CONFIG_HELP) from None
    return _named(str(active["name"])), str(active["context"].get("namespace") or "default")


class _Heard:
    """What is logged meanwhile is not printed: the package logs a failed command for credentials, and goes on."""

    __slots__ = ("_handler", "_text")

    def __init__(self) -> None:
        import io
        import logging

        self._text = io.StringIO()
        self._handler = logging.StreamHandler(self._text)
        self._handler.setLevel(logging.ERROR)

    @property
    def errors(self) -> bool:
        """Whether any was an error."""
        return bool(self._text.getvalue())

    def __enter__(self) -> _Heard:
        import logging

        logging.getLogger().addHandler(self._handler)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        import logging

        logging.getLogger().removeHandler(self._handler)


def _config_reason(message: str) -> str:
    """What is wrong with a configuration, without what stands in it."""
    rest = message.partition("Expected key ")[2]
    if rest:
        return f"it has no `{rest.split(' ')[0]}` where one is needed"
    for begin, said in (
        ("exec:", _FAILED),
        ("cmd-path:", _FAILED),
        ("File does not exist:", "a file that it names for keys or certificates is not there"),
    ):
        if begin in message:
            return said
    return "it names a context, a cluster, or a user that it does not have"


def _own_namespace() -> str:
    """The namespace of the pod that this runs in."""
    try:
        with open("/var/run/secrets/kubernetes.io/serviceaccount/namespace", encoding="utf-8") as file:
            return file.read().strip() or "default"
    except OSError:
        return "default"


def _named(context: str) -> str:
    """A context as a name in a profile: the last part of such as ``arn:aws:eks:…:cluster/h100`` or ``admin@h100``."""
    last = context.replace("@", "/").replace(":", "/").rstrip("/").rpartition("/")[2].lower()
    signs = [sign if sign.isascii() and (sign.isalnum() or sign == "-") else "-" for sign in last]
    return "".join(signs)[:63].strip("-")


def _host(url: str) -> str:
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
        return f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)
    except ValueError:
        return "the server of the context"


def _reason(error: Exception) -> str:
    """Why no answer came; nothing of the request is quoted."""
    from urllib3 import exceptions

    text = str(error)
    if isinstance(error, exceptions.NameResolutionError):
        return "there is no host of that name"
    if _is_tls(error):
        if "CERTIFICATE_VERIFY_FAILED" in text or "certificate" in text.lower():
            return "its certificate is not one that the context trusts"
        return "it speaks no TLS that can be spoken here"
    if "refused" in text.lower():
        return "it refuses the connection"
    if isinstance(error, exceptions.NewConnectionError):
        return "it cannot be reached"
    # those above are timeouts to urllib3 as well
    if isinstance(error, (exceptions.ConnectTimeoutError, exceptions.ReadTimeoutError, TimeoutError)):
        seconds = CONNECT if isinstance(error, exceptions.ConnectTimeoutError) else READ
        return f"no answer within {seconds} seconds"
    if isinstance(error, exceptions.ProxyError):
        return "the proxy of the context gives no way to it"
    if isinstance(error, exceptions.ProtocolError):
        return "the connection ended before the answer did"
    return "it cannot be reached"


def _is_tls(error: Exception) -> bool:
    return "SSL" in type(error).__name__ or str(getattr(error, "reason", "")).startswith("SSLError")


def _remedy(error: Exception) -> str | None:
    if _is_tls(error):
        return "`kubectl config view` names the certificate authority that the context has for it"
    return "`kubectl cluster-info` asks the same server"


def _json(data: bytes) -> dict[str, Any]:
    import json

    try:
        tree = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return tree if isinstance(tree, dict) else {}


def _warnings(headers: Any) -> list[str]:
    """The texts of ``Warning`` headers: ``299 - "unknown field"`` (RFC 9111 before it, RFC 7234, section 5.5)."""
    lines = headers.getlist("Warning") if hasattr(headers, "getlist") else []
    found = []
    for line in lines:
        quoted = line.partition('"')[2]
        text, escaped = "", False
        for sign in quoted:
            if not escaped and sign == '"':
                break
            escaped = not escaped and sign == "\\"
            text += "" if escaped else sign
        if text and text not in found:
            found.append(text)
    return found
