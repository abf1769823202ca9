"""How specgen speaks: findings, the places they point at, and the forms they are printed in.

Lives here: ``model`` (codes, findings, fixes), ``place`` (finding + document → diagnostic), ``suggest``
(similar names), ``suppress`` (ignore comments), ``catalog`` (every code and its page), ``render``.
May import ``source``. It knows spans and paths, and nothing of YAML, pydantic or Kubernetes.
To add a format, write ``render/<name>.py`` with one function ``render(report) -> str`` and a case in
``tests/diagnostics``. A code is a ``Code`` constant beside the check that yields it.
"""
