"""Are sealed days what was sealed: the chain of manifests, every file, every row.

A manifest is held against the digest that the next one has of it, and that the history has; a file
against its manifest; rows against the history's. Whatever is missing, changed or added is named.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path

from services.history.problems import PROBLEMS_MAX, Problem
from services.history.sealed.anchors import is_of, remembered
from services.history.sealed.errors import SealedDamagedError
from services.history.sealed.folder import MANIFESTS, NUMBER, STAGE, SealedFolder
from services.history.sealed.manifest import Link, Manifest, SealedFile, decoded, digest_of
from services.history.sealed.rows import rows_changed, rows_otherwise
from services.history.store import History


@dataclass(frozen=True, slots=True)
class _Found:
    """A manifest as it lies there."""

    manifest: Manifest | None
    """None: it cannot be read."""
    digest: str
    problem: str = ""


def problems_of_sealed(history: History, folder: SealedFolder) -> Iterator[Problem]:
    """Every problem: of manifests, then of files, then of rows."""
    said = remembered(history)
    if not folder.path.is_dir() and not said:
        return
    found = {number: _found(folder, number) for number in _numbers(folder)}
    yield from _problems_of_chain(folder, found, said)
    whole = True
    for number, each in found.items():
        if each.manifest is not None:
            link = Link(number=number, gaming_day=each.manifest.gaming_day, digest=each.digest)
            if not is_of(history, each.manifest, link):
                whole = False
                yield Problem(
                    "manifest",
                    _name(number),
                    "was sealed of another history than this one, or of a later state of it",
                )
    manifests = [each.manifest for each in found.values() if each.manifest is not None]
    good: list[Manifest] = []
    for manifest in manifests:
        problems = list(_problems_of_files(history, folder, manifest, manifests))
        yield from problems
        if not problems:
            good.append(manifest)
    yield from _added(folder, manifests)
    if whole and not history.is_laid_out:
        for manifest in good:
            yield from rows_otherwise(history, folder, manifest)


def is_as_sealed(folder: SealedFolder) -> bool:
    """Whether every manifest and every file is what was written."""
    try:
        manifests = folder.chain().manifests
    except SealedDamagedError:
        return False
    return all(
        problem_of(folder.path / file.path, file) is None
        for manifest in manifests
        for file in manifest.files
    )


def _problems_of_chain(
    folder: SealedFolder, found: Mapping[int, _Found], said: Mapping[int, Link]
) -> Iterator[Problem]:
    links = dict(said)
    for each in found.values():
        if each.manifest is not None and each.manifest.previous is not None:
            links.setdefault(each.manifest.previous.number, each.manifest.previous)
    for number in range(1, max([0, *found, *said]) + 1):
        if (problem := _problem_of_manifest(number, found.get(number), links)) is not None:
            yield Problem("manifest", _name(number), problem)
    for path in sorted((folder.path / MANIFESTS).glob("*")):
        if not path.stem.isdecimal() or path.name != folder.manifest_path(int(path.stem)).name:
            yield Problem("manifest", f"{MANIFESTS}/{path.name}", "was added: it is no manifest")


def _problem_of_manifest(
    number: int, found: _Found | None, links: Mapping[int, Link]
) -> str | None:
    """What is wrong with a manifest, in words; `links` is what others say of each."""
    link = links.get(number)
    day = f"gaming day {link.gaming_day}" if link else "a gaming day"
    if found is None:
        return f"is missing; {day} was sealed with it"
    if found.manifest is None:
        return f"{found.problem}; {day} was sealed with it"
    if found.manifest.number != number:
        return f"is manifest {found.manifest.number}"
    if link is not None and found.digest != link.digest:
        return f"is not the one that was written when {day} was sealed"
    before = found.manifest.previous
    if before != (links.get(number - 1) if number > 1 else None):
        return f"follows manifest {before.number if before else 0}, which is not there so"
    return None


def _problems_of_files(
    history: History, folder: SealedFolder, manifest: Manifest, manifests: list[Manifest]
) -> Iterator[Problem]:
    missing = [file for file in manifest.files if not (folder.path / file.path).is_file()]
    if missing and len(missing) == len(manifest.files):
        day = f"gaming_day={manifest.gaming_day}"
        told = f"was removed: all {len(missing)} files of manifest {manifest.number} are missing"
        yield Problem("sealed_day", day, told)
        return
    for file in missing:
        rows = "row" if file.rows == 1 else "rows"
        yield Problem("sealed_day", file.path, f"is missing, with {file.rows:,} {rows}")
    for file in manifest.files:
        if file in missing:
            continue
        if (problem := problem_of(folder.path / file.path, file)) is not None:
            yield Problem("sealed_day", file.path, problem)
            yield from rows_changed(history, folder, manifest, file, manifests)


def problem_of(path: Path, file: SealedFile) -> str | None:
    """Why a file is not the one that was sealed."""
    try:
        size = path.stat().st_size
        with path.open("rb") as content:
            digest = file_digest(content, "sha256").hexdigest()
    except OSError as error:
        return f"cannot be read: {error.strerror or error}"
    if digest == file.sha256:
        return None
    sizes = "" if size == file.size_bytes else f" (it had {file.size_bytes:,} bytes, now {size:,})"
    return f"is not the file that was sealed{sizes}"


def _added(folder: SealedFolder, manifests: list[Manifest]) -> Iterator[Problem]:
    named = {file.path for manifest in manifests for file in manifest.files}
    count = 0
    for path in sorted(folder.path.rglob("*")):
        name = path.relative_to(folder.path).as_posix()
        if path.is_dir() or name in named or name.split("/")[0] in (MANIFESTS, STAGE):
            continue
        yield Problem("sealed_day", name, "was added: no manifest names it")
        count += 1
        if count == PROBLEMS_MAX:
            return


def _numbers(folder: SealedFolder) -> list[int]:
    return [
        int(path.stem)
        for path in folder.manifest_paths()
        if path.stem.isdecimal() and path == folder.manifest_path(int(path.stem))
    ]


def _found(folder: SealedFolder, number: int) -> _Found:
    try:
        content = folder.manifest_path(number).read_bytes()
    except OSError as error:
        return _Found(None, "", f"cannot be read: {error.strerror or error}")
    try:
        return _Found(decoded(content), digest_of(content))
    except ValueError as error:
        return _Found(None, digest_of(content), f"cannot be read: it is {error}")


def _name(number: int) -> str:
    return f"{MANIFESTS}/{NUMBER.format(number)}.json"
