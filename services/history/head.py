"""The head of a history: what its last transaction left, noted in a small file beside it.

A write-ahead log that lost its end, or a file put back from yesterday, opens without a word; only
somebody who remembers the end notices. The head is replaced after every commit, so it may be one
behind (killed in between), and never ahead of the file it belongs to.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from services.history.errors import HistoryLostError

if TYPE_CHECKING:
    from services.history.store import History

FIRST_CHAIN: Final = "0" * 32
"""Of a history without a transaction."""


@dataclass(frozen=True, slots=True)
class Head:
    """What a history has after a transaction."""

    transaction: int = 0
    events: int = 0
    findings: int = 0
    dead_letters: int = 0
    chain: str = FIRST_CHAIN
    """32 hexadecimal digits over what this transaction brought and all those before it."""


class HeadState(StrEnum):
    """How a history stands to the head that is noted beside it."""

    SAME = "same"
    NONE = "none"  # nothing is noted: no transaction yet, or a file without its head
    ONE_BEHIND = "one_behind"  # killed between the commit and the note: normal
    LOST = "lost"  # the history lost transactions that were committed
    OLD = "old"  # the head is an earlier one: nothing is lost, but who put it there?
    DIFFERS = "differs"  # it is another history's, or what was committed is not what is there


@dataclass(frozen=True, slots=True)
class HeadCheck:
    """A history held against its head."""

    state: HeadState
    held: Head
    noted: Head | None = None
    problem: str = ""
    """What is wrong, in words; empty where nothing is."""

    def require(self, path: Path) -> None:
        """Refuse a history that is not what its head says.

        Raises:
            HistoryLostError: transactions are lost, or others than were committed.
        """
        if self.state in (HeadState.LOST, HeadState.DIFFERS):
            way_out = _LOST if self.state is HeadState.LOST else _DIFFERS
            raise HistoryLostError(
                f"{path}: {self.problem}", next_step=way_out.format(head=head_path(path).name)
            )


_LOST: Final = (
    "`pitproof serve` reads what is missing from the topic again; a history of files is made anew "
    "with `pitproof rebuild`; or put the right file back, or, where it is meant to be so, remove "
    "{head} and give the files again."
)
_DIFFERS: Final = (
    "Put the right file back, or make the history anew with `pitproof rebuild`; where it is meant "
    "to be so, remove {head}."
)


def head_path(path: Path) -> Path:
    """Where the head of the history at a path lies."""
    return path.with_name(f"{path.name}.head")


def head_of(history: History) -> Head:
    """What the history has now."""
    [row] = history.rows(_HEAD)
    return Head(row[0], row[1], row[2], row[3], row[4] or FIRST_CHAIN)


def note_head(path: Path, head: Head) -> str:
    """Replace what is noted, whole or not at all; why it cannot be, if it cannot."""
    fresh = path.with_name(f"{path.name}.head.new")
    try:
        fresh.write_text(json.dumps(asdict(head)) + "\n", encoding="utf-8")
        os.replace(fresh, head_path(path))
    except OSError as error:  # it is seen to be old next time
        return f"{head_path(path)}: cannot be written: {error.strerror or error}"
    return ""


def check_head(history: History) -> HeadCheck:
    """Hold the history against what is noted beside it."""
    held = head_of(history)
    noted = _noted(history.path)
    if noted is None:
        return HeadCheck(HeadState.NONE, held, problem=_why_none(history.path, held))
    if noted.transaction > held.transaction:
        lost = noted.transaction - held.transaction
        return HeadCheck(
            HeadState.LOST,
            held,
            noted,
            f"it ends with transaction {held.transaction}, and {noted.transaction} were committed: "
            f"{lost} {'is' if lost == 1 else 'are'} lost, with {noted.events - held.events} events",
        )
    found = history.rows(_CHAIN, [noted.transaction])
    chain = found[0][0] if found else FIRST_CHAIN
    same = held.transaction != noted.transaction or held == noted
    if chain != noted.chain or not same:
        return HeadCheck(
            HeadState.DIFFERS,
            held,
            noted,
            f"transaction {noted.transaction} is not the one that was committed: another file was "
            "put in its place, or it went on from an earlier copy",
        )
    behind = held.transaction - noted.transaction
    if behind > 1:
        return HeadCheck(
            HeadState.OLD,
            held,
            noted,
            f"its head is {behind} transactions behind: the head is that of an earlier copy",
        )
    return HeadCheck(HeadState.ONE_BEHIND if behind else HeadState.SAME, held, noted)


def digest_parts(number: npt.NDArray[np.int64], digests: pa.Array) -> npt.NDArray[np.uint64]:
    """(N, 2): of each digest of 16 bytes and the number of what has it, what it adds to sums."""
    if not len(digests):
        return np.zeros((0, 2), np.uint64)
    halves = np.frombuffer(
        digests.buffers()[1], np.uint64, offset=16 * digests.offset, count=2 * len(digests)
    ).reshape(-1, 2)
    weights = number.astype(np.uint64) * np.uint64(2) + np.uint64(1)
    parts: npt.NDArray[np.uint64] = halves * weights[:, None]
    return parts


def digest_sums(number: npt.NDArray[np.int64], digests: pa.Array) -> npt.NDArray[np.uint64]:
    """Two numbers over digests of 16 bytes and the numbers of what has them; they add up."""
    sums: npt.NDArray[np.uint64] = digest_parts(number, digests).sum(axis=0, dtype=np.uint64)
    return sums


def chained(chain: str, sums: npt.NDArray[np.uint64], *numbers: int) -> str:
    """The chain after a transaction: over the one before, what it brought, and its counts."""
    text = f"{chain},{int(sums[0])},{int(sums[1])},{','.join(map(str, numbers))}"
    return sha256(text.encode()).hexdigest()[:32]


def _why_none(path: Path, held: Head) -> str:
    """What is wrong with there being no head; the first commit may have been killed before it."""
    if head_path(path).exists():
        return "it cannot be read as a head: whether the history lost its end is not known"
    if held.transaction > 1:
        return "it was removed: whether the history lost its end is not known"
    return ""


def _noted(path: Path) -> Head | None:
    try:
        said = json.loads(head_path(path).read_text(encoding="utf-8"))
        is_head = {name: type(value) for name, value in said.items()} == _TYPES
        return Head(**said) if is_head else None
    except (OSError, ValueError, AttributeError, RecursionError):
        return None


_TYPES: Final = {name: type(value) for name, value in asdict(Head()).items()}

_HEAD: Final = """
SELECT coalesce(max(transaction_no), 0), (SELECT count(*) FROM events),
       (SELECT count(*) FROM findings), (SELECT count(*) FROM dead_letters),
       replace(arg_max(chain, transaction_no)::VARCHAR, '-', '')
FROM transactions
"""
_CHAIN: Final = """
SELECT replace(chain::VARCHAR, '-', '') FROM transactions WHERE transaction_no = ?
"""
