"""A tiny report made by hand: a mispaid bonus, a gap, a card too many, a corrected mispay."""

from dataclasses import replace
from datetime import date

from replay.findings import Finding, FindingCode
from services.report.model import (
    Report,
    ReportedDeadLetter,
    ReportedFinding,
    Scene,
    Summary,
    counted,
)

AT = 1_776_543_214_000_000  # 18 April 2026, 20:13:34 UTC: 14:13:34 in Denver


UNDERPAID = Finding(
    code=FindingCode.UNDERPAID,
    finding_id="0123456789abcdef0123456789abcdef",
    table_id="RT-12",
    seq=640,
    round_id="RT-12-000012",
    spot=2,
    hand=1,
    wager="FIVE_CARD_BONUS",
    bettor="PLAYER",
    expected_cents=2000,
    actual_cents=1500,
    clause="Run'em Twice (9)(g)",
    readings=("RT-SIXES",),
    event_nos=(639, 660),
    message="three of a kind, 4 to 1 on $5.00 is $20.00; $15.00 was paid",
)
DUPLICATE = Finding(
    code=FindingCode.DUPLICATE_CARD,
    finding_id="1" * 32,
    table_id="RT-12",
    seq=990,
    round_id="RT-12-000021",
    clause="Run'em Twice (1)",
    message="9d was dealt twice from one deck: the round is not settled",
)
TIP = Finding(
    code=FindingCode.OVERPAID,
    finding_id="2" * 32,
    table_id="TS-03",
    seq=80,
    round_id="TS-03-000004",
    spot=2,
    hand=2,
    wager="PRIMARY",
    bettor="DEALER",
    expected_cents=-123_456_00,
    actual_cents=1_000_00,
    clause="20:18:16:15.08(15)",
    message="an exact tie loses, yet the wager was paid " + "and paid again " * 8,
)
GAP = Finding(
    code=FindingCode.SEQUENCE_GAP,
    finding_id="3" * 32,
    table_id="TS-03",
    seq=354,
    first_missing_seq=354,
    last_missing_seq=355,
    clause="event contract 1",
    message="round TS-03-000019 is held until they arrive or a person releases it",
)
BOUNDED = replace(
    UNDERPAID,
    code=FindingCode.UNDETERMINED,
    finding_id="4" * 32,
    table_id="TS-03",
    seq=400,
    round_id="TS-03-000020 with a long name that leaves no room for the verdict",
    expected_cents=None,
    actual_cents=1500,
    expected_low_cents=-500,
    expected_high_cents=2000,
)
VOIDED = replace(
    DUPLICATE,
    code=FindingCode.WRONGLY_VOIDED,
    finding_id="5" * 32,
    seq=1200,
    round_id="RT-12-000031",
    spot=3,
    expected_cents=-15_000,
    actual_cents=0,
    message="an exposed card is no misdeal: the round should have gone on",
)

FINDINGS = (UNDERPAID, DUPLICATE, VOIDED, TIP, GAP, BOUNDED)


def evening() -> Report:
    """Two tables, six findings, two dead letters."""
    return Report(
        summary=Summary(
            events=2_000,
            dead_letters=2,
            tables=2,
            rounds=40,
            settled=36,
            voided=1,
            held=1,
            not_settled=1,
            wagers=310,
            staked_cents=1_234_567,
            player_net_expected_cents=-12_345_600 + 2_000,
            player_net_actual_cents=100_000 + 1_500,
            findings=counted(FINDINGS),
        ),
        findings=tuple(ReportedFinding(f, (f"id-of-{f.seq}",)) for f in FINDINGS),
        dead_letters=(
            ReportedDeadLetter(
                "evening.jsonl", 17, "amount_cents: expected an integer, got 1000.0"
            ),
            ReportedDeadLetter("evening.avro", 3, "cut off \x1b[31min the block"),
        ),
        games={"RT-12": 1, "TS-03": 3},
        days=(date(2026, 4, 18),),
        open_tables=("TS-03",),
        scenes={
            UNDERPAID.finding_id: Scene(
                at_micros=AT,
                stake_cents=500,
                cards=(
                    ("seat 2", ("Ts", "Ah")),
                    ("board", ("4s", "6c", "4d", "4c", "Ad")),
                ),
            ),
            DUPLICATE.finding_id: Scene(at_micros=AT + 3_600_000_000),
            BOUNDED.finding_id: Scene(
                at_micros=AT, stake_cents=500, cards=(("seat 2", ("Ts", "")),)
            ),
        },
    )
