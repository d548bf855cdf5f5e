"""What the views show: every column with its SQL and its meaning.

Names are those of the event's fields; `_dollars` and `_local` stand beside cents and UTC. Several
views can be put together by (`table_id`, `round_id`), bets and payouts by (`spot`, `hand`, `wager`,
`bettor`) besides. Only what stands is shown: of two contents of one event the first to arrive.
"""

from __future__ import annotations

from typing import Final

from services.history.view import Column, View, dollars, local, word

_TABLE: Final = Column("table_id", "e.table_id", "the table")
_ROUND: Final = Column("round_id", "e.round_id", "the round; unique at its table")
_SPOT: Final = Column("spot", "e.spot", "the seat, from 1 at the dealer's left")
_HAND: Final = Column("hand", "e.hand", "1, or 2 for the second hand of a split")
_WAGER: Final = Column("wager", word("wager", "e."), "which bet, as `FIRST_ANTE`, `BIG_8`")
_BETTOR: Final = Column("bettor", word("bettor", "e."), "`PLAYER`, or `DEALER` for a tip bet")
_SEQ: Final = Column("seq", "e.seq", "the event's number at its table: the order that counts")
_EVENT: Final = Column("event_id", "e.event_id", "the event")


def _money(name: str, sql: str, said: str) -> tuple[Column, Column]:
    """An amount in cents, and in dollars."""
    return (
        Column(f"{name}_cents", sql, said),
        Column(f"{name}_dollars", dollars(sql), "the same in dollars"),
    )


def _time(name: str, sql: str, said: str) -> tuple[Column, Column]:
    """A moment, and what a clock at the casino showed."""
    return (
        Column(f"{name}_at", sql, f"{said}, UTC"),
        Column(f"{name}_local", local(sql), "the same by the casino's clock"),
    )


_WAGERS: Final = View(
    "wagers",
    "A row for each bet that chips were ever put on. Several placements of one bet add up. A bonus "
    "that is settled without being placed (`POCKET_PAIR`, `ENVY_BONUS`) is in `payouts` only.",
    (
        _TABLE,
        _ROUND,
        _SPOT,
        _HAND,
        _WAGER,
        _BETTOR,
        *_money(
            "stake",
            "e.stake_cents",
            "what stands by the events: placements less removals, chips that go back for being "
            "late or not offered among them; 0 when all was taken back. Invalid amounts count for "
            "nothing",
        ),
        Column("player_id", "e.player_id", "the player, where the table knows"),
        Column("placements", "e.placements", "how many times chips were put down"),
        *_time("placed", "e.placed_at", "when chips were first put down"),
    ),
    """FROM (
    SELECT table_id, round_id, spot, hand, wager, bettor,
        try_cast(greatest(sum(CASE WHEN amount_cents <= 0 THEN 0 WHEN kind = 'WagerPlaced'
            THEN amount_cents ELSE -amount_cents END), 0) AS BIGINT) AS stake_cents,
        any_value(player_id) AS player_id,
        count_if(kind = 'WagerPlaced') AS placements,
        min(occurred_at) FILTER (kind = 'WagerPlaced') AS placed_at
    FROM {events}
    WHERE kind IN ('WagerPlaced', 'WagerRemoved') AND standing
    GROUP BY ALL
) AS e""",
)

