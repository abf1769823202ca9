"""Development-time generators: they write the files under ``schemas/`` and ``specgen/tables``, and the index of codes.

Lives here: ``kinds_index`` (the folders ``operators``, ``lower`` and ``install`` as tables, and what they add to the
language of profiles), ``profile_schemas`` (schemas of that language), ``kubernetes_schemas`` (those of foreign kinds),
made of ``job_kinds`` and ``kinds`` (the job part) and ``pod``, ``pod_facts``, ``pod_versions`` (the pod part), both in
the notation of ``shapes``; ``tables`` (schemas → modules), ``sharing`` (what several tables share), ``records`` (how
models read a mapping), ``trainer_contract`` (what the trainer says of itself), ``rules_index`` (the index of codes),
``reference`` (all words on one page), ``picture`` (what the sample becomes).
Nothing here is imported when specgen runs for a user, so these modules may import pydantic and kubernetes. Run them as
``python -m specgen.generate``: one after the other, as each may read what the one before has written. Each generator is
a function without side effects that returns ``{path relative to the repository root: text}``; a freshness test compares
those texts with the files.
"""

from __future__ import annotations
