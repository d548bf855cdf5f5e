"""The folder of sealed days, and how something comes into it: whole, or not at all.

    PATH.sealed/manifests/000001.json
    PATH.sealed/gaming_day=2026-04-18/records-000001.parquet
    PATH.sealed/gaming_day=2026-04-18/game=RUN_EM_TWICE/events-000001.parquet

Everything is written into `.sealing` first and synced, the manifest last and by its name: from then
on the sealing counts. Then it is moved to its place, a new day in one go, the manifest last. Who
finds a `.sealing` with a manifest in it goes on with moving; without one it is thrown away. What
lies in its place is never written to again.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from services.history.sealed.errors import SealedDamagedError, UnwritableSealedError
from services.history.sealed.manifest import Link, Manifest, decoded, digest_of, encoded

SUFFIX: Final = ".sealed"
STAGE: Final = ".sealing"
MANIFESTS: Final = "manifests"
NUMBER: Final = "{:06}"


@dataclass(frozen=True, slots=True)
class Chain:
    """The manifests of a folder, from 1 on, and the link to the last of them."""

    manifests: tuple[Manifest, ...] = ()
    last: Link | None = None

    @property
    def next_number(self) -> int:
        """Of the sealing that comes next."""
        return len(self.manifests) + 1


@dataclass(frozen=True, slots=True)
class SealedFolder:
    """A folder of sealed days, which need not be there yet. One process at a time writes to it."""

    path: Path

    @property
    def stage(self) -> Path:
        """Where a sealing is written."""
        return self.path / STAGE

    def manifest_path(self, number: int) -> Path:
        """Where a manifest lies."""
        return self.path / MANIFESTS / f"{NUMBER.format(number)}.json"

    def chain(self) -> Chain:
        """All manifests, each held against the digest that the next one has of it.

        Raises:
            SealedDamagedError: one is missing, cannot be read, or is not the one that was written.
        """
        manifests: list[Manifest] = []
        last: Link | None = None
        for number, path in enumerate(self.manifest_paths(), start=1):
            if path != self.manifest_path(number):
                raise _damaged(self.manifest_path(number), "is missing")
            try:
                content = path.read_bytes()
                manifest = decoded(content)
            except (OSError, ValueError) as error:
                raise _damaged(path, str(error)) from error
            if manifest.number != number or manifest.previous != last:
                raise _damaged(path, "is not the one that followed the one before it")
            manifests.append(manifest)
            last = manifest.link(content)
        return Chain(tuple(manifests), last)

    def manifest_paths(self) -> list[Path]:
        """What lies where manifests lie, in the order of their numbers."""
        return sorted((self.path / MANIFESTS).glob("*.json"))

    def finish(self) -> None:
        """Go on with what was interrupted: move what counts, throw away what does not.

        Raises:
            UnwritableSealedError: the folder cannot be written to.
        """
        with _writing(self.path):
            if not self.stage.is_dir():
                return
            if list((self.stage / MANIFESTS).glob("*.json")):
                self._publish()
            else:
                shutil.rmtree(self.stage)
                _sync(self.path)

    @contextmanager
    def staged(self) -> Iterator[Path]:
        """A folder to write a sealing into; what is not committed within is thrown away.

        Raises:
            UnwritableSealedError: the folder cannot be written to.
        """
        self.finish()
        with _writing(self.path):
            self.stage.mkdir(parents=True)
            try:
                yield self.stage
            finally:
                self.finish()

    def commit(self, manifest: Manifest) -> Link:
        """Within `staged`, when all its files are written: from here on the sealing counts."""
        content = encoded(manifest)
        for folder, _, names in os.walk(self.stage):
            for name in names:
                _sync(Path(folder) / name)
            _sync(Path(folder))
        place = self.stage / MANIFESTS / self.manifest_path(manifest.number).name
        place.parent.mkdir()
        part = place.with_suffix(".part")
        part.write_bytes(content)
        _sync(part)
        os.replace(part, place)
        _sync(place.parent)
        _sync(self.stage)
        return Link(
            number=manifest.number, gaming_day=manifest.gaming_day, digest=digest_of(content)
        )

    def _publish(self) -> None:
        days = sorted(each for each in self.stage.iterdir() if each.name != MANIFESTS)
        for each in [*days, self.stage / MANIFESTS]:
            _move(each, self.path / each.name)
        _sync(self.path)
        self.stage.rmdir()


def folder_of(history: Path, setting: Path | None = None) -> SealedFolder:
    """The folder of the history at a path, beside it unless the setting says where."""
    return SealedFolder(setting or history.with_name(history.name + SUFFIX))


def _move(source: Path, target: Path) -> None:
    """Move to where nothing is, whole; a folder into one that is there, bit by bit."""
    if not target.exists():
        os.rename(source, target)
        _sync(target.parent)
        return
    if not source.is_dir() or not target.is_dir():
        raise _damaged(target, "lies where a sealed file is to be, and is not it")
    for each in sorted(source.iterdir()):
        _move(each, target / each.name)
    source.rmdir()


def _sync(path: Path) -> None:
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UnwritableSealedError(
            f"{path}: cannot be written: {error.strerror or error}",
            next_step="free some room, or give the right to write there; nothing is half sealed",
        ) from error


def _damaged(path: Path, what: str) -> SealedDamagedError:
    return SealedDamagedError(
        f"{path}: {what}", next_step="`pitproof verify` names all that is not as it was sealed."
    )
