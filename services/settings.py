"""Settings: one frozen model, read once at start.

A setting comes from its flag, else from the environment, else from `pitproof.toml`, else it has its
default. Plain dataclasses: a settings library costs more start-up time than a small audit takes.
"""

from __future__ import annotations

import contextlib
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from services.errors import BadSettingError

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

FILE_NAME: Final = "pitproof.toml"
PREFIX: Final = "PITPROOF_"

CRITICAL_CENTS: Final = 50_000
"""Half of the legal maximum of one bet: more than a dealer's slip."""


def _text(place: str, value: object) -> str:
    if not isinstance(value, str) or not value:
        raise BadSettingError(f"{place}: expected text, got {value!r}")
    return value


def _path(place: str, value: object) -> Path:
    return Path(_text(place, value)).expanduser()


def _pairs(place: str, value: object) -> dict[str, str]:
    """A table of text in TOML; `ID=VALUE,ID=VALUE` in the environment."""
    if isinstance(value, str):
        parts = [part.strip() for part in value.split(",") if part.strip()]
        if any("=" not in part for part in parts):
            raise BadSettingError(f"{place}: expected ID=VALUE,ID=VALUE, got {value!r}")
        value = {key.strip(): text.strip() for key, _, text in (p.partition("=") for p in parts)}
    if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
        raise BadSettingError(f"{place}: expected a table of ID = 'value', got {value!r}")
    return {str(key): text for key, text in value.items()}


def _table(place: str, value: object) -> dict[str, str]:
    """As pairs; in TOML, whole numbers and yes or no are taken as well."""
    if isinstance(value, dict):
        value = {key: str(one) if isinstance(one, int) else one for key, one in value.items()}
    return _pairs(place, value)


def _number(place: str, value: object) -> int:
    try:
        number = int(value) if isinstance(value, str | int) and value is not True else -1
    except ValueError:
        number = -1
    if number < 0:
        raise BadSettingError(f"{place}: expected a whole number, got {value!r}")
    return number


def _hour(place: str, value: object) -> time:
    """A time of day; TOML has its own form for it."""
    if isinstance(value, str):
        with contextlib.suppress(ValueError):
            value = time.fromisoformat(value)
    if not isinstance(value, time) or value.tzinfo is not None:
        raise BadSettingError(f"{place}: expected a time such as 06:00, got {value!r}")
    return value


def _hours(place: str, value: object) -> dict[str, time]:
    """Names with times of day; `NAME=06:00,NAME=14:00` in the environment."""
    named = value if isinstance(value, dict) else _pairs(place, value)
    return {str(name): _hour(f"{place}: {name}", hour) for name, hour in named.items()}


