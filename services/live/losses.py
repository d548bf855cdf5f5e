"""What may be lost of a partition, in words: what it is, and how to go on."""

from __future__ import annotations

from services.history.positions import Position
from services.live.state import Problem


def expired_start(where: str, begin: int) -> Problem:
    """A partition that the history never had begins late: said, and read from there."""
    return Problem(
        "expired_start",
        where,
        f"{where}: the topic begins at offset {begin}; what came before has expired and was "
        "never read",
        "raise the topic's retention; events that are missing show as gaps",
        is_stopping=False,
    )


def expired(where: str, position: Position, begin: int) -> Problem:
    """Records went before they were read."""
    return Problem(
        "expired",
        where,
        f"{where}: offsets {position.next_offset} to {begin - 1} have expired before they were "
        "read: their events are lost to this history",
        f"raise the topic's retention; go on at {begin} with {_skip(position)}, or make a history "
        "from other sources",
    )


def made_anew(where: str, position: Position) -> Problem:
    """Another topic has the name now."""
    return Problem(
        "made_anew",
        where,
        f"{where}: the topic was deleted and made anew: its offsets do not go on where the "
        f"history is ({position.next_offset}), and what was not read before is lost",
        f"if that was meant, read the new topic from its beginning with {_skip(position)}; else "
        "restore the old one",
    )


def deleted(where: str) -> Problem:
    """No topic has the name now."""
    return Problem("deleted", where, f"{where}: the topic is not there any more", "restore it")


def beyond_end(where: str, position: Position, end: int) -> Problem:
    """The topic has less than the history."""
    return Problem(
        "beyond_end",
        where,
        f"{where}: the history is at offset {position.next_offset}, and the topic ends at {end}: "
        "it lost records that the history has, or is not the topic that it was made from",
        "check that this is the right cluster; what the topic lost is in the history. Read the "
        f"topic anew with {_skip(position)}: what the history has already is kept once",
    )


def truncated(where: str, position: Position) -> Problem:
    """Other records have the offsets that the history has read."""
    return Problem(
        "truncated",
        where,
        f"{where}: Kafka lost records that the history has, somewhere before offset "
        f"{position.next_offset}: other records stand under their offsets now",
        "an unclean leader election does that. Read the topic anew with "
        f"{_skip(position)}: what the history has already is kept once",
    )


def put_back(where: str, position: Position, told: int) -> Problem:
    """The history is behind what it told Kafka itself: read again, and said."""
    return Problem(
        "put_back",
        where,
        f"{where}: the history is at offset {position.next_offset} and was at {told} once: it was "
        "put back, its file was cut, or it was killed between two commits",
        "what is missing is read from the topic again",
        is_stopping=False,
    )


def unanswered(topic: str, error: Exception) -> Problem:
    """Nothing is lost: partitions were given to us, and Kafka does not say what they hold."""
    return Problem(
        "unanswered",
        topic,
        f"{topic}: Kafka does not say what the partitions hold: {type(error).__name__}: {error}",
        "it is asked again and again; see whether its brokers are well",
    )


def silent(topic: str) -> Problem:
    """Nothing is lost: the client waits for ever, and says no word of it."""
    return Problem(
        "silent",
        topic,
        f"{topic}: Kafka does not answer, and nothing is read",
        "it is asked again and again, and read on by itself; see whether its brokers are well",
    )


def damaged(where: str, cause: str) -> Problem:
    """A batch whose checksum stays wrong."""
    return Problem(
        "damaged",
        where,
        f"{where}: damaged in Kafka: {cause}",
        "let the brokers restore it from a replica, then start again",
    )


def _skip(position: Position) -> str:
    return f"`pitproof serve --skip-lost {position.partition}`"
