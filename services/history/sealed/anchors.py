"""What a history remembers of its sealed days, and whether a folder is theirs.

For each sealing the history has a record with the digest of its manifest, so that a folder that
lost its end, or was put in the place of another, is noticed. A crash may have come between a
sealing and its record: then the record is entered later.
"""

from __future__ import annotations

from datetime import date
from typing import Final

from services.history.records import enter, records_of
from services.history.sealed.errors import SealedDamagedError, SealedOtherwiseError
from services.history.sealed.folder import Chain, SealedFolder
from services.history.sealed.manifest import Link, Manifest
from services.history.store import History

DAY_SEALED: Final = "day_sealed"
HISTORY_REBUILT: Final = "history_rebuilt"
BY: Final = "pitproof"


def remember(history: History, link: Link) -> None:
    """Within a transaction: enter that a sealing was done."""
    fields = {
        "manifest": link.number,
        "digest": link.digest,
        "gaming_day": link.gaming_day.isoformat(),
    }
    enter(history, DAY_SEALED, by=BY, fields=fields)


def remember_rebuilt(history: History, link: Link) -> None:
    """Within a transaction: enter that all before it was made again of sealed days."""
    fields = {"manifest": link.number, "digest": link.digest}
    enter(history, HISTORY_REBUILT, by=BY, fields=fields)


def remembered(history: History) -> dict[int, Link]:
    """The link to each manifest, by its number, as it was entered."""
    return {
        number: Link(
            number=number,
            gaming_day=date.fromisoformat(each.fields["gaming_day"]),
            digest=each.fields["digest"],
        )
        for each in records_of(history, DAY_SEALED)
        for number in [each.fields["manifest"]]
    }


def links_of(chain: Chain) -> list[Link]:
    """The link to each manifest, in order."""
    links = [each.previous for each in chain.manifests[1:]]
    return [link for link in (*links, chain.last) if link is not None]


def catch_up(history: History, chain: Chain) -> int:
    """Enter what was sealed without a record; how many. A transaction of its own, if any."""
    known = remembered(history)
    missing = [link for link in links_of(chain) if link.number not in known]
    if missing:
        with history.transaction():
            for link in missing:
                remember(history, link)
    return len(missing)


def check_is_sealed_here(history: History, folder: SealedFolder, chain: Chain) -> None:
    """Refuse to add to a folder that is not the one which this history was sealed into.

    Raises:
        SealedDamagedError: sealings that the history knows of are not there.
        SealedOtherwiseError: it was sealed of another history, or of more than this one has.
    """
    links = {link.number: link for link in links_of(chain)}
    for number, said in sorted(remembered(history).items()):
        link = links.get(number)
        if link != said:
            raise SealedDamagedError(
                f"{folder.path}: gaming day {said.gaming_day} was sealed there, and manifest "
                f"{number} of it is {'missing' if link is None else 'another one'}",
                next_step="put the folder back in its place, or say in the setting sealed where "
                "it is; `pitproof verify` names all that is missing.",
            )
    if chain.manifests and not is_of(history, chain.manifests[-1], chain.last):
        raise SealedOtherwiseError(
            f"{folder.path}: was sealed of another history than {history.path}, or of a later "
            "state of it",
            next_step="put the right history back, or make it again from what is sealed: "
            f"`pitproof rebuild --db PATH --from-sealed {folder.path}`.",
        )


def is_of(history: History, manifest: Manifest, link: Link | None) -> bool:
    """Whether a history has what a manifest says it had, or was made again of it."""
    [(history_id,)] = history.rows("SELECT value FROM settings WHERE name = 'history_id'")
    if history_id != manifest.history_id:
        return False
    found = history.rows(_CHAIN, [manifest.upto.transaction])
    if found and found[0][0] == manifest.chain:
        return True
    rebuilt = records_of(history, HISTORY_REBUILT)
    return link is not None and any(each.fields["digest"] == link.digest for each in rebuilt)


_CHAIN: Final = "SELECT replace(chain::VARCHAR, '-', '') FROM transactions WHERE transaction_no = ?"
