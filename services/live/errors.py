"""What can go wrong between us and Kafka: place, cause and next step."""

from __future__ import annotations

from services.errors import BadSettingError, PitproofError


class BadKafkaSettingError(BadSettingError):
    """A setting of the connection that does not do; secrets are never part of the message."""

    code = "bad_kafka_setting"


class KafkaUnreachableError(PitproofError):
    """No broker answers."""

    code = "kafka_unreachable"


class KafkaRefusedError(PitproofError):
    """A broker answers and does not let us in, or we do not trust it."""

    code = "kafka_refused"


class TopicsMissingError(PitproofError):
    """Topics that must be there are not."""

    code = "topics_missing"


class PublishingError(PitproofError):
    """Kafka does not take what is to be published."""

    code = "publishing"


class HistoryDiffersError(PitproofError):
    """A history that does not fit the topic it is to follow."""

    code = "history_differs"


class FencedError(Exception):
    """Not an operating error: another member may own the partitions now, so nothing is kept."""
