"""Expected output in plain files beside what it is expected of, compared and refreshed by syrupy.

``assert text == golden(path)`` holds a text against a file. `pytest --snapshot-update` writes the files that differ or
are absent: read the difference before keeping it. The mark ``golden("rules/*/report.txt")`` says which files a test has
for its own, relative to its module: those that it no longer asks for are reported as unused at the end of a run of the
whole suite or of a folder, and `--snapshot-update` removes them.
"""

from __future__ import annotations

import os
from pathlib import Path

from syrupy.assertion import SnapshotAssertion
from syrupy.data import Snapshot, SnapshotCollection, SnapshotCollections
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from syrupy.location import PyTestLocation

MARK = "golden"


class Golden:
    """Holds texts against files, each where the test says."""

    def __init__(self, snapshot: SnapshotAssertion) -> None:
        self.snapshot = snapshot.use_extension(Beside)

    def __call__(self, path: Path) -> SnapshotAssertion:
        return self.snapshot(name=os.path.relpath(path, Path(self.snapshot.test_location.filepath).parent))


class Beside(SingleFileSnapshotExtension):
    """A text is a file of its own; the name of a snapshot is the file's path from the folder of the test's module."""

    _write_mode = WriteMode.TEXT

    @classmethod
    def get_location(cls, *, test_location: PyTestLocation, index: int | str) -> str:
        return os.path.normpath(Path(test_location.filepath).parent / str(index))

    @classmethod
    def get_snapshot_name(cls, *, test_location: PyTestLocation, index: int | str = 0) -> str:
        return f"{test_location.methodname}[{index}]"

    @classmethod
    def matches_test_location(cls, *, test_location: PyTestLocation, snapshot_location: str) -> bool:
        return True  # a test finds its files wherever it looks for them

    @classmethod
    def discovery_dirname(cls, *, test_location: PyTestLocation) -> str:
        """One place for each test function, as each has a mark of its own."""
        return f"{test_location.filepath}/{test_location.methodname}"

    def discover_snapshots(
        self, *, test_location: PyTestLocation, ignore_extensions: list[str] | None = None
    ) -> SnapshotCollections:
        """The files of the test's marks; none where a test has failed, as it may not have come to ask for its file."""
        found = SnapshotCollections()
        if test_location.item.session.exitstatus:
            return found
        folder = Path(test_location.filepath).parent
        patterns = [pattern for mark in test_location.item.iter_markers(MARK) for pattern in mark.args]
        for path in [path for pattern in patterns for path in folder.glob(pattern)]:
            name = self.get_snapshot_name(test_location=test_location, index=str(path.relative_to(folder)))
            collection = SnapshotCollection(location=str(path))
            collection.add(Snapshot(name=name))
            found.add(collection)
        return found

    def read_snapshot_data_from_location(
        self, *, snapshot_location: str, snapshot_name: str, session_id: str
    ) -> str | None:
        """The text with its line ends as they are."""
        path = Path(snapshot_location)
        return path.read_bytes().decode() if path.is_file() else None

    @classmethod
    def write_snapshot_collection(
        cls, *, snapshot_collection: SnapshotCollection, name_order: dict[str, int] | None = None
    ) -> None:
        (snapshot,) = snapshot_collection
        Path(snapshot_collection.location).write_bytes(str(snapshot.data).encode())
