"""Development-time generators: they write the files under ``schemas/`` and ``specgen/tables``, and the index of codes.

Lives here: ``profile_schemas`` (schemas of the profile's language), ``kubernetes_schemas`` (schemas of foreign kinds),
made of ``job_kinds`` and ``kinds`` (the job part) and ``pod``, ``pod_facts``, ``pod_versions`` (the pod part), both in
the notation of ``shapes``; ``tables`` (schemas → modules), ``sharing`` (what several tables share), ``records`` (how
models read a mapping), ``trainer_contract`` (what the trainer says of itself), ``kinds_index`` (kind → its module),
``rules_index`` (the index of codes).
Nothing here is imported when specgen runs for a user, so these modules may import pydantic and
kubernetes. Run them as ``python -m specgen.generate``. Each generator is a function without
side effects that returns ``{path relative to the repository root: text}``; a freshness test
compares those texts with the files.
"""

from __future__ import annotations
