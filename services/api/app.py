"""The addresses: `/healthz`, `/readyz` and `/metrics` for anyone, all below `/api/` by token.

    GET  /api/findings?from=2026-04-18&table=DD-07   the JSON that `findings --format json` prints
    POST /api/findings {"from": "2026-04-18"}        the same

A question's name and parameters are those of its command and flags. Failures are
`{code, message, next_step}`, never a traceback.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final

import msgspec
from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException

from services.api.address import INSTANCE_HEADER, NAMED, REPORT_FORM
from services.api.answering import Answering, result_encoded
from services.api.errors import (
    BodyTooLargeError,
    InternalError,
    NoSuchQuestionError,
    NoTokenError,
    said,
    status_of,
)
from services.api.health import Health
from services.errors import BadArgumentError, PitproofError
from services.queries.registry import QUERIES

BODY_BYTES_MAX: Final = 1 << 20
"""No question comes near; without it a stranger on this machine could fill the memory."""

JSON: Final = "application/json"
METRICS_FORM: Final = "text/plain; version=0.0.4; charset=utf-8"


def application(
    answering: Answering, health: Health, exposition: Callable[[], bytes], *, token: str
) -> FastAPI:
    """The addresses of one service. What else it shows (pages) is added to what is returned."""
    app = FastAPI(
        title="pitproof", docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False
    )

    @app.get("/healthz")
    async def healthz() -> Response:
        return _json({"status": "ok"})

    @app.get("/readyz")
    async def readyz() -> Response:
        ready = health.readiness()
        good = HTTPStatus.OK if ready["ready"] else HTTPStatus.SERVICE_UNAVAILABLE
        return _json(ready, good)

    @app.get("/metrics")
    async def metrics() -> Response:
        await health.refresh(answering)
        return Response(exposition(), headers={"Content-Type": METRICS_FORM})

    @app.api_route("/api/{name:path}", methods=["GET", "POST"])
    async def question(name: str, request: Request) -> Response:
        if not _has_token(request, token):
            raise _no_token()
        return await _answered(answering, name, request)

    _handle_failures(app, token)
    return app


def _handle_failures(app: FastAPI, token: str) -> None:
    @app.exception_handler(PitproofError)
    async def failed(_: Request, error: PitproofError) -> Response:
        return _failure(error)

    @app.exception_handler(HTTPException)
    async def refused(request: Request, error: HTTPException) -> Response:
        if request.url.path.startswith("/api") and not _has_token(request, token):
            return _failure(_no_token())
        if error.status_code == HTTPStatus.NOT_FOUND:
            return _failure(_nothing_at(request.url.path))
        refusal = BadArgumentError(f"{request.method} {request.url.path}: {error.detail}")
        return _json(said(refusal), HTTPStatus(error.status_code))

    @app.exception_handler(Exception)
    async def broken(_: Request, __: Exception) -> Response:
        return _failure(InternalError("a fault of pitproof itself, shown in its log"))


class Instance:
    """Wraps the addresses: every answer says which service gave it."""

    def __init__(self, app: Any, instance: str) -> None:
        self._app = app
        self._header = (INSTANCE_HEADER.encode(), instance.encode())

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass on, and add the header."""

        async def marked(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), self._header]
            await send(message)

        await self._app(scope, receive, marked)


def _has_token(request: Request, token: str) -> bool:
    given = request.headers.get("authorization", "")
    return hmac.compare_digest(given.encode(), f"Bearer {token}".encode())


def _no_token() -> NoTokenError:
    return NoTokenError(
        "the token is missing or wrong",
        next_step="send Authorization: Bearer with the token that stands in PATH.api beside the "
        "history",
    )


async def _answered(answering: Answering, name: str, request: Request) -> Response:
    query = QUERIES.get(name)
    if query is None:
        raise _nothing_at(request.url.path)
    words = [(key, value) for key, value in request.query_params.multi_items() if key != NAMED]
    if request.method == "POST":
        if words:
            raise BadArgumentError(f"{name}: parameters of POST stand in its body")
        asked = query.asked(await _body(request))
    else:
        if query.writes:
            raise BadArgumentError(f"{name}: changes the history", next_step="use POST")
        asked = query.asked_by_words(words)
    whole = REPORT_FORM in request.headers.get("accept", "")
    body = await answering.answer(
        query,
        asked,
        request.query_params.get(NAMED, ""),
        request.is_disconnected,
        result_encoded if whole else query.told,
    )
    return Response(body, headers={"Content-Type": REPORT_FORM if whole else JSON})


async def _body(request: Request) -> bytes:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > BODY_BYTES_MAX:
            raise BodyTooLargeError(f"longer than {BODY_BYTES_MAX >> 20} MiB")
    return bytes(body)


def _nothing_at(path: str) -> NoSuchQuestionError:
    return NoSuchQuestionError(
        f"{path}: there is nothing",
        next_step=f"there is /healthz, /readyz, /metrics, and /api/ with {', '.join(QUERIES)}",
    )


def _failure(error: PitproofError) -> Response:
    status = status_of(error)
    headers = {"WWW-Authenticate": "Bearer"} if status == HTTPStatus.UNAUTHORIZED else {}
    return _json(said(error), status, headers)


def _json(
    value: object, status: HTTPStatus = HTTPStatus.OK, headers: dict[str, str] | None = None
) -> Response:
    return Response(
        msgspec.json.encode(value) + b"\n",
        status_code=status,
        headers={"Content-Type": JSON, **(headers or {})},
    )
