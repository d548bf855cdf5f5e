"""A simulated floor as a file of events, and the list of what must be found in it."""

import gzip
import json
from collections.abc import Iterable
from itertools import islice
from typing import IO, Any, Final, Literal

from replay.findings import FindingCode, Severity, severity_of
from services.encode import json_line, write_container
from services.errors import BadArgumentError
from services.simulate.faults.fault import FindingRow
from services.simulate.scribe import Event
from services.simulate.service import FloorPlan, SimulatedFloor, Tell, simulate_floor

Form = Literal["jsonl", "jsonl.gz", "avro"]

STANDARD: Final = "-"
FORM_OF_NAME: Final[dict[str, Form]] = {
    ".jsonl": "jsonl",
    ".jsonl.gz": "jsonl.gz",
    ".avro": "avro",
}
LINES_A_WRITE: Final = 1_000


def form_of(output: str) -> Form:
    """The form that a file's name asks for; standard output gets JSON lines.

    Raises:
        BadArgumentError: the name ends in nothing that is known.
    """
    if output == STANDARD:
        return "jsonl"
    for ending, form in FORM_OF_NAME.items():
        if output.lower().endswith(ending):
            return form
    raise BadArgumentError(
        f"cannot tell what to write into {output!r}",
        next_step=f"let its name end in {', '.join(FORM_OF_NAME)}, or name {STANDARD}",
    )


def write_floor(
    plan: FloorPlan, file: IO[bytes], form: Form, tell: Tell | None = None
) -> list[FindingRow]:
    """Simulate a floor into a fresh binary file; what must be found in it, as `expected_rows`.

    The same plan and form give the same bytes. `tell` hears how far it has come.

    Raises:
        BadArgumentError: a game or fault that there is not, or a fault of games left out.
    """
    floor = simulate_floor(plan)
    write_events(floor.events(tell), file, form)
    return expected_rows(floor)


def write_events(events: Iterable[Event], file: IO[bytes], form: Form) -> None:
    """Events into a fresh binary file, in the order they come."""
    match form:
        case "jsonl":
            _write_lines(events, file)
        case "jsonl.gz":
            # Without name and time in its head, so that the same events give the same file.
            with gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as packed:
                _write_lines(events, packed)
        case "avro":
            write_container(file, events)  # type: ignore[arg-type]


def expected_rows(floor: SimulatedFloor) -> list[FindingRow]:
    """What must be found, info findings left out; complete once all events were taken."""
    return [
        row for row in floor.planted() if severity_of(FindingCode(row["code"])) is not Severity.INFO
    ]


def expected_json(rows: Iterable[FindingRow]) -> bytes:
    """The list as a file: one finding a line."""
    return b"[\n" + b",\n".join(b" " + _as_json(row) for row in rows) + b"\n]\n"


def _as_json(row: dict[str, Any]) -> bytes:
    return json.dumps(row).encode()


def _write_lines(events: Iterable[Event], file: IO[bytes] | gzip.GzipFile) -> None:
    lines = map(json_line, events)
    while some := b"".join(islice(lines, LINES_A_WRITE)):
        file.write(some)
