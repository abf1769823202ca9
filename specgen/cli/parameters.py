"""What an Application asks of the plugin, from the environment that Argo CD gives it. Nothing of it is ever expanded.

Shapes: ``ApplicationSourcePluginParameters.Environ`` of pkg/apis/application/v1alpha1/types.go of argo-cd 3 writes the
parameters as JSON, ``null`` where there are none; reposerver/repository/repository.go, ``getPluginParamEnvs``, puts
``ARGOCD_ENV_`` before the names of the Application's own variables; cmpserver/plugin/plugin.go, ``environ``, leaves out
those without a value.
"""

from __future__ import annotations

import json

from specgen.diagnostics.model import BadQuestion
from specgen.diagnostics.suggest import hint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

PARAMETERS = "ARGOCD_APP_PARAMETERS"
# The Application's own variables that are the plugin's; others are for whoever reads them.
VARIABLES = "ARGOCD_ENV_SPECGEN_"
# Parameter → the field that holds its value.
FIELDS = {"profiles": "array", "cluster": "string", "variant": "string", "set": "map"}
_VALUES = ("string", "array", "map")


class Parameters:
    """What is built: ``profiles`` as the command line of ``build`` names them, and its options."""

    __slots__ = ("cluster", "profiles", "settings", "variant")

    def __init__(self) -> None:
        self.profiles: list[str] = ["."]
        self.cluster: str | None = None
        self.variant: str | None = None
        self.settings: list[str] = []


def parameters(environment: Mapping[str, str]) -> Parameters:
    """The parameters of an Application over its variables. Raises BadQuestion, which names the one that is wrong."""
    asked = Parameters()
    _take_variables(asked, environment)
    given = _given(environment.get(PARAMETERS, ""))
    for name, value in given.items():
        if name == "profiles":
            asked.profiles = value
        elif name == "cluster":
            asked.cluster = value
        elif name == "variant":
            asked.variant = value
        else:
            asked.settings += [_setting(path, text) for path, text in value.items()]
    if "-" in asked.profiles or asked.cluster == "-":
        raise BadQuestion("there is no standard input to read: name a file of the repository")
    if not asked.profiles:
        raise BadQuestion("the parameter `profiles` is empty: leave it out for all profiles of the folder")
    return asked


def _take_variables(asked: Parameters, environment: Mapping[str, str]) -> None:
    for variable in sorted(environment):
        if not variable.startswith(VARIABLES):
            continue
        value, name = environment[variable], variable[len(VARIABLES) :].lower()
        lines = [line for line in value.split("\n") if line]
        if name == "profiles":
            asked.profiles = lines
        elif name == "cluster":
            asked.cluster = value
        elif name == "variant":
            asked.variant = value
        elif name == "set":
            asked.settings += lines
        else:
            known = [VARIABLES + field.upper() for field in FIELDS]
            raise BadQuestion(f"there is no variable `{variable}`", hint(variable, known, "variable"))


def _given(text: str) -> dict[str, Any]:
    """Parameter → value, of its type."""
    try:
        said = json.loads(text) if text else None
    except (ValueError, RecursionError):
        raise BadQuestion(f"{PARAMETERS} is no JSON") from None
    if said is None:
        return {}
    if not isinstance(said, list):
        raise BadQuestion(f"{PARAMETERS} is no list of parameters")
    given: dict[str, Any] = {}
    for one in said:
        name = one.get("name") if isinstance(one, dict) else None
        if not isinstance(name, str):
            raise BadQuestion(f"{PARAMETERS} holds a parameter without a name")
        if name not in FIELDS:
            raise BadQuestion(f"there is no parameter `{name}`", hint(name, FIELDS, "parameter"))
        if name in given:
            raise BadQuestion(f"the parameter `{name}` is given twice")
        given[name] = _value(name, one)
    return given


def _value(name: str, one: Mapping[str, Any]) -> Any:
    field = FIELDS[name]
    value = one.get(field)
    fits = {
        "string": isinstance(value, str),
        "array": isinstance(value, list) and all(isinstance(item, str) for item in value),
        "map": isinstance(value, dict) and all(isinstance(item, str) for item in value.values()),
    }
    if not fits[field]:
        texts = "" if field == "string" else " of strings"
        has = next((f", and has `{other}`" for other in _VALUES if other != field and one.get(other) is not None), "")
        raise BadQuestion(f"the parameter `{name}` takes `{field}`{texts}{has}")
    return value


def _setting(path: str, value: str) -> str:
    if "=" in path:
        raise BadQuestion(f"the parameter `set` has the field `{path}`: what stands behind `=` is its value")
    return f"{path}={value}"
