"""Floors of any size for measurements: one simulated floor, put down again under new names.

Every copy has table and event ids of its own, so that nothing in a file is delivered twice. Files
are kept in a folder of the system's temporary one, and made only once.
"""

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import fastavro
import msgspec

from services import encode, schemas
from services.simulate.service import FloorPlan, games_available, simulate_floor

SEED: Final = 4
TABLES: Final = 4  # of each game
ROUNDS: Final = 100  # of each table
NUMBER_DIGITS: Final = 8
MARK: Final = "@" * NUMBER_DIGITS  # where the number of the copy goes, also within event ids


def simulated(games: Sequence[str] = (), rounds: int = ROUNDS) -> list[dict[str, Any]]:
    """The events of one floor."""
    chosen = tuple(games) or games_available()
    plan = FloorPlan(games=chosen, tables=TABLES, rounds=rounds, seed=SEED)
    return [dict(event) for event in simulate_floor(plan).events()]


def copies(events: list[dict[str, Any]], count: int) -> Iterator[bytes]:
    """JSON lines of `count` events, copy after copy, the last cut short."""
    lines = [encode.json_line(_marked(event)) for event in events]
    template = b"".join(lines)
    for number in range(-(-count // len(lines))):
        left = count - number * len(lines)
        text = template if left >= len(lines) else b"".join(lines[:left])
        yield text.replace(MARK.encode(), b"%0*x" % (NUMBER_DIGITS, number))


def json_file(event_count: int, games: Sequence[str] = ()) -> Path:
    """A file of that many events as JSON lines."""
    path = _folder() / f"{'-'.join(games) or 'all'}-{event_count}.jsonl"
    if not path.exists():
        unfinished = path.with_suffix(".part")
        with unfinished.open("wb") as file:
            file.writelines(copies(simulated(games), event_count))
        unfinished.rename(path)
    return path


def avro_file(event_count: int, *, plain: bool = False) -> Path:
    """The same events as an Avro container file; `plain`: its schema has no logical types."""
    path = _folder() / f"all-{event_count}{'-plain' if plain else ''}.avro"
    if not path.exists():
        unfinished = path.with_suffix(".part")
        with json_file(event_count).open("rb") as lines, unfinished.open("wb+") as file:
            rows = map(msgspec.json.decode, lines)
            if plain:
                union = list(schemas.union_schema())
                parsed: Any = fastavro.parse_schema(schemas.without_annotations(union))
                records = map(encode.avro_record, rows)
                fastavro.writer(file, parsed, records, sync_interval=encode.BLOCK_BYTES)
            else:
                encode.write_container(file, rows, "null")
        unfinished.rename(path)
    return path


def _marked(event: dict[str, Any]) -> dict[str, Any]:
    marked = {**event, "table_id": f"{event['table_id']}-{MARK}"}
    for name in ("event_id", "corrects"):
        if event.get(name):
            marked[name] = MARK + event[name][NUMBER_DIGITS:]
    return marked


def _folder() -> Path:
    folder = Path(tempfile.gettempdir()) / "pitproof-bench"
    folder.mkdir(exist_ok=True)
    return folder
