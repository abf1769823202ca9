"""The language that people write: job profiles, bases, and cluster profiles.

Lives here: ``words``, ``pod``, ``job``, ``cluster`` (the pydantic models: the truth about the language, its Python API, the
source of ``schemas/*.schema.json``), ``formats`` (grammars of texts), ``record`` (accepted data in the models' shape,
without pydantic), ``layers`` (merging with provenance), ``resolve`` (extends, variants, ``--set``, roles → the job),
``variables`` (``$<name>`` in strings), ``codes`` (SG1xx and the resolve part of SG2xx).
May import ``schema``, ``document``, ``diagnostics``, ``source``, ``nccl``.
To add a field: write it in ``job.py`` with its sentence, run ``python -m specgen.generate``, use it where it acts.
"""
