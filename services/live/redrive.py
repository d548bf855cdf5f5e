"""Dead letters of topics put through decoding again, once what was in the way is gone.

A schema that was registered, a limit that was raised: then what decodes now comes in as if it had
just been read, under its old place, and its letter is marked. The rest stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
from kafka.errors import CorruptRecordError

from services.errors import PitproofError
from services.history.archive import (
    keep_registry_schema,
    keep_writer_schema,
    registry_schemas,
    writer_schemas,
)
from services.history.dead_letters import KeptLetter, letters_of, mark_redriven
from services.history.journal import Journal
from services.history.store import History
from services.judging import judge
from services.live.places import place_of
from services.live.registry import Registry, RegistryUnreachableError
from services.live.unpacking import BoundedRecords
from services.live.wire import Decoded, Wire

if TYPE_CHECKING:
    from replay.rulebook.loader import Rulebook
    from services.settings import Settings

LETTERS_MAX: Final = 500
"""In memory, and in one transaction."""


class RegistryNeededError(PitproofError):
    """Letters name a schema of a registry that does not answer."""

    code = "registry_needed"


@dataclass(frozen=True, slots=True)
class Record:
    """A record as a consumer gives it."""

    offset: int
    key: bytes | None
    value: bytes | None
    timestamp: int
    headers: Sequence[tuple[str, bytes]] = ()


@dataclass(frozen=True, slots=True)
class Redriven:
    """What became of the letters that were looked at."""

    letters: int
    """That fitted and waited."""
    came_in: int
    """That decode now (in a dry run: would come in)."""
    events: int
    stay: dict[str, int]
    """What is wrong with the rest: in its words, or those of the kind where they differ."""
    of_files: int
    """Left out: their files can be given to `audit` again."""


def redrive(
    history: History,
    rulebook: Rulebook,
    settings: Settings,
    *,
    error: str | None = None,
    source: str | None = None,
    registry_url: str = "",
    registry_secret: str = "",
    dry_run: bool = False,
) -> Redriven:
    """Put letters that wait, or those that fit, through decoding again.

    Raises:
        RegistryNeededError: a registry is needed and does not answer.
    """
    url = registry_url or settings.registry_url
    wire = Wire(
        writer_schemas(history),
        registry_schemas(history),
        Registry(url, registry_secret) if url else None,
        settings.record_bytes_max,
    )
    seen = came_in = events = of_files = 0
    stay: dict[str, tuple[int, str]] = {}  # by kind of error: how many, and in what words
    after = 0
    while letters := letters_of(
        history,
        after_no=after,
        source=source,
        error_part=error,
        waiting_only=True,
        limit=LETTERS_MAX,
    ):
        after = letters[-1].letter_no
        seen += len(letters)
        good: list[tuple[KeptLetter, Decoded]] = []
        for letter in letters:
            place = place_of(letter.source)
            if place is None:
                of_files += 1
                continue
            decoded = _decoded(wire, letter, place, settings.batch_bytes_max)
            if isinstance(decoded, str):
                _stays(stay, decoded)
            else:
                good.append((letter, decoded))
        came_in += len(good)
        events += sum(decoded.table.num_rows for _, decoded in good)
        if good and not dry_run:
            _take_in(history, rulebook, wire, good)
    most_first = sorted(stay.values(), key=lambda one: -one[0])
    told = {words: number for number, words in most_first}
    return Redriven(seen, came_in, events, told, of_files)


def _decoded(
    wire: Wire, letter: KeptLetter, place: tuple[str, int], bytes_max: int
) -> Decoded | str:
    """What a letter decodes to, or why it stays."""
    if letter.tombstone:
        return letter.error
    sent_ms = -1 if letter.sent_at is None else int(letter.sent_at.timestamp() * 1_000)
    records: list[Any] = [Record(letter.position, letter.key, letter.raw, sent_ms)]
    if letter.last_position is not None:
        try:
            batch = BoundedRecords(letter.raw, bytes_max).next_batch()
            records = [one for one in batch or () if one.offset >= letter.position]
        except CorruptRecordError as error:
            return str(error)
    try:
        found = wire.decode(*place, records)
    except RegistryUnreachableError as error:
        raise RegistryNeededError(
            str(error), next_step="start it, or name it with --schema-registry; nothing was done"
        ) from error
    if not found.table.num_rows:
        return found.letters[0].error if found.letters else letter.error
    return found


def _take_in(
    history: History,
    rulebook: Rulebook,
    wire: Wire,
    good: Sequence[tuple[KeptLetter, Decoded]],
) -> None:
    """Events in, letters marked: one transaction."""
    with history.transaction():
        journal = Journal(history)
        by_source: dict[str, list[Decoded]] = {}
        for letter, decoded in good:
            by_source.setdefault(letter.source, []).append(decoded)
        for source, parts in by_source.items():
            table = pa.concat_tables([part.table for part in parts])
            journal.append(source, table, [one for part in parts for one in part.letters])
        journal.decide()
        judge(history, rulebook, journal.changed())
        mark_redriven(history, [letter.letter_no for letter, _ in good])
        for mark, schema in wire.to_archive.items():
            keep_writer_schema(history, mark, schema)
        for number, schema in wire.to_register.items():
            keep_registry_schema(history, number, schema)


def _stays(stay: dict[str, tuple[int, str]], error: str) -> None:
    """Count an error by its kind: without the numbers of one record, and without what is long."""
    words = error.split(":")[0] if len(error) > 80 else error
    kind = "".join("#" if letter.isdigit() else letter for letter in words)
    number, before = stay.get(kind, (0, words))
    stay[kind] = (number + 1, words if words == before else kind)
