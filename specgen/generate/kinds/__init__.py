"""The job part of each kind, written from what the operators read and do; `specgen.generate.job_kinds` lists them."""

from __future__ import annotations
