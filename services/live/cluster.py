"""The cluster as it is found at start: let in or not, topics there or made, and their ids."""

from __future__ import annotations

import contextlib
import logging
import uuid
from collections.abc import Iterator, Sequence
from typing import Any, Final

from kafka import KafkaAdminClient
from kafka.errors import KafkaError, SaslAuthenticationFailedError, TopicAlreadyExistsError

from services.live.errors import KafkaRefusedError, KafkaUnreachableError, TopicsMissingError
from services.live.kafka_settings import KafkaSettings

CONNECT_SECONDS_MAX: Final = 10.0
"""A cluster that restarts answers again within seconds; where none is, the wait must end."""

_FIRST_MS: Final = 2_500
"""Of the above: a wrong password shows at once and is tried again and again, so look early."""

ANSWER_MS_MAX: Final = 10_000
"""Without it a question to a broker that went away is waited on for half a minute."""

PARTITIONS: Final = 6
REPLICATION: Final = 3
MESSAGE_BYTES_MAX: Final = 1_048_588  # what Kafka allows a topic by default

_REFUSALS: Final = (
    ("CERTIFICATE_VERIFY_FAILED", "its certificate is not signed by an authority we trust"),
    ("HOSTNAME", "its certificate is for another host"),
    ("Hostname mismatch", "its certificate is for another host"),
    ("CERTIFICATE_REQUIRED", "it asks for a certificate of ours"),
    ("certificate required", "it asks for a certificate of ours"),
    ("ALERT_CERTIFICATE_UNKNOWN", "it does not accept our certificate"),
    ("ALERT_BAD_CERTIFICATE", "it does not accept our certificate"),
    ("UNKNOWN_CA", "it does not trust the authority of our certificate"),
    ("unknown ca", "it does not trust the authority of our certificate"),
    ("WRONG_VERSION_NUMBER", "it does not speak TLS on that port"),
    ("Unsupported SASL mechanism", "it does not offer that SASL mechanism"),
    ("UnsupportedSaslMechanism", "it does not offer that SASL mechanism"),
    ("IllegalSaslState", "it does not expect SASL on that port"),
)


_HANGS_UP: Final = "Connection lost: KafkaConnectionError: socket disconnected"
"""What is left of a refusal when the broker's word and its hanging up arrive together."""


