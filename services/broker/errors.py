"""What can go wrong with a broker of our own: place, cause and next step."""

from __future__ import annotations

from services.errors import PitproofError


class BrokerUnavailableError(PitproofError):
    """This machine cannot run a broker: Java or Maven is missing, or the jars cannot be had."""

    code = "broker_unavailable"


class BrokerFailedError(PitproofError):
    """A node could not be prepared, died at its start, or did not answer in time."""

    code = "broker_failed"


class BrokerPortError(PitproofError):
    """A port that the broker needs cannot be listened on."""

    code = "broker_port"


class BrokerFolderError(PitproofError):
    """The folder of a broker cannot be used, or holds another broker than the one asked for."""

    code = "broker_folder"