_CARDS: Final = View(
    "cards",
    "A row for each card that left the deck: dealt in a round, or burned. A card turned over by "
    "mistake is the dealt card's row with `exposed`.",
    (
        _TABLE,
        Column("round_id", "e.round_id", "the round; null for a burned card"),
        Column("place", word("place", "e."), "where it lies, as `PLAYER`, `FLOP`; null: burned"),
        Column("spot", "e.spot", "the seat, with `PLAYER` only"),
        Column("card", "e.card", "as dealt: `Ah`, `Ts`; null when it was not read"),
        Column(
            "final_card", "coalesce(c.card, e.card)", "after correction: the card that is judged"
        ),
        Column("face_up", "e.face_up", "dealt face up"),
        Column("burned", "e.kind = 'CardBurned'", "burned rather than dealt"),
        Column(
            "exposed",
            "coalesce(x.unread OR list_contains(x.cards, e.card) "
            "OR list_contains(x.cards, c.card), false)",
            "turned over by mistake: a `CardExposed` names its place, seat and card",
        ),
        Column("corrected", "c.target_no IS NOT NULL", "a `CardCorrected` names it"),
        Column("corrected_by", "c.by_whom", "who authorised the correction"),
        Column("shoe_id", "e.shoe_id", "the shoe of a burned card"),
        *_time("dealt", "e.occurred_at", "when it left the deck"),
        _SEQ,
        _EVENT,
    ),
    """FROM (
    SELECT * FROM {events} WHERE kind IN ('CardDealt', 'CardBurned') AND standing
) AS e
LEFT JOIN (
    SELECT k.target_no, arg_max(x.card, k.seq) AS card, arg_max(x.authorised_by, k.seq) AS by_whom
    FROM {corrections} AS k JOIN {events} AS x ON x.event_no = k.event_no
    WHERE k.kind = 'CardCorrected' AND k.standing AND k.target_no IS NOT NULL
        AND x.kind = 'CardCorrected'
    GROUP BY k.target_no
) AS c ON c.target_no = e.event_no
LEFT JOIN (
    SELECT table_id, round_id, place, coalesce(spot, 0) AS spot, list(card) AS cards,
        bool_or(card IS NULL) AS unread
    FROM {events} WHERE kind = 'CardExposed' AND standing
    GROUP BY ALL
) AS x ON x.table_id = e.table_id AND x.round_id = e.round_id AND x.place = e.place
    AND x.spot = coalesce(e.spot, 0)""",
)

_DECISIONS: Final = View(
    "decisions",
    "A row for each decision, in the dealer's case the setting of the hand. Where several were "
    "made, the rule says which one counts; here all are shown.",
    (
        _TABLE,
        _ROUND,
        Column("spot", "e.spot", "the seat; null: the dealer"),
        _HAND,
        Column("decision", word("decision", "e."), "`PLAY`, `FOLD`, `KEEP` or `SPLIT`"),
        Column("cards", "array_to_string(e.cards, ' ')", "the cards it names: `Ac Ad`"),
        *_time("made", "e.occurred_at", "when it was made"),
        _SEQ,
        _EVENT,
    ),
    "FROM (SELECT * FROM {events} WHERE kind = 'DecisionMade' AND standing) AS e",
)

_PAYOUTS: Final = View(
    "payouts",
    "A row for each settlement. Pays are winnings only, the stake not counted: a push and a loss "
    "pay 0. A wager settled twice has two rows.",
    (
        _TABLE,
        _ROUND,
        _SPOT,
        _HAND,
        _WAGER,
        _BETTOR,
        Column("outcome", word("outcome", "e."), "as settled: `WIN`, `LOSE`, `PUSH` or `VOID`"),
        *_money("paid", "e.paid_cents", "as settled"),
        Column("final_outcome", "coalesce(c.outcome, e.outcome)::VARCHAR", "after corrections"),
        *_money("final_paid", "coalesce(c.paid_cents, e.paid_cents)", "after corrections"),
        Column("corrected", "c.target_no IS NOT NULL", "a `PayoutCorrected` names it"),
        Column("corrected_by", "c.by_whom", "who authorised the last correction"),
        Column("correction_note", "c.note", "what was noted with it"),
        *_time("settled", "e.occurred_at", "when it was settled"),
        _SEQ,
        _EVENT,
    ),
    """FROM (SELECT * FROM {events} WHERE kind = 'WagerSettled' AND standing) AS e
LEFT JOIN (
    SELECT k.target_no, arg_max(k.outcome, k.seq) AS outcome,
        arg_max(k.paid_cents, k.seq) AS paid_cents, arg_max(x.authorised_by, k.seq) AS by_whom,
        max_by(struct_pack(said := x.note), k.seq).said AS note
    FROM {corrections} AS k JOIN {events} AS x ON x.event_no = k.event_no
    WHERE k.kind = 'PayoutCorrected' AND k.standing AND k.target_no IS NOT NULL
        AND x.kind = 'PayoutCorrected'
    GROUP BY k.target_no
) AS c ON c.target_no = e.event_no""",
)

