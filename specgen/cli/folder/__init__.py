"""A folder of output on disk: what stands in it, and how it becomes another one, as a whole or not at all.

The new tree is put together beside the old one: what stays is linked, what changes is written, all of it is on disk
before the two change places in one step. Whoever ends the program, whenever, leaves the old tree or the new one, and at
most a folder ``.<name>.specgen`` beside it, which the next build takes away.

Where the two cannot change places, because the folder is that of the shell or of a repository, is a mount, stands
among what cannot be written, has rights that no other folder can be given, or lies on a file system that has no such
step, and where little of a large tree changes, its files are replaced one by one, each as a whole, by a journal inside.
A build that is killed then leaves the old tree, or some files of each side, which are all specgen's own by the list of
them; the next build, whatever it builds, first ends what the journal says.

Builders wait for each other at a lock of the folder above, which ends with its holder. No link is followed below the
folder: every step goes from one open folder to the next.

Lives here: ``standing`` (what is there), ``update`` (the lock, and which way is gone), ``exchange`` (the folder at
once), ``one_by_one`` (file by file, by a journal), ``recover`` (what a build left that was ended), ``steps`` (from
handle to handle).
"""
