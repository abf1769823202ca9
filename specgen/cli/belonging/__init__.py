"""What profiles may read of the folder below their root: what belongs to the repository, and no secrets.

A name counts by where it leads: links are resolved, and the file is then opened from folder to folder, none of which
may be a link by then. Who exchanges a folder for a link between two steps gets a refusal, and never another file.

Refused are a version control's own files, files by whose names everybody knows that they hold keys or passwords, files
that hold a private key, and those that the git repository around them ignores: nobody else has them, so that the same
profile is another job, or none, in the next clone. A file that the index lists is none of these, whatever the rules;
and what the profile itself shares an ignored folder with may be read, since all of that is outside of the repository.
Only rules of ``.gitignore`` files count: those of a user or of a clone are no part of what a repository says.

Nothing here quotes what it has read. Lives here: ``below`` (the way down), ``secrets`` (names and contents),
``ignored`` (rules of ``.gitignore``), ``index`` (which files git tracks).
"""