class _Overheard(logging.Handler):
    """What the client says while it connects: it tells causes to its log only."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.texts: list[str] = []
        self.is_refused = False

    def emit(self, record: logging.LogRecord) -> None:
        if isinstance(record.args, tuple):
            for one in record.args:
                self.is_refused |= isinstance(one, SaslAuthenticationFailedError)
        self.texts.append(record.getMessage())

    def refusal(self, *, with_sasl: bool) -> str | None:
        """Why the broker and we do not come together, if that is known."""
        said = "\n".join(self.texts)
        if with_sasl and said.count(_HANGS_UP) > 1:
            self.is_refused = True
        if self.is_refused or "SaslAuthenticationFailed" in said:
            return "it refuses the user name or the password"
        return next((words for mark, words in _REFUSALS if mark in said), None)


@contextlib.contextmanager
def overhearing() -> Iterator[_Overheard]:
    """Listen to the client instead of letting it write to the terminal."""
    logger, handler = logging.getLogger("kafka"), _Overheard()
    logger.addHandler(handler)
    before, logger.propagate = logger.propagate, False
    try:
        yield handler
    finally:
        logger.propagate = before
        logger.removeHandler(handler)


def connected(
    settings: KafkaSettings, seconds_max: float = CONNECT_SECONDS_MAX
) -> KafkaAdminClient:
    """A client that has reached the cluster.

    Raises:
        KafkaRefusedError: a broker answers, and we and it do not trust each other.
        KafkaUnreachableError: none answers in that time.
    """
    waits = [_FIRST_MS, max(_FIRST_MS, int(seconds_max * 1000) - _FIRST_MS)]
    failure: Exception | None = None
    with overhearing() as overheard:
        for wait in waits:
            try:
                return KafkaAdminClient(
                    **settings.client(), bootstrap_timeout_ms=wait, request_timeout_ms=ANSWER_MS_MAX
                )
            except (KafkaError, OSError, ValueError) as error:
                failure = error
            if (why := overheard.refusal(with_sasl=settings.uses_sasl)) is not None:
                raise KafkaRefusedError(
                    f"Kafka at {settings.named}: {why}",
                    next_step="check security_protocol, ca_file, cert_file and the sasl settings",
                ) from None
        last = overheard.texts[-1] if overheard.texts else str(failure)
    raise KafkaUnreachableError(
        f"no Kafka answers at {settings.named} within {seconds_max:.0f} s",
        next_step=f"check the address, and that a broker runs; the client's last word: {last}",
    ) from None


def ensure_topics(
    admin: KafkaAdminClient, wanted: Sequence[str], *, create: bool, kept: Sequence[str] = ()
) -> None:
    """See that the topics are there; make them if told to. Those in `kept` keep records for ever.

    Raises:
        TopicsMissingError: some are not there, or cannot be made.
    """
    there = set(admin.list_topics())
    missing = [topic for topic in dict.fromkeys(wanted) if topic not in there]
    if not missing:
        return
    if not create:
        raise TopicsMissingError(
            f"Kafka has no topic {', '.join(missing)}",
            next_step="give the names with --topic, --findings-topic, --dead-topic, "
            "or let them be made with --create-topics",
        )
    brokers = len(admin.describe_cluster()["brokers"])
    for topic in missing:
        asked = {
            "num_partitions": PARTITIONS,
            "replication_factor": min(REPLICATION, brokers),
            "configs": {"retention.ms": "-1"} if topic in kept else {},
        }
        try:
            admin.create_topics({topic: asked}, wait_for_metadata=True)
        except TopicAlreadyExistsError:
            continue  # another member was quicker
        except KafkaError as error:
            raise TopicsMissingError(f"topic {topic} cannot be made: {error}") from error


def topic_id(admin: KafkaAdminClient, topic: str) -> str:
    """The id that Kafka gave to the topic of that name; another one if it was made anew.

    Raises:
        TopicsMissingError: there is none of that name now.
        KafkaError: Kafka cannot say.
    """
    answer: list[dict[str, Any]] = admin.describe_topics([topic])
    found = answer[0].get("topic_id") if answer else None
    if not found or not uuid.UUID(str(found)).int:
        raise TopicsMissingError(f"Kafka has no topic {topic} any more")
    return str(uuid.UUID(str(found)))


def partitions_of(admin: KafkaAdminClient, topic: str) -> list[int]:
    """The numbers of a topic's partitions."""
    answer: list[dict[str, Any]] = admin.describe_topics([topic])
    return sorted(int(part["partition_index"]) for part in answer[0]["partitions"])


def dead_bytes_max(admin: KafkaAdminClient, topic: str) -> int:
    """The longest record that the topic takes; what Kafka has by default if it does not say."""
    from kafka.admin import ConfigResource, ConfigResourceType

    try:
        asked = [ConfigResource(ConfigResourceType.TOPIC, topic)]
        answer = admin.describe_configs(asked, config_filter="all")
        found = _find(answer, "max.message.bytes")
        return int(found) if found is not None else MESSAGE_BYTES_MAX
    except (KafkaError, ValueError, AttributeError):
        return MESSAGE_BYTES_MAX


def _find(answer: Any, name: str) -> Any:
    """The value of a setting, wherever in the answer it lies."""
    if isinstance(answer, dict):
        if name in answer:
            held = answer[name]
            return held.get("value", held) if isinstance(held, dict) else held
        if answer.get("name") == name:
            return answer.get("value")
        answer = list(answer.values())
    if isinstance(answer, list | tuple):
        for part in answer:
            found = _find(part, name)
            if found is not None:
                return found
    return None
