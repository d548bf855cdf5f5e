"""PAYTABLE_MISMATCH: pays that fit another paytable of the rule better than the posted one."""

from dataclasses import dataclass, field

from tests.oracle.bounds import Due
from tests.oracle.findings import BetKey, Finding
from tests.oracle.money import Settled
from tests.oracle.rounds import Round


@dataclass
class _Fit:
    other_only: list[tuple[int, str, tuple[str, ...]]] = field(default_factory=list)
    posted_only: int = 0


class Mismatches:
    """Collects a table's settled nets by wager and gaming day."""

    def __init__(self) -> None:
        """Start with none."""
        self._fits: dict[tuple[str, str], dict[str, _Fit]] = {}
        self._clauses: dict[tuple[str, str], str] = {}

    def take(
        self, round_: Round, key: BetKey, due: Due, settled: Settled, tables: dict[str, Due]
    ) -> None:
        """Hold one settled net against every paytable; only where the due is exactly known.

        ambiguous: tips on the wager count as that wager; a table under which this due would not
        be exactly known says nothing for this net.
        """
        if due.exact is None:
            return
        group = (round_.opening["gaming_day"].isoformat(), key[2])
        fits = self._fits.setdefault(group, {})
        self._clauses[group] = due.clause
        fits_posted = settled.net == due.exact
        for table, other in tables.items():
            if other.exact is None:
                continue
            fit = fits.setdefault(table, _Fit())
            if other.exact == settled.net and not fits_posted:
                fit.other_only.append((settled.seq, round_.round_id, settled.event_ids))
            elif fits_posted and other.exact != settled.net:
                fit.posted_only += 1

    def findings(self, table_id: str) -> list[Finding]:
        """Report each wager and day where at least two nets fit another table alone."""
        findings = []
        for group, fits in self._fits.items():
            named = [
                table
                for table, fit in sorted(fits.items())
                if len(fit.other_only) >= 2 and not fit.posted_only
            ]
            if not named:
                continue
            shown = sorted({item for table in named for item in fits[table].other_only})
            rounds = sorted({round_id for _, round_id, _ in shown})
            findings.append(
                Finding(
                    "PAYTABLE_MISMATCH",
                    table_id,
                    shown[0][0],
                    wager=group[1],
                    clause=self._clauses[group],
                    event_ids=tuple(one for _, _, ids in shown for one in ids),
                    message=f"{group[0]}: fits {', '.join(named)} in {', '.join(rounds)}",
                )
            )
        return findings
