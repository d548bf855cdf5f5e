"""A history as it was after one of its transactions, for as long as one looks at it.

Its journal is shown up to that transaction, its conclusions are empty and can be drawn anew. All of
it is temporary and belongs to this connection: the file is not touched.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Final

from services.history.store import History


def transaction_at(history: History, time: datetime) -> int:
    """The last transaction that was committed by then; 0: none was."""
    return history.count(
        "SELECT coalesce(max(transaction_no), 0) FROM transactions WHERE committed_at <= ?", [time]
    )


@contextmanager
def journal_up_to(history: History, transaction_no: int) -> Iterator[History]:
    """The history with nothing but what came up to a transaction, and nothing concluded of it.

    What is concluded within is forgotten afterwards.
    """
    own = history.transaction_no is None
    if own:
        history.run("BEGIN TRANSACTION READ ONLY")
        history.transaction_no = transaction_no
    temporary, history.temporary = history.temporary, True
    index, history.index = history.index, None
    made: list[str] = []
    try:
        ((database,),) = history.rows("SELECT current_database()")
        source = f'"{str(database).replace(chr(34), chr(34) * 2)}".main'
        for name, columns in _JOURNAL.items():
            history.run(
                f"CREATE TEMP VIEW {name} AS SELECT {columns.format(last=transaction_no)} "  # noqa: S608
                f"FROM {source}.{name} WHERE transaction_no <= {transaction_no}"
            )
            made.append(f"VIEW {name}")
        for name in _CONCLUDED:
            history.run(f"CREATE TEMP TABLE {name} AS FROM {source}.{name} LIMIT 0")
            made.append(f"TABLE {name}")
        yield history
    finally:
        history.temporary, history.index = temporary, index
        if own:
            history.transaction_no = None
            history.run("ROLLBACK")
        else:
            for what in reversed(made):
                history.run(f"DROP {what}")


_JOURNAL: Final = {
    "transactions": "*",
    "events": "*",
    "dead_letters": "* REPLACE (if(redriven_in <= {last}, redriven_in, NULL) AS redriven_in)",
    "records": "*",
    "releases": "*",
    "table_openings": "*",
    "round_openings": "*",
    "corrections": "* REPLACE ("
    "if(resolved_in <= {last}, target_no, NULL) AS target_no, "
    "if(resolved_in <= {last}, target_seq, NULL) AS target_seq)",
}
"""What is shown up to the transaction."""

_CONCLUDED: Final = ("findings", "rounds", "pay_rows", "table_states", "finding_changes")
