"""The language that people write: job profiles, bases, and cluster profiles.

The pydantic models, the truth about the language, its Python API, and the source of ``schemas/*.schema.json``:
``words`` (the base class, texts with a grammar), ``resources``, ``env``, ``mount``, ``pod``, ``start``, ``job``,
``operator``, ``cluster``, and ``index`` (generated: the kinds and operators that profiles may name).
What reads profiles, without pydantic: ``shape`` (accepted or not), ``library`` (profile files, each read once),
``layers`` (merging with provenance), ``variants`` (the jobs of one profile), ``resolve`` (extends, variants, ``--set``
→ the jobs), ``broken`` (what else is wrong where none is made), ``repaired`` (a profile of a wrong shape with other
values there), ``settings`` (``--set``), ``meant`` (the setting that was meant by one that is none),
``roles`` (one role's words), ``levels`` (words of the topology), ``pools`` (labels of nodes), ``variables``
(``$<name>`` in strings), ``queues`` (of a cluster: what no scheduler has),
``codes`` (SG110 and the resolve part of SG2xx).
May import ``schema``, ``document``, ``diagnostics``, ``source``.
To add a field: write it in its model with its sentence, run ``python -m specgen.generate``, use it where it acts
(a word for pods: in ``plan.complete``).
"""
