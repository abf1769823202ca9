"""The reference of the language: what each word of a profile says, takes, and becomes.

One source each: sentences, types and defaults are the docstrings of ``specgen/profile`` (by way of the schemas made
from them), what a word becomes is read off compiled examples, releases come from the operators' tables, and the codes
that speak of a word from their own pages. ``words`` lists the words, ``examples`` has the shortest profile for each,
``becoming`` compiles it, ``spoken`` finds the codes, ``find`` says what a name is taken for, ``pages`` makes the page
of a word, in the form of ``page``, ``kinds``, ``variables``, ``torch_variables`` and ``exit_codes`` those of other
names, ``around`` those of what stands around profiles, ``running`` those of a job that runs, ``log_lines`` leads from a
line of a log to them; ``whole`` puts all of them on one page, ``html`` into one file for browsers.

Nothing here is loaded by a build. May import ``pipeline``, ``lower``, ``operators``, ``profile`` and below.
To add a word: nothing, where its schema has an example or one follows from its type; else a line in ``_examples``.
"""
