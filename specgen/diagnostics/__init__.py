"""How specgen speaks: findings, the places they point at, and the forms they are printed in.

Lives here: ``model`` (codes, findings, fixes), ``operations`` (of which a patch consists), ``pages`` (the form of a
code's page), ``place`` (finding + document → diagnostic), ``report`` (all that a run says), ``summary`` (its
numbers), ``render`` (one file a format), ``sources`` (the lines that a snippet quotes), ``safe`` (text that can be
printed), ``secrets`` (what never is), ``credentials`` (texts that are secrets beyond doubt), ``suggest`` (similar
names), ``ignores`` (comments as they are written) and
``suppress`` (what they leave out), ``selection`` (words that name codes), ``fingerprint`` (what a finding is known by
in another run), ``catalog`` (every code and its page).
May import ``source``. It knows spans and paths, and nothing of YAML, pydantic or Kubernetes.
To add a format, write ``render/<name>.py`` with one function ``render(report) -> str`` and what it prints in
``tests/diagnostics/formats``. A code is a ``Code`` constant beside the check that yields it.
"""
