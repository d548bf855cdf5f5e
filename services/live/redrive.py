"""Dead letters of topics put through decoding again, once what was in the way is gone.

A schema that was registered, a limit that was raised: then what decodes now comes in as if it had
just been read, under its old place, and its letter is marked. The rest stays as it is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
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
from services.live.wire import Decoded, Opened, Wire

if TYPE_CHECKING:
    from replay.rulebook.loader import Rulebook
    from services.settings import Settings

LETTERS_MAX: Final = 500
"""In memory, as they were kept."""

TAKEN_MAX: Final = 5_000
TAKEN_BYTES_MAX: Final = 64 << 20
"""In one transaction: each judges anew what its tables had since."""


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
    seen = came_in = events = of_files = taken = 0
    stay: dict[str, tuple[int, str]] = {}  # by kind of error: how many, and in what words
    after = 0
    good = _Good()
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
        try:
            for letter, found in _decoded_all(wire, letters, settings.batch_bytes_max):
                if found is None:
                    of_files += 1
                elif isinstance(found, str):
                    _stays(stay, found)
                else:
                    came_in += 1
                    events += found.table.num_rows
                    if not dry_run:
                        good.add(letter, found)
        except RegistryUnreachableError as failure:
            raise _registry_needed(failure, taken) from failure
        if len(good.letters) >= TAKEN_MAX or good.size_bytes >= TAKEN_BYTES_MAX:
            taken += _take_in(history, rulebook, wire, good)
            good = _Good()
    if good.letters:
        _take_in(history, rulebook, wire, good)
    most_first = sorted(stay.values(), key=lambda one: -one[0])
    told = {words: number for number, words in most_first}
    return Redriven(seen, came_in, events, told, of_files)


def _decoded_all(
    wire: Wire, letters: Sequence[KeptLetter], bytes_max: int
) -> Iterator[tuple[KeptLetter, Decoded | str | None]]:
    """What letters decode to, or why they stay; None: of a file. Records of a topic go together.

    Raises:
        RegistryUnreachableError: a schema is needed that cannot be asked for now.
    """
    together: dict[str, list[tuple[KeptLetter, Opened]]] = defaultdict(list)
    for letter in letters:
        place = place_of(letter.source)
        if place is None:
            yield letter, None
            continue
        records = _records(letter, bytes_max)
        if isinstance(records, str):
            yield letter, records
            continue
        topic, partition = place
        opened = wire.opened(partition, records)
        if letter.last_position is None:
            together[topic].append((letter, opened))
        else:  # a batch, which may be long
            yield letter, _outcome(letter, *wire.decode_all(topic, [opened]))
    for topic, ready in together.items():
        found = wire.decode_all(topic, [opened for _, opened in ready])
        for (letter, _), decoded in zip(ready, found, strict=True):
            yield letter, _outcome(letter, decoded)


def _records(letter: KeptLetter, bytes_max: int) -> Sequence[Any] | str:
    """The records that a letter is of, or why there are none."""
    if letter.tombstone:
        return letter.error
    if letter.last_position is not None:
        try:
            batch = BoundedRecords(letter.raw, bytes_max).next_batch()
            return [one for one in batch or () if one.offset >= letter.position]
        except CorruptRecordError as error:
            return str(error)
    sent_ms = -1 if letter.sent_at is None else int(letter.sent_at.timestamp() * 1_000)
    return [Record(letter.position, letter.key, letter.raw, sent_ms)]


def _outcome(letter: KeptLetter, decoded: Decoded) -> Decoded | str:
    if decoded.table.num_rows:
        return decoded
    return decoded.letters[0].error if decoded.letters else letter.error


def _registry_needed(failure: RegistryUnreachableError, taken: int) -> RegistryNeededError:
    done = f"{taken:,} letters came in before that" if taken else "nothing was done"
    return RegistryNeededError(
        str(failure), next_step=f"start it, or name it with --schema-registry; {done}"
    )


@dataclass(slots=True)
class _Good:
    """Letters that decode now, and what to."""

    letters: list[int] = field(default_factory=list)
    parts: dict[str, list[Decoded]] = field(default_factory=dict)
    """By source."""
    size_bytes: int = 0

    def add(self, letter: KeptLetter, decoded: Decoded) -> None:
        self.letters.append(letter.letter_no)
        self.parts.setdefault(letter.source, []).append(decoded)
        self.size_bytes += len(letter.raw) + decoded.table.nbytes


def _take_in(history: History, rulebook: Rulebook, wire: Wire, good: _Good) -> int:
    """Events in, letters marked: one transaction. How many letters."""
    with history.transaction():
        journal = Journal(history)
        for source, parts in good.parts.items():
            table = pa.concat_tables([part.table for part in parts])
            journal.append(source, table, [one for part in parts for one in part.letters])
        journal.decide()
        judge(history, rulebook, journal.changed())
        mark_redriven(history, good.letters)
        for mark, schema in wire.to_archive.items():
            keep_writer_schema(history, mark, schema)
        for number, schema in wire.to_register.items():
            keep_registry_schema(history, number, schema)
    return len(good.letters)


def _stays(stay: dict[str, tuple[int, str]], error: str) -> None:
    """Count an error by its kind: without the numbers of one record, and without what is long."""
    words = error.split(":")[0] if len(error) > 80 else error
    kind = "".join("#" if letter.isdigit() else letter for letter in words)
    number, before = stay.get(kind, (0, words))
    stay[kind] = (number + 1, words if words == before else kind)