_ROUNDS: Final = View(
    "rounds",
    "A row for each round that was opened, with what settling it again came to.",
    (
        _TABLE,
        _ROUND,
        Column("game", word("game", "e."), "the game, as `TEXAS_SHOOTOUT`"),
        Column("gaming_day", "e.gaming_day", "the table's gaming day; null: never opened"),
        Column("dealer_id", "e.dealer_id", "the dealer, where the table knows"),
        *_time("opened", "e.opened_at", "when it was opened"),
        *_time("closed", "e.ended_at", "when it was closed or voided; null: still open"),
        Column(
            "status",
            word("status", "e."),
            "`SETTLED`, `VOIDED`, `HELD` (for a gap), `NOT_SETTLED`, `OPEN`",
        ),
        Column("wagers", "e.wagers", "standing wagers, of a settled round"),
        *_money("staked", "e.staked_cents::HUGEINT", "what stood on them"),
        *_money(
            "net_expected", "e.net_expected_cents::HUGEINT", "what was due to the players, net"
        ),
        *_money("net_actual", "e.net_actual_cents::HUGEINT", "what was settled, net"),
        Column("void_reason", word("reason", "v."), "why it was voided, as `MISDEAL`"),
        Column("void_note", "v.note", "what was noted with it"),
        Column("voided_by", "v.authorised_by", "who authorised it"),
        Column("opened_seq", "e.opened_seq", "the number of its `RoundOpened` at the table"),
        Column("ended_seq", "e.ended_seq", "of its `RoundClosed` or `RoundVoided`"),
    ),
    """FROM {rounds} AS e
LEFT JOIN (
    SELECT table_id, round_id, seq, reason, note, authorised_by
    FROM {events} WHERE kind = 'RoundVoided' AND standing
) AS v ON v.table_id = e.table_id AND v.round_id = e.round_id AND v.seq = e.ended_seq""",
)

_FINDINGS: Final = View(
    "findings",
    "A row for each current finding, as `pitproof findings` shows it. Amounts are the player's "
    "net; a column is null where it does not apply.",
    (
        Column("finding_id", "replace(e.finding_id::VARCHAR, '-', '')", "the finding"),
        Column("code", word("code", "e."), "what is wrong, as `OVERPAID`"),
        Column("severity", word("severity", "e."), "`critical`, `warning` or `info`"),
        _TABLE,
        Column("round_id", "e.round_id", "the round"),
        _SPOT,
        _HAND,
        Column("wager", "e.wager", "which bet"),
        Column("bettor", "e.bettor", "`PLAYER` or `DEALER`"),
        *_money("expected", "e.expected_cents", "what was due"),
        *_money("actual", "e.actual_cents", "what was settled"),
        *_money(
            "delta",
            "(e.actual_cents::HUGEINT - e.expected_cents)",
            "actual less expected: below 0 the player got too little",
        ),
        Column("expected_low_cents", "e.expected_low_cents", "the least that can be due"),
        Column("expected_high_cents", "e.expected_high_cents", "the most that can be due"),
        Column("first_missing_seq", "e.first_missing_seq", "of a gap, the first event missing"),
        Column("last_missing_seq", "e.last_missing_seq", "of a gap, the last event missing"),
        Column("clause", "e.clause", "the clause that decides"),
        Column("readings", "array_to_string(e.readings, ' ')", "readings it rests on"),
        Column("message", "e.message", "the argument, in words"),
        Column("game", word("game", "e."), "the game of its round, else of its table"),
        Column("gaming_day", "e.gaming_day", "the gaming day of its round, else of its table"),
        Column("dealer_id", "r.dealer_id", "the dealer of its round"),
        *_time("opened", "r.opened_at", "when its round was opened"),
        Column("seq", "e.seq", "the first event concerned"),
    ),
    """FROM {findings} AS e
LEFT JOIN (
    SELECT o.table_id, o.round_id, arg_min(o.dealer_id, o.opened_seq) AS dealer_id,
        arg_min(o.opened_at, o.opened_seq) AS opened_at
    FROM {rounds} AS o SEMI JOIN {findings} AS f USING (table_id, round_id)
    GROUP BY ALL
) AS r ON r.table_id = e.table_id AND r.round_id = e.round_id""",
)