@dataclass(frozen=True, slots=True)
class Settings:
    """What can be set; the name in the environment is `PITPROOF_` and the field's in capitals."""

    db: Path | None = field(
        default=None,
        metadata={"help": "the history of commands with --db, audit excepted", "reads": _path},
    )
    timezone: str = field(
        default="America/Denver",
        metadata={"help": "the casino's zone, for times that people read", "reads": _text},
    )
    gaming_day_starts: time = field(
        default=time(6),
        metadata={"help": "when a gaming day begins there, as 06:00", "reads": _hour},
    )
    shifts: Mapping[str, time] = field(
        default_factory=dict,
        metadata={
            "help": "shifts of a gaming day, NAME = '06:00'; else three of eight hours",
            "reads": _hours,
        },
    )
    casino: str = field(
        default="",
        metadata={"help": "the licensee's name, for reports", "reads": _text},
    )
    sealed: Path | None = field(
        default=None,
        metadata={
            "help": "the folder of sealed days; else it lies beside the history",
            "reads": _path,
        },
    )
    seal_quiet_seconds: int = field(
        default=600,
        metadata={"help": "a day with nothing new for so long is sealed", "reads": _number},
    )
    readings: Mapping[str, str] = field(
        default_factory=dict,
        metadata={"help": "readings other than those in force, ID = 'value'", "reads": _pairs},
    )
    house_ways: Path | None = field(
        default=None,
        metadata={"help": "a folder with the licensee's own house ways", "reads": _path},
    )
    kafka: Mapping[str, str] = field(
        default_factory=dict,
        metadata={"help": "how Kafka is reached: servers, TLS, SASL; no secrets", "reads": _table},
    )
    topic: str = field(
        default="table-events",
        metadata={"help": "the topic of table events", "reads": _text},
    )
    group: str = field(
        default="pitproof",
        metadata={"help": "the group whose members share the partitions", "reads": _text},
    )
    findings_topic: str = field(
        default="audit-findings",
        metadata={"help": "the topic that findings go to", "reads": _text},
    )
    dead_topic: str = field(
        default="table-events.dead",
        metadata={"help": "the topic that dead letters go to", "reads": _text},
    )
    session_timeout_ms: int = field(
        default=45_000,
        metadata={"help": "a member of the group silent for so long is out", "reads": _number},
    )
    max_poll_interval_ms: int = field(
        default=300_000,
        metadata={"help": "so is one that takes so long over a batch", "reads": _number},
    )
    listen: str | None = field(
        default=None,
        metadata={"help": "where the service answers, as 127.0.0.1:8642", "reads": _text},
    )
    registry_url: str = field(
        default="",
        metadata={"help": "a schema registry, for Confluent's framing", "reads": _text},
    )
    record_bytes_max: int = field(
        default=1 << 20,
        metadata={"help": "what a record of a topic may be long", "reads": _number},
    )
    batch_bytes_max: int = field(
        default=32 << 20,
        metadata={"help": "what a batch of a topic may be long, unpacked", "reads": _number},
    )
    quiet_table_seconds: int = field(
        default=900,
        metadata={"help": "an open table silent for so long is named; 0: none", "reads": _number},
    )
    webhooks: Mapping[str, str] = field(
        default_factory=dict,
        metadata={"help": "who is told of alerts by webhook, NAME = 'URL'", "reads": _pairs},
    )
    alertmanagers: Mapping[str, str] = field(
        default_factory=dict,
        metadata={"help": "Alertmanagers that are told of alerts, NAME = 'URL'", "reads": _pairs},
    )
    alert_critical_cents: int = field(
        default=CRITICAL_CENTS,
        metadata={
            "help": "wrong by so much in all, an alert is critical; 0: never",
            "reads": _number,
        },
    )
    runbook_url: str = field(
        default="",
        metadata={"help": "where people find deploy/runbook.md, for alerts", "reads": _text},
    )
    sql_seconds: int = field(
        default=30,
        metadata={"help": "how long a question in SQL may take", "reads": _number},
    )
    sql_memory_mb: int = field(
        default=1_024,
        metadata={"help": "how much memory a question in SQL may take, in MiB", "reads": _number},
    )

    def zone(self) -> ZoneInfo:
        """The casino's zone.

        Raises:
            BadSettingError: there is no zone of that name.
        """
        from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # costs more than a small file takes

        try:
            return ZoneInfo(self.timezone)
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            raise BadSettingError(
                f"timezone {self.timezone!r}: this system knows no such zone",
                next_step="set one of the IANA names, such as America/Denver or UTC",
            ) from error


def load_settings(
    config: str | None = None, environment: Mapping[str, str] | None = None
) -> Settings:
    """Environment over file over defaults.

    Raises:
        BadSettingError: the file cannot be read, or something in it or the environment does not do.
    """
    environment = os.environ if environment is None else environment
    known = {f.name: f for f in fields(Settings)}
    values: dict[str, Any] = {}
    path, document = _document(config)
    for name, value in document.items():
        if name not in known:
            raise BadSettingError(
                f"{path}: there is no setting {name!r}",
                next_step=f"settings are {', '.join(known)}",
            )
        read = known[name].metadata["reads"](f"{path}: {name}", value)
        # A path in the file is meant from where the file lies, wherever the command is called.
        values[name] = path.parent / read if isinstance(read, Path) else read
    for name, one in known.items():
        text = environment.get(PREFIX + name.upper(), "")
        if text:
            values[name] = one.metadata["reads"](PREFIX + name.upper(), text)
    return Settings(**values)


def _document(config: str | None) -> tuple[Path, dict[str, object]]:
    path = Path(config if config is not None else FILE_NAME)
    try:
        return path, tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        if config is None:
            return path, {}
        raise BadSettingError(
            f"{path}: no such file", next_step="check the path given with --config"
        ) from error
    except OSError as error:
        raise BadSettingError(f"{path}: cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadSettingError(f"{path}: is not TOML: {error}") from error
