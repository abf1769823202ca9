"""The ms-operator: MSJob.

``facts`` (its release, names), ``msjob`` (the kind), ``pods`` (what it creates), ``refusals``, ``lifecycle``,
``updates``.
"""
