"""What a service answers when it cannot: `{code, message, next_step}`, and a status of HTTP."""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

from services.errors import BadArgumentError, PitproofError


class NoTokenError(PitproofError):
    """Asked without the token, or with another one."""

    code = "no_token"


class NoSuchQuestionError(PitproofError):
    """There is nothing under that address."""

    code = "no_such_question"


class BodyTooLargeError(PitproofError):
    """A request longer than any question is."""

    code = "body_too_large"


class AnswerTooLargeError(PitproofError):
    """An answer that would take the memory that following the topic needs."""

    code = "answer_too_large"


class ServiceBusyError(PitproofError):
    """So many questions are being answered that another one would only wait."""

    code = "service_busy"


class ServiceStoppingError(PitproofError):
    """The service is about to end."""

    code = "service_stopping"


class TookTooLongError(PitproofError):
    """A question that was stopped at the end of its time."""

    code = "took_too_long"


class InternalError(PitproofError):
    """A fault of pitproof itself; what it was is in the service's log, and nowhere else."""

    code = "internal_error"


STATUSES: Final[dict[type[PitproofError], HTTPStatus]] = {
    NoTokenError: HTTPStatus.UNAUTHORIZED,
    NoSuchQuestionError: HTTPStatus.NOT_FOUND,
    BadArgumentError: HTTPStatus.BAD_REQUEST,
    BodyTooLargeError: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    AnswerTooLargeError: HTTPStatus.INSUFFICIENT_STORAGE,
    ServiceBusyError: HTTPStatus.SERVICE_UNAVAILABLE,
    ServiceStoppingError: HTTPStatus.SERVICE_UNAVAILABLE,
    TookTooLongError: HTTPStatus.GATEWAY_TIMEOUT,
    InternalError: HTTPStatus.INTERNAL_SERVER_ERROR,
}


def status_of(error: PitproofError) -> HTTPStatus:
    """The status that comes nearest; of an error that is not listed, that of the question."""
    for kind in type(error).__mro__:
        if kind in STATUSES:
            return STATUSES[kind]
    return HTTPStatus.UNPROCESSABLE_ENTITY


def said(error: PitproofError) -> dict[str, str]:
    """What is said of it."""
    return {"code": error.code, "message": error.message, "next_step": error.next_step}