_TABLES: Final = View(
    "tables",
    "A row for each opening of a table, with what it posted.",
    (
        _TABLE,
        Column("game", word("game", "e."), "the game dealt"),
        Column("gaming_day", "e.gaming_day", "the gaming day that it was opened for"),
        *_time("opened", "e.occurred_at", "when it was opened"),
        *_time("closed", "e.closed_at", "when it was closed; null: not closed since"),
        Column("close_reason", "e.close_reason", "why, where it was said"),
        Column("spots", "e.spots", "betting positions"),
        Column("currency", "e.currency", "of all amounts"),
        Column("paytables", "e.paytables", "the paytables posted, as JSON"),
        *_money("minimum", "e.minimum_cents", "the posted minimum of each bet"),
        *_money("maximum", "e.maximum_cents", "the posted maximum of each bet"),
        Column("house_way", "e.house_way", "the posted house way, by name"),
        _SEQ,
        Column("next_seq", "e.next_seq", "of the table's next opening; null: the last one"),
    ),
    """FROM (
    SELECT *,
        lead(CASE WHEN kind = 'TableClosed' THEN occurred_at END) OVER turns AS closed_at,
        lead(CASE WHEN kind = 'TableClosed' THEN note END) OVER turns AS close_reason,
        min(CASE WHEN kind = 'TableOpened' THEN seq END) OVER (
            PARTITION BY table_id ORDER BY seq ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING
        ) AS next_seq
    FROM {events} WHERE kind IN ('TableOpened', 'TableClosed') AND standing
    WINDOW turns AS (PARTITION BY table_id ORDER BY seq)
) AS e
WHERE e.kind = 'TableOpened'""",
)

_EVENTS: Final = View(
    "events",
    "A row for each event kept, conflicting ones too: what no other view shows, as rulings, chips "
    "moved and trays counted. Fields that an event of its kind does not have are null.",
    (
        Column("kind", word("kind", "e."), "the record, as `RulingMade`"),
        Column("standing", "e.standing", "false: another content of it came first, and counts"),
        _TABLE,
        _SEQ,
        *_time("occurred", "e.occurred_at", "the table's clock"),
        _ROUND,
        _SPOT,
        _HAND,
        _WAGER,
        _BETTOR,
        *_money("amount", "e.amount_cents", "of a wager, a tray or chips moved"),
        *_money("paid", "e.paid_cents", "of a settlement or its correction"),
        Column("outcome", word("outcome", "e."), "of a settlement or its correction"),
        Column("player_id", "e.player_id", "the player"),
        Column("place", word("place", "e."), "of a card"),
        Column("card", "e.card", "of a card"),
        Column("decision", word("decision", "e."), "of a decision"),
        Column("reason", word("reason", "e."), "of a voiding"),
        Column("note", "e.note", "what was noted"),
        Column("authorised_by", "e.authorised_by", "of a voiding, correction or ruling"),
        Column("ruling", "e.ruling", "of a ruling"),
        Column("corrects", "e.corrects", "the event that a correction names"),
        Column("dealer_id", "e.dealer_id", "of a round"),
        Column("shoe_id", "e.shoe_id", "of a round, a shoe or a burned card"),
        Column("decks", "e.decks", "of a shoe"),
        Column("tray_count", word("count", "e."), "`OPENING` or `CLOSING`"),
        Column("movement", word("movement", "e."), "`FILL`, `CREDIT` or `BUY_IN`"),
        Column("recorded_by", "e.recorded_by", "device or person that recorded it"),
        _EVENT,
    ),
    "FROM {events} AS e",
)

_DEAD_LETTERS: Final = View(
    "dead_letters",
    "A row for each record that is no event of the contract, and was put aside.",
    (
        Column("source", "e.source", "the file, or topic and partition, that it came from"),
        Column("position", 'e."position"', "line, record or offset"),
        Column("error", "e.error", "what is wrong with it"),
        Column("size_bytes", "octet_length(e.bytes)", "how long it is"),
        Column("redriven", "e.redriven_in IS NOT NULL", "its events came in after all"),
    ),
    "FROM {dead_letters} AS e",
)

VIEWS: Final = (
    _WAGERS,
    _CARDS,
    _DECISIONS,
    _PAYOUTS,
    _ROUNDS,
    _FINDINGS,
    _TABLES,
    _EVENTS,
    _DEAD_LETTERS,
)
