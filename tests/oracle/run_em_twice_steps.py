"""Run'em Twice (1)-(5): which step each decision of a spot belongs to."""

from typing import Final

from tests.oracle.editions import RUN_EM_TWICE as GAME
from tests.oracle.editions import clause
from tests.oracle.findings import Event, Finding, about_event
from tests.oracle.rounds import Round
from tests.oracle.verdict import after_fold, before_cards

STEPS: Final = ("FIRST_RUN", "SECOND_RUN", "CENTER")  # (1)(2), (3)(4), (5)
REVEALS: Final = {
    "FIRST_RUN": ("LEFT", "RIGHT"),
    "SECOND_RUN": ("TOP", "BOTTOM"),
    "CENTER": ("CENTER",),
}
STEP_CLAUSE: Final = {"FIRST_RUN": "(1)", "SECOND_RUN": "(3)", "CENTER": "(5)"}


Steps = dict[int, dict[str, list[Event]]]  # by spot and step, the decisions in order


def reveal_of(round_: Round, step: str) -> int:
    """Give the seq of the reveal that ends a step."""
    return round_.reveal_seq(*REVEALS[step])


def passed_seq(round_: Round, step: str) -> int:
    """Give the seq at which a step is certainly over: its reveal or, failing that, a later one.

    ambiguous: a reveal that was not recorded came before those that follow it.
    """
    return min(reveal_of(round_, later) for later in STEPS[STEPS.index(step) :])


def take_decisions(
    round_: Round,
) -> tuple[Steps, dict[int, int], list[Finding]]:
    """Give each spot's decisions to their steps: (1)(2), (3)(4), (5).

    ambiguous: decisions of other games (KEEP, SPLIT) or of the dealer are no decisions here, and
    `hand` of a decision is not looked at; what a folded spot still decides belongs to no step: it
    is an action after the fold and nothing else.
    """
    steps: Steps = {}
    folded_at: dict[int, int] = {}
    findings: list[Finding] = []
    spots = {event["spot"] for event in round_.of_type("DecisionMade")} - {None}
    for spot in sorted(spots):
        made = round_.decisions(spot, "PLAY", "FOLD")
        folds = [event["seq"] for event in made if event["decision"] == "FOLD"]
        if folds:
            folded_at[spot] = folds[0]
            made = [event for event in made if event["seq"] <= folds[0]]
        steps[spot], out_of_turn = _assign(round_, made)
        for event in made:
            if event["event_id"] in out_of_turn or before_cards(round_, event):
                findings.append(about_event("DECISION_OUT_OF_TURN", event, clause(GAME, "(1)-(5)")))
    findings += after_fold(round_, folded_at, "(2)(4)(5)")
    return steps, folded_at, findings


def _assign(round_: Round, made: list[Event]) -> tuple[dict[str, list[Event]], set[str]]:
    """Assign a spot's decisions to steps by the windows between the reveals."""
    windows: list[list[Event]] = [[], [], [], []]
    for event in made:
        past = [
            number for number, step in enumerate(STEPS, 1) if reveal_of(round_, step) < event["seq"]
        ]
        windows[max(past, default=0)].append(event)
    steps: dict[str, list[Event]] = {step: [] for step in STEPS}
    out_of_turn: set[str] = set()
    for number, window in enumerate(windows[:3]):
        waiting = [step for step in STEPS[:number] if not steps[step]]
        left = list(window)
        while waiting and len(left) > 1:
            first = left.pop(0)
            steps[waiting.pop(0)].append(first)
            out_of_turn.add(first["event_id"])
        steps[STEPS[number]] += left
    for event in windows[3]:  # after the last reveal all are out of turn
        waiting = [step for step in STEPS if not steps[step]]
        if waiting:  # else it belongs to none: a fold takes back no PLAY whose bet was due before
            steps[waiting[0]].append(event)
        out_of_turn.add(event["event_id"])
    return steps, out_of_turn
